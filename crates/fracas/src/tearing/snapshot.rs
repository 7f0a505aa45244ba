//! The trees of a body as they are at one moment, in the form that self-queries walk fastest.
//!
//! A query of a body against itself looks at every triangle. So the boxes of the balanced trees are first written down as
//! nodes of eight boxes, and the bunches, subtrees of up to eight triangles, as rows: each vertex is then brought into the
//! frame once for each bunch, not whenever a walk comes by, and eight boxes are compared at a time.
//!
//! ```text
//!   heights of subtrees     … 9 ─┐ a node                     Heights that are multiples of three become nodes: so
//!                             8  │ of eight                   those above the bunches, where most nodes are, hold
//!                             7  │                            five to eight of them.
//!                             6 ─┘─┐
//!                             5    │ a node of eight
//!                             4    │
//!                             3 ───┘ bunches
//! ```

use super::arena::{Arena, Slot};
use super::{TearingBody, find};
use crate::pairs::{LANES, Row, RowIds};
use crate::tree::{Child, Tree};

/// Levels of a balanced tree that become one node.
const LEVELS: u8 = LANES.trailing_zeros() as u8;

/// A body's trees with eight boxes to a node. Keeps its memory from one body to the next.
#[derive(Default)]
pub(super) struct Snapshot {
    pub(super) tree: Tree,
    /// By piece: its tree, as it is here and in the body.
    pub(super) roots: Vec<(Child, Slot)>,
    /// By leaf: the slot of the bunch.
    bunches: Vec<u32>,
}

impl Snapshot {
    /// Writes down the trees of a body.
    ///
    /// # Cost
    /// O(n), mostly for gathering the triangles; they are shared among threads if `parallel`.
    pub(super) fn take(&mut self, body: &TearingBody, parallel: bool) {
        let (mesh, arena, frame) = (&body.mesh, &body.tree.arena, body.tree.frame);
        self.tree.clear(frame);
        self.roots.clear();
        self.bunches.clear();
        for piece in &body.tree.pieces {
            let root = self.widen(arena, piece.root);
            self.roots.push((root, *arena.slot(piece.root)));
        }
        let (rows, ids) = self.tree.leaves(self.bunches.len());
        let gather =
            |row: &mut Row, ids: &mut RowIds, at: u32| *row = find::gather(mesh, &frame, arena, at, ids);
        #[cfg(feature = "parallel")]
        if parallel {
            use rayon::prelude::*;
            let leaves = rows.par_iter_mut().zip(ids).zip(&self.bunches).with_min_len(256);
            return leaves.for_each(|((row, ids), &at)| gather(row, ids, at));
        }
        let _ = parallel;
        for ((row, ids), &at) in rows.iter_mut().zip(ids).zip(&self.bunches) {
            gather(row, ids, at);
        }
    }

    /// Writes down what is in a slot.
    fn widen(&mut self, arena: &Arena, at: u32) -> Child {
        let height = arena.slot(at).height();
        if height <= find::BUNCH {
            self.bunches.push(at);
            return Child::leaf(self.bunches.len() - 1);
        }
        let node = self.tree.add_node();
        let mut parts = Parts { slots: [0; LANES], count: 0, height: (height - 1) / LEVELS * LEVELS };
        parts.open(arena, at);
        for &part in &parts.slots[..parts.count] {
            let child = self.widen(arena, part);
            self.tree.add_child(node, arena.slot(part).corners(), child);
        }
        node
    }
}

/// The largest subtrees of a tree up to a certain height.
struct Parts {
    slots: [u32; LANES],
    count: usize,
    height: u8,
}

impl Parts {
    fn open(&mut self, arena: &Arena, at: u32) {
        let slot = arena.slot(at);
        match slot.child().as_node() {
            Some(node) if slot.height() > self.height => {
                self.open(arena, 2 * node);
                self.open(arena, 2 * node + 1);
            }
            _ => {
                self.slots[self.count] = at;
                self.count += 1;
            }
        }
    }
}
