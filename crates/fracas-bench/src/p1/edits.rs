//! The cost of one step of a cut, against the edits and rebuilds of others.

use super::contestants::{Contestant, Obvhs, Ours, Parry, time_steps};
use super::script::{Script, triceratops};
use super::{mean_ms, ms};
use crate::metric::{Better, Report};
use crate::peers;
use fracas::Mesh;
use fracas::mesh::LiveMesh;
use fracas::tearing::{TearingBody, TearingBuild, TearingOptions};
use std::time::{Duration, Instant};

/// Edits alone: no upkeep, no search for parts that come apart, which the others do not offer.
pub fn bare() -> TearingOptions {
    TearingOptions { upkeep: 0, separate: false, ..TearingOptions::default() }
}

pub fn run(report: &mut Report, quick: bool) {
    let script = triceratops(if quick { 22_640 } else { 90_560 }, 11);
    let [out, into] = script.mean_sizes();
    let size = script.mesh.triangle_count();
    report.say(&format!(
        "{size} triangles, {} steps of a cut, {out:.1} out and {into:.1} in per step",
        script.steps.len()
    ));
    let runs = if quick { 5 } else { 15 };
    let fracas = || ours(&script);
    let obvhs = || Box::new(Obvhs::new(&script)) as Box<dyn Contestant>;
    let parry = || Box::new(Parry::new(&script)) as Box<dyn Contestant>;
    let times = time_steps(&script, runs, &[&fracas, &obvhs, &parry]);
    let [fracas, obvhs, parry] = [0, 1, 2].map(|k| mean_ms(&times[k]));
    let mesh = mesh_only(&script, runs);
    report.say(&format!("  fracas, mesh and tree     {fracas:9.4} ms per step"));
    report.say(&format!("  of which mesh             {mesh:9.4} ms"));
    report.say(&format!("  obvhs remove + insert     {obvhs:9.4} ms"));
    report.say(&format!("  parry remove + insert     {parry:9.4} ms"));
    let edit = fracas - mesh;
    let note =
        format!("tree against tree, the mesh already edited, {size} triangles, {out:.0} out, {into:.0} in");
    report.metric("p1.edit.vs_peer_edit", obvhs.min(parry) / edit, "x", Better::Higher, &note);
    let [median, fastest] = rebuilds(&script.mesh, runs);
    report.say(&format!("  our median rebuild        {median:9.4} ms"));
    report.say(&format!("  obvhs fastest rebuild     {fastest:9.4} ms"));
    report.metric("p1.edit.vs_rebuild", median / edit, "x", Better::Higher, "our own median split");
    report.metric(
        "p1.edit.vs_fastest_rebuild",
        fastest / edit,
        "x",
        Better::Higher,
        "obvhs 0.4.0, fastest preset",
    );
    growth(report, edit / (out + into), quick);
}

fn ours(script: &Script) -> Box<dyn Contestant> {
    let mut ours = Ours::new(script, bare());
    let (slots, vertices) = (script.end.slot_count(), script.end.vertex_count());
    ours.0.reserve(slots - script.mesh.triangle_count(), vertices - script.mesh.vertex_count());
    Box::new(ours)
}

/// What it takes to apply the edits to the mesh, without any tree.
fn mesh_only(script: &Script, runs: usize) -> f64 {
    let mut best = vec![Duration::MAX; script.steps.len()];
    for _ in 0..runs {
        let mut mesh = LiveMesh::new(script.mesh.clone());
        mesh.reserve(
            script.end.slot_count() - mesh.slot_count(),
            script.end.vertex_count() - mesh.vertex_count(),
        );
        for (step, best) in script.steps.iter().zip(&mut best) {
            let begin = Instant::now();
            mesh.apply(&step.edit).expect("recorded edits are good");
            *best = begin.elapsed().min(*best);
        }
    }
    mean_ms(&best)
}

/// Milliseconds of a rebuild: ours by median splits, and obvhs' fastest.
fn rebuilds(mesh: &Mesh, runs: usize) -> [f64; 2] {
    let mut body =
        TearingBody::build_with(mesh.clone(), TearingOptions { build: TearingBuild::Median, ..bare() });
    let mut best = [Duration::MAX; 2];
    for _ in 0..runs {
        let begin = Instant::now();
        body.rebuild();
        best[0] = begin.elapsed().min(best[0]);
        let begin = Instant::now();
        std::hint::black_box(peers::obvhs::build(mesh, obvhs::BvhBuildParams::fastest_build()));
        best[1] = begin.elapsed().min(best[1]);
    }
    best.map(ms)
}

/// The cost of a changed triangle in a body sixteen times as large, in steps of about the same size.
fn growth(report: &mut Report, small: f64, quick: bool) {
    let script = triceratops(if quick { 16 * 22_640 } else { 16 * 90_560 }, 44);
    let [out, into] = script.mean_sizes();
    let runs = if quick { 2 } else { 4 };
    let times = time_steps(&script, runs, &[&|| ours(&script)]);
    let edit = mean_ms(&times[0]) - mesh_only(&script, runs);
    let large = edit / (out + into);
    report.say(&format!(
        "  {} triangles: {edit:.4} ms per step, {out:.1} out and {into:.1} in",
        script.mesh.triangle_count()
    ));
    let note = "cost of a changed triangle at sixteen times the size, over that at the smaller";
    report.metric("p1.growth", large / small, "x", Better::Lower, note);
}
