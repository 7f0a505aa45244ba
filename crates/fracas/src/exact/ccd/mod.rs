//! When moving features first meet: vertex against triangle, edge against edge.
//!
//! Every point moves linearly from where it is at t = 0 to where it is at t = 1. Whether two features meet during this
//! step is decided exactly for the `f64` positions given. Features are closed: touching counts, at any instant from the
//! first to the last. Triangles without area and edges without length are the segments and points they look like, at every
//! instant. The time of the first contact is a certified interval, at most 1e-9 wide.
//!
//! # Idea
//!
//! ```text
//!              b                 The vertex p meets the triangle abc when the volume f(t) of the
//!             / \                tetrahedron pabc, a cubic, is zero, and p is on the inner side
//!     p ·····/·> \               of every edge, which is a matter of signs of quadratics q(t) at
//!           a ─── c              the root of f. Two edges meet likewise.
//! ```
//!
//! No root has to be known for a sign at the root to be certain, only an interval that holds it.
//!
//! # Reference
//!
//! T. Brochu, E. Edwards, R. Bridson, *Efficient geometrically exact continuous collision detection*, ACM Transactions
//! on Graphics 31(4), 2012, who decide the parity of contacts. B. Wang and others, *A large-scale benchmark and an
//! inclusion-based algorithm for continuous collision detection*, ACM Transactions on Graphics 40(5), 2021, whose
//! answers are within a tolerance.

mod float;
mod form;
mod integers;
mod roots;
mod subdivide;

use crate::geom::DVec3;
use float::{Corner, Forms};

/// A point that moves linearly during a step.
///
/// ```
/// use fracas::exact::MovingPoint;
/// use fracas::geom::DVec3;
/// let falling = MovingPoint { start: DVec3::Z, end: -DVec3::Z };
/// let resting = MovingPoint::fixed(DVec3::X);
/// assert_eq!(falling.reversed().start, -DVec3::Z);
/// assert_eq!(resting.start, resting.end);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingPoint {
    /// Where it is at t = 0. Finite.
    pub start: DVec3,
    /// Where it is at t = 1. Finite.
    pub end: DVec3,
}

impl MovingPoint {
    /// A point that rests.
    #[must_use]
    pub fn fixed(at: DVec3) -> Self {
        Self { start: at, end: at }
    }

    /// The same way back.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { start: self.end, end: self.start }
    }
}

/// When a first contact happens: between `low` and `high`, which are at most 1e-9 of the step apart.
///
/// `0 ≤ low ≤ high ≤ 1`. A contact at the very start is `low = high = 0`.
///
/// ```
/// use fracas::exact::{ImpactTime, MovingPoint, edge_edge_impact};
/// use fracas::geom::DVec3;
/// let resting = [-DVec3::X, DVec3::X].map(MovingPoint::fixed);
/// let falling = [-DVec3::Y, DVec3::Y].map(|p| MovingPoint { start: p + DVec3::Z, end: p - DVec3::Z });
/// let ImpactTime { low, high } = edge_edge_impact(resting, falling).unwrap();
/// assert!(low <= 0.5 && 0.5 <= high && high - low <= 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactTime {
    /// The first contact is not earlier.
    pub low: f64,
    /// The first contact is not later.
    pub high: f64,
}

/// What a filter says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Apart,
    Contact(ImpactTime),
    Unknown,
}

/// Whether and when a moving vertex first meets a moving triangle.
///
/// Exact for every finite input: `None` means that they share no point at any time from 0 to 1.
///
/// ```
/// use fracas::exact::{MovingPoint, vertex_triangle_impact};
/// use fracas::geom::DVec3;
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y].map(MovingPoint::fixed);
/// let drop = |x: f64| MovingPoint { start: DVec3::new(x, 0.0, 3.0), end: DVec3::new(x, 0.0, -1.0) };
/// let time = vertex_triangle_impact(drop(1.0), floor).unwrap(); // on the corner
/// assert!(time.low <= 0.75 && 0.75 <= time.high);
/// assert_eq!(vertex_triangle_impact(drop(1.0 + f64::EPSILON), floor), None);
/// ```
#[doc(alias = "ccd")]
#[must_use]
pub fn vertex_triangle_impact(vertex: MovingPoint, triangle: [MovingPoint; 3]) -> Option<ImpactTime> {
    let [a, b, c] = triangle;
    let one_way =
        |p: f64, q: [f64; 3]| i32::from(q.iter().all(|&q| p < q)) - i32::from(q.iter().all(|&q| q < p));
    let is_apart = (0..3).any(|k| {
        let side = one_way(vertex.start[k], triangle.map(|q| q.start[k]));
        side != 0 && side == one_way(vertex.end[k], triangle.map(|q| q.end[k]))
    });
    if is_apart {
        return None;
    }
    filtered(&[minus(a, vertex), minus(b, vertex), minus(c, vertex)], || {
        integers::vertex_triangle([vertex, a, b, c])
    })
}

/// Whether and when a moving edge first meets another.
///
/// Exact for every finite input: `None` means that they share no point at any time from 0 to 1. [`ImpactTime`] has an
/// example.
#[doc(alias = "ccd")]
#[must_use]
pub fn edge_edge_impact(a: [MovingPoint; 2], b: [MovingPoint; 2]) -> Option<ImpactTime> {
    let below = |p: [f64; 2], q: [f64; 2]| p[0].max(p[1]) < q[0].min(q[1]);
    let one_way = |p: [f64; 2], q: [f64; 2]| i32::from(below(p, q)) - i32::from(below(q, p));
    let is_apart = (0..3).any(|k| {
        let side = one_way(a.map(|p| p.start[k]), b.map(|p| p.start[k]));
        side != 0 && side == one_way(a.map(|p| p.end[k]), b.map(|p| p.end[k]))
    });
    if is_apart {
        return None;
    }
    let ([a, b], [c, d]) = (a, b);
    filtered(&[minus(a, c), minus(b, c), minus(b, d), minus(a, d)], || integers::edge_edge([a, b, c, d]))
}

/// Decides in `f64` if that is certain, and otherwise as told.
fn filtered<const N: usize>(
    corners: &[Corner<f64>; N],
    exact: impl FnOnce() -> Option<ImpactTime>,
) -> Option<ImpactTime> {
    let size = corners.iter().flatten().flatten().fold(0.0_f64, |size, x| size.max(x.abs()));
    match subdivide::decide(&Forms::new(corners), size) {
        Verdict::Apart => None,
        Verdict::Contact(time) => Some(time),
        Verdict::Unknown => exact(),
    }
}

fn minus(p: MovingPoint, q: MovingPoint) -> Corner<f64> {
    [0, 1, 2].map(|k| [p.start[k] - q.start[k], p.end[k] - q.end[k]])
}
