//! Refitting rows and boxes after vertices have moved, backwards through memory.
//!
//! Children are stored behind their parents, so one backward pass has finished every child before its parent reads
//! its box. With threads, the tree is cut into subtrees, each a contiguous run of nodes and of rows; the few
//! nodes above them follow at the end.

use super::MeshTree;
use crate::base::parallel;
use crate::geom::DVec3;
use crate::mesh::Mesh;
use crate::pairs::{Frame, LANES, Row, RowIds};
use crate::walk::{Corners, Node, Stamp, fits_frame, signs_of_row};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};

/// Subtrees with fewer leaves are refitted by one thread.
const SMALLEST_TASK: usize = 512;

impl MeshTree {
    /// Brings rows and boxes up to date with the mesh's present positions. [`MeshTree::set_positions`] does this
    /// already; on its own it is for measuring.
    pub fn refit(&mut self, parallel: bool) {
        self.stamp = Stamp::new();
        self.refit_in_frame(parallel);
        // A body that left its frame, or shrank in it, gets a new one; then one more pass is due.
        let Some(root) = self.nodes.first() else { return };
        if !fits_frame(root.bounds(), 0.125) {
            let (low, high) = self.mesh.bounds_with(parallel).corners();
            let frame = Frame::around(low, high);
            if frame != self.frame {
                self.frame = frame;
                self.refit_in_frame(parallel);
            }
        }
    }

    fn refit_in_frame(&mut self, parallel: bool) {
        let Self { mesh, frame, nodes, rows, ids, contours, .. } = self;
        let job = Job { positions: mesh.positions(), frame: *frame, signs: contours.is_some(), fill: true };
        job.refit_all(nodes, rows, ids, parallel);
    }

    /// Fits the boxes around rows that are up to date.
    pub(super) fn fit_boxes(&mut self, parallel: bool) {
        let Self { mesh, frame, nodes, rows, ids, contours, .. } = self;
        let job = Job { positions: mesh.positions(), frame: *frame, signs: contours.is_some(), fill: false };
        job.refit_all(nodes, rows, ids, parallel);
    }

    /// A tree with nodes that another structure has kept, fitted to where the mesh is now. Self-queries are as right, but slower.
    pub(crate) fn from_nodes(mesh: Mesh, nodes: Vec<Node>, ids: Vec<RowIds>, frame: Frame) -> Self {
        let rows = vec![Row::ZERO; ids.len()];
        let (stamp, topology) = (Stamp::new(), Stamp::new());
        let mut tree = Self { mesh, stamp, topology, frame, nodes, rows, ids, contours: None };
        tree.refit(true);
        tree
    }

    /// Takes the tree apart: its nodes, rows and ids, and its frame.
    pub(crate) fn into_nodes(self) -> (Vec<Node>, Vec<Row>, Vec<RowIds>, Frame) {
        (self.nodes, self.rows, self.ids, self.frame)
    }
}

/// Fills the rows of a tree's leaves and fits its boxes around them, for other structures over the same nodes.
pub(crate) fn refit_nodes(
    (nodes, rows, ids): (&mut [Node], &mut [Row], &[RowIds]),
    positions: &[DVec3],
    frame: Frame,
    parallel: bool,
) {
    Job { positions, frame, signs: false, fill: true }.refit_all(nodes, rows, ids, parallel);
}

/// A contiguous part of the tree: whole subtrees.
struct Run<'a> {
    nodes: &'a mut [Node],
    rows: &'a mut [Row],
    ids: &'a [RowIds],
    first_node: u32,
    first_leaf: u32,
}

/// What every part of a refit needs to know.
struct Job<'a> {
    positions: &'a [DVec3],
    frame: Frame,
    /// Whether the directions of normals are noted.
    signs: bool,
    /// Whether rows are filled, too.
    fill: bool,
}

impl Job<'_> {
    fn refit_all(&self, nodes: &mut [Node], rows: &mut [Row], ids: &[RowIds], parallel: bool) {
        let threads = parallel::threads(parallel);
        let most_leaves = (rows.len() / (8 * threads)).max(SMALLEST_TASK);
        let whole = Run { nodes, rows, ids, first_node: 0, first_leaf: 0 };
        if threads > 1 && whole.rows.len() > 2 * SMALLEST_TASK {
            self.refit_side_by_side(whole, most_leaves as u32);
        } else {
            self.refit(whole);
        }
    }

    /// Cuts the tree into subtrees of at most this many leaves, refits them on all threads, then the nodes above.
    fn refit_side_by_side(&self, mut whole: Run, most_leaves: u32) {
        // Roots of subtrees small enough, in order; everything in between stays for the end.
        let mut runs = Vec::new();
        let mut above = Vec::new();
        let (mut nodes, mut rows) = (&mut *whole.nodes, &mut *whole.rows);
        let (mut node, mut leaf) = (0, 0);
        while let Some(&Node { nodes_end, leaves: [from, to], .. }) = nodes.first() {
            if to - from > most_leaves {
                above.push(node);
                nodes = &mut nodes[1..];
                node += 1;
                continue;
            }
            let (run_nodes, later) = nodes.split_at_mut((nodes_end - node) as usize);
            nodes = later;
            let (_, later) = rows.split_at_mut((from - leaf) as usize);
            let (run_rows, later) = later.split_at_mut((to - from) as usize);
            rows = later;
            let ids = &whole.ids[from as usize..to as usize];
            runs.push(Run { nodes: run_nodes, rows: run_rows, ids, first_node: node, first_leaf: from });
            (node, leaf) = (nodes_end, to);
        }
        parallel::for_each(true, runs.into_iter(), |run| self.refit(run));
        let level = Level::new();
        for &index in above.iter().rev() {
            dispatch!(level, simd => self.refit_node(simd, &mut whole, index as usize));
        }
    }

    fn refit(&self, mut run: Run) {
        let level = Level::new();
        dispatch!(level, simd => self.refit_run(simd, &mut run));
    }

    #[inline(always)]
    fn refit_run<S: Simd>(&self, simd: S, run: &mut Run) {
        for index in (0..run.nodes.len()).rev() {
            self.refit_node(simd, run, index);
        }
    }

    /// Refits one node whose child nodes are up to date, its leaves included.
    #[inline(always)]
    fn refit_node<S: Simd>(&self, simd: S, run: &mut Run, index: usize) {
        let (before, after) = run.nodes.split_at_mut(index + 1);
        let node = &mut before[index];
        for lane in 0..node.count as usize {
            let child = node.children[lane];
            let (low, high, signs) = if child.is_leaf() {
                let leaf = child.index() - run.first_leaf as usize;
                let row = &mut run.rows[leaf];
                if self.fill {
                    fill_row(self.positions, &self.frame, row, &run.ids[leaf]);
                }
                let signs = if self.signs { signs_of_row(simd, row, Frame::SLACK) } else { 0 };
                let (low, high) = row_box(simd, row);
                (low, high, signs)
            } else {
                let child = &after[child.index() - run.first_node as usize - index - 1];
                let (low, high) = child.boxes.bounds(simd);
                (low, high, child.common_signs())
            };
            node.boxes.set(lane, low, high);
            node.signs[lane] = signs;
        }
    }
}

/// The corners of the triangles of a leaf in frame coordinates.
pub(super) fn filled_row(positions: &[DVec3], frame: &Frame, ids: &RowIds) -> Row {
    let mut row = Row::ZERO;
    fill_row(positions, frame, &mut row, ids);
    row
}

#[inline(always)]
fn fill_row(positions: &[DVec3], frame: &Frame, row: &mut Row, ids: &RowIds) {
    for corner in 0..3 {
        for lane in 0..LANES {
            let x = frame.map(positions[ids.vertices[corner][lane] as usize]);
            for axis in 0..3 {
                row.corners[corner][axis][lane] = x[axis];
            }
        }
    }
}

/// The box of a row, widened so that it holds the exact triangles.
#[inline(always)]
pub(crate) fn row_box<S: Simd>(simd: S, row: &Row) -> Corners {
    // Slack for the stored coordinates, and as much again for the rounding of the widened box itself.
    let pad = 2.0 * Frame::SLACK;
    let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
    for axis in 0..3 {
        let a = f32x8::load_array_ref(simd, &row.corners[0][axis]);
        let b = f32x8::load_array_ref(simd, &row.corners[1][axis]);
        let c = f32x8::load_array_ref(simd, &row.corners[2][axis]);
        low[axis] = a.min(b).min(c).reduce_min() - pad;
        high[axis] = a.max(b).max(c).reduce_max() + pad;
    }
    (low, high)
}
