//! The part of a grid that is being searched: cells as rows of eight triangles, in little enough memory for the caches.
//!
//! Rows take eight times the memory of the sorted list, so they are not all made at once. A search takes some thousand
//! triangles at a time in the order of the list. It makes rows of their cells, then of all neighbouring cells. Cells at the
//! border are made twice.
//!
//! ```text
//!   sorted list   ────────┬──────────┬────────────────▶
//!                         │ searched │  a neighbour beyond
//!   window                └─▶ rows · rows · rows ◀─┘
//! ```

use super::cell_runs::Cell;
use super::grid::{AHEAD, Grid};
use super::layer::{Layer, NOT_FLAT, Source};
use super::packer::{RowBox, RowView};
use crate::geom::{Box3, Boxes8, DVec3, Triangle};
use crate::pairs::{Corners, Eight, LANES, Packed};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};

/// Eight triangles: all that a first look at them needs, in one place.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct GridRow {
    pub(super) lanes: Boxes8,
    /// By corner and lane: the vertex if its fan is flat, so that triangles with it need no test.
    pub(super) flat: [[i32; LANES]; 3],
}

impl GridRow {
    const EMPTY: Self = Self { lanes: Boxes8::EMPTY, flat: [[NOT_FLAT; LANES]; 3] };
}

/// A cell in the window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filled {
    /// Its number in the grid.
    pub(super) cell: u32,
    pub(super) rows: [u32; 2],
    pub(super) bounds: RowBox,
}

/// Rows of some cells. A *record* is a lane of a row, counted through all rows.
#[derive(Default)]
pub(super) struct Window {
    /// Where each cell of the grid is, or [`ABSENT`].
    places: Vec<u32>,
    pub(super) cells: Vec<Filled>,
    /// As many of the cells have rows.
    filled: usize,
    /// As many of the lists as are in use; behind them is memory for more.
    used_rows: usize,
    pub(super) boxes: Vec<RowBox>,
    pub(super) rows: Vec<GridRow>,
    /// Eight for each row.
    pub(super) corners: Vec<Corners>,
}

const ABSENT: u32 = u32::MAX;

/// In wider cells, steps may wrap around.
const WIDEST_IN_STEPS: f64 = (1 << 29) as f64;

impl Window {
    /// Lets go of all cells and is ready for those of a grid.
    pub(super) fn open(&mut self, grid: &Grid) {
        self.clear();
        self.places.resize(grid.cells.len(), ABSENT);
    }

    pub(super) fn clear(&mut self) {
        for filled in self.cells.drain(..) {
            self.places[filled.cell as usize] = ABSENT;
        }
        (self.filled, self.used_rows) = (0, 0);
    }

    /// The place of a cell in the window, which has it from now on; its rows are made by the next [`Window::fill`].
    #[inline(always)]
    pub(super) fn admit(&mut self, grid: &Grid, cell: u32) -> u32 {
        let place = &mut self.places[cell as usize];
        if *place == ABSENT {
            *place = self.cells.len() as u32;
            let first = self.used_rows;
            self.used_rows += grid.cells[cell as usize].row_count();
            let rows = [first as u32, self.used_rows as u32];
            self.cells.push(Filled { cell, rows, bounds: RowBox::EMPTY });
        }
        *place
    }

    #[inline(always)]
    pub(super) fn row(&self, row: u32) -> RowView<'_> {
        let GridRow { lanes, flat } = &self.rows[row as usize];
        RowView { lanes, flat, bounds: self.boxes[row as usize], first: row * LANES as u32 }
    }

    /// What the pair filter works with, in one of the scales.
    pub(super) fn packed<'a>(&'a self, grid: &'a Grid, scale: usize) -> Packed<'a> {
        let scale = &grid.scales[scale];
        Packed { steps: &scale.steps, corners: &self.corners, pad: scale.pad }
    }

    /// Which mesh a record belongs to: vertices of the second are counted on from the first.
    pub(super) fn mesh(&self, sources: &[Source], record: u32) -> usize {
        let vertex = self.corners[record as usize][0] as u32 as usize;
        usize::from(vertex >= sources[0].positions.len())
    }

    pub(super) fn triangle(&self, sources: &[Source], record: u32) -> Triangle {
        let id = self.corners[record as usize][3] as u32;
        sources[self.mesh(sources, record)].triangle(id)
    }

    /// Makes rows of all cells that were admitted since the last time. Some triangles, then some vertices, are read before
    /// anything is done with them, so that the memory brings many at a time instead of one after the other.
    pub(super) fn fill(&mut self, level: Level, grid: &Grid, sources: &[Source]) {
        let first_row = self.cells.get(self.filled).map_or(self.used_rows, |cell| cell.rows[0] as usize);
        if self.rows.len() < self.used_rows {
            self.corners.resize(LANES * self.used_rows, [0; 4]);
            self.rows.resize(self.used_rows, GridRow::EMPTY);
            self.boxes.resize(self.used_rows, RowBox::EMPTY);
        }
        let mut read = 0;
        for filled in &self.cells[self.filled..] {
            let cell = &grid.cells[filled.cell as usize];
            let triangles = sources[grid.layers[cell.layer as usize].mesh].triangles;
            grid.for_triangles::<AHEAD>(cell, |triangle| read ^= triangles[triangle as usize][0]);
        }
        for filled in &self.cells[self.filled..] {
            let [first, end] = filled.rows.map(|row| LANES * row as usize);
            list_corners(grid, sources, &grid.cells[filled.cell as usize], &mut self.corners[first..end]);
        }
        // Which of the scales does not matter much: there is mostly one.
        let steps = grid.scales.first().map_or(&[][..], |scale| &scale.steps);
        let corners = &self.corners[LANES * first_row..LANES * self.used_rows];
        for some in corners.chunks_exact(AHEAD) {
            read ^= steps[some[0][0] as u32 as usize][0] as u32;
        }
        std::hint::black_box(read);
        for filled in &mut self.cells[self.filled..] {
            let [first, end] = filled.rows.map(|row| row as usize);
            let cell = &grid.cells[filled.cell as usize];
            let (rows, boxes) = (&mut self.rows[first..end], &mut self.boxes[first..end]);
            let corners = &self.corners[LANES * first..LANES * end];
            dispatch!(level, simd => compute(simd, grid, sources, cell, corners, rows, boxes));
            boxes.iter().for_each(|row| filled.bounds.union(row));
        }
        self.filled = self.cells.len();
    }
}

/// The vertices and the number of each triangle of a cell; vertices of the second mesh are counted on from the first.
fn list_corners(grid: &Grid, sources: &[Source], cell: &Cell, corners: &mut [Corners]) {
    let mesh = grid.layers[cell.layer as usize].mesh;
    let triangles = sources[mesh].triangles;
    let first_vertex = if mesh == 0 { 0 } else { sources[0].positions.len() as u32 };
    let (used, unused) = corners.split_at_mut(cell.count as usize);
    let mut places = used.iter_mut();
    grid.for_triangles::<1>(cell, |triangle| {
        let [a, b, c] = triangles[triangle as usize].map(|v| v.wrapping_add(first_vertex) as i32);
        if let Some(corners) = places.next() {
            *corners = [a, b, c, triangle as i32];
        }
    });
    // Unused lanes repeat a triangle.
    unused.fill(used[0]);
}

#[inline(always)]
fn compute<S: Simd>(
    simd: S,
    grid: &Grid,
    sources: &[Source],
    cell: &Cell,
    corners: &[Corners],
    rows: &mut [GridRow],
    boxes: &mut [RowBox],
) {
    let layer = &grid.layers[cell.layer as usize];
    let steps = &grid.scales[layer.scale_of_steps as usize].steps;
    let (unit, pad) = (layer.unit_of_steps, layer.pad_of_steps);
    let is_wide = layer.cell_width() > WIDEST_IN_STEPS * f64::from(unit);
    for (k, (GridRow { lanes, flat }, bounds)) in rows.iter_mut().zip(boxes).enumerate() {
        let corners: &[Corners; LANES] = corners[LANES * k..LANES * (k + 1)].try_into().expect("eight");
        let Eight { low, high, carried } = Eight::gather(simd, steps, corners);
        for corner in 0..3 {
            carried[corner].store_array(&mut flat[corner]);
        }
        // Boxes are measured in steps from the corner of the cell, which is exact; then comes its place.
        if is_wide {
            bound_lanes(layer, &sources[layer.mesh], corners, lanes);
        } else {
            for axis in 0..3 {
                let (from, at) = (cell.steps[axis], cell.place[axis]);
                let l: f32x8<S> = (low[axis] - from).to_float();
                let h: f32x8<S> = (high[axis] - from).to_float();
                (l * unit + (at - pad)).store_array(&mut lanes.low[axis]);
                (h * unit + (at + pad)).store_array(&mut lanes.high[axis]);
            }
        }
        let used = cell.count as usize - LANES * k;
        for lane in used.min(LANES)..LANES {
            lanes.set(lane, [f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        }
        let (low, high) = lanes.bounds(simd);
        *bounds = RowBox::new(low, high);
    }
}

/// Boxes from positions, for cells so wide that steps wrap around within.
fn bound_lanes(layer: &Layer, source: &Source, corners: &[Corners; LANES], lanes: &mut Boxes8) {
    let pad = layer.pad() as f32;
    for (lane, corners) in corners.iter().enumerate() {
        let Box3 { min, max } = source.triangle(corners[3] as u32).bounds();
        let moved = |p: DVec3| (p * layer.scale - layer.base).as_vec3();
        lanes.set(lane, (moved(min) - pad).to_array(), (moved(max) + pad).to_array());
    }
}
