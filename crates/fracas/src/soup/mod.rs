//! Intersections of triangle soups: a grid that is rebuilt for every query.
//!
//! Triangles are sorted into the cells of a grid by place and size, in time linear in their number, and each looks for
//! partners in the cells around it. Between two queries triangles may come, go and move as they like; only memory is kept.
//!
//! # Idea
//!
//! ```text
//!   level 0   ┌─┬─┬─┬─┐    small triangles, small cells; each is in the cell that holds the middle of its box
//!             ├─┼─┼─┼─┤      │
//!             └─┴─┴─┴─┘      ▼ looks around itself, and on every coarser level
//!   level 1   ┌───┬───┐    larger triangles, larger cells
//!             └───┴───┘
//!   cell ──▶ rows of eight triangles ──▶ boxes ──▶ planes, edges (pairs::PairFilter) ──▶ exact
//!                                          ╰── without neighbours around a vertex that cannot meet (pairs::Fan)
//! ```
//!
//! A triangle is not longer than the unit of its level, and no cell is smaller than that. So whatever meets a
//! triangle of the same size is in the same cell or a neighbouring one, and a large triangle is found by the small
//! ones that look up to its level. Of two cells of one level, the one with the lower key finds the other: every pair is met once.
//!
//! # Invariants (all checked by `Soup::validate`)
//!
//! - Every triangle is in one lane of one row of one cell, of the level that its size asks for or of a coarser one.
//! - The boxes of lanes, rows and cells hold the exact triangles.
//! - Every cell is found by its key.
//! - No two triangles with a vertex that is marked as flat meet in more than they share.
//!
//! # Departures from the paper
//!
//! - A triangle is put into one cell, not into all that it touches; neighbouring cells are searched instead. That saves memory
//!   traffic.
//! - §4.1 asks for cells no larger than the smallest triangle of a level, §4.4 argues with cells no smaller than the
//!   largest. Ours are no smaller, and larger where few triangles are, so that a cell holds about twenty.
//! - Sizes are those of boxes, in absolute powers of two: no smallest triangle has to be known. Levels with few
//!   triangles are merged into coarser ones.
//! - Most pairs with overlapping boxes in a mesh are neighbours. Where the triangles around a vertex lie side by side they are
//!   proved apart together, in every query.
//! - Cells are runs of a sorted list. The two hash functions of the paper are there for comparison ([`CellTable`]).
//!
//! # When to use something else
//!
//! A mesh that keeps its triangles is better off with a [`MeshTree`](crate::MeshTree), which is refitted in less time
//! and skips patches that cannot meet themselves.
//!
//! # Reference
//!
//! Weller, Debowski, Zachmann: *kDet: Parallel Constant Time Collision Detection for Polygonal Objects*, Computer
//! Graphics Forum, 2017.

mod cell_runs;
mod fans;
mod find;
mod grid;
mod layer;
mod levels;
mod packer;
mod search;
mod table;
mod validate;
mod window;

pub(crate) use find::Soup;
pub(crate) use layer::Source;

/// How a cell is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CellTable {
    /// Triangles are sorted by level and Morton code with a radix sort, which lets the size of cells follow the
    /// density; a table with linear probing finds a cell by its code. The fastest, most of all on several threads.
    #[default]
    Sorted,
    /// Triangles are sorted by the last bits of the Morton code of their cell: neighbouring cells have
    /// neighbouring slots.
    Morton,
    /// Triangles are sorted by Bernstein's hash function of their cell, which scatters neighbours.
    Djb2,
}

/// How triangles are sorted into cells. The pairs found are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SoupOptions {
    /// How a cell is found. Default: in a sorted list.
    pub table: CellTable,
}

/// What the grid of the last query looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoupStats {
    /// Triangles in it, of all meshes.
    pub triangles: usize,
    /// Levels with triangles.
    pub levels: usize,
    /// Cells with triangles.
    pub cells: usize,
    /// Rows of eight.
    pub rows: usize,
    /// Most triangles in a cell.
    pub fullest_cell: usize,
}
