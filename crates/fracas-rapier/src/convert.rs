//! Between the engine's `f32` and our `f64`.

use fracas::geom::{DMat3, DQuat, DVec3, Pose};
use rapier3d::math::{Matrix, Pose as EnginePose, Rotation, Vector};

#[inline]
pub(crate) fn double(v: Vector) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::from))
}

#[inline]
pub(crate) fn single(v: DVec3) -> Vector {
    Vector::from_array(v.to_array().map(|x| x as f32))
}

pub(crate) fn single_matrix(m: DMat3) -> Matrix {
    Matrix::from_cols_array_2d(&m.to_cols_array_2d().map(|column| column.map(|x| x as f32)))
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
