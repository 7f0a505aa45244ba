//! A mesh against a shape of the engine that is not convex, or is round or has no end: points of either against the surface of the other.
//!
//! The vertices of the mesh near the shape are asked about through the shape's `PointQuery`. Corners, centres and points along edges of the shape are
//! asked about in the mesh. The direction of a contact is settled as for fragments (`crate::candidates`).

use super::MeshShape;
use crate::candidates::{Candidate, Other, Touching, settled};
use crate::convert::{double, double_pose, single};
use crate::samples::{Sample, visit_samples};
use fracas::geom::{Box3, DVec3};
use rapier3d::math::Pose as EnginePose;
use rapier3d::parry::bounding_volume::Aabb;
use rapier3d::parry::shape::Shape;

/// Adds candidates between a mesh, the first, and a shape; `pos12` takes the shape to the mesh.
pub(super) fn add(
    candidates: &mut Vec<Candidate>,
    mesh: &MeshShape,
    shape: &dyn Shape,
    pos12: &EnginePose,
    prediction: f64,
) {
    let pose = double_pose(pos12);
    let other = Other::new(shape, pose);
    let thickness = mesh.thickness();
    let reach = prediction + thickness;
    let bounds = shape.compute_aabb(pos12);
    let near = Box3 { min: double(bounds.mins), max: double(bounds.maxs) }.expanded(reach);
    let radius = mesh.surface.radius;
    let smaller = radius.min(f64::from(shape.compute_local_bounding_sphere().radius()));
    let touching = Touching::new(smaller, mesh.bounds().extent().min_element());
    mesh.visit_vertices(&near, |p, outward, v| {
        let Some((mut distance, surface, mut normal)) = other.near(p, reach) else { return };
        if other.is_sheet && normal.dot(outward) > 0.0 && mesh.is_closed() {
            // A sheet has no inside; what has passed it is where its own outside is turned away from it.
            (distance, normal) = (-distance, -normal);
        }
        let found = (distance, surface, normal);
        let found = if mesh.is_closed() {
            settled(p, found, outward, touching, |p, reach| other.near(p, reach))
        } else {
            // An open surface has no outside.
            Some(found)
        };
        let Some((distance, surface, normal)) = found else { return };
        if normal != DVec3::ZERO && distance - thickness < prediction {
            let point = p - normal * thickness;
            candidates.push(Candidate::new(point, (distance - thickness, surface, normal), v, false));
        }
    });
    let local = mesh.compute_local_aabb();
    let grown = Vector3::splat(prediction as f32);
    let local = Aabb::new(local.mins - grown, local.maxs + grown).transform_by(&pos12.inverse());
    let size = f64::from(shape.compute_local_aabb().extents().min_element());
    let touching = Touching::new(smaller, size);
    visit_samples(shape, &local, &mut |sample: Sample| {
        let centre = pose.apply(sample.point);
        let ask = |p: DVec3, reach: f64| mesh.signed_nearest(p, reach);
        let Some(near) = ask(centre, reach + sample.radius) else { return };
        let outward = pose.rotation() * sample.normal;
        let is_plain = sample.radius > 0.0 || sample.normal == DVec3::ZERO || !mesh.is_closed();
        let found = if is_plain { Some(near) } else { settled(centre, near, outward, touching, ask) };
        let Some((distance, surface, normal)) = found else { return };
        let distance = distance - sample.radius - thickness;
        if normal != DVec3::ZERO && distance < prediction {
            let point = centre - normal * sample.radius;
            let surface = surface + normal * thickness;
            candidates.push(Candidate::new(point, (distance, surface, normal), sample.feature, true));
        }
    });
    debug_assert!(candidates.iter().all(|candidate| single(candidate.normal).is_finite()));
}

type Vector3 = rapier3d::math::Vector;
