//! Rays against fragments, by walking along the distance.
//!
//! From a point at distance *d* from the surface, a ray may advance by *d*. So it reaches the surface in few steps, unless it
//! passes close by; there it advances by at least a small fraction of the fragment's radius.

use crate::FragmentShape;
use crate::convert::{double, single};
use rapier3d::math::Real;
use rapier3d::parry::query::{Ray, RayCast, RayIntersection};
use rapier3d::parry::shape::FeatureId;

/// How near a ray comes to the surface, and how far it goes on at least, by the fragment's radius.
const NEAR: f64 = 1e-6;
const LEAST_STEP: f64 = 1e-5;
const MOST_STEPS: usize = 4096;

impl RayCast for FragmentShape {
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        max_time_of_impact: Real,
        solid: bool,
    ) -> Option<RayIntersection> {
        let (from, way) = (double(ray.origin), double(ray.dir));
        let speed = way.length();
        if !(speed > 0.0 && speed.is_finite() && from.is_finite()) {
            return None;
        }
        let way = way / speed;
        // Where the ray is in the box around everything.
        let middle = -from.dot(way);
        let half = (self.reach() * self.reach() - from.length_squared() + middle * middle).sqrt();
        if half.is_nan() || middle + half < 0.0 {
            return None;
        }
        let end = (middle + half).min(f64::from(max_time_of_impact) * speed);
        let mut at = (middle - half).max(0.0);
        let body = self.read();
        let hit = |at: f64, normal| {
            Some(RayIntersection::new((at / speed) as f32, single(normal), FeatureId::Unknown))
        };
        let begins_inside = body.is_inside(self.fragment(), from + self.origin());
        if begins_inside && solid {
            return hit(0.0, fracas::geom::DVec3::ZERO);
        }
        for _ in 0..MOST_STEPS {
            if at > end {
                return None;
            }
            let p = from + way * at + self.origin();
            let near =
                body.find_nearest(self.fragment(), p, 2.0 * self.reach() + (p - self.origin()).length())?;
            let is_inside = near.distance <= 0.0;
            if is_inside != begins_inside || near.distance.abs() <= NEAR * self.radius() {
                // Skimming along a surface is no hit: the ray must go through it.
                let goes_through = near.normal.dot(way) < 0.0;
                if goes_through != begins_inside {
                    return hit(at, if begins_inside { -near.normal } else { near.normal });
                }
            }
            at += near.distance.abs().max(LEAST_STEP * self.radius());
        }
        None
    }
}
