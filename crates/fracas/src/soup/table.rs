//! Finding a cell: by its key in a table with linear probing, or by one of the hash functions of the paper.

use super::CellTable;
use super::cell_runs::Cell;
use crate::base::{Lists, morton};

/// Finds the number of a cell.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// How cells are found.
    pub(super) kind: CellTable,
    /// Sorted: the last bits of a cell's key, and its number or free; linear probing. Eight cells whose keys differ in the
    /// last three bits only lie side by side if there is room, as they are looked for together.
    entries: Vec<(u32, u32)>,
    shift: u32,
    /// Hashed: the cells of each slot.
    cells_of_slot: Lists<u32>,
    slots: u32,
}

impl Table {
    const FREE: u32 = u32::MAX;

    /// How many slots a hash table for so many triangles has.
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
    pub(super) fn build(&mut self, kind: CellTable, cells: &[Cell], triangles: usize) {
        self.kind = kind;
        self.entries.clear();
        if kind == CellTable::Sorted {
            let size = (2 * cells.len()).next_power_of_two().max(16);
            self.shift = u64::BITS - (size / 8).trailing_zeros();
            self.entries.resize(size, (0, Self::FREE));
            for (number, cell) in cells.iter().enumerate() {
                let mut slot = self.home(cell.key);
                while self.entries[slot].1 != Self::FREE {
                    slot = (slot + 1) & (size - 1);
                }
                self.entries[slot] = (cell.key as u32, number as u32);
            }
            return;
        }
        let slots = Self::slots(kind, triangles);
        let slot = |cell: &Cell| Self::slot(kind, u64::from(cell.layer), morton::decode(cell.key), slots);
        self.cells_of_slot.refill(slots as usize, cells.iter().map(slot).zip(0..));
        self.slots = slots;
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
                let (found, number) = self.entries[slot];
                if number == Self::FREE {
                    return None;
                }
                if found == key as u32 && cells[number as usize].key == key {
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
