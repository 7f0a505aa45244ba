//! A static tree over the triangles of a mesh: eight children to a node, eight triangles to a leaf.
//!
//! The tree is built once for a mesh, refitted when vertices move, and asked for pairs, boxes and rays.
//!
//! ```text
//!                 node: eight boxes side by side (one vector comparison tests all eight)
//!            ┌──────┬──────┬──────┐
//!          node   leaf   node   leaf …     leaf: a row of eight triangles, corners in f32
//!            │                              (see `pairs::Row`)
//!      ┌─────┼─────┐
//!    leaf  leaf  leaf …
//! ```
//!
//! # Layout
//!
//! Nodes are stored in pre-order, leaves in the order of the nodes that hold them. So every subtree is one
//! contiguous run of nodes and one of leaves; a refit walks both backwards at memory speed, and threads can share
//! it by subtree. Splits in space fall on multiples of eight triangles, so nearly all leaves are full.
//!
//! Boxes and rows are kept in the tree's own [`Frame`]: `f32`, centred and scaled. A node's boxes are rounded
//! outward and hold the exact triangles.
//!
//! # Invariants (all checked by `MeshTree::validate`)
//!
//! - Every triangle of the mesh is in exactly one lane of one leaf; used lanes come first, and no leaf is empty.
//! - A child's box holds the exact positions of every triangle below it, and every box below it.
//! - Children come after their parent; a node's subtree is contiguous; every node but the root has one parent.
//! - Rows hold the frame coordinates of the mesh's present positions.
//!
//! # When to use something else
//!
//! This tree must be rebuilt when triangles come or go. For a mesh that is cut or torn, use [`crate::tearing`].

mod assemble;
mod build;
mod grow;
mod large;
pub(crate) mod partition;
mod quality;
mod refit;
mod smooth_pieces;
mod validate;

pub use build::BuildOptions;
pub use partition::SplitRule;
pub use quality::Quality;
pub(crate) use refit::{refit_nodes, row_box};
pub use validate::Broken;
pub(crate) use validate::ensure;

use crate::base::parallel;
use crate::geom::{DVec3, Pose, Triangle};
use crate::mesh::{Mesh, MeshError, TriangleId};
use crate::pairs::{Frame, Row, RowIds};
use crate::walk::{Child, Contours, Corners, Hierarchy, Node, Opened, RowTwins, Stamp, View};

/// A mesh and the tree over its triangles, always in step.
#[derive(Clone, Debug)]
pub struct MeshTree {
    mesh: Mesh,
    stamp: Stamp,
    /// Stays when vertices move.
    topology: Stamp,
    frame: Frame,
    nodes: Vec<Node>,
    rows: Vec<Row>,
    ids: Vec<RowIds>,
    /// Present if the tree was built for self-queries.
    contours: Option<Contours>,
}

impl MeshTree {
    /// Builds the tree over a mesh, with the best of the split rules.
    ///
    /// # Cost
    /// O(n log n), on all threads of the current rayon pool with the feature `parallel`.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes};
    /// let body = MeshTree::build(shapes::icosphere(1.0, 3));
    /// assert_eq!(body.mesh().triangle_count(), 1280);
    /// assert!(body.quality().depth <= 4);
    /// ```
    #[must_use]
    pub fn build(mesh: Mesh) -> Self {
        Self::build_with(mesh, &BuildOptions::default())
    }

    /// The mesh.
    #[inline]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The mesh, given back; the tree is dropped.
    pub fn into_mesh(self) -> Mesh {
        self.mesh
    }

    /// Moves every vertex and refits all boxes; the shape of the tree stays.
    ///
    /// # Errors
    /// A wrong number of positions, or the first one that is not finite. Nothing has then changed.
    ///
    /// # Cost
    /// One pass over positions and tree, linear in memory. No allocation.
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<(), MeshError> {
        self.mesh.set_positions(positions)?;
        self.refit(true);
        Ok(())
    }

    /// Lets `change` move the vertices, then refits: for solvers that update positions in place.
    ///
    /// # Errors
    /// The first position that is not finite afterwards. The positions are then the old ones again.
    pub fn update_positions(&mut self, change: impl FnOnce(&mut [DVec3])) -> Result<(), MeshError> {
        let old = self.mesh.positions();
        let mut positions = parallel::collect(true, old.len(), |vertex| old[vertex]);
        change(&mut positions);
        self.mesh.swap_positions(positions)?;
        self.refit(true);
        Ok(())
    }

    /// The body as it stands; the same as `View::from(&body)`.
    pub fn view(&self) -> View<'_> {
        View::of(self, None)
    }

    /// The body where a pose puts it. Panics as [`View::at`] does, if that is too far away.
    pub fn at(&self, pose: &Pose) -> View<'_> {
        self.view().at(pose)
    }

    /// Bytes of memory of the tree, without the mesh.
    #[must_use]
    pub fn tree_bytes(&self) -> usize {
        let contours = self.contours.as_ref().map_or(0, Contours::bytes);
        size_of_val(&self.nodes[..]) + size_of_val(&self.rows[..]) + size_of_val(&self.ids[..]) + contours
    }
}

impl<'a> From<&'a MeshTree> for View<'a> {
    fn from(body: &'a MeshTree) -> Self {
        body.view()
    }
}

impl Hierarchy for MeshTree {
    fn frame(&self) -> Frame {
        self.frame
    }

    fn root_count(&self) -> usize {
        usize::from(!self.nodes.is_empty())
    }

    fn root(&self, _: usize) -> (Child, Corners) {
        (Child::node(0), self.nodes[0].bounds())
    }

    fn node<'s>(&'s self, place: usize, _: &'s mut Node) -> &'s Node {
        &self.nodes[place]
    }

    fn ids<'s>(&'s self, place: usize, _: &'s mut RowIds) -> &'s RowIds {
        &self.ids[place]
    }

    fn row(&self, place: usize, _: RowTwins, row: &mut Row, ids: &mut RowIds) {
        (*row, *ids) = (self.rows[place], self.ids[place]);
    }

    fn ready(&self) -> Option<Opened<'_>> {
        let Self { nodes, rows, ids, contours, .. } = self;
        Some(Opened { nodes, rows, ids, contours: contours.as_ref(), exact: None })
    }

    fn triangle(&self, id: u32) -> Triangle {
        self.mesh.triangle(TriangleId(id))
    }

    fn vertices(&self, id: u32, _: bool) -> [u32; 3] {
        self.mesh.triangles()[id as usize]
    }

    fn positions(&self) -> Option<&[DVec3]> {
        Some(self.mesh.positions())
    }

    fn triangles(&self) -> Option<&[[u32; 3]]> {
        Some(self.mesh.triangles())
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn topology(&self) -> Stamp {
        self.topology
    }
}
