//! What is kept for a body, and why: the choice follows what the body does.
//!
//! | the body | is kept as | because |
//! |---|---|---|
//! | comes as a mesh, or got other triangles in this step | a soup | a tree costs more than one question gains |
//! | stays, and is near another one | a tree | the tree pays from the second question on |
//! | was deformed before the first question | a driven body | only boxes that are asked for are computed |
//! | deforms, and questions look at little of it | a driven body | as above, once refits have cost as much as building it |
//! | stopped, or questions look at much of it | a tree | all boxes are ready; once that would have saved as much as building it |
//! | has been edited | a tearing body | the tree follows the edit; it takes over the order of the tree before |
//! | has plans | a kinetic body | boxes are valid until the next key |
//! | got positions though it had plans | a tree or a driven body | the plans no longer hold |
//! | has pieces that have come apart | one box for each piece | far pieces need no question |
//!
//! Where its triangles are asked about among themselves, a deforming body stays a tree: its outlines save more than its boxes cost.
//!
//! # Where the figures come from
//!
//! `fracas-bench world` deforms a cloth with a growing share of contact and prints the time per step with a tree and with a driven body. *Work* is rows and
//! nodes that questions looked at, for each leaf of eight triangles. Work, and the time with a driven body over that with a tree, on one thread:
//!
//! | in contact | 5,000 triangles | 20,000 | 80,000 |
//! |---|---|---|---|
//! | 0.3 % | 0.15: 0.62 | 0.05: 0.39 | 0.02: 0.27 |
//! | 3 % | 0.26: 0.71 | 0.21: 0.52 | 0.13: 0.37 |
//! | 10 % | 1.40: 0.99 | 0.71: 0.80 | 0.36: 0.57 |
//! | 20 % | 2.15: 1.05 | 1.08: 0.97 | 0.56: 0.68 |
//! | 40 % | 5.67: 1.12 | 3.49: 1.08 | 1.71: 0.85 |
//! | all | 9.51: 1.10 | 4.91: 1.12 | 2.45: 0.99 |
//!
//! With 968 triangles the tree is faster throughout, by 8 to 29 %.
//!
//! So a refit costs about as much as [`REFIT`] units of work save, and a unit is about 30 ns. Building a tree costs 1.6 µs per leaf, and a driven body
//! 2.4 µs; but a driven body takes over the tree that is there, which leaves 0.8 µs, and gives it back for little more than a refit. A structure is changed when the other one would have saved what it costs to build (the rule of the ski rental): a body that changes its ways often
//! never pays more than twice.
//!
//! # Invariants
//!
//! No choice changes an answer.

use super::body::Kept;
use super::moves::driven;
use super::{BodyId, Keep, Member, World, WorldError};
use crate::kinetic::DrivenBody;
use crate::mesh::{Mesh, TriangleId};
use crate::tree::{BuildOptions, MeshTree};
use std::fmt;
use std::sync::Arc;

/// A body is taken to have stopped after this number of steps without deformation.
const STOPPED: u32 = 3;

/// What a refit costs for each leaf, in units of work.
const REFIT: f64 = 1.6;

/// What the change from one to the other costs for each leaf, in units of work.
const BUILD_TREE: f64 = 4.0;
const BUILD_DRIVEN: f64 = 27.0;

/// Smaller bodies are refitted in no time.
const SMALL: usize = 2_000;

/// A tree is rebuilt when questions are expected to cost so much more than when it was built, looked at every [`LOOK`] steps.
const WORN: f64 = 1.6;
const LOOK: u32 = 32;

/// Why a structure is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Why {
    /// The body came with it.
    Given,
    /// [`Settings::keep`](super::Settings::keep) says so.
    Told,
    /// Its triangles were replaced.
    Replaced,
    /// It is near another body.
    Near,
    /// It was edited.
    Edited,
    /// It got plans.
    Planned,
    /// It got positions though it had plans.
    LostPlan,
    /// It deforms, and little of it is looked at.
    Deforms,
    /// It has stopped deforming.
    Stopped,
    /// It deforms, and much of it is looked at.
    Busy,
    /// Its tree had become worse.
    Worn,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given => "the body came with it",
            Self::Told => "its settings say so",
            Self::Replaced => "its triangles were replaced",
            Self::Near => "it is near another body, or is asked about itself",
            Self::Edited => "it was edited",
            Self::Planned => "it got plans",
            Self::LostPlan => "it got positions though it had plans",
            Self::Deforms => "it deforms, and questions look at little of it",
            Self::Stopped => "it has stopped deforming",
            Self::Busy => "it deforms, and questions look at much of it",
            Self::Worn => "its deformation had made the tree slow, so it was rebuilt",
        })
    }
}

/// What is kept for a body, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Explanation {
    /// The body.
    pub id: BodyId,
    /// The structure.
    pub kept: Keep,
    /// The reason.
    pub why: Why,
    /// The step in which it was chosen.
    pub since: u64,
    /// Its triangles; 0 for a fragment.
    pub triangles: usize,
    /// Boxes in the broad phase: 1, or the number of its pieces.
    pub boxes: usize,
    /// Rows and nodes that the questions of the last steps looked at, for each leaf of eight triangles.
    pub work: f64,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, kept, why, since, triangles, boxes, work } = self;
        write!(f, "body {id:?} is kept as {kept} since step {since}: {why}")?;
        write!(f, " ({triangles} triangles, {boxes} boxes in the broad phase, work {work:.3} per leaf)")
    }
}

/// What a body did lately.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct History {
    pub(super) why: Why,
    pub(super) since: u64,
    /// Since the last step.
    pub(super) deformed: bool,
    pub(super) replaced: bool,
    /// Steps with deformation one after the other, and steps without since then.
    pub(super) moving: u32,
    pub(super) still: u32,
    /// Work of the last step, and its mean over the last few.
    pub(super) work: u64,
    pub(super) mean_work: f64,
    /// What the other structure, tree or driven body, would have saved so far for each leaf, in units of work.
    pub(super) missed: f64,
    /// What a question was expected to cost when the tree was built.
    pub(super) built_cost: f64,
}

impl History {
    pub(super) fn new(_: &Kept, step: u64) -> Self {
        Self {
            why: Why::Given,
            since: step,
            deformed: false,
            replaced: false,
            moving: 0,
            still: 0,
            work: 0,
            mean_work: 0.0,
            missed: 0.0,
            built_cost: 0.0,
        }
    }

    /// Whether positions have been given lately.
    pub(super) fn is_deforming(&self) -> bool {
        self.deformed || self.moving > 0
    }

    pub(super) fn begin(&mut self, why: Why, step: u64) {
        (self.why, self.since) = (why, step);
        (self.built_cost, self.missed) = (0.0, 0.0);
    }

    /// Looks back at the last step.
    fn look_back(&mut self, triangles: usize, keep: Keep) {
        let leaves = triangles.div_ceil(8).max(1);
        let work = std::mem::take(&mut self.work) as f64 / leaves as f64;
        self.mean_work = 0.75 * self.mean_work + 0.25 * work;
        let saved = if self.deformed { REFIT - work } else { -work };
        let missed = self.missed + if keep == Keep::Driven { -saved } else { saved };
        self.missed = missed.max(0.0);
        if std::mem::take(&mut self.deformed) {
            (self.moving, self.still) = (self.moving.saturating_add(1), 0);
        } else {
            self.still = self.still.saturating_add(1);
            if self.still >= STOPPED {
                self.moving = 0;
            }
        }
    }
}

impl World {
    /// What is kept for a body, and why.
    ///
    /// ```
    /// use fracas::world::{Keep, Why, World};
    /// use fracas::{MeshEdit, mesh::{TriangleId, shapes}};
    /// let mut world = World::default();
    /// let apple = world.insert(shapes::icosphere(1.0, 3));
    /// assert_eq!(world.explain(apple)?.kept, Keep::Soup);
    /// world.apply(apple, &MeshEdit { removed: vec![TriangleId(7)], ..MeshEdit::default() })?;
    /// let now = world.explain(apple)?;
    /// assert_eq!((now.kept, now.why), (Keep::Tearing, Why::Edited));
    /// println!("{now}");
    /// # Ok::<(), fracas::world::WorldError>(())
    /// ```
    ///
    /// # Errors
    /// The body is not in this world.
    pub fn explain(&self, id: BodyId) -> Result<Explanation, WorldError> {
        let member = self.member(id)?;
        let History { why, since, mean_work: work, .. } = member.history;
        let (kept, triangles) = (member.kept.keep(), member.kept.triangle_count());
        Ok(Explanation { id, kept, why, since, triangles, boxes: member.proxies.len().max(1), work })
    }
}

impl Member {
    /// Chooses at the beginning of a step. The change that is due may have happened just now.
    pub(super) fn choose(&mut self, step: u64) {
        self.history.look_back(self.kept.triangle_count(), self.kept.keep());
        if let Some(keep) = self.settings.keep {
            if keep != self.kept.keep() && self.can_become(keep) {
                self.change_to(keep, Why::Told, step);
            }
            return;
        }
        let history = &self.history;
        match self.kept.keep() {
            Keep::Tree if history.missed > BUILD_DRIVEN && self.may_be_driven() => {
                self.change_to(Keep::Driven, Why::Deforms, step);
            }
            Keep::Driven if history.missed > BUILD_TREE || self.settings.own.pairs => {
                let why = if history.still >= STOPPED { Why::Stopped } else { Why::Busy };
                self.change_to(Keep::Tree, why, step);
            }
            Keep::Tree if history.moving > 0 && history.moving.is_multiple_of(LOOK) => {
                self.rebuild_if_worn(step);
            }
            _ => {}
        }
    }

    fn may_be_driven(&self) -> bool {
        self.kept.triangle_count() >= SMALL && !self.settings.own.pairs && self.settings.own.near.is_none()
    }

    fn can_become(&self, keep: Keep) -> bool {
        let from_mesh = matches!(self.kept, Kept::Soup(_) | Kept::Tree(_) | Kept::Driven(_));
        from_mesh && matches!(keep, Keep::Soup | Keep::Tree | Keep::Driven | Keep::Tearing)
    }

    fn change_to(&mut self, keep: Keep, why: Why, step: u64) {
        let kept = match keep {
            Keep::Soup => Kept::Soup(self.kept.take_as_mesh().0),
            Keep::Driven => self.driven_of_mesh(),
            Keep::Tearing => Kept::Tearing(Box::new(self.kept.take_as_tearing())),
            _ => self.tree_of_mesh(),
        };
        self.become_kept(kept, why, step);
    }

    /// A tree is taken over as it is.
    fn driven_of_mesh(&mut self) -> Kept {
        match std::mem::replace(&mut self.kept, Kept::Soup(Mesh::default())) {
            Kept::Tree(tree) => Kept::Driven(Box::new(DrivenBody::from_tree(Arc::unwrap_or_clone(tree)))),
            other => {
                self.kept = other;
                driven(self.kept.take_as_mesh().0)
            }
        }
    }

    /// The tree of a driven body is taken over as it is, unless self-queries need a better one.
    fn tree_of_mesh(&mut self) -> Kept {
        if !self.settings.own.pairs && matches!(self.kept, Kept::Driven(_)) {
            let taken = std::mem::replace(&mut self.kept, Kept::Soup(Mesh::default()));
            let Kept::Driven(body) = taken else { unreachable!("looked at above") };
            return Kept::Tree(Arc::new(body.into_tree()));
        }
        let mesh = self.kept.take_as_mesh().0;
        let options = BuildOptions { self_queries: self.settings.own.pairs, ..BuildOptions::default() };
        Kept::Tree(Arc::new(MeshTree::build_with(mesh, &options)))
    }

    /// A mesh that questions are about gets a tree, unless another mesh will take its place at once.
    pub(super) fn build_if_needed(&mut self, needs_tree: bool, step: u64) {
        let is_replaced = std::mem::take(&mut self.history.replaced);
        let is_soup = matches!(self.kept, Kept::Soup(_)) && self.settings.keep != Some(Keep::Soup);
        if is_soup && (needs_tree || !is_replaced) {
            let is_moving = self.history.moving > 0 && self.settings.keep.is_none();
            if is_moving && self.may_be_driven() {
                self.change_to(Keep::Driven, Why::Deforms, step);
            } else {
                self.change_to(Keep::Tree, Why::Near, step);
            }
        }
    }

    fn rebuild_if_worn(&mut self, step: u64) {
        let Kept::Tree(tree) = &self.kept else { return };
        let cost = tree.quality().sah;
        if self.history.built_cost == 0.0 {
            self.history.built_cost = cost;
        } else if cost > WORN * self.history.built_cost {
            self.change_to(Keep::Tree, Why::Worn, step);
        }
    }
}

/// What is kept for a body that had plans.
pub(super) fn without_plan((mesh, dead): (Mesh, Vec<TriangleId>)) -> Kept {
    if dead.is_empty() {
        return driven(mesh);
    }
    Kept::Tearing(Box::new(Kept::tearing_of(mesh, dead)))
}
