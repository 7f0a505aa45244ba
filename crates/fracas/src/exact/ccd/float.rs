//! The polynomials of a contact in rounded arithmetic, one query or several at a time, with bounds on their errors.
//!
//! Corners Pᵢ, cross products Qᵢ = Pᵢ × Pᵢ₊₁ and the volume f = P₀ · Q₁ are as in [`integers`](super::integers). Each
//! is kept as a form: coefficients of s² , s t, t² for Qᵢ, of s³, s² t, s t², t³ for f, where s = 1 − t.
//!
//! # Error bounds
//!
//! u = 2⁻⁵³ is the relative error of one operation: |fl(x) − x| ≤ u |fl(x)|. S is the largest coordinate of the computed
//! corners. Terms in u² are less than a millionth of what is shown and go into the reserve that each bound has.
//!
//! | value | magnitude | error | |
//! |---|---|---|---|
//! | coordinate of Pᵢ | S | u S | one subtraction |
//! | product of two | S² | 3 u S² | two factors with error u S, one rounding |
//! | q₀, q₂ | 2 S² | 8 u S² | two products, one rounding of 2 S² |
//! | q₁ | 4 S² | 20 u S² | two values like q₀, one rounding of 4 S² |
//! | f₀, f₃ | 6 S³ | 46 u S³ | three products: S · 8 u S² + 2 S² · u S, rounding 2 u S³; sums of 4 S³ and 6 S³ |
//! | f₁, f₂ | 18 S³ | 168 u S³ | P · q₁: three products of 28 u S³, sums of 8 S³ and 12 S³: 104; P · q₀: 46; a sum of 18 S³ |
//!
//! So the error of a coefficient is below [`CROSS`] S² and [`VOLUME`] S³. At some time t the powers of s and t are weights
//! whose sum, with binomials, is one. Evaluation by repeated interpolation, s · x + t · y with s = fl(1 − t), loses 3 u
//! of the magnitude at each level. The values of a polynomial at one time, and its Bernstein coefficients on a part of the
//! step (one time for each level), are therefore within
//!
//! - Qᵢ: 10 u S² from coefficients (q₁ / 2), 2 · 3 u · 2 S² from two levels: 22 u S², below [`CROSS`] S²;
//! - f: 56 u S³ from coefficients (f₁ / 3), 6 u S³ from that quotient, 3 · 3 u · 6 S³ from three levels: 116 u S³, below
//!   [`VALUE`] S³.
//!
//! All this holds as long as nothing overflows and what underflows is far below the reserve: for S from 2⁻¹⁰⁰ to 2¹⁰⁰.

use std::ops::{Add, Mul, Sub};

const U: f64 = f64::EPSILON / 2.0;
/// Times S²: the error of a coefficient or value of Qᵢ.
pub(super) const CROSS: f64 = 24.0 * U;
/// Times S³: the error of a coefficient of f.
pub(super) const VOLUME: f64 = 192.0 * U;
/// Times S³: the error of a value or Bernstein coefficient of f.
pub(super) const VALUE: f64 = 128.0 * U;
/// Times S²: by how much a coordinate of Qᵢ changes at most in one unit of time. Its Bernstein coefficients are at most
/// 2 S², so their differences are at most 4 S², and the derivative is twice a mean of these. The rest is reserve.
pub(super) const CROSS_RATE: f64 = 9.0;
/// The bounds hold if S lies between these.
pub(super) const RANGE: [f64; 2] = [power_of_two(-100), power_of_two(100)];

const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// What arithmetic needs: an `f64`, or several side by side.
pub(super) trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}
impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Number for T {}

/// A moving corner: coordinates by axis, at t = 0 and at t = 1.
pub(super) type Corner<T> = [[T; 2]; 3];

/// The coefficients of everything that decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forms<T, const N: usize> {
    /// Qᵢ: by corner, axis and power of t.
    pub(super) crosses: [[[T; 3]; 3]; N],
    /// f: by power of t.
    pub(super) volume: [T; 4],
}

impl<T: Number, const N: usize> Forms<T, N> {
    #[inline(always)]
    pub(super) fn new(corners: &[Corner<T>; N]) -> Self {
        let first = cross(&corners[0], &corners[1]);
        let mut crosses = [first; N];
        for i in 1..N {
            crosses[i] = cross(&corners[i], &corners[(i + 1) % N]);
        }
        Self { crosses, volume: dot(&corners[0], &crosses[1]) }
    }
}

#[inline(always)]
fn cross<T: Number>(p: &Corner<T>, q: &Corner<T>) -> [[T; 3]; 3] {
    [minor(&p[1], &p[2], &q[1], &q[2]), minor(&p[2], &p[0], &q[2], &q[0]), minor(&p[0], &p[1], &q[0], &q[1])]
}

/// px qy − py qx.
#[inline(always)]
fn minor<T: Number>(px: &[T; 2], py: &[T; 2], qx: &[T; 2], qy: &[T; 2]) -> [T; 3] {
    [
        px[0] * qy[0] - py[0] * qx[0],
        (px[0] * qy[1] - py[0] * qx[1]) + (px[1] * qy[0] - py[1] * qx[0]),
        px[1] * qy[1] - py[1] * qx[1],
    ]
}

#[inline(always)]
fn dot<T: Number>(p: &Corner<T>, q: &[[T; 3]; 3]) -> [T; 4] {
    [
        dot_at(p, 0, q, 0),
        dot_at(p, 0, q, 1) + dot_at(p, 1, q, 0),
        dot_at(p, 0, q, 2) + dot_at(p, 1, q, 1),
        dot_at(p, 1, q, 2),
    ]
}

#[inline(always)]
fn dot_at<T: Number>(p: &Corner<T>, i: usize, q: &[[T; 3]; 3], j: usize) -> T {
    p[0][i] * q[0][j] + p[1][i] * q[1][j] + p[2][i] * q[2][j]
}

/// The value at t of the quadratic with these coefficients, where s = 1 − t.
#[inline(always)]
pub(super) fn quadratic_at<T: Number>(c: &[T; 3], [s, t]: [T; 2], half: T) -> T {
    let middle = c[1] * half;
    (c[0] * s + middle * t) * s + (middle * s + c[2] * t) * t
}

/// The value at t of the cubic with these Bernstein coefficients, where s = 1 − t, and a third of its derivative.
#[inline(always)]
pub(super) fn cubic_at<T: Number>(b: &[T; 4], [s, t]: [T; 2]) -> [T; 2] {
    let (x, y, z) = (b[0] * s + b[1] * t, b[1] * s + b[2] * t, b[2] * s + b[3] * t);
    let (x, y) = (x * s + y * t, y * s + z * t);
    [x * s + y * t, y - x]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;
    use num_bigint::BigInt;

    /// An `f64` times 2²⁴⁰, which makes an integer of every value in these tests.
    fn scaled(x: f64) -> BigInt {
        let (mantissa, exponent) = crate::exact::big::decode(x);
        assert!(mantissa == 0 || exponent >= -240, "{x:e} is too small for this test");
        if mantissa == 0 { BigInt::ZERO } else { BigInt::from(mantissa) << (exponent + 240) }
    }

    /// |computed − exact| in units of u · scale, where `exact` is a multiple of 2⁻ᵉ.
    fn error(computed: f64, exact: &BigInt, e: u32, scale: f64) -> f64 {
        let difference = (scaled(computed) << e) - (exact << 240u32);
        let unit = scaled(scale * U) << e;
        // Enough digits for a quotient below 2⁵⁰.
        ((difference.magnitude() << 20u32) / unit.magnitude()).to_string().parse::<f64>().unwrap()
            / 2f64.powi(20)
    }

    /// Coordinates with 30 to 53 bits, so that differences round.
    fn coordinate(random: &mut Random, kind: usize) -> f64 {
        let x = random.signed();
        match kind {
            0 => x,
            1 => x * 1e-3 + 1.0,
            _ if random.bits() % 2 == 0 => x * 2f64.powi(-20),
            _ => x,
        }
    }

    type Exact = [BigInt; 2];

    fn product(a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
        let mut c = vec![BigInt::ZERO; a.len() + b.len() - 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                c[i + j] += x * y;
            }
        }
        c
    }

    fn difference(a: Vec<BigInt>, b: &[BigInt]) -> Vec<BigInt> {
        a.iter().zip(b).map(|(x, y)| x - y).collect()
    }

    /// Coordinates are multiples of 2⁻⁸⁰ here.
    fn exact_coordinate(x: f64) -> BigInt {
        scaled(x) >> 160u32
    }

    #[test]
    fn errors_stay_below_the_bounds() {
        let mut random = Random::new(7);
        let mut worst = [0.0_f64; 4];
        for round in 0..6000 {
            let mut point = || [0, 1, 2].map(|_| [0, 1].map(|_| coordinate(&mut random, round % 3)));
            let points: [[[f64; 2]; 3]; 4] = [0; 4].map(|_| point());
            let corner = |i: usize| [0, 1, 2].map(|k| [0, 1].map(|e| points[i][k][e] - points[0][k][e]));
            let corners = [corner(1), corner(2), corner(3)];
            let exact = |i: usize, k: usize| -> Exact {
                [0, 1].map(|e| exact_coordinate(points[i][k][e]) - exact_coordinate(points[0][k][e]))
            };
            let size = corners.iter().flatten().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
            let forms = Forms::new(&corners);
            let mut volume = vec![BigInt::ZERO; 4];
            let t = (random.signed() + 1.0) / 2.0;
            let weights = [1.0 - t, t];
            let exact_t = scaled(t) >> 180u32;
            let exact_weights = [(BigInt::from(1) << 60u32) - &exact_t, exact_t];
            let at = |c: &[BigInt]| {
                let n = c.len() - 1;
                let power = |x: &BigInt, k: usize| x.pow(k as u32);
                (0..=n).fold(BigInt::ZERO, |sum, k| {
                    sum + &c[k] * power(&exact_weights[0], n - k) * power(&exact_weights[1], k)
                })
            };
            for (i, q) in forms.crosses.iter().enumerate() {
                let (p, r) = (i + 1, (i + 1) % 3 + 1);
                for (axis, (x, y)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
                    let c =
                        difference(product(&exact(p, x), &exact(r, y)), &product(&exact(p, y), &exact(r, x)));
                    for k in 0..3 {
                        worst[0] = worst[0].max(error(q[axis][k], &c[k], 160, size * size));
                    }
                    if t > 1e-6 {
                        let value = quadratic_at(&q[axis], weights, 0.5);
                        worst[1] = worst[1].max(error(value, &at(&c), 280, size * size));
                    }
                    if i == 1 {
                        let term = product(&exact(1, axis), &c);
                        volume.iter_mut().zip(term).for_each(|(sum, x)| *sum += x);
                    }
                }
            }
            for k in 0..4 {
                worst[2] = worst[2].max(error(forms.volume[k], &volume[k], 240, size.powi(3)));
            }
            if t > 1e-6 {
                let v = forms.volume;
                let [value, _] = cubic_at(&[v[0], v[1] / 3.0, v[2] / 3.0, v[3]], weights);
                worst[3] = worst[3].max(error(value, &at(&volume), 420, size.powi(3)));
            }
        }
        println!(
            "largest errors in units of u: Q {:.1}, Q(t) {:.1}, f {:.1}, f(t) {:.1}",
            worst[0], worst[1], worst[2], worst[3]
        );
        for (error, bound) in worst.into_iter().zip([CROSS, CROSS, VOLUME, VALUE]) {
            assert!(error * U < bound && error > 1.0, "{error} of {}", bound / U);
        }
    }
}
