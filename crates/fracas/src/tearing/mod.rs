//! Bodies that are cut, torn or broken: a balanced tree of boxes that follows the cut.
//!
//! When an object fractures, some of its triangles vanish, others appear on the crack, and one body becomes several.
//! Rebuilding its tree costs what the body costs. This module edits the tree it has: a step that changes *m* of *n*
//! triangles costs *O(m log n)*, and the tree stays balanced and tight.
//!
//! # Idea
//!
//! ```text
//!        A                 C        Heights of siblings differ by one at most. Walking from what has changed to the
//!       / \               / \       root, an unbalanced node is rotated or rejoined. Leaves have no order, so of
//!      B   C     ──▶     A   E      the choices that restore balance the one with the smallest boxes is taken.
//!         / \           / \
//!        D   E         B   D
//! ```
//!
//! - [`TearingBody::apply`] takes a [`MeshEdit`]: what replaces a triangle goes to its place, new surface beside what it
//!   touches (`place`), as small trees of its own where there is enough of it (`patches`); then one pass mends everything
//!   above (`follow`, `balance`).
//! - A few parts that edits have loosened are rebuilt in every step (`settle`), so that queries stay as fast as on
//!   a fresh tree and no step is slow.
//! - A body that falls apart becomes several trees: whole subtrees go to one side or the other, mixed ones are split and
//!   their parts joined (`labels`). Where a body shatters at once, new surface joins the piece it belongs to only after that
//!   (`shatter`). A cut that ends is noticed by a search that starts at the cut (`connect`) and continues from region to region
//!   (`regions`). The tree is then divided by looking at one vertex of each connected subtree (`wholes`).
//! - When vertices move, all boxes are recomputed in one pass over memory (`refit`).
//! - A body that had a [`MeshTree`](crate::MeshTree) so far takes over the order of its triangles (`adopt`).
//! - Queries walk the trees in nodes of eight boxes, down to subtrees of eight triangles (`hierarchy`).
//!
//! # Invariants (all checked by [`TearingBody::validate`])
//!
//! - Every living triangle of the mesh is in exactly one leaf of one piece, and every leaf is a living triangle.
//! - Heights are right, and those of siblings differ by one at most.
//! - A box in a slot is exactly the box around those below it; the box of a leaf is that of its triangle's corners, in
//!   frame coordinates. These are rounded to nearest, which keeps order, so that boxes overlap wherever the true ones do.
//! - Sums of areas, squared volumes and leaves at each node are those of what is below it.
//! - Links up and down agree; free nodes are linked to nothing.
//! - The triangles of a subtree that is marked as whole are connected; regions are as their module says.
//!
//! # Departures from the paper
//!
//! - The paper refits and permutes all nodes at every step; here only the paths above a change are walked.
//! - The paper inserts one triangle after the other; here a host becomes a small subtree at once, faces of a crack are inserted
//!   patch by patch, and joins of trees of different heights take the place of single rotations.
//! - Children may change places with grandchildren too, not only grandchildren among themselves.
//! - The paper measures boxes by squared volume and rebuilds the whole tree when Q passes 2.3. Here area is the default
//!   measure, which works for flat bodies too, and parts are rebuilt within a budget. Both of the paper's ways can be
//!   chosen ([`TearingOptions`]).
//! - The paper clones the tree for every fragment and deletes what is not in it; here it is divided in one pass.
//!
//! # When to use something else
//!
//! A body whose triangles stay is better off with [`crate::tree::MeshTree`], whose rows of triangles need not be gathered for
//! every query. If most of a body changes in every step, a structure that is rebuilt each time is faster.
//!
//! # Reference
//!
//! M. A. Otaduy, O. Chassot, D. Steinemann, M. Gross, *Balanced hierarchies for collision detection between fracturing
//! objects*, IEEE Virtual Reality 2007.

mod adopt;
mod arena;
mod balance;
mod build;
mod cells;
mod connect;
mod follow;
mod heights;
mod hierarchy;
mod inspect;
mod labels;
mod metric;
mod patches;
mod piece;
mod place;
mod refit;
mod regions;
mod settle;
mod shatter;
mod small;
mod validate;
mod wholes;

pub use build::TearingBuild;
pub use follow::TearStats;
pub use inspect::{TearingQuality, TreeBox};
pub use labels::SplitError;
pub use metric::Metric;
pub use piece::Piece;
pub use shatter::ShatterError;

use crate::base::warm_room;
use crate::geom::{Box3, DVec3};
use crate::mesh::{EditError, LiveMesh, Mesh, MeshEdit, MeshError};
use crate::pairs::Frame;
use crate::walk::{Corners, Stamp, box_around, reach_of};
use arena::{Arena, Slot};
use connect::Clusters;
use follow::FollowScratch;
use glam::Vec4;
use settle::Upkeep;

/// How a body's tree is built and kept.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TearingOptions {
    /// How sets of triangles are divided in builds and rebuilds. Default: by surface area.
    pub build: TearingBuild,
    /// What permutations and joins make small. Default: area.
    pub metric: Metric,
    /// Triangles in parts of the tree that a step may rebuild, on average; 0 turns upkeep off. More makes queries faster
    /// and steps slower. Default: 500.
    pub upkeep: usize,
    /// Height of the parts that upkeep rebuilds, from 4 to 16; others count as the nearest of these. Default: 9, parts of
    /// about three hundred triangles.
    pub settle_height: u8,
    /// Detect when an edit separates a piece into two, and give each its own tree. Default: true.
    pub separate: bool,
    /// Rebuild a whole piece when its Q exceeds this, as the paper does with 2.3. Default: never.
    pub rebuild_above_q: Option<f64>,
}

impl Default for TearingOptions {
    fn default() -> Self {
        Self {
            build: TearingBuild::SurfaceArea,
            metric: Metric::Area,
            upkeep: 500,
            settle_height: 9,
            separate: true,
            rebuild_above_q: None,
        }
    }
}

impl TearingOptions {
    /// The options of the paper: median splits, squared volumes, a full rebuild when Q exceeds 2.3.
    #[must_use]
    pub fn paper() -> Self {
        Self {
            build: TearingBuild::Median,
            metric: Metric::SquaredVolume,
            upkeep: 0,
            rebuild_above_q: Some(2.3),
            ..Self::default()
        }
    }

    /// Treelets must be larger than the bunches that edits rebuild.
    fn treelet_height(&self) -> u8 {
        self.settle_height.clamp(4, 16)
    }
}

/// A body that may be cut, torn or broken: its mesh, and the trees over its pieces.
#[derive(Clone, Debug)]
pub struct TearingBody {
    mesh: LiveMesh,
    tree: Tree,
    clusters: Clusters,
    stamp: Stamp,
}

/// The trees alone; every method that needs positions is given the mesh.
#[derive(Clone, Debug, Default)]
struct Tree {
    frame: Frame,
    arena: Arena,
    /// By piece: the slot of its root.
    roots: Vec<u32>,
    options: TearingOptions,
    upkeep: Upkeep,
    /// Whether vertices have moved since boxes were last computed.
    is_behind: bool,
    /// The node up to which [`TearingBody::refit_and_optimise`] has come.
    cursor: usize,
    /// Memory of a refit: positions in frame coordinates.
    mapped: Vec<Vec4>,
    scratch: FollowScratch,
}

impl TearingBody {
    /// A body of one piece, with the best tree.
    ///
    /// # Panics
    /// If the mesh has more than [`LiveMesh::MOST_SLOTS`] triangles.
    ///
    /// ```
    /// use fracas::mesh::{MeshEdit, TriangleId, shapes};
    /// use fracas::{Finder, TearingBody};
    /// let mut body = TearingBody::build(shapes::icosphere(1.0, 3));
    /// body.apply(&MeshEdit { removed: vec![TriangleId(17)], ..MeshEdit::default() }).unwrap();
    /// assert_eq!(body.mesh().live_count(), 1279);
    /// assert!(Finder::default().find_self_pairs(&body).is_empty());
    /// ```
    #[must_use]
    pub fn build(mesh: Mesh) -> Self {
        Self::build_with(mesh, TearingOptions::default())
    }

    /// A body of one piece.
    ///
    /// # Panics
    /// As [`TearingBody::build`].
    ///
    /// # Cost
    /// O(n log n).
    #[must_use]
    pub fn build_with(mesh: Mesh, options: TearingOptions) -> Self {
        Self::of_live(LiveMesh::new(mesh), options)
    }

    /// A body of one piece. All that edits will need of the size of the body is made here, not in the first step.
    fn of_live(mesh: LiveMesh, options: TearingOptions) -> Self {
        let mut tree = Tree { options, ..Tree::default() };
        tree.rebuild(&mesh);
        Self::prepared(mesh, tree)
    }

    /// Makes what edits will need of the size of the body.
    fn prepared(mesh: LiveMesh, mut tree: Tree) -> Self {
        let options = tree.options;
        tree.arena.warm();
        tree.scratch.reserve(warm_room(mesh.slot_count()).min(512));
        tree.scratch.placement.prepare(mesh.slot_count());
        if options.upkeep > 0 {
            tree.upkeep.prepare(tree.arena.nodes.len());
        }
        let mut clusters = Clusters::default();
        if options.separate {
            clusters.prepare(&mesh);
        }
        Self { mesh, tree, clusters, stamp: Stamp::new() }
    }

    /// A body of a mesh as edits have left it, with one piece for each label; see [`TearingBody::split`].
    #[cfg(feature = "serde")]
    pub(crate) fn restore(
        mesh: LiveMesh,
        options: TearingOptions,
        labels: &[u32],
    ) -> Result<Self, SplitError> {
        let mut body = Self::of_live(mesh, options);
        body.split(labels)?;
        Ok(body)
    }

    /// How the tree is kept.
    #[must_use]
    pub fn options(&self) -> &TearingOptions {
        &self.tree.options
    }

    /// The mesh as it is now.
    pub fn mesh(&self) -> &LiveMesh {
        &self.mesh
    }

    /// Changes how the tree is kept from now on.
    pub fn set_options(&mut self, options: TearingOptions) {
        self.tree.options = options;
    }

    /// Carries out an edit on the mesh and on the trees.
    ///
    /// # Errors
    /// As [`LiveMesh::apply`]; nothing has changed then.
    ///
    /// # Cost
    /// O(m log n) for an edit of m triangles, and the budget of upkeep. Allocates only where vectors grow.
    pub fn apply(&mut self, edit: &MeshEdit) -> Result<TearStats, EditError> {
        let applied = self.mesh.apply(edit)?;
        self.stamp = Stamp::new();
        let mut stats = self.tree.follow(&self.mesh, edit, &applied);
        self.note_removed(edit);
        if self.tree.options.separate {
            stats.parted = self.separate(edit) as u64;
        }
        if let Some(limit) = self.tree.options.rebuild_above_q
            && self.quality().q.is_some_and(|q| q > limit)
        {
            stats.rebuilt += self.mesh.live_count() as u64;
            self.rebuild();
        }
        Ok(stats)
    }

    /// Tells the regions of vertices what an edit has removed, if they are used.
    fn note_removed(&mut self, edit: &MeshEdit) {
        let regions = &mut self.clusters.regions;
        if self.tree.options.separate {
            regions.note(&edit.removed);
        } else {
            regions.forget();
        }
    }

    /// Makes room for this many more triangles and vertices, so that edits within it wait neither for the allocator nor
    /// for the system to hand out pages.
    ///
    /// # Panics
    /// As [`LiveMesh::reserve`], if there would be more than ids can name. Nothing has changed then.
    pub fn reserve(&mut self, triangles: usize, vertices: usize) {
        self.mesh.reserve(triangles, vertices);
        let Tree { arena, scratch, upkeep, .. } = &mut self.tree;
        arena.reserve(triangles);
        scratch.placement.grow(arena.leaf_at.len() + triangles);
        upkeep.reserve(arena.nodes.len() + triangles);
        // One step seldom brings all of it.
        scratch.reserve(triangles.min(2048));
    }

    /// Moves every vertex and refits all boxes.
    ///
    /// # Errors
    /// A wrong number of positions, or the first one that is not finite. Nothing has changed then.
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<(), MeshError> {
        self.move_vertices(positions)?;
        self.refit();
        Ok(())
    }

    /// Moves every vertex without a refit: the trees are out of date until one of the refits is called.
    ///
    /// # Errors
    /// As [`TearingBody::set_positions`].
    pub fn move_vertices(&mut self, positions: &[DVec3]) -> Result<(), MeshError> {
        self.stamp = Stamp::new();
        self.mesh.set_positions(positions)?;
        self.tree.is_behind = true;
        Ok(())
    }

    /// Recomputes all boxes from the positions of the mesh.
    ///
    /// # Cost
    /// O(n), one pass over memory.
    pub fn refit(&mut self) {
        self.refit_and_optimise(0);
    }

    /// Refits, and tries to tighten the next `count` nodes by permutations. A body with large deformations gains
    /// from a slice of its nodes in every frame. Returns how many nodes were changed.
    pub fn refit_and_optimise(&mut self, count: usize) -> usize {
        self.stamp = Stamp::new();
        self.tree.refit(&self.mesh, count)
    }

    /// Reorders the nodes in memory as queries visit them. Call it occasionally after many edits: queries and
    /// refits then access memory in order. Treelets that wait for upkeep are forgotten.
    ///
    /// # Cost
    /// O(n).
    pub fn lay_out(&mut self) {
        self.stamp = Stamp::new();
        self.tree.lay_out();
    }

    /// Rebuilds the tree of each piece.
    pub fn rebuild(&mut self) {
        self.stamp = Stamp::new();
        self.tree.rebuild(&self.mesh);
    }

    /// How many pieces the body has; an empty body has none.
    #[must_use]
    pub fn piece_count(&self) -> usize {
        self.tree.roots.len()
    }
}

impl Tree {
    /// Rebuilds the trees: each piece keeps its triangles; a body without pieces becomes one.
    fn rebuild(&mut self, mesh: &LiveMesh) {
        self.frame = frame_of(mesh);
        self.is_behind = false;
        let mut sets: Vec<Vec<u32>> = self.roots.iter().map(|&root| self.arena.triangles(root)).collect();
        if sets.is_empty() {
            sets.push(mesh.live_triangles().map(|t| t.0).collect());
        }
        self.arena = Arena::with_room(mesh.slot_count(), mesh.live_count());
        self.roots.clear();
        self.upkeep.clear();
        for set in sets.iter().filter(|set| !set.is_empty()) {
            let mut items: Vec<_> = set.iter().map(|&t| Slot::leaf(mesh, &self.frame, t).as_item()).collect();
            let root = self.new_piece();
            self.arena.build(root, &mut items, self.options.build, &mut self.scratch.build);
        }
        if self.options.separate {
            self.find_wholes(mesh);
        }
    }

    /// The slot of the root of a new piece, still empty.
    fn new_piece(&mut self) -> u32 {
        let root = 2 * self.arena.new_holder();
        self.roots.push(root);
        root
    }

    fn forget_empty_pieces(&mut self) {
        let arena = &mut self.arena;
        self.roots.retain(|&root| {
            let used = !arena.slot(root).is_empty();
            if !used {
                arena.free_node(root / 2);
            }
            used
        });
    }

    /// The box around everything in frame coordinates; `None` for an empty body.
    fn bounds(&self) -> Option<Corners> {
        box_around(self.roots.iter().map(|&root| self.arena.slot(root).corners()))
    }

    /// Largest magnitude of a coordinate in the frame.
    fn reach(&self) -> f32 {
        self.bounds().map_or(0.0, reach_of)
    }

    /// The metric to go by: area where boxes have no volume.
    fn metric(&self) -> Metric {
        let flat =
            || self.bounds().is_none_or(|(low, high)| (0..3).any(|k| high[k] - low[k] < 1e-3 * self.reach()));
        match self.options.metric {
            Metric::SquaredVolume if !flat() => Metric::SquaredVolume,
            _ => Metric::Area,
        }
    }
}

/// The frame around the living triangles of a mesh.
fn frame_of(mesh: &LiveMesh) -> Frame {
    let corners = mesh.live_triangles().flat_map(|t| mesh.corners(t));
    let bounds = Box3::from_points(corners.map(|v| mesh.positions()[v as usize]));
    Frame::around(bounds.min, bounds.max)
}
