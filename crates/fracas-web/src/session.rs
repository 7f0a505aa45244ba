//! A scene as its player has it: tools as texts, frames as bytes, and a recording of what was played.
//!
//! The recording is that of the last steps, up to [`MOST_FRAMES`] or 24 MiB: then it begins again, and the room of what is gone is given back.

use crate::frame::Writer;
use fracas::Mesh;
use fracas::geom::DVec3;
use fracas::mesh::Report;
use fracas_frames::{About, Kind, MeshSpan, Recorder, RecorderOptions, Reported, page};
use fracas_io::Format;
use fracas_scenes::play::{Missile, PLAYABLE, Play, Ray, Tool};
use fracas_scenes::{Size, reported};
use serde::{Deserialize, Serialize};
use std::path::Path;
use web_time::Instant;

/// The most frames of a recording, and about the most bytes.
pub const MOST_FRAMES: usize = 2_400;
const MOST_PACKED: usize = 24 << 20;
/// Recordings are made while playing, so they must not take long: positions to an eight-thousandth of the scene, packed quickly.
const RECORDING: RecorderOptions = RecorderOptions { resolution: 1 << 13, quick: true };
/// The most bytes of a file: the memory of a module is small.
const MOST_BYTES: usize = 256 << 20;

/// A scene being played, or a mesh that is looked at.
pub struct Session {
    play: Play,
    about: String,
    recording: About,
    recorder: Recorder,
    recorded: usize,
    writer: Writer,
}

/// What a scene says about itself.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Made<'a> {
    scene: &'a str,
    size: &'a str,
    text: &'a str,
    step_seconds: f64,
    ground: Option<f64>,
    low: [f64; 3],
    high: [f64; 3],
    tools: &'a [&'a str],
    reported: &'a [Reported],
}

/// What was found in a mesh.
#[derive(Debug, Serialize)]
struct Checked<'a> {
    name: &'a str,
    vertices: usize,
    triangles: usize,
    pairs: usize,
    closed: bool,
    ms: Times,
    low: [f64; 3],
    high: [f64; 3],
}

#[derive(Debug, Serialize)]
struct Times {
    read: f64,
    find: f64,
}

/// A ray as it comes from the page.
#[derive(Debug, Deserialize)]
struct GivenRay {
    from: [f64; 3],
    along: [f64; 3],
}

/// A tool as it comes from the page.
#[derive(Debug, Deserialize)]
#[serde(tag = "tool", rename_all = "lowercase")]
enum GivenTool {
    Ball { ray: GivenRay },
    Throw { ray: GivenRay, what: GivenMissile, speed: f64 },
    Grab { ray: GivenRay },
    Drag { ray: GivenRay },
    Release,
    Strike { ray: GivenRay, strength: f64 },
    Cut { rays: Vec<GivenRay> },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GivenMissile {
    Ball,
    Brick,
}

impl From<GivenRay> for Ray {
    fn from(ray: GivenRay) -> Self {
        Self { from: DVec3::from_array(ray.from), along: DVec3::from_array(ray.along) }
    }
}

impl From<GivenTool> for Tool {
    fn from(tool: GivenTool) -> Self {
        match tool {
            GivenTool::Ball { ray } => Self::Ball { ray: ray.into() },
            GivenTool::Throw { ray, what, speed } => {
                let what = match what {
                    GivenMissile::Ball => Missile::Ball,
                    GivenMissile::Brick => Missile::Brick,
                };
                Self::Throw { ray: ray.into(), what, speed }
            }
            GivenTool::Grab { ray } => Self::Grab { ray: ray.into() },
            GivenTool::Drag { ray } => Self::Drag { ray: ray.into() },
            GivenTool::Release => Self::Release,
            GivenTool::Strike { ray, strength } => Self::Strike { ray: ray.into(), strength },
            GivenTool::Cut { rays } => Self::Cut { rays: rays.into_iter().map(Ray::from).collect() },
        }
    }
}

impl Session {
    /// Makes a scene of a size; the seed changes what is left to chance.
    ///
    /// # Errors
    /// A sentence: an unknown scene or size, or a mesh that cannot become a body.
    pub fn make(scene: &str, size: &str, seed: f64, mesh: Option<Mesh>) -> Result<Self, String> {
        let wanted = match size {
            "small" => Size::Small,
            "paper" => Size::Paper,
            "large" => Size::Large,
            other => return Err(format!("There is no size `{other}`: there are small, paper and large.")),
        };
        if !(seed.is_finite() && seed >= 0.0) {
            return Err(format!("The seed is {seed}; it must be a number from 0 on."));
        }
        let play = Play::make(scene, wanted, seed as u64, mesh).map_err(|error| sentence(&error))?;
        let known = PLAYABLE.iter().find(|known| known.name == scene).expect("it was made");
        let reported = reported::reported(scene, size);
        let [low, high] = play.bounds().map(|p| p.to_array());
        let (step_seconds, ground) = (play.step_seconds(), play.ground());
        let (text, tools) = (known.about, known.tools);
        let made = Made { scene, size, text, step_seconds, ground, low, high, tools, reported: &reported };
        let about = serde_json::to_string(&made).expect("plain data");
        let recording = About {
            kind: Kind::Run,
            title: scene.to_owned(),
            text: "played by hand".to_owned(),
            size: size.to_owned(),
            step_seconds,
            ground,
            reported,
            program: program(),
            ..About::default()
        };
        Ok(Self::of(play, about, recording))
    }

    /// Reads a mesh and finds its intersections; returns the mesh as well.
    ///
    /// # Errors
    /// A sentence that names the file and what is wrong with it.
    pub fn load(name: &str, bytes: &[u8]) -> Result<(Self, Mesh), String> {
        if bytes.len() > MOST_BYTES {
            return Err(format!(
                "{name} has {} MiB; this page reads files of up to {} MiB. Use `fracas check` for it.",
                bytes.len() >> 20,
                MOST_BYTES >> 20
            ));
        }
        let Some(format) = Format::from_path(Path::new(name)) else {
            return Err(format!(
                "{name} is of a format that is not known here: OBJ, OFF, STL, PLY, glTF and GLB are."
            ));
        };
        let begin = Instant::now();
        let mesh = fracas_io::read_bytes(bytes, format, name).map_err(|error| ended(error.to_string()))?;
        let read = 1e3 * begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let play = Play::inspect(&mesh).map_err(|error| sentence(&error))?;
        let find = 1e3 * begin.elapsed().as_secs_f64();
        let (vertices, triangles) = (mesh.vertex_count(), mesh.triangle_count());
        let [low, high] = play.bounds().map(|p| p.to_array());
        let pairs = play.frame().pairs.len();
        let closed = Report::of(&mesh).closed;
        let checked =
            Checked { name, vertices, triangles, pairs, closed, ms: Times { read, find }, low, high };
        let about = serde_json::to_string(&checked).expect("plain data");
        let recording = About {
            kind: Kind::Check,
            title: name.to_owned(),
            text: match pairs {
                0 => "No triangles intersect.".to_owned(),
                1 => "One pair of triangles intersects.".to_owned(),
                pairs => format!("{pairs} pairs of triangles intersect."),
            },
            meshes: vec![MeshSpan { path: name.to_owned(), vertices, triangles }],
            program: program(),
            ..About::default()
        };
        Ok((Self::of(play, about, recording), mesh))
    }

    fn of(play: Play, about: String, recording: About) -> Self {
        let is_run = recording.kind == Kind::Run;
        let options = if is_run { RECORDING } else { RecorderOptions::default() };
        let mut recorder = Recorder::new(recording.clone(), options);
        recorder.note(play.frame());
        Self { play, about, recording, recorder, recorded: 1, writer: Writer::default() }
    }

    /// What the scene or the mesh is, as JSON: `Made` or `Checked` of the protocol.
    #[must_use]
    pub fn about(&self) -> String {
        self.about.clone()
    }

    /// Does a step.
    ///
    /// # Errors
    /// A sentence. Then the scene cannot go on.
    pub fn step(&mut self) -> Result<(), String> {
        let is_over = self.recorded >= MOST_FRAMES || self.recorder.packed_bytes() > MOST_PACKED;
        if is_over {
            self.play.restart();
            self.recorder = Recorder::new(self.recording.clone(), RECORDING);
            self.recorded = 0;
        }
        let frame = self.play.step().map_err(|error| sentence(&error))?;
        if is_over || !frame.added.is_empty() || !frame.removed.is_empty() {
            self.writer.mark_changed();
        }
        self.recorder.note(frame);
        self.recorded += 1;
        Ok(())
    }

    /// Does what a patient user would do, then a step: [`Play::rehearse`]. It is not recorded.
    ///
    /// # Errors
    /// As [`Session::step`].
    pub fn rehearse(&mut self) -> Result<(), String> {
        let scene = self.recording.title.clone();
        let frame = self.play.rehearse(&scene).map_err(|error| sentence(&error))?;
        if !frame.added.is_empty() || !frame.removed.is_empty() {
            self.writer.mark_changed();
        }
        Ok(())
    }

    /// Uses a tool of the protocol, given as JSON; returns `{"done": …, "text": …}`.
    ///
    /// # Errors
    /// A sentence: a text that is no tool, a number out of range, or a body that refuses.
    pub fn use_tool(&mut self, tool: &str) -> Result<String, String> {
        let given: GivenTool =
            serde_json::from_str(tool).map_err(|error| format!("This is no tool of the page: {error}."))?;
        let outcome = self.play.apply(&given.into()).map_err(|error| sentence(&error))?;
        Ok(serde_json::json!({ "done": outcome.done, "text": outcome.text }).to_string())
    }

    /// Up to how many boxes frames hold, from the next step on.
    pub fn set_boxes(&mut self, most: usize) {
        self.play.set_boxes(most);
    }

    /// Writes the state as a frame.
    pub fn write_frame(&mut self) -> &[u8] {
        self.writer.write(&self.play)
    }

    /// The last frame that was written.
    #[must_use]
    pub fn frame_bytes(&self) -> &[u8] {
        self.writer.bytes()
    }

    /// Milliseconds of phases and counters of the last step, as JSON.
    #[must_use]
    pub fn numbers(&self) -> String {
        let frame = self.play.frame();
        let phases: Vec<(&str, f64)> =
            frame.times.iter().map(|(name, time)| (*name, 1e3 * time.as_secs_f64())).collect();
        serde_json::json!({ "phases": phases, "counters": frame.counters }).to_string()
    }

    /// The report page of all steps that are recorded, made from the viewer without data.
    #[must_use]
    pub fn saved(&self, template: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let recording = self.recorder.clone().finish();
        page::write(&mut out, template, &recording, None).expect("memory takes all");
        out
    }

    /// How many frames are recorded.
    #[must_use]
    pub fn recorded(&self) -> usize {
        self.recorded
    }

    /// A hash of all that every step so far has left behind: 16 digits.
    #[must_use]
    pub fn hash(&self) -> String {
        format!("{:016x}", self.play.hash())
    }

    /// The scene.
    #[must_use]
    pub fn play(&self) -> &Play {
        &self.play
    }
}

/// An error as a sentence.
fn sentence(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    ended(first + letters.as_str())
}

/// A text with a full stop. It may begin with the name of a file, which stays as it is.
fn ended(text: String) -> String {
    if text.ends_with('.') { text } else { text + "." }
}

fn program() -> String {
    concat!("fracas ", env!("CARGO_PKG_VERSION")).to_owned()
}
