//! The part of the sphere around a point that a triangle covers.

use crate::geom::DVec3;
use std::f64::consts::TAU;

/// The signed part, from −½ to ½, for corners relative to the point: positive where the point is behind the triangle, so that a point inside a
/// closed surface sees 1 in all. Zero if the point lies in the plane of the triangle. Any power of two may be a common factor.
#[inline]
pub(super) fn winding(corners: &[DVec3; 3]) -> f64 {
    let largest = corners.iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
    // Products of three lengths must neither overflow nor vanish.
    if !(1e-90..=1e90).contains(&largest) {
        if largest == 0.0 || !largest.is_finite() {
            return 0.0;
        }
        let power = f64::from_bits(largest.max(f64::MIN_POSITIVE).to_bits() & 0x7ff0_0000_0000_0000);
        return winding(&corners.map(|p| p / power));
    }
    let [a, b, c] = *corners;
    let [x, y, z] = corners.map(|p| p.length());
    // Of the edges rather than the corners, so that a small triangle far away does not lose its digits.
    let volume = a.dot((b - a).cross(c - a));
    if volume == 0.0 {
        return 0.0;
    }
    // Van Oosterom and Strackee: the tangent of half the solid angle.
    let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    libm::atan2(volume, below) / TAU
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_octant_is_an_eighth_at_any_size() {
        for scale in [1e-300, 1e-100, 1.0, 1e100, 1e300] {
            let octant = [DVec3::X, DVec3::Y, DVec3::Z].map(|p| p * scale);
            assert!((winding(&octant) - 0.125).abs() < 1e-15, "{scale}");
            let [a, b, c] = octant;
            assert_eq!(winding(&[b, a, c]), -winding(&octant));
        }
        // In the plane of the triangle, inside and outside of it, and at its corner.
        let flat = [DVec3::X, DVec3::Y, -DVec3::X - DVec3::Y];
        assert_eq!(winding(&flat), 0.0);
        assert_eq!(winding(&flat.map(|p| p + 5.0 * DVec3::X)), 0.0);
        assert_eq!(winding(&flat.map(|p| p - DVec3::X)), 0.0);
        // Very near the inside of a triangle it covers half of the sphere.
        assert!((winding(&flat.map(|p| p - DVec3::Z * 1e-12)).abs() - 0.5).abs() < 1e-11);
    }
}
