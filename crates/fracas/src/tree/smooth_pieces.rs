//! The smooth, connected pieces of a set of triangles.
//!
//! Where a body is folded, a part of space holds several layers of its surface, joined by sharp bends. A node over all
//! of them can never be shown to be free of self-intersections; a node over one smooth layer can (see `contour`).
//! So a build that expects self-queries divides small sets into such pieces before it divides them in space.
//!
//! A set whose normals all point to one side along some axis falls into its connected pieces. Where a surface bends
//! more than that, two triangles belong to one piece if they share a vertex and their normals point most along the
//! same side of the same axis. On a rough surface this leaves small pieces where the main direction changes; a
//! small piece joins its neighbour if its normals still point to the same side.

use super::partition::Item;
use crate::base::{DisjointSets, Lists};
use crate::geom::DVec3;
use crate::mesh::{Mesh, TriangleId};
use crate::pairs::LANES;

/// Sets larger than this are divided in space only.
pub(super) const LARGEST_SET: usize = 8 * 8 * 8 * 128;

/// Pieces smaller than this are swept together: a node each would cost more than it saves.
const SMALLEST_PIECE: u32 = 2 * LANES as u32;

/// A piece is swallowed by a neighbour this many times its size, if that stays smooth.
const MUCH_LARGER: u32 = 8;

/// Groups the items by the pieces they form. Returns the sizes of the groups, at most eight: the largest pieces,
/// largest first, then all that is left in one. Nothing is moved, and a single size returned, unless there are two
/// pieces worth a node of their own.
pub(super) fn group_by_piece(items: &mut [Item], mesh: &Mesh) -> Vec<usize> {
    let normals: Vec<DVec3> =
        items.iter().map(|item| mesh.triangle(TriangleId(item.triangle())).area_vector()).collect();
    if normals.iter().fold(u8::MAX, |all, n| all & sides(*n)) == 0 {
        let directions: Vec<u8> = normals.iter().map(|n| direction(*n)).collect();
        let mut joints = Joints::new(items, mesh);
        joints.connect(|a, b| directions[a as usize] == directions[b as usize]);
        joints.absorb_crumbs(&normals, &directions);
        let smooth = Pieces::of(joints.sets);
        // Crumbs may make up a third of the set.
        if 3 * smooth.in_large_pieces() >= 2 * items.len() {
            return smooth.group(items);
        }
    }
    let mut joints = Joints::new(items, mesh);
    joints.connect(|_, _| true);
    Pieces::of(joints.sets).group(items)
}

/// The sides of the axes to which a normal points: two bits an axis.
fn sides(n: DVec3) -> u8 {
    (0..3).map(|axis| u8::from(n[axis] > 0.0) << (2 * axis) | u8::from(n[axis] < 0.0) << (2 * axis + 1)).sum()
}

/// The axis, and its side, along which a normal points most.
fn direction(n: DVec3) -> u8 {
    let axis = n.abs().max_position();
    2 * axis as u8 + u8::from(n[axis] < 0.0)
}

/// A partition of the items: roots name the pieces, with their sizes.
struct Pieces {
    roots: Vec<u32>,
    sizes: Vec<u32>,
}

impl Pieces {
    fn of(mut sets: DisjointSets) -> Self {
        let count = sets.len();
        let roots: Vec<u32> = (0..count as u32).map(|item| sets.root(item)).collect();
        let mut sizes = vec![0; count];
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
        let mut group_of_root = vec![large.len() as u32; items.len()];
        for (rank, &root) in (0..).zip(&large) {
            group_of_root[root as usize] = rank;
        }
        let by_group = self.roots.iter().map(|&root| group_of_root[root as usize]).zip(items.iter().copied());
        let groups = Lists::from_pairs(large.len() + 1, by_group);
        items.copy_from_slice(groups.items());
        groups.iter().map(<[Item]>::len).filter(|&size| size > 0).collect()
    }
}

/// Disjoint sets of items, with a table of an item for each vertex.
struct Joints<'a> {
    items: &'a [Item],
    triangles: &'a [[u32; 3]],
    sets: DisjointSets,
    /// Open addressing: a vertex and the last item that named it, a power of two of slots, at most half of them used.
    table: Vec<(u32, u32)>,
}

impl<'a> Joints<'a> {
    const FREE: (u32, u32) = (u32::MAX, u32::MAX);

    fn new(items: &'a [Item], mesh: &'a Mesh) -> Self {
        let table = vec![Self::FREE; (6 * items.len()).next_power_of_two()];
        Self { items, triangles: mesh.triangles(), sets: DisjointSets::new(items.len()), table }
    }

    /// Joins items with a common vertex that are alike. Of the items around a vertex each is compared with the last
    /// one before it only; around a vertex on a bend that may miss a joint, which another vertex makes up for.
    fn connect(&mut self, alike: impl Fn(u32, u32) -> bool) {
        for (index, item) in (0..).zip(self.items) {
            for vertex in self.triangles[item.triangle() as usize] {
                let slot = self.slot_of(vertex);
                let other = self.table[slot].1;
                if other != u32::MAX && alike(other, index) {
                    self.sets.join(other, index);
                }
                self.table[slot] = (vertex, index);
            }
        }
    }

    /// Adds small pieces to a much larger neighbour, if all their normals point to the side to which the neighbour's
    /// point most. Every item must have been connected before, with `directions` as what makes two alike.
    fn absorb_crumbs(&mut self, normals: &[DVec3], directions: &[u8]) {
        let mut sizes = vec![0_u32; normals.len()];
        let mut common_sides = vec![u8::MAX; normals.len()];
        for (item, normal) in normals.iter().enumerate() {
            let root = self.sets.root(item as u32) as usize;
            sizes[root] += 1;
            common_sides[root] &= sides(*normal);
        }
        for (index, item) in (0..).zip(self.items).chain((0..).zip(self.items)) {
            for vertex in self.triangles[item.triangle() as usize] {
                let slot = self.slot_of(vertex);
                let before = std::mem::replace(&mut self.table[slot].1, index);
                let (a, b) = (self.sets.root(before) as usize, self.sets.root(index) as usize);
                let (small, large) = if sizes[a] < sizes[b] { (a, b) } else { (b, a) };
                // A root keeps the direction of the piece it was the root of from the beginning.
                let fits = common_sides[small] >> directions[large] & 1 == 1;
                if a != b && fits && MUCH_LARGER * sizes[small] < sizes[large] {
                    self.sets.attach(small as u32, large as u32);
                    sizes[large] += sizes[small];
                    common_sides[large] &= common_sides[small];
                }
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
}
