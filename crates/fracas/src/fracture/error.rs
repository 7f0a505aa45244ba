//! Why a body cannot be broken.

use crate::geom::DVec3;

/// Why a blow or a material cannot break a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FractureError {
    /// A point has a NaN or infinite coordinate.
    #[error("{what} ({}, {}, {}) is not finite", value.x, value.y, value.z)]
    NotFinite {
        /// What it was given for.
        what: &'static str,
        /// As given.
        value: DVec3,
    },
    /// A vector that should give a direction is zero.
    #[error("{what} ({}, {}, {}) gives no direction", value.x, value.y, value.z)]
    NoDirection {
        /// What it was given for.
        what: &'static str,
        /// As given.
        value: DVec3,
    },
    /// A number is not positive and finite.
    #[error("{what} {value} is out of range")]
    BadNumber {
        /// What it was given for.
        what: &'static str,
        /// As given.
        value: f64,
    },
}

/// Refuses the first number that is not positive and finite.
pub(super) fn require_positive<const N: usize>(
    numbers: [(&'static str, f64); N],
) -> Result<(), FractureError> {
    let bad = numbers.into_iter().find(|(_, value)| !(*value > 0.0 && value.is_finite()));
    bad.map_or(Ok(()), |(what, value)| Err(FractureError::BadNumber { what, value }))
}
