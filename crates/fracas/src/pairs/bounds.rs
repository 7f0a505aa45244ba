//! Error bounds of the determinants that both kernels compute in `f32`.
//!
//! Stored coordinates differ from the true ones by at most `slack`; arithmetic rounds by u = 2⁻²⁴. A corner counts as
//! on one side of a plane only if its determinant exceeds the bound, so the true one has the same sign. Below, `e` is
//! at least the largest difference of two corners of a triangle in any axis, and `w` that between the two triangles.

use fearless_simd::f32x8;
use fearless_simd::prelude::*;

/// Unit roundoff of `f32`.
pub(super) const U: f32 = 1.0 / (1 << 24) as f32;

/// Determinants below this may be rounding noise of subnormal intermediate results.
pub(super) const TINY: f32 = 1e-30;

/// Error bound of n · w over |w|, for n = e₁ × e₂ with edges of at most `e` in every axis and |w| ≥ e + 3 slack.
///
/// Differences carry ε = 2 slack + u e. So n is off by 4 e ε + 2 ε² + 4 u e², and at most 2 e²; the dot product adds
/// three such terms and nine roundings: 12 slack e² + 24 slack e w + 48 u e² w, and terms in slack² and slack³.
/// With e ≤ w this is at most w (36 slack e + 48 u e² + 96 slack²); a quarter more pays for its own rounding.
///
/// The row kernel computes heights as n · x − n · p rather than n · (x − p). That adds the rounding of both products,
/// at most 10 u |n|₁ times the largest coordinate: the fixed part of its bounds.
#[inline(always)]
pub(super) fn face_factor<S: Simd>(e: f32x8<S>, slack: f32) -> f32x8<S> {
    e * (e * (60.0 * U) + 45.0 * slack) + 120.0 * slack * slack
}

/// Error bound of g · d over |g|₁, for a vector g as it is stored and an edge d of at most `e` in every axis.
///
/// The edge is off by 2 slack + u e; products and sums round three times, each by at most u |g|₁ e. Together that is
/// 2 slack + 4 u e; a quarter more pays for the rounding of the bound and of |g|₁.
#[inline(always)]
pub(super) fn length_bound<S: Simd>(e: f32x8<S>, slack: f32) -> f32x8<S> {
    e * (5.0 * U) + 2.5 * slack
}

/// Error bound of m · w over |w|, for m = e × n: one more factor of at most `e`. By the same sum,
/// 24 slack e³ + 72 slack e² w + 132 u e³ w, and terms in slack² and slack³.
#[inline(always)]
pub(super) fn edge_factor<S: Simd>(e: f32x8<S>, slack: f32) -> f32x8<S> {
    let leading = e * e * (e * (165.0 * U) + 120.0 * slack);
    leading + (e + slack) * (600.0 * slack * slack)
}
