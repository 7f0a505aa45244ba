//! Eight queries at a time in `f64`: signs over the whole step, then signs at an enclosed root.
//!
//! The first pass ([`Eight::signs`]) excludes contact by signs of Qᵢ or of f over the step, as [`subdivide`](super::subdivide)
//! does for its parts, and tells for the others whether f certainly has one root. The second ([`Eight::at_root`]) encloses
//! this root by Newton's method and decides by the signs of Qᵢ over the enclosure. Bounds are those of
//! [`float`](super::float).
//!
//! Plain functions, not closures: only what is marked `inline(always)` is sure to be compiled with the caller's
//! instruction set.

use super::batch::Row;
use super::float::{CROSS, CROSS_RATE, Corner, Forms, RANGE, VALUE, VOLUME, cubic_at, quadratic_at};
use super::subdivide::{NARROWEST, WIDEST};
use fearless_simd::prelude::*;
use fearless_simd::{f64x8, mask64x8};

/// Queries that are answered at once.
pub(super) const LANES: usize = 8;
/// Steps of Newton's method. What has not converged then is left to others.
const STEPS: usize = 6;

/// The polynomials of eight queries.
pub(super) struct Eight<S: Simd, const N: usize> {
    simd: S,
    forms: Forms<f64x8<S>, N>,
    /// The largest coordinate of a corner.
    size: f64x8<S>,
}

/// What the first pass found, one bit for each query.
#[derive(Clone, Copy)]
pub(super) struct Signs {
    /// No contact.
    pub(super) apart: u32,
    /// f certainly has exactly one root, unless they are apart.
    pub(super) one_root: u32,
}

/// What the second pass found, one bit for each query.
#[derive(Clone, Copy)]
pub(super) struct AtRoot {
    /// No contact.
    pub(super) apart: u32,
    /// Contact, from `low` to `high`.
    pub(super) contact: u32,
    pub(super) low: [f64; LANES],
    pub(super) high: [f64; LANES],
}

impl<S: Simd, const N: usize> Eight<S, N> {
    /// Reads the rows of eight queries; corner i is the difference of the two rows `pairs[i]`.
    #[inline(always)]
    pub(super) fn load(simd: S, rows: &[[&Row; 4]; LANES], pairs: [[usize; 2]; N]) -> Self {
        let zero = f64x8::splat(simd, 0.0);
        let mut corners: [Corner<f64x8<S>>; N] = [[[zero; 2]; 3]; N];
        let mut size = zero;
        for i in 0..N {
            let [p, q] = pairs[i];
            let mut differences = [zero; LANES];
            for lane in 0..LANES {
                differences[lane] = rows[lane][p].load(simd) - rows[lane][q].load(simd);
            }
            let by_coordinate = transpose(differences);
            for axis in 0..3 {
                let (start, end) = (by_coordinate[axis], by_coordinate[4 + axis]);
                corners[i][axis] = [start, end];
                size = size.max(start.abs()).max(end.abs());
            }
        }
        Self { simd, forms: Forms::new(&corners), size }
    }

    /// Signs over the whole step.
    #[inline(always)]
    pub(super) fn signs(&self) -> Signs {
        let size = self.size;
        let (error, below) = around_zero(size * size * CROSS);
        let mut apart = mask64x8::splat(self.simd, false);
        for axis in 0..3 {
            // The largest of all least values, and the least of all largest: of the cross product that is most certainly
            // positive, and of the one that is most certainly negative.
            let (mut above_zero, mut below_zero) = least_and_most(&self.forms.crosses[0][axis]);
            for i in 1..N {
                let (least, most) = least_and_most(&self.forms.crosses[i][axis]);
                above_zero = above_zero.max(least);
                below_zero = below_zero.min(most);
            }
            apart |= above_zero.simd_gt(error) & below_zero.simd_lt(below);
        }
        let f = &self.forms.volume;
        let (error, below) = around_zero(size * size * size * VOLUME);
        let least = f[0].min(f[1]).min(f[2].min(f[3]));
        let most = f[0].max(f[1]).max(f[2].max(f[3]));
        apart |= least.simd_gt(error) | most.simd_lt(below);
        let falls = f[0].simd_gt(error) & f[3].simd_lt(below) & (f[1].simd_gt(error) | f[2].simd_lt(below));
        let rises = f[0].simd_lt(below) & f[3].simd_gt(error) & (f[1].simd_lt(below) | f[2].simd_gt(error));
        let is_sound = size.simd_gt(RANGE[0]) & size.simd_lt(RANGE[1]);
        Signs {
            apart: (apart & is_sound).to_bitmask() as u32,
            one_root: ((falls | rises) & is_sound).to_bitmask() as u32,
        }
    }

    /// Signs at the root of f, for queries that have exactly one.
    #[inline(always)]
    pub(super) fn at_root(&self) -> AtRoot {
        let simd = self.simd;
        let one = f64x8::splat(simd, 1.0);
        let zero = f64x8::splat(simd, 0.0);
        // Turn f so that it falls.
        let c = &self.forms.volume;
        let turn = c[0].simd_gt(0.0).select(one, zero - one);
        let b = [c[0] * turn, c[1] * turn / 3.0, c[2] * turn / 3.0, c[3] * turn];
        let error = self.size * self.size * self.size * VALUE;

        let (mut low, mut high) = (zero, one);
        let mut t = b[0] / (b[0] - b[3]);
        let mut third = zero;
        for _ in 0..STEPS {
            let [value, slope] = cubic_at(&b, [one - t, t]);
            let is_before = value.simd_gt(0.0);
            low = is_before.select(t, low);
            high = is_before.select(high, t);
            third = slope;
            let next = t - value / (third * 3.0);
            // Rounding may put a converged root at an end of the bracket: ends are allowed.
            let is_inside = next.simd_ge(low) & next.simd_le(high);
            t = is_inside.select(next, (low + high) * 0.5);
        }
        let reach = (error * 4.0 / (third * 3.0).abs()).max(NARROWEST);
        let low = (t - reach).max(0.0);
        let high = (t + reach).min(1.0);
        let mut is_enclosed = reach.simd_le(WIDEST);
        is_enclosed &= cubic_at(&b, [one - low, low])[0].simd_gt(error);
        is_enclosed &= cubic_at(&b, [one - high, high])[0].simd_lt(zero - error);

        // By how much Qᵢ may differ from its value at t: its error, and its change until `low` or `high`.
        let (error, below) =
            around_zero(self.size * self.size * ((reach + f64::EPSILON) * CROSS_RATE + CROSS));
        let half = f64x8::splat(simd, 0.5);
        let weights = [one - t, t];
        let mut apart = mask64x8::splat(simd, false);
        let mut contact = apart;
        for axis in 0..3 {
            let mut least = quadratic_at(&self.forms.crosses[0][axis], weights, half);
            let mut most = least;
            for i in 1..N {
                let value = quadratic_at(&self.forms.crosses[i][axis], weights, half);
                least = least.min(value);
                most = most.max(value);
            }
            apart |= most.simd_gt(error) & least.simd_lt(below);
            contact |= least.simd_gt(error) | most.simd_lt(below);
        }
        let mut found = AtRoot {
            apart: (apart & is_enclosed).to_bitmask() as u32,
            contact: (contact & is_enclosed).to_bitmask() as u32,
            low: [0.0; LANES],
            high: [0.0; LANES],
        };
        low.store_array(&mut found.low);
        high.store_array(&mut found.high);
        found
    }
}

/// A bound, and the same below zero.
#[inline(always)]
fn around_zero<S: Simd>(bound: f64x8<S>) -> (f64x8<S>, f64x8<S>) {
    (bound, -bound)
}

#[inline(always)]
fn least_and_most<S: Simd>(c: &[f64x8<S>; 3]) -> (f64x8<S>, f64x8<S>) {
    (c[0].min(c[1]).min(c[2]), c[0].max(c[1]).max(c[2]))
}

/// Rows become columns: three times, each row is shuffled with the one four further on.
#[inline(always)]
fn transpose<S: Simd>(mut rows: [f64x8<S>; LANES]) -> [f64x8<S>; LANES] {
    for _ in 0..3 {
        rows = [
            rows[0].zip_low(rows[4]),
            rows[0].zip_high(rows[4]),
            rows[1].zip_low(rows[5]),
            rows[1].zip_high(rows[5]),
            rows[2].zip_low(rows[6]),
            rows[2].zip_high(rows[6]),
            rows[3].zip_low(rows[7]),
            rows[3].zip_high(rows[7]),
        ];
    }
    rows
}
