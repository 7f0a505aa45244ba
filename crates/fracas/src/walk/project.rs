//! The point of a triangle nearest to a point, in `f64`, with the corner weights that say where it lies.
//!
//! Corners are given relative to the point, so the point is the origin and the answer is the offset to the nearest point.
//!
//! # Invariants
//!
//! - Weights are not negative and sum to one up to rounding; so the nearest point lies on the triangle, degenerate ones included.
//! - A corner that is nearest gives its own offset, and an edge gives the same bits from whichever triangle it is asked. So all
//!   triangles around the nearest vertex or edge are equally far away, and the one with the smallest id can be chosen.
//! - Scaling all corners by a power of two scales the offset by it, as long as nothing underflows.

use crate::geom::DVec3;

/// Where the nearest point of a triangle is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    /// From the point to the nearest point.
    pub(super) offset: DVec3,
    pub(super) distance: f64,
    /// Of the corners. A zero is exact.
    pub(super) weights: [f64; 3],
}

/// Coordinates below this are scaled up before they are multiplied.
const SMALL: f64 = 1e-50;

/// Squared areas below this part of the fourth power of the longest side are those of slivers.
const SLIVER: f64 = 1e-8;

/// The nearest point of a triangle to the origin. Coordinates must not exceed 1e70.
#[inline]
pub(super) fn project(corners: &[DVec3; 3]) -> Projection {
    let [a, b, c] = *corners;
    let largest = a.abs().max(b.abs()).max(c.abs()).max_element();
    if largest < SMALL {
        return project_small(corners, largest);
    }
    let (ab, ac, bc) = (b - a, c - a, c - b);
    // The regions of corners and edges are ruled out one by one (Ericson, Real-Time Collision Detection, 5.1.5).
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return at_corner(a, [1.0, 0.0, 0.0]);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return at_corner(b, [0.0, 1.0, 0.0]);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return at_corner(c, [0.0, 0.0, 1.0]);
    }
    let n = ab.cross(ac);
    let long = ab.length_squared().max(ac.length_squared());
    if n.length_squared() <= SLIVER * long * long {
        return in_sliver(corners, n);
    }
    // Twice the areas of the triangles that the projected origin makes with the sides, times the length of the normal.
    let of_c = a.cross(ab).dot(n);
    if of_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return on_side(corners, 0);
    }
    let of_a = b.cross(bc).dot(n);
    if of_a <= 0.0 && d4 >= d3 && d5 >= d6 {
        return on_side(corners, 1);
    }
    let of_b = ac.cross(a).dot(n);
    if of_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return on_side(corners, 2);
    }
    if of_a + of_b + of_c <= 0.0 {
        return in_sliver(corners, n);
    }
    in_face(corners, [of_a, of_b, of_c].map(|w| w.max(0.0)))
}

#[inline(always)]
fn at_corner(offset: DVec3, weights: [f64; 3]) -> Projection {
    Projection { offset, distance: offset.length(), weights }
}

/// On a side, which begins at the corner with this number. Its ends are taken in the order of their coordinates.
#[inline]
fn on_side(corners: &[DVec3; 3], side: usize) -> Projection {
    let (mut i, mut j) = (side, (side + 1) % 3);
    if is_after(corners[i], corners[j]) {
        (i, j) = (j, i);
    }
    let (from, along) = (corners[i], corners[j] - corners[i]);
    let (part, whole) = (-from.dot(along), along.length_squared());
    let s = if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 };
    let offset = if s == 1.0 { corners[j] } else { from + along * s };
    let mut weights = [0.0; 3];
    (weights[i], weights[j]) = (1.0 - s, s);
    Projection { offset, distance: offset.length(), weights }
}

#[inline(always)]
fn is_after(p: DVec3, q: DVec3) -> bool {
    (p.x, p.y, p.z) > (q.x, q.y, q.z)
}

#[inline(always)]
fn in_face(corners: &[DVec3; 3], parts: [f64; 3]) -> Projection {
    let [a, b, c] = *corners;
    let total = parts[0] + parts[1] + parts[2];
    let weights = parts.map(|part| part / total);
    // From the corner with the largest weight, so that a point near it is not rounded by the size of the triangle.
    let [u, v, w] = weights;
    let offset = if u >= v && u >= w {
        a + (b - a) * v + (c - a) * w
    } else if v >= w {
        b + (a - b) * u + (c - b) * w
    } else {
        c + (a - c) * u + (b - c) * v
    };
    Projection { offset, distance: offset.length(), weights }
}

/// In a triangle that is nearly a segment. Its areas have lost digits, so the solution is improved, and all sides are tried.
#[cold]
fn in_sliver(corners: &[DVec3; 3], n: DVec3) -> Projection {
    let sides = [0, 1, 2].map(|side| on_side(corners, side));
    let mut best = sides[0];
    for other in &sides[1..] {
        if other.distance < best.distance {
            best = *other;
        }
    }
    let [a, b, c] = *corners;
    let (ab, ac, area) = (b - a, c - a, n.length_squared());
    if area <= 0.0 {
        return best;
    }
    let (mut v, mut w) = (ac.cross(a).dot(n) / area, a.cross(ab).dot(n) / area);
    for _ in 0..2 {
        let left = a + ab * v + ac * w;
        v += ac.cross(left).dot(n) / area;
        w += left.cross(ab).dot(n) / area;
    }
    let u = 1.0 - v - w;
    if u > 0.0 && v > 0.0 && w > 0.0 {
        let inside = in_face(corners, [u, v, w]);
        if inside.distance < best.distance {
            return inside;
        }
    }
    best
}

/// The same for coordinates whose products would underflow.
#[cold]
fn project_small(corners: &[DVec3; 3], largest: f64) -> Projection {
    if largest == 0.0 {
        return at_corner(DVec3::ZERO, [1.0, 0.0, 0.0]);
    }
    // The largest becomes one or more, and less than two; subnormal numbers stay below one.
    let up = f64::from_bits(largest.max(f64::MIN_POSITIVE).to_bits() & 0x7ff0_0000_0000_0000).recip();
    let Projection { offset, distance, weights } = project(&corners.map(|p| p * up));
    Projection { offset: offset / up, distance: distance / up, weights }
}
