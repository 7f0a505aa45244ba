//! Rigid bodies that the contacts of a report move: sequential impulses with friction.
//!
//! A contact lets its two bodies not approach, and pushes a part of their overlap out in every step. Impulses are found one contact at a time, several
//! times over. Bodies that are not in the list have their own motion and take no notice.

use fracas::Contact;
use fracas::geom::{DMat3, DQuat, DVec3, Pose};
use fracas::mesh::MassProperties;
use fracas::world::{BodyId, Report};
use std::collections::BTreeMap;

const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.6;
const ROUNDS: usize = 12;
/// Overlap that stays, and the fastest that more of it is pushed out, in metres and metres per second.
const SLOP: f64 = 0.002;
const FASTEST_OUT: f64 = 0.8;

/// A rigid body in motion.
#[derive(Clone, Debug)]
pub(crate) struct Rigid {
    mass: f64,
    /// The inverse of its inertia, and its centre of mass, in its own coordinates.
    ease: DMat3,
    centre: DVec3,
    pub place: DVec3,
    pub turn: DQuat,
    pub velocity: DVec3,
    pub spin: DVec3,
}

/// The hardest blow that a body got in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blow {
    pub point: DVec3,
    /// In newton seconds.
    pub impulse: DVec3,
}

impl Rigid {
    /// A body at rest.
    pub fn new(mass: &MassProperties, density: f64, turn: DQuat, translation: DVec3) -> Self {
        Self {
            mass: mass.volume * density,
            ease: (mass.inertia * density).inverse(),
            centre: mass.centre,
            place: translation + turn * mass.centre,
            turn,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        }
    }

    /// A piece of this body, which moves as it did as a part.
    pub fn piece(&self, mass: &MassProperties, density: f64) -> Self {
        let piece = Self::new(mass, density, self.turn, self.place - self.turn * self.centre);
        let velocity = self.velocity + self.spin.cross(piece.place - self.place);
        Self { velocity, spin: self.spin, ..piece }
    }

    pub fn pose(&self) -> Pose {
        Pose::new(self.turn, self.place - self.turn * self.centre).expect("motion keeps bodies finite")
    }

    fn velocity_at(&self, p: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(p - self.place)
    }

    fn ease_at(&self, p: DVec3, way: DVec3) -> f64 {
        let turn = DMat3::from_quat(self.turn);
        let lever = (p - self.place).cross(way);
        1.0 / self.mass + (turn * self.ease * turn.transpose() * lever).dot(lever)
    }

    fn push(&mut self, p: DVec3, impulse: DVec3) {
        let turn = DMat3::from_quat(self.turn);
        self.velocity += impulse / self.mass;
        self.spin += turn * self.ease * turn.transpose() * (p - self.place).cross(impulse);
    }

    fn fly(&mut self, seconds: f64) {
        self.place += self.velocity * seconds;
        let half = self.spin * (0.5 * seconds);
        let by = DQuat::from_xyzw(half.x, half.y, half.z, 1.0);
        self.turn = (by * self.turn).normalize();
    }
}

/// Moves all bodies by a step; `motion` is the velocity of other bodies at a point. Returns the hardest blow of each body.
pub(crate) fn advance(
    bodies: &mut BTreeMap<BodyId, Rigid>,
    report: &Report,
    motion: impl Fn(BodyId, DVec3) -> DVec3,
    seconds: f64,
) -> BTreeMap<BodyId, Blow> {
    bodies.values_mut().for_each(|body| body.velocity -= DVec3::Z * (GRAVITY * seconds));
    let mut contacts: Vec<([BodyId; 2], &Contact, [f64; 3])> = report
        .meetings()
        .flat_map(|meeting| meeting.contacts.iter().map(move |contact| (meeting.bodies, contact, [0.0; 3])))
        .collect();
    for _ in 0..ROUNDS {
        for (ids, contact, sums) in &mut contacts {
            let p = 0.5 * (contact.points[0] + contact.points[1]);
            let (u, v) = contact.normal.any_orthonormal_pair();
            let out = (0.1 * (contact.depth - SLOP).max(0.0) / seconds).min(FASTEST_OUT);
            for (k, (way, wanted)) in [(contact.normal, out), (u, 0.0), (v, 0.0)].into_iter().enumerate() {
                let of = |id: &BodyId| match bodies.get(id) {
                    Some(body) => (body.velocity_at(p), body.ease_at(p, way)),
                    None => (motion(*id, p), 0.0),
                };
                let [one, other] = [of(&ids[0]), of(&ids[1])];
                let ease = one.1 + other.1;
                if ease == 0.0 {
                    continue;
                }
                let most = if k == 0 { f64::INFINITY } else { FRICTION * sums[0] };
                let least = if k == 0 { 0.0 } else { -most };
                let sum = (sums[k] + (wanted - (other.0 - one.0).dot(way)) / ease).clamp(least, most);
                let change = way * (sum - sums[k]);
                sums[k] = sum;
                for (id, sign) in ids.iter().zip([-1.0, 1.0]) {
                    if let Some(body) = bodies.get_mut(id) {
                        body.push(p, change * sign);
                    }
                }
            }
        }
    }
    let mut blows: BTreeMap<BodyId, Blow> = BTreeMap::new();
    for (ids, contact, sums) in &contacts {
        for (k, (id, sign)) in
            ids.iter().zip([-1.0, 1.0]).enumerate().filter(|(_, (id, _))| bodies.contains_key(id))
        {
            let blow = Blow { point: contact.points[k], impulse: contact.normal * (sign * sums[0]) };
            let hardest = blows.entry(*id).or_insert(blow);
            if blow.impulse.length_squared() > hardest.impulse.length_squared() {
                *hardest = blow;
            }
        }
    }
    bodies.values_mut().for_each(|body| body.fly(seconds));
    blows
}
