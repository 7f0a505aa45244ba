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
//! A good bound to begin with saves most of the work: that of the pair that was nearest the last time.
//!
//! # Projections
//!
//! Boxes say little about triangles that lie aslant. The direction from one closest point to the other says more: what is farther apart than
//! the best pair along this direction alone cannot be nearer. Each row is projected onto it once, when it is read or when the direction has
//! changed; that rules out most rows and triangles before they are measured.

use super::bridge::{Bridge, mapped_row};
use super::{Child, Hierarchy, Node, RowTwins};
use crate::exact;
use crate::geom::distance::{TriangleGap, triangle_triangle};
use crate::geom::{Boxes8, LANES, Pose, Triangle};
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
    /// The last few leaves that were read of each body, by number.
    leaves: [Vec<Leaf>; 2],
    /// Pairs of triangles that were measured by the last query.
    pub(crate) measured: u64,
}

impl ClosestWalk {
    /// The nearest triangles, if they are nearer than `reach`; `known` is a pair to begin with.
    pub(crate) fn find(
        &mut self,
        a: ClosestEnd,
        b: ClosestEnd,
        reach: f64,
        known: Option<[u32; 2]>,
    ) -> Option<ClosestTriangles> {
        let (box_a, box_b) = a.0.bounds(a.1).zip(b.0.bounds(b.1))?;
        let bridge = Bridge::between((a.0, a.2, box_a), (b.0, b.2, box_b));
        self.stack.clear();
        self.leaves.iter_mut().for_each(|leaves| leaves.resize_with(CACHE, || Leaf::EMPTY));
        self.measured = 0;
        for (root, _) in a.0.roots(a.1) {
            self.stack.extend(b.0.roots(b.1).map(|(other, _)| (0.0, root, other)));
        }
        let mut best = Best {
            a,
            b,
            scale: a.0.frame().scale,
            limit: 0.0,
            squared: 0.0,
            found: None,
            direction: [0.0; 3],
            version: 0,
            measured: 0,
        };
        best.set_limit(reach);
        if let Some(pair) = known {
            best.measure(pair);
        }
        let level = Level::new();
        dispatch!(level, simd => self.walk(simd, &bridge, &mut best));
        self.measured = best.measured;
        best.found
    }

    #[inline(always)]
    fn walk<S: Simd>(&mut self, simd: S, bridge: &Bridge, best: &mut Best) {
        let (a, b) = (best.a.0, best.b.0);
        let mut scratch = [Node::EMPTY; 2];
        self.leaves.iter_mut().flatten().for_each(|leaf| leaf.place = usize::MAX);
        let pad = 4.0 * bridge.precision.slack + 16.0 * f32::EPSILON * bridge.precision.reach;
        while let Some((bound, i, j)) = self.stack.pop() {
            if bound > best.squared {
                continue;
            }
            let [node_a, node_b] = &mut scratch;
            let [leaves_a, leaves_b] = &mut self.leaves;
            let (row_a, row_b) = (&mut leaves_a[i.index() % CACHE], &mut leaves_b[j.index() % CACHE]);
            if i.is_leaf() {
                row_a.read(simd, a, i.index(), None);
            }
            if j.is_leaf() {
                row_b.read(simd, b, j.index(), Some(bridge));
            }
            self.opened.clear();
            match (i.is_leaf(), j.is_leaf()) {
                (true, true) => {
                    if best.found.is_some() {
                        row_a.project(simd, best);
                        row_b.project(simd, best);
                        let gap = row_b.least - row_a.greatest - pad;
                        if gap > 0.0 && gap * gap > best.squared {
                            continue;
                        }
                    }
                    compare(simd, row_a, row_b, pad, best);
                    if best.limit == 0.0 {
                        return;
                    }
                }
                (true, false) => {
                    let other = b.node(j.index(), node_b);
                    let (low, high) = row_a.boxes.bounds(simd);
                    let gaps = squared_gaps(simd, &bridge.map_boxes(simd, &other.boxes), low, high);
                    self.opened.extend(other.used().map(|(lane, child)| (gaps[lane], i, child)));
                }
                (false, true) => {
                    let node = a.node(i.index(), node_a);
                    let (low, high) = row_b.boxes.bounds(simd);
                    let gaps = squared_gaps(simd, &node.boxes, low, high);
                    self.opened.extend(node.used().map(|(lane, child)| (gaps[lane], child, j)));
                }
                (false, false) => {
                    let (node, other) = (a.node(i.index(), node_a), b.node(j.index(), node_b));
                    let mapped = bridge.map_boxes(simd, &other.boxes);
                    for (lane, child) in other.used() {
                        let (low, high) = mapped.lane(lane);
                        let gaps = squared_gaps(simd, &node.boxes, low, high);
                        for (hit, first) in node.used() {
                            if gaps[hit] <= best.squared {
                                self.opened.push((gaps[hit], first, child));
                            }
                        }
                    }
                }
            }
            self.opened.retain(|(gap, _, _)| *gap <= best.squared);
            self.opened.sort_unstable_by(|x, y| y.0.total_cmp(&x.0));
            self.stack.append(&mut self.opened);
        }
    }
}

/// Leaves that are kept of each body; a power of two.
const CACHE: usize = 64;

/// The row of a leaf, the boxes of its triangles, and its projection onto the direction between the best points so far, in the
/// common frame.
struct Leaf {
    place: usize,
    row: Row,
    ids: RowIds,
    boxes: Boxes8,
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
        place: usize::MAX,
        row: Row::ZERO,
        ids: RowIds::EMPTY,
        boxes: Boxes8::EMPTY,
        version: 0,
        from: [0.0; LANES],
        to: [0.0; LANES],
        least: 0.0,
        greatest: 0.0,
    };

    /// Projects the row onto the present direction. Unused lanes repeat used ones, so they do no harm.
    #[inline(always)]
    fn project<S: Simd>(&mut self, simd: S, best: &Best) {
        if self.version == best.version {
            return;
        }
        self.version = best.version;
        let [nx, ny, nz] = best.direction;
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
        from.store_array(&mut self.from);
        to.store_array(&mut self.to);
        (self.least, self.greatest) = (from.reduce_min(), to.reduce_max());
    }

    #[inline(always)]
    fn read<S: Simd>(&mut self, simd: S, body: &dyn Hierarchy, place: usize, bridge: Option<&Bridge>) {
        if self.place == place {
            return;
        }
        self.place = place;
        self.version = 0;
        body.row(place, RowTwins::Apart, &mut self.row, &mut self.ids);
        let pad = match bridge {
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
        }
        for lane in self.ids.triangle_ids().count()..LANES {
            self.boxes.set(lane, [f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        }
    }
}

/// Lower bounds of the squared distances of eight boxes from another one.
#[inline(always)]
fn squared_gaps<S: Simd>(simd: S, boxes: &Boxes8, low: [f32; 3], high: [f32; 3]) -> [f32; LANES] {
    let zero = f32x8::splat(simd, 0.0);
    let mut sum = zero;
    for axis in 0..3 {
        let below = f32x8::load_array_ref(simd, &boxes.low[axis]) - high[axis];
        let above = f32x8::splat(simd, low[axis]) - f32x8::load_array_ref(simd, &boxes.high[axis]);
        // Stored boxes hold their triangles up to the slack.
        let gap = (below.max(above) - 2.0 * Frame::SLACK).max(zero);
        sum += gap * gap;
    }
    let mut gaps = [0.0; LANES];
    // Each rounding is below 2⁻²⁴ of what it rounds, and there are fewer than eight.
    (sum * (1.0 - 1e-6)).store_slice(&mut gaps);
    gaps
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
        if least[lane] > best.squared {
            continue;
        }
        for hit in bits(open[lane]) {
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
    /// From the point on the first body to that on the second, in the common frame, of length one; and how many there were before it.
    direction: [f32; 3],
    version: u32,
    measured: u64,
}

impl Best<'_> {
    fn set_limit(&mut self, limit: f64) {
        self.limit = limit;
        let in_frame = limit * self.scale;
        self.squared = (in_frame * in_frame * (1.0 + 1e-6)) as f32 * (1.0 + 1e-6);
    }

    fn measure(&mut self, triangles: [u32; 2]) {
        self.measured += 1;
        let [t, u] = [(self.a, triangles[0]), (self.b, triangles[1])]
            .map(|((body, _, pose), id)| pose.apply_to_triangle(&body.triangle(id)));
        let gap = distance(&t, &u);
        // Of several pairs at the same distance, the first by id: so the answer does not depend on the order.
        let is_better = match &self.found {
            None => gap.distance <= self.limit,
            Some(best) => {
                gap.distance < self.limit || gap.distance == self.limit && triangles < best.triangles
            }
        };
        if is_better {
            self.set_limit(gap.distance);
            self.found = Some(ClosestTriangles { triangles, gap });
            let [p, q] = gap.points;
            let way = self.a.2.inverse().rotation() * (q - p).normalize_or_zero();
            self.direction = way.to_array().map(|x| x as f32);
            self.version += 1;
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
