//! What a step tells: which bodies broke, into what, and what it cost.

use fracas::brittle::FragmentId;
use fracas::geom::DVec3;
use rapier3d::prelude::{ColliderHandle, RigidBodyHandle};
use std::time::Duration;

/// A body that broke.
#[derive(Clone, Debug, PartialEq)]
pub struct Fracture {
    /// The body that is no more.
    pub body: RigidBodyHandle,
    /// Its collider, which is no more.
    pub collider: ColliderHandle,
    /// The fragment it was.
    pub fragment: FragmentId,
    /// What it became.
    pub pieces: Vec<Piece>,
    /// Where it was hit, in the world: on the body or inside it, as it stands after the step.
    pub point: DVec3,
    /// In which direction, in the world: from the striker into the body, of length 1.
    pub direction: DVec3,
    /// How hard, N s; 0 if it was cut.
    pub impulse: f64,
    /// Who struck. `None` if it was [`BreakableSet::strike`](crate::BreakableSet::strike).
    pub striker: Option<Striker>,
}

/// What struck a body that broke. It may have broken in the same step, and be gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Striker {
    /// The collider that touched the body.
    pub collider: ColliderHandle,
    /// The rigid body that it belongs to, if any.
    pub body: Option<RigidBodyHandle>,
}

/// A piece of a body that broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its rigid body.
    pub body: RigidBodyHandle,
    /// Its collider.
    pub collider: ColliderHandle,
    /// Which fragment of the original body it is.
    pub fragment: FragmentId,
}

/// What the parts of the last step took. Strikes count to the step before them.
///
/// ```
/// use fracas_rapier::{BreakableSet, StepTimes, rapier3d::prelude::PhysicsWorld};
/// let mut world = PhysicsWorld::default();
/// let mut set = BreakableSet::new(&mut world);
/// assert_eq!(set.times(), StepTimes::default());
/// set.step(&mut world)?;
/// assert_eq!(set.times().update, std::time::Duration::ZERO); // nothing broke
/// # Ok::<(), fracas_rapier::BreakError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepTimes {
    /// Contacts of fragments and meshes.
    pub collision: Duration,
    /// The rest of the engine's step; in a loop of your own, everything from `prepare` to `break_in`.
    pub physics: Duration,
    /// Sphere trees, cells and facet trees of new pieces: what the paper updates at a fracture.
    pub update: Duration,
    /// Normals, sharp edges and outermost points of new pieces, with which contacts are chosen.
    pub shapes: Duration,
    /// Blows, labels, cuts, and rigid bodies for pieces.
    pub fracture: Duration,
}
