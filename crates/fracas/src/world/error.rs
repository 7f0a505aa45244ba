//! What a world refuses.

use super::{BodyId, Keep};
use crate::brittle::BrittleError;
use crate::kinetic::KineticError;
use crate::mesh::{EditError, MeshError, SkinError};

/// Why a world did not do what it was told. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WorldError {
    /// The body was removed, or never there.
    #[error("there is no body {0:?} in the world: it was removed")]
    NoSuchBody(BodyId),
    /// The id was given out by another world.
    #[error("body {0:?} belongs to another world")]
    OtherWorld(BodyId),
    /// The body is of a kind that cannot do this.
    #[error("body {id:?} is kept as {kept}, which cannot {asked}")]
    WrongKind {
        /// The body.
        id: BodyId,
        /// What is kept for it.
        kept: Keep,
        /// What it was told to do.
        asked: &'static str,
    },
    /// A pose puts the body beyond all finite numbers.
    #[error("the pose puts body {0:?} beyond the largest finite numbers")]
    TooFar(BodyId),
    /// A reach or a thickness is no distance.
    #[error("a reach of {0} was asked for; it must be a finite number of at least 0")]
    BadReach(f64),
    /// The time of a step is no duration.
    #[error("a step of {0} was asked for; it must be at least 0, and the sum of all steps at most 2^300")]
    BadStep(f64),
    /// Positions do not fit the body.
    #[error("body {id:?}: {error}")]
    Mesh {
        /// The body.
        id: BodyId,
        /// What is wrong.
        error: MeshError,
    },
    /// An edit does not fit the body.
    #[error("body {id:?}: {error}")]
    Edit {
        /// The body.
        id: BodyId,
        /// What is wrong.
        error: EditError,
    },
    /// Plans do not fit the body, or the time.
    #[error("body {id:?}: {error}")]
    Plan {
        /// The body.
        id: BodyId,
        /// What is wrong.
        error: KineticError,
    },
    /// Transforms do not fit the body.
    #[error("body {id:?}: {error}")]
    Skin {
        /// The body.
        id: BodyId,
        /// What is wrong.
        error: SkinError,
    },
    /// A crack does not fit the body.
    #[error("body {id:?}: {error}")]
    Brittle {
        /// The body.
        id: BodyId,
        /// What is wrong.
        error: BrittleError,
    },
}
