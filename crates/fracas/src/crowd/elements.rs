//! Triangles and polygons as *elements*: their sizes, and whether two come within a distance of each other.

use crate::base::{Lists, parallel};
use crate::exact::{self, Relation};
use crate::geom::{Box3, DVec3, Triangle};
use crate::pairs::Frame;

/// A set of triangles or polygons, in a frame in which lengths neither overflow nor underflow.
pub(super) struct Elements<'a> {
    positions: Vec<DVec3>,
    /// What lengths have been multiplied by.
    pub(super) scale: f64,
    loops: Loops<'a>,
}

/// By element: the vertices around it.
pub(super) enum Loops<'a> {
    Triangles(&'a [[u32; 3]]),
    Polygons(Lists<u32>),
}

impl Loops<'_> {
    fn count(&self) -> usize {
        match self {
            Self::Triangles(triangles) => triangles.len(),
            Self::Polygons(loops) => loops.count(),
        }
    }

    fn vertices(&self) -> &[u32] {
        match self {
            Self::Triangles(triangles) => triangles.as_flattened(),
            Self::Polygons(loops) => loops.items(),
        }
    }
}

/// How many elements or vertices a thread takes at a time.
pub(super) const AT_A_TIME: usize = 8192;

/// An element's box, and the diameter of the smallest sphere around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) bounds: Box3,
    pub(super) diameter: f64,
}

impl Element {
    /// By how much it is grown: a quarter of its diameter.
    pub(super) fn reach(&self) -> f64 {
        0.25 * self.diameter
    }

    pub(super) fn grown(&self) -> Box3 {
        self.bounds.expanded(self.reach())
    }
}

impl<'a> Elements<'a> {
    pub(super) fn new(positions: &[DVec3], loops: Loops<'a>) -> Self {
        let bounds = |vertices: &[u32]| Box3::from_points(vertices.iter().map(|&v| positions[v as usize]));
        let boxes = parallel::map(true, loops.vertices().chunks(AT_A_TIME), bounds);
        let (low, high) = boxes.iter().fold(Box3::EMPTY, |all, next| all.union(next)).corners();
        let frame = Frame::around(low, high);
        let mut moved = vec![DVec3::ZERO; positions.len()];
        let chunks = moved.chunks_mut(AT_A_TIME).zip(positions.chunks(AT_A_TIME));
        parallel::for_each(true, chunks, |(moved, positions)| {
            moved.iter_mut().zip(positions).for_each(|(to, p)| *to = (p - frame.centre) * frame.scale);
        });
        Self { positions: moved, scale: frame.scale, loops }
    }

    fn corners(&self, element: u32) -> &[u32] {
        match &self.loops {
            Loops::Triangles(triangles) => &triangles[element as usize],
            Loops::Polygons(loops) => loops.list(element as usize),
        }
    }

    pub(super) fn at(&self, vertex: u32) -> DVec3 {
        self.positions[vertex as usize]
    }

    /// The size of every element.
    pub(super) fn list(&self) -> Vec<Element> {
        let mut list = vec![Element { bounds: Box3::EMPTY, diameter: 0.0 }; self.loops.count()];
        parallel::for_each(true, list.chunks_mut(AT_A_TIME).enumerate(), |(k, list)| {
            let mut points = Vec::new();
            for (element, size) in (k * AT_A_TIME..).zip(list) {
                *size = self.size(element, &mut points);
            }
        });
        list
    }

    fn size(&self, element: usize, points: &mut Vec<DVec3>) -> Element {
        let corners = self.corners(element as u32);
        if let [a, b, c] = *corners {
            let [a, b, c] = [self.at(a), self.at(b), self.at(c)];
            let diameter = around_triangle(a, b, c).1;
            return Element { bounds: Triangle::new(a, b, c).bounds(), diameter };
        }
        points.clear();
        points.extend(corners.iter().map(|&v| self.at(v)));
        assert!(!points.is_empty(), "polygon {element} has no corners");
        Element { bounds: Box3::from_points(points.iter().copied()), diameter: around(points, &[]).1 }
    }

    /// The vertices of all elements in the given order, if they are all triangles; none otherwise.
    pub(super) fn corners_of_triangles(&self, order: &[u32]) -> Vec<[u32; 3]> {
        let of = |&element: &u32| self.corners(element).try_into().ok();
        let lists = parallel::map(true, order.chunks(AT_A_TIME), |order| {
            order.iter().map(of).collect::<Option<Vec<[u32; 3]>>>()
        });
        lists.into_iter().collect::<Option<Vec<_>>>().map_or_else(Vec::new, |lists| lists.concat())
    }

    pub(super) fn share_a_vertex(&self, a: u32, b: u32) -> bool {
        let others = self.corners(b);
        self.corners(a).iter().any(|v| others.contains(v))
    }

    pub(super) fn within(&self, a: u32, b: u32, distance: f64) -> bool {
        self.fan(a).any(|t| self.fan(b).any(|u| within(&t, &u, distance)))
    }

    fn fan(&self, element: u32) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        let corners = self.corners(element);
        let first = self.at(corners[0]);
        // A point or a segment is a fan of one.
        let last = |k: usize| self.at(corners[k.min(corners.len() - 1)]);
        (1..corners.len().max(3) - 1).map(move |k| [first, last(k), last(k + 1)])
    }
}

/// Centre and diameter of the smallest sphere around three points.
fn around_triangle(a: DVec3, b: DVec3, c: DVec3) -> (DVec3, f64) {
    // Edges opposite of each corner; the longest last.
    let [mut x, mut y, mut z] =
        [(b.distance_squared(c), b, c), (c.distance_squared(a), c, a), (a.distance_squared(b), a, b)];
    if x.0 > z.0 {
        (x, z) = (z, x);
    }
    if y.0 > z.0 {
        (y, z) = (z, y);
    }
    if x.0 + y.0 <= z.0 {
        return (0.5 * (z.1 + z.2), z.0.sqrt());
    }
    // Sharp: the circumscribed circle.
    let (u, v) = (b - a, c - a);
    let n = u.cross(v);
    let centre =
        (u.length_squared() * v.cross(n) + v.length_squared() * n.cross(u)) / (2.0 * n.length_squared());
    (a + centre, 2.0 * centre.length())
}

/// Centre and diameter of the smallest sphere around points that passes through up to four others: Welzl's algorithm.
fn around(points: &[DVec3], others: &[DVec3]) -> (DVec3, f64) {
    let mut ball = match *others {
        [] => (points[0], 0.0),
        [a] => (a, 0.0),
        [a, b] => (0.5 * (a + b), a.distance(b)),
        [a, b, c] => around_triangle(a, b, c),
        [a, b, c, d, ..] => return around_four([a, b, c, d]),
    };
    for (i, &p) in points.iter().enumerate() {
        if 2.0 * p.distance(ball.0) > ball.1 * (1.0 + 1e-12) {
            ball = around(&points[..i], &[others, &[p]].concat());
        }
    }
    ball
}

/// The sphere through four points; if they lie in a plane, the smallest around three of them that holds all.
fn around_four(p: [DVec3; 4]) -> (DVec3, f64) {
    let [u, v, w] = [p[1] - p[0], p[2] - p[0], p[3] - p[0]];
    let volume = u.dot(v.cross(w));
    let largest = u.length().max(v.length()).max(w.length());
    if volume.abs() > 1e-9 * largest.powi(3) {
        let sum = u.length_squared() * v.cross(w)
            + v.length_squared() * w.cross(u)
            + w.length_squared() * u.cross(v);
        let centre = sum / (2.0 * volume);
        return (p[0] + centre, 2.0 * centre.length());
    }
    let threes =
        [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].map(|[a, b, c]| around_triangle(p[a], p[b], p[c]));
    threes.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("four of them")
}

/// Whether two triangles come within a distance of each other.
pub(super) fn within(p: &[DVec3; 3], q: &[DVec3; 3], distance: f64) -> bool {
    let reach = distance * distance;
    if apart_between_middles(p, q, distance) {
        return false;
    }
    let near = |a: &DVec3| q.iter().fold(false, |any, b| any | (a.distance_squared(*b) <= reach));
    if p.iter().any(near) {
        return true;
    }
    if beyond_plane(p, q, distance) || beyond_plane(q, p, distance) {
        return false;
    }
    let side = |p: &[DVec3; 3], k: usize| [p[k], p[(k + 1) % 3]];
    let triangle = |p: &[DVec3; 3]| Triangle::new(p[0], p[1], p[2]);
    (0..3).any(|i| (0..3).any(|k| segments_squared(side(p, i), side(q, k)) <= reach))
        || p.iter().any(|&x| over_face(x, q, distance))
        || q.iter().any(|&x| over_face(x, p, distance))
        || exact::tri_tri(&triangle(p), &triangle(q)) != Relation::Disjoint
}

/// Whether two triangles are farther apart than a distance in the direction from one's middle to the other's.
fn apart_between_middles(p: &[DVec3; 3], q: &[DVec3; 3], distance: f64) -> bool {
    let across = (q[0] - p[0]) + (q[1] - p[1]) + (q[2] - p[2]);
    let least = |points: &[DVec3; 3], across: DVec3| {
        let x = points.map(|x| across.dot(x - p[0]));
        x[0].min(x[1]).min(x[2])
    };
    let gap = least(q, across) + least(p, -across);
    gap > 0.0 && gap * gap > (1.0 + 1e-9) * distance * distance * across.length_squared()
}

/// Whether all points are farther than a distance from the plane of a triangle, on one side.
fn beyond_plane(t: &[DVec3; 3], points: &[DVec3; 3], distance: f64) -> bool {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    let far = distance * n.length();
    let heights = points.map(|p| n.dot(p - t[0]));
    far > 0.0 && (heights.iter().all(|&h| h > far) || heights.iter().all(|&h| h < -far))
}

/// Whether a point is within a distance of a triangle, straight above or below it.
fn over_face(p: DVec3, t: &[DVec3; 3], distance: f64) -> bool {
    let n = (t[1] - t[0]).cross(t[2] - t[0]);
    if n.dot(p - t[0]).abs() > distance * n.length() || n == DVec3::ZERO {
        return false;
    }
    (0..3).all(|k| (t[(k + 1) % 3] - t[k]).cross(p - t[k]).dot(n) >= 0.0)
}

/// The squared distance of two segments.
fn segments_squared([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, vv, uv, uw, vw) = (u.dot(u), v.dot(v), u.dot(v), u.dot(w), v.dot(w));
    let part = |x: f64| x.clamp(0.0, 1.0);
    let determinant = uu * vv - uv * uv;
    let mut s = if determinant > 0.0 { part((uv * vw - vv * uw) / determinant) } else { 0.0 };
    let mut t = if vv > 0.0 { (uv * s + vw) / vv } else { 0.0 };
    if !(0.0..=1.0).contains(&t) {
        t = part(t);
        s = if uu > 0.0 { part((uv * t - uw) / uu) } else { 0.0 };
    } else if vv == 0.0 && uu > 0.0 {
        s = part(-uw / uu);
    }
    (w + u * s - v * t).length_squared()
}
