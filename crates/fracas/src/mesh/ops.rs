//! Meshes made from meshes: subdivided, joined, moved, turned inside out.
//!
//! Every operation leaves its input alone and says where each triangle and vertex of the result comes from. None
//! can make a mesh that [`Mesh::new`] would refuse: what overflows is returned as an error.

use super::triangles::check_count;
use super::{Adjacency, Mesh, MeshError};
use crate::geom::{DAffine3, DVec3, Pose};

impl Mesh {
    /// Each triangle cut into four at the midpoints of its edges. Triangles that shared an edge share its midpoint.
    ///
    /// Old vertices keep their indices. Triangle `t` becomes the triangles `4 t` to `4 t + 3`: those at its three
    /// corners in order, then the middle one. All keep its orientation.
    ///
    /// # Errors
    /// [`MeshError::TooMany`] if the result would have more triangles or vertices than ids.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::Mesh;
    /// let corners = vec![DVec3::ZERO, 2.0 * DVec3::X, 2.0 * DVec3::Y];
    /// let fine = Mesh::new(corners, vec![[0, 1, 2]]).unwrap().subdivided().unwrap();
    /// assert_eq!((fine.vertex_count(), fine.triangle_count()), (6, 4));
    /// assert!(fine.positions().contains(&(DVec3::X + DVec3::Y)));
    /// ```
    pub fn subdivided(&self) -> Result<Self, MeshError> {
        check_count("triangles", 4 * self.triangle_count())?;
        let adjacency = Adjacency::build(self);
        let vertices = self.vertex_count();
        let count = vertices + adjacency.edges().len();
        check_count("vertices", count)?;
        let mut positions = Vec::with_capacity(count);
        positions.extend_from_slice(self.positions());
        // Halved before they are added, so that the sum cannot overflow.
        positions.extend(adjacency.edges().map(|edge| {
            let [a, b] = edge.ends.map(|v| 0.5 * self.positions()[v as usize]);
            a + b
        }));
        let mut triangles = Vec::with_capacity(4 * self.triangle_count());
        for (&[a, b, c], edges) in self.triangles().iter().zip(adjacency.edges_of_triangles()) {
            let [ab, bc, ca] = edges.map(|e| (vertices + e.index()) as u32);
            triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        Self::new(positions, triangles)
    }

    /// All the meshes as one, their vertices and triangles one after another. Nothing is merged.
    ///
    /// # Errors
    /// [`MeshError::TooMany`] if together they have more triangles or vertices than ids.
    pub fn join<'a>(meshes: impl IntoIterator<Item = &'a Self>) -> Result<Self, MeshError> {
        let meshes: Vec<&Self> = meshes.into_iter().collect();
        let total = |count: fn(&Self) -> usize| meshes.iter().map(|mesh| count(mesh)).sum::<usize>();
        let (vertices, count) = (total(Self::vertex_count), total(Self::triangle_count));
        check_count("vertices", vertices)?;
        let mut positions = Vec::with_capacity(vertices);
        let mut triangles = Vec::with_capacity(count);
        for mesh in meshes {
            let first = positions.len() as u32;
            positions.extend_from_slice(mesh.positions());
            triangles.extend(mesh.triangles().iter().map(|corners| corners.map(|v| first + v)));
        }
        Self::new(positions, triangles)
    }

    /// Every position sent through an affine map; the triangles stay as they are.
    ///
    /// A map that mirrors turns a closed mesh inside out; [`Mesh::flipped`] turns it back.
    ///
    /// # Errors
    /// The first vertex whose image is not finite.
    pub fn transformed(&self, map: &DAffine3) -> Result<Self, MeshError> {
        self.with_positions(|p| map.transform_point3(p))
    }

    /// Every position moved by [`Pose::apply`]: the very points that exact queries with that pose are about.
    ///
    /// # Errors
    /// The first vertex whose image is not finite.
    pub fn posed(&self, pose: &Pose) -> Result<Self, MeshError> {
        self.with_positions(|p| pose.apply(p))
    }

    /// Every triangle turned over: its last two corners exchanged.
    pub fn flipped(&self) -> Self {
        let (positions, mut triangles) = self.clone().into_parts();
        for corners in &mut triangles {
            corners.swap(1, 2);
        }
        Self::new(positions, triangles).expect("the same positions and vertices as a valid mesh")
    }

    fn with_positions(&self, image: impl Fn(DVec3) -> DVec3) -> Result<Self, MeshError> {
        Self::new(self.positions().iter().map(|&p| image(p)).collect(), self.triangles().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::DQuat;
    use crate::mesh::TriangleId;

    fn square() -> Mesh {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let positions = corners.map(|[x, y]| DVec3::new(x, y, 0.0)).to_vec();
        Mesh::new(positions, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
    }

    #[test]
    fn subdivision_shares_midpoints_and_keeps_orientation() {
        let coarse = square();
        let fine = coarse.subdivided().unwrap();
        assert_eq!((fine.vertex_count(), fine.triangle_count()), (4 + 5, 8));
        assert_eq!(fine.positions()[..4], coarse.positions()[..]);
        for t in 0..8 {
            let area = fine.triangle(TriangleId(t)).area_vector();
            assert_eq!(area, DVec3::new(0.0, 0.0, 0.25), "triangle {t}");
        }
        let centre = fine.positions().iter().filter(|p| **p == DVec3::new(0.5, 0.5, 0.0)).count();
        assert_eq!(centre, 1, "the midpoint of the shared edge exists once");
        assert_eq!(fine.triangles()[0][0], 0);
        assert_eq!(fine.triangles()[5][1], 2, "triangle 1 has vertex 2 at its corner 1");
    }

    #[test]
    fn subdivision_survives_the_largest_coordinates_and_repeated_vertices() {
        let p = vec![DVec3::splat(f64::MAX), DVec3::new(f64::MAX, 0.0, 0.0), DVec3::ZERO];
        let fine = Mesh::new(p, vec![[0, 1, 2], [0, 0, 2]]).unwrap().subdivided().unwrap();
        assert_eq!(fine.triangle_count(), 8);
        assert!(Mesh::default().subdivided().unwrap().positions().is_empty());
    }

    #[test]
    fn joined_meshes_keep_their_order() {
        let a = square();
        let b = a.posed(&Pose::from_translation(5.0 * DVec3::Z).unwrap()).unwrap();
        let joined = Mesh::join([&a, &Mesh::default(), &b]).unwrap();
        assert_eq!(joined.triangles(), [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]);
        assert_eq!(joined.positions()[..4], a.positions()[..]);
        assert_eq!(joined.positions()[4..], b.positions()[..]);
        assert_eq!(Mesh::join([]).unwrap(), Mesh::default());
    }

    #[test]
    fn moving_agrees_with_the_pose_and_refuses_overflow() {
        let pose = Pose::new(DQuat::from_rotation_y(0.3), DVec3::new(1.0, 2.0, 3.0)).unwrap();
        let moved = square().posed(&pose).unwrap();
        assert!(moved.positions().iter().zip(square().positions()).all(|(q, p)| *q == pose.apply(*p)));
        let grow = DAffine3::from_scale_rotation_translation(
            DVec3::new(1.0, f64::MAX, 1.0),
            DQuat::IDENTITY,
            DVec3::splat(f64::MAX),
        );
        assert!(matches!(square().transformed(&grow), Err(MeshError::NotFinite { vertex: 2, .. })));
    }

    #[test]
    fn flipping_reverses_every_triangle_and_twice_is_nothing() {
        let flipped = square().flipped();
        assert_eq!(flipped.triangles(), [[0, 2, 1], [0, 3, 2]]);
        assert_eq!(flipped.flipped(), square());
    }
}
