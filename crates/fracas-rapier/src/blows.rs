//! Blows, read from the impulses of contacts.
//!
//! The engine moves bodies after it has solved their contacts. So the two points of a contact, each carried along by its own body, may be apart
//! when impulses are read: at 40 m/s by centimetres. A blow is told by the point of the body that it struck.

use crate::convert::double;
use crate::report::Striker;
use fracas::geom::DVec3;
use rapier3d::math::Pose;
use rapier3d::prelude::{ColliderHandle, ColliderSet, ContactPair, NarrowPhase};
use std::collections::BTreeMap;

/// A blow against a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Blow {
    /// Where, in the world; on the body that was struck.
    pub point: DVec3,
    /// Into the body; any length but zero.
    pub direction: DVec3,
    /// How hard, N s.
    pub impulse: f64,
    /// Who struck.
    pub striker: Option<Striker>,
}

/// All blows of a step.
#[derive(Debug, Default)]
pub(crate) struct Blows {
    /// What each pair of colliders got in the last step.
    before: BTreeMap<[(u32, u32); 2], f64>,
    hardest: BTreeMap<(u32, u32), Blow>,
}

impl Blows {
    /// Reads the impulses of the engine's last step.
    pub fn read(&mut self, narrow_phase: &NarrowPhase, colliders: &ColliderSet) {
        self.hardest.clear();
        let mut now = BTreeMap::new();
        for pair in narrow_phase.contact_pairs() {
            let Some((points, direction, impulse)) = sum_of(colliders, pair) else { continue };
            let handles = [pair.collider1, pair.collider2];
            let keys = handles.map(ColliderHandle::into_raw_parts);
            let blow = impulse - self.before.get(&keys).copied().unwrap_or(0.0);
            now.insert(keys, impulse);
            if blow <= 0.0 {
                continue;
            }
            for (side, direction) in [(0, -direction), (1, direction)] {
                let harder = self.hardest.get(&keys[side]).is_none_or(|known| known.impulse < blow);
                if harder {
                    let collider = handles[1 - side];
                    let body = colliders.get(collider).and_then(|collider| collider.parent());
                    let striker = Some(Striker { collider, body });
                    let blow = Blow { point: points[side], direction, impulse: blow, striker };
                    self.hardest.insert(keys[side], blow);
                }
            }
        }
        self.before = now;
    }

    /// The hardest blow against a collider.
    pub fn hardest(&self, collider: ColliderHandle) -> Option<Blow> {
        self.hardest.get(&collider.into_raw_parts()).copied()
    }
}

/// Where a pair touches, on either collider, the direction from the first to the second, and how much impulse passed; `None` if none did.
fn sum_of(colliders: &ColliderSet, pair: &ContactPair) -> Option<([DVec3; 2], DVec3, f64)> {
    let (mut points, mut direction, mut total) = ([DVec3::ZERO; 2], DVec3::ZERO, 0.0);
    let [first, second] =
        [colliders.get(pair.collider1)?, colliders.get(pair.collider2)?].map(|collider| *collider.position());
    for manifold in pair.solver_manifolds() {
        let within = |pose: Pose, part: Option<&Pose>| part.map_or(pose, |part| pose * *part);
        let poses = [within(first, manifold.subshape_pos1()), within(second, manifold.subshape_pos2())];
        for contact in &manifold.points {
            let impulse = f64::from(contact.data.impulse);
            if impulse > 0.0 {
                points[0] += double(poses[0] * contact.local_p1) * impulse;
                points[1] += double(poses[1] * contact.local_p2) * impulse;
                direction += double(manifold.data.normal) * impulse;
                total += impulse;
            }
        }
    }
    let size = direction.length();
    (total > 0.0 && size > 1e-6 * total).then(|| (points.map(|point| point / total), direction, size))
}
