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
//!
//! # Numbers of its own
//!
//! The question is asked again for the parts of parts, down to a node of leaves. So a thread first gives the triangles of its
//! subtree and their vertices numbers from 0 on ([`Numbering`]): tables by vertex are then short, and neither the mesh nor a hash table is
//! needed again.

use super::partition::Item;
use crate::base::{DisjointSets, Lists};
use crate::geom::DVec3;
use crate::mesh::Mesh;
use crate::pairs::LANES;

/// Sets larger than this are divided in space only.
pub(super) const LARGEST_SET: usize = 8 * 8 * 8 * 128;

/// Sets smaller than this are not asked for their pieces: a node of full leaves gains nothing.
pub(super) const SMALLEST_SET: usize = LANES * LANES + 1;

/// Pieces smaller than this are swept together: a node each would cost more than it saves.
const SMALLEST_PIECE: u32 = 2 * LANES as u32;

/// A piece is swallowed by a neighbour this many times its size, if that stays smooth.
const MUCH_LARGER: u32 = 8;

/// Where a normal points: the sides of the axes to which it points, two bits an axis, and above them the axis and its side along which
/// it points most.
pub(super) fn bearing(n: DVec3) -> u32 {
    let side = |axis: usize| u32::from(n[axis] > 0.0) | u32::from(n[axis] < 0.0) << 1;
    let axis = n.abs().max_position();
    let direction = 2 * axis as u32 + u32::from(n[axis] < 0.0);
    side(0) | side(1) << 2 | side(2) << 4 | direction << 6
}

fn sides(item: &Item) -> u32 {
    item.bearing() & 63
}

fn direction(item: &Item) -> u32 {
    item.bearing() >> 6
}

/// Numbers for the triangles of a set and for their vertices, both from 0 on.
#[derive(Default)]
pub(super) struct Numbering {
    /// By number.
    triangles: Vec<u32>,
    /// The numbers of the corners, by the number of the triangle.
    corners: Vec<[u32; 3]>,
    vertices: u32,
    /// Open addressing: a vertex and its number, a power of two of slots, at most half of them used.
    table: Vec<(u32, u32)>,
}

impl Numbering {
    const FREE: (u32, u32) = (u32::MAX, u32::MAX);

    /// Numbers the triangles of a set. Its items go by these numbers until [`Numbering::end`].
    pub(super) fn begin(&mut self, items: &mut [Item], mesh: &Mesh) {
        let Self { triangles, corners, vertices, table } = self;
        triangles.clear();
        corners.clear();
        table.clear();
        table.resize((6 * items.len()).next_power_of_two(), Self::FREE);
        let mask = table.len() - 1;
        *vertices = 0;
        for (number, item) in (0..).zip(items) {
            let triangle = item.triangle();
            triangles.push(triangle);
            item.rename(number);
            corners.push(mesh.triangles()[triangle as usize].map(|vertex| {
                let mut slot = (vertex.wrapping_mul(0x9e37_79b1) >> 7) as usize & mask;
                while table[slot].0 != vertex && table[slot] != Self::FREE {
                    slot = (slot + 1) & mask;
                }
                if table[slot].0 != vertex {
                    table[slot] = (vertex, *vertices);
                    *vertices += 1;
                }
                table[slot].1
            }));
        }
    }

    /// Gives the items the ids of their triangles back.
    pub(super) fn end(&self, items: &mut [Item]) {
        items.iter_mut().for_each(|item| item.rename(self.triangles[item.triangle() as usize]));
    }
}

/// Finds pieces; keeps its memory.
#[derive(Default)]
pub(super) struct Grouping {
    sets: DisjointSets,
    /// How many sets there are.
    pieces: usize,
    /// By vertex: `base` and the last item that named it. What is below `base` is of an earlier pass.
    last: Vec<u32>,
    base: u32,
    /// Above all that was written so far.
    end: u32,
}

impl Grouping {
    /// Groups the items by the pieces they form. Returns the sizes of the groups, at most eight: the largest pieces,
    /// largest first, then all that is left in one. Nothing is moved, and a single size returned, unless there are two
    /// pieces worth a node of their own. The items must go by the numbers of the numbering.
    pub(super) fn group_by_piece(&mut self, items: &mut [Item], numbering: &Numbering) -> Vec<usize> {
        if self.last.len() < numbering.vertices as usize {
            self.last.resize(numbering.vertices as usize, 0);
        }
        if items.iter().fold(u32::MAX, |all, item| all & sides(item)) == 0 {
            self.connect(items, numbering, |a, b| direction(a) == direction(b));
            if self.pieces > 1 {
                self.absorb_crumbs(items, numbering);
            }
            if self.pieces == 1 {
                return vec![items.len()];
            }
            let smooth = Pieces::of(&mut self.sets);
            // Crumbs may make up a third of the set.
            if 3 * smooth.in_large_pieces() >= 2 * items.len() {
                return smooth.group(items);
            }
        }
        self.connect(items, numbering, |_, _| true);
        if self.pieces == 1 {
            return vec![items.len()];
        }
        Pieces::of(&mut self.sets).group(items)
    }

    /// Joins items with a common vertex that are alike. Of the items around a vertex each is compared with the last
    /// one before it only; around a vertex on a bend that may miss a joint, which another vertex makes up for.
    fn connect(&mut self, items: &[Item], numbering: &Numbering, alike: impl Fn(&Item, &Item) -> bool) {
        self.begin_pass(items.len());
        self.sets.reset(items.len());
        self.pieces = items.len();
        for (index, item) in (0..).zip(items) {
            for vertex in numbering.corners[item.triangle() as usize] {
                let before = std::mem::replace(&mut self.last[vertex as usize], self.base + index);
                let Some(other) = before.checked_sub(self.base) else { continue };
                if other != index && alike(&items[other as usize], item) {
                    let (a, b) = (self.sets.root(other), self.sets.root(index));
                    if a != b {
                        self.sets.attach(a.max(b), a.min(b));
                        self.pieces -= 1;
                    }
                }
            }
        }
    }

    /// What earlier passes wrote counts no more.
    fn begin_pass(&mut self, items: usize) {
        self.base = self.end.max(1);
        if self.base > u32::MAX / 2 {
            self.last.fill(0);
            self.base = 1;
        }
        self.end = self.base + items as u32;
    }

    /// Adds small pieces to a much larger neighbour, if all their normals point to the side to which the neighbour's
    /// point most. Every item must have been connected just before, with directions as what makes two alike.
    fn absorb_crumbs(&mut self, items: &[Item], numbering: &Numbering) {
        let mut sizes = vec![0_u32; items.len()];
        let mut common_sides = vec![u32::MAX; items.len()];
        for (index, item) in items.iter().enumerate() {
            let root = self.sets.root(index as u32) as usize;
            sizes[root] += 1;
            common_sides[root] &= sides(item);
        }
        for (index, item) in (0..).zip(items).chain((0..).zip(items)) {
            for vertex in numbering.corners[item.triangle() as usize] {
                let before =
                    std::mem::replace(&mut self.last[vertex as usize], self.base + index) - self.base;
                let (a, b) = (self.sets.root(before) as usize, self.sets.root(index) as usize);
                if a == b {
                    continue;
                }
                let (small, large) = if sizes[a] < sizes[b] { (a, b) } else { (b, a) };
                // A root keeps the direction of the piece it was the root of from the beginning.
                let fits = common_sides[small] >> direction(&items[large]) & 1 == 1;
                if fits && MUCH_LARGER * sizes[small] < sizes[large] {
                    self.sets.attach(small as u32, large as u32);
                    self.pieces -= 1;
                    sizes[large] += sizes[small];
                    common_sides[large] &= common_sides[small];
                }
            }
        }
    }
}

/// A partition of the items: roots name the pieces, with their sizes.
struct Pieces {
    roots: Vec<u32>,
    sizes: Vec<u32>,
}

impl Pieces {
    fn of(sets: &mut DisjointSets) -> Self {
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
