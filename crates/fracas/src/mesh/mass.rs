//! Mass, centre and inertia of a solid: integrals over tetrahedra, exact but for rounding.
//!
//! # Idea
//!
//! Over a tetrahedron with corners vᵢ and volume V, the integral of x is V/4 Σ vᵢ, and that of x xᵀ is
//! V/20 (Σ vᵢ vᵢᵀ + (Σ vᵢ)(Σ vᵢ)ᵀ). Both are sums over parts, so a fragment adds up what is whole and what is cut.
//!
//! The divergence theorem does the same for a closed surface: each triangle spans a tetrahedron with one fixed point,
//! whose volume is negative where the triangle faces that point, and what is not inside cancels. The fixed point is a
//! corner of the surface, so that bodies far from the origin lose no digits.
//!
//! # Reference
//!
//! B. Mirtich, *Fast and accurate computation of polyhedral mass properties*, Journal of Graphics Tools, 1996.

use super::tets::volume;
use crate::geom::{DMat3, DQuat, DVec3, Triangle, symmetric_eigen};

/// Volume, centre and inertia of a solid of density 1, in the body's coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume; mass for density 1.
    pub volume: f64,
    /// Centre of mass.
    pub centre: DVec3,
    /// Inertia about the centre of mass for density 1: multiply it by the density.
    pub inertia: DMat3,
}

impl MassProperties {
    /// The solid inside some triangles that close and face outward. `None` if they enclose no volume.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::{MassProperties, TriangleId, shapes};
    /// let brick = shapes::cuboid(DVec3::new(1.0, 2.0, 3.0));
    /// let mass = MassProperties::inside((0..12).map(|t| brick.triangle(TriangleId(t)))).unwrap();
    /// assert!((mass.volume - 6.0).abs() < 1e-12);
    /// assert!((mass.inertia.x_axis.x - 6.0 * (4.0 + 9.0) / 12.0).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn inside(triangles: impl IntoIterator<Item = Triangle>) -> Option<Self> {
        let mut from = None;
        let mut moments = Moments::default();
        for triangle in triangles {
            let origin = *from.get_or_insert(triangle.a);
            let [a, b, c] = triangle.corners().map(|p| p - origin);
            moments.add(&Moments::of([a, b, c, DVec3::ZERO], volume([DVec3::ZERO, b, c, a])));
        }
        let is_solid = moments.volume > 0.0 && moments.volume.is_finite();
        from.filter(|_| is_solid).map(|origin| moments.properties(origin))
    }

    /// The moments of inertia about the principal axes, the largest first, and the rotation that takes x, y and z to these axes.
    ///
    /// Only arithmetic and square roots are used, so the result is the same on every machine.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::{MassProperties, TriangleId, shapes};
    /// let brick = shapes::cuboid(DVec3::new(1.0, 2.0, 3.0));
    /// let mass = MassProperties::inside((0..12).map(|t| brick.triangle(TriangleId(t)))).unwrap();
    /// let (moments, turn) = mass.principal_axes();
    /// assert!(moments.abs_diff_eq(DVec3::new(6.5, 5.0, 2.5), 1e-12));
    /// assert!((turn * DVec3::Z).dot(DVec3::Z).abs() > 1.0 - 1e-12);
    /// ```
    #[must_use]
    pub fn principal_axes(&self) -> (DVec3, DQuat) {
        // To unit size first: products of entries neither overflow nor vanish.
        let size = self.inertia.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if size == 0.0 || !size.is_finite() {
            return (DVec3::splat(size), DQuat::IDENTITY);
        }
        let (moments, mut axes) =
            symmetric_eigen(&DMat3::from_cols_array(&self.inertia.to_cols_array().map(|x| x / size)));
        if axes.determinant() < 0.0 {
            axes.z_axis = -axes.z_axis;
        }
        // Rounding can make the smallest moment of a thin rod negative.
        (moments.max(DVec3::ZERO) * size, DQuat::from_mat3(&axes).normalize())
    }
}

/// Integrals of 1, x and x xᵀ about some point; the matrix as xx yy zz xy yz zx.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    pub volume: f64,
    first: DVec3,
    squares: DVec3,
    products: DVec3,
}

impl Moments {
    /// The integrals over a tetrahedron.
    #[inline]
    pub fn of_tet(corners: [DVec3; 4]) -> Self {
        Self::of(corners, volume(corners))
    }

    /// The integrals over a tetrahedron of volume `v`.
    #[inline]
    fn of([a, b, c, d]: [DVec3; 4], v: f64) -> Self {
        let sum = a + b + c + d;
        let turned = |p: DVec3| DVec3::new(p.y, p.z, p.x);
        let squares = a * a + b * b + c * c + d * d + sum * sum;
        let products = a * turned(a) + b * turned(b) + c * turned(c) + d * turned(d) + sum * turned(sum);
        Self {
            volume: v,
            first: sum * (v / 4.0),
            squares: squares * (v / 20.0),
            products: products * (v / 20.0),
        }
    }

    #[inline]
    pub fn add(&mut self, other: &Self) {
        self.volume += other.volume;
        self.first += other.first;
        self.squares += other.squares;
        self.products += other.products;
    }

    #[inline]
    pub fn subtract(&mut self, other: &Self) {
        self.volume -= other.volume;
        self.first -= other.first;
        self.squares -= other.squares;
        self.products -= other.products;
    }

    /// Mass properties, where the integrals were taken about `origin`.
    pub fn properties(&self, origin: DVec3) -> MassProperties {
        let centre = self.first / self.volume;
        // About the centre: take away what a point mass there would have.
        let squares = self.squares - centre * centre * self.volume;
        let products = self.products - centre * DVec3::new(centre.y, centre.z, centre.x) * self.volume;
        let trace = squares.element_sum();
        let inertia = DMat3::from_cols(
            DVec3::new(trace - squares.x, -products.x, -products.z),
            DVec3::new(-products.x, trace - squares.y, -products.y),
            DVec3::new(-products.z, -products.y, trace - squares.z),
        );
        MassProperties { volume: self.volume, centre: centre + origin, inertia }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tets::brick;
    use crate::mesh::{Mesh, TriangleId, shapes};

    fn mass(mesh: &Mesh) -> Option<MassProperties> {
        MassProperties::inside((0..mesh.triangle_count() as u32).map(|t| mesh.triangle(TriangleId(t))))
    }

    #[test]
    fn a_block_has_the_inertia_of_the_formula() {
        let size = DVec3::new(1.0, 2.0, 0.5);
        let shift = DVec3::new(10.0, -3.0, 0.25);
        let mesh = brick(size, [2, 3, 2]);
        let mut moments = Moments::default();
        for tet in 0..mesh.tet_count() {
            moments.add(&Moments::of_tet(mesh.corners(tet).map(|p| p + shift)));
        }
        let found = moments.properties(DVec3::ZERO);
        assert!((found.volume - 1.0).abs() < 1e-14 && found.centre.distance(shift) < 1e-13);
        let s = size * size / 12.0;
        let expected = DMat3::from_diagonal(DVec3::new(s.y + s.z, s.z + s.x, s.x + s.y));
        assert!((found.inertia - expected).to_cols_array().iter().all(|x| x.abs() < 1e-12));
    }

    #[test]
    fn a_fine_ball_has_the_inertia_of_a_ball() {
        let MassProperties { volume, centre, inertia } = mass(&shapes::icosphere(2.0, 6)).unwrap();
        assert!(centre.length() < 1e-12);
        for k in 0..3 {
            assert!((inertia.col(k)[k] / (0.4 * volume * 4.0) - 1.0).abs() < 1e-3);
        }
    }

    #[test]
    fn principal_axes_rebuild_the_inertia_of_a_turned_block_of_any_size() {
        for exponent in [-60, -1, 0, 1, 60] {
            for k in 0..50 {
                let turn = DQuat::from_scaled_axis(DVec3::new(1.0, 0.3 * f64::from(k), -0.7) * 0.2);
                // Every fifth has two axes of equal moments.
                let sides = DVec3::new(1.0, if k % 5 == 0 { 1.0 } else { 2.0 }, 3.0) * 2_f64.powi(exponent);
                let block = shapes::cuboid(sides).transformed(&glam::DAffine3::from_quat(turn)).unwrap();
                let found = mass(&block).unwrap();
                let (moments, axes) = found.principal_axes();
                assert!(moments.x >= moments.y && moments.y >= moments.z && moments.z > 0.0);
                assert!((axes.length() - 1.0).abs() < 1e-15);
                let axes = DMat3::from_quat(axes);
                let rebuilt = axes * DMat3::from_diagonal(moments) * axes.transpose();
                let difference = (rebuilt - found.inertia).to_cols_array();
                assert!(difference.iter().all(|x| x.abs() < 1e-13 * moments.x), "{sides}: {difference:?}");
            }
        }
        let none = MassProperties { volume: 0.0, centre: DVec3::ZERO, inertia: DMat3::ZERO };
        assert_eq!(none.principal_axes(), (DVec3::ZERO, DQuat::IDENTITY));
    }

    #[test]
    fn two_bodies_add_up_to_one_about_the_common_centre() {
        let far = DVec3::new(1e3, -2e3, 5e2);
        let at = |x: f64, side: f64| {
            let brick = shapes::cuboid(DVec3::new(side, 1.0, 1.0));
            brick.transformed(&glam::DAffine3::from_translation(far + DVec3::X * x)).unwrap()
        };
        // A brick of 3, and its parts of 1 and 2, side by side.
        let [whole, left, right] =
            [(0.0, 3.0), (-1.0, 1.0), (0.5, 2.0)].map(|(x, side)| mass(&at(x, side)).unwrap());
        assert!((left.volume + right.volume - whole.volume).abs() < 1e-9);
        assert!((whole.centre - far).length() < 1e-9);
        let moved = |part: &MassProperties| {
            let d = part.centre - whole.centre;
            let square = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
            part.inertia + (DMat3::IDENTITY * d.length_squared() - square) * part.volume
        };
        let sum = moved(&left) + moved(&right);
        assert!(sum.abs_diff_eq(whole.inertia, 1e-8), "{sum:?} is not {:?}", whole.inertia);
    }

    #[test]
    fn what_encloses_nothing_has_no_mass() {
        assert_eq!(MassProperties::inside([]), None);
        let sheet = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y);
        assert_eq!(MassProperties::inside([sheet]), None);
        let inside_out = shapes::icosphere(1.0, 1).flipped();
        assert_eq!(mass(&inside_out), None);
    }
}
