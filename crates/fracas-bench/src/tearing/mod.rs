//! `fracas-bench tearing`: trees that follow a cut, beside obvhs, parry and the figures of Otaduy et al. 2007.
//!
//! First the metrics, then the report: Table 1, Figures 7 and 8 of the paper as tables, charts and a page.

mod contestants;
mod edits;
mod figure7;
mod figure8;
mod long_run;
mod moving;
mod paper;
mod pieces;
mod recorded_peers;
mod recording;
mod script;
mod table1;

use crate::folder::Folder;
use crate::metric::Report;
use std::io;
use std::path::Path;
use std::time::Duration;

pub fn run(report: &mut Report, quick: bool, out: &Path) -> io::Result<()> {
    let mut folder = Folder::create(out, "tearing", "Trees that follow a cut")?;
    let cut = edits::run(report, quick);
    moving::run(report, quick);
    let broken = pieces::run(report, quick);
    long_run::run(report, quick);

    table1::write(report, &mut folder, &cut, quick)?;
    figure7::write(report, &mut folder, &cut, quick)?;
    figure8::write(report, &mut folder, &broken, quick)?;
    folder.section("Metrics", "What the benchmark promises to watch; larger sizes and longer runs included.");
    folder.table(report, "metrics", &report.table())?;
    folder.finish(report)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn mean_ms(times: &[Duration]) -> f64 {
    ms(times.iter().sum::<Duration>()) / times.len().max(1) as f64
}
