//! `fracas-bench`: every claim of speed, measured beside its peers in one run.
//!
//! `cargo run --release -p fracas-bench -- pairs [--json] [--quick]`
//!
//! Some benchmarks also leave tables, charts and a page with everything in `out/bench/NAME`.

mod folder;
mod gpu;
mod metric;
mod naive;
mod p1;
mod p4;
mod p5;
mod pairs;
mod peers;
mod timing;

use clap::{Parser, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// Benchmarks against peers and papers, everything compared in one run.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Which benchmark.
    name: Name,
    /// Print one JSON object per metric and line, and nothing else on standard output.
    #[arg(long)]
    json: bool,
    /// Smaller sizes, same metric names, done within a minute.
    #[arg(long)]
    quick: bool,
    /// Folder for reports, in a folder of the benchmark's name.
    #[arg(long, value_name = "DIR", default_value = "out/bench")]
    out: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    /// All intersecting pairs, tree builds and refits.
    Pairs,
    /// Trees that follow a cut.
    P1,
    /// Brittle fracture: distances and sphere trees that follow cracks (Glondu et al. 2012).
    P4,
    /// Soups: kDet on the CPU (Weller, Debowski, Zachmann 2017).
    P5,
    /// Soups on a CUDA device.
    Gpu,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut report = metric::Report::new(arguments.json);
    let (report, quick) = (&mut report, arguments.quick);
    let mut written = Ok(());
    match arguments.name {
        Name::Pairs => pairs::run(report, quick),
        Name::P1 => written = p1::run(report, quick, &arguments.out),
        Name::P4 => written = p4::run(report, quick, &arguments.out),
        Name::P5 => written = p5::run(report, quick, &arguments.out),
        Name::Gpu => written = gpu::run(report, quick, &arguments.out),
    }
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fracas-bench: the report cannot be written to {}: {error}", arguments.out.display());
            ExitCode::from(2)
        }
    }
}
