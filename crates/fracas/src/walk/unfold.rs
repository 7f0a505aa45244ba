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
//!
//! Either all rows have exact corners here, or none: a body whose leaves have points computes all its rows from them.

use super::pairs::Task;
use super::{Child, Corners, ExactRow, ExactRows, Hierarchy, Node, Opened, RowTwins};
use crate::base::parallel;
use crate::geom::DVec3;
use crate::pairs::{LANES, Row, RowIds};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

/// Nodes and rows opened so far, of one body at one time. Keeps its memory when it changes to another.
#[derive(Default)]
pub(crate) struct Unfolding {
    /// The body, and what rows say of its twins.
    of: Option<(Stamp, RowTwins)>,
    nodes: Reused<Node>,
    rows: Reused<Row>,
    ids: Reused<RowIds>,
    /// Points of the opened places that have some, [`Hierarchy::points_per_place`] for each, and where those of every row are.
    points: Reused<DVec3>,
    exact: Reused<ExactRow>,
    has_points: bool,
    /// Roots of the trees of the body, with their boxes.
    roots: Vec<(Child, Corners)>,
    closed: Vec<Closed>,
    /// Numbers of closed places that a walk waits for; of those among them that are leaves, nodes without points, and nodes with points.
    wanted: Vec<u32>,
    leaves: Vec<u32>,
    inner: Vec<u32>,
    patches: Vec<u32>,
}

/// A list that starts again with every body. Its memory is initialised once and overwritten before it is read.
struct Reused<T> {
    items: Vec<T>,
    used: usize,
}

impl<T> Default for Reused<T> {
    fn default() -> Self {
        Self { items: vec![], used: 0 }
    }
}

impl<T: Clone> Reused<T> {
    /// `count` more items; what they hold does not matter.
    fn add(&mut self, count: usize, any: T) -> &mut [T] {
        let first = self.used;
        self.used += count;
        if self.items.len() < self.used {
            self.items.resize(self.used, any);
        }
        &mut self.items[first..self.used]
    }

    fn used(&self) -> &[T] {
        &self.items[..self.used]
    }

    fn used_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.used]
    }
}

/// A place of the body that is not open, or was not when its parent was opened.
#[derive(Clone, Copy)]
struct Closed {
    place: Child,
    /// The lane that leads here; [`ROOT`] for a root.
    parent: u32,
    lane: u32,
    /// The first point of the place above; 0 if that has none.
    points: u32,
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
        (self.nodes.used, self.rows.used, self.ids.used) = (0, 0, 0);
        (self.points.used, self.exact.used) = (0, 0);
        self.has_points = body.points_per_place() > 0;
        self.roots.clear();
        self.closed.clear();
        for (tree, (place, corners)) in body.roots(None).enumerate() {
            self.closed.push(Closed {
                place,
                parent: ROOT,
                lane: tree as u32,
                points: 0,
                opened: Child::NONE,
            });
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
        let exact = ExactRows { rows: self.exact.used(), points: self.points.used() };
        Opened {
            nodes: self.nodes.used(),
            rows: self.rows.used(),
            ids: self.ids.used(),
            contours: None,
            exact: self.has_points.then_some(exact),
        }
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
        let (nodes, ids) = (self.nodes.used_mut(), self.ids.used());
        for index in (0..nodes.len()).rev() {
            let children = nodes[index].children;
            for (lane, child) in children.into_iter().take(nodes[index].count as usize).enumerate() {
                let is_empty = if child.is_leaf() {
                    ids[child.index()].triangles[0] == RowIds::NONE
                } else {
                    let boxes = &nodes[child.index()].boxes;
                    boxes.low[0] == [f32::INFINITY; LANES]
                };
                if is_empty {
                    nodes[index].boxes.set(lane, [f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
                }
            }
        }
    }

    fn open_wanted(&mut self, body: &dyn Hierarchy, parallel: bool) {
        let (first_row, first_node) = (self.rows.used, self.nodes.used);
        let Self { closed, wanted, leaves, inner, patches, .. } = self;
        wanted.retain(|&k| closed[k as usize].opened == Child::NONE);
        [&mut *leaves, &mut *inner, &mut *patches].into_iter().for_each(Vec::clear);
        for &k in &*wanted {
            let place = closed[k as usize].place;
            let list = if place.is_leaf() {
                &mut *leaves
            } else if body.has_points(place.index()) {
                &mut *patches
            } else {
                &mut *inner
            };
            list.push(k);
        }
        if self.has_points {
            self.open_rows_of_points(body, parallel);
        } else {
            self.open_rows(body, parallel);
        }
        self.open_nodes(body, parallel);
        let first_patch = first_node + self.inner.len();
        let first_point = self.points.used;
        self.open_patches(body, parallel);

        // Lanes of new nodes lead to closed places; lanes that led to what was opened now lead there.
        let stride = body.points_per_place();
        let Self { nodes, roots, closed, leaves, inner, patches, .. } = self;
        let nodes = nodes.used_mut();
        for index in first_node..nodes.len() {
            let points = index.checked_sub(first_patch).map_or(0, |k| (first_point + k * stride) as u32);
            for lane in 0..nodes[index].count as usize {
                let place = std::mem::replace(&mut nodes[index].children[lane], Child::closed(closed.len()));
                let (parent, lane) = (index as u32, lane as u32);
                closed.push(Closed { place, parent, lane, points, opened: Child::NONE });
            }
        }
        let opened_leaves = leaves.iter().enumerate().map(|(k, &c)| (c, Child::leaf(first_row + k)));
        let opened_nodes = inner.iter().chain(&*patches).enumerate();
        let opened_nodes = opened_nodes.map(|(k, &c)| (c, Child::node(first_node + k)));
        for (k, opened) in opened_leaves.chain(opened_nodes) {
            let Closed { parent, lane, .. } = closed[k as usize];
            closed[k as usize].opened = opened;
            match parent {
                ROOT => roots[lane as usize].0 = opened,
                parent => nodes[parent as usize].children[lane as usize] = opened,
            }
        }
    }

    fn open_rows(&mut self, body: &dyn Hierarchy, parallel: bool) {
        let Self { of, rows, ids, closed, leaves, .. } = self;
        let twins = of.map_or(RowTwins::Apart, |(_, twins)| twins);
        let rows = rows.add(leaves.len(), Row::ZERO).chunks_mut(CHUNK);
        let chunks = rows.zip(ids.add(leaves.len(), RowIds::EMPTY).chunks_mut(CHUNK));
        let many = parallel && leaves.len() >= MANY;
        parallel::for_each(many, chunks.zip(leaves.chunks(CHUNK)), |((rows, ids), leaves)| {
            for ((row, ids), &k) in rows.iter_mut().zip(ids).zip(leaves) {
                body.row(closed[k as usize].place.index(), twins, row, ids);
            }
        });
    }

    fn open_rows_of_points(&mut self, body: &dyn Hierarchy, parallel: bool) {
        let Self { rows, ids, points, exact, closed, leaves, .. } = self;
        let points = points.used();
        let rows = rows.add(leaves.len(), Row::ZERO).chunks_mut(CHUNK);
        let ids = ids.add(leaves.len(), RowIds::EMPTY).chunks_mut(CHUNK);
        let nowhere = ExactRow { first: 0, corners: Default::default() };
        let exact = exact.add(leaves.len(), nowhere).chunks_mut(CHUNK);
        let many = parallel && leaves.len() >= MANY;
        parallel::for_each(many, rows.zip(ids).zip(exact.zip(leaves.chunks(CHUNK))), |((rows, ids), to)| {
            let to = to.0.iter_mut().zip(to.1);
            for ((row, ids), (exact, &k)) in rows.iter_mut().zip(ids).zip(to) {
                let Closed { place, points: first, .. } = closed[k as usize];
                let corners = body.row_of_points(place.index(), &points[first as usize..], row, ids);
                *exact = ExactRow { first, corners };
            }
        });
    }

    fn open_nodes(&mut self, body: &dyn Hierarchy, parallel: bool) {
        let Self { nodes, closed, inner, .. } = self;
        let chunks = nodes.add(inner.len(), Node::EMPTY).chunks_mut(CHUNK).zip(inner.chunks(CHUNK));
        parallel::for_each(parallel && inner.len() >= MANY, chunks, |(nodes, inner)| {
            for (node, &k) in nodes.iter_mut().zip(inner) {
                body.open(closed[k as usize].place.index(), node, &mut []);
            }
        });
    }

    fn open_patches(&mut self, body: &dyn Hierarchy, parallel: bool) {
        let Self { nodes, points, closed, patches, .. } = self;
        let stride = body.points_per_place();
        if stride == 0 {
            return;
        }
        let points = points.add(patches.len() * stride, DVec3::ZERO).chunks_mut(CHUNK * stride);
        let nodes = nodes.add(patches.len(), Node::EMPTY).chunks_mut(CHUNK);
        let many = parallel && patches.len() >= MANY;
        let chunks = nodes.zip(points).zip(patches.chunks(CHUNK));
        parallel::for_each(many, chunks, |((nodes, points), patches)| {
            for ((node, points), &k) in nodes.iter_mut().zip(points.chunks_mut(stride)).zip(patches) {
                body.open(closed[k as usize].place.index(), node, points);
            }
        });
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
