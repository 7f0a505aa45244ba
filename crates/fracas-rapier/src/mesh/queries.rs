//! What the engine asks of one mesh: boxes, mass, nearest points, rays.

use super::MeshShape;
use crate::convert::{double, single};
use fracas::Side;
use fracas::geom::DVec3;
use rapier3d::math::{Pose, Real, Vector};
use rapier3d::parry::bounding_volume::{Aabb, BoundingSphere};
use rapier3d::parry::mass_properties::MassProperties;
use rapier3d::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use rapier3d::parry::shape::{FeatureId, Shape, ShapeType, TypedShape};

impl Shape for MeshShape {
    fn compute_local_aabb(&self) -> Aabb {
        let bounds = self.bounds().expanded(self.thickness);
        let rounded =
            |v: DVec3, outward: fn(f32) -> f32| Vector::from_array(single(v).to_array().map(outward));
        Aabb::new(rounded(bounds.min, f32::next_down), rounded(bounds.max, f32::next_up))
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        let radius = (self.surface.radius + self.thickness) * (1.0 + 1e-6);
        BoundingSphere::new(single(self.bounds().centre()), (radius as f32).next_up())
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    /// Scale the mesh and make another shape of it.
    fn scale_dyn(&self, _scale: Vector, _num_subdivisions: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn compute_aabb(&self, position: &Pose) -> Aabb {
        self.compute_local_aabb().transform_by(position)
    }

    fn mass_properties(&self, density: Real) -> MassProperties {
        let mut mass = self.surface.mass;
        if mass.inv_mass > 0.0 && density > 0.0 {
            mass.inv_mass /= density;
            mass.inv_principal_inertia /= density;
            return mass;
        }
        MassProperties::default()
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> Real {
        self.half_extent() as f32
    }

    fn ccd_angular_thickness(&self) -> Real {
        std::f32::consts::FRAC_PI_4
    }
}

impl MeshShape {
    /// The nearest point of the surface and the distance from it, negative inside; the thickness is not counted.
    pub(crate) fn signed_nearest(&self, p: DVec3, reach: f64) -> Option<(f64, DVec3, DVec3)> {
        let view = self.body.view();
        let near = view.nearest(p, reach)?;
        let is_inside = self.is_closed() && !matches!(view.side_of(p), Ok(Side::Outside));
        let sign = if is_inside { -1.0 } else { 1.0 };
        let way = (p - near.point) * sign;
        // On the surface the way says nothing.
        let normal =
            if near.distance > 1e-9 * self.surface.radius { way / near.distance } else { near.normal };
        Some((sign * near.distance, near.point, normal))
    }
}

impl PointQuery for MeshShape {
    fn project_local_point(&self, pt: Vector, solid: bool) -> PointProjection {
        self.project_local_point_with_max_dist(pt, solid, f32::INFINITY)
            .unwrap_or(PointProjection::new(false, pt))
    }

    fn project_local_point_with_max_dist(
        &self,
        pt: Vector,
        solid: bool,
        max_dist: Real,
    ) -> Option<PointProjection> {
        let (distance, point, normal) =
            self.signed_nearest(double(pt), f64::from(max_dist) + self.thickness)?;
        let distance = distance - self.thickness;
        let is_inside = distance <= 0.0;
        let point = if is_inside && solid { pt } else { single(point + normal * self.thickness) };
        Some(PointProjection::new(is_inside, point))
    }

    fn project_local_point_and_get_feature(&self, pt: Vector) -> (PointProjection, FeatureId) {
        (self.project_local_point(pt, false), FeatureId::Unknown)
    }
}

impl RayCast for MeshShape {
    /// The surface itself counts, not its thickness.
    fn cast_local_ray_and_get_normal(
        &self,
        ray: &Ray,
        max_time_of_impact: Real,
        solid: bool,
    ) -> Option<RayIntersection> {
        let (start, way) = (double(ray.origin), double(ray.dir));
        let length = way.length();
        if !(length > 0.0 && length.is_finite() && start.is_finite()) {
            return None;
        }
        let view = self.body.view();
        if solid && self.is_closed() && view.side_of(start) == Ok(Side::Inside) {
            return Some(RayIntersection::new(0.0, Vector::ZERO, FeatureId::Unknown));
        }
        // To just beyond everything, if the way has no end.
        let farthest = start.distance(self.bounds().centre()) + 1.01 * self.surface.radius;
        let time = f64::from(max_time_of_impact).min(farthest / length);
        let hit = view.cast_ray(start, start + way * time)?;
        let t = view.triangle(hit.triangle);
        let normal = (t.b - t.a).cross(t.c - t.a).normalize_or_zero();
        let facing = if normal.dot(way) > 0.0 { -normal } else { normal };
        let feature = FeatureId::Face(hit.triangle.0);
        Some(RayIntersection::new((hit.t * time) as f32, single(facing), feature))
    }
}
