//! A mesh whose positions and triangles are borrowed from the caller.

use super::triangles::{Mesh, MeshError, check_parts};
use crate::geom::{DVec3, Triangle};

/// Positions and triangles of the caller's, checked and not copied: a body for queries that are asked once.
///
/// ```
/// use fracas::{Finder, MeshRef, geom::DVec3};
/// // What a solver has in its own arrays.
/// let positions = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.2, 0.2, -1.0), DVec3::new(0.2, 0.2, 1.0), DVec3::ONE];
/// let triangles = [[0, 1, 2], [3, 4, 5]];
/// let soup = MeshRef::new(&positions, &triangles)?;
/// assert_eq!(Finder::default().find_self_pairs(soup).len(), 1);
/// # Ok::<(), fracas::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshRef<'a> {
    positions: &'a [DVec3],
    triangles: &'a [[u32; 3]],
}

impl<'a> MeshRef<'a> {
    /// A mesh of the given positions and triangles; triangle `i` has the id `i`.
    ///
    /// # Errors
    /// As [`Mesh::new`].
    ///
    /// # Cost
    /// One pass over both. Nothing is copied.
    pub fn new(positions: &'a [DVec3], triangles: &'a [[u32; 3]]) -> Result<Self, MeshError> {
        check_parts(positions, triangles)?;
        Ok(Self { positions, triangles })
    }

    /// Positions of the vertices.
    #[inline]
    pub fn positions(&self) -> &'a [DVec3] {
        self.positions
    }

    /// Vertex indices of the triangles.
    #[inline]
    pub fn triangles(&self) -> &'a [[u32; 3]] {
        self.triangles
    }

    /// The corners of a triangle in space. Panics if the mesh has no such triangle.
    #[inline]
    pub(crate) fn triangle(&self, index: usize) -> Triangle {
        let [a, b, c] = self.triangles[index].map(|v| self.positions[v as usize]);
        Triangle::new(a, b, c)
    }
}

impl<'a> From<&'a Mesh> for MeshRef<'a> {
    fn from(mesh: &'a Mesh) -> Self {
        Self { positions: mesh.positions(), triangles: mesh.triangles() }
    }
}
