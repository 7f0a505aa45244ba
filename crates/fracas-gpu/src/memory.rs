//! What a soup keeps in its machine's memory, and how its lists grow.

use crate::GpuError;
use crate::layout::{CORNERS_BYTES, Counters, PlanLayout, RECORD_BYTES};
use crate::machine::{Machine, Memory};

/// How many items the lists on the device have room for.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    pub(crate) candidates: u32,
    pub(crate) pairs: u32,
    pub(crate) open: u32,
}

/// Everything a soup keeps on its machine.
pub(crate) struct Memories {
    pub(crate) positions: Memory,
    pub(crate) triangles: Memory,
    pub(crate) groups: Memory,
    pub(crate) ranks: Memory,
    pub(crate) counts: Memory,
    pub(crate) ranges: Memory,
    pub(crate) records: Memory,
    pub(crate) corners: Memory,
    pub(crate) candidates: Memory,
    pub(crate) pairs: Memory,
    pub(crate) open: Memory,
    pub(crate) counters: Memory,
    buckets: u32,
}

/// The most items of a list; more would not fit in any memory, and counters stop before they overflow.
pub(crate) const MOST: usize = 0xe000_0000;

impl Room {
    /// Makes room for what was counted; whether there was too little.
    pub(crate) fn grow(&mut self, counters: &Counters) -> Result<bool, GpuError> {
        let mut grew = false;
        for (room, count, what) in [
            (&mut self.candidates, counters.candidates, "candidates"),
            (&mut self.pairs, counters.pairs, "pairs"),
            (&mut self.open, counters.open, "open pairs"),
        ] {
            if count > *room {
                check(what, count as usize, MOST)?;
                *room = (count as usize + count as usize / 4).min(MOST) as u32;
                grew = true;
            }
        }
        Ok(grew)
    }
}

impl Memories {
    /// Memory for this many vertices and triangles, all zero.
    pub(crate) fn new(
        machine: &Machine,
        vertices: usize,
        triangles: usize,
        plan: &PlanLayout,
        room: Room,
    ) -> Result<Self, GpuError> {
        let buckets = plan.buckets;
        Ok(Self {
            positions: machine.allocate(vertices, 24)?,
            triangles: machine.allocate(triangles, 16)?,
            groups: machine.allocate(triangles, 4)?,
            ranks: machine.allocate(triangles, 4)?,
            counts: machine.allocate(buckets as usize, 4)?,
            ranges: machine.allocate(buckets as usize, 8)?,
            records: machine.allocate(triangles, RECORD_BYTES)?,
            corners: machine.allocate(triangles, CORNERS_BYTES)?,
            candidates: machine.allocate(room.candidates as usize, 8)?,
            pairs: machine.allocate(room.pairs as usize, 8)?,
            open: machine.allocate(room.open as usize, 8)?,
            counters: machine.allocate(1, size_of::<Counters>())?,
            buckets,
        })
    }

    /// Replaces what is too small. Nothing in it outlives a step.
    pub(crate) fn make_room(
        &mut self,
        machine: &Machine,
        plan: &PlanLayout,
        room: Room,
    ) -> Result<(), GpuError> {
        let buckets = plan.buckets;
        if buckets > self.buckets {
            self.counts = machine.allocate(buckets as usize, 4)?;
            self.ranges = machine.allocate(buckets as usize, 8)?;
            self.buckets = buckets;
        }
        for (memory, items) in [
            (&mut self.candidates, room.candidates),
            (&mut self.pairs, room.pairs),
            (&mut self.open, room.open),
        ] {
            if memory.bytes() < items as usize * 8 {
                *memory = machine.allocate(items as usize, 8)?;
            }
        }
        Ok(())
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        let all = [
            &self.positions,
            &self.triangles,
            &self.groups,
            &self.ranks,
            &self.counts,
            &self.ranges,
            &self.records,
            &self.corners,
            &self.candidates,
            &self.pairs,
            &self.open,
            &self.counters,
        ];
        all.iter().map(|memory| memory.bytes()).sum()
    }
}

/// The count, if it is not too large.
pub(crate) fn check(what: &'static str, count: usize, most: usize) -> Result<usize, GpuError> {
    if count > most { Err(GpuError::TooMany { what, count, most }) } else { Ok(count) }
}
