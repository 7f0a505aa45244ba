//! Upkeep within a budget: parts of the tree that edits have loosened are rebuilt, a few in every step.
//!
//! Insertions beside a host and permutations keep boxes small, but not as small as a fresh build. So a step notes the
//! *treelets* it has changed, the largest subtrees up to a certain height, and later steps rebuild them, those first
//! that have been left alone longest. The front of a cut returns to a treelet for a few steps, so rebuilding it earlier
//! would be wasted. A treelet keeps its height and its box, so the tree above it stays as it is: there
//! are no spikes, and no rebuild of the whole tree.

use super::arena::{Arena, NONE};
use super::build::Axes;
use super::follow::FollowScratch;
use super::{TearingOptions, Tree};
use crate::base::roomy;
use std::collections::VecDeque;

/// Steps for which a treelet must be left alone before it is rebuilt.
const QUIET_STEPS: u32 = 2;

/// Treelets that wait to be rebuilt.
#[derive(Clone, Debug, Default)]
pub(super) struct Upkeep {
    /// Nodes, each with the step that changed it, in the order of steps. Counts only if no later step has changed it.
    waiting: VecDeque<(u32, u32)>,
    /// By node: the last step that changed it as a treelet.
    changed_in: Vec<u32>,
    step: u32,
    /// Triangles that may be rebuilt now; less than none if too many were.
    credit: i64,
    /// What has changed since the last step ended.
    pub(super) noted: Vec<u32>,
}

impl Upkeep {
    /// Forgets all treelets, as when nodes get new numbers.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.noted.clear();
        self.credit = 0;
    }

    /// Begins with this many nodes, none of them changed, and room for more.
    pub(super) fn prepare(&mut self, nodes: usize) {
        self.changed_in = roomy(self.step.wrapping_sub(1), nodes);
    }

    /// Makes room for this many nodes.
    pub(super) fn reserve(&mut self, nodes: usize) {
        let never = self.step.wrapping_sub(1);
        self.changed_in.resize(nodes.max(self.changed_in.len()), never);
    }

    /// Ends a step: what it has noted waits from now on.
    pub(super) fn finish_step(&mut self, nodes: usize, options: &TearingOptions) {
        self.step = self.step.wrapping_add(1);
        if options.upkeep > 0 {
            self.reserve(nodes);
            for &node in &self.noted {
                let changed_in = &mut self.changed_in[node as usize];
                if *changed_in != self.step {
                    *changed_in = self.step;
                    self.waiting.push_back((node, self.step));
                }
            }
        }
        self.noted.clear();
    }

    /// The next treelet to look at, if any has been left alone for long enough.
    fn next(&mut self) -> Option<u32> {
        while let Some(&(node, step)) = self.waiting.front()
            && self.step.wrapping_sub(step) >= QUIET_STEPS
        {
            self.waiting.pop_front();
            if self.changed_in[node as usize] == step {
                return Some(node);
            }
        }
        None
    }
}

impl Tree {
    /// Notes the treelets that nodes are in.
    pub(super) fn note_treelets(&mut self, nodes: &[u32]) {
        if self.options.upkeep == 0 {
            return;
        }
        for &node in nodes {
            let mut treelet = node;
            while let Some(above) = self.arena.node_above(treelet)
                && self.arena.slot(self.arena.parent(above)).height() <= self.options.treelet_height()
            {
                treelet = above;
            }
            self.upkeep.noted.push(treelet);
        }
    }

    /// Rebuilds noted treelets within the budget, before an edit that changes this many triangles: a large one leaves less
    /// time. Touched slots are added to the scratch lists; the caller mends what is above them. Returns the number of
    /// triangles in what was rebuilt.
    pub(super) fn settle(&mut self, changed: usize, scratch: &mut FollowScratch) -> u64 {
        // More than all triangles there can be is no more; sums stay far from the ends of the range.
        let budget = i64::try_from(self.options.upkeep).unwrap_or(i64::MAX).min(i64::from(u32::MAX));
        // A little of what is not used may be used later.
        self.upkeep.credit = (self.upkeep.credit + budget).min(2 * budget);
        let mut left = self.upkeep.credit.min(2 * budget - changed as i64);
        let mut rebuilt = 0;
        while left > 0
            && let Some(node) = self.upkeep.next()
        {
            let triangles = self.rebuild_treelet(node, scratch);
            left -= triangles as i64;
            rebuilt += triangles;
        }
        self.upkeep.credit -= rebuilt as i64;
        rebuilt
    }

    fn rebuild_treelet(&mut self, node: u32, scratch: &mut FollowScratch) -> u64 {
        let at = self.arena.parent(node);
        // The node may have been taken apart since it was noted.
        if at == NONE {
            return 0;
        }
        let slot = *self.arena.slot(at);
        if slot.child().as_node() != Some(node) || slot.height() > self.options.treelet_height() {
            return 0;
        }
        scratch.items.clear();
        let free = self.arena.free.len();
        self.arena.take_out(at, &mut scratch.items);
        // The new nodes take the same memory, parents first, as in a fresh tree: else every rebuild would scatter them a little more.
        self.arena.free[free..].sort_unstable_by(|a, b| b.cmp(a));
        let FollowScratch { items, build, .. } = scratch;
        self.arena.build_by_area(at, items, slot.height(), Axes::Longest, build);
        scratch.touched.push(at);
        scratch.items.len() as u64
    }
}

impl Arena {
    /// The node that holds a node, unless that is a holder or nothing.
    fn node_above(&self, node: u32) -> Option<u32> {
        let above = self.parent(node);
        (above != NONE && self.parent(above / 2) != NONE).then_some(above / 2)
    }
}
