//! The figures of the paper: events, updates and times of the kinetic AABB tree, the BoxTree and the separation list.
//!
//! The peer is the paper's: a binary tree with the same nodes, refitted bottom-up at every frame after all vertices have been
//! interpolated, and Algorithm 2 on it. *Frames per key* are frames per 0.04 s, for which the scenes have one key and sometimes more.

mod check;
mod clip;
mod figures;
mod reported;
mod total;
mod update;

use super::FRAMES_PER_KEY;
use crate::folder::Folder;
use crate::metric::{Better, Report};
use figures::Over;
use fracas_scenes::SceneError;
use fracas_scenes::motion::{self, KeyedMotion};
use reported::speed_up;
use std::io;
use std::path::Path;
use total::Total;
use update::{Spheres, Update};

/// Frames per key of the curves over the frame rate.
const RATES: [usize; 7] = [1, 2, 5, 10, 20, 50, 100];

/// Measures the paper's structures.
pub fn run(report: &mut Report, quick: bool, out: &Path) -> io::Result<()> {
    let mut folder = Folder::create(out, "kinetic", "Boxes that know when they expire")?;
    let runs = if quick { 2 } else { 3 };
    let sizes: &[usize] = if quick { &[2_000, 4_000] } else { &[2_000, 4_000, 8_000, 16_200] };
    report.say("tablecloth");
    let cloths = sizes.iter().map(|&size| motion::tablecloth(size)).collect::<Result<Vec<_>, _>>();
    let cloths = cloths.map_err(scene)?;
    let (smallest, largest) = (&cloths[0], &cloths[cloths.len() - 1]);
    let updates: Vec<Update> =
        cloths.iter().map(|bodies| Update::measure(report, &bodies[0], FRAMES_PER_KEY, runs)).collect();
    figure18(report, &mut folder, &updates)?;
    numbers(report, &updates, [&smallest[0], &largest[0]], runs);
    figure22_tablecloth(report, &mut folder, &cloths, quick)?;
    figure19(report, &mut folder, quick, runs)?;
    if quick {
        report.say("skipped: shirt and dress, without which there is no Figure 21 and no more of 19 and 22");
    } else {
        figure21(report, &mut folder, &[32_000, 65_000, 130_000])?;
        figure22_dress(report, &mut folder, &[65_000, 130_000])?;
    }
    folder.section("Metrics", "What the benchmark promises to watch; other structures included.");
    folder.table(report, "metrics", &report.table())?;
    folder.finish(report)
}

fn scene(error: SceneError) -> io::Error {
    io::Error::other(error.to_string())
}

fn figure18(report: &Report, folder: &mut Folder, updates: &[Update]) -> io::Result<()> {
    folder.section(
        "Figure 18: events, updates and their time on the tablecloth",
        "A box changes only where another vertex begins to realise one of its six sides. A bottom-up refit computes six values for \
         every node and frame. Times are those of keeping boxes up to date, without a query.",
    );
    let caption = format!("Figure 18, left and middle. Per frame, {FRAMES_PER_KEY} frames per key.");
    figures::events(report, folder, "figure18_events", &caption, updates, true)?;
    let caption = "Figure 18, right. Milliseconds per frame; bottom-up : AABB counts interpolation.";
    figures::update_times(report, folder, "figure18_time", caption, updates, speed_up::TABLECLOTH)
}

/// The metrics of the kinetic AABB tree and the BoxTree, on the tablecloth.
fn numbers(report: &mut Report, updates: &[Update], motions: [&KeyedMotion; 2], runs: usize) {
    let (small, large) = (&updates[0], &updates[updates.len() - 1]);
    let note = format!(
        "tablecloth, {} triangles, {} frames per key, six values per node on both sides; {}; paper 1/60 = 0.0167",
        large.triangles, large.frames_per_key, large.way
    );
    let share = large.aabb.stats.updates as f64 / large.bottom_up_values();
    report.metric("kinetic.updates.vs_bottom_up", share, "ratio", Better::Lower, &note);
    let [slow, fast] = [1, 100].map(|frames| update::events(motions[0], frames));
    let note = format!(
        "tablecloth, {} triangles: {slow} events at 25 and {fast} at 2,500 frames per second",
        small.triangles
    );
    report.metric("kinetic.events.frame_rate", fast as f64 / slow as f64, "ratio", Better::Lower, &note);
    let load = |row: &Update| {
        let n = row.triangles as f64;
        row.aabb.stats.events() as f64 / (n * n.log2())
    };
    let note = format!(
        "tablecloth, events over n log n at {} triangles against {}; the finer cloth also folds more",
        large.triangles, small.triangles
    );
    report.metric("kinetic.events.growth", load(large) / load(small), "ratio", Better::Lower, &note);
    let finer = clip::refined(motions[0]);
    let per_size = |motion: &KeyedMotion| {
        let n = motion.triangles().len() as f64;
        update::events(motion, 1) as f64 / (n * n.log2())
    };
    let note = format!(
        "the motion of {} triangles, and the same with each divided into four: events over n log n",
        small.triangles
    );
    let growth = per_size(&finer) / per_size(motions[0]);
    report.metric("kinetic.events.growth.same_motion", growth, "ratio", Better::Lower, &note);
    let note = format!(
        "tablecloth, {} triangles: events of the BoxTree over those of the AABB tree",
        large.triangles
    );
    let fewer = large.box_tree.stats.events() as f64 / large.aabb.stats.events() as f64;
    report.metric("kinetic.events.box_tree", fewer, "ratio", Better::Lower, &note);
    let note = format!(
        "tablecloth, {} triangles: frames per key at which the kinetic AABB tree takes as long as interpolation and our refit",
        large.triangles
    );
    report.metric("kinetic.crossover", large.crossover(), "frames", Better::Lower, &note);
    let [event, key] = update::event_and_key(motions[1], runs);
    let note = format!(
        "tablecloth, {} triangles; renewals at keys besides take {key:.2} ms per key, {:.0} ns per event",
        large.triangles,
        figures::ns_per_event(&large.aabb) - event
    );
    report.metric("kinetic.event.ns", event, "ns", Better::Lower, &note);
    let [(look_build, look), (renew_build, renew)] = update::certificates(motions[1], FRAMES_PER_KEY, runs);
    let note = format!(
        "tablecloth, {} triangles: time of Algorithm 3 over that of renewal at keys; with the build {:.2}; {} and {} certificates",
        large.triangles,
        (look_build + look.seconds) / (renew_build + renew.seconds),
        look.stats.certificates,
        renew.stats.certificates
    );
    let ratio = look.seconds / renew.seconds;
    report.metric("kinetic.look_ahead.vs_renewal", ratio, "x", Better::Higher, &note);
}

fn figure19(report: &Report, folder: &mut Folder, quick: bool, runs: usize) -> io::Result<()> {
    folder.section(
        "Figure 19: changes of plans, and the dress",
        "Vertices of colliding triangles turn back, so plans change all the time. The dress is in the section on Figure 22.",
    );
    let sizes: &[usize] = if quick { &[2_000] } else { &[2_000, 10_000, 40_000] };
    let rows = sizes.iter().map(|&size| Ok(Spheres::measure(&motion::spheres(size).map_err(scene)?, runs)));
    let rows: Vec<Spheres> = rows.collect::<io::Result<_>>()?;
    figures::spheres(report, folder, &rows)
}

fn figure21(report: &Report, folder: &mut Folder, sizes: &[usize]) -> io::Result<()> {
    report.say("shirt");
    folder.section(
        "Figure 21: the shirt, by frames per key and by triangles",
        "The work of kinetic trees follows keys, not frames. So the time per frame falls as more frames are shown for each key.",
    );
    let (mut updates, mut totals, mut rates) = (vec![], vec![], vec![]);
    for &size in sizes {
        let bodies = motion::shirt(size).map_err(scene)?;
        if rates.is_empty() {
            rates.extend(RATES.map(|frames| Update::measure(report, &bodies[0], frames, 2)));
        }
        updates.push(Update::measure(report, &bodies[0], FRAMES_PER_KEY, 2));
        totals.push(Total::measure(report, &bodies, FRAMES_PER_KEY, 1));
    }
    let caption = "Figure 21, left. Milliseconds per frame of the shirt by frames per key.";
    figures::update_rates(report, folder, "figure21_rates", caption, &rates)?;
    let caption = "Figure 21, middle. Milliseconds per frame of the shirt.";
    figures::update_times(report, folder, "figure21_time", caption, &updates, speed_up::WORN)?;
    let caption = "Figure 21, right. Shirt against figure: milliseconds per frame.";
    figures::totals(report, folder, "figure21_total", caption, &totals, Over::Triangles, None)
}

fn figure22_dress(report: &Report, folder: &mut Folder, sizes: &[usize]) -> io::Result<()> {
    report.say("dress");
    folder.section(
        "Figures 19 and 22: the dress",
        "Update and check of the dress against the woman who wears it.",
    );
    let (mut updates, mut totals, mut rates) = (vec![], vec![], vec![]);
    for &size in sizes {
        let bodies = motion::dress(size).map_err(scene)?;
        updates.push(Update::measure(report, &bodies[0], FRAMES_PER_KEY, 2));
        totals.push(Total::measure(report, &bodies, FRAMES_PER_KEY, 1));
        if rates.is_empty() {
            rates.extend([5, 50].map(|frames| Total::measure(report, &bodies, frames, 1)));
        }
    }
    let caption = "Figure 19, middle. Events and updates of the dress per frame.";
    figures::events(report, folder, "figure19_events", caption, &updates, false)?;
    let caption = "Figure 19, right. Milliseconds per frame of the dress.";
    figures::update_times(report, folder, "figure19_time", caption, &updates, speed_up::WORN)?;
    let caption = "Figure 22, left. Dress against figure: milliseconds per frame.";
    let paper = Some(speed_up::DRESS_IN_ALL);
    figures::totals(report, folder, "figure22_dress", caption, &totals, Over::Triangles, paper)?;
    let caption = "Figure 22, middle. Dress against figure, by frames per key.";
    figures::totals(report, folder, "figure22_rates", caption, &rates, Over::FramesPerKey, None)
}

fn figure22_tablecloth(
    report: &mut Report,
    folder: &mut Folder,
    cloths: &[Vec<KeyedMotion>],
    quick: bool,
) -> io::Result<()> {
    folder.section(
        "Figure 22, right: tablecloth against table",
        "Update and check. The separation list knows which boxes overlap; the others find them again at every frame.",
    );
    let runs = if quick { 1 } else { 3 };
    let totals: Vec<Total> =
        cloths.iter().map(|bodies| Total::measure(report, bodies, FRAMES_PER_KEY, runs)).collect();
    let caption = format!("Figure 22, right. Milliseconds per frame, {FRAMES_PER_KEY} frames per key.");
    let paper = Some(speed_up::TABLECLOTH_IN_ALL);
    figures::totals(report, folder, "figure22_tablecloth", &caption, &totals, Over::Triangles, paper)?;
    figures::list_events(report, folder, "figure22_events", &totals)?;
    let last = &cloths[cloths.len() - 1];
    let rates: &[usize] = if quick { &[100] } else { &[5, 10, 50, 100, 200] };
    let rates: Vec<Total> = rates.iter().map(|&frames| Total::measure(report, last, frames, 1)).collect();
    let caption = "Tablecloth against table, by frames per key.";
    figures::totals(report, folder, "figure22_tablecloth_rates", caption, &rates, Over::FramesPerKey, None)?;
    let [at_20, at_most] = [&totals[totals.len() - 1], &rates[rates.len() - 1]];
    // A frame of the list costs a fixed time and a share of that of a key.
    let [slow, fast] = [at_20, at_most].map(|row| row.list.boxes() / row.frames as f64);
    let key = (slow - fast) / (1.0 / at_20.frames_per_key as f64 - 1.0 / at_most.frames_per_key as f64);
    let fixed = fast - key / at_most.frames_per_key as f64;
    let reaches = |factor: f64| {
        let left = at_most.bottom_up.boxes() / at_most.frames as f64 / factor - fixed;
        if left > 0.0 { format!("from {:.0} frames per key on", key / left) } else { "never".to_owned() }
    };
    report.say(&format!(
        "  separation list: {:.2} ms per key and {:.4} ms per frame; as fast as bottom-up {}, three times as fast {}",
        key * 1e3,
        fixed * 1e3,
        reaches(1.0),
        reaches(3.0)
    ));
    let note = format!(
        "tablecloth against table, {} and {} triangles, {} frames per key, {}; update and check down to overlapping leaves, interpolation \
         counted; {:.2} with tests of triangles on both sides; {} frames per key: {:.2} and {:.2}",
        at_most.triangles[0],
        at_most.triangles[1],
        at_most.frames_per_key,
        at_most.way,
        at_most.list_speed_up()[1],
        at_20.frames_per_key,
        at_20.list_speed_up()[0],
        at_20.list_speed_up()[1]
    );
    let ratio = at_most.list_speed_up()[0];
    report.metric("kinetic.incremental.vs_bottom_up", ratio, "x", Better::Higher, &note);
    Ok(())
}
