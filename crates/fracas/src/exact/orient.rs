//! The orientation predicates: on which side of a line or plane a point lies.
//!
//! # The filter
//!
//! Write u, v, w for the three differences of a determinant u × v · w, each rounded once, and ε = 2⁻⁵³. Every product
//! of three differences carries the rounding of the differences (3 ε), of the two products (2 ε) and of the additions
//! on its way to the sum (2 ε; the last addition is relative to the result itself and cannot change its sign). So the
//! computed value is off by at most 7 ε times the *permanent*, the same expression with all terms made positive; we
//! allow 10 ε, which also pays for the rounding of the permanent. The plane determinant has three roundings less.
//!
//! Underflow breaks such bounds: a product may lose up to η = 2⁻¹⁰⁷⁵ absolutely. In u × v that is at most 2 η for each
//! component, later multiplied by a component of w; [`TINY`], added to each component of the permanent of u × v,
//! covers it because 10 ε · TINY > 2 η. The products with w, and the bound itself, lose a few η more; [`FLOOR`] covers
//! those. Overflow makes the permanent infinite or NaN, and no value is greater than that: the sign is uncertain.
//! (The permanent is at least as large as the determinant, also after rounding, so it overflows first.)
//!
//! # The fallback
//!
//! Uncertain signs go to the adaptive expansions of the `robust` crate. They are exact as long as no product
//! overflows or loses bits to underflow. If every nonzero coordinate has magnitude in [2⁻²⁵⁰, 2²⁵⁰], then
//! every coordinate, difference and tail of a difference is a multiple of 2⁻³⁰² (a 53-bit number of magnitude 2⁻²⁵⁰ or
//! more), products of three are multiples of 2⁻⁹⁰⁶, far above the smallest normal number 2⁻¹⁰²², and even the
//! sum of six such products stays below 2⁷⁶⁰. The error bounds inside are then either normal numbers or belong to a
//! value without error. Outside this range big integers decide.

use super::{Sign, big};
use crate::geom::{DVec3, Triangle};
use glam::DVec2;
use robust::{Coord, Coord3D};

/// 10 ε with ε = 2⁻⁵³: relative bound of the spatial filter.
const BOUND_3D: f64 = 5.0 * f64::EPSILON;
/// 8 ε: relative bound of the plane filter, which needs 3 ε.
const BOUND_2D: f64 = 4.0 * f64::EPSILON;
/// 2⁻⁹⁰⁰: more than the underflow of a cross product can hide, divided by [`BOUND_3D`]. Much more, so that bounds made
/// from it alone, when two points coincide, are not subnormal: processors take those slowly.
const TINY: f64 = f64::from_bits(123 << 52);
/// 2⁻¹⁰²²: more than the underflow of the last products can hide.
const FLOOR: f64 = f64::MIN_POSITIVE;
/// 2⁻²⁵⁰ and 2²⁵⁰: magnitudes between which the expansions are exact.
const EXPANSIONS: (f64, f64) = (f64::from_bits(773 << 52), f64::from_bits(1273 << 52));

/// The sign of the area of the triangle abc: positive if it runs counter-clockwise.
///
/// Exact for all finite coordinates.
///
/// ```
/// use fracas::exact::{DVec2, Sign, orient2d};
/// let (a, b) = (DVec2::ZERO, DVec2::new(3.0, 3.0));
/// assert_eq!(orient2d(a, b, DVec2::new(0.0, 1.0)), Sign::Positive);
/// assert_eq!(orient2d(a, b, DVec2::new(1e300, 1e300)), Sign::Zero);
/// assert_eq!(orient2d(a, b, DVec2::new(1e300, 0.999_999_999_999_999_9e300)), Sign::Negative);
/// ```
#[inline]
pub fn orient2d(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    let (left, right) = ((b.x - a.x) * (c.y - a.y), (b.y - a.y) * (c.x - a.x));
    let area = left - right;
    let bound = BOUND_2D * (left.abs() + right.abs()) + FLOOR;
    if area.abs() > bound { certain(area) } else { orient2d_exact(a, b, c) }
}

/// The sign of (b − a) × (c − a) · (d − a): positive if d lies on the side to which the normal of abc points, zero if
/// the four points lie in a plane.
///
/// Exact for all finite coordinates. Seen from the positive side, abc runs counter-clockwise.
///
/// ```
/// use fracas::exact::{Sign, orient3d};
/// use fracas::geom::DVec3;
/// // The normal of the triangle 0, X, Y points along Z.
/// let side = |d| orient3d(DVec3::ZERO, DVec3::X, DVec3::Y, d);
/// assert_eq!(side(DVec3::new(7.0, 5.0, 1e-300)), Sign::Positive);
/// assert_eq!(side(DVec3::new(7.0, 5.0, 0.0)), Sign::Zero);
/// assert_eq!(side(-DVec3::Z), Sign::Negative);
/// ```
#[inline]
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    Plane::new(a, b, c).side(d)
}

/// The plane through three points, with what the filter needs to place many points against it.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    a: DVec3,
    b: DVec3,
    c: DVec3,
    /// (b − a) × (c − a), rounded.
    normal: DVec3,
    /// The permanents of its components, rounded, plus [`TINY`].
    permanent: DVec3,
}

impl Plane {
    #[inline]
    pub(super) fn new(a: DVec3, b: DVec3, c: DVec3) -> Self {
        let (u, v) = (b - a, c - a);
        let plus = DVec3::new(u.y * v.z, u.z * v.x, u.x * v.y);
        let minus = DVec3::new(u.z * v.y, u.x * v.z, u.y * v.x);
        let permanent = plus.abs() + minus.abs() + DVec3::splat(TINY);
        Self { a, b, c, normal: plus - minus, permanent }
    }

    #[inline]
    pub(super) fn of(t: &Triangle) -> Self {
        Self::new(t.a, t.b, t.c)
    }

    /// The side of `d`. [`Sign::Zero`] for all points if the three points of the plane lie on a line.
    #[inline]
    pub(super) fn side(&self, d: DVec3) -> Sign {
        let (volume, bound) = self.filter(d);
        if volume.abs() > bound { certain(volume) } else { orient3d_exact(self.a, self.b, self.c, d) }
    }

    /// The sides of three points.
    #[inline]
    pub(super) fn sides(&self, points: [DVec3; 3]) -> Sides {
        // One branch for all three: which of them would be taken is hard to guess.
        let [p, q, r] = points;
        let ((x, x_bound), (y, y_bound), (z, z_bound)) = (self.filter(p), self.filter(q), self.filter(r));
        if (x.abs() > x_bound) & (y.abs() > y_bound) & (z.abs() > z_bound) {
            let above = u8::from(x > 0.0) | u8::from(y > 0.0) << 1 | u8::from(z > 0.0) << 2;
            Sides { above, below: above ^ 7 }
        } else {
            self.sides_one_by_one(points)
        }
    }

    #[inline(never)]
    fn sides_one_by_one(&self, points: [DVec3; 3]) -> Sides {
        // Where the filter fails, a corner of the other triangle is most often one of ours.
        let is_own = |d: DVec3| d == self.a || d == self.b || d == self.c;
        Sides::new(points.map(|d| if is_own(d) { Sign::Zero } else { self.side(d) }))
    }

    /// The rounded determinant for `d` and a bound of its error.
    #[inline]
    fn filter(&self, d: DVec3) -> (f64, f64) {
        let w = d - self.a;
        let (n, p) = (self.normal, self.permanent);
        let volume = n.x * w.x + n.y * w.y + n.z * w.z;
        let permanent = p.x * w.x.abs() + p.y * w.y.abs() + p.z * w.z.abs();
        (volume, BOUND_3D * permanent + FLOOR)
    }
}

/// The sides of the three corners of a triangle, bit k for corner k. A corner in neither set lies in the plane.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    pub(super) above: u8,
    pub(super) below: u8,
}

impl Sides {
    #[inline]
    pub(super) fn new(signs: [Sign; 3]) -> Self {
        let bits = |sign: Sign| (0..3).map(|k| u8::from(signs[k] == sign) << k).sum();
        Self { above: bits(Sign::Positive), below: bits(Sign::Negative) }
    }

    /// Whether all corners lie strictly on one side.
    #[inline]
    pub(super) fn is_one(self) -> bool {
        self.above == 7 || self.below == 7
    }

    /// Whether all corners lie in the plane, or there is no plane.
    #[inline]
    pub(super) fn is_none(self) -> bool {
        self.above | self.below == 0
    }
}

/// The signs of two determinants; faster than asking for one after the other.
#[inline]
pub(super) fn orient3d_twice(first: [DVec3; 4], second: [DVec3; 4]) -> [Sign; 2] {
    let filter = |[a, b, c, d]: [DVec3; 4]| Plane::new(a, b, c).filter(d);
    let ((x, x_bound), (y, y_bound)) = (filter(first), filter(second));
    if (x.abs() > x_bound) & (y.abs() > y_bound) {
        [certain(x), certain(y)]
    } else {
        [first, second].map(|[a, b, c, d]| orient3d(a, b, c, d))
    }
}

/// The sign of a number that is known not to be zero.
#[inline]
fn certain(x: f64) -> Sign {
    if x > 0.0 { Sign::Positive } else { Sign::Negative }
}

/// Whether the expansions are exact for a coordinate.
fn in_range(x: f64) -> bool {
    x == 0.0 || (EXPANSIONS.0..=EXPANSIONS.1).contains(&x.abs())
}

#[inline(never)]
fn orient2d_exact(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    // The zeros that need no arithmetic, and are by far the most frequent ones.
    if a == b || b == c || c == a || (a.x == b.x && b.x == c.x) || (a.y == b.y && b.y == c.y) {
        return Sign::Zero;
    }
    if [a, b, c].iter().all(|p| in_range(p.x) && in_range(p.y)) {
        let [a, b, c] = [a, b, c].map(|p| Coord { x: p.x, y: p.y });
        return Sign::of(robust::orient2d(a, b, c));
    }
    big::orient2d(a, b, c)
}

#[inline(never)]
fn orient3d_exact(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    let flat = |axis: usize| a[axis] == b[axis] && b[axis] == c[axis] && c[axis] == d[axis];
    // Coincident corners and planes across an axis: copies of one scan and machined parts are full of them.
    if d == a || d == b || d == c || a == b || b == c || c == a || flat(0) || flat(1) || flat(2) {
        return Sign::Zero;
    }
    if [a, b, c, d].iter().all(|p| in_range(p.x) && in_range(p.y) && in_range(p.z)) {
        let [a, b, c, d] = [a, b, c, d].map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
        // `robust` calls the other side positive.
        return Sign::of(robust::orient3d(a, b, c, d)).opposite();
    }
    big::orient3d(a, b, c, d)
}
