//! New surface in patches: small trees of their own, joined to the tree beside what they touch.
//!
//! Surface along a crack differs from what it touches. It runs into the body, its triangles may be ten times as large, and
//! its two faces coincide until the body opens. Inserted one by one beside their hosts, its triangles would share boxes with
//! small ones of the old surface and with those of the other face. So the new triangles of a step are first sorted into *sheets*:
//!
//! ```text
//!        hosts             new surface                  ┌ islands: connected through vertices, found by the flood
//!   ─────▲───▲────────▲──────────────────▲────          │ sides: by the direction in which triangles look
//!        └┐ ┌┘        └──┐   ┌──┐   ┌────┘              ▼
//!         a b            c   d  e   f        sheet 1: a b c …   sheet 2: d e f …   one patch for each 64 triangles
//! ```
//!
//! Each sheet is divided into patches. A patch is built as a tree and joined to the subtree of its own height above
//! one of its hosts, the one with the most similar normal (`balance`).
//!
//! Without upkeep, after 500 steps that nearly double a body of 90,712 triangles, a self-query opens 16 % fewer pairs of nodes
//! than with triangles inserted one by one. Sheets of a few triangles stay with their hosts.
//!
//! # Invariants
//!
//! A sheet is part of one island, and an island touches only what is connected: so patches belong to the piece of
//! any of their hosts. Sides only matter to how good the tree is, and are a guess where a crack bends back.

use super::arena::{Arena, NONE, Slot};
use super::build::BuildScratch;
use super::follow::FollowScratch;
use super::place::Placement;
use super::small::SMALL;
use super::{TearingBuild, Tree};
use crate::base::Lists;
use crate::geom::DVec3;
use crate::mesh::{Applied, LiveMesh, MeshEdit, TriangleId};
use crate::tree::partition::{Extent, Item};

/// Fewest triangles of a sheet that becomes patches: more than a bunch holds.
const FEWEST: usize = 9;

/// Larger sheets become one patch: they are the whole face of a crack, not a strip along one that is there.
const WHOLE: usize = 1024;

/// Hosts of a patch that are looked at.
const HOSTS: usize = 12;

/// A tree that waits to be joined to that of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    pub(super) tree: Slot,
    /// A node without content, for the join.
    pub(super) spare: u32,
    /// Where it is to be joined.
    at: u32,
    /// The next patch that hangs on the same slot, as a tag; 0 if there is none.
    pub(super) next: u32,
}

/// Patches of a step, and memory to make them with.
#[derive(Clone, Debug, Default)]
pub(super) struct Patches {
    pub(super) list: Vec<Patch>,
    /// The sheets of the triangles of new surface, in the order of the flood.
    sheet_of: Vec<u32>,
    /// By sheet: its triangles, as indices into the edit's list.
    sheets: Lists<u32>,
    /// By added triangle: its host, if it is in a patch of this step.
    host_of: Vec<u32>,
}

impl Tree {
    /// Makes patches of new surface; what is too little for one joins the groups that have reached it.
    pub(super) fn make_patches(
        &mut self,
        mesh: &LiveMesh,
        edit: &MeshEdit,
        applied: &Applied,
        scratch: &mut FollowScratch,
    ) {
        let FollowScratch { patches, placement, leaves, build, items, .. } = scratch;
        patches.list.clear();
        let first = applied.triangles.start;
        patches.find_sheets(mesh, first, placement);
        patches.give_hosts(edit.added.len(), placement);
        let Patches { list, sheets, host_of, .. } = patches;
        let mut maker = Maker { mesh, first, arena: &mut self.arena, list, host_of, build };
        for sheet in sheets.iter().filter(|sheet| sheet.len() >= FEWEST) {
            items.clear();
            items.extend(sheet.iter().map(|&added| leaves[added as usize].as_item()));
            maker.divide(items);
        }
    }

    /// Hangs the patches on their slots, for mending to join them. All other changes of the step must have been written.
    pub(super) fn hang_patches(&mut self, scratch: &mut FollowScratch) {
        for (k, patch) in scratch.patches.list.iter_mut().enumerate() {
            let slot = &mut self.arena.slots[patch.at as usize];
            patch.next = slot.tag();
            slot.set_tag(k as u32 + 1);
            slot.set_dirty(true);
            scratch.touched.push(patch.at);
        }
    }
}

impl Patches {
    /// Sorts the triangles of new surface into sheets.
    fn find_sheets(&mut self, mesh: &LiveMesh, first: u32, placement: &mut Placement) {
        self.sheet_of.clear();
        if placement.surface.len() >= FEWEST {
            let mut front = DVec3::ZERO;
            for &(added, group) in &placement.surface {
                let normal = mesh.triangle(TriangleId(first + added)).area_vector();
                // A triangle without area does not look anywhere.
                if front == DVec3::ZERO {
                    front = normal;
                }
                self.sheet_of.push(2 * placement.islands.root(group) + u32::from(normal.dot(front) < 0.0));
            }
        }
        let added = placement.surface.iter().map(|&(added, _)| added);
        self.sheets.refill(2 * placement.groups.len(), self.sheet_of.iter().copied().zip(added));
    }

    /// Notes the hosts of triangles in sheets that are large enough. The others join the groups that have reached them.
    fn give_hosts(&mut self, added: usize, placement: &mut Placement) {
        self.host_of.resize(added.max(self.host_of.len()), NONE);
        for k in 0..placement.surface.len() {
            let (added, group) = placement.surface[k];
            if self.sheet_of.get(k).is_some_and(|&sheet| self.sheets.list(sheet as usize).len() >= FEWEST) {
                self.host_of[added as usize] = placement.groups[group as usize].host;
            } else {
                placement.join_group(added, group);
            }
        }
        placement.forget_empty_groups();
    }
}

struct Maker<'a> {
    mesh: &'a LiveMesh,
    /// The first added triangle.
    first: u32,
    arena: &'a mut Arena,
    list: &'a mut Vec<Patch>,
    host_of: &'a [u32],
    build: &'a mut BuildScratch,
}

impl Maker<'_> {
    /// Makes patches of the triangles of a sheet.
    fn divide(&mut self, items: &mut [Item]) {
        if items.len() <= SMALL || items.len() > WHOLE {
            return self.add_patch(items);
        }
        let below = split_in_the_middle(items);
        let (lower, upper) = items.split_at_mut(below);
        self.divide(lower);
        self.divide(upper);
    }

    fn add_patch(&mut self, items: &mut [Item]) {
        let mut at = self.arena.leaf_at[self.host(items) as usize];
        let spare = self.arena.new_holder();
        if items.len() <= SMALL {
            self.arena.build_small(2 * spare, items, &mut self.build.small);
        } else {
            self.arena.build(2 * spare, items, TearingBuild::SurfaceArea, self.build);
        }
        let tree = *self.arena.slot(2 * spare);
        while self.arena.slot(at).height() < tree.height() && self.arena.parent(at / 2) != NONE {
            at = self.arena.parent(at / 2);
        }
        self.list.push(Patch { tree, spare, at, next: 0 });
    }

    /// Where a triangle looks; also one that has just been removed. Of any length.
    fn normal(&self, triangle: u32) -> DVec3 {
        self.mesh.triangle(TriangleId(triangle)).area_vector()
    }

    /// Of some hosts of a patch, that which looks most nearly where the first of its triangles looks.
    fn host(&self, items: &[Item]) -> u32 {
        let added = |item: &Item| Slot::of_item(item).child().as_leaf().map_or(0, |t| t - self.first);
        let front = self.normal(self.first + added(&items[0]));
        let mut best = (f64::NEG_INFINITY, NONE);
        for item in items.iter().step_by(items.len().div_ceil(HOSTS)) {
            let host = self.host_of[added(item) as usize];
            let normal = self.normal(host);
            let likeness = normal.dot(front) / normal.length();
            if likeness > best.0 || best.1 == NONE {
                best = (likeness, host);
            }
        }
        best.1
    }
}

/// Moves what lies below the middle of the longest axis to the front. Returns how many these are: all and none count as half.
fn split_in_the_middle(items: &mut [Item]) -> usize {
    let (low, high) = Extent::of(items).bounds();
    let axis = (high - low).truncate().max_position();
    let middle = low[axis] + high[axis];
    let mut below = 0;
    for k in 0..items.len() {
        let is_below = items[k].low[axis] + items[k].high[axis] < middle;
        items.swap(k, below);
        below += usize::from(is_below);
    }
    if below % items.len() == 0 { items.len() / 2 } else { below }
}
