//! What differs between the two queries, vertex against triangle and edge against edge.

use super::float::{Corner, Forms};
use super::{ImpactTime, MovingPoint, Verdict, integers, separation, subdivide};

/// A question about four moving points, with N corners ([`integers`] says what these are).
#[derive(Clone, Copy)]
pub(super) struct Kind<const N: usize> {
    /// Each corner is the difference of these two points.
    pub(super) corners: [[usize; 2]; N],
    /// The answer from integers.
    pub(super) exact: fn([MovingPoint; 4]) -> Option<ImpactTime>,
}

/// A vertex, and the three corners of a triangle.
pub(super) const VERTEX_TRIANGLE: Kind<3> =
    Kind { corners: [[1, 0], [2, 0], [3, 0]], exact: integers::vertex_triangle };

/// The two ends of an edge, and those of another.
pub(super) const EDGE_EDGE: Kind<4> =
    Kind { corners: [[0, 2], [1, 2], [1, 3], [0, 3]], exact: integers::edge_edge };

impl<const N: usize> Kind<N> {
    /// Answers one question.
    pub(super) fn impact(&self, points: [MovingPoint; 4]) -> Option<ImpactTime> {
        if self.is_separated(&points) {
            return None;
        }
        match self.subdivide(&points) {
            Verdict::Apart => None,
            Verdict::Contact(time) => Some(time),
            Verdict::Unknown => (self.exact)(points),
        }
    }

    /// When the distance may first be at most the separation; exactly when they first meet, if it is not positive.
    pub(super) fn impact_within(&self, points: [MovingPoint; 4], separation: f64) -> Option<ImpactTime> {
        if separation > 0.0 {
            separation::first_within(self, &points, separation)
        } else {
            self.impact(points)
        }
    }

    /// Whether along some axis all corners are on the same side of zero, at the start and at the end, and so in between.
    fn is_separated(&self, points: &[MovingPoint; 4]) -> bool {
        (0..3).any(|axis| {
            let is_below = |[p, q]: &[usize; 2]| {
                let (p, q) = (&points[*p], &points[*q]);
                p.start[axis] < q.start[axis] && p.end[axis] < q.end[axis]
            };
            self.corners.iter().all(is_below) || self.corners.iter().all(|[p, q]| is_below(&[*q, *p]))
        })
    }

    /// Answers in `f64`, if that is certain.
    pub(super) fn subdivide(&self, points: &[MovingPoint; 4]) -> Verdict {
        let corners: [Corner<f64>; N] = self.corners.map(|[p, q]| {
            let (p, q) = (&points[p], &points[q]);
            [0, 1, 2].map(|k| [p.start[k] - q.start[k], p.end[k] - q.end[k]])
        });
        let size = corners.iter().flatten().flatten().fold(0.0_f64, |size, x| size.max(x.abs()));
        subdivide::decide(&Forms::new(&corners), size)
    }
}
