//! The point of a body nearest to a point.
//!
//! # Idea
//!
//! ```text
//!   node: eight boxes ──▶ row: eight triangles, bounds of their distances in f32 ──▶ list of candidates ──▶ f64
//! ```
//!
//! Boxes are opened nearest first. A row gives an upper and a lower bound for each of its triangles (`row_distance`). The smallest upper bound
//! so far rules out boxes and triangles; what is left at the end, mostly one to six triangles, is measured in `f64` (`project`). The answer is
//! the minimum over the whole body, so it depends neither on the order of the walk nor on where it began.
//!
//! Everything is computed in units of the body's frame, a power of two. So a body 2ᵏ times as large gives 2ᵏ times the answers.
//!
//! # The normal
//!
//! At an edge or a vertex the normal is that of all triangles there, weighted by their angles (Bærentzen and Aanæs, Signed distance
//! computation using the angle weighted pseudonormal, 2005). These triangles are candidates in any case: they are as near as the nearest. They are told by
//! the positions of their corners, not by index, so soups of loose triangles have the same normals as meshes. Of triangles that coincide, with the
//! same orientation, one counts. Triangles that coincide with opposite orientations cancel out, as the faces of a closed crack should.
//!
//! The sign of a distance never comes from normals; see `inside`.

use super::project::{Projection, project};
use super::row_distance::{corners_from, distances, may_be_near};
use super::view::Sight;
use super::{Child, Hierarchy, Node, Opened, RowTwins, Shape, View};
use crate::geom::{DVec3, LANES, Triangle};
use crate::mesh::TriangleId;
use crate::pairs::{Frame, Row, RowIds, bits};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};
use std::hint::black_box;

/// The nearest point of a body.
///
/// ```
/// use fracas::{Feature, MeshTree, mesh::shapes, geom::DVec3};
/// let cube = MeshTree::build(shapes::cuboid(DVec3::splat(2.0)));
/// let near = cube.view().nearest(DVec3::new(2.0, 3.0, 0.0), f64::INFINITY).unwrap();
/// assert_eq!(near.point, DVec3::new(1.0, 1.0, 0.0));
/// assert!(matches!(near.feature, Feature::Edge(_)));
/// assert!((near.normal - DVec3::new(0.5, 0.5, 0.0).normalize()).length() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The triangle it lies on; of several at the same distance, the one with the smallest id.
    pub triangle: TriangleId,
    /// The point, rounded.
    pub point: DVec3,
    /// Distance to it, rounded.
    pub distance: f64,
    /// Weights of the triangle's corners at the point. They sum to one; the weight of a corner that has no part in the feature is 0.
    pub weights: [f64; 3],
    /// On which vertex, edge or face the point lies.
    pub feature: Feature,
    /// The outward normal of the surface there, of length one: of the face, or of all triangles around the edge or the vertex, weighted by
    /// their angles. Zero if no triangle there has an area.
    pub normal: DVec3,
}

/// A vertex, an edge or a face of a body, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A vertex.
    Vertex(u32),
    /// The inside of an edge: its vertices in ascending order.
    Edge([u32; 2]),
    /// The inside of a triangle.
    Face(TriangleId),
}

impl View<'_> {
    /// The point of the body nearest to `p`, if it is at most `reach` away, which may be infinite.
    ///
    /// `None` if nothing is that near, if the point is not finite, if the reach is NaN or negative, or if `f64` cannot hold the distance.
    ///
    /// # Cost
    /// About as many nodes as the tree is deep, near the surface; more, the farther away. No allocation, but where many triangles are
    /// equally near. For many points, [`Finder::nearest_each`](crate::Finder::nearest_each) is faster. A mesh without a structure is
    /// gone through triangle by triangle.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes, geom::DVec3};
    /// let cube = MeshTree::build(shapes::cuboid(DVec3::splat(2.0)));
    /// let near = cube.view().nearest(DVec3::new(0.2, 0.3, 3.0), f64::INFINITY).unwrap();
    /// assert!(near.distance == 2.0 && near.point.distance(DVec3::new(0.2, 0.3, 1.0)) < 1e-15);
    /// ```
    #[doc(alias = "closest_point")]
    #[doc(alias = "project_point")]
    #[must_use]
    pub fn nearest(&self, p: DVec3, reach: f64) -> Option<Nearest> {
        NearestSearch::new(self).find(p, reach, None)
    }
}

/// What many questions about one view have in common.
pub(crate) struct NearestSearch<'a> {
    view: View<'a>,
    sight: Sight,
    level: Level,
    /// Positions and triangles, if the body keeps them ready and stands where it is.
    own: Option<(&'a [DVec3], &'a [[u32; 3]])>,
}

/// Points farther from the middle than this, in units of the frame, are left to `f64` alone: `f32` would say little about them.
const FAR: f64 = 64.0;

/// How far candidates may lie beyond the nearest, as a part of the largest coordinate difference: more than `f64` rounds.
const TIE: f64 = 1e-12;

impl<'a> NearestSearch<'a> {
    pub(crate) fn new(view: &View<'a>) -> Self {
        let own = match view.shape {
            Shape::Hierarchy { body, .. } if view.pose.is_identity() => {
                body.positions().zip(body.triangles())
            }
            _ => None,
        };
        Self { view: *view, sight: view.sight(), level: Level::new(), own }
    }

    /// The nearest point; `hint` is a triangle of the view that may be near.
    pub(crate) fn find(&self, p: DVec3, reach: f64, hint: Option<TriangleId>) -> Option<Nearest> {
        if !p.is_finite() || reach.is_nan() || reach < 0.0 {
            return None;
        }
        let mut candidates = Candidates::new();
        let q = self.sight.point(p);
        let far = q.abs().max_element();
        let scale = self.sight.frame.scale;
        let unit = match self.view.shape {
            Shape::Hierarchy { body, tree } if far <= FAR => {
                let mut limit = (reach * scale) as f32 * (1.0 + 1e-6) + f32::MIN_POSITIVE;
                let off = (f64::from(Frame::SLACK) + f64::from(f32::EPSILON) * far + self.sight.rounding(far))
                    as f32;
                if let Some(id) = hint {
                    let known = project(&self.corners(id.0, p, scale)).distance as f32;
                    limit = limit.min(known * (1.0 + 1e-6) + 4.0 * off);
                }
                let q = q.to_array().map(|x| x as f32);
                let opened = body.ready();
                let walk = Walk { body, tree, opened, q, off };
                dispatch!(self.level, simd => walk.run(simd, limit, &mut candidates));
                scale
            }
            _ => self.gather_far(p, q, reach, &mut candidates)?,
        };
        self.best_of(p, reach, unit, &mut candidates)
    }

    /// A triangle where the pose puts it.
    #[inline(always)]
    fn triangle(&self, id: u32) -> Triangle {
        match self.own {
            Some((positions, triangles)) => {
                let [a, b, c] = triangles[id as usize].map(|v| positions[v as usize]);
                Triangle::new(a, b, c)
            }
            None => self.view.triangle(TriangleId(id)),
        }
    }

    /// Corners of a triangle relative to a point.
    #[inline(always)]
    fn corners(&self, id: u32, p: DVec3, unit: f64) -> [DVec3; 3] {
        self.triangle(id).corners().map(|corner| (corner - p) * unit)
    }

    /// Candidates for a point far away, or for a soup; all in `f64`. Returns the unit in which squares neither overflow nor vanish.
    fn gather_far(&self, p: DVec3, q: DVec3, reach: f64, candidates: &mut Candidates) -> Option<f64> {
        let bounds = self.view.bounds();
        let (low, high) = bounds.corners();
        let size = (low - p).abs().max((high - p).abs()).max_element();
        if !(size.is_finite() && low.cmple(high).all()) {
            return None;
        }
        // The smallest power of two above the size, inverted. The size may be subnormal or zero.
        let exponent = ((size.to_bits() >> 52) as i64 - 1023).max(-1000);
        let unit = f64::from_bits(((1022 - exponent).max(1) as u64) << 52);
        let ratio = unit / self.sight.frame.scale;
        let pad = self.sight.rounding(q.abs().max_element());
        let q = q.to_array();
        let is_known = q.iter().all(|x| x.is_finite()) && ratio.is_normal();
        let mut limit = reach * unit + TIE;
        self.view.visit(
            limit * limit,
            |node, lanes| {
                for (lane, _) in node.used() {
                    let (low, high) = node.boxes.lane(lane);
                    let mut squared = 0.0;
                    for k in 0..3 {
                        let slack = f64::from(Frame::SLACK) + 4.0 * f64::EPSILON * q[k].abs() + pad;
                        let outside = (f64::from(low[k]) - q[k]).max(q[k] - f64::from(high[k])) - slack;
                        squared += (outside.max(0.0) * ratio).powi(2);
                    }
                    lanes[lane] = if is_known { squared * (1.0 - 1e-12) } else { 0.0 };
                }
            },
            |id, t| {
                let distance = project(&t.corners().map(|corner| (corner - p) * unit)).distance;
                if distance <= limit {
                    limit = limit.min(distance + TIE);
                    candidates.push(distance as f32, id, limit as f32 * (1.0 + 1e-6));
                }
                Some(limit * limit)
            },
        );
        Some(unit)
    }

    /// The nearest of the candidates.
    fn best_of(&self, p: DVec3, reach: f64, unit: f64, candidates: &mut Candidates) -> Option<Nearest> {
        let mut best: Option<(f64, u32, Projection)> = None;
        let list = candidates.take();
        // Corners of several candidates are fetched at once: memory then answers for all of them at once.
        let mut fetched = [[DVec3::ZERO; 3]; LANES];
        for chunk in list.chunks(LANES) {
            for (corners, &(_, id)) in fetched.iter_mut().zip(chunk) {
                *corners = self.corners(id, p, unit);
            }
            for (corners, &(_, id)) in fetched.iter().zip(chunk) {
                let found = project(corners);
                let is_better = best.as_ref().is_none_or(|(distance, first, _)| {
                    found.distance < *distance || found.distance == *distance && id < *first
                });
                if is_better {
                    best = Some((found.distance, id, found));
                }
            }
        }
        let (distance, id, found) = best?;
        let distance = distance / unit;
        if distance > reach || !distance.is_finite() {
            return None;
        }
        let (triangle, weights) = (TriangleId(id), found.weights);
        let t = self.triangle(id);
        let names = self.vertices(id);
        let mut parts = (0..3).filter(|k| weights[*k] > 0.0);
        let parts = [parts.next(), parts.next(), parts.next()];
        let (feature, point, normal) = match parts {
            [Some(k), None, _] => {
                let corner = t.corners()[k];
                (Feature::Vertex(names[k]), corner, self.normal_around(list, &[corner], &t))
            }
            [Some(i), Some(j), None] => {
                let ends = [t.corners()[i], t.corners()[j]];
                let edge = [names[i].min(names[j]), names[i].max(names[j])];
                (Feature::Edge(edge), point_at(&t, weights), self.normal_around(list, &ends, &t))
            }
            _ => (Feature::Face(triangle), point_at(&t, weights), unit_normal(&t)),
        };
        Some(Nearest { triangle, point, distance, weights, feature, normal })
    }

    fn vertices(&self, id: u32) -> [u32; 3] {
        match self.view.shape {
            Shape::Hierarchy { body, .. } => body.vertices(id, false),
            Shape::Soup(mesh) => mesh.triangles()[id as usize],
        }
    }

    /// The mean normal of the candidates that have all the given corners, weighted by their angles there.
    fn normal_around(&self, list: &mut [(f32, u32)], at: &[DVec3], own: &Triangle) -> DVec3 {
        list.sort_unstable_by_key(|(_, id)| *id);
        let mut around: Vec<Triangle> = Vec::with_capacity(8);
        for &mut (_, id) in list {
            let t = self.triangle(id);
            if at.iter().all(|p| t.corners().contains(p)) {
                around.push(t);
            }
        }
        drop_copies(&mut around);
        let mut sum = DVec3::ZERO;
        for t in &around {
            let (normal, angle) = normal_at(t, at[0]);
            sum += if at.len() == 1 { normal * angle } else { normal };
        }
        let length = sum.length();
        // Nothing but rounding is left where triangles cancel out.
        if length > 1e-12 * around.len() as f64 { sum / length } else { unit_normal(own) }
    }
}

/// The point with the given weights.
fn point_at(t: &Triangle, [u, v, w]: [f64; 3]) -> DVec3 {
    if u >= v && u >= w {
        t.a + (t.b - t.a) * v + (t.c - t.a) * w
    } else if v >= w {
        t.b + (t.a - t.b) * u + (t.c - t.b) * w
    } else {
        t.c + (t.a - t.c) * u + (t.b - t.c) * v
    }
}

/// The normal of length one; zero if the triangle has no area. Right at any size.
fn unit_normal(t: &Triangle) -> DVec3 {
    normal_at(t, t.a).0
}

/// The normal of length one of a triangle, and its angle at one of its corners.
fn normal_at(t: &Triangle, p: DVec3) -> (DVec3, f64) {
    let corners = t.corners();
    let k = corners.iter().position(|corner| *corner == p).unwrap_or(0);
    let (u, v) = (unit_vector(corners[(k + 1) % 3] - p), unit_vector(corners[(k + 2) % 3] - p));
    let n = u.cross(v);
    let sine = n.length();
    if sine == 0.0 { (DVec3::ZERO, 0.0) } else { (n / sine, libm::atan2(sine, u.dot(v))) }
}

/// The vector with length one, also where its square would overflow or vanish; zero for zero.
fn unit_vector(v: DVec3) -> DVec3 {
    let largest = v.abs().max_element();
    if largest == 0.0 || !largest.is_finite() {
        return DVec3::ZERO;
    }
    let v = v * f64::from_bits(largest.max(f64::MIN_POSITIVE).to_bits() & 0x7ff0_0000_0000_0000).recip();
    v / v.length()
}

/// Keeps one of all triangles with the same corners in the same cyclic order.
fn drop_copies(list: &mut Vec<Triangle>) {
    const FEW: usize = 32;
    let turned = |t: &Triangle| {
        let key = |p: DVec3| p.to_array();
        let [a, b, c] = t.corners().map(key);
        let turns = [[a, b, c], [b, c, a], [c, a, b]];
        turns.into_iter().min_by(|x, y| x.partial_cmp(y).expect("finite")).expect("three turns")
    };
    if list.len() > FEW {
        list.sort_by(|t, u| turned(t).partial_cmp(&turned(u)).expect("finite"));
        list.dedup_by_key(|t| turned(t));
        return;
    }
    let mut k = 1;
    while k < list.len() {
        let (before, t) = (&list[..k], &list[k]);
        let is_copy = |u: &Triangle| {
            let [a, b, c] = u.corners();
            let t = t.corners();
            t == [a, b, c] || t == [b, c, a] || t == [c, a, b]
        };
        if before.iter().any(is_copy) {
            let _ = list.remove(k);
        } else {
            k += 1;
        }
    }
}

/// Triangles that may be the nearest, with lower bounds of their distances.
struct Candidates {
    few: [(f32, u32); Self::FEW],
    count: usize,
    /// All of them, once there are many.
    many: Vec<(f32, u32)>,
    limit: f32,
}

impl Candidates {
    const FEW: usize = 32;

    fn new() -> Self {
        Self { few: [(0.0, 0); Self::FEW], count: 0, many: Vec::new(), limit: f32::INFINITY }
    }

    /// Adds a candidate; `limit` is the smallest upper bound so far.
    #[inline(always)]
    fn push(&mut self, bound: f32, id: u32, limit: f32) {
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
    fn take(&mut self) -> &mut [(f32, u32)] {
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
struct Walk<'a> {
    body: &'a dyn Hierarchy,
    tree: Option<usize>,
    opened: Option<Opened<'a>>,
    q: [f32; 3],
    /// How far boxes, corners and the point together may be off, along each axis.
    off: f32,
}

impl Walk<'_> {
    /// Gathers all triangles that may be the nearest, if they are nearer than `limit`.
    #[inline(always)]
    fn run<S: Simd>(&self, simd: S, mut limit: f32, candidates: &mut Candidates) {
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
