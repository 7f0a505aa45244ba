//! Small tools that every folder may use, each written once.
//!
//! [`lists`] many short lists in one allocation · [`sets`] union–find · [`radix`] a parallel radix sort · [`merge`] sorted lists into one · [`morton`]
//! Morton codes · [`parallel`] loops on all threads · [`Random`] pseudo-random numbers · [`Stopwatch`] times of stages. Nothing
//! here knows geometry, and nothing here uses another folder.

pub(crate) mod lists;
pub(crate) mod merge;
pub(crate) mod morton;
pub(crate) mod parallel;
pub(crate) mod radix;
mod random;
pub(crate) mod sets;
mod stopwatch;

pub(crate) use lists::Lists;
pub use random::Random;
pub(crate) use sets::DisjointSets;
pub(crate) use stopwatch::Stopwatch;

/// Lists items in ascending order, each once.
pub(crate) fn sorted_set<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut set: Vec<T> = items.collect();
    set.sort_unstable();
    set.dedup();
    set
}

/// Gives a list room for more items and writes to it once, so that items can be pushed without waiting for the allocator or for
/// the system to hand out pages.
pub(crate) fn reserve_warm<T: Clone>(list: &mut Vec<T>, more: usize, value: T) {
    let before = list.len();
    list.resize(before + more, value);
    list.truncate(before);
}

/// How many more items a list that edits will lengthen gets room for when it is made: twice as many, up to two million. Ids are not reused,
/// so lists grow faster than bodies. Room that is not used costs addresses and no memory; a list that is full would have to
/// be copied in the middle of a step.
pub(crate) fn headroom(count: usize) -> usize {
    (2 * count).min(1 << 21)
}

/// How much of its headroom such a list writes to at once: a sixteenth of what it holds. The system hands out pages when they are first
/// written to; that took a fifth of the time of the first steps.
pub(crate) fn warm_room(count: usize) -> usize {
    (count / 16).min(1 << 16)
}

/// A list of equal items with [`headroom`], some of it warm.
pub(crate) fn roomy<T: Clone>(value: T, count: usize) -> Vec<T> {
    let mut list = Vec::with_capacity(count + headroom(count));
    list.resize(count + warm_room(count), value);
    list.truncate(count);
    list
}

/// Gives a list that is complete [`headroom`], some of it warm.
pub(crate) fn make_roomy<T: Clone>(list: &mut Vec<T>, value: T) {
    let count = list.len();
    list.reserve(headroom(count));
    reserve_warm(list, warm_room(count), value);
}
