//! Wholes: subtrees whose triangles are known to be connected, so that dividing a tree need not look at each of them.
//!
//! When a body comes apart, connected triangles stay together. So one vertex tells to which part a connected subtree belongs, whatever
//! its size; and since most subtrees of a few dozen triangles of a surface are connected, a tree is divided without looking at its leaves.
//!
//! A triangle never gets other corners, so a subtree stays connected until its triangles change. A mark in its slot says that
//! it is. Whatever changes the triangles of a subtree computes its slot from those below, without the mark (`Arena::pull`).
//!
//! # Idea
//!
//! The leaves are visited in the order of the tree. A vertex of a leaf that an earlier leaf had as well is a *link* between the two; it
//! belongs to the lowest node above both. When all below a node is done, its links join the components of its children:
//!
//! ```text
//!            n            components of n = those of x + those of y − links of n that join two
//!          /   \
//!         x     y         The links of n are those between a leaf of x and a leaf of y. Those below x and y
//!        / \   / \        have been used for x and y.
//!       1   2─3   4
//! ```

use super::Tree;
use super::arena::Arena;
use crate::base::DisjointSets;
use crate::mesh::LiveMesh;

/// Largest height of a subtree that is looked at. Higher ones are rarely connected, and divided anyway.
const HIGHEST: u8 = 9;

impl Tree {
    /// Marks all connected subtrees up to a certain height.
    pub(super) fn find_wholes(&mut self, mesh: &LiveMesh) {
        let mut search = Search {
            triangles: mesh.triangles(),
            last: vec![0; mesh.vertex_count()],
            next: 1,
            begin: 1,
            vertex: 0,
            sets: DisjointSets::default(),
            levels: vec![Level::default(); HIGHEST as usize],
        };
        self.arena.wholes.resize(self.arena.nodes.len(), 0);
        for &root in &self.roots {
            search.descend(&mut self.arena, root);
        }
    }
}

struct Search<'a> {
    triangles: &'a [[u32; 3]],
    /// By vertex: the number of the last leaf that had it.
    last: Vec<u32>,
    /// The number of the next leaf, and that of the first leaf below the present highest node.
    next: u32,
    begin: u32,
    /// A vertex of the last leaf.
    vertex: u32,
    /// Leaves below the present highest node that are connected.
    sets: DisjointSets,
    /// The nodes on the way to the present leaf, the highest first.
    levels: Vec<Level>,
}

#[derive(Clone, Default)]
struct Level {
    /// The first leaf below the node.
    begin: u32,
    /// Leaves that have a vertex in common, one below each child of the node.
    links: Vec<[u32; 2]>,
}

impl Search<'_> {
    /// Goes down to nodes of the largest height.
    fn descend(&mut self, arena: &mut Arena, at: u32) {
        let slot = *arena.slot(at);
        let Some(node) = slot.child().as_node() else { return };
        if slot.height() > HIGHEST {
            self.descend(arena, 2 * node);
            self.descend(arena, 2 * node + 1);
            return;
        }
        self.sets.clear();
        self.begin = self.next;
        self.components(arena, at, 0);
    }

    /// The number of components of the triangles below a slot. Marks the slots of connected nodes.
    fn components(&mut self, arena: &mut Arena, at: u32, depth: usize) -> u32 {
        let child = arena.slot(at).child();
        if let Some(triangle) = child.as_leaf() {
            self.leaf(triangle, depth);
            return 1;
        }
        let Some(node) = child.as_node() else { return 0 };
        self.levels[depth].begin = self.next;
        self.levels[depth].links.clear();
        let mut count =
            self.components(arena, 2 * node, depth + 1) + self.components(arena, 2 * node + 1, depth + 1);
        for &[a, b] in &self.levels[depth].links {
            if count == 1 {
                break;
            }
            let (a, b) = (self.sets.root(a), self.sets.root(b));
            if a != b {
                self.sets.attach(a.max(b), a.min(b));
                count -= 1;
            }
        }
        if count == 1 {
            arena.slots[at as usize].set_whole(true);
            arena.wholes[node as usize] = self.vertex;
        }
        count
    }

    fn leaf(&mut self, triangle: u32, depth: usize) {
        let number = self.next;
        self.next += 1;
        let leaf = self.sets.push();
        let corners = self.triangles[triangle as usize];
        self.vertex = corners[0];
        for vertex in corners {
            let last = std::mem::replace(&mut self.last[vertex as usize], number);
            if last < self.begin || last == number {
                continue;
            }
            let mut level = depth - 1;
            while self.levels[level].begin > last {
                level -= 1;
            }
            self.levels[level].links.push([last - self.begin, leaf]);
        }
    }
}
