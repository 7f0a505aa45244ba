//! Asking a tree about a box or a ray.
//!
//! Both are the same walk: at every node a comparison says which of the eight boxes are worth opening, and leaves are
//! looked at triangle by triangle, exactly. A ray opens the nearest box first and stops where its nearest hit lies.

use super::{Child, MeshTree, Node};
use crate::exact::{self, Relation};
use crate::geom::{Box3, DVec3, Triangle};
use crate::mesh::TriangleId;
use crate::pairs::{Frame, LANES};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8, mask32x8};

/// Work done by one box or ray query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryStats {
    /// Nodes of eight boxes opened.
    pub nodes: u64,
    /// Triangles looked at.
    pub triangles: u64,
}

/// The first triangle a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The triangle; of several at the same distance, to twelve digits, the one with the smallest id.
    pub triangle: TriangleId,
    /// Where on the way from start (0) to end (1), rounded.
    pub t: f64,
}

/// Distances along a ray that differ by less, as parts of its length, count as equal: they are rounded.
const SAME_DISTANCE: f64 = 1e-12;

impl MeshTree {
    /// All triangles whose own boxes share a point with `within`, sorted by id. The comparison is exact, in `f64`. An
    /// empty box, or one with a NaN corner, finds nothing.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes, geom::{Box3, DVec3}};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 2));
    /// let mut found = Vec::new();
    /// ball.find_in_box(&Box3 { min: DVec3::splat(0.4), max: DVec3::splat(0.8) }, &mut found);
    /// assert!(!found.is_empty() && found.len() < ball.mesh().triangle_count());
    /// ```
    pub fn find_in_box(&self, within: &Box3, found: &mut Vec<TriangleId>) -> QueryStats {
        found.clear();
        let mut stats = QueryStats::default();
        if within.is_empty() {
            return stats;
        }
        let (from, to) = self.padded(within.min, within.max);
        self.descend(
            &mut stats,
            |node, lanes| lanes.overlapping(node, from, to),
            |triangle| {
                if self.mesh().triangle(triangle).bounds().overlaps(within) {
                    found.push(triangle);
                }
            },
        );
        found.sort_unstable();
        stats
    }

    /// The first triangle on the way from `start` to `end`. Whether a triangle is met is decided exactly for the
    /// segment between the two points, so nothing slips through at edges and vertices; only `t` is rounded.
    /// A segment with a NaN or infinite end meets nothing.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes, geom::DVec3};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
    /// let (hit, _) = ball.cast_ray(DVec3::new(-2.0, 0.0, 0.0), DVec3::ZERO);
    /// assert!((hit.unwrap().t - 0.5).abs() < 0.01);
    /// ```
    #[must_use]
    pub fn cast_ray(&self, start: DVec3, end: DVec3) -> (Option<RayHit>, QueryStats) {
        let mut stats = QueryStats::default();
        let mut hits: Vec<RayHit> = Vec::new();
        if !start.is_finite() || !end.is_finite() {
            return (None, stats);
        }
        // The reach ends a little beyond the nearest hit so far: `t` is rounded, and ties must still be found.
        let ray = Ray::new(&self.tree().frame, start, end);
        let mut reach = 1.0_f64;
        let mut stack = vec![(f64::NEG_INFINITY, Child::node(0))];
        if self.tree().nodes.is_empty() {
            stack.clear();
        }
        while let Some((entry, child)) = stack.pop() {
            if entry > reach {
                continue;
            }
            if !child.is_leaf() {
                stats.nodes += 1;
                ray.push_nearest_last(&self.tree().nodes[child.index()], &mut stack);
                continue;
            }
            for triangle in self.tree().ids[child.index()].triangle_ids() {
                stats.triangles += 1;
                let t = self.mesh().triangle(triangle);
                if exact::segment_triangle(start, end, &t) == Relation::Disjoint {
                    continue;
                }
                let hit = RayHit { triangle, t: first_contact(start, end, &t) };
                reach = reach.min(hit.t * (1.0 + 1e-9) + 1e-12);
                hits.push(hit);
            }
        }
        let nearest = hits.iter().map(|hit| hit.t).fold(f64::INFINITY, f64::min);
        let as_near = hits.into_iter().filter(|hit| hit.t <= nearest + SAME_DISTANCE);
        (as_near.min_by_key(|hit| hit.triangle), stats)
    }

    /// A box in frame coordinates that holds the given one.
    fn padded(&self, low: DVec3, high: DVec3) -> ([f32; 3], [f32; 3]) {
        let frame = &self.tree().frame;
        // Rounding is relative to the coordinate, which may lie far outside the frame.
        let pad = |x: f32| 2.0 * Frame::SLACK * x.abs().max(1.0);
        (frame.map(low).map(|x| x - pad(x)), frame.map(high).map(|x| x + pad(x)))
    }

    /// Visits every triangle in leaves that `lanes` leads to.
    fn descend(
        &self,
        stats: &mut QueryStats,
        lanes: impl Fn(&Node, LaneTest) -> u32,
        mut visit: impl FnMut(TriangleId),
    ) {
        let tree = self.tree();
        let test = LaneTest { level: Level::new() };
        let mut stack = Vec::with_capacity(64);
        if !tree.nodes.is_empty() {
            stack.push(Child::node(0));
        }
        while let Some(child) = stack.pop() {
            if child.is_leaf() {
                for triangle in tree.ids[child.index()].triangle_ids() {
                    stats.triangles += 1;
                    visit(triangle);
                }
                continue;
            }
            let node = &tree.nodes[child.index()];
            stats.nodes += 1;
            let hit = lanes(node, test);
            stack.extend(node.used().filter(|(lane, _)| hit >> lane & 1 == 1).map(|(_, child)| child));
        }
    }
}

/// A segment in frame coordinates, and what a box may do to it. Whatever rounding leaves open counts as a maybe.
pub(super) struct Ray {
    start: [f64; 3],
    way: [f64; 3],
    length_squared: f64,
}

/// Products below this may have lost digits to underflow.
const TINY: f64 = 1e-280;

impl Ray {
    pub(super) fn new(frame: &Frame, start: DVec3, end: DVec3) -> Self {
        let way = (end * frame.scale - start * frame.scale).to_array();
        let length_squared = way.iter().map(|d| d * d).sum();
        Self { start: ((start - frame.centre) * frame.scale).to_array(), way, length_squared }
    }

    /// Puts the children whose boxes the ray may meet on the stack, the nearest on top, each with a lower bound of
    /// where it is entered, as a part of the ray's length.
    pub(super) fn push_nearest_last(&self, node: &Node, stack: &mut Vec<(f64, Child)>) {
        let first = stack.len();
        for (lane, child) in node.used() {
            let (low, high) = node.lane_box(lane);
            let (mut centre, mut half) = ([0.0; 3], [0.0; 3]);
            for k in 0..3 {
                centre[k] = 0.5 * (f64::from(low[k]) + f64::from(high[k])) - self.start[k];
                half[k] = 0.5 * (f64::from(high[k]) - f64::from(low[k])) + 2.0 * f64::from(Frame::SLACK);
                half[k] += 8.0 * f64::EPSILON * self.start[k].abs();
            }
            if !self.misses(&centre, &half) {
                stack.push((self.entry(&centre, &half), child));
            }
        }
        stack[first..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    }

    /// Whether the box, given relative to the start, certainly lies beside the ray's line, seen along some axis, or
    /// behind one of its ends.
    #[inline]
    fn misses(&self, centre: &[f64; 3], half: &[f64; 3]) -> bool {
        let d = &self.way;
        let beside = |i: usize, j: usize| {
            let (a, b) = (centre[i] * d[j], centre[j] * d[i]);
            let reach = half[i] * d[j].abs() + half[j] * d[i].abs();
            (a - b).abs() > reach + 8.0 * f64::EPSILON * (a.abs() + b.abs() + reach) + TINY
        };
        let behind = |k: usize| {
            let (from, to) = (d[k].min(0.0), d[k].max(0.0));
            let reach = half[k] + 8.0 * f64::EPSILON * d[k].abs();
            centre[k] - reach > to || centre[k] + reach < from
        };
        behind(0) || behind(1) || behind(2) || beside(0, 1) || beside(1, 2) || beside(2, 0)
    }

    #[inline]
    fn entry(&self, centre: &[f64; 3], half: &[f64; 3]) -> f64 {
        if self.length_squared < TINY {
            return f64::NEG_INFINITY;
        }
        let mut nearest = 0.0;
        for k in 0..3 {
            let (along, reach) = (centre[k] * self.way[k], half[k] * self.way[k].abs());
            nearest += along - reach - 8.0 * f64::EPSILON * (along.abs() + reach);
        }
        nearest / self.length_squared
    }
}

/// Vector comparison of the eight boxes of a node.
#[derive(Clone, Copy)]
struct LaneTest {
    level: Level,
}

impl LaneTest {
    fn overlapping(self, node: &Node, low: [f32; 3], high: [f32; 3]) -> u32 {
        let level = self.level;
        dispatch!(level, simd => lanes_overlapping(simd, &node.low, &node.high, low, high))
    }
}

/// Lanes whose boxes overlap the given one.
#[inline(always)]
pub(super) fn lanes_overlapping<S: Simd>(
    simd: S,
    lows: &[[f32; LANES]; 3],
    highs: &[[f32; LANES]; 3],
    low: [f32; 3],
    high: [f32; 3],
) -> u32 {
    let mut hit = mask32x8::splat(simd, true);
    for axis in 0..3 {
        hit &= f32x8::load_array_ref(simd, &lows[axis]).simd_le(high[axis]);
        hit &= f32x8::load_array_ref(simd, &highs[axis]).simd_ge(low[axis]);
    }
    hit.to_bitmask() as u32
}

/// Where the segment first meets a triangle it is known to meet, as a part of its length.
fn first_contact(start: DVec3, end: DVec3, t: &Triangle) -> f64 {
    // The segment is a triangle without area; the ends of what the two share are rounded once, and no more.
    let Some(shared) = exact::tri_tri_segment(&Triangle::new(start, end, end), t) else { return 0.0 };
    // Near one, so that products neither overflow nor vanish.
    let frame = Frame::around(start.min(end), start.max(end));
    let scaled = |p: DVec3| (p - frame.centre) * frame.scale;
    let (origin, way) = (scaled(start), scaled(end) - scaled(start));
    let length = way.length_squared();
    let along = |p: DVec3| if length > 0.0 { (scaled(p) - origin).dot(way) / length } else { 0.0 };
    along(shared[0]).min(along(shared[1])).clamp(0.0, 1.0)
}
