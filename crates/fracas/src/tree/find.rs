//! Finding all pairs, on one thread or on all, with the same answer.
//!
//! The query is opened at the top until there are enough tasks to share; threads take tasks from the list as they
//! become free, each collecting its own pairs. Sorting the union makes the result independent of who did what.

use super::bridge::Bridge;
use super::traverse::{Meeting, Posed, Task, Worker};
use super::{Child, MeshTree};
use crate::geom::Pose;
use crate::pairs::{Pair, PairOptions, PairStats};

/// Finds intersecting pairs of triangles; keeps its memory from query to query.
///
/// ```
/// use fracas::{MeshTree, PairFinder, mesh::shapes, geom::{DVec3, Pose}};
/// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
/// let mut finder = PairFinder::default();
/// assert!(finder.find_self_pairs(&ball).is_empty());
/// let aside = Pose::from_translation(DVec3::new(1.5, 0.0, 0.0)).unwrap();
/// assert!(!finder.find_pairs_posed(&ball, &Pose::IDENTITY, &ball, &aside).is_empty());
/// ```
#[derive(Default)]
pub struct PairFinder {
    options: PairOptions,
    workers: Vec<Worker>,
    tasks: Vec<Task>,
    opened: Vec<Task>,
    pairs: Vec<Pair>,
    stats: PairStats,
}

impl PairFinder {
    /// A finder with the given options.
    #[must_use]
    pub fn new(options: PairOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// What the finder looks for.
    #[must_use]
    pub fn options(&self) -> &PairOptions {
        &self.options
    }

    /// Work done by the last query.
    #[must_use]
    pub fn stats(&self) -> &PairStats {
        &self.stats
    }

    /// Every pair of triangles of one mesh that meet in more than the vertices and edges they share; `a < b`,
    /// sorted, each once.
    ///
    /// # Cost
    /// About proportional to the number of pairs whose boxes overlap. Does not allocate once its buffers have
    /// grown to the size of the answer (threads of rayon may, for their own queues).
    pub fn find_self_pairs(&mut self, body: &MeshTree) -> &[Pair] {
        let tree = body.tree();
        let meeting = Meeting::Itself { mesh: body.mesh(), tree, precision: tree.precision() };
        self.find(&meeting, !tree.nodes.is_empty());
        &self.pairs
    }

    /// Every intersecting pair between two meshes as they stand; sorted, each once.
    pub fn find_pairs(&mut self, a: &MeshTree, b: &MeshTree) -> &[Pair] {
        self.find_pairs_posed(a, &Pose::IDENTITY, b, &Pose::IDENTITY)
    }

    /// Every intersecting pair between two posed meshes; sorted, each once. Exact for the positions that
    /// [`Pose::apply`] gives.
    pub fn find_pairs_posed(&mut self, a: &MeshTree, pose_a: &Pose, b: &MeshTree, pose_b: &Pose) -> &[Pair] {
        let mut first = Posed { mesh: a.mesh(), tree: a.tree(), pose: pose_a };
        let mut second = Posed { mesh: b.mesh(), tree: b.tree(), pose: pose_b };
        // The larger of the two lends the frame, so that coordinates of the other stay small in it.
        let swapped = b.tree().frame.scale < a.tree().frame.scale;
        if swapped {
            std::mem::swap(&mut first, &mut second);
        }
        match first.bridge_end().zip(second.bridge_end()).and_then(|(a, b)| Bridge::new(&a, &b)) {
            Some(bridge) => {
                let meeting = Meeting::Two { a: first, b: second, bridge, swapped };
                self.find(&meeting, true);
            }
            None => self.reset(),
        }
        &self.pairs
    }

    fn reset(&mut self) {
        self.pairs.clear();
        self.tasks.clear();
        self.stats = PairStats::default();
        if self.workers.is_empty() {
            self.workers.push(Worker::default());
        }
        for worker in &mut self.workers {
            worker.reset();
        }
    }

    fn find(&mut self, meeting: &Meeting, anything: bool) {
        self.reset();
        if anything {
            let threads = self.threads();
            self.tasks.push((Child::node(0), Child::node(0)));
            if threads > 1 {
                self.open_until(meeting, 32 * threads);
                self.run_on_threads(meeting, threads);
            } else {
                let task = self.tasks[0];
                self.workers[0].run(meeting, task, self.options.touch);
            }
        }
        for worker in &self.workers {
            self.pairs.extend_from_slice(&worker.pairs);
            self.stats += worker.stats;
        }
        self.stats.found = self.pairs.len() as u64;
        self.sort();
    }

    fn threads(&self) -> usize {
        #[cfg(feature = "parallel")]
        if self.options.parallel {
            return rayon::current_num_threads();
        }
        1
    }

    /// Opens tasks, all of a generation at a time, until there are enough of them.
    fn open_until(&mut self, meeting: &Meeting, enough: usize) {
        for _ in 0..64 {
            if self.tasks.is_empty() || self.tasks.len() >= enough {
                break;
            }
            self.opened.clear();
            for &task in &self.tasks {
                self.workers[0].open(meeting, task, self.options.touch, &mut self.opened);
            }
            std::mem::swap(&mut self.tasks, &mut self.opened);
        }
    }

    #[cfg(feature = "parallel")]
    fn run_on_threads(&mut self, meeting: &Meeting, threads: usize) {
        use rayon::prelude::*;
        use std::sync::atomic::{AtomicUsize, Ordering};
        while self.workers.len() < threads {
            self.workers.push(Worker::default());
        }
        let (tasks, next, touch) = (&self.tasks, AtomicUsize::new(0), self.options.touch);
        self.workers.par_iter_mut().with_max_len(1).for_each(|worker| {
            while let Some(&task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                worker.run(meeting, task, touch);
            }
        });
    }

    #[cfg(not(feature = "parallel"))]
    fn run_on_threads(&mut self, _: &Meeting, _: usize) {
        unreachable!("one thread without the feature `parallel`");
    }

    fn sort(&mut self) {
        #[cfg(feature = "parallel")]
        if self.options.parallel && self.pairs.len() > 100_000 {
            use rayon::slice::ParallelSliceMut;
            self.pairs.par_sort_unstable();
            return;
        }
        self.pairs.sort_unstable();
    }
}
