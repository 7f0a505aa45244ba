//! Why a scene cannot be run.

use fracas::brittle::BrittleError;
use fracas::cut::CutError;
use fracas_rapier::BreakError;

/// Why a scene cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// There is no scene of that name.
    #[error("there is no scene `{name}` (there are {known})")]
    Unknown {
        /// The name given.
        name: String,
        /// All names.
        known: String,
    },
    /// A run without steps.
    #[error("a run needs at least one step")]
    NoSteps,
    /// Too few or too many pieces.
    #[error("a body breaks into 2 to 64 pieces, not {pieces}")]
    BadPieces {
        /// The number given.
        pieces: usize,
    },
    /// A mesh was given to a scene that makes its own.
    #[error("the scene {scene} makes its own mesh and takes no other")]
    TakesNoMesh {
        /// The scene.
        scene: &'static str,
    },
    /// The mesh has an edge that is not between two triangles.
    #[error("the mesh is not closed: {edges} edges are not between two triangles")]
    NotClosed {
        /// How many there are.
        edges: usize,
    },
    /// The triangles of the mesh do not face the same way, or inward.
    #[error("the mesh is inside out or has neighbours that face opposite ways")]
    NotOriented,
    /// The mesh has too many triangles for the size asked for.
    #[error("{triangles} triangles are too many for this size of the scene")]
    TooLarge {
        /// How many the mesh has.
        triangles: usize,
    },
    /// A body cannot be prepared for breaking.
    #[error("the body cannot be prepared for breaking: {0}")]
    Solid(BrittleError),
    /// A body that breaks cannot be added.
    #[error("the body cannot be added: {0}")]
    Break(#[from] BreakError),
    /// The mesh could not be cut.
    #[error("the mesh cannot be cut: {0}")]
    Cut(#[from] CutError),
}
