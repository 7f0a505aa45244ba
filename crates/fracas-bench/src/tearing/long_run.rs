//! A body cut again and again until it has twice its triangles: does the tree stay as good as a new one?

use super::contestants::{Contestant, Obvhs, Ours, Parry, time_steps};
use super::mean_ms;
use super::script::Script;
use crate::metric::{Better, Report};
use crate::timing::{Candidate, race};
use fracas::geom::DVec3;
use fracas::tearing::TearingOptions;
use fracas::{FindOptions, Finder, TearingBody, Threads};
use std::time::Duration;

/// Cuts through a body in all directions, in steps of about the same size, until it has doubled.
pub fn doubling(triangles: usize, steps: usize) -> Script {
    let mut script = Script::new(fracas::mesh::shapes::creature(triangles));
    let (low, high) = script.mesh.bounds().corners();
    let (centre, size) = (0.5 * (low + high), high - low);
    // Directions and places of the golden ratio: spread out, and the same everywhere.
    let golden = 0.618_033_988_749_894_9;
    let mut k = 0.0_f64;
    while script.steps.len() < steps && k < 400.0 {
        let (a, b) = ((k * golden).fract(), (k * golden * golden + 0.37).fract());
        let axis = DVec3::from_array([a - 0.5, b - 0.5, (a * 7.0 + b * 3.0).fract() - 0.5]);
        let place =
            centre + size * DVec3::new(b - 0.5, (a * 5.0).fract() - 0.5, (b * 5.0).fract() - 0.5) * 0.6;
        let steps_left = steps - script.steps.len();
        script.cut(place, axis, axis.any_orthogonal_vector(), 40.min(steps_left));
        k += 1.0;
    }
    script
}

pub fn run(report: &mut Report, quick: bool) {
    let script = if quick { doubling(10_000, 60) } else { doubling(90_560, 500) };
    let [out, into] = script.mean_sizes();
    report.say(&format!(
        "{} triangles cut in {} steps until there are {}, {out:.1} out and {into:.1} in per step",
        script.mesh.triangle_count(),
        script.steps.len(),
        script.end.live_count()
    ));
    depth_at_all_times(report, &script);
    let kept = || Box::new(Ours::new(&script, TearingOptions::default())) as Box<dyn Contestant>;
    let obvhs = || Box::new(Obvhs::new(&script)) as Box<dyn Contestant>;
    let parry = || Box::new(Parry::new(&script)) as Box<dyn Contestant>;
    let times = time_steps(&script, if quick { 3 } else { 5 }, &[&kept, &obvhs, &parry]);
    let (fracas, peer) = (mean_ms(&times.of[0]), mean_ms(&times.of[1]));
    report.say("  mesh and tree, nothing reserved");
    report.say(&format!("  fracas, default options  {fracas:8.4} ms per step"));
    report.say(&format!("  obvhs, edit only         {peer:8.4} ms per step"));
    report.say(&format!("  parry, edit only         {:8.4} ms per step", mean_ms(&times.of[2])));
    report.say(&format!("  the mesh alone           {:8.4} ms per step", mean_ms(&times.mesh)));
    let note = format!(
        "default options, upkeep and parting included, against obvhs' edit; mesh on both sides, {} steps",
        script.steps.len()
    );
    report.metric("tearing.settle.vs_peer_edit", peer / fracas, "x", Better::Higher, &note);
    let [ours, obvhs, parry] = [0, 1, 2].map(|k| {
        let mut worst = times.worst[k].clone();
        worst.sort_by(f64::total_cmp);
        worst[worst.len() / 2]
    });
    let note = format!(
        "slowest step over the median step of a single run, median of {} runs; obvhs {obvhs:.1}, parry {parry:.1}",
        times.worst[0].len()
    );
    report.metric("tearing.worst_step", ours, "x", Better::Lower, &note);
    queries(report, &script, quick);
}

/// The depth after every step, against the limit of balanced trees.
fn depth_at_all_times(report: &mut Report, script: &Script) {
    let mut body = TearingBody::build(script.mesh.clone());
    let mut worst = 0.0_f64;
    for step in &script.steps {
        body.apply(&step.edit).expect("recorded edits are good");
        for piece in 0..body.piece_count() {
            let (depth, triangles) = body.piece_depth(piece);
            worst = worst.max((depth as f64 - 1.0) / (triangles.max(2) as f64).log2());
        }
    }
    let note = "largest (depth - 1) / log2 n of any piece after any step; 1.45 is the limit";
    report.metric("tearing.depth", worst, "", Better::Lower, note);
}

/// Self-collision on the edited trees and on rebuilt ones. The pieces are drawn a little together, each towards its
/// middle: as they were cut, their faces coincide, and deciding that would take all the time on any tree.
fn queries(report: &mut Report, script: &Script, quick: bool) {
    let mut edited = TearingBody::build(script.mesh.clone());
    let mut bare = TearingBody::build_with(
        script.mesh.clone(),
        TearingOptions { upkeep: 0, ..TearingOptions::default() },
    );
    for step in &script.steps {
        edited.apply(&step.edit).expect("recorded edits are good");
        bare.apply(&step.edit).expect("recorded edits are good");
    }
    let apart = drawn_together(&edited, 0.98);
    let mut fresh = edited.clone();
    for body in [&mut edited, &mut bare, &mut fresh] {
        body.set_positions(&apart).expect("as many");
    }
    fresh.rebuild();
    let finder = || Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    let [mut a, mut b, mut c, mut d, mut e, mut f] = std::array::from_fn(|_| finder());
    let budget = Duration::from_secs(if quick { 2 } else { 10 });
    let times = race(
        &mut [
            Candidate::new("edited with upkeep", || first_query(&mut a, &edited)),
            Candidate::new("edited without upkeep", || first_query(&mut b, &bare)),
            Candidate::new("rebuilt", || first_query(&mut c, &fresh)),
            // Again without forgetting: what is copied for a body once is there.
            Candidate::new("edited with upkeep: walk", || d.find_self_pairs(&edited).len()),
            Candidate::new("edited without upkeep: walk", || e.find_self_pairs(&bare).len()),
            Candidate::new("rebuilt: walk", || f.find_self_pairs(&fresh).len()),
        ],
        budget,
    );
    assert!(times.iter().all(|t| t.result == times[0].result), "all find the same");
    report.say(&format!("self-collision of {} pieces, {} pairs", edited.piece_count(), times[0].result));
    for (time, body) in times.iter().zip([&edited, &bare, &fresh].into_iter().cycle()) {
        let quality = body.quality();
        report.say(&format!(
            "  {:<28} {:8.3} ms   depth {}, SAH {:.2}, Q {:.3}",
            time.name,
            time.ms(),
            quality.depth,
            quality.sah,
            quality.q.unwrap_or(f64::NAN)
        ));
    }
    let note = "first query after an edit, edited over rebuilt, nodes where edits left them; 1.03 in the paper, with nine rebuilds";
    report.metric("tearing.query.vs_rebuilt", times[0].ms() / times[2].ms(), "x", Better::Lower, note);
    let note = "the walk alone: a query of a body that is known already";
    report.metric("tearing.query.walk.vs_rebuilt", times[3].ms() / times[5].ms(), "x", Better::Lower, note);
    report.metric(
        "tearing.query_bare.vs_rebuilt",
        times[1].ms() / times[2].ms(),
        "x",
        Better::Lower,
        "without upkeep",
    );
}

/// A query as after an edit: nothing is known of the body.
fn first_query(finder: &mut Finder, body: &TearingBody) -> usize {
    finder.forget();
    finder.find_self_pairs(body).len()
}

/// Positions in which every piece has shrunk towards the middle of its box.
fn drawn_together(body: &TearingBody, factor: f64) -> Vec<DVec3> {
    let mut positions = body.mesh().positions().to_vec();
    for piece in body.pieces() {
        let vertices = piece.vertices();
        let at = |v: &u32| body.mesh().positions()[*v as usize];
        let low = vertices.iter().map(at).fold(DVec3::INFINITY, DVec3::min);
        let high = vertices.iter().map(at).fold(DVec3::NEG_INFINITY, DVec3::max);
        let middle = 0.5 * (low + high);
        for v in vertices {
            positions[v as usize] = middle + (positions[v as usize] - middle) * factor;
        }
    }
    positions
}
