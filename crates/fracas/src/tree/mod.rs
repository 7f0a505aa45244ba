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
//! For a mesh whose topology changes, edit-friendly structures pay; this tree must then be rebuilt.

pub(crate) mod bridge;
mod build;
mod contour;
mod find;
mod gathered;
mod nearest;
pub(crate) mod partition;
mod quality;
mod query;
mod refit;
mod smooth_pieces;
pub(crate) mod traverse;
mod validate;

pub use build::BuildOptions;
pub use find::PairFinder;
pub use nearest::{Nearest, Side};
pub use partition::SplitRule;
pub use quality::Quality;
pub use query::{QueryStats, RayHit};
pub use validate::Broken;

use crate::geom::{Aabb, DVec3};
use crate::mesh::{Mesh, MeshError};
use crate::pairs::{Frame, LANES, Precision, Row, RowIds};
use contour::Contours;

/// A mesh and the tree over its triangles, always in step.
#[derive(Clone, Debug)]
pub struct MeshTree {
    mesh: Mesh,
    tree: Tree,
}

/// The tree alone; every method that needs positions is given the mesh.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    frame: Frame,
    nodes: Vec<Node>,
    rows: Vec<Row>,
    ids: Vec<RowIds>,
    /// Present if the tree was built for self-queries.
    contours: Option<Contours>,
}

/// Eight boxes in frame coordinates and what they bound. Unused lanes hold empty boxes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
    children: [Child; LANES],
    /// Directions in which every face normal below the child certainly points: see `contour`.
    signs: [u8; LANES],
    /// Used lanes; they come first.
    count: u32,
    /// One past the last node of this subtree.
    nodes_end: u32,
    /// The leaves of this subtree.
    leaves: [u32; 2],
}

/// What a lane of a node leads to: a node, a leaf, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Child(u32);

impl Child {
    const NONE: Self = Self(u32::MAX);
    const LEAF_BIT: u32 = 1 << 31;

    pub(crate) fn node(index: usize) -> Self {
        Self(index as u32)
    }

    pub(crate) fn leaf(index: usize) -> Self {
        Self(index as u32 | Self::LEAF_BIT)
    }

    #[inline(always)]
    fn is_leaf(self) -> bool {
        self.0 & Self::LEAF_BIT != 0
    }

    /// Index of the node or leaf.
    #[inline(always)]
    fn index(self) -> usize {
        (self.0 & !Self::LEAF_BIT) as usize
    }
}

impl Node {
    const EMPTY: Self = Self {
        low: [[f32::INFINITY; LANES]; 3],
        high: [[f32::NEG_INFINITY; LANES]; 3],
        children: [Child::NONE; LANES],
        signs: [0; LANES],
        count: 0,
        nodes_end: 0,
        leaves: [0; 2],
    };

    /// Used lanes with what they lead to.
    #[inline(always)]
    fn used(&self) -> impl Iterator<Item = (usize, Child)> + '_ {
        self.children[..self.count as usize].iter().copied().enumerate()
    }

    /// One bit for every used lane.
    #[inline(always)]
    fn used_lanes(&self) -> u32 {
        (1 << self.count) - 1
    }

    /// Directions in which every normal below the node certainly points.
    #[inline(always)]
    fn common_signs(&self) -> u8 {
        self.signs[..self.count as usize].iter().fold(u8::MAX, |all, signs| all & signs)
    }

    /// The box of one lane in frame coordinates.
    #[inline(always)]
    fn lane_box(&self, lane: usize) -> ([f32; 3], [f32; 3]) {
        let (low, high) = (&self.low, &self.high);
        ([low[0][lane], low[1][lane], low[2][lane]], [high[0][lane], high[1][lane], high[2][lane]])
    }
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

    /// Builds the tree over a mesh as the options say.
    #[must_use]
    pub fn build_with(mesh: Mesh, options: &BuildOptions) -> Self {
        let tree = Tree::build(&mesh, options);
        Self { mesh, tree }
    }

    /// The mesh.
    #[inline]
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The mesh, given back; the tree is dropped.
    #[must_use]
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
        self.tree.refit(&self.mesh);
        Ok(())
    }

    /// Brings rows and boxes up to date with the mesh's present positions. [`MeshTree::set_positions`] does this
    /// already; on its own it is for measuring.
    pub fn refit(&mut self, parallel: bool) {
        self.tree.refit_with(&self.mesh, parallel);
    }

    /// Lets `change` move the vertices, then refits: for solvers that update positions in place.
    ///
    /// # Errors
    /// The first position that is not finite afterwards. The positions are then the old ones again.
    pub fn update_positions(&mut self, change: impl FnOnce(&mut [DVec3])) -> Result<(), MeshError> {
        let mut positions = self.mesh.positions().to_vec();
        change(&mut positions);
        self.set_positions(&positions)
    }

    /// A box around all triangles, in the mesh's own coordinates.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        let Some((low, high)) = self.tree.bounds() else { return Aabb::EMPTY };
        let unmap = |x: [f32; 3]| self.tree.frame.unmap(DVec3::from_array(x.map(f64::from)));
        // Mapping back rounds in the last place of f64; a step outward makes up for it.
        let (low, high) = (unmap(low), unmap(high));
        let pad = (low.abs().max(high.abs())) * (4.0 * f64::EPSILON);
        Aabb::from_corners(low - pad, high + pad)
    }

    /// Bytes of memory of the tree, without the mesh.
    #[must_use]
    pub fn tree_bytes(&self) -> usize {
        let t = &self.tree;
        size_of_val(&t.nodes[..])
            + size_of_val(&t.rows[..])
            + size_of_val(&t.ids[..])
            + t.contours.as_ref().map_or(0, Contours::bytes)
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }
}

impl Tree {
    /// The box around everything in frame coordinates; `None` for an empty tree.
    fn bounds(&self) -> Option<([f32; 3], [f32; 3])> {
        let root = self.nodes.first()?;
        let low = [0, 1, 2].map(|axis| root.low[axis].iter().copied().fold(f32::INFINITY, f32::min));
        let high = [0, 1, 2].map(|axis| root.high[axis].iter().copied().fold(f32::NEG_INFINITY, f32::max));
        Some((low, high))
    }

    /// Largest coordinate of any box, in frame coordinates.
    fn reach(&self) -> f64 {
        let Some((low, high)) = self.bounds() else { return 0.0 };
        f64::from(low.iter().chain(&high).fold(0.0_f32, |reach, x| reach.max(x.abs())))
    }

    /// How far stored coordinates may be from the true ones: less than [`Frame::SLACK`] if they are small.
    fn precision(&self) -> Precision {
        let reach = self.reach() as f32;
        Precision { slack: Frame::SLACK * (reach / Frame::REACH), reach }
    }
}
