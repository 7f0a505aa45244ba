//! Bodies whose positions are simply given, frame by frame: no keys, any deformation.
//!
//! # Idea
//!
//! A refit computes every box, though a query with few contacts looks at a few of them. Here the tree is cut into *blocks*: subtrees of
//! at most [`BLOCK`] leaves. When positions change, one pass over the vertices of each block gives its box, and the few nodes above
//! the blocks are refitted. A vertex is read once per block that names it, about once in all, and not six times. Boxes and rows
//! inside a block are computed when a query asks for them.
//!
//! ```text
//!            ┌── node ──┐            above the blocks: refitted at every change
//!         node          node
//!        ┌──┴──┐      ┌──┴──┐
//!      block block  block block      box: lowest and highest coordinates of the vertices of the block
//!       ···   ···    ···   ···       inside: computed on demand
//! ```
//!
//! # Invariants
//!
//! The box of a block is exactly the box around the boxes of its leaves, rounding included: all of them come from the same vertices by
//! the same monotone operations.
//!
//! # When to use something else
//!
//! A query that visits most of the body computes most of its boxes, some several times: [`MeshTree`] is faster then. Where positions at
//! later keys are known, [`super::KineticBody`] needs no pass over the vertices at all.

use crate::base::{Lists, parallel};
use crate::geom::{DVec3, LANES, Pose, Triangle};
use crate::mesh::{Mesh, MeshError, TriangleId, check_finite};
use crate::pairs::{Frame, Row, RowIds};
use crate::tree::{BuildOptions, MeshTree, row_box};
use crate::walk::{Child, Corners, Hierarchy, Node, RowTwins, Stamp, View, fits_frame};
use fearless_simd::{Level, dispatch};

/// Most leaves of a block.
const BLOCK: u32 = 128;

/// Blocks of one task.
const CHUNK: usize = 32;

/// Boxes are this much larger than the stored coordinates, as those of all rows.
const PAD: f32 = 2.0 * Frame::SLACK;

/// A surface whose vertices are moved from outside, with boxes that are computed where a query needs them.
///
/// ```
/// use fracas::kinetic::DrivenBody;
/// use fracas::{Finder, MeshTree, geom::DVec3, mesh::shapes};
/// let ball = shapes::icosphere(1.0, 4);
/// let mut body = DrivenBody::new(ball.clone());
/// let wall = MeshTree::build(shapes::cuboid(DVec3::new(0.1, 4.0, 4.0)));
/// let mut finder = Finder::default();
/// let mut hits = 0;
/// for frame in 0..=10 {
///     let x = f64::from(frame) * 0.6 - 3.0;
///     let moved: Vec<DVec3> = ball.positions().iter().map(|p| *p + DVec3::X * x).collect();
///     body.set_positions(&moved).unwrap();
///     hits += usize::from(!finder.find_pairs(&body, &wall).is_empty());
/// }
/// assert_eq!(hits, 3);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct DrivenBody {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    frame: Frame,
    /// Of nodes inside blocks only the children are meant.
    nodes: Vec<Node>,
    ids: Vec<RowIds>,
    /// Nodes above the blocks, ascending.
    above: Vec<u32>,
    /// The node of each block, ascending; the vertices that it names, and the box around them, and the same for leaves outside of
    /// blocks.
    blocks: Vec<u32>,
    vertices: Lists<u32>,
    /// By node: the vertices that a node inside a block names; none for others.
    inside: Lists<u32>,
    boxes: Vec<[DVec3; 2]>,
    stamp: Stamp,
}

impl DrivenBody {
    /// A body of the triangles of a mesh.
    ///
    /// # Cost
    /// That of building a tree.
    pub fn new(mesh: Mesh) -> Self {
        let options = BuildOptions { self_queries: false, ..BuildOptions::default() };
        Self::from_tree(MeshTree::build_with(mesh, &options))
    }

    /// The same body with less work for each change: its tree is taken over, boxes inside blocks are not kept.
    ///
    /// # Cost
    /// A pass over the triangles: about that of a few refits.
    pub fn from_tree(tree: MeshTree) -> Self {
        let (positions, triangles) = (tree.mesh().positions().to_vec(), tree.mesh().triangles().to_vec());
        let (nodes, _, ids, frame) = tree.into_nodes();
        let (mut above, mut blocks) = (vec![], vec![]);
        let mut node = 0;
        while let Some(&Node { nodes_end, leaves: [from, to], .. }) = nodes.get(node as usize) {
            if to - from <= BLOCK {
                blocks.push(node);
                node = nodes_end;
            } else {
                above.push(node);
                node += 1;
            }
        }
        let mut vertices = Lists::default();
        for &block in &blocks {
            vertices.append(|items| items.extend(named_by(&ids, nodes[block as usize].leaves)));
        }
        // The same for each node inside a block.
        let mut inside = Lists::default();
        let mut next = blocks.iter().peekable();
        let mut block_end = 0;
        for (index, node) in (0..).zip(&nodes) {
            let begins = next.next_if_eq(&&index).is_some();
            if begins {
                block_end = node.nodes_end;
            }
            let is_inside = !begins && index < block_end;
            let named = if is_inside { named_by(&ids, node.leaves) } else { vec![] };
            inside.append(|items| items.extend(named));
        }
        // A leaf right below a node above the blocks belongs to none of them. All such leaves count as one more block for the frame.
        let is_stray = |child: &Child| child.is_leaf();
        let stray = above
            .iter()
            .flat_map(|&node| nodes[node as usize].used().map(|(_, child)| child))
            .filter(is_stray);
        vertices.append(|items| {
            items.extend(stray.flat_map(|leaf| ids[leaf.index()].vertices.into_iter().flatten()));
        });
        let boxes = vec![[DVec3::ZERO; 2]; blocks.len() + 1];
        let stamp = Stamp::new();
        let mut body =
            Self { positions, triangles, frame, nodes, ids, above, blocks, vertices, inside, boxes, stamp };
        body.fit();
        body
    }

    /// The same body with all its boxes: what [`DrivenBody::from_tree`] was made from, where it is now.
    ///
    /// ```
    /// use fracas::{MeshTree, kinetic::DrivenBody, mesh::shapes};
    /// let tree = MeshTree::build(shapes::icosphere(1.0, 3));
    /// let again = DrivenBody::from_tree(tree.clone()).into_tree();
    /// assert_eq!((again.quality(), again.mesh()), (tree.quality(), tree.mesh()));
    /// ```
    ///
    /// # Cost
    /// That of a refit.
    #[must_use]
    pub fn into_tree(self) -> MeshTree {
        let mesh = Mesh::new(self.positions, self.triangles).expect("positions that were checked");
        MeshTree::from_nodes(mesh, self.nodes, self.ids, self.frame)
    }

    /// The triangles, by the indices of their vertices.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The positions of all vertices.
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Moves every vertex.
    ///
    /// # Errors
    /// A wrong number of positions, or the first one that is not finite. Nothing has then changed.
    ///
    /// # Cost
    /// A copy, and [`DrivenBody::swap_positions`].
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<(), MeshError> {
        self.check(positions)?;
        self.positions.copy_from_slice(positions);
        self.fit();
        Ok(())
    }

    /// Moves every vertex without a copy: the list gets the positions before.
    ///
    /// # Errors
    /// As [`DrivenBody::set_positions`].
    ///
    /// # Cost
    /// A pass over all vertices. No allocation on one thread.
    pub fn swap_positions(&mut self, positions: &mut Vec<DVec3>) -> Result<(), MeshError> {
        self.check(positions)?;
        std::mem::swap(&mut self.positions, positions);
        self.fit();
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

    fn check(&self, positions: &[DVec3]) -> Result<(), MeshError> {
        let (expected, given) = (self.positions.len(), positions.len());
        if expected != given {
            return Err(MeshError::WrongVertexCount { expected, given });
        }
        check_finite(positions)
    }

    /// Computes the boxes of blocks and of the nodes above them.
    fn fit(&mut self) {
        self.stamp = Stamp::new();
        let Self { positions, vertices, boxes, blocks, .. } = self;
        if blocks.is_empty() {
            return;
        }
        let chunks = boxes.chunks_mut(CHUNK).enumerate();
        parallel::for_each(blocks.len() > 2 * CHUNK, chunks, |(chunk, boxes)| {
            for (k, corners) in boxes.iter_mut().enumerate() {
                *corners = box_of(positions, vertices.list(chunk * CHUNK + k));
            }
        });
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for [l, h] in &*boxes {
            (low, high) = (low.min(*l), high.max(*h));
        }
        // A body that left its frame, or shrank in it, gets a new one.
        if !fits_frame((self.frame.map(low), self.frame.map(high)), 0.125) {
            self.frame = Frame::around(low, high);
        }
        self.fit_above();
    }

    /// Sets the boxes that lead to blocks, then those above them.
    fn fit_above(&mut self) {
        for k in (0..self.above.len()).rev() {
            let index = self.above[k] as usize;
            for lane in 0..self.nodes[index].count as usize {
                let child = self.nodes[index].children[lane];
                let (low, high) = if child.is_leaf() {
                    self.box_of_leaf(child.index())
                } else {
                    match self.blocks.binary_search(&(child.index() as u32)) {
                        Ok(block) => padded(self.frame, &self.boxes[block]),
                        Err(_) => self.nodes[child.index()].bounds(),
                    }
                };
                self.nodes[index].boxes.set(lane, low, high);
            }
        }
    }

    /// Fills the row of a leaf.
    fn fill(&self, leaf: usize, row: &mut Row) {
        let ids = &self.ids[leaf];
        for corner in 0..3 {
            for lane in 0..LANES {
                let x = self.frame.map(self.positions[ids.vertices[corner][lane] as usize]);
                (0..3).for_each(|axis| row.corners[corner][axis][lane] = x[axis]);
            }
        }
    }

    fn box_of_leaf(&self, leaf: usize) -> Corners {
        let mut row = Row::ZERO;
        self.fill(leaf, &mut row);
        let level = Level::new();
        dispatch!(level, simd => row_box(simd, &row))
    }
}

/// The vertices that some leaves name, each once, ascending.
fn named_by(ids: &[RowIds], [from, to]: [u32; 2]) -> Vec<u32> {
    let leaves = ids[from as usize..to as usize].iter();
    let mut named: Vec<u32> = leaves.flat_map(|ids| ids.vertices.into_iter().flatten()).collect();
    named.sort_unstable();
    named.dedup();
    named
}

/// The box around some vertices.
fn box_of(positions: &[DVec3], vertices: &[u32]) -> [DVec3; 2] {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for &vertex in vertices {
        let p = positions[vertex as usize].to_array();
        for axis in 0..3 {
            // One instruction each, since positions are numbers.
            low[axis] = if p[axis] < low[axis] { p[axis] } else { low[axis] };
            high[axis] = if p[axis] > high[axis] { p[axis] } else { high[axis] };
        }
    }
    [low.into(), high.into()]
}

/// A box in frame coordinates.
fn padded(frame: Frame, [low, high]: &[DVec3; 2]) -> Corners {
    (frame.map(*low).map(|x| x - PAD), frame.map(*high).map(|x| x + PAD))
}

impl Hierarchy for DrivenBody {
    fn frame(&self) -> Frame {
        self.frame
    }

    fn root_count(&self) -> usize {
        usize::from(!self.nodes.is_empty())
    }

    fn root(&self, _: usize) -> (Child, Corners) {
        let corners =
            if self.above.is_empty() { padded(self.frame, &self.boxes[0]) } else { self.nodes[0].bounds() };
        (Child::node(0), corners)
    }

    fn node<'s>(&'s self, place: usize, scratch: &'s mut Node) -> &'s Node {
        if self.above.binary_search(&(place as u32)).is_ok() {
            return &self.nodes[place];
        }
        *scratch = self.nodes[place];
        for lane in 0..scratch.count as usize {
            let child = scratch.children[lane];
            let (low, high) = if child.is_leaf() {
                self.box_of_leaf(child.index())
            } else {
                padded(self.frame, &box_of(&self.positions, self.inside.list(child.index())))
            };
            scratch.boxes.set(lane, low, high);
        }
        scratch
    }

    fn ids<'s>(&'s self, place: usize, _: &'s mut RowIds) -> &'s RowIds {
        &self.ids[place]
    }

    fn row(&self, place: usize, _: RowTwins, row: &mut Row, ids: &mut RowIds) {
        *ids = self.ids[place];
        self.fill(place, row);
    }

    fn triangle(&self, id: u32) -> Triangle {
        let [a, b, c] = self.triangles[id as usize].map(|vertex| self.positions[vertex as usize]);
        Triangle::new(a, b, c)
    }

    fn vertices(&self, id: u32, _: bool) -> [u32; 3] {
        self.triangles[id as usize]
    }

    fn positions(&self) -> Option<&[DVec3]> {
        Some(&self.positions)
    }

    fn triangles(&self) -> Option<&[[u32; 3]]> {
        Some(&self.triangles)
    }

    fn stamp(&self) -> Stamp {
        self.stamp
    }
}

impl<'a> From<&'a DrivenBody> for View<'a> {
    fn from(body: &'a DrivenBody) -> Self {
        body.view()
    }
}

impl DrivenBody {
    /// A triangle as it stands now. Panics if there is no such triangle.
    pub fn triangle(&self, id: TriangleId) -> Triangle {
        Hierarchy::triangle(self, id.0)
    }
}
