//! Following an edit: one step of change, carried out on the tree in time that depends on the edit.
//!
//! ```text
//!   1 place    every new triangle gets a host (`place`)
//!   2 write    removed leaves become empty, hosts become small subtrees, moved leaves get new boxes
//!   3 mark     from every changed slot up to the root, each slot once; all paths climb in step, so that their
//!              cache misses overlap
//!   4 mend     post-order over what is marked: drop, join, tighten (`balance`)
//! ```
//!
//! Never are single insertions mixed into it: a whole step may tip a node by more than two, which joins can mend and
//! rotations could not.

use super::arena::{Arena, NONE, Slot};
use super::place::Placement;
use super::{TearingOptions, Tree};
use crate::geom::DVec3;
use crate::mesh::{Applied, LiveMesh, MeshEdit, TriangleId};
use crate::pairs::Frame;
use crate::tree::split::Item;

/// Work done by one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TearStats {
    /// Triangles taken out of the tree.
    pub removed: u64,
    /// Triangles put into the tree.
    pub inserted: u64,
    /// Small subtrees that came in the place of a leaf.
    pub groups: u64,
    /// Slots on the paths from changes to the roots.
    pub marked: u64,
    /// Triangles in parts of the tree that were built anew to keep it tight.
    pub rebuilt: u64,
}

/// Lists that every step needs.
#[derive(Clone, Debug, Default)]
pub(super) struct FollowScratch {
    placement: Placement,
    pub(super) items: Vec<Item>,
    pub(super) touched: Vec<u32>,
    roots: Vec<u32>,
}

/// The box of a triangle in frame coordinates, as a leaf.
#[inline]
pub(super) fn leaf_slot(mesh: &LiveMesh, frame: &Frame, triangle: u32) -> Slot {
    let [a, b, c] = mesh.triangles()[triangle as usize].map(|v| frame.map(mesh.positions()[v as usize]));
    let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
    for k in 0..3 {
        low[k] = a[k].min(b[k]).min(c[k]);
        high[k] = a[k].max(b[k]).max(c[k]);
    }
    Slot::leaf(triangle, low, high)
}

#[inline]
pub(super) fn item_of(leaf: &Slot) -> Item {
    Item::new(leaf.low, leaf.high, leaf.child.as_leaf().expect("a leaf"))
}

impl Tree {
    /// Brings the tree up to date with an edit that has been applied to the mesh.
    pub(super) fn follow(
        &mut self,
        mesh: &LiveMesh,
        edit: &MeshEdit,
        applied: &Applied,
        options: &TearingOptions,
    ) -> TearStats {
        self.arena.leaf_at.resize(mesh.slot_count(), NONE);
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.touched.clear();
        let mut stats = TearStats {
            removed: edit.removed.len() as u64,
            inserted: edit.added.len() as u64,
            ..TearStats::default()
        };
        stats.rebuilt = self.settle(options, &mut scratch);

        let frame = self.frame;
        let arena = &self.arena;
        let pieces = &self.pieces;
        scratch.placement.flood(
            mesh,
            edit,
            applied,
            |triangle| leaf_slot(mesh, &frame, triangle),
            |leaf| pieces.iter().find_map(|piece| arena.nearest_leaf(piece.root, leaf)),
        );
        self.write_groups(mesh, applied, options, &mut scratch, &mut stats);
        self.write_removed(edit, &mut scratch.touched);
        self.write_left_over(mesh, applied, options, &mut scratch);
        self.write_moved(mesh, edit, applied, &mut scratch.touched);
        self.mark_and_mend(&mut scratch, options, &mut stats);
        self.scratch = scratch;

        let outside = |p: &DVec3| frame.map(*p).iter().any(|x| x.abs() > Frame::REACH);
        if edit.new_positions.iter().chain(edit.moved.iter().map(|(_, p)| p)).any(outside) {
            self.refit(mesh);
        }
        stats
    }

    fn write_groups(
        &mut self,
        mesh: &LiveMesh,
        applied: &Applied,
        options: &TearingOptions,
        scratch: &mut FollowScratch,
        stats: &mut TearStats,
    ) {
        let FollowScratch { placement, items, touched, .. } = scratch;
        stats.groups = placement.groups.len() as u64;
        for group in &placement.groups {
            let at = self.arena.leaf_at[group.host as usize];
            items.clear();
            if mesh.is_alive(TriangleId(group.host)) {
                items.push(item_of(self.arena.slot(at)));
            } else {
                self.arena.leaf_at[group.host as usize] = NONE;
            }
            let mut added = group.first;
            while added != NONE {
                items.push(item_of(&leaf_slot(mesh, &self.frame, applied.triangles.start + added)));
                added = placement.next[added as usize];
            }
            let rule = options.build_of(items.len());
            self.arena.build(at, items, None, rule);
            touched.push(at);
        }
    }

    /// Empties the leaves of removed triangles in whose place nothing came.
    fn write_removed(&mut self, edit: &MeshEdit, touched: &mut Vec<u32>) {
        for triangle in &edit.removed {
            let at = std::mem::replace(&mut self.arena.leaf_at[triangle.index()], NONE);
            if at != NONE {
                self.arena.slots[at as usize] = Slot::EMPTY;
                touched.push(at);
            }
        }
    }

    /// New triangles of a body that had none: they become a tree of their own.
    fn write_left_over(
        &mut self,
        mesh: &LiveMesh,
        applied: &Applied,
        options: &TearingOptions,
        scratch: &mut FollowScratch,
    ) {
        let FollowScratch { placement, items, .. } = scratch;
        items.clear();
        let left_over = placement.left_over().map(|added| applied.triangles.start + added);
        items.extend(left_over.map(|triangle| item_of(&leaf_slot(mesh, &self.frame, triangle))));
        if !items.is_empty() {
            let root = self.empty_piece();
            self.arena.build(root, items, None, options.build);
        }
    }

    fn write_moved(&mut self, mesh: &LiveMesh, edit: &MeshEdit, applied: &Applied, touched: &mut Vec<u32>) {
        for &(vertex, _) in &edit.moved {
            for triangle in mesh.triangles_of_vertex(vertex).filter(|t| t.0 < applied.triangles.start) {
                let at = self.arena.leaf_at[triangle.index()];
                let dirty = self.arena.slot(at).dirty;
                self.arena.slots[at as usize] = Slot { dirty, ..leaf_slot(mesh, &self.frame, triangle.0) };
                touched.push(at);
            }
        }
    }

    /// Puts right everything above the touched slots.
    pub(super) fn mark_and_mend(
        &mut self,
        scratch: &mut FollowScratch,
        options: &TearingOptions,
        stats: &mut TearStats,
    ) {
        scratch.roots.clear();
        stats.marked = self.arena.mark(&mut scratch.touched, &mut scratch.roots);
        let metric = self.metric(options);
        for &root in &scratch.roots {
            self.arena.mend(root, metric, &mut self.pending, options.settle_height);
        }
        self.forget_empty_pieces();
    }
}

impl Arena {
    /// Marks every slot above the touched ones, which are used up, and lists the roots reached. Returns how many
    /// were marked.
    fn mark(&mut self, touched: &mut Vec<u32>, roots: &mut Vec<u32>) -> u64 {
        let mut marked = 0;
        while !touched.is_empty() {
            let mut kept = 0;
            for k in 0..touched.len() {
                let at = touched[k];
                let above = self.parent[(at / 2) as usize];
                if above == NONE {
                    self.slots[at as usize].dirty = true;
                    if !roots.contains(&at) {
                        roots.push(at);
                    }
                } else if !self.slots[above as usize].dirty {
                    self.slots[above as usize].dirty = true;
                    marked += 1;
                    touched[kept] = above;
                    kept += 1;
                }
            }
            touched.truncate(kept);
        }
        marked
    }
}
