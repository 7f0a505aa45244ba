//! A scene that is running: an iterator over its frames.

use crate::{Frame, SceneError};
use fracas::mesh::{Mesh, Report};
use fracas::tearing::TearingBody;
use std::fmt;

/// A running scene. Each call of `next` does one step; the first gives the state before any.
pub struct Run {
    /// How many steps there will be; there is one frame more.
    pub steps: usize,
    /// Time in the scene from one step to the next, in seconds.
    pub step_seconds: f64,
    /// Height of the ground, if there is one. Up is z.
    pub ground: Option<f64>,
    advance: Box<Advance>,
    done: usize,
    failed: bool,
}

/// Does the step of the given number, 0 being the state before the first; fills in everything but number and time.
pub(crate) type Advance = dyn FnMut(usize, &mut Frame) -> Result<(), SceneError> + Send;

impl Run {
    pub(crate) fn new(steps: usize, step_seconds: f64, ground: Option<f64>, advance: Box<Advance>) -> Self {
        Self { steps, step_seconds, ground, advance, done: 0, failed: false }
    }
}

impl Iterator for Run {
    type Item = Result<Frame, SceneError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.done > self.steps {
            return None;
        }
        let step = self.done;
        self.done += 1;
        let mut frame = Frame { step, seconds: step as f64 * self.step_seconds, ..Frame::default() };
        let result = (self.advance)(step, &mut frame);
        self.failed = result.is_err();
        Some(result.map(|()| frame))
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, step_seconds, ground, advance: _, done, failed } = self;
        f.debug_struct("Run")
            .field("steps", steps)
            .field("step_seconds", step_seconds)
            .field("ground", ground)
            .field("done", done)
            .field("failed", failed)
            .finish_non_exhaustive()
    }
}

/// Refuses a mesh that does not enclose a body.
pub(crate) fn require_closed(mesh: &Mesh) -> Result<(), SceneError> {
    let report = Report::of(mesh);
    if !report.closed {
        let edges = (report.boundary_edges + report.nonmanifold_edges).max(1);
        return Err(SceneError::NotClosed { edges });
    }
    if !report.oriented || report.volume.is_none_or(|volume| volume <= 0.0) {
        return Err(SceneError::NotOriented);
    }
    Ok(())
}

/// The piece of every slot of a body, [`Frame::DEAD`] for dead ones.
pub(crate) fn fragments_of(body: &TearingBody) -> Vec<u32> {
    let mut fragments = vec![Frame::DEAD; body.mesh().slot_count()];
    for piece in 0..body.piece_count() {
        for triangle in body.piece_triangles(piece) {
            fragments[triangle.index()] = piece as u32;
        }
    }
    fragments
}

/// The counters that every scene with a tearing body has.
pub(crate) fn count_body(frame: &mut Frame, body: &TearingBody) {
    let quality = body.quality();
    frame.count("triangles", quality.triangles as f64);
    frame.count("removed", frame.removed.len() as f64);
    frame.count("added", frame.added.len() as f64);
    frame.count("pairs", frame.pairs.len() as f64);
    frame.count("pieces", body.piece_count() as f64);
    frame.count("depth", quality.depth as f64);
    frame.count("sah", quality.sah);
    if let Some(q) = quality.q {
        frame.count("q", q);
    }
}
