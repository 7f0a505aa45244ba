//! Walking two bodies during a step at once, or one against itself, down to pairs of features.

use super::swept::{SweptBody, SweptLeaf};
use super::{Features, Impact};
use crate::exact::ccd::batch::{ImpactBatch, ImpactStats};
use crate::mesh::TriangleId;
use crate::near::{self, Near};
use crate::pairs::{FindStats, Pair, Worker, bits};
use crate::walk::Child;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

/// Two bodies during a step, or one twice.
pub(crate) struct SweepMeeting<'a> {
    pub(crate) a: &'a SweptBody,
    pub(crate) b: &'a SweptBody,
    pub(crate) itself: bool,
    pub(crate) question: Question,
}

/// What a walk down to features is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Question {
    /// Which features meet during the step, and when.
    Impacts,
    /// Which ones may meet. They are listed and not decided.
    Candidates,
    /// Which ones are within a reach of each other, of bodies at rest whose boxes have grown by it.
    Near(f64),
    /// Which triangles are.
    NearTriangles(f64),
}

/// Candidates are decided whenever this many have gathered.
const BATCH: usize = 1 << 14;

/// One thread's share of a query.
#[derive(Default)]
pub(crate) struct SweepWalk {
    stack: Vec<(Child, Child)>,
    /// A vertex of the first body and a triangle of the second, and the other way round: the vertex, then the corners.
    vertex_triangle: [Candidates; 2],
    edge_edge: Vec<[u32; 4]>,
    batch: ImpactBatch,
    pub(crate) impacts: Vec<Impact>,
    pub(crate) near: Vec<Near>,
    pub(crate) near_triangles: Vec<Pair>,
    stats: FindStats,
}

/// Vertices and triangles that may meet.
#[derive(Default)]
struct Candidates {
    vertices: Vec<[u32; 4]>,
    triangles: Vec<u32>,
}

impl Worker for SweepWalk {
    type Task = (Child, Child);
    type Query<'a> = SweepMeeting<'a>;

    fn reset(&mut self) {
        self.stack.clear();
        self.vertex_triangle.iter_mut().for_each(Candidates::clear);
        self.edge_edge.clear();
        self.impacts.clear();
        self.near.clear();
        self.near_triangles.clear();
        self.stats = FindStats::default();
        self.batch.take_stats();
    }

    fn run(&mut self, meeting: &SweepMeeting, tasks: &[(Child, Child)], steps: &mut u64) {
        self.stack.extend(tasks.iter().rev());
        let level = Level::new();
        dispatch!(level, simd => self.run_vectorised(simd, meeting, steps));
        self.decide(meeting);
    }

    fn take_rest(&mut self, out: &mut Vec<(Child, Child)>) {
        out.append(&mut self.stack);
    }

    fn results(&self) -> (&[Pair], FindStats) {
        (&[], self.stats)
    }
}

impl Candidates {
    fn clear(&mut self) {
        self.vertices.clear();
        self.triangles.clear();
    }
}

impl SweepWalk {
    /// How many queries each stage of the exact test decided since the last reset.
    pub(crate) fn take_stats(&mut self) -> ImpactStats {
        self.batch.take_stats()
    }

    /// Candidates that were listed: vertex against triangle, edge against edge.
    pub(crate) fn candidate_counts(&self) -> [usize; 2] {
        [self.vertex_triangle.iter().map(|list| list.vertices.len()).sum(), self.edge_edge.len()]
    }

    /// Appends the candidates that were listed.
    pub(crate) fn list_candidates(&self, [vertex_triangle, edge_edge]: &mut [Vec<[u32; 4]>; 2]) {
        self.vertex_triangle.iter().for_each(|list| vertex_triangle.extend(&list.vertices));
        edge_edge.extend(&self.edge_edge);
    }

    #[inline(always)]
    fn run_vectorised<S: Simd>(&mut self, simd: S, meeting: &SweepMeeting, steps: &mut u64) {
        while *steps > 0
            && let Some((i, j)) = self.stack.pop()
        {
            *steps -= 1;
            if meeting.itself && i == j {
                self.step_itself(simd, meeting, i);
            } else {
                self.step_pair(simd, meeting, (i, j));
            }
            let gathered = self.edge_edge.len() + self.vertex_triangle[0].vertices.len();
            if gathered >= BATCH {
                self.decide(meeting);
            }
        }
    }

    #[inline(always)]
    fn step_itself<S: Simd>(&mut self, simd: S, meeting: &SweepMeeting, child: Child) {
        if child.is_leaf() {
            let leaf = &meeting.a.leaves[child.index()];
            self.stats.rows += 1;
            if let Question::NearTriangles(reach) = meeting.question {
                return self.compare_triangles(simd, meeting, leaf, leaf, reach);
            }
            self.list_vertices(simd, meeting, (meeting.a, leaf), leaf, 0);
            self.list_edges(simd, meeting, leaf, leaf);
            return;
        }
        self.stats.node_pairs += 1;
        let node = &meeting.a.nodes[child.index()];
        for i in 0..node.count as usize {
            let (low, high) = node.boxes.lane(i);
            for j in bits(node.boxes.overlapping(simd, low, high) & (!1_u32 << i)) {
                self.stack.push((node.children[j], node.children[i]));
            }
            self.stack.push((node.children[i], node.children[i]));
        }
    }

    #[inline(always)]
    fn step_pair<S: Simd>(&mut self, simd: S, meeting: &SweepMeeting, (i, j): (Child, Child)) {
        let (a, b) = (meeting.a, meeting.b);
        match (i.is_leaf(), j.is_leaf()) {
            (true, true) => self.compare_leaves(simd, meeting, &a.leaves[i.index()], &b.leaves[j.index()]),
            (true, false) => {
                let (low, high) = a.leaves[i.index()].bounds.corners();
                let node = &b.nodes[j.index()];
                for hit in bits(node.boxes.overlapping(simd, low, high)) {
                    self.stack.push((i, node.children[hit]));
                }
            }
            (false, true) => {
                let (low, high) = b.leaves[j.index()].bounds.corners();
                let node = &a.nodes[i.index()];
                for hit in bits(node.boxes.overlapping(simd, low, high)) {
                    self.stack.push((node.children[hit], j));
                }
            }
            (false, false) => {
                self.stats.node_pairs += 1;
                let (node, other) = (&a.nodes[i.index()], &b.nodes[j.index()]);
                for lane in 0..other.count as usize {
                    let (low, high) = other.boxes.lane(lane);
                    for hit in bits(node.boxes.overlapping(simd, low, high)) {
                        self.stack.push((node.children[hit], other.children[lane]));
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn compare_leaves<S: Simd>(&mut self, simd: S, meeting: &SweepMeeting, a: &SweptLeaf, b: &SweptLeaf) {
        self.stats.rows += 1;
        if let Question::NearTriangles(reach) = meeting.question {
            return self.compare_triangles(simd, meeting, a, b, reach);
        }
        self.list_vertices(simd, meeting, (meeting.a, a), b, 0);
        self.list_vertices(simd, meeting, (meeting.b, b), a, usize::from(!meeting.itself));
        self.list_edges(simd, meeting, a, b);
    }

    /// Lists the vertices of a leaf with the triangles of another, or the same, that they may meet.
    #[inline(always)]
    fn list_vertices<S: Simd>(
        &mut self,
        simd: S,
        meeting: &SweepMeeting,
        (body, of): (&SweptBody, &SweptLeaf),
        leaf: &SweptLeaf,
        side: usize,
    ) {
        let list = &mut self.vertex_triangle[side];
        let (low, high) = leaf.bounds.corners();
        for group in &body.groups[of.vertex_groups()] {
            for k in bits(group.boxes.overlapping(simd, low, high)) {
                let vertex = group.ends[k][0];
                let (low, high) = group.boxes.lane(k);
                for lane in bits(leaf.boxes.overlapping(simd, low, high)) {
                    let [p, q, r] = leaf.vertices[lane];
                    if meeting.itself {
                        let name = body.name(vertex);
                        if (name == body.name(p)) | (name == body.name(q)) | (name == body.name(r)) {
                            continue;
                        }
                    }
                    list.vertices.push([vertex, p, q, r]);
                    list.triangles.push(leaf.triangles[lane]);
                }
            }
        }
    }

    /// Lists the edges of two leaves that may meet; of one leaf, if it is given twice, every two once.
    #[inline(always)]
    fn list_edges<S: Simd>(&mut self, simd: S, meeting: &SweepMeeting, a: &SweptLeaf, b: &SweptLeaf) {
        let (low, high) = b.bounds.corners();
        let one_leaf = std::ptr::eq(a, b);
        for first in a.edge_groups() {
            let group = &meeting.a.groups[first];
            for k in bits(group.boxes.overlapping(simd, low, high)) {
                let [v, w] = group.ends[k];
                let (low, high) = group.boxes.lane(k);
                let seconds = b.edge_groups();
                for second in if one_leaf { first..seconds.end } else { seconds } {
                    let others = &meeting.b.groups[second];
                    let mut near = others.boxes.overlapping(simd, low, high);
                    if one_leaf && second == first {
                        near &= !1_u32 << k;
                    }
                    for m in bits(near) {
                        let [x, y] = others.ends[m];
                        if meeting.itself {
                            let [v, w, x, y] = [v, w, x, y].map(|v| meeting.a.name(v));
                            if (v == x) | (v == y) | (w == x) | (w == y) {
                                continue;
                            }
                        }
                        self.edge_edge.push([v, w, x, y]);
                    }
                }
            }
        }
    }

    /// Compares the triangles of two leaves; of one leaf, if it is given twice, every two once.
    #[inline(always)]
    fn compare_triangles<S: Simd>(
        &mut self,
        simd: S,
        meeting: &SweepMeeting,
        a: &SweptLeaf,
        b: &SweptLeaf,
        reach: f64,
    ) {
        let one_leaf = std::ptr::eq(a, b);
        for lane in bits(b.used_lanes()) {
            let (low, high) = b.boxes.lane(lane);
            let mut hits = a.boxes.overlapping(simd, low, high) & a.used_lanes();
            if one_leaf {
                hits &= !1_u32 << lane;
            }
            for hit in bits(hits) {
                let (v, w) = (a.vertices[hit], b.vertices[lane]);
                let name = |v: u32| meeting.a.name(v);
                if meeting.itself && v.iter().any(|&x| w.iter().any(|&y| name(x) == name(y))) {
                    continue;
                }
                let (t, u) = (meeting.a.triangle(v), meeting.b.triangle(w));
                if near::triangles_are_near(&t, &u, reach) {
                    let (i, j) = (a.triangles[hit], b.triangles[lane]);
                    let (i, j) = if meeting.itself { (i.min(j), i.max(j)) } else { (i, j) };
                    self.near_triangles.push(Pair::new(i, j));
                }
            }
        }
    }

    /// Decides the candidates that have gathered.
    fn decide(&mut self, meeting: &SweepMeeting) {
        match meeting.question {
            Question::Impacts => self.decide_impacts(meeting),
            Question::Near(reach) => self.measure(meeting, reach),
            Question::Candidates | Question::NearTriangles(_) => {}
        }
    }

    /// Computes the distances of the candidates that have gathered.
    fn measure(&mut self, meeting: &SweepMeeting, reach: f64) {
        let Self { vertex_triangle, edge_edge, near, .. } = self;
        let (a, b) = (meeting.a, meeting.b);
        for (side, list) in vertex_triangle.iter_mut().enumerate() {
            let (of_vertex, of_triangle) = if side == 0 { (a, b) } else { (b, a) };
            for (&[vertex, p, q, r], &triangle) in list.vertices.iter().zip(&list.triangles) {
                let t = of_triangle.triangle([p, q, r]);
                if let Some((distance, weights, between)) =
                    near::vertex_triangle(of_vertex.start(vertex), &t, reach)
                {
                    let triangle = TriangleId(triangle);
                    let features = if side == 0 {
                        Features::VertexTriangle(vertex, triangle)
                    } else {
                        Features::TriangleVertex(triangle, vertex)
                    };
                    // The triangle is named first: so are its weights.
                    let [one, u, v, w] = weights;
                    let weights = if side == 0 { weights } else { [u, v, w, one] };
                    near.push(Near { features, distance, weights, between });
                }
            }
            list.clear();
        }
        for &[v, w, x, y] in &*edge_edge {
            let ends = ([a.start(v), a.start(w)], [b.start(x), b.start(y)]);
            let swapped = meeting.itself && [x, y] < [v, w];
            let (one, other) = if swapped { (ends.1, ends.0) } else { ends };
            if let Some((distance, weights, between)) = near::edge_edge(one, other, reach) {
                let (one, other) = if swapped { ([x, y], [v, w]) } else { ([v, w], [x, y]) };
                near.push(Near { features: Features::EdgeEdge(one, other), distance, weights, between });
            }
        }
        edge_edge.clear();
    }

    /// Decides exactly which candidates meet.
    fn decide_impacts(&mut self, meeting: &SweepMeeting) {
        let Self { vertex_triangle, edge_edge, batch, impacts, .. } = self;
        let (a, b) = (&meeting.a.rows[..], &meeting.b.rows[..]);
        for (side, list) in vertex_triangle.iter_mut().enumerate() {
            let tables = if side == 0 { [a, b] } else { [b, a] };
            batch.vertex_triangle(tables, &list.vertices, |k, time| {
                let (vertex, triangle) = (list.vertices[k][0], TriangleId(list.triangles[k]));
                let features = if side == 0 {
                    Features::VertexTriangle(vertex, triangle)
                } else {
                    Features::TriangleVertex(triangle, vertex)
                };
                impacts.push(Impact { time, features });
            });
            list.clear();
        }
        batch.edge_edge([a, b], edge_edge, |k, time| {
            let [v, w, x, y] = edge_edge[k];
            let (one, other) = ([v, w], [x, y]);
            let features = if meeting.itself && other < one {
                Features::EdgeEdge(other, one)
            } else {
                Features::EdgeEdge(one, other)
            };
            impacts.push(Impact { time, features });
        });
        edge_edge.clear();
    }
}
