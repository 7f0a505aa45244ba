//! One tree becomes several: dividing it by labels, in one pass from the leaves up.
//!
//! A subtree whose triangles all go to one side is kept whole, whatever its size. A mixed one is taken apart: its node is
//! given up, and what its two children hold of each label is joined. So the work is that of looking at the labels, and
//! of a few joins along the seam.
//!
//! ```text
//!           ·  mixed                          label 1        label 2
//!         /   \                                join           join
//!       ·      ·  mixed        ──▶            /    \         /    \
//!      / \    / \                            1      1       2      2
//!     1   1  1   2                          / \
//! ```
//!
//! Where only a small part leaves, the paths from its leaves up are marked, and nothing else is looked at. Where a large one comes
//! apart, one vertex of each connected subtree is looked at (`wholes`).

use super::arena::{Arena, NONE, Slot};
use super::follow::FollowScratch;
use super::metric::Metric;
use super::{TearingBody, Tree};
use crate::mesh::{LiveMesh, TriangleId};
use crate::walk::Stamp;

/// Labels that do not fit the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// Not one label for every triangle slot.
    #[error("{given} labels for {slots} triangle slots")]
    WrongLabelCount {
        /// Slots of the mesh, dead ones included.
        slots: usize,
        /// Labels given.
        given: usize,
    },
}

impl TearingBody {
    /// Divides every piece by labels: triangles of one piece stay together if their labels are equal. `labels` has one
    /// for each triangle slot; those of dead ones mean nothing. Returns how many pieces there are then; they are in the
    /// order of the pieces they come from, and of their labels.
    ///
    /// # Errors
    /// If there is not one label for each slot. Nothing has changed then.
    ///
    /// # Cost
    /// O(n) to look at the labels, and O(k log n) for k triangles along seams.
    ///
    /// ```
    /// use fracas::{mesh::shapes, tearing::TearingBody};
    /// let mut body = TearingBody::build(shapes::icosphere(1.0, 3));
    /// let upper = |t| u32::from(body.mesh().triangle(t).centroid().z > 0.0);
    /// let labels: Vec<u32> = body.mesh().live_triangles().map(upper).collect();
    /// assert_eq!(body.split(&labels), Ok(2));
    /// ```
    pub fn split(&mut self, labels: &[u32]) -> Result<usize, SplitError> {
        let slots = self.mesh.slot_count();
        if labels.len() != slots {
            return Err(SplitError::WrongLabelCount { slots, given: labels.len() });
        }
        self.stamp = Stamp::new();
        let hints = self.tree.arena.judge_all(labels);
        for piece in 0..self.tree.roots.len() {
            self.tree.divide(self.tree.roots[piece], &|slot| hints.of(slot, labels));
        }
        Ok(self.tree.roots.len())
    }

    /// The piece that a triangle is in; `None` for a dead one. O(log n).
    #[must_use]
    pub fn piece_of(&self, triangle: TriangleId) -> Option<usize> {
        let root = self.tree.arena.root_above(*self.tree.arena.leaf_at.get(triangle.index())?)?;
        self.tree.roots.iter().position(|&known| known == root)
    }
}

impl Tree {
    /// Divides the piece with this root into pieces of one label each.
    fn divide(&mut self, root: u32, judge: &impl Fn(&Slot) -> LabelHint) {
        let (parts, made) = self.parts(root, self.metric(), judge);
        for (k, (_, part)) in parts.into_iter().enumerate() {
            let at = if k == 0 { root } else { self.new_piece() };
            self.arena.put(at, part);
        }
        self.note_treelets(&made);
    }

    /// Takes the tree below a slot apart: for each label a tree, sorted by label, and nodes that joins have made. The slot
    /// is left as it was.
    pub(super) fn parts(
        &mut self,
        root: u32,
        metric: Metric,
        judge: &impl Fn(&Slot) -> LabelHint,
    ) -> (Vec<(u32, Slot)>, Vec<u32>) {
        let whole = *self.arena.slot(root);
        let (parts, made) = (Vec::new(), Vec::new());
        let mut split = LabelSplit { arena: &mut self.arena, metric, judge, parts, made };
        match split.subtree(&whole) {
            Contents::None => (Vec::new(), Vec::new()),
            Contents::One(label) => {
                let mut whole = whole;
                whole.set_dirty(false);
                whole.set_tag(0);
                (vec![(label, whole)], Vec::new())
            }
            Contents::Many(_) => {
                let LabelSplit { arena, parts, made, .. } = split;
                arena.in_order = false;
                (parts, made)
            }
        }
    }

    /// Moves the given triangles, all of one piece and not all of it, to a piece of their own.
    pub(super) fn split_off(&mut self, triangles: &[u32]) {
        let at = triangles.first().map_or(NONE, |&t| self.arena.leaf_at[t as usize]);
        let Some(root) = self.arena.root_above(at) else { return };
        let FollowScratch { touched, roots, .. } = &mut self.scratch;
        touched.clear();
        touched.extend(triangles.iter().map(|&triangle| self.arena.leaf_at[triangle as usize]));
        touched.iter().for_each(|&at| self.arena.slots[at as usize].set_dirty(true));
        roots.clear();
        self.arena.mark(touched, roots);
        let judge = |slot: &Slot| match (slot.is_dirty(), slot.child().as_leaf()) {
            (false, _) => LabelHint::One(0),
            (true, Some(_)) => LabelHint::One(1),
            (true, None) => LabelHint::Mixed,
        };
        let is_alone = roots.len() == 1;
        self.divide(root, &judge);
        if !is_alone {
            // Labels may have separated what is connected: then other pieces have marks too.
            triangles.iter().for_each(|&triangle| self.arena.unmark_above(triangle));
        }
    }

    /// Divides a piece by labels of its vertices, which are equal wherever triangles are connected, by looking at one vertex of each connected
    /// subtree. Subtrees that are `elsewhere` are known to have the label 0. What has it stays; the others get roots that are not listed
    /// yet: returns their labels and roots.
    pub(super) fn divide_connected(
        &mut self,
        mesh: &LiveMesh,
        root: u32,
        label: &impl Fn(u32) -> u32,
        elsewhere: &impl Fn(&Slot) -> bool,
    ) -> Vec<(u32, u32)> {
        self.look_at_labels(mesh, root, label, elsewhere);
        let judge = |slot: &Slot| match slot.tag() {
            0 if slot.is_empty() => LabelHint::Nothing,
            0 => LabelHint::Mixed,
            tag => LabelHint::One(tag - 1),
        };
        let (parts, made) = self.parts(root, self.metric(), &judge);
        let mut roots = Vec::new();
        for (label, part) in parts {
            let at = if label == 0 { root } else { 2 * self.arena.new_holder() };
            self.arena.put(at, part);
            if label > 0 {
                roots.push((label, at));
            }
        }
        self.note_treelets(&made);
        roots
    }
}

/// A slot that was looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looked {
    at: u32,
    /// The place of the slots below it in the list, one behind the other; [`NONE`] if they were not looked at.
    below: u32,
    /// The one label of all below; [`MIXED`], or [`NOTHING`].
    label: u32,
}

impl Looked {
    fn new(at: u32) -> Self {
        Self { at, below: NONE, label: NOTHING }
    }
}

const MIXED: u32 = NONE;
const NOTHING: u32 = NONE - 1;

impl Tree {
    /// Looks at the labels of a piece, as [`Tree::divide_connected`] has them. Leaves in the tags of the largest subtrees with a single
    /// label that label plus one.
    ///
    /// Level by level, then all labels, then from below: nothing waits for what was read just before, so that cache misses overlap.
    fn look_at_labels(
        &mut self,
        mesh: &LiveMesh,
        root: u32,
        label: &impl Fn(u32) -> u32,
        elsewhere: &impl Fn(&Slot) -> bool,
    ) {
        let Self { arena, scratch, .. } = self;
        let looked = &mut scratch.looked;
        looked.clear();
        looked.push(Looked::new(root));
        let mut done = 0;
        while done < looked.len() {
            let slot = arena.slot(looked[done].at);
            if elsewhere(slot) {
                looked[done].label = 0;
            } else if let Some(node) = slot.child().as_node()
                && !slot.is_whole()
            {
                looked[done].below = looked.len() as u32;
                looked.extend([Looked::new(2 * node), Looked::new(2 * node + 1)]);
            }
            done += 1;
        }
        for looked in looked.iter_mut().filter(|looked| looked.below == NONE && looked.label == NOTHING) {
            let child = arena.slot(looked.at).child();
            if let Some(triangle) = child.as_leaf() {
                looked.label = label(mesh.triangles()[triangle as usize][0]);
            } else if let Some(node) = child.as_node() {
                looked.label = label(arena.wholes[node as usize]);
            }
        }
        for k in (0..looked.len()).rev() {
            if looked[k].below == NONE {
                continue;
            }
            let below = looked[k].below as usize;
            let [a, b] = [looked[below], looked[below + 1]];
            // A node without triangles is to be looked into: it must be given back.
            let same = a.label == b.label && a.label != NOTHING;
            looked[k].label = if same { a.label } else { MIXED };
            if !same {
                [a, b].iter().for_each(|looked| arena.tag_with(looked));
            }
        }
        arena.tag_with(&looked[0]);
    }
}

/// What is known of the labels of a subtree before it is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelHint {
    /// No triangles.
    Nothing,
    /// Just this one, and no empty slots.
    One(u32),
    /// Several, or not known.
    Mixed,
}

/// By node: the one label of all below it, or [`MIXED`]; empty if nodes are not in order.
pub(super) struct LabelHints(Vec<u32>);

impl LabelHints {
    #[inline]
    pub(super) fn of(&self, slot: &Slot, labels: &[u32]) -> LabelHint {
        if let Some(triangle) = slot.child().as_leaf() {
            return LabelHint::One(labels[triangle as usize]);
        }
        match slot.child().as_node().map(|node| self.0.get(node as usize)) {
            Some(Some(&label)) if label != MIXED => LabelHint::One(label),
            Some(_) => LabelHint::Mixed,
            None => LabelHint::Nothing,
        }
    }
}

impl Arena {
    /// Looks at all labels, in one pass over memory.
    pub(super) fn judge_all(&self, labels: &[u32]) -> LabelHints {
        if !self.in_order {
            return LabelHints(Vec::new());
        }
        let mut hints = vec![MIXED; self.nodes.len()];
        for (node, pair) in self.slots.chunks_exact(2).enumerate().rev() {
            let of = |slot: &Slot| match (slot.child().as_leaf(), slot.child().as_node()) {
                (Some(triangle), _) => labels[triangle as usize],
                (None, Some(node)) => hints[node as usize],
                // A node with an empty slot is to be looked into: it must be given back.
                (None, None) => MIXED,
            };
            let (a, b) = (of(&pair[0]), of(&pair[1]));
            hints[node] = if a == b { a } else { MIXED };
        }
        LabelHints(hints)
    }

    fn tag_with(&mut self, looked: &Looked) {
        if looked.label < NOTHING {
            self.slots[looked.at as usize].set_tag(looked.label + 1);
        }
    }

    /// Sorts the parts from `first` on by label and joins those of equal labels. Nodes made for it are added to `made`.
    pub(super) fn join_equal(
        &mut self,
        parts: &mut Vec<(u32, Slot)>,
        first: usize,
        made: &mut Vec<u32>,
        metric: Metric,
    ) {
        parts[first..].sort_by_key(|part| part.0);
        let mut kept = first;
        for k in first..parts.len() {
            let (label, part) = parts[k];
            if kept > first && parts[kept - 1].0 == label {
                let spare = self.new_node();
                made.push(spare);
                parts[kept - 1].1 = self.join(spare, parts[kept - 1].1, part, metric);
            } else {
                parts[kept] = (label, part);
                kept += 1;
            }
        }
        parts.truncate(kept);
    }

    /// Takes away the marks of the slots from that of a triangle up.
    fn unmark_above(&mut self, triangle: u32) {
        let mut at = self.leaf_at[triangle as usize];
        while at != NONE && self.slot(at).is_dirty() {
            self.slots[at as usize].set_dirty(false);
            at = self.parent(at / 2);
        }
    }

    /// The slot of the root above a slot; `None` for a triangle that is in no tree.
    pub(super) fn root_above(&self, at: u32) -> Option<u32> {
        let known = |at: u32| (at != NONE).then_some(at);
        std::iter::successors(known(at), |at| known(self.parent(at / 2))).last()
    }
}

/// What a subtree turned out to hold.
enum Contents {
    /// No triangles.
    None,
    /// A single label: it is left as it is.
    One(u32),
    /// Contents from this place in the list on, sorted by label.
    Many(usize),
}

struct LabelSplit<'a, J> {
    arena: &'a mut Arena,
    metric: Metric,
    judge: &'a J,
    /// Labels and what is left of them, of subtrees that have been taken apart.
    parts: Vec<(u32, Slot)>,
    /// Nodes that joins have made.
    made: Vec<u32>,
}

impl<J: Fn(&Slot) -> LabelHint> LabelSplit<'_, J> {
    fn subtree(&mut self, slot: &Slot) -> Contents {
        match (self.judge)(slot) {
            LabelHint::Nothing => return Contents::None,
            LabelHint::One(label) => return Contents::One(label),
            LabelHint::Mixed => {}
        }
        let node = slot.child().as_node().expect("a leaf has one label");
        let [mut a, mut b] = [2 * node, 2 * node + 1].map(|at| *self.arena.slot(at));
        let first = self.parts.len();
        let contents = (self.subtree(&a), self.subtree(&b));
        // Marks and tags have been looked at. What stays as it is has none afterwards.
        for (at, slot) in [(2 * node, &mut a), (2 * node + 1, &mut b)] {
            if slot.is_dirty() || slot.tag() != 0 {
                slot.set_dirty(false);
                slot.set_tag(0);
                self.arena.slots[at as usize] = *slot;
            }
        }
        match contents {
            (Contents::One(p), Contents::One(q)) if p == q => return Contents::One(p),
            (Contents::None, Contents::None) => {
                self.arena.free_node(node);
                return Contents::None;
            }
            // Lists of the two children, one after the other; a single part has not been listed yet.
            (Contents::One(p), Contents::One(q)) => self.parts.extend([(p, a), (q, b)]),
            (Contents::One(p), Contents::Many(start)) => self.parts.insert(start, (p, a)),
            (Contents::One(p), Contents::None) => self.parts.push((p, a)),
            (_, Contents::One(q)) => self.parts.push((q, b)),
            (Contents::Many(_) | Contents::None, _) => {}
        }
        self.arena.free_node(node);
        self.arena.join_equal(&mut self.parts, first, &mut self.made, self.metric);
        Contents::Many(first)
    }
}
