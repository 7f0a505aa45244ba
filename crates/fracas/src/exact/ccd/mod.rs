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

pub(crate) mod batch;
mod float;
mod form;
mod integers;
mod kind;
mod lanes;
mod roots;
mod separation;
mod subdivide;

use crate::geom::DVec3;
use kind::{EDGE_EDGE, VERTEX_TRIANGLE};

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

impl Verdict {
    fn contact(self) -> Option<ImpactTime> {
        match self {
            Self::Contact(time) => Some(time),
            Self::Apart | Self::Unknown => None,
        }
    }
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
    VERTEX_TRIANGLE.impact([vertex, a, b, c])
}

/// Whether and when a moving edge first meets another.
///
/// Exact for every finite input: `None` means that they share no point at any time from 0 to 1. [`ImpactTime`] has an
/// example.
#[doc(alias = "ccd")]
#[must_use]
pub fn edge_edge_impact(a: [MovingPoint; 2], b: [MovingPoint; 2]) -> Option<ImpactTime> {
    EDGE_EDGE.impact([a[0], a[1], b[0], b[1]])
}

/// When a moving vertex and a moving triangle may first be at most `separation` apart: conservative.
///
/// `None` means that their distance exceeds the separation at all times from 0 to 1. Otherwise `low` is not later than the first
/// time when it does not, and at some time from `low` to `high` the distance is at most separation + tolerance. The tolerance is
/// separation / 10,000 + 4e-9 · the longest relative way of two vertices + 1e-13 · the largest difference of two coordinates.
/// A separation that is not positive asks for contact, exactly.
///
/// ```
/// use fracas::exact::{MovingPoint, vertex_triangle_impact_within};
/// use fracas::geom::DVec3;
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y].map(MovingPoint::fixed);
/// let drop = MovingPoint { start: DVec3::new(0.2, 0.2, 2.0), end: DVec3::new(0.2, 0.2, 0.0) };
/// let time = vertex_triangle_impact_within(drop, floor, 0.5).unwrap();
/// assert!(time.low <= 0.75 && 0.7499 < time.high);
/// ```
#[doc(alias = "minimum_separation")]
#[must_use]
pub fn vertex_triangle_impact_within(
    vertex: MovingPoint,
    triangle: [MovingPoint; 3],
    separation: f64,
) -> Option<ImpactTime> {
    let [a, b, c] = triangle;
    VERTEX_TRIANGLE.impact_within([vertex, a, b, c], separation)
}

/// When a moving edge and another may first be at most `separation` apart: conservative.
///
/// Promises what [`vertex_triangle_impact_within`] promises.
///
/// ```
/// use fracas::exact::{MovingPoint, edge_edge_impact_within};
/// use fracas::geom::DVec3;
/// let resting = [-DVec3::X, DVec3::X].map(MovingPoint::fixed);
/// let passing = [-DVec3::Y, DVec3::Y].map(|p| MovingPoint { start: p + DVec3::Z, end: p + 0.5 * DVec3::Z });
/// assert!(edge_edge_impact_within(resting, passing, 0.6).is_some());
/// assert_eq!(edge_edge_impact_within(resting, passing, 0.4), None);
/// ```
#[doc(alias = "minimum_separation")]
#[must_use]
pub fn edge_edge_impact_within(
    a: [MovingPoint; 2],
    b: [MovingPoint; 2],
    separation: f64,
) -> Option<ImpactTime> {
    EDGE_EDGE.impact_within([a[0], a[1], b[0], b[1]], separation)
}
