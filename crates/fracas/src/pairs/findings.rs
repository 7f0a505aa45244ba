//! What rows have yielded so far: pairs that certainly cross, and pairs still open.

use super::stages::Verdict;
use super::{FindStats, LANES, RowFilter, RowSide};
use fearless_simd::prelude::*;

/// Triangle pairs on their way from the row filter to the answer.
#[derive(Default)]
pub(crate) struct Findings {
    /// Pairs that certainly cross.
    pub(crate) crossing: Vec<(u32, u32)>,
    /// Pairs that must be decided exactly.
    pub(crate) open: Vec<(u32, u32)>,
}

impl Findings {
    pub(crate) fn clear(&mut self) {
        self.crossing.clear();
        self.open.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.crossing.len() + self.open.len()
    }

    /// Compares two rows of different triangles, named by `a_ids` and `b_ids`.
    #[inline(always)]
    pub(crate) fn compare_rows<S: Simd, const NEIGHBOURS: bool>(
        &mut self,
        filter: &RowFilter<S>,
        (a_side, a_ids): (&RowSide, &[u32; LANES]),
        (b_side, b_ids): (&RowSide, &[u32; LANES]),
        stats: &mut FindStats,
    ) {
        // Only triangles that reach into the other row's box matter; the fewer are taken one by one.
        let (a_low, a_high) = a_side.bounds();
        let (b_low, b_high) = b_side.bounds();
        let a_near = a_side.boxes.overlapping(filter.simd(), b_low, b_high) & a_side.used;
        let b_near = b_side.boxes.overlapping(filter.simd(), a_low, a_high) & b_side.used;
        if a_near == 0 || b_near == 0 {
            return;
        }
        let by_a = a_near.count_ones() < b_near.count_ones();
        let (ones, near_ones, row, near_row) =
            if by_a { (a_side, a_near, b_side, b_near) } else { (b_side, b_near, a_side, a_near) };
        for one in bits(near_ones) {
            stats.rows += 1;
            let verdict = filter.meet::<NEIGHBOURS>(ones, one, row, near_row, &mut stats.box_pairs);
            self.add(verdict, |lane| {
                let (p, q) = if by_a { (one, lane) } else { (lane, one) };
                (a_ids[p], b_ids[q])
            });
        }
    }

    /// Compares the triangles of one row with each other.
    #[inline(always)]
    pub(crate) fn compare_within<S: Simd>(
        &mut self,
        filter: &RowFilter<S>,
        (side, ids): (&RowSide, &[u32; LANES]),
        stats: &mut FindStats,
    ) {
        for one in 0..LANES {
            let later = side.used & (!1_u32 << one);
            if later == 0 {
                break;
            }
            stats.rows += 1;
            let verdict = filter.meet::<true>(side, one, side, later, &mut stats.box_pairs);
            self.add(verdict, |lane| (ids[one], ids[lane]));
        }
    }

    /// Adds the pairs of a verdict, each given by its lane.
    #[inline(always)]
    fn add(&mut self, verdict: Verdict, pair: impl Fn(usize) -> (u32, u32)) {
        for lane in bits(verdict.crossing) {
            self.crossing.push(pair(lane));
        }
        for lane in bits(verdict.open) {
            self.open.push(pair(lane));
        }
    }
}

/// Positions of the set bits, lowest first.
#[inline(always)]
pub(crate) fn bits(mask: u32) -> Bits {
    Bits(mask)
}

pub(crate) struct Bits(u32);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}
