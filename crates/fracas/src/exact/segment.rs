//! Where do two triangles meet? The end points of what they share.
//!
//! Which edges and planes produce the ends is decided by exact signs; the points themselves are quotients of
//! determinants, rounded once, each coordinate to the nearest `f64` ([`double`], else [`big`]). So the answer does not
//! depend on the order of triangles or corners either. The exact points need not be `f64` points: a returned end may
//! lie a rounding error off both triangles, and must not be used to decide anything.

use super::orient::Plane;
use super::planar::{View, edges};
use super::tri_tri::CommonLine;
use super::{Relation, Sign, big, double, line, orient2d, orient3d, segment_triangle, tri_tri};
use crate::geom::{DVec3, Triangle};

/// The end points of what two triangles share, each coordinate rounded to the nearest `f64`; `None` if they share nothing.
///
/// Both ends are equal if the triangles share a single point. If they overlap in a piece of a plane, the ends are the two
/// corners of that piece that are farthest from each other. The ends are ordered by x, then y, then z.
///
/// ```
/// use fracas::exact::tri_tri_segment;
/// use fracas::geom::{DVec3, Triangle};
/// let floor = Triangle::new(DVec3::ZERO, 4.0 * DVec3::X, 4.0 * DVec3::Y);
/// let wall = Triangle::new(DVec3::new(0.5, 1.0, -1.0), DVec3::new(2.5, 1.0, -1.0), DVec3::new(1.5, 1.0, 1.0));
/// let ends = [DVec3::new(1.0, 1.0, 0.0), DVec3::new(2.0, 1.0, 0.0)];
/// assert_eq!(tri_tri_segment(&floor, &wall), Some(ends));
/// ```
#[must_use]
pub fn tri_tri_segment(t: &Triangle, u: &Triangle) -> Option<[DVec3; 2]> {
    let t_sides = Plane::of(u).sides(t.corners());
    let u_sides = Plane::of(t).sides(u.corners());
    if t_sides.is_one() || u_sides.is_one() {
        return None;
    }
    let ends = match (t_sides.is_none(), u_sides.is_none()) {
        (false, false) => CommonLine::new(t, t_sides, u, u_sides).ends()?,
        (true, false) => [pierced_at(line::ends(u), t)?; 2],
        (false, true) => [pierced_at(line::ends(t), u)?; 2],
        (true, true) => farthest_corners(t, u)?,
    };
    // Adding zero makes negative zeros positive, so that equal points have equal bits.
    Some(line::ordered(ends).map(|p| p + DVec3::ZERO))
}

impl CommonLine {
    /// The later of the two starts and the earlier of the two ends of the intervals ij and kl, if they share a point.
    fn ends(&self) -> Option<[DVec3; 2]> {
        if self.relation(Relation::Touching) == Relation::Disjoint {
            return None;
        }
        let ([p, q, r], [pp, qq, rr]) = (self.first, self.second);
        let start = if orient3d(p, r, pp, qq) == Sign::Negative {
            line_and_plane(p, r, self.second)
        } else {
            line_and_plane(pp, qq, self.first)
        };
        let end = if orient3d(p, q, pp, rr) == Sign::Negative {
            line_and_plane(pp, rr, self.first)
        } else {
            line_and_plane(p, q, self.second)
        };
        Some([start, end])
    }
}

fn line_and_plane(p: DVec3, q: DVec3, plane: [DVec3; 3]) -> DVec3 {
    double::line_and_plane(p, q, plane).unwrap_or_else(|| big::line_and_plane(p, q, plane))
}

/// The point that a triangle shares with a segment that does not lie in its plane.
fn pierced_at([p, q]: [DVec3; 2], t: &Triangle) -> Option<DVec3> {
    (segment_triangle(p, q, t) != Relation::Disjoint).then(|| line_and_plane(p, q, t.corners()))
}

/// The two farthest corners of what two triangles in one plane share, or two segments in space.
fn farthest_corners(t: &Triangle, u: &Triangle) -> Option<[DVec3; 2]> {
    if tri_tri(t, u) == Relation::Disjoint {
        return None;
    }
    // Corners of one in the other, and crossings of edges.
    let mut corners = [DVec3::ZERO; 15];
    let mut count = 0;
    let mut push = |p: DVec3| {
        corners[count] = p;
        count += 1;
    };
    t.corners().into_iter().filter(|&p| line::holds(u, p)).for_each(&mut push);
    u.corners().into_iter().filter(|&p| line::holds(t, p)).for_each(&mut push);
    let view =
        View::of(t).or_else(|| View::of(u)).or_else(|| line::view_of_segments(line::ends(t), line::ends(u)));
    if let Some(view) = view {
        for p in edges(t.corners()) {
            edges(u.corners()).into_iter().filter_map(|q| crossing(view, p, q)).for_each(&mut push);
        }
    }
    let corners = &mut corners[..count];
    corners.sort_by(|p, q| line::compare(*p, *q));
    let mut farthest = [*corners.first()?; 2];
    let mut greatest = 0.0;
    for (k, &p) in corners.iter().enumerate() {
        for &q in &corners[k + 1..] {
            let length = length(q - p);
            if length > greatest {
                (farthest, greatest) = ([p, q], length);
            }
        }
    }
    Some(farthest)
}

/// The point in which two segments of one plane cross, if each has its ends strictly on both sides of the other.
fn crossing(view: View, p: [DVec3; 2], q: [DVec3; 2]) -> Option<DVec3> {
    let strictly_split = |[a, b]: [DVec3; 2], points: [DVec3; 2]| {
        let [side, other] = points.map(|c| orient2d(view.see(a), view.see(b), view.see(c)));
        !side.is_zero() && side == other.opposite()
    };
    (strictly_split(p, q) && strictly_split(q, p)).then(|| {
        double::line_and_line(p[0], p[1], q, view.dropped)
            .unwrap_or_else(|| big::line_and_line(p[0], p[1], q, view.dropped))
    })
}

/// The length of a vector, without overflow or underflow on the way.
fn length(d: DVec3) -> f64 {
    let largest = d.abs().max_element();
    if largest == 0.0 || largest.is_infinite() { largest } else { largest * (d / largest).length() }
}
