//! Hashes of all that a scene gives: two builds that print the same lines give the same answers, bit for bit.
//!
//! The example `hashes` prints the lines; the test `golden` compares those of the quick scenes with `golden.txt`.

use fracas_scenes::{Frame, SceneError, SceneOptions, Size, start};
use std::fmt;

/// The hashes of a run. Times and counters are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneHash {
    pub scene: String,
    pub frames: usize,
    /// Pairs of triangles that intersect.
    pub pairs: u64,
    /// Points, normals and depths of contacts.
    pub contacts: u64,
    pub positions: u64,
    /// Triangles that came and went, and the fragment of each.
    pub triangles: u64,
}

impl SceneHash {
    /// Runs a scene at size small, on one thread or on all.
    pub fn of(scene: &str, parallel: bool) -> Result<Self, SceneError> {
        let options = SceneOptions { size: Size::Small, parallel, ..SceneOptions::default() };
        let mut hashes = [Fnv::default(); 4];
        let mut frames = 0;
        for frame in start(scene, &options)? {
            add_frame(&frame?, &mut hashes);
            frames += 1;
        }
        let [pairs, contacts, positions, triangles] = hashes.map(|hash| hash.0);
        Ok(Self { scene: scene.to_owned(), frames, pairs, contacts, positions, triangles })
    }
}

impl fmt::Display for SceneHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scene, frames, pairs, contacts, positions, triangles } = self;
        write!(f, "{scene} frames {frames} pairs {pairs:016x} contacts {contacts:016x} ")?;
        write!(f, "positions {positions:016x} triangles {triangles:016x}")
    }
}

fn add_frame(frame: &Frame, [pairs, contacts, positions, triangles]: &mut [Fnv; 4]) {
    pairs.add_count(frame.pairs.len());
    for pair in &frame.pairs {
        pairs.add(u64::from(pair.a.0) << 32 | u64::from(pair.b.0));
    }
    contacts.add_count(frame.contacts.len());
    for contact in &frame.contacts {
        contacts.add_floats(&contact.point.to_array());
        contacts.add_floats(&contact.normal.to_array());
        contacts.add_floats(&[contact.depth]);
    }
    positions.add_count(frame.positions.len());
    for position in &frame.positions {
        positions.add_floats(&position.to_array());
    }
    triangles.add_count(frame.removed.len());
    for id in &frame.removed {
        triangles.add(u64::from(id.0));
    }
    triangles.add_count(frame.added.len());
    for new in &frame.added {
        triangles.add(u64::from(new.id.0));
        for corner in new.corners {
            triangles.add(u64::from(corner));
        }
        triangles.add(u64::from(new.is_crack));
        triangles.add(new.replaces.map_or(u64::MAX, |id| u64::from(id.0)));
    }
    triangles.add_count(frame.fragments.len());
    for &fragment in &frame.fragments {
        triangles.add(u64::from(fragment));
    }
}

/// FNV-1a with 64 bits, byte by byte.
#[derive(Clone, Copy)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, value: u64) {
        for byte in value.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn add_count(&mut self, count: usize) {
        self.add(count as u64);
    }

    fn add_floats(&mut self, values: &[f64]) {
        for value in values {
            self.add(value.to_bits());
        }
    }
}
