//! Distances between points, segments and triangles, with the points where they are least.
//!
//! All are computed in `f64` and rounded; whether two things *touch* is for `exact` to say. Weights are those of convex
//! combinations, so that the closest points lie on the features, degenerate ones included.
//!
//! # Range
//!
//! Products of four differences occur. Differences are scaled by a power of two where they are so large or small that a product could
//! overflow or lose its last bits, so sizes from 1e-300 to 1e300 are answered alike.

use super::{DVec3, Triangle};

/// Where two features are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gap<const N: usize> {
    pub(crate) distance: f64,
    /// Weights of the corners of both there.
    pub(crate) weights: [f64; N],
}

impl<const N: usize> Gap<N> {
    #[inline(always)]
    fn of(squared: f64, weights: [f64; N]) -> Self {
        Self { distance: squared.sqrt(), weights }
    }
}

/// Differences beyond this, or below its inverse, are scaled.
const LARGE: f64 = 1e60;

/// A power of two that brings the largest of some differences near one; 1 if that is not needed. `None` if all are zero.
#[inline(always)]
fn scale_for(differences: &[DVec3]) -> Option<f64> {
    let largest = differences.iter().fold(0.0, |m: f64, d| m.max(d.abs().max_element()));
    if largest > 1.0 / LARGE && largest < LARGE {
        return Some(1.0);
    }
    (largest > 0.0).then(|| power_below(largest).recip())
}

/// The largest power of two that does not exceed a positive number, or 2⁻¹⁰²² if that is below it; so the inverse is finite.
#[cold]
fn power_below(x: f64) -> f64 {
    f64::from_bits(x.max(f64::MIN_POSITIVE).to_bits() & 0x7ff0_0000_0000_0000)
}

/// The point of a triangle nearest to a point.
#[inline]
pub(crate) fn point_triangle(p: DVec3, t: &Triangle) -> Gap<3> {
    let (ab, ac, ap) = (t.b - t.a, t.c - t.a, p - t.a);
    match scale_for(&[ab, ac, ap]) {
        Some(1.0) => point_triangle_from(ab, ac, ap),
        Some(scale) => {
            let Gap { distance, weights } = point_triangle_from(ab * scale, ac * scale, ap * scale);
            Gap { distance: distance / scale, weights }
        }
        None => Gap::of(0.0, [1.0, 0.0, 0.0]),
    }
}

#[inline(always)]
fn point_triangle_from(ab: DVec3, ac: DVec3, ap: DVec3) -> Gap<3> {
    let n = ab.cross(ac);
    let squared_area = n.length_squared();
    let long = ab.length_squared().max(ac.length_squared());
    // Of a sliver rounding may misjudge the region below. Its sides are as near as its inside, up to its width.
    if squared_area <= 1e-20 * long * long {
        return nearest_side(ab, ac, ap);
    }
    // The regions of corners and edges are ruled out one by one (Ericson, Real-Time Collision Detection, 5.1.5).
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let gap = |weights: [f64; 3]| {
        let to = ab * weights[1] + ac * weights[2] - ap;
        Gap::of(to.length_squared(), weights)
    };
    if d1 <= 0.0 && d2 <= 0.0 {
        return gap([1.0, 0.0, 0.0]);
    }
    let bp = ap - ab;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return gap([0.0, 1.0, 0.0]);
    }
    let cp = ap - ac;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return gap([0.0, 0.0, 1.0]);
    }
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let s = share(d1, d1 - d3);
        return gap([1.0 - s, s, 0.0]);
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let s = share(d2, d2 - d6);
        return gap([1.0 - s, 0.0, s]);
    }
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let s = share(d4 - d3, (d4 - d3) + (d5 - d6));
        return gap([0.0, 1.0 - s, s]);
    }
    let total = va + vb + vc;
    if total <= 0.0 {
        return nearest_side(ab, ac, ap);
    }
    let (v, w) = (vb / total, vc / total);
    Gap { distance: n.dot(ap).abs() / squared_area.sqrt(), weights: [1.0 - v - w, v, w].map(|x| x.max(0.0)) }
}

/// The nearest point on the three sides of a triangle.
#[cold]
fn nearest_side(ab: DVec3, ac: DVec3, ap: DVec3) -> Gap<3> {
    let side = |origin: DVec3, along: DVec3| {
        let s = share(along.dot(ap - origin), along.length_squared());
        ((origin + along * s - ap).length_squared(), s)
    };
    let ((x, s), (y, t), (z, u)) = (side(DVec3::ZERO, ab), side(DVec3::ZERO, ac), side(ab, ac - ab));
    if x <= y && x <= z {
        Gap::of(x, [1.0 - s, s, 0.0])
    } else if y <= z {
        Gap::of(y, [1.0 - t, 0.0, t])
    } else {
        Gap::of(z, [0.0, 1.0 - u, u])
    }
}

/// A part of a whole, from 0 to 1; 0 of nothing.
#[inline(always)]
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// The points of two segments nearest to each other: weights of the ends of the first, then of the second.
#[inline]
pub(crate) fn segment_segment([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> Gap<4> {
    let (u, v, w) = (b - a, d - c, a - c);
    match scale_for(&[u, v, w]) {
        Some(1.0) => segment_segment_from(u, v, w),
        Some(scale) => {
            let Gap { distance, weights } = segment_segment_from(u * scale, v * scale, w * scale);
            Gap { distance: distance / scale, weights }
        }
        None => Gap::of(0.0, [1.0, 0.0, 1.0, 0.0]),
    }
}

#[inline(always)]
fn segment_segment_from(u: DVec3, v: DVec3, w: DVec3) -> Gap<4> {
    let (uu, vv, uv, uw, vw) = (u.length_squared(), v.length_squared(), u.dot(v), u.dot(w), v.dot(w));
    let determinant = uu * vv - uv * uv;
    let gap = |s: f64, t: f64| Gap::of((w + u * s - v * t).length_squared(), [1.0 - s, s, 1.0 - t, t]);
    if determinant > 1e-14 * uu * vv {
        // The lines are nearest at s; clamped to the segments one after the other.
        let s = ((uv * vw - vv * uw) / determinant).clamp(0.0, 1.0);
        let t = share(uv * s + vw, vv);
        let s = share(uv * t - uw, uu);
        return gap(s, t);
    }
    // Nearly parallel, or a point: then an end of one of them is as near as anything, up to rounding.
    let candidates = [
        gap(0.0, share(vw, vv)),
        gap(1.0, share(uv + vw, vv)),
        gap(share(-uw, uu), 0.0),
        gap(share(uv - uw, uu), 1.0),
    ];
    let [first, rest @ ..] = candidates;
    rest.into_iter().fold(first, |best, next| if next.distance < best.distance { next } else { best })
}

/// Where two triangles are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TriangleGap {
    pub(crate) distance: f64,
    pub(crate) points: [DVec3; 2],
    pub(crate) at: TriangleParts,
}

/// Which parts of two triangles are nearest to each other, by number: corner k, or the side from corner k to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TriangleParts {
    CornerFace(usize),
    FaceCorner(usize),
    Sides(usize, usize),
}

/// The points of two triangles nearest to each other. Triangles that intersect are for the caller to find: of these, points on their
/// borders come out.
pub(crate) fn triangle_triangle(t: &Triangle, u: &Triangle) -> TriangleGap {
    let (p, q) = (t.corners(), u.corners());
    let mut best =
        TriangleGap { distance: f64::INFINITY, points: [p[0], q[0]], at: TriangleParts::CornerFace(0) };
    for k in 0..3 {
        let Gap { distance, weights } = point_triangle(p[k], u);
        if distance < best.distance {
            let (points, at) = ([p[k], combine(q, weights)], TriangleParts::CornerFace(k));
            best = TriangleGap { distance, points, at };
        }
        let Gap { distance, weights } = point_triangle(q[k], t);
        if distance < best.distance {
            let (points, at) = ([combine(p, weights), q[k]], TriangleParts::FaceCorner(k));
            best = TriangleGap { distance, points, at };
        }
    }
    for i in 0..3 {
        let one = [p[i], p[(i + 1) % 3]];
        for j in 0..3 {
            let other = [q[j], q[(j + 1) % 3]];
            let Gap { distance, weights: [a, b, c, d] } = segment_segment(one, other);
            if distance < best.distance {
                let points = [combine(one, [a, b]), combine(other, [c, d])];
                best = TriangleGap { distance, points, at: TriangleParts::Sides(i, j) };
            }
        }
    }
    best
}

/// A convex combination of points. A corner with all the weight comes out as it is.
#[inline]
pub(crate) fn combine<const N: usize>(points: [DVec3; N], weights: [f64; N]) -> DVec3 {
    match weights.iter().position(|&w| w == 1.0) {
        Some(k) => points[k],
        None => points.iter().zip(weights).fold(DVec3::ZERO, |sum, (p, w)| sum + *p * w),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    fn random_point(random: &mut Random, snapped: bool) -> DVec3 {
        let mut x = || {
            let x = random.unit() * 2.0 - 1.0;
            if snapped { (x * 2.0).round() / 2.0 } else { x }
        };
        DVec3::new(x(), x(), x())
    }

    #[test]
    fn the_nearest_point_of_a_triangle_is_on_it_and_no_sample_is_nearer() {
        let mut random = Random::new(5);
        for round in 0..4_000 {
            let snapped = round % 2 == 0;
            let [a, b, c, p] = [0; 4].map(|_| random_point(&mut random, snapped));
            let t = Triangle::new(a, b, c);
            let gap = point_triangle(p, &t);
            assert!(
                (gap.weights.iter().sum::<f64>() - 1.0).abs() < 1e-14
                    && gap.weights.iter().all(|w| *w >= 0.0)
            );
            let distance = gap.distance;
            assert!((combine([a, b, c], gap.weights).distance(p) - distance).abs() < 1e-9);
            for i in 0..=30 {
                for j in 0..=30 {
                    let (x, y) = (f64::from(i) / 30.0, f64::from(j) / 30.0);
                    let sample = a + (b - a) * (x * (1.0 - y)) + (c - a) * y;
                    assert!(distance <= sample.distance(p) + 1e-12, "{t:?} {p:?}");
                }
            }
        }
    }

    #[test]
    fn the_nearest_points_of_segments_are_on_them_and_no_samples_are_nearer() {
        let mut random = Random::new(6);
        for round in 0..4_000 {
            let snapped = round % 2 == 0;
            let [a, b, c, d] = [0; 4].map(|_| random_point(&mut random, snapped));
            let gap = segment_segment([a, b], [c, d]);
            let [s0, s1, t0, t1] = gap.weights;
            let distance = gap.distance;
            assert!((combine([a, b], [s0, s1]).distance(combine([c, d], [t0, t1])) - distance).abs() < 1e-12);
            for i in 0..=30 {
                for j in 0..=30 {
                    let (s, t) = (f64::from(i) / 30.0, f64::from(j) / 30.0);
                    assert!(distance <= a.lerp(b, s).distance(c.lerp(d, t)) + 1e-12);
                }
            }
        }
    }

    #[test]
    fn sizes_do_not_matter() {
        let mut random = Random::new(7);
        for _ in 0..500 {
            let [a, b, c, d] = [0; 4].map(|_| random_point(&mut random, false));
            let t = Triangle::new(a, b, c);
            let (near, edges) = (point_triangle(d, &t).distance, segment_segment([a, b], [c, d]).distance);
            for exponent in [-990, -480, -200, 200, 480, 990] {
                let scale = 2.0_f64.powi(exponent);
                let scaled = Triangle::new(a * scale, b * scale, c * scale);
                assert_eq!(point_triangle(d * scale, &scaled).distance / scale, near);
                let edge = segment_segment([a * scale, b * scale], [c * scale, d * scale]);
                assert_eq!(edge.distance / scale, edges);
            }
        }
    }

    #[test]
    fn triangles_without_area_are_the_segments_and_points_they_are() {
        let point = Triangle::new(DVec3::X, DVec3::X, DVec3::X);
        assert_eq!(point_triangle(DVec3::ZERO, &point).distance, 1.0);
        let line = Triangle::new(DVec3::ZERO, DVec3::X * 2.0, DVec3::X);
        assert_eq!(point_triangle(DVec3::new(1.5, 3.0, 4.0), &line).distance, 5.0);
        assert_eq!(triangle_triangle(&point, &line).distance, 0.0);
        let above = Triangle::new(DVec3::Z, DVec3::Z + DVec3::X, DVec3::Z + DVec3::Y);
        let below = Triangle::new(DVec3::ZERO, DVec3::Y, DVec3::X);
        assert_eq!(triangle_triangle(&above, &below).distance, 1.0);
    }
}
