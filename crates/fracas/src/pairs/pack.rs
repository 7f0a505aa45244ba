//! The pair kernel: eight pairs of triangles at a time, in `f32`, dropping only what certainly does not meet.
//!
//! The row kernel (`row`) takes one triangle against eight neighbours in memory. That suits a tree, whose leaves of eight are
//! prepared once and used many times. A grid is used once: here candidates are gathered first and
//! packed, each lane has its own pair, and nothing has to be prepared per row. The tests, their order, the sides
//! of planes and the error bounds are those of the row kernel and come from there; two things differ:
//!
//! ```text
//!   Steps: x y z of every vertex, whole steps of a grid, modulo 2³²
//!   Corners: three vertices and the id of every triangle, 16 bytes
//! ```
//!
//! - Coordinates are whole numbers of small steps. A difference of two such numbers is exact however far from the
//!   origin they are, even if they wrapped around, as long as the points are near each other. So one size of step
//!   serves a whole scene, and only the rounding of positions to steps counts as error.
//! - All tests are made on such differences; no coordinate enters them otherwise.
//!
//! # Why there are two
//!
//! The folded cloth of 250,000 triangles against itself, on one thread:
//!
//! | kernel | time | left to the exact test |
//! |---|---|---|
//! | rows of a tree, neighbours not culled | 50 ms | 47,000 |
//! | pairs of a grid, neighbours not culled | 41 ms | 1,500 |
//! | pairs of a grid, neighbours proved apart (`fan`) | 24 ms | 36 |
//!
//! A soup of all sizes far from the origin could not use `f32` rows at all.

use super::bounds::{TINY, edge_factor, face_factor, length_bound};
use super::stages::{self, Same, Sides, Verdict, outside};
use super::vec8::{Vec8, cross, dot};
use crate::geom::LANES;
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, i32x4, i32x8, u32x8};

/// A position in steps, each coordinate modulo 2³², and a number to be carried along.
pub(crate) type Steps = [i32; 4];

/// The vertices of a triangle, as indices into a list of [`Steps`], and its id.
pub(crate) type Corners = [i32; 4];

/// Triangles whose pairs are filtered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed<'a> {
    /// Positions of all vertices. Those of a pair differ by less than 2³¹.
    pub(crate) steps: &'a [Steps],
    /// All triangles.
    pub(crate) corners: &'a [Corners],
    /// Given that two triangles are compared, by how much their boxes may miss each other, in steps.
    pub(crate) pad: f32,
}

/// Largest difference between a stored coordinate and the true one, in steps: half a step, and a little.
const SLACK: f32 = 0.51;

/// The nearest whole number of steps, its lowest 32 bits, for |x| < 2⁵¹.
///
/// Adding 1.5 · 2⁵² moves them to the end of the mantissa.
#[inline(always)]
pub(crate) fn whole_steps(x: f64) -> i32 {
    (x + 6_755_399_441_055_744.0).to_bits() as i32
}

/// Eight triangles as whole: their boxes, and what their vertices carry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eight<S: Simd> {
    /// Lower corners of the boxes in steps. Numbers wrap around, so they are true only relative to a vertex nearby.
    pub(crate) low: [i32x8<S>; 3],
    /// Upper corners.
    pub(crate) high: [i32x8<S>; 3],
    /// The last numbers of the three vertices.
    pub(crate) carried: [i32x8<S>; 3],
}

impl<S: Simd> Eight<S> {
    /// Gathers the triangles with the given corners.
    #[inline(always)]
    pub(crate) fn gather(simd: S, steps: &[Steps], c: &[Corners; LANES]) -> Self {
        let corner = |k: usize| {
            let v = [c[0][k], c[1][k], c[2][k], c[3][k], c[4][k], c[5][k], c[6][k], c[7][k]];
            turned_steps(simd, steps, v)
        };
        let p = [corner(0), corner(1), corner(2)];
        // Relative to a corner of each triangle, so that nothing has wrapped around when it is compared.
        let zero = i32x8::splat(simd, 0);
        let (mut low, mut high) = ([zero; 3], [zero; 3]);
        for axis in 0..3 {
            let (b, c) = (p[1][axis] - p[0][axis], p[2][axis] - p[0][axis]);
            low[axis] = p[0][axis] + b.min(c).min(zero);
            high[axis] = p[0][axis] + b.max(c).max(zero);
        }
        Self { low, high, carried: [p[0][3], p[1][3], p[2][3]] }
    }
}

/// The steps of eight vertices, by coordinate.
#[inline(always)]
pub(super) fn turned_steps<S: Simd>(simd: S, steps: &[Steps], v: [i32; LANES]) -> [i32x8<S>; 4] {
    let at = |v: i32| &steps[v as u32 as usize];
    turned(simd, [at(v[0]), at(v[1]), at(v[2]), at(v[3]), at(v[4]), at(v[5]), at(v[6]), at(v[7])])
}

/// Corners and vertices of eight triangles, side by side.
#[inline(always)]
fn gather<S: Simd>(simd: S, packed: &Packed, which: &[u32; LANES]) -> ([[i32x8<S>; 3]; 3], [u32x8<S>; 3]) {
    let at = |lane: usize| &packed.corners[which[lane] as usize];
    let c = [at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)];
    let [u, v, w, _] = turned(simd, c);
    let mut corners = [[u; 3]; 3];
    for k in 0..3 {
        let v = [c[0][k], c[1][k], c[2][k], c[3][k], c[4][k], c[5][k], c[6][k], c[7][k]];
        let [x, y, z, _] = turned_steps(simd, packed.steps, v);
        corners[k] = [x, y, z];
    }
    (corners, [u.bitcast(), v.bitcast(), w.bitcast()])
}

/// Eight times four numbers, turned into four times eight.
#[inline(always)]
fn turned<S: Simd>(simd: S, from: [&[i32; 4]; LANES]) -> [i32x8<S>; 4] {
    let low = turned_quads(simd, [from[0], from[1], from[2], from[3]]);
    let high = turned_quads(simd, [from[4], from[5], from[6], from[7]]);
    [
        simd.combine_i32x4(low[0], high[0]),
        simd.combine_i32x4(low[1], high[1]),
        simd.combine_i32x4(low[2], high[2]),
        simd.combine_i32x4(low[3], high[3]),
    ]
}

#[inline(always)]
fn turned_quads<S: Simd>(simd: S, from: [&[i32; 4]; 4]) -> [i32x4<S>; 4] {
    let (a, b) = (i32x4::load_array_ref(simd, from[0]), i32x4::load_array_ref(simd, from[1]));
    let (c, d) = (i32x4::load_array_ref(simd, from[2]), i32x4::load_array_ref(simd, from[3]));
    let (ac_low, ac_high) = (a.zip_low(c), a.zip_high(c));
    let (bd_low, bd_high) = (b.zip_low(d), b.zip_high(d));
    [ac_low.zip_low(bd_low), ac_low.zip_high(bd_low), ac_high.zip_low(bd_high), ac_high.zip_high(bd_high)]
}

/// p − q.
#[inline(always)]
fn minus<S: Simd>(p: &[i32x8<S>; 3], q: &[i32x8<S>; 3]) -> Vec8<S> {
    [(p[0] - q[0]).to_float(), (p[1] - q[1]).to_float(), (p[2] - q[2]).to_float()]
}

/// Largest magnitude of a coordinate.
#[inline(always)]
fn largest<S: Simd>(v: Vec8<S>) -> f32x8<S> {
    v[0].abs().max(v[1].abs()).max(v[2].abs())
}

/// The filter for pairs of records. All methods are inlined into the caller's vector context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairFilter<S: Simd> {
    simd: S,
}

impl<S: Simd> PairFilter<S> {
    /// A filter that uses the given instruction set.
    #[inline(always)]
    pub(crate) fn new(simd: S) -> Self {
        Self { simd }
    }

    /// The lanes whose pairs may meet as far as the planes of both triangles tell: a first, cheap look.
    #[inline(always)]
    pub(crate) fn may_meet<const NEIGHBOURS: bool>(
        &self,
        packed: &Packed,
        first: &[u32; LANES],
        second: &[u32; LANES],
    ) -> u32 {
        Comparison::new::<NEIGHBOURS>(self.simd, packed, first, second).left
    }

    /// Sorts eight pairs by how they meet. With `NEIGHBOURS`, equal vertex ids mean shared vertices.
    #[inline(always)]
    pub(crate) fn meet<const NEIGHBOURS: bool>(
        &self,
        packed: &Packed,
        first: &[u32; LANES],
        second: &[u32; LANES],
    ) -> Verdict {
        let mut comparison = Comparison::new::<NEIGHBOURS>(self.simd, packed, first, second);
        if comparison.left == 0 {
            return Verdict::APART;
        }
        comparison.edge_planes::<NEIGHBOURS>();
        if comparison.left == 0 {
            return Verdict::APART;
        }
        comparison.decide::<NEIGHBOURS>()
    }
}

/// Eight pairs being compared: triangles p and q.
struct Comparison<S: Simd> {
    simd: S,
    p: [[i32x8<S>; 3]; 3],
    q: [[i32x8<S>; 3]; 3],
    /// Edges of p and q, each from a corner to the next, and their normals.
    d: [Vec8<S>; 3],
    e: [Vec8<S>; 3],
    n: Vec8<S>,
    m: Vec8<S>,
    /// Corner k of q seen from corner i of p; only from corner 0 until the edge planes are tested.
    w: [[Vec8<S>; 3]; 3],
    same: Same<S>,
    extents: [f32x8<S>; 2],
    /// No two corners are farther apart than this, in any axis.
    apart: f32x8<S>,
    factors: [f32x8<S>; 2],
    /// On which side of the plane of p the corners of q are, and the other way round.
    q_sides: Sides<S>,
    p_sides: Sides<S>,
    left: u32,
}

impl<S: Simd> Comparison<S> {
    #[inline(always)]
    fn new<const NEIGHBOURS: bool>(
        simd: S,
        packed: &Packed,
        first: &[u32; LANES],
        second: &[u32; LANES],
    ) -> Self {
        let (p, p_ids) = gather(simd, packed, first);
        let (q, q_ids) = gather(simd, packed, second);
        let d = [minus(&p[1], &p[0]), minus(&p[2], &p[1]), minus(&p[0], &p[2])];
        let e = [minus(&q[1], &q[0]), minus(&q[2], &q[1]), minus(&q[0], &q[2])];
        let (n, m) = (cross(d[0], d[1]), cross(e[0], e[1]));
        let extents = [
            largest(d[0]).max(largest(d[1])).max(largest(d[2])) + 2.0,
            largest(e[0]).max(largest(e[1])).max(largest(e[2])) + 2.0,
        ];
        let apart = extents[0] + extents[1] + packed.pad;
        let factors = [face_factor(extents[0], SLACK), face_factor(extents[1], SLACK)];
        let bounds = [factors[0] * apart + TINY, factors[1] * apart + TINY];
        // Corners of q seen from the first of p; corners of p seen from the first of q.
        let seen = [minus(&q[0], &p[0]), minus(&q[1], &p[0]), minus(&q[2], &p[0])];
        let q_sides = Sides::new([dot(n, seen[0]), dot(n, seen[1]), dot(n, seen[2])], bounds[0]);
        let back = [minus(&p[1], &q[0]), minus(&p[2], &q[0])];
        let p_sides = Sides::new([-dot(m, seen[0]), dot(m, back[0]), dot(m, back[1])], bounds[1]);
        let same = Same::new::<NEIGHBOURS>(simd, p_ids, q_ids);
        let apart_by_planes = q_sides.one_sided::<NEIGHBOURS>(same.turned().shared())
            | p_sides.one_sided::<NEIGHBOURS>(same.shared());
        let w = [seen, seen, seen];
        let left = !apart_by_planes & 0xff;
        Self { simd, p, q, d, e, n, m, w, same, extents, apart, factors, q_sides, p_sides, left }
    }

    /// Planes through an edge, along the normal: drops pairs with a triangle outside one of the other's.
    #[inline(always)]
    fn edge_planes<const NEIGHBOURS: bool>(&mut self) {
        for i in 1..3 {
            for k in 0..3 {
                self.w[i][k] = minus(&self.q[k], &self.p[i]);
            }
        }
        let bound = edge_factor(self.extents[0], SLACK) * self.apart + TINY;
        for edge in 0..3 {
            let (outward, w) = (cross(self.d[edge], self.n), &self.w[edge]);
            let heights = [dot(outward, w[0]), dot(outward, w[1]), dot(outward, w[2])];
            self.left &= !outside::<S, NEIGHBOURS>(heights, bound, self.same.ends_of(edge));
        }
        let bound = edge_factor(self.extents[1], SLACK) * self.apart + TINY;
        for edge in 0..3 {
            // Seen from the other side, so both signs are turned.
            let (inward, w) = (cross(self.m, self.e[edge]), &self.w);
            let heights = [dot(inward, w[0][edge]), dot(inward, w[1][edge]), dot(inward, w[2][edge])];
            self.left &= !outside::<S, NEIGHBOURS>(heights, bound, self.same.turned().ends_of(edge));
        }
    }

    /// Neighbours by a plane through their corner, others by edges.
    #[inline(always)]
    fn decide<const NEIGHBOURS: bool>(&self) -> Verdict {
        let bound = self.factors[0].max(self.factors[1]) * self.apart + TINY;
        let bounds = [bound, length_bound(self.apart, SLACK)];
        let (vectors, sides) = ((&self.d, &self.e, &self.w), (&self.p_sides, &self.q_sides));
        stages::decide::<S, NEIGHBOURS>(self.simd, self.left, &self.same, vectors, bounds, sides)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{self, Relation};
    use crate::geom::{DVec3, Triangle};
    use fearless_simd::{Level, dispatch};
    use proptest::prelude::*;

    /// How every triangle with an even number meets the one after it, for up to eight pairs: what a first look leaves, and
    /// the verdict.
    fn verdicts<const NEIGHBOURS: bool>(points: &[DVec3], triangles: &[[u32; 3]]) -> (u32, Verdict) {
        let steps: Vec<Steps> =
            points.iter().map(|p| [whole_steps(p.x), whole_steps(p.y), whole_steps(p.z), 7]).collect();
        let corners: Vec<Corners> =
            triangles.iter().zip(0..).map(|([a, b, c], id)| [*a as i32, *b as i32, *c as i32, id]).collect();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &vertex in triangles.as_flattened() {
            low = low.min(points[vertex as usize]);
            high = high.max(points[vertex as usize]);
        }
        let packed =
            Packed { steps: &steps, corners: &corners, pad: (high - low).max_element() as f32 + 1.0 };
        let pair = |lane: usize| (lane as u32 % (triangles.len() as u32 / 2)) * 2;
        let first: [u32; LANES] = std::array::from_fn(pair);
        let second = first.map(|i| i + 1);
        let level = Level::new();
        dispatch!(level, simd => {
            let filter = PairFilter::new(simd);
            let left = filter.may_meet::<NEIGHBOURS>(&packed, &first, &second);
            (left, filter.meet::<NEIGHBOURS>(&packed, &first, &second))
        })
    }

    /// Compares with the exact test; returns how many pairs are left open, and how many cross.
    fn check<const NEIGHBOURS: bool>(points: &[DVec3], triangles: &[[u32; 3]]) -> [u32; 2] {
        let (left, verdict) = verdicts::<NEIGHBOURS>(points, triangles);
        let place = |t: [u32; 3]| {
            let [a, b, c] = t.map(|v| points[v as usize]);
            Triangle::new(a, b, c)
        };
        let mut counts = [0, 0];
        for (lane, pair) in triangles.chunks_exact(2).enumerate().take(LANES) {
            let (t, u) = (place(pair[0]), place(pair[1]));
            let relation = if NEIGHBOURS {
                exact::tri_tri_shared(&t, pair[0], &u, pair[1])
            } else {
                exact::tri_tri(&t, &u)
            };
            let has = |mask: u32| mask >> lane & 1 == 1;
            assert!(!(has(verdict.crossing) && has(verdict.open)));
            assert!(has(left) || relation == Relation::Disjoint, "{t:?} {u:?} {relation:?}");
            if has(verdict.crossing) {
                assert_eq!(relation, Relation::Crossing, "{t:?} {u:?}");
            } else if !has(verdict.open) {
                assert_eq!(relation, Relation::Disjoint, "{t:?} {u:?}");
            }
            counts[0] += u32::from(has(verdict.open));
            counts[1] += u32::from(relation == Relation::Crossing);
        }
        counts
    }

    /// Sixteen triangles of a size near each other, with corners of their own, somewhere in space.
    fn strangers(size: f64, at: DVec3, numbers: &[f64]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let point = |k: usize| at + size * DVec3::from_slice(&numbers[3 * k..3 * k + 3]);
        let triangles = (0..2 * LANES as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        ((0..6 * LANES).map(point).collect(), triangles)
    }

    fn numbers() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-1.0..1.0_f64, 18 * LANES)
    }

    fn anywhere() -> impl Strategy<Value = DVec3> {
        let number = prop_oneof![Just(0.0), -1e6..1e6_f64, -1e13..1e13_f64];
        [number.clone(), number.clone(), number].prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn is_never_wrong_about_strangers(exponent in -3..28_i32, at in anywhere(), numbers in numbers()) {
            let (points, triangles) = strangers(2f64.powi(exponent), at, &numbers);
            check::<false>(&points, &triangles);
        }

        #[test]
        fn is_never_wrong_about_large_and_small(
            exponent in 10..28_i32, small in -30..0_i32, at in anywhere(), numbers in numbers(),
        ) {
            let (mut points, triangles) = strangers(2f64.powi(exponent), at, &numbers);
            // Every other triangle is drawn together around its first corner.
            for t in triangles.iter().step_by(2) {
                let [a, b, c] = t.map(|v| v as usize);
                let first = points[a];
                for k in [b, c] {
                    points[k] = first + (points[k] - first) * 2f64.powi(small);
                }
            }
            check::<false>(&points, &triangles);
        }

        #[test]
        fn is_never_wrong_about_neighbours(
            lattice in prop::collection::vec(prop::array::uniform3(-3..=3_i32), 9),
            nudges in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 9),
            triangles in prop::collection::vec(prop::array::uniform3(0..9_u32), 2 * LANES),
            size in 0..24_i32,
            hair in prop_oneof![Just(0.0), Just(1e-7), Just(1e-3), Just(0.3)],
            at in anywhere(),
        ) {
            // Shared corners, duplicates, coplanar triangles, segments and points.
            let place = |(p, n): (&[i32; 3], &[f64; 3])| {
                let p = DVec3::from_array(p.map(f64::from)) + hair * DVec3::from_array(*n);
                at + p * 2f64.powi(size)
            };
            let points: Vec<DVec3> = lattice.iter().zip(&nudges).map(place).collect();
            check::<true>(&points, &triangles);
        }
    }

    #[test]
    fn leaves_few_pairs_open() {
        use proptest::strategy::ValueTree;
        use proptest::test_runner::TestRunner;
        let mut runner = TestRunner::deterministic();
        let mut sum = [0, 0];
        for _ in 0..1000 {
            let numbers = numbers().new_tree(&mut runner).unwrap().current();
            let (points, triangles) = strangers(1e6, DVec3::new(1e12, -3e9, 0.0), &numbers);
            let counts = check::<false>(&points, &triangles);
            sum = [sum[0] + counts[0], sum[1] + counts[1]];
        }
        let [open, crossing] = sum;
        assert!(crossing > 1000 && open * 50 < crossing, "{open} open, {crossing} crossing");
    }
}
