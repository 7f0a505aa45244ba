//! Balls around bodies that turn: the box around a turned box is far too large, and boxes of round bodies overlap twice as often as the bodies come near.

use super::body::Kept;
use super::{Member, World};
use crate::geom::{Box3, DVec3, Pose};
use crate::mesh::Mesh;
use std::sync::Arc;

/// A centre and a radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ball {
    pub(super) centre: DVec3,
    pub(super) radius: f64,
}

impl Ball {
    /// A ball around a mesh, about the middle of its box.
    pub(super) fn around(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        if bounds.is_empty() {
            return Self { centre: DVec3::ZERO, radius: 0.0 };
        }
        let (centre, size) = (bounds.centre(), bounds.extent().max_element());
        // Squares of other sizes would overflow or vanish.
        let radius = if (1e-140..1e140).contains(&size) {
            mesh.positions().iter().fold(0.0, |most: f64, p| most.max(p.distance_squared(centre))).sqrt()
        } else {
            2.0 * size
        };
        Self { centre, radius }
    }

    /// A box around the ball where a pose puts it, and around all points in it as the pose rounds them.
    pub(super) fn bounds_at(&self, pose: &Pose) -> Box3 {
        let (centre, radius) = self.at(pose);
        let reach = DVec3::splat(radius);
        Box3 { min: centre - reach, max: centre + reach }
    }

    /// The centre where a pose puts it, and a radius that holds all points in the ball as the pose rounds them.
    fn at(&self, pose: &Pose) -> (DVec3, f64) {
        let far = self.radius + self.centre.abs().max_element() + pose.translation().abs().max_element();
        (pose.apply(self.centre), self.radius + 64.0 * f64::EPSILON * far)
    }
}

impl World {
    /// Makes a ball for a body that turns but does not deform: the box around a turned box is far too large.
    pub(super) fn make_ball(&mut self, slot: u32) {
        let Self { slots, last_ball, .. } = self;
        let member = slots[slot as usize].member.as_deref_mut().expect("a place with a body");
        let Kept::Tree(tree) = &member.kept else { return };
        if member.ball.is_some() || member.pose.is_identity() || member.history.is_deforming() {
            return;
        }
        let known = last_ball.as_ref().filter(|(last, _)| last.as_ptr() == Arc::as_ptr(tree));
        let ball = known.map_or_else(|| Ball::around(tree.mesh()), |(_, ball)| *ball);
        *last_ball = Some((Arc::downgrade(tree), ball));
        member.ball = Some(ball);
    }

    /// Whether balls show that two bodies are too far apart for any answer. Boxes of round bodies overlap twice as often.
    pub(super) fn are_apart(&self, a: &Member, b: &Member) -> bool {
        let (Some(one), Some(other)) = (a.ball, b.ball) else { return false };
        // A ball is where the step ends.
        if self.sweeps {
            return false;
        }
        let ((p, r), (q, s)) = (one.at(&a.pose), other.at(&b.pose));
        let reach = r + s + 2.0 * self.margin;
        // Squares that vanish or overflow show nothing.
        let (apart, reach) = (p.distance_squared(q), reach * reach * (1.0 + 1e-12));
        reach > f64::MIN_POSITIVE && apart > reach && apart.is_finite()
    }
}
