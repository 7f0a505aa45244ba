//! Rows of eight triangles are compared by their boxes; candidate pairs wait until eight of them fill a vector.

use crate::geom::Boxes8;
use crate::pairs::{FindStats, Findings, LANES, Packed, PairFilter, bits};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, i32x8, mask32x8, u32x8};

/// Candidate pairs on their way through the pair filter.
#[derive(Default)]
pub(super) struct Packer {
    /// Pairs whose boxes overlap.
    pub(super) boxes: Waiting,
    /// Of those the ones that the planes do not separate.
    pub(super) close: Waiting,
}

/// Pairs of records that wait until there are eight of them.
#[derive(Default)]
pub(super) struct Waiting {
    first: Vec<u32>,
    second: Vec<u32>,
    pub(super) count: usize,
}

/// Filters run when so many pairs wait.
pub(super) const ROOM: usize = 1024;

impl Waiting {
    /// Makes sure that pairs of so many triangles with a row can be added.
    #[inline(always)]
    pub(super) fn make_room(&mut self, triangles: usize) {
        let most = self.count + LANES * triangles;
        if self.first.len() < most {
            self.first.resize(most.max(2 * ROOM), 0);
            self.second.resize(most.max(2 * ROOM), 0);
        }
    }

    /// Adds the pairs of one record with those of a row in the given lanes.
    ///
    /// Eight are written and only as many counted as there are lanes: no jump to be mispredicted.
    #[inline(always)]
    pub(super) fn add<S: Simd>(&mut self, simd: S, one: u32, row: u32, lanes: u32) {
        let [ones, others] = self.next_eight();
        u32x8::splat(simd, one).store_array(ones);
        (u32x8::load_array_ref(simd, &LANES_OF[(lanes & 0xff) as usize]) + row).store_array(others);
        self.count += lanes.count_ones() as usize;
    }

    /// The places behind the pairs that wait.
    #[inline(always)]
    fn next_eight(&mut self) -> [&mut [u32; LANES]; 2] {
        let Self { first, second, count } = self;
        [first, second].map(|list| (&mut list[*count..*count + LANES]).try_into().expect("eight"))
    }

    /// Adds one pair; there must be room.
    #[inline(always)]
    fn push(&mut self, first: u32, second: u32) {
        self.first[self.count] = first;
        self.second[self.count] = second;
        self.count += 1;
    }

    /// Takes the last eight pairs, with a bit for each; what is missing to eight is filled up and has no bit.
    #[inline(always)]
    fn take_pack(&mut self) -> Option<(&[u32; LANES], &[u32; LANES], u32)> {
        if self.count == 0 {
            return None;
        }
        let used = self.count.min(LANES);
        self.count -= used;
        let [first, second] = self.next_eight();
        for lane in used..LANES {
            (first[lane], second[lane]) = (first[0], second[0]);
        }
        Some((first, second, (1 << used) - 1))
    }
}

/// A box in coordinates of a layer: lower corner, any, upper corner negated, any. One comparison tells whether two
/// boxes overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(super) struct RowBox(pub(super) [f32; 8]);

impl RowBox {
    pub(super) const EMPTY: Self = Self([f32::INFINITY; 8]);

    pub(super) fn new(low: [f32; 3], high: [f32; 3]) -> Self {
        Self([low[0], low[1], low[2], 0.0, -high[0], -high[1], -high[2], 0.0])
    }

    #[inline(always)]
    pub(super) fn low(&self) -> [f32; 3] {
        [self.0[0], self.0[1], self.0[2]]
    }

    #[inline(always)]
    pub(super) fn high(&self) -> [f32; 3] {
        [-self.0[4], -self.0[5], -self.0[6]]
    }

    /// The bounds that another box must not exceed if it overlaps this one.
    #[inline(always)]
    pub(super) fn limits<S: Simd>(&self, simd: S) -> f32x8<S> {
        let b = &self.0;
        let limits = [-b[4], -b[5], -b[6], f32::INFINITY, -b[0], -b[1], -b[2], f32::INFINITY];
        f32x8::load_array(simd, limits)
    }

    /// Whether the box overlaps the one with these limits.
    #[inline(always)]
    pub(super) fn within<S: Simd>(&self, simd: S, limits: f32x8<S>) -> bool {
        f32x8::load_array_ref(simd, &self.0).simd_le(limits).to_bitmask() == 0xff
    }

    #[inline(always)]
    pub(super) fn union(&mut self, other: &Self) {
        for k in 0..8 {
            self.0[k] = self.0[k].min(other.0[k]);
        }
    }
}

/// A row as it takes part in a comparison.
#[derive(Clone, Copy)]
pub(super) struct RowView<'a> {
    pub(super) lanes: &'a Boxes8,
    pub(super) flat: &'a [[i32; LANES]; 3],
    pub(super) bounds: RowBox,
    /// The record in its first lane.
    pub(super) first: u32,
}

impl RowView<'_> {
    /// Lanes among the given ones whose boxes overlap that of triangle `one` of `ones`. With `NEIGHBOURS`, without those
    /// that share a vertex with it whose triangles are known not to meet.
    #[inline(always)]
    fn lanes_beside<S: Simd, const NEIGHBOURS: bool>(
        &self,
        simd: S,
        ones: &Self,
        one: usize,
        lanes: u32,
        box_pairs: &mut u64,
    ) -> u32 {
        let (low, high) = ones.lanes.lane(one);
        let hits = self.lanes.overlapping(simd, low, high) & lanes;
        *box_pairs += u64::from(hits.count_ones());
        if !NEIGHBOURS {
            return hits;
        }
        let mut same = mask32x8::splat(simd, false);
        for corner in ones.flat {
            // No vertex and −1 are never the same.
            let vertex = corner[one] & i32::MAX;
            for others in self.flat {
                same |= i32x8::load_array_ref(simd, others).simd_eq(vertex);
            }
        }
        hits & !(same.to_bitmask() as u32)
    }
}

impl Packer {
    /// Adds the pairs of two rows whose boxes overlap.
    #[inline(always)]
    pub(super) fn add_rows<S: Simd, const NEIGHBOURS: bool>(
        &mut self,
        simd: S,
        a: &RowView,
        b: &RowView,
        stats: &mut FindStats,
    ) {
        // Only triangles that reach into the other row's box matter; the fewer are taken one by one.
        let a_near = a.lanes.overlapping(simd, b.bounds.low(), b.bounds.high());
        let b_near = b.lanes.overlapping(simd, a.bounds.low(), a.bounds.high());
        let by_a = a_near.count_ones() < b_near.count_ones();
        let (ones, row, near) = if by_a { (a, b, a_near) } else { (b, a, b_near) };
        stats.rows += u64::from(near.count_ones());
        self.boxes.make_room(LANES);
        for one in bits(near) {
            let hits = row.lanes_beside::<S, NEIGHBOURS>(simd, ones, one, 0xff, &mut stats.box_pairs);
            self.boxes.add(simd, ones.first + one as u32, row.first, hits);
        }
    }

    /// Adds the pairs of one row with itself.
    #[inline(always)]
    pub(super) fn add_row<S: Simd>(&mut self, simd: S, row: &RowView, stats: &mut FindStats) {
        self.boxes.make_room(LANES);
        stats.rows += LANES as u64 - 1;
        for one in 0..LANES - 1 {
            let later = (0xfe << one) & 0xff;
            let hits = row.lanes_beside::<S, true>(simd, row, one, later, &mut stats.box_pairs);
            self.boxes.add(simd, row.first + one as u32, row.first, hits);
        }
    }

    /// Filters all pairs whose boxes overlap.
    #[inline(always)]
    pub(super) fn filter<S: Simd, const NEIGHBOURS: bool>(&mut self, simd: S, packed: &Packed) {
        let filter = PairFilter::new(simd);
        while let Some((first, second, used)) = self.boxes.take_pack() {
            let left = used & filter.may_meet::<NEIGHBOURS>(packed, first, second);
            self.close.make_room(1);
            for lane in bits(left) {
                self.close.push(first[lane], second[lane]);
            }
        }
    }

    /// Sorts all close pairs by how they meet.
    #[inline(always)]
    pub(super) fn decide_close<S: Simd, const NEIGHBOURS: bool>(
        &mut self,
        simd: S,
        packed: &Packed,
        findings: &mut Findings,
    ) {
        let filter = PairFilter::new(simd);
        while let Some((first, second, used)) = self.close.take_pack() {
            let verdict = filter.meet::<NEIGHBOURS>(packed, first, second);
            for lane in bits(verdict.crossing & used) {
                findings.crossing.push((first[lane], second[lane]));
            }
            for lane in bits(verdict.open & used) {
                findings.open.push((first[lane], second[lane]));
            }
        }
    }
}

/// The set bits of every byte, lowest first.
static LANES_OF: [[u32; LANES]; 256] = {
    let mut all = [[0; LANES]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if mask >> lane & 1 == 1 {
                all[mask][count] = lane as u32;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    all
};
