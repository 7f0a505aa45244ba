//! Key poses of a cloth that meets a moving body, such that nothing passes through anything between keys either.
//!
//! # Idea
//!
//! ```text
//!   key k ──────── half a key ──────── key k + 1      straight ways from key to key are what a player shows,
//!     │   small steps  │   small steps    │           so they are what must be free of impacts
//!     └──── apart ─────┘                  │
//!     └───────────────── apart ───────────┘
//! ```
//!
//! From key to key the cloth moves in many small steps: gravity and air, links along edges and across them, contacts
//! (extended position-based dynamics). Contacts keep features one thickness apart. That leaves few impacts on the straight
//! ways from the last key, which `apart` takes out exactly. The half-way state is set apart too, since contacts are
//! looked for there and have to know their sides.
//!
//! Where impacts remain, the key interval is halved, and a key is added in the middle: shorter ways are straighter. The
//! body moves on straight ways from key to key as well, so an added key changes nothing for it.
//!
//! # Invariants
//!
//! - Nothing meets at a key, nor on the straight ways between two keys, exactly for the positions given out.
//! - The same input gives the same keys, whatever the number of threads.
//!
//! # Reference
//!
//! M. Macklin and others, *Small steps in physics simulation*, Symposium on Computer Animation, 2019.

use super::apart::set_apart;
use super::contacts::{self, Rub};
use super::features::FeatureFinder;
use super::{by_colour, calm};
use crate::SceneError;
use crate::points::{Link, Point, pull};
use fracas::geom::DVec3;
use fracas::mesh::{Adjacency, EdgeUse, Mesh};

/// What cloth is like, and what acts on it. Lengths are metres, masses those of a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyedOptions {
    /// Acceleration of everything. Default: that of the earth, down.
    pub gravity: DVec3,
    /// Velocity of the air. Default: none.
    pub wind: DVec3,
    /// Share of the difference to the air's velocity that is lost per second, to first order. Default: 1.2.
    pub drag: f64,
    /// How much a link across an edge gives under unit force, for a point of unit mass. Default: 2e-5.
    pub bending: f64,
    /// Friction, as in Coulomb's law. Default: 0.3.
    pub friction: f64,
    /// Seconds from key to key. Default: 0.04.
    pub key_seconds: f64,
}

impl Default for KeyedOptions {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            wind: DVec3::ZERO,
            drag: 1.2,
            bending: 2e-5,
            friction: 0.3,
            key_seconds: 0.04,
        }
    }
}

/// How often an interval between keys may be halved.
const HALVINGS: u32 = 7;
/// The share of a difference in velocity that the ends of a link exchange in every half of a key interval.
const INNER_FRICTION: f64 = 0.12;
/// Features that would have met end this far apart, in thicknesses.
const GAP: f64 = 0.2;

/// A cloth and the body that it meets, at a key.
pub(crate) struct KeyedCloth {
    options: KeyedOptions,
    /// The cloth, then the body.
    points: Vec<Point>,
    cloth: usize,
    stretch: Vec<Link>,
    bend: Vec<Link>,
    rub: Rub,
    finder: FeatureFinder,
    substeps: usize,
    seconds: f64,
    stats: KeyedStats,
}

/// What the keys have taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeyedStats {
    /// Keys given out.
    pub keys: usize,
    /// Keys among them that were added where an interval had to be halved.
    pub added: usize,
    /// Impacts that were taken out of straight ways.
    pub impacts: usize,
    /// Contacts looked at, in all steps.
    pub contacts: usize,
}

/// A key: the time, and positions of the cloth and the body.
pub(crate) type Key = (f64, Vec<DVec3>, Vec<DVec3>);

impl KeyedCloth {
    /// A cloth at rest in the shape of a mesh, and a body that it does not meet.
    pub fn new(cloth: &Mesh, body: &Mesh, options: KeyedOptions) -> Self {
        let at = |v: u32| cloth.positions()[v as usize];
        let link = |ends: [u32; 2]| Link { ends, length: at(ends[0]).distance(at(ends[1])) };
        let (mut stretch, mut bend) = (Vec::new(), Vec::new());
        for edge in Adjacency::build(cloth).edges() {
            stretch.push(link(edge.ends));
            let corner = |side: &EdgeUse| cloth.triangles()[side.triangle().index()][(side.corner() + 2) % 3];
            if let [one, other] = edge.uses {
                bend.push(link([corner(one), corner(other)]));
            }
        }
        let mean = stretch.iter().map(|link| link.length).sum::<f64>() / stretch.len().max(1) as f64;
        let extent = cloth.bounds().extent().max_element();
        let (stretch, bend) =
            (by_colour(stretch, cloth.vertex_count()), by_colour(bend, cloth.vertex_count()));
        let point = |position: DVec3, mobility: f64| Point {
            position,
            velocity: DVec3::ZERO,
            before: position,
            mobility,
        };
        let mut points: Vec<Point> = cloth.positions().iter().map(|p| point(*p, 1.0)).collect();
        points.extend(body.positions().iter().map(|p| point(*p, 0.0)));
        Self {
            options,
            points,
            cloth: cloth.vertex_count(),
            stretch,
            bend,
            rub: Rub { thickness: (0.25 * mean).min(0.005), friction: options.friction },
            finder: FeatureFinder::new(cloth, body),
            // Finer cloth has more links to pass a pull along.
            substeps: (0.18 * extent / mean).ceil().clamp(6.0, 24.0) as usize,
            seconds: 0.0,
            stats: KeyedStats::default(),
        }
    }

    /// The first key: the state at rest.
    pub fn key(&self) -> Key {
        let positions = self.positions();
        (self.seconds, positions[..self.cloth].to_vec(), positions[self.cloth..].to_vec())
    }

    /// Moves on to the next key, at which the body is where it is said to be. More keys come out where they are needed.
    ///
    /// # Errors
    /// [`SceneError::Caught`]: the body holds the cloth so that it cannot move on.
    pub fn advance(&mut self, body: &[DVec3]) -> Result<Vec<Key>, SceneError> {
        let (from, to) = (self.seconds, self.seconds + self.options.key_seconds);
        let body_from = self.positions()[self.cloth..].to_vec();
        let body_at = |share: f64| -> Vec<DVec3> {
            if share == 1.0 {
                return body.to_vec();
            }
            body_from.iter().zip(body).map(|(p, q)| *p + (*q - *p) * share).collect()
        };
        let mut keys = Vec::new();
        let (mut done, mut next) = (0.0, 1.0);
        while done < 1.0 {
            let before = self.points.clone();
            let seconds = (next - done) * (to - from);
            if self.interval(seconds, &body_at(0.5 * (done + next)), &body_at(next)) {
                done = next;
                next = 1.0;
                self.seconds = if done == 1.0 { to } else { from + done * (to - from) };
                self.stats.keys += 1;
                self.stats.added += usize::from(done < 1.0);
                keys.push(self.key());
            } else {
                self.points = before;
                next = 0.5 * (done + next);
                if next - done < 0.5_f64.powi(HALVINGS as i32) {
                    return Err(SceneError::Caught { seconds: from + done * (to - from) });
                }
            }
        }
        Ok(keys)
    }

    /// What the keys so far have taken.
    #[cfg(test)]
    pub fn stats(&self) -> KeyedStats {
        self.stats
    }

    /// Energy of motion and of height, for points of unit mass.
    #[cfg(test)]
    pub fn energy(&self) -> f64 {
        let of = |p: &Point| 0.5 * p.velocity.length_squared() - self.options.gravity.dot(p.position);
        self.points[..self.cloth].iter().map(of).sum()
    }

    /// By how much links along edges are longer or shorter than at rest, on average.
    #[cfg(test)]
    pub fn strain(&self) -> f64 {
        let at = |v: u32| self.points[v as usize].position;
        let of = |link: &Link| (at(link.ends[0]).distance(at(link.ends[1])) / link.length - 1.0).abs();
        self.stretch.iter().map(of).sum::<f64>() / self.stretch.len().max(1) as f64
    }

    fn positions(&self) -> Vec<DVec3> {
        self.points.iter().map(|point| point.position).collect()
    }

    /// Moves on by an interval between keys, in two halves; false if impacts remain.
    fn interval(&mut self, seconds: f64, middle: &[DVec3], end: &[DVec3]) -> bool {
        let key = self.positions();
        [middle, end].into_iter().all(|body| self.half(0.5 * seconds, body, &key))
    }

    /// Moves on by half an interval, and takes impacts out of the straight ways from the key before it.
    fn half(&mut self, seconds: f64, body: &[DVec3], key: &[DVec3]) -> bool {
        let share = seconds / (0.5 * self.options.key_seconds);
        let substeps = ((self.substeps as f64 * share).ceil() as usize).max(2);
        let dt = seconds / substeps as f64;
        let start = self.positions();
        self.stretch.iter().for_each(|link| calm(&mut self.points, link, INNER_FRICTION));
        let contacts = self.look(seconds, body, &start);
        self.stats.contacts += contacts.len();
        let keep = 1.0 / (1.0 + self.options.drag * dt);
        let (bending, rub) = (self.options.bending / (dt * dt), self.rub);
        for substep in 1..=substeps {
            let passed = substep as f64 / substeps as f64;
            let (cloth, driven) = self.points.split_at_mut(self.cloth);
            for (point, (from, to)) in driven.iter_mut().zip(start[self.cloth..].iter().zip(body)) {
                point.before = point.position;
                point.position = if substep == substeps { *to } else { *from + (*to - *from) * passed };
            }
            for point in cloth {
                point.velocity += self.options.gravity * dt;
                point.velocity = self.options.wind + (point.velocity - self.options.wind) * keep;
                point.before = point.position;
                point.position += point.velocity * dt;
            }
            let points = &mut self.points;
            self.stretch.iter().for_each(|link| pull(points, link, 0.0));
            self.bend.iter().for_each(|link| pull(points, link, bending));
            contacts.iter().for_each(|contact| contact.push(points, rub));
            for point in &mut points[..self.cloth] {
                point.velocity = (point.position - point.before) / dt;
            }
        }
        let proposed = self.positions();
        let mut apart = proposed.clone();
        let Some(stats) = set_apart(&mut self.finder, key, &mut apart, GAP * rub.thickness) else {
            return false;
        };
        self.stats.impacts += stats.impacts;
        for (point, (to, from)) in self.points[..self.cloth].iter_mut().zip(apart.iter().zip(&proposed)) {
            point.position = *to;
            point.velocity += (*to - *from) / seconds;
        }
        true
    }

    /// Contacts that may arise in half an interval.
    fn look(&mut self, seconds: f64, body: &[DVec3], start: &[DVec3]) -> Vec<contacts::Contact> {
        let fall = self.options.gravity * (0.5 * seconds * seconds);
        let mut expected: Vec<DVec3> =
            self.points[..self.cloth].iter().map(|p| p.position + p.velocity * seconds + fall).collect();
        expected.extend(body);
        contacts::look(&mut self.finder, start, &expected, 1.5 * self.rub.thickness)
    }
}

#[cfg(test)]
mod tests {
    use super::super::impacts::impacts;
    use super::*;
    use fracas::mesh::shapes;

    /// A sheet over a ball that moves to and fro.
    fn sheet_and_ball() -> (Mesh, Mesh) {
        let sheet = shapes::cloth_grid(18, 18, [0.8, 0.8]);
        let above = |p: &DVec3| *p + DVec3::new(0.013, 0.007, 0.32);
        let positions = sheet.positions().iter().map(above).collect();
        (Mesh::new(positions, sheet.triangles().to_vec()).unwrap(), shapes::icosphere(0.3, 3))
    }

    fn keys(count: usize) -> (Vec<Key>, KeyedCloth) {
        let (sheet, ball) = sheet_and_ball();
        let mut cloth = KeyedCloth::new(&sheet, &ball, KeyedOptions::default());
        let mut keys = vec![cloth.key()];
        for k in 1..=count {
            let by = DVec3::X * (0.12 * libm::sin(0.5 * k as f64));
            let body: Vec<DVec3> = ball.positions().iter().map(|p| *p + by).collect();
            keys.extend(cloth.advance(&body).unwrap());
        }
        (keys, cloth)
    }

    #[test]
    fn nothing_meets_between_keys_and_energy_is_lost() {
        let (sheet, ball) = sheet_and_ball();
        let (keys, cloth) = keys(40);
        let mut finder = FeatureFinder::new(&sheet, &ball);
        let joint = |key: &Key| [key.1.clone(), key.2.clone()].concat();
        for pair in keys.windows(2) {
            assert!(pair[0].0 < pair[1].0);
            let [start, end] = [&pair[0], &pair[1]].map(joint);
            assert_eq!(impacts(&mut finder, &start, &end, |_| true), [], "after {} s", pair[0].0);
        }
        assert!(cloth.strain() < 0.05, "{}", cloth.strain());
        let first = KeyedCloth::new(&sheet, &ball, KeyedOptions::default());
        assert!(cloth.energy() < first.energy() + 0.02 * first.energy().abs());
        let lowest = keys.last().unwrap().1.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        assert!(lowest < 0.1, "it hangs down, to {lowest}");
        assert!(cloth.stats().keys >= 40 && cloth.stats().contacts > 0);
    }

    #[test]
    fn keys_are_the_same_every_time() {
        assert!(keys(6).0 == keys(6).0);
    }
}
