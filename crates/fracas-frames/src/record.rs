//! Frames in, a recording out.

use crate::frame::Frame;
use crate::group::Packer;
use crate::header::{About, Column, Header};
use crate::lattice::Lattice;
use crate::recording::{Recording, deflated};
use crate::triangles::{self, StoredTriangle};
use fracas::geom::DVec3;

/// A group ends after this many frames…
const GROUP_FRAMES: usize = 16;
/// …or this many bytes.
const GROUP_BYTES: usize = 3 << 20;

/// How frames are recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecorderOptions {
    /// Steps along the longest side of the first frame's box, 2⁸ to 2²⁴. Positions are off by half of one at most. Default: 2¹⁶.
    pub resolution: u32,
    /// Pack quickly rather than tightly. Default: false.
    pub quick: bool,
}

impl Default for RecorderOptions {
    fn default() -> Self {
        Self { resolution: 1 << 16, quick: false }
    }
}

/// Packs frames as they come. All frames of a run are needed, in order.
#[derive(Clone, Debug)]
pub struct Recorder {
    options: RecorderOptions,
    header: Header,
    lattice: Option<Lattice>,
    /// Around all positions so far.
    bounds: (DVec3, DVec3),
    /// The phases of the last frame; the first may lack some.
    phases: Vec<&'static str>,
    triangles: Vec<StoredTriangle>,
    packer: Packer,
    /// The group under construction, and how many frames it has.
    open: Vec<u8>,
    in_open: usize,
    groups: Vec<Vec<u8>>,
}

impl Recorder {
    /// A recording without frames.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::TriangleId;
    /// use fracas_frames::{About, AddedTriangle, Frame, Recorder, RecorderOptions, Recording};
    /// // A triangle that rises.
    /// let triangle = AddedTriangle { id: TriangleId(0), corners: [0, 1, 2], is_crack: false, replaces: None };
    /// let mut frame = Frame { added: vec![triangle], fragments: vec![0], ..Frame::default() };
    /// let mut recorder = Recorder::new(About { steps: 11, ..About::default() }, RecorderOptions::default());
    /// for step in 0..12 {
    ///     let rise = DVec3::Z * step as f64;
    ///     (frame.step, frame.positions) = (step, [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p + rise).to_vec());
    ///     recorder.note(&frame);
    ///     frame.added.clear();
    /// }
    /// let bytes = recorder.finish().to_bytes();
    /// let stored = Recording::from_bytes(&bytes).unwrap().unpack().unwrap();
    /// assert_eq!(stored.frames.len(), 12);
    /// assert!(stored.triangles[0].is_in(0) && (stored.frames[11].positions[1].z - 11.0).abs() < 1e-4);
    /// ```
    #[must_use]
    pub fn new(about: About, options: RecorderOptions) -> Self {
        Self {
            options: RecorderOptions { resolution: options.resolution.clamp(1 << 8, 1 << 24), ..options },
            header: Header { about, step: 1.0, ..Header::default() },
            lattice: None,
            bounds: (DVec3::INFINITY, DVec3::NEG_INFINITY),
            phases: Vec::new(),
            triangles: Vec::new(),
            packer: Packer::default(),
            open: Vec::new(),
            in_open: 0,
            groups: Vec::new(),
        }
    }

    /// Takes down a frame.
    ///
    /// # Cost
    /// O(vertices + triangles), and packing.
    pub fn note(&mut self, frame: &Frame) {
        let number = self.header.frames;
        let lattice = *self.lattice.get_or_insert_with(|| {
            let lattice = first_lattice(frame, self.header.about.ground, self.options.resolution);
            (self.header.origin, self.header.step) = (lattice.origin.to_array(), lattice.step);
            lattice
        });
        for id in &frame.removed {
            if let Some(triangle) = self.triangles.get_mut(id.index()) {
                triangle.died = Some(number as u32);
            }
        }
        for new in &frame.added {
            self.triangles.resize(self.triangles.len().max(new.id.index() + 1), StoredTriangle::default());
            self.triangles[new.id.index()] = StoredTriangle {
                corners: new.corners,
                is_crack: new.is_crack,
                born: Some(number as u32),
                died: None,
            };
        }
        if self.in_open == 0 {
            self.packer.begin();
            self.header.groups.push(number);
        }
        self.packer.put(&mut self.open, frame, &lattice);
        self.in_open += 1;
        if self.in_open == GROUP_FRAMES || self.open.len() >= GROUP_BYTES {
            self.close();
        }
        self.bounds = frame.positions.iter().fold(self.bounds, around);
        self.phases = frame.times.iter().map(|time| time.0).collect();
        self.note_numbers(frame);
    }

    fn note_numbers(&mut self, frame: &Frame) {
        let header = &mut self.header;
        let number = header.frames;
        header.frames += 1;
        header.steps.push(frame.step);
        header.seconds.push(frame.seconds);
        header.vertices = header.vertices.max(frame.positions.len());
        header.triangles = self.triangles.len();
        for (name, time) in &frame.times {
            let milliseconds = (time.as_secs_f64() * 1e6).round() / 1e3;
            Column::note(&mut header.phases, name, number, milliseconds);
        }
        for &(name, value) in &frame.counters {
            // Seven digits are more than a chart can show.
            let rounded = format!("{value:.6e}").parse().unwrap_or(value);
            Column::note(&mut header.counters, name, number, rounded);
        }
        header.contacts = header.contacts.max(frame.contacts.len());
        // A chart of contacts is wanted wherever there are any.
        if header.contacts > 0 && frame.counter("contacts").is_none() {
            Column::note(&mut header.counters, "contacts", number, frame.contacts.len() as f64);
        }
        for (level, boxes) in frame.boxes.chunk_by(|a, b| a.level == b.level).enumerate() {
            header.levels.resize(header.levels.len().max(level + 1), 0);
            header.levels[level] = header.levels[level].max(boxes.len());
        }
    }

    fn close(&mut self) {
        if self.in_open > 0 {
            self.groups.push(deflated(&self.open, self.options.quick));
            self.open.clear();
            self.in_open = 0;
        }
    }

    /// How many bytes the groups of frames that are packed have.
    #[must_use]
    pub fn packed_bytes(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    /// The recording of all frames so far.
    #[must_use]
    pub fn finish(mut self) -> Recording {
        self.close();
        let frames = self.header.frames;
        for column in self.header.phases.iter_mut().chain(&mut self.header.counters) {
            column.values.resize(frames, None);
        }
        // Frames before the first contact have none, which is a number too.
        let contacts = self.header.counters.iter_mut().filter(|column| column.name == "contacts");
        contacts.flat_map(|column| &mut column.values).for_each(|value| *value = value.or(Some(0.0)));
        let place = |column: &Column| self.phases.iter().position(|name| *name == column.name);
        self.header.phases.sort_by_key(|column| place(column).unwrap_or(usize::MAX));
        let (low, high) = self.bounds;
        if low.is_finite() && high.is_finite() {
            (self.header.low, self.header.high) = (low.to_array(), high.to_array());
        }
        let header = serde_json::to_vec(&self.header).expect("plain data");
        let mut sections =
            vec![deflated(&header, false), deflated(&triangles::encode(&self.triangles), false)];
        sections.append(&mut self.groups);
        Recording::of_sections(sections)
    }
}

/// A box, made to hold a point.
fn around((low, high): (DVec3, DVec3), p: &DVec3) -> (DVec3, DVec3) {
    (low.min(*p), high.max(*p))
}

/// The lattice around the first frame and the ground below it.
fn first_lattice(frame: &Frame, ground: Option<f64>, resolution: u32) -> Lattice {
    let (mut low, mut high) = frame.positions.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), around);
    if let Some(ground) = ground {
        (low.z, high.z) = (low.z.min(ground), high.z.max(ground));
    }
    Lattice::around(low, high, f64::from(resolution))
}
