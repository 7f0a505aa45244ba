//! Asking a tree about a box or a ray.
//!
//! Both are the same walk: at every node a vector comparison says which of the eight boxes are worth opening, and
//! leaves are looked at triangle by triangle, exactly.

use super::{Child, MeshTree, Node};
use crate::exact::{self, Relation};
use crate::geom::{DVec3, Triangle};
use crate::mesh::TriangleId;
use crate::pairs::{Frame, LANES, RowIds};
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
    /// The triangle; of several at the same distance the one with the smallest id.
    pub triangle: TriangleId,
    /// Where on the way from start (0) to end (1), rounded.
    pub t: f64,
}

impl MeshTree {
    /// All triangles whose own boxes share a point with the closed box from `low` to `high`, sorted by id. The
    /// comparison is exact, in `f64`. A box with a NaN corner finds nothing.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes, geom::DVec3};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 2));
    /// let mut found = Vec::new();
    /// ball.find_in_box(DVec3::splat(0.4), DVec3::splat(0.8), &mut found);
    /// assert!(!found.is_empty() && found.len() < ball.mesh().triangle_count());
    /// ```
    pub fn find_in_box(&self, low: DVec3, high: DVec3, found: &mut Vec<TriangleId>) -> QueryStats {
        found.clear();
        let mut stats = QueryStats::default();
        let (from, to) = self.padded(low, high);
        self.descend(
            &mut stats,
            |node, lanes| lanes.overlapping(node, from, to),
            |triangle| {
                let t = self.mesh().triangle(triangle);
                let (t_low, t_high) = (t.a.min(t.b).min(t.c), t.a.max(t.b).max(t.c));
                if low.cmple(t_high).all() && t_low.cmple(high).all() {
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
        let mut best: Option<RayHit> = None;
        if !start.is_finite() || !end.is_finite() {
            return (None, stats);
        }
        // Boxes around the part of the ray that can still matter: it shrinks with every hit.
        let whole = self.padded(start.min(end), start.max(end));
        let reach = std::cell::Cell::new(whole);
        self.descend(
            &mut stats,
            |node, lanes| {
                let (from, to) = reach.get();
                lanes.overlapping(node, from, to)
            },
            |triangle| {
                let t = self.mesh().triangle(triangle);
                if exact::segment_triangle(start, end, &t) == Relation::Disjoint {
                    return;
                }
                let hit = RayHit { triangle, t: first_contact(start, end, &t) };
                if best.is_none_or(|b| (hit.t, hit.triangle) < (b.t, b.triangle)) {
                    best = Some(hit);
                    // Keep a little beyond the hit: `t` is rounded, and ties must still be found.
                    let tip = start.lerp(end, (hit.t * (1.0 + 1e-9) + 1e-12).min(1.0));
                    let (from, to) = self.padded(start.min(tip), start.max(tip));
                    reach.set((from, to));
                }
            },
        );
        (best, stats)
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
                let ids = &tree.ids[child.index()];
                for &triangle in ids.triangles.iter().take_while(|&&t| t != RowIds::NONE) {
                    stats.triangles += 1;
                    visit(TriangleId(triangle));
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

/// Where the segment first meets a triangle it is known to meet.
fn first_contact(start: DVec3, end: DVec3, t: &Triangle) -> f64 {
    if exact::segment_triangle(start, start, t) != Relation::Disjoint {
        return 0.0;
    }
    let (normal, way) = (t.area_vector(), end - start);
    let steepness = normal.dot(way);
    // Steep enough for the plane to give a sound answer.
    if steepness.abs() > 1e-9 * normal.length() * way.length() {
        return (normal.dot(t.a - start) / steepness).clamp(0.0, 1.0);
    }
    // Along the triangle's plane, or no plane at all: the first edge it comes closest to.
    let edges = [(t.a, t.b), (t.b, t.c), (t.c, t.a)];
    let meets = edges.map(|(p, q)| closest_approach(start, end, p, q));
    let nearest = meets.iter().map(|m| m.1).fold(f64::INFINITY, f64::min);
    let close = meets.iter().filter(|m| m.1 <= nearest + 1e-9 * way.length());
    close.map(|m| m.0).fold(1.0, f64::min)
}

/// Where on the first segment it comes closest to the second, and how close.
fn closest_approach(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> (f64, f64) {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let along = |s: f64| if vv > 0.0 { ((uv * s + vw) / vv).clamp(0.0, 1.0) } else { 0.0 };
    let determinant = uu * vv - uv * uv;
    let free = if determinant > 0.0 { ((uv * vw - vv * uw) / determinant).clamp(0.0, 1.0) } else { 0.0 };
    // Ends of the second segment may lie nearer along the first than the free minimum, when they are parallel.
    let onto = |p: DVec3| if uu > 0.0 { ((p - a).dot(u) / uu).clamp(0.0, 1.0) } else { 0.0 };
    let distance = |s: f64| (a + s * u).distance(c + along(s) * v);
    let candidates = [free, onto(c), onto(d)].map(|s| (s, distance(s)));
    let nearest = candidates.iter().map(|c| c.1).fold(f64::INFINITY, f64::min);
    let close = candidates.iter().filter(|c| c.1 <= nearest * (1.0 + 1e-9) + f64::MIN_POSITIVE);
    (close.map(|c| c.0).fold(1.0, f64::min), nearest)
}
