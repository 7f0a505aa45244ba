//! How do two triangles meet?
//!
//! # Idea
//!
//! Put the corners of each triangle on the sides of the other's plane. If one triangle stays strictly on one side, they
//! are apart: most pairs end here. Otherwise both triangles cut the common line L of the two planes in an interval.
//! Move the corner that is alone on its side to the front, and let both planes face the front corners:
//!
//! ```text
//!            p                  i = pr ∩ L,  j = pq ∩ L   interval of the first triangle
//!           / \                 k = p'q' ∩ L, l = p'r' ∩ L  interval of the second
//!     ─ ─ ─i─ ─j─ ─ ─ L ─▶
//!         /     \               sign of (k − j) along L = orient3d(p, q, p', q')
//!        r───────q              sign of (l − i) along L = orient3d(p, r, p', r')
//! ```
//!
//! The intervals share a point if k ≤ j and i ≤ l: two more signs, and no point of L is ever computed.
//!
//! # What the planes do not settle
//!
//! If all corners of `u` lie in the plane of `t`, then either `t` is a proper triangle and both lie in one plane
//! ([`planar`]), or `t` has no plane of its own and is a segment or point ([`line`](super::line)). A triangle without
//! area puts every point at zero, so this also finds the degenerate ones without looking for them first.
//!
//! # Reference
//!
//! P. Guigue and O. Devillers, 2003 (see the head of [`exact`](super)). Departures: the three outcomes are told apart
//! by the zeros of the same signs, and one plane serves three corners at once.

use super::orient::Plane;
use super::planar::{self, View};
use super::{Sign, line, orient3d, segment_triangle};
use crate::geom::{DVec3, Triangle};

/// How two closed sets meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// They share no point; for triangles with shared corners, none besides what they share.
    Disjoint,
    /// They share points, but an arbitrarily small movement could part them: corners or edges that lie on the other
    /// triangle, triangles that overlap within one plane, segments that meet.
    Touching,
    /// The inside of one passes through the inside of the other, and goes on doing so under small movements.
    Crossing,
}

impl Relation {
    pub(super) fn touching_if(meet: bool) -> Self {
        if meet { Self::Touching } else { Self::Disjoint }
    }
}

/// How two triangles meet. Triangles without area count as the segments or points they are.
///
/// Crossing needs two proper triangles in different planes whose insides share a point, or a proper triangle and a
/// segment that pierces its inside. Two triangles in one plane, two segments, or points never cross: they touch.
///
/// Exact for all finite coordinates. Does not allocate unless exponents are extreme.
///
/// ```
/// use fracas::exact::{Relation, tri_tri};
/// use fracas::geom::{DVec3, Triangle};
/// let floor = Triangle::new(DVec3::ZERO, 4.0 * DVec3::X, 4.0 * DVec3::Y);
/// let tip = |z| Triangle::new(DVec3::new(1.0, 1.0, z), DVec3::new(1.0, 2.0, 5.0), DVec3::new(2.0, 1.0, 5.0));
/// assert_eq!(tri_tri(&floor, &tip(1e-300)), Relation::Disjoint);
/// assert_eq!(tri_tri(&floor, &tip(0.0)), Relation::Touching);
/// assert_eq!(tri_tri(&floor, &tip(-1e-300)), Relation::Crossing);
/// ```
#[must_use]
pub fn tri_tri(t: &Triangle, u: &Triangle) -> Relation {
    let u_sides = Plane::of(t).sides(u.corners());
    if on_one_side(u_sides) {
        return Relation::Disjoint;
    }
    if all_zero(u_sides) {
        return in_plane_or_flat(t, u);
    }
    let t_sides = Plane::of(u).sides(t.corners());
    if on_one_side(t_sides) {
        return Relation::Disjoint;
    }
    if all_zero(t_sides) {
        // t is proper and u leaves its plane, so u has no plane of its own.
        let [p, q] = line::ends(u);
        return segment_triangle(p, q, t);
    }
    CommonLine::new(t, t_sides, u, u_sides).relation()
}

/// All corners of `u` lie in the plane of `t`, or `t` has no plane.
#[cold]
fn in_plane_or_flat(t: &Triangle, u: &Triangle) -> Relation {
    match View::of(t) {
        Some(view) => Relation::touching_if(planar::meet(view, t, u)),
        None => {
            let [p, q] = line::ends(t);
            segment_triangle(p, q, u)
        }
    }
}

#[inline]
fn on_one_side(sides: [Sign; 3]) -> bool {
    !sides[0].is_zero() && sides[0] == sides[1] && sides[0] == sides[2]
}

#[inline]
pub(super) fn all_zero(sides: [Sign; 3]) -> bool {
    sides == [Sign::Zero; 3]
}

/// How a triangle lies on the line in which its plane cuts another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// One corner on the line, the others on one side: the interval is a point.
    Corner,
    /// An edge on the line.
    Edge,
    /// Corners strictly on both sides: the inside of the interval is inside the triangle.
    Through,
}

/// Two proper triangles in different planes, neither of them strictly on one side of the other: corners p, q, r and
/// p', q', r' in the order of the figure above.
pub(super) struct CommonLine {
    pub(super) first: [DVec3; 3],
    pub(super) second: [DVec3; 3],
    cuts: [Cut; 2],
}

impl CommonLine {
    #[inline]
    pub(super) fn new(t: &Triangle, t_sides: [Sign; 3], u: &Triangle, u_sides: [Sign; 3]) -> Self {
        let (mut first, t_faces_away, t_cut) = front(t.corners(), t_sides);
        let (mut second, u_faces_away, u_cut) = front(u.corners(), u_sides);
        // Turning a triangle over makes its plane face the other way; its own corners keep their sides.
        if t_faces_away {
            second.swap(1, 2);
        }
        if u_faces_away {
            first.swap(1, 2);
        }
        Self { first, second, cuts: [t_cut, u_cut] }
    }

    /// How the triangles meet.
    #[inline]
    pub(super) fn relation(&self) -> Relation {
        match self.overlap() {
            None => Relation::Disjoint,
            Some(Overlap::Point) => Relation::Touching,
            Some(Overlap::Segment) => self.relation_along_segment(),
        }
    }

    /// How the triangles meet, a single common point apart.
    #[inline]
    pub(super) fn relation_beyond_point(&self) -> Relation {
        match self.overlap() {
            Some(Overlap::Segment) => self.relation_along_segment(),
            _ => Relation::Disjoint,
        }
    }

    #[inline]
    fn relation_along_segment(&self) -> Relation {
        if self.cuts == [Cut::Through; 2] { Relation::Crossing } else { Relation::Touching }
    }

    /// What the intervals ij and kl share.
    #[inline]
    fn overlap(&self) -> Option<Overlap> {
        let ([p, q, r], [pp, qq, rr]) = (self.first, self.second);
        let j_to_k = orient3d(p, q, pp, qq);
        if j_to_k == Sign::Positive {
            return None;
        }
        let i_to_l = orient3d(p, r, pp, rr);
        if i_to_l == Sign::Negative {
            return None;
        }
        if j_to_k.is_zero() || i_to_l.is_zero() || self.cuts.contains(&Cut::Corner) {
            Some(Overlap::Point)
        } else {
            Some(Overlap::Segment)
        }
    }
}

/// What two intervals of a line share, if anything.
enum Overlap {
    Point,
    Segment,
}

/// The corners turned so that the first is alone on its side, whether that is the negative side, and how they cut.
/// The sides are neither all zero nor strictly one.
#[inline]
fn front(corners: [DVec3; 3], sides: [Sign; 3]) -> ([DVec3; 3], bool, Cut) {
    let lead = |k: usize| [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]];
    let count = |s: Sign| sides.iter().filter(|&&side| side == s).count();
    let find = |s: Sign| sides.iter().position(|&side| side == s).unwrap_or(0);
    match (count(Sign::Positive), count(Sign::Negative)) {
        // One corner above, the others below or on the line.
        (1, below) => (lead(find(Sign::Positive)), false, if below > 0 { Cut::Through } else { Cut::Edge }),
        (above, 1) => (lead(find(Sign::Negative)), true, if above > 0 { Cut::Through } else { Cut::Edge }),
        // One corner on the line, the others on one side, which must be the far one.
        (above, _) => (lead(find(Sign::Zero)), above > 0, Cut::Corner),
    }
}
