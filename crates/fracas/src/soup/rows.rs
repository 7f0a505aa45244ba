//! Boxes of rows, compared eight numbers at a time.

use fearless_simd::f32x8;
use fearless_simd::prelude::*;

/// A box in coordinates of a layer: lower corner, any, upper corner negated, any. One comparison tells whether two
/// boxes overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct RowBox(pub(super) [f32; 8]);

impl RowBox {
    pub(super) const EMPTY: Self = Self([f32::INFINITY; 8]);

    pub(super) fn new(low: [f32; 3], high: [f32; 3]) -> Self {
        Self([low[0], low[1], low[2], 0.0, -high[0], -high[1], -high[2], 0.0])
    }

    #[inline(always)]
    pub(super) fn low(&self) -> [f32; 3] {
        [self.0[0], self.0[1], self.0[2]]
    }

    #[inline(always)]
    pub(super) fn high(&self) -> [f32; 3] {
        [-self.0[4], -self.0[5], -self.0[6]]
    }

    /// The bounds that another box must not exceed if it overlaps this one.
    #[inline(always)]
    pub(super) fn limits<S: Simd>(&self, simd: S) -> f32x8<S> {
        let b = &self.0;
        let limits = [-b[4], -b[5], -b[6], f32::INFINITY, -b[0], -b[1], -b[2], f32::INFINITY];
        f32x8::load_array(simd, limits)
    }

    /// Whether the box overlaps the one with these limits.
    #[inline(always)]
    pub(super) fn within<S: Simd>(&self, simd: S, limits: f32x8<S>) -> bool {
        f32x8::load_array_ref(simd, &self.0).simd_le(limits).to_bitmask() == 0xff
    }

    #[inline(always)]
    pub(super) fn union(&mut self, other: &Self) {
        for k in 0..8 {
            self.0[k] = self.0[k].min(other.0[k]);
        }
    }
}
