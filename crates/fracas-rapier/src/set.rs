//! The bodies that may break, and the step that breaks them.
//!
//! # A step
//!
//! ```text
//!   prepare ──▶ engine's step ──▶ break_in: impulses of contacts ──▶ blows ──▶ labels, pieces ──▶ rigid bodies ──▶ events
//!   warm start,                             less those of the        harder     (`shatter`,        with the motion
//!   clock                                   step before              than the    all threads)      of the whole
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
//! not: a fast one is stopped by a slow one. A body is fast if it moves farther in a step than half its least extent and half that of the thinnest body
//! that moves: sweeps cost more than contacts, and slower bodies do not need them.
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
use crate::shatter::{Shattered, Struck, part, shatter, shatter_all};
use crate::{BreakError, BreakOptions, FragmentShape, SharedBody};
use fracas::brittle::{BrittleBody, FragmentId, Solid};
use fracas::geom::{DQuat, DVec3, Pose};
use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher, QueryDispatcherChain};
use rapier3d::prelude::{
    Collider, ColliderBuilder, ColliderSet, IntegrationParameters, NarrowPhase, RigidBodyBuilder,
    RigidBodyHandle, RigidBodySet, SharedShape,
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

/// The most of an impulse that a step begins with after a fracture, and for how many steps. With all of it, what bore a blow and broke is still
/// pushed against, and one fall of ten gained up to half a percent of energy. 60 steps are too few: one of the falls of `tests/conservation.rs` gains
/// more than it may. More cost time: with less of their impulses, piles come to rest later, and a pile at rest takes twice as long.
const WARM_START: f32 = 0.8;
const SHAKEN_STEPS: u32 = 180;

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
            volume: shape.volume(),
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
    /// For 180 steps after a fracture, steps begin with 0.8 of the impulses of the last one at most: the `warmstart_coefficient` is lowered, and
    /// set back to yours when that time is over. A value that you set in the meantime counts as yours.
    pub fn prepare(&mut self, parameters: &mut IntegrationParameters) {
        self.pace = Pace { thinnest: self.pace.thinnest, ..Pace::from(&*parameters) };
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
        self.blows.clear_limits();
        for record in self.records.values_mut() {
            record.age = record.age.saturating_add(1);
            if let Some(limit) = record.limit() {
                self.blows.set_limit(record.collider, limit);
            }
        }
        self.blows.read(sets.narrow_phase, sets.colliders);
        let mut hits: Vec<(RigidBodyHandle, Blow)> = vec![];
        for (key, record) in &self.records {
            if let Some(blow) = self.blows.hardest(record.collider) {
                hits.push((handle_of(key), blow));
            }
        }
        hits.sort_by(|a, b| b.1.impulse.total_cmp(&a.1.impulse).then(key(a.0).cmp(&key(b.0))));
        let struck =
            hits.into_iter().filter_map(|(handle, blow)| self.struck(&sets, handle, blow).ok().flatten());
        let struck: Vec<Struck> = struck.collect();
        if !struck.is_empty() {
            let breaking = Instant::now();
            let shattered: Vec<Shattered> = shatter_all(struck).into_iter().flatten().collect();
            self.share_time(breaking.elapsed(), &shattered);
            for broken in shattered {
                let fracture = self.replace(&mut sets, broken);
                self.fractures.push(fracture);
            }
        }
        self.mark_fast(sets.bodies, sets.colliders);
        let counted = self.times.update + self.times.shapes;
        self.times.fracture = begin.elapsed().saturating_sub(counted);
        Ok(&self.fractures)
    }

    /// Adds what breaking bodies took to the times of the step. Several threads may have shared the work: then each part gets its share of
    /// the time that passed.
    fn share_time(&mut self, passed: Duration, shattered: &[Shattered]) {
        let sum = |time: fn(&Shattered) -> Duration| shattered.iter().map(time).sum::<Duration>();
        let all = sum(|broken| broken.times.all).as_secs_f64();
        let share = if all > 0.0 { (passed.as_secs_f64() / all).min(1.0) } else { 0.0 };
        self.times.update += sum(|broken| broken.times.update).mul_f64(share);
        self.times.shapes += sum(|broken| broken.times.shapes).mul_f64(share);
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
    pub(crate) fn mark_fast(&mut self, bodies: &mut RigidBodySet, colliders: &ColliderSet) {
        let may_move = |collider: &&Collider| {
            let body = collider.parent().and_then(|body| bodies.get(body));
            !collider.is_sensor() && body.is_some_and(|body| !body.is_fixed())
        };
        let moving = colliders.iter_enabled().map(|(_, collider)| collider).filter(may_move);
        let thinnest =
            moving.fold(f32::INFINITY, |least, collider| least.min(collider.shape().ccd_thickness()));
        // Without bodies that move, nothing can be passed through.
        self.pace.thinnest = thinnest;
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
        let begin = Instant::now();
        let blow = Blow { point, direction: impulse, impulse: impulse.length(), striker: None };
        let Some(struck) = self.struck(&sets, handle, blow)? else { return Ok(None) };
        let broken = shatter(struck)?;
        Ok(broken.map(|broken| self.put_in_place(&mut sets, broken, begin)))
    }

    /// A blow and the body that it struck; `None` if the body is nowhere.
    fn struck(
        &self,
        sets: &EngineSets,
        handle: RigidBodyHandle,
        blow: Blow,
    ) -> Result<Option<Struck>, BreakError> {
        let record = self.records.get(&key(handle)).ok_or(BreakError::NoSuchBody { handle })?;
        record.check(handle, sets.bodies, sets.colliders)?;
        let pose = self.pose_in(sets.bodies, handle);
        Ok(pose.map(|pose| Struck { handle, record: record.clone(), pose, blow }))
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
        self.records.get(&key(handle)).ok_or(BreakError::NoSuchBody { handle })?;
        if !asks(sets.narrow_phase, &self.dispatcher) {
            return Err(BreakError::NotInstalled);
        }
        let blow = Blow { point, direction: normal, impulse: 0.0, striker: None };
        let begin = Instant::now();
        let Some(struck) = self.struck(&sets, handle, blow)? else { return Ok(None) };
        check_body(&sets.bodies[handle])?;
        let parted = part(struck)?;
        Ok(parted.map(|parted| self.put_in_place(&mut sets, parted, begin)))
    }

    /// Puts the pieces of a single body in its place, and counts the time since `begin`.
    fn put_in_place(&mut self, sets: &mut EngineSets, broken: Shattered, begin: Instant) -> Fracture {
        let counted = broken.times.update + broken.times.shapes;
        self.share_time(broken.times.all, std::slice::from_ref(&broken));
        let fracture = self.replace(sets, broken);
        self.times.fracture += begin.elapsed().saturating_sub(counted);
        fracture
    }

    /// Puts the pieces of a body in its place.
    fn replace(&mut self, sets: &mut EngineSets, broken: Shattered) -> Fracture {
        let Shattered { handle, record, blow, point, shapes, .. } = broken;
        let made = replace(sets, handle, &record, shapes, self.pace);
        self.records.remove(&key(handle));
        let pieces = made.iter().map(|(piece, _)| *piece).collect();
        self.records.extend(made.into_iter().map(|(piece, record)| (key(piece.body), record)));
        self.shaken = SHAKEN_STEPS;
        Fracture {
            body: handle,
            collider: record.collider,
            fragment: record.fragment,
            pieces,
            point,
            direction: blow.direction.normalize(),
            impulse: blow.impulse,
            striker: blow.striker,
        }
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
