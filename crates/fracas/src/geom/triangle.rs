//! Three points in space.

use super::Box3;
use glam::DVec3;

/// A triangle by its corners. Corners may coincide or lie on a line; every query answers such triangles as the
/// segment or point they are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Triangle {
    /// First corner.
    pub a: DVec3,
    /// Second corner.
    pub b: DVec3,
    /// Third corner.
    pub c: DVec3,
}

impl Triangle {
    /// A triangle from its corners.
    #[inline]
    pub const fn new(a: DVec3, b: DVec3, c: DVec3) -> Self {
        Self { a, b, c }
    }

    /// The corners in order.
    #[inline]
    #[must_use]
    pub const fn corners(&self) -> [DVec3; 3] {
        [self.a, self.b, self.c]
    }

    /// The smallest box that holds the triangle.
    #[inline]
    pub fn bounds(&self) -> Box3 {
        Box3 { min: self.a.min(self.b).min(self.c), max: self.a.max(self.b).max(self.c) }
    }

    /// (b − a) × (c − a): normal to the triangle, as long as twice its area.
    #[inline]
    #[must_use]
    pub fn area_vector(&self) -> DVec3 {
        (self.b - self.a).cross(self.c - self.a)
    }

    /// Area, rounded.
    #[inline]
    #[must_use]
    pub fn area(&self) -> f64 {
        0.5 * self.area_vector().length()
    }

    /// Mean of the corners.
    #[inline]
    #[must_use]
    pub fn centroid(&self) -> DVec3 {
        (self.a + self.b + self.c) / 3.0
    }

    /// The point of the triangle nearest to `p`, rounded.
    ///
    /// ```
    /// use fracas::geom::{DVec3, Triangle};
    /// let t = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y);
    /// assert_eq!(t.closest_point(DVec3::new(0.25, 0.25, 7.0)), DVec3::new(0.25, 0.25, 0.0));
    /// assert_eq!(t.closest_point(DVec3::new(2.0, -1.0, 7.0)), DVec3::X);
    /// ```
    #[inline]
    #[must_use]
    pub fn closest_point(&self, p: DVec3) -> DVec3 {
        let Self { a, b, c } = *self;
        // The regions of corners and edges are ruled out one by one (Ericson, Real-Time Collision Detection, 5.1.5).
        let (ab, ac, ap) = (b - a, c - a, p - a);
        let (d1, d2) = (ab.dot(ap), ac.dot(ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return a;
        }
        let bp = p - b;
        let (d3, d4) = (ab.dot(bp), ac.dot(bp));
        if d3 >= 0.0 && d4 <= d3 {
            return b;
        }
        let cp = p - c;
        let (d5, d6) = (ab.dot(cp), ac.dot(cp));
        if d6 >= 0.0 && d5 <= d6 {
            return c;
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return a + ab * (d1 / (d1 - d3));
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return a + ac * (d2 / (d2 - d6));
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
        }
        let total = 1.0 / (va + vb + vc);
        a + ab * (vb * total) + ac * (vc * total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_triangle() {
        let t = Triangle::new(DVec3::ZERO, 2.0 * DVec3::X, 3.0 * DVec3::Y);
        assert_eq!(t.area(), 3.0);
        assert_eq!(t.area_vector(), 6.0 * DVec3::Z);
        assert_eq!(t.centroid(), DVec3::new(2.0 / 3.0, 1.0, 0.0));
        assert!(t.corners().iter().all(|p| t.bounds().contains(*p)));
    }
}
