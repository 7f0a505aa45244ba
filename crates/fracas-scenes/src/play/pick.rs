//! What is shown, and what lies under a ray.
//!
//! Frames tell what came and went; here is what is there. A ray is compared with every triangle: a click is rare, and a hundred thousand triangles
//! take a millisecond.

use crate::{AddedTriangle, Frame};
use fracas::geom::DVec3;
use fracas::mesh::TriangleId;

/// Where the user points: from the eye, of any length but zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The eye.
    pub from: DVec3,
    /// Which way.
    pub along: DVec3,
}

impl Ray {
    /// The point on the ray at a multiple of its length.
    pub(super) fn at(&self, t: f64) -> DVec3 {
        self.from + self.along * t
    }

    /// The same with a direction of length 1.
    pub(super) fn unit(&self) -> Self {
        Self { along: self.along.normalize(), ..*self }
    }

    /// Where a ray of unit length comes down to a height.
    pub(super) fn down_to(&self, height: f64) -> Option<DVec3> {
        let t = (height - self.from.z) / self.along.z;
        (t > 0.0 && t < 1e3).then(|| self.at(t))
    }

    /// Where a ray of unit length crosses the plane through a point that has a normal.
    pub(super) fn through(&self, point: DVec3, normal: DVec3) -> Option<DVec3> {
        let t = (point - self.from).dot(normal) / self.along.dot(normal);
        (t > 0.0 && t < 1e3).then(|| self.at(t))
    }
}

/// All triangles that are there.
#[derive(Default)]
pub(super) struct Shown {
    slots: Vec<Option<AddedTriangle>>,
}

impl Shown {
    /// Takes in what came and went.
    pub fn follow(&mut self, frame: &Frame) {
        for id in &frame.removed {
            if let Some(slot) = self.slots.get_mut(id.index()) {
                *slot = None;
            }
        }
        for new in &frame.added {
            self.slots.resize(self.slots.len().max(new.id.index() + 1), None);
            self.slots[new.id.index()] = Some(*new);
        }
    }

    pub fn triangles(&self) -> impl Iterator<Item = &AddedTriangle> {
        self.slots.iter().flatten()
    }

    /// The triangles where a frame has them.
    pub fn at<'a>(&'a self, frame: &'a Frame) -> Placed<'a> {
        Placed { shown: self, positions: &frame.positions }
    }
}

/// Triangles in their places.
pub(super) struct Placed<'a> {
    shown: &'a Shown,
    positions: &'a [DVec3],
}

/// What a ray meets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub triangle: TriangleId,
    /// Weights of the corners.
    pub weights: [f64; 3],
    pub point: DVec3,
    /// From the eye.
    pub distance: f64,
}

impl Placed<'_> {
    /// All triangles that a ray of unit length meets, from either side, by distance.
    pub fn hits(&self, ray: &Ray) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.shown.triangles().filter_map(|t| self.hit(ray, t)).collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.triangle.cmp(&b.triangle)));
        hits
    }

    /// The nearest triangle that a ray of unit length meets.
    pub fn nearest(&self, ray: &Ray) -> Option<Hit> {
        let all = self.shown.triangles().filter_map(|t| self.hit(ray, t));
        all.min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.triangle.cmp(&b.triangle)))
    }

    /// T. Möller and B. Trumbore, *Fast, minimum storage ray/triangle intersection*, Journal of Graphics Tools, 1997.
    fn hit(&self, ray: &Ray, triangle: &AddedTriangle) -> Option<Hit> {
        let [a, b, c] = triangle.corners.map(|v| self.positions[v as usize]);
        let (e, f) = (b - a, c - a);
        let p = ray.along.cross(f);
        let determinant = e.dot(p);
        if determinant == 0.0 {
            return None;
        }
        let s = ray.from - a;
        let q = s.cross(e);
        let [u, v, distance] = [s.dot(p), ray.along.dot(q), f.dot(q)].map(|x| x / determinant);
        let is_hit = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0;
        is_hit.then(|| Hit {
            triangle: triangle.id,
            weights: [1.0 - u - v, u, v],
            point: ray.at(distance),
            distance,
        })
    }

    pub fn bounds(&self) -> [DVec3; 2] {
        let corners = self.shown.triangles().flat_map(|t| t.corners).map(|v| self.positions[v as usize]);
        let grown = |[low, high]: [DVec3; 2], p: DVec3| [low.min(p), high.max(p)];
        let [low, high] = corners.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], grown);
        if low.is_finite() { [low, high] } else { [DVec3::ZERO; 2] }
    }
}
