//! Integers of any length: slow, and right for every finite `f64`.
//!
//! Every finite `f64` is an integer times a power of two. All coordinates of one question are written over the
//! smallest of their powers of two ([`Scaled`]); what is left are integers of at most 2,100 bits, and determinants of
//! integers have no rounding. Constructed points are quotients of such determinants, rounded once at the end.

use super::Sign;
use crate::geom::DVec3;
use glam::DVec2;
use num_bigint::{BigInt, BigUint};

/// Integers p and an exponent e that stand for the coordinates p · 2ᵉ.
struct Scaled<const N: usize> {
    integers: [BigInt; N],
    exponent: i64,
}

impl<const N: usize> Scaled<N> {
    fn new(coordinates: [f64; N]) -> Self {
        let parts = coordinates.map(decode);
        let exponent = parts.iter().filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0);
        // A zero may have any exponent.
        let integers = parts.map(|(mantissa, e)| BigInt::from(mantissa) << (e - exponent).max(0));
        Self { integers, exponent }
    }
}

/// A finite number as mantissa · 2ᵉ.
pub(super) fn decode(x: f64) -> (i64, i64) {
    let bits = x.to_bits();
    let field = (bits >> 52 & 0x7ff) as i64;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent)
}

pub(super) fn sign(x: &BigInt) -> Sign {
    match x.sign() {
        num_bigint::Sign::Minus => Sign::Negative,
        num_bigint::Sign::NoSign => Sign::Zero,
        num_bigint::Sign::Plus => Sign::Positive,
    }
}

/// (b − a) × (c − a) in the plane.
fn area([ax, ay]: [&BigInt; 2], [bx, by]: [&BigInt; 2], [cx, cy]: [&BigInt; 2]) -> BigInt {
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

/// (b − a) × (c − a) · (d − a).
fn volume(a: [&BigInt; 3], b: [&BigInt; 3], c: [&BigInt; 3], d: [&BigInt; 3]) -> BigInt {
    let from_a = |p: [&BigInt; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
    let (u, v, w) = (from_a(b), from_a(c), from_a(d));
    let minor = |i: usize, j: usize| &u[i] * &v[j] - &u[j] * &v[i];
    minor(1, 2) * &w[0] + minor(2, 0) * &w[1] + minor(0, 1) * &w[2]
}

pub(super) fn orient2d(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    let [ax, ay, bx, by, cx, cy] = &Scaled::new([a.x, a.y, b.x, b.y, c.x, c.y]).integers;
    sign(&area([ax, ay], [bx, by], [cx, cy]))
}

pub(super) fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    let [ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz] =
        &Scaled::new([a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z]).integers;
    sign(&volume([ax, ay, az], [bx, by, bz], [cx, cy, cz], [dx, dy, dz]))
}

/// The point where the line pq meets the plane abc, each coordinate rounded to the nearest `f64`.
///
/// p and q must not both lie in the plane, nor on one side of it at the same distance.
pub(super) fn line_and_plane(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    let scaled = Scaled::new([p.x, p.y, p.z, q.x, q.y, q.z, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]);
    let [px, py, pz, qx, qy, qz, ax, ay, az, bx, by, bz, cx, cy, cz] = &scaled.integers;
    let side = |d| volume([ax, ay, az], [bx, by, bz], [cx, cy, cz], d);
    let weights = [side([px, py, pz]), side([qx, qy, qz])];
    between([px, py, pz], [qx, qy, qz], &weights, scaled.exponent)
}

/// The point of the line pq that lies over the line ab when seen along the axis `dropped`, each coordinate rounded to
/// the nearest `f64`.
///
/// Seen that way, p and q must not have the same signed distance from the line ab.
pub(super) fn line_and_line(p: DVec3, q: DVec3, [a, b]: [DVec3; 2], dropped: usize) -> DVec3 {
    let scaled = Scaled::new([p.x, p.y, p.z, q.x, q.y, q.z, a.x, a.y, a.z, b.x, b.y, b.z]);
    let [px, py, pz, qx, qy, qz, ax, ay, az, bx, by, bz] = &scaled.integers;
    let (i, j) = ((dropped + 1) % 3, (dropped + 2) % 3);
    let (pp, qq, aa, bb) = ([px, py, pz], [qx, qy, qz], [ax, ay, az], [bx, by, bz]);
    let side = |d: [&BigInt; 3]| area([aa[i], aa[j]], [bb[i], bb[j]], [d[i], d[j]]);
    let weights = [side(pp), side(qq)];
    between(pp, qq, &weights, scaled.exponent)
}

/// The zero of the affine function along pq whose values at p and q are given, times 2ᵉ.
fn between(p: [&BigInt; 3], q: [&BigInt; 3], [at_p, at_q]: &[BigInt; 2], exponent: i64) -> DVec3 {
    let whole = at_p - at_q;
    let coordinate = |k: usize| quotient(&(at_p * q[k] - at_q * p[k]), &whole, exponent);
    DVec3::new(coordinate(0), coordinate(1), coordinate(2))
}

/// numerator / denominator · 2ᵉ, rounded to the nearest `f64`, ties to even. The denominator is not zero and the
/// value does not exceed the largest `f64`.
fn quotient(numerator: &BigInt, denominator: &BigInt, exponent: i64) -> f64 {
    if numerator.sign() == num_bigint::Sign::NoSign {
        return 0.0;
    }
    let (n, d) = (numerator.magnitude(), denominator.magnitude());
    // A quotient of 55 or 56 bits, two more than a mantissa, and below them one bit that says whether anything follows.
    let shift = 55 - (n.bits() as i64 - d.bits() as i64);
    let (n, d): (BigUint, BigUint) =
        if shift >= 0 { (n << shift, d.clone()) } else { (n.clone(), d << -shift) };
    let whole = &n / &d;
    let is_exact = &whole * &d == n;
    let mut mantissa = (whole << 1u32) | BigUint::from(u32::from(!is_exact));
    let mut exponent = exponent - shift - 1;
    // Keep 53 bits, or as many as lie at or above 2⁻¹⁰⁷⁴; at least three are dropped.
    let excess = (mantissa.bits() as i64 - 53).max(-1074 - exponent);
    let half = BigUint::from(1u32) << (excess - 1);
    let rest = &mantissa & ((BigUint::from(1u32) << excess) - 1u32);
    mantissa >>= excess;
    exponent += excess;
    if rest > half || (rest == half && mantissa.bit(0)) {
        mantissa += 1u32;
    }
    // At most 53 bits, or 2⁵³. Each factor is a power of two in the range of normal numbers; the first product is exact, and so
    // is the second, because `f64` can hold the value.
    let digits = mantissa.iter_u64_digits().next().unwrap_or(0);
    let half = exponent.div_euclid(2);
    let power = |e: i64| f64::from_bits(((1023 + e) as u64) << 52);
    let magnitude = digits as f64 * power(half) * power(exponent - half);
    if numerator.sign() == denominator.sign() { magnitude } else { -magnitude }
}
