//! What a step of a scene leaves behind: plain data for tables, films, viewers and tests.
//!
//! Whatever moves bodies fills in a [`Frame`]; a [`Recorder`](crate::Recorder) packs it. This crate knows neither scenes nor
//! engines.

use fracas::geom::DVec3;
use fracas::mesh::TriangleId;
use fracas::pairs::Pair;
use fracas::tearing::TreeBox;
use web_time::{Duration, Instant};

/// The state after a step, and what the step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Steps done so far: 0 is the state before the first.
    pub step: usize,
    /// Time in the scene, in seconds.
    pub seconds: f64,
    /// Where every vertex is. There are never fewer than in the frame before.
    pub positions: Vec<DVec3>,
    /// Triangles that are gone since the last frame.
    pub removed: Vec<TriangleId>,
    /// Triangles that have come since the last frame, by ascending id; in frame 0 all of them.
    pub added: Vec<AddedTriangle>,
    /// The fragment of every triangle slot; [`Frame::DEAD`] for those that are gone.
    pub fragments: Vec<u32>,
    /// Pairs of triangles that pass through each other; sorted, each once.
    pub pairs: Vec<Pair>,
    /// Contacts that were handed to a solver; empty where none is at work.
    pub contacts: Vec<FrameContact>,
    /// Boxes of trees, by level; empty unless they were asked for.
    pub boxes: Vec<TreeBox>,
    /// What each phase of the step took, in the order in which they ran. The same phases in every frame of a run.
    pub times: Vec<(&'static str, Duration)>,
    /// Sizes and measures, by name: `triangles`, `pairs`, `pieces`, `depth`, `q` and others.
    pub counters: Vec<(&'static str, f64)>,
}

/// A triangle that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedTriangle {
    /// Its id, never used before.
    pub id: TriangleId,
    /// Its vertices.
    pub corners: [u32; 3],
    /// Whether it is surface along a crack, or a part of such.
    pub is_crack: bool,
    /// The triangle that it is a part of, if it took the place of one.
    pub replaces: Option<TriangleId>,
}

/// A contact that was handed to a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameContact {
    /// Where it is, in the scene.
    pub point: DVec3,
    /// From the first body into the second, of length 1.
    pub normal: DVec3,
    /// How deep the bodies are in each other; negative while they are apart.
    pub depth: f64,
}

impl Frame {
    /// The fragment of a triangle that is gone.
    pub const DEAD: u32 = u32::MAX;

    /// A counter by name.
    #[must_use]
    pub fn counter(&self, name: &str) -> Option<f64> {
        self.counters.iter().find(|counter| counter.0 == name).map(|counter| counter.1)
    }

    /// Runs a phase of the step and adds its time to that of the name.
    pub fn time<R>(&mut self, name: &'static str, phase: impl FnOnce() -> R) -> R {
        let begin = Instant::now();
        let result = phase();
        let time = begin.elapsed();
        match self.times.iter_mut().find(|entry| entry.0 == name) {
            Some(entry) => entry.1 += time,
            None => self.times.push((name, time)),
        }
        result
    }

    /// Adds a counter.
    pub fn count(&mut self, name: &'static str, value: f64) {
        self.counters.push((name, value));
    }
}
