//! Trees put together from the boxes of another structure, for the length of a query.
//!
//! A structure that is made to be edited keeps its boxes in a form that is slow to walk. Where a query looks at all of it
//! anyway, it pays to write the boxes and triangles down in the form of this module first. Such a tree is good for
//! [`super::traverse`] alone: its nodes are in no order that a refit could rely on, and it has no contours.

use super::{Child, Node, Tree};
use crate::pairs::{Frame, Row, RowIds};

impl Tree {
    /// Forgets all nodes and leaves; keeps the memory.
    pub(crate) fn clear(&mut self, frame: Frame) {
        self.frame = frame;
        self.nodes.clear();
        self.rows.clear();
        self.ids.clear();
        self.contours = None;
    }

    /// Adds a node without children.
    pub(crate) fn add_node(&mut self) -> Child {
        self.nodes.push(Node::EMPTY);
        Child::node(self.nodes.len() - 1)
    }

    /// Gives a node one more child, of eight at most. The box is in frame coordinates.
    pub(crate) fn add_child(&mut self, node: Child, (low, high): ([f32; 3], [f32; 3]), child: Child) {
        let node = &mut self.nodes[node.index()];
        let lane = node.count as usize;
        for axis in 0..3 {
            node.low[axis][lane] = low[axis];
            node.high[axis][lane] = high[axis];
        }
        node.children[lane] = child;
        node.count += 1;
    }

    /// So many leaves, to be filled.
    pub(crate) fn leaves(&mut self, count: usize) -> (&mut [Row], &mut [RowIds]) {
        self.rows.resize(count, Row::ZERO);
        self.ids.resize(count, RowIds::EMPTY);
        (&mut self.rows, &mut self.ids)
    }
}
