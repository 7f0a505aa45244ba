//! Following an edit: one step of change, carried out on the tree in time that depends on the edit.
//!
//! ```text
//!   1 place    every new triangle gets a host (`place`); new surface of some size becomes patches (`patches`)
//!   2 write    the *bunches* around hosts and removed triangles, subtrees of up to eight, are rebuilt from the
//!              triangles that stay and the new ones; moved leaves get new boxes
//!   3 mark     from every changed slot up to the root, each slot once; all paths climb in step, so that their
//!              cache misses overlap
//!   4 mend     post-order over what is marked: drop, join, tighten (`balance`)
//! ```
//!
//! There are no single insertions. A whole step may unbalance a node by more than two levels, which joins can repair and
//! rotations cannot.

use super::arena::{Arena, NONE, Slot, TAGS};
use super::balance::Mending;
use super::build::BuildScratch;
use super::hierarchy::BUNCH;
use super::labels::Looked;
use super::metric::Metric;
use super::patches::Patches;
use super::place::{Group, Placement};
use super::small::SMALL;
use super::{TearingBuild, Tree};
use crate::base::reserve_warm;
use crate::geom::DVec3;
use crate::mesh::{Applied, LiveMesh, MeshEdit};
use crate::pairs::Frame;
use crate::tree::partition::Item;

/// Work done by one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TearStats {
    /// Triangles taken out of the tree.
    pub removed: u64,
    /// Triangles put into the tree.
    pub inserted: u64,
    /// Small subtrees rebuilt.
    pub bunches: u64,
    /// Small trees of new surface joined to the tree.
    pub patches: u64,
    /// Slots on the paths from changes to the roots.
    pub marked: u64,
    /// Triangles in parts of the tree that were rebuilt to keep it tight.
    pub rebuilt: u64,
    /// Parts that have come apart and become pieces of their own.
    pub parted: u64,
}

/// A subtree of a height up to [`BUNCH`] that is rebuilt because something in it changes.
#[derive(Clone, Copy, Debug)]
struct Bunch {
    /// Where it is. While the list is made, the slot's tag is its place in the list, plus one.
    slot: u32,
    /// The groups of new triangles that come to it.
    first_group: u32,
}

/// Lists that every step needs.
#[derive(Clone, Debug, Default)]
pub(super) struct FollowScratch {
    pub(super) placement: Placement,
    pub(super) patches: Patches,
    /// The leaves of the added triangles.
    pub(super) leaves: Vec<Slot>,
    bunches: Vec<Bunch>,
    climbing: Vec<u32>,
    pub(super) build: BuildScratch,
    pub(super) items: Vec<Item>,
    pub(super) touched: Vec<u32>,
    pub(super) looked: Vec<Looked>,
    pub(super) roots: Vec<u32>,
}

impl FollowScratch {
    /// Makes room for edits of this many triangles, and writes to it once.
    pub(super) fn reserve(&mut self, triangles: usize) {
        reserve_warm(&mut self.leaves, triangles, Slot::EMPTY);
        reserve_warm(&mut self.items, triangles, Item::default());
        reserve_warm(&mut self.climbing, triangles, 0);
        reserve_warm(&mut self.touched, triangles, 0);
        reserve_warm(&mut self.bunches, triangles, Bunch { slot: NONE, first_group: NONE });
        reserve_warm(&mut self.placement.groups, triangles, Group::NONE);
        reserve_warm(&mut self.placement.next, triangles, NONE);
    }
}

impl Tree {
    /// Brings the tree up to date with an edit that has been applied to the mesh.
    pub(super) fn follow(&mut self, mesh: &LiveMesh, edit: &MeshEdit, applied: &Applied) -> TearStats {
        let changed = edit.removed.len() + edit.added.len();
        if changed >= TAGS as usize {
            // More than can be told apart by tags; an edit of this size is a new body anyway.
            self.roots.clear();
            self.rebuild(mesh);
            return TearStats { rebuilt: mesh.live_count() as u64, ..TearStats::default() };
        }
        self.arena.leaf_at.resize(mesh.slot_count(), NONE);
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.touched.clear();
        let mut stats = TearStats {
            removed: edit.removed.len() as u64,
            inserted: edit.added.len() as u64,
            ..TearStats::default()
        };
        stats.rebuilt = self.settle(changed, &mut scratch);

        let frame = self.frame;
        scratch.leaves.clear();
        scratch.leaves.extend(applied.triangles.clone().map(|t| Slot::leaf(mesh, &frame, t)));
        let (arena, leaves) = (&self.arena, &scratch.leaves);
        let roots = &self.roots;
        scratch.placement.flood(mesh, edit, applied, |added| {
            let leaf = &leaves[added as usize];
            let growth = |root: u32| Metric::Area.growth(arena.slot(root), leaf);
            let nearest = roots.iter().min_by(|a, b| growth(**a).total_cmp(&growth(**b)))?;
            arena.nearest_leaf(*nearest, leaf)
        });
        self.make_patches(mesh, edit, applied, &mut scratch);
        stats.patches = scratch.patches.list.len() as u64;
        self.list_bunches(edit, &mut scratch);
        self.write_bunches(&mut scratch);
        stats.bunches = scratch.bunches.len() as u64;
        self.hang_patches(&mut scratch);
        self.write_left_over(&mut scratch);
        self.write_moved(mesh, edit, applied, &mut scratch.touched);
        self.mark_and_mend(&mut scratch, &mut stats);
        self.scratch = scratch;

        if self.is_outside(edit) {
            self.refit(mesh, 0);
        }
        stats
    }

    /// Whether an edit brings vertices to where the frame does not reach.
    pub(super) fn is_outside(&self, edit: &MeshEdit) -> bool {
        let outside = |p: &DVec3| self.frame.map(*p).iter().any(|x| x.abs() > Frame::REACH);
        edit.new_positions.iter().chain(edit.moved.iter().map(|(_, p)| p)).any(outside)
    }

    /// Finds the bunches that hosts and removed triangles are in, hangs the groups on them, and empties the leaves of
    /// removed triangles.
    fn list_bunches(&mut self, edit: &MeshEdit, scratch: &mut FollowScratch) {
        let FollowScratch { placement, bunches, climbing, .. } = scratch;
        let arena = &mut self.arena;
        climbing.clear();
        climbing.extend(placement.groups.iter().map(|group| arena.leaf_at[group.host as usize]));
        for triangle in &edit.removed {
            let at = arena.drop_leaf(*triangle);
            // A host has been listed with its group.
            if !placement.is_host(triangle.0) {
                climbing.push(at);
            }
        }
        // From the leaves up to the bunches they are in, all in step, so that their cache misses overlap.
        for _ in 0..BUNCH {
            for at in climbing.iter_mut() {
                let above = arena.parent(*at / 2);
                if above != NONE && arena.slot(above).height() <= BUNCH {
                    *at = above;
                }
            }
        }
        bunches.clear();
        for (k, &at) in climbing.iter().enumerate() {
            let slot = &mut arena.slots[at as usize];
            if slot.tag() == 0 {
                bunches.push(Bunch { slot: at, first_group: NONE });
                slot.set_tag(bunches.len() as u32);
            }
            if let Some(group) = placement.groups.get_mut(k) {
                let bunch = &mut bunches[slot.tag() as usize - 1];
                group.next = std::mem::replace(&mut bunch.first_group, k as u32);
            }
        }
    }

    fn write_bunches(&mut self, scratch: &mut FollowScratch) {
        let FollowScratch { placement, leaves, items, touched, bunches, build, .. } = scratch;
        for bunch in bunches {
            items.clear();
            self.arena.take_out(bunch.slot, items);
            let mut group = bunch.first_group;
            while group != NONE {
                let Group { first, next, .. } = placement.groups[group as usize];
                let mut added = first;
                while added != NONE {
                    items.push(leaves[added as usize].as_item());
                    added = placement.next[added as usize];
                }
                group = next;
            }
            match items.len() {
                0 => self.arena.slots[bunch.slot as usize] = Slot::EMPTY,
                1..=SMALL => {
                    self.arena.build_small(bunch.slot, items, &mut build.small);
                }
                _ => self.arena.build(bunch.slot, items, TearingBuild::Median, build),
            }
            touched.push(bunch.slot);
        }
    }

    /// New triangles of a body that had none: they become a tree of their own.
    fn write_left_over(&mut self, scratch: &mut FollowScratch) {
        let FollowScratch { placement, leaves, items, build, .. } = scratch;
        items.clear();
        items.extend(placement.waiting.iter().map(|&added| leaves[added as usize].as_item()));
        if !items.is_empty() {
            let empty = self.roots.iter().copied().find(|&root| self.arena.slot(root).is_empty());
            let root = empty.unwrap_or_else(|| self.new_piece());
            self.arena.build(root, items, self.options.build, build);
        }
    }

    fn write_moved(&mut self, mesh: &LiveMesh, edit: &MeshEdit, applied: &Applied, touched: &mut Vec<u32>) {
        for &(vertex, _) in &edit.moved {
            for triangle in mesh.triangles_of_vertex(vertex).filter(|t| t.0 < applied.triangles.start) {
                let at = self.arena.leaf_at[triangle.index()];
                let leaf = Slot::leaf(mesh, &self.frame, triangle.0);
                self.arena.slots[at as usize].set_bounds(leaf.bounds());
                touched.push(at);
            }
        }
    }

    /// Puts right everything above the touched slots.
    fn mark_and_mend(&mut self, scratch: &mut FollowScratch, stats: &mut TearStats) {
        let treelet_height = self.options.treelet_height();
        scratch.roots.clear();
        stats.marked = self.arena.mark(&mut scratch.touched, &mut scratch.roots);
        let mut mending = Mending {
            metric: self.metric(),
            patches: &scratch.patches.list,
            treelet_height,
            treelets: &mut self.upkeep.noted,
        };
        for &root in &scratch.roots {
            self.arena.mend(root, &mut mending);
            // A piece that is no larger than a treelet is one as a whole.
            let whole = self.arena.slot(root);
            if whole.height() <= treelet_height {
                mending.treelets.extend(whole.child().as_node());
            }
        }
        self.upkeep.finish_step(self.arena.nodes.len(), &self.options);
        self.forget_empty_pieces();
    }
}

impl Arena {
    /// Lists what is left of the triangles below a slot and gives back the nodes.
    pub(super) fn take_out(&mut self, at: u32, items: &mut Vec<Item>) {
        let slot = *self.slot(at);
        if let Some(node) = slot.child().as_node() {
            self.take_out(2 * node, items);
            self.take_out(2 * node + 1, items);
            self.free_node(node);
        } else if !slot.is_empty() {
            items.push(slot.as_item());
        }
    }

    /// Reads what mending will need beside a slot on a path: the sums and the children of its sibling.
    #[inline]
    fn fetch_sibling(&self, at: u32) -> u32 {
        match self.slots[(at ^ 1) as usize].child().as_node() {
            Some(node) => self.nodes[node as usize].sums.leaves ^ u32::from(self.slot(2 * node).height()),
            None => 0,
        }
    }

    /// Marks every slot above the touched ones, which are used up, and lists the roots reached. Returns how many
    /// were marked.
    pub(super) fn mark(&mut self, touched: &mut Vec<u32>, roots: &mut Vec<u32>) -> u64 {
        let (mut marked, mut read) = (0, 0);
        while !touched.is_empty() {
            let mut kept = 0;
            for k in 0..touched.len() {
                let at = touched[k];
                let above = self.parent(at / 2);
                if above == NONE {
                    self.slots[at as usize].set_dirty(true);
                    if !roots.contains(&at) {
                        roots.push(at);
                    }
                } else if !self.slots[above as usize].is_dirty() {
                    self.slots[above as usize].set_dirty(true);
                    marked += 1;
                    read ^= self.fetch_sibling(above);
                    touched[kept] = above;
                    kept += 1;
                }
            }
            touched.truncate(kept);
        }
        std::hint::black_box(read);
        marked
    }
}
