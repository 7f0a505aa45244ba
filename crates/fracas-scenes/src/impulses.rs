//! Rigid bodies that contacts move: sequential impulses with friction.
//!
//! A contact lets its two bodies not approach, and pushes a part of their overlap out in every step. Impulses are found one contact at a time, several
//! times over. Bodies that are not in the list have their own motion and take no notice.

use fracas::Contact;
use fracas::geom::{DMat3, DQuat, DVec3, Pose};
use fracas::mesh::MassProperties;
use fracas::world::{BodyId, Report};
use std::collections::BTreeMap;

pub(crate) const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.6;
const ROUNDS: usize = 12;
/// Overlap that stays, and the fastest that more of it is pushed out, in metres and metres per second.
const SLOP: f64 = 0.002;
const FASTEST_OUT: f64 = 0.8;
/// A contact whose bodies give way less than this share of what they would if they were free to move is left alone.
const STUCK: f64 = 0.1;

/// A rigid body in motion.
#[derive(Clone, Debug)]
pub(crate) struct Rigid {
    /// The inverse of its mass along the three axes; 0 along an axis on which it cannot move.
    lightness: DVec3,
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
            lightness: DVec3::splat(1.0 / (mass.volume * density)),
            ease: (mass.inertia * density).inverse(),
            centre: mass.centre,
            place: translation + turn * mass.centre,
            turn,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
        }
    }

    /// A body at rest that something carries: it slides and turns in the plane alone. It must be turned about the vertical only.
    pub fn upright(mass: &MassProperties, density: f64, turn: DQuat, translation: DVec3) -> Self {
        let free = Self::new(mass, density, turn, translation);
        let about_vertical = 1.0 / (mass.inertia.z_axis.z * density);
        Self {
            lightness: free.lightness.with_z(0.0),
            ease: DMat3::from_diagonal(DVec3::Z * about_vertical),
            ..free
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

    /// The inverse of its inertia as it is turned.
    fn turned_ease(&self) -> DMat3 {
        let turn = DMat3::from_quat(self.turn);
        turn * self.ease * turn.transpose()
    }

    fn fall(&mut self, seconds: f64) {
        if self.lightness.z > 0.0 {
            self.velocity -= DVec3::Z * (GRAVITY * seconds);
        }
    }

    fn fly(&mut self, seconds: f64) {
        self.place += self.velocity * seconds;
        let half = self.spin * (0.5 * seconds);
        let by = DQuat::from_xyzw(half.x, half.y, half.z, 1.0);
        self.turn = (by * self.turn).normalize();
    }
}

/// A contact between two bodies of which at least one moves.
struct Joint<'a> {
    contact: &'a Contact,
    bodies: [BodyId; 2],
    /// Their places in the list; `None` for a body with a motion of its own, whose velocity here is given.
    moving: [Option<usize>; 2],
    given: [DVec3; 2],
    point: DVec3,
    /// Three directions: the normal first.
    ways: [Way; 3],
}

/// One direction of a contact.
struct Way {
    along: DVec3,
    /// The velocity at which the second body is to leave the first.
    wanted: f64,
    /// What an impulse of one changes of the velocity between them, and of the spins of both; 0 if they cannot give way.
    ease: f64,
    spins: [DVec3; 2],
    sum: f64,
}

/// Moves all bodies by a step, with these contacts; `motion` is the velocity of other bodies at a point. Returns the hardest blow of each body.
pub(crate) fn advance(
    bodies: &mut BTreeMap<BodyId, Rigid>,
    contacts: &[([BodyId; 2], Contact)],
    motion: impl Fn(BodyId, DVec3) -> DVec3,
    seconds: f64,
) -> BTreeMap<BodyId, Blow> {
    let ids: Vec<BodyId> = bodies.keys().copied().collect();
    let mut list: Vec<&mut Rigid> = bodies.values_mut().collect();
    list.iter_mut().for_each(|body| body.fall(seconds));
    let eases: Vec<DMat3> = list.iter().map(|body| body.turned_ease()).collect();
    let mut joints = vec![];
    for (pair, contact) in contacts {
        let moving = pair.map(|id| ids.binary_search(&id).ok());
        let point = 0.5 * (contact.points[0] + contact.points[1]);
        let given = pair.map(|id| motion(id, point));
        let (u, v) = contact.normal.any_orthonormal_pair();
        let out = (0.1 * (contact.depth - SLOP).max(0.0) / seconds).min(FASTEST_OUT);
        let ways = [(contact.normal, out), (u, 0.0), (v, 0.0)].map(|(along, wanted)| {
            let mut way = Way { along, wanted, ease: 0.0, spins: [DVec3::ZERO; 2], sum: 0.0 };
            let mut free = 0.0;
            for (side, body) in moving.into_iter().enumerate().filter_map(|(side, k)| Some((side, k?))) {
                let lever = (point - list[body].place).cross(along);
                way.spins[side] = eases[body] * lever;
                way.ease += (list[body].lightness * along).dot(along) + way.spins[side].dot(lever);
                free += list[body].lightness.max_element();
            }
            if way.ease < STUCK * free {
                way.ease = 0.0;
            }
            way
        });
        joints.push(Joint { contact, bodies: *pair, moving, given, point, ways });
    }
    for _ in 0..ROUNDS {
        joints.iter_mut().for_each(|joint| joint.push(&mut list));
    }
    list.into_iter().for_each(|body| body.fly(seconds));
    hardest_blows(&joints)
}

impl Joint<'_> {
    /// Brings the velocity between the two bodies to what it should be, as far as they can push and rub.
    fn push(&mut self, list: &mut [&mut Rigid]) {
        for k in 0..3 {
            let most = if k == 0 { f64::INFINITY } else { FRICTION * self.ways[0].sum };
            let least = if k == 0 { 0.0 } else { -most };
            let way = &mut self.ways[k];
            if way.ease == 0.0 {
                continue;
            }
            let speed = |side: usize| {
                self.moving[side].map_or(self.given[side], |body| list[body].velocity_at(self.point))
            };
            let sum =
                (way.sum + (way.wanted - (speed(1) - speed(0)).dot(way.along)) / way.ease).clamp(least, most);
            let change = sum - way.sum;
            way.sum = sum;
            for (side, sign) in [(0, -change), (1, change)] {
                if let Some(body) = self.moving[side] {
                    let lightness = list[body].lightness;
                    list[body].velocity += lightness * way.along * sign;
                    list[body].spin += way.spins[side] * sign;
                }
            }
        }
    }
}

/// The contacts of a report.
pub(crate) fn contacts_of(report: &Report) -> Vec<([BodyId; 2], Contact)> {
    let meetings = report.meetings();
    meetings
        .flat_map(|meeting| meeting.contacts.iter().map(move |contact| (meeting.bodies, *contact)))
        .collect()
}

fn hardest_blows(joints: &[Joint]) -> BTreeMap<BodyId, Blow> {
    let mut blows: BTreeMap<BodyId, Blow> = BTreeMap::new();
    for Joint { contact, bodies, moving, ways, .. } in joints {
        for side in (0..2).filter(|side| moving[*side].is_some()) {
            let sign = [-1.0, 1.0][side];
            let blow = Blow { point: contact.points[side], impulse: contact.normal * (sign * ways[0].sum) };
            let hardest = blows.entry(bodies[side]).or_insert(blow);
            if blow.impulse.length_squared() > hardest.impulse.length_squared() {
                *hardest = blow;
            }
        }
    }
    blows
}
