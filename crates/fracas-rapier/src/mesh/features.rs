//! Contacts between the features of two meshes that are near each other or overlap a little: vertices and triangles, and edges that cross.
//!
//! # Idea
//!
//! ```text
//!        ╲ A ╱   vertex v of A            Most pairs of features within reach are no contacts: a side of a box on a floor is near every
//!         ╲ ╱    outward normal m         edge of the floor's triangles. A vertex touches a triangle if it lies over or under the
//!      ────v────  N                       triangle itself, and if m and N face each other. Two edges touch if the direction across
//!          B                              both faces outward from either.
//! ```
//!
//! Depths are along the normal of the triangle or across the edges, and negative distances are told from positive ones by outward normals. This holds for bodies that
//! overlap by little; `pair` adds regions that are deeper. The numbers of a vertex or of edges stay the same from step to step, so that
//! impulses are found again.

use super::MeshShape;
use crate::candidates::Candidate;
use fracas::geom::{DVec3, Pose};
use fracas::{Features, Near, TriangleId, View};
use rapier3d::parry::shape::PackedFeatureId;
use std::collections::BTreeMap;

/// Greatest cosine between the normals of surfaces that face each other.
const FACING: f64 = -0.05;
/// The same for two edges, each with the direction across both.
const EDGE_FACING: f64 = 0.3;
/// Least sine between edges that cross.
const CROSSING: f64 = 0.05;
/// How far beside a triangle a vertex may lie, by its distance and by the reach.
const BESIDE: [f64; 2] = [0.1, 1e-3];
/// Edges that meet this near their ends, as a part of their length, are left to the vertices.
const NEAR_END: f64 = 1e-3;

/// A mesh, where it is, and its thickness.
pub(super) struct Side<'a> {
    pub mesh: &'a MeshShape,
    pub pose: Pose,
    pub thickness: f64,
}

impl Side<'_> {
    pub fn view(&self) -> View<'_> {
        self.mesh.body.at(&self.pose)
    }

    fn vertex(&self, v: u32) -> DVec3 {
        self.pose.apply(self.mesh.surface.positions[v as usize])
    }

    /// Outward, of length 1; zero if the surface has no outside.
    fn vertex_normal(&self, v: u32) -> DVec3 {
        let sign = if self.mesh.is_closed() { self.mesh.surface.turn } else { 0.0 };
        self.pose.rotation() * self.mesh.surface.normals[v as usize] * sign
    }

    /// Outward, of length 1.
    fn triangle_normal(&self, id: TriangleId) -> DVec3 {
        let t = self.view().triangle(id);
        (t.b - t.a).cross(t.c - t.a).normalize_or_zero() * self.mesh.surface.turn
    }
}

/// Adds contacts of features within reach. The first body stands in its own frame.
pub(super) fn add(candidates: &mut Vec<Candidate>, sides: [&Side; 2], near: &[Near], reach: f64) {
    let thickness = sides[0].thickness + sides[1].thickness;
    // Of each vertex, the triangle that it is nearest to, in the order of their numbers.
    let mut vertices: BTreeMap<(bool, u32), Candidate> = BTreeMap::new();
    for near in near {
        match near.features {
            Features::VertexTriangle(v, t) => {
                if let Some(found) = vertex_contact(sides, v, t, reach) {
                    keep_nearest(&mut vertices, (false, v), found);
                }
            }
            Features::TriangleVertex(t, v) => {
                if let Some(found) = vertex_contact([sides[1], sides[0]], v, t, reach) {
                    keep_nearest(&mut vertices, (true, v), turned(found));
                }
            }
            Features::EdgeEdge(e, f) => candidates.extend(edge_contact(sides, e, f, near.weights)),
        }
    }
    candidates.extend(vertices.into_values());
    for candidate in candidates.iter_mut() {
        candidate.p1 += candidate.normal * sides[0].thickness;
        candidate.p2 -= candidate.normal * sides[1].thickness;
        candidate.distance -= thickness;
    }
}

fn keep_nearest(known: &mut BTreeMap<(bool, u32), Candidate>, of: (bool, u32), found: Candidate) {
    let best = known.entry(of).or_insert(found);
    if found.distance.abs() < best.distance.abs() {
        *best = found;
    }
}

/// The same contact with the bodies in the other order.
fn turned(candidate: Candidate) -> Candidate {
    let Candidate { p1, p2, normal, features: [f1, f2], .. } = candidate;
    Candidate { p1: p2, p2: p1, normal: -normal, features: [f2, f1], ..candidate }
}

/// A vertex of the first body and a triangle of the second.
fn vertex_contact(sides: [&Side; 2], v: u32, id: TriangleId, reach: f64) -> Option<Candidate> {
    let (p, t) = (sides[0].vertex(v), sides[1].view().triangle(id));
    let mut outward = sides[1].triangle_normal(id);
    if outward == DVec3::ZERO {
        return None;
    }
    let mut distance = (p - t.a).dot(outward);
    if !(sides[0].mesh.is_closed() && sides[1].mesh.is_closed()) {
        // A surface is met from whichever side.
        if distance < 0.0 {
            (outward, distance) = (-outward, -distance);
        }
    } else if sides[0].vertex_normal(v).dot(outward) > FACING {
        return None;
    }
    let foot = p - outward * distance;
    let beside = (t.closest_point(foot) - foot).length();
    if beside > BESIDE[0] * distance.abs() + BESIDE[1] * reach {
        return None;
    }
    Some(Candidate::new(p, (distance, foot, outward), v, false))
}

/// An edge of either body, with the weights of their ends at the points nearest to each other.
fn edge_contact(sides: [&Side; 2], e: [u32; 2], f: [u32; 2], weights: [f64; 4]) -> Option<Candidate> {
    if weights.iter().any(|weight| *weight < NEAR_END) {
        return None;
    }
    let [a, b] = e.map(|v| sides[0].vertex(v));
    let [c, d] = f.map(|v| sides[1].vertex(v));
    let (p, q) = (a * weights[0] + b * weights[1], c * weights[2] + d * weights[3]);
    let across = (b - a).normalize_or_zero().cross((d - c).normalize_or_zero());
    if across.length() < CROSSING {
        return None;
    }
    let mut normal = across.normalize();
    if sides.iter().all(|side| side.mesh.is_closed()) {
        let [m, n] = [(0, e), (1, f)].map(|(k, ends): (usize, [u32; 2])| {
            let [x, y] = ends.map(|v| sides[k].vertex_normal(v));
            (x + y).normalize_or_zero()
        });
        if normal.dot(m - n) < 0.0 {
            normal = -normal;
        }
        if normal.dot(m) < EDGE_FACING || normal.dot(n) > -EDGE_FACING {
            return None;
        }
    } else if normal.dot(q - p) < 0.0 {
        normal = -normal;
    }
    let distance = normal.dot(q - p);
    let mix = |[x, y]: [u32; 2]| x.wrapping_mul(0x9e37_79b9) ^ y.wrapping_mul(0x85eb_ca6b);
    let features = [mix(e), mix(f)].map(|number| PackedFeatureId::edge(number & 0x3fff_ffff));
    Some(Candidate { p1: p, p2: q, normal, distance, features, is_known: false })
}
