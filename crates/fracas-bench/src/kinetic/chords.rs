//! Chord boxes, lazy rows and windows against interpolation, refit and query at every frame.

use super::FRAMES_PER_KEY;
use crate::metric::{Better, Report};
use fracas::geom::{DVec3, Pose};
use fracas::internal::self_candidates;
use fracas::kinetic::{DrivenBody, KineticBody, Plan, Plans, Window};
use fracas::mesh::Mesh;
use fracas::{BuildOptions, FindOptions, Finder, MeshTree, Threads, Touch};
use fracas_scenes::SceneError;
use fracas_scenes::motion::{self, KeyedMotion};
use std::hint::black_box;
use std::io;
use std::time::Instant;

/// How often everything is measured; the best counts.
const ROUNDS: usize = 5;

/// Pairs of two bodies that graze each other, at most, at keys.
const MOST_PAIRS: usize = 40;

/// Keys that are played of each motion.
const KEYS: usize = 6;

pub fn run(report: &mut Report, quick: bool) -> io::Result<()> {
    let dress = motion::dress(if quick { 65_000 } else { 250_000 }).map_err(scene)?;
    play(report, &dress, quick, "")
}

/// Measures everything whose name holds `only`.
pub fn play(report: &mut Report, dress: &[KeyedMotion], quick: bool, only: &str) -> io::Result<()> {
    let moving = Played::new(&dress[0]);
    if "update".contains(only) {
        update(report, &moving, "");
    }
    if "pipeline".contains(only) {
        pipeline(report, &moving, "dress");
    }
    if "kick".contains(only) {
        match motion::kick() {
            Ok(kick) => pipeline(report, &Played::new(&kick), "kick"),
            Err(why) => report.say(&format!("skipped: kick ({why})")),
        }
    }
    if "few_contacts".contains(only) {
        few_contacts(report, dress);
    }
    if "replan".contains(only) {
        replan_one(report, &moving);
    }
    if "spheres".contains(only) {
        replan_spheres(report, if quick { 10_000 } else { 40_000 })?;
    }
    Ok(())
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

    /// The tree of the other side: its refit is fastest without what only exact queries of a body against itself need.
    fn tree(&self, self_queries: bool) -> MeshTree {
        let mesh = Mesh::new(self.motion.keys()[self.first].clone(), self.motion.triangles().to_vec());
        let options = BuildOptions { self_queries, ..BuildOptions::default() };
        MeshTree::build_with(mesh.expect("good keys"), &options)
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

    /// Plays the motion, with one window for each key, and calls `frame` at every frame.
    fn by_windows(&self, window: &mut Window, mut frame: impl FnMut(&mut Window, &KineticBody)) -> f64 {
        let mut body = self.body();
        let mut interval = [f64::NAN; 2];
        seconds(|| {
            self.for_each_frame(|_, _, time| {
                body.advance_to(time).expect("later");
                if body.interval() != interval {
                    interval = body.interval();
                    window.find_self(&body);
                }
                frame(window, &body);
            });
        })
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

/// The least times of two ways, which run in turn, so that a disturbance of the machine meets both.
fn best_of_both(mut one: impl FnMut() -> f64, mut other: impl FnMut() -> f64) -> [f64; 2] {
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        least = [least[0].min(one()), least[1].min(other())];
    }
    least
}

/// Keeping boxes up to date, without a query.
fn update(report: &mut Report, played: &Played, suffix: &str) {
    let mut tree = played.tree(false);
    let mut positions = vec![];
    let [mut interpolation, mut refit] = [0.0, 0.0];
    let theirs = || {
        [interpolation, refit] = [0.0, 0.0];
        played.for_each_frame(|key, share, _| {
            interpolation += seconds(|| played.interpolate(key, share, black_box(&mut positions)));
            tree.set_positions(&positions).expect("finite");
            refit += seconds(|| tree.refit(false));
        });
        interpolation + refit
    };
    let ours = || {
        let mut body = played.body();
        let mut spent = 0.0;
        played.for_each_frame(|_, _, time| {
            spent += seconds(|| black_box(&mut body).advance_to(time).expect("later"));
        });
        // The first interval was made with the body; it counts as one of the refits.
        spent * played.keys as f64 / (played.keys - 1).max(1) as f64
    };
    let [theirs, ours] = best_of_both(theirs, ours);
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
    let (mut tree, mut plain) = (played.tree(true), played.tree(false));
    let mut positions = vec![];
    let mut finder = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    let (mut pairs, mut boxes, mut listed) = (0, 0, vec![]);
    let (mut window, mut found, mut near) = (Window::default(), 0, 0);
    let [mut theirs, mut listing, mut ours, mut filtered] = [f64::INFINITY; 4];
    // All ways in turn, so that a disturbance of the machine meets all of them.
    for _ in 0..ROUNDS {
        // Exact pairs of the tree, which skips patches that are proved clean; then boxes that overlap.
        pairs = 0;
        theirs = theirs.min(seconds(|| {
            played.for_each_frame(|key, share, _| {
                played.interpolate(key, share, &mut positions);
                tree.set_positions(&positions).expect("finite");
                pairs += finder.find_self_pairs(&tree).len();
            });
        }));
        boxes = 0;
        listing = listing.min(seconds(|| {
            played.for_each_frame(|key, share, _| {
                played.interpolate(key, share, &mut positions);
                plain.set_positions(&positions).expect("finite");
                self_candidates(&plain, &mut listed);
                boxes += listed.len();
            });
        }));
        found = 0;
        ours = ours.min(played.by_windows(&mut window, |window, body| {
            found += window.intersections(body, body, Touch::Include).len();
        }));
        near = 0;
        filtered = filtered.min(played.by_windows(&mut window, |window, body| {
            near += window.at(body.now()).count();
        }));
    }
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
    let mut finder = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    let aside = grazing(&played, &mut finder);
    let other = Played { motion: &aside, first: played.first, keys: played.keys };
    let bodies = [&played, &other];
    let mut trees = bodies.map(|body| body.tree(false));
    let mut driven = bodies.map(|body| DrivenBody::new(body.tree(false).into_mesh()));
    let mut given = [vec![], vec![]];
    let frames = (played.keys * FRAMES_PER_KEY) as f64;
    let (mut counts, mut lazy_pairs) = (vec![], 0);
    let [mut interpolating, mut refitting, mut lazy, mut driving] = [f64::INFINITY; 4];
    // All ways in turn, so that a disturbance of the machine meets all of them.
    for _ in 0..ROUNDS {
        counts.clear();
        let [mut spent_before, mut spent, mut spent_driving] = [0.0; 3];
        played.for_each_frame(|key, share, _| {
            spent_before += seconds(|| {
                bodies.iter().zip(&mut given).for_each(|(body, to)| body.interpolate(key, share, to));
            });
            spent += seconds(|| {
                for (tree, positions) in trees.iter_mut().zip(&given) {
                    tree.set_positions(positions).expect("finite");
                }
                counts.push(finder.find_pairs(&trees[0], &trees[1]).len());
            });
            spent_driving += seconds(|| {
                for (body, positions) in driven.iter_mut().zip(&mut given) {
                    body.swap_positions(positions).expect("finite");
                }
                let found = finder.find_pairs(&driven[0], &driven[1]).len();
                assert_eq!(Some(&found), counts.last(), "both sides must find the same");
            });
        });
        interpolating = spent_before.min(interpolating);
        (refitting, driving) = (spent.min(refitting), spent_driving.min(driving));
        let [mut a, mut b] = bodies.map(Played::body);
        lazy_pairs = 0;
        let spent = seconds(|| {
            played.for_each_frame(|_, _, time| {
                a.advance_to(time).expect("later");
                b.advance_to(time).expect("later");
                lazy_pairs += finder.find_pairs(&a, &b).len();
            });
        });
        lazy = spent.min(lazy);
    }
    assert_eq!(counts.iter().sum::<usize>(), lazy_pairs, "both sides must find the same");
    let most = counts.iter().max().copied().unwrap_or(0);
    let without = counts.iter().filter(|count| **count == 0).count();
    let contacts = format!(
        "{:.1} pairs per frame, {most} at most, {without} of {frames} frames without",
        lazy_pairs as f64 / frames
    );
    report.say(&format!("two dresses that graze each other, {}, {contacts}", played.note()));
    report.say(&format!(
        "  interpolation {:.3} ms per frame, refit and query {:.3} ms, chord boxes and query {:.3} ms, blocks and query {:.3} ms",
        interpolating * 1e3 / frames,
        refitting * 1e3 / frames,
        lazy * 1e3 / frames,
        driving * 1e3 / frames
    ));
    let note = format!("two of {}; {contacts}", played.note());
    let ratio = (interpolating + refitting) / lazy;
    report.metric("kinetic.few_contacts.vs_refit", ratio, "x", Better::Higher, &note);
    let note = format!("{note}; positions are given: interpolation counted on neither side");
    report.metric("kinetic.few_contacts_no_keys.vs_refit", refitting / driving, "x", Better::Higher, &note);
}

/// A second dress that walks beside the first one: at every key as near as it can be with no more than a few pairs.
fn grazing(played: &Played, finder: &mut Finder) -> KeyedMotion {
    let motion = played.motion;
    let mut keys = motion.keys().to_vec();
    for key in played.first..=played.first + played.keys {
        let tree = MeshTree::build(motion.mesh_at_key(key).expect("a key that is there"));
        let bounds = tree.view().bounds();
        // Apart at the width of the dress, and deep in each other at half of it.
        let mut far = bounds.max.x - bounds.min.x;
        let mut near = 0.5 * far;
        for _ in 0..20 {
            let middle = f64::midpoint(near, far);
            let aside = Pose::from_translation(DVec3::X * middle).expect("finite");
            let is_few = finder.find_pairs(&tree, tree.at(&aside)).len() <= MOST_PAIRS;
            *(if is_few { &mut far } else { &mut near }) = middle;
        }
        keys[key].iter_mut().for_each(|p| p.x += far);
    }
    let (times, triangles) = (motion.key_times().to_vec(), motion.triangles().to_vec());
    KeyedMotion::new("cloth", triangles, times, keys).expect("keys of the same body")
}

/// A new plan for one vertex of a large body.
fn replan_one(report: &mut Report, played: &Played) {
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
fn replan_spheres(report: &mut Report, triangles: usize) -> io::Result<()> {
    let spheres = motion::spheres(triangles).map_err(scene)?;
    let (mut ours, mut theirs, mut changes, mut frames) = (0.0, 0.0, 0, 0);
    for sphere in &spheres {
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
