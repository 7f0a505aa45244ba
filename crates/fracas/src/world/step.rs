//! A step: from what happened to the bodies to a report.

use super::body::Kept;
use super::report::{Entry, Found};
use super::sweep::Ends;
use super::{Ask, BodyId, Pending, Proxy, Report, World, WorldError};
use crate::base::parallel;
use crate::find::Finder;
use crate::geom::{Box3, DVec3};
use crate::impact::Impact;
use crate::kinetic::LARGEST_TIME;
use crate::pairs::{FindStats, Threads};
use std::ops::Range;
use web_time::{Duration, Instant};

/// A body stays in the active list for this number of steps after its last change: its structure may change once more.
const ACTIVE: u64 = 8;

/// Tasks for each thread; more of them even out their sizes.
const TASKS_PER_THREAD: usize = 16;

/// Two bodies, or one twice, and what is asked about them.
pub(super) struct Job {
    pub(super) slots: [u32; 2],
    /// Pairs of their boxes that overlap, among [`Jobs::parts`].
    parts: Range<usize>,
    pub(super) ask: Ask,
    /// Whether the last report says all there is to say.
    pub(super) is_known: bool,
}

/// The jobs of a step; memory that is kept.
#[derive(Default)]
pub(super) struct Jobs {
    pub(super) list: Vec<Job>,
    /// Places of two bodies, the lower first, and their boxes.
    parts: Vec<([u32; 2], [u32; 2])>,
}

impl World {
    /// Lets a time pass, and reports what was found. Bodies on known paths go on; for others the time means nothing.
    ///
    /// # Errors
    /// The time is negative or NaN, the sum of all is too large, or a body would be beyond all finite numbers, or a reach is no distance. The step is
    /// then not done.
    ///
    /// # Cost
    /// Proportional to the bodies that have changed, to what is near them, and to the answer.
    ///
    /// ```
    /// use fracas::world::World;
    /// use fracas::{DVec3, Pose, mesh::shapes};
    /// let mut world = World::default();
    /// let [a, b] = [0, 1].map(|_| world.insert(shapes::icosphere(1.0, 3)));
    /// world.set_pose(b, &Pose::from_translation(DVec3::X * 1.5).unwrap())?;
    /// assert_eq!(world.step(0.1)?.began(), [[a, b]]);
    /// world.set_pose(b, &Pose::from_translation(DVec3::X * 2.5).unwrap())?;
    /// assert_eq!(world.step(0.1)?.ended(), [[a, b]]);
    /// # Ok::<(), fracas::world::WorldError>(())
    /// ```
    pub fn step(&mut self, time: f64) -> Result<&Report, WorldError> {
        let end = self.time + time;
        if !(time >= 0.0 && end <= LARGEST_TIME) {
            return Err(WorldError::BadStep(time));
        }
        let mut clock = Clock(Instant::now());
        let margin = self.find_margin()?;
        let ends = if self.sweeps {
            self.find_ends(end)?
        } else {
            self.finish_moves(end)?;
            Ends::new()
        };
        let changed = self.choose_and_place(&ends, margin)?;
        std::mem::swap(&mut self.report, &mut self.previous);
        let step = self.previous.step + 1;
        self.time = end;
        let bodies = clock.lap();
        let is_parallel = self.options.find.threads != Threads::One;
        let candidates = self.broad.update(is_parallel).len();
        let mut jobs = std::mem::take(&mut self.jobs);
        self.list_jobs(&mut jobs, step);
        let broad = clock.lap();
        let impacts = if self.sweeps { self.find_impacts(&jobs, &ends) } else { vec![] };
        if self.sweeps {
            self.finish_moves(end)?;
        }
        self.build_trees(&jobs, step);
        self.answer_all(&jobs, &impacts, is_parallel);
        let narrow = clock.lap();
        let asked = jobs.list.iter().filter(|job| !job.is_known).count();
        self.jobs = jobs;
        self.finish_step();
        let report = &mut self.report;
        (report.step, report.time) = (step, end);
        report.find_events(&self.previous);
        let touching = report.touching().count();
        report.counters = super::Counters { bodies: self.count, changed, candidates, asked, touching };
        report.times = super::StepTimes { bodies, broad, narrow, report: clock.lap() };
        Ok(&self.report)
    }

    /// By how much boxes must be enlarged, so that all answers are between boxes that overlap.
    pub(super) fn find_margin(&self) -> Result<f64, WorldError> {
        let mut reach = 0.0_f64;
        for ask in self.asks.values().chain([&self.options.ask]) {
            if let Some(reach) = ask.bad_reach() {
                return Err(WorldError::BadReach(reach));
            }
            reach = reach.max(ask.reach());
        }
        // A body may bring any settings.
        let mut members = self.slots.iter().filter_map(|slot| slot.member.as_deref());
        if let Some(reach) = members.find_map(|member| member.settings.own.bad_reach()) {
            return Err(WorldError::BadReach(reach));
        }
        // Half of it on either side, and a little for the rounding.
        Ok(reach * 0.500_001)
    }

    /// Structures follow what bodies do until the end of the step.
    fn finish_moves(&mut self, end: f64) -> Result<(), WorldError> {
        let step = self.report.step;
        for k in 0..self.active.len() {
            let slot = self.active[k];
            let id = self.id_at(slot);
            let Some(member) = self.slots[slot as usize].member.as_deref_mut() else { continue };
            match member.pending.take() {
                Some(Pending::Positions(list)) => {
                    member.take_positions(&list, step).map_err(|error| WorldError::Mesh { id, error })?;
                }
                Some(Pending::Transforms(list)) => {
                    if let Kept::Skinned(body) = &mut member.kept {
                        body.set_transforms(&list).map_err(|error| WorldError::Skin { id, error })?;
                    }
                }
                None => {}
            }
            if let Kept::Kinetic(body) = &mut member.kept {
                let until = end.max(body.now());
                member.changed |= until > body.now();
                body.advance_to(until).map_err(|error| WorldError::Plan { id, error })?;
            }
        }
        Ok(())
    }

    /// Chooses structures, and brings the boxes in the broad phase up to date. Returns how many bodies have changed.
    fn choose_and_place(&mut self, ends: &Ends, margin: f64) -> Result<usize, WorldError> {
        if margin != self.margin {
            self.margin = margin;
            let all: Vec<u32> = self.ids().map(|id| id.slot).collect();
            all.into_iter().for_each(|slot| self.mark(slot));
        }
        let step = self.report.step + 1;
        let mut active = std::mem::take(&mut self.active);
        let mut changed = 0;
        let mut result = Ok(());
        active.retain(|&slot| {
            let Some(member) = self.slots[slot as usize].member.as_deref_mut() else { return false };
            if result.is_err() {
                return true;
            }
            member.choose(step);
            // A box that held a motion is smaller after it.
            let has_swept = self.sweeps && member.changed_in + 1 == step;
            // One moves by itself, and what the other costs may call for a tree long after its last change.
            let is_watched = matches!(member.kept, Kept::Kinetic(_) | Kept::Driven(_));
            member.changed |= ends.contains_key(&slot);
            if member.changed {
                member.changed_in = step;
                changed += 1;
            }
            if member.changed || has_swept {
                result = self.place(slot, ends.get(&slot));
            }
            let member = self.slots[slot as usize].member.as_deref_mut().expect("found above");
            member.is_active = is_watched || member.changed_in + ACTIVE > step;
            member.is_active
        });
        self.active = active;
        result.map(|()| changed)
    }

    /// Writes the boxes of a body.
    pub(super) fn place(&mut self, slot: u32, end: Option<&Vec<DVec3>>) -> Result<(), WorldError> {
        self.make_ball(slot);
        let member = self.at(slot);
        let pieces = match &member.kept {
            Kept::Tearing(body) if !self.sweeps => body.piece_count().max(1),
            _ => 1,
        };
        let too_far = WorldError::TooFar(self.id_at(slot));
        let (one, many);
        let boxes: &[Box3] = if pieces == 1 {
            let mut bounds = self.bounds_of(member, None, &member.pose).ok_or(too_far.clone())?;
            if self.sweeps && member.before != member.pose {
                bounds = bounds.union(&self.bounds_of(member, None, &member.before).ok_or(too_far)?);
            }
            if let Some(end) = end {
                bounds = bounds.union(&Box3::from_points(end.iter().copied()));
            }
            one = [bounds];
            &one
        } else {
            let of_piece = |piece| self.bounds_of(member, Some(piece), &member.pose);
            many = (0..pieces as u32).map(of_piece).collect::<Option<Vec<_>>>().ok_or(too_far)?;
            &many
        };
        let Self { slots, proxies, free_proxies, broad, margin, .. } = self;
        let member = slots[slot as usize].member.as_deref_mut().expect("found above");
        while member.proxies.len() > pieces {
            let proxy = member.proxies.pop().expect("counted");
            broad.remove(proxy);
            free_proxies.push(proxy);
        }
        for (k, b) in boxes.iter().enumerate() {
            let piece = (pieces > 1).then_some(k as u32);
            if k == member.proxies.len() {
                let proxy = free_proxies.pop().unwrap_or_else(|| {
                    proxies.push(Proxy::default());
                    proxies.len() as u32 - 1
                });
                member.proxies.push(proxy);
            }
            let proxy = member.proxies[k];
            proxies[proxy as usize] = Proxy { slot, piece };
            broad.set(proxy, if b.is_empty() { *b } else { b.expanded(*margin) });
        }
        Ok(())
    }

    /// Lists what is to be asked.
    fn list_jobs(&mut self, jobs: &mut Jobs, step: u64) {
        let Jobs { list, parts } = jobs;
        list.clear();
        parts.clear();
        for &[p, q] in self.broad.pairs() {
            let slots = [p, q].map(|proxy| self.proxies[proxy as usize].slot);
            if slots[0] != slots[1] {
                let turned = slots[0] > slots[1];
                let (slots, proxies) = if turned { ([slots[1], slots[0]], [q, p]) } else { (slots, [p, q]) };
                parts.push((slots, proxies));
            }
        }
        // A body is asked about itself as a whole.
        let own = (0..).zip(&self.slots).filter_map(|(slot, entry)| Some((slot, entry.member.as_ref()?)));
        let own = own.filter(|(_, member)| member.settings.own != Ask::NOTHING);
        parts.extend(own.map(|(slot, member)| ([slot; 2], [member.proxies[0]; 2])));
        parts.sort_unstable();
        let is_sweeping = u64::from(self.sweeps);
        let no_asks = self.asks.is_empty();
        let mut begin = 0;
        for same in parts.chunk_by(|x, y| x.0 == y.0) {
            let (slots, parts) = (same[0].0, begin..begin + same.len());
            begin = parts.end;
            let [a, b] = slots.map(|slot| self.at(slot));
            let ask = if slots[0] == slots[1] {
                a.settings.own
            } else if !a.settings.groups.meets(&b.settings.groups) {
                continue;
            } else {
                let known = if no_asks { None } else { self.asks.get(&slots.map(|slot| self.id_at(slot))) };
                let ask = *known.unwrap_or(&self.options.ask);
                let is_sensor = a.settings.sensor || b.settings.sensor;
                if is_sensor && ask != Ask::NOTHING { Ask::TOUCH } else { ask }
            };
            if ask == Ask::NOTHING || self.are_apart(a, b) {
                continue;
            }
            let last_change = a.changed_in.max(b.changed_in);
            let is_known = !self.asks_changed && last_change + is_sweeping < step;
            list.push(Job { slots, parts, ask, is_known });
        }
        self.asks_changed = false;
    }

    /// Trees for meshes that something is asked about.
    fn build_trees(&mut self, jobs: &Jobs, step: u64) {
        for job in jobs.list.iter().filter(|job| !job.is_known) {
            for slot in job.slots {
                let member = self.slots[slot as usize].member.as_deref_mut().expect("a place with a body");
                member.build_if_needed(job.ask.needs_tree(), step);
            }
        }
    }

    /// Answers all questions.
    fn answer_all(&mut self, jobs: &Jobs, impacts: &[Vec<Impact>], is_parallel: bool) {
        let mut found = std::mem::take(&mut self.report.found);
        found.clear();
        let threads = parallel::threads(is_parallel);
        let impacts_of = |k: usize| impacts.get(k).map_or(&[][..], Vec::as_slice);
        if threads == 1 || jobs.list.len() < 2 * threads {
            self.with_finder(|finder| {
                for (k, job) in jobs.list.iter().enumerate() {
                    self.answer(jobs, job, impacts_of(k), finder, &mut found);
                }
            });
        } else {
            let size = jobs.list.len().div_ceil(threads * TASKS_PER_THREAD);
            let tasks = jobs.list.chunks(size).enumerate();
            let results = parallel::map(true, tasks, |(task, list)| {
                let mut found = Found::default();
                self.with_finder(|finder| {
                    for (k, job) in list.iter().enumerate() {
                        self.answer(jobs, job, impacts_of(task * size + k), finder, &mut found);
                    }
                });
                found
            });
            results.iter().for_each(|result| found.append(result));
        }
        for &(slot, work) in &found.work {
            self.slots[slot as usize].member.as_deref_mut().expect("asked about").history.work += work;
        }
        self.report.found = found;
    }

    /// Lends a finder that no other thread uses.
    pub(super) fn with_finder<T>(&self, work: impl FnOnce(&mut Finder) -> T) -> T {
        let finders = || self.finders.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let taken = finders().pop();
        let mut finder = taken.unwrap_or_else(|| Finder::new(self.options.find));
        let result = work(&mut finder);
        finders().push(finder);
        result
    }

    fn answer(&self, jobs: &Jobs, job: &Job, impacts: &[Impact], finder: &mut Finder, found: &mut Found) {
        let bodies = job.slots.map(|slot| self.id_at(slot));
        if job.is_known {
            if let Ok(place) =
                self.previous.found.meetings.binary_search_by_key(&bodies, |known| known.bodies)
            {
                found.copy(&self.previous.found, &self.previous.found.meetings[place]);
            }
            return;
        }
        let mut entry = found.begin(bodies);
        let mut work = 0;
        if bodies[0] == bodies[1] {
            work += self.answer_alone(job, finder, found);
        } else {
            for (_, proxies) in &jobs.parts[job.parts.clone()] {
                work += self.answer_part(*proxies, &job.ask, finder, found, &mut entry);
            }
            if job.parts.len() > 1 {
                found.pairs[entry.pairs.start..].sort_unstable();
                found.near[entry.near.start..].sort_unstable_by_key(|near| near.features);
            }
        }
        found.impacts.extend_from_slice(impacts);
        found.finish(entry);
        found.work.extend(job.slots.map(|slot| (slot, work)));
    }

    fn answer_alone(&self, job: &Job, finder: &mut Finder, found: &mut Found) -> u64 {
        let member = self.at(job.slots[0]);
        let view = member.kept.view(&self.brittle).at(&member.pose);
        let mut work = 0;
        if job.ask.pairs {
            found.pairs.extend_from_slice(finder.find_self_pairs(view));
            work += work_of(finder.stats());
        }
        if let Some(reach) = job.ask.near {
            found.near.extend_from_slice(finder.find_near_self(view, reach));
        }
        work
    }

    fn answer_part(
        &self,
        proxies: [u32; 2],
        ask: &Ask,
        finder: &mut Finder,
        found: &mut Found,
        entry: &mut Entry,
    ) -> u64 {
        let [a, b] = proxies.map(|proxy| {
            let Proxy { slot, piece } = self.proxies[proxy as usize];
            let member = self.at(slot);
            self.view_of(member, piece).at(&member.pose)
        });
        let mut work = 0;
        if ask.pairs {
            found.pairs.extend_from_slice(finder.find_pairs(a, b));
            work += work_of(finder.stats());
        }
        if let Some(reach) = ask.near {
            found.near.extend_from_slice(finder.find_near(a, b, reach));
            work += work_of(finder.stats());
        }
        if let Some(options) = &ask.contacts {
            let refused = match finder.find_contacts_with(a, b, options) {
                Ok(contacts) => {
                    found.contacts.extend_from_slice(contacts);
                    None
                }
                Err(error) => Some(error),
            };
            // Only bodies that intersect are worth a word.
            if refused.is_some() && finder.find_first(a, b).is_some() {
                (entry.no_contacts, entry.touches) = (refused, true);
            }
            work += work_of(finder.stats());
        }
        if ask.touch && !entry.touches && found.pairs.len() == entry.pairs.start {
            entry.touches = finder.overlaps(a, b);
            work += work_of(finder.stats());
        }
        work
    }

    /// Where bodies are now is where the next step begins.
    fn finish_step(&mut self) {
        for &slot in &self.active {
            let member = self.slots[slot as usize].member.as_deref_mut().expect("looked at in this step");
            member.before = member.pose;
            member.changed = false;
        }
    }
}

fn work_of(stats: &FindStats) -> u64 {
    stats.node_pairs + stats.rows
}

impl Report {
    /// Compares what touches with what touched one step before.
    fn find_events(&mut self, previous: &Self) {
        let Self { began, stayed, ended, found, .. } = self;
        [&mut *began, &mut *stayed, &mut *ended].into_iter().for_each(Vec::clear);
        let touching = found.meetings.iter().filter(|entry| entry.touches).map(|entry| entry.bodies);
        let mut now = touching.filter(|[a, b]| a != b).peekable();
        let mut then = previous.touching().peekable();
        let next = |list: Option<&[BodyId; 2]>| list.copied();
        loop {
            match (next(now.peek()), next(then.peek())) {
                (None, None) => break,
                (Some(new), Some(old)) if new == old => {
                    stayed.push(new);
                    now.next();
                    then.next();
                }
                (Some(new), Some(old)) if new < old => {
                    began.push(new);
                    now.next();
                }
                (Some(new), None) => {
                    began.push(new);
                    now.next();
                }
                (_, Some(old)) => {
                    ended.push(old);
                    then.next();
                }
            }
        }
    }
}

/// Measures one part of a step after the other.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        let lap = now - self.0;
        self.0 = now;
        lap
    }
}
