//! `fracas-bench gpu`: soups on a CUDA device, beside the figures of Weller, Debowski and Zachmann 2017.
//!
//! First bodies that breathe, with each kernel's time and the metrics; then the report: Table 1, Figures 8 and 9 of the paper
//! on frames of scenes that are made after the paper's.

mod bodies;
mod scenes;

use crate::folder::Folder;
use crate::metric::Report;
use crate::soup::recordings::record_all;
use fracas_gpu::{GpuError, GpuSoup};
use std::io;
use std::path::Path;

/// Runs the whole benchmark, or says what is missing.
pub fn run(report: &mut Report, quick: bool, out: &Path) -> io::Result<()> {
    match GpuSoup::available() {
        Ok(name) => report.say(&format!("on {name}")),
        Err(reason) => {
            report.say(&format!("nothing to measure: {reason}"));
            return Ok(());
        }
    }
    let mut folder = Folder::create(out, "gpu", "Soups on a device")?;
    if let Err(error) = measure_all(report, &mut folder, quick)? {
        report.say(&format!("the benchmark ended early: {error}"));
    }
    folder.section("Metrics", "What the benchmark promises to watch.");
    folder.table(report, "metrics", &report.table())?;
    folder.finish(report)
}

/// What the device refuses ends the measurements, and what the disk refuses the whole run.
fn measure_all(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<Result<(), GpuError>> {
    let growth = match bodies::run(report, quick) {
        Ok(growth) => growth,
        Err(error) => return Ok(Err(error)),
    };
    let recordings = record_all(report, quick);
    let all = match recordings.iter().map(|recording| scenes::measure(recording, quick)).collect() {
        Ok(all) => all,
        Err(error) => return Ok(Err(error)),
    };
    scenes::write(report, folder, &recordings, all, growth).map(Ok)
}
