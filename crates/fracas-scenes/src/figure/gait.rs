//! How a person walks: the angle of every joint at every time.
//!
//! The person walks on the spot, as on a treadmill, looking along y. A period is two steps. Angles are a few harmonics
//! of the phase: hips swing, a knee bends while its leg is in the air, arms swing against the legs, and the pelvis sways,
//! turns and rises.
//!
//! At time 0 the person stands as the shape is at rest, arms away from the body. The walk sets in smoothly.

use super::shape::{BONES, Bone, Measures, Side};
use fracas::geom::{DQuat, DVec3};

/// A way of walking; angles in radians.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gait {
    /// Seconds of two steps.
    pub period: f64,
    /// How far thighs swing to either side.
    pub hip: f64,
    /// How far a knee bends in the air.
    pub knee: f64,
    /// How far arms swing to either side.
    pub arm: f64,
    /// How far the arms stay away from the body.
    pub spread: f64,
    /// How far the pelvis moves sideways, in metres.
    pub sway: f64,
    /// Seconds until the walk has set in.
    pub onset: f64,
}

impl Gait {
    pub const MALE: Self =
        Self { period: 1.04, hip: 0.40, knee: 0.95, arm: 0.38, spread: 0.33, sway: 0.014, onset: 0.8 };
    pub const FEMALE: Self =
        Self { period: 1.0, hip: 0.36, knee: 0.9, arm: 0.34, spread: 0.36, sway: 0.022, onset: 0.8 };

    /// For every bone where it takes a point of the body at rest: the point is turned about the origin, then moved.
    pub fn pose(&self, measures: &Measures, seconds: f64) -> Vec<(DQuat, DVec3)> {
        let share = (seconds / self.onset).clamp(0.0, 1.0);
        let strength = share * share * (3.0 - 2.0 * share);
        let phase = std::f64::consts::TAU * seconds / self.period;
        let mut placed: Vec<(DQuat, DVec3)> = Vec::with_capacity(BONES.len());
        for bone in BONES {
            let own = self.turn(bone, phase, strength);
            let joint = measures.joint(bone);
            placed.push(match bone.parent() {
                None => {
                    let rise = 0.018 * (cos(2.0 * phase) - 1.0) * strength;
                    let moved = joint + DVec3::new(self.sway * sin(phase) * strength, 0.0, rise);
                    (own, moved - own * joint)
                }
                Some(parent) => {
                    let number =
                        BONES.iter().position(|other| *other == parent).expect("every bone is listed");
                    let (turn, shift) = placed[number];
                    let all = turn * own;
                    (all, turn * joint + shift - all * joint)
                }
            });
        }
        placed
    }

    /// How a bone is turned against its parent.
    fn turn(&self, bone: Bone, phase: f64, strength: f64) -> DQuat {
        // The left leg is half a period behind.
        let of = |side: Side| if side == Side::Right { phase } else { phase + std::f64::consts::PI };
        match bone {
            Bone::Pelvis => {
                about(DVec3::Z, 0.09 * strength * cos(phase)) * about(DVec3::Y, 0.035 * strength * sin(phase))
            }
            Bone::Chest => {
                about(DVec3::Z, -0.15 * strength * cos(phase))
                    * about(DVec3::Y, -0.03 * strength * sin(phase))
            }
            Bone::Head => about(DVec3::Z, 0.06 * strength * cos(phase)),
            // Turning about x lifts what hangs down to the front.
            Bone::Thigh(side) => {
                let spread = about(DVec3::Y, -0.035 * strength * side.sign());
                about(DVec3::X, strength * (self.hip * cos(of(side)) + 0.1)) * spread
            }
            Bone::Shin(side) => {
                // Most while the thigh comes forward, a little when the foot has touched down.
                let lift = (0.5 - 0.5 * sin(of(side) + 0.25)).max(0.0);
                about(DVec3::X, -strength * (0.1 + self.knee * lift * lift * lift))
            }
            Bone::Foot(side) => about(DVec3::X, strength * (0.05 + 0.22 * cos(of(side) + 0.6))),
            Bone::UpperArm(side) => {
                let rest = libm::atan2(0.6, 0.8);
                let down = (rest - self.spread) * strength;
                let swing = about(DVec3::X, -strength * self.arm * cos(of(side)));
                swing * about(DVec3::Y, down * side.sign())
            }
            Bone::Forearm(side) => {
                about(DVec3::X, strength * (0.28 - 0.16 * cos(of(side)))) * about(DVec3::Y, 0.0)
            }
            Bone::Hand(_) => DQuat::IDENTITY,
        }
    }
}

/// A turn about an axis, without the sine of the platform's library.
fn about(axis: DVec3, angle: f64) -> DQuat {
    let v = axis * sin(0.5 * angle);
    DQuat::from_xyzw(v.x, v.y, v.z, cos(0.5 * angle))
}

fn sin(x: f64) -> f64 {
    libm::sin(x)
}

fn cos(x: f64) -> f64 {
    libm::cos(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_hold_together_and_the_walk_repeats() {
        let (gait, measures) = (Gait::MALE, Measures::MALE);
        let place = |pose: &[(DQuat, DVec3)], bone: Bone, p: DVec3| {
            let (turn, shift) = pose[BONES.iter().position(|b| *b == bone).unwrap()];
            turn * p + shift
        };
        for k in 0..40 {
            let seconds = 0.05 * f64::from(k);
            let pose = gait.pose(&measures, seconds);
            for bone in BONES {
                let Some(parent) = bone.parent() else { continue };
                let joint = measures.joint(bone);
                assert!(place(&pose, bone, joint).distance(place(&pose, parent, joint)) < 1e-12, "{bone:?}");
            }
        }
        let foot = |seconds: f64| {
            let bone = Bone::Foot(Side::Left);
            place(&gait.pose(&measures, seconds), bone, measures.joint(bone))
        };
        assert!(foot(1.0).distance(foot(1.0 + gait.period)) < 1e-12);
        let reach = (0..50).map(|k| foot(1.0 + 0.02 * f64::from(k)).y);
        let (low, high) = reach.fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(y), h.max(y)));
        assert!(high - low > 0.5, "a stride of {}", high - low);
        assert!(
            gait.pose(&measures, 0.0)
                .iter()
                .all(|(turn, shift)| *turn == DQuat::IDENTITY && shift.length() < 1e-12)
        );
    }
}
