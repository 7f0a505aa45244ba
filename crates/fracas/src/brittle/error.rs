//! Why a body cannot be made or broken.

use super::FragmentId;
use crate::mesh::tets::TetError;

/// Why a body cannot be made or broken. Nothing has changed when it is returned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BrittleError {
    /// The tetrahedra do not fit together.
    #[error(transparent)]
    Mesh(#[from] TetError),
    /// A solid so large, so small or so far from its origin that distances in it would not be right.
    #[error(
        "the solid has a radius of {radius:e} and reaches {reach:e} from the origin: radii from 2.4e-10 to 4.2e9 are possible, and up to a million radii from the origin; scale it, or move it by a pose"
    )]
    OutOfRange {
        /// Half the diagonal of its box.
        radius: f64,
        /// Its largest coordinate.
        reach: f64,
    },
    /// No such fragment, or it has broken.
    #[error("there is no fragment {}", fragment.0)]
    NoSuchFragment {
        /// As given.
        fragment: FragmentId,
    },
    /// A list that should have an entry for each node of the fragment.
    #[error("{given} {what} for a fragment of {expected} nodes")]
    WrongCount {
        /// `"labels"` or `"weights"`.
        what: &'static str,
        /// How many were given.
        given: usize,
        /// Nodes of the fragment.
        expected: usize,
    },
    /// A weight that is not positive and finite.
    #[error("the weight {weight} of node {node} is not positive and finite")]
    BadWeight {
        /// The first such node.
        node: u32,
        /// As given.
        weight: f64,
    },
    /// A number that makes no sense.
    #[error("{what} {value} is out of range")]
    BadNumber {
        /// What it was given for.
        what: &'static str,
        /// As given.
        value: f64,
    },
}
