//! A body broken at once: its tree divided by labels, against trees rebuilt over every piece.

use super::ms;
use crate::metric::{Better, Report};
use fracas::TriangleId;
use fracas::cut::{ShatterOptions, scatter_sites, shatter_at};
use fracas::mesh::{LiveMesh, shapes};
use fracas::tearing::{TearingBody, TearingBuild, TearingOptions};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A body broken into pieces, as measured; times in milliseconds.
pub struct Broken {
    /// Triangles before the break.
    pub size: usize,
    /// Pieces asked for.
    pub pieces: usize,
    /// Triangles after the break.
    pub triangles: usize,
    /// The tree follows the edit and is divided; the edit of the mesh is included, as it is for rebuilds.
    pub both: f64,
    pub median_rebuild: f64,
    pub obvhs_rebuild: f64,
    /// Q of the divided trees, and of trees rebuilt by medians.
    pub q: [f64; 2],
}

pub fn run(report: &mut Report, quick: bool) -> Vec<Broken> {
    let mut all = Vec::new();
    let sizes: &[usize] = if quick { &[10_000] } else { &[10_000, 91_000] };
    for &size in sizes {
        report.say(&format!("pumpkin of {size} triangles broken into pieces"));
        report.say("   pieces  triangles   edit+split   our median rebuild   obvhs fastest   area of boxes by that of our best rebuild");
        for pieces in [2, 4, 8, 12, 32, 64] {
            all.push(one(report, size, pieces, if quick { 3 } else { 7 }));
        }
    }
    all
}

fn one(report: &mut Report, size: usize, pieces: usize, runs: usize) -> Broken {
    let mesh = shapes::pumpkin(10, size);
    let live = LiveMesh::new(mesh.clone());
    let sites = scatter_sites(&live, pieces, 7);
    let shattered = shatter_at(&live, &sites, &ShatterOptions::default()).expect("a closed body");
    let body = TearingBody::build(mesh);
    // A rebuild that is compared with makes nothing for later cuts.
    let options = TearingOptions { separate: false, upkeep: 0, ..TearingOptions::default() };
    let mut best = [Duration::MAX; 4];
    let (mut sah, mut q) = ([0.0; 2], [f64::NAN; 2]);
    for _ in 0..runs {
        let mut split = body.clone();
        let begin = Instant::now();
        split.shatter(&shattered.edit, &shattered.labels).expect("a good edit, and one label for each");
        best[0] = best[0].min(begin.elapsed());
        q[0] = split.quality().q.unwrap_or(f64::NAN);
        // The mesh must be edited for a rebuild too.
        let mut mesh = live.clone();
        let begin = Instant::now();
        mesh.apply(&shattered.edit).expect("the edit is good");
        best[1] = best[1].min(begin.elapsed());
        let median = TearingOptions { build: TearingBuild::Median, ..options };
        sah[0] = split.quality().sah;
        split.set_options(median);
        let begin = Instant::now();
        split.rebuild();
        best[2] = best[2].min(begin.elapsed());
        q[1] = split.quality().q.unwrap_or(f64::NAN);
        best[3] = best[3].min(obvhs_rebuild(&split));
        split.set_options(options);
        split.rebuild();
        sah[1] = split.quality().sah;
    }
    let triangles = body.mesh().live_count() + shattered.edit.added.len() - shattered.edit.removed.len();
    let [both, mesh, median, obvhs] = best.map(ms);
    let [median, obvhs] = [median + mesh, obvhs + mesh];
    report.say(&format!(
        "  {pieces:7}  {triangles:9}   {both:7.3} ms     {median:7.3} ms          {obvhs:7.3} ms        {:.2}",
        sah[0] / sah[1]
    ));
    let note =
        format!("pumpkin of {size}, edit of the mesh on both sides, {} pieces with crumbs", shattered.pieces);
    report.metric(&format!("tearing.split.vs_rebuild.{pieces}"), median / both, "x", Better::Higher, &note);
    report.metric(
        &format!("tearing.split.vs_obvhs_rebuild.{pieces}"),
        obvhs / both,
        "x",
        Better::Higher,
        &note,
    );
    Broken { size, pieces, triangles, both, median_rebuild: median, obvhs_rebuild: obvhs, q }
}

/// Trees of obvhs' fastest preset over each piece; gathering the boxes is part of it, as it is for us.
fn obvhs_rebuild(body: &TearingBody) -> Duration {
    let pieces: Vec<Vec<TriangleId>> = body.pieces().map(|piece| piece.triangles()).collect();
    let begin = Instant::now();
    for piece in &pieces {
        black_box(crate::peers::obvhs::build_over(
            piece.iter().map(|&t| body.mesh().triangle(t)),
            obvhs::BvhBuildParams::fastest_build(),
        ));
    }
    begin.elapsed()
}
