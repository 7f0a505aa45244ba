//! What triangles share, in exact fractions.
//!
//! A point is four integers [X, Y, Z, W] with W > 0 that stand for (X, Y, Z) / W. Input coordinates become integers by
//! a common power of two, so W begins as 1 and grows as edges are cut. Nothing is ever reduced or rounded.

use fracas::exact::{Relation, Sign};
use fracas::geom::{DVec3, Triangle};
use num_bigint::BigInt;
use std::cmp::Ordering;

pub type Point = [BigInt; 4];
type Vector = [BigInt; 3];
type Hull = [Point; 3];

/// Integers n · 2ᵉ for all points: the integers, and e.
pub fn integers<const N: usize>(points: [DVec3; N]) -> ([Point; N], i32) {
    let exponent_of = |x: f64| ((x.to_bits() >> 52 & 0x7ff) as i32).max(1) - 1075;
    let lowest =
        points.iter().flat_map(|p| p.to_array()).filter(|x| *x != 0.0).map(exponent_of).min().unwrap_or(0);
    let integer = |x: f64| {
        let fraction = BigInt::from(x.to_bits() & ((1 << 52) - 1));
        let hidden = BigInt::from(u64::from(x.abs() >= f64::MIN_POSITIVE) << 52);
        let magnitude = (fraction + hidden) << if x == 0.0 { 0 } else { exponent_of(x) - lowest };
        if x < 0.0 { -magnitude } else { magnitude }
    };
    (points.map(|p| [integer(p.x), integer(p.y), integer(p.z), BigInt::from(1)]), lowest)
}

fn hulls(t: &Triangle, u: &Triangle) -> [Hull; 2] {
    let ([a, b, c, d, e, f], _) = integers([t.a, t.b, t.c, u.a, u.b, u.c]);
    [[a, b, c], [d, e, f]]
}

/// q − p for points with W = 1.
fn from_to(p: &Point, q: &Point) -> Vector {
    [0, 1, 2].map(|k| &q[k] - &p[k])
}

fn dot(p: &Vector, q: &[BigInt]) -> BigInt {
    &p[0] * &q[0] + &p[1] * &q[1] + &p[2] * &q[2]
}

fn cross(p: &Vector, q: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &p[i] * &q[j] - &p[j] * &q[i])
}

fn sign(x: &BigInt) -> Sign {
    match x.cmp(&BigInt::ZERO) {
        Ordering::Less => Sign::Negative,
        Ordering::Equal => Sign::Zero,
        Ordering::Greater => Sign::Positive,
    }
}

/// The order of x, then y, then z.
pub fn compare(p: &Point, q: &Point) -> Ordering {
    (0..3).map(|k| (&p[k] * &q[3]).cmp(&(&q[k] * &p[3]))).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// The sign of (b − a) × (c − a) · (d − a).
pub fn volume_sign(points: [DVec3; 4]) -> Sign {
    let ([a, b, c, d], _) = integers(points);
    sign(&dot(&normal(&a, &b, &c), &from_to(&a, &d)))
}

fn normal(a: &Point, b: &Point, c: &Point) -> Vector {
    cross(&from_to(a, b), &from_to(a, c))
}

/// 0 for a point, 1 for a segment, 2 for a triangle with area.
fn dimension([a, b, c]: &Hull) -> usize {
    if a == b && b == c {
        0
    } else if normal(a, b, c).iter().all(|x| *x == BigInt::ZERO) {
        1
    } else {
        2
    }
}

/// All x with normal · x ≥ offset.
struct HalfSpace {
    normal: Vector,
    offset: BigInt,
}

impl HalfSpace {
    fn through(normal: Vector, p: &Point) -> Self {
        let offset = dot(&normal, &p[..3]);
        Self { normal, offset }
    }

    /// (normal · p − offset) W.
    fn excess(&self, p: &Point) -> BigInt {
        dot(&self.normal, &p[..3]) - &self.offset * &p[3]
    }
}

/// The two ends of a flat triangle: of its corners, two that are farthest from each other.
fn ends(t: &Hull) -> [&Point; 2] {
    let square = |[p, q]: &[&Point; 2]| dot(&from_to(p, q), &from_to(p, q));
    [[&t[0], &t[1]], [&t[1], &t[2]], [&t[2], &t[0]]].into_iter().max_by_key(square).expect("three pairs")
}

/// A triangle, segment or point as an intersection of half-spaces. The second list holds those whose border is the
/// border of the set; the first only confine it to its plane or line.
fn half_spaces(t: &Hull) -> (Vec<HalfSpace>, Vec<HalfSpace>) {
    let both_ways = |normal: Vector, p: &Point| {
        let opposite = normal.clone().map(|x| -x);
        [HalfSpace::through(normal, p), HalfSpace::through(opposite, p)]
    };
    let axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|axis| axis.map(BigInt::from));
    let [a, b, c] = t;
    match dimension(t) {
        0 => (axes.into_iter().flat_map(|n| both_ways(n, a)).collect(), vec![]),
        1 => {
            let [p, q] = ends(t);
            let along = from_to(p, q);
            let confine = axes.into_iter().flat_map(|n| both_ways(cross(&along, &n), p)).collect();
            (confine, vec![HalfSpace::through(along, p), HalfSpace::through(from_to(q, p), q)])
        }
        _ => {
            let n = normal(a, b, c);
            let border =
                [(a, b), (b, c), (c, a)].map(|(p, q)| HalfSpace::through(cross(&n, &from_to(p, q)), p));
            (both_ways(n, a).into(), border.into())
        }
    }
}

/// The corners of the intersection: the first triangle, cut by every half-space of the second.
fn cut([t, u]: &[Hull; 2]) -> Vec<Point> {
    let (confine, border) = half_spaces(u);
    let mut polygon = t.to_vec();
    for half_space in confine.iter().chain(&border) {
        let excess: Vec<_> = polygon.iter().map(|p| half_space.excess(p)).collect();
        let mut kept: Vec<Point> = vec![];
        for (k, p) in polygon.iter().enumerate() {
            let next = (k + 1) % polygon.len();
            let (here, there) = (&excess[k], &excess[next]);
            if sign(here) != Sign::Negative {
                kept.push(p.clone());
            }
            if !sign(here).is_zero() && sign(here) == sign(there).opposite() {
                let mut middle = [0, 1, 2, 3].map(|k| here * &polygon[next][k] - there * &p[k]);
                if sign(&middle[3]) == Sign::Negative {
                    middle = middle.map(|x| -x);
                }
                kept.push(middle);
            }
        }
        polygon = kept;
    }
    polygon.sort_by(compare);
    polygon.dedup_by(|p, q| compare(p, q).is_eq());
    polygon
}

/// The corners of the intersection of two triangles in order, and the exponent of the power of two they are multiples of.
pub fn intersection(t: &Triangle, u: &Triangle) -> (Vec<Point>, i32) {
    (cut(&hulls(t, u)), integers([t.a, t.b, t.c, u.a, u.b, u.c]).1)
}

/// Whether the point, known to lie in the set, lies off its border. A point is its own inside.
fn is_inside(t: &Hull, p: &Point) -> bool {
    half_spaces(t).1.iter().all(|h| sign(&h.excess(p)) == Sign::Positive)
}

/// The mean of up to two of the points.
fn middle(points: &[Point]) -> Point {
    let (p, q) = (&points[0], &points[points.len() - 1]);
    let [x, y, z] = [0, 1, 2].map(|k| &p[k] * &q[3] + &q[k] * &p[3]);
    [x, y, z, BigInt::from(2) * &p[3] * &q[3]]
}

/// Touching or crossing, for sets that share the given corners.
fn meeting([t, u]: &[Hull; 2], shared: &[Point]) -> Relation {
    let (proper, other) = if dimension(t) == 2 { (t, u) } else { (u, t) };
    let [a, b, c] = proper;
    let is_transversal = dimension(proper) == 2
        && dimension(other) >= 1
        && other.iter().any(|d| dot(&normal(a, b, c), &from_to(a, d)) != BigInt::ZERO);
    // Then they share a segment or a point, and if their insides share any point, they share its middle.
    if is_transversal && is_inside(t, &middle(shared)) && is_inside(u, &middle(shared)) {
        Relation::Crossing
    } else {
        Relation::Touching
    }
}

/// How two triangles without common ids meet.
pub fn relation(t: &Triangle, u: &Triangle) -> Relation {
    relation_shared(t, [0, 1, 2], u, [3, 4, 5])
}

/// How two triangles meet outside the hull of their common ids (outside its border if these are three).
pub fn relation_shared(t: &Triangle, t_ids: [u32; 3], u: &Triangle, u_ids: [u32; 3]) -> Relation {
    let both = hulls(t, u);
    let shared = cut(&both);
    if shared.is_empty() {
        return Relation::Disjoint;
    }
    let mut common: Vec<(u32, &Point)> = t_ids.into_iter().zip(&both[0]).collect();
    common.retain(|(id, _)| u_ids.contains(id));
    common.sort_by_key(|(id, _)| *id);
    common.dedup_by_key(|(id, _)| *id);
    let is_contained = match common.as_slice() {
        [] => false,
        [(_, p)] => all_in(&shared, [*p, *p, *p]),
        [(_, p), (_, q)] => all_in(&shared, [*p, *q, *q]),
        _ => dimension(&both[0]) < 2,
    };
    if is_contained { Relation::Disjoint } else { meeting(&both, &shared) }
}

fn all_in(points: &[Point], hull: [&Point; 3]) -> bool {
    let (confine, border) = half_spaces(&hull.map(Clone::clone));
    points.iter().all(|p| confine.iter().chain(&border).all(|h| sign(&h.excess(p)) != Sign::Negative))
}
