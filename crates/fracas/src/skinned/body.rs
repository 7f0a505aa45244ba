//! The body: what a query sees of a surface that follows a few nodes.
//!
//! A node of the walk is made when a query opens it: eight bounds from the transforms, padded for rounding (`motion`) and cut to
//! the box of the whole body. A node just above leaves evaluates the vertices of all of them instead. This costs about as much as the
//! bounds and gives the smallest boxes. Rows and exact triangles come from the same vertices, which the finder keeps. Nothing else is
//! kept between queries, so the answer cannot depend on what was evaluated before.
//!
//! # Invariants
//!
//! Every box holds the vertices below it as [`Skin::vertex`] evaluates them, and the boxes below it; see `families` for why.

use super::bound::{OrientedBox, bound_child, bound_family};
use super::evaluate::{Patches, evaluate_all, evaluate_one};
use super::families::Families;
use super::motion::Motion;
use super::options::{RestBoxes, SkinOptions};
use super::oriented::oriented_boxes;
use crate::geom::{BLOCK, Boxes8, DAffine3, DVec3, LANES, Pose, Triangle};
use crate::mesh::{Skin, SkinError, TriangleId};
use crate::pairs::{Frame, Row, RowIds, bits};
use crate::tree::{BuildOptions, MeshTree};
use crate::walk::{Child, CornerPlaces, Corners, Hierarchy, Node, RowTwins, Stamp, View};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};

/// The most vertices of a patch: eight leaves of eight triangles that share none.
const MOST_POINTS: usize = 3 * LANES * LANES;

/// A surface that follows a few nodes, ready for queries as soon as the nodes have moved.
///
/// ```
/// use fracas::geom::{DAffine3, DVec3};
/// use fracas::mesh::{Influence, Skin, shapes};
/// use fracas::skinned::{SkinOptions, SkinnedBody};
/// use fracas::{Finder, MeshTree};
/// let rest = shapes::icosphere(1.0, 4);
/// let share = |p: &DVec3| (p.x + 1.0) / 2.0;
/// let weights = rest.positions().iter().map(|p| {
///     [(0, 1.0 - share(p)), (1, share(p))].map(|(node, weight)| Influence { node, weight })
/// });
/// let skin = Skin::new(rest.clone(), 2, weights).unwrap();
/// let mut body = SkinnedBody::new(skin, &SkinOptions::default()).unwrap();
/// let wall = MeshTree::build(shapes::cuboid(DVec3::new(0.1, 4.0, 4.0)));
/// let beside = fracas::Pose::from_translation(DVec3::new(3.0, 0.0, 0.0)).unwrap();
/// let mut finder = Finder::default();
/// assert!(finder.find_pairs(&body, wall.at(&beside)).is_empty());
/// // One node stays, the other pulls the right half of the ball through the wall.
/// body.set_transforms(&[DAffine3::IDENTITY, DAffine3::from_translation(DVec3::X * 3.0)]).unwrap();
/// assert!(!finder.find_pairs(&body, wall.at(&beside)).is_empty());
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct SkinnedBody {
    pub(super) skin: Skin,
    pub(super) options: SkinOptions,
    pub(super) tree: Vec<Branch>,
    pub(super) ids: Vec<RowIds>,
    pub(super) families: Families,
    patches: Patches,
    pub(super) motion: Motion,
    /// Rest OBBs of all families, if the options ask for them.
    pub(super) oriented: Option<Vec<[OrientedBox; LANES]>>,
    /// Names the skin and its tree, whatever the transforms. A copy has the same.
    pub(super) identity: Stamp,
    stamp: Stamp,
}

/// A node of the tree: what is below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    children: [Child; LANES],
    count: u32,
    /// One bit for every child that is a leaf.
    leaves: u32,
}

impl From<&Node> for Branch {
    fn from(node: &Node) -> Self {
        let leaves = node.used().map(|(lane, child)| u32::from(child.is_leaf()) << lane).sum();
        Self { children: node.children, count: node.count, leaves }
    }
}

impl Branch {
    /// Used lanes with what they lead to.
    #[inline(always)]
    pub(super) fn used(&self) -> impl Iterator<Item = (usize, Child)> + '_ {
        self.children[..self.count as usize].iter().copied().enumerate()
    }

    pub(super) fn count(&self) -> usize {
        self.count as usize
    }

    fn has_leaves_alone(&self) -> bool {
        self.leaves + 1 == 1 << self.count
    }
}

impl SkinnedBody {
    /// A body at rest: the transforms of all nodes are the identity.
    ///
    /// # Errors
    /// A surface so large that not even the identity keeps it within finite numbers ([`Skin::check_transforms`]).
    ///
    /// # Cost
    /// That of building a tree, and one pass over all weights for each of its levels.
    pub fn new(skin: Skin, options: &SkinOptions) -> Result<Self, SkinError> {
        skin.check_transforms(&vec![DAffine3::IDENTITY; skin.node_count()])?;
        let build = BuildOptions { self_queries: false, ..BuildOptions::default() };
        let (tree, _, ids, mut rest) = MeshTree::build_with(skin.rest().clone(), &build).into_nodes();
        // The inverse of the scale must be finite.
        rest.scale = rest.scale.max(f64::MIN_POSITIVE * 16.0);
        let mut families = Families::build(&skin, &tree, &ids, rest, options.bound);
        let oriented = match options.rest_boxes {
            RestBoxes::Aabb => None,
            RestBoxes::Obb => Some(oriented_boxes(&skin, &tree, &families, rest)),
        };
        let patches = Patches::new(&skin, &tree, &mut families.leaf_vertices, ids.len());
        let tree = tree.iter().map(Branch::from).collect();
        let motion = Motion::new((&skin, &families), rest, oriented.as_deref(), options);
        let (identity, stamp) = (Stamp::new(), Stamp::new());
        Ok(Self { skin, options: *options, tree, ids, families, patches, motion, oriented, identity, stamp })
    }

    /// The surface at rest and its weights.
    pub fn skin(&self) -> &Skin {
        &self.skin
    }

    /// How the body bounds its parts.
    #[must_use]
    pub fn options(&self) -> &SkinOptions {
        &self.options
    }

    /// The transforms of all nodes.
    #[must_use]
    pub fn transforms(&self) -> &[DAffine3] {
        &self.motion.transforms
    }

    /// Moves all nodes.
    ///
    /// # Errors
    /// The wrong number of transforms, or the first that is not finite or sends the surface beyond all finite numbers. Nothing has
    /// then changed.
    ///
    /// # Cost
    /// Linear in the number of nodes, whatever the number of vertices. No allocation with [`Bound::Equation12`](super::Bound::Equation12).
    pub fn set_transforms(&mut self, transforms: &[DAffine3]) -> Result<(), SkinError> {
        self.skin.check_transforms(transforms)?;
        self.motion.set(transforms, &self.families, &self.options);
        self.stamp = Stamp::new();
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

    /// Where a vertex is. Panics if there is no such vertex.
    #[must_use]
    pub fn vertex(&self, vertex: usize) -> DVec3 {
        self.skin.vertex(vertex, &self.motion.transforms)
    }

    /// Evaluates all vertices, for those who draw the surface: the bits of [`SkinnedBody::vertex`], in about a third of the time. Queries do
    /// not need it.
    pub fn evaluate_into(&self, positions: &mut Vec<DVec3>) {
        let level = Level::new();
        dispatch!(level, simd => evaluate_all(simd, &self.skin, &self.motion.wide, positions));
    }

    /// Where a triangle is. Panics if there is no such triangle.
    pub fn triangle(&self, id: TriangleId) -> Triangle {
        Hierarchy::triangle(self, id.0)
    }

    /// The box around the body, in its own coordinates.
    pub(super) fn corners(&self) -> (DVec3, DVec3) {
        let (low, high) = self.motion.root;
        let unmap = |x: [f32; 3]| self.motion.frame.unmap(DVec3::from(x.map(f64::from)));
        (unmap(low), unmap(high))
    }

    /// Bytes of memory of the tree and of the weight intervals, without the skin.
    #[must_use]
    pub fn tree_bytes(&self) -> usize {
        size_of_val(&self.tree[..])
            + size_of_val(&self.ids[..])
            + size_of_val(&self.motion.columns[..])
            + self.families.bytes()
            + self.patches.bytes()
    }

    /// Writes the corners of the triangles of a leaf, given its distinct vertices in the frame.
    #[inline(always)]
    fn scatter(&self, leaf: usize, at: &[[f32; 3]; 3 * LANES], row: &mut Row) {
        let places = &self.families.corners[leaf];
        for corner in 0..3 {
            for lane in 0..LANES {
                let x = &at[places[corner][lane] as usize];
                for axis in 0..3 {
                    row.corners[corner][axis][lane] = x[axis];
                }
            }
        }
    }

    #[inline(always)]
    fn evaluate_row<S: Simd>(&self, simd: S, leaf: usize, row: &mut Row) {
        let mut at = [[0.0_f32; 3]; 3 * LANES];
        for (to, &number) in at.iter_mut().zip(self.families.leaf_vertices.list(leaf)) {
            *to = self.motion.frame.map(self.evaluate(simd, number));
        }
        self.scatter(leaf, &at, row);
    }

    #[inline(always)]
    fn evaluate_triangle<S: Simd>(&self, simd: S, vertices: [u32; 3]) -> Triangle {
        let [a, b, c] = vertices;
        let at = (&self.skin, &self.motion.wide[..]);
        Triangle::new(
            evaluate_one(simd, at.0, at.1, a),
            evaluate_one(simd, at.0, at.1, b),
            evaluate_one(simd, at.0, at.1, c),
        )
    }

    /// A vertex of a patch, given by its number.
    #[inline(always)]
    pub(super) fn evaluate<S: Simd>(&self, simd: S, number: u32) -> DVec3 {
        self.patches.at(simd, number as usize, &self.motion.wide)
    }

    /// Bounds of the children of a tree node, not padded.
    #[inline(always)]
    fn bounds_below<S: Simd>(&self, simd: S, place: usize) -> Boxes8 {
        let (family, members) = self.families.get(place);
        let Motion { columns, blocks, .. } = &self.motion;
        let how = (self.options.bound, self.motion.tolerance());
        if !family.sparse {
            return bound_family(simd, (family, members), (columns, *blocks), how);
        }
        let mut boxes = Boxes8::EMPTY;
        for lane in 0..family.count {
            let sides = bound_child(simd, (family, members), (lane, None), (columns, 0, *blocks), how);
            for axis in 0..3 {
                boxes.low[axis][lane] = -sides[BLOCK + axis];
                boxes.high[axis][lane] = sides[axis];
            }
        }
        boxes
    }

    /// Padded bounds of the children of a tree node, in all lanes.
    #[inline(always)]
    fn padded_bounds<S: Simd>(&self, simd: S, place: usize) -> Boxes8 {
        let Motion { unit, base_pad, root, .. } = &self.motion;
        let (family, _) = self.families.get(place);
        let mut boxes = Boxes8::EMPTY;
        if !self.motion.is_tame() {
            (0..family.count).for_each(|lane| boxes.set(lane, root.0, root.1));
            return boxes;
        }
        let bounds = self.bounds_below(simd, place);
        let pad = f32x8::load_array_ref(simd, &family.pads) * *unit + *base_pad;
        for axis in 0..3 {
            let low = f32x8::load_array_ref(simd, &bounds.low[axis]) - pad;
            let high = f32x8::load_array_ref(simd, &bounds.high[axis]) + pad;
            low.max(f32x8::splat(simd, root.0[axis])).store_array(&mut boxes.low[axis]);
            high.min(f32x8::splat(simd, root.1[axis])).store_array(&mut boxes.high[axis]);
        }
        boxes
    }

    /// Padded bounds of the children of a tree node by the formula, also where the walk has exact ones.
    pub(super) fn formula(&self, place: usize) -> Boxes8 {
        let level = Level::new();
        dispatch!(level, simd => self.padded_bounds(simd, place))
    }

    /// Makes a node, and evaluates the vertices of its patch.
    #[inline(always)]
    fn fill_node<S: Simd>(&self, simd: S, place: usize, node: &mut Node, points: &mut [DVec3]) {
        let branch = &self.tree[place];
        node.children = branch.children;
        node.count = branch.count;
        node.signs = [0; LANES];
        (node.nodes_end, node.leaves) = (0, [0; 2]);
        node.boxes = if branch.has_leaves_alone() { Boxes8::EMPTY } else { self.padded_bounds(simd, place) };
        let patch = self.patches.of_node(place);
        let start = patch.start as u32;
        for (to, number) in points.iter_mut().zip(patch) {
            *to = self.patches.at(simd, number, &self.motion.wide);
        }
        let frame = &self.motion.frame;
        for lane in bits(branch.leaves) {
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for &number in self.families.leaf_vertices.list(branch.children[lane].index()) {
                let p = points[(number - start) as usize];
                (low, high) = (low.min(p), high.max(p));
            }
            // The frame maps every axis in order, roundings included, so these are the least and largest corners of the row.
            node.boxes.set(lane, frame.map(low), frame.map(high));
        }
    }
}

impl Hierarchy for SkinnedBody {
    fn frame(&self) -> Frame {
        self.motion.frame
    }

    fn root_count(&self) -> usize {
        usize::from(!self.ids.is_empty())
    }

    fn root(&self, _: usize) -> (Child, Corners) {
        (Child::node(0), self.motion.root)
    }

    fn node<'s>(&'s self, place: usize, scratch: &'s mut Node) -> &'s Node {
        let mut points = [DVec3::ZERO; MOST_POINTS];
        self.open(place, scratch, &mut points[..self.patches.of_node(place).len()]);
        scratch
    }

    fn open(&self, place: usize, node: &mut Node, points: &mut [DVec3]) {
        let level = Level::new();
        dispatch!(level, simd => self.fill_node(simd, place, node, points));
    }

    fn points_per_place(&self) -> usize {
        self.patches.most()
    }

    fn has_points(&self, place: usize) -> bool {
        self.tree[place].leaves != 0
    }

    fn row_of_points(&self, place: usize, points: &[DVec3], row: &mut Row, ids: &mut RowIds) -> CornerPlaces {
        *ids = self.ids[place];
        let start = self.patches.start_of_leaf(place);
        let numbers = self.families.leaf_vertices.list(place);
        let mut at = [[0.0_f32; 3]; 3 * LANES];
        for (to, &number) in at.iter_mut().zip(numbers) {
            *to = self.motion.frame.map(points[(number - start) as usize]);
        }
        self.scatter(place, &at, row);
        self.families.corners[place].map(|lanes| lanes.map(|k| (numbers[k as usize] - start) as u8))
    }

    fn ids<'s>(&'s self, place: usize, _: &'s mut RowIds) -> &'s RowIds {
        &self.ids[place]
    }

    fn row(&self, place: usize, _: RowTwins, row: &mut Row, ids: &mut RowIds) {
        *ids = self.ids[place];
        let level = Level::new();
        dispatch!(level, simd => self.evaluate_row(simd, place, row));
    }

    fn triangle(&self, id: u32) -> Triangle {
        let vertices = self.skin.rest().triangles()[id as usize];
        let level = Level::new();
        dispatch!(level, simd => self.evaluate_triangle(simd, vertices))
    }

    fn vertices(&self, id: u32, _: bool) -> [u32; 3] {
        self.skin.rest().triangles()[id as usize]
    }

    fn vertex_count(&self) -> usize {
        self.skin.rest().vertex_count()
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn topology(&self) -> Stamp {
        self.identity
    }
}

impl<'a> From<&'a SkinnedBody> for View<'a> {
    fn from(body: &'a SkinnedBody) -> Self {
        body.view()
    }
}
