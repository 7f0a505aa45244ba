//! The hierarchical grid: layers of cells, and the triangles in them.
//!
//! Population runs through these steps, each linear in the number of triangles:
//!
//! 1. measure every triangle: its octave, and the box around the middles of each octave,
//! 2. choose levels from the histogram of octaves (`levels`); a level of one mesh is a *layer*,
//! 3. give every triangle the key of the small cell that holds its middle, and sort by key,
//! 4. cut the sorted list into *cells*, as large as the density asks for (`cell_runs`),
//! 5. find the vertices around which triangles cannot meet (`fans`).
//!
//! Rows of eight triangles, with their boxes, are made of cells when they are searched (`window`).
//!
//! On several threads each takes a part of the list; the result is the same.

use super::CellTable;
use super::cell_runs::{Cell, Keyed};
use super::fans::Fans;
use super::layer::{Layer, Scale, Source, ToKey, below};
use super::levels::{self, OCTAVES, Octave};
use super::table::Table;
use crate::base::radix::{self, RadixSort};
use crate::base::{morton, parallel};
use crate::geom::DVec3;

/// Of so many triangles in a row one is read ahead: what is near it in the list is mostly near it in memory.
pub(super) const AHEAD: usize = 4;

/// All layers and cells of one frame. Only the memory outlives it.
#[derive(Default)]
pub(super) struct Grid {
    /// The size of every triangle. Middles are not kept: to compute them twice takes no longer, and 24 bytes less.
    octaves: Vec<u16>,
    /// By mesh and part: all octaves.
    histograms: Vec<Vec<Octave>>,
    tops: Vec<usize>,
    level_of: Vec<u8>,
    to_keys: Vec<ToKey>,
    /// Triangles in order: in the first list if key and number fit into 64 bits together.
    small: RadixSort<u64>,
    large: RadixSort<KeyedTriangle>,
    /// How many of those bits are the number's; none if the second list is in use.
    id_bits: u32,
    pub(super) layers: Vec<Layer>,
    pub(super) cells: Vec<Cell>,
    cells_of_parts: Vec<Vec<Cell>>,
    pub(super) scales: Vec<Scale>,
    pub(super) scale_count: usize,
    pub(super) fans: Fans,
    pub(super) table: Table,
}

/// A triangle and the cell it is sorted into.
#[derive(Clone, Copy, Debug, Default)]
struct KeyedTriangle {
    /// Layer and Morton code.
    key: u64,
    /// Slot of the hash table, where there is one.
    slot: u32,
    triangle: u32,
}

impl Grid {
    /// Forgets the last frame and sorts the given triangles into cells.
    pub(super) fn populate(&mut self, sources: &[Source], table: CellTable, parallel: bool) {
        let count: usize = sources.iter().map(|source| source.triangles.len()).sum();
        // Smaller lists are not worth dividing.
        let parts = parallel::threads(parallel && count > 10_000);
        self.measure(sources, count, parts);
        self.choose_layers(sources.len(), parts);
        self.choose_scales(sources, parts);
        // Neither of the two needs the other, so that one goes on where the other has work for one thread only.
        let octaves = std::mem::take(&mut self.octaves);
        let mut fans = std::mem::take(&mut self.fans);
        let plan = self.plan_fans(sources);
        let mut steps = plan.map(|(scale, _)| std::mem::take(&mut self.scales[scale].steps));
        let find_fans = || {
            fans.flat.clear();
            if let (Some((_, largest)), Some(steps)) = (plan, &mut steps) {
                fans.find(&sources[0], &octaves, largest, steps, parts);
            }
        };
        let sort = || {
            let width = self.key_bits();
            self.order(sources, &octaves, width, table, parts);
            self.cut(width, table, parts);
            self.table.build(table, &self.cells, count, parts > 1);
        };
        // Fans come last on one thread: what they read, a search reads next.
        parallel::join(parts > 1, sort, find_fans);
        if let (Some((scale, _)), Some(steps)) = (plan, steps) {
            self.scales[scale].steps = steps;
        }
        (self.octaves, self.fans) = (octaves, fans);
    }

    pub(super) fn triangle_count(&self) -> usize {
        self.octaves.len()
    }

    /// One in `STEP` triangles of a cell, in order.
    #[inline(always)]
    pub(super) fn for_triangles<const STEP: usize>(&self, cell: &Cell, mut with: impl FnMut(u32)) {
        if self.id_bits > 0 {
            let id = (1 << self.id_bits) - 1;
            self.small.sorted[cell.items()].chunks(STEP).for_each(|some| with((some[0] & id) as u32));
        } else {
            self.large.sorted[cell.items()].chunks(STEP).for_each(|some| with(some[0].triangle));
        }
    }

    /// Finds octaves and middles, and one histogram for each mesh.
    fn measure(&mut self, sources: &[Source], count: usize, parts: usize) {
        parallel::resize(parts > 1, &mut self.octaves, count, 0);
        let wanted = self.histograms.len().max(parts * sources.len());
        self.histograms.resize_with(wanted, || vec![Octave::EMPTY; OCTAVES]);
        let mut octaves = &mut self.octaves[..];
        for (source, histograms) in sources.iter().zip(self.histograms.chunks_mut(parts)) {
            let (mine, later) = octaves.split_at_mut(source.triangles.len());
            octaves = later;
            let share = source.triangles.len().div_ceil(parts).max(1);
            let lists = source.triangles.chunks(share).zip(mine.chunks_mut(share));
            let tasks = lists.zip(histograms.iter_mut());
            // With few triangles, some parts have none.
            let used = source.triangles.len().div_ceil(share);
            parallel::for_each(parts > 1, tasks, |((triangles, octaves), histogram)| {
                histogram.fill(Octave::EMPTY);
                measure(source, triangles, octaves, histogram);
            });
            let (whole, others) = histograms.split_first_mut().expect("a part");
            if used == 0 {
                whole.fill(Octave::EMPTY);
            }
            for other in &mut others[..used.saturating_sub(1)] {
                let used = whole.iter_mut().zip(other).filter(|(_, more)| more.count > 0);
                used.for_each(|(octave, more)| octave.add(more));
            }
        }
    }

    /// One layer for each level and mesh, fine levels first.
    fn choose_layers(&mut self, meshes: usize, parts: usize) {
        // The first of each mesh has it all.
        let histograms = self.histograms.iter().step_by(parts).take(meshes);
        let total = |octave: usize| histograms.clone().map(|h| h[octave].count).sum();
        levels::choose(&total, &mut self.tops);
        self.level_of.clear();
        self.layers.clear();
        let mut from = 0;
        for (level, &top) in self.tops.iter().enumerate() {
            self.level_of.resize(top + 1, level as u8);
            for (mesh, histogram) in histograms.clone().enumerate() {
                let mut whole = Octave::EMPTY;
                for octave in &histogram[from..=top] {
                    whole.add(octave);
                }
                self.layers.push(Layer::new(mesh, levels::exponent(top), &whole));
            }
            from = top + 1;
        }
    }

    /// Layers of similar size share a scale.
    fn choose_scales(&mut self, sources: &[Source], parts: usize) {
        self.scale_count = 0;
        let mut first = 0;
        while first < self.layers.len() {
            if self.scales.len() == self.scale_count {
                self.scales.push(Scale::default());
            }
            let scale = &mut self.scales[self.scale_count];
            let end = scale.choose(&self.layers, first);
            for layer in &mut self.layers[first..end] {
                layer.join(self.scale_count, scale);
            }
            scale.fill(sources, parts > 1);
            self.scale_count += 1;
            first = end;
        }
    }

    /// A mesh that is compared with itself: in which steps to find out where neighbours cannot meet.
    /// The second is the largest octave that fits into them.
    fn plan_fans(&self, sources: &[Source]) -> Option<(usize, u16)> {
        let [source] = sources else { return None };
        if self.layers.is_empty() || source.positions.len() > i32::MAX as usize {
            return None;
        }
        // In the steps that suit most triangles; larger ones would wrap around.
        let mut counts = [0_u32; levels::MOST_LEVELS];
        for layer in &self.layers {
            counts[layer.scale_of_steps as usize] += layer.count;
        }
        let scale = (0..self.scale_count).max_by_key(|&scale| counts[scale])?;
        let tops = self.layers.iter().zip(&self.tops);
        let suited = tops.filter(|(layer, _)| layer.scale_of_steps as usize == scale);
        suited.map(|(_, &top)| (scale, top as u16)).max()
    }

    /// How many bits an axis needs in the keys of all layers.
    fn key_bits(&self) -> u32 {
        let needed = |layer: &Layer| u64::BITS - ((layer.span / layer.quantum) as u64).leading_zeros();
        self.layers.iter().filter(|layer| layer.count > 0).map(needed).max().unwrap_or(0)
    }

    /// Gives a key to every triangle and sorts them by it.
    fn order(&mut self, sources: &[Source], octaves: &[u16], width: u32, table: CellTable, parts: usize) {
        self.to_keys.clear();
        let to_key = |(number, layer): (u64, &Layer)| ToKey {
            scale: layer.scale / layer.quantum,
            base: layer.base / layer.quantum + 0.5,
            prefix: number << (3 * width),
            cell_bits: layer.cell_bits,
        };
        self.to_keys.extend((0..).zip(&self.layers).map(to_key));
        let slots = Table::slots(table, octaves.len());
        let (level_of, to_keys, meshes) = (&self.level_of[..], &self.to_keys[..], sources.len());
        let item = move |mesh: usize, triangle: usize, octave: u16, middle: DVec3| {
            let number = usize::from(level_of[usize::from(octave)]) * meshes + mesh;
            let to_key = &to_keys[number];
            let place = middle * to_key.scale - to_key.base;
            let place = [below(place.x), below(place.y), below(place.z)];
            let slot = match table {
                CellTable::Sorted => 0,
                kind => Table::slot(kind, number as u64, place.map(|x| x >> to_key.cell_bits), slots),
            };
            KeyedTriangle { key: to_key.prefix | morton::encode(place), slot, triangle: triangle as u32 }
        };
        let bits_of = |count: usize| usize::BITS - count.saturating_sub(1).leading_zeros();
        let key_bits = 3 * width + bits_of(self.layers.len());
        let most = sources.iter().map(|source| source.triangles.len()).max().unwrap_or(0);
        let id_bits = bits_of(most).max(1);
        self.id_bits = 0;
        if table != CellTable::Sorted {
            list_all(sources, octaves, &mut self.large.from, parts, item);
            let bits = u32::BITS - (slots - 1).leading_zeros();
            self.large.sort(bits, |item| u64::from(item.slot), parts);
            for slot in self.large.sorted.chunk_by_mut(|a, b| a.slot == b.slot) {
                slot.sort_unstable_by_key(|item| (item.key, item.triangle));
            }
            return;
        }
        // The last bits tell apart what is in one cell anyway; they are left out if that saves a pass.
        let fine = self.layers.iter().map(|layer| 3 * layer.least_cell_bits()).min().unwrap_or(0);
        let skipped = fine.min(key_bits).min(3);
        let saves = radix::passes(key_bits - skipped) < radix::passes(key_bits);
        let skipped = if saves { skipped } else { 0 };
        let bits = key_bits - skipped;
        if key_bits + id_bits <= u64::BITS {
            self.id_bits = id_bits;
            let small = move |mesh, triangle, octave, middle| {
                item(mesh, triangle, octave, middle).key << id_bits | triangle as u64
            };
            list_all(sources, octaves, &mut self.small.from, parts, small);
            self.small.sort(bits, |small| small >> (id_bits + skipped), parts);
        } else {
            list_all(sources, octaves, &mut self.large.from, parts, item);
            self.large.sort(bits, |item| item.key >> skipped, parts);
        }
    }

    fn cut(&mut self, width: u32, table: CellTable, parts: usize) {
        let can_choose = table == CellTable::Sorted;
        if self.id_bits > 0 {
            let bits = self.id_bits;
            let list = Keyed { list: &self.small.sorted, key: |small: &u64| small >> bits, width };
            list.cut(&mut self.layers, &self.scales, can_choose, &mut self.cells_of_parts, parts);
        } else {
            let list = Keyed { list: &self.large.sorted, key: |item: &KeyedTriangle| item.key, width };
            list.cut(&mut self.layers, &self.scales, can_choose, &mut self.cells_of_parts, parts);
        }
        self.join_cells();
    }

    /// Makes one list of the cells of all parts, and finds where those of each layer are.
    fn join_cells(&mut self) {
        for layer in &mut self.layers {
            layer.cells = [u32::MAX, 0];
        }
        if let [all] = &mut self.cells_of_parts[..] {
            std::mem::swap(&mut self.cells, all);
            for (number, cell) in (0..).zip(&self.cells) {
                let [first, end] = &mut self.layers[cell.layer as usize].cells;
                (*first, *end) = ((*first).min(number), number + 1);
            }
            return;
        }
        // What is there is overwritten, so that nothing is written twice.
        let total = self.cells_of_parts.iter().map(Vec::len).sum();
        self.cells.resize(total, Cell::EMPTY);
        let (mut rest, mut number) = (&mut self.cells[..], 0_u32);
        let mut tasks = Vec::with_capacity(self.cells_of_parts.len());
        for cells in &self.cells_of_parts {
            let (part, later) = rest.split_at_mut(cells.len());
            rest = later;
            tasks.push((number, cells, part));
            number += cells.len() as u32;
        }
        let count = self.layers.len();
        let ends = parallel::map(true, tasks.into_iter(), |(first, cells, part)| {
            part.copy_from_slice(cells);
            let mut ends = vec![[u32::MAX, 0]; count];
            for (number, cell) in (first..).zip(cells) {
                let [first, end] = &mut ends[cell.layer as usize];
                (*first, *end) = ((*first).min(number), number + 1);
            }
            ends
        });
        for (number, layer) in self.layers.iter_mut().enumerate() {
            let of_parts = ends.iter().map(|ends| ends[number]);
            layer.cells = of_parts.fold([u32::MAX, 0], |[a, b], [c, d]| [a.min(c), b.max(d)]);
        }
    }
}

/// Lists something for each triangle, in the order of the meshes: from mesh, number, octave and middle.
fn list_all<T: Copy + Default + Send + Sync>(
    sources: &[Source],
    octaves: &[u16],
    list: &mut Vec<T>,
    parts: usize,
    item: impl Fn(usize, usize, u16, DVec3) -> T + Sync + Send,
) {
    parallel::resize(parts > 1, list, octaves.len(), T::default());
    let mut start = 0;
    for (mesh, source) in sources.iter().enumerate() {
        let part = start..start + source.triangles.len();
        start = part.end;
        let share = part.len().div_ceil(parts).max(1);
        let known = octaves[part.clone()].chunks(share).zip(source.triangles.chunks(share));
        let tasks = list[part].chunks_mut(share).zip(known).enumerate();
        parallel::for_each(parts > 1, tasks, |(k, (list, (octaves, triangles)))| {
            list_part(source, list, octaves, triangles, |at, octave, middle| {
                item(mesh, k * share + at, octave, middle)
            });
        });
    }
}

// Loops of their own, so that the compiler knows that their lists do not overlap.

fn measure(source: &Source, triangles: &[[u32; 3]], octaves: &mut [u16], histogram: &mut [Octave]) {
    for (corners, known) in triangles.iter().zip(octaves) {
        let [a, b, c] = corners.map(|v| source.positions[v as usize]);
        let (octave, middle) = levels::measure(a, b, c);
        histogram[octave].count(middle);
        *known = octave as u16;
    }
}

fn list_part<T>(
    source: &Source,
    list: &mut [T],
    octaves: &[u16],
    triangles: &[[u32; 3]],
    item: impl Fn(usize, u16, DVec3) -> T,
) {
    let known = octaves.iter().zip(triangles);
    for ((at, to), (&octave, corners)) in list.iter_mut().enumerate().zip(known) {
        let [a, b, c] = corners.map(|v| source.positions[v as usize]);
        *to = item(at, octave, levels::middle(a, b, c));
    }
}
