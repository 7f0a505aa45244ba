//! Populating the grid and searching it.

use super::cell_runs::Cell;
use super::grid::Grid;
use super::layer::Source;
use super::search::{CellSearch, Question};
use super::{SoupOptions, SoupStats};
use crate::pairs::{Crew, Threads, Touch};

/// The grid of one query, and the workers that search it. Only memory is kept from query to query.
#[derive(Default)]
pub(crate) struct Soup {
    pub(super) grid: Grid,
    pub(crate) crew: Crew<CellSearch>,
}

/// Cells are shared among threads in runs of at least this many.
const SMALLEST_TASK: usize = 32;

/// With [`Threads::Auto`], smaller soups stay on one thread.
const SMALL_SOUP: usize = 4096;

impl Soup {
    /// Finds all pairs within one mesh, or between two.
    /// More than `most` are only counted.
    pub(crate) fn find(
        &mut self,
        sources: &[Source],
        options: &SoupOptions,
        (touch, most): (Touch, usize),
        threads: Threads,
    ) {
        let threads = self.populate(sources, options, threads);
        self.search(sources, (touch, most), threads);
    }

    /// Searches the grid, which has just been populated with these triangles.
    pub(crate) fn search(&mut self, sources: &[Source], (touch, most): (Touch, usize), threads: Threads) {
        self.crew.reset();
        let cells = self.grid.cells.len();
        let count = threads.count();
        // Long runs of cells first, as windows have fewer borders in them; short ones in the end, to finish together.
        let mut first = 0;
        while first < cells {
            let share = if count == 1 { cells } else { (cells - first) / (4 * count) };
            let end = cells.min(first + share.max(SMALLEST_TASK));
            self.crew.add([first, end]);
            first = end;
        }
        self.crew.run_as_they_are(&Question { grid: &self.grid, sources, touch, most }, count);
        self.crew.finish(threads, most);
        self.crew.stats.culled = self.grid.fans.flat.iter().filter(|&&flat| flat).count() as u64;
    }

    /// Sorts triangles into cells; rows of eight are made of cells only when they are searched. Returns the threads that pay.
    pub(crate) fn populate(&mut self, sources: &[Source], soup: &SoupOptions, threads: Threads) -> Threads {
        let triangles: usize = sources.iter().map(|source| source.triangles.len()).sum();
        let small = threads == Threads::Auto && triangles < SMALL_SOUP;
        let threads = if small { Threads::One } else { threads };
        self.grid.populate(sources, soup.table, threads.count() > 1);
        threads
    }

    /// How many triangles are in the cell of a triangle, on average.
    pub(crate) fn crowding(&self) -> usize {
        let squares: u64 = self.grid.cells.iter().map(|cell| u64::from(cell.count).pow(2)).sum();
        (squares / (self.grid.triangle_count() as u64).max(1)) as usize
    }

    pub(crate) fn stats(&self) -> SoupStats {
        let grid = &self.grid;
        let layers = grid.layers.iter().filter(|layer| layer.count > 0);
        let mut exponents: Vec<i32> = layers.map(|layer| layer.exponent).collect();
        exponents.dedup();
        SoupStats {
            triangles: grid.triangle_count(),
            levels: exponents.len(),
            cells: grid.cells.len(),
            rows: grid.cells.iter().map(Cell::row_count).sum(),
            fullest_cell: grid.cells.iter().map(|cell| cell.count as usize).max().unwrap_or(0),
        }
    }
}
