//! Searching the grid: each cell is compared with the cells near it, on its own level and on coarser ones.

use super::CellTable;
use super::grid::Grid;
use super::layer::{Layer, Source, power_of_two};
use super::packer::{Packer, ROOM, RowBox, RowView};
use super::window::{Filled, Window};
use crate::base::morton;
use crate::exact;
use crate::geom::{Boxes8, DVec3, Triangle};
use crate::pairs::{FindStats, Findings, LANES, Pair, Touch, Worker, count_beyond};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};
use std::ops::Range;

/// What is asked: one mesh against itself, or two against each other.
pub(crate) struct Question<'a> {
    pub(super) grid: &'a Grid,
    pub(super) sources: &'a [Source<'a>],
    pub(super) touch: Touch,
    /// Pairs are kept up to this number, and only counted beyond.
    pub(super) most: usize,
}

/// A window is given up when so many triangles have been searched: its rows then take about three quarters of a megabyte.
const TRIANGLES_AT_A_TIME: u32 = 12_288;

/// A row is compared with so many others before the pairs that wait are filtered.
const ROWS_AT_A_TIME: usize = 64;

/// Open pairs are decided whenever this many have gathered.
const BATCH: usize = 4096;

/// Levels more than this many octaves apart are compared in `f64`: steps of the coarser would be too coarse.
const FAR: i32 = 14;

/// A layer in which cells were found for the cell at hand.
#[derive(Clone, Copy)]
struct Group {
    layer: u32,
    /// The cells found, as a range of `found`: first their numbers, then their places in the window.
    found: [u32; 2],
}

/// One thread's share of a query: its memory, its results.
#[derive(Default)]
pub(crate) struct CellSearch {
    window: Window,
    /// Groups of all cells that are being searched, and for each cell where its groups end.
    groups: Vec<Group>,
    group_ends: Vec<usize>,
    found: Vec<u32>,
    near: Vec<u32>,
    /// Candidates, by the scale in which they are compared.
    packers: Vec<Packer>,
    findings: Findings,
    pairs: Vec<Pair>,
    stats: FindStats,
}

impl Worker for CellSearch {
    /// From the first cell to the one after the last: all pairs that they have with themselves and with later ones.
    type Task = [usize; 2];
    type Query<'a> = Question<'a>;

    fn reset(&mut self) {
        self.findings.clear();
        self.pairs.clear();
        self.stats = FindStats::default();
    }

    fn run(&mut self, question: &Question, tasks: &[[usize; 2]], _: &mut u64) {
        let level = Level::new();
        for &[first, end] in tasks {
            if question.sources.len() == 1 {
                dispatch!(level, simd => self.run_wide::<_, true>(simd, question, first..end));
            } else {
                dispatch!(level, simd => self.run_wide::<_, false>(simd, question, first..end));
            }
        }
    }

    fn take_rest(&mut self, _: &mut Vec<[usize; 2]>) {}

    fn results(&self) -> (&[Pair], FindStats) {
        (&self.pairs, self.stats)
    }

    fn sort_pairs(&mut self) {
        self.pairs.sort_unstable();
    }
}

impl CellSearch {
    #[inline(always)]
    fn run_wide<S: Simd, const ITSELF: bool>(&mut self, simd: S, question: &Question, cells: Range<usize>) {
        let grid = question.grid;
        self.packers.resize_with(grid.scale_count.max(self.packers.len()), Packer::default);
        self.window.open(grid);
        // Hashing scatters neighbours: there the window becomes the whole grid.
        let most = if grid.table.kind == CellTable::Sorted { TRIANGLES_AT_A_TIME } else { u32::MAX };
        let mut next = cells.start;
        while next < cells.end {
            let first = next;
            let mut triangles = 0;
            while next < cells.end && triangles < most {
                triangles += grid.cells[next].count;
                next += 1;
            }
            for cell in first..next {
                self.window.admit(grid, cell as u32);
            }
            self.window.fill(simd.level(), grid, question.sources);
            self.look_around_all(grid, ITSELF);
            self.window.fill(simd.level(), grid, question.sources);
            for place in 0..next - first {
                self.search::<S, ITSELF>(simd, question, place);
            }
            // Nothing may wait any longer, as records mean nothing once the window is given up.
            for (scale, packer) in self.packers[..grid.scale_count].iter_mut().enumerate() {
                let packed = self.window.packed(grid, scale);
                packer.filter::<S, ITSELF>(simd, &packed);
                packer.decide_close::<S, ITSELF>(simd, &packed, &mut self.findings);
            }
            self.decide(question);
            self.window.clear();
        }
    }

    /// Finds for all cells in the window those that may meet them, and admits these too.
    fn look_around_all(&mut self, grid: &Grid, itself: bool) {
        self.groups.clear();
        self.group_ends.clear();
        self.found.clear();
        for place in 0..self.window.cells.len() {
            self.look_around(grid, place, itself);
            self.group_ends.push(self.groups.len());
        }
        for found in &mut self.found {
            *found = self.window.admit(grid, *found);
        }
    }

    /// Finds the cells that may meet this one; of two in one layer the one with the smaller key finds the other.
    fn look_around(&mut self, grid: &Grid, place: usize, itself: bool) {
        let Filled { cell, bounds: own_bounds, .. } = self.window.cells[place];
        let cell = &grid.cells[cell as usize];
        let mine = cell.layer as usize;
        let own = &grid.layers[mine];
        for (number, layer) in grid.layers.iter().enumerate().skip(if itself { mine } else { mine + 1 }) {
            if layer.count == 0 || !itself && layer.mesh == own.mesh {
                continue;
            }
            let from = self.found.len() as u32;
            let bounds = if number == mine { own_bounds } else { Rebase::new(own, layer).row(&own_bounds) };
            self.look_into(grid, number, &bounds, if number == mine { cell.key } else { 0 });
            let to = self.found.len() as u32;
            if from < to || number == mine {
                self.groups.push(Group { layer: number as u32, found: [from, to] });
            }
        }
    }

    /// Lists the cells of a layer, with keys above the given one, that may hold triangles in the box.
    fn look_into(&mut self, grid: &Grid, number: usize, bounds: &RowBox, above: u64) {
        let layer = &grid.layers[number];
        // Triangles are in the cell of their middle, at most half a unit away.
        let pad = 0.501 + layer.pad();
        let per_cell = 1.0 / layer.cell_width();
        let last = layer.span * per_cell;
        let (mut low, mut high) = ([0; 3], [0; 3]);
        for axis in 0..3 {
            low[axis] = ((f64::from(bounds.low()[axis]) - pad) * per_cell).clamp(0.0, last) as u64;
            high[axis] = ((f64::from(bounds.high()[axis]) + pad) * per_cell).clamp(0.0, last) as u64;
        }
        let volume = (0..3).map(|axis| (high[axis] - low[axis] + 1) as f64).product::<f64>();
        let [from, to] = layer.cells;
        if volume > f64::from(to - from) {
            // Cells of one layer are not always next to each other if the table is a hashed one.
            self.found.extend((from..to).filter(|&other| {
                let other = &grid.cells[other as usize];
                other.layer as usize == number && other.key > above
            }));
            return;
        }
        let prefix = (number as u64) << (3 * morton::AXIS_BITS);
        for z in low[2]..=high[2] {
            let key_z = prefix | morton::spread(z) << 2;
            for y in low[1]..=high[1] {
                let key_y = key_z | morton::spread(y) << 1;
                for x in low[0]..=high[0] {
                    let key = key_y | morton::spread(x);
                    if key > above
                        && let Some(cell) = grid.table.find(&grid.cells, key, number as u64, [x, y, z])
                    {
                        self.found.push(cell);
                    }
                }
            }
        }
    }

    /// Compares the rows of a cell with each other and with the rows of the cells found.
    #[inline(always)]
    fn search<S: Simd, const ITSELF: bool>(&mut self, simd: S, question: &Question, place: usize) {
        let grid = question.grid;
        let Filled { cell, rows, .. } = self.window.cells[place];
        let cell = &grid.cells[cell as usize];
        let own = &grid.layers[cell.layer as usize];
        let first = if place == 0 { 0 } else { self.group_ends[place - 1] };
        for g in first..self.group_ends[place] {
            let group = self.groups[g];
            let same = group.layer == cell.layer;
            self.stats.node_pairs += u64::from(group.found[1] - group.found[0]) + u64::from(same);
            if same {
                for row in rows[0]..rows[1] {
                    let limits = self.window.boxes[row as usize].limits(simd);
                    self.near.clear();
                    self.list_near(simd, limits, row + 1..rows[1]);
                    self.list_found(simd, limits, &group);
                    self.meet_within::<S>(simd, grid, own.scale_of_steps as usize, row);
                    self.decide_full(question);
                }
                continue;
            }
            let layer = &grid.layers[group.layer as usize];
            let rebase = Rebase::new(own, layer);
            for row in rows[0]..rows[1] {
                let limits = rebase.row(&self.window.boxes[row as usize]).limits(simd);
                self.near.clear();
                self.list_found(simd, limits, &group);
                if self.near.is_empty() {
                    continue;
                }
                if layer.exponent - own.exponent > FAR {
                    self.meet_far(question, row);
                } else {
                    let scale = layer.scale_of_steps as usize;
                    self.meet_across::<S, ITSELF>(simd, grid, scale, row, &rebase);
                }
                self.decide_full(question);
            }
        }
    }

    /// Adds to `near` the rows among the given ones whose boxes are within the limits.
    #[inline(always)]
    fn list_near<S: Simd>(&mut self, simd: S, limits: f32x8<S>, rows: Range<u32>) {
        // Every row is written and the end moved on only if it is near: no jump to be mispredicted.
        let mut end = self.near.len();
        self.near.resize(end + rows.len(), 0);
        let boxes = &self.window.boxes[rows.start as usize..rows.end as usize];
        let near = &mut self.near[..];
        for (bounds, row) in boxes.iter().zip(rows) {
            near[end] = row;
            end += usize::from(bounds.within(simd, limits));
        }
        self.near.truncate(end);
    }

    #[inline(always)]
    fn list_found<S: Simd>(&mut self, simd: S, limits: f32x8<S>, group: &Group) {
        for f in group.found[0]..group.found[1] {
            let other = self.window.cells[self.found[f as usize] as usize];
            if other.bounds.within(simd, limits) {
                self.list_near(simd, limits, other.rows[0]..other.rows[1]);
            }
        }
    }

    /// A row with itself and with the near rows of its own layer.
    #[inline(always)]
    fn meet_within<S: Simd>(&mut self, simd: S, grid: &Grid, scale: usize, row: u32) {
        let mine = self.window.row(row);
        self.packers[scale].add_row(simd, &mine, &mut self.stats);
        let mut first = 0;
        loop {
            let end = self.near.len().min(first + ROWS_AT_A_TIME);
            let (packer, window) = (&mut self.packers[scale], &self.window);
            let mine = window.row(row);
            for &other in &self.near[first..end] {
                packer.add_rows::<S, true>(simd, &mine, &window.row(other), &mut self.stats);
            }
            self.filter_full::<S, true>(simd, grid, scale);
            first = end;
            if first == self.near.len() {
                break;
            }
        }
    }

    /// A row with the near rows of a coarser layer.
    #[inline(always)]
    fn meet_across<S: Simd, const ITSELF: bool>(
        &mut self,
        simd: S,
        grid: &Grid,
        scale: usize,
        row: u32,
        rebase: &Rebase,
    ) {
        let lanes = rebase.lanes(self.window.row(row).lanes);
        let mut first = 0;
        loop {
            let end = self.near.len().min(first + ROWS_AT_A_TIME);
            let window = &self.window;
            let own = window.row(row);
            let mine = RowView { lanes: &lanes, bounds: rebase.row(&own.bounds), ..own };
            for &other in &self.near[first..end] {
                self.packers[scale].add_rows::<S, ITSELF>(simd, &mine, &window.row(other), &mut self.stats);
            }
            self.filter_full::<S, ITSELF>(simd, grid, scale);
            first = end;
            if first == self.near.len() {
                break;
            }
        }
    }

    /// Filters the pairs that wait if there are many of them.
    #[inline(always)]
    fn filter_full<S: Simd, const ITSELF: bool>(&mut self, simd: S, grid: &Grid, scale: usize) {
        let packer = &mut self.packers[scale];
        if packer.boxes.count >= ROOM {
            packer.filter::<S, ITSELF>(simd, &self.window.packed(grid, scale));
        }
        if packer.close.count >= ROOM {
            packer.decide_close::<S, ITSELF>(simd, &self.window.packed(grid, scale), &mut self.findings);
        }
    }

    /// Decides the open pairs if there are many of them. In a crowded cell every row may bring thousands.
    #[inline(always)]
    fn decide_full(&mut self, question: &Question) {
        if self.findings.len() >= BATCH {
            self.decide(question);
        }
    }

    /// Compares rows of very different size, in `f64`, and leaves what is near to the exact test.
    fn meet_far(&mut self, question: &Question, row: u32) {
        let (window, sources) = (&self.window, question.sources);
        let of_row = |row: u32| {
            let used = window.rows[row as usize].lanes.low[0];
            let lanes = (0..LANES as u32).filter(move |&lane| used[lane as usize] != f32::INFINITY);
            lanes.map(move |lane| 8 * row + lane).map(|record| (record, window.triangle(sources, record)))
        };
        for &other in &self.near {
            for (j, large) in of_row(other) {
                let (normal, bounds) = (large.area_vector(), large.bounds());
                for (i, small) in of_row(row) {
                    if bounds.overlaps(&small.bounds()) && !on_one_side(&large, normal, &small) {
                        self.findings.open.push((i, j));
                    }
                }
            }
        }
    }

    /// Decides the open pairs exactly, and adds all that count.
    fn decide(&mut self, question: &Question) {
        self.stats.decided += self.findings.open.len() as u64;
        let (window, sources) = (&self.window, question.sources);
        let corners = &window.corners;
        let itself = question.sources.len() == 1;
        let ids = |record: u32| {
            let [a, b, c, _] = corners[record as usize].map(|id| id as u32);
            [a, b, c]
        };
        for (i, j) in self.findings.open.drain(..) {
            let (t, u) = (window.triangle(sources, i), window.triangle(sources, j));
            let relation =
                if itself { exact::tri_tri_shared(&t, ids(i), &u, ids(j)) } else { exact::tri_tri(&t, &u) };
            if question.touch.accepts(relation) {
                self.findings.crossing.push((i, j));
            }
        }
        let id = |record: u32| corners[record as usize][3] as u32;
        for (i, j) in self.findings.crossing.drain(..) {
            let (a, b) = (id(i), id(j));
            // In order of the ids, or of the meshes.
            let turned = if itself { a > b } else { window.mesh(sources, i) == 1 };
            self.pairs.push(if turned { Pair::new(b, a) } else { Pair::new(a, b) });
        }
        self.stats.found += count_beyond(question.most, &mut self.pairs);
    }
}

/// From the coordinates of one layer to those of another.
struct Rebase {
    scale: f64,
    from: DVec3,
    to: DVec3,
    /// What a box has to be padded by on the way.
    pad: f64,
}

impl Rebase {
    fn new(from: &Layer, to: &Layer) -> Self {
        let scale = power_of_two((from.exponent - to.exponent).max(-1000));
        let pad = 2.0 * to.pad() + 2.0 * from.pad() * scale;
        Self { scale, from: from.base, to: to.base, pad }
    }

    #[inline(always)]
    fn lanes(&self, lanes: &Boxes8) -> Boxes8 {
        let (scale, mut moved) = (self.scale as f32, *lanes);
        let shift = self.from * self.scale - self.to;
        for axis in 0..3 {
            let (low, high) = ((shift[axis] - self.pad) as f32, (shift[axis] + self.pad) as f32);
            for lane in 0..LANES {
                moved.low[axis][lane] = moved.low[axis][lane] * scale + low;
                moved.high[axis][lane] = moved.high[axis][lane] * scale + high;
            }
        }
        moved
    }

    #[inline(always)]
    fn row(&self, bounds: &RowBox) -> RowBox {
        let (low, high) = (bounds.low(), bounds.high());
        let low = (DVec3::from_array(low.map(f64::from)) + self.from) * self.scale - self.to - self.pad;
        let high = (DVec3::from_array(high.map(f64::from)) + self.from) * self.scale - self.to + self.pad;
        RowBox::new(low.as_vec3().to_array(), high.as_vec3().to_array())
    }
}

/// Whether a triangle is certainly on one side of the plane through another with the given area vector.
fn on_one_side(plane: &Triangle, normal: DVec3, t: &Triangle) -> bool {
    let w = t.corners().map(|p| p - plane.a);
    let heights = w.map(|w| normal.dot(w));
    let edges = (plane.b - plane.a).abs().max((plane.c - plane.a).abs()).max_element();
    let far = w.iter().fold(0.0_f64, |far, w| far.max(w.abs().max_element()));
    // Six products of two edges and a distance, each with a few roundings.
    let bound = 64.0 * f64::EPSILON * edges * edges * far;
    let tiny = f64::MIN_POSITIVE;
    // The normal of a huge triangle may have overflowed; then nothing is certain.
    let sure = bound.is_finite() && heights.iter().all(|h| h.is_finite());
    sure && (heights.iter().all(|&h| h > bound + tiny) || heights.iter().all(|&h| h < -bound - tiny))
}
