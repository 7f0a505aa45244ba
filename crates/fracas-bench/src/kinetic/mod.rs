//! Bodies on known paths: chord boxes and windows against our best refit, and the paper's structures (Zachmann, Weller 2006).
//!
//! Everything runs on one thread. The other side is the tree that wins everywhere else: vertices interpolated, boxes refitted
//! with vector instructions. Motion per key stands beside each figure, since all of them depend on it.

mod chords;
mod contacts;
mod paper;
mod played;
mod replan;

use crate::metric::Report;
use std::io;
use std::path::Path;

/// Frames that are shown for each key.
pub(crate) const FRAMES_PER_KEY: usize = 20;

/// Runs the whole benchmark.
pub fn run(report: &mut Report, quick: bool, out: &Path) -> io::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(io::Error::other)?;
    pool.install(|| {
        chords::run(report, quick)?;
        paper::run(report, quick, out)
    })
}
