//! Volume, centre and inertia of the body inside a closed mesh.
//!
//! # Idea
//!
//! The divergence theorem turns integrals over the inside into sums over the triangles: each triangle spans a
//! tetrahedron with one fixed point, whose volume is negative where the triangle faces that point, and what is not inside
//! cancels. For the tetrahedron of 0, *a*, *b*, *c* with the volume *v* and the sum of corners *s*,
//!
//! ```text
//!   ∫ x    = v/4 · s              ∫ x xᵀ = v/20 · (a aᵀ + b bᵀ + c cᵀ + s sᵀ)
//! ```
//!
//! These are exact but for rounding. The fixed point is a corner of the mesh, so that bodies far from the origin lose no
//! digits.
//!
//! # Reference
//!
//! B. Mirtich, *Fast and accurate computation of polyhedral mass properties*, Journal of Graphics Tools, 1996.

use crate::SceneError;
use fracas::geom::{DVec3, Triangle};
use fracas::mesh::{LiveMesh, Mesh, TriangleId};
use glam::DMat3;

/// What a rigid body of density 1 needs to know about its shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// The volume, which is the mass.
    pub volume: f64,
    /// The centre of mass.
    pub centre: DVec3,
    /// The inertia tensor about the centre.
    pub inertia: DMat3,
}

impl Solid {
    /// The body inside a closed mesh.
    pub(crate) fn of(mesh: &Mesh) -> Result<Self, SceneError> {
        let triangles = (0..mesh.triangle_count() as u32).map(|t| mesh.triangle(TriangleId(t)));
        Self::inside(triangles).ok_or(SceneError::NotOriented)
    }

    /// The body inside some triangles of a mesh that close by themselves, and the vertices of these, sorted.
    pub(crate) fn of_part(mesh: &LiveMesh, triangles: &[TriangleId]) -> Result<(Self, Vec<u32>), SceneError> {
        let solid = Self::inside(triangles.iter().map(|&t| mesh.triangle(t)));
        let mut vertices: Vec<u32> = triangles.iter().flat_map(|&t| mesh.corners(t)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Ok((solid.ok_or(SceneError::NotOriented)?, vertices))
    }

    /// Measures the body inside some triangles that close and face outward. `None` if they enclose no volume.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::{TriangleId, shapes};
    /// use fracas_scenes::solid::Solid;
    /// let brick = shapes::cuboid(DVec3::new(1.0, 2.0, 3.0));
    /// let solid = Solid::inside((0..12).map(|t| brick.triangle(TriangleId(t)))).unwrap();
    /// assert!((solid.volume - 6.0).abs() < 1e-12);
    /// assert!((solid.inertia.x_axis.x - 6.0 * (4.0 + 9.0) / 12.0).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn inside(triangles: impl IntoIterator<Item = Triangle>) -> Option<Self> {
        let mut from = None;
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for triangle in triangles {
            let origin = *from.get_or_insert(triangle.a);
            let [a, b, c] = triangle.corners().map(|p| p - origin);
            let v = a.dot(b.cross(c)) / 6.0;
            let s = a + b + c;
            volume += v;
            first += v / 4.0 * s;
            second += (square(a) + square(b) + square(c) + square(s)) * (v / 20.0);
        }
        if !(volume > 0.0 && volume.is_finite()) {
            return None;
        }
        let centre = first / volume;
        let about_centre = second - square(centre) * volume;
        let trace = about_centre.x_axis.x + about_centre.y_axis.y + about_centre.z_axis.z;
        let inertia = DMat3::IDENTITY * trace - about_centre;
        Some(Self { volume, centre: from? + centre, inertia })
    }
}

/// The matrix v vᵀ.
fn square(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::{Mesh, TriangleId, shapes};

    fn solid(mesh: &Mesh) -> Solid {
        Solid::inside((0..mesh.triangle_count() as u32).map(|t| mesh.triangle(TriangleId(t)))).unwrap()
    }

    #[test]
    fn a_fine_ball_has_the_inertia_of_a_ball() {
        let Solid { volume, centre, inertia } = solid(&shapes::icosphere(2.0, 6));
        assert!(centre.length() < 1e-12);
        for k in 0..3 {
            assert!((inertia.col(k)[k] / (0.4 * volume * 4.0) - 1.0).abs() < 1e-3);
        }
    }

    #[test]
    fn two_bodies_add_up_to_one_about_the_common_centre() {
        let far = DVec3::new(1e3, -2e3, 5e2);
        let at = |x: f64, side: f64| {
            let brick = shapes::cuboid(DVec3::new(side, 1.0, 1.0));
            brick.transformed(&glam::DAffine3::from_translation(far + DVec3::X * x)).unwrap()
        };
        // A brick of 3, and its parts of 1 and 2, side by side.
        let (whole, left, right) = (solid(&at(0.0, 3.0)), solid(&at(-1.0, 1.0)), solid(&at(0.5, 2.0)));
        assert!((left.volume + right.volume - whole.volume).abs() < 1e-9);
        assert!((whole.centre - far).length() < 1e-9);
        let moved = |part: &Solid| {
            let d = part.centre - whole.centre;
            part.inertia + (DMat3::IDENTITY * d.length_squared() - square(d)) * part.volume
        };
        let sum = moved(&left) + moved(&right);
        assert!(sum.abs_diff_eq(whole.inertia, 1e-8), "{sum:?} is not {:?}", whole.inertia);
    }

    #[test]
    fn what_encloses_nothing_has_no_mass() {
        assert_eq!(Solid::inside([]), None);
        let sheet = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y);
        assert_eq!(Solid::inside([sheet]), None);
        let inside_out = shapes::icosphere(1.0, 1).flipped();
        assert_eq!(Solid::inside((0..80).map(|t| inside_out.triangle(TriangleId(t)))), None);
    }
}
