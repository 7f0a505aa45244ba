//! Balls in space.

use super::Aabb;
use glam::DVec3;

/// A closed ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Middle of the ball.
    pub centre: DVec3,
    /// Radius, not negative.
    pub radius: f64,
}

impl Sphere {
    /// A ball that holds all the points, at most a few per cent larger than the smallest one (Ritter's method).
    ///
    /// Returns `None` for no points. The radius is padded so that rounding cannot leave a point outside.
    #[must_use]
    pub fn from_points(points: &[DVec3]) -> Option<Self> {
        let first = *points.first()?;
        let farthest_from = |from: DVec3| {
            let further =
                |a: &&DVec3, b: &&DVec3| from.distance_squared(**a).total_cmp(&from.distance_squared(**b));
            *points.iter().max_by(further).expect("points is not empty")
        };
        let one_end = farthest_from(first);
        let other_end = farthest_from(one_end);
        let mut ball =
            Self { centre: one_end.midpoint(other_end), radius: 0.5 * one_end.distance(other_end) };
        for &p in points {
            let distance = ball.centre.distance(p);
            if distance > ball.radius {
                let radius = 0.5 * (ball.radius + distance);
                ball.centre += (p - ball.centre) * ((distance - radius) / distance);
                ball.radius = radius;
            }
        }
        let reach = points.iter().map(|p| ball.centre.distance(*p)).fold(ball.radius, f64::max);
        ball.radius = reach * (1.0 + 8.0 * f64::EPSILON);
        Some(ball)
    }

    /// Whether the ball holds the point, up to the rounding of one distance.
    #[inline]
    #[must_use]
    pub fn contains(&self, p: DVec3) -> bool {
        self.centre.distance_squared(p) <= self.radius * self.radius
    }

    /// Whether the two balls share a point, up to rounding.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let reach = self.radius + other.radius;
        self.centre.distance_squared(other.centre) <= reach * reach
    }

    /// A box around the ball.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        let reach = DVec3::splat(self.radius);
        let pad = (self.centre.abs() + reach) * f64::EPSILON;
        Aabb::from_corners(self.centre - reach - pad, self.centre + reach + pad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn holds_its_points(raw in proptest::collection::vec([-1e3..1e3, -1.0..1.0, -1e-3..1e-3f64], 1..40)) {
            let points: Vec<DVec3> = raw.into_iter().map(DVec3::from_array).collect();
            let ball = Sphere::from_points(&points).unwrap();
            prop_assert!(points.iter().all(|p| ball.contains(*p) && ball.aabb().contains(*p)));
            let widest = points.iter().flat_map(|p| points.iter().map(|q| p.distance(*q))).fold(0.0, f64::max);
            prop_assert!(ball.radius <= 0.66 * widest + 1e-12);
        }
    }

    #[test]
    fn one_point_and_none() {
        assert_eq!(Sphere::from_points(&[]), None);
        assert_eq!(Sphere::from_points(&[DVec3::ONE]).unwrap().radius, 0.0);
    }

    #[test]
    fn balls_that_touch_overlap() {
        let a = Sphere { centre: DVec3::ZERO, radius: 1.0 };
        assert!(a.overlaps(&Sphere { centre: 3.0 * DVec3::X, radius: 2.0 }));
        assert!(!a.overlaps(&Sphere { centre: 3.5 * DVec3::X, radius: 2.0 }));
    }
}
