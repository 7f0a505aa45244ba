//! `fracas-bench`: every claim of speed, measured beside its peers in one run.
//!
//! `cargo run --release -p fracas-bench -- pairs [--json] [--quick]`

mod metric;
mod naive;
mod p1;
mod p4;
mod p5;
mod pairs;
mod peers;
mod timing;

use clap::{Parser, ValueEnum};

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
}

fn main() {
    let arguments = Arguments::parse();
    let mut report = metric::Report::new(arguments.json);
    match arguments.name {
        Name::Pairs => pairs::run(&mut report, arguments.quick),
        Name::P1 => p1::run(&mut report, arguments.quick),
        Name::P4 => p4::run(&mut report, arguments.quick),
        Name::P5 => p5::run(&mut report, arguments.quick),
    }
}
