//! Sharing a query among threads, with the same answer however many there are.
//!
//! A query begins as a few tasks on one thread, which works them off depth first. If that takes long, it hands the older half of
//! what is left to another thread: these are the largest tasks, as they are the highest in the trees. Every thread does the same
//! while few parts wait for a thread:
//!
//! ```text
//!   one thread      ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ …
//!                     ╰─▶ ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ …
//!                     ╰──────╰─▶ ▓▓▓▓▓▓▓▓▓ …
//! ```
//!
//! So no thread waits while another has a large task left, and nothing has to be opened on one thread first. Each thread collects its own
//! pairs. Sorting the union makes the result independent of how tasks were shared.

use super::{FindStats, Pair};
use crate::base::merge::merge;
use crate::base::parallel;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One thread's share of a query: its stack, its memory, its results.
pub(crate) trait Worker: Default + Send {
    /// A part of a query.
    type Task: Copy + Send + Sync;
    /// What is compared with what, and which meetings count.
    type Query<'a>: Sync;

    /// Forgets the last query; keeps the memory.
    fn reset(&mut self);

    /// Finds the pairs of tasks in at most `steps` steps, and subtracts the steps it used.
    fn run(&mut self, query: &Self::Query<'_>, tasks: &[Self::Task], steps: &mut u64);

    /// Moves what is left of the tasks when the steps were used up to `out`.
    fn take_rest(&mut self, out: &mut Vec<Self::Task>);

    /// What was found since the last reset, and the work it took, with the pairs that were only counted.
    fn results(&self) -> (&[Pair], FindStats);

    /// Sorts what was found. A worker that finds no pairs need not.
    fn sort_pairs(&mut self) {}
}

/// How many threads a query may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Threads {
    /// All threads of the current rayon pool, but only where a query is large enough to gain from them.
    #[default]
    Auto,
    /// The caller's thread alone.
    One,
    /// All threads of the current rayon pool, however small the query is.
    All,
}

impl Threads {
    /// How many there are; 1 without the feature `parallel`.
    pub(crate) fn count(self) -> usize {
        parallel::threads(self != Self::One)
    }
}

/// With [`Threads::Auto`] a query begins on one thread. If it is not done after this number of steps, about a tenth of a millisecond, others
/// join.
const STEPS_ALONE: u64 = 1024;

/// The number of steps after which a thread checks whether it should hand out tasks: few at first, so that all threads soon have some.
const STEPS_AT_FIRST: u64 = 32;

/// The same, once it has worked for a while.
const STEPS_AT_A_TIME: u64 = 512;

/// Tasks for each thread; more of them even out their sizes.
const TASKS_PER_THREAD: usize = 64;

/// Pairs from which sorting is shared too.
const MANY_PAIRS: usize = 4_000;

/// The workers of a finder, and its answer.
pub(crate) struct Crew<W: Worker> {
    pub(crate) workers: Vec<W>,
    tasks: Vec<W::Task>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) stats: FindStats,
}

impl<W: Worker> Default for Crew<W> {
    fn default() -> Self {
        let (tasks, pairs) = (Vec::new(), Vec::new());
        Self { workers: vec![W::default()], tasks, pairs, stats: FindStats::default() }
    }
}

impl<W: Worker> Crew<W> {
    /// Forgets the last query. Its pairs stay until the next one is finished.
    pub(crate) fn reset(&mut self) {
        self.tasks.clear();
        self.stats = FindStats::default();
        self.workers.iter_mut().for_each(W::reset);
    }

    /// Adds a part to the query.
    pub(crate) fn add(&mut self, task: W::Task) {
        self.tasks.push(task);
    }

    /// Works off all tasks that were added. More may be added afterwards, for another round.
    pub(crate) fn run(&mut self, query: &W::Query<'_>, threads: Threads) {
        let count = threads.count();
        let mut steps = if threads == Threads::Auto && count > 1 { STEPS_ALONE } else { u64::MAX };
        if count == 1 || threads == Threads::Auto {
            self.workers[0].run(query, &self.tasks, &mut steps);
            self.tasks.clear();
            self.workers[0].take_rest(&mut self.tasks);
        }
        if !self.tasks.is_empty() {
            self.share(query, count);
        }
    }

    /// Works off tasks on the caller's thread until something is found or none is left; returns whether something was.
    pub(crate) fn run_until_found(&mut self, query: &W::Query<'_>) -> bool {
        let mut slice = 16;
        while let Some(task) = self.tasks.pop() {
            let mut steps = slice;
            self.workers[0].run(query, &[task], &mut steps);
            if !self.workers[0].results().0.is_empty() {
                self.tasks.clear();
                return true;
            }
            self.workers[0].take_rest(&mut self.tasks);
            slice = (2 * slice).min(1024);
        }
        false
    }

    /// Works off all tasks that were added, none of which can be opened.
    pub(crate) fn run_as_they_are(&mut self, query: &W::Query<'_>, threads: usize) {
        if threads > 1 && self.tasks.len() > 1 {
            self.run_on_threads(query, threads);
        } else {
            self.workers[0].run(query, &self.tasks, &mut { u64::MAX });
        }
        self.tasks.clear();
    }

    /// Collects and sorts what all workers have found; nothing if that is more than `most`.
    pub(crate) fn finish(&mut self, threads: Threads, most: usize) {
        let found = self.workers.iter().map(|worker| {
            let (pairs, stats) = worker.results();
            pairs.len() as u64 + stats.found
        });
        let count = found.sum::<u64>();
        for worker in &self.workers {
            let (pairs, stats) = worker.results();
            self.stats += stats;
            self.stats.found += pairs.len() as u64;
        }
        let ranges = if count > MANY_PAIRS as u64 { threads.count() } else { 1 };
        let is_kept = count <= most as u64;
        if is_kept && ranges > 1 {
            parallel::for_each(true, self.workers.iter_mut(), W::sort_pairs);
            let lists: Vec<&[Pair]> = self.workers.iter().map(|worker| worker.results().0).collect();
            merge(&lists, &mut self.pairs, ranges);
            return;
        }
        self.pairs.clear();
        if is_kept {
            self.workers.iter().for_each(|worker| self.pairs.extend_from_slice(worker.results().0));
            self.pairs.sort_unstable();
        }
    }

    /// Works off all tasks on all threads, each handing out what others can take.
    fn share(&mut self, query: &W::Query<'_>, threads: usize) {
        // Every thread that has something to do takes a worker.
        let idle = Mutex::new(std::mem::take(&mut self.workers));
        let lock = || idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // Parts that no thread has taken yet. There should be some, but few: to hand out costs more than to go on.
        let (waiting, enough) = (AtomicUsize::new(1), 1 + threads / 8);
        // The stack of a walk begins with the highest tasks, and a walk begins with the first task of its list.
        let mut first = std::mem::take(&mut self.tasks);
        first.reverse();
        parallel::spread((first, STEPS_AT_FIRST), |(mut tasks, mut slice): (Vec<W::Task>, u64), hand_out| {
            waiting.fetch_sub(1, Ordering::Relaxed);
            let mut worker = lock().pop().unwrap_or_default();
            while !tasks.is_empty() {
                if tasks.len() > 1 && waiting.load(Ordering::Relaxed) < enough {
                    waiting.fetch_add(1, Ordering::Relaxed);
                    hand_out((tasks.split_off(tasks.len() / 2), slice));
                }
                worker.run(query, &tasks, &mut { slice });
                tasks.clear();
                worker.take_rest(&mut tasks);
                tasks.reverse();
                slice = (2 * slice).min(STEPS_AT_A_TIME);
            }
            lock().push(worker);
        });
        self.workers = idle.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    }

    fn run_on_threads(&mut self, query: &W::Query<'_>, threads: usize) {
        self.workers.resize_with(self.workers.len().max(threads), W::default);
        let (tasks, next) = (&self.tasks, AtomicUsize::new(0));
        let share = (tasks.len() / (TASKS_PER_THREAD * threads)).max(1);
        parallel::for_each(true, self.workers.iter_mut(), |worker| {
            while let Some(tasks) = tasks.chunks(share).nth(next.fetch_add(1, Ordering::Relaxed)) {
                worker.run(query, tasks, &mut { u64::MAX });
            }
        });
    }
}

/// How many pairs a worker drops because they are more than it may keep. So memory stays below twice `most`, whatever is found.
#[inline]
pub(crate) fn count_beyond(most: usize, pairs: &mut Vec<Pair>) -> u64 {
    let count = if pairs.len() > most { pairs.len() } else { 0 };
    if count > 0 {
        pairs.clear();
    }
    count as u64
}
