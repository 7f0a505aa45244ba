//! Why a body cannot be broken.

use crate::geom::DVec3;

/// Why a blow or a material cannot break a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FractureError {
    /// The impact has a NaN or infinite coordinate.
    #[error("the impact ({}, {}, {}) is not finite", point.x, point.y, point.z)]
    BadPoint {
        /// As given.
        point: DVec3,
    },
    /// The direction of the impact is zero or not finite.
    #[error("the impact's direction ({}, {}, {}) has no length", direction.x, direction.y, direction.z)]
    BadDirection {
        /// As given.
        direction: DVec3,
    },
    /// A node that the mesh or its adjacency does not have.
    #[error("node {node} is not in the mesh, which has {count} nodes")]
    NoSuchNode {
        /// The first such node in the list.
        node: u32,
        /// How many nodes there are.
        count: usize,
    },
    /// Nodes that are not in ascending order, or listed twice.
    #[error("node {} follows node {}: nodes must be sorted, each once", nodes[1], nodes[0])]
    UnsortedNodes {
        /// The first two that stand in the wrong order.
        nodes: [u32; 2],
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

/// Refuses the first number that is not positive and finite.
pub(super) fn require_positive(numbers: &[(&'static str, f64)]) -> Result<(), FractureError> {
    let bad = numbers.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite()));
    bad.map_or(Ok(()), |&(what, value)| Err(FractureError::BadNumber { what, value }))
}
