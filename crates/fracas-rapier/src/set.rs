//! The bodies that may break, and the step that breaks them.
//!
//! # A step
//!
//! ```text
//!   prepare ──▶ engine's step ──▶ break_in: impulses of contacts ──▶ blows ──▶ labels ──▶ pieces ──▶ events
//!   warm start,                             less those of the        harder     crack     rigid bodies with the
//!   clock                                   step before              than the             motion of the whole
//!                                                                    material
//! ```
//!
//! A body at rest under a load gets the same impulse in every step. What breaks is a *change*: a blow is what a contact
//! adds to the impulse that it had before. Each piece goes on as its part of the whole moved: its centre has the velocity
//! that the whole had there, and the spin is the same. So momentum, angular momentum and energy stay what they were.
//!
//! Everything here takes the engine's sets one by one, for programs with a loop of their own. `world.rs` has the same calls for a
//! [`PhysicsWorld`](rapier3d::prelude::PhysicsWorld).
//!
//! # Fast bodies
//!
//! The engine sweeps bodies that move far in a step, and stops them where they meet something fixed. Bodies with `ccd_enabled` are swept against bodies
//! that move as well, but not against each other. So the set gives the flag to those of its bodies that are fast, and takes it from those that are
//! not: a fast one is stopped by a slow one.
//!
//! # Invariants
//!
//! Bodies that break in one step are taken in the order of their blows, hardest first, then by handle. The same world and the
//! same calls give the same pieces. A call that returns an error has changed nothing.

use crate::blows::{Blow, Blows};
use crate::convert::{double_pose, single};
use crate::dispatch::{FragmentDispatcher, Work};
use crate::engine::{EngineSets, asks};
use crate::options::check_body;
use crate::pieces::replace;
use crate::record::{Pace, Record};
use crate::report::{Fracture, StepTimes};
use crate::{BreakError, BreakOptions, FragmentShape, SharedBody};
use fracas::brittle::{BrittleBody, FragmentId, Solid};
use fracas::fracture::{Breakable, Impact, Relabelling};
use fracas::geom::{DQuat, DVec3, Pose};
use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher, QueryDispatcherChain};
use rapier3d::prelude::{
    ColliderBuilder, ColliderSet, IntegrationParameters, NarrowPhase, RigidBodyBuilder, RigidBodyHandle,
    RigidBodySet, SharedShape,
};
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
use web_time::{Duration, Instant};

/// Bodies that may break; see the [crate](crate).
#[derive(Debug)]
pub struct BreakableSet {
    records: BTreeMap<(u32, u32), Record>,
    dispatcher: FragmentDispatcher,
    blows: Blows,
    fractures: Vec<Fracture>,
    /// Steps to go until the last fracture is forgotten.
    shaken: u32,
    times: StepTimes,
    /// Of the last step, or the engine's default.
    pace: Pace,
    /// The warm start that `prepare` set, and the caller's that it replaced.
    warm_start: Option<[f32; 2]>,
    /// When `prepare` was called, and the work until then.
    begun: Option<(Instant, Work)>,
}

/// The most of an impulse that a step begins with for so many steps after a fracture. With all of it, what bore a blow and broke is still
/// pushed against, and one fall of ten gained up to half a percent of energy.
const WARM_START: f32 = 0.8;
const SHAKEN_STEPS: u32 = 600;

fn key(handle: RigidBodyHandle) -> (u32, u32) {
    handle.into_raw_parts()
}

fn handle_of(&(index, generation): &(u32, u32)) -> RigidBodyHandle {
    RigidBodyHandle::from_raw_parts(index, generation)
}

impl Default for BreakableSet {
    fn default() -> Self {
        Self {
            records: BTreeMap::new(),
            dispatcher: FragmentDispatcher::default(),
            blows: Blows::default(),
            fractures: vec![],
            shaken: 0,
            times: StepTimes::default(),
            pace: Pace::from(&IntegrationParameters::default()),
            warm_start: None,
            begun: None,
        }
    }
}

impl BreakableSet {
    /// What the narrow phase of the set's world must ask for contacts: install it with `NarrowPhase::set_query_dispatcher` or
    /// `NarrowPhase::with_query_dispatcher`, in one narrow phase only. Calls with a narrow phase that does not ask it are refused.
    ///
    /// It answers for fragments and meshes and leaves everything else to the engine's own dispatcher. To chain it with another one,
    /// take [`BreakableSet::fragment_dispatcher`].
    #[must_use]
    pub fn dispatcher(&self) -> QueryDispatcherChain<FragmentDispatcher, DefaultQueryDispatcher> {
        self.fragment_dispatcher().chain(DefaultQueryDispatcher)
    }

    /// [`BreakableSet::dispatcher`] without the engine's own.
    #[must_use]
    pub fn fragment_dispatcher(&self) -> FragmentDispatcher {
        self.dispatcher.clone()
    }

    /// Adds a body that may break to the sets of a loop of your own; otherwise as [`BreakableSet::insert`].
    ///
    /// # Errors
    /// As [`BreakableSet::insert`]; but whether the narrow phase asks the set is found out in [`BreakableSet::break_in`].
    pub fn insert_into(
        &mut self,
        bodies: &mut RigidBodySet,
        colliders: &mut ColliderSet,
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
        options.check(brittle.fragment(fragment)?.mass().volume)?;
        let mut body = body.build();
        check_body(&body)?;
        let shared: SharedBody = Arc::new(RwLock::new(brittle));
        let shape = FragmentShape::new(&shared, fragment)?;
        shape.check()?;
        let origin = shape.origin();
        let pose = double_pose(body.position());
        body.set_translation(single(pose.apply(origin)), true);
        check_body(&body)?;
        let mut record = Record {
            collider: rapier3d::prelude::ColliderHandle::invalid(),
            body: shared,
            fragment,
            origin,
            options: *options,
            generation: 0,
            age: u32::MAX,
            is_bullet: body.is_ccd_enabled(),
            reach: shape.reach() as f32,
            thickness: shape.thickness(),
        };
        body.enable_ccd(record.is_bullet || record.is_fast(&body, self.pace));
        let collider = ColliderBuilder::new(SharedShape(Arc::new(shape)))
            .density(options.material.density as f32)
            .friction(options.friction)
            .restitution(options.restitution);
        let handle = bodies.insert(body);
        record.collider = colliders.insert_with_parent(collider, handle, bodies);
        self.records.insert(key(handle), record);
        Ok(handle)
    }

    /// To be called before each step of a loop of your own, with the parameters of that step.
    ///
    /// For 600 steps after a fracture, steps begin with 0.8 of the impulses of the last one at most: the `warmstart_coefficient` is lowered, and
    /// set back to yours when that time is over. A value that you set in the meantime counts as yours.
    pub fn prepare(&mut self, parameters: &mut IntegrationParameters) {
        self.pace = Pace::from(&*parameters);
        let given = parameters.warmstart_coefficient;
        let yours = match self.warm_start {
            Some([lowered, yours]) if given == lowered => yours,
            _ => given,
        };
        let lowered = if self.shaken > 0 { yours.min(WARM_START) } else { yours };
        self.warm_start = (lowered != yours).then_some([lowered, yours]);
        parameters.warmstart_coefficient = lowered;
        self.begun = Some((Instant::now(), self.dispatcher.work()));
    }

    /// Breaks what was hit too hard in the engine's last step. To be called once after each step of a loop of your own. Returns what broke, hardest
    /// blow first.
    ///
    /// Bodies that were removed from the engine are forgotten. Those whose collider was removed or given another shape stay as they are.
    ///
    /// # Errors
    /// [`BreakError::NotInstalled`] if the narrow phase does not ask [`BreakableSet::dispatcher`]; [`BreakError::Locked`] if a guard of a
    /// [`SharedBody`] is held. Then call it again when that is mended.
    pub fn break_in(&mut self, mut sets: EngineSets) -> Result<&[Fracture], BreakError> {
        let begin = Instant::now();
        self.check_ready(sets.narrow_phase)?;
        self.begin_times();
        self.fractures.clear();
        self.shaken = self.shaken.saturating_sub(1);
        self.records.retain(|key, _| sets.bodies.contains(handle_of(key)));
        self.blows.read(sets.narrow_phase, sets.colliders);
        let mut hits: Vec<(RigidBodyHandle, Blow)> = vec![];
        for (key, record) in &mut self.records {
            record.age = record.age.saturating_add(1);
            if record.age <= record.options.grace {
                continue;
            }
            if let Some(blow) = self.blows.hardest(record.collider) {
                hits.push((handle_of(key), blow));
            }
        }
        hits.sort_by(|a, b| b.1.impulse.total_cmp(&a.1.impulse).then(key(a.0).cmp(&key(b.0))));
        for (handle, blow) in hits {
            // A blow that makes no sense, such as one of no length, breaks nothing.
            if let Ok(Some(fracture)) = self.hit(&mut sets, handle, &blow) {
                self.fractures.push(fracture);
            }
        }
        self.mark_fast(sets.bodies);
        self.times.fracture = begin.elapsed().saturating_sub(self.times.update);
        Ok(&self.fractures)
    }

    /// Refuses a world that is not the set's, and bodies that could not be broken because they are locked.
    pub(crate) fn check_ready(&self, narrow_phase: &NarrowPhase) -> Result<(), BreakError> {
        if !asks(narrow_phase, &self.dispatcher) {
            return Err(BreakError::NotInstalled);
        }
        for (key, record) in &self.records {
            drop(record.write(handle_of(key))?);
        }
        Ok(())
    }

    /// Writes down what the engine's step took, as far as that is known.
    fn begin_times(&mut self) {
        let (collision, physics) = match self.begun.take() {
            Some((begin, before)) => {
                let collision = Duration::from_nanos((self.dispatcher.work() - before).nanoseconds);
                (collision, begin.elapsed().saturating_sub(collision))
            }
            None => (Duration::ZERO, Duration::ZERO),
        };
        self.times = StepTimes { collision, physics, ..StepTimes::default() };
    }

    /// Has the engine sweep fast bodies against slow ones; see the module.
    fn mark_fast(&self, bodies: &mut RigidBodySet) {
        for (key, record) in &self.records {
            let handle = handle_of(key);
            let Some(body) = bodies.get(handle).filter(|body| !body.is_sleeping()) else { continue };
            let is_swept = record.is_bullet || record.is_fast(body, self.pace);
            if is_swept != body.is_ccd_enabled()
                && let Some(body) = bodies.get_mut(handle)
            {
                body.enable_ccd(is_swept);
            }
        }
    }

    /// [`BreakableSet::strike`] for a loop of your own.
    ///
    /// # Errors
    /// As [`BreakableSet::strike`].
    pub fn strike_in(
        &mut self,
        mut sets: EngineSets,
        handle: RigidBodyHandle,
        point: DVec3,
        impulse: DVec3,
    ) -> Result<Option<Fracture>, BreakError> {
        let record = self.records.get(&key(handle)).ok_or(BreakError::NoSuchBody { handle })?;
        if !asks(sets.narrow_phase, &self.dispatcher) {
            return Err(BreakError::NotInstalled);
        }
        record.check(handle, sets.bodies, sets.colliders)?;
        check_body(&sets.bodies[handle])?;
        for (what, v) in [("a coordinate of the point", point), ("a coordinate of the impulse", impulse)] {
            if let Some(value) = v.to_array().into_iter().find(|x| !x.is_finite()) {
                return Err(BreakError::BadNumber { what, value, expected: "finite" });
            }
        }
        let place = self.pose_in(sets.bodies, handle).ok_or(BreakError::NoSuchBody { handle })?;
        let place = place.inverse().apply(point);
        let distance = {
            // To write: a guard of the caller's would be in the way later, when the body must be broken.
            let body = record.write(handle)?;
            let reach = 2.0 * (place - record.origin).length() + body.solid().radius();
            let near = body.find_nearest(record.fragment, place, reach);
            near.map_or(f64::INFINITY, |near| {
                near.distance - 0.05 * body.fragment(record.fragment).map_or(0.0, |f| f.radius())
            })
        };
        if distance > 0.0 {
            return Err(BreakError::Outside { distance });
        }
        let blow = Blow { point, direction: impulse, impulse: impulse.length(), striker: None };
        self.hit(&mut sets, handle, &blow)
    }

    /// Breaks a body if a blow is hard enough for its material.
    fn hit(
        &mut self,
        sets: &mut EngineSets,
        handle: RigidBodyHandle,
        blow: &Blow,
    ) -> Result<Option<Fracture>, BreakError> {
        let record = self.records.get(&key(handle)).ok_or(BreakError::NoSuchBody { handle })?.clone();
        record.check(handle, sets.bodies, sets.colliders)?;
        if record.generation >= record.options.generations {
            return Ok(None);
        }
        let begin = Instant::now();
        let Some(pose) = self.pose_in(sets.bodies, handle) else { return Ok(None) };
        let back = pose.inverse();
        let mut impact = Impact {
            point: back.apply(blow.point),
            direction: back.rotation() * blow.direction,
            impulse: blow.impulse,
        };
        let Some(labels) = labels(handle, &record, &mut impact)? else { return Ok(None) };
        let blow = Blow { point: pose.apply(impact.point), ..*blow };
        self.break_up(sets, handle, (&record, &labels), &blow, begin).map(Some)
    }

    /// [`BreakableSet::cut`] for a loop of your own.
    ///
    /// # Errors
    /// As [`BreakableSet::cut`].
    pub fn cut_in(
        &mut self,
        mut sets: EngineSets,
        handle: RigidBodyHandle,
        point: DVec3,
        normal: DVec3,
    ) -> Result<Option<Fracture>, BreakError> {
        let record = self.records.get(&key(handle)).ok_or(BreakError::NoSuchBody { handle })?.clone();
        if !asks(sets.narrow_phase, &self.dispatcher) {
            return Err(BreakError::NotInstalled);
        }
        record.check(handle, sets.bodies, sets.colliders)?;
        check_body(&sets.bodies[handle])?;
        let begin = Instant::now();
        let Some(pose) = self.pose_in(sets.bodies, handle) else { return Ok(None) };
        let back = pose.inverse();
        let labels = {
            let body = record.write(handle)?;
            let known = body.fragment(record.fragment)?;
            let solid = body.solid();
            let part = Breakable {
                mesh: solid.mesh(),
                adjacency: solid.adjacency(),
                nodes: known.nodes(),
                volume: known.mass().volume,
            };
            part.part(back.apply(point), back.rotation() * normal)?
        };
        let Some(labels) = labels else { return Ok(None) };
        let blow = Blow { point, direction: normal, impulse: 0.0, striker: None };
        self.break_up(&mut sets, handle, (&record, &labels), &blow, begin).map(Some)
    }

    /// Puts the pieces that labels make in the place of a body.
    fn break_up(
        &mut self,
        sets: &mut EngineSets,
        handle: RigidBodyHandle,
        (record, labels): (&Record, &Relabelling),
        blow: &Blow,
        begin: Instant,
    ) -> Result<Fracture, BreakError> {
        let mut update;
        let fragments = {
            let mut body = record.write(handle)?;
            let fragments = body.split(record.fragment, &labels.labels, &labels.weights)?;
            update = body.last_split().update;
            fragments
        };
        let shaping = Instant::now();
        let shapes: Result<Vec<FragmentShape>, _> =
            fragments.iter().map(|&fragment| FragmentShape::new(&record.body, fragment)).collect();
        let shapes = shapes?;
        update += shaping.elapsed();
        let made = replace(sets, handle, record, shapes, self.pace);
        self.records.remove(&key(handle));
        let pieces = made.iter().map(|(piece, _)| *piece).collect();
        self.records.extend(made.into_iter().map(|(piece, record)| (key(piece.body), record)));
        self.shaken = SHAKEN_STEPS;
        self.times.update += update;
        self.times.fracture += begin.elapsed().saturating_sub(update);
        Ok(Fracture {
            body: handle,
            collider: record.collider,
            fragment: record.fragment,
            pieces,
            point: blow.point,
            direction: blow.direction.normalize(),
            impulse: blow.impulse,
            striker: blow.striker,
        })
    }

    /// [`BreakableSet::pose`] for a loop of your own.
    #[must_use]
    pub fn pose_in(&self, bodies: &RigidBodySet, handle: RigidBodyHandle) -> Option<Pose> {
        let record = self.records.get(&key(handle))?;
        let pose = bodies.get(handle)?.position();
        if !pose.is_finite() {
            return None;
        }
        let pose = double_pose(pose);
        let turn = DQuat::from_mat3(&pose.rotation());
        Pose::new(turn, pose.translation() - pose.rotation() * record.origin)
    }

    /// The body that a rigid body is a fragment of, and which. Drop all guards of its lock before the next step or strike: these are refused while one is
    /// held.
    #[must_use]
    pub fn fragment(&self, handle: RigidBodyHandle) -> Option<(&SharedBody, FragmentId)> {
        self.records.get(&key(handle)).map(|record| (&record.body, record.fragment))
    }

    /// The rigid bodies of the set, in the order of their handles.
    pub fn handles(&self) -> impl Iterator<Item = RigidBodyHandle> + '_ {
        self.records.keys().map(handle_of)
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

    /// What broke in the last step.
    #[must_use]
    pub fn fractures(&self) -> &[Fracture] {
        &self.fractures
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

/// What a blow does to a body. Its point is brought to the body first: between two places that were hit there may be nothing.
fn labels(
    handle: RigidBodyHandle,
    record: &Record,
    impact: &mut Impact,
) -> Result<Option<Relabelling>, BreakError> {
    let body = record.read(handle)?;
    let known = body.fragment(record.fragment)?;
    let solid = body.solid();
    let reach = 2.0 * (impact.point - record.origin).length() + solid.radius();
    if let Some(near) = body.find_nearest(record.fragment, impact.point, reach)
        && near.distance > 0.0
    {
        impact.point = near.point;
    }
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
