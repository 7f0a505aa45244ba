//! Where a rigid body is: a rotation, then a translation.

use super::Triangle;
use glam::{DMat3, DQuat, DVec3};

/// A rigid motion from body space to world space.
///
/// Exact queries between posed bodies are exact for the points that [`Pose::apply`] returns: the body's
/// positions, moved and rounded to `f64` once. The identity moves nothing and rounds nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "PoseState", into = "PoseState")
)]
pub struct Pose {
    rotation: DMat3,
    translation: DVec3,
    is_identity: bool,
}

/// A pose as it is written down: the columns of the rotation matrix, and the translation.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct PoseState {
    rotation: DMat3,
    translation: DVec3,
}

#[cfg(feature = "serde")]
impl From<Pose> for PoseState {
    fn from(Pose { rotation, translation, .. }: Pose) -> Self {
        Self { rotation, translation }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<PoseState> for Pose {
    type Error = &'static str;

    fn try_from(PoseState { rotation, translation }: PoseState) -> Result<Self, Self::Error> {
        let is_identity = rotation == DMat3::IDENTITY && translation == DVec3::ZERO;
        let error = (rotation.transpose() * rotation - DMat3::IDENTITY).to_cols_array();
        let is_rotation = error.iter().all(|x| x.abs() < 1e-9) && rotation.determinant() > 0.0;
        if is_rotation && translation.is_finite() {
            Ok(Self { rotation, translation, is_identity })
        } else {
            Err("a pose must be a rotation and a finite translation")
        }
    }
}

/// Why a body cannot be where a pose puts it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "the pose puts the body up to {reach:e} from the origin: more than {:e} is out of range",
    Pose::FARTHEST
)]
pub struct PoseError {
    /// The largest coordinate that the body may have, plus the largest of the translation; infinite if that overflows.
    pub reach: f64,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// Body space is world space.
    pub const IDENTITY: Self =
        Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO, is_identity: true };

    /// How far from the origin a pose may put a body: 2¹⁰²⁰, about 1.1e307. Farther away sums of coordinates would overflow, so
    /// [`View::try_at`](crate::View::try_at) refuses such poses for all bodies alike.
    pub const FARTHEST: f64 = f64::MAX / 16.0;

    /// A pose from a rotation and the translation that follows it. The quaternion is normalised.
    ///
    /// Returns `None` if a component is not finite or the quaternion is too short to normalise.
    ///
    /// ```
    /// use fracas::geom::{DQuat, DVec3, Pose};
    /// let quarter_turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    /// let pose = Pose::new(quarter_turn, 5.0 * DVec3::X).unwrap();
    /// assert!(pose.apply(DVec3::X).distance(DVec3::new(5.0, 1.0, 0.0)) < 1e-15);
    /// assert_eq!(Pose::new(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DVec3::ZERO), None);
    /// ```
    #[must_use]
    pub fn new(rotation: DQuat, translation: DVec3) -> Option<Self> {
        let length = rotation.length();
        if !length.is_finite() || length < 1e-100 || !translation.is_finite() {
            return None;
        }
        let rotation = DMat3::from_quat((rotation / length).normalize());
        let is_identity = rotation == DMat3::IDENTITY && translation == DVec3::ZERO;
        Some(Self { rotation, translation, is_identity })
    }

    /// A pose that only moves, without turning; `None` if a component is not finite.
    #[must_use]
    pub fn from_translation(translation: DVec3) -> Option<Self> {
        Self::new(DQuat::IDENTITY, translation)
    }

    /// The rotation as a matrix.
    #[inline]
    #[must_use]
    pub fn rotation(&self) -> DMat3 {
        self.rotation
    }

    /// The translation.
    #[inline]
    #[must_use]
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// Whether [`Pose::apply`] returns every point unchanged.
    #[inline]
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.is_identity
    }

    /// The point in world space, rounded to `f64`. The same bits on every machine: no fused operations.
    #[inline]
    #[must_use]
    pub fn apply(&self, p: DVec3) -> DVec3 {
        if self.is_identity {
            return p;
        }
        let r = &self.rotation;
        r.x_axis * p.x + r.y_axis * p.y + r.z_axis * p.z + self.translation
    }

    /// The triangle in world space, corner by corner.
    #[inline]
    pub fn apply_to_triangle(&self, t: &Triangle) -> Triangle {
        Triangle::new(self.apply(t.a), self.apply(t.b), self.apply(t.c))
    }

    /// The pose of a body that is so many times as large; a power of two rounds nothing.
    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self { translation: self.translation * factor, ..*self }
    }

    /// The inverse motion, rounded.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation), is_identity: self.is_identity }
    }

    /// The motion that applies `first`, then `self`, rounded.
    pub fn after(&self, first: &Self) -> Self {
        Self {
            rotation: self.rotation * first.rotation,
            translation: self.rotation * first.translation + self.translation,
            is_identity: self.is_identity && first.is_identity,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_pose() -> impl Strategy<Value = Pose> {
        ([-1.0..1.0f64, -1.0..1.0, -1.0..1.0, 0.1..1.0], [-9.0..9.0f64, -9.0..9.0, -9.0..9.0])
            .prop_map(|(q, t)| Pose::new(DQuat::from_array(q), DVec3::from_array(t)).unwrap())
    }

    proptest! {
        #[test]
        fn inverse_and_composition_agree_with_application(p in any_pose(), q in any_pose(), x in [-5.0..5.0f64, -5.0..5.0, -5.0..5.0]) {
            let x = DVec3::from_array(x);
            prop_assert!(p.inverse().apply(p.apply(x)).distance(x) < 1e-13);
            prop_assert!(p.after(&q).apply(x).distance(p.apply(q.apply(x))) < 1e-13);
        }
    }

    #[test]
    fn identity_returns_the_same_bits() {
        let x = DVec3::new(-0.0, 1e-320, 0.1);
        assert_eq!(Pose::IDENTITY.apply(x).to_array().map(f64::to_bits), x.to_array().map(f64::to_bits));
        assert!(Pose::new(DQuat::IDENTITY, DVec3::ZERO).unwrap().is_identity());
    }

    #[test]
    fn refuses_what_is_not_a_motion() {
        assert_eq!(Pose::from_translation(DVec3::new(f64::NAN, 0.0, 0.0)), None);
        assert_eq!(Pose::new(DQuat::from_xyzw(f64::INFINITY, 0.0, 0.0, 1.0), DVec3::ZERO), None);
    }
}
