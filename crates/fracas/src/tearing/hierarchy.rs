//! A body that tears, as a walk sees it.
//!
//! A walk wants nodes of eight boxes and rows of eight triangles. The balanced trees have two boxes to a node and one triangle
//! to a leaf, and any edit could change any of them. So both are gathered when a walk asks for them:
//!
//! ```text
//!   heights of subtrees     … 9 ─┐ a node                     Heights that are multiples of three become nodes: so
//!                             8  │ of eight                   those above the bunches, where most nodes are, hold
//!                             7  │                            five to eight of them.
//!                             6 ─┘─┐
//!                             5    │ a node of eight
//!                             4    │
//!                             3 ───┘ bunches: rows of five to eight triangles, fewer only if the whole piece is that small
//! ```
//!
//! A place is the number of a binary node. The root of a piece with one triangle is in a node that holds nothing else, so that
//! node is its place.

use super::TearingBody;
use super::arena::Arena;
use crate::geom::{DVec3, Pose, Triangle};
use crate::mesh::{LiveMesh, TriangleId};
use crate::pairs::{Frame, LANES, Row, RowIds};
use crate::walk::{Child, Corners, Hierarchy, Node, RowTwins, Stamp, View};

/// Height up to which a subtree is a bunch.
pub(super) const BUNCH: u8 = 3;

/// Levels of a balanced tree that become one node.
const LEVELS: u8 = LANES.trailing_zeros() as u8;

impl TearingBody {
    /// The body as it stands; the same as `View::from(&body)`.
    pub fn view(&self) -> View<'_> {
        View::of(self, None)
    }

    /// The body, all its pieces, where a pose puts it. Panics as [`View::at`] does, if that is too far away.
    pub fn at(&self, pose: &Pose) -> View<'_> {
        self.view().at(pose)
    }
}

impl<'a> From<&'a TearingBody> for View<'a> {
    fn from(body: &'a TearingBody) -> Self {
        body.view()
    }
}

impl Hierarchy for TearingBody {
    fn frame(&self) -> Frame {
        self.tree.frame
    }

    fn root_count(&self) -> usize {
        self.tree.roots.len()
    }

    fn root(&self, tree: usize) -> (Child, Corners) {
        let root = self.tree.roots[tree];
        (place_of(&self.tree.arena, root), self.tree.arena.slot(root).corners())
    }

    fn node<'s>(&'s self, place: usize, node: &'s mut Node) -> &'s Node {
        *node = Node::EMPTY;
        let slots = slots_of(place);
        let height = slots.map(|at| self.tree.arena.slot(at).height()).into_iter().max().unwrap_or(0);
        for at in slots {
            widen(&self.tree.arena, at, height / LEVELS * LEVELS, node);
        }
        node
    }

    fn ids<'s>(&'s self, place: usize, ids: &'s mut RowIds) -> &'s RowIds {
        collect(&self.tree.arena, place, ids);
        ids
    }

    fn row(&self, place: usize, twins: RowTwins, row: &mut Row, ids: &mut RowIds) {
        let mut count = collect(&self.tree.arena, place, ids);
        let (mesh, frame) = (&self.mesh, &self.tree.frame);
        let first = ids.triangles[0];
        if twins == RowTwins::Hidden {
            count = hide_twin_faces(mesh, ids, count);
        }
        for lane in 0..LANES {
            // Unused lanes repeat the first triangle, so that their coordinates are finite.
            let triangle = if lane < count { ids.triangles[lane] } else { first };
            let corners = mesh.triangles()[triangle as usize];
            for k in 0..3 {
                ids.vertices[k][lane] = corners[k];
                let p = frame.map(mesh.positions()[corners[k] as usize]);
                for axis in 0..3 {
                    row.corners[k][axis][lane] = p[axis];
                }
            }
        }
        if twins != RowTwins::Apart && mesh.has_twins() {
            for vertex in ids.vertices.iter_mut().flatten() {
                *vertex = mesh.welded(*vertex);
            }
        }
    }

    fn triangle(&self, id: u32) -> Triangle {
        self.mesh.triangle(TriangleId(id))
    }

    fn vertices(&self, id: u32, weld: bool) -> [u32; 3] {
        let corners = self.mesh.corners(TriangleId(id));
        if weld { corners.map(|v| self.mesh.welded(v)) } else { corners }
    }

    fn positions(&self) -> Option<&[DVec3]> {
        Some(self.mesh.positions())
    }

    fn triangles(&self) -> Option<&[[u32; 3]]> {
        (self.mesh.live_count() == self.mesh.slot_count()).then(|| self.mesh.triangles())
    }

    fn has_triangle(&self, id: u32) -> bool {
        self.mesh.is_alive(TriangleId(id))
    }

    fn has_twins(&self) -> bool {
        LiveMesh::has_twins(&self.mesh)
    }

    fn twin_face(&self, id: u32) -> Option<u32> {
        self.mesh.twin_face(TriangleId(id)).map(|twin| twin.0)
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }
}

/// The two slots of a node.
#[inline(always)]
fn slots_of(node: usize) -> [u32; 2] {
    [2 * node as u32, 2 * node as u32 + 1]
}

/// What is in a slot: a node for the walk, or a row.
fn place_of(arena: &Arena, at: u32) -> Child {
    let slot = arena.slot(at);
    match slot.child().as_node() {
        Some(node) if slot.height() > BUNCH => Child::node(node as usize),
        Some(node) => Child::leaf(node as usize),
        None => Child::leaf(at as usize / 2),
    }
}

/// Adds the largest subtrees up to a certain height to a node.
fn widen(arena: &Arena, at: u32, height: u8, node: &mut Node) {
    let slot = arena.slot(at);
    match slot.child().as_node() {
        Some(inner) if slot.height() > height => {
            slots_of(inner as usize).into_iter().for_each(|at| widen(arena, at, height, node));
        }
        _ => node.push(slot.corners(), place_of(arena, at)),
    }
}

/// Lists the triangles of a bunch; returns how many they are.
fn collect(arena: &Arena, place: usize, ids: &mut RowIds) -> usize {
    *ids = RowIds::EMPTY;
    let mut count = 0;
    let mut add = |triangle| {
        ids.triangles[count] = triangle;
        count += 1;
    };
    slots_of(place).into_iter().for_each(|at| arena.for_each_triangle(at, &mut add));
    count
}

/// Takes faces out of a row whose twins of lower ids stand for them; returns how many are left.
fn hide_twin_faces(mesh: &LiveMesh, ids: &mut RowIds, count: usize) -> usize {
    let mut kept = 0;
    for lane in 0..count {
        let id = ids.triangles[lane];
        ids.triangles[lane] = RowIds::NONE;
        if mesh.twin_face(TriangleId(id)).is_none_or(|twin| twin.0 > id) {
            ids.triangles[kept] = id;
            kept += 1;
        }
    }
    kept
}
