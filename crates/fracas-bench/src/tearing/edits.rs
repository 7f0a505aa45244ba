//! The cost of one step of a cut, against the edits and rebuilds of others.

use super::contestants::{Contestant, Obvhs, Ours, Parry, time_steps};
use super::script::{Script, triceratops};
use super::{mean_ms, ms};
use crate::metric::{Better, Report};
use crate::peers;
use fracas::Mesh;
use fracas::tearing::{TearingBody, TearingBuild, TearingOptions};
use std::time::{Duration, Instant};

/// Edits alone: no upkeep, no search for parts that come apart, which the others do not offer. The default has both, and is what
/// comparisons are made with.
pub fn bare() -> TearingOptions {
    TearingOptions { upkeep: 0, separate: false, ..TearingOptions::default() }
}

/// A cut that was measured: the time of each step, by contestant, and that of rebuilds. All times include the edit of the mesh.
pub struct Cut {
    /// The size of the paper that the body stands for; its own is about the same.
    pub size: usize,
    pub script: Script,
    /// Ours with the default options.
    pub fracas: Vec<Duration>,
    /// Ours with [`bare`] options.
    pub bare: Vec<Duration>,
    /// The mesh alone.
    pub mesh: Vec<Duration>,
    pub obvhs: Vec<Duration>,
    pub parry: Vec<Duration>,
    /// Milliseconds of a step with a rebuild: ours by median splits, and obvhs' fastest.
    pub median_rebuild: f64,
    pub fastest_rebuild: f64,
}

impl Cut {
    /// Measures the cut of Table 1 at a size.
    pub fn measure(triangles: usize, runs: usize) -> Self {
        let script = triceratops(triangles, 11);
        let fracas = || ours(&script, TearingOptions::default());
        let bare = || ours(&script, bare());
        let obvhs = || Box::new(Obvhs::new(&script)) as Box<dyn Contestant>;
        let parry = || Box::new(Parry::new(&script)) as Box<dyn Contestant>;
        let times = time_steps(&script, runs, &[&fracas, &bare, &obvhs, &parry]);
        let mesh_ms = mean_ms(&times.mesh);
        let [median_rebuild, fastest_rebuild] = rebuilds(&script.mesh, runs).map(|time| time + mesh_ms);
        let [fracas, bare, obvhs, parry] = times.of.try_into().expect("four contestants");
        Self {
            size: triangles,
            script,
            fracas,
            bare,
            mesh: times.mesh,
            obvhs,
            parry,
            median_rebuild,
            fastest_rebuild,
        }
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
    let [fracas, bare, mesh, obvhs, parry] =
        [&cut.fracas, &cut.bare, &cut.mesh, &cut.obvhs, &cut.parry].map(|t| mean_ms(t));
    report.say("  mesh and tree, nothing reserved");
    report.say(&format!("  fracas, default options   {fracas:9.4} ms per step"));
    report.say(&format!("  fracas, edits alone       {bare:9.4} ms"));
    report.say(&format!("  obvhs remove + insert     {obvhs:9.4} ms"));
    report.say(&format!("  parry remove + insert     {parry:9.4} ms"));
    report.say(&format!("  the mesh alone            {mesh:9.4} ms"));
    let peer = obvhs.min(parry);
    let note = format!(
        "default options; mesh and tree on both sides, nothing reserved, {size} triangles, {out:.0} out, {into:.0} in"
    );
    report.metric("tearing.edit.vs_peer_edit", peer / fracas, "x", Better::Higher, &note);
    let note = "the same without upkeep and without looking for parts that come apart, which peers do not do";
    report.metric("tearing.edit.bare.vs_peer_edit", peer / bare, "x", Better::Higher, note);
    let note = "default options; the same time of the mesh subtracted from both sides";
    let ratio = (peer - mesh) / (fracas - mesh);
    report.metric("tearing.edit.tree.vs_peer_edit", ratio, "x", Better::Higher, note);
    let (median, fastest) = (cut.median_rebuild, cut.fastest_rebuild);
    report.say(&format!("  our median rebuild        {median:9.4} ms"));
    report.say(&format!("  obvhs fastest rebuild     {fastest:9.4} ms"));
    report.metric("tearing.edit.vs_rebuild", median / fracas, "x", Better::Higher, "our own median split");
    report.metric(
        "tearing.edit.vs_fastest_rebuild",
        fastest / fracas,
        "x",
        Better::Higher,
        "obvhs 0.4.0, fastest preset",
    );
    growth(report, fracas / (out + into), quick);
    cut
}

fn ours(script: &Script, options: TearingOptions) -> Box<dyn Contestant> {
    Box::new(Ours::new(script, options))
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
    let times = time_steps(&script, runs, &[&|| ours(&script, TearingOptions::default())]);
    let edit = mean_ms(&times.of[0]);
    let large = edit / (out + into);
    report.say(&format!(
        "  {} triangles: {edit:.4} ms per step, {out:.1} out and {into:.1} in",
        script.mesh.triangle_count()
    ));
    let note = "cost of a changed triangle at sixteen times the size, over that at the smaller";
    report.metric("tearing.growth", large / small, "x", Better::Lower, note);
}
