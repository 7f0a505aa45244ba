//! A body during a step, as the walk reads it: boxes around the ways of its vertices, triangles and nodes.
//!
//! Boxes are `f32` in one frame for both bodies of a query. Rounding to frame coordinates is monotone, so boxes that share
//! a point before rounding share one after it, and nothing needs a margin.

use super::{Course, Owners};
use crate::base::parallel;
use crate::exact::ccd::batch::Row;
use crate::geom::{Boxes8, DVec3, LANES, Pose};
use crate::pairs::{Frame, RowIds};
use crate::walk::{Child, Corners, Hierarchy, Opened};
use fearless_simd::{Level, dispatch};

/// A box in frame coordinates; the fourth numbers are zero.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(super) struct Way {
    pub(super) low: [f32; 4],
    pub(super) high: [f32; 4],
}

impl Way {
    #[inline(always)]
    pub(super) fn around(self, other: Self) -> Self {
        let mut all = self;
        for k in 0..4 {
            all.low[k] = self.low[k].min(other.low[k]);
            all.high[k] = self.high[k].max(other.high[k]);
        }
        all
    }

    #[inline(always)]
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let mut all = true;
        for k in 0..4 {
            all &= (self.low[k] <= other.high[k]) & (other.low[k] <= self.high[k]);
        }
        all
    }

    pub(super) fn corners(&self) -> Corners {
        let [a, b, c, _] = self.low;
        let [d, e, f, _] = self.high;
        ([a, b, c], [d, e, f])
    }
}

/// A node with boxes around the ways of what is below it.
#[derive(Clone, Copy)]
pub(super) struct SweptNode {
    pub(super) boxes: Boxes8,
    pub(super) children: [Child; LANES],
    pub(super) count: u32,
}

/// Up to eight triangles with boxes around their ways.
#[derive(Clone, Copy)]
pub(super) struct SweptLeaf {
    pub(super) boxes: Boxes8,
    pub(super) bounds: Way,
    pub(super) vertices: [[u32; 3]; LANES],
    pub(super) triangles: [u32; LANES],
    /// What each triangle owns; see [`Owners`].
    pub(super) owned: [u8; LANES],
    pub(super) count: u32,
}

impl SweptLeaf {
    const EMPTY: Self = Self {
        boxes: Boxes8::EMPTY,
        bounds: Way { low: [f32::INFINITY; 4], high: [f32::NEG_INFINITY; 4] },
        vertices: [[0; 3]; LANES],
        triangles: [RowIds::NONE; LANES],
        owned: [0; LANES],
        count: 0,
    };
}

/// A body during a step. Keeps its memory.
#[derive(Default)]
pub(crate) struct SweptBody {
    pub(super) rows: Vec<Row>,
    pub(super) ways: Vec<Way>,
    /// By vertex: the first of the vertices that count as one with it; empty if each counts for itself.
    pub(super) names: Vec<u32>,
    pub(super) nodes: Vec<SweptNode>,
    pub(super) leaves: Vec<SweptLeaf>,
    pub(super) roots: Vec<(Child, Corners)>,
    starts: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// By leaf: whether it is below a root of the view.
    is_used: Vec<bool>,
    stack: Vec<Child>,
}

/// Leaves, nodes or vertices of one task.
const CHUNK: usize = 1024;

impl SweptBody {
    /// Notes where every vertex is at the start and at the end. Returns the box around all that.
    pub(crate) fn set_motion(
        &mut self,
        body: &dyn Hierarchy,
        pose: &Pose,
        course: &Course,
    ) -> (DVec3, DVec3) {
        // Positions of a body that keeps none ready are those of its triangles' corners.
        if body.positions().is_none() {
            self.starts.clear();
            for tree in 0..body.root_count() {
                body.for_each_triangle(body.root(tree).0, &mut |id| {
                    let corners = body.triangle(id.0).corners();
                    for (v, p) in body.vertices(id.0, false).into_iter().zip(corners) {
                        if self.starts.len() <= v as usize {
                            self.starts.resize(v as usize + 1, p);
                        }
                        self.starts[v as usize] = p;
                    }
                });
            }
        }
        let positions = body.positions().unwrap_or(&self.starts);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let rests = pose.is_identity();
        self.rows.clear();
        self.rows.reserve(positions.len());
        for (v, &p) in positions.iter().enumerate() {
            let start = if rests { p } else { pose.apply(p) };
            let end = match course {
                Course::Rest => start,
                Course::Positions(ends) => ends[v],
                Course::Pose(end) => end.apply(p),
            };
            (low, high) = (low.min(start).min(end), high.max(start).max(end));
            self.rows.push(Row::new(start, end));
        }
        (low, high)
    }

    /// Makes boxes around the ways of all vertices, triangles and nodes.
    pub(crate) fn fit(
        &mut self,
        body: &dyn Hierarchy,
        (open, roots): (Opened, &[(Child, Corners)]),
        (frame, weld, use_threads): (&Frame, bool, bool),
        owners: &mut Owners,
    ) {
        self.list_leaves(open, roots, body.root_count());
        let Self { rows, ways, names, nodes, leaves, triangles, is_used, .. } = self;
        ways.resize(rows.len(), Way::default());
        let chunks = ways.chunks_mut(CHUNK).zip(rows.chunks(CHUNK));
        parallel::for_each(use_threads, chunks, |(ways, rows)| {
            for (way, row) in ways.iter_mut().zip(rows) {
                let point = row.point();
                let (a, b) = (frame.map(point.start), frame.map(point.end));
                for k in 0..3 {
                    way.low[k] = a[k].min(b[k]);
                    way.high[k] = a[k].max(b[k]);
                }
            }
        });

        names.clear();
        if weld {
            names.extend(0..rows.len() as u32);
        }
        triangles.clear();
        triangles.reserve(LANES * open.ids.len());
        for (ids, _) in open.ids.iter().zip(&*is_used).filter(|(_, is_used)| **is_used) {
            for id in ids.triangle_ids() {
                let corners = body.vertices(id.0, false);
                triangles.push(corners);
                if weld {
                    corners
                        .into_iter()
                        .zip(body.vertices(id.0, true))
                        .for_each(|(v, w)| names[v as usize] = w);
                }
            }
        }
        let owned = owners.find(triangles, rows.len());

        leaves.clear();
        leaves.resize(open.ids.len(), SweptLeaf::EMPTY);
        let mut first = 0;
        for ((leaf, ids), _) in
            leaves.iter_mut().zip(open.ids).zip(&*is_used).filter(|(_, is_used)| **is_used)
        {
            for (lane, id) in ids.triangle_ids().enumerate() {
                let [a, b, c] = triangles[first];
                let way = ways[a as usize].around(ways[b as usize]).around(ways[c as usize]);
                let (low, high) = way.corners();
                leaf.boxes.set(lane, low, high);
                leaf.bounds = leaf.bounds.around(way);
                leaf.vertices[lane] = triangles[first];
                leaf.triangles[lane] = id.0;
                leaf.owned[lane] = owned[first];
                leaf.count += 1;
                first += 1;
            }
        }

        nodes.clear();
        nodes.extend(open.nodes.iter().map(|node| SweptNode {
            boxes: Boxes8::EMPTY,
            children: node.children,
            count: node.count,
        }));
        let level = Level::new();
        // Children follow their parents.
        for index in (0..nodes.len()).rev() {
            for lane in 0..nodes[index].count as usize {
                let child = nodes[index].children[lane];
                let (low, high) = if child.is_leaf() {
                    leaves[child.index()].bounds.corners()
                } else {
                    let boxes = &nodes[child.index()].boxes;
                    dispatch!(level, simd => boxes.bounds(simd))
                };
                nodes[index].boxes.set(lane, low, high);
            }
        }
        self.roots.clear();
        for &(root, _) in roots {
            let corners = if root.is_leaf() {
                self.leaves[root.index()].bounds.corners()
            } else {
                let boxes = &self.nodes[root.index()].boxes;
                dispatch!(level, simd => boxes.bounds(simd))
            };
            self.roots.push((root, corners));
        }
    }

    /// Notes which leaves are below the roots of the view. A vertex must not be owned by a triangle that is not there.
    fn list_leaves(&mut self, open: Opened, roots: &[(Child, Corners)], tree_count: usize) {
        let Self { is_used, stack, .. } = self;
        is_used.clear();
        is_used.resize(open.ids.len(), roots.len() == tree_count);
        if roots.len() == tree_count {
            return;
        }
        stack.clear();
        stack.extend(roots.iter().map(|(root, _)| *root));
        while let Some(child) = stack.pop() {
            if child.is_leaf() {
                is_used[child.index()] = true;
            } else {
                stack.extend(open.nodes[child.index()].used().map(|(_, child)| child));
            }
        }
    }

    /// Where the trees begin, with boxes around all that is below.
    pub(crate) fn roots(&self) -> &[(Child, Corners)] {
        &self.roots
    }

    /// The name under which a vertex is compared with others of its body.
    #[inline(always)]
    pub(super) fn name(&self, vertex: u32) -> u32 {
        self.names.get(vertex as usize).copied().unwrap_or(vertex)
    }
}

/// A frame for two boxes of positions.
pub(crate) fn common_frame((low, high): (DVec3, DVec3), (l, h): (DVec3, DVec3)) -> Frame {
    Frame::around(low.min(l), high.max(h))
}
