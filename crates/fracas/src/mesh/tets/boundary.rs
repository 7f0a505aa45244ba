//! The surface of a tetrahedral mesh.

use super::lattice::numbered;
use super::{FACES, TetAdjacency, TetMesh};
use crate::mesh::Mesh;

/// The faces that belong to one tetrahedron only, as a surface that looks outward.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Boundary {
    /// The surface; its vertices are the nodes on it, in order.
    pub mesh: Mesh,
    /// The node of each vertex.
    pub nodes: Vec<u32>,
    /// Tetrahedron and face of each triangle, sorted.
    pub faces: Vec<(u32, u8)>,
}

impl Boundary {
    /// The surface of a mesh whose neighbourhoods are known.
    ///
    /// It is closed and consistently oriented by index. Where parts of the body meet in a single edge or node, so does
    /// the surface.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::{Report, tets};
    /// let block = tets::brick(DVec3::new(1.0, 2.0, 3.0), [2, 4, 6]);
    /// let adjacency = tets::TetAdjacency::build(&block).unwrap();
    /// let surface = tets::Boundary::of(&block, &adjacency);
    /// let report = Report::of(&surface.mesh);
    /// assert!(report.closed && (report.volume.unwrap() - 6.0).abs() < 1e-12);
    /// ```
    pub fn of(mesh: &TetMesh, adjacency: &TetAdjacency) -> Self {
        let is_open =
            |&(tet, face): &(u32, u8)| adjacency.across(tet as usize)[face as usize] == TetAdjacency::NONE;
        let all = (0..mesh.tet_count() as u32).flat_map(|tet| (0..4).map(move |face| (tet, face)));
        let faces: Vec<(u32, u8)> = all.filter(is_open).collect();
        let corners = |&(tet, face): &(u32, u8)| FACES[face as usize].map(|k| mesh.tets()[tet as usize][k]);
        let (nodes, triangles) = numbered(&faces.iter().map(corners).collect::<Vec<[u32; 3]>>());
        let positions = nodes.iter().map(|&n| mesh.positions()[n as usize]).collect();
        let mesh = Mesh::new(positions, triangles).expect("nodes are finite and fewer than ids");
        Self { mesh, nodes, faces }
    }
}
