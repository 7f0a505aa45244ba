//! When moving features first come closer than a given distance: never late, never a miss.
//!
//! # Idea
//!
//! The distance of two features is that of the origin from the polygon with corners Pᵢ ([`integers`](super::integers)). If for
//! some unit vector n all n · Pᵢ exceed the separation at both ends of a part of the step, they do so throughout it,
//! because n · Pᵢ is linear in t. So the part is certainly free. The vector is the one that separates the features in the
//! middle of the part. Parts that are not free are halved, the earliest first, until
//!
//! - the features are at most `separation` + tolerance apart at the start of a part: that is the answer; or
//! - the part is shorter than 1e-9.
//!
//! # Guarantees
//!
//! Rounding is counted against freedom (below), so `None` means that the distance exceeds the separation throughout, and
//! `low` is never later than the first time when it does not. This costs false alarms, but only close ones: at some time
//! from `low` to `high` the distance is at most separation + tolerance with
//!
//! tolerance = separation / 10,000 + 4e-9 · L + 1e-13 · S,
//!
//! where L is the longest way of a corner Pᵢ and S the largest coordinate of one. The first term ends the search early, the
//! second is how far corners move in 1e-9 of the step, the third is rounding.
//!
//! # Rounding
//!
//! Corners are scaled by a power of two so that S lies between ½ and 1. With u = 2⁻⁵³ a coordinate of a corner is off by u from
//! the subtraction, by 3 u more after interpolation, and by at most `lost` where huge numbers had to be scaled first. A dot product with
//! |n| ≤ 1 + 4 u of three such coordinates is off by at most 3 (4 u + `lost`) + 9 u + 4 u, and [`ROUNDING`] is far more.

use super::ImpactTime;
use super::kind::Kind;
use super::{MovingPoint, float::Corner};
use crate::geom::DVec3;

/// More than what rounding can change in a distance, where S is at most one.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Parts are not made shorter than this.
const SHORTEST: f64 = 1e-9;
/// The part of the separation by which an answer may be early.
const EARLY: f64 = 1e-4;

/// When the distance may first be at most `separation`, which is positive.
pub(super) fn first_within<const N: usize>(
    kind: &Kind<N>,
    points: &[MovingPoint; 4],
    separation: f64,
) -> Option<ImpactTime> {
    let Some(polygon) = Polygon::new(kind, points, separation) else {
        return Some(ImpactTime { low: 0.0, high: 0.0 });
    };
    // Parts that are left, the earliest last.
    let mut left = vec![[0.0, 1.0]];
    while let Some([start, end]) = left.pop() {
        if polygon.is_free([start, end]) {
            continue;
        }
        if polygon.is_near(start) {
            return Some(ImpactTime { low: start, high: start });
        }
        if end - start <= SHORTEST {
            return Some(ImpactTime { low: start, high: end });
        }
        let middle = 0.5 * (start + end);
        left.extend([[middle, end], [start, middle]]);
    }
    None
}

/// Corners times a power of two, and the separation likewise.
struct Polygon<const N: usize> {
    corners: [[DVec3; 2]; N],
    /// Everything at this distance or below is an alarm.
    separation: f64,
    /// What scaling before subtraction may have lost in a coordinate.
    lost: f64,
}

impl<const N: usize> Polygon<N> {
    /// `None` if all corners are the origin or the separation exceeds all distances.
    fn new(kind: &Kind<N>, points: &[MovingPoint; 4], separation: f64) -> Option<Self> {
        let largest = points.iter().fold(0.0_f64, |m, p| m.max(p.start.abs().max(p.end.abs()).max_element()));
        // Differences of the largest numbers would overflow.
        let first = if largest > f64::MAX / 4.0 { 0.25 } else { 1.0 };
        let corners: [Corner<f64>; N] = kind.corners.map(|[p, q]| {
            let (p, q) = (&points[p], &points[q]);
            [0, 1, 2].map(|k| [p.start[k] * first - q.start[k] * first, p.end[k] * first - q.end[k] * first])
        });
        let size = corners.iter().flatten().flatten().fold(0.0_f64, |size, x| size.max(x.abs()));
        if size == 0.0 {
            return None;
        }
        let exponent = -(exponent_of(size) + 1);
        let scale = |x: f64| scaled(x, exponent);
        let separation = scale(separation * first);
        let corners =
            corners.map(|c| [0, 1].map(|e| DVec3::new(scale(c[0][e]), scale(c[1][e]), scale(c[2][e]))));
        // Otherwise subtraction is exact in the range of subnormal numbers.
        let lost = if first < 1.0 { scale(f64::from_bits(4)) } else { 0.0 };
        // The origin is at most √3 from the nearest corner.
        // What scaling loses at the lower end of the range is far below the smallest normal number.
        (separation < 2.0).then(|| Self { corners, separation: separation + f64::MIN_POSITIVE, lost })
    }

    fn at(&self, t: f64) -> [DVec3; N] {
        self.corners.map(|[start, end]| start * (1.0 - t) + end * t)
    }

    /// Whether the distance certainly exceeds the separation from one time to another.
    fn is_free(&self, [start, end]: [f64; 2]) -> bool {
        let (first, middle, last) = (self.at(start), self.at(0.5 * (start + end)), self.at(end));
        let needed = (self.separation + 4.0 * self.lost) * (1.0 + ROUNDING) + ROUNDING;
        let separates = |n: DVec3| {
            // Short vectors lose digits when squared; a cross product of small corners may be short.
            let n = n / n.abs().max_element();
            let n = n / n.length();
            // Not a number for n = 0, which fails.
            first.iter().chain(&last).all(|p| n.dot(*p) > needed)
        };
        if separates(nearest_on_edges(&middle)) {
            return true;
        }
        let n = normal(&middle);
        let n = if n.dot(middle[0]) < 0.0 { -n } else { n };
        separates(n)
    }

    /// Whether the distance is at most separation + tolerance at some time.
    fn is_near(&self, t: f64) -> bool {
        let corners = self.at(t);
        let near = self.separation * (1.0 + EARLY) + ROUNDING;
        nearest_on_edges(&corners).length() <= near
            || point_inside(&corners).is_some_and(|p| p.length() <= near)
    }
}

/// Twice the area of the polygon, or of its first three corners, along its normal.
fn normal<const N: usize>(p: &[DVec3; N]) -> DVec3 {
    (p[1] - p[0]).cross(p[2] - p[0])
}

/// The point nearest to the origin on the border, rounded.
fn nearest_on_edges<const N: usize>(p: &[DVec3; N]) -> DVec3 {
    let mut nearest = p[0];
    for i in 0..N {
        let (from, along) = (p[i], p[(i + 1) % N] - p[i]);
        let length = along.length_squared();
        let share = if length > 0.0 { (-from.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
        let point = from + along * share;
        if point.length_squared() < nearest.length_squared() {
            nearest = point;
        }
    }
    nearest
}

/// A point of the polygon near the foot of the perpendicular from the origin: inside even where weights are rounded.
fn point_inside<const N: usize>(p: &[DVec3; N]) -> Option<DVec3> {
    let n = normal(p);
    let inside = |a: DVec3, b: DVec3, c: DVec3| {
        let weights = [b.cross(c).dot(n), c.cross(a).dot(n), a.cross(b).dot(n)].map(|w| w.max(0.0));
        let sum = weights[0] + weights[1] + weights[2];
        (sum > 0.0).then(|| (a * weights[0] + b * weights[1] + c * weights[2]) / sum)
    };
    let first = inside(p[0], p[1], p[2]);
    let second = if N == 4 { inside(p[0], p[2], p[3]) } else { None };
    [first, second].into_iter().flatten().min_by(|x, y| x.length_squared().total_cmp(&y.length_squared()))
}

/// e with 2ᵉ ≤ x < 2ᵉ⁺¹, for positive x.
fn exponent_of(x: f64) -> i32 {
    let field = (x.to_bits() >> 52) as i32;
    if field == 0 { -1011 - (x.to_bits().leading_zeros() as i32) } else { field - 1023 }
}

/// x · 2ᵉ in steps that stay in range while the result does.
fn scaled(x: f64, exponent: i32) -> f64 {
    let power = |e: i32| f64::from_bits(((1023 + e) as u64) << 52);
    let third = exponent / 3;
    x * power(third) * power(third) * power(exponent - 2 * third)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_is_exact_where_it_can_be() {
        for x in [f64::from_bits(1), f64::from_bits(5), f64::MIN_POSITIVE, 1e-300, 0.75, 1.0, 3.0, f64::MAX] {
            let e = exponent_of(x);
            let y = scaled(x, -e);
            assert!((1.0..2.0).contains(&y), "{x:e} became {y}");
            assert_eq!(scaled(y, e), x);
        }
    }
}
