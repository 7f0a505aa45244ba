//! One walk for every kind of body.
//!
//! Structures differ in how they are built and kept up to date. A query does the same with all of them: it opens a node, compares
//! eight boxes, continues with those that overlap, and ends at rows of eight triangles. [`Hierarchy`] is this interface, and all that a
//! new structure has to implement. In return it gets every query of [`View`] and of [`Finder`](crate::Finder), within itself and
//! against every other kind of body.
//!
//! ```text
//!    MeshTree    TearingBody    facets of a fragment   …      implement Hierarchy
//!        │            │ open, row         │
//!        │ ready      ▼                   ▼
//!        │        Unfolding: what the walk has opened so far, in the finder's memory
//!        ▼            ▼
//!     PairWalk: pairs of nodes ──▶ pairs of rows ──▶ RowFilter ──▶ exact
//! ```
//!
//! # Boxes computed on demand
//!
//! Some structures store all nodes and rows ([`Hierarchy::ready`]), and the walk reads them in place. Others compute a node or
//! a row on demand. Then the walk proceeds in rounds: it continues while nodes are open and parks every pair that
//! it cannot open; then all nodes that parked pairs wait for are opened on all threads, and the walk continues.
//!
//! Opened nodes are stored in the finder ([`Unfolding`]), never in the body. A query takes `&body`, so any number of
//! finders and threads may query one body at the same time. The content of a node depends on the body alone, so all of them get the
//! same answer. A finder keeps its opened nodes until the body changes ([`Stamp`]).
//!
//! # Contract of a hierarchy (tested in `find/contract.rs`)
//!
//! 1. A root's box, and the box of each lane, holds every box below it. It holds the exact corners of all triangles
//!    below, in frame coordinates, up to [`Frame::SLACK`].
//! 2. Every triangle is in exactly one row, or in none if its twin stands for it ([`RowTwins`]). In a row, used lanes come first, and
//!    corners are [`Frame::map`] of the corners that [`Hierarchy::triangle`] returns.
//! 3. Every answer depends on the body alone. It has the same bits at any time, however often and in whatever order it is requested.
//! 4. Two bodies with equal [`Stamp`]s give equal answers.
//!
//! The trait is sealed: it is not exported, since kernels and rows may change.

mod bridge;
mod closed;
mod closest;
mod contour;
mod gather;
mod in_box;
mod inside;
mod line;
mod nearest;
mod node;
mod pairs;
mod patience;
mod points;
mod ray;
mod unfold;
mod view;

pub(crate) use bridge::Bridge;
pub use closed::OpenSurface;
pub(crate) use closest::{ClosestEnd, ClosestWalk};
pub(crate) use contour::{Contours, signs_of_row};
pub use inside::{Side, SignedDistance};
pub(crate) use nearest::NearestSearch;
pub use nearest::{Feature, Nearest};
pub(crate) use node::{Child, Corners, Node};
pub(crate) use pairs::{Meeting, PairWalk, Posed};
pub(crate) use patience::Patience;
pub(crate) use points::{CHUNK, ask_along_curve};
pub use ray::RayHit;
pub(crate) use unfold::{Shelf, Stamp, Unfolding};
pub(crate) use view::Shape;
pub use view::View;

use crate::geom::{DVec3, Triangle};
use crate::mesh::TriangleId;
use crate::pairs::{Frame, LANES, Precision, Row, RowIds};

/// A body as a walk sees it. The contract is in the head of the module.
pub(crate) trait Hierarchy: Sync {
    /// The frame of all boxes and rows.
    fn frame(&self) -> Frame;

    /// How many trees the body consists of.
    fn root_count(&self) -> usize;

    /// The root of a tree, and the box around all of it.
    fn root(&self, tree: usize) -> (Child, Corners);

    /// What is at a place that a root or a node named.
    fn node<'s>(&'s self, place: usize, scratch: &'s mut Node) -> &'s Node;

    /// Writes what is at a place: for those who keep it. A body that computes its nodes need not copy them then. If the place
    /// [has points](Hierarchy::has_points), they are written as well.
    fn open(&self, place: usize, node: &mut Node, _points: &mut [DVec3]) {
        let mut scratch = Node::EMPTY;
        *node = *self.node(place, &mut scratch);
    }

    /// How many points a place has at most.
    fn points_per_place(&self) -> usize {
        0
    }

    /// Whether a place has points: vertices of the leaves directly below it that cost something to compute. The finder that opens such a place keeps
    /// its points, and rows and exact triangles are then read from them.
    fn has_points(&self, _place: usize) -> bool {
        false
    }

    /// Does what [`Hierarchy::row`] does, from the points of the place above the leaf. Returns where the corners of its triangles are
    /// among the points.
    fn row_of_points(
        &self,
        place: usize,
        _points: &[DVec3],
        row: &mut Row,
        ids: &mut RowIds,
    ) -> CornerPlaces {
        self.row(place, RowTwins::Apart, row, ids);
        CornerPlaces::default()
    }

    /// The ids of the triangles of a leaf.
    fn ids<'s>(&'s self, place: usize, scratch: &'s mut RowIds) -> &'s RowIds;

    /// The corners of the triangles of a leaf in frame coordinates, and who they are.
    fn row(&self, place: usize, twins: RowTwins, row: &mut Row, ids: &mut RowIds);

    /// All nodes and rows, if the body keeps them ready. Places are then indices.
    fn ready(&self) -> Option<Opened<'_>> {
        None
    }

    /// A triangle, exactly.
    fn triangle(&self, id: u32) -> Triangle;

    /// The vertices that a triangle names. With `weld`, vertices that are twins of a crack and still at one place have equal ids.
    fn vertices(&self, id: u32, weld: bool) -> [u32; 3];

    /// The positions of all vertices, if the body keeps them ready.
    fn positions(&self) -> Option<&[DVec3]> {
        None
    }

    /// How many vertices there are, if they can be given other positions.
    fn vertex_count(&self) -> usize {
        self.positions().map_or(0, <[DVec3]>::len)
    }

    /// The vertices of all triangles by id, if every id is that of a triangle that is there.
    fn triangles(&self) -> Option<&[[u32; 3]]> {
        None
    }

    /// Whether there is a triangle with this id. Bodies may say no: then questions begin without what the last one found.
    fn has_triangle(&self, id: u32) -> bool {
        self.triangles().is_some_and(|all| (id as usize) < all.len())
    }

    /// Whether the body knows twins.
    fn has_twins(&self) -> bool {
        false
    }

    /// The other face of the crack that a triangle belongs to, while both lie at one place.
    fn twin_face(&self, _: u32) -> Option<u32> {
        None
    }

    /// Changes whenever the body does.
    fn stamp(&self) -> Stamp;

    /// Changes whenever triangles come, go or name other vertices. It may change more often.
    fn topology(&self) -> Stamp {
        self.stamp()
    }
}

/// What rows say of the twins of a crack that are still at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowTwins {
    /// They are vertices as all others.
    Apart,
    /// They have equal ids.
    Welded,
    /// They have equal ids, and of two faces at one place the one with the higher id is in no row. What the other one meets, it
    /// meets too ([`hidden_twin`]).
    Hidden,
}

/// The face that is in no row because this one stands for it.
pub(crate) fn hidden_twin(body: &dyn Hierarchy, id: u32) -> Option<u32> {
    body.twin_face(id).filter(|&twin| twin > id)
}

impl dyn Hierarchy + '_ {
    /// The box around all trees, or one; `None` for an empty body.
    pub(crate) fn bounds(&self, tree: Option<usize>) -> Option<Corners> {
        box_around(self.roots(tree).map(|(_, corners)| corners))
    }

    /// The roots of all trees, or of one, and their boxes.
    pub(crate) fn roots(&self, tree: Option<usize>) -> impl Iterator<Item = (Child, Corners)> + '_ {
        tree.map_or(0..self.root_count(), |tree| tree..tree + 1).map(|tree| self.root(tree))
    }

    /// How far stored coordinates may be from the true ones.
    pub(crate) fn precision(&self) -> Precision {
        let reach = self.bounds(None).map_or(0.0, reach_of);
        Precision { slack: Frame::SLACK * (reach / Frame::REACH), reach }
    }

    /// Calls `visit` with every triangle below a root.
    pub(crate) fn for_each_triangle(&self, root: Child, visit: &mut impl FnMut(TriangleId)) {
        if root.is_leaf() {
            let mut ids = RowIds::EMPTY;
            return self.ids(root.index(), &mut ids).triangle_ids().for_each(visit);
        }
        let mut node = Node::EMPTY;
        let node = *self.node(root.index(), &mut node);
        node.used().for_each(|(_, child)| self.for_each_triangle(child, visit));
    }
}

/// The box around some boxes; `None` if there are none.
pub(crate) fn box_around(boxes: impl Iterator<Item = Corners>) -> Option<Corners> {
    boxes.reduce(|(low, high), (l, h)| {
        ([0, 1, 2].map(|k| low[k].min(l[k])), [0, 1, 2].map(|k| high[k].max(h[k])))
    })
}

/// Largest magnitude of a coordinate of a box.
pub(crate) fn reach_of((low, high): Corners) -> f32 {
    low.iter().chain(&high).fold(0.0, |reach, x| reach.max(x.abs()))
}

/// Whether a body with this box is at home in its frame: within reach, and no smaller than `least` along its longest half edge. A body that
/// shrank about a point off the centre stays within reach, but rounding would blur it.
pub(crate) fn fits_frame((low, high): Corners, least: f32) -> bool {
    let half = (0..3).fold(0.0_f32, |half, axis| half.max(0.5 * (high[axis] - low[axis])));
    half >= least && reach_of((low, high)) <= Frame::REACH
}

/// Whether two closed boxes share a point.
pub(crate) fn overlap(a: &Corners, b: &Corners) -> bool {
    (0..3).all(|k| a.0[k] <= b.1[k] && b.0[k] <= a.1[k])
}

/// Where the corners of the triangles of a leaf are in a list of points, by corner and lane.
pub(crate) type CornerPlaces = [[u8; LANES]; 3];

/// Nodes and rows that are open.
#[derive(Clone, Copy)]
pub(crate) struct Opened<'a> {
    pub(crate) nodes: &'a [Node],
    pub(crate) rows: &'a [Row],
    pub(crate) ids: &'a [RowIds],
    /// Outlines of patches, for queries of a body against itself.
    pub(crate) contours: Option<&'a Contours>,
    /// The exact corners of all rows, if they were computed with the rows.
    pub(crate) exact: Option<ExactRows<'a>>,
}

/// The exact corners of opened rows.
#[derive(Clone, Copy)]
pub(crate) struct ExactRows<'a> {
    pub(crate) rows: &'a [ExactRow],
    pub(crate) points: &'a [DVec3],
}

/// Where the exact corners of one row are: the first point of the place above it, and the corners' places from there.
#[derive(Clone, Copy)]
pub(crate) struct ExactRow {
    pub(crate) first: u32,
    pub(crate) corners: CornerPlaces,
}
