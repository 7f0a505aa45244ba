//! What a step has found.

use super::BodyId;
use crate::contact::{Contact, ContactError};
use crate::impact::Impact;
use crate::near::Near;
use crate::pairs::Pair;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

/// The answers of one step. Everything in it but times and counters depends on the bodies and questions alone: not on the number of threads, nor on
/// the structures that are kept.
#[derive(Clone, Default)]
#[must_use]
pub struct Report {
    pub(super) step: u64,
    pub(super) time: f64,
    pub(super) found: Found,
    /// Two bodies each, ascending.
    pub(super) began: Vec<[BodyId; 2]>,
    pub(super) stayed: Vec<[BodyId; 2]>,
    pub(super) ended: Vec<[BodyId; 2]>,
    pub(super) counters: Counters,
    pub(super) times: StepTimes,
}

/// Meetings, and the lists that they are ranges of.
#[derive(Clone, Default)]
pub(super) struct Found {
    pub(super) meetings: Vec<Entry>,
    pub(super) pairs: Vec<Pair>,
    pub(super) contacts: Vec<Contact>,
    pub(super) near: Vec<Near>,
    pub(super) impacts: Vec<Impact>,
    /// Rows and nodes looked at, by the places of bodies.
    pub(super) work: Vec<(u32, u64)>,
}

/// A meeting, by ranges. A body and itself: what was found within it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) bodies: [BodyId; 2],
    pub(super) touches: bool,
    pub(super) pairs: Range<usize>,
    pub(super) contacts: Range<usize>,
    pub(super) near: Range<usize>,
    pub(super) impacts: Range<usize>,
    pub(super) no_contacts: Option<ContactError>,
}

impl Found {
    /// A meeting about which nothing is known yet.
    pub(super) fn begin(&self, bodies: [BodyId; 2]) -> Entry {
        let here = |list: usize| list..list;
        Entry {
            bodies,
            touches: false,
            pairs: here(self.pairs.len()),
            contacts: here(self.contacts.len()),
            near: here(self.near.len()),
            impacts: here(self.impacts.len()),
            no_contacts: None,
        }
    }

    /// Keeps a meeting in which something was found.
    pub(super) fn finish(&mut self, mut entry: Entry) {
        entry.pairs.end = self.pairs.len();
        entry.contacts.end = self.contacts.len();
        entry.near.end = self.near.len();
        entry.impacts.end = self.impacts.len();
        entry.touches |= !(entry.pairs.is_empty() && entry.contacts.is_empty() && entry.impacts.is_empty());
        if entry.touches || !entry.near.is_empty() || entry.no_contacts.is_some() {
            self.meetings.push(entry);
        }
    }

    /// Adds all meetings of another list, and what they found.
    pub(super) fn append(&mut self, other: &Self) {
        other.meetings.iter().for_each(|entry| self.copy(other, entry));
        self.work.extend_from_slice(&other.work);
    }

    /// Adds a meeting of another list.
    pub(super) fn copy(&mut self, other: &Self, entry: &Entry) {
        let mut copy = self.begin(entry.bodies);
        (copy.touches, copy.no_contacts) = (entry.touches, entry.no_contacts);
        self.pairs.extend_from_slice(&other.pairs[entry.pairs.clone()]);
        self.contacts.extend_from_slice(&other.contacts[entry.contacts.clone()]);
        self.near.extend_from_slice(&other.near[entry.near.clone()]);
        self.impacts.extend_from_slice(&other.impacts[entry.impacts.clone()]);
        self.finish(copy);
    }

    pub(super) fn clear(&mut self) {
        self.meetings.clear();
        self.pairs.clear();
        self.contacts.clear();
        self.near.clear();
        self.impacts.clear();
        self.work.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.meetings.capacity() * size_of::<Entry>()
            + self.pairs.capacity() * size_of::<Pair>()
            + self.contacts.capacity() * size_of::<Contact>()
            + self.near.capacity() * size_of::<Near>()
            + self.impacts.capacity() * size_of::<Impact>()
    }
}

/// Two bodies about which there is something to say; or one body, twice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Meeting<'a> {
    /// The bodies, the smaller id first. Both are the same where something was found within a body.
    pub bodies: [BodyId; 2],
    /// Whether they share a point now, or did during the step if impacts were asked for.
    pub touches: bool,
    /// Intersecting triangles of the first and second body.
    pub pairs: &'a [Pair],
    /// Contacts; normals point from the first body to the second.
    pub contacts: &'a [Contact],
    /// Features that are near each other.
    pub near: &'a [Near],
    /// What met during the step, earliest first.
    pub impacts: &'a [Impact],
    /// Why there are no contacts, though they were asked for and the surfaces intersect.
    pub no_contacts: Option<ContactError>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Bodies in the world.
    pub bodies: usize,
    /// Bodies that have moved or changed.
    pub changed: usize,
    /// Pairs of bodies, or of pieces of them, whose boxes overlap.
    pub candidates: usize,
    /// Pairs of bodies that were asked about; the others rest, or no question concerns them.
    pub asked: usize,
    /// Pairs of bodies that touch.
    pub touching: usize,
}

/// How long the parts of a step took.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepTimes {
    /// Changing structures, and moving bodies to where they are at the end of the step.
    pub bodies: Duration,
    /// Finding boxes that overlap.
    pub broad: Duration,
    /// Answering questions.
    pub narrow: Duration,
    /// Writing the report.
    pub report: Duration,
}

impl Report {
    /// How many steps there were before this one.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The time at the end of the step.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Every two bodies about which something was found, and every body within which something was found, in the order of their ids.
    pub fn meetings(&self) -> impl ExactSizeIterator<Item = Meeting<'_>> {
        self.found.meetings.iter().map(|entry| self.meeting_of(entry))
    }

    /// What was found about two bodies, in either order.
    #[must_use]
    pub fn meeting(&self, a: BodyId, b: BodyId) -> Option<Meeting<'_>> {
        let bodies = [a.min(b), a.max(b)];
        let place = self.found.meetings.binary_search_by_key(&bodies, |entry| entry.bodies).ok()?;
        Some(self.meeting_of(&self.found.meetings[place]))
    }

    fn meeting_of(&self, entry: &Entry) -> Meeting<'_> {
        let found = &self.found;
        Meeting {
            bodies: entry.bodies,
            touches: entry.touches,
            pairs: &found.pairs[entry.pairs.clone()],
            contacts: &found.contacts[entry.contacts.clone()],
            near: &found.near[entry.near.clone()],
            impacts: &found.impacts[entry.impacts.clone()],
            no_contacts: entry.no_contacts,
        }
    }

    /// Every two bodies that touch.
    pub fn touching(&self) -> impl Iterator<Item = [BodyId; 2]> + '_ {
        let touching = self.found.meetings.iter().filter(|entry| entry.touches);
        touching.map(|entry| entry.bodies).filter(|[a, b]| a != b)
    }

    /// Pairs of bodies that touch now and did not one step ago.
    #[must_use]
    pub fn began(&self) -> &[[BodyId; 2]] {
        &self.began
    }

    /// Pairs of bodies that touch now, as they did one step ago.
    #[must_use]
    pub fn stayed(&self) -> &[[BodyId; 2]] {
        &self.stayed
    }

    /// Pairs of bodies that touched one step ago and do not now, or one of which is gone.
    #[must_use]
    pub fn ended(&self) -> &[[BodyId; 2]] {
        &self.ended
    }

    /// What the step did.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How long it took.
    #[must_use]
    pub fn times(&self) -> &StepTimes {
        &self.times
    }

    /// A text with all answers, every number to its last bit: equal for equal reports, whatever their times.
    #[must_use]
    pub fn digest(&self) -> String {
        format!("{self:?}")
    }
}

/// Everything but the times and how much work there was.
impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut report = f.debug_struct("Report");
        report.field("step", &self.step).field("time", &self.time);
        report.field("meetings", &self.meetings().collect::<Vec<_>>());
        report.field("began", &self.began).field("stayed", &self.stayed).field("ended", &self.ended);
        let Counters { bodies, touching, .. } = self.counters;
        report.field("bodies", &bodies).field("touching", &touching).finish()
    }
}
