//! Triangles of one mesh: do they meet anywhere but where they are joined?
//!
//! Neighbours share corners by index and so always meet. What they share is no collision: nothing, a corner, an edge,
//! or, for two triangles on the same three corners, all three edges. Call it S. The pair collides if the triangles share
//! a point outside S, and then it touches or crosses by the same rule as any other pair.
//!
//! | shared ids | collides if |
//! |---|---|
//! | one | the triangles share a second point |
//! | two | they lie in one plane, on the same side of the shared edge; or all on one line and overlap beyond it |
//! | three | they have area |
//!
//! Only ids decide what is shared. Corners at equal positions with different ids touch; that is how a fresh crack looks.

use super::line::{self, compare};
use super::orient::{Plane, Sides};
use super::planar::{self, View};
use super::tri_tri::CommonLine;
use super::{Relation, Sign, orient3d, tri_tri};
use crate::geom::{DVec3, Triangle};

/// How two triangles of one mesh meet, apart from the corners, edge or edges they share by index.
///
/// `t_ids` and `u_ids` name the corners of `t` and `u`. Equal ids promise equal positions, and an id may occur twice in
/// a triangle. Triangles without area count as the segments or points they are.
///
/// Exact for all finite coordinates. Does not allocate unless exponents are extreme.
///
/// ```
/// use fracas::exact::{Relation, tri_tri_shared};
/// use fracas::geom::{DVec3, Triangle};
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.2, 0.2, 0.0)];
/// let relation = |t: [u32; 3], u: [u32; 3]| {
///     let [t_corners, u_corners] = [t, u].map(|ids| {
///         let [a, b, c] = ids.map(|id| points[id as usize]);
///         Triangle::new(a, b, c)
///     });
///     tri_tri_shared(&t_corners, t, &u_corners, u)
/// };
/// assert_eq!(relation([0, 1, 2], [2, 1, 3]), Relation::Disjoint); // the two halves of a square
/// assert_eq!(relation([0, 1, 2], [0, 1, 4]), Relation::Touching); // folded over
/// assert_eq!(relation([0, 1, 2], [2, 0, 1]), Relation::Touching); // the same triangle twice
/// ```
pub fn tri_tri_shared(t: &Triangle, t_ids: [u32; 3], u: &Triangle, u_ids: [u32; 3]) -> Relation {
    let (t_corners, u_corners) = (t.corners(), u.corners());
    // Up to three distinct shared ids, as positions in the two triangles.
    let mut shared = [(0, 0); 3];
    let mut count = 0;
    for (k, id) in t_ids.iter().enumerate() {
        if let Some(l) = u_ids.iter().position(|other| other == id)
            && !t_ids[..k].contains(id)
        {
            shared[count] = (k, l);
            count += 1;
        }
    }
    let lead =
        |corners: [DVec3; 3], k: usize| Triangle::new(corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
    let lead_edge =
        |corners: [DVec3; 3], k: usize, l: usize| Triangle::new(corners[k], corners[l], corners[3 - k - l]);
    match count {
        0 => tri_tri(t, u),
        1 => beyond_corner(&lead(t_corners, shared[0].0), &lead(u_corners, shared[0].1)),
        2 => beyond_edge(
            &lead_edge(t_corners, shared[0].0, shared[1].0),
            &lead_edge(u_corners, shared[0].1, shared[1].1),
        ),
        // The same hull twice: inside its own edges if it is a segment or a point.
        _ => Relation::touching_if(View::of(t).is_some()),
    }
}

/// The first corners of both are shared.
fn beyond_corner(t: &Triangle, u: &Triangle) -> Relation {
    let t_plane = Plane::of(t);
    let u_sides = Sides::new([Sign::Zero, t_plane.side(u.b), t_plane.side(u.c)]);
    if apart_but_for_corner(u_sides) {
        return Relation::Disjoint;
    }
    let u_plane = Plane::of(u);
    let t_sides = Sides::new([Sign::Zero, u_plane.side(t.b), u_plane.side(t.c)]);
    if apart_but_for_corner(t_sides) {
        return Relation::Disjoint;
    }
    match (t_sides.is_none(), u_sides.is_none()) {
        (false, false) => CommonLine::new(t, t_sides, u, u_sides).relation(Relation::Disjoint),
        // The one that leaves the other's plane has no plane of its own, so it is a segment, and the shared corner is
        // its only point in that plane.
        (true, false) | (false, true) => Relation::Disjoint,
        (true, true) => Relation::touching_if(match (View::of(t), View::of(u)) {
            (Some(view), _) => planar::meet_beyond_first_corner(view, t, u),
            (None, Some(view)) => planar::meet_beyond_first_corner(view, u, t),
            (None, None) => meet_beyond_segment(t, u, [t.a, t.a]),
        }),
    }
}

/// The first corners of both are shared, and so are the second ones.
fn beyond_edge(t: &Triangle, u: &Triangle) -> Relation {
    // A triangle that leaves the other's plane has no more of it than the shared edge.
    if !orient3d(t.a, t.b, t.c, u.c).is_zero() {
        return Relation::Disjoint;
    }
    Relation::touching_if(match (View::of(t), View::of(u)) {
        (Some(view), _) => planar::meet_beyond_first_edge(view, u),
        (None, Some(view)) => planar::meet_beyond_first_edge(view, t),
        (None, None) => meet_beyond_segment(t, u, [t.a, t.b]),
    })
}

/// Whether a triangle whose first corner lies in a plane has no other point there.
fn apart_but_for_corner(sides: Sides) -> bool {
    sides.above == 0b110 || sides.below == 0b110
}

/// Whether two segments, given as triangles without area that both hold the given segment or point, share more.
fn meet_beyond_segment(t: &Triangle, u: &Triangle, shared: [DVec3; 2]) -> bool {
    let (p, q) = (line::ends(t), line::ends(u));
    if line::view_of_segments(p, q).is_some() {
        return false;
    }
    let [low, high] = line::overlap(p, q);
    let [start, end] = line::ordered(shared);
    compare(low, start).is_lt() || compare(end, high).is_lt()
}
