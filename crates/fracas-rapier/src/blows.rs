//! Blows, read from the impulses of contacts.
//!
//! The engine moves bodies after it has solved their contacts. So the two points of a contact, each carried along by its own body, may be apart
//! when impulses are read: at 40 m/s by centimetres. A blow is told by the point of the body that it struck.
//!
//! # Cost
//!
//! A pile has thousands of contacts, and in nearly all steps nothing breaks. So every body has a *limit*, the least impulse that matters to it. Pairs
//! without a body that may break are passed over; of the others the impulses are summed up; where a contact is in the world is computed only for blows beyond
//! the limit.

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
    /// What each pair of colliders got in the last step and in this one, in the engine's order.
    before: Vec<(PairKey, f64)>,
    now: Vec<(PairKey, f64)>,
    /// The last step's, sorted; empty until it is needed.
    sorted: Vec<(PairKey, f64)>,
    /// By index of the collider: its generation, and the least impulse that matters.
    limits: Vec<(u32, f64)>,
    hardest: BTreeMap<(u32, u32), Blow>,
}

/// Two colliders, each by generation and index.
type PairKey = [u64; 2];

/// How many pairs of the last step are looked at before all of them are searched.
const AHEAD: usize = 8;

/// The generation of an index that no breakable collider has.
const NOBODY: u32 = u32::MAX;

impl Blows {
    /// Forgets all limits.
    pub fn clear_limits(&mut self) {
        self.limits.clear();
    }

    /// Tells that a collider may break, and which impulse is the least that matters now. One that never breaks needs no limit.
    pub fn set_limit(&mut self, collider: ColliderHandle, least: f64) {
        let (index, generation) = collider.into_raw_parts();
        let index = index as usize;
        if self.limits.len() <= index {
            self.limits.resize(index + 1, (NOBODY, f64::INFINITY));
        }
        self.limits[index] = (generation, least);
    }

    #[inline]
    fn limit(&self, collider: ColliderHandle) -> Option<f64> {
        let (index, generation) = collider.into_raw_parts();
        self.limits.get(index as usize).filter(|known| known.0 == generation).map(|known| known.1)
    }

    /// Reads the impulses of the engine's last step.
    pub fn read(&mut self, narrow_phase: &NarrowPhase, colliders: &ColliderSet) {
        self.hardest.clear();
        self.now.clear();
        self.sorted.clear();
        // Where the pair before was found in the last step.
        let mut at = 0;
        for pair in narrow_phase.contact_pairs() {
            let handles = [pair.collider1, pair.collider2];
            let limits = handles.map(|handle| self.limit(handle));
            if limits == [None; 2] {
                continue;
            }
            let Some((direction, impulse)) = sum_of(pair) else { continue };
            let key = handles.map(|handle| {
                let (index, generation) = handle.into_raw_parts();
                u64::from(index) << 32 | u64::from(generation)
            });
            let blow = impulse - self.impulse_before(key, &mut at);
            self.now.push((key, impulse));
            let least = limits.iter().flatten().fold(f64::INFINITY, |least, &limit| least.min(limit));
            if blow <= 0.0 || blow < least {
                continue;
            }
            let Some(points) = points_of(colliders, pair) else { continue };
            for (side, direction) in [(0, -direction), (1, direction)] {
                let own = handles[side].into_raw_parts();
                let is_hard = limits[side].is_some_and(|limit| blow >= limit);
                if is_hard && self.hardest.get(&own).is_none_or(|known| known.impulse < blow) {
                    let collider = handles[1 - side];
                    let body = colliders.get(collider).and_then(|collider| collider.parent());
                    let striker = Some(Striker { collider, body });
                    let blow = Blow { point: points[side], direction, impulse: blow, striker };
                    self.hardest.insert(own, blow);
                }
            }
        }
        std::mem::swap(&mut self.before, &mut self.now);
    }

    /// What a pair got in the last step. Pairs hardly change their order from step to step, so it is nearly always one of the next few from `at` on.
    fn impulse_before(&mut self, key: PairKey, at: &mut usize) -> f64 {
        let next = self.before[*at..].iter().take(AHEAD).position(|entry| entry.0 == key);
        if let Some(ahead) = next {
            *at += ahead + 1;
            return self.before[*at - 1].1;
        }
        if self.sorted.is_empty() {
            self.sorted.clone_from(&self.before);
            self.sorted.sort_unstable_by_key(|entry| entry.0);
        }
        let found = self.sorted.binary_search_by_key(&key, |entry| entry.0);
        found.map_or(0.0, |place| self.sorted[place].1)
    }

    /// The hardest blow against a collider, if it is beyond its limit.
    pub fn hardest(&self, collider: ColliderHandle) -> Option<Blow> {
        self.hardest.get(&collider.into_raw_parts()).copied()
    }
}

/// The direction from the first collider of a pair to the second, and how much impulse passed; `None` if none did.
fn sum_of(pair: &ContactPair) -> Option<(DVec3, f64)> {
    let (mut direction, mut total) = (DVec3::ZERO, 0.0);
    for manifold in pair.solver_manifolds() {
        for contact in &manifold.points {
            let impulse = f64::from(contact.data.impulse);
            if impulse > 0.0 {
                direction += double(manifold.data.normal) * impulse;
                total += impulse;
            }
        }
    }
    let size = direction.length();
    (total > 0.0 && size > 1e-6 * total).then_some((direction, size))
}

/// Where a pair touches, on either collider: the means of its contacts by impulse.
fn points_of(colliders: &ColliderSet, pair: &ContactPair) -> Option<[DVec3; 2]> {
    let (mut points, mut total) = ([DVec3::ZERO; 2], 0.0);
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
                total += impulse;
            }
        }
    }
    (total > 0.0).then(|| points.map(|point| point / total))
}
