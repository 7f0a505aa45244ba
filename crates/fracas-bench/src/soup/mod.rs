//! `fracas-bench soup`: soups on the processor, beside peers and the figures of Weller, Debowski and Zachmann 2017.
//!
//! First the metrics, then the report: Table 1, Figures 8 and 9 of the paper as tables, charts and a page, measured on frames
//! of scenes that are made after the paper's.

mod analysis;
pub mod figure8;
pub mod figure9;
mod loads;
pub mod paper;
mod peers;
pub mod recordings;
pub mod table1;

use crate::folder::Folder;
use crate::metric::Report;
use crate::timing::Timed;
use fracas::mesh::shapes;
use fracas::soup::CellTable;
use fracas::{FindOptions, Finder, SoupOptions, Threads};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Runs the whole benchmark.
pub fn run(report: &mut Report, quick: bool, out: &Path) -> io::Result<()> {
    let mut folder = Folder::create(out, "soup", "Soups on the processor")?;
    let budget = Duration::from_millis(if quick { 1500 } else { 8000 });
    let cloth = shapes::folded_cloth(250_000);
    peers::run(report, &cloth, budget);
    figure8::metrics(report, &cloth, budget / 2);
    let growth = figure9::metrics(report, quick, budget);
    loads::two_threads(report, &cloth, budget / 2);
    loads::giant(report, &cloth, budget / 2);
    analysis::run(report, quick, budget / 4);

    let recordings = recordings::record_all(report, quick);
    let measured = table1::write(report, &mut folder, &recordings, quick)?;
    figure8::write(report, &mut folder, &recordings, &measured, quick)?;
    figure9::write(report, &mut folder, &recordings, &measured, &growth)?;
    folder.section("Metrics", "What the benchmark promises to watch.");
    folder.table(report, "metrics", &report.table())?;
    folder.finish(report)
}

fn finder(table: CellTable) -> Finder {
    let options = FindOptions { threads: Threads::One, ..FindOptions::default() };
    Finder::new(FindOptions { soup: SoupOptions { table }, ..options })
}

fn print(report: &Report, title: &str, timed: &[Timed]) {
    report.say(title);
    for row in timed {
        let ratio = row.ms() / timed[0].ms();
        report.say(&format!("  {:<38} {:>10.3} ms   {ratio:>6.2} ×", row.name, row.ms()));
    }
}
