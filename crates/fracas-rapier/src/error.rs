//! Why a body cannot be added or broken.

use fracas::brittle::BrittleError;
use fracas::fill::FillError;
use fracas::fracture::FractureError;
use rapier3d::prelude::RigidBodyHandle;

/// Why a body cannot be added or broken. Nothing has changed when it is returned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    /// No such body, or it has broken.
    #[error("body {handle:?} is none that can break")]
    NoSuchBody {
        /// As given.
        handle: RigidBodyHandle,
    },
    /// A blow beside the body.
    #[error("the blow is {distance} away from the body")]
    Outside {
        /// How far from its surface.
        distance: f64,
    },
}
