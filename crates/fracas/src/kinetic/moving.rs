//! Boxes that move during a window: where they are at its ends, and when two of them overlap.
//!
//! Two boxes whose sides move linearly are apart throughout if one side separates them at both ends. That takes twice the comparisons of
//! one instant, and motion that both have in common does not matter. Few boxes pass this test and are never at one place; times tell,
//! and only triangles need them.
//!
//! # Rounding
//!
//! Boxes are `f32` in the frame of the first body, of size about one. The six functions of time are raised by [`RAISE`], which
//! exceeds their rounding, and what a rounded time can change them by.

use super::KineticBody;
use super::body::chord;
use crate::geom::{Boxes8, LANES};
use crate::pairs::{Frame, Row, RowIds};
use crate::walk::{Child, Corners};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8};

/// See the head of the module.
const RAISE: f32 = 4e-6;

/// Eight boxes at the two ends of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    at: [Boxes8; 2],
    /// The box around all eight, at both ends.
    pub(super) whole: [Corners; 2],
}

impl Moving {
    const EMPTY: Self =
        Self { at: [Boxes8::EMPTY; 2], whole: [([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]); 2] };

    /// One box at both ends.
    #[inline(always)]
    pub(super) fn lane(&self, lane: usize) -> [Corners; 2] {
        [self.at[0].lane(lane), self.at[1].lane(lane)]
    }

    /// Lanes that no side of another box separates from it throughout the window.
    #[inline(always)]
    pub(super) fn near<S: Simd>(&self, simd: S, other: &[Corners; 2]) -> u32 {
        let [(low_0, high_0), (low_1, high_1)] = *other;
        let [a, b] = &self.at;
        let mut near = mask32x8::splat(simd, true);
        for axis in 0..3 {
            near &= f32x8::load_array_ref(simd, &a.low[axis]).simd_le(high_0[axis])
                | f32x8::load_array_ref(simd, &b.low[axis]).simd_le(high_1[axis]);
            near &= f32x8::load_array_ref(simd, &a.high[axis]).simd_ge(low_0[axis])
                | f32x8::load_array_ref(simd, &b.high[axis]).simd_ge(low_1[axis]);
        }
        near.to_bitmask() as u32
    }
}

/// Boxes of the nodes or the leaves that were visited last.
#[derive(Clone, Debug, Default)]
pub(super) struct Cache {
    places: Vec<u32>,
    pub(super) boxes: Vec<Moving>,
}

impl Cache {
    /// Forgets everything; has room for a power of two of places.
    fn clear(&mut self, room: usize) {
        self.places.clear();
        self.places.resize(room, u32::MAX);
        self.boxes.resize(room, Moving::EMPTY);
    }

    /// Sees to it that a place is there, and returns its slot.
    #[inline(always)]
    pub(super) fn slot<S: Simd>(&mut self, simd: S, side: &Side, place: Child) -> usize {
        let slot = place.index() & (self.places.len() - 1);
        if self.places[slot] != place.index() as u32 {
            self.places[slot] = place.index() as u32;
            side.fill(simd, place, &mut self.boxes[slot]);
        }
        slot
    }
}

/// Nodes and leaves whose boxes are kept per side; powers of two.
const NODES: usize = 64;
const LEAVES: usize = 512;

/// What is kept of one body during a walk.
#[derive(Clone, Debug, Default)]
pub(super) struct Caches {
    pub(super) nodes: Cache,
    pub(super) leaves: Cache,
}

impl Caches {
    pub(super) fn clear(&mut self) {
        self.nodes.clear(NODES);
        self.leaves.clear(LEAVES);
    }
}

/// A body during the window: the ends of the window as shares of its interval, and how its frame becomes that of the first body.
pub(super) struct Side<'a> {
    pub(super) body: &'a KineticBody,
    shares: [f32; 2],
    scale: f32,
    offset: [f32; 3],
    pad: f32,
}

impl<'a> Side<'a> {
    pub(super) fn new(body: &'a KineticBody, times: [f64; 2], frame: &Frame) -> Self {
        let own = body.frame();
        let offset = (own.centre - frame.centre) * frame.scale;
        let scale = frame.scale / own.scale;
        let is_own = own == *frame;
        let far = offset.abs().max_element() + f64::from(Frame::REACH) * scale;
        let pad = if is_own { 0.0 } else { 4.0 * f32::EPSILON * far as f32 };
        let offset = offset.to_array().map(|x| x as f32);
        Self { body, shares: times.map(|time| body.share(time)), scale: scale as f32, offset, pad }
    }

    /// Boxes of the body in the frame of the first one.
    #[inline(always)]
    fn map(&self, boxes: &mut Boxes8) {
        if self.pad > 0.0 {
            for axis in 0..3 {
                for lane in 0..LANES {
                    boxes.low[axis][lane] = boxes.low[axis][lane] * self.scale + self.offset[axis] - self.pad;
                    boxes.high[axis][lane] =
                        boxes.high[axis][lane] * self.scale + self.offset[axis] + self.pad;
                }
            }
        }
    }

    /// Computes the boxes of a node, or of the triangles of a leaf. They are written in place: copies of vectors that have just been
    /// stored are slow.
    #[inline(always)]
    fn fill<S: Simd>(&self, simd: S, place: Child, moving: &mut Moving) {
        let index = place.index();
        for (end, boxes) in self.body.ends().iter().zip(&mut moving.at) {
            if place.is_leaf() {
                fill_leaf_boxes(simd, &end.rows[index], &self.body.ids()[index], boxes);
            } else {
                *boxes = end.nodes[index].boxes;
            }
        }
        if self.shares != [0.0, 1.0] || self.pad > 0.0 {
            self.shorten(moving);
        }
        moving.whole = [moving.at[0].bounds(simd), moving.at[1].bounds(simd)];
    }

    /// Boxes at both ends of the window, from those at both ends of the interval.
    fn shorten(&self, moving: &mut Moving) {
        let [from, to] = moving.at;
        for end in 0..2 {
            if self.shares[end] != end as f32 {
                moving.at[end] = chord(&from, &to, self.shares[end]);
            }
            self.map(&mut moving.at[end]);
        }
    }

    #[inline(always)]
    pub(super) fn child(&self, node: Child, lane: usize) -> Child {
        self.body.ends()[0].nodes[node.index()].children[lane]
    }
}

/// Boxes around the triangles of a leaf.
#[inline(always)]
pub(super) fn leaf_boxes<S: Simd>(simd: S, row: &Row, ids: &RowIds) -> Boxes8 {
    let mut boxes = Boxes8::EMPTY;
    fill_leaf_boxes(simd, row, ids, &mut boxes);
    boxes
}

#[inline(always)]
fn fill_leaf_boxes<S: Simd>(simd: S, row: &Row, ids: &RowIds, boxes: &mut Boxes8) {
    for axis in 0..3 {
        let a = f32x8::load_array_ref(simd, &row.corners[0][axis]);
        let b = f32x8::load_array_ref(simd, &row.corners[1][axis]);
        let c = f32x8::load_array_ref(simd, &row.corners[2][axis]);
        (a.min(b).min(c) - Frame::SLACK).store_slice(&mut boxes.low[axis]);
        (a.max(b).max(c) + Frame::SLACK).store_slice(&mut boxes.high[axis]);
    }
    if ids.triangles[LANES - 1] == RowIds::NONE {
        for lane in ids.triangle_ids().count()..LANES {
            boxes.set(lane, [f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        }
    }
}

/// When eight boxes overlap another, as shares of the window.
pub(super) struct OverlapTimes {
    pub(super) lanes: u32,
    pub(super) from: [f32; LANES],
    pub(super) to: [f32; LANES],
}

/// When eight moving boxes overlap another one.
#[inline(always)]
pub(super) fn overlap_times<S: Simd>(simd: S, boxes: &Moving, other: &[Corners; 2]) -> OverlapTimes {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let (mut from, mut to) = (zero, one);
    for axis in 0..3 {
        let [a, b] = &boxes.at;
        let [(low_0, high_0), (low_1, high_1)] = *other;
        let (a_low, a_high) =
            (f32x8::load_array_ref(simd, &a.low[axis]), f32x8::load_array_ref(simd, &a.high[axis]));
        let (b_low, b_high) =
            (f32x8::load_array_ref(simd, &b.low[axis]), f32x8::load_array_ref(simd, &b.high[axis]));
        let reach = [
            (a_high - low_0[axis] + RAISE, b_high - low_1[axis] + RAISE),
            (high_0[axis] - a_low + RAISE, high_1[axis] - b_low + RAISE),
        ];
        for (start, end) in reach {
            // They overlap along this axis while the function that goes from `start` to `end` is not negative.
            let root = start / (start - end);
            let (late, early) = (start.simd_lt(zero), end.simd_lt(zero));
            let never = (late & early).select(one + one, zero);
            from = from.max(late.select(root, zero)).max(never);
            to = to.min(early.select(root, one));
        }
    }
    let lanes = from.simd_le(to).to_bitmask() as u32;
    let mut times = OverlapTimes { lanes, from: [0.0; LANES], to: [1.0; LANES] };
    from.store_slice(&mut times.from);
    to.store_slice(&mut times.to);
    times
}
