//! Points to the last bit, nearly always without big integers.
//!
//! A [`Double`] is the unevaluated sum of two `f64` and carries about 106 bits. A constructed point is computed with it
//! together with a bound on what may have gone wrong; if both ends of that interval round to the same `f64`, so does the
//! exact value in between, and the answer is the correctly rounded one. Otherwise, and for exponents that could overflow or
//! underflow on the way, the functions give up (`None`) and [`big`](super::big) answers.
//!
//! # Bounds
//!
//! With u = 2⁻⁵³, a sum of two Doubles is off by at most 3 u² of the exact sum, a product by 7 u², a quotient by 15 u²
//! (Joldes and others, see below). Differences of `f64` are exact. A determinant of three such differences is off
//! by less than 24 u² times its permanent, one of two by less than 11 u²; [`BOUND`] is 64 u². The point is
//! p + (q − p) · P / (P − Q), where P and Q are the determinants for p and q; they do not have the same sign, so the
//! difference is no smaller than either, and errors E in P and Q move the quotient by at most about 2 E / |P − Q|.
//!
//! # Reference
//!
//! M. Joldes, J.-M. Muller, V. Popescu, *Tight and rigorous error bounds for basic building blocks of double-word
//! arithmetic*, ACM Transactions on Mathematical Software 44(2), 2017.

use crate::geom::DVec3;
use std::ops::{Add, Mul, Sub};

/// 64 u² = 2⁻¹⁰⁰: relative bound for everything that is computed here in few steps.
const BOUND: f64 = power_of_two(-100);
/// Magnitudes of nonzero coordinates for which no step can overflow or underflow: three factors of at most 2¹⁵¹, each
/// a multiple of 2⁻²⁰².
const RANGE: (f64, f64) = (power_of_two(-150), power_of_two(150));
/// Below this a quotient is too close to zero to promise that its product with a difference does not underflow.
const SMALLEST_SHARE: f64 = power_of_two(-200);

const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The point where the line pq meets the plane abc, each coordinate rounded to the nearest `f64`, or `None` if that
/// takes more precision. p and q do not lie strictly on one side of the plane, nor both in it.
pub(super) fn line_and_plane(p: DVec3, q: DVec3, [a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    if ![p, q, a, b, c].into_iter().all(in_range) {
        return None;
    }
    let (u, v) = (difference(b, a), difference(c, a));
    let minor = |i: usize, j: usize| minor([u[i], u[j]], [v[i], v[j]]);
    let normal = [minor(1, 2), minor(2, 0), minor(0, 1)];
    let side = |d: DVec3| {
        let w = difference(d, a);
        let [x, y, z] = [0, 1, 2].map(|k| normal[k].times(w[k]));
        x.plus(y).plus(z)
    };
    between(p, q, side(p), side(q))
}

/// The point of the line pq that lies over the line ab when seen along the axis `dropped`, likewise. Seen that way, p
/// and q do not lie strictly on one side of the line, nor both on it.
pub(super) fn line_and_line(p: DVec3, q: DVec3, [a, b]: [DVec3; 2], dropped: usize) -> Option<DVec3> {
    if ![p, q, a, b].into_iter().all(in_range) {
        return None;
    }
    let (i, j) = ((dropped + 1) % 3, (dropped + 2) % 3);
    let along = difference(b, a);
    let side = |d: DVec3| {
        let w = difference(d, a);
        minor([along[i], along[j]], [w[i], w[j]])
    };
    between(p, q, side(p), side(q))
}

/// The zero of the affine function along pq whose values at p and q are given.
fn between(p: DVec3, q: DVec3, at_p: Bounded, at_q: Bounded) -> Option<DVec3> {
    let whole = at_p.value - at_q.value;
    let error = BOUND * (at_p.permanent + at_q.permanent) / whole.high.abs();
    let share = at_p.value.divided_by(whole);
    // Also refuses NaN, from 0 / 0.
    let is_sound = error < power_of_two(-60) && (share.high == 0.0 || share.high.abs() > SMALLEST_SHARE);
    if !is_sound {
        return None;
    }
    let coordinate = |k: usize| {
        let length = Double::sum(q[k], -p[k]);
        let x = Double { high: p[k], low: 0.0 } + length * share;
        let error = length.high.abs() * (4.0 * error + 4.0 * BOUND) + x.high.abs() * BOUND;
        let (low, high) = (x.high + (x.low - error), x.high + (x.low + error));
        (low == high).then_some(low)
    };
    Some(DVec3::new(coordinate(0)?, coordinate(1)?, coordinate(2)?))
}

fn in_range(p: DVec3) -> bool {
    p.to_array().into_iter().all(|x| x == 0.0 || (RANGE.0..=RANGE.1).contains(&x.abs()))
}

fn difference(p: DVec3, q: DVec3) -> [Double; 3] {
    [0, 1, 2].map(|k| Double::sum(p[k], -q[k]))
}

/// A value, and the sum of the magnitudes it was summed from, to which its error is proportional.
#[derive(Clone, Copy)]
struct Bounded {
    value: Double,
    permanent: f64,
}

impl Bounded {
    fn times(self, factor: Double) -> Self {
        Self { value: self.value * factor, permanent: self.permanent * factor.high.abs() }
    }

    fn plus(self, other: Self) -> Self {
        Self { value: self.value + other.value, permanent: self.permanent + other.permanent }
    }
}

fn minor(u: [Double; 2], v: [Double; 2]) -> Bounded {
    let (plus, minus) = (u[0] * v[1], u[1] * v[0]);
    Bounded { value: plus - minus, permanent: plus.high.abs() + minus.high.abs() }
}

/// high + low, where low is at most half a unit in the last place of high.
#[derive(Clone, Copy)]
pub(crate) struct Double {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

impl Double {
    /// x + y, exactly.
    #[inline]
    pub(crate) fn sum(x: f64, y: f64) -> Self {
        let high = x + y;
        let y_part = high - x;
        let x_part = high - y_part;
        Self { high, low: (x - x_part) + (y - y_part) }
    }

    /// x + y, exactly, if x is zero or the larger one.
    fn sum_ordered(x: f64, y: f64) -> Self {
        let high = x + y;
        Self { high, low: y - (high - x) }
    }

    /// x · y, exactly: both are split into halves of 26 bits, whose products fit.
    fn product(x: f64, y: f64) -> Self {
        let halves = |x: f64| {
            let shifted = x * 134_217_729.0;
            let high = shifted - (shifted - x);
            (high, x - high)
        };
        let ((x_high, x_low), (y_high, y_low)) = (halves(x), halves(y));
        let high = x * y;
        let low = x_low * y_low - (((high - x_high * y_high) - x_low * y_high) - x_high * y_low);
        Self { high, low }
    }

    #[inline]
    pub(crate) fn divided_by(self, divisor: Self) -> Self {
        let first = self.high / divisor.high;
        let rest = self - divisor * Self { high: first, low: 0.0 };
        Self::sum_ordered(first, rest.high / divisor.high)
    }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let middle = Self::sum_ordered(high.high, high.low + low.high);
        Self::sum_ordered(middle.high, middle.low + low.low)
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self { high: -other.high, low: -other.low }
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let exact = Self::product(self.high, other.high);
        let rest = self.high * other.low + self.low * other.high;
        Self::sum_ordered(exact.high, exact.low + rest)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DVec2, big, orient2d, orient3d};
    use super::*;
    use proptest::prelude::*;

    /// Coordinates of very different kinds, so that quotients come out short, long and next to a tie.
    fn any_point() -> impl Strategy<Value = DVec3> {
        let coordinate = prop_oneof![
            -1.0..1.0,
            (-8..9).prop_map(f64::from),
            (-8..9).prop_map(|x| f64::from(x) * 0.1),
            (-1.0..1.0, -160..161).prop_map(|(x, e): (f64, i32)| x * 2f64.powi(e)),
        ];
        [coordinate.clone(), coordinate.clone(), coordinate].prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30_000))]

        #[test]
        fn points_of_planes_are_those_of_big_integers(
            p in any_point(), q in any_point(), plane in [any_point(), any_point(), any_point()]
        ) {
            let sides = [p, q].map(|d| orient3d(plane[0], plane[1], plane[2], d));
            let is_crossed = sides[0] != sides[1];
            if let Some(found) = line_and_plane(p, q, plane).filter(|_| is_crossed) {
                prop_assert_eq!(found, big::line_and_plane(p, q, plane));
            }
        }

        #[test]
        fn points_of_lines_are_those_of_big_integers(
            p in any_point(), q in any_point(), line in [any_point(), any_point()], dropped in 0..3_usize
        ) {
            let see = |p: DVec3| DVec2::new(p[(dropped + 1) % 3], p[(dropped + 2) % 3]);
            let sides = [p, q].map(|d| orient2d(see(line[0]), see(line[1]), see(d)));
            let is_crossed = sides[0] != sides[1];
            if let Some(found) = line_and_line(p, q, line, dropped).filter(|_| is_crossed) {
                prop_assert_eq!(found, big::line_and_line(p, q, line, dropped));
            }
        }
    }

    #[test]
    fn ordinary_points_need_no_big_integers() {
        let floor = [DVec3::ZERO, DVec3::new(0.3, 0.1, 0.7), DVec3::new(-0.2, 0.9, 0.1)];
        let found = line_and_plane(DVec3::new(0.1, 0.2, 5.0), DVec3::new(0.3, 0.1, -7.0), floor);
        assert!(found.is_some());
        assert_eq!(line_and_plane(DVec3::Z * 1e60, -DVec3::Z, floor), None);
    }
}
