//! How well tetrahedra are shaped: the angles between their faces.

use super::{EDGES, FACES, TetMesh};

/// The smallest and the largest angle between two faces of a tetrahedron, in degrees, over a whole mesh.
///
/// Angles near 0° or 180° belong to slivers, which spoil interpolation and break into needles. In a regular tetrahedron all
/// six are 70.5°.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DihedralAngles {
    /// The smallest; 180 for an empty mesh.
    pub smallest: f64,
    /// The largest; 0 for an empty mesh.
    pub largest: f64,
}

impl DihedralAngles {
    /// The angles of a mesh, rounded.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::tets::{DihedralAngles, brick};
    /// let angles = DihedralAngles::of(&brick(DVec3::ONE, [3, 3, 3]));
    /// assert!(angles.smallest > 44.9 && angles.largest < 120.1);
    /// ```
    #[must_use]
    pub fn of(mesh: &TetMesh) -> Self {
        let mut found = Self { smallest: 180.0, largest: 0.0 };
        for tet in 0..mesh.tet_count() {
            let corners = mesh.corners(tet);
            let normals = FACES.map(|face| {
                let [a, b, c] = face.map(|k| corners[k]);
                (b - a).cross(c - a).normalize_or_zero()
            });
            // Faces k and l meet in the edge between the other two corners.
            for [k, l] in EDGES {
                let angle = 180.0 - normals[k].dot(normals[l]).clamp(-1.0, 1.0).acos().to_degrees();
                found.smallest = found.smallest.min(angle);
                found.largest = found.largest.max(angle);
            }
        }
        found
    }
}
