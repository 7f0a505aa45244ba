//! The hierarchical grid: layers of cells, and the triangles in them.
//!
//! Population runs through these steps, each linear in the number of triangles:
//!
//! 1. measure every triangle: its octave and the middle of its box,
//! 2. choose levels from the histogram of octaves (`levels`); a level of one mesh is a *layer*,
//! 3. give every triangle the key of the small cell that holds its middle, and sort by key (`order`),
//! 4. cut the sorted list into *cells*, as large as the density asks for.
//!
//! Rows of eight triangles, with their boxes, are made of cells when they are searched (`window`).
//!
//! On several threads each takes a part of the list; the result is the same.

use super::fans::Fans;
use super::layer::{Layer, Scale, Source, ToKey, below};
use super::levels::{self, Histogram, Octave};
use super::order::{self, AXIS_BITS, Item, Sorting};
use super::table::Table;
use super::{CellTable, SoupOptions};
use crate::geom::DVec3;
use crate::pairs::LANES;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// The triangles of one cell: a run of the sorted list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Layer and Morton code of the cell.
    pub(super) key: u64,
    pub(super) layer: u32,
    /// First of its items, and how many there are.
    pub(super) start: u32,
    pub(super) count: u32,
    /// The lowest corner: in coordinates of the layer, and in steps of its scale.
    pub(super) place: [f32; 3],
    pub(super) steps: [i32; 3],
}

impl Cell {
    /// Rows of eight that it takes.
    pub(super) fn row_count(&self) -> usize {
        (self.count as usize).div_ceil(LANES)
    }
}

/// A cell should hold so many triangles on average.
const TRIANGLES_PER_CELL: u64 = 20;

/// All layers and cells of one frame. Only the memory outlives it.
#[derive(Default)]
pub(super) struct Grid {
    octaves: Vec<u16>,
    middles: Vec<DVec3>,
    histograms: Vec<Histogram>,
    tops: Vec<usize>,
    level_of: Vec<u8>,
    to_keys: Vec<ToKey>,
    /// Triangles before they are sorted, and two more lists to sort them: as small as can be, or as they are.
    small: [Vec<u64>; 3],
    large: [Vec<Item>; 3],
    /// Triangles in order.
    pub(super) items: Vec<Item>,
    pub(super) layers: Vec<Layer>,
    pub(super) cells: Vec<Cell>,
    pub(super) scales: Vec<Scale>,
    pub(super) scale_count: usize,
    pub(super) fans: Fans,
    pub(super) table: Table,
}

impl Grid {
    /// Forgets the last frame and sorts the given triangles into cells.
    pub(super) fn populate(&mut self, sources: &[Source], options: &SoupOptions, parallel: bool) {
        let count: usize = sources.iter().map(|source| source.triangles.len()).sum();
        let parts = parts(parallel, count);
        self.measure(sources, count, parts);
        self.choose_layers(sources.len());
        self.choose_scales(sources, parts);
        self.find_fans(sources, parts);
        let width = self.key_bits();
        self.order(sources, width, options, parts);
        self.cut(width, options);
        self.table.build(options.table, &self.cells, count);
    }

    /// Triangles in all cells.
    pub(super) fn triangle_count(&self) -> usize {
        self.items.len()
    }

    /// Finds octaves and middles, and one histogram for each mesh.
    fn measure(&mut self, sources: &[Source], count: usize, parts: usize) {
        self.octaves.resize(count, 0);
        self.middles.resize(count, DVec3::ZERO);
        let wanted = parts.max(1) * sources.len();
        while self.histograms.len() < wanted {
            self.histograms.push(Histogram::new());
        }
        let (mut octaves, mut middles) = (&mut self.octaves[..], &mut self.middles[..]);
        for (source, histograms) in sources.iter().zip(self.histograms.chunks_mut(parts)) {
            let (mine, later) = octaves.split_at_mut(source.triangles.len());
            octaves = later;
            let (places, later) = middles.split_at_mut(source.triangles.len());
            middles = later;
            let share = source.triangles.len().div_ceil(parts).max(1);
            histograms.iter_mut().for_each(Histogram::clear);
            #[cfg(feature = "parallel")]
            if parts > 1 {
                let lists = (mine.par_chunks_mut(share), places.par_chunks_mut(share));
                (source.triangles.par_chunks(share), lists.0, lists.1, histograms.par_iter_mut())
                    .into_par_iter()
                    .for_each(|(triangles, octaves, middles, histogram)| {
                        measure(source, triangles, octaves, middles, histogram);
                    });
                let (whole, others) = histograms.split_first_mut().expect("a part");
                others.iter().for_each(|other| whole.add(other));
                continue;
            }
            let _ = share;
            measure(source, source.triangles, mine, places, &mut histograms[0]);
        }
        // The first of each mesh has it all.
        for mesh in 1..sources.len() {
            self.histograms.swap(mesh, mesh * parts);
        }
    }

    /// One layer for each level and mesh, fine levels first.
    fn choose_layers(&mut self, meshes: usize) {
        let histograms = &self.histograms[..meshes];
        let total = |octave: usize| histograms.iter().map(|h| h.octaves[octave].count).sum();
        levels::choose(total, &mut self.tops);
        self.level_of.clear();
        self.layers.clear();
        let mut from = 0;
        for (level, &top) in self.tops.iter().enumerate() {
            self.level_of.resize(top + 1, level as u8);
            for (mesh, histogram) in histograms.iter().enumerate() {
                let mut whole = Octave::EMPTY;
                for octave in &histogram.octaves[from..=top] {
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

    /// A mesh that is compared with itself: finds out where neighbours cannot meet.
    fn find_fans(&mut self, sources: &[Source], parts: usize) {
        self.fans.clear();
        let [source] = sources else { return };
        if self.layers.is_empty() || source.positions.len() > i32::MAX as usize {
            return;
        }
        // In the steps that suit most triangles; larger ones would wrap around.
        let mut counts = [0_u32; levels::MOST_LEVELS];
        for layer in &self.layers {
            counts[layer.scale_of_steps as usize] += layer.count;
        }
        let most = (0..self.scale_count).max_by_key(|&scale| counts[scale]).expect("a layer has a scale");
        let tops = self.layers.iter().zip(&self.tops);
        let suited = tops.filter(|(layer, _)| layer.scale_of_steps as usize == most);
        let largest = suited.map(|(_, &top)| top as u16).max().expect("a scale has layers");
        self.fans.find(source, &self.octaves, largest, &mut self.scales[most].steps, parts);
    }

    /// How many bits an axis needs in the keys of all layers.
    fn key_bits(&self) -> u32 {
        let needed = |layer: &Layer| u64::BITS - ((layer.span / layer.quantum) as u64).leading_zeros();
        self.layers.iter().filter(|layer| layer.count > 0).map(needed).max().unwrap_or(0)
    }

    /// Gives a key to every triangle and sorts them by it.
    fn order(&mut self, sources: &[Source], width: u32, options: &SoupOptions, parts: usize) {
        let count = self.octaves.len();
        self.items.resize(count, Item::default());
        self.to_keys.clear();
        let to_key = |(number, layer): (usize, &Layer)| ToKey::new(layer, (number as u64) << (3 * width));
        self.to_keys.extend(self.layers.iter().enumerate().map(to_key));
        let slots = Table::slots(options.table, count);
        let keys = Keys { grid: (&self.level_of, &self.to_keys), meshes: sources.len(), options, slots };
        let known = (&self.octaves[..], &self.middles[..]);
        let bits_of = |count: usize| usize::BITS - count.saturating_sub(1).leading_zeros();
        let key_bits = 3 * width + bits_of(self.layers.len());
        let most = sources.iter().map(|source| source.triangles.len()).max().unwrap_or(0);
        let id_bits = bits_of(most);
        if options.table != CellTable::Sorted {
            let [from, ..] = &mut self.large;
            keys.give_all(sources, known, from, parts, |item| item);
            let bits = u32::BITS - (slots - 1).leading_zeros();
            let sorting =
                Sorting { bits, value: |item: &Item| u64::from(item.slot), item: |item: &Item| *item };
            sort(&sorting, &mut self.large, &mut self.items, parts);
            for slot in self.items.chunk_by_mut(|a, b| a.slot == b.slot) {
                slot.sort_unstable_by_key(|item| (item.key, item.triangle));
            }
            return;
        }
        // The last bits tell apart what is in one cell anyway; they are left out if that saves a pass.
        let fine = self.layers.iter().map(|layer| 3 * layer.least_cell_bits()).min().unwrap_or(0);
        let skipped = fine.min(key_bits).min(order::AXES);
        let saves = order::passes(key_bits - skipped) < order::passes(key_bits);
        let skipped = if saves { skipped } else { 0 };
        let bits = key_bits - skipped;
        if key_bits + id_bits <= u64::BITS {
            let [from, ..] = &mut self.small;
            keys.give_all(sources, known, from, parts, |item| item.key << id_bits | u64::from(item.triangle));
            let id = (1 << id_bits) - 1;
            let sorting = Sorting {
                bits,
                value: |small: &u64| small >> (id_bits + skipped),
                item: |small: &u64| Item { key: small >> id_bits, slot: 0, triangle: (small & id) as u32 },
            };
            sort(&sorting, &mut self.small, &mut self.items, parts);
        } else {
            let [from, ..] = &mut self.large;
            keys.give_all(sources, known, from, parts, |item| item);
            let sorting =
                Sorting { bits, value: |item: &Item| item.key >> skipped, item: |item: &Item| *item };
            sort(&sorting, &mut self.large, &mut self.items, parts);
        }
    }

    /// Cuts the sorted list into cells.
    fn cut(&mut self, width: u32, options: &SoupOptions) {
        if options.table == CellTable::Sorted {
            self.size_cells(width);
        }
        self.cells.clear();
        for layer in &mut self.layers {
            layer.cells = [u32::MAX, 0];
        }
        let places = (1_u64 << (3 * width)) - 1;
        let mut start = 0;
        while start < self.items.len() {
            let key = self.items[start].key;
            let number = (key >> (3 * width)) as usize;
            let layer = &mut self.layers[number];
            let shift = 3 * layer.cell_bits;
            let same = self.items[start..].iter().take_while(|item| item.key >> shift == key >> shift);
            let count = same.count();
            let cell = self.cells.len() as u32;
            layer.cells = [layer.cells[0].min(cell), cell + 1];
            let place = (key & places) >> shift;
            let corner = order::unmorton(place).map(|x| x as f64 * layer.cell_width());
            let scale = &self.scales[layer.scale_of_steps as usize];
            let units = scale.scale / layer.scale;
            self.cells.push(Cell {
                // Cells of different layers are of different size: the layer stands above all bits of a place.
                key: (number as u64) << (3 * AXIS_BITS) | place,
                layer: number as u32,
                start: start as u32,
                count: count as u32,
                place: corner.map(|x| x as f32),
                steps: scale.round((DVec3::from_array(corner) + layer.base) * units),
            });
            start += count;
        }
    }

    /// Chooses for each layer the smallest cells that hold enough triangles on average.
    fn size_cells(&mut self, width: u32) {
        let mut start = 0;
        for layer in &mut self.layers {
            let items = &self.items[start..start + layer.count as usize];
            start += items.len();
            // How many neighbours in the list are first told apart by each bit triple of the key.
            let mut told_apart = [0_u64; 23];
            for pair in items.windows(2) {
                let differs = u64::BITS - (pair[0].key ^ pair[1].key).leading_zeros();
                told_apart[differs.div_ceil(3) as usize] += 1;
            }
            let mut bits = layer.least_cell_bits();
            let mut cells = 1 + told_apart[bits as usize + 1..].iter().sum::<u64>();
            while bits < width && cells * TRIANGLES_PER_CELL > u64::from(layer.count) {
                bits += 1;
                cells -= told_apart[bits as usize];
            }
            layer.cell_bits = bits;
        }
    }
}

/// Into how many parts work is divided; smaller lists are not worth it.
fn parts(parallel: bool, count: usize) -> usize {
    #[cfg(feature = "parallel")]
    if parallel && count > 10_000 {
        return rayon::current_num_threads();
    }
    let _ = (parallel, count);
    1
}

fn measure(
    source: &Source,
    triangles: &[[u32; 3]],
    octaves: &mut [u16],
    middles: &mut [DVec3],
    histogram: &mut Histogram,
) {
    for (&[a, b, c], (octave, middle)) in triangles.iter().zip(octaves.iter_mut().zip(middles)) {
        let at = |v: u32| source.positions[v as usize];
        let (o, m) = levels::measure(at(a), at(b), at(c));
        histogram.count(o, m);
        (*octave, *middle) = (o as u16, m);
    }
}

/// What is needed to give keys.
struct Keys<'a> {
    grid: (&'a [u8], &'a [ToKey]),
    meshes: usize,
    options: &'a SoupOptions,
    slots: u32,
}

impl Keys<'_> {
    /// Lists all triangles with their keys, in the order of the meshes.
    fn give_all<T: Copy + Default + Send>(
        &self,
        sources: &[Source],
        (octaves, middles): (&[u16], &[DVec3]),
        list: &mut Vec<T>,
        parts: usize,
        into: impl Fn(Item) -> T + Copy + Sync,
    ) {
        list.resize(octaves.len(), T::default());
        let mut start = 0;
        for (mesh, source) in sources.iter().enumerate() {
            let part = start..start + source.triangles.len();
            start = part.end;
            let list = &mut list[part.clone()];
            let (octaves, middles) = (&octaves[part.clone()], &middles[part]);
            #[cfg(feature = "parallel")]
            if parts > 1 {
                let share = list.len().div_ceil(parts).max(1);
                (list.par_chunks_mut(share), octaves.par_chunks(share), middles.par_chunks(share))
                    .into_par_iter()
                    .enumerate()
                    .for_each(|(k, (list, octaves, middles))| {
                        self.give(mesh, k * share, octaves, middles, list, into);
                    });
                continue;
            }
            let _ = parts;
            self.give(mesh, 0, octaves, middles, list, into);
        }
    }

    /// Lists triangles from `first` on.
    fn give<T>(
        &self,
        mesh: usize,
        first: usize,
        octaves: &[u16],
        middles: &[DVec3],
        list: &mut [T],
        into: impl Fn(Item) -> T,
    ) {
        let (level_of, to_keys) = self.grid;
        let known = octaves.iter().zip(middles);
        for ((triangle, place_in_list), (&octave, &middle)) in (first..).zip(list).zip(known) {
            let number = usize::from(level_of[usize::from(octave)]) * self.meshes + mesh;
            let to_key = &to_keys[number];
            let place = middle * to_key.scale - to_key.base;
            let place = [below(place.x), below(place.y), below(place.z)];
            let slot = match self.options.table {
                CellTable::Sorted => 0,
                kind => {
                    let cell = place.map(|x| x >> to_key.cell_bits);
                    Table::slot(kind, number as u64, cell, self.slots)
                }
            };
            let key = to_key.prefix | order::morton(place);
            *place_in_list = into(Item { key, slot, triangle: triangle as u32 });
        }
    }
}

/// Sorts the first of three lists into items.
fn sort<T: Copy + Default + Send + Sync, V, I>(
    sorting: &Sorting<V, I>,
    [from, mine, spare]: &mut [Vec<T>; 3],
    items: &mut [Item],
    parts: usize,
) where
    V: Fn(&T) -> u64 + Sync,
    I: Fn(&T) -> Item + Sync,
{
    spare.resize(from.len(), T::default());
    if parts > 1 {
        mine.resize(from.len(), T::default());
        sorting.sort_side_by_side(from, mine, spare, items, parts);
    } else {
        sorting.sort(from, spare, items);
    }
}
