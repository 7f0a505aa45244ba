//! `fracas-bench p1`: trees that follow a cut, beside obvhs, parry and the figures of Otaduy et al. 2007.

mod contestants;
mod edits;
mod long_run;
mod moving;
mod pieces;
mod script;

use crate::metric::Report;
use std::time::Duration;

pub fn run(report: &mut Report, quick: bool) {
    edits::run(report, quick);
    moving::run(report, quick);
    pieces::run(report, quick);
    long_run::run(report, quick);
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn mean_ms(times: &[Duration]) -> f64 {
    ms(times.iter().sum::<Duration>()) / times.len().max(1) as f64
}
