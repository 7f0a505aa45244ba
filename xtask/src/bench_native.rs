//! `cargo xtask bench-native NAME ...`: do our ratios hold when peers may use all vector instructions of the machine?
//!
//! Our code picks its vector instructions at run time; peers have those that they were compiled for, which are few unless the compiler is
//! told otherwise. So everything is built twice, as usual and with `-C target-cpu=native`, each into a folder of its own, and both
//! programs run in turn.

use crate::bench_compare::{Arguments, Options, options, table, take_turns};
use crate::shell;
use std::path::PathBuf;

const SIDES: [&str; 2] = ["usual", "native"];

/// Builds and runs both, and prints the tables.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let Options { plain: names, runs, quick } = read(arguments)?;
    let programs = [build(SIDES[0], "")?, build(SIDES[1], "-C target-cpu=native")?];
    let [metrics, times] = take_turns(&Arguments { programs, names, runs, quick }, SIDES)?;
    print!("{}", table(&metrics, SIDES, false));
    if !times.is_empty() {
        print!("\n{}", table(&times, SIDES, false));
    }
    Ok(())
}

fn read(arguments: &[String]) -> Result<Options, String> {
    let options = options(arguments, 1)?;
    if options.plain.is_empty() {
        return Err("`cargo xtask bench-native` needs the name of a benchmark.".to_owned());
    }
    Ok(options)
}

/// Builds the benchmarks with these flags and no others into `target/bench-SIDE`.
fn build(side: &str, flags: &str) -> Result<PathBuf, String> {
    let folder = shell::root().join("target").join(format!("bench-{side}"));
    let mut build = shell::cargo(["build", "--release", "--locked", "-p", "fracas-bench", "--target-dir"]);
    build.arg(&folder).env("RUSTFLAGS", flags).env_remove("CARGO_ENCODED_RUSTFLAGS");
    shell::run(&mut build, &format!("The benchmarks cannot be built ({side})"))?;
    Ok(folder.join("release").join(format!("fracas-bench{}", std::env::consts::EXE_SUFFIX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str]) -> Result<Options, String> {
        read(&arguments.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_name_is_needed_and_one_run_is_enough() {
        let expected = Options { plain: vec!["pairs".to_owned()], runs: 1, quick: true };
        assert_eq!(given(&["--quick", "pairs"]), Ok(expected));
        assert_eq!(given(&["soup", "--runs", "3"]).unwrap().runs, 3);
        assert!(given(&["--quick"]).unwrap_err().contains("name of a benchmark"));
        assert!(given(&["pairs", "--fast"]).unwrap_err().contains("`--fast`"));
    }
}
