//! New plans for some vertices, against a refit.

use super::played::{Least, Played, ROUNDS, best, seconds};
use crate::metric::{Better, Report};
use fracas::geom::DVec3;
use fracas::kinetic::{KineticBody, Plan, Plans};
use fracas::mesh::Mesh;
use fracas::{BuildOptions, MeshTree};
use fracas_scenes::motion;
use std::io;

/// A new plan for one vertex of a large body.
pub(super) fn replan_one(report: &mut Report, played: &Played) {
    let mut tree = played.tree(false);
    let refit = best(|| seconds(|| tree.refit(false)));
    let mut body = played.body();
    let time = played.motion.key_times()[played.first] + 0.3 * (body.interval()[1] - body.interval()[0]);
    body.advance_to(time).expect("later");
    let count = 200_u32;
    let vertices = body.plans().vertex_count() as u32;
    let replan = best(|| {
        seconds(|| {
            for k in 0..count {
                let vertex = k * (vertices / count);
                body.change(&[(vertex, Plan::Velocity(DVec3::new(0.01, 0.0, 0.01)))]).expect("a vertex");
            }
        }) / f64::from(count)
    });
    report.say(&format!("one vertex gets a new plan: {:.2} µs, a refit {:.2} µs", replan * 1e6, refit * 1e6));
    let note = format!(
        "one vertex of {} triangles; the refit without interpolation",
        played.motion.triangles().len()
    );
    report.metric("kinetic.replan.vs_refit", refit / replan, "x", Better::Higher, &note);
}

/// Spheres that expand, and whose triangles turn back where they meet.
pub(super) fn replan_spheres(report: &mut Report, triangles: usize) -> io::Result<()> {
    let spheres = motion::spheres(triangles).map_err(super::chords::scene)?;
    let [mut ours, mut interpolation, mut refit] = [const { Least::new() }; 3];
    let (mut changes, mut frames) = (0, 0);
    for k in 0..ROUNDS * spheres.len() {
        let sphere = &spheres[k % spheres.len()];
        if k % spheres.len() == 0 {
            [&mut ours, &mut interpolation, &mut refit].into_iter().for_each(Least::rewind);
            (changes, frames) = (0, 0);
        }
        let mesh = Mesh::new(sphere.start.clone(), sphere.triangles.clone()).expect("a sphere");
        let options = BuildOptions { self_queries: false, ..BuildOptions::default() };
        let mut tree = MeshTree::build_with(mesh, &options);
        let plans = Plans::moving(0.0, &sphere.start, &sphere.velocities).expect("good plans");
        let mut body = KineticBody::new(sphere.triangles.clone(), plans).expect("a sphere");
        let (mut plan, mut positions) = (sphere.velocities.clone(), sphere.start.clone());
        let mut next = 0;
        for frame in 1..=sphere.frames {
            let time = frame as f64 * sphere.frame_seconds;
            let first = next;
            while next < sphere.changes.len() && sphere.changes[next].seconds <= time {
                next += 1;
            }
            let list: Vec<(u32, Plan)> = sphere.changes[first..next]
                .iter()
                .map(|change| (change.vertex, Plan::Velocity(change.velocity)))
                .collect();
            ours.frame(|| {
                body.advance_to(time).expect("later");
                body.change(&list).expect("vertices that are there");
            });
            interpolation.frame(|| {
                for (p, v) in positions.iter_mut().zip(&plan) {
                    *p += *v * sphere.frame_seconds;
                }
            });
            for change in &sphere.changes[first..next] {
                plan[change.vertex as usize] = change.velocity;
            }
            tree.set_positions(&positions).expect("finite");
            refit.frame(|| tree.refit(false));
            changes += list.len();
            frames += 1;
        }
    }
    let (ours, theirs) = (ours.sum(), interpolation.sum() + refit.sum());
    let note = format!(
        "{triangles} triangles, {:.1} new plans per frame, {frames} frames",
        changes as f64 / f64::from(frames)
    );
    report.say(&format!("spheres: ours {:.2} ms, refits {:.2} ms in all; {note}", ours * 1e3, theirs * 1e3));
    report.metric("kinetic.replan.spheres.vs_refit", theirs / ours, "x", Better::Higher, &note);
    Ok(())
}
