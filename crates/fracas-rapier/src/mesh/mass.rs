//! Mass, centre and inertia of the volume inside a closed mesh, and normals of its vertices.
//!
//! The volume is the sum of tetrahedra between a point and each triangle, with the sign of their orientation.

use crate::convert::{single, single_matrix};
use fracas::geom::{DMat3, DVec3};
use rapier3d::parry::mass_properties::MassProperties;

/// Mass properties for density 1, and −1 if the triangles are turned inward, else 1. A mesh without volume has no mass.
pub(super) fn of(positions: &[DVec3], triangles: &[[u32; 3]]) -> (MassProperties, f64) {
    // From a point near all of them, so that little cancels.
    let origin = positions[triangles[0][0] as usize];
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for corners in triangles {
        let [a, b, c] = corners.map(|v| positions[v as usize] - origin);
        let six = a.dot(b.cross(c));
        let sum = a + b + c;
        volume += six / 6.0;
        first += sum * (six / 24.0);
        // ∫ x xᵀ over the tetrahedron 0abc.
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        second += (outer(a) + outer(b) + outer(c) + outer(sum)) * (six / 120.0);
    }
    let turn = if volume < 0.0 { -1.0 } else { 1.0 };
    let (volume, first, second) = (volume * turn, first * turn, second * turn);
    if volume.is_nan() || volume <= 0.0 {
        return (MassProperties::default(), turn);
    }
    let centre = first / volume;
    let about = second - DMat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z) * volume;
    let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - about;
    // The engine diagonalises in `f32` with thresholds meant for matrices of size 1.
    let scale = inertia.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let unit = single_matrix(inertia * (1.0 / scale));
    let mut mass = MassProperties::with_inertia_matrix(single(origin + centre), volume as f32, unit);
    mass.inv_principal_inertia *= (1.0 / scale) as f32;
    (mass, turn)
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
