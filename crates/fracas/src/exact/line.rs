//! Segments and points: triangles without area.
//!
//! Points of a line are ordered by comparing x, then y, then z: along a line this order never turns back, whatever
//! its direction. So the ends of a flat triangle, and overlaps on a line, need no arithmetic at all.

use super::orient::Plane;
use super::planar::{self, View};
use super::{Relation, Sign, orient2d, orient3d};
use crate::geom::{DVec3, Triangle};
use std::cmp::Ordering;

/// How the segment from `p` to `q` and the triangle meet, both closed; `p` may equal `q`.
///
/// Crossing means that the inside of the segment passes through the inside of the triangle, with one end strictly on
/// each side; any other common point is a touch. Exact for all finite coordinates.
///
/// ```
/// use fracas::exact::{Relation, segment_triangle};
/// use fracas::geom::{DVec3, Triangle};
/// let t = Triangle::new(DVec3::ZERO, 4.0 * DVec3::X, 4.0 * DVec3::Y);
/// let p = DVec3::ONE;
/// assert_eq!(segment_triangle(p, DVec3::new(1.0, 1.0, -1.0), &t), Relation::Crossing);
/// assert_eq!(segment_triangle(p, DVec3::new(1.0, 1.0, 0.0), &t), Relation::Touching);
/// assert_eq!(segment_triangle(p, DVec3::new(9.0, 1.0, -1.0), &t), Relation::Disjoint);
/// ```
pub fn segment_triangle(p: DVec3, q: DVec3, t: &Triangle) -> Relation {
    let plane = Plane::of(t);
    match (plane.side(p), plane.side(q)) {
        (Sign::Zero, Sign::Zero) => Relation::touching_if(meet_flat(p, q, t)),
        (at_p, at_q) if at_p == at_q => Relation::Disjoint,
        (Sign::Zero, _) => Relation::touching_if(holds(t, p)),
        (_, Sign::Zero) => Relation::touching_if(holds(t, q)),
        _ => pierce(p, q, t),
    }
}

/// The segment pq, its ends strictly on opposite sides of the proper triangle: does it pass inside the edges?
fn pierce(p: DVec3, q: DVec3, t: &Triangle) -> Relation {
    let turns = [orient3d(p, q, t.a, t.b), orient3d(p, q, t.b, t.c), orient3d(p, q, t.c, t.a)];
    if turns.contains(&Sign::Positive) && turns.contains(&Sign::Negative) {
        Relation::Disjoint
    } else if turns.contains(&Sign::Zero) {
        Relation::Touching
    } else {
        Relation::Crossing
    }
}

/// Whether a segment in the plane of the triangle meets it, or any segment a triangle without area.
fn meet_flat(p: DVec3, q: DVec3, t: &Triangle) -> bool {
    match View::of(t) {
        Some(view) => planar::meet(view, t, &Triangle::new(p, q, q)),
        None => segments_meet([p, q], ends(t)),
    }
}

/// Whether the point lies in the plane of the triangle and in the triangle, whatever the triangle's shape.
pub(super) fn holds(t: &Triangle, p: DVec3) -> bool {
    match View::of(t) {
        Some(view) => Plane::of(t).side(p).is_zero() && planar::holds(view, t, p),
        None => segments_meet([p, p], ends(t)),
    }
}

/// The ends of a triangle whose corners lie on a line, in order; equal if it is a point.
pub(super) fn ends(t: &Triangle) -> [DVec3; 2] {
    [earlier(earlier(t.a, t.b), t.c), later(later(t.a, t.b), t.c)]
}

/// The order along a line: x, then y, then z. Both zeros are one number.
pub(super) fn compare(p: DVec3, q: DVec3) -> Ordering {
    p.to_array().partial_cmp(&q.to_array()).unwrap_or(Ordering::Equal)
}

fn earlier(p: DVec3, q: DVec3) -> DVec3 {
    if compare(p, q).is_le() { p } else { q }
}

fn later(p: DVec3, q: DVec3) -> DVec3 {
    if compare(p, q).is_ge() { p } else { q }
}

/// Where two segments on one line, each in order, overlap: from the first point to the second if these are in order,
/// else nowhere.
pub(super) fn overlap(p: [DVec3; 2], q: [DVec3; 2]) -> [DVec3; 2] {
    [later(p[0], q[0]), earlier(p[1], q[1])]
}

/// A direction from which some three of the points show an area; `None` if all lie on a line.
pub(super) fn view_of_segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> Option<View> {
    [[a, b, c], [a, b, d], [a, c, d], [b, c, d]]
        .into_iter()
        .find_map(|[a, b, c]| View::of(&Triangle::new(a, b, c)))
}

/// Whether two segments share a point. The ends of each may be equal.
pub(super) fn segments_meet(p: [DVec3; 2], q: [DVec3; 2]) -> bool {
    let (p, q) = (ordered(p), ordered(q));
    if !orient3d(p[0], p[1], q[0], q[1]).is_zero() {
        return false;
    }
    match view_of_segments(p, q) {
        // In a plane, and not all on one line: they meet if each reaches the other's line.
        Some(view) => reaches_line(view, p, q) && reaches_line(view, q, p),
        None => {
            let [low, high] = overlap(p, q);
            compare(low, high).is_le()
        }
    }
}

/// Whether the segment has points on the line through two others, seen in the view.
fn reaches_line(view: View, p: [DVec3; 2], line: [DVec3; 2]) -> bool {
    let [a, b] = line.map(|c| view.see(c));
    let sides = p.map(|c| orient2d(a, b, view.see(c)));
    sides[0].is_zero() || sides[0] != sides[1]
}

/// Two points in the order of [`compare`].
pub(super) fn ordered([p, q]: [DVec3; 2]) -> [DVec3; 2] {
    [earlier(p, q), later(p, q)]
}
