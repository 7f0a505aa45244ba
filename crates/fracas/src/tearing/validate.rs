//! Checking every invariant of a body's trees.

use super::arena::{NONE, Slot};
use super::follow::leaf_slot;
use super::metric::Sums;
use super::{TearingBody, Tree};
use crate::mesh::{LiveMesh, TriangleId};

impl TearingBody {
    /// Checks every invariant of the module's head comment. O(n).
    ///
    /// # Errors
    /// A sentence about the first invariant that does not hold: a bug here, never the user's fault.
    pub fn validate(&self) -> Result<(), String> {
        self.mesh.validate()?;
        let mut walk = Walk { mesh: &self.mesh, tree: &self.tree, nodes: 0, triangles: 0 };
        for &root in &self.tree.roots {
            let arena = &self.tree.arena;
            let holder = root / 2;
            if arena.parent(holder) != NONE || !arena.slot(root + 1).is_empty() {
                return Err(format!("the root in slot {} has something beside or above it", root));
            }
            if arena.slot(root).is_empty() {
                return Err(format!("the piece in slot {} is empty", root));
            }
            walk.nodes += 1;
            walk.subtree(root)?;
        }
        walk.nothing_else()
    }
}

struct Walk<'a> {
    mesh: &'a LiveMesh,
    tree: &'a Tree,
    nodes: usize,
    triangles: usize,
}

impl Walk<'_> {
    fn subtree(&mut self, at: u32) -> Result<(), String> {
        let arena = &self.tree.arena;
        let slot = arena.slot(at);
        if slot.is_dirty() {
            return Err(format!("slot {at} is still marked"));
        }
        if let Some(triangle) = slot.child().as_leaf() {
            return self.leaf(at, slot, triangle);
        }
        let Some(node) = slot.child().as_node() else { return Err(format!("slot {at} is empty")) };
        self.nodes += 1;
        if arena.parent(node) != at {
            return Err(format!("node {node} in slot {at} thinks it is in {}", arena.parent(node)));
        }
        if arena.in_order && node <= at / 2 {
            return Err(format!("node {node} comes before the node that holds it"));
        }
        self.subtree(2 * node)?;
        self.subtree(2 * node + 1)?;
        let (a, b) = (arena.slot(2 * node), arena.slot(2 * node + 1));
        if a.height().abs_diff(b.height()) > 1 || slot.height() != 1 + a.height().max(b.height()) {
            let heights = [slot.height(), a.height(), b.height()];
            return Err(format!("node {node} and its children have heights {heights:?}"));
        }
        let (low, high) = a.union(b);
        if slot.corners() != (low.truncate().to_array(), high.truncate().to_array()) {
            return Err(format!("the box of node {node} is not the one around its children"));
        }
        self.sums(node)
    }

    fn leaf(&mut self, at: u32, slot: &Slot, triangle: u32) -> Result<(), String> {
        self.triangles += 1;
        if !self.mesh.is_alive(TriangleId(triangle)) {
            return Err(format!("slot {at} holds triangle {triangle}, which is dead"));
        }
        if self.tree.arena.leaf_at[triangle as usize] != at {
            return Err(format!("triangle {triangle} is in slot {at} and does not know"));
        }
        let fresh = leaf_slot(self.mesh, &self.tree.frame, triangle);
        if (fresh.corners(), 0) != (slot.corners(), slot.height()) {
            return Err(format!("the box of triangle {triangle} is not the one around its corners"));
        }
        Ok(())
    }

    fn sums(&self, node: u32) -> Result<(), String> {
        let arena = &self.tree.arena;
        let kept = arena.nodes[node as usize].sums;
        let of = |at: u32| Sums::of(arena.slot(at), arena.sums_below(arena.slot(at)));
        let fresh = of(2 * node) + of(2 * node + 1);
        if fresh == kept { Ok(()) } else { Err(format!("node {node} keeps {kept:?} instead of {fresh:?}")) }
    }

    fn nothing_else(&self) -> Result<(), String> {
        let arena = &self.tree.arena;
        if self.triangles != self.mesh.live_count() {
            return Err(format!("{} of {} triangles are in leaves", self.triangles, self.mesh.live_count()));
        }
        let linked = arena.leaf_at.iter().filter(|at| **at != NONE).count();
        if linked != self.triangles {
            return Err(format!("{linked} triangles have a slot, {} are in leaves", self.triangles));
        }
        if self.nodes != arena.node_count() {
            return Err(format!("{} nodes are reached, {} in use", self.nodes, arena.node_count()));
        }
        let mut free = arena.free.clone();
        free.sort_unstable();
        if free.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("a node is free twice".into());
        }
        match free.iter().find(|&&node| arena.parent(node) != NONE) {
            Some(node) => Err(format!("free node {node} is linked")),
            None => Ok(()),
        }
    }
}
