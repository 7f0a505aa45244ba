//! Many queries over tables of moving vertices: what whole bodies use.
//!
//! ```text
//!   candidates ─▶ axes ─▶ signs over the step ─▶ signs at the root ─▶ parts of the step ─▶ integers
//!                 one by one    eight at a time      eight at a time      one by one         one by one
//! ```
//!
//! Each stage keeps a list of what it leaves open, so that eight queries at a time are always eight queries of the same
//! stage. The answer to a query does not depend on its neighbours in a list.

use super::kind::{EDGE_EDGE, Kind, VERTEX_TRIANGLE};
use super::lanes::{Eight, LANES};
use super::{ImpactTime, MovingPoint, Verdict};
use crate::geom::DVec3;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f64x8};

/// Candidates that go through all stages before the next ones begin: their lists stay in the nearest cache.
const BLOCK: usize = 4096;

/// A moving vertex: x, y, z and nothing at the start, the same at the end. One line of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Row([f64; 8]);

impl Row {
    /// The row of a point with finite coordinates.
    #[inline]
    #[must_use]
    pub fn new(start: DVec3, end: DVec3) -> Self {
        Self([start.x, start.y, start.z, 0.0, end.x, end.y, end.z, 0.0])
    }

    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S) -> f64x8<S> {
        f64x8::load_array_ref(simd, &self.0)
    }

    /// The point.
    #[must_use]
    pub fn point(&self) -> MovingPoint {
        let [x, y, z, _, u, v, w, _] = self.0;
        MovingPoint { start: DVec3::new(x, y, z), end: DVec3::new(u, v, w) }
    }
}

/// How many queries each stage decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImpactStats {
    /// All queries.
    pub queries: u64,
    /// No contact: apart along an axis throughout.
    pub by_axes: u64,
    /// No contact by signs over the whole step.
    pub by_signs: u64,
    /// By signs at the only root.
    pub by_root: u64,
    /// By signs on parts of the step.
    pub by_parts: u64,
    /// By integers.
    pub by_integers: u64,
    /// Contacts.
    pub contacts: u64,
}

/// Answers many queries; keeps its memory from call to call.
///
/// Counters are summed up until [`ImpactBatch::take_stats`].
#[derive(Debug, Default)]
pub struct ImpactBatch {
    /// Positions in the list of candidates that are left to the next stage.
    open: Vec<u32>,
    with_root: Vec<u32>,
    difficult: Vec<u32>,
    found: Vec<(u32, ImpactTime)>,
    stats: ImpactStats,
}

impl ImpactBatch {
    /// A vertex of the first table against a triangle of the second, which may be the same table. Calls `out` with the
    /// position in the list and the time of each contact, in order.
    ///
    /// # Panics
    /// If a candidate is not in its table.
    pub fn vertex_triangle(
        &mut self,
        [a, b]: [&[Row]; 2],
        candidates: &[[u32; 4]],
        out: impl FnMut(usize, ImpactTime),
    ) {
        self.run(VERTEX_TRIANGLE, [a, b, b, b], candidates, out);
    }

    /// An edge of the first table against one of the second, which may be the same table. Calls `out` with the position
    /// in the list and the time of each contact, in order.
    ///
    /// # Panics
    /// If a candidate is not in its table.
    pub fn edge_edge(
        &mut self,
        [a, b]: [&[Row]; 2],
        candidates: &[[u32; 4]],
        out: impl FnMut(usize, ImpactTime),
    ) {
        self.run(EDGE_EDGE, [a, a, b, b], candidates, out);
    }

    /// The counters, which begin again at zero.
    pub fn take_stats(&mut self) -> ImpactStats {
        std::mem::take(&mut self.stats)
    }

    fn run<const N: usize>(
        &mut self,
        kind: Kind<N>,
        tables: [&[Row]; 4],
        candidates: &[[u32; 4]],
        mut out: impl FnMut(usize, ImpactTime),
    ) {
        let level = Level::new();
        for (block, candidates) in candidates.chunks(BLOCK).enumerate() {
            self.found.clear();
            dispatch!(level, simd => self.filter(simd, kind, tables, candidates));
            self.decide_difficult(kind, tables, candidates);
            self.found.sort_unstable_by_key(|found| found.0);
            self.stats.queries += candidates.len() as u64;
            self.stats.contacts += self.found.len() as u64;
            for &(position, time) in &self.found {
                out(block * BLOCK + position as usize, time);
            }
        }
    }

    /// All stages that look at several queries at once.
    #[inline(always)]
    fn filter<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        kind: Kind<N>,
        tables: [&[Row]; 4],
        candidates: &[[u32; 4]],
    ) {
        let count = open_along_axes(simd, kind.corners, tables, candidates, &mut self.open);
        self.open.truncate(count);
        self.stats.by_axes += (candidates.len() - count) as u64;

        self.with_root.clear();
        self.difficult.clear();
        for group in self.open.chunks(LANES) {
            let used = (1 << group.len()) - 1;
            let signs = Eight::load(simd, &gather(tables, candidates, group), kind.corners).signs();
            self.stats.by_signs += u64::from((signs.apart & used).count_ones());
            push(&mut self.with_root, group, signs.one_root & !signs.apart & used);
            push(&mut self.difficult, group, !signs.one_root & !signs.apart & used);
        }
        for group in self.with_root.chunks(LANES) {
            let used = (1 << group.len()) - 1;
            let root = Eight::load(simd, &gather(tables, candidates, group), kind.corners).at_root();
            self.stats.by_root += u64::from(((root.apart | root.contact) & used).count_ones());
            push(&mut self.difficult, group, !(root.apart | root.contact) & used);
            let mut contacts = root.contact & used;
            while contacts != 0 {
                let lane = contacts.trailing_zeros() as usize;
                contacts &= contacts - 1;
                self.found.push((group[lane], ImpactTime { low: root.low[lane], high: root.high[lane] }));
            }
        }
    }

    /// One query at a time.
    fn decide_difficult<const N: usize>(
        &mut self,
        kind: Kind<N>,
        tables: [&[Row]; 4],
        candidates: &[[u32; 4]],
    ) {
        for &position in &self.difficult {
            let ids = candidates[position as usize];
            let points = [0, 1, 2, 3].map(|k| tables[k][ids[k] as usize].point());
            let time = match kind.subdivide(&points) {
                Verdict::Unknown => {
                    self.stats.by_integers += 1;
                    (kind.exact)(points)
                }
                decided => {
                    self.stats.by_parts += 1;
                    decided.contact()
                }
            };
            self.found.extend(time.map(|time| (position, time)));
        }
    }
}

/// Writes the positions of the candidates that no axis separates to the front of `open`, and returns how many there are.
#[inline(always)]
fn open_along_axes<S: Simd, const N: usize>(
    simd: S,
    corners: [[usize; 2]; N],
    tables: [&[Row]; 4],
    candidates: &[[u32; 4]],
    open: &mut Vec<u32>,
) -> usize {
    open.resize(candidates.len(), 0);
    let mut count = 0;
    for (position, ids) in candidates.iter().enumerate() {
        let rows = [
            tables[0][ids[0] as usize].load(simd),
            tables[1][ids[1] as usize].load(simd),
            tables[2][ids[2] as usize].load(simd),
            tables[3][ids[3] as usize].load(simd),
        ];
        let [p, q] = corners[0];
        let mut above = rows[p].simd_gt(rows[q]);
        let mut below = rows[p].simd_lt(rows[q]);
        for i in 1..N {
            let [p, q] = corners[i];
            above &= rows[p].simd_gt(rows[q]);
            below &= rows[p].simd_lt(rows[q]);
        }
        let (above, below) = (above.to_bitmask(), below.to_bitmask());
        // The start is in the lower half, the end in the upper one; the fourth value of each is equal in all rows.
        let is_separated = (above & above >> 4) | (below & below >> 4);
        open[count] = position as u32;
        count += usize::from(is_separated & 7 == 0);
    }
    count
}

/// The rows of up to eight candidates; the last one fills what is left.
#[inline(always)]
fn gather<'a>(tables: [&'a [Row]; 4], candidates: &[[u32; 4]], group: &[u32]) -> [[&'a Row; 4]; LANES] {
    let mut rows = [[&tables[0][0]; 4]; LANES];
    for lane in 0..LANES {
        let ids = candidates[group[lane.min(group.len() - 1)] as usize];
        for k in 0..4 {
            rows[lane][k] = &tables[k][ids[k] as usize];
        }
    }
    rows
}

/// Adds those of a group whose bit is set to a list.
#[inline(always)]
fn push(list: &mut Vec<u32>, group: &[u32], mut bits: u32) {
    while bits != 0 {
        list.push(group[bits.trailing_zeros() as usize]);
        bits &= bits - 1;
    }
}
