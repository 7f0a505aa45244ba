//! The largest convex combination of moved rest boxes, in vectors.
//!
//! Two layouts share the formulas. [`bound_family`] has eight children of a tree node in its lanes, and takes one axis after the other. It
//! is the faster one where the children have most nodes in common. [`bound_child`] has eight directions in its lanes: four axes and
//! their opposites.
//!
//! Notation, for one child and one direction: b is what the transform of a node makes of the rest box, l the least weight of the node, s
//! its largest weight less the least, r = 1 − Σ l.
//!
//! - Equation 12: Σ l b + s₁ b₁ + (r − s₁) b₂ with b₁ ≥ b₂ the two largest b, and s₁ the spread of the first.
//! - Knapsack: the least of f(λ) = Σ l b + r λ + Σ s max(b − λ, 0). It is convex and piecewise linear. The search keeps one λ on each side
//!   of the minimum, and tries the intersection of the tangents there next. What the tangents have in common is below the minimum, which
//!   tells when to stop.

use super::families::{Family, Members};
use super::motion::Columns;
use super::options::Bound;
use crate::geom::{Boxes8, LANES};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8};

/// Stands for minus infinity. It is finite, since it may be multiplied by zero.
const FAR_BELOW: f32 = -1e33;

/// The b of one member, and its spread; by lane.
type Item = [[f32; LANES]; 2];

/// Items of a search that need no allocation.
const FEW: usize = 48;

/// A rest box with axes of its own: centre and half-axes.
pub(super) type OrientedBox = [[f32; 3]; 4];

/// Bounds of all children of a family, not padded yet. Unused lanes hold empty boxes.
#[inline(always)]
pub(super) fn bound_family<S: Simd>(
    simd: S,
    (family, members): (&Family, Members),
    (columns, blocks): (&[Columns], usize),
    (bound, tolerance): (Bound, f32),
) -> Boxes8 {
    let mut boxes = Boxes8::EMPTY;
    let free = f32x8::load_array_ref(simd, &family.free);
    let mut items = Items::new(bound, members);
    for axis in 0..3 {
        let [mut up, mut down] = [Extremes::new(simd), Extremes::new(simd)];
        let c = load3(simd, &family.centre);
        let e = load3(simd, &family.half);
        for (place, (&node, shares)) in members.nodes.iter().zip(members.shares).enumerate() {
            let column = &columns[node as usize * blocks].0;
            let m = [column[0][axis], column[1][axis], column[2][axis]];
            let middle = c[0]
                .mul_add(m[0], c[1].mul_add(m[1], c[2].mul_add(m[2], f32x8::splat(simd, column[3][axis]))));
            let reach = e[0] * m[0].abs() + e[1] * m[1].abs() + e[2] * m[2].abs();
            let low = f32x8::load_array_ref(simd, &shares.low);
            let spread = f32x8::load_array_ref(simd, &shares.spread);
            let present = spread.simd_ge(0.0);
            up.add(simd, middle + reach, low, spread, present);
            down.add(simd, reach - middle, low, spread, present);
            if let Some(items) = &mut items {
                items.set(0, place, middle + reach, spread);
                items.set(1, place, reach - middle, spread);
            }
        }
        let (high, low) = match &items {
            Some(items) => {
                (items.search(simd, 0, &up, free, tolerance), items.search(simd, 1, &down, free, tolerance))
            }
            None => (up.equation_12(free), down.equation_12(free)),
        };
        let (mut to_low, mut to_high) = ([0.0; LANES], [0.0; LANES]);
        (-low).store_array(&mut to_low);
        high.store_array(&mut to_high);
        boxes.low[axis][..family.count].copy_from_slice(&to_low[..family.count]);
        boxes.high[axis][..family.count].copy_from_slice(&to_high[..family.count]);
    }
    boxes
}

/// Bounds of one child in four directions and their opposites, not padded yet. `block` of the columns of each node, of `blocks` in all, says
/// which directions.
#[inline(always)]
pub(super) fn bound_child<S: Simd>(
    simd: S,
    (family, members): (&Family, Members),
    (lane, oriented): (usize, Option<&OrientedBox>),
    (columns, block, blocks): (&[Columns], usize, usize),
    (bound, tolerance): (Bound, f32),
) -> [f32; LANES] {
    let mut extremes = Extremes::new(simd);
    let mut items = Items::new(bound, members);
    let mut c = [family.centre[0][lane], family.centre[1][lane], family.centre[2][lane]];
    if let Some([centre, ..]) = oriented {
        c = *centre;
    }
    let e = [family.half[0][lane], family.half[1][lane], family.half[2][lane]];
    for (place, (&node, shares)) in members.nodes.iter().zip(members.shares).enumerate() {
        let (low, spread) = (shares.low[lane], shares.spread[lane]);
        if spread < 0.0 {
            if let Some(items) = &mut items {
                items.set(0, place, f32x8::splat(simd, FAR_BELOW), f32x8::splat(simd, 0.0));
            }
            continue;
        }
        let m = &columns[node as usize * blocks + block].0;
        let [x, y, z] = [
            f32x8::load_array_ref(simd, &m[0]),
            f32x8::load_array_ref(simd, &m[1]),
            f32x8::load_array_ref(simd, &m[2]),
        ];
        let middle = x.mul_add(c[0], y.mul_add(c[1], z.mul_add(c[2], f32x8::load_array_ref(simd, &m[3]))));
        let reach = match oriented {
            None => x.abs() * e[0] + y.abs() * e[1] + z.abs() * e[2],
            Some([_, h0, h1, h2]) => {
                (x * h0[0] + y * h0[1] + z * h0[2]).abs()
                    + (x * h1[0] + y * h1[1] + z * h1[2]).abs()
                    + (x * h2[0] + y * h2[1] + z * h2[2]).abs()
            }
        };
        let b = middle + reach;
        let (low, spread) = (f32x8::splat(simd, low), f32x8::splat(simd, spread));
        extremes.add(simd, b, low, spread, mask32x8::splat(simd, true));
        if let Some(items) = &mut items {
            items.set(0, place, b, spread);
        }
    }
    let free = f32x8::splat(simd, family.free[lane]);
    let found = match &items {
        Some(items) => items.search(simd, 0, &extremes, free, tolerance),
        None => extremes.equation_12(free),
    };
    let mut out = [0.0; LANES];
    found.store_array(&mut out);
    out
}

#[inline(always)]
fn load3<S: Simd>(simd: S, v: &[[f32; LANES]; 3]) -> [f32x8<S>; 3] {
    [
        f32x8::load_array_ref(simd, &v[0]),
        f32x8::load_array_ref(simd, &v[1]),
        f32x8::load_array_ref(simd, &v[2]),
    ]
}

/// Σ l b, the two largest b, and the spread of the first.
struct Extremes<S: Simd> {
    sum: f32x8<S>,
    first: f32x8<S>,
    second: f32x8<S>,
    spread: f32x8<S>,
}

impl<S: Simd> Extremes<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        let (zero, least) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, FAR_BELOW));
        Self { sum: zero, first: least, second: least, spread: zero }
    }

    #[inline(always)]
    fn add(&mut self, simd: S, b: f32x8<S>, low: f32x8<S>, spread: f32x8<S>, present: mask32x8<S>) {
        self.sum = low.mul_add(b, self.sum);
        let b = present.select(b, f32x8::splat(simd, FAR_BELOW));
        let is_first = b.simd_gt(self.first);
        self.second = self.second.max(b.min(self.first));
        self.first = self.first.max(b);
        self.spread = is_first.select(spread, self.spread);
    }

    #[inline(always)]
    fn equation_12(&self, free: f32x8<S>) -> f32x8<S> {
        self.spread.mul_add(self.first, (free - self.spread).mul_add(self.second, self.sum))
    }
}

/// Members of one family as the search for the knapsack's optimum reads them, for two opposite directions.
struct Items {
    few: [[Item; FEW]; 2],
    many: [Vec<Item>; 2],
    count: usize,
}

impl Items {
    /// Room for the members; none where no search is due.
    #[inline(always)]
    fn new(bound: Bound, members: Members) -> Option<Self> {
        if bound == Bound::Equation12 {
            return None;
        }
        let count = members.nodes.len();
        let many = if count > FEW { vec![[[0.0; LANES]; 2]; count] } else { vec![] };
        Some(Self { few: [[[[0.0; LANES]; 2]; FEW]; 2], many: [many.clone(), many], count })
    }

    #[inline(always)]
    fn list(&self, side: usize) -> &[Item] {
        if self.count > FEW { &self.many[side] } else { &self.few[side][..self.count] }
    }

    #[inline(always)]
    fn set<S: Simd>(&mut self, side: usize, place: usize, b: f32x8<S>, spread: f32x8<S>) {
        let item = if self.count > FEW { &mut self.many[side][place] } else { &mut self.few[side][place] };
        let present = spread.simd_ge(0.0);
        present.select(b, f32x8::splat(b.simd, FAR_BELOW)).store_array(&mut item[0]);
        spread.max(f32x8::splat(b.simd, 0.0)).store_array(&mut item[1]);
    }

    /// The least of f(λ) within a tolerance, which is not above Equation 12.
    #[inline(always)]
    fn search<S: Simd>(
        &self,
        simd: S,
        side: usize,
        extremes: &Extremes<S>,
        free: f32x8<S>,
        tolerance: f32,
    ) -> f32x8<S> {
        let items = self.list(side);
        let zero = f32x8::splat(simd, 0.0);
        let mut least = extremes.first;
        for [b, _] in items {
            let b = f32x8::load_array_ref(simd, b);
            least = least.min(b.simd_gt(0.5 * FAR_BELOW).select(b, least));
        }
        let (mut low, mut high) = (least, extremes.first);
        let [mut f_low, mut g_low, _] = tangents(simd, items, low, extremes.sum, free);
        let [mut f_high, _, mut g_high] = tangents(simd, items, high, extremes.sum, free);
        // Errors of f grow with the spreads above λ. What exceeds the constant part of the error bound is added here; `motion` derives it.
        let error = tolerance * (0.25 * items.len() as f32 + 1.75);
        let padded = f_low + (free - g_low) * error;
        let mut best = extremes.equation_12(free).min(padded).min(f_high);
        // The minimum is at an end if f ascends to the right of the low end, or descends to the left of the high one.
        let mut open = g_low.simd_lt(0.0) & g_high.simd_gt(0.0);
        for _ in 0..items.len() + 4 {
            if open.to_bitmask() == 0 {
                break;
            }
            let width = high - low;
            let x = (f_high - f_low - g_high * width) / (g_low - g_high);
            let x = open.select(x, zero).max(zero).min(width);
            let reached = best - g_low.mul_add(x, f_low);
            open &= reached.simd_gt(tolerance);
            let at = low + x;
            let [f, right, left] = tangents(simd, items, at, extremes.sum, free);
            best = open.select(best.min(f + (free - right) * error), best);
            let goes_right = open & right.simd_lt(0.0);
            let goes_left = open & left.simd_gt(0.0);
            low = goes_right.select(at, low);
            f_low = goes_right.select(f, f_low);
            g_low = goes_right.select(right, g_low);
            high = goes_left.select(at, high);
            f_high = goes_left.select(f, f_high);
            g_high = goes_left.select(left, g_high);
            open &= goes_right | goes_left;
        }
        best
    }
}

/// f(λ), and its slopes to the right and to the left of λ.
#[inline(always)]
fn tangents<S: Simd>(
    simd: S,
    items: &[Item],
    lambda: f32x8<S>,
    sum: f32x8<S>,
    free: f32x8<S>,
) -> [f32x8<S>; 3] {
    let zero = f32x8::splat(simd, 0.0);
    let (mut over, mut right, mut left) = (zero, free, free);
    for [b, spread] in items {
        let (b, spread) = (f32x8::load_array_ref(simd, b), f32x8::load_array_ref(simd, spread));
        over = spread.mul_add((b - lambda).max(zero), over);
        right -= b.simd_gt(lambda).select(spread, zero);
        left -= b.simd_ge(lambda).select(spread, zero);
    }
    [free.mul_add(lambda, sum) + over, right, left]
}
