//! Eight axis-aligned boxes side by side, in `f32`: what a node of a tree and a row of triangles compare at once.
//!
//! ```text
//!   low  x x x x x x x x   y y y y y y y y   z z z z z z z z      one vector per axis and corner,
//!   high x x x x x x x x   y y y y y y y y   z z z z z z z z      three cache lines in all
//! ```
//!
//! Boxes are closed. An empty box has `low = +inf` and `high = -inf`; it overlaps nothing and is infinitely far away.

use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8};

/// Boxes, or triangles, that are compared at once.
pub const LANES: usize = 8;

/// Eight closed boxes, indexed by axis and lane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Boxes8 {
    /// Lower corners.
    pub low: [[f32; LANES]; 3],
    /// Upper corners.
    pub high: [[f32; LANES]; 3],
}

impl Default for Boxes8 {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Boxes8 {
    /// Eight empty boxes.
    pub const EMPTY: Self = Self { low: [[f32::INFINITY; LANES]; 3], high: [[f32::NEG_INFINITY; LANES]; 3] };

    /// The corners of one box.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> ([f32; 3], [f32; 3]) {
        let (low, high) = (&self.low, &self.high);
        ([low[0][lane], low[1][lane], low[2][lane]], [high[0][lane], high[1][lane], high[2][lane]])
    }

    /// Replaces one box.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, low: [f32; 3], high: [f32; 3]) {
        for axis in 0..3 {
            self.low[axis][lane] = low[axis];
            self.high[axis][lane] = high[axis];
        }
    }

    /// The box around all eight.
    #[inline(always)]
    pub fn bounds<S: Simd>(&self, simd: S) -> ([f32; 3], [f32; 3]) {
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            low[axis] = f32x8::load_array_ref(simd, &self.low[axis]).reduce_min();
            high[axis] = f32x8::load_array_ref(simd, &self.high[axis]).reduce_max();
        }
        (low, high)
    }

    /// The lanes whose boxes share a point with the box from `low` to `high`, as bits.
    #[inline(always)]
    pub fn overlapping<S: Simd>(&self, simd: S, low: [f32; 3], high: [f32; 3]) -> u32 {
        let mut hit = mask32x8::splat(simd, true);
        for axis in 0..3 {
            hit &= f32x8::load_array_ref(simd, &self.low[axis]).simd_le(high[axis]);
            hit &= f32x8::load_array_ref(simd, &self.high[axis]).simd_ge(low[axis]);
        }
        hit.to_bitmask() as u32
    }

    /// Squared distances from a point to the boxes, rounded; zero inside.
    #[inline(always)]
    pub fn squared_distances<S: Simd>(&self, simd: S, p: [f32; 3]) -> f32x8<S> {
        let mut squared = f32x8::splat(simd, 0.0);
        for axis in 0..3 {
            let below = f32x8::load_array_ref(simd, &self.low[axis]) - p[axis];
            let above = f32x8::splat(simd, p[axis]) - f32x8::load_array_ref(simd, &self.high[axis]);
            let beside = below.max(above).max(0.0);
            squared += beside * beside;
        }
        squared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};
    use proptest::prelude::*;

    type Corners = ([f32; 3], [f32; 3]);

    /// Boxes on a small lattice, so that faces often coincide; some are empty.
    fn any_box() -> impl Strategy<Value = Corners> {
        let interval =
            (-3..=3_i8, 0..=2_u8).prop_map(|(low, size)| (f32::from(low), f32::from(low) + f32::from(size)));
        let sound = prop::array::uniform3(interval).prop_map(|i| (i.map(|i| i.0), i.map(|i| i.1)));
        prop_oneof![7 => sound, 1 => Just(([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]))]
    }

    fn overlap(a: &Corners, b: &Corners) -> bool {
        (0..3).all(|axis| a.0[axis] <= b.1[axis] && b.0[axis] <= a.1[axis])
    }

    proptest! {
        #[test]
        fn agrees_with_one_box_at_a_time(
            boxes in prop::array::uniform8(any_box()), one in any_box(), p in prop::array::uniform3(-9.0..9.0_f32),
        ) {
            let mut eight = Boxes8::EMPTY;
            for (lane, (low, high)) in boxes.iter().enumerate() {
                eight.set(lane, *low, *high);
                prop_assert_eq!(eight.lane(lane), (*low, *high));
            }
            let level = Level::new();
            let (hit, bounds) =
                dispatch!(level, simd => (eight.overlapping(simd, one.0, one.1), eight.bounds(simd)));
            let squared: [f32; LANES] =
                dispatch!(level, simd => eight.squared_distances(simd, p).to_array());
            for (lane, (low, high)) in boxes.iter().enumerate() {
                prop_assert_eq!(hit >> lane & 1 == 1, overlap(&(*low, *high), &one));
                let nearest = [0, 1, 2].map(|axis| p[axis].max(low[axis]).min(high[axis]) - p[axis]);
                let expected = nearest.map(|d| d * d);
                prop_assert_eq!(squared[lane], expected[0] + expected[1] + expected[2]);
            }
            for axis in 0..3 {
                let low = boxes.iter().map(|b| b.0[axis]).fold(f32::INFINITY, f32::min);
                let high = boxes.iter().map(|b| b.1[axis]).fold(f32::NEG_INFINITY, f32::max);
                prop_assert_eq!((bounds.0[axis], bounds.1[axis]), (low, high));
            }
        }
    }

    #[test]
    fn empty_boxes_overlap_nothing_and_are_far_from_everything() {
        let level = Level::new();
        let hit = dispatch!(level, simd => Boxes8::EMPTY.overlapping(simd, [-1e30; 3], [1e30; 3]));
        assert_eq!(hit, 0);
        let far: [f32; LANES] =
            dispatch!(level, simd => Boxes8::EMPTY.squared_distances(simd, [0.0; 3]).to_array());
        assert_eq!(far, [f32::INFINITY; LANES]);
    }
}
