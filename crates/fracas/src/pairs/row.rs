//! The row kernel: one triangle against up to eight, in `f32`, dropping only what certainly does not meet.
//!
//! Every structure ends in the same question: which of these eight triangles may meet this one? The filter here
//! answers it with vector instructions and hands the few survivors to [`crate::exact`]. It runs through
//!
//! 1. boxes,
//! 2. the plane of the one triangle: all three corners of another strictly on one side,
//! 3. the planes of the eight, likewise,
//! 4. the edge planes of the one (through an edge, along the normal): all three corners strictly outside,
//! 5. the edge planes of the eight, likewise.
//!
//! # Why a dropped pair is never a true one
//!
//! Stored coordinates differ from the true ones by at most `slack`. From that and from the unit roundoff u = 2⁻²⁴
//! follows a bound on the error of every determinant ([`face_bound`], [`edge_bound`]); a corner counts as sided
//! only if its determinant exceeds the bound. What is not certain survives.
//!
//! # Neighbours
//!
//! Triangles of one mesh that share vertices (equal ids) always touch there, which is not a collision. A corner
//! that is shared lies on the plane by definition, so it may stand in for a sided one: if all other corners are
//! strictly on one side, the triangles meet in the shared vertex or edge and nowhere else. Two traps: with all
//! three corners shared nothing is left to be sided (a duplicate face, which is a collision), and at an edge
//! plane only the two ends of that edge are on the plane.

use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8, u32x8};

/// Triangles in a row.
pub const LANES: usize = 8;

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
}

/// What the filter knows of a row before it meets another: boxes, planes and sizes of its triangles.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub struct RowSide {
    corners: [[[f32; LANES]; 3]; 3],
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
    normal: [[f32; LANES]; 3],
    /// `edge_planes[edge][axis][lane]`, pointing away from the triangle; edge k runs from corner k to k + 1.
    edge_planes: [[[f32; LANES]; 3]; 3],
    /// Longest box edge of each triangle.
    extent: [f32; LANES],
    longest: f32,
    /// The box of the whole row.
    row_low: [f32; 3],
    row_high: [f32; 3],
    ids: [[u32; LANES]; 3],
}

impl RowSide {
    /// The box of the whole row, grown by `pad` on every side.
    #[inline(always)]
    pub fn bounds(&self, pad: f32) -> ([f32; 3], [f32; 3]) {
        (self.row_low.map(|x| x - pad), self.row_high.map(|x| x + pad))
    }

    /// Holds nothing; to be overwritten by [`RowFilter::prepare`].
    pub const EMPTY: Self = Self {
        corners: [[[0.0; LANES]; 3]; 3],
        low: [[0.0; LANES]; 3],
        high: [[0.0; LANES]; 3],
        normal: [[0.0; LANES]; 3],
        edge_planes: [[[0.0; LANES]; 3]; 3],
        extent: [0.0; LANES],
        longest: 0.0,
        row_low: [0.0; 3],
        row_high: [0.0; 3],
        ids: [[0; LANES]; 3],
    };
}

/// The filter for coordinates with a given error. All methods are inlined into the caller's vector context.
#[derive(Clone, Copy, Debug)]
pub struct RowFilter<S: Simd> {
    simd: S,
    /// Largest difference between a stored coordinate and the true one.
    slack: f32,
}

/// A vector of three coordinates in eight lanes.
type Vec8<S> = [f32x8<S>; 3];

impl<S: Simd> RowFilter<S> {
    /// A filter for rows whose coordinates are within `slack` of the true ones.
    #[inline(always)]
    pub fn new(simd: S, slack: f32) -> Self {
        Self { simd, slack }
    }

    /// The error of coordinates that the filter allows for.
    #[inline(always)]
    pub fn slack(&self) -> f32 {
        self.slack
    }

    /// Computes the boxes, planes and sizes of a row.
    #[inline(always)]
    pub fn prepare(&self, row: &Row, ids: &RowIds, side: &mut RowSide) {
        let p = row.corners.map(|corner| self.load(&corner));
        let (low, high) = self.bounds(&p);
        let edges = [sub(p[1], p[0]), sub(p[2], p[1]), sub(p[0], p[2])];
        let normal = cross(edges[0], edges[1]);
        side.corners = row.corners;
        side.ids = ids.vertices;
        for axis in 0..3 {
            low[axis].store_array(&mut side.low[axis]);
            high[axis].store_array(&mut side.high[axis]);
            normal[axis].store_array(&mut side.normal[axis]);
        }
        for (edge, out) in edges.iter().zip(&mut side.edge_planes) {
            let outward = cross(*edge, normal);
            for axis in 0..3 {
                outward[axis].store_array(&mut out[axis]);
            }
        }
        let size = |axis: usize| high[axis] - low[axis];
        let extent = size(0).max(size(1)).max(size(2));
        extent.store_array(&mut side.extent);
        side.longest = extent.reduce_max();
        side.row_low = [0, 1, 2].map(|axis| low[axis].reduce_min());
        side.row_high = [0, 1, 2].map(|axis| high[axis].reduce_max());
    }

    /// Lanes of `row` that may meet the box, itself already padded by the slack of both sides.
    #[inline(always)]
    pub fn lanes_in_box(&self, row: &RowSide, low: [f32; 3], high: [f32; 3]) -> u32 {
        let mut inside = mask32x8::splat(self.simd, true);
        for axis in 0..3 {
            let row_low = f32x8::load_array_ref(self.simd, &row.low[axis]);
            let row_high = f32x8::load_array_ref(self.simd, &row.high[axis]);
            inside &= row_low.simd_le(high[axis]) & row_high.simd_ge(low[axis]);
        }
        inside.to_bitmask() as u32
    }

    /// The lanes among `lanes` of `row` that may meet triangle `one` of `ones`; the others certainly do not.
    /// Also adds the number of overlapping boxes to `box_pairs`.
    ///
    /// With `NEIGHBOURS`, equal vertex ids mean shared vertices (two rows of one mesh).
    #[inline(always)]
    pub fn survivors<const NEIGHBOURS: bool>(
        &self,
        ones: &RowSide,
        one: usize,
        row: &RowSide,
        lanes: u32,
        box_pairs: &mut u64,
    ) -> u32 {
        // The slack of both sides, and one more for the rounding of the padded box itself.
        let pad = 3.0 * self.slack;
        let low = ones.low.map(|x| x[one] - pad);
        let high = ones.high.map(|x| x[one] + pad);
        let mut left = lanes & self.lanes_in_box(row, low, high);
        *box_pairs += u64::from(left.count_ones());
        if left == 0 {
            return 0;
        }

        let corner = |k: usize| -> Vec8<S> { ones.corners[k].map(|x| f32x8::splat(self.simd, x[one])) };
        let splat = |v: &[[f32; LANES]; 3]| -> Vec8<S> { v.map(|x| f32x8::splat(self.simd, x[one])) };
        let p = [corner(0), corner(1), corner(2)];
        let q = row.corners.map(|c| self.load(&c));
        let shared = if NEIGHBOURS { Some(self.shared_corners(ones, one, row)) } else { None };

        // How large the triangles are and how far apart two of their corners can be, given that boxes overlap.
        let (e_one, e_row) = (ones.extent[one], row.longest);
        let apart = e_one + e_row + 2.0 * pad;

        // Corners of the row against the plane of the one.
        let n = splat(&ones.normal);
        let bound = f32x8::splat(self.simd, face_bound(self.slack, e_one, apart));
        let heights = q.map(|c| dot(n, sub(c, p[0])));
        left &= !self.one_sided(heights, bound, shared.as_ref().map(|s| s.of_row()));
        if left == 0 {
            return 0;
        }

        // Corners of the one against the planes of the row.
        let m = self.load(&row.normal);
        let bound = f32x8::splat(self.simd, face_bound(self.slack, e_row, apart));
        let heights = p.map(|c| dot(m, sub(c, q[0])));
        left &= !self.one_sided(heights, bound, shared.as_ref().map(|s| s.of_one()));
        if left == 0 {
            return 0;
        }

        // Corners of the row against the edge planes of the one.
        let bound = f32x8::splat(self.simd, edge_bound(self.slack, e_one, apart));
        for edge in 0..3 {
            let outward = splat(&ones.edge_planes[edge]);
            let mut outside = mask32x8::splat(self.simd, true);
            for (k, c) in q.iter().enumerate() {
                let beyond = dot(outward, sub(*c, p[edge])).simd_gt(bound);
                let on_edge = shared.as_ref().map(|s| s.same[edge][k] | s.same[(edge + 1) % 3][k]);
                outside &= on_edge.map_or(beyond, |s| s | beyond);
            }
            left &= !(outside.to_bitmask() as u32);
        }
        if left == 0 {
            return 0;
        }

        // Corners of the one against the edge planes of the row.
        let bound = f32x8::splat(self.simd, edge_bound(self.slack, e_row, apart));
        for edge in 0..3 {
            let outward = self.load(&row.edge_planes[edge]);
            let mut outside = mask32x8::splat(self.simd, true);
            for (k, c) in p.iter().enumerate() {
                let beyond = dot(outward, sub(*c, q[edge])).simd_gt(bound);
                let on_edge = shared.as_ref().map(|s| s.same[k][edge] | s.same[k][(edge + 1) % 3]);
                outside &= on_edge.map_or(beyond, |s| s | beyond);
            }
            left &= !(outside.to_bitmask() as u32);
        }
        left
    }

    /// Lanes in which all corners are on one strict side, shared corners excepted; never all of them shared.
    #[inline(always)]
    fn one_sided(&self, heights: [f32x8<S>; 3], bound: f32x8<S>, shared: Option<[mask32x8<S>; 3]>) -> u32 {
        let above = heights.map(|h| h.simd_gt(bound));
        let below = heights.map(|h| h.simd_lt(-bound));
        let certain = match shared {
            None => (above[0] & above[1] & above[2]) | (below[0] & below[1] & below[2]),
            Some(s) => {
                let all_above = (above[0] | s[0]) & (above[1] | s[1]) & (above[2] | s[2]);
                let all_below = (below[0] | s[0]) & (below[1] | s[1]) & (below[2] | s[2]);
                (all_above | all_below) & !(s[0] & s[1] & s[2])
            }
        };
        certain.to_bitmask() as u32
    }

    #[inline(always)]
    fn shared_corners(&self, ones: &RowSide, one: usize, row: &RowSide) -> SharedCorners<S> {
        let row_ids = row.ids.map(|ids| u32x8::load_array(self.simd, ids));
        let same = ones.ids.map(|ids| row_ids.map(|other| other.simd_eq(ids[one])));
        SharedCorners { same }
    }

    #[inline(always)]
    fn bounds(&self, p: &[Vec8<S>; 3]) -> (Vec8<S>, Vec8<S>) {
        let axis_of = |axis: usize| (p[0][axis], p[1][axis], p[2][axis]);
        let low = [0, 1, 2].map(|axis| {
            let (a, b, c) = axis_of(axis);
            a.min(b).min(c)
        });
        let high = [0, 1, 2].map(|axis| {
            let (a, b, c) = axis_of(axis);
            a.max(b).max(c)
        });
        (low, high)
    }

    #[inline(always)]
    fn load(&self, v: &[[f32; LANES]; 3]) -> Vec8<S> {
        [0, 1, 2].map(|axis| f32x8::load_array_ref(self.simd, &v[axis]))
    }
}

/// `same[i][k]`: corner i of the one is corner k of the row's triangle.
struct SharedCorners<S: Simd> {
    same: [[mask32x8<S>; 3]; 3],
}

impl<S: Simd> SharedCorners<S> {
    /// Which corners of the row's triangles belong to the one.
    #[inline(always)]
    fn of_row(&self) -> [mask32x8<S>; 3] {
        [0, 1, 2].map(|k| self.same[0][k] | self.same[1][k] | self.same[2][k])
    }

    /// Which corners of the one belong to the row's triangles.
    #[inline(always)]
    fn of_one(&self) -> [mask32x8<S>; 3] {
        [0, 1, 2].map(|i| self.same[i][0] | self.same[i][1] | self.same[i][2])
    }
}

/// Unit roundoff of `f32`.
const U: f32 = 1.0 / (1 << 24) as f32;

/// Determinants below this may be rounding noise of subnormal intermediate results.
const TINY: f32 = 1e-30;

/// Error bound of n · w, with n = e₁ × e₂ for edges of at most `e` in every axis and |w| at most `w`.
///
/// Differences carry ε = 2 slack + u e; n is off by 4 e ε + 2 ε² + 4 u e² and at most 2 e²; the dot product adds
/// three such terms and nine roundings. Summed with w ≥ e + 4 slack, and enlarged by a quarter for the roundings of
/// this sum itself.
#[inline(always)]
fn face_bound(slack: f32, e: f32, w: f32) -> f32 {
    1.25 * (slack * e * (12.0 * e + 24.0 * w) + 48.0 * U * e * e * w + 48.0 * slack * slack * w) + TINY
}

/// Error bound of m · w, with m = e × n: one more factor of at most `e`, by the same sum.
#[inline(always)]
fn edge_bound(slack: f32, e: f32, w: f32) -> f32 {
    let large = slack * e * e * (24.0 * e + 72.0 * w) + 132.0 * U * e * e * e * w;
    1.25 * (large + 400.0 * slack * slack * w * (e + slack)) + TINY
}

#[inline(always)]
fn sub<S: Simd>(a: Vec8<S>, b: Vec8<S>) -> Vec8<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<S: Simd>(a: Vec8<S>, b: Vec8<S>) -> f32x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<S: Simd>(a: Vec8<S>, b: Vec8<S>) -> Vec8<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
