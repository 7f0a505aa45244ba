//! Skipping patches that cannot meet themselves, exactly.
//!
//! Most of a self-query is spent proving that a smooth patch does not intersect itself. Often one look is enough:
//!
//! ```text
//!      every normal points up               …and seen from above the outline
//!        ↑  ↑   ↑  ↑  ↑                       is a simple polygon:
//!      ──╲__╱──╲__╱──╲                           ┌────────╮
//!                                                 ╰─────────┘
//! ```
//!
//! then the patch is the graph of a function over that polygon and no two of its triangles meet, except in the
//! vertices and edges they share.
//!
//! # Why it is exact
//!
//! Project along the axis. All triangles keep their orientation, so a point is covered as many times as the
//! outline winds around it: once inside a simple polygon, never outside. Hence no two projected triangles overlap.
//! Could two of them still touch? At a point inside an edge, the far side of the edge is covered by the neighbour
//! or is outside; a third triangle there would overlap one of the two. At a vertex, a fan that does not close
//! leaves its two rims on the outline, and a second vertex at the same place would bring the outline there twice.
//! Signs of normals are certain (with error bounds), the polygon test uses exact predicates.
//!
//! The outline is the sum of the directed edges of the triangles, equal and opposite ones cancelled; it follows
//! from the topology alone and is gathered once, at build. Signs of normals are found at each refit.
//!
//! # Reference
//! The idea of testing normals and contour goes back to Volino, Magnenat-Thalmann, "Efficient self-collision
//! detection on smoothly discretized surface animations using geometrical shape regularity", Eurographics 1994.

use super::Tree;
use crate::exact::{Sign, orient2d};
use crate::geom::DVec3;
use crate::pairs::{LANES, Row, RowIds};
use fearless_simd::f32x8;
use fearless_simd::prelude::*;
use glam::DVec2;

/// Outlines longer than this are not tested; their children's are.
const LONGEST_OUTLINE: usize = 4096;

/// Outlines of the patches below the nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Contours {
    /// `vertices[start..start + length]` is the outline of the node, if it is a single loop; else length 0.
    ranges: Vec<[u32; 2]>,
    vertices: Vec<u32>,
}

impl Contours {
    /// Gathers the outlines of all nodes, children first.
    pub(super) fn build(tree: &Tree) -> Self {
        let mut contours = Self { ranges: vec![[0, 0]; tree.nodes.len()], vertices: Vec::new() };
        // Open edges of the nodes whose parent is still to come; `None` where an edge is used twice in one direction.
        let mut open: Vec<Option<Vec<[u32; 2]>>> = vec![None; tree.nodes.len()];
        let mut edges = Vec::new();
        let mut lookup = Vec::new();
        for index in (0..tree.nodes.len()).rev() {
            edges.clear();
            let mut broken = false;
            for (_, child) in tree.nodes[index].used() {
                if child.is_leaf() {
                    append_edges_of_row(&tree.ids[child.index()], &mut edges);
                } else {
                    match open[child.index()].take() {
                        Some(of_child) => edges.extend(of_child),
                        None => broken = true,
                    }
                }
            }
            if broken || !cancel_opposite(&mut edges) {
                continue;
            }
            if let Some(outline) = single_loop(&edges, &mut lookup) {
                contours.ranges[index] = [contours.vertices.len() as u32, outline.len() as u32];
                contours.vertices.extend(outline);
            }
            open[index] = Some(edges.clone());
        }
        contours.vertices.shrink_to_fit();
        contours
    }

    /// The outline of a node, empty if it is not a single loop.
    #[inline]
    pub(super) fn of(&self, node: usize) -> &[u32] {
        let [start, length] = self.ranges[node];
        &self.vertices[start as usize..(start + length) as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.ranges[..]) + size_of_val(&self.vertices[..])
    }
}

fn append_edges_of_row(ids: &RowIds, edges: &mut Vec<[u32; 2]>) {
    for lane in 0..LANES {
        if ids.triangles[lane] != RowIds::NONE {
            let v = ids.vertices.map(|corner| corner[lane]);
            edges.extend([[v[0], v[1]], [v[1], v[2]], [v[2], v[0]]]);
        }
    }
}

/// Removes pairs of equal and opposite edges. False if an edge occurs twice in one direction or runs from a
/// vertex to itself.
fn cancel_opposite(edges: &mut Vec<[u32; 2]>) -> bool {
    let undirected = |e: &[u32; 2]| (u64::from(e[0].min(e[1])) << 32) | u64::from(e[0].max(e[1]));
    edges.sort_unstable_by_key(undirected);
    let mut kept = 0;
    let mut at = 0;
    while at < edges.len() {
        let edge = edges[at];
        let equal = edges[at..].iter().take_while(|e| undirected(e) == undirected(&edge)).count();
        match equal {
            1 if edge[0] != edge[1] => {
                edges[kept] = edge;
                kept += 1;
            }
            2 if edge != edges[at + 1] => {}
            _ => return false,
        }
        at += equal;
    }
    edges.truncate(kept);
    true
}

/// The vertices of the loop that the edges form, if they form exactly one that passes no vertex twice.
fn single_loop(edges: &[[u32; 2]], lookup: &mut Vec<[u32; 2]>) -> Option<Vec<u32>> {
    if edges.len() < 3 || edges.len() > LONGEST_OUTLINE {
        return None;
    }
    lookup.clear();
    lookup.extend_from_slice(edges);
    lookup.sort_unstable();
    if lookup.windows(2).any(|pair| pair[0][0] == pair[1][0]) {
        return None;
    }
    let start = lookup[0][0];
    let mut outline = Vec::with_capacity(edges.len());
    let mut vertex = start;
    loop {
        outline.push(vertex);
        let at = lookup.binary_search_by_key(&vertex, |edge| edge[0]).ok()?;
        vertex = lookup[at][1];
        if vertex == start {
            break;
        }
        if outline.len() == edges.len() {
            return None;
        }
    }
    (outline.len() == edges.len()).then_some(outline)
}

/// Directions in which all normals of a row certainly point: bit 2·axis for up, bit 2·axis + 1 for down.
#[inline(always)]
pub(super) fn signs_of_row<S: Simd>(simd: S, row: &Row, slack: f32) -> u8 {
    let edge = |from: usize, to: usize| {
        [0, 1, 2].map(|axis| {
            let load = |corner: usize| f32x8::load_array_ref(simd, &row.corners[corner][axis]);
            load(to) - load(from)
        })
    };
    let (e, f) = (edge(0, 1), edge(0, 2));
    let longest = |v: &[f32x8<S>; 3]| v[0].abs().max(v[1].abs()).max(v[2].abs());
    let size = longest(&e).max(longest(&f));
    // |n_axis| is off by at most 4 e ε + 2 ε² + 4 u e² with ε = 2 slack + u e; rounded up generously.
    let error = size * (2.0 * slack) + size * size * 1e-7;
    let bound = (error * 4.0 + 8.0 * slack * slack) * 1.25 + 1e-30;
    let mut signs = 0;
    for axis in 0..3 {
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let n = e[j] * f[k] - e[k] * f[j];
        signs |= u8::from(n.simd_gt(bound).all_true()) << (2 * axis);
        signs |= u8::from(n.simd_lt(-bound).all_true()) << (2 * axis + 1);
    }
    signs
}

/// One edge of a projected outline.
#[derive(Clone, Copy, Debug)]
struct Edge {
    low: DVec2,
    high: DVec2,
    from: DVec2,
    to: DVec2,
    index: u32,
}

/// Reused memory of [`is_simple_polygon`].
#[derive(Clone, Debug, Default)]
pub(super) struct OutlineScratch {
    edges: Vec<Edge>,
}

/// Whether the outline, seen along an axis, is certainly a simple polygon: no two of its edges meet, except
/// neighbours in their common end.
pub(super) fn is_simple_polygon(
    outline: &[u32],
    positions: &[DVec3],
    axis: usize,
    scratch: &mut OutlineScratch,
) -> bool {
    let project = |v: u32| {
        let p = positions[v as usize];
        DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3])
    };
    let count = outline.len();
    let edges = &mut scratch.edges;
    edges.clear();
    let mut from = project(outline[count - 1]);
    for (index, &v) in outline.iter().enumerate() {
        let to = project(v);
        edges.push(Edge { low: from.min(to), high: from.max(to), from, to, index: index as u32 });
        from = to;
    }
    for (k, edge) in edges.iter().enumerate() {
        if turns_back(edge.from, edge.to, edges[(k + 1) % count].to) {
            return false;
        }
    }
    // Sweep along x: only edges whose x ranges overlap are compared.
    edges.sort_unstable_by(|p, q| p.low.x.total_cmp(&q.low.x).then(p.index.cmp(&q.index)));
    for (k, p) in edges.iter().enumerate() {
        for q in edges[k + 1..].iter().take_while(|q| q.low.x <= p.high.x) {
            let apart = p.index.abs_diff(q.index);
            let neighbours = apart == 1 || apart as usize == count - 1;
            if !neighbours && p.low.y <= q.high.y && q.low.y <= p.high.y && may_meet(p, q) {
                return false;
            }
        }
    }
    true
}

/// Whether edge b→c leaves b exactly towards a.
fn turns_back(a: DVec2, b: DVec2, c: DVec2) -> bool {
    if orient2d(a, b, c) != Sign::Zero {
        return false;
    }
    let between = |a: f64, b: f64, c: f64| (a < b && b < c) || (a > b && b > c);
    !(between(a.x, b.x, c.x) || between(a.y, b.y, c.y))
}

/// False only if the two edges share no point.
fn may_meet(p: &Edge, q: &Edge) -> bool {
    let one_side = |a: Sign, b: Sign| a == b && a != Sign::Zero;
    !(one_side(orient2d(p.from, p.to, q.from), orient2d(p.from, p.to, q.to))
        || one_side(orient2d(q.from, q.to, p.from), orient2d(q.from, q.to, p.to)))
}
