//! Chord boxes, lazy rows and windows against interpolation, refit and query at every frame.

use super::FRAMES_PER_KEY;
use super::contacts::few_contacts;
use super::played::{Least, Played, ROUNDS};
use super::replan::{replan_one, replan_spheres};
use crate::metric::{Better, Report};
use fracas::internal::self_candidates;
use fracas::kinetic::Window;
use fracas::{FindOptions, Finder, Threads, Touch};
use fracas_scenes::SceneError;
use fracas_scenes::motion;
use std::hint::black_box;
use std::io;

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

pub(super) fn scene(error: SceneError) -> io::Error {
    io::Error::other(error.to_string())
}

/// Keeping boxes up to date, without a query.
fn update(report: &mut Report, played: &Played, suffix: &str) {
    let mut tree = played.tree(false);
    let mut positions = vec![];
    let [mut interpolation, mut refit, mut chords] = [const { Least::new() }; 3];
    for _ in 0..ROUNDS {
        [&mut interpolation, &mut refit, &mut chords].into_iter().for_each(Least::rewind);
        played.for_each_frame(|key, share, _| {
            interpolation.frame(|| played.interpolate(key, share, black_box(&mut positions)));
            tree.set_positions(&positions).expect("finite");
            refit.frame(|| tree.refit(false));
        });
        let mut body = played.body();
        played.for_each_frame(|_, _, time| {
            chords.frame(|| black_box(&mut body).advance_to(time).expect("later"));
        });
    }
    let theirs = interpolation.sum() + refit.sum();
    // The first interval was made with the body; it counts as one of the refits.
    let ours = chords.sum() * played.keys as f64 / (played.keys - 1).max(1) as f64;
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
    let [mut theirs, mut listing, mut ours, mut filtered] = [const { Least::new() }; 4];
    // All ways in turn, so that a disturbance of the machine meets all of them.
    for _ in 0..ROUNDS {
        [&mut theirs, &mut listing, &mut ours, &mut filtered].into_iter().for_each(Least::rewind);
        (pairs, boxes, found, near) = (0, 0, 0, 0);
        // Exact pairs of the tree, which skips patches that are proved clean; then boxes that overlap.
        played.for_each_frame(|key, share, _| {
            theirs.frame(|| {
                played.interpolate(key, share, &mut positions);
                tree.set_positions(&positions).expect("finite");
                pairs += finder.find_self_pairs(&tree).len();
            });
        });
        played.for_each_frame(|key, share, _| {
            listing.frame(|| {
                played.interpolate(key, share, &mut positions);
                plain.set_positions(&positions).expect("finite");
                self_candidates(&plain, &mut listed);
                boxes += listed.len();
            });
        });
        played.by_windows(&mut window, &mut ours, |window, body| {
            found += window.intersections(body, body, Touch::Include).len();
        });
        played.by_windows(&mut window, &mut filtered, |window, body| {
            window.list_at(body.now(), &mut listed);
            near += listed.len();
        });
    }
    let [theirs, listing, ours, filtered] = [theirs, listing, ours, filtered].map(|least| least.sum());
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
