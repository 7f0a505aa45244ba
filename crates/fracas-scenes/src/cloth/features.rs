//! Vertices, edges and faces of moving bodies, and which of them come near each other.
//!
//! A pair of triangles stands for six pairs of a vertex and a face and nine pairs of edges, and neighbours share most of
//! them. So every vertex and every edge belongs to one triangle, and a pair of triangles stands only for what belongs to
//! them: each pair of features is met once.
//!
//! Pairs are told as four vertices of a joint table: those of the cloth first, then those of the other body.
//! Features that share a vertex are left out.
//!
//! # Reference
//!
//! S. Curtis, R. Tamstorf and D. Manocha, *Fast collision detection for deformable models using representative-triangles*,
//! Symposium on Interactive 3D Graphics, 2008.

use super::moving_tree::{Moving, MovingTree};
use fracas::geom::DVec3;
use fracas::mesh::{Adjacency, Mesh};

/// Two features, as vertices of the joint table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Features {
    /// A vertex and the corners of a face.
    VertexFace([u32; 4]),
    /// The ends of one edge, then those of another.
    EdgeEdge([u32; 4]),
}

impl Features {
    pub fn vertices(self) -> [u32; 4] {
        match self {
            Self::VertexFace(vertices) | Self::EdgeEdge(vertices) => vertices,
        }
    }
}

/// A cloth and what it may meet, with what is needed to find features near each other.
#[derive(Clone, Debug)]
pub(crate) struct FeatureFinder {
    /// The cloth, then the other body; the triangles of the latter count on from the vertices of the cloth.
    triangles: [Vec<[u32; 3]>; 2],
    trees: [MovingTree; 2],
    /// Which corners of a triangle belong to it, as bits; and which of its edges, from the corner of that number to the next.
    owned: [Vec<[u8; 2]>; 2],
    cloth_vertices: usize,
}

impl FeatureFinder {
    /// A cloth and another body; the latter may be empty.
    pub fn new(cloth: &Mesh, other: &Mesh) -> Self {
        let shift = cloth.vertex_count() as u32;
        let joint = |t: &[u32; 3]| t.map(|v| v + shift);
        Self {
            triangles: [cloth.triangles().to_vec(), other.triangles().iter().map(joint).collect()],
            trees: [cloth, other].map(|mesh| MovingTree::build(mesh.positions(), mesh.triangles())),
            owned: [cloth, other].map(owned),
            cloth_vertices: cloth.vertex_count(),
        }
    }

    /// All pairs of features, of the cloth with itself and with the other body, whose triangles come within reach of each
    /// other at some instant between two tables of positions. Of those without a marked vertex some are left out, and so are
    /// those that stay apart by more than the reach along an axis.
    pub fn find(
        &mut self,
        start: &[DVec3],
        end: &[DVec3],
        reach: f64,
        is_marked: impl Fn(u32) -> bool,
        mut found: impl FnMut(Features),
    ) {
        let Self { triangles: [cloth, other], trees: [tree, other_tree], owned, .. } = self;
        tree.refit(Moving { triangles: cloth, start, end }, |t| {
            cloth[t as usize].iter().any(|v| is_marked(*v))
        });
        other_tree.refit(Moving { triangles: other, start, end }, |t| {
            other[t as usize].iter().any(|v| is_marked(*v))
        });
        let mut found = |features: Features| {
            if !are_far([start, end], features, reach) {
                found(features);
            }
        };
        tree.self_pairs(reach, |t, u| {
            let [t, u] = [t, u].map(|t| t as usize);
            pair_up([cloth[t], cloth[u]], [owned[0][t], owned[0][u]], &mut found);
        });
        tree.pairs(other_tree, reach, |t, u| {
            let [t, u] = [t as usize, u as usize];
            pair_up([cloth[t], other[u]], [owned[0][t], owned[1][u]], &mut found);
        });
    }

    /// How many vertices of the joint table are those of the cloth.
    pub fn cloth_vertices(&self) -> usize {
        self.cloth_vertices
    }
}

/// Whether the boxes of two features are farther apart than a reach at both ends of the step, on the same side.
#[inline(always)]
fn are_far(ends: [&[DVec3]; 2], features: Features, reach: f64) -> bool {
    let gaps = ends.map(|at| {
        let [a, b, c, d] = features.vertices().map(|v| at[v as usize]);
        let (low, high, least, most) = match features {
            Features::VertexFace(_) => (a, a, b.min(c).min(d), b.max(c).max(d)),
            Features::EdgeEdge(_) => (a.min(b), a.max(b), c.min(d), c.max(d)),
        };
        [low - most, least - high]
    });
    let [[g, k], [h, l]] = gaps;
    g.min(h).max(k.min(l)).max_element() > reach
}

/// Which vertices and edges belong to each triangle: those that no triangle before it has.
fn owned(mesh: &Mesh) -> Vec<[u8; 2]> {
    let mut taken = vec![false; mesh.vertex_count()];
    let mut owned = vec![[0; 2]; mesh.triangle_count()];
    for (own, corners) in owned.iter_mut().zip(mesh.triangles()) {
        for (corner, &v) in corners.iter().enumerate() {
            if !std::mem::replace(&mut taken[v as usize], true) {
                own[0] |= 1 << corner;
            }
        }
    }
    for edge in Adjacency::build(mesh).edges() {
        if let Some(side) = edge.uses.first() {
            owned[side.triangle().index()][1] |= 1 << side.corner();
        }
    }
    owned
}

/// The pairs of features that a pair of triangles stands for.
#[inline]
fn pair_up([t, u]: [[u32; 3]; 2], [of_t, of_u]: [[u8; 2]; 2], found: &mut impl FnMut(Features)) {
    for (one, own, face) in [(t, of_t, u), (u, of_u, t)] {
        for (corner, v) in one.into_iter().enumerate() {
            if own[0] >> corner & 1 == 1 && !face.contains(&v) {
                found(Features::VertexFace([v, face[0], face[1], face[2]]));
            }
        }
    }
    for i in 0..3 {
        if of_t[1] >> i & 1 == 0 {
            continue;
        }
        let [a, b] = [t[i], t[(i + 1) % 3]];
        for j in 0..3 {
            let [c, d] = [u[j], u[(j + 1) % 3]];
            if of_u[1] >> j & 1 == 1 && a != c && a != d && b != c && b != d {
                found(Features::EdgeEdge([a, b, c, d]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::shapes;
    use std::collections::BTreeSet;

    #[test]
    fn every_pair_of_features_is_found_once() {
        let (cloth, ball) = (shapes::cloth_grid(4, 3, [1.0, 1.0]), shapes::icosphere(0.5, 1));
        let joint: Vec<DVec3> = [cloth.positions(), ball.positions()].concat();
        let mut finder = FeatureFinder::new(&cloth, &ball);
        let mut found = BTreeSet::new();
        finder.find(&joint, &joint, 10.0, |_| true, |pair| assert!(found.insert(pair), "{pair:?} twice"));
        let (v, f, e) = (20, 24, 43);
        let (w, g, d) = (ball.vertex_count(), ball.triangle_count(), 3 * ball.triangle_count() / 2);
        let faces = cloth.triangles().iter().map(|_| v - 3).sum::<usize>() + v * g + w * f;
        let edges = Adjacency::build(&cloth);
        let apart = |a: [u32; 2], b: [u32; 2]| !a.contains(&b[0]) && !a.contains(&b[1]);
        let all: Vec<[u32; 2]> = edges.edges().map(|edge| edge.ends).collect();
        let own = (0..e)
            .flat_map(|a| (a + 1..e).map(move |b| (a, b)))
            .filter(|&(a, b)| apart(all[a], all[b]))
            .count();
        let count =
            |is_face: bool| found.iter().filter(|p| matches!(p, Features::VertexFace(_)) == is_face).count();
        assert_eq!((all.len(), count(true), count(false)), (e, faces, own + e * d));
    }
}
