//! Where a fragment is, roughly: bits over the cells of the grid, on several levels.
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
//! The same bits, for the cells of a fragment's surface, lead from a point to the nearest of them: from coarse cells to fine
//! ones, nearest first, and none that is farther away than what was found.
//!
//! Bits are kept for each fragment, within the box of its cells, so their number is not bounded by the width of a word and a
//! fragment that breaks takes its bits with it.

use super::cells::Cells;
use crate::geom::DVec3;

/// The cells of one fragment.
#[derive(Clone, Debug, Default)]
pub(super) struct Presence {
    origin: DVec3,
    size: f64,
    levels: Vec<Level>,
}

/// Bits over a box of cells, a row along x in whole words.
#[derive(Clone, Debug, Default)]
struct Level {
    from: [i64; 3],
    counts: [i64; 3],
    words_per_row: usize,
    bits: Vec<u64>,
}

impl Level {
    fn new(from: [i64; 3], to: [i64; 3]) -> Self {
        let counts = [0, 1, 2].map(|k| to[k] - from[k] + 1);
        let words_per_row = (counts[0] as usize).div_ceil(64);
        let bits = vec![0; words_per_row * (counts[1] * counts[2]) as usize];
        Self { from, counts, words_per_row, bits }
    }

    #[inline]
    fn has(&self, cell: [i64; 3]) -> bool {
        let at = [0, 1, 2].map(|k| cell[k] - self.from[k]);
        if (0..3).any(|k| at[k] < 0 || at[k] >= self.counts[k]) {
            return false;
        }
        let row = (at[2] * self.counts[1] + at[1]) as usize * self.words_per_row;
        self.bits[row + (at[0] >> 6) as usize] >> (at[0] & 63) & 1 == 1
    }

    #[inline]
    fn set(&mut self, cell: [i64; 3]) {
        let at = [0, 1, 2].map(|k| cell[k] - self.from[k]);
        let row = (at[2] * self.counts[1] + at[1]) as usize * self.words_per_row;
        self.bits[row + (at[0] >> 6) as usize] |= 1 << (at[0] & 63);
    }

    /// Cells that are present.
    fn cells(&self) -> impl Iterator<Item = [i64; 3]> + '_ {
        let rows = self.bits.chunks_exact(self.words_per_row.max(1)).enumerate();
        rows.flat_map(move |(row, words)| {
            let (y, z) = (row as i64 % self.counts[1], row as i64 / self.counts[1]);
            words.iter().enumerate().flat_map(move |(w, &word)| {
                std::iter::successors((word != 0).then_some(word), |rest| {
                    let rest = rest & (rest - 1);
                    (rest != 0).then_some(rest)
                })
                .map(move |rest| {
                    let x = 64 * w as i64 + i64::from(rest.trailing_zeros());
                    [x + self.from[0], y + self.from[1], z + self.from[2]]
                })
            })
        })
    }
}

/// The finest level of a fragment, while its cells are marked.
pub(super) struct Marker {
    from: [usize; 3],
    to: [usize; 3],
    level: Level,
}

impl Marker {
    /// Marks a cell, if it is in the box of the fragment.
    #[inline]
    pub fn mark(&mut self, cell: [usize; 3]) {
        if (0..3).all(|k| self.from[k] <= cell[k] && cell[k] <= self.to[k]) {
            self.level.set(cell.map(|i| i as i64));
        }
    }
}

impl Presence {
    /// The cells of a fragment with the given tetrahedra and box, and those of its surface, which `skin_of` marks for each
    /// tetrahedron.
    pub fn of(
        cells: &Cells,
        tets: &[u32],
        [low, high]: [DVec3; 2],
        skin_of: impl Fn(u32, &mut Marker),
    ) -> [Self; 2] {
        // Cut tetrahedra reach beyond the fragment; its box does not.
        let [from, to] = [low, high].map(|corner| cells.cell_of(corner));
        let marker = || Marker { from, to, level: Level::new(from.map(|i| i as i64), to.map(|i| i as i64)) };
        let (mut all, mut skin) = (marker(), marker());
        for &tet in tets {
            cells.cells_of(tet).iter().for_each(|packed| all.mark(packed.cell()));
            skin_of(tet, &mut skin);
        }
        [all, skin].map(|marked| {
            let levels = pyramid(marked.level);
            Self { origin: cells.origin, size: cells.size, levels }
        })
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
        let below = &levels[levels.len() - 1];
        let to = [0, 1, 2].map(|k| (below.from[k] + below.counts[k] - 1) >> 1);
        let mut above = Level::new(below.from.map(|i| i >> 1), to);
        for cell in below.cells() {
            above.set(cell.map(|i| i >> 1));
        }
        levels.push(above);
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
        let [presence, skin] = Presence::of(&cells, &tets, [low, high], |tet, marker| {
            if tet % 2 == 0 {
                cells.cells_of(tet).iter().for_each(|packed| marker.mark(packed.cell()));
            }
        });
        assert!(skin.levels[0].cells().all(|cell| presence.levels[0].has(cell)));
        let levels = &presence.levels;
        assert!(levels.len() > 2);
        for (below, above) in levels.iter().zip(&levels[1..]) {
            for cell in below.cells() {
                assert!(above.has(cell.map(|i| i >> 1)));
            }
        }
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
}
