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
//! # What the planes do not decide
//!
//! If all corners of `u` lie in the plane of `t`, then either `t` is a proper triangle and both lie in one plane
//! ([`planar`]), or `t` has no plane of its own and is a segment or point ([`mod@line`]). A triangle without
//! area puts every point at zero, so this also finds the degenerate ones without looking for them first.
//!
//! # Reference
//!
//! P. Guigue and O. Devillers, 2003 (see the head of [`exact`](super)). Departures: the three outcomes are distinguished
//! by the zeros of the same signs, and one plane serves three corners at once.

use super::orient::{Plane, Sides, orient3d_twice};
use super::planar::{self, View};
use super::{Sign, line, segment_triangle};
use crate::geom::{DVec3, Triangle};

/// How two closed sets meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[must_use]
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
pub fn tri_tri(t: &Triangle, u: &Triangle) -> Relation {
    // Duplicates, whose signs are all zero and would take the longest way.
    if have_same_corners(t, u) {
        return Relation::Touching;
    }
    let u_sides = Plane::of(t).sides(u.corners());
    if u_sides.is_one() {
        return Relation::Disjoint;
    }
    if u_sides.is_none() {
        return in_plane_or_flat(t, u);
    }
    let t_sides = Plane::of(u).sides(t.corners());
    if t_sides.is_one() {
        return Relation::Disjoint;
    }
    if t_sides.is_none() {
        // t is proper and u leaves its plane, so u has no plane of its own.
        let [p, q] = line::ends(u);
        return segment_triangle(p, q, t);
    }
    CommonLine::new(t, t_sides, u, u_sides).relation(Relation::Touching)
}

/// Whether two triangles have the same three corners, in any order.
#[inline]
fn have_same_corners(t: &Triangle, u: &Triangle) -> bool {
    let (first, second) = (t.corners(), u.corners());
    // Nearly all pairs end at the first comparison.
    second.contains(&first[0])
        && first[1..].iter().all(|p| second.contains(p))
        && second.iter().all(|p| first.contains(p))
}

/// All corners of `u` lie in the plane of `t`, or `t` has no plane.
#[inline(never)]
fn in_plane_or_flat(t: &Triangle, u: &Triangle) -> Relation {
    match View::of(t) {
        Some(view) => {
            let has_common_corner = t.corners().iter().any(|p| u.corners().contains(p));
            Relation::touching_if(has_common_corner || planar::meet(view, t, u))
        }
        None => {
            let [p, q] = line::ends(t);
            segment_triangle(p, q, u)
        }
    }
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
    pub(super) fn new(t: &Triangle, t_sides: Sides, u: &Triangle, u_sides: Sides) -> Self {
        let (t_front, u_front) = (Front::of(t_sides), Front::of(u_sides));
        // Turning a triangle over makes its plane face the other way; its own corners keep their sides.
        let first = t_front.order(t.corners(), u_front.is_below);
        let second = u_front.order(u.corners(), t_front.is_below);
        Self { first, second, cuts: [t_front.cut, u_front.cut] }
    }

    /// How the triangles meet, by what the intervals ij and kl share; `at_point` if that is a single point.
    #[inline]
    pub(super) fn relation(&self, at_point: Relation) -> Relation {
        let ([p, q, r], [pp, qq, rr]) = (self.first, self.second);
        let [j_to_k, i_to_l] = orient3d_twice([p, q, pp, qq], [p, r, pp, rr]);
        if (j_to_k == Sign::Positive) | (i_to_l == Sign::Negative) {
            Relation::Disjoint
        } else if j_to_k.is_zero() || i_to_l.is_zero() || self.cuts.contains(&Cut::Corner) {
            at_point
        } else if self.cuts == [Cut::Through; 2] {
            Relation::Crossing
        } else {
            Relation::Touching
        }
    }
}

/// Which corner of a triangle comes first: the one that is alone on its side.
#[derive(Clone, Copy)]
struct Front {
    corner: u8,
    /// It lies below the plane, or the others lie above and it in the plane: the plane must face the other way.
    is_below: bool,
    cut: Cut,
}

impl Front {
    /// By the corners above and those below. The sides are neither all none nor one.
    #[inline]
    fn of(sides: Sides) -> Self {
        FRONTS[usize::from(sides.above | sides.below << 3) & 63]
    }

    const fn find(above: u8, below: u8) -> Self {
        // A set of one corner k is 1 << k; halved, that is k.
        let on_plane = 7 & !(above | below);
        let cut = if above != 0 && below != 0 { Cut::Through } else { Cut::Edge };
        if above.count_ones() == 1 {
            Self { corner: above >> 1, is_below: false, cut }
        } else if below.count_ones() == 1 {
            Self { corner: below >> 1, is_below: true, cut }
        } else {
            Self { corner: on_plane >> 1, is_below: above != 0, cut: Cut::Corner }
        }
    }

    /// The corners beginning with this one, turned over if asked for.
    #[inline]
    fn order(self, corners: [DVec3; 3], turn_over: bool) -> [DVec3; 3] {
        ORDERS[usize::from(self.corner * 2 + u8::from(turn_over)) % 6].map(|k| corners[k])
    }
}

/// First corner 0, 1, 2, as it was and turned over.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 2, 0], [1, 0, 2], [2, 0, 1], [2, 1, 0]];

/// [`Front::find`] for all sides.
const FRONTS: [Front; 64] = {
    let mut fronts = [Front::find(1, 0); 64];
    let mut k = 0;
    while k < 64 {
        fronts[k] = Front::find(k as u8 & 7, k as u8 >> 3);
        k += 1;
    }
    fronts
};
