//! The surface of a fragment: a triangle mesh for rendering and exact pairs, normals, and sharp edges.

mod polygons;

pub(crate) use polygons::SurfacePolygons;

use crate::brittle::solid::sphere_tree::Key;
use crate::brittle::{BrittleBody, BrittleError, FragmentId, Solid, SphereTree};
use crate::geom::DVec3;
use crate::mesh::Mesh;

/// A sharp, convex edge of a fragment's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharpEdge {
    /// Its ends.
    pub ends: [DVec3; 2],
    /// For either of its faces, the unit vector from the edge into the face, square to the edge.
    pub into_faces: [DVec3; 2],
}

impl BrittleBody {
    /// The surface of a fragment, closed and facing outward, and for each triangle whether it lies on a crack.
    ///
    /// The two sides of a crack have corners at the same positions, up to rounding.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// # Cost
    /// Proportional to its surface.
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::{Report, tets::brick}};
    /// let solid = Solid::build(brick(DVec3::ONE, [3, 3, 3]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let (surface, is_crack) = body.surface(body.fragments().next().unwrap())?;
    /// assert!(Report::of(&surface).closed && is_crack.iter().all(|crack| !crack));
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn surface(&self, fragment: FragmentId) -> Result<(Mesh, Vec<bool>), BrittleError> {
        let known = self.fragment(fragment)?;
        let polygons = SurfacePolygons::of(self, known, fragment);
        let (mut triangles, is_crack): (Vec<[u32; 3]>, Vec<bool>) = polygons.triangles().unzip();
        // Points inside are no vertices.
        let mut vertex_of = vec![SphereTree::NONE; known.tree.points.len()];
        triangles.iter().flatten().for_each(|&point| vertex_of[point as usize] = 0);
        let mut positions = vec![];
        for (vertex, &point) in
            vertex_of.iter_mut().zip(&known.tree.points).filter(|(vertex, _)| **vertex == 0)
        {
            *vertex = positions.len() as u32;
            positions.push(point);
        }
        triangles.iter_mut().flatten().for_each(|corner| *corner = vertex_of[*corner as usize]);
        let mesh = Mesh::new(positions, triangles).expect("corners lie between finite nodes");
        Ok((mesh, is_crack))
    }

    /// For each point of a fragment's sphere tree the outward unit normal of the surface there, and the edges along which the
    /// surface is convex and turns by more than an angle, given by its cosine `least_turn`.
    ///
    /// Points inside have the normal zero. Where facets meet, the normal is their mean by angle: at the corner of a cube it points
    /// along the diagonal. Edges matter for contacts where vertices alone would let two bodies sink into each other.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// # Cost
    /// As [`BrittleBody::surface`].
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::tets::brick};
    /// let solid = Solid::build(brick(DVec3::ONE, [2, 2, 2]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let cube = body.fragments().next().unwrap();
    /// let (normals, edges) = body.surface_features(cube, 0.9)?;
    /// for (p, normal) in body.fragment(cube)?.tree().points().iter().zip(normals) {
    ///     let is_outside = p.abs().max_element() == 0.5;
    ///     assert!(normal.distance(if is_outside { p.normalize() } else { DVec3::ZERO }) < 1e-7);
    /// }
    /// let total: f64 = edges.iter().map(|edge| edge.ends[0].distance(edge.ends[1])).sum();
    /// assert_eq!(edges.len(), 12 * 2);
    /// assert!((total - 12.0).abs() < 1e-12, "the twelve edges of a cube");
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn surface_features(
        &self,
        fragment: FragmentId,
        least_turn: f64,
    ) -> Result<(Vec<DVec3>, Vec<SharpEdge>), BrittleError> {
        let known = self.fragment(fragment)?;
        let polygons = SurfacePolygons::of(self, known, fragment);
        Ok((polygons.normals(), polygons.sharp_edges(least_turn)))
    }
}

/// The corner with a given support in a tetrahedron.
pub(crate) fn key_of(nodes: &[u32; 4], support: u8) -> Key {
    let mut key = [Solid::NONE; 4];
    for (k, slot) in key.iter_mut().enumerate() {
        if support >> k & 1 == 1 {
            *slot = nodes[k];
        }
    }
    key.sort_unstable();
    key
}
