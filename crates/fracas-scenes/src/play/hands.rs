//! Bodies that break, in the hands of a user: the tools of the scenes that the engine Rapier moves.

use super::grip::Grip;
use super::pick::{Hit, Placed};
use super::stroke;
use super::{Missile, Outcome, Ray, Tool};
use crate::lumps::{Lump, clay, lump, resized};
use crate::shards::{Shards, double, single};
use crate::{Frame, SceneError, SceneOptions, bricks, handful, piggybank, plates};
use fracas::brittle::Solid;
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use fracas::tearing::TreeBox;
use fracas_rapier::Fracture;
use rapier3d::prelude::{ColliderBuilder, RigidBodyBuilder, RigidBodyHandle, Vector};
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

/// Radius of a ball, and its density.
const BALL: f64 = 0.12;
const STEEL: f32 = 7800.0;
/// From how high above its place a ball falls, and how fast it begins: as in the scripted scene.
const DROP: f64 = 1.5;
const DROP_SPEED: f64 = 6.0;
/// How far before what it is thrown at a thing begins to fly.
const RUN_UP: f64 = 2.5;
/// More things than this are not there at once: the oldest go.
const MOST_THROWN: usize = 24;
/// The hammer: kilograms, and metres per second at full strength. Bodies are several times life-size, and so is the hammer.
const HAMMER: f64 = 40.0;
const HAMMER_SPEED: f64 = 20.0;
/// For a large body a heavier one is taken, of this share of the body's mass: a body of fired clay changes its velocity by 6.7 m/s and breaks
/// from 2.6 m/s on.
const HAMMER_SHARE: f64 = 0.5;
/// Where there are more bodies than this, nothing is cut.
const MOST_PIECES: usize = 400;

/// A world of bodies that break, and what the user holds and has thrown.
pub(super) struct Hands {
    shards: Shards,
    grip: Option<Grip>,
    /// Everything that was thrown or dropped, oldest first; a brick that broke is several.
    thrown: VecDeque<Vec<RigidBodyHandle>>,
    brick: Option<Arc<Solid>>,
    /// Pushes that wait until the engine knows the mass of a piece: whom, where, which way and how hard.
    pushes: Vec<(RigidBodyHandle, DVec3, DVec3)>,
    /// Fractures by tools since the last step.
    struck: usize,
    seed: u64,
}

impl Hands {
    pub fn new(name: &str, options: &SceneOptions, seed: u64) -> Result<Self, SceneError> {
        let shards = match name {
            "plates" => plates::set_up(options, seed)?,
            "handful" => handful::set_up(options, seed)?.0,
            "bricks" => bricks::set_up(options, seed)?,
            "piggybank" => piggybank::set_up(options, seed)?.0,
            _ => own(options, seed)?,
        };
        let (thrown, pushes) = (VecDeque::new(), Vec::new());
        Ok(Self { shards, grip: None, thrown, brick: None, pushes, struck: 0, seed })
    }

    pub fn step_seconds(&self) -> f64 {
        self.shards.step_seconds
    }

    pub fn renumber(&mut self) {
        self.shards.renumber();
    }

    pub fn advance(&mut self, step: usize, boxes: usize, frame: &mut Frame) -> Result<(), SceneError> {
        if step > 0 {
            self.push();
            if let Some(grip) = &self.grip
                && !grip.pull(&mut self.shards)
            {
                self.grip = None;
            }
            self.shards.step(frame)?;
            let broken = self.shards.set.fractures().to_vec();
            broken.iter().for_each(|fracture| self.follow(fracture));
            if let Some(count) = frame.counters.iter_mut().find(|counter| counter.0 == "fractures") {
                count.1 += self.struck as f64;
            }
            self.struck = 0;
        }
        self.shards.look(frame);
        frame.count("thrown", self.thrown.len() as f64);
        if boxes > 0 {
            frame.boxes = self.boxes(boxes);
        }
        Ok(())
    }

    /// The boxes of all bodies that move, as the broad phase has them; none if there are more than wanted.
    fn boxes(&self, most: usize) -> Vec<TreeBox> {
        let world = &self.shards.world;
        let moving = world.colliders.iter().filter(|(_, collider)| {
            collider.parent().and_then(|body| world.bodies.get(body)).is_some_and(|body| body.is_dynamic())
        });
        let boxes = moving.map(|(_, collider)| {
            let aabb = collider.compute_aabb();
            TreeBox { level: 0, low: double(aabb.mins), high: double(aabb.maxs) }
        });
        boxes.take(most).collect()
    }

    /// What a fracture does to the hand and to what was thrown.
    fn follow(&mut self, fracture: &Fracture) {
        let pieces = fracture.pieces.iter().map(|piece| piece.body);
        for group in &mut self.thrown {
            if let Some(at) = group.iter().position(|body| *body == fracture.body) {
                group.swap_remove(at);
                group.extend(pieces.clone());
            }
        }
        if let Some(place) =
            self.grip.as_ref().filter(|grip| grip.body == fracture.body).map(|grip| grip.place)
        {
            let held = self.nearest_piece(fracture, place);
            self.grip = self.grip.take().zip(held).map(|(grip, body)| Grip { body, ..grip });
        }
    }

    /// The piece that is nearest to a point in the coordinates of the solid.
    fn nearest_piece(&self, fracture: &Fracture, place: DVec3) -> Option<RigidBodyHandle> {
        let distance = |handle: RigidBodyHandle| {
            let (body, fragment) = self.shards.set.fragment(handle)?;
            let body = body.read().unwrap_or_else(PoisonError::into_inner);
            let reach = 4.0 * body.solid().radius();
            Some(body.find_nearest(fragment, place, reach).map_or(f64::INFINITY, |near| near.distance))
        };
        let pieces = fracture.pieces.iter().filter_map(|piece| Some((piece.body, distance(piece.body)?)));
        pieces.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(body, _)| body)
    }

    pub fn apply(&mut self, tool: &Tool, shown: &Placed) -> Result<Outcome, SceneError> {
        match tool {
            Tool::Ball { ray } => Ok(self.drop_ball(&ray.unit(), shown)),
            Tool::Throw { ray, what, speed } => self.throw(&ray.unit(), *what, *speed, shown),
            Tool::Grab { ray } => Ok(self.grab(&ray.unit(), shown)),
            Tool::Drag { ray } => {
                let ray = ray.unit();
                let Some(grip) = &mut self.grip else { return Ok(Outcome::nothing("Nothing is held.")) };
                if let Some(target) = ray.through(grip.target, grip.facing) {
                    grip.target = target.max(DVec3::new(f64::MIN, f64::MIN, 0.0));
                }
                Ok(Outcome::done("Dragged."))
            }
            Tool::Release => Ok(match self.grip.take() {
                Some(_) => Outcome::done("Let go."),
                None => Outcome::nothing("Nothing is held."),
            }),
            Tool::Strike { ray, strength } => self.strike(&ray.unit(), *strength, shown),
            Tool::Cut { rays } => self.cut(rays, shown),
        }
    }

    fn drop_ball(&mut self, ray: &Ray, shown: &Placed) -> Outcome {
        let hit = shown.nearest(ray).map(|hit| hit.point);
        let Some(place) = hit.or_else(|| ray.down_to(0.0)) else {
            return Outcome::nothing("There is nothing under the pointer.");
        };
        // Up to what is above the place.
        let above = shown.nearest(&Ray { from: place + DVec3::Z * 0.01, along: DVec3::Z });
        let room = above.map_or(f64::INFINITY, |hit| hit.distance);
        if room < 3.0 * BALL {
            return Outcome::nothing("There is no room for a ball above this place.");
        }
        let height = DROP.min(room - 1.5 * BALL);
        self.add_ball(place + DVec3::Z * height, DVec3::Z * -DROP_SPEED);
        Outcome::done("A ball falls.")
    }

    fn add_ball(&mut self, at: DVec3, velocity: DVec3) {
        let body =
            RigidBodyBuilder::dynamic().translation(single(at)).linvel(single(velocity)).ccd_enabled(true);
        let collider = ColliderBuilder::ball(BALL as f32).density(STEEL);
        let ball = self.shards.add_prop(&shapes::icosphere(BALL, 2), collider, body);
        self.remember(ball);
    }

    /// Takes down what was thrown; if there is too much, the oldest goes.
    fn remember(&mut self, body: RigidBodyHandle) {
        self.thrown.push_back(vec![body]);
        while self.thrown.len() > MOST_THROWN {
            let oldest = self.thrown.pop_front().unwrap_or_default();
            oldest.into_iter().for_each(|body| self.shards.remove(body));
        }
    }

    fn throw(&mut self, ray: &Ray, what: Missile, speed: f64, shown: &Placed) -> Result<Outcome, SceneError> {
        let aim = shown.nearest(ray).map(|hit| hit.point).or_else(|| ray.down_to(0.0));
        // Where there is nothing, it flies past the middle.
        let distance = aim.map_or(-ray.from.dot(ray.along), |aim| aim.distance(ray.from));
        let mut from = ray.at((distance - RUN_UP).max(0.0));
        from.z = from.z.max(0.3);
        let velocity = ray.along * speed;
        match what {
            Missile::Ball => self.add_ball(from, velocity),
            Missile::Brick => {
                let brick = match &self.brick {
                    Some(brick) => Arc::clone(brick),
                    None => self.brick.insert(bricks::brick()?).clone(),
                };
                self.seed = self.seed.wrapping_add(1_000);
                let body = RigidBodyBuilder::dynamic()
                    .translation(single(from))
                    .linvel(single(velocity))
                    .angvel(Vector::new(2.0, 1.0, 0.5));
                let body = self.shards.add(&brick, body, &bricks::break_options(self.seed))?;
                self.remember(body);
            }
        }
        let what = if what == Missile::Ball { "ball" } else { "brick" };
        Ok(Outcome::done(format!("A {what} flies at {speed:.0} m/s.")))
    }

    /// The body under a ray, if it moves.
    fn body_under(&self, ray: &Ray, shown: &Placed) -> Result<(RigidBodyHandle, Hit), Outcome> {
        let nothing = || Outcome::nothing("There is nothing under the pointer.");
        let hit = shown.nearest(ray).ok_or_else(nothing)?;
        let body = self.shards.body_at(hit.triangle).ok_or_else(nothing)?;
        match self.shards.world.bodies.get(body) {
            Some(known) if known.is_dynamic() => Ok((body, hit)),
            _ => Err(Outcome::nothing("This body is fixed.")),
        }
    }

    fn grab(&mut self, ray: &Ray, shown: &Placed) -> Outcome {
        let (body, hit) = match self.body_under(ray, shown) {
            Ok(found) => found,
            Err(outcome) => return outcome,
        };
        let Some(pose) = self.shards.pose(body) else {
            return Outcome::nothing("This body cannot be held.");
        };
        let place = pose.inverse().apply(hit.point);
        self.grip = Some(Grip { body, place, target: hit.point, facing: ray.along });
        Outcome::done("Held.")
    }

    fn strike(&mut self, ray: &Ray, strength: f64, shown: &Placed) -> Result<Outcome, SceneError> {
        let (body, hit) = match self.body_under(ray, shown) {
            Ok(found) => found,
            Err(outcome) => return Ok(outcome),
        };
        let mass = f64::from(self.shards.world.bodies[body].mass());
        let speed = HAMMER_SPEED * strength;
        let hammer = HAMMER.max(HAMMER_SHARE * mass);
        let impulse = speed * hammer * mass / (hammer + mass);
        if impulse <= 0.0 {
            return Ok(Outcome::nothing("A blow of no strength does nothing."));
        }
        let place = self.shards.pose(body).map(|pose| pose.inverse().apply(hit.point));
        let fracture = if self.shards.set.fragment(body).is_some() {
            let Shards { set, world, .. } = &mut self.shards;
            set.strike(world, body, hit.point, ray.along * impulse)?
        } else {
            None
        };
        let Some(fracture) = fracture else {
            self.pushes.push((body, hit.point, ray.along * impulse));
            return Ok(Outcome::done("Struck. It withstands the blow."));
        };
        let struck = place.and_then(|place| self.nearest_piece(&fracture, place));
        if let Some(piece) = struck.or(fracture.pieces.first().map(|piece| piece.body)) {
            self.pushes.push((piece, hit.point, ray.along * impulse));
        }
        self.take_apart(&fracture);
        Ok(Outcome::done(format!("Struck. It breaks into {} pieces.", fracture.pieces.len())))
    }

    /// Shows the pieces of a body that a tool has broken.
    fn take_apart(&mut self, fracture: &Fracture) {
        self.shards.show_pieces(fracture);
        self.follow(fracture);
        self.struck += 1;
    }

    /// Gives bodies the impulses of blows. A piece has a mass from its first step on.
    fn push(&mut self) {
        for (handle, point, impulse) in std::mem::take(&mut self.pushes) {
            let Some(body) = self.shards.world.bodies.get_mut(handle) else { continue };
            let mass = f64::from(body.mass());
            if mass > 0.0 {
                // Nothing gets faster than the hammer.
                let impulse = impulse.clamp_length_max(0.5 * HAMMER_SPEED * mass);
                body.apply_impulse_at_point(single(impulse), single(point), true);
            } else {
                self.pushes.push((handle, point, impulse));
            }
        }
    }

    fn cut(&mut self, rays: &[Ray], shown: &Placed) -> Result<Outcome, SceneError> {
        if self.shards.set.len() > MOST_PIECES {
            return Ok(Outcome::nothing("There are too many pieces to cut more: begin again."));
        }
        let Some(plane) = stroke::plane(rays) else {
            return Ok(Outcome::nothing("The stroke is too short to cut."));
        };
        let mut bodies: Vec<RigidBodyHandle> = vec![];
        for ray in stroke::dense(rays) {
            let body = shown.nearest(&ray).and_then(|hit| self.shards.body_at(hit.triangle));
            bodies.extend(body.filter(|body| !bodies.contains(body)));
        }
        let mut pieces = 0;
        for body in bodies {
            let Shards { set, world, .. } = &mut self.shards;
            if set.fragment(body).is_none() {
                continue;
            }
            if let Some(fracture) = set.cut(world, body, plane.point, plane.normal)? {
                pieces += fracture.pieces.len();
                self.take_apart(&fracture);
            }
        }
        Ok(match pieces {
            0 => Outcome::nothing("The stroke parts nothing."),
            pieces => Outcome::done(format!("Cut into {pieces} pieces.")),
        })
    }
}

/// The user's mesh, filled, above the ground.
fn own(options: &SceneOptions, seed: u64) -> Result<Shards, SceneError> {
    let Lump { solid, .. } = lump(&resized(&shapes::icosphere(1.0, 1), 0.6), 20.0, options)?;
    let low = solid.mesh().positions().iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let mut shards = Shards::new(0.015);
    let body = RigidBodyBuilder::dynamic().translation(single(DVec3::Z * (0.05 - low)));
    shards.add(&solid, body, &clay(seed, 16, 3))?;
    Ok(shards)
}
