//! Mass, centre and inertia of the volume inside a closed mesh, and normals of its vertices.
//!
use crate::convert::engine_mass;
use fracas::geom::{DVec3, Triangle};
use fracas::mesh::MassProperties;
use rapier3d::parry::mass_properties::MassProperties as EngineMass;

/// Mass properties for density 1, and −1 if the triangles are turned inward, else 1. A mesh without volume has no mass.
pub(super) fn of(positions: &[DVec3], triangles: &[[u32; 3]]) -> (EngineMass, f64) {
    let outward = triangles.iter().map(|corners| {
        let [a, b, c] = corners.map(|v| positions[v as usize]);
        Triangle::new(a, b, c)
    });
    let inward = outward.clone().map(|Triangle { a, b, c }| Triangle::new(a, c, b));
    let of = |mass: MassProperties| engine_mass(&mass, mass.centre);
    if let Some(mass) = MassProperties::inside(outward) {
        (of(mass), 1.0)
    } else {
        MassProperties::inside(inward).map_or((EngineMass::default(), 1.0), |mass| (of(mass), -1.0))
    }
}

/// Unit normals of the vertices: means of the triangles around, by their angles there, so that they do not depend on how faces are divided.
pub(super) fn vertex_normals(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for corners in triangles {
        let places = corners.map(|v| positions[v as usize]);
        let [a, b, c] = places;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for k in 0..3 {
            let [to, from] = [1, 2].map(|next| places[(k + next) % 3] - places[k]);
            let angle = libm::atan2(to.cross(from).length(), to.dot(from));
            normals[corners[k] as usize] += normal * angle;
        }
    }
    normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    normals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::single;
    use fracas::mesh::shapes;
    use rapier3d::parry::shape::{Ball, Cuboid, Shape};
    use rapier3d::prelude::Vector;

    #[test]
    fn mass_is_that_of_the_engines_shapes() {
        let aside = DVec3::new(3.0, -2.0, 5.0);
        for is_turned in [false, true] {
            let mesh = shapes::cuboid(DVec3::new(0.4, 0.2, 0.6));
            let mesh = if is_turned { mesh.flipped() } else { mesh };
            let places: Vec<DVec3> = mesh.positions().iter().map(|p| *p + aside).collect();
            let (ours, turn) = of(&places, mesh.triangles());
            assert_eq!(turn, if is_turned { -1.0 } else { 1.0 });
            let theirs = Cuboid::new(Vector::new(0.2, 0.1, 0.3)).mass_properties(1.0);
            assert!((ours.mass() / theirs.mass() - 1.0).abs() < 1e-6);
            assert!((ours.local_com - single(aside)).length() < 1e-5);
            let mut inertia = [ours, theirs].map(|mass| mass.principal_inertia().to_array());
            inertia.iter_mut().for_each(|axes| axes.sort_by(f32::total_cmp));
            (0..3).for_each(|k| assert!((inertia[0][k] / inertia[1][k] - 1.0).abs() < 1e-4, "{inertia:?}"));
        }
        let ball = shapes::icosphere(0.5, 5);
        let (ours, theirs) = (of(ball.positions(), ball.triangles()).0, Ball::new(0.5).mass_properties(1.0));
        assert!((ours.mass() / theirs.mass() - 1.0).abs() < 0.005);
    }
}
