//! A triangle mesh: positions, and triangles that name them by index.

use crate::base::parallel::{self, CHUNK};
use crate::geom::{Box3, DVec3, Triangle};

/// Names a triangle of one mesh. While the mesh lives, the id is never given to another triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[must_use]
pub struct TriangleId(pub u32);

impl TriangleId {
    /// The id as an index into [`Mesh::triangles`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why positions and triangles are not a valid mesh. Names the first offender.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite: ({}, {}, {})", position.x, position.y, position.z)]
    NotFinite {
        /// Index of the first such vertex.
        vertex: usize,
        /// Its position.
        position: DVec3,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but there are {vertices} vertices")]
    NoSuchVertex {
        /// Index of the first such triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// New positions for a mesh with another number of vertices.
    #[error("{given} positions were given for a mesh of {expected} vertices; there must be one for each")]
    WrongVertexCount {
        /// Vertices of the mesh.
        expected: usize,
        /// Positions given.
        given: usize,
    },
    /// More triangles or vertices than ids.
    #[error("{count} {what} are more than the {limit} that there can be")]
    TooMany {
        /// `"vertices"`, `"triangles"` or `"triangle slots"`.
        what: &'static str,
        /// How many were given.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
}

/// A triangle mesh or soup: closed or open, manifold or not, degenerate triangles allowed.
///
/// Two triangles are neighbours if they name the same vertex *index*. Vertices at equal positions with different
/// indices are different vertices; [`Mesh::merge_equal_vertices`] makes them one.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Mesh {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// A mesh from positions and triangles, which keep their order: triangle `i` gets the id `i`.
    ///
    /// # Errors
    /// The first vertex with a NaN or infinite coordinate, or else the first triangle that names a vertex that is
    /// not there.
    ///
    /// ```
    /// use fracas::mesh::{Mesh, MeshError};
    /// use fracas::geom::DVec3;
    /// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    /// assert!(Mesh::new(corners.clone(), vec![[0, 1, 2]]).is_ok());
    /// assert!(matches!(
    ///     Mesh::new(corners, vec![[0, 1, 3]]),
    ///     Err(MeshError::NoSuchVertex { triangle: 0, vertex: 3, vertices: 3 })
    /// ));
    /// ```
    pub fn new(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        check_parts(&positions, &triangles)?;
        Ok(Self { positions, triangles })
    }

    /// Positions of the vertices.
    #[inline]
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Vertex indices of the triangles.
    #[inline]
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Number of vertices, whether a triangle names them or not.
    #[inline]
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Number of triangles.
    #[inline]
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// The corners of a triangle in space. Panics if the mesh has no such triangle.
    #[inline]
    pub fn triangle(&self, id: TriangleId) -> Triangle {
        let [a, b, c] = self.triangles[id.index()].map(|v| self.positions[v as usize]);
        Triangle::new(a, b, c)
    }

    /// The exact box around all triangles; vertices that no triangle names do not count. Empty without triangles.
    pub fn bounds(&self) -> Box3 {
        self.bounds_with(true)
    }

    /// The same, on all threads or on one.
    pub(crate) fn bounds_with(&self, parallel: bool) -> Box3 {
        let of = |chunk: &[[u32; 3]]| {
            Box3::from_points(chunk.iter().flatten().map(|&v| self.positions[v as usize]))
        };
        if self.triangles.len() <= 2 * CHUNK || parallel::threads(parallel) == 1 {
            let boxes = self.triangles.chunks(CHUNK).map(of);
            return boxes.fold(Box3::EMPTY, |all, next| all.union(&next));
        }
        let boxes = parallel::map(true, self.triangles.chunks(CHUNK), of);
        boxes.into_iter().fold(Box3::EMPTY, |all, next| all.union(&next))
    }

    /// Replaces all positions by as many others, if they are finite.
    pub(crate) fn swap_positions(&mut self, positions: Vec<DVec3>) -> Result<(), MeshError> {
        debug_assert_eq!(positions.len(), self.positions.len());
        check_finite(&positions)?;
        self.positions = positions;
        Ok(())
    }

    /// Moves every vertex; the triangles stay.
    ///
    /// # Errors
    /// A wrong number of positions, or the first one that is not finite. The mesh is then unchanged.
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<(), MeshError> {
        replace_positions(&mut self.positions, positions)
    }

    /// Merges vertices at the same position into the first of them. Triangles keep their ids.
    ///
    /// Positions count as the same if their coordinates are equal as numbers, so `-0.0` merges with `0.0`.
    /// Vertices that are no longer named stay, so vertex indices do not change either. Returns how many
    /// vertices were replaced.
    pub fn merge_equal_vertices(&mut self) -> usize {
        let mut order: Vec<u32> = (0..self.positions.len() as u32).collect();
        // Adding zero turns -0.0 into 0.0, so that equal numbers have equal bits.
        let key = |v: u32| self.positions[v as usize].to_array().map(|x| (x + 0.0).to_bits());
        order.sort_unstable_by_key(|&v| (key(v), v));
        let mut first_at: Vec<u32> = (0..self.positions.len() as u32).collect();
        let mut replaced = 0;
        for pair in order.windows(2) {
            if key(pair[0]) == key(pair[1]) {
                first_at[pair[1] as usize] = first_at[pair[0] as usize];
                replaced += 1;
            }
        }
        for corner in self.triangles.iter_mut().flatten() {
            *corner = first_at[*corner as usize];
        }
        replaced
    }

    /// The positions and triangles, given back.
    #[must_use]
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        (self.positions, self.triangles)
    }
}

/// Checks that positions and triangles make a mesh.
pub(super) fn check_parts(positions: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    check_count("vertices", positions.len())?;
    check_count("triangles", triangles.len())?;
    check_finite(positions)?;
    check_corners(triangles, positions.len())
}

/// How many triangles a thread takes at a time.
const TRIANGLES_AT_A_TIME: usize = 1 << 14;

/// Checks that triangles name vertices that are there. Long lists are checked on all threads.
fn check_corners(triangles: &[[u32; 3]], vertices: usize) -> Result<(), MeshError> {
    // No way out of the loop: all corners of a chunk are looked at, several at a time.
    let largest = |chunk: &[[u32; 3]]| chunk.as_flattened().iter().fold(0, |largest, &v| v.max(largest));
    let is_there = |largest: u32| (largest as usize) < vertices;
    let chunks = triangles.chunks(TRIANGLES_AT_A_TIME);
    let is_sound = if triangles.len() > 2 * TRIANGLES_AT_A_TIME && parallel::threads(true) > 1 {
        parallel::map(true, chunks, largest).into_iter().all(is_there)
    } else {
        chunks.map(largest).all(is_there)
    };
    if is_sound {
        return Ok(());
    }
    let mut corners = (0..).zip(triangles).flat_map(|(triangle, corners)| corners.map(|v| (triangle, v)));
    let bad = corners.find(|&(_, vertex)| vertex as usize >= vertices);
    bad.map_or(Ok(()), |(triangle, vertex)| Err(MeshError::NoSuchVertex { triangle, vertex, vertices }))
}

/// Checks that there are ids for this many. The last id is kept free, so that structures may use it to mean "none".
pub(super) fn check_count(what: &'static str, count: usize) -> Result<(), MeshError> {
    let limit = u32::MAX as usize - 1;
    if count <= limit { Ok(()) } else { Err(MeshError::TooMany { what, count, limit }) }
}

/// Copies new positions over old ones, if there are as many and all are finite.
pub(super) fn replace_positions(old: &mut [DVec3], new: &[DVec3]) -> Result<(), MeshError> {
    let (expected, given) = (old.len(), new.len());
    if given != expected {
        return Err(MeshError::WrongVertexCount { expected, given });
    }
    check_finite(new)?;
    parallel::copy(true, new, old);
    Ok(())
}

/// Checks that all coordinates are finite. Long lists are checked on all threads.
pub(crate) fn check_finite(positions: &[DVec3]) -> Result<(), MeshError> {
    // No way out of the loop: all coordinates of a chunk are looked at, several at a time.
    let is_finite = |chunk: &[DVec3]| chunk.iter().fold(true, |all, p| all & p.is_finite());
    let is_sound = if positions.len() > 2 * CHUNK && parallel::threads(true) > 1 {
        parallel::map(true, positions.chunks(CHUNK), is_finite).into_iter().all(|sound| sound)
    } else {
        positions.chunks(CHUNK).all(is_finite)
    };
    if is_sound {
        return Ok(());
    }
    let bad = positions.iter().position(|p| !p.is_finite());
    bad.map_or(Ok(()), |vertex| Err(MeshError::NotFinite { vertex, position: positions[vertex] }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Mesh {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let positions = corners.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec();
        Mesh::new(positions, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    }

    #[test]
    fn names_the_first_vertex_that_is_not_finite() {
        let positions = vec![DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0), DVec3::splat(f64::INFINITY)];
        let error = Mesh::new(positions, vec![[0, 1, 9]]).unwrap_err();
        assert!(matches!(error, MeshError::NotFinite { vertex: 1, .. }));
        assert_eq!(error.to_string(), "vertex 1 has a coordinate that is not finite: (0, NaN, 0)");
    }

    #[test]
    fn names_the_first_triangle_with_a_missing_vertex() {
        let error = Mesh::new(vec![DVec3::ZERO; 3], vec![[0, 1, 2], [0, 7, 8], [9, 9, 9]]).unwrap_err();
        assert_eq!(error, MeshError::NoSuchVertex { triangle: 1, vertex: 7, vertices: 3 });
        assert_eq!(error.to_string(), "triangle 1 names vertex 7, but there are 3 vertices");
    }

    #[test]
    fn the_first_missing_vertex_of_a_long_list_is_named() {
        let count = 5 * TRIANGLES_AT_A_TIME + 3;
        for first in [0, TRIANGLES_AT_A_TIME - 1, TRIANGLES_AT_A_TIME, 3 * TRIANGLES_AT_A_TIME + 7, count - 1]
        {
            let mut triangles = vec![[0, 1, 2]; count];
            triangles[count - 1][0] = 9;
            triangles[first] = [0, 7, 8];
            let error = Mesh::new(vec![DVec3::ZERO; 3], triangles).unwrap_err();
            assert_eq!(error, MeshError::NoSuchVertex { triangle: first, vertex: 7, vertices: 3 });
        }
        assert!(Mesh::new(vec![DVec3::ZERO; 3], vec![[0, 1, 2]; count]).is_ok());
        assert!(Mesh::new(vec![], vec![[0, 0, 0]]).is_err());
    }

    #[test]
    fn a_failed_move_changes_nothing() {
        let mut mesh = square();
        let before = mesh.clone();
        assert!(matches!(
            mesh.set_positions(&[DVec3::ZERO]),
            Err(MeshError::WrongVertexCount { expected: 4, given: 1 })
        ));
        let bad = [DVec3::ONE, DVec3::ONE, DVec3::NAN, DVec3::ONE];
        assert!(matches!(mesh.set_positions(&bad), Err(MeshError::NotFinite { vertex: 2, .. })));
        assert_eq!(mesh, before);
    }

    #[test]
    fn the_first_bad_position_of_a_long_list_is_named() {
        let positions = vec![DVec3::ONE; 5 * CHUNK + 3];
        let mut mesh = Mesh::new(positions.clone(), vec![[0, 1, 2]]).unwrap();
        for first in [0, CHUNK - 1, CHUNK, 3 * CHUNK + 7, positions.len() - 1] {
            let mut bad = vec![DVec3::ZERO; positions.len()];
            bad[positions.len() - 1].z = f64::INFINITY;
            bad[first].y = f64::NAN;
            let error = mesh.set_positions(&bad).unwrap_err();
            assert!(matches!(error, MeshError::NotFinite { vertex, .. } if vertex == first), "{error}");
            assert_eq!(mesh.positions(), positions);
        }
    }

    #[test]
    fn merging_keeps_triangle_ids_and_vertex_indices() {
        let p = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(-0.0, 0.0, 0.0), DVec3::Y, DVec3::NEG_X];
        let mut soup = Mesh::new(p.to_vec(), vec![[0, 1, 2], [3, 4, 5]]).unwrap();
        assert_eq!(soup.merge_equal_vertices(), 2);
        assert_eq!(soup.triangles(), [[0, 1, 2], [0, 2, 5]]);
        assert_eq!(soup.vertex_count(), 6);
        assert_eq!(soup.merge_equal_vertices(), 2, "the unused copies are still there");
        assert_eq!(soup.triangles(), [[0, 1, 2], [0, 2, 5]]);
    }

    #[test]
    fn empty_mesh_is_legal() {
        let mut empty = Mesh::new(vec![], vec![]).unwrap();
        assert!(empty.bounds().is_empty());
        assert_eq!(empty.merge_equal_vertices(), 0);
        assert_eq!(empty.set_positions(&[]), Ok(()));
    }
}
