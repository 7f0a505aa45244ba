//! Mass, centre and inertia of a solid: exact integrals over tetrahedra.
//!
//! Over a tetrahedron with corners vᵢ and volume V, the integral of x is V/4 Σ vᵢ, and that of x xᵀ is
//! V/20 (Σ vᵢ vᵢᵀ + (Σ vᵢ)(Σ vᵢ)ᵀ). Both are sums over parts, so a fragment adds up what is whole and what is cut.

use crate::geom::{DMat3, DVec3};
use crate::mesh::tets::volume;

/// Volume and moments of a solid of density 1, in the body's coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume; mass for density 1.
    pub volume: f64,
    /// Centre of mass.
    pub centre: DVec3,
    /// Inertia about the centre of mass for density 1: multiply it by the density.
    pub inertia: DMat3,
}

/// Integrals of 1, x and x xᵀ about some point; the matrix as xx yy zz xy yz zx.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moments {
    pub volume: f64,
    first: DVec3,
    squares: DVec3,
    products: DVec3,
}

impl Moments {
    /// The integrals over a tetrahedron.
    #[inline]
    pub fn of_tet(corners: [DVec3; 4]) -> Self {
        let v = volume(corners);
        let [a, b, c, d] = corners;
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
}
