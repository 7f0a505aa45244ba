//! A tetrahedral mesh: positions, and tetrahedra that name four of them by index.
//!
//! A body that breaks is known inside as well as on its surface. Its corners are called *nodes*, to tell them from the
//! vertices of a surface.
//!
//! # Conventions
//!
//! ```text
//!          d             Corners a b c d are in order if (b − a) × (c − a) · (d − a) > 0: seen from d,
//!         ╱│╲            a b c runs counter-clockwise.
//!        ╱ │ ╲           Face k lies opposite corner k and runs counter-clockwise seen from outside:
//!       a──┼──c            face 0: b c d    face 1: a d c    face 2: a b d    face 3: a c b
//!        ╲ │ ╱           Edge k joins the corners  0 1 · 0 2 · 0 3 · 1 2 · 1 3 · 2 3.
//!          b
//! ```
//!
//! # Invariants
//!
//! Positions are finite, corners are nodes that exist, and every tetrahedron is in order, decided exactly. Nodes that no
//! tetrahedron names are legal. How tetrahedra meet is checked by [`TetAdjacency::build`].
//!
//! # Where they come from
//!
//! Files (the crate `fracas-io`), [`brick`] for blocks, [`crate::fill`] for the inside of a closed surface or of a signed
//! distance.

mod adjacency;
mod boundary;
mod brick;
pub(crate) mod lattice;
mod quality;

pub use adjacency::TetAdjacency;
pub use boundary::Boundary;
pub use brick::brick;
pub use quality::DihedralAngles;

use crate::exact::{Sign, orient3d};
use crate::geom::{Box3, DVec3};

/// Corners of the faces of a tetrahedron: face k lies opposite corner k, counter-clockwise seen from outside.
pub const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Corners of the edges of a tetrahedron.
pub const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Why positions and tetrahedra do not make a mesh. The first offender is named.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TetError {
    /// A coordinate is NaN or infinite.
    #[error("node {node} has a coordinate that is not finite: ({}, {}, {})", position.x, position.y, position.z)]
    NotFinite {
        /// Index of the first such node.
        node: usize,
        /// Its position.
        position: DVec3,
    },
    /// A tetrahedron names a node that is not there.
    #[error("tetrahedron {tet} names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// Index of the first such tetrahedron.
        tet: usize,
        /// The node it names.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// The four corners lie in a plane, exactly.
    #[error("tetrahedron {tet} has no volume")]
    Degenerate {
        /// Index of the first such tetrahedron.
        tet: usize,
    },
    /// The corners are in the wrong order: the tetrahedron is inside out.
    #[error("tetrahedron {tet} is inverted")]
    Inverted {
        /// Index of the first such tetrahedron.
        tet: usize,
    },
    /// Three or more tetrahedra have a face in common.
    #[error("tetrahedra {}, {} and {} share a face", tets[0], tets[1], tets[2])]
    CrowdedFace {
        /// The first three of them.
        tets: [usize; 3],
    },
    /// Two tetrahedra lie on the same side of the face they share.
    #[error("tetrahedra {} and {} lie on the same side of their common face", tets[0], tets[1])]
    Folded {
        /// Both of them.
        tets: [usize; 2],
    },
    /// More nodes or tetrahedra than ids.
    #[error("{count} {what} are more than the {limit} that ids can name")]
    TooMany {
        /// `"nodes"` or `"tetrahedra"`.
        what: &'static str,
        /// How many were given.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// No tetrahedra where some are needed.
    #[error("the mesh has no tetrahedra")]
    Empty,
}

/// A tetrahedral mesh whose tetrahedra all have positive volume.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct TetMesh {
    positions: Vec<DVec3>,
    tets: Vec<[u32; 4]>,
}

impl TetMesh {
    /// A mesh from positions and tetrahedra, which keep their order.
    ///
    /// # Errors
    /// The first node that is not finite, or else the first tetrahedron that names a node that is not there, has no
    /// volume, or is inverted. Volume is decided exactly.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::tets::{TetError, TetMesh};
    /// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let mesh = TetMesh::new(corners.clone(), vec![[0, 1, 2, 3]]).unwrap();
    /// assert!((mesh.total_volume() - 1.0 / 6.0).abs() < 1e-15);
    /// assert_eq!(TetMesh::new(corners, vec![[0, 2, 1, 3]]), Err(TetError::Inverted { tet: 0 }));
    /// ```
    pub fn new(positions: Vec<DVec3>, tets: Vec<[u32; 4]>) -> Result<Self, TetError> {
        Self::checked(positions, tets, |tet, _| Err(TetError::Inverted { tet }))
    }

    /// The same for tetrahedra in any order: inverted ones have their last two corners exchanged. Says how many had.
    ///
    /// # Errors
    /// As [`TetMesh::new`], but for [`TetError::Inverted`].
    pub fn oriented(positions: Vec<DVec3>, tets: Vec<[u32; 4]>) -> Result<(Self, usize), TetError> {
        let mut turned = 0;
        let mesh = Self::checked(positions, tets, |_, corners| {
            corners.swap(2, 3);
            turned += 1;
            Ok(())
        })?;
        Ok((mesh, turned))
    }

    /// Checks positions and tetrahedra, and calls a function for each tetrahedron that is inverted.
    fn checked(
        positions: Vec<DVec3>,
        mut tets: Vec<[u32; 4]>,
        mut on_inverted: impl FnMut(usize, &mut [u32; 4]) -> Result<(), TetError>,
    ) -> Result<Self, TetError> {
        check_names(&positions, &tets)?;
        for (tet, corners) in tets.iter_mut().enumerate() {
            let [a, b, c, d] = corners.map(|node| positions[node as usize]);
            match orient3d(a, b, c, d) {
                Sign::Positive => {}
                Sign::Zero => return Err(TetError::Degenerate { tet }),
                Sign::Negative => on_inverted(tet, corners)?,
            }
        }
        Ok(Self { positions, tets })
    }

    /// Positions of the nodes.
    #[inline]
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Node indices of the tetrahedra.
    #[inline]
    #[must_use]
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// Number of nodes, whether a tetrahedron names them or not.
    #[inline]
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.positions.len()
    }

    /// Number of tetrahedra.
    #[inline]
    #[must_use]
    pub fn tet_count(&self) -> usize {
        self.tets.len()
    }

    /// The corners of a tetrahedron in space. Panics if the mesh has no such tetrahedron.
    #[inline]
    #[must_use]
    pub fn corners(&self, tet: usize) -> [DVec3; 4] {
        self.tets[tet].map(|node| self.positions[node as usize])
    }

    /// The volume of all tetrahedra together, rounded.
    #[must_use]
    pub fn total_volume(&self) -> f64 {
        (0..self.tets.len()).map(|tet| volume(self.corners(tet))).sum()
    }

    /// The exact box around all tetrahedra; empty without any.
    pub fn bounds(&self) -> Box3 {
        Box3::from_points(self.tets.iter().flatten().map(|&node| self.positions[node as usize]))
    }

    /// The positions and tetrahedra, given back.
    #[must_use]
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 4]>) {
        (self.positions, self.tets)
    }
}

/// A sixth of (b − a) × (c − a) · (d − a).
#[inline]
pub(crate) fn volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a) / 6.0
}

fn check_names(positions: &[DVec3], tets: &[[u32; 4]]) -> Result<(), TetError> {
    // Faces and edges get ids of 32 bits too, and the last id means "none".
    let limits = [("nodes", positions.len(), u32::MAX as usize - 1), ("tetrahedra", tets.len(), 1 << 29)];
    for (what, count, limit) in limits {
        if count > limit {
            return Err(TetError::TooMany { what, count, limit });
        }
    }
    if let Some(node) = positions.iter().position(|p| !p.is_finite()) {
        return Err(TetError::NotFinite { node, position: positions[node] });
    }
    let nodes = positions.len();
    for (tet, corners) in tets.iter().enumerate() {
        if let Some(&node) = corners.iter().find(|&&node| node as usize >= nodes) {
            return Err(TetError::NoSuchNode { tet, node, nodes });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [DVec3; 5] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE];

    #[test]
    fn the_first_offender_is_named() {
        let new = |tets: &[[u32; 4]]| TetMesh::new(CORNERS.to_vec(), tets.to_vec()).unwrap_err().to_string();
        assert_eq!(new(&[[0, 1, 2, 3], [0, 1, 2, 9]]), "tetrahedron 1 names node 9, but there are 5 nodes");
        assert_eq!(new(&[[0, 1, 2, 3], [1, 2, 3, 3]]), "tetrahedron 1 has no volume");
        assert_eq!(new(&[[0, 1, 3, 2]]), "tetrahedron 0 is inverted");
        let mut bad = CORNERS.to_vec();
        bad[4].y = f64::NAN;
        let error = TetMesh::new(bad, vec![[0, 1, 2, 3]]).unwrap_err().to_string();
        assert_eq!(error, "node 4 has a coordinate that is not finite: (1, NaN, 1)");
    }

    #[test]
    fn a_sliver_is_told_from_a_flat_tetrahedron_exactly() {
        let mut corners = CORNERS[..3].to_vec();
        corners.push(DVec3::new(0.3, 0.3, 1e-300));
        assert!(TetMesh::new(corners.clone(), vec![[0, 1, 2, 3]]).is_ok());
        corners[3].z = 0.0;
        assert_eq!(TetMesh::new(corners, vec![[0, 1, 2, 3]]), Err(TetError::Degenerate { tet: 0 }));
    }

    #[test]
    fn any_order_can_be_put_right() {
        let (mesh, turned) = TetMesh::oriented(CORNERS.to_vec(), vec![[0, 1, 3, 2], [1, 2, 3, 4]]).unwrap();
        assert_eq!((mesh.tets(), turned), (&[[0, 1, 2, 3], [1, 2, 3, 4]][..], 1));
        assert!((mesh.total_volume() - 0.5).abs() < 1e-15);
    }

    #[test]
    fn faces_look_outward() {
        let mesh = TetMesh::new(CORNERS[..4].to_vec(), vec![[0, 1, 2, 3]]).unwrap();
        let corners = mesh.corners(0);
        for (k, face) in FACES.iter().enumerate() {
            let [a, b, c] = face.map(|i| corners[i]);
            assert!((b - a).cross(c - a).dot(corners[k] - a) < 0.0);
            assert!(!face.contains(&k));
        }
    }
}
