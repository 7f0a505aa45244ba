//! Chord boxes, lazy rows and windows against interpolation, refit and query at every frame.

use super::FRAMES_PER_KEY;
use crate::metric::{Better, Report};
use fracas::geom::DVec3;
use fracas::internal::self_candidates;
use fracas::kinetic::{KineticBody, Plan, Plans, Window};
use fracas::mesh::Mesh;
use fracas::{FindOptions, Finder, MeshTree, Threads, Touch};
use fracas_scenes::SceneError;
use fracas_scenes::motion::{self, KeyedMotion};
use std::hint::black_box;
use std::io;
use std::time::Instant;

/// Keys that are played of each motion.
const KEYS: usize = 6;

pub fn run(report: &mut Report, quick: bool) -> io::Result<()> {
    let dress = motion::dress(if quick { 65_000 } else { 250_000 }).map_err(scene)?;
    let moving = Played::new(&dress[0]);
    update(report, &moving, "");
    pipeline(report, &moving, "dress");
    match motion::kick() {
        Ok(kick) => pipeline(report, &Played::new(&kick), "kick"),
        Err(why) => report.say(&format!("skipped: kick ({why})")),
    }
    few_contacts(report, &dress);
    replan_one(report, &moving);
    replan_spheres(report, if quick { 10_000 } else { 40_000 })
}

fn scene(error: SceneError) -> io::Error {
    io::Error::other(error.to_string())
}

/// Some keys of a motion.
struct Played<'a> {
    motion: &'a KeyedMotion,
    first: usize,
    keys: usize,
}

impl<'a> Played<'a> {
    /// Keys from the middle of the motion on.
    fn new(motion: &'a KeyedMotion) -> Self {
        let count = motion.key_times().len();
        let keys = KEYS.min(count - 1);
        Self { motion, first: (count - 1 - keys) / 2, keys }
    }

    fn plans(&self) -> Plans {
        let range = self.first..=self.first + self.keys;
        let (times, frames) = (self.motion.key_times(), self.motion.keys());
        Plans::keyframes(times[range.clone()].to_vec(), frames[range].to_vec()).expect("good keys")
    }

    fn body(&self) -> KineticBody {
        KineticBody::new(self.motion.triangles().to_vec(), self.plans()).expect("vertices that are there")
    }

    fn tree(&self) -> MeshTree {
        let mesh = Mesh::new(self.motion.keys()[self.first].clone(), self.motion.triangles().to_vec());
        MeshTree::build(mesh.expect("good keys"))
    }

    /// Calls `frame` with the key before, the share of the way to the next, and the time of every frame.
    fn for_each_frame(&self, mut frame: impl FnMut(usize, f64, f64)) {
        for key in self.first..self.first + self.keys {
            let (from, to) = (self.motion.key_times()[key], self.motion.key_times()[key + 1]);
            for k in 1..=FRAMES_PER_KEY {
                let share = k as f64 / FRAMES_PER_KEY as f64;
                frame(key, share, if k == FRAMES_PER_KEY { to } else { from + (to - from) * share });
            }
        }
    }

    /// Interpolates all vertices; the loop becomes vector instructions.
    fn interpolate(&self, key: usize, share: f64, positions: &mut Vec<DVec3>) {
        let (from, to) = (&self.motion.keys()[key], &self.motion.keys()[key + 1]);
        positions.clear();
        positions.extend(from.iter().zip(to).map(|(a, b)| *a + (*b - *a) * share));
    }

    /// How far vertices move from key to key, in edge lengths.
    fn note(&self) -> String {
        let [most, mean] = self.motion.motion_per_key();
        let triangles = self.motion.triangles().len();
        format!(
            "{triangles} triangles, {FRAMES_PER_KEY} frames per key, {most:.1} edge lengths per key at most, {mean:.2} on average"
        )
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

/// The least of three runs.
fn best(mut work: impl FnMut() -> f64) -> f64 {
    (0..3).map(|_| work()).fold(f64::INFINITY, f64::min)
}

/// Keeping boxes up to date, without a query.
fn update(report: &mut Report, played: &Played, suffix: &str) {
    let mut tree = played.tree();
    let mut positions = vec![];
    let [mut interpolation, mut refit] = [0.0, 0.0];
    let theirs = best(|| {
        [interpolation, refit] = [0.0, 0.0];
        played.for_each_frame(|key, share, _| {
            interpolation += seconds(|| played.interpolate(key, share, black_box(&mut positions)));
            tree.set_positions(&positions).expect("finite");
            refit += seconds(|| tree.refit(false));
        });
        interpolation + refit
    });
    let ours = best(|| {
        let mut body = played.body();
        let mut spent = 0.0;
        played.for_each_frame(|_, _, time| {
            spent += seconds(|| black_box(&mut body).advance_to(time).expect("later"));
        });
        // The first interval was made with the body; it counts as one of the refits.
        spent * played.keys as f64 / (played.keys - 1).max(1) as f64
    });
    report.say(&format!("boxes, {}", played.note()));
    report.say(&format!(
        "  interpolation and refit {:9.3} ms per key, chord boxes {:9.3} ms",
        theirs * 1e3 / played.keys as f64,
        ours * 1e3 / played.keys as f64
    ));
    let note = played.note();
    report.metric(&format!("kinetic.update.vs_refit{suffix}"), theirs / ours, "x", Better::Higher, &note);
}

/// All self-intersections of every frame.
fn pipeline(report: &mut Report, played: &Played, name: &str) {
    let mut tree = played.tree();
    let mut positions = vec![];
    let mut finder = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    let (mut pairs, mut found, mut near) = (0, 0, 0);
    // Exact pairs of the tree, which skips patches that are proved clean.
    let theirs = best(|| {
        pairs = 0;
        seconds(|| {
            played.for_each_frame(|key, share, _| {
                played.interpolate(key, share, &mut positions);
                tree.set_positions(&positions).expect("finite");
                pairs += finder.find_self_pairs(&tree).len();
            });
        })
    });
    let (mut listed, mut boxes) = (vec![], 0);
    let listing = best(|| {
        boxes = 0;
        seconds(|| {
            played.for_each_frame(|key, share, _| {
                played.interpolate(key, share, &mut positions);
                tree.set_positions(&positions).expect("finite");
                self_candidates(&tree, &mut listed);
                boxes += listed.len();
            });
        })
    });
    let mut window = Window::default();
    let [ours, filtered] = [true, false].map(|exact| {
        best(|| {
            let mut body = played.body();
            let mut interval = [f64::NAN; 2];
            (found, near) = (0, 0);
            seconds(|| {
                played.for_each_frame(|_, _, time| {
                    body.advance_to(time).expect("later");
                    if body.interval() != interval {
                        interval = body.interval();
                        window.find_self(&body);
                    }
                    if exact {
                        found += window.intersections(&body, &body, Touch::Include).len();
                    } else {
                        near += window.at(time).count();
                    }
                });
            })
        })
    });
    let frames = (played.keys * FRAMES_PER_KEY) as f64;
    report.say(&format!("self-collision of {name}, {}", played.note()));
    report
        .say(&format!("  refit and query {:9.3} ms per frame, {pairs} pairs in all", theirs * 1e3 / frames));
    report.say(&format!(
        "  windows, exact  {:9.3} ms per frame, {found} pairs that share no vertex",
        ours * 1e3 / frames
    ));
    report.say(&format!("  refit and boxes {:9.3} ms per frame, {boxes} candidates", listing * 1e3 / frames));
    report.say(&format!("  windows alone   {:9.3} ms per frame, {near} candidates", filtered * 1e3 / frames));
    let note = format!(
        "{name}: exact pairs on both sides; ours leave out triangles that share a vertex; {}",
        played.note()
    );
    report.metric(
        &format!("kinetic.pipeline.exact.vs_refit.{name}"),
        theirs / ours,
        "x",
        Better::Higher,
        &note,
    );
    let note = format!(
        "{name}: pairs of triangles that share no vertex and whose boxes overlap, on both sides; {}",
        played.note()
    );
    report.metric(
        &format!("kinetic.pipeline.vs_refit.{name}"),
        listing / filtered,
        "x",
        Better::Higher,
        &note,
    );
}

/// Two figures in dresses that graze each other.
fn few_contacts(report: &mut Report, dress: &[KeyedMotion]) {
    let played = Played::new(&dress[0]);
    let width = {
        let keys = &dress[0].keys()[played.first];
        let x = |p: &DVec3| p.x;
        keys.iter().map(x).fold(f64::MIN, f64::max) - keys.iter().map(x).fold(f64::MAX, f64::min)
    };
    // As near as they come without more than a few contacts.
    let mut aside = dress[0].moved_by(DVec3::X * width);
    let mut finder = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    for share in [0.999, 0.995, 0.99, 0.98, 0.97, 0.96, 0.95, 0.93, 0.9] {
        aside = dress[0].moved_by(DVec3::X * width * share);
        let other = Played { motion: &aside, first: played.first, keys: played.keys };
        if finder.find_pairs(&played.tree(), &other.tree()).len() > 20 {
            break;
        }
    }
    let other = Played { motion: &aside, first: played.first, keys: played.keys };
    let (mut a, mut b) = (played.tree(), other.tree());
    let (mut positions, mut pairs, mut lazy) = (vec![], 0, 0);
    let theirs = best(|| {
        pairs = 0;
        seconds(|| {
            played.for_each_frame(|key, share, _| {
                for (body, tree) in [(&played, &mut a), (&other, &mut b)] {
                    body.interpolate(key, share, &mut positions);
                    tree.set_positions(&positions).expect("finite");
                }
                pairs += finder.find_pairs(&a, &b).len();
            });
        })
    });
    let ours = best(|| {
        let (mut a, mut b) = (played.body(), other.body());
        lazy = 0;
        seconds(|| {
            played.for_each_frame(|_, _, time| {
                a.advance_to(time).expect("later");
                b.advance_to(time).expect("later");
                lazy += finder.find_pairs(&a, &b).len();
            });
        })
    });
    assert_eq!(pairs, lazy, "both sides must find the same");
    let frames = (played.keys * FRAMES_PER_KEY) as f64;
    report.say(&format!(
        "two dresses that graze each other, {}, {:.1} pairs per frame",
        played.note(),
        pairs as f64 / frames
    ));
    report.say(&format!(
        "  refit and query {:9.3} ms per frame, ours {:9.3} ms",
        theirs * 1e3 / frames,
        ours * 1e3 / frames
    ));
    let note = format!("two of {}; {:.1} pairs per frame", played.note(), pairs as f64 / frames);
    report.metric("kinetic.few_contacts.vs_refit", theirs / ours, "x", Better::Higher, &note);
}

/// A new plan for one vertex of a large body.
fn replan_one(report: &mut Report, played: &Played) {
    let mut tree = played.tree();
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
fn replan_spheres(report: &mut Report, triangles: usize) -> io::Result<()> {
    let spheres = motion::spheres(triangles).map_err(scene)?;
    let (mut ours, mut theirs, mut changes, mut frames) = (0.0, 0.0, 0, 0);
    for sphere in &spheres {
        let mesh = Mesh::new(sphere.start.clone(), sphere.triangles.clone()).expect("a sphere");
        let mut tree = MeshTree::build(mesh);
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
            ours += seconds(|| {
                body.advance_to(time).expect("later");
                body.change(&list).expect("vertices that are there");
            });
            theirs += seconds(|| {
                for (p, v) in positions.iter_mut().zip(&plan) {
                    *p += *v * sphere.frame_seconds;
                }
            });
            for change in &sphere.changes[first..next] {
                plan[change.vertex as usize] = change.velocity;
            }
            tree.set_positions(&positions).expect("finite");
            theirs += seconds(|| tree.refit(false));
            changes += list.len();
            frames += 1;
        }
    }
    let note = format!(
        "{triangles} triangles, {:.1} new plans per frame, {frames} frames",
        changes as f64 / f64::from(frames)
    );
    report.say(&format!("spheres: ours {:.2} ms, refits {:.2} ms in all; {note}", ours * 1e3, theirs * 1e3));
    report.metric("kinetic.replan.spheres.vs_refit", theirs / ours, "x", Better::Higher, &note);
    Ok(())
}
