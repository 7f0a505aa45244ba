//! Where the nodes of balanced trees live: pairs of slots, linked both ways.
//!
//! ```text
//!   node n:   slot 2n            slot 2n + 1          64 bytes, one cache line
//!            ┌────────────────┬────────────────┐
//!            │ box, child, h  │ box, child, h  │     a child is a node, a triangle, or nothing
//!            └───────┬────────┴────────────────┘
//!                    ▼                                `nodes[n].parent`: the slot that holds n
//!            ┌────────────────┬────────────────┐     `leaf_at[t]`: the slot that holds triangle t
//!            │ …              │ …              │
//! ```
//!
//! Leaves have no node of their own, so a tree of n triangles has n − 1 nodes. The root of each tree sits in the first
//! slot of a *holder*, a node with nothing above and nothing in its second slot.

use super::metric::Sums;
use crate::base::{headroom, reserve_warm, roomy, warm_room};
use crate::mesh::{LiveMesh, TriangleId};
use crate::pairs::Frame;
use crate::tree::partition::Item;
use glam::{BVec4A, Vec4};

/// No slot, no node.
pub(super) const NONE: u32 = u32::MAX;

/// What a slot leads to: a node, a triangle, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Child(u32);

impl Child {
    const LEAF_BIT: u32 = 1 << 31;

    #[inline]
    pub(super) fn node(index: u32) -> Self {
        Self(index)
    }

    #[inline]
    pub(super) fn leaf(triangle: u32) -> Self {
        Self(triangle | Self::LEAF_BIT)
    }

    #[inline]
    pub(super) fn as_node(self) -> Option<u32> {
        (self.0 & Self::LEAF_BIT == 0).then_some(self.0)
    }

    #[inline]
    pub(super) fn as_leaf(self) -> Option<u32> {
        (self.0 & Self::LEAF_BIT != 0 && self.0 != NONE).then_some(self.0 & !Self::LEAF_BIT)
    }
}

/// A subtree as its parent sees it: two vectors of a box, with the child in the bits of the lower one's last lane, and
/// height and marks in those of the upper one's. These lanes take no part in any comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    low: Vec4,
    high: Vec4,
}

/// A vector with zero in its last lane.
#[inline]
pub(super) fn without_w(v: Vec4) -> Vec4 {
    Vec4::select(BVec4A::new(true, true, true, false), v, Vec4::ZERO)
}

/// A box as two vectors whose last lanes mean nothing.
pub(super) type Bounds = (Vec4, Vec4);

const DIRTY: u32 = 1 << 8;
const WHOLE: u32 = 1 << 9;
const TAG_SHIFT: u32 = 10;
/// Tags must be smaller.
pub(super) const TAGS: u32 = 1 << (32 - TAG_SHIFT);

impl Slot {
    pub(super) const EMPTY: Self = Self {
        low: Vec4::new(f32::INFINITY, f32::INFINITY, f32::INFINITY, f32::from_bits(NONE)),
        high: Vec4::new(f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0),
    };

    #[inline]
    pub(super) fn new((low, high): Bounds, child: Child, height: u8) -> Self {
        Self {
            low: low.with_w(f32::from_bits(child.0)),
            high: high.with_w(f32::from_bits(u32::from(height))),
        }
    }

    /// The box of a triangle in frame coordinates, as a leaf.
    #[inline]
    pub(super) fn leaf(mesh: &LiveMesh, frame: &Frame, triangle: u32) -> Self {
        let corners = mesh.triangles()[triangle as usize].map(|v| mesh.positions()[v as usize]);
        Self::of_item(&Item::new(frame, corners, Child::leaf(triangle).0))
    }

    /// The leaf as an item of a build. The bits that name its child take the place of the triangle's number.
    #[inline]
    pub(super) fn as_item(&self) -> Item {
        debug_assert!(self.child().as_leaf().is_some());
        Item { low: self.low, high: without_w(self.high) }
    }

    /// The leaf that has become an item.
    #[inline]
    pub(super) fn of_item(item: &Item) -> Self {
        Self { low: item.low, high: item.high }
    }

    #[inline]
    pub(super) fn child(&self) -> Child {
        Child(self.low.w.to_bits())
    }

    /// 0 for a triangle.
    #[inline]
    pub(super) fn height(&self) -> u8 {
        self.high.w.to_bits() as u8
    }

    /// Whether something below has changed in this step and is not yet put right.
    #[inline]
    pub(super) fn is_dirty(&self) -> bool {
        self.high.w.to_bits() & DIRTY != 0
    }

    #[inline]
    pub(super) fn set_dirty(&mut self, dirty: bool) {
        let bits = self.high.w.to_bits() & !DIRTY;
        self.high.w = f32::from_bits(if dirty { bits | DIRTY } else { bits });
    }

    /// Whether the triangles below are known to be connected (`wholes`). A slot that is computed from those below it does not know.
    #[inline]
    pub(super) fn is_whole(&self) -> bool {
        self.high.w.to_bits() & WHOLE != 0
    }

    #[inline]
    pub(super) fn set_whole(&mut self, whole: bool) {
        let bits = self.high.w.to_bits() & !WHOLE;
        self.high.w = f32::from_bits(if whole { bits | WHOLE } else { bits });
    }

    /// A number that a step may leave here for itself; 0 if it has not.
    #[inline]
    pub(super) fn tag(&self) -> u32 {
        self.high.w.to_bits() >> TAG_SHIFT
    }

    #[inline]
    pub(super) fn set_tag(&mut self, tag: u32) {
        self.high.w = f32::from_bits(self.high.w.to_bits() & ((1 << TAG_SHIFT) - 1) | tag << TAG_SHIFT);
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.low.w.to_bits() == NONE
    }

    #[inline]
    pub(super) fn bounds(&self) -> Bounds {
        (self.low, self.high)
    }

    /// Replaces the box and keeps the rest.
    #[inline]
    pub(super) fn set_bounds(&mut self, (low, high): Bounds) {
        self.low = low.with_w(self.low.w);
        self.high = high.with_w(self.high.w);
    }

    pub(super) fn corners(&self) -> ([f32; 3], [f32; 3]) {
        (self.low.truncate().to_array(), self.high.truncate().to_array())
    }

    /// Whether the box does not even touch another. An empty slot has no box.
    #[inline]
    pub(super) fn is_apart_from(&self, (low, high): Bounds) -> bool {
        let (above, below) = (self.low.cmpgt(high), self.high.cmplt(low));
        !self.is_empty() && (above | below).bitmask() & 0b111 != 0
    }

    /// The box around this one and another.
    #[inline]
    pub(super) fn union(&self, other: &Self) -> Bounds {
        (self.low.min(other.low), self.high.max(other.high))
    }
}

/// A subtree that has just been put into a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Built {
    pub(super) slot: Slot,
    /// Its own box included.
    pub(super) sums: Sums,
}

/// What is known of a node beside its slots. Both are used together, on every way up.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeInfo {
    /// The slot that holds the node; [`NONE`] for a holder and for a free node.
    pub(super) parent: u32,
    /// Sums over the boxes below.
    pub(super) sums: Sums,
}

impl NodeInfo {
    const FREE: Self = Self { parent: NONE, sums: Sums::NONE };
}

/// All nodes of the trees of one body.
#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    pub(super) slots: Vec<Slot>,
    pub(super) nodes: Vec<NodeInfo>,
    /// By triangle: the slot that holds it; [`NONE`] if it is in no tree.
    pub(super) leaf_at: Vec<u32>,
    pub(super) free: Vec<u32>,
    /// By node: a vertex of the triangles below it. Means nothing unless its slot says that they are connected.
    pub(super) wholes: Vec<u32>,
    /// Whether every node comes after the node that holds it, as [`super::refit`] needs.
    pub(super) in_order: bool,
}

impl Arena {
    /// No trees, with room for those over some triangles and for [`headroom`] more.
    pub(super) fn with_room(slots: usize, triangles: usize) -> Self {
        let nodes = triangles + headroom(triangles);
        Self {
            slots: Vec::with_capacity(2 * nodes),
            nodes: Vec::with_capacity(nodes),
            leaf_at: roomy(NONE, slots),
            in_order: true,
            ..Self::default()
        }
    }

    /// Makes room for the nodes of this many more triangles, and writes to it once.
    pub(super) fn reserve(&mut self, triangles: usize) {
        reserve_warm(&mut self.slots, 2 * triangles, Slot::EMPTY);
        reserve_warm(&mut self.nodes, triangles, NodeInfo::FREE);
        reserve_warm(&mut self.leaf_at, triangles, NONE);
    }

    /// Makes the room for the next nodes ready to be written to.
    pub(super) fn warm(&mut self) {
        let nodes = warm_room(self.nodes.len());
        reserve_warm(&mut self.slots, 2 * nodes, Slot::EMPTY);
        reserve_warm(&mut self.nodes, nodes, NodeInfo::FREE);
    }

    /// A node whose slots hold nothing of use yet.
    #[inline]
    pub(super) fn new_node(&mut self) -> u32 {
        if let Some(node) = self.free.pop() {
            self.in_order = false;
            return node;
        }
        let node = self.nodes.len() as u32;
        self.slots.extend([Slot::EMPTY; 2]);
        self.nodes.push(NodeInfo::FREE);
        node
    }

    /// A node for a root: its first slot is empty and waits for it, its second stays so.
    pub(super) fn new_holder(&mut self) -> u32 {
        let holder = self.new_node();
        self.slots[2 * holder as usize..][..2].fill(Slot::EMPTY);
        holder
    }

    /// Gives a node back. Its slots must have been moved elsewhere.
    #[inline]
    pub(super) fn free_node(&mut self, node: u32) {
        self.nodes[node as usize].parent = NONE;
        self.free.push(node);
    }

    /// Empties the slot of a removed triangle and returns it.
    #[inline]
    pub(super) fn drop_leaf(&mut self, triangle: TriangleId) -> u32 {
        let at = std::mem::replace(&mut self.leaf_at[triangle.index()], NONE);
        self.slots[at as usize] = Slot::EMPTY;
        at
    }

    #[inline]
    pub(super) fn slot(&self, at: u32) -> &Slot {
        &self.slots[at as usize]
    }

    /// The slot that holds a node.
    #[inline]
    pub(super) fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    /// Puts a subtree into a slot and tells it where it is.
    #[inline]
    pub(super) fn put(&mut self, at: u32, subtree: Slot) {
        self.slots[at as usize] = subtree;
        if let Some(node) = subtree.child().as_node() {
            self.nodes[node as usize].parent = at;
        } else if let Some(triangle) = subtree.child().as_leaf() {
            self.leaf_at[triangle as usize] = at;
        }
    }

    /// A node as its parent should see it, from its two slots, neither of them empty; its sums are recomputed.
    #[inline]
    pub(super) fn pull(&mut self, node: u32) -> Slot {
        let at = 2 * node as usize;
        let [a, b] = &self.slots[at..at + 2] else { unreachable!("two slots") };
        let sums = Sums::of(a, self.sums_below(a)) + Sums::of(b, self.sums_below(b));
        let pulled = Slot::new(a.union(b), Child::node(node), 1 + a.height().max(b.height()));
        self.nodes[node as usize].sums = sums;
        pulled
    }

    /// The sums of the node a slot leads to, nothing for a triangle.
    #[inline]
    pub(super) fn sums_below(&self, slot: &Slot) -> Sums {
        slot.child().as_node().map_or(Sums::NONE, |node| self.nodes[node as usize].sums)
    }

    /// Calls `visit` with the triangles below a slot, in the order of the tree.
    pub(super) fn for_each_triangle(&self, at: u32, visit: &mut impl FnMut(u32)) {
        let child = self.slot(at).child();
        if let Some(triangle) = child.as_leaf() {
            visit(triangle);
        } else if let Some(node) = child.as_node() {
            self.for_each_triangle(2 * node, visit);
            self.for_each_triangle(2 * node + 1, visit);
        }
    }

    /// The triangles below a slot, in the order of the tree.
    pub(super) fn triangles(&self, at: u32) -> Vec<u32> {
        let mut triangles = Vec::new();
        self.for_each_triangle(at, &mut |triangle| triangles.push(triangle));
        triangles
    }

    /// Makes a node of two subtrees, in a node that is free for it, and returns it.
    #[inline]
    pub(super) fn pair(&mut self, node: u32, a: Slot, b: Slot) -> Slot {
        self.put(2 * node, a);
        self.put(2 * node + 1, b);
        self.pull(node)
    }

    /// Puts a triangle into a slot.
    #[inline]
    pub(super) fn put_leaf(&mut self, at: u32, item: &Item) -> Built {
        let slot = Slot::of_item(item);
        self.slots[at as usize] = slot;
        if let Some(triangle) = slot.child().as_leaf() {
            self.leaf_at[triangle as usize] = at;
        }
        Built { slot, sums: Sums::of_leaf(&slot) }
    }

    /// Puts a node into a slot, given what has been put into its own two.
    #[inline]
    pub(super) fn put_node(&mut self, at: u32, node: u32, a: Built, b: Built) -> Built {
        let height = 1 + a.slot.height().max(b.slot.height());
        let slot = Slot::new(a.slot.union(&b.slot), Child::node(node), height);
        let below = a.sums + b.sums;
        self.slots[at as usize] = slot;
        self.nodes[node as usize] = NodeInfo { parent: at, sums: below };
        Built { slot, sums: Sums::of(&slot, below) }
    }

    /// Nodes in use, holders included.
    pub(super) fn node_count(&self) -> usize {
        self.nodes.len() - self.free.len()
    }
}
