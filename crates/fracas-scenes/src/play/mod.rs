//! Scenes to be played with: the user drops, throws, grabs, strikes and cuts, and the library does the rest.
//!
//! Two of the paper's five scenes are interactive. A [`Play`] is such a scene: a state, a step, and tools. It knows neither clock nor window; whoever
//! shows it steps it at its own pace and says where the user points.
//!
//! # Idea
//!
//! ```text
//!   Ray, from the eye ──▶ pick: nearest triangle shown ──▶ body ──▶ Tool ──▶ bodies, blows, cuts
//!                                                                              │
//!   Play::step ──▶ hands: Rapier and BreakableSet     ┐                        │
//!                  bench: soft bodies in a World      ├──▶ Frame ◀─────────────┘
//!                  still: a mesh and its pairs        ┘
//! ```
//!
//! | scene | bodies | from |
//! |---|---|---|
//! | `plates` | four plates on a shelf | [`plates`](mod@crate::plates), without its balls |
//! | `handful` | five bodies in a pit | [`handful`](mod@crate::handful), without its throws |
//! | `bricks` | bricks in the air | [`bricks`](mod@crate::bricks) |
//! | `piggybank` | a bank with coins in it | [`piggybank`](mod@crate::piggybank) |
//! | `cut` | a sheet and a soft body, to be cut | points and links, as [`flag`](mod@crate::flag) and [`surgery`](mod@crate::surgery) |
//! | `mesh` | the user's own mesh, filled by its winding numbers | `lumps` |
//!
//! # Invariants
//!
//! - The same calls in the same order give the same frames; with the feature `deterministic`, on every machine.
//! - A tool that finds nothing to do says so and changes nothing. What a tool has done is in the frame of the next step.
//! - What a scene holds is bounded, however long it is played: the oldest things thrown go when there are many,
//!   pieces of pieces break only so often, and [`Play::restart`] gives the room of triangles that are gone back.
//!
//! # Reference
//!
//! Section 6 of L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont and M. A. Otaduy, *Efficient collision detection for brittle fracture*, Symposium
//! on Computer Animation, 2012.

mod bench;
mod grip;
mod hands;
mod hash;
mod pick;
mod rehearsal;
mod still;
mod stroke;
mod tool;

pub use pick::Ray;
pub use tool::{Missile, Outcome, Tool};

use crate::{AddedTriangle, Frame, SceneError, SceneOptions, Size};
use bench::Bench;
use fracas::Mesh;
use fracas::geom::DVec3;
use hands::Hands;
use hash::Hash;
use pick::Shown;
use still::Still;

/// A scene that can be played with.
#[derive(Debug)]
pub struct Playable {
    /// Its name.
    pub name: &'static str,
    /// What is to be seen and done, in one line.
    pub about: &'static str,
    /// The tools that do something in it, the most natural first.
    pub tools: &'static [&'static str],
}

const RIGID_TOOLS: &[&str] = &["ball", "throw", "grab", "strike", "cut"];

/// All scenes that can be played with.
pub const PLAYABLE: [Playable; 6] = [
    Playable { name: "plates", about: "Four plates lie on a shelf. Drop balls on them.", tools: RIGID_TOOLS },
    Playable {
        name: "handful",
        about: "Five bodies lie in a pit. Take one, and break the others with it.",
        tools: &["grab", "throw", "strike", "ball", "cut"],
    },
    Playable {
        name: "bricks",
        about: "Bricks fall in a heap. Throw more.",
        tools: &["throw", "grab", "strike", "ball", "cut"],
    },
    Playable {
        name: "piggybank",
        about: "A hollow bank with coins in it falls. Strike it with a hammer.",
        tools: &["strike", "grab", "throw", "ball", "cut"],
    },
    Playable {
        name: "cut",
        about: "A sheet hangs beside a soft body. Cut along a stroke; drag the parts.",
        tools: &["cut", "grab", "strike"],
    },
    Playable {
        name: "mesh",
        about: "Your mesh, filled and made to break.",
        tools: &["strike", "grab", "throw", "ball", "cut"],
    },
];

/// A scene being played; see the [module](self).
pub struct Play {
    kind: Kind,
    /// Time in the scene from one step to the next, in seconds.
    step_seconds: f64,
    ground: Option<f64>,
    shown: Shown,
    frame: Frame,
    boxes: usize,
    hash: Hash,
}

enum Kind {
    Rigid(Box<Hands>),
    Soft(Box<Bench>),
    Still(Still),
}

impl Play {
    /// Makes a scene of a size. The seed changes what is left to chance. The scene `mesh` needs a mesh, and others take none.
    ///
    /// # Errors
    /// An unknown name; a mesh that is missing, out of place, or cannot be filled.
    ///
    /// ```
    /// use fracas_scenes::{Size, geom::DVec3, play::{Play, Ray, Tool}};
    /// let mut play = Play::make("plates", Size::Small, 0, None)?;
    /// let ray = Ray { from: DVec3::new(-0.7, 0.0, 5.0), along: -DVec3::Z };
    /// assert!(play.apply(&Tool::Ball { ray })?.done);
    /// let mut broken = 0.0;
    /// for _ in 0..40 {
    ///     broken += play.step()?.counter("fractures").unwrap();
    /// }
    /// assert!(broken >= 1.0, "the ball breaks a plate");
    /// # Ok::<(), fracas_scenes::SceneError>(())
    /// ```
    pub fn make(name: &str, size: Size, seed: u64, mesh: Option<Mesh>) -> Result<Self, SceneError> {
        let scene = PLAYABLE.iter().find(|scene| scene.name == name).ok_or_else(|| SceneError::Unknown {
            name: name.to_owned(),
            known: PLAYABLE.map(|scene| scene.name).join(", "),
        })?;
        match (&mesh, scene.name) {
            (None, "mesh") => return Err(SceneError::NeedsMesh),
            (Some(_), scene) if scene != "mesh" => return Err(SceneError::TakesNoMesh { scene }),
            _ => {}
        }
        // One thread: steps are short, and players of a browser have no other.
        let options = SceneOptions { size, mesh, robust: true, parallel: false, ..SceneOptions::default() };
        let kind = match scene.name {
            "cut" => Kind::Soft(Box::new(Bench::new(&options)?)),
            name => Kind::Rigid(Box::new(Hands::new(name, &options, seed)?)),
        };
        Self::begin(kind)
    }

    /// A mesh as it is, with the pairs of its triangles that intersect. It has no tools.
    ///
    /// # Errors
    /// None today; a mesh is checked where it is made.
    pub fn inspect(mesh: &Mesh) -> Result<Self, SceneError> {
        Self::begin(Kind::Still(Still::new(mesh)))
    }

    fn begin(kind: Kind) -> Result<Self, SceneError> {
        let (step_seconds, ground) = match &kind {
            Kind::Rigid(hands) => (hands.step_seconds(), Some(0.0)),
            Kind::Soft(_) => (bench::STEP_SECONDS, Some(0.0)),
            Kind::Still(_) => (1.0, None),
        };
        let (shown, frame) = (Shown::default(), Frame::default());
        let mut play = Self { kind, step_seconds, ground, shown, frame, boxes: 0, hash: Hash::default() };
        play.advance(0)?;
        Ok(play)
    }

    /// Does a step, and returns the state after it.
    ///
    /// # Errors
    /// If a world refuses the step. Then the scene cannot go on.
    pub fn step(&mut self) -> Result<&Frame, SceneError> {
        self.advance(self.frame.step + 1)?;
        Ok(&self.frame)
    }

    fn advance(&mut self, step: usize) -> Result<(), SceneError> {
        let mut frame = Frame { step, seconds: step as f64 * self.step_seconds, ..Frame::default() };
        match &mut self.kind {
            Kind::Rigid(hands) => hands.advance(step, self.boxes, &mut frame)?,
            Kind::Soft(bench) => bench.advance(step, self.boxes, &mut frame)?,
            Kind::Still(still) => still.advance(step, &mut frame),
        }
        self.hash.note(&frame);
        self.shown.follow(&frame);
        self.frame = frame;
        Ok(())
    }

    /// Uses a tool; its effect shows in the next frame.
    ///
    /// # Errors
    /// A ray or number that is not finite or out of range, or a world that refuses what the tool asks of it.
    pub fn apply(&mut self, tool: &Tool) -> Result<Outcome, SceneError> {
        tool.check()?;
        let shown = &self.shown.at(&self.frame);
        match &mut self.kind {
            Kind::Rigid(hands) => hands.apply(tool, shown),
            Kind::Soft(bench) => bench.apply(tool, shown),
            Kind::Still(_) => Ok(Outcome::nothing("This mesh is only looked at: make it a body first.")),
        }
    }

    /// The state after the last step.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// All triangles of the state, by ascending id.
    pub fn triangles(&self) -> impl Iterator<Item = &AddedTriangle> {
        self.shown.triangles()
    }

    /// The state as the first frame of a recording: with all its triangles as added. After [`Play::restart`] their ids are other ones, from 0 on.
    #[must_use]
    pub fn first_frame(&self) -> Frame {
        let added = self.shown.triangles().copied().collect();
        Frame { added, removed: Vec::new(), ..self.frame.clone() }
    }

    /// Gives back the room of triangles and vertices that are gone: the next frame numbers all of them again, has all its triangles as added, and none as removed.
    pub fn restart(&mut self) {
        match &mut self.kind {
            Kind::Rigid(hands) => hands.renumber(),
            Kind::Soft(bench) => bench.renumber(),
            Kind::Still(_) => return,
        }
        self.shown = Shown::default();
    }

    /// Up to how many boxes frames hold from the next step on.
    pub fn set_boxes(&mut self, most: usize) {
        self.boxes = most;
    }

    /// Time in the scene from one step to the next, in seconds.
    #[must_use]
    pub fn step_seconds(&self) -> f64 {
        self.step_seconds
    }

    /// Height of the ground, if there is one. Up is z.
    #[must_use]
    pub fn ground(&self) -> Option<f64> {
        self.ground
    }

    /// The lowest and the highest corner of what is there now.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        self.shown.at(&self.frame).bounds()
    }

    /// A hash of all that every step so far has left behind, times apart: equal hashes, equal runs.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash.value()
    }
}
