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
//! its rows. Any direction gives a valid bound. The direction is renewed when that of the best pair has turned by more than `TURNED`.
//!
//! If two boxes, rows or triangles are small compared with their distance, the direction between their centres is nearly that between their
//! closest points. They are projected onto it as well, triangles lane by lane. Only a handful of pairs is left to be measured in `f64`.
//!
//! # Files
//!
//! | file | what is in it |
//! |---|---|
//! | `mod` | the walk |
//! | `seen` | nodes and rows that were read lately, in the common frame, with their projections |
//! | `bounds` | which boxes, rows and triangles may be nearer than the best pair |
//! | `best` | the best pair so far, and the measuring of triangles |

mod best;
mod bounds;
mod seen;

use super::bridge::Bridge;
use super::{Child, Hierarchy};
use crate::geom::Pose;
use crate::geom::distance::TriangleGap;
use best::Best;
use bounds::{compare, is_far, open_both, rows_are_far, squared, squared_gaps};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use seen::{ClosestSide, End};

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
        self.sides.iter_mut().for_each(ClosestSide::make_room);
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
