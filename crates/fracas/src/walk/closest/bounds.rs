//! Which boxes, rows and triangles of two bodies may be nearer to each other than the best pair so far. All bounds are rounded so that nothing nearer
//! is lost.

use super::best::Best;
use super::seen::{Leaf, SeenNode};
use crate::geom::{Boxes8, LANES};
use crate::pairs::{Frame, bits};
use crate::walk::Child;
use fearless_simd::f32x8;
use fearless_simd::prelude::*;

/// Whether things this far apart along a direction cannot be nearer than the best pair.
#[inline(always)]
pub(super) fn is_far(along: f32, best: &Best) -> bool {
    squared(along) > best.squared
}

/// The square of a distance along a direction, rounded down; 0 where the other is not ahead.
#[inline(always)]
pub(super) fn squared(along: f32) -> f32 {
    along.max(0.0) * along.max(0.0) * (1.0 - 1e-6)
}

/// Which boxes of a node may be nearer to one of another node than the best pair is, judged along the lines through their centres. Boxes
/// of the other body are measured in their own frame.
#[inline(always)]
pub(super) fn near_boxes<S: Simd>(
    simd: S,
    node: &SeenNode,
    other: &SeenNode,
    lane: usize,
    pad: f32,
    best: &Best,
) -> u32 {
    let zero = f32x8::splat(simd, 0.0);
    let ([mut way, mut length, mut sum], mut inner) = ([[zero; 3]; 3], zero);
    let (low, high) = other.node.boxes.lane(lane);
    for axis in 0..3 {
        let (l, h) = (
            f32x8::load_array_ref(simd, &node.node.boxes.low[axis]),
            f32x8::load_array_ref(simd, &node.node.boxes.high[axis]),
        );
        way[axis] = f32x8::splat(simd, 0.5 * (low[axis] + high[axis])) - (l + h) * 0.5;
        length[axis] = way[axis] * way[axis];
        sum[axis] = way[axis].abs();
        inner += sum[axis] * ((h - l) * 0.5);
    }
    let squared = length[0] + length[1] + length[2];
    let (low, high) = other.own.lane(lane);
    for k in 0..3 {
        let m = [other.turn[0][k], other.turn[1][k], other.turn[2][k]];
        inner += (way[0] * m[0] + way[1] * m[1] + way[2] * m[2]).abs() * (0.5 * (high[k] - low[k]));
    }
    let gap = (squared - inner - (sum[0] + sum[1] + sum[2]) * (2.0 * pad + other.pad)).max(zero);
    (gap * gap * (1.0 - 1e-5)).simd_le(squared * best.squared).to_bitmask() as u32
}

/// Lists the pairs of lanes of two nodes that may be nearer than the best pair.
#[inline(always)]
pub(super) fn open_both<S: Simd>(
    simd: S,
    node: &SeenNode,
    other: &SeenNode,
    pad: f32,
    best: &Best,
    opened: &mut Vec<(f32, Child, Child)>,
) {
    let to = f32x8::load_array_ref(simd, &node.to);
    let (zero, limit) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, best.squared));
    for (lane, child) in other.node.used() {
        let (low, high) = other.node.boxes.lane(lane);
        let mut gaps = squared_gaps_wide(simd, &node.node.boxes, low, high);
        if best.version > 0 {
            let along = (f32x8::splat(simd, other.from[lane] - pad) - to).max(zero);
            gaps = gaps.max(along * along * (1.0 - 1e-6));
        }
        let mut near = gaps.simd_le(limit).to_bitmask() as u32 & node.node.used_lanes();
        if near != 0 {
            near &= near_boxes(simd, node, other, lane, pad, best);
        }
        if near != 0 {
            let mut stored = [0.0; LANES];
            gaps.store_array(&mut stored);
            for hit in bits(near) {
                opened.push((stored[hit], node.node.children[hit], child));
            }
        }
    }
}

/// Whether two rows are farther apart than the best pair along the line through their centres.
#[inline(always)]
pub(super) fn rows_are_far<S: Simd>(simd: S, a: &Leaf, b: &Leaf, pad: f32, best: &Best) -> bool {
    let way = [0, 1, 2].map(|axis| b.middle[axis] - a.middle[axis]);
    let gap =
        b.along(simd, way)[0] - a.along(simd, way)[1] - pad * (way[0].abs() + way[1].abs() + way[2].abs());
    let length = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    gap > 0.0 && gap * gap * (1.0 - 1e-5) > best.squared * length
}

/// Which triangles of a row may be nearer to one of another row than the best pair is, judged along the lines through their centres.
#[inline(always)]
pub(super) fn near_triangles<S: Simd>(
    simd: S,
    a: &Leaf,
    b: &Leaf,
    lane: usize,
    pad: f32,
    best: &Best,
) -> u32 {
    let zero = f32x8::splat(simd, 0.0);
    let [mut way, mut length, mut sum] = [[zero; 3]; 3];
    for axis in 0..3 {
        way[axis] =
            f32x8::splat(simd, b.centroids[axis][lane]) - f32x8::load_array_ref(simd, &a.centroids[axis]);
        length[axis] = way[axis] * way[axis];
        sum[axis] = way[axis].abs();
    }
    let (mut from, mut to) = (f32x8::splat(simd, f32::INFINITY), f32x8::splat(simd, f32::NEG_INFINITY));
    for corner in 0..3 {
        let (of_a, of_b) = (&a.row.corners[corner], &b.row.corners[corner]);
        let along_a = f32x8::load_array_ref(simd, &of_a[0]) * way[0]
            + f32x8::load_array_ref(simd, &of_a[1]) * way[1]
            + f32x8::load_array_ref(simd, &of_a[2]) * way[2];
        let along_b = way[0] * of_b[0][lane] + way[1] * of_b[1][lane] + way[2] * of_b[2][lane];
        (from, to) = (from.min(along_b), to.max(along_a));
    }
    let gap = (from - to - (sum[0] + sum[1] + sum[2]) * pad).max(zero);
    let limit = (length[0] + length[1] + length[2]) * best.squared;
    (gap * gap * (1.0 - 1e-5)).simd_le(limit).to_bitmask() as u32
}

/// Lower bounds of the squared distances of eight boxes from another one.
#[inline(always)]
pub(super) fn squared_gaps<S: Simd>(simd: S, boxes: &Boxes8, low: [f32; 3], high: [f32; 3]) -> [f32; LANES] {
    let mut gaps = [0.0; LANES];
    squared_gaps_wide(simd, boxes, low, high).store_array(&mut gaps);
    gaps
}

#[inline(always)]
pub(super) fn squared_gaps_wide<S: Simd>(simd: S, boxes: &Boxes8, low: [f32; 3], high: [f32; 3]) -> f32x8<S> {
    let zero = f32x8::splat(simd, 0.0);
    let mut sum = zero;
    for axis in 0..3 {
        let below = f32x8::load_array_ref(simd, &boxes.low[axis]) - high[axis];
        let above = f32x8::splat(simd, low[axis]) - f32x8::load_array_ref(simd, &boxes.high[axis]);
        // Stored boxes hold their triangles up to the slack.
        let gap = (below.max(above) - 2.0 * Frame::SLACK).max(zero);
        sum += gap * gap;
    }
    // Each rounding is below 2⁻²⁴ of what it rounds, and there are fewer than eight.
    sum * (1.0 - 1e-6)
}

/// Measures the triangles of two leaves whose boxes are near enough, nearest boxes first.
#[inline(always)]
pub(super) fn compare<S: Simd>(simd: S, a: &Leaf, b: &Leaf, pad: f32, best: &mut Best) {
    let mut gaps = [[0.0; LANES]; LANES];
    let (mut open, mut least) = ([0_u32; LANES], [f32::INFINITY; LANES]);
    for lane in bits(b.ids.used()) {
        let (low, high) = b.boxes.lane(lane);
        gaps[lane] = squared_gaps(simd, &a.boxes, low, high);
        for hit in bits(a.ids.used()) {
            if gaps[lane][hit] <= best.squared {
                open[lane] |= 1 << hit;
                least[lane] = least[lane].min(gaps[lane][hit]);
            }
        }
    }
    // To begin with, the nearest pair of boxes: it mostly settles the others.
    if best.found.is_none()
        && let Some((lane, hit)) = nearest_of(&gaps, &open)
    {
        best.measure([a.ids.triangles[hit], b.ids.triangles[lane]]);
        open[lane] &= !(1 << hit);
    }
    let is_projected = a.version != 0 && a.version == b.version;
    for lane in 0..LANES {
        if least[lane] > best.squared || open[lane] == 0 {
            continue;
        }
        for hit in bits(open[lane] & near_triangles(simd, a, b, lane, pad, best)) {
            let along = if is_projected { (b.from[lane] - a.to[hit] - pad).max(0.0) } else { 0.0 };
            if gaps[lane][hit].max(along * along) <= best.squared && best.limit > 0.0 {
                best.measure([a.ids.triangles[hit], b.ids.triangles[lane]]);
            }
        }
    }
}

pub(super) fn nearest_of(gaps: &[[f32; LANES]; LANES], open: &[u32; LANES]) -> Option<(usize, usize)> {
    let all = (0..LANES).flat_map(|lane| bits(open[lane]).map(move |hit| (lane, hit)));
    all.min_by(|x, y| gaps[x.0][x.1].total_cmp(&gaps[y.0][y.1]))
}
