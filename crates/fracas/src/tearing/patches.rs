//! New surface in patches: small trees of their own, joined to the tree beside what they touch.
//!
//! Surface along a crack is unlike what it touches. It runs into the body, its triangles may be ten times as large, and
//! its two faces lie on each other until the body opens. Hung one by one beside their hosts, its triangles would share boxes with
//! small ones of the old surface and with those of the other face. So what a step adds is first sorted into *sheets*:
//!
//! ```text
//!        hosts             new surface                  ┌ islands: connected through vertices, found by the flood
//!   ─────▲───▲────────▲──────────────────▲────          │ sides: by the direction in which triangles look
//!        └┐ ┌┘        └──┐   ┌──┐   ┌────┘              ▼
//!         a b            c   d  e   f        sheet 1: a b c …   sheet 2: d e f …   one patch for each 64 triangles
//! ```
//!
//! and each sheet is divided in patches. A patch is built as a tree, and hung on the subtree of its own height above
//! one of its hosts, that which looks most nearly in the same direction. Mending the tree joins it there (`balance`).
//!
//! After 500 steps that nearly double a body of 90,712 triangles, without upkeep, a walk of the binary trees against themselves
//! opened 509,000 pairs of nodes; with triangles hung one by one it was 604,000, and on a tree built anew it is 289,000. Sheets
//! of a few triangles stay with their hosts.
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
use crate::geom::DVec3;
use crate::mesh::{Applied, LiveMesh, MeshEdit, TriangleId};
use crate::tree::split::{Extent, Item};

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
    /// By sheet: how many triangles it has; later, where they end in `items`.
    ends: Vec<u32>,
    /// The sheets of the triangles of new surface, in the order of the flood.
    sheet_of: Vec<u32>,
    /// By added triangle: its host, if it is in a patch of this step.
    host_of: Vec<u32>,
    items: Vec<Item>,
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
        let FollowScratch { patches, placement, leaves, build, .. } = scratch;
        patches.list.clear();
        let first = applied.triangles.start;
        patches.count_sheets(mesh, first, placement);
        patches.sort_into_sheets(edit.added.len(), placement, leaves);
        let mut items = std::mem::take(&mut patches.items);
        let mut rest = &mut items[..];
        let mut begin = 0;
        for sheet in 0..patches.ends.len() {
            let end = patches.ends[sheet];
            let (of_sheet, others) = rest.split_at_mut((end - begin) as usize);
            if !of_sheet.is_empty() {
                let mut maker = Maker { mesh, first, arena: &mut self.arena, patches, build };
                maker.divide(of_sheet);
            }
            (rest, begin) = (others, end);
        }
        patches.items = items;
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
    /// Finds the sheet of every triangle of new surface, and counts.
    fn count_sheets(&mut self, mesh: &LiveMesh, first: u32, placement: &mut Placement) {
        self.ends.clear();
        self.sheet_of.clear();
        if placement.surface.len() < FEWEST {
            return;
        }
        self.ends.resize(2 * placement.groups.len(), 0);
        let mut front = DVec3::ZERO;
        for k in 0..placement.surface.len() {
            let (added, group) = placement.surface[k];
            let normal = mesh.triangle(TriangleId(first + added)).area_vector();
            // A triangle without area does not look anywhere.
            if front == DVec3::ZERO {
                front = normal;
            }
            let sheet = 2 * placement.islands.root(group) + u32::from(normal.dot(front) < 0.0);
            self.sheet_of.push(sheet);
            self.ends[sheet as usize] += 1;
        }
    }

    /// Moves the triangles of sheets that are large enough to the list of items, sheet by sheet. The others join their groups.
    fn sort_into_sheets(&mut self, added: usize, placement: &mut Placement, leaves: &[Slot]) {
        let mut place = 0;
        for end in &mut self.ends {
            let count = if (*end as usize) < FEWEST { 0 } else { *end };
            // Large ones fill up from here to their end; small ones stay where they are.
            *end = if count == 0 { NONE } else { place };
            place += count;
        }
        self.items.clear();
        self.items.resize(place as usize, Slot::EMPTY.as_room());
        self.host_of.resize(added.max(self.host_of.len()), NONE);
        for k in 0..placement.surface.len() {
            let (added, group) = placement.surface[k];
            let end = self.sheet_of.get(k).map(|&sheet| &mut self.ends[sheet as usize]);
            match end.filter(|end| **end != NONE) {
                Some(end) => {
                    self.items[*end as usize] = leaves[added as usize].as_item();
                    self.host_of[added as usize] = placement.groups[group as usize].host;
                    *end += 1;
                }
                None => placement.join_group(added, group),
            }
        }
        placement.forget_empty_groups();
        let mut last = 0;
        for end in &mut self.ends {
            if *end == NONE {
                *end = last;
            }
            last = *end;
        }
    }
}

struct Maker<'a> {
    mesh: &'a LiveMesh,
    /// The first added triangle.
    first: u32,
    arena: &'a mut Arena,
    patches: &'a mut Patches,
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
        self.patches.list.push(Patch { tree, spare, at, next: 0 });
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
            let host = self.patches.host_of[added(item) as usize];
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
