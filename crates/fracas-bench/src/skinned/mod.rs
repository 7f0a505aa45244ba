//! Bodies driven by few nodes: how tight bounds are, and what they cost (Steinemann, Otaduy, Gross 2008).
//!
//! Everything but the crowd runs on one thread. The other side evaluates every vertex, as it must, and refits the tree that wins
//! everywhere else.

mod bounds;
mod scenes;
mod spheres;

use crate::folder::Folder;
use crate::metric::Report;
use std::io;
use std::path::Path;

/// Runs the whole benchmark.
pub fn run(report: &mut Report, quick: bool, out: &Path) -> io::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(io::Error::other)?;
    pool.install(|| {
        let mut folder = Folder::create(out, "skinned", "Bodies driven by few nodes")?;
        bounds::tightness(report, &mut folder, quick)?;
        bounds::costs(report, &mut folder, quick)?;
        scenes::ring(report, &mut folder, quick)?;
        scenes::fishes(report, quick)?;
        folder.finish(report)
    })?;
    scenes::crowd(report, quick)
}
