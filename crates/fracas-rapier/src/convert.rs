//! Between the engine's `f32` and our `f64`.

use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::MassProperties;
use rapier3d::math::{Pose as EnginePose, Rotation, Vector};
use rapier3d::parry::mass_properties::MassProperties as EngineMass;

#[inline]
pub(crate) fn double(v: Vector) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::from))
}

#[inline]
pub(crate) fn single(v: DVec3) -> Vector {
    Vector::from_array(v.to_array().map(|x| x as f32))
}

/// Mass properties as the engine has them, for density 1, with the centre of mass at `centre`.
///
/// The engine itself would find principal axes in `f32`, with thresholds meant for matrices of size 1 and with cosines of the platform. Runs would
/// then differ from machine to machine, even with its determinism feature.
pub(crate) fn engine_mass(mass: &MassProperties, centre: DVec3) -> EngineMass {
    let (moments, turn) = mass.principal_axes();
    let turn = Rotation::from_array(turn.to_array().map(|x| x as f32));
    let mut engine =
        EngineMass::with_principal_inertia_frame(single(centre), mass.volume as f32, Vector::ONE, turn);
    // Inverted before they are rounded: moments of small bodies are too small for `f32`.
    engine.inv_principal_inertia =
        single(moments.map(|moment| if moment == 0.0 { 0.0 } else { 1.0 / moment }));
    engine
}

/// The engine's pose in `f64`; the identity in place of one that is not finite.
#[inline]
pub(crate) fn double_pose(pose: &EnginePose) -> Pose {
    let [x, y, z, w] = pose.rotation.to_array().map(f64::from);
    Pose::new(DQuat::from_xyzw(x, y, z, w), double(pose.translation)).unwrap_or_default()
}

/// A rotation and a translation as the engine has them.
pub(crate) fn engine_pose(rotation: DQuat, translation: DVec3) -> EnginePose {
    let turn = rotation.normalize().to_array().map(|x| x as f32);
    EnginePose::from_parts(single(translation), Rotation::from_array(turn))
}

/// The pose that takes coordinates of one fragment's body to those of another's, where `pose` does so for shapes and their
/// origins in the bodies are given.
#[inline]
pub(crate) fn between(pose: &EnginePose, to: DVec3, from: DVec3) -> Pose {
    let [x, y, z, w] = pose.rotation.to_array().map(f64::from);
    let turn = DQuat::from_xyzw(x, y, z, w).normalize();
    Pose::new(turn, double(pose.translation) + to - turn * from).unwrap_or_default()
}
