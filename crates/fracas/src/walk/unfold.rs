//! The part of a hierarchy that a walk has opened so far.
//!
//! A structure that computes its nodes on demand would compute them again for every pair that passes by. An unfolding keeps
//! them, in the finder's memory, in the form that the walk reads:
//!
//! ```text
//!    body                          unfolding
//!     root ─ place 7       ┌──── node 0 ─ node 1 ─ leaf 0
//!             ├ place 12   │        │        └──── closed 5: place 31 of the body
//!             └ place 9 …  │        └──── closed 2: place 9
//! ```
//!
//! A lane that leads to a *closed* place names it by its number here. When the walk has parked all pairs that it could not
//! open, [`Unfolding::open_for`] opens the places they wait for, and lanes then lead to the new nodes and leaves.
//!
//! # Invariants
//!
//! Places are opened in the order of their numbers, whatever thread asked for them first. So an unfolding is the same at any
//! number of threads. Whether a place is open never changes an answer, only whether a walk has to wait for it.

use super::pairs::Task;
use super::{Child, Corners, Hierarchy, Node, Opened, RowTwins};
use crate::base::parallel;
use crate::pairs::{LANES, Row, RowIds};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

/// Nodes and rows opened so far, of one body at one time. Keeps its memory when it changes to another.
#[derive(Default)]
pub(crate) struct Unfolding {
    /// The body, and what rows say of its twins.
    of: Option<(Stamp, RowTwins)>,
    nodes: Vec<Node>,
    rows: Vec<Row>,
    ids: Vec<RowIds>,
    /// Roots of the trees of the body, with their boxes.
    roots: Vec<(Child, Corners)>,
    closed: Vec<Closed>,
    /// Numbers of closed places that a walk waits for, and of those among them that are leaves and nodes.
    wanted: Vec<u32>,
    leaves: Vec<u32>,
    inner: Vec<u32>,
}

/// A place of the body that is not open, or was not when its parent was opened.
#[derive(Clone, Copy)]
struct Closed {
    place: Child,
    /// The lane that leads here; [`ROOT`] for a root.
    parent: u32,
    lane: u32,
    /// What became of it; [`Child::NONE`] before it is opened.
    opened: Child,
}

const ROOT: u32 = u32::MAX;

/// Nodes and rows are computed by several threads if there are at least this many.
const MANY: usize = 64;

/// Nodes or rows of one task.
const CHUNK: usize = 16;

impl Unfolding {
    /// Begins with the roots of a body, unless this is its unfolding already.
    pub(crate) fn begin(&mut self, body: &dyn Hierarchy, twins: RowTwins) {
        if self.is_of(body, twins) {
            return;
        }
        self.of = Some((body.stamp(), twins));
        self.nodes.clear();
        self.rows.clear();
        self.ids.clear();
        self.roots.clear();
        self.closed.clear();
        for (tree, (place, corners)) in body.roots(None).enumerate() {
            self.closed.push(Closed { place, parent: ROOT, lane: tree as u32, opened: Child::NONE });
            self.roots.push((Child::closed(tree), corners));
        }
    }

    /// Whether this is the unfolding of a body as it stands.
    fn is_of(&self, body: &dyn Hierarchy, twins: RowTwins) -> bool {
        self.of == Some((body.stamp(), twins))
    }

    /// Forgets the body; the next query begins with closed roots.
    pub(crate) fn forget(&mut self) {
        self.of = None;
    }

    /// The roots of the trees, and their boxes.
    pub(crate) fn roots(&self) -> &[(Child, Corners)] {
        &self.roots
    }

    /// What is open now.
    pub(crate) fn opened(&self) -> Opened<'_> {
        Opened { nodes: &self.nodes, rows: &self.rows, ids: &self.ids, contours: None }
    }

    /// What a child that was closed when it was seen is now.
    pub(crate) fn resolve(&self, child: Child) -> Child {
        let opened = if child.is_closed() { self.closed[child.index()].opened } else { child };
        if opened == Child::NONE { child } else { opened }
    }

    /// Opens all places that one side of parked pairs waits for.
    pub(crate) fn open_for(
        &mut self,
        body: &dyn Hierarchy,
        parked: &[Task],
        side: impl Fn(&Task) -> Child,
        parallel: bool,
    ) {
        self.wanted.clear();
        let waits = parked.iter().map(side).filter(|child| child.is_closed());
        self.wanted.extend(waits.map(|child| child.index() as u32));
        self.wanted.sort_unstable();
        self.wanted.dedup();
        self.open_wanted(body, parallel);
    }

    /// Opens everything, level by level.
    pub(crate) fn open_all(&mut self, body: &dyn Hierarchy, parallel: bool) {
        let mut first = 0;
        while first < self.closed.len() {
            self.wanted.clear();
            self.wanted.extend(first as u32..self.closed.len() as u32);
            first = self.closed.len();
            self.open_wanted(body, parallel);
        }
        if self.of.is_some_and(|(_, twins)| twins == RowTwins::Hidden) {
            self.empty_hidden_boxes();
        }
    }

    /// Empties the boxes of leaves whose triangles are all hidden, and of nodes with such leaves alone, so that nothing meets them.
    fn empty_hidden_boxes(&mut self) {
        // Children are opened after their parents.
        for index in (0..self.nodes.len()).rev() {
            let children = self.nodes[index].children;
            for (lane, child) in children.into_iter().take(self.nodes[index].count as usize).enumerate() {
                let is_empty = if child.is_leaf() {
                    self.ids[child.index()].triangles[0] == RowIds::NONE
                } else {
                    let boxes = &self.nodes[child.index()].boxes;
                    boxes.low[0] == [f32::INFINITY; LANES]
                };
                if is_empty {
                    self.nodes[index].boxes.set(lane, [f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
                }
            }
        }
    }

    fn open_wanted(&mut self, body: &dyn Hierarchy, parallel: bool) {
        let Self { of, nodes, rows, ids, roots, closed, wanted, leaves, inner } = self;
        let twins = of.map_or(RowTwins::Apart, |(_, twins)| twins);
        wanted.retain(|&k| closed[k as usize].opened == Child::NONE);
        let place = |k: u32| closed[k as usize].place;
        leaves.clear();
        inner.clear();
        wanted.iter().for_each(|&k| if place(k).is_leaf() { leaves.push(k) } else { inner.push(k) });

        let first_leaf = rows.len();
        rows.resize(first_leaf + leaves.len(), Row::ZERO);
        ids.resize(first_leaf + leaves.len(), RowIds::EMPTY);
        let chunks = rows[first_leaf..].chunks_mut(CHUNK).zip(ids[first_leaf..].chunks_mut(CHUNK));
        let many = parallel && leaves.len() >= MANY;
        parallel::for_each(many, chunks.zip(leaves.chunks(CHUNK)), |((rows, ids), leaves)| {
            for ((row, ids), &k) in rows.iter_mut().zip(ids).zip(leaves) {
                body.row(place(k).index(), twins, row, ids);
            }
        });
        let first_node = nodes.len();
        nodes.resize(first_node + inner.len(), Node::EMPTY);
        let chunks = nodes[first_node..].chunks_mut(CHUNK).zip(inner.chunks(CHUNK));
        parallel::for_each(parallel && inner.len() >= MANY, chunks, |(nodes, inner)| {
            for (node, &k) in nodes.iter_mut().zip(inner) {
                body.open(place(k).index(), node);
            }
        });

        // Lanes of new nodes lead to closed places; lanes that led to what was opened now lead there.
        for index in first_node..nodes.len() {
            for lane in 0..nodes[index].count as usize {
                let place = std::mem::replace(&mut nodes[index].children[lane], Child::closed(closed.len()));
                closed.push(Closed { place, parent: index as u32, lane: lane as u32, opened: Child::NONE });
            }
        }
        let opened_leaves = leaves.iter().enumerate().map(|(k, &c)| (c, Child::leaf(first_leaf + k)));
        let opened_nodes = inner.iter().enumerate().map(|(k, &c)| (c, Child::node(first_node + k)));
        for (k, opened) in opened_leaves.chain(opened_nodes) {
            let Closed { parent, lane, .. } = closed[k as usize];
            closed[k as usize].opened = opened;
            match parent {
                ROOT => roots[lane as usize].0 = opened,
                parent => nodes[parent as usize].children[lane as usize] = opened,
            }
        }
    }
}

/// Unfoldings of bodies that were asked about lately. A step often asks about one body against several others, and each query has only
/// two; the shelf keeps the rest.
#[derive(Default)]
pub(crate) struct Shelf {
    /// The one that was put here last is the last.
    kept: VecDeque<Unfolding>,
}

/// Unfoldings that a shelf keeps at most.
const KEPT: usize = 16;

impl Shelf {
    /// Gives two bodies their unfoldings, if they are here, or old ones to begin with. What was in the slots goes to the shelf. Bodies that
    /// keep their nodes ready need none.
    pub(crate) fn arrange(&mut self, slots: &mut [Unfolding; 2], bodies: [&dyn Hierarchy; 2]) {
        let [a, b] = bodies;
        if slots[0].is_of(b, RowTwins::Apart) || slots[1].is_of(a, RowTwins::Apart) {
            slots.swap(0, 1);
        }
        for (slot, body) in slots.iter_mut().zip(bodies) {
            if body.ready().is_some() || slot.is_of(body, RowTwins::Apart) {
                continue;
            }
            let found = self.kept.iter().position(|kept| kept.is_of(body, RowTwins::Apart));
            let taken = match found {
                Some(place) => self.kept.remove(place),
                None if self.kept.len() < KEPT => None,
                None => self.kept.pop_front(),
            };
            self.kept.push_back(std::mem::replace(slot, taken.unwrap_or_default()));
        }
    }

    /// Forgets all bodies, and keeps the memory.
    pub(crate) fn forget(&mut self) {
        self.kept.iter_mut().for_each(Unfolding::forget);
    }
}

/// A number that no other change of any body has. A body takes a new one with every change, a copy keeps that of its original
/// until either changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

impl Stamp {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Without the number: bodies made in the same way read alike.
impl std::fmt::Debug for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stamp")
    }
}
