//! The cells that a fragment occupies: bits over the grid, on several levels.
//!
//! # Idea
//!
//! ```text
//!    level 0            level 1       level 2      A cell of a level is present if any of its eight cells below is.
//!    . . # # . . . .    . # . .       # .          Around a point, take the eight cells that meet nearest to it. If the
//!    . # # # # . . .    # # # .       . .          fragment is in none of them, it is at least half a cell away. So the
//!    . . . # # # . .                               coarsest level that is empty around a point bounds its distance.
//! ```
//!
//! The same bits for the cells that a fragment's surface passes through lead from a point to the nearest of them: from coarse
//! cells to fine ones, nearest first, and none that is farther away than what was found.
//!
//! A cell that no surface passes through is entirely inside one fragment or entirely outside. So a fragment is in its surface
//! cells and in the cells whose centre it contains (`piece_cells`). A fracture makes one test per cell, not one per
//! tetrahedron in the cell.
//!
//! Each fragment has its own bits, within the box of its cells. So the number of fragments is not bounded by the width of a
//! word, and the bits of a fragment go when it breaks.

use crate::brittle::solid::cells::Cells;
use crate::geom::DVec3;

/// The cells of one fragment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Presence {
    origin: DVec3,
    size: f64,
    levels: Vec<Level>,
}

/// Bits over a box of cells, a row along x in whole words.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    pub from: [i64; 3],
    pub counts: [i64; 3],
    pub words_per_row: usize,
    pub bits: Vec<u64>,
}

impl Level {
    pub fn new(from: [i64; 3], to: [i64; 3]) -> Self {
        let counts = [0, 1, 2].map(|k| to[k] - from[k] + 1);
        let words_per_row = (counts[0] as usize).div_ceil(64);
        let bits = vec![0; words_per_row * (counts[1] * counts[2]) as usize];
        Self { from, counts, words_per_row, bits }
    }

    #[inline]
    fn has(&self, cell: [i64; 3]) -> bool {
        self.place(cell).is_some_and(|(word, bit)| self.bits[word] >> bit & 1 == 1)
    }

    /// Word and bit of a cell, if it is in the box.
    #[inline]
    fn place(&self, cell: [i64; 3]) -> Option<(usize, u32)> {
        let [x, y, z] = [0, 1, 2].map(|k| cell[k] - self.from[k]);
        // Below 0 is beyond everything without a sign.
        let is_within = |i: i64, k: usize| (i as u64) < self.counts[k] as u64;
        if !(is_within(x, 0) && is_within(y, 1) && is_within(z, 2)) {
            return None;
        }
        let row = (z * self.counts[1] + y) as usize * self.words_per_row;
        Some((row + (x >> 6) as usize, (x & 63) as u32))
    }

    /// Clears the bits of each row beyond the box.
    pub fn clear_beyond(&mut self) {
        let used = self.counts[0] as usize & 63;
        if used > 0 {
            for last in self.bits.iter_mut().skip(self.words_per_row - 1).step_by(self.words_per_row) {
                *last &= (1 << used) - 1;
            }
        }
    }

    /// Marks cells along x, a bit for each, but those below or above the box along y and z, or before it along x. Those that follow in
    /// the last word of a row are left to [`Level::clear_beyond`].
    #[inline]
    pub fn mark_run(&mut self, [x, y, z]: [usize; 3], mask: u64) {
        let [x, y, z] = [(x, 0), (y, 1), (z, 2)].map(|(i, k)| i as i64 - self.from[k]);
        if !((0..self.counts[1]).contains(&y) && (0..self.counts[2]).contains(&z)) {
            return;
        }
        let before = u32::try_from(-x).unwrap_or(0);
        let (x, mask) = (x.max(0) as usize, mask.checked_shr(before).unwrap_or(0));
        let (word, bit) = (x >> 6, x & 63);
        let row = (z * self.counts[1] + y) as usize * self.words_per_row;
        let row = &mut self.bits[row..row + self.words_per_row];
        if let Some(first) = row.get_mut(word) {
            *first |= mask << bit;
        }
        if let Some(next) = row.get_mut(word + 1).filter(|_| bit > 0) {
            *next |= mask >> (64 - bit);
        }
    }

    /// Visits words that have cells, each with the cell of its first bit.
    #[inline]
    fn visit_words(&self, mut visit: impl FnMut([i64; 3], u64)) {
        for (row, words) in self.bits.chunks_exact(self.words_per_row.max(1)).enumerate() {
            let (y, z) = (row as i64 % self.counts[1], row as i64 / self.counts[1]);
            for (&word, first) in words.iter().zip((self.from[0]..).step_by(64)) {
                if word != 0 {
                    visit([first, y + self.from[1], z + self.from[2]], word);
                }
            }
        }
    }

    /// Visits cells that are present.
    #[cfg(test)]
    pub fn visit(&self, mut visit: impl FnMut([i64; 3])) {
        self.visit_words(|[x, y, z], word| {
            let mut rest = word;
            while rest != 0 {
                visit([x + i64::from(rest.trailing_zeros()), y, z]);
                rest &= rest - 1;
            }
        });
    }

    /// The level above: cells twice as large.
    fn halved(&self) -> Self {
        let to = [0, 1, 2].map(|k| (self.from[k] + self.counts[k] - 1) >> 1);
        let mut above = Self::new(self.from.map(|i| i >> 1), to);
        let odd = self.from[0] & 1;
        for (row, words) in self.bits.chunks_exact(self.words_per_row.max(1)).enumerate() {
            let (y, z) = (row as i64 % self.counts[1], row as i64 / self.counts[1]);
            let [y, z] = [(y, 1), (z, 2)].map(|(i, k)| ((i + self.from[k]) >> 1) - above.from[k]);
            let start = (z * above.counts[1] + y) as usize * above.words_per_row;
            for (w, &word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
                // Cells 2i and 2i + 1 become one; a row that begins with an odd cell has that one alone.
                let halves = paired(word << odd) | (word >> 63 & odd as u64) << 32;
                let at = start + w / 2;
                if w % 2 == 0 {
                    above.bits[at] |= halves;
                } else {
                    above.bits[at] |= halves << 32;
                    if halves >> 32 != 0 {
                        above.bits[at + 1] |= 1;
                    }
                }
            }
        }
        above
    }
}

/// For each pair of bits, whether one of them is set; in the lower half.
#[inline]
fn paired(word: u64) -> u64 {
    let mut x = (word | word >> 1) & 0x5555_5555_5555_5555;
    x = (x | x >> 1) & 0x3333_3333_3333_3333;
    x = (x | x >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | x >> 4) & 0x00ff_00ff_00ff_00ff;
    x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
    (x | x >> 16) & 0xffff_ffff
}

impl Presence {
    /// Cells of a grid that were marked.
    pub(super) fn of(cells: &Cells, marked: Level) -> Self {
        Self { origin: cells.origin, size: cells.size, levels: pyramid(marked) }
    }

    /// Visits all present cells of the grid.
    #[cfg(test)]
    pub fn visit(&self, mut visit: impl FnMut([usize; 3])) {
        if let Some(level) = self.levels.first() {
            level.visit(|cell| visit(cell.map(|i| i as usize)));
        }
    }

    /// Visits its cells in rows along x: the first, and a bit for each of it and the 63 that follow.
    #[inline]
    pub fn visit_words(&self, mut visit: impl FnMut([usize; 3], u64)) {
        if let Some(level) = self.levels.first() {
            level.visit_words(|first, word| visit(first.map(|i| i as usize), word));
        }
    }

    /// Whether the fragment may have a point in a cell of the grid.
    #[inline]
    pub fn has(&self, cell: [usize; 3]) -> bool {
        self.levels.first().is_some_and(|level| level.has(cell.map(|i| i as i64)))
    }

    /// Visits present cells of the grid in about the order of their distance from a point, as long as they are nearer than the
    /// squared distance that `visit` returned last.
    pub fn visit_near(&self, p: DVec3, limit: f64, mut visit: impl FnMut([i64; 3]) -> f64) {
        let mut limit = limit;
        // Each level leaves seven cells at most; a grid of two million cells has seven full levels.
        let mut stack = [(0.0, 0_u8, [0_i64; 3]); 96];
        let mut open = 0;
        let distance = |level: usize, cell: [i64; 3]| {
            let size = self.size * f64::from(1_u32 << level);
            let low = self.origin + DVec3::from_array(cell.map(|i| i as f64)) * size;
            (low - p).max(p - low - size).max(DVec3::ZERO).length_squared()
        };
        // Begin on the level whose cells are as large as the ball: eight of them hold it.
        let radius = limit.sqrt();
        let level = (0..self.levels.len()).find(|&l| self.size * f64::from(1_u32 << l) >= 2.0 * radius);
        let level = level.unwrap_or(self.levels.len().saturating_sub(1));
        let Some(begin) = self.levels.get(level) else { return };
        let size = self.size * f64::from(1_u32 << level);
        let ends = [p - radius, p + radius].map(|corner| (corner - self.origin) / size);
        let range = |k: usize| {
            let last = begin.from[k] + begin.counts[k] - 1;
            (ends[0][k].max(begin.from[k] as f64) as i64)..=(ends[1][k].min(last as f64) as i64)
        };
        for z in range(2) {
            for y in range(1) {
                for x in range(0).filter(|&x| begin.has([x, y, z])) {
                    stack[open] = (distance(level, [x, y, z]), level as u8, [x, y, z]);
                    open += 1;
                }
            }
        }
        stack[..open].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        while open > 0 {
            open -= 1;
            let (squared, level, cell) = stack[open];
            if squared > limit {
                continue;
            }
            if level == 0 {
                limit = visit(cell);
                continue;
            }
            let below = level as usize - 1;
            let first = open;
            for k in 0..8 {
                let child = [2 * cell[0] + (k & 1), 2 * cell[1] + (k >> 1 & 1), 2 * cell[2] + (k >> 2)];
                if self.levels[below].has(child) {
                    let squared = distance(below, child);
                    if squared <= limit {
                        stack[open] = (squared, below as u8, child);
                        open += 1;
                    }
                }
            }
            stack[first..open].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        }
    }

    /// A lower bound of the distance from a point to the fragment.
    #[inline]
    pub fn distance_bound(&self, p: DVec3) -> f64 {
        let mut bound = 0.0;
        let mut size = self.size;
        for level in &self.levels {
            if any_around(level, (p - self.origin) / size) {
                break;
            }
            bound = 0.5 * size;
            size *= 2.0;
        }
        bound
    }
}

/// Coarser and coarser levels over a level, until two cells along each axis are left.
fn pyramid(finest: Level) -> Vec<Level> {
    let mut levels = vec![finest];
    while levels[levels.len() - 1].counts.iter().any(|&n| n > 2) {
        levels.push(levels[levels.len() - 1].halved());
    }
    levels
}

/// Whether one of the eight cells that meet nearest to a point, in units of cells, is present.
#[inline]
fn any_around(level: &Level, at: DVec3) -> bool {
    // No cell is below 0, so that −2 stands for all below; from there on, cutting off is rounding down.
    let first = (at + 1.5).clamp(DVec3::ZERO, DVec3::splat(1e9)).to_array().map(|x| x as i64 - 2);
    (0..8).any(|k| level.has([first[0] + (k & 1), first[1] + (k >> 1 & 1), first[2] + (k >> 2)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brittle::query::marker::Marker;
    use crate::mesh::tets::brick;

    #[test]
    fn the_bound_is_never_more_than_the_distance_and_not_much_less() {
        let mesh = brick(DVec3::new(2.0, 1.0, 1.0), [16, 8, 8]);
        let cells = Cells::build(&mesh, 0.7);
        // A corner of the block, so that there is much empty space around.
        let tets: Vec<u32> = (0..mesh.tet_count() as u32)
            .filter(|&t| mesh.corners(t as usize).iter().all(|p| p.max_element() < -0.1))
            .collect();
        let (low, high) = (DVec3::new(-1.0, -0.5, -0.5), DVec3::new(-0.1, -0.1, -0.1));
        let mut marker = Marker::new(&cells, [low, high]);
        for &tet in &tets {
            for &row in cells.cells_of(tet) {
                marker.mark(row, row.mask());
                if tet % 2 == 0 {
                    marker.mark_surface(row, row.mask());
                }
            }
        }
        let [presence, surface] = marker.finish(&cells);
        surface.visit(|cell| assert!(presence.has(cell)));
        let levels = &presence.levels;
        assert!(levels.len() > 2);
        let mut useful = 0;
        for k in 0..4000 {
            let p = DVec3::new(f64::from(k % 20), f64::from(k / 20 % 20), f64::from(k / 400)) * 0.15 - 1.2;
            let distance = (low - p).max(p - high).max(DVec3::ZERO).length();
            let bound = presence.distance_bound(p);
            assert!(bound <= distance + 1e-12, "{bound} {distance}");
            useful += usize::from(distance > 0.5 && bound > 0.1 * distance);
        }
        assert!(useful > 1000);
    }

    #[test]
    fn a_level_has_a_cell_if_and_only_if_one_of_eight_below_is_there() {
        let mut random = crate::base::Random::linear(1);
        let mut next = |n: usize| random.below(n);
        for (from, counts) in [([0, 0, 0], [5, 4, 3]), ([3, 1, 7], [200, 5, 6]), ([63, 2, 1], [65, 1, 9])] {
            let to = [0, 1, 2].map(|k| from[k] + counts[k] - 1);
            for share in [1, 4, 60] {
                let mut level = Level::new(from, to);
                let mut expected = std::collections::BTreeSet::new();
                for z in from[2]..=to[2] {
                    for y in from[1]..=to[1] {
                        for x in from[0]..=to[0] {
                            if next(share) == 0 {
                                let (word, bit) = level.place([x, y, z]).unwrap();
                                level.bits[word] |= 1 << bit;
                                expected.insert([x, y, z]);
                            }
                        }
                    }
                }
                for level in pyramid(level) {
                    let mut found = std::collections::BTreeSet::new();
                    level.visit(|cell| assert!(found.insert(cell) && level.has(cell)));
                    assert_eq!(found, expected);
                    expected = expected.iter().map(|cell| cell.map(|i| i >> 1)).collect();
                }
            }
        }
    }

    #[test]
    fn of_a_run_the_cells_in_the_box_are_marked_and_no_others() {
        let mut random = crate::base::Random::linear(3);
        let mut next = |n: usize| random.below(n);
        for (from, counts) in [([2, 3, 4], [5, 4, 3]), ([90, 1, 7], [200, 5, 6]), ([63, 2, 1], [64, 1, 9])] {
            let mut level = Level::new(from, [0, 1, 2].map(|k| from[k] + counts[k] - 1));
            let mut expected = std::collections::BTreeSet::new();
            for _ in 0..300 {
                let first = [0, 1, 2].map(|k| next((from[k] + counts[k] + 4) as usize));
                let mask = (next(1 << 31) as u64) << 33 | next(1 << 31) as u64;
                level.mark_run(first, mask);
                let marked = (0..64).filter(|k| mask >> k & 1 == 1);
                let marked = marked.map(|k| [first[0] as i64 + k, first[1] as i64, first[2] as i64]);
                let is_within = |c: &[i64; 3]| (0..3).all(|k| (0..counts[k]).contains(&(c[k] - from[k])));
                expected.extend(marked.filter(is_within));
            }
            level.clear_beyond();
            let mut found = std::collections::BTreeSet::new();
            level.visit(|cell| assert!(found.insert(cell)));
            assert_eq!(found, expected);
        }
    }
}
