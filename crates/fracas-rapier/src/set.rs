//! The bodies that may break, and the step that breaks them.
//!
//! # A step
//!
//! ```text
//!   engine's step ──▶ impulses of contacts ──▶ blows ──▶ labels ──▶ pieces ──▶ events
//!                     less those of the        harder     crack     rigid bodies with the
//!                     step before              than the             motion of the whole
//!                                              material
//! ```
//!
//! A body at rest under a load gets the same impulse in every step. What breaks is a *change*: a blow is what a contact
//! adds to the impulse that it had before. Each piece goes on as its part of the whole moved: its centre has the velocity
//! that the whole had there, and the spin is the same. So momentum, angular momentum and energy stay what they were.
//!
//! # Invariants
//!
//! Bodies that break in one step are taken in the order of their blows, hardest first, then by handle. The same world and the
//! same calls give the same pieces.

use crate::blows::{Blow, Blows};
use crate::convert::{double, double_pose, engine_pose, single};
use crate::dispatch::Work;
use crate::{BreakError, FragmentDispatcher, FragmentShape, SharedBody};
use fracas::brittle::{BrittleBody, FragmentId, Solid, SolidOptions};
use fracas::fill::{FillOptions, fill};
use fracas::fracture::{Breakable, FractureOptions, Impact, Material, Relabelling};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::Mesh;
use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher};
use rapier3d::prelude::{
    Collider, ColliderBuilder, ColliderHandle, EventHandler, PhysicsHooks, PhysicsWorld, RigidBody,
    RigidBodyBuilder, RigidBodyHandle, SharedShape, Vector,
};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// How a body breaks, and how its surface behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BreakOptions {
    /// What it is made of; its density gives the mass.
    pub material: Material,
    /// What cracks look like, how many there may be, and the seed for chance.
    pub fracture: FractureOptions,
    /// Coefficient of friction, 0 or more.
    pub friction: f32,
    /// Share of the speed that is left after a bounce, 0 to 1.
    pub restitution: f32,
    /// Steps after its birth in which a piece does not break: loads that were shared by the whole come as blows.
    pub grace: u32,
    /// How often pieces of pieces may break. 0: never at all.
    pub generations: u32,
}

impl Default for BreakOptions {
    fn default() -> Self {
        Self {
            material: Material::BRICK,
            fracture: FractureOptions::default(),
            friction: 0.6,
            restitution: 0.0,
            grace: 4,
            generations: 8,
        }
    }
}

/// A body that broke.
#[derive(Clone, Debug, PartialEq)]
pub struct Fracture {
    /// The body that is no more.
    pub body: RigidBodyHandle,
    /// Its collider, which is no more.
    pub collider: ColliderHandle,
    /// The fragment it was.
    pub fragment: FragmentId,
    /// What it became.
    pub pieces: Vec<Piece>,
    /// Where it was hit, in the world.
    pub point: DVec3,
    /// How hard, N s.
    pub impulse: f64,
}

/// A piece of a body that broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its rigid body.
    pub body: RigidBodyHandle,
    /// Its collider.
    pub collider: ColliderHandle,
    /// Which fragment of the original body it is.
    pub fragment: FragmentId,
}

/// What the parts of the last step took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepTimes {
    /// Contacts of fragments.
    pub collision: Duration,
    /// The rest of the engine's step.
    pub physics: Duration,
    /// Distances, sphere trees and shapes of new pieces.
    pub update: Duration,
    /// Blows, labels, cuts, and rigid bodies for pieces.
    pub fracture: Duration,
}

/// What is known of a rigid body that may break.
#[derive(Clone, Debug)]
struct Record {
    collider: ColliderHandle,
    body: SharedBody,
    fragment: FragmentId,
    origin: DVec3,
    options: BreakOptions,
    /// Fractures since the original.
    generation: u32,
    /// Steps since its birth.
    age: u32,
}

/// Bodies that may break; see the [crate](crate).
#[derive(Debug, Default)]
pub struct BreakableSet {
    records: BTreeMap<(u32, u32), Record>,
    dispatcher: FragmentDispatcher,
    blows: Blows,
    fractures: Vec<Fracture>,
    /// Steps to go until the last fracture is forgotten.
    shaken: u32,
    times: StepTimes,
}

/// The most of an impulse that a step begins with for so many steps after a fracture. With all of it, what bore a blow and broke is still
/// pushed against, and one fall of ten gained up to half a percent of energy.
const WARM_START: f32 = 0.8;
const SHAKEN_STEPS: u32 = 600;

fn key(handle: RigidBodyHandle) -> (u32, u32) {
    handle.into_raw_parts()
}

impl BreakableSet {
    /// An empty set, and a world that asks it for contacts.
    pub fn new(world: &mut PhysicsWorld) -> Self {
        let set = Self::default();
        world.narrow_phase.set_query_dispatcher(set.dispatcher.clone().chain(DefaultQueryDispatcher));
        set
    }

    /// Adds a body made from a closed surface.
    ///
    /// It is filled with tetrahedra first. For many bodies of one shape, make a [`Solid`] once and use
    /// [`BreakableSet::insert`].
    ///
    /// # Errors
    /// A surface that is open or not oriented, cells that do not suit it, a material with a number that is not positive.
    pub fn insert_mesh(
        &mut self,
        world: &mut PhysicsWorld,
        surface: &Mesh,
        cells: &FillOptions,
        body: RigidBodyBuilder,
        options: &BreakOptions,
    ) -> Result<RigidBodyHandle, BreakError> {
        let solid = Solid::build(fill(surface, cells)?, &SolidOptions::default())?;
        self.insert(world, &Arc::new(solid), body, options)
    }

    /// Adds a body that may break.
    ///
    /// The pose of `body` is that of the solid's coordinates; its velocity is that of the centre of mass. The rigid body that
    /// comes out has its origin at the centre of mass: [`BreakableSet::pose`] tells where the solid's coordinates are.
    ///
    /// # Errors
    /// A solid in several parts, a material with a number that is not positive.
    ///
    /// ```
    /// use fracas::{brittle::{Solid, SolidOptions}, geom::DVec3, mesh::tets::brick};
    /// use fracas_rapier::{BreakOptions, BreakableSet};
    /// use rapier3d::prelude::*;
    /// let mut world = PhysicsWorld::default();
    /// world.insert_collider(ColliderBuilder::cuboid(5.0, 1.0, 5.0).translation(Vector::Y * -1.0), None);
    /// let mut set = BreakableSet::new(&mut world);
    /// let solid = Solid::build(brick(DVec3::new(0.4, 0.2, 0.2), [8, 4, 4]), &SolidOptions::default())?;
    /// let high = RigidBodyBuilder::dynamic().translation(Vector::Y * 3.0);
    /// let whole = set.insert(&mut world, &solid.into(), high, &BreakOptions::default())?;
    /// let broken = (0..60).find_map(|_| set.step(&mut world).first().cloned()).expect("a brick falls and breaks");
    /// assert_eq!(broken.body, whole);
    /// assert!(broken.pieces.iter().all(|piece| world.bodies.contains(piece.body)) && !world.bodies.contains(whole));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert(
        &mut self,
        world: &mut PhysicsWorld,
        solid: &Arc<Solid>,
        body: RigidBodyBuilder,
        options: &BreakOptions,
    ) -> Result<RigidBodyHandle, BreakError> {
        let brittle = BrittleBody::new(solid.clone());
        let parts = brittle.fragments().count();
        let mut fragments = brittle.fragments();
        let (Some(fragment), None) = (fragments.next(), fragments.next()) else {
            return Err(BreakError::Scattered { parts });
        };
        drop(fragments);
        // Whatever is wrong with the material is wrong with every blow.
        options.material.pieces(brittle.fragment(fragment)?.mass().volume, 1.0)?;
        let shared: SharedBody = Arc::new(RwLock::new(brittle));
        let shape = FragmentShape::new(&shared, fragment)?;
        let origin = shape.origin();
        let mut body = body.build();
        let pose = double_pose(body.position());
        body.set_translation(single(pose.apply(origin)), true);
        let collider = ColliderBuilder::new(SharedShape(Arc::new(shape)))
            .density(options.material.density as f32)
            .friction(options.friction)
            .restitution(options.restitution);
        let (handle, collider) = world.insert(body, collider);
        let (options, generation, age) = (*options, 0, u32::MAX);
        let record = Record { collider, body: shared, fragment, origin, options, generation, age };
        self.records.insert(key(handle), record);
        Ok(handle)
    }

    /// Does a step of the world, and breaks what was hit too hard. Returns what broke, hardest blow first.
    ///
    /// For 600 steps after a fracture, they begin with 0.8 of the impulses of the last one at most: the engine's
    /// `warmstart_coefficient` is lowered during the step.
    pub fn step(&mut self, world: &mut PhysicsWorld) -> &[Fracture] {
        self.step_with_events(world, &(), &())
    }

    /// As [`BreakableSet::step`], with the engine's hooks and events.
    pub fn step_with_events(
        &mut self,
        world: &mut PhysicsWorld,
        hooks: &dyn PhysicsHooks,
        events: &dyn EventHandler,
    ) -> &[Fracture] {
        let begin = Instant::now();
        let before = self.dispatcher.work();
        let warm_start = world.integration_parameters.warmstart_coefficient;
        if self.shaken > 0 {
            world.integration_parameters.warmstart_coefficient = warm_start.min(WARM_START);
        }
        world.step_with_events(hooks, events);
        world.integration_parameters.warmstart_coefficient = warm_start;
        let collision = Duration::from_nanos((self.dispatcher.work() - before).nanoseconds);
        let physics = begin.elapsed().saturating_sub(collision);
        self.times = StepTimes { collision, physics, ..StepTimes::default() };
        self.break_bodies(world);
        &self.fractures
    }

    /// Breaks what was hit too hard in the engine's last step, for those who do that step themselves.
    pub fn break_bodies(&mut self, world: &mut PhysicsWorld) -> &[Fracture] {
        let begin = Instant::now();
        self.fractures.clear();
        self.records.retain(|&(index, generation), _| {
            world.bodies.contains(RigidBodyHandle::from_raw_parts(index, generation))
        });
        self.blows.read(world);
        let mut hits: Vec<(RigidBodyHandle, Blow)> = vec![];
        for (&(index, generation), record) in &mut self.records {
            record.age = record.age.saturating_add(1);
            if record.age <= record.options.grace {
                continue;
            }
            let handle = RigidBodyHandle::from_raw_parts(index, generation);
            if let Some(blow) = self.blows.hardest(record.collider) {
                hits.push((handle, blow));
            }
        }
        hits.sort_by(|a, b| b.1.impulse.total_cmp(&a.1.impulse).then(key(a.0).cmp(&key(b.0))));
        for (handle, blow) in hits {
            // A blow that makes no sense, such as one of no length, breaks nothing.
            if let Ok(Some(fracture)) = self.hit(world, handle, &blow) {
                self.fractures.push(fracture);
            }
        }
        self.shaken = if self.fractures.is_empty() { self.shaken.saturating_sub(1) } else { SHAKEN_STEPS };
        self.times.fracture = begin.elapsed().saturating_sub(self.times.update);
        &self.fractures
    }

    /// Hits a body, as if something had struck it: `impulse` in N s, at a point of the world. It gets no motion from that. Returns
    /// what it became, or `None` if it withstood.
    ///
    /// # Errors
    /// No such body; a point farther outside than a twentieth of the body's radius; an impulse that is zero or not finite.
    pub fn strike(
        &mut self,
        world: &mut PhysicsWorld,
        handle: RigidBodyHandle,
        point: DVec3,
        impulse: DVec3,
    ) -> Result<Option<Fracture>, BreakError> {
        let record = self.records.get(&key(handle)).ok_or(BreakError::NoSuchBody { handle })?;
        let place = self.pose(world, handle).ok_or(BreakError::NoSuchBody { handle })?.inverse().apply(point);
        let distance = {
            let body = record.body.read().unwrap_or_else(PoisonError::into_inner);
            let reach = 2.0 * (place - record.origin).length() + body.solid().radius();
            let near = body.find_nearest(record.fragment, place, reach);
            near.map_or(f64::INFINITY, |near| {
                near.distance - 0.05 * body.fragment(record.fragment).map_or(0.0, |f| f.radius())
            })
        };
        if distance > 0.0 {
            return Err(BreakError::Outside { distance });
        }
        self.hit(world, handle, &Blow { point, direction: impulse, impulse: impulse.length() })
    }

    /// Breaks a body if a blow is hard enough for its material.
    fn hit(
        &mut self,
        world: &mut PhysicsWorld,
        handle: RigidBodyHandle,
        blow: &Blow,
    ) -> Result<Option<Fracture>, BreakError> {
        let record = self.records.get(&key(handle)).ok_or(BreakError::NoSuchBody { handle })?.clone();
        if record.generation >= record.options.generations {
            return Ok(None);
        }
        let Some(pose) = self.pose(world, handle) else { return Ok(None) };
        let back = pose.inverse();
        let impact = Impact {
            point: back.apply(blow.point),
            direction: back.rotation() * blow.direction,
            impulse: blow.impulse,
        };
        let Some(labels) = labels(&record, &impact)? else { return Ok(None) };
        let begin = Instant::now();
        let mut update = Duration::ZERO;
        let fragments = {
            let mut body = record.body.write().unwrap_or_else(PoisonError::into_inner);
            let fragments = body.split(record.fragment, &labels.labels, &labels.weights)?;
            update += body.last_split().update;
            fragments
        };
        let shaping = Instant::now();
        let shapes: Result<Vec<FragmentShape>, _> =
            fragments.iter().map(|&fragment| FragmentShape::new(&record.body, fragment)).collect();
        let shapes = shapes?;
        update += shaping.elapsed();
        let pieces = self.replace(world, handle, &record, shapes);
        self.times.update += update;
        self.times.fracture += begin.elapsed().saturating_sub(update);
        let Blow { point, impulse, .. } = *blow;
        Ok(Some(Fracture {
            body: handle,
            collider: record.collider,
            fragment: record.fragment,
            pieces,
            point,
            impulse,
        }))
    }

    /// Puts rigid bodies for pieces in the place of the whole.
    fn replace(
        &mut self,
        world: &mut PhysicsWorld,
        handle: RigidBodyHandle,
        record: &Record,
        shapes: Vec<FragmentShape>,
    ) -> Vec<Piece> {
        let (old, surface) = (&world.bodies[handle], &world.colliders[record.collider]);
        let pose = double_pose(old.position());
        let rotation = DQuat::from_mat3(&pose.rotation());
        let turn = old.rotation().to_owned();
        let (velocity, spin) = (double(old.linvel()), double(old.angvel()));
        let made: Vec<(RigidBody, Collider, FragmentId, DVec3)> = shapes
            .into_iter()
            .map(|shape| {
                let arm = pose.rotation() * (shape.origin() - record.origin);
                let mut place = engine_pose(rotation, pose.translation() + arm);
                // The very same rotation: pieces must fit.
                place.rotation = turn;
                let (fragment, origin) = (shape.fragment(), shape.origin());
                let linear = velocity + spin.cross(arm);
                let body = like(old).pose(place).linvel(single(linear)).angvel(old.angvel());
                (body.build(), with_surface_of(surface, shape), fragment, origin)
            })
            .collect();
        world.remove_body(handle);
        self.records.remove(&key(handle));
        let add = |(body, collider, fragment, origin): (RigidBody, Collider, FragmentId, DVec3)| {
            let (handle, collider) = world.insert(body, collider);
            let record = Record {
                collider,
                fragment,
                origin,
                generation: record.generation + 1,
                age: 0,
                ..record.clone()
            };
            self.records.insert(key(handle), record);
            Piece { body: handle, collider, fragment }
        };
        made.into_iter().map(add).collect()
    }

    /// Where the coordinates of a body's solid are in the world: take the positions of [`BrittleBody::surface`] there. `None`
    /// for a body that is not in the set.
    #[must_use]
    pub fn pose(&self, world: &PhysicsWorld, handle: RigidBodyHandle) -> Option<Pose> {
        let record = self.records.get(&key(handle))?;
        let pose = double_pose(world.bodies.get(handle)?.position());
        let turn = DQuat::from_mat3(&pose.rotation());
        Pose::new(turn, pose.translation() - pose.rotation() * record.origin)
    }

    /// The body that a rigid body is a fragment of, and which.
    #[must_use]
    pub fn fragment(&self, handle: RigidBodyHandle) -> Option<(&SharedBody, FragmentId)> {
        self.records.get(&key(handle)).map(|record| (&record.body, record.fragment))
    }

    /// The rigid bodies of the set, in the order of their handles.
    pub fn handles(&self) -> impl Iterator<Item = RigidBodyHandle> + '_ {
        self.records.keys().map(|&(index, generation)| RigidBodyHandle::from_raw_parts(index, generation))
    }

    /// How many rigid bodies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// What the parts of the last step took.
    #[must_use]
    pub fn times(&self) -> StepTimes {
        self.times
    }

    /// What finding contacts has done since the set was made.
    #[must_use]
    pub fn work(&self) -> Work {
        self.dispatcher.work()
    }
}

/// What a blow does to a body.
fn labels(record: &Record, impact: &Impact) -> Result<Option<Relabelling>, BreakError> {
    let body = record.body.read().unwrap_or_else(PoisonError::into_inner);
    let known = body.fragment(record.fragment)?;
    let solid = body.solid();
    let part = Breakable {
        mesh: solid.mesh(),
        adjacency: solid.adjacency(),
        nodes: known.nodes(),
        volume: known.mass().volume,
    };
    // Every fragment breaks in a way of its own.
    let mut fracture = record.options.fracture;
    fracture.seed =
        fracture.seed.wrapping_add(u64::from(record.fragment.0).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Ok(part.hit(impact, &record.options.material, &fracture)?)
}

/// A body with the settings of another, at rest in the origin.
fn like(old: &RigidBody) -> RigidBodyBuilder {
    RigidBodyBuilder::new(old.body_type())
        .user_data(old.user_data)
        .gravity_scale(old.gravity_scale())
        .linear_damping(old.linear_damping())
        .angular_damping(old.angular_damping())
        .dominance_group(old.dominance_group())
        .ccd_enabled(old.is_ccd_enabled())
        .soft_ccd_prediction(old.soft_ccd_prediction())
        .gyroscopic_forces_enabled(old.gyroscopic_forces_enabled())
        .additional_solver_iterations(old.additional_solver_iterations())
        .can_sleep(old.activation().normalized_linear_threshold >= 0.0)
        .linvel(Vector::ZERO)
}

/// A collider with the settings of another and a shape of its own.
fn with_surface_of(old: &Collider, shape: FragmentShape) -> Collider {
    let mut collider = ColliderBuilder::new(SharedShape(Arc::new(shape)))
        .user_data(old.user_data)
        .density(old.density())
        .friction(old.friction())
        .friction_combine_rule(old.friction_combine_rule())
        .restitution(old.restitution())
        .restitution_combine_rule(old.restitution_combine_rule())
        .collision_groups(old.collision_groups())
        .solver_groups(old.solver_groups())
        .active_hooks(old.active_hooks())
        .active_events(old.active_events())
        .active_collision_types(old.active_collision_types())
        .contact_skin(old.contact_skin())
        .contact_force_event_threshold(old.contact_force_event_threshold())
        .build();
    collider.set_sensor(old.is_sensor());
    collider
}
