//! Triangles in one plane, seen along an axis.
//!
//! A plane is seen along an axis it does not contain: dropping that coordinate loses nothing, and what was a question
//! about points of the plane becomes one about points of the paper, asked with [`orient2d`]. Coordinates are dropped,
//! never computed, so the projection is exact. One proper triangle in the plane is needed to find the axis ([`View`]).

use super::{Sign, line, orient2d};
use crate::geom::{DVec3, Triangle};
use glam::DVec2;

/// A direction from which a proper triangle shows its area.
#[derive(Clone, Copy)]
pub(super) struct View {
    /// The coordinate to drop.
    pub(super) dropped: usize,
    /// How the triangle turns, seen from there; not zero.
    turn: Sign,
}

impl View {
    /// An axis along which the triangle has area; `None` if it is a segment or a point.
    pub(super) fn of(t: &Triangle) -> Option<Self> {
        // The largest component of the normal comes first because its sign is the easiest; any order is right.
        let largest = t.area_vector().abs().max_position();
        [largest, (largest + 1) % 3, (largest + 2) % 3].into_iter().find_map(|dropped| {
            let [a, b, c] = t.corners().map(|p| flatten(p, dropped));
            let turn = orient2d(a, b, c);
            (!turn.is_zero()).then_some(Self { dropped, turn })
        })
    }

    pub(super) fn see(&self, p: DVec3) -> DVec2 {
        flatten(p, self.dropped)
    }

    /// The corners of the triangle this view was made for, counter-clockwise, beginning with its first.
    fn see_counter_clockwise(&self, t: &Triangle) -> [DVec2; 3] {
        counter_clockwise(t.corners().map(|p| self.see(p)), self.turn)
    }
}

fn flatten(p: DVec3, dropped: usize) -> DVec2 {
    match dropped {
        0 => DVec2::new(p.y, p.z),
        1 => DVec2::new(p.z, p.x),
        _ => DVec2::new(p.x, p.y),
    }
}

fn counter_clockwise([a, b, c]: [DVec2; 3], turn: Sign) -> [DVec2; 3] {
    if turn == Sign::Negative { [a, c, b] } else { [a, b, c] }
}

/// Whether the point, in the plane of the proper triangle `t`, lies in it or on its border.
pub(super) fn holds(view: View, t: &Triangle, p: DVec3) -> bool {
    let (t, p) = (view.see_counter_clockwise(t), view.see(p));
    edges(t).iter().all(|&[a, b]| orient2d(a, b, p) != Sign::Negative)
}

/// Whether the proper triangle `t` and the triangle, segment or point `u` in its plane share a point.
pub(super) fn meet(view: View, t: &Triangle, u: &Triangle) -> bool {
    let t = view.see_counter_clockwise(t);
    let u = u.corners().map(|p| view.see(p));
    // Two convex polygons without a common point are separated by the line through an edge of one of them.
    if outside_an_edge(t, u) {
        return false;
    }
    let turn = orient2d(u[0], u[1], u[2]);
    if !turn.is_zero() {
        return !outside_an_edge(counter_clockwise(u, turn), t);
    }
    // A segment has an outside on both sides of its line. A point has been decided by the edges of t.
    let [a, b, c] = u.map(|p| p.extend(0.0));
    let [p, q] = line::ends(&Triangle::new(a, b, c)).map(DVec3::truncate);
    let sides = t.map(|c| orient2d(p, q, c));
    p == q || !(sides[0] != Sign::Zero && sides[1] == sides[0] && sides[2] == sides[0])
}

/// Whether the proper triangle `t` and the triangle, segment or point `u` in its plane, whose first corners are one
/// point, share any other.
///
/// Near that point a convex polygon is the cone of directions it can be left in, so the question is whether two
/// cones share a direction. If they do, one of them holds a bounding direction of the other.
pub(super) fn meet_beyond_first_corner(view: View, t: &Triangle, u: &Triangle) -> bool {
    let t = view.see_counter_clockwise(t);
    let u = u.corners().map(|p| view.see(p));
    if cone_holds(t, u[1]) || cone_holds(t, u[2]) {
        return true;
    }
    // The cone of a segment is a direction, or two opposite ones: both have been looked at.
    let turn = orient2d(u[0], u[1], u[2]);
    let u = counter_clockwise(u, turn);
    !turn.is_zero() && (cone_holds(u, t[1]) || cone_holds(u, t[2]))
}

/// Whether the proper triangle `t` and the triangle or segment `u` in its plane, whose first corners are one point and
/// whose second corners another, share a point off the edge between these.
pub(super) fn meet_beyond_first_edge(view: View, u: &Triangle) -> bool {
    let [a, b, opposite] = u.corners().map(|p| view.see(p));
    orient2d(a, b, opposite) == view.turn
}

/// Whether the direction from a to p, if there is one, lies in the closed cone that the proper counter-clockwise
/// triangle abc has at a.
fn cone_holds([a, b, c]: [DVec2; 3], p: DVec2) -> bool {
    p != a && orient2d(a, b, p) != Sign::Negative && orient2d(a, c, p) != Sign::Positive
}

/// Whether all points lie strictly outside one edge of the counter-clockwise triangle.
fn outside_an_edge(triangle: [DVec2; 3], points: [DVec2; 3]) -> bool {
    edges(triangle).iter().any(|&[a, b]| points.iter().all(|&p| orient2d(a, b, p) == Sign::Negative))
}

/// The edges of a triangle, each from a corner to the next.
pub(super) fn edges<P: Copy>([a, b, c]: [P; 3]) -> [[P; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}
