//! Soft bodies that are kept apart by what the report of a world says is near.
//!
//! Two features within reach become one inequality: along the direction between their nearest points, at the weights of these points, they
//! stay at least a thickness apart. It is solved with the links of the body, in every small step (extended position-based dynamics).
//!
//! # Reference
//!
//! M. Macklin, M. Müller and N. Chentanez, *XPBD: position-based simulation of compliant constrained dynamics*, Motion in Games, 2016.

use crate::points::{Link, Point, pull};
use fracas::geom::DVec3;
use fracas::world::{BodyId, Report};
use fracas::{Features, Near};
use std::collections::BTreeMap;

/// A surface that others may be near to: positions, and the triangles that are there.
pub(crate) struct Surface<'a> {
    pub positions: Vec<DVec3>,
    pub triangles: &'a [Option<[u32; 3]>],
}

/// Points, with weights that add up to more than nothing in a direction: Σ wᵢ pᵢ · `normal` is to be at least `least`.
#[derive(Clone, Debug)]
pub(crate) struct Push {
    pub ends: Vec<(u32, f64)>,
    pub normal: DVec3,
    pub least: f64,
}

/// What keeps a body apart from all others and from itself, as the last report has it. Vertices of the body are points.
pub(crate) fn pushes(
    report: &Report,
    body: BodyId,
    surfaces: &BTreeMap<BodyId, Surface<'_>>,
    thickness: f64,
) -> Vec<Push> {
    let mut pushes = vec![];
    for meeting in report.meetings().filter(|meeting| meeting.bodies.contains(&body)) {
        let [Some(a), Some(b)] = meeting.bodies.map(|id| surfaces.get(&id)) else { continue };
        for near in meeting.near {
            let ends = ends(near, [a.triangles, b.triangles]);
            let at = |list: &[(u32, f64)], surface: &Surface<'_>| -> DVec3 {
                list.iter().map(|&(v, w)| surface.positions[v as usize] * w).sum()
            };
            let points = [at(&ends[0], a), at(&ends[1], b)];
            let Some(normal) = (points[0] - points[1]).try_normalize() else { continue };
            let signed = |list: &[(u32, f64)], sign: f64| -> Vec<(u32, f64)> {
                list.iter().map(|&(v, w)| (v, sign * w)).collect()
            };
            pushes.push(match meeting.bodies.map(|id| id == body) {
                [true, true] => {
                    let ends = [signed(&ends[0], 1.0), signed(&ends[1], -1.0)].concat();
                    Push { ends, normal, least: thickness }
                }
                [true, false] => {
                    let least = thickness + points[1].dot(normal);
                    Push { ends: signed(&ends[0], 1.0), normal, least }
                }
                _ => {
                    let least = thickness - points[0].dot(normal);
                    Push { ends: signed(&ends[1], 1.0), normal: -normal, least }
                }
            });
        }
    }
    pushes
}

/// The vertices of two features that are near, with their weights.
fn ends(near: &Near, triangles: [&[Option<[u32; 3]>]; 2]) -> [Vec<(u32, f64)>; 2] {
    let [w, x, y, z] = near.weights;
    let corners = |vertices: Option<[u32; 3]>, weights: [f64; 3]| {
        vertices.expect("only triangles that are there are near").into_iter().zip(weights).collect()
    };
    match near.features {
        Features::VertexTriangle(v, t) => [vec![(v, w)], corners(triangles[1][t.index()], [x, y, z])],
        Features::TriangleVertex(t, v) => [corners(triangles[0][t.index()], [w, x, y]), vec![(v, z)]],
        Features::EdgeEdge([a, b], [c, d]) => [vec![(a, w), (b, x)], vec![(c, y), (d, z)]],
    }
}

impl Push {
    /// Moves points that are too near apart, by `most` at most; they no longer approach, and gain no speed.
    pub fn apply(&self, points: &mut [Point], most: f64) {
        let ends = || self.ends.iter().map(|&(v, w)| (v as usize, w));
        let value: f64 = ends().map(|(v, w)| w * points[v].position.dot(self.normal)).sum();
        let ease: f64 = ends().map(|(v, w)| w * w * points[v].mobility).sum();
        if value >= self.least || ease < 1e-6 {
            return;
        }
        let moved: f64 =
            ends().map(|(v, w)| w * (points[v].position - points[v].before).dot(self.normal)).sum();
        let largest = ends().map(|(v, w)| w.abs() * points[v].mobility).fold(0.0, f64::max);
        let by = ((self.least - value).min(most) / ease).min(most / largest);
        let stop = moved.min(0.0) / ease;
        for (v, w) in ends() {
            let push = self.normal * (w * points[v].mobility);
            points[v].position += push * by;
            points[v].before += push * (by + stop);
        }
    }
}

/// How points move beside their links.
pub(crate) struct Motion {
    /// Small steps in a step.
    pub substeps: usize,
    /// Rate at which velocities fall, per second.
    pub drag: f64,
    /// The farthest that a point goes in a small step, and by how much a push parts what is too near.
    pub farthest: f64,
    pub push: f64,
}

/// Moves points by a step: links with their compliances, pushes, and an acceleration for each point.
pub(crate) fn advance(
    points: &mut [Point],
    links: &[(Link, f64)],
    pushes: &[Push],
    accelerations: &[DVec3],
    seconds: f64,
    motion: &Motion,
) {
    let dt = seconds / motion.substeps as f64;
    let keep = 1.0 / (1.0 + motion.drag * dt);
    for _ in 0..motion.substeps {
        for (point, acceleration) in points.iter_mut().zip(accelerations) {
            point.before = point.position;
            if point.mobility > 0.0 {
                point.velocity += *acceleration * dt;
                point.position += (point.velocity * dt).clamp_length_max(motion.farthest);
            }
        }
        links.iter().for_each(|(link, compliance)| pull(points, link, compliance / (dt * dt)));
        pushes.iter().for_each(|push| push.apply(points, motion.push));
        for point in points.iter_mut().filter(|point| point.mobility > 0.0) {
            point.velocity = (point.position - point.before) * (keep / dt);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_parts_points_and_leaves_no_speed() {
        let at = |z: f64| Point {
            position: DVec3::Z * z,
            velocity: DVec3::ZERO,
            before: DVec3::Z * z,
            mobility: 1.0,
        };
        let mut points = vec![at(0.3), at(0.0)];
        points[0].velocity = DVec3::Z * -1.0;
        let push = Push { ends: vec![(0, 1.0), (1, -1.0)], normal: DVec3::Z, least: 0.5 };
        advance(
            &mut points,
            &[],
            &[push],
            &[DVec3::ZERO; 2],
            0.1,
            &Motion { substeps: 4, drag: 0.0, farthest: 1.0, push: 0.1 },
        );
        assert!((points[0].position.z - points[1].position.z - 0.5).abs() < 1e-12, "{points:?}");
        // The blow is shared: both go on as one.
        assert!(points.iter().all(|point| (point.velocity.z + 0.5).abs() < 1e-9), "{points:?}");
    }
}
