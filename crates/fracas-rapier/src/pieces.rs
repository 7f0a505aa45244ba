//! Rigid bodies and colliders for the pieces of a body that broke, with the settings and the motion of the whole.

use crate::FragmentShape;
use crate::convert::{double, double_pose, engine_pose, single};
use crate::engine::EngineSets;
use crate::record::{Pace, Record};
use crate::report::Piece;
use fracas::geom::DQuat;
use rapier3d::prelude::{
    Collider, ColliderBuilder, RigidBody, RigidBodyBuilder, RigidBodyHandle, SharedShape, Vector,
};
use std::sync::Arc;

/// Puts rigid bodies for pieces in the place of the whole; returns them with what is known of each. The record must have been checked.
pub(crate) fn replace(
    sets: &mut EngineSets,
    handle: RigidBodyHandle,
    record: &Record,
    shapes: Vec<FragmentShape>,
    pace: Pace,
) -> Vec<(Piece, Record)> {
    let (old, surface) = (&sets.bodies[handle], &sets.colliders[record.collider]);
    let pose = double_pose(old.position());
    let rotation = DQuat::from_mat3(&pose.rotation());
    let turn = *old.rotation();
    let (velocity, spin) = (double(old.linvel()), double(old.angvel()));
    let made: Vec<(RigidBody, Collider, Record)> = shapes
        .into_iter()
        .map(|shape| {
            let arm = pose.rotation() * (shape.origin() - record.origin);
            let mut place = engine_pose(rotation, pose.translation() + arm);
            // The very same rotation: pieces must fit.
            place.rotation = turn;
            let linear = velocity + spin.cross(arm);
            let mut body = like(old, place);
            body.set_linvel(single(linear), true);
            body.set_angvel(old.angvel(), true);
            let known = Record {
                fragment: shape.fragment(),
                origin: shape.origin(),
                reach: shape.reach() as f32,
                thickness: shape.thickness(),
                volume: shape.volume(),
                generation: record.generation + 1,
                age: 0,
                ..record.clone()
            };
            body.enable_ccd(known.is_bullet || known.is_fast(&body, pace));
            (body, with_surface_of(surface, shape), known)
        })
        .collect();
    let EngineSets { islands, bodies, colliders, impulse_joints, multibody_joints, soft_bodies, .. } = sets;
    bodies.remove(handle, islands, colliders, impulse_joints, multibody_joints, soft_bodies, true);
    let add = |(body, collider, known): (RigidBody, Collider, Record)| {
        let handle = bodies.insert(body);
        let collider = colliders.insert_with_parent(collider, handle, bodies);
        let piece = Piece { body: handle, collider, fragment: known.fragment };
        (piece, Record { collider, ..known })
    };
    made.into_iter().map(add).collect()
}

/// A body with the settings of another, at rest.
fn like(old: &RigidBody, place: rapier3d::math::Pose) -> RigidBody {
    let mut body = RigidBodyBuilder::new(old.body_type())
        .user_data(old.user_data)
        .gravity_scale(old.gravity_scale())
        .linear_damping(old.linear_damping())
        .angular_damping(old.angular_damping())
        .dominance_group(old.dominance_group())
        .soft_ccd_prediction(old.soft_ccd_prediction())
        .gyroscopic_forces_enabled(old.gyroscopic_forces_enabled())
        .additional_solver_iterations(old.additional_solver_iterations())
        .locked_axes(old.locked_axes())
        .enabled(old.is_enabled())
        .pose(place)
        .linvel(Vector::ZERO)
        .build();
    body.set_allow_fast_rotation(old.is_fast_rotation_allowed());
    let (from, to) = (old.activation(), body.activation_mut());
    to.normalized_linear_threshold = from.normalized_linear_threshold;
    to.angular_threshold = from.angular_threshold;
    to.time_until_sleep = from.time_until_sleep;
    body
}

/// A collider with the settings of another and a shape of its own.
fn with_surface_of(old: &Collider, shape: FragmentShape) -> Collider {
    let mut collider = ColliderBuilder::new(SharedShape(Arc::new(shape)))
        .user_data(old.user_data)
        .density(old.density())
        .friction(old.friction())
        .friction_combine_rule(old.friction_combine_rule())
        .restitution(old.restitution())
        .restitution_combine_rule(old.restitution_combine_rule())
        .collision_groups(old.collision_groups())
        .solver_groups(old.solver_groups())
        .active_hooks(old.active_hooks())
        .active_events(old.active_events())
        .active_collision_types(old.active_collision_types())
        .contact_skin(old.contact_skin())
        .contact_force_event_threshold(old.contact_force_event_threshold())
        .enabled(old.is_enabled())
        .build();
    collider.set_sensor(old.is_sensor());
    collider
}
