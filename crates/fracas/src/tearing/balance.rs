//! Keeping subtrees balanced: rotations, joins, and permutations that tighten boxes without changing balance.
//!
//! Trees here are AVL trees without an order: the heights of two siblings differ by one at most, and which of them is
//! left or right means nothing. So wherever balance leaves a choice, the choice with the smaller boxes is taken.
//!
//! ```text
//!     rotation                      join                            permutation
//!        m              m'              tall           tall            n              n
//!       / \            / \              / \            / \            / \            / \
//!      x   y   ──▶    p   x'           ·   c   ──▶    ·   ·          a   b   ──▶    a'  b'
//!     / \                / \    short     / \            / \        /\   /\        /\   /\
//!    p   q              q   y                           c   short  A B   C D      A C   B D
//! ```

use super::arena::{Arena, Slot};
use super::metric::Metric;
use super::patches::Patch;

impl Arena {
    /// Joins two trees of any heights into one, which is in no slot yet. `spare` is a node without content.
    ///
    /// The shorter one goes down the taller one, always towards the child whose box grows least, to where the heights
    /// match. On the way back rotations restore balance. O(difference of heights).
    pub(super) fn join(&mut self, spare: u32, a: Slot, b: Slot, metric: Metric) -> Slot {
        let (tall, short) = if a.height() >= b.height() { (a, b) } else { (b, a) };
        if tall.height() <= short.height() + 1 {
            return self.pair(spare, tall, short);
        }
        self.in_order = false;
        let node = tall.child().as_node().expect("a tree taller than another by two is no leaf");
        let (l, r) = (*self.slot(2 * node), *self.slot(2 * node + 1));
        // Of equal growth, as where boxes have no volume, the lower child needs no rotation.
        let (to_l, to_r) = (metric.growth(&l, &short), metric.growth(&r, &short));
        let into_left = to_l < to_r || (to_l == to_r && l.height() <= r.height());
        let (down, child, other) = if into_left { (2 * node, l, r) } else { (2 * node + 1, r, l) };
        let joined = self.join(spare, child, short, metric);
        self.put(down, joined);
        if joined.height().abs_diff(other.height()) > 1 {
            self.rotate(node, metric);
        }
        self.pull(node)
    }

    /// Rotates a node whose children's heights differ by exactly two.
    ///
    /// x is the higher child, with children p and q, and y the lower one. The higher of p and q stays where it is deep
    /// enough, the other goes down to y; if they are equally high, the one that fits better to y.
    fn rotate(&mut self, node: u32, metric: Metric) {
        let (left, right) = (*self.slot(2 * node), *self.slot(2 * node + 1));
        let (x, y, y_at) = if left.height() > right.height() {
            (left, right, 2 * node + 1)
        } else {
            (right, left, 2 * node)
        };
        debug_assert_eq!(x.height(), y.height() + 2);
        let inner = x.child().as_node().expect("the higher child has children");
        let (p, q) = (*self.slot(2 * inner), *self.slot(2 * inner + 1));
        let p_stays = p.height() > q.height()
            || (p.height() == q.height() && metric.of(q.union(&y)) <= metric.of(p.union(&y)));
        self.in_order = false;
        let (stays, goes) = if p_stays { (p, q) } else { (q, p) };
        let lowered = self.pair(inner, goes, y);
        self.put(y_at ^ 1, lowered);
        self.put(y_at, stays);
    }

    /// Swaps two grandchildren, or a child with a grandchild, if that makes boxes smaller and tips nothing: children
    /// stay balanced and the node's height stays what it is. The node's own slot is left to the caller. Returns
    /// whether anything was swapped.
    pub(super) fn permute(&mut self, node: u32, metric: Metric) -> bool {
        let (l, r) = (2 * node, 2 * node + 1);
        let (a, b) = (*self.slot(l), *self.slot(r));
        let (a_size, b_size) = (metric.of(a.bounds()), metric.of(b.bounds()));
        let mut best = Swap { gain: 0.0, slots: None };
        if let (Some(left), Some(right)) = (a.child().as_node(), b.child().as_node()) {
            self.try_grandchildren(&mut best, (left, right), a_size + b_size, metric);
        }
        for (parent, size, uncle_at) in [(a.child(), a_size, r), (b.child(), b_size, l)] {
            if let Some(parent) = parent.as_node() {
                self.try_uncle(&mut best, parent, size, uncle_at, metric);
            }
        }
        let Some((x, y)) = best.slots else { return false };
        self.in_order = false;
        let (in_x, in_y) = (self.slots[x as usize], self.slots[y as usize]);
        self.put(x, in_y);
        self.put(y, in_x);
        for at in [l, r] {
            // Only nodes that lost a child to the other side need to be recomputed; doing both costs little.
            if let Some(child) = self.slot(at).child().as_node() {
                let pulled = self.pull(child);
                self.slots[at as usize] = pulled;
            }
        }
        true
    }

    /// The two other ways to pair the four grandchildren of a node.
    #[inline]
    fn try_grandchildren(&self, best: &mut Swap, (left, right): (u32, u32), present: f32, metric: Metric) {
        let (a, b) = (self.slot(2 * left), self.slot(2 * left + 1));
        for k in 0..2 {
            // b changes places with c: then a goes with c, and b with d.
            let (c_at, d_at) = (2 * right + k, 2 * right + 1 - k);
            let (c, d) = (self.slot(c_at), self.slot(d_at));
            let heights = [1 + a.height().max(c.height()), 1 + b.height().max(d.height())];
            let balanced = a.height().abs_diff(c.height()) <= 1
                && b.height().abs_diff(d.height()) <= 1
                && heights[0].abs_diff(heights[1]) <= 1;
            if balanced {
                let size = metric.of(a.union(c)) + metric.of(b.union(d));
                best.consider(present - size, 2 * left + 1, c_at);
            }
        }
    }

    /// A child changes places with one of its nephews.
    #[inline]
    fn try_uncle(&self, best: &mut Swap, parent: u32, present: f32, uncle_at: u32, metric: Metric) {
        let uncle = self.slot(uncle_at);
        let before = self.slot(2 * parent).height().max(self.slot(2 * parent + 1).height()) + 1;
        let before = before.max(uncle.height());
        for k in 0..2 {
            let (nephew, other) = (self.slot(2 * parent + k), self.slot(2 * parent + 1 - k));
            let joined = 1 + uncle.height().max(other.height());
            let balanced = uncle.height().abs_diff(other.height()) <= 1
                && joined.abs_diff(nephew.height()) <= 1
                && joined.max(nephew.height()) == before;
            if balanced {
                best.consider(present - metric.of(uncle.union(other)), uncle_at, 2 * parent + k);
            }
        }
    }

    /// Puts right everything marked below a slot: drops what is empty, restores balance, tightens what has changed, and
    /// joins the patches that hang there. The largest changed subtrees that are treelets are added to the list.
    ///
    /// Post-order over the marked nodes: each is looked at once, when all below it is in order.
    pub(super) fn mend(&mut self, at: u32, mending: &mut Mending<'_>) {
        let slot = &mut self.slots[at as usize];
        if !slot.is_dirty() {
            return;
        }
        let mut hanging = slot.tag();
        slot.set_dirty(false);
        slot.set_tag(0);
        if let Some(node) = slot.child().as_node() {
            self.mend_node(at, node, mending);
        }
        while hanging != 0 {
            let patch = mending.patches[hanging as usize - 1];
            let here = *self.slot(at);
            let joined = if here.is_empty() {
                self.free_node(patch.spare);
                patch.tree
            } else {
                self.join(patch.spare, here, patch.tree, mending.metric)
            };
            self.put(at, joined);
            hanging = patch.next;
        }
    }

    fn mend_node(&mut self, at: u32, node: u32, mending: &mut Mending<'_>) {
        let marked = [2 * node, 2 * node + 1].map(|at| self.slot(at).is_dirty());
        self.mend(2 * node, mending);
        self.mend(2 * node + 1, mending);
        let (a, b) = (*self.slot(2 * node), *self.slot(2 * node + 1));
        if a.height().max(b.height()) >= mending.treelet_height {
            for (child, marked) in [a, b].iter().zip(marked) {
                if marked && child.height() <= mending.treelet_height {
                    mending.treelets.extend(child.child().as_node());
                }
            }
        }
        if a.is_empty() || b.is_empty() {
            self.free_node(node);
            self.put(at, if a.is_empty() { b } else { a });
        } else if a.height().abs_diff(b.height()) <= 1 {
            self.permute(node, mending.metric);
            let pulled = self.pull(node);
            self.slots[at as usize] = pulled;
        } else {
            let joined = self.join(node, a, b, mending.metric);
            self.put(at, joined);
        }
    }
}

/// What mending goes by, and what it notes.
pub(super) struct Mending<'a> {
    pub(super) metric: Metric,
    /// Patches that hang on slots, whose tags are their numbers plus one.
    pub(super) patches: &'a [Patch],
    /// Largest height of a treelet.
    pub(super) treelet_height: u8,
    pub(super) treelets: &'a mut Vec<u32>,
}

/// The best swap of two slots found so far.
struct Swap {
    gain: f32,
    slots: Option<(u32, u32)>,
}

impl Swap {
    #[inline]
    fn consider(&mut self, gain: f32, x: u32, y: u32) {
        if gain > self.gain {
            *self = Self { gain, slots: Some((x, y)) };
        }
    }
}
