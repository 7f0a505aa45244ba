//! From the frame of one tree to that of another, with poses, and the rounding errors on the way.
//!
//! Each tree keeps its coordinates in a frame of its own. When two trees meet, boxes and rows of the smaller are
//! brought into the frame of the larger, in `f32`, as they are visited. The roundings on the way, and those of the
//! posed positions themselves, are added to the slack that the row filter allows for and to the boxes.

use super::view::posing_error;
use super::{Corners, Hierarchy};
use crate::geom::{Boxes8, DMat3, DVec3, Pose};
use crate::pairs::{Frame, Precision, Row};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};

/// The map from the frame of tree `b` to that of tree `a`, x ↦ G x + o, and what it costs in precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bridge {
    matrix: [[f32; 3]; 3],
    offset: [f32; 3],
    rotated: bool,
    /// Of coordinates in the common frame, of either tree, against the exact posed positions.
    pub(crate) precision: Precision,
    /// What boxes of `b` must grow by so that they hold the exact posed triangles in the common frame.
    box_pad: f32,
}

/// A body at one end of a bridge, its pose, and the box in its frame of what is asked about.
pub(crate) type BridgeEnd<'a> = (&'a dyn Hierarchy, &'a Pose, Corners);

impl Bridge {
    /// `None` if the boxes at the two ends are certainly apart.
    pub(crate) fn new(a: BridgeEnd, b: BridgeEnd) -> Option<Self> {
        let (bridge, are_apart) = Self::with_gap(a, b);
        (!are_apart).then_some(bridge)
    }

    /// A bridge between bodies that may be apart.
    pub(crate) fn between(a: BridgeEnd, b: BridgeEnd) -> Self {
        Self::with_gap(a, b).0
    }

    /// The bridge, and whether the boxes at its ends are certainly apart.
    fn with_gap((a, pose_a, box_a): BridgeEnd, (b, pose_b, box_b): BridgeEnd) -> (Self, bool) {
        let (fa, fb) = (a.frame(), b.frame());
        let (precision_a, precision_b) = (a.precision(), b.precision());
        let relative = pose_a.inverse().after(pose_b);
        let posed = !(pose_a.is_identity() && pose_b.is_identity());
        let rotation = if posed { relative.rotation() } else { DMat3::IDENTITY };
        let shift = if posed { relative.translation() } else { DVec3::ZERO };
        let ratio = fa.scale / fb.scale;
        let offset = (rotation * fb.centre + shift - fa.centre) * fa.scale;
        let rounding = posing_error(&fa, pose_a) + posing_error(&fb, pose_b);
        let posing = if posed { rounding * fa.scale } else { 0.0 };
        let u = 0.5 * f64::from(f32::EPSILON);
        let reach = f64::from(precision_b.reach) * ratio;
        let far = offset.abs().max_element();
        let rotated = rotation != DMat3::IDENTITY;
        let own = f64::from(precision_a.slack);
        // Unrotated, the only roundings are that of the offset and of one addition: the ratio is a power of two.
        let moved = f64::from(precision_b.slack) * ratio * if rotated { 2.0 } else { 1.0 }
            + u * (reach + far) * if rotated { 16.0 } else { 2.0 };
        // Too far or too coarse to say anything in f32: everything survives the filter then.
        let slack = (own.max(moved) + posing).min(1e9);
        let box_pad = posing + 32.0 * u * (reach + far + f64::from(Frame::REACH));
        let m = rotation * ratio;
        let bridge = Self {
            matrix: [m.row(0), m.row(1), m.row(2)].map(|row| row.to_array().map(|x| x as f32)),
            offset: offset.to_array().map(|x| x as f32),
            rotated,
            precision: Precision {
                slack: slack as f32 * 1.001,
                reach: (f64::from(precision_a.reach).max(2.0 * reach + far) as f32 * 1.001).min(1e9),
            },
            box_pad: box_pad.min(1e9) as f32 * 1.001,
        };
        let ((a_low, a_high), (b_low, b_high)) = (box_a, box_b);
        let apart = (0..3).any(|axis| {
            let centre = |k: usize| 0.5 * (f64::from(b_low[k]) + f64::from(b_high[k]));
            let half = |k: usize| 0.5 * (f64::from(b_high[k]) - f64::from(b_low[k]));
            let middle: f64 = (0..3).map(|k| m.row(axis)[k] * centre(k)).sum::<f64>() + offset[axis];
            let reach: f64 = (0..3).map(|k| m.row(axis)[k].abs() * half(k)).sum::<f64>() + box_pad;
            middle - reach > f64::from(a_high[axis]) || middle + reach < f64::from(a_low[axis])
        });
        (bridge, apart)
    }

    /// A direction of the common frame in the frame of `b`: for x of `b`, its projection in the common frame is the product with the first
    /// plus the second. The third is how far that may be off.
    #[inline(always)]
    pub(super) fn direction_in_b(&self, direction: [f32; 3]) -> ([f32; 3], f32, f32) {
        let m = &self.matrix;
        let along =
            [0, 1, 2].map(|k| m[0][k] * direction[0] + m[1][k] * direction[1] + m[2][k] * direction[2]);
        let offset = (0..3).map(|k| self.offset[k] * direction[k]).sum();
        // Boxes of `b` that are mapped are off by `box_pad` on each axis; a projection adds up three of them.
        (along, offset, 3.0 * self.box_pad)
    }

    /// The matrix of the map, and how far a box may be off in the common frame, centre and half edges together.
    #[inline(always)]
    pub(super) fn turn(&self) -> ([[f32; 3]; 3], f32) {
        (self.matrix, 4.0 * self.box_pad)
    }

    /// A box of `b` in the common frame.
    pub(crate) fn map_box(&self, (low, high): Corners) -> Corners {
        let mut boxes = Boxes8::EMPTY;
        boxes.set(0, low, high);
        let level = Level::new();
        dispatch!(level, simd => self.map_boxes(simd, &boxes)).lane(0)
    }

    /// Eight boxes of `b` in the common frame. Those that are empty become meaningless.
    #[inline(always)]
    pub(super) fn map_boxes<S: Simd>(&self, simd: S, of_b: &Boxes8) -> Boxes8 {
        let mut boxes = *of_b;
        for axis in 0..3 {
            let offset = f32x8::splat(simd, self.offset[axis]);
            let (mut to_low, mut to_high) = (offset, offset);
            for k in 0..3 {
                if self.rotated || k == axis {
                    let g = self.matrix[axis][k];
                    let near = f32x8::load_array_ref(simd, &of_b.low[k]) * g;
                    let far = f32x8::load_array_ref(simd, &of_b.high[k]) * g;
                    to_low += near.min(far);
                    to_high += near.max(far);
                }
            }
            (to_low - self.box_pad).store_array(&mut boxes.low[axis]);
            (to_high + self.box_pad).store_array(&mut boxes.high[axis]);
        }
        boxes
    }
}

/// A row of `b` in the common frame.
#[inline(always)]
pub(crate) fn mapped_row<S: Simd>(simd: S, row: &Row, bridge: &Bridge) -> Row {
    let mut mapped = Row::ZERO;
    for corner in 0..3 {
        let from = &row.corners[corner];
        let x = f32x8::load_array_ref(simd, &from[0]);
        let y = f32x8::load_array_ref(simd, &from[1]);
        let z = f32x8::load_array_ref(simd, &from[2]);
        for axis in 0..3 {
            let g = bridge.matrix[axis];
            let moved = if bridge.rotated {
                x * g[0] + y * g[1] + z * g[2]
            } else {
                f32x8::load_array_ref(simd, &from[axis]) * g[axis]
            };
            (moved + bridge.offset[axis]).store_array(&mut mapped.corners[corner][axis]);
        }
    }
    mapped
}
