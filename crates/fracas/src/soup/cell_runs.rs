//! Dividing the sorted list into cells, whose size follows the density.
//!
//! Keys of one layer are Morton codes, so the triangles of a cell of any size are a run of the list: those that agree in all
//! bits above the cell's. On several threads each takes a part of the list that begins and ends between two cells.

use super::layer::{Layer, Scale};
use crate::base::{morton, parallel};
use crate::geom::DVec3;
use crate::pairs::LANES;
use std::ops::Range;

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
    pub(super) const EMPTY: Self =
        Self { key: 0, layer: 0, start: 0, count: 0, place: [0.0; 3], steps: [0; 3] };

    /// Its part of the sorted list.
    pub(super) fn items(&self) -> Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }

    /// Rows of eight that it takes.
    pub(super) fn row_count(&self) -> usize {
        (self.count as usize).div_ceil(LANES)
    }
}

/// How many triangles a cell should hold on average.
const TRIANGLES_PER_CELL: u64 = 20;

/// A list sorted by keys, of which the place in a layer takes `width` bits for each axis and the layer those above.
pub(super) struct Keyed<'a, T, K> {
    pub(super) list: &'a [T],
    pub(super) key: K,
    pub(super) width: u32,
}

/// For each number of bits of an axis, how many neighbours in a list differ in no bit above them, but in one of these.
type ToldApart = [u32; 23];

impl<T: Sync, K: Fn(&T) -> u64 + Sync> Keyed<'_, T, K> {
    /// Lists all cells, one list for each part. If the size of cells can be chosen, layers get the smallest that hold enough
    /// triangles on average.
    pub(super) fn cut(
        &self,
        layers: &mut [Layer],
        scales: &[Scale],
        can_choose: bool,
        cells: &mut Vec<Vec<Cell>>,
        parts: usize,
    ) {
        if can_choose {
            let mut start = 0;
            for layer in layers.iter_mut().filter(|layer| layer.count > 0) {
                let end = start + layer.count as usize;
                self.choose_size(layer, start..end, parts);
                start = end;
            }
        }
        cells.resize_with(parts, Vec::new);
        let layers = &*layers;
        let border = |k: usize| self.border(layers, k * self.list.len() / parts);
        parallel::for_each(parts > 1, cells.iter_mut().enumerate(), |(k, cells)| {
            self.cut_part(layers, scales, border(k)..border(k + 1), cells);
        });
    }

    /// Chooses the smallest cells that hold enough triangles on average.
    fn choose_size(&self, layer: &mut Layer, items: Range<usize>, parts: usize) {
        let list = &self.list[items];
        // Parts overlap by one, so that no neighbours are missed.
        let share = list.len().div_ceil(parts);
        let part = |k: usize| &list[(k * share).min(list.len())..((k + 1) * share + 1).min(list.len())];
        let mut told_apart = [0; 23];
        if parts > 1 {
            for of_part in parallel::map(true, 0..parts, |k| self.told_apart(part(k))) {
                told_apart.iter_mut().zip(of_part).for_each(|(sum, count)| *sum += count);
            }
        } else {
            told_apart = self.told_apart(list);
        }
        let mut bits = layer.least_cell_bits();
        let mut cells = 1 + told_apart[bits as usize + 1..].iter().map(|&n| u64::from(n)).sum::<u64>();
        while bits < self.width && cells * TRIANGLES_PER_CELL > u64::from(layer.count) {
            bits += 1;
            cells -= u64::from(told_apart[bits as usize]);
        }
        layer.cell_bits = bits;
    }

    fn told_apart(&self, list: &[T]) -> ToldApart {
        // Two counters in turn: the same one twice in a row would have to wait for itself.
        let mut counts = [[0_u32; u64::BITS as usize + 1]; 2];
        let Some(first) = list.first() else { return [0; 23] };
        let mut last = (self.key)(first);
        for (x, turn) in list[1..].iter().zip([0, 1].into_iter().cycle()) {
            let key = (self.key)(x);
            counts[turn][(u64::BITS - (key ^ last).leading_zeros()) as usize] += 1;
            last = key;
        }
        let mut told_apart = [0; 23];
        for bit in 0..counts[0].len() {
            told_apart[bit.div_ceil(3)] += counts[0][bit] + counts[1][bit];
        }
        told_apart
    }

    /// Layer and cell of an item; the second is another one for another cell of the layer.
    #[inline(always)]
    fn cell_of(&self, layers: &[Layer], at: usize) -> (usize, u64) {
        let key = (self.key)(&self.list[at]);
        let layer = (key >> (3 * self.width)) as usize;
        (layer, key >> (3 * layers[layer].cell_bits))
    }

    /// The first place from `at` on where a cell begins, or the end.
    fn border(&self, layers: &[Layer], at: usize) -> usize {
        let inside = |at: &usize| {
            *at > 0 && *at < self.list.len() && self.cell_of(layers, *at - 1) == self.cell_of(layers, *at)
        };
        at + (at..self.list.len()).take_while(inside).count()
    }

    fn cut_part(&self, layers: &[Layer], scales: &[Scale], part: Range<usize>, cells: &mut Vec<Cell>) {
        cells.clear();
        let places = (1_u64 << (3 * self.width)) - 1;
        let mut start = part.start;
        while start < part.end {
            let key = (self.key)(&self.list[start]);
            let number = (key >> (3 * self.width)) as usize;
            let layer = &layers[number];
            let shift = 3 * layer.cell_bits;
            let same = |x: &&T| (self.key)(x) >> shift == key >> shift;
            let count = self.list[start..part.end].iter().take_while(same).count();
            let place = (key & places) >> shift;
            let corner = morton::decode(place).map(|x| x as f64 * layer.cell_width());
            let scale = &scales[layer.scale_of_steps as usize];
            let units = scale.scale / layer.scale;
            cells.push(Cell {
                // Cells of different layers are of different size: the layer stands above all bits of a place.
                key: (number as u64) << (3 * morton::AXIS_BITS) | place,
                layer: number as u32,
                start: start as u32,
                count: count as u32,
                place: corner.map(|x| x as f32),
                steps: scale.round((DVec3::from_array(corner) + layer.base) * units),
            });
            start += count;
        }
    }
}
