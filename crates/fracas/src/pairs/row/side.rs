//! What the row kernel knows of a row before it meets another.

use super::super::bounds::{TINY, U, edge_factor, face_factor};
use super::super::vec8::{cross, dot, load, norm1, store, sub};
use super::{Row, RowFilter, RowIds};
use crate::geom::{Boxes8, LANES};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u32x8};

/// A row prepared for the filter: boxes, planes and sizes of its triangles. By default it holds none.
#[derive(Clone, Copy, Default)]
#[repr(C, align(32))]
pub(crate) struct RowSide {
    pub(super) corners: [[[f32; LANES]; 3]; 3],
    /// Boxes, padded so that they overlap wherever the true boxes do.
    pub(crate) boxes: Boxes8,
    /// The plane of each triangle: points x with `normal · x = offset`.
    pub(super) normal: [[f32; LANES]; 3],
    pub(super) offset: [f32; LANES],
    /// `edge_planes[edge][axis][lane]`, pointing away from the triangle; edge k runs from corner k to k + 1.
    pub(super) edge_planes: [[[f32; LANES]; 3]; 3],
    pub(super) edge_offsets: [[f32; LANES]; 3],
    /// Longest box edge of each triangle, and of all.
    pub(super) extent: [f32; LANES],
    pub(super) longest: f32,
    /// Error bounds of heights over face and edge planes ([`bound_at`]), for each triangle and the largest of the row.
    face_bounds: [[f32; LANES]; 2],
    edge_bounds: [[f32; LANES]; 2],
    pub(super) row_face_bound: [f32; 2],
    pub(super) row_edge_bound: [f32; 2],
    /// The padded box of the whole row.
    row_low: [f32; 3],
    row_high: [f32; 3],
    pub(super) ids: [[u32; LANES]; 3],
    /// One bit for every used lane.
    pub(crate) used: u32,
}

/// The error bound of a height, given as a fixed part and a factor of the distance over which it is measured.
#[inline(always)]
pub(super) fn bound_at([fixed, factor]: [f32; 2], distance: f32) -> f32 {
    fixed + factor * distance
}

impl RowSide {
    /// The error bounds of one triangle, over its face plane and over its edge planes.
    #[inline(always)]
    pub(super) fn bounds_of(&self, lane: usize) -> [[f32; 2]; 2] {
        let (face, edge) = (&self.face_bounds, &self.edge_bounds);
        [[face[0][lane], face[1][lane]], [edge[0][lane], edge[1][lane]]]
    }

    /// The box of the whole row, padded: it holds the true triangles, with room to spare for one more rounding.
    #[inline(always)]
    pub(crate) fn bounds(&self) -> ([f32; 3], [f32; 3]) {
        (self.row_low, self.row_high)
    }
}

impl<S: Simd> RowFilter<S> {
    /// Computes the boxes, planes and sizes of a row.
    #[inline(always)]
    pub(crate) fn prepare(&self, row: &Row, ids: &RowIds, side: &mut RowSide) {
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
        side.row_face_bound = [face[0].reduce_max(), face_factor(longest, slack)[0]];
        side.row_edge_bound = [edge[0].reduce_max(), edge_factor(longest, slack)[0]];
        for part in 0..2 {
            face[part].store_array(&mut side.face_bounds[part]);
            edge[part].store_array(&mut side.edge_bounds[part]);
        }
    }
}
