//! Edges of two fragments that cross each other.
//!
//! # Idea
//!
//! ```text
//!        A above           Two sharp edges can press against each other where no vertex is near. The separation direction
//!     ───────────── e      is perpendicular to both. It is valid only if neither body reaches beyond it: the faces at
//!         ● ╲              edge e must lie on A's side of the plane that touches e, and those at f on B's side.
//!            f  B below
//! ```
//!
//! Edges are taken from where the boxes of the fragments overlap, and every one of one fragment is tested against every one of
//! the other. They are few there.

use crate::candidates::{Candidate, View};
use crate::convert::double;
use fracas::brittle::SharpEdge;
use fracas::geom::DVec3;
use rapier3d::parry::shape::PackedFeatureId;

/// Edges that are nearly parallel touch with their ends.
const LEAST_SINE: f64 = 0.1;
/// How far a face may reach beyond the plane of the contact, as a cosine.
const BEYOND: f64 = 0.02;
/// Edges that are deeper in each other than this share of the smaller radius have passed through something else.
const DEEPEST: f64 = 0.15;

/// How deep edges that have passed each other are inside the other body at least, by the depth of the contact.
const INSIDE: f64 = 0.02;

/// Memory for edges near each other.
#[derive(Default)]
pub(crate) struct EdgePairs {
    near: [Vec<NearEdge>; 2],
}

/// A sharp edge with the ball around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    edge: SharpEdge,
    middle: DVec3,
    half: f64,
}

impl From<SharpEdge> for Edge {
    fn from(edge: SharpEdge) -> Self {
        let [a, b] = edge.ends;
        Self { edge, middle: 0.5 * (a + b), half: 0.5 * a.distance(b) }
    }
}

/// An edge near the other fragment, in the coordinates of the first one's body.
struct NearEdge {
    index: u32,
    edge: SharpEdge,
    middle: DVec3,
    half: f64,
}

impl EdgePairs {
    /// Adds contacts between edges of two fragments, each as seen from either of them.
    pub fn find(&mut self, views: &[View<'_>; 2], prediction: f64, candidates: &mut Vec<Candidate>) {
        let [(first, _), (second, _)] = [views[0].own, views[1].own];
        let [of_first, of_second] = &mut self.near;
        gather(&views[0], prediction, of_first);
        if of_first.is_empty() {
            return;
        }
        gather(&views[1], prediction, of_second);
        let pose = views[1].there;
        let turn = pose.rotation();
        for near in of_second.iter_mut() {
            near.edge.ends = near.edge.ends.map(|p| pose.apply(p));
            near.edge.into_faces = near.edge.into_faces.map(|way| turn * way);
            near.middle = pose.apply(near.middle);
        }
        let deepest = -DEEPEST * first.radius().min(second.radius());
        for e in of_first.iter() {
            for f in of_second.iter() {
                let reach = e.half + f.half + prediction;
                if e.middle.distance_squared(f.middle) > reach * reach {
                    continue;
                }
                let Some((p1, p2, normal)) = meeting(&e.edge, &f.edge, prediction) else { continue };
                let distance = (p2 - p1).dot(normal);
                let is_near = distance > deepest && distance < prediction;
                // Edges that have passed each other are inside the other body; those of neighbours in a fresh crack are not.
                let has_passed = || {
                    let is_deep = |view: &View, p: DVec3| {
                        let (_, body, facets) = view.other;
                        facets.is_deeper(body, p, -INSIDE * distance)
                    };
                    is_deep(&views[0], views[0].there.apply(p1)) || is_deep(&views[1], p2)
                };
                if is_near && (distance > 0.0 || has_passed()) {
                    candidates.push(Candidate {
                        p1: p1 - first.origin(),
                        p2: p2 - first.origin(),
                        normal,
                        distance,
                        features: [PackedFeatureId::edge(e.index), PackedFeatureId::edge(f.index)],
                        is_known: false,
                    });
                }
            }
        }
    }
}

/// The own edges that come near the other fragment.
fn gather(view: &View<'_>, prediction: f64, near: &mut Vec<NearEdge>) {
    near.clear();
    let other = view.other.0;
    let [low, high] = other.local_box().map(|corner| double(corner) + other.origin());
    for (k, &Edge { edge, middle, half }) in view.own.0.edges().iter().enumerate() {
        let reach = half + prediction;
        if view.bound.at(middle) > reach {
            continue;
        }
        let seen = view.there.apply(middle);
        let beside = (low - seen).max(seen - high).max(DVec3::ZERO);
        if beside.length_squared() <= reach * reach {
            near.push(NearEdge { index: k as u32, edge, middle, half });
        }
    }
}

/// Where two edges are nearest to each other, between their ends, and the way from the first to the second; `None` if the faces
/// beside them are in that way, or they are surely too far apart.
#[inline]
fn meeting(e: &SharpEdge, f: &SharpEdge, prediction: f64) -> Option<(DVec3, DVec3, DVec3)> {
    let ([a, b], [c, d]) = (e.ends, f.ends);
    let (u, v) = (b - a, d - c);
    let across = u.cross(v);
    let sine = across.length_squared();
    let w = c - a;
    // The height of one line over the other comes first: it decides most.
    let height = across.dot(w);
    if height > 0.0 && height * height > prediction * prediction * sine * 4.0 {
        return None;
    }
    // Parameters of the nearest points of the two lines.
    let s = v.cross(across).dot(w);
    let t = u.cross(across).dot(w);
    if !(s > 0.0 && s < sine && t > 0.0 && t < sine) {
        return None;
    }
    if sine < LEAST_SINE * LEAST_SINE * u.length_squared() * v.length_squared() {
        return None;
    }
    let mut normal = across / sine.sqrt();
    if e.into_faces[0].dot(normal) + e.into_faces[1].dot(normal) > 0.0 {
        normal = -normal;
    }
    let fits = e.into_faces.iter().all(|way| way.dot(normal) <= BEYOND)
        && f.into_faces.iter().all(|way| way.dot(normal) >= -BEYOND);
    fits.then(|| (a + u * (s / sine), c + v * (t / sine), normal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_meet_where_two_wedges_cross_and_nowhere_else() {
        // A wedge from above with its edge along x, one from below with its edge along y, a little higher.
        let above = SharpEdge {
            ends: [DVec3::new(-1.0, 0.2, 0.0), DVec3::new(1.0, 0.2, 0.0)],
            into_faces: [DVec3::new(0.0, 0.6, 0.8), DVec3::new(0.0, -0.6, 0.8)],
        };
        let below = |x: f64, z: f64| SharpEdge {
            ends: [DVec3::new(x, -1.0, z), DVec3::new(x, 1.0, z)],
            into_faces: [DVec3::new(0.6, 0.0, -0.8), DVec3::new(-0.6, 0.0, -0.8)],
        };
        for z in [-0.01, 0.01] {
            let (p1, p2, normal) = meeting(&above, &below(0.3, z), 0.02).unwrap();
            assert!(p1.distance(DVec3::new(0.3, 0.2, 0.0)) < 1e-12);
            assert!(p2.distance(DVec3::new(0.3, 0.2, z)) < 1e-12);
            assert!(normal.distance(DVec3::NEG_Z) < 1e-12);
            // Overlap is negative.
            assert!(((p2 - p1).dot(normal) + z).abs() < 1e-12);
        }
        assert_eq!(meeting(&above, &below(1.5, 0.01), 0.02), None, "beyond the end");
        let mut other = below(0.3, 0.01);
        other.into_faces = other.into_faces.map(|way| -way);
        assert_eq!(meeting(&above, &other, 0.02), None, "a wedge that faces the same way");
        assert_eq!(meeting(&above, &above, 0.02), None, "parallel edges");
    }
}
