//! The parts of the engine that a fracture changes, and who answers for its contacts.
//!
//! Rapier keeps its state in sets, which [`PhysicsWorld`] bundles for simple programs. A program with a loop of its own lends the sets one by
//! one.

use crate::dispatch::FragmentDispatcher;
use rapier3d::math::{Pose, Real, Vector};
use rapier3d::parry::bounding_volume::{Aabb, BoundingSphere};
use rapier3d::parry::mass_properties::MassProperties;
use rapier3d::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use rapier3d::parry::shape::{FeatureId, Shape, ShapeType, TypedShape};
use rapier3d::prelude::{
    ColliderSet, ImpulseJointSet, IslandManager, MultibodyJointSet, NarrowPhase, PhysicsWorld, RigidBodySet,
    SoftBodySet,
};

/// The engine's sets, lent for a call.
///
/// ```
/// use fracas_rapier::{EngineSets, rapier3d::prelude::PhysicsWorld};
/// let mut world = PhysicsWorld::default();
/// let sets = EngineSets::from(&mut world);
/// assert!(sets.bodies.is_empty());
/// ```
pub struct EngineSets<'a> {
    /// Which bodies are awake, and with whom.
    pub islands: &'a mut IslandManager,
    /// The contacts of the last step, with their impulses.
    pub narrow_phase: &'a NarrowPhase,
    /// All rigid bodies.
    pub bodies: &'a mut RigidBodySet,
    /// All colliders.
    pub colliders: &'a mut ColliderSet,
    /// Joints; those of a body that breaks are removed with it.
    pub impulse_joints: &'a mut ImpulseJointSet,
    /// Joints of articulated bodies; those of a body that breaks are removed with it.
    pub multibody_joints: &'a mut MultibodyJointSet,
    /// Soft bodies, of which the set has none; the engine wants them to remove a body.
    pub soft_bodies: &'a mut SoftBodySet,
}

impl<'a> From<&'a mut PhysicsWorld> for EngineSets<'a> {
    fn from(world: &'a mut PhysicsWorld) -> Self {
        Self {
            islands: &mut world.islands,
            narrow_phase: &world.narrow_phase,
            bodies: &mut world.bodies,
            colliders: &mut world.colliders,
            impulse_joints: &mut world.impulse_joints,
            multibody_joints: &mut world.multibody_joints,
            soft_bodies: &mut world.soft_bodies,
        }
    }
}

/// Whether a narrow phase asks a dispatcher, or a clone of it. The engine does not show which dispatchers a narrow phase has. So it is asked about
/// a shape that only this dispatcher has an answer for.
pub(crate) fn asks(narrow_phase: &NarrowPhase, dispatcher: &FragmentDispatcher) -> bool {
    let seal = Seal(dispatcher.clone());
    let answer = narrow_phase.query_dispatcher().intersection_test(&Pose::IDENTITY, &seal, &seal);
    answer.is_ok_and(|answer| answer.intersecting)
}

/// A shape of no size that one dispatcher knows.
#[derive(Clone)]
pub(crate) struct Seal(pub FragmentDispatcher);

impl Shape for Seal {
    fn compute_local_aabb(&self) -> Aabb {
        Aabb::new(Vector::ZERO, Vector::ZERO)
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        BoundingSphere::new(Vector::ZERO, 0.0)
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    fn scale_dyn(&self, _scale: Vector, _num_subdivisions: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn mass_properties(&self, _density: Real) -> MassProperties {
        MassProperties::default()
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> Real {
        0.0
    }

    fn ccd_angular_thickness(&self) -> Real {
        0.0
    }
}

impl PointQuery for Seal {
    fn project_local_point(&self, _pt: Vector, _solid: bool) -> PointProjection {
        PointProjection::new(false, Vector::ZERO)
    }

    fn project_local_point_and_get_feature(&self, pt: Vector) -> (PointProjection, FeatureId) {
        (self.project_local_point(pt, false), FeatureId::Unknown)
    }
}

impl RayCast for Seal {
    fn cast_local_ray_and_get_normal(&self, _ray: &Ray, _max: Real, _solid: bool) -> Option<RayIntersection> {
        None
    }
}
