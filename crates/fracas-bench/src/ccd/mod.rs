//! Continuous collision: candidates, exact tests and steps against IPC Toolkit, in one run.
//!
//! Ours are exact. IPC Toolkit's Tight Inclusion answers within a tolerance; it is asked with `conservative_rescaling` 1.0 and no
//! minimum separation. It runs through its Python package, one thread. Single queries pay for a call from Python; what a call
//! costs that is decided by its first box is measured and taken off, to its advantage.

mod ipc_toolkit;
mod queries;

use crate::metric::{Better, Report};
use crate::timing::{Candidate, race};
use fracas::geom::DVec3;
use fracas::internal::{ImpactBatch, ImpactRow, Random};
use fracas::mesh::{Mesh, shapes};
use fracas::{FindOptions, Finder, MeshTree, Threads};
use std::io;
use std::path::Path;
use std::time::Duration;

/// A mesh that moves.
pub(crate) struct Step {
    pub name: String,
    pub mesh: Mesh,
    pub end: Vec<DVec3>,
}

/// Runs the whole benchmark.
pub fn run(report: &mut Report, quick: bool, _: &Path) -> io::Result<()> {
    ipc_toolkit::check(quick)?;
    let budget = Duration::from_millis(if quick { 500 } else { 3000 });
    let cloth = cloth(if quick { 23_000 } else { 92_000 });
    bodies(report, &cloth, "", budget, quick)?;
    match queries::kick() {
        Some(kick) => bodies(report, &kick, ".kick", budget, quick)?,
        None => report.say("skipped: no recording of a dancer's dress (set FRACAS_SHARED_DATA)"),
    }
    queries::handcrafted(report)
}

/// A folded cloth of which every vertex moves one edge length in a direction of its own.
fn cloth(triangles: usize) -> Step {
    let mesh = shapes::folded_cloth(triangles);
    let [a, b, _] = mesh.triangles()[0];
    let edge = mesh.positions()[a as usize].distance(mesh.positions()[b as usize]);
    let mut random = Random::new(1);
    let mut direction =
        || DVec3::new(random.signed(), random.signed(), random.signed()).normalize_or(DVec3::Z);
    let end = mesh.positions().iter().map(|p| *p + edge * direction()).collect();
    Step {
        name: format!("folded cloth of {} triangles, every vertex by one edge length", mesh.triangle_count()),
        mesh,
        end,
    }
}

fn bodies(report: &mut Report, step: &Step, suffix: &str, budget: Duration, quick: bool) -> io::Result<()> {
    let tree = MeshTree::build(step.mesh.clone());
    let options = FindOptions { threads: Threads::One, look_at_start: false, ..FindOptions::default() };
    let (mut finder, mut lister) = (Finder::new(options), Finder::new(options));
    let sweep = tree.view().to_positions(&step.end).expect("as many positions");
    let [vertex_triangle, edge_edge] = lister.list_impact_candidates(&[sweep]);
    let rows: Vec<ImpactRow> =
        step.mesh.positions().iter().zip(&step.end).map(|(a, b)| ImpactRow::new(*a, *b)).collect();
    let mut batch = ImpactBatch::default();
    let mut decide = || {
        let mut hits = 0;
        batch.vertex_triangle([&rows, &rows], &vertex_triangle, |_, _| hits += 1);
        batch.edge_edge([&rows, &rows], &edge_edge, |_, _| hits += 1);
        hits
    };
    let timed = race(
        &mut [
            Candidate::new("candidates", || lister.count_impact_candidates(&[sweep]).iter().sum()),
            Candidate::new("exact tests of all candidates", &mut decide),
            Candidate::new("candidates and exact tests", || finder.find_self_impacts(sweep).all.len()),
        ],
        budget,
    );
    let first = finder.find_self_impacts(sweep).first();
    let stats = finder.impact_stats();
    let count = (vertex_triangle.len() + edge_edge.len()) as f64;
    report.say(&step.name);
    for time in &timed {
        report.say(&format!("  {:<32} {:9.2} ms, {}", time.name, time.ms(), time.result));
    }
    let share = |n: u64| 100.0 * n as f64 / stats.queries.max(1) as f64;
    report.say(&format!(
        "  decided by axes {:.1} %, signs {:.1} %, root {:.2} %, parts {:.3} %, integers {:.4} %",
        share(stats.by_axes),
        share(stats.by_signs),
        share(stats.by_root),
        share(stats.by_parts),
        share(stats.by_integers)
    ));
    let nanoseconds = timed[1].ms() * 1e6 / count;
    report.metric(&format!("ccd.query{suffix}.ns"), nanoseconds, "ns", Better::Lower, "per candidate, exact");
    let note = "share of candidates that need integers";
    report.metric(&format!("ccd.exact_share{suffix}"), share(stats.by_integers), "%", Better::Lower, note);
    let Some(peer) = ipc_toolkit::time_cloth(step, if quick { 20_000 } else { 200_000 })? else {
        return Ok(());
    };
    report.say(&format!(
        "  IPC Toolkit {}: LBVH {:.2} ms ({} candidates), step size {:.2} ms, {:.0} ns per query and {:.0} ns for the call",
        peer.version,
        peer.lbvh_ms,
        peer.candidates,
        peer.stepsize_ms,
        peer.query_ns - peer.call_ns,
        peer.call_ns
    ));
    report.say(&format!("  first contact: ours {first:?}, IPC Toolkit's step {:?}", peer.step));
    let ratio = |peer: f64, ours: f64| peer / ours;
    let metric = |name: &str| format!("ccd.{name}{suffix}");
    let note = "IPC Toolkit 1.6.1 LBVH with build; ours with fitting swept boxes";
    report.metric(
        &metric("candidates.vs_lbvh").replace(".vs_lbvh.kick", ".kick.vs_lbvh"),
        ratio(peer.lbvh_ms, timed[0].ms()),
        "x",
        Better::Higher,
        note,
    );
    let note = "per candidate, no early stop, cost of the call from Python taken off; ours exact";
    let ours = nanoseconds;
    report.metric(
        &metric("throughput.vs_tight_inclusion"),
        ratio(peer.query_ns - peer.call_ns, ours),
        "x",
        Better::Higher,
        note,
    );
    let note =
        "compute_collision_free_stepsize, which stops early, over our exact first contact of all candidates";
    report.metric(
        &metric("stepsize.vs_tight_inclusion"),
        ratio(peer.stepsize_ms, timed[1].ms()),
        "x",
        Better::Higher,
        note,
    );
    Ok(())
}
