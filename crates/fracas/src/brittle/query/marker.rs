//! The cells of a fragment while they are marked.
//!
//! # Idea
//!
//! ```text
//!    word 0   ├─── 32 cells ───┼ more ┤                     A row has up to four cells. Each word of 64 bits has the rows
//!    word 1                    ├─── 32 cells ───┼ more ┤    that begin in its 32 cells, so a row is never in two words.
//! ```
//!
//! A fracture marks rows of cells for every tetrahedron that it cuts, on both sides of the crack. So a row takes one address, for the
//! cells of the surface and for those inside. In the end the words become the bits of a [`Presence`].
//!
//! # Invariants
//!
//! Cells outside of the fragment's box are not marked: cut tetrahedra reach beyond it.

use super::presence::{Level, Presence};
use crate::brittle::solid::cells::{CellRow, Cells};
use crate::geom::DVec3;

/// Rows that begin in 2⁵ cells are in one word.
const WORD: u32 = 5;
/// Cells in front of the box that have room, as many as a row has at most.
const BEFORE: u32 = 4;

/// The finest level of a fragment, while its cells are marked; see the module.
#[derive(Debug)]
pub(crate) struct Marker {
    /// The cells that were marked in runs.
    all: Level,
    /// The first cell of the words, below 0 perhaps.
    from: [u32; 3],
    /// Rows along y and along z.
    counts: [u32; 2],
    words_per_row: u32,
    /// Cells of the surface, and cells inside.
    words: Vec<[u64; 2]>,
}

impl Marker {
    /// For a fragment within a box.
    pub fn new(cells: &Cells, [low, high]: [DVec3; 2]) -> Self {
        let [from, to] = [low, high].map(|corner| cells.cell_of(corner).map(|i| i as i64));
        Self::over(from, to)
    }

    /// For a fragment within a box of cells.
    pub(super) fn over(from: [i64; 3], to: [i64; 3]) -> Self {
        let all = Level::new(from, to);
        let [x, y, z] = all.counts.map(|n| n as u32);
        let words_per_row = (x + BEFORE).div_ceil(1 << WORD);
        let from = from.map(|i| i as u32);
        Self {
            all,
            from: [from[0].wrapping_sub(BEFORE), from[1], from[2]],
            counts: [y, z],
            words_per_row,
            words: vec![[0; 2]; (words_per_row * y * z) as usize],
        }
    }

    /// Marks cells of a row, as far as they are in the box of the fragment: cut tetrahedra reach beyond it.
    #[inline]
    pub fn mark(&mut self, row: CellRow, mask: u32) {
        self.mark_both(row, 0, mask);
    }

    /// Marks cells of the surface.
    #[inline]
    pub fn mark_surface(&mut self, row: CellRow, mask: u32) {
        self.mark_both(row, mask, 0);
    }

    /// Marks some cells of a row as surface and others as inside.
    #[inline]
    pub fn mark_both(&mut self, row: CellRow, surface: u32, inside: u32) {
        // Below 0 is beyond everything without a sign.
        let [x, y, z] = row.first();
        let [x, y, z] = [(x, 0), (y, 1), (z, 2)].map(|(i, k): (u32, usize)| i.wrapping_sub(self.from[k]));
        let word = x >> WORD;
        if word >= self.words_per_row || y >= self.counts[0] || z >= self.counts[1] {
            return;
        }
        let [on_surface, all] =
            &mut self.words[((z * self.counts[0] + y) * self.words_per_row + word) as usize];
        let bit = x & ((1 << WORD) - 1);
        *on_surface |= u64::from(surface) << bit;
        *all |= u64::from(inside) << bit;
    }

    /// Marks cells along x from one on, a bit for each.
    #[inline]
    pub fn mark_run(&mut self, first: [usize; 3], mask: u64) {
        self.all.mark_run(first, mask);
    }

    /// The cells of the fragment, and those of its surface.
    pub fn finish(self, cells: &Cells) -> [Presence; 2] {
        self.levels().map(|marked| Presence::of(cells, marked))
    }

    /// The same as bits.
    pub(super) fn levels(self) -> [Level; 2] {
        let mut all = self.all;
        let mut surface = Level { bits: vec![0; all.bits.len()], ..all };
        let rows = self.words.chunks_exact(self.words_per_row as usize);
        let bits = all.bits.chunks_exact_mut(all.words_per_row);
        for ((row, all), surface) in rows.zip(bits).zip(surface.bits.chunks_exact_mut(surface.words_per_row))
        {
            for (k, &[on_surface, inside]) in row.iter().enumerate().filter(|(_, words)| **words != [0; 2]) {
                // Where there is surface, there is something inside of it.
                put(surface, k, on_surface);
                put(all, k, on_surface | inside);
            }
        }
        all.clear_beyond();
        surface.clear_beyond();
        [all, surface]
    }
}

/// Adds what is marked in word `k` of a row to the bits of that row, as far as there are any.
#[inline]
fn put(bits: &mut [u64], k: usize, word: u64) {
    let Some(at) = (k << WORD).checked_sub(BEFORE as usize) else {
        bits[0] |= word >> BEFORE;
        return;
    };
    let (first, shift) = (at >> 6, at & 63);
    if let Some(bits) = bits.get_mut(first) {
        *bits |= word << shift;
    }
    if let Some(bits) = bits.get_mut(first + 1) {
        *bits |= word >> (64 - shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_row_the_cells_in_the_box_are_marked_and_no_others() {
        let mut random = crate::base::Random::linear(7);
        let mut next = |n: usize| random.below(n);
        for (from, counts) in [([2, 3, 4], [5, 4, 3]), ([3, 1, 7], [200, 5, 6]), ([63, 2, 1], [64, 1, 9])] {
            let mut marker = Marker::over(from, [0, 1, 2].map(|k| from[k] + counts[k] - 1));
            let mut expected = [0, 1].map(|_| std::collections::BTreeSet::new());
            for _ in 0..300 {
                let first = [0, 1, 2].map(|k| next((from[k] + counts[k] + 4) as usize));
                let mut rows = vec![];
                let cells = (0..=next(4)).map(|k| [first[0] + k, first[1], first[2]]);
                cells.for_each(|cell| CellRow::add(&mut rows, 0, cell));
                let [inside, surface] = [0, 1].map(|_| next(16) as u32 & rows[0].mask());
                marker.mark_both(rows[0], surface, inside);
                // Where there is surface, there is something inside of it.
                for (expected, mask) in expected.iter_mut().zip([inside | surface, surface]) {
                    let marked = rows[0].cells().enumerate().filter(|(k, _)| mask >> k & 1 == 1);
                    let marked = marked.map(|(_, cell)| cell.map(|i| i as i64));
                    let is_within = |c: &[i64; 3]| (0..3).all(|k| (0..counts[k]).contains(&(c[k] - from[k])));
                    expected.extend(marked.filter(is_within));
                }
            }
            for (level, expected) in marker.levels().iter().zip(&expected) {
                let mut found = std::collections::BTreeSet::new();
                level.visit(|cell| assert!(found.insert(cell)));
                assert_eq!(&found, expected);
            }
        }
    }
}
