//! The best pair so far: how near it is, in which direction, and whether two more triangles are nearer.

use super::bounds::squared;
use super::{ClosestEnd, ClosestTriangles};
use crate::exact;
use crate::geom::distance::{TriangleGap, triangle_triangle};
use crate::geom::{DVec3, Triangle};
use crate::walk::View;

/// How often a point of one body and one of the other approach each other at most.
const APPROACHES: usize = 6;

/// The direction is renewed when the cosine of the angle to that of the best pair has sunk below this.
const TURNED: f32 = 0.9995;

/// The best pair so far.
pub(super) struct Best<'a> {
    pub(super) a: ClosestEnd<'a>,
    pub(super) b: ClosestEnd<'a>,
    /// From the world to the common frame.
    pub(super) scale: f64,
    /// What is farther apart than this is not looked at; the same, squared and rounded up, in the common frame.
    pub(super) limit: f64,
    pub(super) squared: f32,
    pub(super) found: Option<ClosestTriangles>,
    /// From the point on the first body to that on the second in the world, of length one; zero if there is none.
    pub(super) way: DVec3,
    /// About from the point on the first body to that on the second, in the common frame, of length one; and which direction it is. 0: there is
    /// none yet.
    pub(super) direction: [f32; 3],
    pub(super) version: u32,
    pub(super) measured: u64,
}

impl<'a> Best<'a> {
    pub(super) fn new(a: ClosestEnd<'a>, b: ClosestEnd<'a>, reach: f64) -> Self {
        let mut best = Best {
            a,
            b,
            scale: a.0.frame().scale,
            limit: 0.0,
            squared: 0.0,
            found: None,
            way: DVec3::ZERO,
            direction: [0.0; 3],
            version: 0,
            measured: 0,
        };
        best.set_limit(reach);
        best
    }

    /// The square of a distance along the direction, rounded down; 0 if there is no direction.
    #[inline(always)]
    pub(super) fn along(&self, along: f32) -> f32 {
        if self.version > 0 { squared(along) } else { 0.0 }
    }

    pub(super) fn set_limit(&mut self, limit: f64) {
        self.limit = limit;
        let in_frame = limit * self.scale;
        self.squared = (in_frame * in_frame * (1.0 + 1e-6)) as f32 * (1.0 + 1e-6);
    }

    /// Whether two triangles are at least as far apart along the way between the best points as these are, up to rounding.
    pub(super) fn is_no_nearer(&self, t: &Triangle, u: &Triangle) -> bool {
        let origin = t.a;
        let ahead = u.corners().map(|p| self.way.dot(p - origin)).into_iter().fold(f64::INFINITY, f64::min);
        let behind = t.corners().map(|p| self.way.dot(p - origin)).into_iter().fold(0.0, f64::max);
        ahead - behind >= self.limit * (1.0 - 8.0 * f64::EPSILON)
    }

    /// Goes back and forth: the point of one body nearest to a point of the other, and so on while it helps. That ends at points that are
    /// nearest to each other, if only there.
    pub(super) fn approach(&mut self) {
        let [a, b] = [self.a, self.b].map(|(body, tree, pose)| View::of(body, tree).at(pose));
        let mut from = match &self.found {
            Some(found) => found.gap.points[0],
            None => {
                let bounds = a.bounds();
                b.bounds().centre().clamp(bounds.min, bounds.max)
            }
        };
        for _ in 0..APPROACHES {
            let before = self.limit;
            let Some(on_b) = b.nearest(from, f64::INFINITY) else { return };
            let Some(on_a) = a.nearest(on_b.point, f64::INFINITY) else { return };
            self.measure([on_a.triangle.0, on_b.triangle.0]);
            if self.found.is_none() || self.limit == 0.0 || self.limit > 0.999 * before {
                return;
            }
            from = on_a.point;
        }
    }

    pub(super) fn measure(&mut self, triangles: [u32; 2]) {
        let [t, u] = [(self.a, triangles[0]), (self.b, triangles[1])]
            .map(|((body, _, pose), id)| pose.apply_to_triangle(&body.triangle(id)));
        // Around a closest vertex all triangles are equally near. They lie behind the plane through it, which is found out sooner than
        // their distance.
        if self.found.is_some() && self.is_no_nearer(&t, &u) {
            return;
        }
        self.measured += 1;
        let gap = distance(&t, &u);
        let is_better = match &self.found {
            None => gap.distance <= self.limit,
            Some(_) => gap.distance < self.limit,
        };
        if is_better {
            self.set_limit(gap.distance);
            self.found = Some(ClosestTriangles { triangles, gap });
            let [p, q] = gap.points;
            self.way = (q - p).normalize_or_zero();
            let way = self.a.2.inverse().rotation() * self.way;
            let way = way.to_array().map(|x| x as f32);
            let cosine = (0..3).map(|k| way[k] * self.direction[k]).sum::<f32>();
            if cosine < TURNED {
                self.direction = way;
                self.version += 1;
            }
        }
    }
}

/// The distance of two triangles; 0 if they intersect, and only then.
fn distance(t: &Triangle, u: &Triangle) -> TriangleGap {
    let mut gap = triangle_triangle(t, u);
    let overlap = t.bounds().overlaps(&u.bounds());
    if overlap && exact::tri_tri(t, u) != exact::Relation::Disjoint {
        if let Some([p, _]) = exact::tri_tri_segment(t, u) {
            gap.points = [p, p];
        }
        gap.distance = 0.0;
    } else {
        gap.distance = gap.distance.max(f64::MIN_POSITIVE);
    }
    gap
}
