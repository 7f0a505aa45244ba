//! Which triangles meet at an edge or a vertex of a mesh.
//!
//! Any mesh will do: an edge may be used by one triangle, by two, or by twenty, in either direction. Meeting is a
//! matter of vertex *indices*, never of positions.
//!
//! # Idea
//!
//! Corner `c` of a triangle stands for the directed edge that leaves it, towards the next corner. These 3 *n*
//! uses are put into rows by the lower of their two vertices (a counting sort), each short row is sorted by the
//! higher one, and equal neighbours in a row are the uses of one undirected edge:
//!
//! ```text
//!   triangles          row of vertex 0            edges, each with its uses (triangle.corner)
//!   0: 0 1 2           0.0→1  0.2→2  1.0→2  1.2→3     0–1: 0.0        0–2: 0.2 1.0        0–3: 1.2
//!   1: 0 2 3           row of vertex 1: 0.1→2         1–2: 0.1
//!                      row of vertex 2: 1.1→3         2–3: 1.1
//! ```
//!
//! # Invariants
//!
//! Edges are ordered by (lower vertex, higher vertex), the uses of an edge and the triangles of a vertex by
//! triangle. So the structure depends on the mesh alone. A triangle that names a vertex twice has the edge from
//! that vertex to itself, and is listed once among the vertex's triangles.
//!
//! # When to use something else
//!
//! The structure is a snapshot: it does not follow edits of the mesh. It holds about 56 bytes per triangle of a
//! closed surface.

use super::{Mesh, TriangleId};
use crate::base::Lists;

/// Names an undirected edge of one [`Adjacency`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(pub u32);

impl EdgeId {
    /// The id as an index into [`Adjacency::edges`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One side of one triangle: the directed edge from a corner to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeUse(u32);

impl EdgeUse {
    /// The triangle that uses the edge.
    #[inline]
    pub const fn triangle(self) -> TriangleId {
        TriangleId(self.0 / 3)
    }

    /// The corner, 0 to 2, from which the directed edge leaves.
    #[inline]
    #[must_use]
    pub const fn corner(self) -> usize {
        (self.0 % 3) as usize
    }

    /// The vertex from which the directed edge leaves, and the vertex where it ends.
    #[inline]
    #[must_use]
    pub fn ends(self, mesh: &Mesh) -> [u32; 2] {
        let corners = mesh.triangles()[self.triangle().index()];
        [corners[self.corner()], corners[(self.corner() + 1) % 3]]
    }
}

/// An undirected edge: the two vertices it joins and every use of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Edge<'a> {
    /// The vertices, the lower index first.
    pub ends: [u32; 2],
    /// Its uses by triangles, at least one, in the order of the triangles.
    pub uses: &'a [EdgeUse],
}

/// Edge, triangle and vertex neighbourhoods of a mesh, as it was when they were built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Adjacency {
    /// Ends of each edge, sorted.
    ends: Vec<[u32; 2]>,
    /// By edge.
    uses: Lists<EdgeUse>,
    /// The edge that leaves each corner of each triangle.
    edges_of_triangle: Vec<[EdgeId; 3]>,
    triangles_of_vertex: Lists<TriangleId>,
}

impl Adjacency {
    /// The neighbourhoods of a mesh.
    ///
    /// # Cost
    /// Linear, but for the sorting of the edges at each vertex.
    ///
    /// # Panics
    /// If the mesh has more than 1 431 655 764 triangles, whose sides 32-bit ids cannot name.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::{Adjacency, Mesh, TriangleId};
    /// let square = [DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
    /// let mesh = Mesh::new(square.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    /// let adjacency = Adjacency::build(&mesh);
    /// assert!(adjacency.neighbours(TriangleId(0)).eq([TriangleId(1)]));
    /// let shared: Vec<_> = adjacency.edges().filter(|edge| edge.uses.len() == 2).collect();
    /// assert_eq!(shared[0].ends, [0, 2]);
    /// ```
    pub fn build(mesh: &Mesh) -> Self {
        assert!(mesh.triangle_count() < u32::MAX as usize / 3, "too many triangles for 32-bit edge ids");
        // A corner counts unless an earlier corner of its triangle names the same vertex.
        let corners = |(t, corners): (usize, &[u32; 3])| {
            let corners = *corners;
            let first = (0..3).filter(move |&c| !corners[..c].contains(&corners[c]));
            first.map(move |c| (corners[c], TriangleId(t as u32)))
        };
        let corners = mesh.triangles().iter().enumerate().flat_map(corners);
        let triangles_of_vertex = Lists::from_pairs(mesh.vertex_count(), corners);
        let sides = |(t, &[a, b, c]): (usize, &[u32; 3])| {
            let first = 3 * t as u32;
            let side = |a: u32, b: u32, corner: u32| (a.min(b), (a.max(b), EdgeUse(first + corner)));
            [side(a, b, 0), side(b, c, 1), side(c, a, 2)]
        };
        let sides = mesh.triangles().iter().enumerate().flat_map(sides);
        let mut rows = Lists::from_pairs(mesh.vertex_count(), sides);
        let mut edges_of_triangle = vec![[EdgeId(0); 3]; mesh.triangle_count()];
        let (mut ends, mut uses) = (Vec::new(), Lists::default());
        for low in 0..mesh.vertex_count() {
            let row = rows.list_mut(low);
            row.sort_unstable();
            for same in row.chunk_by(|one, next| one.0 == next.0) {
                let id = EdgeId(ends.len() as u32);
                ends.push([low as u32, same[0].0]);
                uses.append(|all| all.extend(same.iter().map(|&(_, side)| side)));
                for &(_, side) in same {
                    edges_of_triangle[side.triangle().index()][side.corner()] = id;
                }
            }
        }
        ends.shrink_to_fit();
        uses.shrink_to_fit();
        Self { ends, uses, edges_of_triangle, triangles_of_vertex }
    }

    /// All undirected edges in the order of their ids: by lower, then by higher vertex.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = Edge<'_>> {
        (0..self.ends.len() as u32).map(|e| self.edge(EdgeId(e)))
    }

    /// An edge by its id. Panics if there is no such edge.
    #[inline]
    pub fn edge(&self, id: EdgeId) -> Edge<'_> {
        let e = id.index();
        Edge { ends: self.ends[e], uses: self.uses.list(e) }
    }

    /// The edges of every triangle: the one that leaves corner 0, corner 1, corner 2.
    #[inline]
    #[must_use]
    pub fn edges_of_triangles(&self) -> &[[EdgeId; 3]] {
        &self.edges_of_triangle
    }

    /// The triangles across each of the three edges, edge by edge; all of them where an edge has more than two.
    /// A triangle that shares two edges comes twice. Panics if there is no such triangle.
    pub fn neighbours(&self, triangle: TriangleId) -> impl Iterator<Item = TriangleId> + '_ {
        let edges = self.edges_of_triangle[triangle.index()].into_iter();
        let all = edges.flat_map(|edge| self.edge(edge).uses).map(|other| other.triangle());
        all.filter(move |&other| other != triangle)
    }

    /// The triangles that name a vertex, in order, each once. Panics if there is no such vertex.
    #[inline]
    pub fn triangles_of_vertex(&self, vertex: u32) -> &[TriangleId] {
        self.triangles_of_vertex.list(vertex as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::DVec3;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn mesh(vertices: usize, triangles: &[[u32; 3]]) -> Mesh {
        Mesh::new(vec![DVec3::ZERO; vertices], triangles.to_vec()).unwrap()
    }

    type Side = (u32, usize);

    fn listed(adjacency: &Adjacency) -> Vec<([u32; 2], Vec<Side>)> {
        let sides = |uses: &[EdgeUse]| uses.iter().map(|u| (u.triangle().0, u.corner())).collect();
        adjacency.edges().map(|edge| (edge.ends, sides(edge.uses))).collect()
    }

    /// Edges and vertices by ordered maps, straight from the definitions.
    fn check_against_definition(mesh: &Mesh) {
        let mut edges: BTreeMap<[u32; 2], Vec<Side>> = BTreeMap::new();
        let mut vertices: Vec<BTreeSet<TriangleId>> = vec![BTreeSet::new(); mesh.vertex_count()];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            for c in 0..3 {
                let (a, b) = (corners[c], corners[(c + 1) % 3]);
                edges.entry([a.min(b), a.max(b)]).or_default().push((t as u32, c));
                vertices[corners[c] as usize].insert(TriangleId(t as u32));
            }
        }
        let adjacency = Adjacency::build(mesh);
        assert_eq!(listed(&adjacency), edges.clone().into_iter().collect::<Vec<_>>());
        assert_eq!(adjacency.edges().len(), edges.len());
        for (v, triangles) in vertices.iter().enumerate() {
            assert!(adjacency.triangles_of_vertex(v as u32).iter().eq(triangles));
        }
        for (t, corners) in mesh.triangles().iter().enumerate() {
            let t = TriangleId(t as u32);
            let mut expected = Vec::new();
            for c in 0..3 {
                let ends = [corners[c], corners[(c + 1) % 3]];
                let mut sorted = ends;
                sorted.sort_unstable();
                let edge = adjacency.edge(adjacency.edges_of_triangles()[t.index()][c]);
                assert_eq!(edge.ends, sorted);
                assert!(edge.uses.iter().any(|u| u.triangle() == t && u.ends(mesh) == ends));
                expected.extend(edges[&sorted].iter().map(|s| TriangleId(s.0)).filter(|&other| other != t));
            }
            assert!(adjacency.neighbours(t).eq(expected));
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition_on_any_soup(
            triangles in proptest::collection::vec([0..9_u32, 0..9_u32, 0..9_u32], 0..40)
        ) {
            check_against_definition(&mesh(9, &triangles));
        }
    }

    #[test]
    fn an_edge_of_three_triangles_lists_all_of_them() {
        let fan = mesh(5, &[[0, 1, 2], [1, 0, 3], [4, 0, 1]]);
        let adjacency = Adjacency::build(&fan);
        assert_eq!(listed(&adjacency)[0], ([0, 1], vec![(0, 0), (1, 0), (2, 1)]));
        assert!(adjacency.neighbours(TriangleId(0)).eq([TriangleId(1), TriangleId(2)]));
        let across = adjacency.edges_of_triangles()[0][1];
        assert_eq!(adjacency.edge(across).uses.len(), 1);
        assert_eq!(adjacency.triangles_of_vertex(4), [TriangleId(2)]);
    }

    #[test]
    fn a_repeated_vertex_makes_an_edge_to_itself() {
        let adjacency = Adjacency::build(&mesh(2, &[[0, 0, 1], [1, 1, 1]]));
        assert_eq!(
            listed(&adjacency),
            [([0, 0], vec![(0, 0)]), ([0, 1], vec![(0, 1), (0, 2)]), ([1, 1], vec![(1, 0), (1, 1), (1, 2)])]
        );
        assert_eq!(adjacency.triangles_of_vertex(1), [TriangleId(0), TriangleId(1)]);
        assert!(adjacency.neighbours(TriangleId(0)).next().is_none());
    }

    #[test]
    fn an_empty_mesh_and_unused_vertices_have_no_neighbours() {
        assert_eq!(Adjacency::build(&mesh(0, &[])).edges().len(), 0);
        let adjacency = Adjacency::build(&mesh(3, &[]));
        assert_eq!(adjacency.edges().len(), 0);
        assert!(adjacency.triangles_of_vertex(2).is_empty());
    }
}
