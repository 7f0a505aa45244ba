//! Options and counters that the kinetic structures share.

use super::course::Course;
use super::crossing::{Meeting, compare_at, first_above};
use super::piece::Path;
use std::cmp::Ordering;

/// How far ahead a structure looks for the next event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certificates {
    /// Up to the next key, where certificates are renewed. An event is computed only where another vertex leads at the next key.
    #[default]
    RenewAtKeys,
    /// Over all later keys, until an event is found: Algorithm 3 of the paper. Costs more with many keys; nothing is done at keys.
    LookAhead,
}

/// How a kinetic structure works.
///
/// ```
/// use fracas::kinetic::{Certificates, KineticOptions};
/// let paper = KineticOptions { certificates: Certificates::LookAhead };
/// assert_ne!(paper, KineticOptions::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KineticOptions {
    /// How far certificates reach. Default: to the next key. Boxes and pairs are the same either way.
    pub certificates: Certificates,
}

/// What a kinetic structure has done since it was built, in the units of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KineticStats {
    /// Another corner of a triangle began to realise a side of its leaf's box.
    pub leaf_events: u64,
    /// A side of a node's box, or a plane of a node, began to be realised by a vertex of another part of the tree.
    pub tree_events: u64,
    /// Vertices that got new plans.
    pub plan_updates: u64,
    /// Values that changed their vertex, six per node: events, and what they changed above. The paper's *updates*.
    pub updates: u64,
    /// Pairs of vertices for which the time of the next event was asked.
    pub certificates: u64,
    /// Keys at which certificates were renewed.
    pub renewals: u64,
}

impl KineticStats {
    /// Leaf and tree events.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.leaf_events + self.tree_events
    }
}

/// One side of a box: twice the axis, plus one for the maximum.
pub(super) type Side = usize;

/// Whether q strictly exceeds p now.
#[inline]
pub(super) fn exceeds(course: &Course, q: u32, p: u32, side: Side) -> bool {
    compare_at(&course.path(q, side), &course.path(p, side), course.now()) == Ordering::Greater
}

/// Whether q exceeds p now, or is equal and will exceed it first.
pub(super) fn leads(course: &Course, q: u32, p: u32, side: Side) -> bool {
    let (q, p) = (course.path(q, side), course.path(p, side));
    compare_at(&q, &p, course.now()).then_with(|| match p.until.min(q.until) {
        f64::INFINITY => q.end.partial_cmp(&p.end).unwrap_or(Ordering::Equal),
        until => compare_at(&q, &p, until),
    }) == Ordering::Greater
}

/// One coordinate of a moving vertex, reflected if the side is a minimum.
#[derive(Clone, Copy)]
pub(super) struct Mover<'a> {
    pub(super) course: &'a Course,
    pub(super) vertex: u32,
    pub(super) side: Side,
}

impl Mover<'_> {
    #[inline(always)]
    pub(super) fn path(&self) -> Path {
        self.course.path(self.vertex, self.side)
    }
}

impl Certificates {
    /// When a challenger strictly exceeds the champion for the first time after now, as far as these certificates look.
    #[inline]
    pub(super) fn overtakes(
        self,
        course: &Course,
        challenger: u32,
        champion: u32,
        side: Side,
    ) -> Option<f64> {
        let [q, p] = [challenger, champion].map(|vertex| Mover { course, vertex, side });
        self.next_above(q, p, Meeting::Above)
    }

    /// When q first exceeds or reaches p after now. At present it does not.
    #[inline]
    pub(super) fn next_above(self, q: Mover<'_>, p: Mover<'_>, meeting: Meeting) -> Option<f64> {
        let paths = [q.path(), p.path()];
        let found = first_above(&paths[0], &paths[1], p.course.now(), meeting);
        if found.is_some() || self == Self::RenewAtKeys {
            return found;
        }
        look_ahead([q, p], paths, meeting)
    }
}

/// The search over later keys.
fn look_ahead(movers: [Mover<'_>; 2], mut paths: [Path; 2], meeting: Meeting) -> Option<f64> {
    let mut ahead = [0, 0];
    loop {
        let until = paths[0].until.min(paths[1].until);
        if until == f64::INFINITY {
            return None;
        }
        for k in 0..2 {
            if paths[k].until == until {
                ahead[k] += 1;
                let Mover { course, vertex, side } = movers[k];
                paths[k] = course.later_path(vertex, side, ahead[k]);
            }
        }
        let found = first_above(&paths[0], &paths[1], until.max(movers[1].course.now()), meeting);
        if found.is_some() {
            return found;
        }
    }
}
