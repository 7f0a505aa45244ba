//! The row kernel: one triangle against up to eight, in `f32`, dropping only what certainly does not meet.
//!
//! Every structure ends in the same question: which of these eight triangles may meet this one? The filter here
//! answers it with vector instructions and hands the few survivors to [`crate::exact`]. It runs through
//!
//! 1. boxes,
//! 2. the plane of the one triangle: all three corners of another strictly on one side,
//! 3. the planes of the eight, likewise,
//! 4. the edge planes of the one (through an edge, along the normal): all three corners strictly outside,
//! 5. the edge planes of the eight, likewise,
//! 6. every edge of one against every edge of the other: if all signs are certain, the pair is decided here and now.
//!
//! # Why a decided pair is never wrong
//!
//! Stored coordinates differ from the true ones by at most `slack`. From that and from the unit roundoff u = 2⁻²⁴
//! follows a bound on the error of every determinant ([`face_factor`], [`edge_factor`]); a corner counts as sided
//! only if its determinant exceeds the bound. What is not certain stays open, for [`crate::exact`].
//!
//! # Neighbours
//!
//! Triangles of one mesh that share vertices (equal ids) always touch there, which is not a collision. A corner
//! that is shared lies on the plane by definition, so it may stand in for a sided one: if all other corners are
//! strictly on one side, the triangles meet in the shared vertex or edge and nowhere else. Two traps: with all
//! three corners shared nothing is left to be sided (a duplicate face, which is a collision), and at an edge
//! plane only the two ends of that edge are on the plane.

use super::vec8::{cross, dot, height, load, norm1, splat, store, sub};
use crate::geom::{Boxes8, LANES};
use crate::mesh::TriangleId;
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8, u32x8};

/// Corners of up to eight triangles in frame coordinates: `corners[corner][axis][lane]`.
///
/// Unused lanes repeat a used one, so that every number is finite; the caller masks them.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Row {
    /// Coordinates by corner, axis and lane.
    pub corners: [[[f32; LANES]; 3]; 3],
}

impl Row {
    /// A row of zeros, to be filled.
    pub const ZERO: Self = Self { corners: [[[0.0; LANES]; 3]; 3] };
}

/// Who the triangles of a row are.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct RowIds {
    /// Vertex indices by corner and lane.
    pub vertices: [[u32; LANES]; 3],
    /// Triangle ids by lane; [`RowIds::NONE`] in unused lanes.
    pub triangles: [u32; LANES],
}

impl RowIds {
    /// Marks an unused lane.
    pub const NONE: u32 = u32::MAX;

    /// A row without triangles.
    pub const EMPTY: Self = Self { vertices: [[Self::NONE; LANES]; 3], triangles: [Self::NONE; LANES] };

    /// One bit for every used lane. Used lanes come first.
    #[inline]
    #[must_use]
    pub fn used(&self) -> u32 {
        (0..LANES).map(|lane| u32::from(self.triangles[lane] != Self::NONE) << lane).sum()
    }

    /// The triangles of the row.
    pub fn triangle_ids(&self) -> impl Iterator<Item = TriangleId> + '_ {
        self.triangles.iter().take_while(|&&t| t != Self::NONE).map(|&t| TriangleId(t))
    }
}

/// What the filter knows of a row before it meets another: boxes, planes and sizes of its triangles.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub struct RowSide {
    corners: [[[f32; LANES]; 3]; 3],
    /// Boxes, padded so that they overlap wherever the true boxes do.
    boxes: Boxes8,
    /// The plane of each triangle: points x with `normal · x = offset`.
    normal: [[f32; LANES]; 3],
    offset: [f32; LANES],
    /// `edge_planes[edge][axis][lane]`, pointing away from the triangle; edge k runs from corner k to k + 1.
    edge_planes: [[[f32; LANES]; 3]; 3],
    edge_offsets: [[f32; LANES]; 3],
    /// Longest box edge of each triangle, and of all.
    extent: [f32; LANES],
    longest: f32,
    /// Error bounds of heights over face and edge planes, for each triangle and the largest of the row.
    face_bounds: LaneBounds,
    edge_bounds: LaneBounds,
    row_face_bound: Bound,
    row_edge_bound: Bound,
    /// The padded box of the whole row.
    row_low: [f32; 3],
    row_high: [f32; 3],
    ids: [[u32; LANES]; 3],
    used: u32,
}

impl RowSide {
    /// One bit for every used lane.
    #[inline(always)]
    pub fn used(&self) -> u32 {
        self.used
    }

    /// The box of the whole row, padded: it holds the true triangles, with room to spare for one more rounding.
    #[inline(always)]
    pub fn bounds(&self) -> ([f32; 3], [f32; 3]) {
        (self.row_low, self.row_high)
    }

    /// Holds nothing; to be overwritten by [`RowFilter::prepare`].
    pub const EMPTY: Self = Self {
        corners: [[[0.0; LANES]; 3]; 3],
        boxes: Boxes8::EMPTY,
        normal: [[0.0; LANES]; 3],
        offset: [0.0; LANES],
        edge_planes: [[[0.0; LANES]; 3]; 3],
        edge_offsets: [[0.0; LANES]; 3],
        extent: [0.0; LANES],
        longest: 0.0,
        face_bounds: LaneBounds::ZERO,
        edge_bounds: LaneBounds::ZERO,
        row_face_bound: Bound::ZERO,
        row_edge_bound: Bound::ZERO,
        row_low: [0.0; 3],
        row_high: [0.0; 3],
        ids: [[0; LANES]; 3],
        used: 0,
    };
}

/// The filter for coordinates with a given error. All methods are inlined into the caller's vector context.
#[derive(Clone, Copy, Debug)]
pub struct RowFilter<S: Simd> {
    simd: S,
    precision: Precision,
}

/// How good the coordinates of the rows are that meet in a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Largest difference between a stored coordinate and the true one.
    pub slack: f32,
    /// Largest magnitude of a coordinate.
    pub reach: f32,
}

impl<S: Simd> RowFilter<S> {
    /// A filter for rows of the given precision.
    #[inline(always)]
    pub fn new(simd: S, precision: Precision) -> Self {
        Self { simd, precision }
    }

    /// The instruction set the filter uses.
    #[inline(always)]
    pub fn simd(&self) -> S {
        self.simd
    }

    /// Computes the boxes, planes and sizes of a row.
    #[inline(always)]
    pub fn prepare(&self, row: &Row, ids: &RowIds, side: &mut RowSide) {
        let simd = self.simd;
        let p = [load(simd, &row.corners[0]), load(simd, &row.corners[1]), load(simd, &row.corners[2])];
        side.corners = row.corners;
        side.ids = ids.vertices;
        let used = u32x8::load_array_ref(simd, &ids.triangles);
        side.used = !(used.simd_eq(RowIds::NONE).to_bitmask() as u32) & 0xff;
        // The slack of the coordinates, and half as much for the rounding of the padded box itself.
        let slack = self.precision.slack;
        let pad = 1.5 * slack;
        let mut extent = f32x8::splat(simd, 0.0);
        for axis in 0..3 {
            let low = p[0][axis].min(p[1][axis]).min(p[2][axis]) - pad;
            let high = p[0][axis].max(p[1][axis]).max(p[2][axis]) + pad;
            low.store_array(&mut side.boxes.low[axis]);
            high.store_array(&mut side.boxes.high[axis]);
            side.row_low[axis] = low.reduce_min();
            side.row_high[axis] = high.reduce_max();
            extent = extent.max(high - low);
        }
        extent.store_array(&mut side.extent);
        side.longest = extent.reduce_max();

        let edges = [sub(p[1], p[0]), sub(p[2], p[1]), sub(p[0], p[2])];
        let normal = cross(edges[0], edges[1]);
        store(normal, &mut side.normal);
        dot(normal, p[0]).store_array(&mut side.offset);
        let mut steepest = f32x8::splat(simd, 0.0);
        for edge in 0..3 {
            let outward = cross(edges[edge], normal);
            store(outward, &mut side.edge_planes[edge]);
            dot(outward, p[edge]).store_array(&mut side.edge_offsets[edge]);
            steepest = steepest.max(norm1(outward));
        }

        let rounding = 12.0 * U * self.precision.reach;
        let face = [norm1(normal) * rounding + TINY, face_factor(extent, slack)];
        let edge = [steepest * rounding + TINY, edge_factor(extent, slack)];
        let longest = f32x8::splat(simd, side.longest);
        side.row_face_bound = Bound { fixed: face[0].reduce_max(), factor: face_factor(longest, slack)[0] };
        side.row_edge_bound = Bound { fixed: edge[0].reduce_max(), factor: edge_factor(longest, slack)[0] };
        face[0].store_array(&mut side.face_bounds.fixed);
        face[1].store_array(&mut side.face_bounds.factor);
        edge[0].store_array(&mut side.edge_bounds.fixed);
        edge[1].store_array(&mut side.edge_bounds.factor);
    }

    /// Lanes of `row` whose padded boxes overlap the given one.
    #[inline(always)]
    pub fn lanes_in_box(&self, row: &RowSide, low: [f32; 3], high: [f32; 3]) -> u32 {
        row.boxes.overlapping(self.simd, low, high)
    }

    /// Sorts the lanes among `lanes` of `row` by how they meet triangle `one` of `ones`. Also adds the number of
    /// overlapping boxes to `box_pairs`.
    ///
    /// With `NEIGHBOURS`, equal vertex ids mean shared vertices (two rows of one mesh).
    #[inline(always)]
    pub fn meet<const NEIGHBOURS: bool>(
        &self,
        ones: &RowSide,
        one: usize,
        row: &RowSide,
        lanes: u32,
        box_pairs: &mut u64,
    ) -> Verdict {
        let simd = self.simd;
        let (low, high) = ones.boxes.lane(one);
        let mut left = lanes & row.boxes.overlapping(simd, low, high);
        *box_pairs += u64::from(left.count_ones());
        if left == 0 {
            return Verdict::APART;
        }

        // Which corners are the same vertex: `same[i][k]` for corner i of the one and corner k of the row.
        let mut same = [[mask32x8::splat(simd, false); 3]; 3];
        if NEIGHBOURS {
            for k in 0..3 {
                let ids = u32x8::load_array_ref(simd, &row.ids[k]);
                for i in 0..3 {
                    same[i][k] = ids.simd_eq(ones.ids[i][one]);
                }
            }
        }
        // How far apart two corners can be, given that the padded boxes overlap.
        let apart = ones.extent[one] + row.longest;

        // Corners q of the row against the plane of the one.
        let q = [load(simd, &row.corners[0]), load(simd, &row.corners[1]), load(simd, &row.corners[2])];
        let n = splat(simd, &ones.normal, one);
        let offset = f32x8::splat(simd, ones.offset[one]);
        let bound = f32x8::splat(simd, ones.face_bounds.of(one).at(apart));
        let heights = [height(n, q[0], offset), height(n, q[1], offset), height(n, q[2], offset)];
        let row_sides = Sides::new(heights, bound);
        let shared = [
            same[0][0] | same[1][0] | same[2][0],
            same[0][1] | same[1][1] | same[2][1],
            same[0][2] | same[1][2] | same[2][2],
        ];
        left &= !row_sides.one_sided::<NEIGHBOURS>(shared);
        if left == 0 {
            return Verdict::APART;
        }

        // Corners p of the one against the planes of the row.
        let p = [
            splat(simd, &ones.corners[0], one),
            splat(simd, &ones.corners[1], one),
            splat(simd, &ones.corners[2], one),
        ];
        let m = load(simd, &row.normal);
        let offset = f32x8::load_array_ref(simd, &row.offset);
        let bound = f32x8::splat(simd, row.row_face_bound.at(apart));
        let heights = [height(m, p[0], offset), height(m, p[1], offset), height(m, p[2], offset)];
        let one_sides = Sides::new(heights, bound);
        let shared = [
            same[0][0] | same[0][1] | same[0][2],
            same[1][0] | same[1][1] | same[1][2],
            same[2][0] | same[2][1] | same[2][2],
        ];
        left &= !one_sides.one_sided::<NEIGHBOURS>(shared);
        if left == 0 {
            return Verdict::APART;
        }

        // Corners of the row against the edge planes of the one.
        let bound = f32x8::splat(simd, ones.edge_bounds.of(one).at(apart));
        for edge in 0..3 {
            let outward = splat(simd, &ones.edge_planes[edge], one);
            let offset = f32x8::splat(simd, ones.edge_offsets[edge][one]);
            let next = (edge + 1) % 3;
            let mut outside = mask32x8::splat(simd, true);
            for k in 0..3 {
                let mut beyond = height(outward, q[k], offset).simd_gt(bound);
                if NEIGHBOURS {
                    beyond |= same[edge][k] | same[next][k];
                }
                outside &= beyond;
            }
            left &= !(outside.to_bitmask() as u32);
        }
        if left == 0 {
            return Verdict::APART;
        }

        // Corners of the one against the edge planes of the row.
        let bound = f32x8::splat(simd, row.row_edge_bound.at(apart));
        for edge in 0..3 {
            let outward = load(simd, &row.edge_planes[edge]);
            let offset = f32x8::load_array_ref(simd, &row.edge_offsets[edge]);
            let next = (edge + 1) % 3;
            let mut outside = mask32x8::splat(simd, true);
            for i in 0..3 {
                let mut beyond = height(outward, p[i], offset).simd_gt(bound);
                if NEIGHBOURS {
                    beyond |= same[i][edge] | same[i][next];
                }
                outside &= beyond;
            }
            left &= !(outside.to_bitmask() as u32);
        }
        if left == 0 {
            return Verdict::APART;
        }

        // Every edge of the one against every edge of the row: on which side do the lines pass each other?
        let bound = ones.face_bounds.factor[one].max(row.row_face_bound.factor) * apart + TINY;
        let bound = f32x8::splat(simd, bound);
        let d = [sub(p[1], p[0]), sub(p[2], p[1]), sub(p[0], p[2])];
        let e = [sub(q[1], q[0]), sub(q[2], q[1]), sub(q[0], q[2])];
        let no = mask32x8::splat(simd, false);
        let (mut right, mut wrong) = ([[no; 3]; 3], [[no; 3]; 3]);
        for i in 0..3 {
            for k in 0..3 {
                let passing = dot(cross(d[i], e[k]), sub(q[k], p[i]));
                right[i][k] = passing.simd_gt(bound);
                wrong[i][k] = passing.simd_lt(-bound);
            }
        }
        let (mut pierced, mut apart) = (no, mask32x8::splat(simd, true));
        for i in 0..3 {
            let inside =
                (right[i][0] & right[i][1] & right[i][2]) | (wrong[i][0] & wrong[i][1] & wrong[i][2]);
            let outside =
                (right[i][0] | right[i][1] | right[i][2]) & (wrong[i][0] | wrong[i][1] | wrong[i][2]);
            pierced |= inside & one_sides.opposite(i);
            apart &= outside | one_sides.equal(i);
        }
        for k in 0..3 {
            let inside =
                (right[0][k] & right[1][k] & right[2][k]) | (wrong[0][k] & wrong[1][k] & wrong[2][k]);
            let outside =
                (right[0][k] | right[1][k] | right[2][k]) & (wrong[0][k] | wrong[1][k] | wrong[2][k]);
            pierced |= inside & row_sides.opposite(k);
            apart &= outside | row_sides.equal(k);
        }
        let (mut pierced, mut apart) = (pierced.to_bitmask() as u32, apart.to_bitmask() as u32);
        if NEIGHBOURS {
            // Shared corners are on both sides at once; such pairs are left to the exact test.
            let any = same[0][0] | same[0][1] | same[0][2] | same[1][0] | same[1][1] | same[1][2];
            let neighbours = (any | same[2][0] | same[2][1] | same[2][2]).to_bitmask() as u32;
            pierced &= !neighbours;
            apart &= !neighbours;
        }
        Verdict { crossing: left & pierced, open: left & !(pierced | apart) }
    }
}

/// What the filter says of the lanes of a row; lanes in neither set certainly do not meet the triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Lanes that certainly cross it.
    pub crossing: u32,
    /// Lanes that must be decided exactly.
    pub open: u32,
}

impl Verdict {
    pub(super) const APART: Self = Self { crossing: 0, open: 0 };
}

/// On which side of a plane the three corners of each triangle certainly lie.
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

    /// Lanes in which all corners are on one strict side, shared corners excepted; never all of them shared.
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
    pub(super) fn opposite(&self, edge: usize) -> mask32x8<S> {
        let next = (edge + 1) % 3;
        (self.above[edge] & self.below[next]) | (self.below[edge] & self.above[next])
    }

    /// Lanes in which the ends of an edge are certainly on one side.
    #[inline(always)]
    pub(super) fn equal(&self, edge: usize) -> mask32x8<S> {
        let next = (edge + 1) % 3;
        (self.above[edge] & self.above[next]) | (self.below[edge] & self.below[next])
    }
}

/// Unit roundoff of `f32`.
const U: f32 = 1.0 / (1 << 24) as f32;

/// Determinants below this may be rounding noise of subnormal intermediate results.
pub(super) const TINY: f32 = 1e-30;

/// Error bound of a height: part of it grows with the distance over which it is measured.
#[derive(Clone, Copy, Debug)]
struct Bound {
    fixed: f32,
    factor: f32,
}

impl Bound {
    const ZERO: Self = Self { fixed: 0.0, factor: 0.0 };

    #[inline(always)]
    fn at(self, distance: f32) -> f32 {
        self.fixed + self.factor * distance
    }
}

/// One bound per lane.
#[derive(Clone, Copy, Debug)]
struct LaneBounds {
    fixed: [f32; LANES],
    factor: [f32; LANES],
}

impl LaneBounds {
    const ZERO: Self = Self { fixed: [0.0; LANES], factor: [0.0; LANES] };

    #[inline(always)]
    fn of(&self, lane: usize) -> Bound {
        Bound { fixed: self.fixed[lane], factor: self.factor[lane] }
    }
}

/// Error bound of n · w over |w|, for n = e₁ × e₂ with edges of at most `e` in every axis and |w| ≥ e + 3 slack.
///
/// Differences carry ε = 2 slack + u e. So n is off by 4 e ε + 2 ε² + 4 u e², and at most 2 e²; the dot product adds
/// three such terms and nine roundings: 12 slack e² + 24 slack e w + 48 u e² w, and terms in slack² and slack³.
/// With e ≤ w this is at most w (36 slack e + 48 u e² + 96 slack²); a quarter more pays for its own rounding.
///
/// Heights are computed as n · x − n · p rather than n · (x − p). That adds the rounding of both products, at most
/// 10 u |n|₁ times the largest coordinate: the fixed part of the bound.
#[inline(always)]
pub(super) fn face_factor<S: Simd>(e: f32x8<S>, slack: f32) -> f32x8<S> {
    e * (e * (60.0 * U) + 45.0 * slack) + 120.0 * slack * slack
}

/// Error bound of m · w over |w|, for m = e × n: one more factor of at most `e`. By the same sum,
/// 24 slack e³ + 72 slack e² w + 132 u e³ w, and terms in slack² and slack³.
#[inline(always)]
pub(super) fn edge_factor<S: Simd>(e: f32x8<S>, slack: f32) -> f32x8<S> {
    let leading = e * e * (e * (165.0 * U) + 120.0 * slack);
    leading + (e + slack) * (600.0 * slack * slack)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{self, Relation};
    use crate::geom::{DVec3, Triangle};
    use crate::pairs::Frame;
    use fearless_simd::{Level, dispatch};
    use proptest::prelude::*;

    fn row_of(triangles: &[Triangle; LANES], frame: &Frame) -> Row {
        let mut row = Row::ZERO;
        for (lane, t) in triangles.iter().enumerate() {
            for (corner, p) in t.corners().into_iter().enumerate() {
                for (axis, x) in frame.map(p).into_iter().enumerate() {
                    row.corners[corner][axis][lane] = x;
                }
            }
        }
        row
    }

    /// All verdicts of eight triangles against eight others.
    fn verdicts<const NEIGHBOURS: bool>(
        ones: (&[Triangle; LANES], [[u32; LANES]; 3]),
        row: (&[Triangle; LANES], [[u32; LANES]; 3]),
    ) -> [Verdict; LANES] {
        let points = || ones.0.iter().chain(row.0).flat_map(|t| t.corners());
        let frame = Frame::around(
            points().fold(DVec3::INFINITY, DVec3::min),
            points().fold(DVec3::NEG_INFINITY, DVec3::max),
        );
        let (one_row, row_row) = (row_of(ones.0, &frame), row_of(row.0, &frame));
        let ids = |vertices| RowIds { vertices, triangles: [0; LANES] };
        let level = Level::new();
        let mut all = [Verdict::APART; LANES];
        dispatch!(level, simd => {
            let filter = RowFilter::new(simd, Precision { slack: Frame::SLACK, reach: 2.0 });
            let (mut a, mut b) = (RowSide::EMPTY, RowSide::EMPTY);
            filter.prepare(&one_row, &ids(ones.1), &mut a);
            filter.prepare(&row_row, &ids(row.1), &mut b);
            for one in 0..LANES {
                all[one] = filter.meet::<NEIGHBOURS>(&a, one, &b, 0xff, &mut 0);
            }
        });
        all
    }

    fn check(relation: Relation, verdict: Verdict, lane: usize) -> bool {
        let has = |mask: u32| mask >> lane & 1 == 1;
        assert!(!(has(verdict.crossing) && has(verdict.open)));
        if has(verdict.crossing) {
            assert_eq!(relation, Relation::Crossing);
        } else if !has(verdict.open) {
            assert_eq!(relation, Relation::Disjoint);
        }
        has(verdict.open)
    }

    fn any_triangles(size: f64) -> impl Strategy<Value = [Triangle; LANES]> {
        let number = -1.0..1.0_f64;
        let triangle = ([number.clone(), number.clone(), number.clone()], prop::array::uniform6(number))
            .prop_map(move |(p, e)| {
                let p = DVec3::from_array(p) * 0.3;
                Triangle::new(p, p + size * DVec3::from_slice(&e[..3]), p + size * DVec3::from_slice(&e[3..]))
            });
        prop::array::uniform8(triangle)
    }

    /// Two rows over a few common points: shared vertices, duplicates, coplanar and degenerate triangles.
    fn neighbours(scale: f64) -> impl Strategy<Value = (Vec<DVec3>, [[u32; 3]; LANES], [[u32; 3]; LANES])> {
        let point = prop::array::uniform3(-3..=3_i32).prop_map(|p| DVec3::from_array(p.map(f64::from)));
        let nudge = prop::array::uniform3(-2..=2_i32).prop_map(|e| DVec3::from_array(e.map(f64::from)));
        let points = prop::collection::vec((point, nudge).prop_map(move |(p, e)| p + scale * e), 12);
        let corners = || prop::array::uniform8(prop::array::uniform3(0..12_u32));
        (points, corners(), corners())
    }

    fn check_neighbours(points: &[DVec3], ones: &[[u32; 3]; LANES], row: &[[u32; 3]; LANES]) {
        let in_space = |ids: &[[u32; 3]; LANES]| {
            ids.map(|[a, b, c]| Triangle::new(points[a as usize], points[b as usize], points[c as usize]))
        };
        let by_corner = |ids: &[[u32; 3]; LANES]| [0, 1, 2].map(|corner| ids.map(|t| t[corner]));
        let (t, u) = (in_space(ones), in_space(row));
        let all = verdicts::<true>((&t, by_corner(ones)), (&u, by_corner(row)));
        for (one, verdict) in all.into_iter().enumerate() {
            for lane in 0..LANES {
                let relation = exact::tri_tri_shared(&t[one], ones[one], &u[lane], row[lane]);
                check(relation, verdict, lane);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn is_never_wrong_about_neighbours_on_a_grid((points, ones, row) in neighbours(0.0)) {
            check_neighbours(&points, &ones, &row);
        }

        #[test]
        fn is_never_wrong_about_neighbours_a_hair_off_the_grid(
            (points, ones, row) in (-9..-2_i32).prop_flat_map(|e| neighbours(10f64.powi(e))),
        ) {
            check_neighbours(&points, &ones, &row);
        }

        #[test]
        fn is_never_wrong_about_strangers(
            (a, b) in (-8..0_i32).prop_flat_map(|e| (any_triangles(10f64.powi(e)), any_triangles(1.0))),
        ) {
            let ids = [[0; LANES]; 3];
            for (one, verdict) in verdicts::<false>((&a, ids), (&b, ids)).into_iter().enumerate() {
                for lane in 0..LANES {
                    check(exact::tri_tri(&a[one], &b[lane]), verdict, lane);
                }
            }
        }
    }

    #[test]
    fn leaves_few_pairs_open() {
        use proptest::strategy::ValueTree;
        use proptest::test_runner::TestRunner;
        let mut runner = TestRunner::deterministic();
        let (mut open, mut all, mut cross) = (0, 0, 0);
        for _ in 0..300 {
            let a = any_triangles(0.5).new_tree(&mut runner).unwrap().current();
            let b = any_triangles(0.5).new_tree(&mut runner).unwrap().current();
            let ids = [[0; LANES]; 3];
            for (one, verdict) in verdicts::<false>((&a, ids), (&b, ids)).into_iter().enumerate() {
                for lane in 0..LANES {
                    let relation = exact::tri_tri(&a[one], &b[lane]);
                    open += usize::from(check(relation, verdict, lane));
                    cross += usize::from(relation == Relation::Crossing);
                    all += 1;
                }
            }
        }
        assert!(open * 100 < cross, "{open} open of {all}, {cross} crossing");
    }
}
