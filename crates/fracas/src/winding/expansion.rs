//! The contribution of a patch to the winding number of a distant point, as an expansion in 1/R with an error bound.
//!
//! With *d* from the patch's centre to the point and *R* its length, a patch of area vectors *n dA* at *y* contributes
//! −1/4π ∫ n · ∇(1/|d − y|) dA. The function 1/|d − y| is a sum of terms of degree *l* in *y*; the first four have the moments of the patch:
//!
//! ```text
//!   −1/4π ( M·d / R³  +  3 dᵀS d / R⁵  +  15/2 T(d,d,d) / R⁷  +  35/2 U(d,d,d,d) / R⁹ )      S, T, U: symmetric, without traces
//! ```
//!
//! # Error
//!
//! The gradient of the term of degree *l* is at most l |y|ˡ⁻¹ / Rˡ⁺¹ (Bernstein and Szegő's inequality for the Legendre polynomial in it). So
//! all that is left out is at most, with r the largest |y|, t = r / R and B = 1/4π ∫ |y|⁴ dA,
//!
//! ```text
//!   Σ l ≥ 5:  1/4π ∫ l |y|ˡ⁻¹ dA / Rˡ⁺¹   ≤   B / R⁶ Σ l tˡ⁻⁵   =   B / R⁶ (5 − 4t) / (1 − t)²
//! ```
//!
//! This is a proof, not an estimate: patches whose bounds sum to ε have an error of at most ε, whatever their shape.

use super::moments::{Moments, TRIPLES, pair};
use crate::geom::{DVec3, LANES};
use std::f64::consts::PI;

/// Expansions of eight patches. In unused lanes all is zero.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Expansions {
    pub(super) centre: [[f32; LANES]; 3],
    /// The largest distance of a point of the patch from its centre, rounded up.
    pub(super) radius: [f32; LANES],
    /// B of the error bound, rounded up.
    pub(super) fourths: [f32; LANES],
    /// −M / 4π.
    pub(super) first: [[f32; LANES]; 3],
    /// Coefficients of x² − z², y² − z², xy, yz, zx.
    pub(super) second: [[f32; LANES]; 5],
    /// Coefficients of x(x² − 3z²), x(y² − z²), y(y² − 3z²), y(x² − z²), z(z² − 3x²), z(y² − x²), xyz.
    pub(super) third: [[f32; LANES]; 7],
    /// Coefficients of the harmonics that begin with x⁴, x³y, x²y², xy³, y⁴, x³z, x²yz, xy²z, y³z ([`harmonics`]).
    pub(super) fourth: [[f32; LANES]; 9],
}

impl Expansions {
    pub(super) const EMPTY: Self = Self {
        // Far from everything, so that nothing is divided by zero.
        centre: [[1e6; LANES]; 3],
        radius: [0.0; LANES],
        fourths: [0.0; LANES],
        first: [[0.0; LANES]; 3],
        second: [[0.0; LANES]; 5],
        third: [[0.0; LANES]; 7],
        fourth: [[0.0; LANES]; 9],
    };

    /// Puts a patch into a lane. Its centre must be exact in `f32`.
    pub(super) fn set(&mut self, lane: usize, moments: &Moments, radius: f64, fourths: f64) {
        for k in 0..3 {
            self.centre[k][lane] = moments.centre[k] as f32;
        }
        self.radius[lane] = (radius * (1.0 + 1e-6)) as f32;
        self.fourths[lane] = (fourths / (4.0 * PI) * (1.0 + 1e-6)) as f32;
        let Coefficients { first, second, third, fourth } = Coefficients::of(moments);
        first.into_iter().enumerate().for_each(|(k, x)| self.first[k][lane] = x as f32);
        second.into_iter().enumerate().for_each(|(k, x)| self.second[k][lane] = x as f32);
        third.into_iter().enumerate().for_each(|(k, x)| self.third[k][lane] = x as f32);
        fourth.into_iter().enumerate().for_each(|(k, x)| self.fourth[k][lane] = x as f32);
    }
}

/// The coefficients of one expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coefficients {
    first: [f64; 3],
    second: [f64; 5],
    third: [f64; 7],
    fourth: [f64; 9],
}

impl Coefficients {
    pub(super) fn of(m: &Moments) -> Self {
        let scale = -1.0 / (4.0 * PI);
        let first = (m.n * scale).to_array();
        // Symmetric part, less a third of its trace on the diagonal.
        let s = |i: usize, j: usize| 0.5 * (m.yn[i][j] + m.yn[j][i]);
        let trace = (s(0, 0) + s(1, 1) + s(2, 2)) / 3.0;
        let two = 3.0 * scale;
        let second = [s(0, 0) - trace, s(1, 1) - trace, 2.0 * s(0, 1), 2.0 * s(1, 2), 2.0 * s(2, 0)];
        // Symmetric in all three, less what makes its traces vanish.
        let t = |i: usize, j: usize, k: usize| {
            (m.yyn[pair(i, j)][k] + m.yyn[pair(j, k)][i] + m.yyn[pair(k, i)][j]) / 3.0
        };
        let traces = [0, 1, 2].map(|k| t(0, 0, k) + t(1, 1, k) + t(2, 2, k));
        let free = |i: usize, j: usize, k: usize| {
            let on = |i: usize, j: usize, k: usize| if i == j { traces[k] } else { 0.0 };
            t(i, j, k) - (on(i, j, k) + on(j, k, i) + on(k, i, j)) / 5.0
        };
        let three = 7.5 * scale;
        let third = [
            free(0, 0, 0),
            3.0 * free(0, 1, 1),
            free(1, 1, 1),
            3.0 * free(0, 0, 1),
            free(2, 2, 2),
            3.0 * free(1, 1, 2),
            6.0 * free(0, 1, 2),
        ];
        let fourth = fourth_order(m).map(|x| x * 17.5 * scale);
        Self { first, second: second.map(|x| x * two), third: third.map(|x| x * three), fourth }
    }

    /// The contribution at `d` from the centre, in `f64`.
    pub(super) fn at(&self, d: DVec3) -> f64 {
        let DVec3 { x, y, z } = d;
        let squared = d.length_squared();
        let [a, b, c] = self.first;
        let one = a * x + b * y + c * z;
        let [a, b, c, e, f] = self.second;
        let two = a * (x * x - z * z) + b * (y * y - z * z) + c * x * y + e * y * z + f * z * x;
        let [a, b, c, e, f, g, h] = self.third;
        let three = x * (a * (x * x - 3.0 * z * z) + b * (y * y - z * z))
            + y * (c * (y * y - 3.0 * z * z) + e * (x * x - z * z))
            + z * (f * (z * z - 3.0 * x * x) + g * (y * y - x * x))
            + h * x * y * z;
        let four: f64 = harmonics(d).iter().zip(self.fourth).map(|(h, x)| h * x).sum();
        (one + (two + (three + four / squared) / squared) / squared) / (squared * squared.sqrt())
    }
}

/// The harmonic polynomials of degree four that begin with x⁴, x³y, x²y², xy³, y⁴ and z times x³, x²y, xy², y³: those terms, and what
/// makes the Laplacian vanish.
fn harmonics(DVec3 { x, y, z }: DVec3) -> [f64; 9] {
    let (xx, yy, zz) = (x * x, y * y, z * z);
    [
        xx * xx - 6.0 * xx * zz + zz * zz,
        x * y * (xx - 3.0 * zz),
        xx * yy - zz * (xx + yy) + zz * zz / 3.0,
        x * y * (yy - 3.0 * zz),
        yy * yy - 6.0 * yy * zz + zz * zz,
        z * x * (xx - zz),
        z * y * (xx - zz / 3.0),
        z * x * (yy - zz / 3.0),
        z * y * (yy - zz),
    ]
}

/// A polynomial of degree four or less in x, y, z, homogeneous: coefficients by the powers of x and y.
type Polynomial = [[f64; 5]; 5];

/// The coefficients in [`harmonics`] of the harmonic part of ∫ (n·d)(y·d)³.
fn fourth_order(m: &Moments) -> [f64; 9] {
    let mut p: Polynomial = [[0.0; 5]; 5];
    for (moment, triple) in m.yyyn.iter().zip(TRIPLES) {
        let powers = |axis: usize| triple.iter().filter(|&&k| k == axis).count();
        let orders = [1.0, 1.0, 2.0, 6.0];
        let many = 6.0 / (orders[powers(0)] * orders[powers(1)] * orders[powers(2)]);
        p[powers(0) + 1][powers(1)] += many * moment.x;
        p[powers(0)][powers(1) + 1] += many * moment.y;
        p[powers(0)][powers(1)] += many * moment.z;
    }
    // What remains of a polynomial without its multiples of r²: P − r² ΔP / 14 + r⁴ Δ²P / 280.
    let once = laplacian(&p, 4);
    let twice = laplacian(&once, 2);
    let (once, twice) = (times_square(&once, 2), times_square(&times_square(&twice, 0), 2));
    let at = |i: usize, j: usize| p[i][j] - once[i][j] / 14.0 + twice[i][j] / 280.0;
    [at(4, 0), at(3, 1), at(2, 2), at(1, 3), at(0, 4), at(3, 0), at(2, 1), at(1, 2), at(0, 3)]
}

fn laplacian(p: &Polynomial, degree: usize) -> Polynomial {
    let mut out = [[0.0; 5]; 5];
    for i in 0..=degree {
        for j in 0..=degree - i {
            let k = degree - i - j;
            let twice = |n: usize| (n * n.saturating_sub(1)) as f64 * p[i][j];
            if i >= 2 {
                out[i - 2][j] += twice(i);
            }
            if j >= 2 {
                out[i][j - 2] += twice(j);
            }
            out[i][j] += twice(k);
        }
    }
    out
}

/// The product with x² + y² + z².
fn times_square(p: &Polynomial, degree: usize) -> Polynomial {
    let mut out = [[0.0; 5]; 5];
    for i in 0..=degree {
        for j in 0..=degree - i {
            out[i + 2][j] += p[i][j];
            out[i][j + 2] += p[i][j];
            out[i][j] += p[i][j];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;
    use crate::winding::solid_angle::winding;

    /// Patches of random triangles at random places: the bound holds, and is not idle.
    #[test]
    fn what_is_left_out_is_within_the_bound() {
        let mut random = Random::new(5);
        let mut any = || DVec3::new(random.unit(), random.unit(), random.unit()) * 2.0 - 1.0;
        let mut closest: f64 = 0.0;
        for _ in 0..2_000 {
            let centre = 0.1 * any();
            let triangles: Vec<[DVec3; 3]> = (0..5)
                .map(|_| {
                    let at = 0.6 * any();
                    [at + 0.3 * any(), at + 0.3 * any(), at + 0.3 * any()]
                })
                .collect();
            let mut moments = Moments::zero(centre);
            let (mut radius, mut fourths) = (0.0_f64, 0.0);
            for t in &triangles {
                moments.add_triangle(t);
                let far = t.map(|p| (p - centre).length());
                radius = far.iter().fold(radius, |r, x| r.max(*x));
                let area = 0.5 * (t[1] - t[0]).cross(t[2] - t[0]).length();
                fourths += area * far.iter().map(|x| x.powi(4)).sum::<f64>() / 3.0;
            }
            let way = any().normalize_or(DVec3::X);
            for t in [0.9, 0.7, 0.5, 0.3, 0.1, 0.03] {
                let p = centre + way * (radius / t);
                let truth: f64 = triangles.iter().map(|c| winding(&c.map(|x| x - p))).sum();
                let error = (Coefficients::of(&moments).at(p - centre) - truth).abs();
                let far = radius / t;
                let bound = fourths / (4.0 * PI) / far.powi(6) * (5.0 - 4.0 * t) / (1.0 - t).powi(2);
                assert!(error <= bound + 1e-14, "{t}: {error} {bound}");
                closest = closest.max(error / bound);
            }
        }
        assert!(closest > 0.02, "{closest}");
    }
}
