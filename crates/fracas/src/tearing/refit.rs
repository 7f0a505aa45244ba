//! Refitting all boxes after vertices have moved, in one pass over memory.
//!
//! A pass from the last node to the first finds every child done before its parent, provided that nodes come after the
//! node that holds them. A build leaves them so; rotations, joins and permutations do not, and a pass in the wrong order
//! would be wrong without a sound. So edits clear a mark, and a refit that finds it cleared first lays the nodes out
//! anew, in pre-order.

use super::arena::{Arena, Child, NONE, Slot};
use super::follow::leaf_slot;
use super::{TearingOptions, Tree, frame_of};
use crate::mesh::LiveMesh;
use crate::pairs::Frame;

impl Tree {
    /// Makes all boxes new from the positions of the mesh, and fits the frame to them.
    pub(super) fn refit(&mut self, mesh: &LiveMesh) {
        if !self.arena.in_order {
            self.lay_out();
        }
        self.arena.refit(mesh, &self.frame);
        let fits = (0.125..=Frame::REACH).contains(&self.reach());
        if !fits && !self.pieces.is_empty() {
            self.frame = frame_of(mesh);
            self.arena.refit(mesh, &self.frame);
        }
    }

    /// Lays all nodes out in pre-order, one tree after the other. Free nodes disappear.
    pub(super) fn lay_out(&mut self) {
        let mut new = Arena {
            slots: Vec::with_capacity(2 * self.arena.node_count()),
            nodes: Vec::with_capacity(self.arena.node_count()),
            leaf_at: std::mem::take(&mut self.arena.leaf_at),
            in_order: true,
            ..Arena::default()
        };
        for piece in &mut self.pieces {
            let holder = new.new_holder();
            let root = *self.arena.slot(piece.root);
            piece.root = 2 * holder;
            new.copy_from(&self.arena, root, piece.root);
        }
        self.pending.clear();
        self.arena = new;
    }

    /// Tries to tighten a run of nodes, the next ones after those of the last call, by permutations. `count` nodes are
    /// looked at; a whole pass takes as many calls as the body's nodes over `count`. Returns how many were changed.
    pub(super) fn optimise(&mut self, count: usize, options: &TearingOptions) -> usize {
        let metric = self.metric(options);
        let nodes = self.arena.nodes.len();
        let mut changed = 0;
        for _ in 0..count.min(nodes) {
            // Backwards, so that children come before their parents as long as the layout is in order.
            self.cursor = if self.cursor == 0 { nodes - 1 } else { self.cursor.min(nodes) - 1 };
            let node = self.cursor as u32;
            let at = self.arena.parent(node);
            if at != NONE && self.arena.permute(node, metric) {
                changed += 1;
                let mut at = at;
                // Boxes above stay what they are: the same leaves are below. Sums change all the way up.
                loop {
                    let node = at / 2;
                    let child = self.arena.slot(at).child().as_node().expect("a node on the way up");
                    self.arena.pull(child);
                    at = self.arena.parent(node);
                    if at == NONE {
                        break;
                    }
                }
            }
        }
        changed
    }
}

impl Arena {
    fn copy_from(&mut self, old: &Self, subtree: Slot, at: u32) {
        let Some(node) = subtree.child().as_node() else {
            self.put(at, subtree);
            return;
        };
        let copy = self.new_node();
        self.nodes[copy as usize].sums = old.nodes[node as usize].sums;
        self.put(at, Slot::new(subtree.bounds(), Child::node(copy), subtree.height()));
        for side in 0..2 {
            self.copy_from(old, *old.slot(2 * node + side), 2 * copy + side);
        }
    }

    /// Pulls all boxes up from the triangles. The nodes must be in order.
    fn refit(&mut self, mesh: &LiveMesh, frame: &Frame) {
        debug_assert!(self.in_order);
        for node in (0..self.nodes.len() as u32).rev() {
            for at in [2 * node, 2 * node + 1] {
                let child = self.slot(at).child();
                if let Some(triangle) = child.as_leaf() {
                    let leaf = leaf_slot(mesh, frame, triangle);
                    self.slots[at as usize] = leaf;
                } else if let Some(below) = child.as_node() {
                    let pulled = self.pull(below);
                    self.slots[at as usize] = pulled;
                }
            }
        }
    }
}
