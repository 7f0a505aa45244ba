//! Peers that follow a recorded scene: parry's tree edited and refitted, and obvhs' rebuilt.
//!
//! As for our trees, editing the mesh counts, and its new positions are there already. parry's users would remove and insert what a cut
//! changes, update all boxes, since everything moves, and let it optimise a slice. It gets our exact test in queries, and must find
//! as many pairs as we do.

use super::ms;
use super::recording::{Cost, Recording};
use crate::peers;
use fracas::exact;
use fracas::mesh::{LiveMesh, TriangleId};
use fracas::pairs::Touch;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// In the order of [`play`].
pub const NAMES: [&str; 2] = ["parry, edited and refitted", "obvhs, rebuilt (fastest)"];

/// Plays the scene to both, several times; the best time of each frame counts. `ours` tells how many pairs there are.
pub fn play(recording: &Recording, ours: &[Cost], runs: usize) -> [Vec<Cost>; 2] {
    let mut best = [parry(recording), obvhs(recording)];
    for _ in 1..runs {
        for (best, again) in best.iter_mut().zip([parry(recording), obvhs(recording)]) {
            for (best, cost) in best.iter_mut().zip(again) {
                best.update = best.update.min(cost.update);
                best.query = best.query.min(cost.query);
            }
        }
    }
    for (frame, (ours, theirs)) in ours.iter().zip(&best[0]).enumerate() {
        assert_eq!(ours.pairs, theirs.pairs, "pairs in frame {frame}");
    }
    best
}

fn parry(recording: &Recording) -> Vec<Cost> {
    let mut mesh = LiveMesh::new(recording.mesh.clone());
    let mut workspace = BvhWorkspace::default();
    let boxes: Vec<_> = mesh.live_triangles().map(|t| peers::parry::box_of(&mesh.triangle(t))).collect();
    let mut bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
    let mut costs = Vec::new();
    for frame in &recording.frames {
        let begin = Instant::now();
        let applied = mesh.apply(&frame.edit).expect("the scene's edits are good");
        for removed in &frame.edit.removed {
            bvh.remove(removed.0);
        }
        for added in applied.triangles {
            bvh.insert(peers::parry::box_of(&mesh.triangle(TriangleId(added))), added);
        }
        let edited = begin.elapsed();
        mesh.set_positions(&frame.positions).expect("positions are finite");
        let begin = Instant::now();
        for t in mesh.live_triangles() {
            bvh.insert_or_update_partially(peers::parry::box_of(&mesh.triangle(t)), t.0, 0.0);
        }
        bvh.refit(&mut workspace);
        bvh.optimize_incremental(&mut workspace);
        let update = edited + begin.elapsed();
        let begin = Instant::now();
        let mut pairs = Vec::new();
        bvh.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |i, j| {
            let (i, j) = (TriangleId(i), TriangleId(j));
            let relation =
                exact::tri_tri_shared(&mesh.triangle(i), mesh.corners(i), &mesh.triangle(j), mesh.corners(j));
            if Touch::Proper.accepts(relation) {
                pairs.push((i.min(j), i.max(j)));
            }
        });
        pairs.sort_unstable();
        costs.push(cost(update, begin.elapsed(), pairs.len(), &mesh, !frame.edit.is_empty(), false));
    }
    costs
}

/// Boxes are gathered and built over after each cut; there are no queries.
fn obvhs(recording: &Recording) -> Vec<Cost> {
    let mut mesh = LiveMesh::new(recording.mesh.clone());
    let mut costs = Vec::new();
    for frame in &recording.frames {
        let is_edited = !frame.edit.is_empty();
        let begin = Instant::now();
        mesh.apply(&frame.edit).expect("the scene's edits are good");
        let edited = begin.elapsed();
        mesh.set_positions(&frame.positions).expect("positions are finite");
        let begin = Instant::now();
        if is_edited {
            let triangles = mesh.live_triangles().map(|t| mesh.triangle(t));
            black_box(peers::obvhs::build_over(triangles, obvhs::BvhBuildParams::fastest_build()));
        }
        let update = edited + begin.elapsed();
        costs.push(cost(update, Duration::ZERO, 0, &mesh, is_edited, is_edited));
    }
    costs
}

fn cost(
    update: Duration,
    query: Duration,
    pairs: usize,
    mesh: &LiveMesh,
    edited: bool,
    rebuilt: bool,
) -> Cost {
    let triangles = mesh.live_count();
    Cost { update: ms(update), query: ms(query), pairs, triangles, rebuilt, edited, ..Cost::default() }
}
