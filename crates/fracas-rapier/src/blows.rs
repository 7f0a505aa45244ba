//! Blows, read from the impulses of contacts.

use crate::convert::double;
use fracas::geom::DVec3;
use rapier3d::prelude::{ColliderHandle, ContactPair, PhysicsWorld};
use std::collections::BTreeMap;

/// A blow against a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Blow {
    /// Where, in the world.
    pub point: DVec3,
    /// Into the body; any length but zero.
    pub direction: DVec3,
    /// How hard, N s.
    pub impulse: f64,
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
    pub fn read(&mut self, world: &PhysicsWorld) {
        self.hardest.clear();
        let mut now = BTreeMap::new();
        for pair in world.narrow_phase.contact_pairs() {
            let Some((point, direction, impulse)) = sum_of(world, pair) else { continue };
            let keys = [pair.collider1, pair.collider2].map(ColliderHandle::into_raw_parts);
            let blow = impulse - self.before.get(&keys).copied().unwrap_or(0.0);
            now.insert(keys, impulse);
            if blow <= 0.0 {
                continue;
            }
            for (key, direction) in [(keys[0], -direction), (keys[1], direction)] {
                let harder = self.hardest.get(&key).is_none_or(|known| known.impulse < blow);
                if harder {
                    self.hardest.insert(key, Blow { point, direction, impulse: blow });
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

/// Where a pair touches, the direction from the first to the second, and how much impulse passed; `None` if none did.
fn sum_of(world: &PhysicsWorld, pair: &ContactPair) -> Option<(DVec3, DVec3, f64)> {
    let (mut point, mut direction, mut total) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    let pose = world.colliders.get(pair.collider1)?.position();
    for manifold in pair.solver_manifolds() {
        for contact in &manifold.points {
            let impulse = f64::from(contact.data.impulse);
            if impulse > 0.0 {
                point += double(pose * contact.local_p1) * impulse;
                direction += double(manifold.data.normal) * impulse;
                total += impulse;
            }
        }
    }
    let size = direction.length();
    (total > 0.0 && size > 1e-6 * total).then(|| (point / total, direction, size))
}
