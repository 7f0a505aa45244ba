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
use super::{Child, Corners, Hierarchy, Node, Opened};
use crate::base::parallel;
use crate::geom::Boxes8;
use crate::mesh::TriangleId;
use crate::pairs::{Pair, Row, RowIds};
use std::sync::atomic::{AtomicU64, Ordering};

/// Nodes and rows opened so far, of one body at one time. Keeps its memory when it changes to another.
#[derive(Default)]
pub(crate) struct Unfolding {
    /// The body, and what is made of its twins.
    of: Option<(Stamp, Twinned)>,
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
    /// Twin faces, the lower id first, of which the second is in no row; sorted.
    hidden: Vec<[u32; 2]>,
}

/// What becomes of the twins of a crack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Twinned {
    /// They are as different as other vertices.
    #[default]
    Apart,
    /// Vertices at one place have equal ids.
    Welded,
    /// That, and of two faces at one place only one is in a row: what it meets, its twin meets too.
    Hidden,
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
    pub(crate) fn begin(&mut self, body: &dyn Hierarchy, twinned: Twinned) {
        let of = Some((body.stamp(), twinned));
        if self.of == of {
            return;
        }
        self.of = of;
        self.nodes.clear();
        self.rows.clear();
        self.ids.clear();
        self.roots.clear();
        self.closed.clear();
        self.hidden.clear();
        for (tree, (place, corners)) in body.roots(None).enumerate() {
            self.closed.push(Closed { place, parent: ROOT, lane: tree as u32, opened: Child::NONE });
            self.roots.push((Child::closed(tree), corners));
        }
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
        let hides = self.of.is_some_and(|(_, twinned)| twinned == Twinned::Hidden);
        if hides && !self.rows.is_empty() {
            return;
        }
        let mut first = 0;
        while first < self.closed.len() {
            self.wanted.clear();
            self.wanted.extend(first as u32..self.closed.len() as u32);
            first = self.closed.len();
            self.open_wanted(body, parallel);
        }
        if hides {
            self.hide_twins(body);
        }
    }

    /// Takes one of every two twin faces out of its row, and shrinks the boxes above.
    fn hide_twins(&mut self, body: &dyn Hierarchy) {
        for (row, ids) in self.rows.iter_mut().zip(&mut self.ids) {
            for lane in (0..ids.triangle_ids().count()).rev() {
                let id = ids.triangles[lane];
                if let Some(twin) = body.twin_of(id).filter(|&twin| twin < id) {
                    self.hidden.push([twin, id]);
                    remove_lane(row, ids, lane);
                }
            }
        }
        if self.hidden.is_empty() {
            return;
        }
        self.hidden.sort_unstable();
        // Children follow their parents.
        for index in (0..self.nodes.len()).rev() {
            let children = self.nodes[index].children;
            let count = std::mem::take(&mut self.nodes[index].count) as usize;
            self.nodes[index].boxes = Boxes8::EMPTY;
            for &child in &children[..count] {
                if let Some(corners) = self.corners_of(child) {
                    self.nodes[index].push(corners, child);
                }
            }
        }
        for k in 0..self.roots.len() {
            self.roots[k].1 = self.corners_of(self.roots[k].0).unwrap_or(NOWHERE);
        }
    }

    /// The box around what an opened child holds; `None` if that is nothing.
    fn corners_of(&self, child: Child) -> Option<Corners> {
        if !child.is_leaf() {
            let node = &self.nodes[child.index()];
            return (node.count > 0).then(|| node.bounds());
        }
        let (row, count) =
            (&self.rows[child.index()].corners, self.ids[child.index()].triangle_ids().count());
        let (mut low, mut high) = NOWHERE;
        for corner in row {
            for (axis, lanes) in corner.iter().enumerate() {
                for &x in &lanes[..count] {
                    (low[axis], high[axis]) = (low[axis].min(x), high[axis].max(x));
                }
            }
        }
        (count > 0).then_some((low, high))
    }

    /// Adds the pairs of faces that were hidden: those of their twins.
    pub(crate) fn add_hidden(&self, pairs: &mut Vec<Pair>) {
        if self.hidden.is_empty() {
            return;
        }
        let twin_of = |id: TriangleId| {
            let found = self.hidden.binary_search_by_key(&id.0, |twins| twins[0]);
            found.ok().map(|k| self.hidden[k][1])
        };
        for k in 0..pairs.len() {
            let Pair { a, b } = pairs[k];
            let (other_a, other_b) = (twin_of(a), twin_of(b));
            let also = [other_a.map(|x| (x, b.0)), other_b.map(|y| (a.0, y)), other_a.zip(other_b)];
            pairs.extend(also.into_iter().flatten().map(|(x, y)| Pair::new(x.min(y), x.max(y))));
        }
    }

    fn open_wanted(&mut self, body: &dyn Hierarchy, parallel: bool) {
        let Self { of, nodes, rows, ids, roots, closed, wanted, leaves, inner, .. } = self;
        let weld = of.is_some_and(|(_, twinned)| twinned != Twinned::Apart);
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
                body.row(place(k).index(), weld, row, ids);
            }
        });
        let first_node = nodes.len();
        nodes.resize(first_node + inner.len(), Node::EMPTY);
        let chunks = nodes[first_node..].chunks_mut(CHUNK).zip(inner.chunks(CHUNK));
        parallel::for_each(parallel && inner.len() >= MANY, chunks, |(nodes, inner)| {
            let mut scratch = Node::EMPTY;
            for (node, &k) in nodes.iter_mut().zip(inner) {
                *node = *body.node(place(k).index(), &mut scratch);
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

/// A box around nothing.
const NOWHERE: Corners = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);

/// Takes one triangle out of a row; the last one takes its lane.
fn remove_lane(row: &mut Row, ids: &mut RowIds, lane: usize) {
    let last = ids.triangle_ids().count() - 1;
    ids.triangles[lane] = ids.triangles[last];
    ids.triangles[last] = RowIds::NONE;
    for k in 0..3 {
        ids.vertices[k][lane] = ids.vertices[k][last];
        row.corners[k].iter_mut().for_each(|lanes| lanes[lane] = lanes[last]);
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
