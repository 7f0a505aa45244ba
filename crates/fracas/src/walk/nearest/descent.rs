//! The walk down the tree, in `f32`, and what it leaves: candidates with lower bounds of their distances.

use super::row_distance::{corners_from, distances, may_be_near};
use crate::geom::LANES;
use crate::pairs::{Frame, Row, RowIds, bits};
use crate::walk::{Child, Hierarchy, Node, Opened, RowTwins};
use fearless_simd::f32x8;
use fearless_simd::prelude::*;
use std::hint::black_box;

/// Triangles that may be the nearest, with lower bounds of their distances.
pub(super) struct Candidates {
    few: [(f32, u32); Self::FEW],
    count: usize,
    /// All of them, once there are many.
    many: Vec<(f32, u32)>,
    limit: f32,
}

impl Candidates {
    const FEW: usize = 32;

    pub(super) fn new() -> Self {
        Self { few: [(0.0, 0); Self::FEW], count: 0, many: Vec::new(), limit: f32::INFINITY }
    }

    /// Adds a candidate; `limit` is the smallest upper bound so far.
    #[inline(always)]
    pub(super) fn push(&mut self, bound: f32, id: u32, limit: f32) {
        self.limit = limit;
        if self.count == Self::FEW {
            self.make_room();
        }
        self.few[self.count] = (bound, id);
        self.count += 1;
    }

    /// Drops what the limit rules out, and moves the rest to the long list if that is not enough.
    #[cold]
    fn make_room(&mut self) {
        let limit = self.limit;
        let mut kept = 0;
        for k in 0..self.count {
            if self.few[k].0 <= limit {
                self.few[kept] = self.few[k];
                kept += 1;
            }
        }
        self.count = kept;
        if kept > Self::FEW / 2 {
            self.many.extend_from_slice(&self.few[..kept]);
            self.count = 0;
            if self.many.len() == self.many.capacity() {
                self.many.retain(|(bound, _)| *bound <= limit);
            }
        }
    }

    /// What the limit leaves.
    pub(super) fn take(&mut self) -> &mut [(f32, u32)] {
        self.make_room();
        if self.many.is_empty() {
            return &mut self.few[..self.count];
        }
        self.many.extend_from_slice(&self.few[..self.count]);
        self.many.retain(|(bound, _)| *bound <= self.limit);
        &mut self.many
    }
}

/// The walk in `f32`.
pub(super) struct Descent<'a> {
    pub(super) body: &'a dyn Hierarchy,
    pub(super) tree: Option<usize>,
    pub(super) opened: Option<Opened<'a>>,
    pub(super) q: [f32; 3],
    /// How far boxes, corners and the point together may be off, along each axis.
    pub(super) off: f32,
}

impl Descent<'_> {
    /// Gathers all triangles that may be the nearest, if they are nearer than `limit`.
    #[inline(always)]
    pub(super) fn run<S: Simd>(&self, simd: S, mut limit: f32, candidates: &mut Candidates) {
        let q = [f32x8::splat(simd, self.q[0]), f32x8::splat(simd, self.q[1]), f32x8::splat(simd, self.q[2])];
        let (mut node, mut row, mut ids) = (None, None, None);
        let mut stack = Stack::new();
        for (root, _) in self.body.roots(self.tree) {
            stack.push(0.0, root);
        }
        let mut squared = square_above(limit);
        // More than a projection onto the direction of a centroid is rounded; no corner is farther than four times this.
        let far = self.q[0].abs().max(self.q[1].abs()).max(self.q[2].abs()) + Frame::REACH;
        let margin = 32.0 * f32::EPSILON * far + 4.0 * self.off;
        let mut has_limit = limit.is_finite();
        while let Some((bound, child)) = stack.pop() {
            if bound > squared {
                continue;
            }
            let place = child.index();
            if !child.is_leaf() {
                let node = match &self.opened {
                    Some(opened) => &opened.nodes[place],
                    None => self.body.node(place, node.get_or_insert(Node::EMPTY)),
                };
                if !has_limit {
                    // No triangle was measured yet. Each box holds one, which is not farther away than the box reaches.
                    let most = farthest(simd, node, &q).sqrt() * (1.0 + 1e-6) + 2.0 * self.off;
                    if most < limit {
                        limit = most;
                        squared = square_above(limit);
                    }
                }
                let (gaps, near) = self.squared_gaps(simd, node, &q, squared);
                if let Some(opened) = &self.opened {
                    touch(opened, node, near);
                }
                stack.push_children(node, &gaps, near);
                continue;
            }
            let (row, ids) = match &self.opened {
                Some(opened) => (&opened.rows[place], &opened.ids[place]),
                None => {
                    let (row, ids) = (row.get_or_insert(Row::ZERO), ids.get_or_insert(RowIds::EMPTY));
                    self.body.row(place, RowTwins::Apart, row, ids);
                    (&*row, &*ids)
                }
            };
            let corners = corners_from(simd, row, &q);
            if may_be_near(simd, &corners, limit + margin) == 0 {
                continue;
            }
            let (lower, upper) = distances(simd, corners, self.off);
            // Unused lanes repeat used ones, so they do no harm here.
            let least = upper.reduce_min();
            has_limit = true;
            if least < limit {
                limit = least;
                squared = square_above(limit);
            }
            let near = lower.simd_le(limit).to_bitmask() as u32 & ids.used();
            if near != 0 {
                let mut bounds = [0.0; LANES];
                lower.store_array(&mut bounds);
                for lane in bits(near) {
                    candidates.push(bounds[lane], ids.triangles[lane], limit);
                }
            }
        }
        candidates.limit = limit;
    }

    /// Lower bounds of the squared distances of the boxes of a node, and the lanes whose bounds are within a limit.
    #[inline(always)]
    fn squared_gaps<S: Simd>(
        &self,
        simd: S,
        node: &Node,
        q: &[f32x8<S>; 3],
        limit: f32,
    ) -> ([f32; LANES], u32) {
        let zero = f32x8::splat(simd, 0.0);
        let mut sum = zero;
        for axis in 0..3 {
            let below = f32x8::load_array_ref(simd, &node.boxes.low[axis]) - q[axis];
            let above = q[axis] - f32x8::load_array_ref(simd, &node.boxes.high[axis]);
            let gap = (below.max(above) - self.off).max(zero);
            sum = gap.mul_add(gap, sum);
        }
        let mut gaps = [0.0; LANES];
        // Each rounding is below 2⁻²⁴ of what it rounds, and there are fewer than eight.
        let sum = sum * (1.0 - 1e-6);
        sum.store_array(&mut gaps);
        (gaps, sum.simd_le(limit).to_bitmask() as u32 & node.used_lanes())
    }
}

/// The smallest of the squared distances of the boxes of a node at their farthest.
#[inline(always)]
fn farthest<S: Simd>(simd: S, node: &Node, q: &[f32x8<S>; 3]) -> f32 {
    let mut sum = f32x8::splat(simd, 0.0);
    for axis in 0..3 {
        let above = f32x8::load_array_ref(simd, &node.boxes.high[axis]) - q[axis];
        let below = q[axis] - f32x8::load_array_ref(simd, &node.boxes.low[axis]);
        // The squares of empty boxes, in unused lanes, are infinite.
        sum += (above * above).max(below * below);
    }
    sum.reduce_min()
}

/// Reads a word of every cache line of some children of a node. They are visited soon, and memory can answer for all of them at once.
#[inline(always)]
fn touch(opened: &Opened, node: &Node, lanes: u32) {
    for lane in bits(lanes) {
        let child = node.children[lane];
        let place = child.index();
        if child.is_leaf() {
            let corners = &opened.rows[place].corners;
            black_box((
                corners[0][0][0],
                corners[0][2][0],
                corners[1][1][0],
                corners[2][0][0],
                corners[2][2][7],
            ));
            black_box(opened.ids[place].triangles[0]);
        } else {
            let next = &opened.nodes[place];
            black_box((next.boxes.low[0][0], next.boxes.low[2][0], next.boxes.high[1][0], next.count));
        }
    }
}

/// The square of a positive number, rounded up.
#[inline(always)]
fn square_above(x: f32) -> f32 {
    x * x * (1.0 + 1e-6) + f32::MIN_POSITIVE
}

/// Places to be visited, the nearest child of each node on top. A place and its bound are one number, so that they are sorted
/// as numbers: bounds are not negative.
struct Stack {
    few: [u64; Self::FEW],
    count: usize,
    /// What lies below, once there are many.
    many: Vec<u64>,
}

impl Stack {
    const FEW: usize = 96;

    #[inline(always)]
    fn new() -> Self {
        Self { few: [0; Self::FEW], count: 0, many: Vec::new() }
    }

    #[inline(always)]
    fn push(&mut self, bound: f32, child: Child) {
        if self.count == Self::FEW {
            self.many.extend_from_slice(&self.few);
            self.count = 0;
        }
        self.few[self.count] = u64::from(bound.to_bits()) << 32 | u64::from(child.bits());
        self.count += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(f32, Child)> {
        let top = if self.count > 0 {
            self.count -= 1;
            self.few[self.count]
        } else {
            self.many.pop()?
        };
        Some((f32::from_bits((top >> 32) as u32), Child::from_bits(top as u32)))
    }

    /// Pushes the children in some lanes, the farthest first.
    #[inline(always)]
    fn push_children(&mut self, node: &Node, bounds: &[f32; LANES], lanes: u32) {
        if self.count + LANES > Self::FEW {
            self.many.extend_from_slice(&self.few[..self.count]);
            self.count = 0;
        }
        let first = self.count;
        let count = lanes.count_ones() as usize;
        // Zeros sort behind all entries, and are left out again.
        let mut entries = [0_u64; LANES];
        for (k, lane) in bits(lanes).enumerate() {
            entries[k % LANES] =
                u64::from(bounds[lane].to_bits()) << 32 | u64::from(node.children[lane].bits());
        }
        if count <= 4 {
            let [a, b, c, d, ..] = &mut entries;
            order(a, b);
            order(c, d);
            order(a, c);
            order(b, d);
            order(b, c);
        } else {
            entries[..count].sort_unstable_by(|x, y| y.cmp(x));
        }
        self.few[first..first + LANES].copy_from_slice(&entries);
        self.count += count;
    }
}

/// Swaps two numbers if the second is larger, without a branch.
#[inline(always)]
fn order(a: &mut u64, b: &mut u64) {
    (*a, *b) = ((*a).max(*b), (*a).min(*b));
}
