//! A hand on a rigid body: a point of it that follows the pointer.
//!
//! # Idea
//!
//! The point p of the body, at r from its centre, has the velocity v + ω × r. An impulse j there changes it by K j with K = 1/m − \[r\] I⁻¹ \[r\], where
//! \[r\] is the matrix of the cross product. Before each step the impulse is applied that gives the point the velocity towards the pointer, up to
//! what an arm can do; contacts and everything else are the engine's.

use crate::shards::{Shards, double, single};
use fracas::geom::{DMat3, DVec3};
use rapier3d::prelude::RigidBodyHandle;

/// A body that is held.
pub(super) struct Grip {
    pub body: RigidBodyHandle,
    /// Where it is held, in the coordinates in which it is shown. Pieces of a body have the same.
    pub place: DVec3,
    /// Where that point is wanted, and the plane in which it is moved.
    pub target: DVec3,
    pub facing: DVec3,
}

/// The point closes this share of its distance in a step, at this speed at most, in metres per second.
const SHARE: f64 = 0.35;
const FASTEST: f64 = 14.0;
/// Most change of velocity in a second that the hand gives a body, in multiples of gravity.
const STRENGTH: f64 = 30.0;
/// Share of the spin that the hand leaves in a step.
const SPIN: f32 = 0.93;

impl Grip {
    /// Pulls the body; `false` if it is no longer there.
    pub fn pull(&self, shards: &mut Shards) -> bool {
        let seconds = shards.step_seconds;
        let Some(pose) = shards.pose(self.body) else { return false };
        let Some(body) = shards.world.bodies.get_mut(self.body) else { return false };
        let point = pose.apply(self.place);
        let mass = body.mass_properties();
        let inverse = double(mass.effective_inv_mass);
        // A body that the engine has not seen yet has no mass.
        if inverse.min_element() <= 0.0 {
            return true;
        }
        let i = mass.effective_world_inv_inertia;
        let [m11, m12, m13, m22, m23, m33] = [i.m11, i.m12, i.m13, i.m22, i.m23, i.m33].map(f64::from);
        let inertia =
            DMat3::from_cols(DVec3::new(m11, m12, m13), DVec3::new(m12, m22, m23), DVec3::new(m13, m23, m33));
        let r = point - double(mass.world_com);
        let cross = DMat3::from_cols(
            DVec3::new(0.0, r.z, -r.y),
            DVec3::new(-r.z, 0.0, r.x),
            DVec3::new(r.y, -r.x, 0.0),
        );
        let k = DMat3::from_diagonal(inverse) - cross * inertia * cross;
        let wanted = ((self.target - point) * (SHARE / seconds)).clamp_length_max(FASTEST);
        // The engine will add gravity to it.
        let change = wanted - double(body.velocity_at_point(single(point))) + DVec3::Z * (9.81 * seconds);
        let most = STRENGTH * 9.81 * seconds / inverse.max_element();
        let impulse = (k.inverse() * change).clamp_length_max(most);
        if impulse.is_finite() {
            body.apply_impulse_at_point(single(impulse), single(point), true);
            body.set_angvel(body.angvel() * SPIN, true);
        }
        true
    }
}
