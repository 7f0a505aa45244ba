//! The chores of the project, started with `cargo xtask`.
//!
//! A chore is a plain program that starts other programs, so it runs wherever Rust does and nobody has to learn
//! the language of a build service. Whatever a chore prints last is one sentence: what failed and, where we know
//! it, what to do.
//!
//! ```text
//! main  reads the arguments
//!   ├ test      the steps of `cargo xtask test`, in order
//!   │   ├ skips      which tests did not run?
//!   │   ├ licences   are all dependencies permissive?
//!   │   ├ web        are the pages what their sources build, and do they work?
//!   │   │   └ wasm       the module inside the page that is played with
//!   │   ├ guide      does the guide build, and do its links lead somewhere?
//!   │   └ readme     the first command a visitor will try
//!   ├ pictures  `cargo xtask pictures`: those of the README and the guide, from real runs
//!   ├ fuzz      `cargo xtask fuzz`: tools, targets, a time for each
//!   ├ bench_compare   `cargo xtask bench-compare`: two builds of the benchmarks, side by side
//!   ├ bench_native    `cargo xtask bench-native`: the same for the machine's own vector instructions
//!   └ shell     starting programs and naming what failed
//! ```

#![forbid(unsafe_code)]

mod bench_compare;
mod bench_native;
mod fuzz;
mod guide;
mod licences;
mod pictures;
mod readme;
mod shell;
mod skips;
mod test;
mod wasm;
mod web;

use std::process::ExitCode;

const CHORES: &str = "\
Chores of the Fracas project:

  cargo xtask test [--fuzz-seconds N]
      Everything: formatting, licences, lints, tests, documentation, the guide, the README's
      first command, the viewer in a browser, and N seconds (20 unless given) of each fuzz target.

  cargo xtask fuzz [--seconds N] [TARGET ...]
      The named fuzz targets, or all of them, for N seconds each (20 unless given).

  cargo xtask web
      The pages alone: rebuilt, compared, and tested in a browser.

  cargo xtask web-build
      The pages alone: rebuilt.

  cargo xtask guide
      The guide alone: its links checked, and built into target/guide.

  cargo xtask pictures
      The pictures of the README and the guide, from real runs.

  cargo xtask bench-compare OLD NEW NAME ... [--runs N] [--quick]
      The named benchmarks of two builds of `fracas-bench`, whose paths are given, in turn, N times (7 unless
      given): medians side by side, and what is worse by more than 3 % (single steps and piles: 10 %).

  cargo xtask bench-native NAME ... [--runs N] [--quick]
      The named benchmarks built as usual and with `-C target-cpu=native`, which lets peers use the vector
      instructions of this machine, in turn, N times (1 unless given): medians side by side.
";

/// How long each fuzz target runs unless the arguments say otherwise.
const DEFAULT_FUZZ_SECONDS: u32 = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        None => {
            print!("{CHORES}");
            Ok(())
        }
        Some((chore, rest)) => start(chore, rest),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn start(chore: &str, arguments: &[String]) -> Result<(), String> {
    match chore {
        "test" => {
            let (seconds, rest) = take_seconds("--fuzz-seconds", arguments)?;
            match rest.first() {
                Some(extra) => Err(format!("`cargo xtask test` does not know the argument `{extra}`.")),
                None => test::run(seconds),
            }
        }
        "fuzz" => {
            let (seconds, targets) = take_seconds("--seconds", arguments)?;
            fuzz::run(seconds, &targets)
        }
        "bench-compare" => bench_compare::run(arguments),
        "bench-native" => bench_native::run(arguments),
        "guide" => without_arguments(chore, arguments).and_then(|()| guide::test()),
        "web" => without_arguments(chore, arguments).and_then(|()| web::test()),
        "web-build" => without_arguments(chore, arguments).and_then(|()| web::build()),
        "pictures" => without_arguments(chore, arguments).and_then(|()| pictures::run()),
        unknown => Err(format!("There is no chore `{unknown}`; `cargo xtask` lists them.")),
    }
}

fn without_arguments(chore: &str, arguments: &[String]) -> Result<(), String> {
    match arguments.first() {
        Some(extra) => Err(format!("`cargo xtask {chore}` does not know the argument `{extra}`.")),
        None => Ok(()),
    }
}

/// Takes `flag N` out of the arguments and gives back N and the others.
fn take_seconds(flag: &str, arguments: &[String]) -> Result<(u32, Vec<String>), String> {
    let mut seconds = DEFAULT_FUZZ_SECONDS;
    let mut others = Vec::new();
    let mut remaining = arguments.iter();
    while let Some(argument) = remaining.next() {
        if argument == flag {
            let value = remaining.next().map_or("", String::as_str);
            // libFuzzer takes zero for "no limit", which no chore wants.
            seconds = value.parse().ok().filter(|&n| n > 0).ok_or_else(|| {
                format!("`{flag}` needs a whole number of seconds from 1 upward, not `{value}`.")
            })?;
        } else {
            others.push(argument.clone());
        }
    }
    match others.iter().find(|argument| argument.starts_with('-')) {
        Some(unknown) => Err(format!("There is no option `{unknown}`; `cargo xtask` lists them.")),
        None => Ok((seconds, others)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(arguments: &[&str]) -> Result<(u32, Vec<String>), String> {
        take_seconds("--seconds", &arguments.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn seconds_may_stand_anywhere_or_nowhere() {
        let targets = vec!["read_obj".to_string(), "tri_tri".to_string()];
        assert_eq!(taken(&["read_obj", "--seconds", "5", "tri_tri"]), Ok((5, targets.clone())));
        assert_eq!(taken(&["read_obj", "tri_tri"]), Ok((DEFAULT_FUZZ_SECONDS, targets)));
    }

    #[test]
    fn bad_arguments_are_named() {
        assert!(taken(&["--seconds"]).unwrap_err().contains("not ``"));
        assert!(taken(&["--seconds", "0"]).unwrap_err().contains("not `0`"));
        assert!(taken(&["--seconds", "ten"]).unwrap_err().contains("not `ten`"));
        assert!(taken(&["--second", "5"]).unwrap_err().contains("`--second`"));
        assert!(start("tset", &[]).unwrap_err().contains("`tset`"));
        assert!(start("test", &["all".to_string()]).unwrap_err().contains("`all`"));
    }
}
