//! Finding a cell: by its key in a table with linear probing, or by one of the hash functions of the paper.

use super::CellTable;
use super::cell_runs::Cell;
use crate::base::{Lists, morton, parallel};
use std::sync::atomic::{AtomicU64, Ordering};

/// Finds the number of a cell.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// How cells are found.
    pub(super) kind: CellTable,
    /// Sorted: the last bits of a cell's key above its number, or free; linear probing. Eight cells whose keys differ in the
    /// last three bits only lie side by side if there is room, as they are looked for together. Threads enter cells as they
    /// come: where a cell lies depends on their order, which cell is found does not.
    entries: Vec<AtomicU64>,
    shift: u32,
    /// Hashed: the cells of each slot.
    cells_of_slot: Lists<u32>,
    slots: u32,
}

/// How many entries or cells a thread takes at a time.
const AT_A_TIME: usize = 8192;

impl Table {
    /// No cell has this number.
    const FREE: u64 = u64::MAX;

    /// How many slots a hash table has, by the number of triangles.
    pub(super) fn slots(kind: CellTable, triangles: usize) -> u32 {
        (triangles as u32 / 8).next_power_of_two().max(16) + u32::from(kind == CellTable::Djb2)
    }

    /// The slot of a cell by its layer and place.
    #[inline(always)]
    pub(super) fn slot(kind: CellTable, layer: u64, place: [u64; 3], slots: u32) -> u32 {
        match kind {
            CellTable::Sorted => 0,
            CellTable::Morton => ((morton::encode(place) + layer * 0x9e37) & u64::from(slots - 1)) as u32,
            CellTable::Djb2 => (djb2(layer, place) % u64::from(slots)) as u32,
        }
    }

    /// Takes in all cells, which lie in the order of their slots if the table is a hashed one.
    pub(super) fn build(&mut self, kind: CellTable, cells: &[Cell], triangles: usize, parallel: bool) {
        self.kind = kind;
        if kind == CellTable::Sorted {
            let size = (2 * cells.len()).next_power_of_two().max(16);
            self.shift = u64::BITS - (size / 8).trailing_zeros();
            self.entries.resize_with(size, AtomicU64::default);
            parallel::for_each(parallel, self.entries.chunks_mut(AT_A_TIME), |entries| {
                entries.iter_mut().for_each(|entry| *entry.get_mut() = Self::FREE);
            });
            let table = &*self;
            parallel::for_each(parallel, cells.chunks(AT_A_TIME).enumerate(), |(k, cells)| {
                for (number, cell) in (k * AT_A_TIME..).zip(cells) {
                    table.enter(cell.key, number as u32, parallel);
                }
            });
            return;
        }
        let slots = Self::slots(kind, triangles);
        let slot = |cell: &Cell| Self::slot(kind, u64::from(cell.layer), morton::decode(cell.key), slots);
        self.cells_of_slot.refill(slots as usize, cells.iter().map(slot).zip(0..));
        self.slots = slots;
    }

    /// Puts a cell into the first free entry from its home on.
    #[inline(always)]
    fn enter(&self, key: u64, number: u32, shared: bool) {
        let entry = u64::from(key as u32) << u32::BITS | u64::from(number);
        let mut slot = self.home(key);
        loop {
            let place = &self.entries[slot];
            if place.load(Ordering::Relaxed) == Self::FREE {
                if !shared {
                    place.store(entry, Ordering::Relaxed);
                    return;
                }
                // Another thread may be faster; nothing but the entry itself has to be seen in order.
                let swap = place.compare_exchange(Self::FREE, entry, Ordering::Relaxed, Ordering::Relaxed);
                if swap.is_ok() {
                    return;
                }
            }
            slot = (slot + 1) & (self.entries.len() - 1);
        }
    }

    /// Where a key is looked for first.
    #[inline(always)]
    fn home(&self, key: u64) -> usize {
        ((morton::hash(key >> 3) >> self.shift) << 3 | key & 7) as usize
    }

    /// The number of the cell with this key, whose layer and place are given too.
    #[inline(always)]
    pub(super) fn find(&self, cells: &[Cell], key: u64, layer: u64, place: [u64; 3]) -> Option<u32> {
        if self.kind == CellTable::Sorted {
            let mut slot = self.home(key);
            loop {
                let entry = self.entries[slot].load(Ordering::Relaxed);
                if entry == Self::FREE {
                    return None;
                }
                let number = entry as u32;
                if (entry >> u32::BITS) as u32 == key as u32 && cells[number as usize].key == key {
                    return Some(number);
                }
                slot = (slot + 1) & (self.entries.len() - 1);
            }
        }
        let slot = Self::slot(self.kind, layer, place, self.slots) as usize;
        self.cells_of_slot.list(slot).iter().copied().find(|&number| cells[number as usize].key == key)
    }
}

/// The hash function of Bernstein (DJB2) on layer and cell.
#[inline(always)]
fn djb2(layer: u64, cell: [u64; 3]) -> u64 {
    [cell[0], cell[1], cell[2], layer].iter().fold(5381_u64, |h, &x| h.wrapping_mul(33).wrapping_add(x))
}
