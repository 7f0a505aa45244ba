//! Why a body cannot be added, stepped or broken.

use fracas::brittle::BrittleError;
use fracas::fill::FillError;
use fracas::fracture::FractureError;
use rapier3d::prelude::RigidBodyHandle;

/// Why a body cannot be added, stepped or broken. Nothing has changed when it is returned.
///
/// ```
/// use fracas_rapier::{BreakError, BreakableSet, rapier3d::prelude::PhysicsWorld};
/// let (mut mine, mut other) = (PhysicsWorld::default(), PhysicsWorld::default());
/// let mut set = BreakableSet::new(&mut mine);
/// assert_eq!(set.step(&mut other), Err(BreakError::NotInstalled));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BreakError {
    /// The surface cannot be filled: it is open, or not oriented, or too fine.
    #[error(transparent)]
    Fill(#[from] FillError),
    /// The tetrahedra do not fit together.
    #[error(transparent)]
    Brittle(#[from] BrittleError),
    /// A number of the material or of the blow makes no sense.
    #[error(transparent)]
    Fracture(#[from] FractureError),
    /// The solid has several connected components.
    #[error("the solid has {parts} connected components; a rigid body must have one")]
    Scattered {
        /// How many there are.
        parts: usize,
    },
    /// A number that the engine cannot work with.
    #[error("{what} is {value}; it must be {expected}")]
    BadNumber {
        /// What it was given for.
        what: &'static str,
        /// As given, or as it would be in the engine's `f32`.
        value: f64,
        /// The range of numbers that are taken.
        expected: &'static str,
    },
    /// The narrow phase is that of another world, or was never told to ask this set.
    #[error(
        "the narrow phase does not ask this set for contacts: it belongs to another world, or was replaced; install \
         `BreakableSet::dispatcher` in it"
    )]
    NotInstalled,
    /// No such body, or it has broken.
    #[error("body {handle:?} is not one of the set, or has broken")]
    NoSuchBody {
        /// As given.
        handle: RigidBodyHandle,
    },
    /// The body is there, but not as the set made it.
    #[error(
        "body {handle:?} no longer has the collider that the set gave it: the collider was removed or has another shape, or \
         the body belongs to another world"
    )]
    Changed {
        /// As given.
        handle: RigidBodyHandle,
    },
    /// Somebody holds the lock of the body's fragments.
    #[error("the fragments of body {handle:?} are locked; drop the guard of its `SharedBody` first")]
    Locked {
        /// A rigid body whose fragments are locked.
        handle: RigidBodyHandle,
    },
    /// A blow beside the body.
    #[error("the blow is {distance} away from the body")]
    Outside {
        /// How far from its surface.
        distance: f64,
    },
}

impl BreakError {
    /// Refuses a number that does not meet a condition.
    pub(crate) fn unless(
        is_good: bool,
        what: &'static str,
        value: f64,
        expected: &'static str,
    ) -> Result<(), Self> {
        if is_good { Ok(()) } else { Err(Self::BadNumber { what, value, expected }) }
    }
}
