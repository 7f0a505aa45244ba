//! A body during a step, as the walk reads it: boxes around the paths of its vertices, triangles and nodes.
//!
//! Boxes are `f32` in one frame for both bodies of a query. Rounding to frame coordinates is monotone, so boxes that share
//! a point before rounding share one after it, and nothing needs a margin.

use super::owners::ends;
use super::{Course, Owners};
use crate::base::parallel;
use crate::exact::ccd::batch::Row;
use crate::geom::{Boxes8, DVec3, LANES, Pose, Triangle};
use crate::pairs::{Frame, RowIds};
use crate::walk::{Child, Corners, Hierarchy, Opened};
use fearless_simd::{Level, dispatch};
use std::ops::Range;

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

/// Up to eight triangles with boxes around their ways, and the features that they own.
#[derive(Clone, Copy)]
pub(super) struct SweptLeaf {
    pub(super) boxes: Boxes8,
    pub(super) bounds: Way,
    pub(super) vertices: [[u32; 3]; LANES],
    pub(super) triangles: [u32; LANES],
    count: u32,
    /// Where its features begin in the lists of groups: those with vertices, those with edges, one past the end.
    groups: [u32; 3],
}

impl SweptLeaf {
    const EMPTY: Self = Self {
        boxes: Boxes8::EMPTY,
        bounds: Way { low: [f32::INFINITY; 4], high: [f32::NEG_INFINITY; 4] },
        vertices: [[0; 3]; LANES],
        triangles: [RowIds::NONE; LANES],
        count: 0,
        groups: [0; 3],
    };

    /// One bit for every triangle.
    #[inline(always)]
    pub(super) fn used_lanes(&self) -> u32 {
        (1 << self.count) - 1
    }

    /// Groups of the vertices that its triangles own.
    #[inline(always)]
    pub(super) fn vertex_groups(&self) -> Range<usize> {
        self.groups[0] as usize..self.groups[1] as usize
    }

    /// Groups of the edges that its triangles own.
    #[inline(always)]
    pub(super) fn edge_groups(&self) -> Range<usize> {
        self.groups[1] as usize..self.groups[2] as usize
    }
}

/// Eight vertices or edges of a leaf: boxes around their ways, and their ends. A vertex is an edge with equal ends. Unused lanes
/// have empty boxes.
#[derive(Clone, Copy)]
pub(super) struct FeatureGroup {
    pub(super) boxes: Boxes8,
    pub(super) ends: [[u32; 2]; LANES],
}

impl FeatureGroup {
    const EMPTY: Self = Self { boxes: Boxes8::EMPTY, ends: [[0; 2]; LANES] };
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
    /// Features of all leaves, in groups of eight.
    pub(super) groups: Vec<FeatureGroup>,
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
            self.starts.resize(body.vertex_count(), DVec3::ZERO);
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

    /// Makes boxes around the ways of all vertices, triangles and nodes, larger by `grow` on every side.
    pub(crate) fn fit(
        &mut self,
        body: &dyn Hierarchy,
        (open, roots): (Opened, &[(Child, Corners)]),
        (frame, weld, use_threads): (&Frame, bool, bool),
        grow: f32,
        owners: &mut Owners,
    ) {
        self.list_leaves(open, roots, body.root_count());
        let Self { rows, ways, names, nodes, leaves, groups, triangles, is_used, .. } = self;
        ways.resize(rows.len(), Way::default());
        let chunks = ways.chunks_mut(CHUNK).zip(rows.chunks(CHUNK));
        parallel::for_each(use_threads, chunks, |(ways, rows)| {
            for (way, row) in ways.iter_mut().zip(rows) {
                let point = row.point();
                let (a, b) = (frame.map(point.start), frame.map(point.end));
                for k in 0..3 {
                    way.low[k] = a[k].min(b[k]) - grow;
                    way.high[k] = a[k].max(b[k]) + grow;
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
        groups.clear();
        let mut first = 0;
        for ((leaf, ids), _) in
            leaves.iter_mut().zip(open.ids).zip(&*is_used).filter(|(_, is_used)| **is_used)
        {
            let corners = &triangles[first..];
            for (lane, id) in ids.triangle_ids().enumerate() {
                let [a, b, c] = corners[lane];
                let way = ways[a as usize].around(ways[b as usize]).around(ways[c as usize]);
                let (low, high) = way.corners();
                leaf.boxes.set(lane, low, high);
                leaf.bounds = leaf.bounds.around(way);
                leaf.vertices[lane] = corners[lane];
                leaf.triangles[lane] = id.0;
                leaf.count += 1;
            }
            let count = leaf.count as usize;
            let owned = &owned[first..first + count];
            leaf.groups[0] = groups.len() as u32;
            let own = |lane: usize, bit: usize| owned[lane] >> bit & 1 != 0;
            let features = (0..count).flat_map(|lane| [0, 1, 2].map(|k| (lane, k)));
            let vertices = features.clone().filter(|&(lane, k)| own(lane, k));
            add_features(groups, ways, vertices.map(|(lane, k)| [corners[lane][k]; 2]));
            leaf.groups[1] = groups.len() as u32;
            let edges = features.filter(|&(lane, k)| own(lane, 3 + k));
            add_features(groups, ways, edges.map(|(lane, k)| ends(&corners[lane], k)));
            leaf.groups[2] = groups.len() as u32;
            first += count;
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

    /// Where a vertex is at the start.
    #[inline(always)]
    pub(super) fn start(&self, vertex: u32) -> DVec3 {
        self.rows[vertex as usize].point().start
    }

    /// A triangle at the start.
    #[inline(always)]
    pub(super) fn triangle(&self, corners: [u32; 3]) -> Triangle {
        let [a, b, c] = corners.map(|v| self.start(v));
        Triangle::new(a, b, c)
    }

    /// The name under which a vertex is compared with others of its body.
    #[inline(always)]
    pub(super) fn name(&self, vertex: u32) -> u32 {
        self.names.get(vertex as usize).copied().unwrap_or(vertex)
    }
}

/// Appends features in groups of eight.
fn add_features(groups: &mut Vec<FeatureGroup>, ways: &[Way], features: impl Iterator<Item = [u32; 2]>) {
    for (k, [v, w]) in features.enumerate() {
        if k % LANES == 0 {
            groups.push(FeatureGroup::EMPTY);
        }
        let (low, high) = ways[v as usize].around(ways[w as usize]).corners();
        let last = groups.len() - 1;
        groups[last].boxes.set(k % LANES, low, high);
        groups[last].ends[k % LANES] = [v, w];
    }
}

/// A frame for two boxes of positions.
pub(crate) fn common_frame((low, high): (DVec3, DVec3), (l, h): (DVec3, DVec3)) -> Frame {
    Frame::around(low.min(l), high.max(h))
}
