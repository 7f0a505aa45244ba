//! Sharing a query among threads, with the same answer however many there are.
//!
//! A query begins as a few tasks. They are opened, generation by generation, until there are enough to share; then threads
//! take tasks from the list as they become free, each collecting its own pairs. Sorting the union makes the result
//! independent of who did what.

use super::{Pair, PairOptions, PairStats, Touch};

/// One thread's share of a query: its stack, its memory, its results.
pub(crate) trait Worker: Default + Send {
    /// A part of a query.
    type Task: Copy + Sync;
    /// What is compared with what.
    type Meeting<'a>: Sync;

    /// Forgets the last query; keeps the memory.
    fn reset(&mut self);

    /// Opens a task into `out`, or decides it if there is nothing to open.
    fn open(
        &mut self,
        meeting: &Self::Meeting<'_>,
        task: Self::Task,
        touch: Touch,
        out: &mut Vec<Self::Task>,
    );

    /// Finds all pairs of a task.
    fn run(&mut self, meeting: &Self::Meeting<'_>, task: Self::Task, touch: Touch);

    /// What was found since the last reset, and the work it took.
    fn results(&self) -> (&[Pair], PairStats);
}

/// Tasks for each thread; more of them even out their sizes.
const TASKS_PER_THREAD: usize = 64;

/// Pairs from which sorting is shared too.
#[cfg(feature = "parallel")]
const MANY_PAIRS: usize = 100_000;

/// The workers of a finder, and its answer.
pub(crate) struct Crew<W: Worker> {
    workers: Vec<W>,
    tasks: Vec<W::Task>,
    opened: Vec<W::Task>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) stats: PairStats,
}

impl<W: Worker> Default for Crew<W> {
    fn default() -> Self {
        let (tasks, opened) = (Vec::new(), Vec::new());
        Self { workers: vec![W::default()], tasks, opened, pairs: Vec::new(), stats: PairStats::default() }
    }
}

impl<W: Worker> Crew<W> {
    /// Forgets the last query.
    pub(crate) fn reset(&mut self) {
        self.pairs.clear();
        self.tasks.clear();
        self.stats = PairStats::default();
        self.workers.iter_mut().for_each(W::reset);
    }

    /// Adds a part to the query.
    pub(crate) fn add(&mut self, task: W::Task) {
        self.tasks.push(task);
    }

    /// Finds the pairs of all tasks that were added since the last reset.
    pub(crate) fn find(&mut self, meeting: &W::Meeting<'_>, options: &PairOptions) {
        let threads = threads(options);
        if threads > 1 {
            self.open_until(meeting, options.touch, TASKS_PER_THREAD * threads);
            self.run_on_threads(meeting, options.touch, threads);
        } else {
            for &task in &self.tasks {
                self.workers[0].run(meeting, task, options.touch);
            }
        }
        for worker in &self.workers {
            let (pairs, stats) = worker.results();
            self.pairs.extend_from_slice(pairs);
            self.stats += stats;
        }
        self.stats.found = self.pairs.len() as u64;
        self.sort(threads);
    }

    /// Opens tasks, all of a generation at a time, until there are enough of them.
    fn open_until(&mut self, meeting: &W::Meeting<'_>, touch: Touch, enough: usize) {
        for _ in 0..64 {
            if self.tasks.is_empty() || self.tasks.len() >= enough {
                break;
            }
            self.opened.clear();
            for &task in &self.tasks {
                self.workers[0].open(meeting, task, touch, &mut self.opened);
            }
            std::mem::swap(&mut self.tasks, &mut self.opened);
        }
    }

    #[cfg(feature = "parallel")]
    fn run_on_threads(&mut self, meeting: &W::Meeting<'_>, touch: Touch, threads: usize) {
        use rayon::prelude::*;
        use std::sync::atomic::{AtomicUsize, Ordering};
        while self.workers.len() < threads {
            self.workers.push(W::default());
        }
        let (tasks, next) = (&self.tasks, AtomicUsize::new(0));
        self.workers.par_iter_mut().with_max_len(1).for_each(|worker| {
            while let Some(&task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                worker.run(meeting, task, touch);
            }
        });
    }

    #[cfg(not(feature = "parallel"))]
    fn run_on_threads(&mut self, _: &W::Meeting<'_>, _: Touch, _: usize) {
        unreachable!("one thread without the feature `parallel`");
    }

    fn sort(&mut self, threads: usize) {
        #[cfg(feature = "parallel")]
        if threads > 1 && self.pairs.len() > MANY_PAIRS {
            use rayon::slice::ParallelSliceMut;
            self.pairs.par_sort_unstable();
            return;
        }
        let _ = threads;
        self.pairs.sort_unstable();
    }
}

fn threads(options: &PairOptions) -> usize {
    #[cfg(feature = "parallel")]
    if options.parallel {
        return rayon::current_num_threads();
    }
    let _ = options;
    1
}
