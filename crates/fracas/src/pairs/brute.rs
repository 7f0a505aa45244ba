//! The reference: every triangle against every other, after a test of their exact boxes, decided exactly. Quadratic.

use super::{Pair, Touch};
use crate::exact;
use crate::geom::{Pose, Triangle};
use crate::mesh::{Mesh, TriangleId};

/// All intersecting pairs between two posed meshes, sorted.
#[must_use]
pub fn find_pairs(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose, touch: Touch) -> Vec<Pair> {
    let (a, b) = (posed(a, pose_a), posed(b, pose_b));
    let mut pairs = Vec::new();
    for (i, t) in a.iter().enumerate() {
        for (j, u) in b.iter().enumerate() {
            if t.bounds().overlaps(&u.bounds()) && touch.accepts(exact::tri_tri(t, u)) {
                pairs.push(Pair::new(i as u32, j as u32));
            }
        }
    }
    pairs
}

/// All pairs of triangles of one mesh that meet in more than the vertices and edges they share, sorted.
#[must_use]
pub fn find_self_pairs(mesh: &Mesh, touch: Touch) -> Vec<Pair> {
    let (all, ids) = (posed(mesh, &Pose::IDENTITY), mesh.triangles());
    let mut pairs = Vec::new();
    for i in 0..all.len() {
        for j in i + 1..all.len() {
            if all[i].bounds().overlaps(&all[j].bounds())
                && touch.accepts(exact::tri_tri_shared(&all[i], ids[i], &all[j], ids[j]))
            {
                pairs.push(Pair::new(i as u32, j as u32));
            }
        }
    }
    pairs
}

fn posed(mesh: &Mesh, pose: &Pose) -> Vec<Triangle> {
    let ids = (0..mesh.triangle_count() as u32).map(TriangleId);
    ids.map(|id| pose.apply_to_triangle(&mesh.triangle(id))).collect()
}
