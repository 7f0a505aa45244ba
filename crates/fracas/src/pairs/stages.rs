//! What the row kernel and the pair kernel have in common: shared corners, sides of planes, edges against edges.
//!
//! Both compare eight pairs of triangles p and q at a time. Corner i of p and corner k of q are points; edge i runs
//! from corner i to the next, which is i + 1 modulo three.

use super::bounds::TINY;
use super::vec8::{Vec8, chosen, cross, dot, norm1, sub, unit};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8, u32x8};

/// What a filter says of eight pairs; lanes in neither set certainly do not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Lanes that certainly cross.
    pub(crate) crossing: u32,
    /// Lanes that must be decided exactly.
    pub(crate) open: u32,
}

impl Verdict {
    pub(super) const APART: Self = Self { crossing: 0, open: 0 };
}

/// Which corners are the same vertex: `same[i][k]` for corner i of p and corner k of q.
#[derive(Clone, Copy)]
pub(super) struct Same<S: Simd>([[mask32x8<S>; 3]; 3]);

impl<S: Simd> Same<S> {
    /// Compares vertex ids if the triangles are of one mesh; otherwise no corner is shared.
    #[inline(always)]
    pub(super) fn new<const NEIGHBOURS: bool>(simd: S, p: [u32x8<S>; 3], q: [u32x8<S>; 3]) -> Self {
        let mut same = [[mask32x8::splat(simd, false); 3]; 3];
        if NEIGHBOURS {
            for k in 0..3 {
                for i in 0..3 {
                    same[i][k] = p[i].simd_eq(q[k]);
                }
            }
        }
        Self(same)
    }

    /// The same seen from q.
    #[inline(always)]
    pub(super) fn turned(&self) -> Self {
        let [p, q, r] = &self.0;
        Self([[p[0], q[0], r[0]], [p[1], q[1], r[1]], [p[2], q[2], r[2]]])
    }

    /// Corners of p that are shared.
    #[inline(always)]
    pub(super) fn shared(&self) -> [mask32x8<S>; 3] {
        let [p, q, r] = &self.0;
        [p[0] | p[1] | p[2], q[0] | q[1] | q[2], r[0] | r[1] | r[2]]
    }

    /// Corners of q that are ends of an edge of p.
    #[inline(always)]
    pub(super) fn ends_of(&self, edge: usize) -> [mask32x8<S>; 3] {
        let (a, b) = (&self.0[edge], &self.0[(edge + 1) % 3]);
        [a[0] | b[0], a[1] | b[1], a[2] | b[2]]
    }

    /// Lanes whose triangles share a corner.
    #[inline(always)]
    fn neighbours(&self) -> u32 {
        let p = self.shared();
        (p[0] | p[1] | p[2]).to_bitmask() as u32
    }
}

/// Lanes in which every corner is certainly outside an edge plane, or an end of that edge.
#[inline(always)]
pub(super) fn outside<S: Simd, const NEIGHBOURS: bool>(
    heights: [f32x8<S>; 3],
    bound: f32x8<S>,
    ends: [mask32x8<S>; 3],
) -> u32 {
    let mut beyond = [heights[0].simd_gt(bound), heights[1].simd_gt(bound), heights[2].simd_gt(bound)];
    if NEIGHBOURS {
        for k in 0..3 {
            beyond[k] |= ends[k];
        }
    }
    (beyond[0] & beyond[1] & beyond[2]).to_bitmask() as u32
}

/// On which side of a plane the three corners of each triangle certainly lie.
#[derive(Clone, Copy)]
pub(super) struct Sides<S: Simd> {
    above: [mask32x8<S>; 3],
    below: [mask32x8<S>; 3],
}

impl<S: Simd> Sides<S> {
    #[inline(always)]
    pub(super) fn new(heights: [f32x8<S>; 3], bound: f32x8<S>) -> Self {
        let minus = -bound;
        Self {
            above: [heights[0].simd_gt(bound), heights[1].simd_gt(bound), heights[2].simd_gt(bound)],
            below: [heights[0].simd_lt(minus), heights[1].simd_lt(minus), heights[2].simd_lt(minus)],
        }
    }

    /// Lanes in which all corners are on one strict side, shared corners excepted, but for lanes with all of them shared.
    #[inline(always)]
    pub(super) fn one_sided<const NEIGHBOURS: bool>(&self, shared: [mask32x8<S>; 3]) -> u32 {
        let (mut above, mut below) = (self.above, self.below);
        if NEIGHBOURS {
            for k in 0..3 {
                above[k] |= shared[k];
                below[k] |= shared[k];
            }
        }
        let mut certain = (above[0] & above[1] & above[2]) | (below[0] & below[1] & below[2]);
        if NEIGHBOURS {
            certain &= !(shared[0] & shared[1] & shared[2]);
        }
        certain.to_bitmask() as u32
    }

    /// Lanes in which the ends of an edge are certainly on opposite sides.
    #[inline(always)]
    fn opposite(&self, edge: usize) -> mask32x8<S> {
        let next = (edge + 1) % 3;
        (self.above[edge] & self.below[next]) | (self.below[edge] & self.above[next])
    }

    /// Lanes in which the ends of an edge are certainly on one side.
    #[inline(always)]
    fn equal(&self, edge: usize) -> mask32x8<S> {
        let next = (edge + 1) % 3;
        (self.above[edge] & self.above[next]) | (self.below[edge] & self.below[next])
    }
}

/// Lanes whose triangles share one corner and certainly no other point.
///
/// Let a and a' be the edges of p from the shared corner, b and b' those of q, and g any vector. If g · a and g · a' are
/// positive, g · b and g · b' negative, then the plane through the corner at right angles to g has p on one side and q on the
/// other, and they meet only there. Here g = â + â' − b̂ − b̂', with vectors of length one: it parts triangles across the corner
/// from each other, whose edges may lie in one line, so that no edge plane parts them for certain. `bound` is
/// [`super::bounds::length_bound`] of the edges.
#[inline(always)]
fn apart_at_corner<S: Simd>(same: &Same<S>, (d, e): (&[Vec8<S>; 3], &[Vec8<S>; 3]), bound: f32x8<S>) -> u32 {
    let (p, q) = (same.shared(), same.turned().shared());
    let several = (p[0] & p[1]) | (p[1] & p[2]) | (p[2] & p[0]);
    // From the shared corner to the one after it, and from the one before it to the shared corner.
    let (a, to_a) = (chosen(p, d[0], d[1], d[2]), chosen(p, d[2], d[0], d[1]));
    let (b, to_b) = (chosen(q, e[0], e[1], e[2]), chosen(q, e[2], e[0], e[1]));
    let g = sub(sub(unit(a), unit(to_a)), sub(unit(b), unit(to_b)));
    let bound = norm1(g) * bound + TINY;
    let p_above = dot(g, a).simd_gt(bound) & dot(g, to_a).simd_lt(-bound);
    let q_below = dot(g, b).simd_lt(-bound) & dot(g, to_b).simd_gt(bound);
    (p_above & q_below & !several).to_bitmask() as u32
}

/// The corners or edges of eight triangles.
type Three<S> = [Vec8<S>; 3];

/// Decides the lanes `left`: neighbours by a plane through their corner, others by the sides on which every edge of p
/// passes every edge of q.
///
/// `d` and `e` are the edges of p and q, `w[i][k]` is corner k of q seen from corner i of p; sides are those of the
/// corners of p and the plane of q, and the other way round. Edge i pierces triangle q if its ends are on opposite sides
/// of the plane and it passes all edges of q on the same side; it misses q if it passes two of them on different sides, or if
/// its ends are on one side. Triangles cross if an edge of either pierces the other, and are apart if all edges miss.
///
/// Bounds are those of n · w and of g · d (`bounds`).
#[inline(always)]
pub(super) fn decide<S: Simd, const NEIGHBOURS: bool>(
    simd: S,
    mut left: u32,
    same: &Same<S>,
    (d, e, w): (&Three<S>, &Three<S>, &[Three<S>; 3]),
    [bound, length_bound]: [f32x8<S>; 2],
    (p_sides, q_sides): (&Sides<S>, &Sides<S>),
) -> Verdict {
    let mut neighbours = 0;
    if NEIGHBOURS {
        neighbours = left & same.neighbours();
        left &= !neighbours;
        if neighbours != 0 {
            neighbours &= !apart_at_corner(same, (d, e), length_bound);
        }
        if left == 0 {
            return Verdict { crossing: 0, open: neighbours };
        }
    }
    let no = mask32x8::splat(simd, false);
    let (mut right, mut wrong) = ([[no; 3]; 3], [[no; 3]; 3]);
    for i in 0..3 {
        for k in 0..3 {
            let passing = dot(cross(d[i], e[k]), w[i][k]);
            right[i][k] = passing.simd_gt(bound);
            wrong[i][k] = passing.simd_lt(-bound);
        }
    }
    let (mut pierced, mut apart) = (no, mask32x8::splat(simd, true));
    for edge in 0..3 {
        let (inside, outside) = passed(right[edge], wrong[edge]);
        pierced |= inside & p_sides.opposite(edge);
        apart &= outside | p_sides.equal(edge);
    }
    for edge in 0..3 {
        let (inside, outside) = passed(
            [right[0][edge], right[1][edge], right[2][edge]],
            [wrong[0][edge], wrong[1][edge], wrong[2][edge]],
        );
        pierced |= inside & q_sides.opposite(edge);
        apart &= outside | q_sides.equal(edge);
    }
    let (pierced, apart) = (pierced.to_bitmask() as u32, apart.to_bitmask() as u32);
    Verdict { crossing: left & pierced, open: left & !(pierced | apart) | neighbours }
}

/// Lanes in which a line passes three edges all on one side, and those in which it passes two on different sides.
#[inline(always)]
fn passed<S: Simd>(right: [mask32x8<S>; 3], wrong: [mask32x8<S>; 3]) -> (mask32x8<S>, mask32x8<S>) {
    let inside = (right[0] & right[1] & right[2]) | (wrong[0] & wrong[1] & wrong[2]);
    let outside = (right[0] | right[1] | right[2]) & (wrong[0] | wrong[1] | wrong[2]);
    (inside, outside)
}
