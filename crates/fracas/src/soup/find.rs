//! Populating and asking, on one thread or on all, with the same answer.

use super::cell_runs::Cell;
use super::grid::Grid;
use super::layer::Source;
use super::search::{Question, Worker};
use super::{SoupOptions, SoupStats};
use crate::geom::{DVec3, Pose};
use crate::mesh::Mesh;
use crate::pairs::{Pair, PairOptions, PairStats};

/// Finds intersecting pairs of triangles without keeping a structure; keeps its memory from query to query.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::mesh::{Mesh, shapes};
/// use fracas::soup::SoupFinder;
/// let mut finder = SoupFinder::default();
/// let ball = shapes::icosphere(1.0, 3);
/// assert!(finder.find_self_pairs(&ball).is_empty());
/// // The next frame may be another mesh altogether.
/// let spike = [DVec3::ZERO, DVec3::new(3.0, 0.1, 0.0), DVec3::new(3.0, 0.0, 0.1)];
/// let spike = Mesh::new(spike.to_vec(), vec![[0, 1, 2]])?;
/// assert!(!finder.find_pairs(&ball, &spike).is_empty());
/// # Ok::<(), fracas::MeshError>(())
/// ```
#[derive(Default)]
pub struct SoupFinder {
    options: PairOptions,
    soup: SoupOptions,
    grid: Grid,
    /// Positions of two meshes where their poses put them.
    posed: [Vec<DVec3>; 2],
    workers: Vec<Worker>,
    pairs: Vec<Pair>,
    stats: PairStats,
}

/// Cells are shared among threads in runs of at least this many.
#[cfg(feature = "parallel")]
const SMALLEST_TASK: usize = 32;

/// Pairs from which sorting is shared too.
#[cfg(feature = "parallel")]
const MANY_PAIRS: usize = 4_000;

impl SoupFinder {
    /// A finder with the given options.
    #[must_use]
    pub fn new(options: PairOptions, soup: SoupOptions) -> Self {
        Self { options, soup, ..Self::default() }
    }

    /// What the finder looks for.
    #[must_use]
    pub fn options(&self) -> &PairOptions {
        &self.options
    }

    /// How it sorts triangles into cells.
    #[must_use]
    pub fn soup_options(&self) -> &SoupOptions {
        &self.soup
    }

    /// Work done by the last query; `node_pairs` counts pairs of cells, `culled` vertices whose triangles were proved not to
    /// meet each other.
    #[must_use]
    pub fn stats(&self) -> &PairStats {
        &self.stats
    }

    /// The grid of the last query.
    #[must_use]
    pub fn soup_stats(&self) -> SoupStats {
        let grid = &self.grid;
        let mut exponents: Vec<i32> = Vec::new();
        exponents.extend(grid.layers.iter().filter(|layer| layer.count > 0).map(|layer| layer.exponent));
        exponents.dedup();
        SoupStats {
            triangles: grid.triangle_count(),
            levels: exponents.len(),
            cells: grid.cells.len(),
            rows: grid.cells.iter().map(Cell::row_count).sum(),
            fullest_cell: grid.cells.iter().map(|cell| cell.count as usize).max().unwrap_or(0),
        }
    }

    /// Every pair of triangles of one mesh that meet in more than the vertices and edges they share; `a < b`,
    /// sorted, each once.
    ///
    /// # Cost
    /// Linear in the number of triangles, if none of them has more than a few others of its size in reach. Does not
    /// allocate once its buffers have grown (threads of rayon may, for their own queues).
    pub fn find_self_pairs(&mut self, mesh: &Mesh) -> &[Pair] {
        self.find(&[Source { positions: mesh.positions(), triangles: mesh.triangles() }]);
        &self.pairs
    }

    /// Every intersecting pair between two meshes as they stand; sorted, each once.
    pub fn find_pairs(&mut self, a: &Mesh, b: &Mesh) -> &[Pair] {
        self.find_pairs_posed(a, &Pose::IDENTITY, b, &Pose::IDENTITY)
    }

    /// Every intersecting pair between two posed meshes; sorted, each once. Exact for the positions that
    /// [`Pose::apply`] gives.
    pub fn find_pairs_posed(&mut self, a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) -> &[Pair] {
        let mut posed = std::mem::take(&mut self.posed);
        for (to, (mesh, pose)) in posed.iter_mut().zip([(a, pose_a), (b, pose_b)]) {
            to.clear();
            if !pose.is_identity() {
                to.extend(mesh.positions().iter().map(|p| pose.apply(*p)));
            }
        }
        let places =
            |mesh, pose: &Pose, posed| if pose.is_identity() { Mesh::positions(mesh) } else { posed };
        self.find(&[
            Source { positions: places(a, pose_a, &posed[0]), triangles: a.triangles() },
            Source { positions: places(b, pose_b, &posed[1]), triangles: b.triangles() },
        ]);
        self.posed = posed;
        &self.pairs
    }

    /// Sorts the triangles of a mesh into cells and stops there. Queries do this themselves; on its own it is for
    /// measuring. Rows of eight are made of cells only when they are searched.
    pub fn populate(&mut self, mesh: &Mesh) {
        let source = Source { positions: mesh.positions(), triangles: mesh.triangles() };
        self.grid.populate(&[source], &self.soup, self.options.parallel);
    }

    pub(super) fn grid(&self) -> &Grid {
        &self.grid
    }

    fn find(&mut self, sources: &[Source]) {
        self.grid.populate(sources, &self.soup, self.options.parallel);
        self.pairs.clear();
        self.stats = PairStats::default();
        if self.workers.is_empty() {
            self.workers.push(Worker::default());
        }
        self.workers.iter_mut().for_each(Worker::reset);
        let question = Question { grid: &self.grid, sources, touch: self.options.touch };
        self.workers = ask(std::mem::take(&mut self.workers), &question, self.options.parallel);
        for worker in &self.workers {
            self.pairs.extend_from_slice(&worker.pairs);
            self.stats += worker.stats;
        }
        self.stats.culled = self.grid.fans.count() as u64;
        self.stats.found = self.pairs.len() as u64;
        self.sort();
    }

    fn sort(&mut self) {
        #[cfg(feature = "parallel")]
        if self.options.parallel && self.pairs.len() > MANY_PAIRS {
            use rayon::slice::ParallelSliceMut;
            self.pairs.par_sort_unstable();
            return;
        }
        self.pairs.sort_unstable();
    }
}

/// Lets the workers search all cells.
fn ask(mut workers: Vec<Worker>, question: &Question, parallel: bool) -> Vec<Worker> {
    let cells = question.grid.cells.len();
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        use std::sync::atomic::{AtomicUsize, Ordering};
        let threads = rayon::current_num_threads();
        if parallel && threads > 1 && cells > 2 * SMALLEST_TASK {
            while workers.len() < threads {
                workers.push(Worker::default());
            }
            let next = AtomicUsize::new(0);
            // Long runs of cells first, as windows have fewer borders in them; short ones in the end, to finish together.
            let end_of =
                |first: usize| cells.min(first + ((cells - first) / (4 * threads)).max(SMALLEST_TASK));
            let take = |first: usize| (first < cells).then(|| end_of(first));
            workers.par_iter_mut().with_max_len(1).for_each(|worker| {
                while let Ok(first) = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
                    worker.run(question, first..end_of(first));
                }
            });
            return workers;
        }
    }
    let _ = parallel;
    workers[0].run(question, 0..cells);
    workers
}
