//! How fast k-freeness is measured.

use crate::metric::{Better, Report};
use crate::timing::{Candidate, race};
use fracas::crowd::KFree;
use fracas::mesh::shapes;
use std::time::Duration;

/// Triangles per second on one thread, on three shapes.
pub fn run(report: &mut Report, quick: bool, budget: Duration) {
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return };
    let size = if quick { 50_000 } else { 250_000 };
    let mut slowest = f64::INFINITY;
    let meshes = [
        ("folded cloth", shapes::folded_cloth(size)),
        ("noisy sphere", shapes::noisy_sphere(size, 0.2, 1)),
        ("creature", shapes::creature(size)),
    ];
    for (name, mesh) in meshes {
        let timed = race(
            &mut [Candidate::new(name, || pool.install(|| KFree::of_mesh(&mesh).minimal() as usize))],
            budget,
        );
        let free = KFree::of_mesh(&mesh);
        let rate = mesh.triangle_count() as f64 / timed[0].ms() / 1e3;
        slowest = slowest.min(rate);
        report.say(&format!(
            "  {name:<20} k {} (mean {:.1}), height {}: {rate:.2} M triangles/s",
            free.minimal(),
            free.mean(),
            free.height()
        ));
    }
    let note = "triangles per second on one thread, the slowest of three shapes";
    report.metric("p5.analyze.mtps", slowest, "M/s", Better::Higher, note);
}
