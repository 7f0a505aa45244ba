//! Checking every invariant of a body's trees.

use super::arena::{NONE, Slot};
use super::metric::Sums;
use super::{TearingBody, Tree};
use crate::base::{DisjointSets, sorted_set};
use crate::mesh::{LiveMesh, TriangleId};
use crate::tree::{Broken, ensure};

impl TearingBody {
    /// Checks every invariant of the module's head comment. O(n).
    ///
    /// # Errors
    /// The first invariant that does not hold.
    pub fn validate(&self) -> Result<(), Broken> {
        self.mesh.validate().map_err(Broken)?;
        let arena = &self.tree.arena;
        let mut walk = Walk { mesh: &self.mesh, tree: &self.tree, nodes: 0, triangles: 0 };
        for &root in &self.tree.roots {
            let alone = arena.parent(root / 2) == NONE && arena.slot(root + 1).is_empty();
            ensure(alone, || format!("the root in slot {root} has something beside or above it"))?;
            walk.nodes += 1;
            walk.subtree(root)?;
        }
        walk.nothing_else()?;
        if self.tree.options.separate {
            let mut regions = self.clusters.regions.clone();
            regions.update(&self.mesh);
            regions.validate(&self.mesh)?;
        }
        Ok(())
    }
}

struct Walk<'a> {
    mesh: &'a LiveMesh,
    tree: &'a Tree,
    nodes: usize,
    triangles: usize,
}

impl Walk<'_> {
    fn subtree(&mut self, at: u32) -> Result<(), Broken> {
        let arena = &self.tree.arena;
        let slot = arena.slot(at);
        ensure(!slot.is_dirty(), || format!("slot {at} is still marked"))?;
        if let Some(triangle) = slot.child().as_leaf() {
            return self.leaf(at, slot, triangle);
        }
        let node = slot.child().as_node().ok_or_else(|| Broken(format!("slot {at} is empty")))?;
        self.nodes += 1;
        let holder = arena.parent(node);
        ensure(holder == at, || format!("node {node} in slot {at} thinks it is in {holder}"))?;
        let in_order = !arena.in_order || node > at / 2;
        ensure(in_order, || format!("node {node} comes before the node that holds it"))?;
        self.subtree(2 * node)?;
        self.subtree(2 * node + 1)?;
        let (a, b) = (arena.slot(2 * node), arena.slot(2 * node + 1));
        let heights = [slot.height(), a.height(), b.height()];
        let balanced = heights[1].abs_diff(heights[2]) <= 1 && heights[0] == 1 + heights[1].max(heights[2]);
        ensure(balanced, || format!("node {node} and its children have heights {heights:?}"))?;
        let (low, high) = a.union(b);
        let fits = slot.corners() == (low.truncate().to_array(), high.truncate().to_array());
        ensure(fits, || format!("the box of node {node} is not the one around its children"))?;
        let kept = arena.nodes[node as usize].sums;
        let fresh = Sums::of(a, arena.sums_below(a)) + Sums::of(b, arena.sums_below(b));
        ensure(fresh == kept, || format!("node {node} keeps {kept:?} instead of {fresh:?}"))?;
        if slot.is_whole() { self.whole(at, node) } else { Ok(()) }
    }

    /// The triangles below a slot are connected, and one of them has the vertex that stands for all.
    fn whole(&self, at: u32, node: u32) -> Result<(), Broken> {
        let triangles = self.tree.arena.triangles(at);
        let corners = || triangles.iter().map(|&t| self.mesh.corners(TriangleId(t)));
        let vertices = sorted_set(corners().flatten());
        let mut sets = DisjointSets::new(vertices.len());
        let number = |vertex: &u32| vertices.binary_search(vertex).ok().map(|k| k as u32);
        for corners in corners() {
            let [a, b, c] = corners.map(|vertex| number(&vertex).unwrap_or(0));
            sets.join_all([a, b, c]);
        }
        let all_joined = (0..vertices.len() as u32).all(|k| sets.root(k) == 0);
        let stands = number(&self.tree.arena.wholes[node as usize]).is_some();
        ensure(all_joined && stands, || format!("the triangles below slot {at} are not connected"))
    }

    fn leaf(&mut self, at: u32, slot: &Slot, triangle: u32) -> Result<(), Broken> {
        self.triangles += 1;
        let alive = self.mesh.is_alive(TriangleId(triangle));
        ensure(alive, || format!("slot {at} holds triangle {triangle}, which is dead"))?;
        let linked = self.tree.arena.leaf_at[triangle as usize] == at;
        ensure(linked, || format!("triangle {triangle} is in slot {at} and does not know"))?;
        let fresh = Slot::leaf(self.mesh, &self.tree.frame, triangle);
        let fits = (fresh.corners(), 0) == (slot.corners(), slot.height());
        ensure(fits, || format!("the box of triangle {triangle} is not the one around its corners"))
    }

    fn nothing_else(&self) -> Result<(), Broken> {
        let arena = &self.tree.arena;
        let (found, alive) = (self.triangles, self.mesh.live_count());
        ensure(found == alive, || format!("{found} of {alive} triangles are in leaves"))?;
        let linked = arena.leaf_at.iter().filter(|at| **at != NONE).count();
        ensure(linked == found, || format!("{linked} triangles have a slot, {found} are in leaves"))?;
        let (reached, used) = (self.nodes, arena.node_count());
        ensure(reached == used, || format!("{reached} nodes are reached, {used} in use"))?;
        let mut free = arena.free.clone();
        free.sort_unstable();
        ensure(free.windows(2).all(|pair| pair[0] != pair[1]), || "a node is free twice".into())?;
        free.iter().try_for_each(|&node| {
            ensure(arena.parent(node) == NONE, || format!("free node {node} is linked"))
        })
    }
}
