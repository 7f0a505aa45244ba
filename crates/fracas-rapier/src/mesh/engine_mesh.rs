//! Convex shapes of the engine as meshes, made once.
//!
//! Round shapes become as many facets as their radius needs; the rounding of round boxes and hulls becomes a thickness. What is kept is found
//! again by the numbers that describe the shape, so it does not matter where the engine keeps the shape.

use crate::MeshShape;
use crate::convert::double;
use fracas::{Mesh, MeshTree};
use rapier3d::math::Vector;
use rapier3d::parry::shape::{ConvexPolyhedron, Shape, TypedShape};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Facets around a cylinder, a cone or a capsule. A peg of 64 facets is round up to a thousandth of its radius.
const AROUND: u32 = 64;
/// Meshes that are kept; beyond that all are forgotten.
const MOST: usize = 1024;

/// The numbers that describe a convex shape, as bits, after the kind of the shape.
type Key = (u8, Vec<u32>);

/// Meshes of the convex shapes that were met.
#[derive(Debug, Default)]
pub(crate) struct EngineMeshes {
    known: RwLock<HashMap<Key, Option<Arc<MeshShape>>>>,
}

impl EngineMeshes {
    /// The mesh of a convex shape with an inside, and the thickness around it; `None` for other shapes.
    pub fn of(&self, shape: &dyn Shape) -> Option<(Arc<MeshShape>, f64)> {
        let (kind, numbers, border) = description(shape)?;
        let key: Key = (kind, numbers.into_iter().map(f32::to_bits).collect());
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let mesh = known.unwrap_or_else(|| {
            let made = build(shape);
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= MOST {
                known.clear();
            }
            known.entry(key).or_insert(made).clone()
        });
        Some((mesh?, f64::from(border)))
    }
}

fn hull_numbers(hull: &ConvexPolyhedron) -> Vec<f32> {
    hull.points().iter().flat_map(|p| p.to_array()).collect()
}

/// What kind of shape it is, the numbers that describe it, and the rounding around it.
fn description(shape: &dyn Shape) -> Option<(u8, Vec<f32>, f32)> {
    Some(match shape.as_typed_shape() {
        TypedShape::Cuboid(cuboid) => (0, cuboid.half_extents.to_array().to_vec(), 0.0),
        TypedShape::RoundCuboid(round) => {
            (0, round.inner_shape.half_extents.to_array().to_vec(), round.border_radius)
        }
        TypedShape::Capsule(capsule) => {
            let (a, b) = (capsule.segment.a.to_array(), capsule.segment.b.to_array());
            (1, [&a[..], &b[..], &[capsule.radius]].concat(), 0.0)
        }
        TypedShape::Cylinder(cylinder) => (2, vec![cylinder.half_height, cylinder.radius], 0.0),
        TypedShape::RoundCylinder(round) => {
            (2, vec![round.inner_shape.half_height, round.inner_shape.radius], round.border_radius)
        }
        TypedShape::Cone(cone) => (3, vec![cone.half_height, cone.radius], 0.0),
        TypedShape::RoundCone(round) => {
            (3, vec![round.inner_shape.half_height, round.inner_shape.radius], round.border_radius)
        }
        TypedShape::ConvexPolyhedron(hull) => (4, hull_numbers(hull), 0.0),
        TypedShape::RoundConvexPolyhedron(round) => {
            (4, hull_numbers(&round.inner_shape), round.border_radius)
        }
        _ => return None,
    })
}

/// The surface of a convex shape. `None` if that is no mesh, for lack of size.
fn build(shape: &dyn Shape) -> Option<Arc<MeshShape>> {
    let (points, triangles): (Vec<Vector>, Vec<[u32; 3]>) = match shape.as_typed_shape() {
        TypedShape::Cuboid(cuboid) => cuboid.to_trimesh(),
        TypedShape::RoundCuboid(round) => round.inner_shape.to_trimesh(),
        TypedShape::Capsule(capsule) => capsule.to_trimesh(AROUND, AROUND / 4),
        TypedShape::Cylinder(cylinder) => cylinder.to_trimesh(AROUND),
        TypedShape::RoundCylinder(round) => round.inner_shape.to_trimesh(AROUND),
        TypedShape::Cone(cone) => cone.to_trimesh(AROUND),
        TypedShape::RoundCone(round) => round.inner_shape.to_trimesh(AROUND),
        TypedShape::ConvexPolyhedron(hull) => hull.to_trimesh(),
        TypedShape::RoundConvexPolyhedron(round) => round.inner_shape.to_trimesh(),
        _ => return None,
    };
    let mesh = Mesh::new(points.into_iter().map(double).collect(), triangles).ok()?;
    MeshShape::new(&Arc::new(MeshTree::build(mesh))).ok().map(Arc::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rapier3d::prelude::SharedShape;

    #[test]
    fn convex_shapes_become_closed_meshes_of_their_size() {
        let meshes = EngineMeshes::default();
        let corner = |k: usize| Vector::new((k & 1) as f32, (k >> 1 & 1) as f32, (k >> 2 & 1) as f32);
        let points: Vec<Vector> = (0..8).map(corner).collect();
        for shape in [
            SharedShape::cuboid(0.5, 0.2, 0.3),
            SharedShape::round_cuboid(0.5, 0.2, 0.3, 0.1),
            SharedShape::capsule_x(0.5, 0.2),
            SharedShape::cylinder(0.5, 0.2),
            SharedShape::round_cylinder(0.5, 0.2, 0.05),
            SharedShape::cone(0.5, 0.2),
            SharedShape::round_cone(0.5, 0.2, 0.05),
            SharedShape::convex_hull(&points).unwrap(),
            SharedShape::round_convex_hull(&points, 0.05).unwrap(),
        ] {
            let (mesh, border) = meshes.of(&*shape).expect("a convex shape");
            assert_eq!(mesh.surface.turn, 1.0);
            let (bounds, expected) = (mesh.bounds().expanded(border), shape.compute_local_aabb());
            let off =
                (bounds.min - double(expected.mins)).abs().max((bounds.max - double(expected.maxs)).abs());
            assert!(off.max_element() < 0.003, "{:?}: {bounds:?} {expected:?}", shape.shape_type());
            assert!(Arc::ptr_eq(&mesh, &meshes.of(&*shape).unwrap().0), "it is made once");
        }
        assert!(meshes.of(&*SharedShape::ball(1.0)).is_none());
    }
}
