//! The smooth, connected pieces of a set of triangles.
//!
//! Where a body is folded, a part of space holds several layers of its surface, joined by sharp bends. A node over all
//! of them can never be shown to be free of self-intersections; a node over one smooth layer can (see `contour`).
//! So a build that expects self-queries divides small sets into such pieces before it divides them in space.
//!
//! Two triangles belong to one piece if they share a vertex and their normals point along the same side of the same
//! axis most. Where that would leave crumbs, as on a very rough surface, sharing a vertex is enough.

use super::split::Item;
use crate::mesh::{Mesh, TriangleId};
use crate::pairs::LANES;

/// Sets larger than this are divided in space only.
pub(super) const LARGEST_SET: usize = 8 * 512;

/// Pieces smaller than this are swept together: a node each would cost more than it saves.
const SMALLEST_PIECE: u32 = 2 * LANES as u32;

/// Groups the items by the pieces they form. Returns the sizes of the groups, at most eight: the largest pieces,
/// largest first, then all that is left in one. Nothing is moved, and a single size returned, unless there are two
/// pieces worth a node of their own.
pub(super) fn group_by_piece(items: &mut [Item], mesh: &Mesh) -> Vec<usize> {
    let directions: Vec<u8> = items.iter().map(|item| direction(mesh, item.triangle())).collect();
    let smooth = Pieces::of(items, mesh, |a, b| directions[a as usize] == directions[b as usize]);
    // Crumbs may make up a third of the set.
    if 3 * smooth.in_large_pieces() >= 2 * items.len() {
        return smooth.group(items);
    }
    Pieces::of(items, mesh, |_, _| true).group(items)
}

/// The axis, and its side, along which the triangle's normal points most.
fn direction(mesh: &Mesh, triangle: u32) -> u8 {
    let n = mesh.triangle(TriangleId(triangle)).area_vector();
    let axis = n.abs().max_position();
    2 * axis as u8 + u8::from(n[axis] < 0.0)
}

/// A partition of the items: roots name the pieces, with their sizes.
struct Pieces {
    roots: Vec<u32>,
    sizes: Vec<u32>,
}

impl Pieces {
    /// Items that share a vertex are in one piece if `alike` says so.
    fn of(items: &[Item], mesh: &Mesh, alike: impl Fn(u32, u32) -> bool) -> Self {
        let mut sets = Sets::new(items.len());
        sets.connect(items, mesh.triangles(), alike);
        let roots: Vec<u32> = (0..items.len() as u32).map(|item| sets.root(item)).collect();
        let mut sizes = vec![0; items.len()];
        for &root in &roots {
            sizes[root as usize] += 1;
        }
        Self { roots, sizes }
    }

    fn in_large_pieces(&self) -> usize {
        self.sizes.iter().filter(|&&size| size >= SMALLEST_PIECE).map(|&size| size as usize).sum()
    }

    /// Moves the items of each large piece together.
    fn group(&self, items: &mut [Item]) -> Vec<usize> {
        let size_of = |root: u32| self.sizes[root as usize];
        let mut large: Vec<u32> =
            (0..items.len() as u32).filter(|&root| size_of(root) >= SMALLEST_PIECE).collect();
        if large.len() < 2 {
            return vec![items.len()];
        }
        large.sort_by_key(|&root| (std::cmp::Reverse(size_of(root)), root));
        large.truncate(LANES - 1);
        let mut group_of_root = vec![large.len(); items.len()];
        for (rank, &root) in large.iter().enumerate() {
            group_of_root[root as usize] = rank;
        }
        let mut groups: Vec<Vec<Item>> = vec![Vec::new(); large.len() + 1];
        for (item, &root) in items.iter().zip(&self.roots) {
            groups[group_of_root[root as usize]].push(*item);
        }
        for (to, from) in items.iter_mut().zip(groups.iter().flatten()) {
            *to = *from;
        }
        groups.iter().map(Vec::len).filter(|&size| size > 0).collect()
    }
}

/// Disjoint sets of items, with a table of an item for each vertex.
struct Sets {
    parent: Vec<u32>,
    /// Open addressing: a vertex and the last item that named it, a power of two of slots, at most half of them used.
    table: Vec<(u32, u32)>,
}

impl Sets {
    const FREE: (u32, u32) = (u32::MAX, u32::MAX);

    fn new(items: usize) -> Self {
        let slots = (6 * items).next_power_of_two();
        Self { parent: (0..items as u32).collect(), table: vec![Self::FREE; slots] }
    }

    /// Joins items with a common vertex that are alike. Of the items around a vertex each is compared with the last
    /// one before it only; around a vertex on a bend that may miss a joint, which another vertex makes up for.
    fn connect(&mut self, items: &[Item], triangles: &[[u32; 3]], alike: impl Fn(u32, u32) -> bool) {
        for (index, item) in (0..).zip(items) {
            for vertex in triangles[item.triangle() as usize] {
                let slot = self.slot_of(vertex);
                let other = self.table[slot].1;
                if other != u32::MAX && alike(other, index) {
                    self.join(other, index);
                }
                self.table[slot] = (vertex, index);
            }
        }
    }

    /// The slot of a vertex, its own or a free one.
    fn slot_of(&self, vertex: u32) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = (vertex.wrapping_mul(0x9e37_79b1) >> 7) as usize & mask;
        while self.table[slot].0 != vertex && self.table[slot] != Self::FREE {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn root(&mut self, item: u32) -> u32 {
        let mut at = item;
        while self.parent[at as usize] != at {
            let grandparent = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = grandparent;
            at = grandparent;
        }
        at
    }

    /// The smaller index becomes the root, so that roots do not depend on the order of joins.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
