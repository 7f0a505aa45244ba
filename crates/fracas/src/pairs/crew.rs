//! Sharing a query among threads, with the same answer however many there are.
//!
//! A query begins as a few tasks. They are opened, generation by generation, until there are enough to share; then threads
//! take tasks from the list as they become free, each collecting its own pairs. Sorting the union makes the result
//! independent of how tasks were shared.

use super::{FindStats, Pair};
use crate::base::parallel;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One thread's share of a query: its stack, its memory, its results.
pub(crate) trait Worker: Default + Send {
    /// A part of a query.
    type Task: Copy + Sync;
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

/// With [`Threads::Auto`] a query begins on one thread. If it is not done after this number of steps, some tenths of a millisecond, others
/// join.
const STEPS_ALONE: u64 = 4096;

/// Tasks for each thread; more of them even out their sizes.
const TASKS_PER_THREAD: usize = 64;

/// Pairs from which sorting is shared too.
const MANY_PAIRS: usize = 4_000;

/// The workers of a finder, and its answer.
pub(crate) struct Crew<W: Worker> {
    pub(crate) workers: Vec<W>,
    tasks: Vec<W::Task>,
    opened: Vec<W::Task>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) stats: FindStats,
}

impl<W: Worker> Default for Crew<W> {
    fn default() -> Self {
        let (tasks, opened) = (Vec::new(), Vec::new());
        Self { workers: vec![W::default()], tasks, opened, pairs: Vec::new(), stats: FindStats::default() }
    }
}

impl<W: Worker> Crew<W> {
    /// Forgets the last query.
    pub(crate) fn reset(&mut self) {
        self.pairs.clear();
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
            self.open_until(query, TASKS_PER_THREAD * count);
            self.run_on_threads(query, count);
            self.tasks.clear();
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
        let is_kept = found.sum::<u64>() <= most as u64;
        for worker in &self.workers {
            let (pairs, stats) = worker.results();
            if is_kept {
                self.pairs.extend_from_slice(pairs);
            }
            self.stats += stats;
            self.stats.found += pairs.len() as u64;
        }
        parallel::sort_unstable(threads != Threads::One && self.pairs.len() > MANY_PAIRS, &mut self.pairs);
    }

    /// Opens tasks, all of a generation at a time, until there are enough of them.
    fn open_until(&mut self, query: &W::Query<'_>, enough: usize) {
        for _ in 0..64 {
            if self.tasks.is_empty() || self.tasks.len() >= enough {
                break;
            }
            self.opened.clear();
            for task in &self.tasks {
                self.workers[0].run(query, std::slice::from_ref(task), &mut 1);
                self.workers[0].take_rest(&mut self.opened);
            }
            std::mem::swap(&mut self.tasks, &mut self.opened);
        }
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
