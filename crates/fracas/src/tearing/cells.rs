//! Fast builds of larger sets: first the cells of a grid are divided, then what is in them.
//!
//! A level of an ordinary build looks at every item and moves it. Here the items are sorted into the cells of a grid once, five or so to
//! a cell, and the upper levels divide cells by the surface-area heuristic, which are far fewer:
//!
//! ```text
//!   ┌───┬───┬───┐      1 sort   every item has a cell: its box, and how many items it holds
//!   │ a │ b │   │      2 plan   cells are divided between columns, down to runs of a few dozen items:  ab│cd  a│b  c│d
//!   ├───┼───┼───┤      3 move   all items at once to where their runs are:  aaabb│cccdd
//!   │   │ c │ d │      4 build  as planned; each run by itself (`build`, `small`)
//!   └───┴───┴───┘
//! ```
//!
//! Cells are cubes, so that a flat set has only one layer of them. Where balance allows no cut between columns the plan ends early.

use super::arena::Bounds;
use super::build::{Set, cost};
use super::heights::Heights;
use super::small::SMALL;
use crate::tree::partition::{BINS, Bin, nearest_integer};
use glam::Vec4;

/// Fewer items than this are not worth a grid.
pub(super) const FEWEST: usize = 2 * SMALL;

/// Items per cell of one layer: a surface fills about three layers.
const PER_CELL: usize = 16;

/// Sets up to this size are not divided by cells. Boxes are smaller than with runs of [`SMALL`], which would take as long.
const RUN: usize = SMALL / 2;

/// Cells of a grid, and memory to sort items into them.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// By place in the grid: the number of the cell plus one; 0 if it holds nothing.
    numbers: Vec<u16>,
    cells: Vec<Cell>,
    /// By item: its cell.
    cell_of: Vec<u16>,
    /// The cells as they are divided.
    order: Vec<u16>,
    /// The plan, parents before children, left before right.
    plan: Vec<Planned>,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    bounds: Bounds,
    count: u32,
    /// Its place in the grid, by axis.
    place: [u8; 3],
    /// Where the next of its items goes.
    next: u32,
}

/// A set of cells as it is to be divided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    /// How many items are on the left; 0 if the set is not divided further.
    pub(super) left: usize,
    pub(super) bounds: [Bounds; 2],
}

impl Planned {
    const RUN: Self = Self { left: 0, bounds: [(Vec4::ZERO, Vec4::ZERO); 2] };
}

impl Cells {
    /// Moves the items of a set to where they are needed and returns them, what was room becoming the items; [`Cells::planned`] says how to
    /// divide them. There must be an item.
    pub(super) fn sort<'a>(&mut self, set: Set<'a>, height: u8) -> Set<'a> {
        let across = (set.items.len() / PER_CELL).isqrt().clamp(2, BINS);
        self.fill(&set, across);
        self.order.clear();
        self.order.extend(0..self.cells.len() as u16);
        self.plan.clear();
        Planner { cells: &self.cells, plan: &mut self.plan, across }.divide(
            &mut self.order,
            set.bounds,
            set.items.len(),
            height,
        );
        let mut begin = 0;
        for &cell in &self.order {
            let cell = &mut self.cells[cell as usize];
            cell.next = begin;
            begin += cell.count;
        }
        for (item, &cell) in set.items.iter().zip(&self.cell_of) {
            let next = &mut self.cells[cell as usize].next;
            set.spare[*next as usize] = *item;
            *next += 1;
        }
        set.swapped()
    }

    /// The plan of the last sort, in the order of a descent.
    pub(super) fn planned(&self) -> &[Planned] {
        &self.plan
    }

    /// Finds the cell of every item.
    fn fill(&mut self, set: &Set<'_>, across: usize) {
        let (low, high) = set.bounds;
        let size = (high - low).truncate().max_element();
        // Centres are doubled. Just below the number of cells, so that the last centre falls into the last one.
        let scale = if size > 0.0 { across as f32 * 0.999 / (2.0 * size) } else { 0.0 };
        let origin = (low + low).with_w(0.0);
        let Self { numbers, cells, cell_of, .. } = self;
        cells.clear();
        numbers.clear();
        numbers.resize(PLACES, 0);
        cell_of.clear();
        cell_of.extend(set.items.iter().map(|item| {
            let along = (item.low + item.high - origin).with_w(0.0) * scale;
            let place = nearest_integer(rounded(along - 0.4995).dot(STRIDES)) as usize % PLACES;
            let number = &mut numbers[place];
            if *number == 0 {
                let axes = [place, place / BINS, place / (BINS * BINS)].map(|k| (k % BINS) as u8);
                cells.push(Cell { bounds: (item.low, item.high), count: 0, place: axes, next: 0 });
                *number = cells.len() as u16;
            }
            let cell = &mut cells[*number as usize - 1];
            cell.bounds = (cell.bounds.0.min(item.low), cell.bounds.1.max(item.high));
            cell.count += 1;
            *number - 1
        }));
    }
}

/// Places in the grid.
const PLACES: usize = BINS * BINS * BINS;

/// How far apart neighbours along each axis are among the places.
const STRIDES: Vec4 = Vec4::new(1.0, BINS as f32, (BINS * BINS) as f32, 0.0);

/// The integers nearest to small numbers.
#[inline]
fn rounded(v: Vec4) -> Vec4 {
    let large = Vec4::splat((3 << 22) as f32);
    v + large - large
}

struct Planner<'a> {
    cells: &'a [Cell],
    plan: &'a mut Vec<Planned>,
    across: usize,
}

impl Planner<'_> {
    fn divide(&mut self, order: &mut [u16], bounds: Bounds, total: usize, height: u8) {
        if total <= RUN || order.len() < 2 {
            self.plan.push(Planned::RUN);
            return;
        }
        let heights = Heights::new(total, height);
        let (low, high) = bounds;
        let longest = (high - low).truncate().max_position();
        let axes = [longest, (longest + 1) % 3, (longest + 2) % 3];
        let Some((planned, lower)) = axes.into_iter().find_map(|axis| self.cut(order, axis, total, &heights))
        else {
            self.plan.push(Planned::RUN);
            return;
        };
        self.plan.push(planned);
        let Planned { left, bounds } = planned;
        let (left_height, right_height) = heights.of_sides(left);
        let (lower, upper) = order.split_at_mut(lower);
        self.divide(lower, bounds[0], left, left_height);
        self.divide(upper, bounds[1], total - left, right_height);
    }

    /// The cheapest cut between columns along an axis that balance allows, if there is one. Moves the cells below it to the front and
    /// returns how many these are.
    fn cut(
        &self,
        order: &mut [u16],
        axis: usize,
        total: usize,
        heights: &Heights,
    ) -> Option<(Planned, usize)> {
        let mut columns = [Bin::EMPTY; BINS];
        for &cell in order.iter() {
            let cell = &self.cells[cell as usize];
            columns[cell.place[axis] as usize % BINS].add(cell.bounds.0, cell.bounds.1, cell.count);
        }
        let columns = &columns[..self.across];
        let mut above = [0.0; BINS];
        let mut all_above = Bin::EMPTY;
        for k in (1..columns.len()).rev() {
            all_above.add(columns[k].low, columns[k].high, columns[k].count);
            above[k] = cost(&all_above);
        }
        let (mut best, mut first_above, mut left) = (f32::INFINITY, 0, 0);
        let mut all_below = Bin::EMPTY;
        for k in 1..columns.len() {
            all_below.add(columns[k - 1].low, columns[k - 1].high, columns[k - 1].count);
            let (cost, count) = (cost(&all_below) + above[k], all_below.count as usize);
            if cost < best && count > 0 && count < total && heights.allow(count) {
                (best, first_above, left) = (cost, k, count);
            }
        }
        if left == 0 {
            return None;
        }
        let (below, above) = columns.split_at(first_above);
        let bounds = [below, above].map(|columns| {
            let mut all = Bin::EMPTY;
            columns.iter().for_each(|column| all.add(column.low, column.high, 0));
            (all.low, all.high)
        });
        let mut lower = 0;
        for k in 0..order.len() {
            let is_lower = (self.cells[order[k] as usize].place[axis] as usize) < first_above;
            order.swap(k, lower);
            lower += usize::from(is_lower);
        }
        Some((Planned { left, bounds }, lower))
    }
}

#[cfg(test)]
mod tests {
    use super::super::arena::{Arena, Child, NONE, Slot};
    use super::super::build::{Axes, BuildScratch};
    use super::super::heights::roomy_height;
    use crate::tree::partition::Item;
    use glam::Vec4;

    /// Sets that are spread out, flat, in a row, and all in one place: every item is in the tree once, and heights are as asked for.
    #[test]
    fn every_item_is_built_in_whatever_the_shape() {
        for (count, axes) in [(128, 3), (500, 3), (3000, 2), (9000, 3), (700, 1), (300, 0)] {
            let item = |k: u32| {
                let along =
                    |axis: u32| if axis < axes { (k * (7919 + 6151 * axis) % 1000) as f32 } else { 0.0 };
                let low = Vec4::new(along(0), along(1), along(2), 0.0);
                Slot::new((low, low + 1.5), Child::leaf(k), 0).as_item()
            };
            let mut items: Vec<Item> = (0..count).map(item).collect();
            let mut arena = Arena { leaf_at: vec![NONE; items.len()], ..Arena::default() };
            let root = 2 * arena.new_holder();
            let height = roomy_height(items.len());
            arena.build_by_area(root, &mut items, height, Axes::Halves, &mut BuildScratch::default());
            let mut triangles = arena.triangles(root);
            triangles.sort_unstable();
            assert!(triangles.into_iter().eq(0..count), "{count} items along {axes} axes");
            assert_eq!(arena.slot(root).height(), height);
            for node in 1..arena.nodes.len() as u32 {
                let heights = [arena.slot(2 * node), arena.slot(2 * node + 1)].map(|slot| slot.height());
                assert!(heights[0].abs_diff(heights[1]) <= 1, "{count} items along {axes} axes: {heights:?}");
            }
        }
    }
}
