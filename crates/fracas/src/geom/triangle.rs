//! Three points in space.

use super::Aabb;
use glam::DVec3;

/// A triangle by its corners. Corners may coincide or lie on a line; every query answers such triangles as the
/// segment or point they are.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    #[must_use]
    pub const fn new(a: DVec3, b: DVec3, c: DVec3) -> Self {
        Self { a, b, c }
    }

    /// The corners in order.
    #[inline]
    #[must_use]
    pub const fn corners(&self) -> [DVec3; 3] {
        [self.a, self.b, self.c]
    }

    /// The smallest `f32` box that holds the triangle.
    #[inline]
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Aabb::from_corners(self.a.min(self.b).min(self.c), self.a.max(self.b).max(self.c))
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
        assert!(t.corners().iter().all(|p| t.aabb().contains(*p)));
    }
}
