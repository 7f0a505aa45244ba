//! The connected pieces of a set of triangles.
//!
//! Where a body is folded, a part of space holds several layers of its surface. A node over all of them can never
//! be shown to be free of self-intersections; a node over one layer can (see `contour`). So a build that expects
//! self-queries divides small sets into their connected pieces before it divides them in space.

use super::split::Item;
use crate::pairs::LANES;

/// Sets larger than this are divided in space only: pieces that large are rarely free of folds anyway.
pub(super) const LARGEST_SET: usize = 8 * 512;

/// Pieces smaller than this are swept together: a node each would cost more than it saves.
const SMALLEST_PIECE: u32 = 2 * LANES as u32;

/// Groups the items by the connected pieces they form, triangles being connected by common vertices. Returns the
/// sizes of the groups, largest first, at most eight: the largest pieces, then all that is left in one. Nothing is
/// moved, and a single size returned, unless there are two pieces worth a node of their own.
pub(super) fn group_by_piece(items: &mut [Item], triangles: &[[u32; 3]]) -> Vec<usize> {
    let whole = vec![items.len()];
    let mut pieces = Pieces::new(items.len());
    pieces.connect(items, triangles);
    let mut sizes = vec![0_u32; items.len()];
    for item in 0..items.len() as u32 {
        sizes[pieces.root(item) as usize] += 1;
    }
    let mut large: Vec<u32> =
        (0..items.len() as u32).filter(|&r| sizes[r as usize] >= SMALLEST_PIECE).collect();
    if large.len() < 2 {
        return whole;
    }
    large.sort_by_key(|&root| (std::cmp::Reverse(sizes[root as usize]), root));
    large.truncate(LANES - 1);
    // Group of each root: its rank among the large ones, or the last.
    let rest = large.len();
    let mut group_of = vec![rest; items.len()];
    for (rank, &root) in large.iter().enumerate() {
        group_of[root as usize] = rank;
    }
    let mut groups: Vec<Vec<Item>> = vec![Vec::new(); rest + 1];
    for (index, item) in items.iter().enumerate() {
        groups[group_of[pieces.root(index as u32) as usize]].push(*item);
    }
    for (to, from) in items.iter_mut().zip(groups.iter().flatten()) {
        *to = *from;
    }
    groups.iter().map(Vec::len).filter(|&size| size > 0).collect()
}

/// Disjoint sets of items, with a table of the item that first named each vertex.
struct Pieces {
    parent: Vec<u32>,
    /// Open addressing: vertex and item, a power of two of slots, at most half of them used.
    table: Vec<(u32, u32)>,
}

impl Pieces {
    const FREE: (u32, u32) = (u32::MAX, u32::MAX);

    fn new(items: usize) -> Self {
        let slots = (6 * items).next_power_of_two();
        Self { parent: (0..items as u32).collect(), table: vec![Self::FREE; slots] }
    }

    fn connect(&mut self, items: &[Item], triangles: &[[u32; 3]]) {
        for (index, item) in items.iter().enumerate() {
            for vertex in triangles[item.triangle() as usize] {
                let other = self.first_with(vertex, index as u32);
                self.join(other, index as u32);
            }
        }
    }

    /// The item that first named the vertex; this one, if none has.
    fn first_with(&mut self, vertex: u32, item: u32) -> u32 {
        let mask = self.table.len() - 1;
        let mut slot = (vertex.wrapping_mul(0x9e37_79b1) >> 7) as usize & mask;
        loop {
            match self.table[slot] {
                Self::FREE => {
                    self.table[slot] = (vertex, item);
                    return item;
                }
                (known, first) if known == vertex => return first,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn root(&mut self, mut item: u32) -> u32 {
        while self.parent[item as usize] != item {
            let grandparent = self.parent[self.parent[item as usize] as usize];
            self.parent[item as usize] = grandparent;
            item = grandparent;
        }
        item
    }

    /// The smaller index becomes the root, so that roots do not depend on the order of joins.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
