//! The cost of one step of a cut, against the edits and rebuilds of others.

use super::contestants::{Contestant, Obvhs, Ours, Parry, time_steps};
use super::script::{Script, triceratops};
use super::{mean_ms, ms};
use crate::metric::{Better, Report};
use crate::peers;
use fracas::Mesh;
use fracas::tearing::{TearingBody, TearingBuild, TearingOptions};
use std::time::{Duration, Instant};

/// Edits alone: no upkeep, no search for parts that come apart, which the others do not offer.
pub fn bare() -> TearingOptions {
    TearingOptions { upkeep: 0, separate: false, ..TearingOptions::default() }
}

/// A cut that was measured: the time of each step, by contestant, and that of rebuilds.
pub struct Cut {
    /// The size of the paper that the body stands for; its own is about the same.
    pub size: usize,
    pub script: Script,
    /// Ours, with the mesh.
    pub fracas: Vec<Duration>,
    /// The mesh's share of ours.
    pub mesh: Vec<Duration>,
    pub obvhs: Vec<Duration>,
    pub parry: Vec<Duration>,
    /// Milliseconds of a rebuild before the first step: ours by median splits, and obvhs' fastest.
    pub median_rebuild: f64,
    pub fastest_rebuild: f64,
}

impl Cut {
    /// Measures the cut of Table 1 at a size.
    pub fn measure(triangles: usize, runs: usize) -> Self {
        let script = triceratops(triangles, 11);
        let fracas = || ours(&script);
        let obvhs = || Box::new(Obvhs::new(&script)) as Box<dyn Contestant>;
        let parry = || Box::new(Parry::new(&script)) as Box<dyn Contestant>;
        let times = time_steps(&script, runs, &[&fracas, &obvhs, &parry]);
        let [median_rebuild, fastest_rebuild] = rebuilds(&script.mesh, runs);
        let [fracas, obvhs, parry] = times.of.try_into().expect("three contestants");
        Self {
            size: triangles,
            script,
            fracas,
            mesh: times.mesh,
            obvhs,
            parry,
            median_rebuild,
            fastest_rebuild,
        }
    }

    /// Milliseconds per step that our tree takes; the mesh is already edited, as it is for the others.
    pub fn tree_ms(&self) -> f64 {
        mean_ms(&self.fracas) - mean_ms(&self.mesh)
    }
}

/// Measures the cut at the largest size of Table 1, and hands it on for the report.
pub fn run(report: &mut Report, quick: bool) -> Cut {
    let cut = Cut::measure(if quick { 22_640 } else { 90_560 }, if quick { 5 } else { 15 });
    let [out, into] = cut.script.mean_sizes();
    let size = cut.script.mesh.triangle_count();
    report.say(&format!(
        "{size} triangles, {} steps of a cut, {out:.1} out and {into:.1} in per step",
        cut.script.steps.len()
    ));
    let [fracas, mesh, obvhs, parry] = [&cut.fracas, &cut.mesh, &cut.obvhs, &cut.parry].map(|t| mean_ms(t));
    report.say(&format!("  fracas, mesh and tree     {fracas:9.4} ms per step"));
    report.say(&format!("  of which mesh             {mesh:9.4} ms"));
    report.say(&format!("  obvhs remove + insert     {obvhs:9.4} ms"));
    report.say(&format!("  parry remove + insert     {parry:9.4} ms"));
    let edit = cut.tree_ms();
    let note =
        format!("tree against tree, the mesh already edited, {size} triangles, {out:.0} out, {into:.0} in");
    report.metric("tearing.edit.vs_peer_edit", obvhs.min(parry) / edit, "x", Better::Higher, &note);
    let (median, fastest) = (cut.median_rebuild, cut.fastest_rebuild);
    report.say(&format!("  our median rebuild        {median:9.4} ms"));
    report.say(&format!("  obvhs fastest rebuild     {fastest:9.4} ms"));
    report.metric("tearing.edit.vs_rebuild", median / edit, "x", Better::Higher, "our own median split");
    report.metric(
        "tearing.edit.vs_fastest_rebuild",
        fastest / edit,
        "x",
        Better::Higher,
        "obvhs 0.4.0, fastest preset",
    );
    growth(report, edit / (out + into), quick);
    cut
}

fn ours(script: &Script) -> Box<dyn Contestant> {
    let mut ours = Ours::new(script, bare());
    let (slots, vertices) = (script.end.slot_count(), script.end.vertex_count());
    ours.0.reserve(slots - script.mesh.triangle_count(), vertices - script.mesh.vertex_count());
    Box::new(ours)
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
    let edit = mean_ms(&times.of[0]) - mean_ms(&times.mesh);
    let large = edit / (out + into);
    report.say(&format!(
        "  {} triangles: {edit:.4} ms per step, {out:.1} out and {into:.1} in",
        script.mesh.triangle_count()
    ));
    let note = "cost of a changed triangle at sixteen times the size, over that at the smaller";
    report.metric("tearing.growth", large / small, "x", Better::Lower, note);
}
