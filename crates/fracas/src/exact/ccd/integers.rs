//! The last stage: the first contact from integers, right for every finite input.
//!
//! # Idea
//!
//! Both questions are one: when does the origin first lie in a moving convex polygon? For a vertex p and a triangle abc
//! the corners Pᵢ are a − p, b − p, c − p. For edges ab and cd they are a − c, b − c, b − d, a − d, the corners of
//! the parallelogram of differences. Let Qᵢ = Pᵢ × Pᵢ₊₁ and f = P₀ · (P₁ × P₂).
//!
//! If f(t) ≠ 0, the plane of the polygon misses the origin. If f(t) = 0, all Pᵢ lie in one plane through the origin, and
//! Qᵢ = qᵢ n with its normal n. Then there are three cases at time t.
//!
//! - Some Qᵢ ≠ 0. The origin is in the polygon iff no two qᵢ have opposite signs. For, with all qᵢ ≥ 0, the origin is on
//!   the inner side of every edge; and a polygon without area whose line misses the origin has Σ qᵢ = 0 and so both
//!   signs. Each coordinate in which some Qᵢ is not zero shows the signs of all qᵢ.
//! - All Qᵢ = 0 and no corner is the origin: all corners lie on one line through the origin. The origin is between them
//!   iff in every coordinate they are not all on one side of zero.
//! - A corner is the origin: contact, and the same test on the coordinates says so.
//!
//! # When
//!
//! If f is not zero throughout, the first contact is one of its at most three roots. If f = 0 throughout, the first contact
//! is at t = 0 or where the answer changes. There some Qᵢ that is not zero throughout vanishes, since the signs of the others
//! to each other stay as they are; so the roots of one non-zero coordinate of every such Qᵢ are enough. If all Qᵢ are zero
//! throughout, the answer changes where a coordinate of a corner vanishes.

use super::super::{Sign, big};
use super::form::Form;
use super::roots::roots_of;
use super::{ImpactTime, MovingPoint};
use num_bigint::BigInt;

type Vector = [Form; 3];

/// A convex polygon that moves, and what decides whether it holds the origin.
struct Polygon {
    corners: Vec<Vector>,
    /// Qᵢ: the cross product of each corner and the next.
    crosses: Vec<Vector>,
    /// f: six times the volume of the origin and the first three corners.
    volume: Form,
}

pub(super) fn vertex_triangle([p, a, b, c]: [MovingPoint; 4]) -> Option<ImpactTime> {
    let [p, a, b, c] = &integers([p, a, b, c]);
    Polygon::new(vec![minus(a, p), minus(b, p), minus(c, p)]).first_contact()
}

pub(super) fn edge_edge([a, b, c, d]: [MovingPoint; 4]) -> Option<ImpactTime> {
    let [a, b, c, d] = &integers([a, b, c, d]);
    Polygon::new(vec![minus(a, c), minus(b, c), minus(b, d), minus(a, d)]).first_contact()
}

impl Polygon {
    fn new(corners: Vec<Vector>) -> Self {
        let next = corners.iter().cycle().skip(1);
        let crosses: Vec<Vector> = corners.iter().zip(next).map(|(p, q)| cross(p, q)).collect();
        let volume = dot(&corners[0], &crosses[1]);
        Self { corners, crosses, volume }
    }

    fn first_contact(&self) -> Option<ImpactTime> {
        if self.volume.sign_at_start().is_zero() && self.holds_origin(Form::sign_at_start) {
            return Some(ImpactTime { low: 0.0, high: 0.0 });
        }
        let inside = self.guides().into_iter().filter_map(|guide| {
            let mut roots = roots_of(guide).into_iter();
            roots.find_map(|mut root| self.holds_origin(|q| root.sign_of(q)).then(|| root.time()))
        });
        // The earliest of several lies between the earliest of their lower ends and the earliest of their upper ends.
        let earliest = inside.reduce(|x, y| ImpactTime { low: x.low.min(y.low), high: x.high.min(y.high) });
        earliest.or_else(|| {
            (self.volume.sign_at_end().is_zero() && self.holds_origin(Form::sign_at_end))
                .then_some(ImpactTime { low: 1.0, high: 1.0 })
        })
    }

    /// Forms that are not zero; the first contact inside the step is a root of one of them.
    fn guides(&self) -> Vec<&Form> {
        if !self.volume.is_zero() {
            return vec![&self.volume];
        }
        let is_used = |form: &&Form| !form.is_zero();
        let edges: Vec<&Form> = self.crosses.iter().filter_map(|q| q.iter().find(is_used)).collect();
        if !edges.is_empty() {
            return edges;
        }
        self.corners.iter().flatten().filter(is_used).collect()
    }

    /// Whether the polygon holds the origin at a time when f = 0, given the signs of forms at that time.
    fn holds_origin(&self, mut sign_of: impl FnMut(&Form) -> Sign) -> bool {
        for axis in 0..3 {
            let (mut above, mut below) = (false, false);
            for q in &self.crosses {
                match sign_of(&q[axis]) {
                    Sign::Positive => above = true,
                    Sign::Negative => below = true,
                    Sign::Zero => {}
                }
                if above && below {
                    return false;
                }
            }
            if above || below {
                return true;
            }
        }
        (0..3).all(|axis| {
            let first = sign_of(&self.corners[0][axis]);
            first.is_zero() || self.corners[1..].iter().any(|p| sign_of(&p[axis]) != first)
        })
    }
}

/// The points times a common power of two that makes all coordinates integers.
fn integers(points: [MovingPoint; 4]) -> [Vector; 4] {
    // Trailing zeros go into the exponent: numbers that are short stay short.
    let parts = |x: f64| {
        let (mantissa, exponent) = big::decode(x);
        let zeros = if mantissa == 0 { 0 } else { i64::from(mantissa.trailing_zeros()) };
        (mantissa >> zeros, exponent + zeros)
    };
    let coordinates = points.map(|p| [0, 1, 2].map(|k| [parts(p.start[k]), parts(p.end[k])]));
    let used = coordinates.iter().flatten().flatten().filter(|part| part.0 != 0);
    let lowest = used.map(|part| part.1).min().unwrap_or(0);
    let integer = |(mantissa, exponent): (i64, i64)| match mantissa {
        0 => BigInt::ZERO,
        _ => BigInt::from(mantissa) << (exponent - lowest),
    };
    coordinates.map(|point| point.map(|[start, end]| Form(vec![integer(start), integer(end)])))
}

fn minus(p: &Vector, q: &Vector) -> Vector {
    [0, 1, 2].map(|k| p[k].minus(&q[k]))
}

fn cross(p: &Vector, q: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| p[i].times(&q[j]).minus(&p[j].times(&q[i])))
}

fn dot(p: &Vector, q: &Vector) -> Form {
    p[0].times(&q[0]).plus(&p[1].times(&q[1])).plus(&p[2].times(&q[2]))
}
