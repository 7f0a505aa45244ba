//! What the walk has read of one body lately: nodes and rows in the common frame, and their projections onto the direction between the best points.
//!
//! Each is kept at a place that its number gives, and read again when another one has taken the place or another query has begun.

use super::best::Best;
use crate::geom::{Boxes8, LANES};
use crate::pairs::{Frame, Row, RowIds};
use crate::walk::bridge::{Bridge, mapped_row};
use crate::walk::{Corners, Hierarchy, Node, RowTwins, box_around};
use fearless_simd::f32x8;
use fearless_simd::prelude::*;

/// Leaves and nodes that are kept of each body; powers of two.
const LEAVES: usize = 256;
const NODES: usize = 128;

/// What was read of one body lately, by number.
#[derive(Default)]
pub(super) struct ClosestSide {
    leaves: Vec<Leaf>,
    nodes: Vec<SeenNode>,
}

/// A body, and how it gets into the common frame, if that is not its own.
pub(super) struct End<'a> {
    pub(super) body: &'a dyn Hierarchy,
    pub(super) bridge: Option<&'a Bridge>,
}

impl ClosestSide {
    /// Makes room for what will be read.
    pub(super) fn make_room(&mut self) {
        self.leaves.resize_with(LEAVES, || Leaf::EMPTY);
        self.nodes.resize_with(NODES, || SeenNode::EMPTY);
    }

    /// The row of a leaf.
    #[inline(always)]
    pub(super) fn leaf<S: Simd>(&mut self, simd: S, end: &End, place: usize, query: u32) -> &mut Leaf {
        let leaf = &mut self.leaves[place % LEAVES];
        leaf.read(simd, end, (place, query));
        leaf
    }

    /// A node, projected onto the present direction if there is one.
    #[inline(always)]
    pub(super) fn seen_node<S: Simd>(
        &mut self,
        simd: S,
        end: &End,
        place: usize,
        query: u32,
        best: &Best,
    ) -> &SeenNode {
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
pub(super) struct SeenNode {
    pub(super) key: (usize, u32),
    pub(super) node: Node,
    /// The boxes in the body's own frame, the matrix from there to the common frame, and how far boxes on the way may be off.
    pub(super) own: Boxes8,
    pub(super) turn: [[f32; 3]; 3],
    pub(super) pad: f32,
    /// The box around all lanes in the common frame, and whether all lead to leaves.
    pub(super) bounds: Corners,
    pub(super) is_bottom: bool,
    /// The longest edge of that box.
    pub(super) size: f32,
    /// For which direction the projections are; see [`Best::version`].
    pub(super) version: u32,
    pub(super) from: [f32; LANES],
    pub(super) to: [f32; LANES],
    pub(super) least: f32,
    pub(super) greatest: f32,
}

impl SeenNode {
    pub(super) const EMPTY: Self = Self {
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
    pub(super) fn project<S: Simd>(&mut self, simd: S, bridge: Option<&Bridge>, direction: [f32; 3]) {
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

/// The row of a leaf, the boxes of its triangles, and its projection onto the direction between the best points so far, in the
/// common frame.
pub(super) struct Leaf {
    /// Its number, and the query that read it.
    pub(super) key: (usize, u32),
    pub(super) row: Row,
    pub(super) ids: RowIds,
    pub(super) boxes: Boxes8,
    /// The box around all lanes, its centre, and the centres of gravity of the triangles.
    pub(super) bounds: Corners,
    pub(super) middle: [f32; 3],
    pub(super) centroids: [[f32; LANES]; 3],
    /// For which direction the projections are; see [`Best::version`].
    pub(super) version: u32,
    /// By lane: the least and the greatest projection of its corners; then those of all lanes.
    pub(super) from: [f32; LANES],
    pub(super) to: [f32; LANES],
    pub(super) least: f32,
    pub(super) greatest: f32,
}

impl Leaf {
    pub(super) const EMPTY: Self = Self {
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
    pub(super) fn along<S: Simd>(&self, simd: S, direction: [f32; 3]) -> [f32; 2] {
        let [from, to] = self.along_by_lane(simd, direction);
        [from.reduce_min(), to.reduce_max()]
    }

    #[inline(always)]
    pub(super) fn along_by_lane<S: Simd>(&self, simd: S, [nx, ny, nz]: [f32; 3]) -> [f32x8<S>; 2] {
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
    pub(super) fn project<S: Simd>(&mut self, simd: S, best: &Best) {
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
    pub(super) fn read<S: Simd>(&mut self, simd: S, end: &End, key: (usize, u32)) {
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
