//! One world: bodies of every kind, one step, one report.
//!
//! A simulation has more than one kind of object. A world takes them all, keeps the structure that suits each, finds which of them
//! are close, and answers at every step the questions that were asked about them.
//!
//! ```
//! use fracas::world::{Ask, Body, World, WorldOptions};
//! use fracas::{DVec3, MeshTree, Pose, mesh::shapes};
//! let mut world = World::new(WorldOptions { ask: Ask::CONTACTS, ..WorldOptions::default() });
//! let floor = world.insert(shapes::cuboid(DVec3::new(9.0, 9.0, 1.0)));
//! let ball = world.insert(shapes::icosphere(0.5, 3));
//! world.set_pose(ball, &Pose::from_translation(DVec3::Z * 0.95).unwrap())?;
//! let report = world.step(0.01)?;
//! let contact = report.meeting(floor, ball).unwrap().contacts[0];
//! assert!((contact.depth - 0.05).abs() < 0.01 && contact.normal.z > 0.99);
//! # Ok::<(), fracas::world::WorldError>(())
//! ```
//!
//! # A step
//!
//! ```text
//!   set_pose, set_positions, apply, set_plans, set_transforms, split      what happened to each body
//!        │
//!        ▼
//!   choose    what is kept for each body (choice)
//!   sweep     impacts, from where bodies were to where they are going          if asked for
//!   move      structures follow
//!   broad     which boxes overlap (broad)
//!   narrow    questions about these bodies, on all threads (step)
//!   report    answers, and what began, stayed and ended (report)
//! ```
//!
//! # Invariants            (checked by `validate` and in the tests)
//!
//! - The report depends on bodies and questions alone: any number of threads, any structures, and a world restored from a snapshot
//!   (`World::snapshot`, with the feature `serde`) give the same answers, bit for bit.
//! - A body without a change costs nothing but its place in lists, and so do two such bodies that touch.
//! - An id is never given out twice by a world, and refused by others.
//!
//! # Which body?
//!
//! Give the world what you have. A [`Mesh`](crate::Mesh) becomes what its use asks for: a tree when it is first near another body, a driven body
//! while it is deformed, a tearing body at its first edit, a kinetic body when it gets plans. [`World::explain`] says what is kept for a body, and
//! why. [`Settings::keep`] overrides the choice. The figures behind the choices are in `choice`.

mod ask;
mod ball;
mod body;
mod broad;
mod choice;
mod error;
mod moves;
mod report;
#[cfg(feature = "serde")]
mod snapshot;
mod step;
mod sweep;
mod validate;

pub use ask::{Ask, Groups};
pub use body::{Body, BodyId, Keep, Settings};
pub use choice::{Explanation, Why};
pub use error::WorldError;
pub use report::{Counters, Meeting, Report, StepTimes};
#[cfg(feature = "serde")]
pub use snapshot::{RestoreError, Snapshot};

use crate::brittle::BrittleBody;
use crate::find::{FindOptions, Finder};
use crate::geom::{Box3, DAffine3, DVec3, Pose};
use crate::tree::MeshTree;
use crate::walk::View;
use ball::Ball;
use body::{Brittle, Kept, is_within_reach};
use broad::BroadPhase;
use choice::History;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, Weak};

/// What a world asks, and how it looks for answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldOptions {
    /// The questions about every two bodies, unless [`World::ask`] says otherwise. Default: whether they touch.
    pub ask: Ask,
    /// Which meetings count, and how many threads may be used.
    pub find: FindOptions,
}

impl Default for WorldOptions {
    fn default() -> Self {
        Self { ask: Ask::TOUCH, find: FindOptions::default() }
    }
}

/// Bodies of every kind, and what is asked about them; see the [module](self).
pub struct World {
    /// Names the world in the ids of its bodies.
    tag: u32,
    options: WorldOptions,
    slots: Vec<Slot>,
    free: Vec<u32>,
    count: usize,
    brittle: Vec<Option<Brittle>>,
    /// Questions about two bodies that differ from those of the options.
    asks: BTreeMap<[BodyId; 2], Ask>,
    /// Whether questions or settings have changed since the last step.
    asks_changed: bool,
    /// Whether impacts were ever asked for: then moves wait for the step.
    sweeps: bool,
    /// Places of bodies that have changed lately.
    active: Vec<u32>,
    proxies: Vec<Proxy>,
    free_proxies: Vec<u32>,
    broad: BroadPhase,
    /// By how much boxes in the broad phase are enlarged.
    margin: f64,
    time: f64,
    report: Report,
    /// The report before; its lists are reused.
    previous: Report,
    finders: Mutex<Vec<Finder>>,
    jobs: step::Jobs,
    /// The last tree that a ball was made for: bodies that share a tree often follow each other.
    last_ball: Option<(Weak<MeshTree>, Ball)>,
}

struct Slot {
    generation: u32,
    member: Option<Box<Member>>,
}

/// A body of the world.
struct Member {
    kept: Kept,
    pose: Pose,
    settings: Settings,
    /// Its boxes in the broad phase: one, or one for each piece.
    proxies: Vec<u32>,
    /// The pose at the end of the last step.
    before: Pose,
    /// Where it goes in the coming step, if impacts are asked for.
    pending: Option<Pending>,
    /// Whether it has moved or changed since the last step.
    changed: bool,
    /// The last step before which it had.
    changed_in: u64,
    /// Whether it is in the list of bodies that may change.
    is_active: bool,
    history: History,
    /// A ball around the body in its own coordinates, if it is known and the body does not deform.
    ball: Option<Ball>,
}

/// A motion that waits for the step.
#[derive(Clone, Debug)]
enum Pending {
    Positions(Vec<DVec3>),
    Transforms(Vec<DAffine3>),
}

/// A box in the broad phase: a body, or a piece of a tearing body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Proxy {
    slot: u32,
    piece: Option<u32>,
}

impl Default for World {
    fn default() -> Self {
        Self::new(WorldOptions::default())
    }
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new(options: WorldOptions) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        Self {
            tag: NEXT.fetch_add(1, Ordering::Relaxed),
            options,
            slots: vec![],
            free: vec![],
            count: 0,
            brittle: vec![],
            asks: BTreeMap::new(),
            asks_changed: true,
            sweeps: options.ask.impacts,
            active: vec![],
            proxies: vec![],
            free_proxies: vec![],
            broad: BroadPhase::default(),
            margin: 0.0,
            time: 0.0,
            report: Report::default(),
            previous: Report::default(),
            finders: Mutex::default(),
            jobs: step::Jobs::default(),
            last_ball: None,
        }
    }

    /// What the world asks.
    #[must_use]
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// Changes what the world asks from now on.
    pub fn set_options(&mut self, options: WorldOptions) {
        self.options = options;
        self.asks_changed = true;
        self.sweeps |= options.ask.impacts;
        self.finders.get_mut().expect("no thread has panicked").clear();
    }

    /// How many bodies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The time at the end of the last step.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The ids of all bodies, ascending.
    pub fn ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        let with_body = (0..).zip(&self.slots).filter(|(_, slot)| slot.member.is_some());
        with_body.map(|(slot, _)| self.id_at(slot))
    }

    /// Whether a body is in this world.
    #[must_use]
    pub fn contains(&self, id: BodyId) -> bool {
        self.member(id).is_ok()
    }

    /// Puts a body into the world. It takes part from the next step on.
    ///
    /// # Cost
    /// None but its place: structures that the body did not bring are built when it is first near another one.
    pub fn insert(&mut self, body: impl Into<Body>) -> BodyId {
        let Body { kept, pose, settings } = body.into();
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, member: None });
            self.slots.len() as u32 - 1
        });
        self.sweeps |= settings.own.impacts;
        let history = History::new(&kept, self.report.step);
        let member = Member {
            kept,
            pose,
            settings,
            proxies: vec![],
            before: pose,
            pending: None,
            changed: false,
            changed_in: 0,
            is_active: false,
            history,
            ball: None,
        };
        self.slots[slot as usize].member = Some(Box::new(member));
        self.count += 1;
        self.mark(slot);
        self.id_at(slot)
    }

    /// Puts every fragment of a brittle body into the world: each is a body of its own, with the same pose and settings to begin with.
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, Solid, SolidOptions};
    /// use fracas::world::{Settings, World};
    /// use fracas::{DVec3, Pose, mesh::tets::brick};
    /// let solid = Solid::build(brick(DVec3::ONE, [4, 4, 4]), &SolidOptions::default())?;
    /// let mut world = World::default();
    /// let wall = world.insert_brittle(BrittleBody::new(solid.into()), &Pose::IDENTITY, Settings::default())[0];
    /// // Nodes left and right of the middle part.
    /// let (body, fragment) = world.brittle(wall)?;
    /// let positions = body.solid().mesh().positions();
    /// let is_right = |&node: &u32| u32::from(positions[node as usize].x > 0.1);
    /// let labels: Vec<u32> = body.fragment(fragment)?.nodes().iter().map(is_right).collect();
    /// let pieces = world.split(wall, &labels, &vec![1.0; labels.len()])?;
    /// assert!(pieces.len() == 2 && !world.contains(wall));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert_brittle(&mut self, body: BrittleBody, pose: &Pose, settings: Settings) -> Vec<BodyId> {
        let fragments: Vec<_> = body.fragments().collect();
        let place = self.brittle.iter().position(Option::is_none).unwrap_or(self.brittle.len());
        if place == self.brittle.len() {
            self.brittle.push(None);
        }
        self.brittle[place] = Some(Brittle { body, users: fragments.len() as u32 });
        let insert = |fragment| {
            let kept = Kept::Fragment { brittle: place as u32, fragment };
            self.insert(Body { kept, pose: *pose, settings })
        };
        fragments.into_iter().map(insert).collect()
    }

    /// Takes a body out of the world. What it touched is reported as ended by the next step.
    ///
    /// # Errors
    /// The body is not in this world.
    pub fn remove(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.member(id)?;
        let member = self.slots[id.slot as usize].member.take().expect("found above");
        for &proxy in &member.proxies {
            self.broad.remove(proxy);
            self.free_proxies.push(proxy);
        }
        if let Kept::Fragment { brittle, .. } = member.kept {
            let place = &mut self.brittle[brittle as usize];
            let users = &mut place.as_mut().expect("it had this fragment").users;
            *users -= 1;
            if *users == 0 {
                *place = None;
            }
        }
        self.asks.retain(|bodies, _| !bodies.contains(&id));
        self.count -= 1;
        let slot = &mut self.slots[id.slot as usize];
        // A place whose generations are used up is never taken again.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(id.slot);
        }
        Ok(())
    }

    /// Asks other questions about two bodies than about the rest; [`Ask::NOTHING`] leaves them alone.
    ///
    /// # Errors
    /// A body is not in this world, or a reach is no distance.
    pub fn ask(&mut self, a: BodyId, b: BodyId, ask: Ask) -> Result<(), WorldError> {
        self.member(a)?;
        self.member(b)?;
        if let Some(reach) = ask.bad_reach() {
            return Err(WorldError::BadReach(reach));
        }
        self.asks.insert([a.min(b), a.max(b)], ask);
        self.asks_changed = true;
        self.sweeps |= ask.impacts;
        Ok(())
    }

    /// Changes how a body takes part.
    ///
    /// # Errors
    /// The body is not in this world, or a reach is no distance.
    pub fn set_settings(&mut self, id: BodyId, settings: Settings) -> Result<(), WorldError> {
        if let Some(reach) = settings.own.bad_reach() {
            return Err(WorldError::BadReach(reach));
        }
        self.member_mut(id)?.settings = settings;
        self.asks_changed = true;
        self.sweeps |= settings.own.impacts;
        Ok(())
    }

    /// How a body takes part.
    ///
    /// # Errors
    /// The body is not in this world.
    pub fn settings(&self, id: BodyId) -> Result<&Settings, WorldError> {
        Ok(&self.member(id)?.settings)
    }

    /// Where a body is.
    ///
    /// # Errors
    /// The body is not in this world.
    pub fn pose(&self, id: BodyId) -> Result<&Pose, WorldError> {
        Ok(&self.member(id)?.pose)
    }

    /// A body as it is now, for questions of your own. A motion that waits for the step, because impacts are asked for, is not seen yet.
    ///
    /// # Errors
    /// The body is not in this world, or its positions and pose together are beyond all finite numbers.
    pub fn view(&self, id: BodyId) -> Result<View<'_>, WorldError> {
        let member = self.member(id)?;
        member.kept.view(&self.brittle).try_at(&member.pose).map_err(|_| WorldError::TooFar(id))
    }

    /// The last report.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Bytes of memory of the world's own lists: broad phase and reports, without the bodies.
    #[must_use]
    pub fn list_bytes(&self) -> usize {
        self.broad.bytes() + self.report.found.bytes() + self.previous.found.bytes()
    }

    fn id_at(&self, slot: u32) -> BodyId {
        BodyId { slot, generation: self.slots[slot as usize].generation, world: self.tag }
    }

    fn member(&self, id: BodyId) -> Result<&Member, WorldError> {
        if id.world != self.tag {
            return Err(WorldError::OtherWorld(id));
        }
        let slot = self.slots.get(id.slot as usize).filter(|slot| slot.generation == id.generation);
        slot.and_then(|slot| slot.member.as_deref()).ok_or(WorldError::NoSuchBody(id))
    }

    fn member_mut(&mut self, id: BodyId) -> Result<&mut Member, WorldError> {
        self.member(id)?;
        Ok(self.slots[id.slot as usize].member.as_deref_mut().expect("found above"))
    }

    /// A member by its place, which must have one.
    fn at(&self, slot: u32) -> &Member {
        self.slots[slot as usize].member.as_deref().expect("a place with a body")
    }

    /// The box around a body or a piece of it, where a pose puts it; `None` if that is too far away.
    fn bounds_of(&self, member: &Member, piece: Option<u32>, pose: &Pose) -> Option<Box3> {
        let bounds = self.view_of(member, piece).try_at(pose).ok()?.bounds();
        let bounds = member.ball.map_or(bounds, |ball| bounds.intersection(&ball.bounds_at(pose)));
        is_within_reach(&bounds).then_some(bounds)
    }

    /// A body or a piece of it, in its own coordinates.
    fn view_of<'a>(&'a self, member: &'a Member, piece: Option<u32>) -> View<'a> {
        match (&member.kept, piece) {
            (Kept::Tearing(body), Some(piece)) => {
                body.piece(piece as usize).expect("pieces are listed after each edit").view()
            }
            (kept, _) => kept.view(&self.brittle),
        }
    }

    /// Refuses a pose that sends a body beyond all numbers.
    fn check_pose(&self, id: BodyId, pose: &Pose) -> Result<(), WorldError> {
        let member = self.member(id)?;
        self.bounds_of(member, None, pose).map(drop).ok_or(WorldError::TooFar(id))
    }
}
