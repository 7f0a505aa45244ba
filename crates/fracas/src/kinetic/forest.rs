//! The nodes and leaves of a kinetic body at both ends of its interval, and the edits that keep them in step.
//!
//! Nearly all triangles are in one tree. Triangles that came later are *loose*: a small tree beside the first one, which is
//! rebuilt with every insertion, until there are so many that the whole forest is rebuilt. Both trees lie in the same lists.
//!
//! ```text
//!   nodes   0 ─ main tree ─ m | m+1 ─ loose tree        leaves   0 ─ main ─ k | k+1 ─ loose
//! ```
//!
//! A removed triangle leaves its row; the last triangle of the row takes its lane. An empty leaf or node leaves its parent in the
//! same way. Its place in the lists stays empty until the next rebuild.
//!
//! # Invariants
//!
//! Both ends have the same children in the same lanes. A node or leaf that is there is in the lane that its entry in `node_parents` or
//! `leaf_parents` names. Used lanes come first, and no reachable leaf or node is empty.

use crate::base::Lists;
use crate::geom::{DVec3, LANES};
use crate::mesh::Mesh;
use crate::pairs::{Frame, Row, RowIds};
use crate::tree::{BuildOptions, MeshTree, refit_nodes, row_box};
use crate::walk::{Child, Corners, Node, box_around};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

/// In place of a lane: a root has no parent. In place of a leaf: the triangle is not there.
const NONE: u32 = u32::MAX;

/// Boxes and corners at one end of the interval.
#[derive(Clone, Debug, Default)]
pub(super) struct End {
    pub(super) nodes: Vec<Node>,
    pub(super) rows: Vec<Row>,
}

/// See the head of the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    pub(super) ends: [End; 2],
    pub(super) ids: Vec<RowIds>,
    /// Roots of trees that are not empty.
    pub(super) roots: Vec<u32>,
    /// Nodes and leaves of the main tree, and how many triangles it was built of.
    main: [usize; 3],
    /// The lane that leads to each node and to each leaf: eight times the node, and the lane.
    node_parents: Vec<u32>,
    leaf_parents: Vec<u32>,
    /// By triangle.
    leaf_of: Vec<u32>,
    /// Leaves of the main tree by vertex; vertices and leaves of the loose tree, sorted.
    leaves_of_vertex: Lists<u32>,
    main_vertices: usize,
    loose_leaves: Vec<(u32, u32)>,
    loose: Vec<u32>,
    living: usize,
    /// Leaves and nodes whose boxes have to be fitted; nodes are marked with the number of the present change.
    dirty_leaves: Vec<u32>,
    dirty_nodes: Vec<u32>,
    marks: Vec<u32>,
    change: u32,
}

impl Forest {
    /// Whether a triangle is there.
    pub(super) fn has(&self, triangle: usize) -> bool {
        self.leaf_of.get(triangle).is_some_and(|&leaf| leaf != NONE)
    }

    /// The box around everything at one end.
    pub(super) fn bounds(&self, end: usize) -> Option<Corners> {
        box_around(self.roots.iter().map(|&root| self.ends[end].nodes[root as usize].bounds()))
    }

    /// Fits all boxes of one end around these positions.
    pub(super) fn refit(&mut self, end: usize, positions: &[DVec3], frame: Frame) {
        let End { nodes, rows } = &mut self.ends[end];
        refit_nodes((nodes, rows, &self.ids), positions, frame, true);
    }

    /// Rebuilds the forest as one tree over all triangles that are there; boxes must be fitted then. Triangles that the
    /// forest has not seen yet are there.
    pub(super) fn rebuild(&mut self, triangles: &[[u32; 3]], positions: Vec<DVec3>) {
        self.leaf_of.resize(triangles.len(), 0);
        let living: Vec<u32> =
            (0..triangles.len() as u32).filter(|&t| self.leaf_of[t as usize] != NONE).collect();
        let vertices = positions.len();
        let corners = living.iter().map(|&t| triangles[t as usize]).collect();
        self.cut([0; 3]);
        self.loose.clear();
        self.dirty_leaves.clear();
        self.dirty_nodes.clear();
        self.graft(corners, positions, &living, |vertex| vertex);
        self.living = living.len();
        self.main = [self.ends[0].nodes.len(), self.ids.len(), living.len()];
        self.leaves_of_vertex = Lists::from_pairs(vertices, named(&self.ids, 0).into_iter());
        self.main_vertices = vertices;
        self.loose_leaves.clear();
    }

    /// Adds triangles that follow all others to the loose tree; the boxes of their vertices must be fitted then. Returns false, and
    /// has changed nothing, if the whole forest should be rebuilt instead.
    pub(super) fn insert(&mut self, triangles: &[[u32; 3]], position: impl Fn(u32) -> DVec3) -> bool {
        let first = self.leaf_of.len();
        if self.loose.len() + triangles.len() - first > 64.max(self.main[2] / 16) {
            return false;
        }
        self.living += triangles.len() - first;
        self.loose.extend(first as u32..triangles.len() as u32);
        self.leaf_of.resize(triangles.len(), NONE);
        let loose = std::mem::take(&mut self.loose);
        let corners: Vec<[u32; 3]> = loose.iter().map(|&t| triangles[t as usize]).collect();
        let mut used: Vec<u32> = corners.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let local = |v: u32| used.binary_search(&v).expect("a vertex of the list") as u32;
        let corners = corners.iter().map(|corners| corners.map(local)).collect();
        self.cut(self.main);
        let positions = used.iter().map(|&vertex| position(vertex)).collect();
        self.graft(corners, positions, &loose, |vertex| used[vertex as usize]);
        self.loose = loose;
        self.loose_leaves = named(&self.ids, self.main[1]);
        self.loose_leaves.sort_unstable();
        true
    }

    /// Vertices of the loose tree, sorted.
    pub(super) fn loose_vertices(&self) -> Vec<u32> {
        let mut vertices: Vec<u32> = self.loose_leaves.iter().map(|pair| pair.0).collect();
        vertices.dedup();
        vertices
    }

    /// Removes a triangle that is there. [`Forest::fit`] must follow.
    pub(super) fn remove(&mut self, triangle: u32) {
        let leaf = std::mem::replace(&mut self.leaf_of[triangle as usize], NONE);
        self.living -= 1;
        if leaf as usize >= self.main[1] {
            self.loose.retain(|&t| t != triangle);
        }
        let ids = &mut self.ids[leaf as usize];
        let used = ids.triangle_ids().count();
        let Some(lane) = ids.triangles.iter().position(|&t| t == triangle) else {
            unreachable!("in its leaf")
        };
        ids.triangles[lane] = ids.triangles[used - 1];
        ids.triangles[used - 1] = RowIds::NONE;
        // The last triangle moves to the free lane; unused lanes repeat the first one.
        for (to, from) in std::iter::once((lane, used - 1)).chain((used - 1..LANES).map(|lane| (lane, 0))) {
            for corner in 0..3 {
                ids.vertices[corner][to] = ids.vertices[corner][from];
                for end in &mut self.ends {
                    let corners = &mut end.rows[leaf as usize].corners[corner];
                    (0..3).for_each(|axis| corners[axis][to] = corners[axis][from]);
                }
            }
        }
        if used > 1 {
            self.dirty_leaves.push(leaf);
        } else {
            self.unlink(self.leaf_parents[leaf as usize]);
        }
    }

    /// Whether so many triangles have gone that the forest should be rebuilt.
    pub(super) fn is_sparse(&self) -> bool {
        2 * (self.living - self.loose.len()) < self.main[2]
    }

    /// Writes where a vertex is at both ends, in frame coordinates. [`Forest::fit`] must follow.
    pub(super) fn set_vertex(&mut self, vertex: u32, at: [[f32; 3]; 2]) {
        let is_old = (vertex as usize) < self.main_vertices;
        let main = if is_old { self.leaves_of_vertex.list(vertex as usize) } else { &[] };
        let first = self.loose_leaves.partition_point(|pair| pair.0 < vertex);
        let loose = self.loose_leaves[first..].iter().take_while(|pair| pair.0 == vertex);
        for leaf in main.iter().copied().chain(loose.map(|pair| pair.1)) {
            let ids = &self.ids[leaf as usize];
            for (end, x) in self.ends.iter_mut().zip(&at) {
                let row = &mut end.rows[leaf as usize];
                for corner in 0..3 {
                    for lane in 0..LANES {
                        if ids.vertices[corner][lane] == vertex {
                            (0..3).for_each(|axis| row.corners[corner][axis][lane] = x[axis]);
                        }
                    }
                }
            }
            self.dirty_leaves.push(leaf);
        }
    }

    /// Fits the boxes above everything that was changed.
    pub(super) fn fit(&mut self) {
        self.change = self.change.wrapping_add(1);
        if self.change == 0 {
            self.marks.fill(0);
            self.change = 1;
        }
        let Self { dirty_leaves, dirty_nodes, .. } = self;
        dirty_leaves.sort_unstable();
        dirty_leaves.dedup();
        // A leaf that has become empty has no box, and no node leads to it.
        dirty_leaves.retain(|&leaf| self.ids[leaf as usize].triangles[0] != RowIds::NONE);
        let above = dirty_leaves.iter().map(|&leaf| self.leaf_parents[leaf as usize] / 8);
        let mut seeds = std::mem::take(dirty_nodes);
        seeds.extend(above);
        for seed in seeds.drain(..) {
            let mut node = seed;
            while self.marks[node as usize] != self.change {
                self.marks[node as usize] = self.change;
                self.dirty_nodes.push(node);
                if self.node_parents[node as usize] == NONE {
                    break;
                }
                node = self.node_parents[node as usize] / 8;
            }
        }
        // Children come behind their parents.
        self.dirty_nodes.sort_unstable_by(|a, b| b.cmp(a));
        let level = Level::new();
        dispatch!(level, simd => self.fit_dirty(simd));
        self.dirty_leaves.clear();
        self.dirty_nodes.clear();
    }

    #[inline(always)]
    fn fit_dirty<S: Simd>(&mut self, simd: S) {
        let Self { ends, dirty_leaves, dirty_nodes, leaf_parents, node_parents, .. } = self;
        for End { nodes, rows } in ends {
            for &leaf in dirty_leaves.iter() {
                let (low, high) = row_box(simd, &rows[leaf as usize]);
                let lane = leaf_parents[leaf as usize];
                nodes[lane as usize / 8].boxes.set(lane as usize % 8, low, high);
            }
            for &node in dirty_nodes.iter() {
                let lane = node_parents[node as usize];
                if lane != NONE && nodes[node as usize].count > 0 {
                    let (low, high) = nodes[node as usize].boxes.bounds(simd);
                    nodes[lane as usize / 8].boxes.set(lane as usize % 8, low, high);
                }
            }
        }
    }

    /// Takes what a lane leads to out of its node; the last lane takes its place. A node that becomes empty goes the same way.
    fn unlink(&mut self, lane: u32) {
        let (node, lane) = (lane as usize / 8, lane as usize % 8);
        let last = self.ends[0].nodes[node].count as usize - 1;
        for end in &mut self.ends {
            let node = &mut end.nodes[node];
            let (low, high) = node.boxes.lane(last);
            node.boxes.set(lane, low, high);
            node.boxes.set(last, [f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
            node.children[lane] = node.children[last];
            node.children[last] = Child::NONE;
            node.count -= 1;
        }
        if lane < last {
            let moved = self.ends[0].nodes[node].children[lane];
            self.set_parent(moved, node, lane);
        }
        if last > 0 {
            self.dirty_nodes.push(node as u32);
        } else if self.node_parents[node] == NONE {
            self.roots.retain(|&root| root as usize != node);
        } else {
            self.unlink(self.node_parents[node]);
        }
    }

    fn set_parent(&mut self, child: Child, node: usize, lane: usize) {
        let parents = if child.is_leaf() { &mut self.leaf_parents } else { &mut self.node_parents };
        parents[child.index()] = (node * 8 + lane) as u32;
    }

    /// Drops all nodes and leaves behind the first ones.
    fn cut(&mut self, [nodes, leaves, _]: [usize; 3]) {
        for end in &mut self.ends {
            end.nodes.truncate(nodes);
            end.rows.truncate(leaves);
        }
        self.ids.truncate(leaves);
        self.node_parents.truncate(nodes);
        self.leaf_parents.truncate(leaves);
        self.marks.truncate(nodes);
        self.roots.retain(|&root| (root as usize) < nodes);
    }

    /// Builds a tree of triangles and puts it behind the others. `names` and `vertex` give triangles and vertices their names here.
    fn graft(
        &mut self,
        triangles: Vec<[u32; 3]>,
        positions: Vec<DVec3>,
        names: &[u32],
        vertex: impl Fn(u32) -> u32,
    ) {
        let mesh =
            Mesh::new(positions, triangles).expect("finite positions, and triangles that were checked");
        let options = BuildOptions { self_queries: false, ..BuildOptions::default() };
        let (mut nodes, rows, mut ids, _) = MeshTree::build_with(mesh, &options).into_nodes();
        let (first_node, first_leaf) = (self.ends[0].nodes.len(), self.ids.len());
        for node in &mut nodes {
            node.nodes_end += first_node as u32;
            node.leaves = node.leaves.map(|leaf| leaf + first_leaf as u32);
            for child in &mut node.children[..node.count as usize] {
                *child = if child.is_leaf() {
                    Child::leaf(child.index() + first_leaf)
                } else {
                    Child::node(child.index() + first_node)
                };
            }
        }
        for (leaf, ids) in (first_leaf as u32..).zip(&mut ids) {
            ids.vertices.iter_mut().flatten().for_each(|v| *v = vertex(*v));
            for triangle in ids.triangles.iter_mut().filter(|triangle| **triangle != RowIds::NONE) {
                *triangle = names[*triangle as usize];
                self.leaf_of[*triangle as usize] = leaf;
            }
        }
        self.node_parents.resize(first_node + nodes.len(), NONE);
        self.leaf_parents.resize(first_leaf + rows.len(), NONE);
        self.marks.resize(first_node + nodes.len(), self.change);
        for (index, node) in nodes.iter().enumerate() {
            node.used().for_each(|(lane, child)| self.set_parent(child, first_node + index, lane));
        }
        if !nodes.is_empty() {
            self.roots.push(first_node as u32);
        }
        self.ids.append(&mut ids);
        for end in &mut self.ends {
            end.nodes.extend_from_slice(&nodes);
            end.rows.extend_from_slice(&rows);
        }
    }
}

/// Vertices with the leaves that name them, each pair once, from a leaf on.
fn named(ids: &[RowIds], first: usize) -> Vec<(u32, u32)> {
    let mut pairs = vec![];
    for (leaf, ids) in ids.iter().enumerate().skip(first) {
        let mut vertices = ids.vertices;
        let vertices = vertices.as_flattened_mut();
        vertices.sort_unstable();
        let is_first = |k: &usize| *k == 0 || vertices[*k] != vertices[*k - 1];
        pairs.extend((0..vertices.len()).filter(is_first).map(|k| (vertices[k], leaf as u32)));
    }
    pairs
}
