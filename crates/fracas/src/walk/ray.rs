//! The first triangle on the way from one point to another.
//!
//! Boxes are entered nearest first, and those beyond the nearest hit are left out. Whether a triangle is hit is decided
//! exactly.

use super::view::Sight;
use super::{Node, View};
use crate::exact::{self, Relation};
use crate::geom::{DVec3, Triangle};
use crate::mesh::TriangleId;
use crate::pairs::{Frame, LANES};

/// The first triangle a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The triangle; of several at the same distance, to twelve digits, the one with the smallest id.
    pub triangle: TriangleId,
    /// Where on the way from start (0) to end (1), rounded.
    pub t: f64,
}

/// Distances along a ray that differ by less, as parts of its length, count as equal: they are rounded.
const SAME_DISTANCE: f64 = 1e-12;

impl View<'_> {
    /// The first triangle on the way from `start` to `end`. Whether a triangle is met is decided exactly for the
    /// segment between the two points, so nothing slips through at edges and vertices; only `t` is rounded.
    /// A segment with a NaN or infinite end meets nothing.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes, geom::DVec3};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
    /// let hit = ball.view().cast_ray(DVec3::new(-2.0, 0.0, 0.0), DVec3::ZERO);
    /// assert!((hit.unwrap().t - 0.5).abs() < 0.01);
    /// ```
    #[doc(alias = "raycast")]
    #[doc(alias = "cast_segment")]
    #[must_use]
    pub fn cast_ray(&self, start: DVec3, end: DVec3) -> Option<RayHit> {
        if !start.is_finite() || !end.is_finite() {
            return None;
        }
        let mut hits: Vec<RayHit> = Vec::new();
        let ray = Ray::new(&self.sight(), start, end);
        // The reach ends a little beyond the nearest hit so far: `t` is rounded, and ties must still be found.
        let mut reach = 1.0_f64;
        self.visit(
            reach,
            |node, bounds| ray.entries(node, bounds),
            |id, t| {
                if exact::segment_triangle(start, end, t) != Relation::Disjoint {
                    let hit = RayHit { triangle: TriangleId(id), t: first_contact(start, end, t) };
                    reach = reach.min(hit.t * (1.0 + 1e-9) + 1e-12);
                    hits.push(hit);
                }
                Some(reach)
            },
        );
        let nearest = hits.iter().map(|hit| hit.t).fold(f64::INFINITY, f64::min);
        let as_near = hits.into_iter().filter(|hit| hit.t <= nearest + SAME_DISTANCE);
        as_near.min_by_key(|hit| hit.triangle)
    }
}

/// A segment in frame coordinates, and what a box may do to it. Whatever rounding leaves open counts as a maybe.
pub(super) struct Ray {
    start: [f64; 3],
    way: [f64; 3],
    length_squared: f64,
    pad: f64,
}

/// Products below this may have lost digits to underflow.
const TINY: f64 = 1e-280;

impl Ray {
    pub(super) fn new(sight: &Sight, start: DVec3, end: DVec3) -> Self {
        let from = sight.point(start);
        let way = sight.direction(end) - sight.direction(start);
        let pad = sight.rounding(from.abs().max(way.abs()).max_element());
        let way = way.to_array();
        let length_squared = way.iter().map(|d| d * d).sum();
        Self { start: from.to_array(), way, length_squared, pad }
    }

    /// For each lane a lower bound of where its box is entered, as a part of the ray's length; infinite if the ray misses the box.
    pub(super) fn entries(&self, node: &Node, bounds: &mut [f64; LANES]) {
        for (lane, _) in node.used() {
            let (low, high) = node.boxes.lane(lane);
            let (mut centre, mut half) = ([0.0; 3], [0.0; 3]);
            for k in 0..3 {
                centre[k] = 0.5 * (f64::from(low[k]) + f64::from(high[k])) - self.start[k];
                half[k] = 0.5 * (f64::from(high[k]) - f64::from(low[k])) + 2.0 * f64::from(Frame::SLACK);
                half[k] += 8.0 * f64::EPSILON * self.start[k].abs() + self.pad;
            }
            bounds[lane] =
                if self.misses(&centre, &half) { f64::INFINITY } else { self.entry(&centre, &half) };
        }
    }

    /// Whether the box, given relative to the start, certainly lies beside the ray's line, seen along some axis, or
    /// behind one of its ends.
    #[inline]
    fn misses(&self, centre: &[f64; 3], half: &[f64; 3]) -> bool {
        let d = &self.way;
        let beside = |i: usize, j: usize| {
            let (a, b) = (centre[i] * d[j], centre[j] * d[i]);
            let reach = half[i] * d[j].abs() + half[j] * d[i].abs();
            (a - b).abs() > reach + 8.0 * f64::EPSILON * (a.abs() + b.abs() + reach) + TINY
        };
        let behind = |k: usize| {
            let (from, to) = (d[k].min(0.0), d[k].max(0.0));
            let reach = half[k] + 8.0 * f64::EPSILON * d[k].abs();
            centre[k] - reach > to || centre[k] + reach < from
        };
        behind(0) || behind(1) || behind(2) || beside(0, 1) || beside(1, 2) || beside(2, 0)
    }

    #[inline]
    fn entry(&self, centre: &[f64; 3], half: &[f64; 3]) -> f64 {
        if self.length_squared < TINY {
            return f64::NEG_INFINITY;
        }
        let mut nearest = 0.0;
        for k in 0..3 {
            let (along, reach) = (centre[k] * self.way[k], half[k] * self.way[k].abs());
            nearest += along - reach - 8.0 * f64::EPSILON * (along.abs() + reach);
        }
        nearest / self.length_squared
    }
}

/// Where the segment first meets a triangle it is known to meet, as a part of its length.
fn first_contact(start: DVec3, end: DVec3, t: &Triangle) -> f64 {
    // The segment is a triangle without area; the ends of what the two share are rounded once, and no more.
    let Some(shared) = exact::tri_tri_segment(&Triangle::new(start, end, end), t) else { return 0.0 };
    // Near one, so that products neither overflow nor vanish.
    let frame = Frame::around(start.min(end), start.max(end));
    let scaled = |p: DVec3| frame.map_exact(p);
    let (origin, way) = (scaled(start), scaled(end) - scaled(start));
    let length = way.length_squared();
    let along = |p: DVec3| if length > 0.0 { (scaled(p) - origin).dot(way) / length } else { 0.0 };
    along(shared[0]).min(along(shared[1])).clamp(0.0, 1.0)
}
