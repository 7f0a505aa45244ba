//! Two rows meet, or a row meets itself: what the row filter leaves of their pairs.
//!
//! Leaves of trees and cells of grids end here alike.

use super::PairStats;
use super::row::{LANES, RowFilter, RowSide};
use fearless_simd::prelude::*;

/// Pairs of triangles that the row filter has not ruled out, the first from the first row.
#[derive(Clone, Debug, Default)]
pub struct Sieve {
    /// They certainly cross.
    pub crossing: Vec<(u32, u32)>,
    /// They must be decided exactly.
    pub open: Vec<(u32, u32)>,
}

impl Sieve {
    /// Forgets all pairs; keeps the memory.
    pub fn clear(&mut self) {
        self.crossing.clear();
        self.open.clear();
    }

    /// How many pairs there are of either kind.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.crossing.len() + self.open.len()
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the pairs between two rows, each given with its triangle ids.
    #[inline(always)]
    pub fn add_rows<S: Simd, const NEIGHBOURS: bool>(
        &mut self,
        filter: &RowFilter<S>,
        (a_side, a_ids): (&RowSide, &[u32; LANES]),
        (b_side, b_ids): (&RowSide, &[u32; LANES]),
        stats: &mut PairStats,
    ) {
        // Only triangles that reach into the other row's box matter; the fewer are taken one by one.
        let (a_low, a_high) = a_side.bounds();
        let (b_low, b_high) = b_side.bounds();
        let a_near = filter.lanes_in_box(a_side, b_low, b_high) & a_side.used();
        let b_near = filter.lanes_in_box(b_side, a_low, a_high) & b_side.used();
        if a_near == 0 || b_near == 0 {
            return;
        }
        let by_a = a_near.count_ones() < b_near.count_ones();
        let (ones, near_ones, row, near_row) =
            if by_a { (a_side, a_near, b_side, b_near) } else { (b_side, b_near, a_side, a_near) };
        for one in bits(near_ones) {
            stats.rows += 1;
            let verdict = filter.meet::<NEIGHBOURS>(ones, one, row, near_row, &mut stats.box_pairs);
            for lane in bits(verdict.crossing) {
                let (p, q) = if by_a { (one, lane) } else { (lane, one) };
                self.crossing.push((a_ids[p], b_ids[q]));
            }
            for lane in bits(verdict.open) {
                let (p, q) = if by_a { (one, lane) } else { (lane, one) };
                self.open.push((a_ids[p], b_ids[q]));
            }
        }
    }

    /// Adds the pairs within one row.
    #[inline(always)]
    pub fn add_row_itself<S: Simd>(
        &mut self,
        filter: &RowFilter<S>,
        (side, ids): (&RowSide, &[u32; LANES]),
        stats: &mut PairStats,
    ) {
        for one in 0..LANES {
            let later = side.used() & (!1_u32 << one);
            if later == 0 {
                break;
            }
            stats.rows += 1;
            let verdict = filter.meet::<true>(side, one, side, later, &mut stats.box_pairs);
            for lane in bits(verdict.crossing) {
                self.crossing.push((ids[one], ids[lane]));
            }
            for lane in bits(verdict.open) {
                self.open.push((ids[one], ids[lane]));
            }
        }
    }
}

/// Positions of the set bits, lowest first.
#[inline(always)]
pub(crate) fn bits(mask: u32) -> Bits {
    Bits(mask)
}

/// See [`bits`].
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
