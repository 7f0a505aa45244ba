//! Putting parts of a tree, each with numbers of its own, in order.
//!
//! Parts are grown side by side, so none knows how many nodes and leaves come before it. When all are there, the few
//! nodes that join them are numbered, and all threads copy nodes to their places:
//!
//! ```text
//!   grown      J ─┬─ subtree ─ leaf ─ J ─┬─ subtree …
//!   blocks     [J] [subtree]   [leaf] [J] [subtree] …      first node and first leaf of each: sums over those before
//! ```

use crate::base::parallel;
use crate::pairs::LANES;
use crate::walk::{Child, Node};

/// A tree under construction.
pub(super) enum Grown {
    /// A leaf, with its number of triangles.
    Leaf(u8),
    /// All below a node, in order.
    Subtree(Subtree),
    /// A node over parts, at most eight.
    Joint(Vec<Self>),
}

/// A part of the tree with node and leaf numbers counted from its own first.
#[derive(Default)]
pub(super) struct Subtree {
    pub(super) nodes: Vec<Node>,
    /// How many triangles each leaf holds, in the order of the items.
    pub(super) leaves: Vec<u8>,
}

/// All parts in order. Nodes in pre-order, leaves in the order of the nodes that hold them.
#[derive(Default)]
pub(super) struct Layout {
    blocks: Vec<Block>,
    nodes: u32,
    leaves: u32,
}

/// A part in its place.
struct Block {
    first_node: u32,
    /// What is added to the part's own numbers of nodes and leaves.
    shifts: [u32; 2],
    part: Subtree,
}

impl Layout {
    pub(super) fn of(grown: Option<Grown>) -> Self {
        let mut layout = Self::default();
        if let Some(grown) = grown {
            layout.place(grown);
        }
        layout
    }

    fn place(&mut self, grown: Grown) -> Child {
        match grown {
            Grown::Leaf(size) => {
                let leaf = Child::leaf(self.leaves as usize);
                self.push(Subtree { nodes: vec![], leaves: vec![size] });
                leaf
            }
            Grown::Subtree(part) => {
                let node = Child::node(self.nodes as usize);
                self.push(part);
                node
            }
            Grown::Joint(parts) => {
                let (block, index, first_leaf) = (self.blocks.len(), self.nodes, self.leaves);
                self.push(Subtree { nodes: vec![Node::EMPTY], leaves: vec![] });
                let mut joint = Node { count: parts.len() as u32, ..Node::EMPTY };
                for (child, part) in joint.children.iter_mut().zip(parts) {
                    *child = self.place(part);
                }
                joint.nodes_end = self.nodes;
                joint.leaves = [first_leaf, self.leaves];
                // Its numbers are those of the whole tree already.
                self.blocks[block].shifts = [0; 2];
                self.blocks[block].part.nodes[0] = joint;
                Child::node(index as usize)
            }
        }
    }

    fn push(&mut self, part: Subtree) {
        let (first_node, shifts) = (self.nodes, [self.nodes, self.leaves]);
        self.nodes += part.nodes.len() as u32;
        self.leaves += part.leaves.len() as u32;
        self.blocks.push(Block { first_node, shifts, part });
    }

    /// All nodes, with the numbers they have in the whole tree.
    pub(super) fn nodes(&self, parallel: bool) -> Vec<Node> {
        parallel::collect(parallel, self.nodes as usize, |index| {
            let after = self.blocks.partition_point(|block| block.first_node as usize <= index);
            let Block { first_node, shifts, part } = &self.blocks[after - 1];
            shifted(&part.nodes[index - *first_node as usize], *shifts)
        })
    }

    /// The first item of each leaf, and behind them the number of items.
    pub(super) fn leaf_starts(&self) -> Vec<u32> {
        let mut starts = Vec::with_capacity(self.leaves as usize + 1);
        starts.push(0);
        let mut end = 0;
        for size in self.blocks.iter().flat_map(|block| &block.part.leaves) {
            end += u32::from(*size);
            starts.push(end);
        }
        starts
    }
}

fn shifted(node: &Node, [nodes, leaves]: [u32; 2]) -> Node {
    let mut node = *node;
    node.nodes_end += nodes;
    node.leaves = node.leaves.map(|leaf| leaf + leaves);
    for child in &mut node.children[..(node.count as usize).min(LANES)] {
        *child = if child.is_leaf() {
            Child::leaf(child.index() + leaves as usize)
        } else {
            Child::node(child.index() + nodes as usize)
        };
    }
    node
}
