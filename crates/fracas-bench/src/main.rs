//! `fracas-bench`: every claim of speed, measured beside its peers in one run.
//!
//! `cargo run --release -p fracas-bench -- NAME [--json] [--quick]`, where NAME is a subject of [`SUBJECTS`].
//!
//! Some benchmarks also leave tables, charts and a page with everything in `out/bench/NAME`. Every metric begins with the
//! name of its benchmark.

mod across;
mod brittle;
mod ccd;
mod cores;
mod folder;
mod gpu;
mod kinetic;
mod metric;
mod naive;
mod pairs;
mod peers;
mod play;
mod questions;
mod skinned;
mod soup;
mod tearing;
mod timing;
mod world;

use clap::Parser;
use cores::Limits;
use metric::Report;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A benchmark, named by its subject.
#[derive(Clone, Copy, Debug)]
struct Subject {
    name: &'static str,
    about: &'static str,
    run: fn(&mut Report, bool, &Path) -> io::Result<()>,
}

const SUBJECTS: &[Subject] = &[
    Subject {
        name: "pairs",
        about: "all intersecting pairs, tree builds and refits",
        run: |report, quick, _| {
            pairs::run(report, quick);
            Ok(())
        },
    },
    Subject { name: "tearing", about: "trees that follow a cut (Otaduy et al. 2007)", run: tearing::run },
    Subject {
        name: "kinetic",
        about: "bodies on known paths: boxes that know when they expire (Zachmann, Weller 2006)",
        run: kinetic::run,
    },
    Subject {
        name: "skinned",
        about: "bodies driven by few nodes: bounds from the nodes (Steinemann, Otaduy, Gross 2008)",
        run: skinned::run,
    },
    Subject {
        name: "questions",
        about: "distance, nearness, first pair, nearest point, winding, against parry, coal, FCL, IPC Toolkit and libigl",
        run: questions::run,
    },
    Subject { name: "ccd", about: "continuous collision, exactly, against IPC Toolkit", run: ccd::run },
    Subject {
        name: "brittle",
        about: "fracture: distances and sphere trees that follow cracks (Glondu et al. 2012)",
        run: brittle::run,
    },
    Subject {
        name: "soup",
        about: "soups on the processor: kDet (Weller, Debowski, Zachmann 2017)",
        run: soup::run,
    },
    Subject { name: "gpu", about: "soups on a CUDA device", run: gpu::run },
    Subject {
        name: "world",
        about: "one world: moving parts against parry and coal, growth, choice of structures",
        run: world::run,
    },
    Subject { name: "play", about: "scenes played in a browser beside the same natively", run: play::run },
    Subject {
        name: "cores",
        about: "every stage at 1 to 16 threads, beside the memory's bandwidth, obvhs and MeshLib",
        run: cores::run,
    },
];

/// Names that benchmarks once had.
const FORMER_NAMES: &[(&str, &str)] = &[("p1", "tearing"), ("p4", "brittle"), ("p5", "soup")];

/// Benchmarks against peers and papers, everything compared in one run.
#[derive(Parser)]
#[command(version, after_help = subjects())]
struct Arguments {
    /// Which benchmark.
    #[arg(value_parser = subject)]
    name: Subject,
    /// Print one JSON object per metric and line, and nothing else on standard output.
    #[arg(long)]
    json: bool,
    /// Smaller sizes, same metric names, done within a minute.
    #[arg(long)]
    quick: bool,
    /// Numbers of triangles, such as 250k,1M,4M. For `cores` only.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = cores::size_of)]
    sizes: Vec<usize>,
    /// Numbers of threads, such as 1,2,4. For `cores` only.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// Folder for reports, in a folder of the benchmark's name.
    #[arg(long, value_name = "DIR", default_value = "out/bench")]
    out: PathBuf,
}

/// All benchmarks, for the help text.
fn subjects() -> String {
    let row = |subject: &Subject| format!("\n  {:<8}  {}", subject.name, subject.about);
    format!("Benchmarks:{}", SUBJECTS.iter().map(row).collect::<String>())
}

/// The benchmark of a name, or a sentence that says which names there are.
fn subject(name: &str) -> Result<Subject, String> {
    if let Some((_, now)) = FORMER_NAMES.iter().find(|(former, _)| *former == name) {
        return Err(format!("the benchmark {name} is now called {now}"));
    }
    let found = SUBJECTS.iter().find(|subject| subject.name == name);
    let known = || SUBJECTS.iter().map(|subject| subject.name).collect::<Vec<_>>().join(", ");
    found.copied().ok_or_else(|| format!("there is no such benchmark; there are {}", known()))
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == cores::child::WORD) {
        return match cores::child::work(&words[1..]) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&error.to_string()),
        };
    }
    let arguments = Arguments::parse();
    let mut report = Report::new(arguments.json);
    if arguments.name.name == "cores" {
        let threads = arguments.threads.iter().map(|&count| usize::from(count)).collect();
        report.limits = Limits { sizes: arguments.sizes, threads };
    } else if !arguments.sizes.is_empty() || !arguments.threads.is_empty() {
        return failed(
            "--sizes and --threads are for the benchmark `cores`; the others have sizes of their own",
        );
    } else if cfg!(feature = "threaded-peers") {
        return failed(
            "with the feature `threaded-peers` peers use all threads, which only `cores` is for; build without it",
        );
    }
    match (arguments.name.run)(&mut report, arguments.quick, &arguments.out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::Other => failed(&error.to_string()),
        Err(error) => {
            failed(&format!("the report cannot be written to {}: {error}", arguments.out.display()))
        }
    }
}

fn failed(sentence: &str) -> ExitCode {
    eprintln!("fracas-bench: {sentence}");
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_subjects_and_former_names_say_the_new_one() {
        for known in SUBJECTS {
            assert_eq!(subject(known.name).unwrap().name, known.name);
        }
        for (former, now) in FORMER_NAMES {
            assert!(subject(now).is_ok());
            assert_eq!(subject(former).unwrap_err(), format!("the benchmark {former} is now called {now}"));
        }
        let error = subject("bricks").unwrap_err();
        assert_eq!(
            error,
            "there is no such benchmark; there are pairs, tearing, kinetic, skinned, questions, ccd, brittle, soup, gpu, world, play, cores"
        );
    }
}
