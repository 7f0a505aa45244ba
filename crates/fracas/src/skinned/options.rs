//! How a skinned body bounds its parts.

use crate::geom::Directions;

/// How a skinned body bounds its parts. Answers never depend on it, only times do.
///
/// ```
/// use fracas::skinned::{Bound, SkinOptions};
/// let tight = SkinOptions { bound: Bound::Knapsack, ..SkinOptions::default() };
/// assert_eq!(SkinOptions::default().bound, Bound::Equation12);
/// # let _ = tight;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SkinOptions {
    /// The formula for the largest convex combination. Default: Equation 12.
    pub bound: Bound,
    /// Boxes of the surface at rest, for [`SkinFront`](super::SkinFront). Every other query uses boxes along the axes. Default: those.
    pub rest_boxes: RestBoxes,
    /// Directions of deformed bounds, for [`SkinFront`](super::SkinFront). Every other query uses six. More directions make
    /// [`SkinnedBody::set_transforms`](super::SkinnedBody::set_transforms) slower. Default: six.
    pub directions: Directions,
}

/// How to bound Σ w b over weights with l ≤ w ≤ h and Σ w = 1, given the bound b of each node.
///
/// By duality, Σ l b + r λ + Σ (h − l) max(b − λ, 0) with r = 1 − Σ l is such a bound for every λ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bound {
    /// The paper's Equation 12, in one pass: λ is the second largest b. The node with the largest b gets its largest weight, the second
    /// gets the rest, even if that is more than its largest weight.
    #[default]
    Equation12,
    /// The least over all λ, which is the true optimum: a fractional knapsack. 1–7 % tighter, and slower.
    Knapsack,
}

/// Which boxes bound a part of the surface at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RestBoxes {
    /// Boxes along the coordinate axes.
    #[default]
    Aabb,
    /// Boxes along the principal axes of the vertices.
    Obb,
}
