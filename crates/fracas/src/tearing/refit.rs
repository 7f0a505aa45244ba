//! Refitting all boxes after vertices have moved, in one pass over memory, with permutations on the way.
//!
//! A pass from the last node to the first finds every child done before its parent, provided that nodes come after the
//! node that holds them. A build stores them in this order. Rotations, joins and permutations do not keep it, and a pass in the wrong
//! order would silently give wrong boxes. So they clear a mark, and a refit that finds it cleared walks the tree instead.
//! [`super::TearingBody::lay_out`] puts the nodes in order again.
//!
//! Large deformations loosen the tree. Permutations tighten it; a slice of the nodes in every frame is enough. They
//! cost least during a refit, when the boxes below a node have just been computed and those above are about to be.

use super::arena::{Arena, Child, Slot};
use super::metric::Metric;
use super::{Tree, frame_of};
use crate::mesh::LiveMesh;
use crate::walk::fits_frame;
use glam::{Vec3, Vec4};
use std::ops::Range;

impl Tree {
    /// Makes all boxes new from the positions of the mesh, fits the frame to them if need be, and tries to tighten the
    /// next `count` nodes by permutations. Returns how many were changed.
    pub(super) fn refit(&mut self, mesh: &LiveMesh, count: usize) -> usize {
        let nodes = self.arena.nodes.len();
        let from = if self.cursor < nodes { self.cursor } else { 0 };
        let to = (from + count).min(nodes);
        self.cursor = to;
        self.is_behind = false;
        let changed = self.refit_in_frame(mesh, from as u32..to as u32);
        if self.bounds().is_some_and(|corners| !fits_frame(corners, 0.125)) {
            let frame = frame_of(mesh);
            if frame != self.frame {
                self.frame = frame;
                self.refit_in_frame(mesh, 0..0);
            }
        }
        changed
    }

    /// Makes all boxes new and tries to tighten some nodes. Returns how many were changed.
    fn refit_in_frame(&mut self, mesh: &LiveMesh, slice: Range<u32>) -> usize {
        let metric = self.metric();
        let Self { frame, mapped, arena, roots, .. } = self;
        // Each vertex is brought into the frame once, so that the six or so triangles around it need not.
        mapped.clear();
        mapped.extend(mesh.positions().iter().map(|p| Vec3::from_array(frame.map(*p)).extend(0.0)));
        let mut pass = Refit { triangles: mesh.triangles(), mapped, metric, slice, changed: 0 };
        if arena.in_order {
            (0..arena.slots.len() as u32).rev().for_each(|at| pass.slot(arena, at));
        } else {
            roots.iter().for_each(|root| pass.node(arena, root / 2));
        }
        pass.changed
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
        for root in &mut self.roots {
            let tree = *self.arena.slot(*root);
            *root = 2 * new.new_holder();
            new.copy_from(&self.arena, tree, *root);
        }
        self.upkeep.clear();
        self.arena = new;
    }
}

/// One pass over all boxes.
struct Refit<'a> {
    triangles: &'a [[u32; 3]],
    /// Positions of the vertices in frame coordinates.
    mapped: &'a [Vec4],
    metric: Metric,
    /// Nodes to be tightened.
    slice: Range<u32>,
    changed: usize,
}

impl Refit<'_> {
    /// From the leaves up, whatever the order of nodes.
    fn node(&mut self, arena: &mut Arena, node: u32) {
        for at in [2 * node, 2 * node + 1] {
            if let Some(below) = arena.slot(at).child().as_node() {
                self.node(arena, below);
            }
            self.slot(arena, at);
        }
    }

    /// One slot, all below it being done.
    #[inline(always)]
    fn slot(&mut self, arena: &mut Arena, at: u32) {
        let child = arena.slot(at).child();
        if let Some(triangle) = child.as_leaf() {
            let [a, b, c] = self.triangles[triangle as usize].map(|v| self.mapped[v as usize]);
            arena.slots[at as usize] = Slot::new((a.min(b).min(c), a.max(b).max(c)), child, 0);
        } else if let Some(below) = child.as_node() {
            if self.slice.contains(&below) && arena.permute(below, self.metric) {
                self.changed += 1;
            }
            let is_whole = arena.slot(at).is_whole();
            let mut pulled = arena.pull(below);
            pulled.set_whole(is_whole);
            arena.slots[at as usize] = pulled;
        }
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
        let mut slot = Slot::new(subtree.bounds(), Child::node(copy), subtree.height());
        if subtree.is_whole() {
            slot.set_whole(true);
            self.wholes.resize(copy as usize + 1, 0);
            self.wholes[copy as usize] = old.wholes[node as usize];
        }
        self.put(at, slot);
        for side in 0..2 {
            self.copy_from(old, *old.slot(2 * node + side), 2 * copy + side);
        }
    }
}
