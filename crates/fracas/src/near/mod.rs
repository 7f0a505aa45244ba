//! Pairs of features within a distance, as solvers of cloth and contact need them.
//!
//! Two surfaces that do not intersect are nearest to each other where a vertex is near a triangle or an edge near an edge. So a solver
//! only has to keep apart the vertex–triangle and edge–edge pairs within a *reach*. They are found in the same way as impacts
//! (`impact/`): boxes of one body are enlarged by the reach, and the walk goes down to features. Each feature has one owner, so every pair
//! comes once. Then distances are computed.
//!
//! ```text
//!   SweptBody at rest, boxes grown by the reach ──▶ SweepWalk ──▶ pairs of features ──▶ distance ≤ reach ──▶ Near, sorted
//! ```
//!
//! # What counts
//!
//! Features of one body that share a vertex are left out; twins of a crack at one place count as one vertex, unless the finder
//! reports twins. A vertex that is in no triangle is in no pair.
//!
//! # Rounding
//!
//! Distances are computed in `f64`. A pair is reported if its distance does not exceed the reach by more than [`ROUNDING`] times
//! the largest coordinate difference between its vertices, so that pairs at exactly the reach are not lost to rounding.

use crate::exact;
use crate::geom::distance::{Gap, point_triangle, segment_segment, triangle_triangle};
use crate::geom::{DVec3, Triangle};
use crate::pairs::Features;

/// See the head of the module.
pub const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Two features that are near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Which ones.
    pub features: Features,
    /// Their distance.
    pub distance: f64,
    /// Where they are nearest: weights of the four vertices. A vertex has the weight 1, a triangle three that sum to one, an edge
    /// two, in the order in which [`Near::features`] names them (a triangle's corners in its own order).
    pub weights: [f64; 4],
    /// Between which parts of the features the distance is least.
    pub between: NearParts,
}

/// Between which parts of two features their distance is least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NearParts {
    /// Two vertices.
    VertexVertex,
    /// A vertex and the inside of an edge.
    VertexEdge,
    /// The insides of two edges.
    EdgeEdge,
    /// A vertex and the inside of a triangle.
    VertexFace,
}

/// Distance, weights and parts of two features.
pub(crate) type Measured = (f64, [f64; 4], NearParts);

/// Whether two features are certainly farther apart than the reach. `least` is the least projection of their difference onto a vector with
/// the given square, and `rounding` what sums of it may be off by.
///
/// Most candidates are ruled out here, in a tenth of the time that a distance takes. Any vector gives a valid bound; the one
/// between the centres is nearly the best. Vectors whose squares may have lost digits rule out nothing.
#[inline]
fn is_beyond(least: f64, rounding: f64, squared: f64, reach: f64) -> bool {
    let least = least - 16.0 * f64::EPSILON * rounding;
    least > 0.0
        && (1e-120..1e120).contains(&squared)
        && least * least > reach * reach * squared * (1.0 + 1e-9)
}

/// A vertex and a triangle, if they are within reach.
#[inline]
pub(crate) fn vertex_triangle(p: DVec3, t: &Triangle, reach: f64) -> Option<Measured> {
    let [a, b, c] = t.corners().map(|corner| corner - p);
    let way = a + b + c;
    let along = [a, b, c].map(|corner| way.dot(corner));
    let least = along[0].min(along[1]).min(along[2]);
    let squared = way.length_squared();
    if is_beyond(least, squared + along[0].abs() + along[1].abs() + along[2].abs(), squared, reach) {
        return None;
    }
    let Gap { distance, weights: [a, b, c] } = point_triangle(p, t);
    if distance > reach {
        let size = t.corners().iter().fold(0.0, |m: f64, q| m.max((*q - p).abs().max_element()));
        if distance > reach + ROUNDING * size {
            return None;
        }
    }
    let corners = [a, b, c].iter().filter(|w| **w > 0.0).count();
    let parts =
        [NearParts::VertexVertex, NearParts::VertexVertex, NearParts::VertexEdge, NearParts::VertexFace];
    Some((distance, [1.0, a, b, c], parts[corners]))
}

/// Two edges, if they are within reach.
#[inline]
pub(crate) fn edge_edge(one: [DVec3; 2], other: [DVec3; 2], reach: f64) -> Option<Measured> {
    // Twice the way between the middles, and half of what the edges reach along it.
    let way = (other[0] - one[0]) + (other[1] - one[1]);
    let (squared, inner) =
        (way.length_squared(), way.dot(one[1] - one[0]).abs() + way.dot(other[1] - other[0]).abs());
    if is_beyond(0.5 * (squared - inner), squared + inner, squared, reach) {
        return None;
    }
    let Gap { distance, weights } = segment_segment(one, other);
    if distance > reach {
        let far = |p: DVec3, q: DVec3| (p - q).abs().max_element();
        let size = far(one[0], other[0]).max(far(one[1], other[1])).max(far(one[0], other[1]));
        if distance > reach + ROUNDING * size {
            return None;
        }
    }
    let is_inside = |[a, b]: [f64; 2]| a > 0.0 && b > 0.0;
    let [a, b, c, d] = weights;
    let parts = match (is_inside([a, b]), is_inside([c, d])) {
        (true, true) => NearParts::EdgeEdge,
        (false, false) => NearParts::VertexVertex,
        _ => NearParts::VertexEdge,
    };
    Some((distance, weights, parts))
}

/// Whether two triangles are within reach of each other.
pub(crate) fn triangles_are_near(t: &Triangle, u: &Triangle, reach: f64) -> bool {
    let (low, high) = (t.bounds().min.max(u.bounds().min), t.bounds().max.min(u.bounds().max));
    let size = ROUNDING
        * (low - high).abs().max_element().max((t.bounds().max - u.bounds().min).abs().max_element());
    // Boxes that are further apart than the reach along one axis.
    if (low - high).max_element() > reach + size {
        return false;
    }
    triangle_triangle(t, u).distance <= reach + size || exact::tri_tri(t, u) != exact::Relation::Disjoint
}
