//! The points of two bodies nearest to each other.
//!
//! Branch and bound over two hierarchies. Pairs of boxes are opened nearest first, and dropped if they are farther apart than the best
//! pair of triangles so far. Bounds are `f32` in the frame of one body, rounded down; distances of triangles are `f64`; whether
//! triangles intersect is exact.
//!
//! ```text
//!   (node, node) ──▶ up to 64 pairs of lanes, sorted by distance ──▶ (row, row) ──▶ boxes of triangles ──▶ triangles in f64
//! ```
//!
//! The search starts with the closest pair of the last query as its bound, which saves most of the work.
//!
//! # Projections
//!
//! Box distances are weak bounds for surfaces that face each other. On a round body many boxes are nearly as near as the nearest one, and
//! their number is squared for two bodies. The direction between the two closest points gives a better bound: two parts that are
//! farther apart along this direction than the best pair cannot be nearer, and a row that faces the other body is very thin along it.
//! So each node and row that the walk reaches is projected onto the direction once; a node just above leaves takes the projections of
//! its rows. Any direction gives a valid bound. The direction is renewed when that of the best pair has turned by more than [`TURNED`].
//!
//! If two boxes, rows or triangles are small compared with their distance, the direction between their centres is nearly that between their
//! closest points. They are projected onto it as well, triangles lane by lane. Only a handful of pairs is left to be measured in `f64`.

use super::bridge::{Bridge, mapped_row};
use super::{Child, Corners, Hierarchy, Node, RowTwins, View, box_around};
use crate::exact;
use crate::geom::distance::{TriangleGap, triangle_triangle};
use crate::geom::{Boxes8, DVec3, LANES, Pose, Triangle};
use crate::pairs::{Frame, Row, RowIds, bits};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};

/// A body, its trees or one of them, and where it is.
pub(crate) type ClosestEnd<'a> = (&'a dyn Hierarchy, Option<usize>, &'a Pose);

/// The nearest triangles of two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosestTriangles {
    pub(crate) triangles: [u32; 2],
    pub(crate) gap: TriangleGap,
}

/// Finds the nearest points of two bodies; keeps its memory.
#[derive(Default)]
pub(crate) struct ClosestWalk {
    stack: Vec<(f32, Child, Child)>,
    /// Pairs of lanes of one step.
    opened: Vec<(f32, Child, Child)>,
    sides: [ClosestSide; 2],
    /// Numbers the queries, so that what earlier ones have read is not taken for this one's.
    query: u32,
    /// Pairs of triangles that were measured by the last query.
    pub(crate) measured: u64,
}

/// What was read of one body lately, by number.
#[derive(Default)]
struct ClosestSide {
    leaves: Vec<Leaf>,
    nodes: Vec<SeenNode>,
}

impl ClosestWalk {
    /// Two triangles that are near each other, if they are nearer than `reach`: an upper bound to begin with. `known` is a pair that was
    /// nearest before.
    pub(crate) fn approach(
        &mut self,
        a: ClosestEnd,
        b: ClosestEnd,
        reach: f64,
        known: Option<[u32; 2]>,
    ) -> Option<ClosestTriangles> {
        let mut best = Best::new(a, b, reach);
        if let Some(pair) = known {
            best.measure(pair);
        }
        if best.limit > 0.0 {
            best.approach();
        }
        self.measured = best.measured;
        best.found
    }

    /// The nearest triangles, if they are nearer than `reach`; `known` is a pair to begin with.
    pub(crate) fn find(
        &mut self,
        a: ClosestEnd,
        b: ClosestEnd,
        reach: f64,
        known: Option<[u32; 2]>,
    ) -> Option<ClosestTriangles> {
        let (box_a, box_b) = a.0.bounds(a.1).zip(b.0.bounds(b.1))?;
        let mut best = Best::new(a, b, reach);
        if let Some(pair) = known {
            best.measure(pair);
        }
        if best.found.is_some() && best.limit == 0.0 {
            return best.found;
        }
        let bridge = Bridge::between((a.0, a.2, box_a), (b.0, b.2, box_b));
        self.stack.clear();
        self.query = self.query.wrapping_add(1).max(1);
        for side in &mut self.sides {
            side.leaves.resize_with(LEAVES, || Leaf::EMPTY);
            side.nodes.resize_with(NODES, || SeenNode::EMPTY);
        }
        for (root, _) in a.0.roots(a.1) {
            self.stack.extend(b.0.roots(b.1).map(|(other, _)| (0.0, root, other)));
        }
        let level = Level::new();
        dispatch!(level, simd => self.walk(simd, &bridge, &mut best));
        self.measured += best.measured;
        best.found
    }

    #[inline(always)]
    fn walk<S: Simd>(&mut self, simd: S, bridge: &Bridge, best: &mut Best) {
        let Self { stack, opened, sides: [side_a, side_b], query, .. } = self;
        let (a, b) = (End { body: best.a.0, bridge: None }, End { body: best.b.0, bridge: Some(bridge) });
        let pad = 4.0 * bridge.precision.slack + 16.0 * f32::EPSILON * bridge.precision.reach;
        while let Some((bound, i, j)) = stack.pop() {
            if bound > best.squared {
                continue;
            }
            match (i.is_leaf(), j.is_leaf()) {
                (true, true) => {
                    let row_a = side_a.leaf(simd, &a, i.index(), *query);
                    let row_b = side_b.leaf(simd, &b, j.index(), *query);
                    if best.version > 0 {
                        row_a.project(simd, best);
                        row_b.project(simd, best);
                        if is_far(row_b.least - row_a.greatest - pad, best) {
                            continue;
                        }
                    }
                    if rows_are_far(simd, row_a, row_b, pad, best) {
                        continue;
                    }
                    compare(simd, row_a, row_b, pad, best);
                    if best.limit == 0.0 {
                        return;
                    }
                    continue;
                }
                (true, false) => {
                    let row = side_a.leaf(simd, &a, i.index(), *query);
                    if best.version > 0 {
                        row.project(simd, best);
                    }
                    let (low, high) = row.bounds;
                    let along = (row.greatest, row.version);
                    let other = side_b.seen_node(simd, &b, j.index(), *query, best);
                    if along.1 != 0 && along.1 == other.version && is_far(other.least - along.0 - pad, best) {
                        continue;
                    }
                    let gaps = squared_gaps(simd, &other.node.boxes, low, high);
                    for (lane, child) in other.node.used() {
                        let along = if along.1 != 0 { other.from[lane] - along.0 - pad } else { 0.0 };
                        opened.push((gaps[lane].max(squared(along)), i, child));
                    }
                }
                (false, true) => {
                    let row = side_b.leaf(simd, &b, j.index(), *query);
                    if best.version > 0 {
                        row.project(simd, best);
                    }
                    let (low, high) = row.bounds;
                    let along = (row.least, row.version);
                    let node = side_a.seen_node(simd, &a, i.index(), *query, best);
                    if along.1 != 0 && along.1 == node.version && is_far(along.0 - node.greatest - pad, best)
                    {
                        continue;
                    }
                    let gaps = squared_gaps(simd, &node.node.boxes, low, high);
                    for (lane, child) in node.node.used() {
                        let along = if along.1 != 0 { along.0 - node.to[lane] - pad } else { 0.0 };
                        opened.push((gaps[lane].max(squared(along)), child, j));
                    }
                }
                (false, false) => {
                    let node = side_a.seen_node(simd, &a, i.index(), *query, best);
                    let other = side_b.seen_node(simd, &b, j.index(), *query, best);
                    if best.version > 0 && is_far(other.least - node.greatest - pad, best) {
                        continue;
                    }
                    // The larger one is opened, or both if they are of about one size. What is just above its leaves waits until the other is
                    // too: a leaf with a whole tree would be many pairs.
                    let waits = match (node.is_bottom, other.is_bottom) {
                        (false, false) => (2.0 * node.size < other.size, 2.0 * other.size < node.size),
                        bottom => bottom,
                    };
                    match waits {
                        (true, false) => {
                            let gaps = squared_gaps(simd, &other.node.boxes, node.bounds.0, node.bounds.1);
                            for (lane, child) in other.node.used() {
                                let along = best.along(other.from[lane] - node.greatest - pad);
                                opened.push((gaps[lane].max(along), i, child));
                            }
                        }
                        (false, true) => {
                            let gaps = squared_gaps(simd, &node.node.boxes, other.bounds.0, other.bounds.1);
                            for (lane, child) in node.node.used() {
                                let along = best.along(other.least - node.to[lane] - pad);
                                opened.push((gaps[lane].max(along), child, j));
                            }
                        }
                        _ => open_both(simd, node, other, pad, best, opened),
                    }
                }
            }
            opened.retain(|(gap, _, _)| *gap <= best.squared);
            opened.sort_unstable_by(|x, y| y.0.total_cmp(&x.0));
            stack.append(opened);
        }
    }
}

/// A body, and how it gets into the common frame, if that is not its own.
struct End<'a> {
    body: &'a dyn Hierarchy,
    bridge: Option<&'a Bridge>,
}

impl ClosestSide {
    /// The row of a leaf.
    #[inline(always)]
    fn leaf<S: Simd>(&mut self, simd: S, end: &End, place: usize, query: u32) -> &mut Leaf {
        let leaf = &mut self.leaves[place % LEAVES];
        leaf.read(simd, end, (place, query));
        leaf
    }

    /// A node, projected onto the present direction if there is one.
    #[inline(always)]
    fn seen_node<S: Simd>(&mut self, simd: S, end: &End, place: usize, query: u32, best: &Best) -> &SeenNode {
        let Self { leaves, nodes } = self;
        let seen = &mut nodes[place % NODES];
        if seen.key != (place, query) {
            seen.key = (place, query);
            seen.version = 0;
            let mut scratch = Node::EMPTY;
            seen.node = *end.body.node(place, &mut scratch);
            seen.own = seen.node.boxes;
            if let Some(bridge) = end.bridge {
                seen.node.boxes = bridge.map_boxes(simd, &seen.own);
                (seen.turn, seen.pad) = bridge.turn();
            }
            seen.is_bottom = seen.node.used().all(|(_, child)| child.is_leaf());
            let lanes = seen.node.used().map(|(lane, _)| seen.node.boxes.lane(lane));
            seen.bounds = box_around(lanes).unwrap_or(([0.0; 3], [0.0; 3]));
            let (low, high) = seen.bounds;
            seen.size = (0..3).fold(0.0, |size: f32, axis| size.max(high[axis] - low[axis]));
        }
        if seen.version != best.version {
            seen.version = best.version;
            seen.project(simd, end.bridge, best.direction);
            for lane in 0..seen.node.count as usize {
                let child = seen.node.children[lane];
                if child.is_leaf() {
                    let leaf = &mut leaves[child.index() % LEAVES];
                    leaf.read(simd, end, (child.index(), query));
                    leaf.project(simd, best);
                    (seen.from[lane], seen.to[lane]) = (leaf.least, leaf.greatest);
                }
            }
            let used = seen.node.count as usize;
            seen.least = seen.from[..used].iter().fold(f32::INFINITY, |least, x| least.min(*x));
            seen.greatest = seen.to[..used].iter().fold(f32::NEG_INFINITY, |most, x| most.max(*x));
        }
        seen
    }
}

/// A node, its boxes in the common frame, and their projections onto the direction between the best points.
struct SeenNode {
    key: (usize, u32),
    node: Node,
    /// The boxes in the body's own frame, the matrix from there to the common frame, and how far boxes on the way may be off.
    own: Boxes8,
    turn: [[f32; 3]; 3],
    pad: f32,
    /// The box around all lanes in the common frame, and whether all lead to leaves.
    bounds: Corners,
    is_bottom: bool,
    /// The longest edge of that box.
    size: f32,
    /// For which direction the projections are; see [`Best::version`].
    version: u32,
    from: [f32; LANES],
    to: [f32; LANES],
    least: f32,
    greatest: f32,
}

impl SeenNode {
    const EMPTY: Self = Self {
        key: (usize::MAX, 0),
        node: Node::EMPTY,
        own: Boxes8::EMPTY,
        turn: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        pad: 0.0,
        bounds: ([0.0; 3], [0.0; 3]),
        is_bottom: false,
        size: 0.0,
        version: 0,
        from: [0.0; LANES],
        to: [0.0; LANES],
        least: 0.0,
        greatest: 0.0,
    };

    /// Projects boxes where they are smallest: in the body's own frame.
    #[inline(always)]
    fn project<S: Simd>(&mut self, simd: S, bridge: Option<&Bridge>, direction: [f32; 3]) {
        let (along, offset, pad) = match bridge {
            Some(bridge) => bridge.direction_in_b(direction),
            None => (direction, 0.0, 2.0 * Frame::SLACK),
        };
        let (mut from, mut to) = (f32x8::splat(simd, offset - pad), f32x8::splat(simd, offset + pad));
        for axis in 0..3 {
            let low = f32x8::load_array_ref(simd, &self.own.low[axis]) * along[axis];
            let high = f32x8::load_array_ref(simd, &self.own.high[axis]) * along[axis];
            from += low.min(high);
            to += low.max(high);
        }
        from.store_array(&mut self.from);
        to.store_array(&mut self.to);
    }
}

/// Whether things this far apart along a direction cannot be nearer than the best pair.
#[inline(always)]
fn is_far(along: f32, best: &Best) -> bool {
    squared(along) > best.squared
}

/// The square of a distance along a direction, rounded down; 0 where the other is not ahead.
#[inline(always)]
fn squared(along: f32) -> f32 {
    along.max(0.0) * along.max(0.0) * (1.0 - 1e-6)
}

/// Which boxes of a node may be nearer to one of another node than the best pair is, judged along the lines through their centres. Boxes
/// of the other body are measured in their own frame.
#[inline(always)]
fn near_boxes<S: Simd>(
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
fn open_both<S: Simd>(
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

/// Leaves and nodes that are kept of each body; powers of two.
const LEAVES: usize = 256;
const NODES: usize = 128;

/// How often a point of one body and one of the other approach each other at most.
const APPROACHES: usize = 6;

/// The direction is renewed when the cosine of the angle to that of the best pair has sunk below this.
const TURNED: f32 = 0.9995;

/// The row of a leaf, the boxes of its triangles, and its projection onto the direction between the best points so far, in the
/// common frame.
struct Leaf {
    /// Its number, and the query that read it.
    key: (usize, u32),
    row: Row,
    ids: RowIds,
    boxes: Boxes8,
    /// The box around all lanes, its centre, and the centres of gravity of the triangles.
    bounds: Corners,
    middle: [f32; 3],
    centroids: [[f32; LANES]; 3],
    /// For which direction the projections are; see [`Best::version`].
    version: u32,
    /// By lane: the least and the greatest projection of its corners; then those of all lanes.
    from: [f32; LANES],
    to: [f32; LANES],
    least: f32,
    greatest: f32,
}

impl Leaf {
    const EMPTY: Self = Self {
        key: (usize::MAX, 0),
        row: Row::ZERO,
        ids: RowIds::EMPTY,
        boxes: Boxes8::EMPTY,
        bounds: ([0.0; 3], [0.0; 3]),
        middle: [0.0; 3],
        centroids: [[0.0; LANES]; 3],
        version: 0,
        from: [0.0; LANES],
        to: [0.0; LANES],
        least: 0.0,
        greatest: 0.0,
    };

    /// The least and the greatest projection of all corners onto a direction.
    #[inline(always)]
    fn along<S: Simd>(&self, simd: S, direction: [f32; 3]) -> [f32; 2] {
        let [from, to] = self.along_by_lane(simd, direction);
        [from.reduce_min(), to.reduce_max()]
    }

    #[inline(always)]
    fn along_by_lane<S: Simd>(&self, simd: S, [nx, ny, nz]: [f32; 3]) -> [f32x8<S>; 2] {
        let (mut from, mut to) = (f32x8::splat(simd, f32::INFINITY), f32x8::splat(simd, f32::NEG_INFINITY));
        for corner in &self.row.corners {
            let [x, y, z] = [
                f32x8::load_array_ref(simd, &corner[0]),
                f32x8::load_array_ref(simd, &corner[1]),
                f32x8::load_array_ref(simd, &corner[2]),
            ];
            let along = x * nx + y * ny + z * nz;
            (from, to) = (from.min(along), to.max(along));
        }
        [from, to]
    }

    /// Projects the row onto the present direction. Unused lanes repeat used ones, so they do no harm.
    #[inline(always)]
    fn project<S: Simd>(&mut self, simd: S, best: &Best) {
        if self.version == best.version {
            return;
        }
        self.version = best.version;
        let [from, to] = self.along_by_lane(simd, best.direction);
        from.store_array(&mut self.from);
        to.store_array(&mut self.to);
        (self.least, self.greatest) = (from.reduce_min(), to.reduce_max());
    }

    #[inline(always)]
    fn read<S: Simd>(&mut self, simd: S, end: &End, key: (usize, u32)) {
        if self.key == key {
            return;
        }
        self.key = key;
        self.version = 0;
        end.body.row(key.0, RowTwins::Apart, &mut self.row, &mut self.ids);
        let pad = match end.bridge {
            Some(bridge) => {
                self.row = mapped_row(simd, &self.row, bridge);
                bridge.precision.slack
            }
            None => Frame::SLACK,
        };
        let [a, b, c] = &self.row.corners;
        for axis in 0..3 {
            let (x, y) = (f32x8::load_array_ref(simd, &a[axis]), f32x8::load_array_ref(simd, &b[axis]));
            let z = f32x8::load_array_ref(simd, &c[axis]);
            (x.min(y).min(z) - pad).store_array(&mut self.boxes.low[axis]);
            (x.max(y).max(z) + pad).store_array(&mut self.boxes.high[axis]);
            ((x + y + z) * (1.0 / 3.0)).store_array(&mut self.centroids[axis]);
        }
        for lane in self.ids.triangle_ids().count()..LANES {
            self.boxes.set(lane, [f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        }
        self.bounds = self.boxes.bounds(simd);
        self.middle = [0, 1, 2].map(|axis| 0.5 * (self.bounds.0[axis] + self.bounds.1[axis]));
    }
}

/// Whether two rows are farther apart than the best pair along the line through their centres.
#[inline(always)]
fn rows_are_far<S: Simd>(simd: S, a: &Leaf, b: &Leaf, pad: f32, best: &Best) -> bool {
    let way = [0, 1, 2].map(|axis| b.middle[axis] - a.middle[axis]);
    let gap =
        b.along(simd, way)[0] - a.along(simd, way)[1] - pad * (way[0].abs() + way[1].abs() + way[2].abs());
    let length = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    gap > 0.0 && gap * gap * (1.0 - 1e-5) > best.squared * length
}

/// Which triangles of a row may be nearer to one of another row than the best pair is, judged along the lines through their centres.
#[inline(always)]
fn near_triangles<S: Simd>(simd: S, a: &Leaf, b: &Leaf, lane: usize, pad: f32, best: &Best) -> u32 {
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
fn squared_gaps<S: Simd>(simd: S, boxes: &Boxes8, low: [f32; 3], high: [f32; 3]) -> [f32; LANES] {
    let mut gaps = [0.0; LANES];
    squared_gaps_wide(simd, boxes, low, high).store_array(&mut gaps);
    gaps
}

#[inline(always)]
fn squared_gaps_wide<S: Simd>(simd: S, boxes: &Boxes8, low: [f32; 3], high: [f32; 3]) -> f32x8<S> {
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
fn compare<S: Simd>(simd: S, a: &Leaf, b: &Leaf, pad: f32, best: &mut Best) {
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

fn nearest_of(gaps: &[[f32; LANES]; LANES], open: &[u32; LANES]) -> Option<(usize, usize)> {
    let all = (0..LANES).flat_map(|lane| bits(open[lane]).map(move |hit| (lane, hit)));
    all.min_by(|x, y| gaps[x.0][x.1].total_cmp(&gaps[y.0][y.1]))
}

/// The best pair so far.
struct Best<'a> {
    a: ClosestEnd<'a>,
    b: ClosestEnd<'a>,
    /// From the world to the common frame.
    scale: f64,
    /// What is farther apart than this is not looked at; the same, squared and rounded up, in the common frame.
    limit: f64,
    squared: f32,
    found: Option<ClosestTriangles>,
    /// From the point on the first body to that on the second in the world, of length one; zero if there is none.
    way: DVec3,
    /// About from the point on the first body to that on the second, in the common frame, of length one; and which direction it is. 0: there is
    /// none yet.
    direction: [f32; 3],
    version: u32,
    measured: u64,
}

impl<'a> Best<'a> {
    fn new(a: ClosestEnd<'a>, b: ClosestEnd<'a>, reach: f64) -> Self {
        let mut best = Best {
            a,
            b,
            scale: a.0.frame().scale,
            limit: 0.0,
            squared: 0.0,
            found: None,
            way: DVec3::ZERO,
            direction: [0.0; 3],
            version: 0,
            measured: 0,
        };
        best.set_limit(reach);
        best
    }

    /// The square of a distance along the direction, rounded down; 0 if there is no direction.
    #[inline(always)]
    fn along(&self, along: f32) -> f32 {
        if self.version > 0 { squared(along) } else { 0.0 }
    }

    fn set_limit(&mut self, limit: f64) {
        self.limit = limit;
        let in_frame = limit * self.scale;
        self.squared = (in_frame * in_frame * (1.0 + 1e-6)) as f32 * (1.0 + 1e-6);
    }

    /// Whether two triangles are at least as far apart along the way between the best points as these are, up to rounding.
    fn is_no_nearer(&self, t: &Triangle, u: &Triangle) -> bool {
        let origin = t.a;
        let ahead = u.corners().map(|p| self.way.dot(p - origin)).into_iter().fold(f64::INFINITY, f64::min);
        let behind = t.corners().map(|p| self.way.dot(p - origin)).into_iter().fold(0.0, f64::max);
        ahead - behind >= self.limit * (1.0 - 8.0 * f64::EPSILON)
    }

    /// Goes back and forth: the point of one body nearest to a point of the other, and so on while it helps. That ends at points that are
    /// nearest to each other, if only there.
    fn approach(&mut self) {
        let [a, b] = [self.a, self.b].map(|(body, tree, pose)| View::of(body, tree).at(pose));
        let mut from = match &self.found {
            Some(found) => found.gap.points[0],
            None => {
                let bounds = a.bounds();
                b.bounds().centre().clamp(bounds.min, bounds.max)
            }
        };
        for _ in 0..APPROACHES {
            let before = self.limit;
            let Some(on_b) = b.nearest(from, f64::INFINITY) else { return };
            let Some(on_a) = a.nearest(on_b.point, f64::INFINITY) else { return };
            self.measure([on_a.triangle.0, on_b.triangle.0]);
            if self.found.is_none() || self.limit == 0.0 || self.limit > 0.999 * before {
                return;
            }
            from = on_a.point;
        }
    }

    fn measure(&mut self, triangles: [u32; 2]) {
        let [t, u] = [(self.a, triangles[0]), (self.b, triangles[1])]
            .map(|((body, _, pose), id)| pose.apply_to_triangle(&body.triangle(id)));
        // Around a closest vertex all triangles are equally near. They lie behind the plane through it, which is found out sooner than
        // their distance.
        if self.found.is_some() && self.is_no_nearer(&t, &u) {
            return;
        }
        self.measured += 1;
        let gap = distance(&t, &u);
        let is_better = match &self.found {
            None => gap.distance <= self.limit,
            Some(_) => gap.distance < self.limit,
        };
        if is_better {
            self.set_limit(gap.distance);
            self.found = Some(ClosestTriangles { triangles, gap });
            let [p, q] = gap.points;
            self.way = (q - p).normalize_or_zero();
            let way = self.a.2.inverse().rotation() * self.way;
            let way = way.to_array().map(|x| x as f32);
            let cosine = (0..3).map(|k| way[k] * self.direction[k]).sum::<f32>();
            if cosine < TURNED {
                self.direction = way;
                self.version += 1;
            }
        }
    }
}

/// The distance of two triangles; 0 if they intersect, and only then.
pub(crate) fn distance(t: &Triangle, u: &Triangle) -> TriangleGap {
    let mut gap = triangle_triangle(t, u);
    let overlap = t.bounds().overlaps(&u.bounds());
    if overlap && exact::tri_tri(t, u) != exact::Relation::Disjoint {
        if let Some([p, _]) = exact::tri_tri_segment(t, u) {
            gap.points = [p, p];
        }
        gap.distance = 0.0;
    } else {
        gap.distance = gap.distance.max(f64::MIN_POSITIVE);
    }
    gap
}
