//! Upkeep within a budget: parts of the tree that edits have worked on are built anew, a few in every step.
//!
//! Insertions beside a host and permutations keep boxes small, but not as small as a fresh build. So a step notes the
//! subtrees of a certain height that it has changed (`treelets`), and the next steps rebuild them, oldest first, until
//! the budget is spent. A treelet keeps its height and its box, so nothing above it tips or grows: there are no
//! spikes, and no rebuild of the whole.

use super::arena::{Arena, NONE};
use super::follow::{FollowScratch, item_of};
use super::{TearingBuild, TearingOptions, Tree};
use crate::tree::split::Item;

impl Tree {
    /// Rebuilds noted treelets within the budget. Touched slots are added to the scratch lists; the caller mends what
    /// is above them. Returns the number of triangles in what was rebuilt.
    pub(super) fn settle(&mut self, options: &TearingOptions, scratch: &mut FollowScratch) -> u64 {
        let mut rebuilt = 0;
        let mut done = 0;
        while done < self.pending.len() && rebuilt < options.upkeep as u64 {
            let node = self.pending[done];
            done += 1;
            rebuilt += self.rebuild_treelet(node, options, scratch);
        }
        self.pending.drain(..done);
        // What cannot be kept up with is forgotten: it will be noted again when it changes again.
        let most = if options.upkeep == 0 { 0 } else { MOST_PENDING };
        if self.pending.len() > most {
            self.pending.drain(..self.pending.len() - most);
        }
        rebuilt
    }

    fn rebuild_treelet(&mut self, node: u32, options: &TearingOptions, scratch: &mut FollowScratch) -> u64 {
        let at = self.arena.parent(node);
        // The node may have been taken apart since it was noted.
        if at == NONE {
            return 0;
        }
        let slot = *self.arena.slot(at);
        if slot.child().as_node() != Some(node) || slot.height() != options.treelet_height() {
            return 0;
        }
        scratch.items.clear();
        self.arena.take_apart(node, &mut scratch.items);
        // Medians do not keep heights, so they are no good here.
        self.arena.build(at, &mut scratch.items, Some(slot.height()), TearingBuild::SurfaceArea);
        scratch.touched.push(at);
        scratch.items.len() as u64
    }
}

/// Treelets that may wait.
const MOST_PENDING: usize = 256;

impl Arena {
    /// Gives back a node and all below it, and lists its triangles.
    pub(super) fn take_apart(&mut self, node: u32, items: &mut Vec<Item>) {
        for at in [2 * node, 2 * node + 1] {
            let slot = *self.slot(at);
            match slot.child().as_node() {
                Some(below) => self.take_apart(below, items),
                None => items.push(item_of(&slot)),
            }
        }
        self.free_node(node);
    }
}
