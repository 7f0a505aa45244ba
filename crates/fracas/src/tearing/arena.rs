//! Where the nodes of balanced trees live: pairs of slots, linked both ways.
//!
//! ```text
//!   node n:   slot 2n            slot 2n + 1          64 bytes, one cache line
//!            ┌────────────────┬────────────────┐
//!            │ box, child, h  │ box, child, h  │     a child is a node, a triangle, or nothing
//!            └───────┬────────┴────────────────┘
//!                    ▼                                `parent[n]`: the slot that holds node n
//!            ┌────────────────┬────────────────┐     `leaf_at[t]`: the slot that holds triangle t
//!            │ …              │ …              │
//! ```
//!
//! Leaves have no node of their own, so a tree of n triangles has n − 1 nodes. The root of each tree sits in the first
//! slot of a *holder*, a node with nothing above and nothing in its second slot.

use super::metric::Sums;

/// No slot, no node.
pub(super) const NONE: u32 = u32::MAX;

/// What a slot leads to: a node, a triangle, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Child(u32);

impl Child {
    pub(super) const NONE: Self = Self(NONE);
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
    pub(super) fn is_none(self) -> bool {
        self.0 == NONE
    }

    /// The node, if it is one.
    #[inline]
    pub(super) fn as_node(self) -> Option<u32> {
        (self.0 & Self::LEAF_BIT == 0).then_some(self.0)
    }

    /// The triangle, if it is one.
    #[inline]
    pub(super) fn as_leaf(self) -> Option<u32> {
        (self.0 & Self::LEAF_BIT != 0 && self.0 != NONE).then_some(self.0 & !Self::LEAF_BIT)
    }
}

/// A subtree as its parent sees it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Slot {
    pub(super) low: [f32; 3],
    pub(super) child: Child,
    pub(super) high: [f32; 3],
    /// 0 for a triangle.
    pub(super) height: u8,
    /// Something below has changed in this step and is not yet put right.
    pub(super) dirty: bool,
}

impl Slot {
    pub(super) const EMPTY: Self = Self {
        low: [f32::INFINITY; 3],
        child: Child::NONE,
        high: [f32::NEG_INFINITY; 3],
        height: 0,
        dirty: false,
    };

    #[inline]
    pub(super) fn leaf(triangle: u32, low: [f32; 3], high: [f32; 3]) -> Self {
        Self { low, child: Child::leaf(triangle), high, height: 0, dirty: false }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.child.is_none()
    }

    /// The box around this one and another.
    #[inline]
    pub(super) fn union(&self, other: &Self) -> ([f32; 3], [f32; 3]) {
        let (a, b) = (self, other);
        (
            [a.low[0].min(b.low[0]), a.low[1].min(b.low[1]), a.low[2].min(b.low[2])],
            [a.high[0].max(b.high[0]), a.high[1].max(b.high[1]), a.high[2].max(b.high[2])],
        )
    }

    /// Whether two closed boxes share a point.
    #[inline]
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self, other);
        // Without branches between the axes: they are hard to foresee.
        (a.low[0] <= b.high[0])
            & (b.low[0] <= a.high[0])
            & (a.low[1] <= b.high[1])
            & (b.low[1] <= a.high[1])
            & (a.low[2] <= b.high[2])
            & (b.low[2] <= a.high[2])
    }
}

/// All nodes of the trees of one body.
#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    pub(super) slots: Vec<Slot>,
    /// By node: the slot that holds it; [`NONE`] for a holder and for a free node.
    pub(super) parent: Vec<u32>,
    /// By node: sums over the boxes below it.
    pub(super) sums: Vec<Sums>,
    /// By triangle: the slot that holds it; [`NONE`] if it is in no tree.
    pub(super) leaf_at: Vec<u32>,
    pub(super) free: Vec<u32>,
    /// Whether every node comes after the node that holds it, as [`super::refit`] needs.
    pub(super) in_order: bool,
}

impl Arena {
    /// A node with two empty slots.
    pub(super) fn new_node(&mut self) -> u32 {
        if let Some(node) = self.free.pop() {
            self.in_order = false;
            return node;
        }
        let node = self.parent.len() as u32;
        self.slots.extend([Slot::EMPTY; 2]);
        self.parent.push(NONE);
        self.sums.push(Sums::default());
        node
    }

    /// Gives a node back. Its slots must have been moved elsewhere.
    pub(super) fn free_node(&mut self, node: u32) {
        self.slots[2 * node as usize] = Slot::EMPTY;
        self.slots[2 * node as usize + 1] = Slot::EMPTY;
        self.parent[node as usize] = NONE;
        self.free.push(node);
    }

    #[inline]
    pub(super) fn slot(&self, at: u32) -> &Slot {
        &self.slots[at as usize]
    }

    /// Puts a subtree into a slot and tells it where it is.
    #[inline]
    pub(super) fn put(&mut self, at: u32, subtree: Slot) {
        self.slots[at as usize] = subtree;
        if let Some(node) = subtree.child.as_node() {
            self.parent[node as usize] = at;
        } else if let Some(triangle) = subtree.child.as_leaf() {
            self.leaf_at[triangle as usize] = at;
        }
    }

    /// A node as its parent should see it, from its two slots, neither of them empty; its sums are made new.
    #[inline]
    pub(super) fn pull(&mut self, node: u32) -> Slot {
        let at = 2 * node as usize;
        let (a, b) = (self.slots[at], self.slots[at + 1]);
        let sums = Sums::of(&a, self.sums_below(&a)) + Sums::of(&b, self.sums_below(&b));
        self.sums[node as usize] = sums;
        let (low, high) = a.union(&b);
        Slot { low, child: Child::node(node), high, height: 1 + a.height.max(b.height), dirty: false }
    }

    /// The sums of the node a slot leads to, nothing for a triangle.
    #[inline]
    pub(super) fn sums_below(&self, slot: &Slot) -> Sums {
        slot.child.as_node().map_or(Sums::default(), |node| self.sums[node as usize])
    }

    /// How many triangles a slot holds.
    pub(super) fn leaves_below(&self, slot: &Slot) -> u32 {
        match slot.child.as_node() {
            Some(node) => self.sums[node as usize].leaves,
            None => u32::from(!slot.is_empty()),
        }
    }

    /// Lists the triangles below a slot, in the order of the tree.
    pub(super) fn list_triangles(&self, at: u32, out: &mut Vec<u32>) {
        let child = self.slot(at).child;
        if let Some(node) = child.as_node() {
            self.list_triangles(2 * node, out);
            self.list_triangles(2 * node + 1, out);
        }
        out.extend(child.as_leaf());
    }

    /// Makes a node of two subtrees, in a node that is free for it, and returns it.
    #[inline]
    pub(super) fn pair(&mut self, node: u32, a: Slot, b: Slot) -> Slot {
        self.put(2 * node, a);
        self.put(2 * node + 1, b);
        self.pull(node)
    }

    /// Nodes in use, holders included.
    pub(super) fn node_count(&self) -> usize {
        self.parent.len() - self.free.len()
    }

    /// Nodes free to be used again.
    pub(super) fn free_nodes(&self) -> &[u32] {
        &self.free
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.slots[..])
            + size_of_val(&self.parent[..])
            + size_of_val(&self.sums[..])
            + size_of_val(&self.leaf_at[..])
            + size_of_val(&self.free[..])
    }
}
