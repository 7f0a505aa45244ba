//! `cargo xtask test`: everything that must hold before a change is taken in.
//!
//! Steps run in order, the quick ones first, and the first failure ends the run. From a clean checkout all steps
//! together are meant to take less than half an hour on two cores.

use crate::{fuzz, guide, licences, readme, shell, skips, web};
use std::cell::RefCell;
use std::process::Command;
use std::time::{Duration, Instant};

/// Runs all steps; fails with the sentence of the first step that does.
pub fn run(fuzz_seconds: u32) -> Result<(), String> {
    let mut times = Vec::new();
    let skipped = RefCell::new(Vec::new());
    let keep = |found: Vec<String>| skipped.borrow_mut().extend(found);
    let mut step = |name: &'static str, work: &dyn Fn() -> Result<(), String>| {
        println!("\n=== {name}");
        let start = Instant::now();
        let outcome = work();
        times.push((name, start.elapsed()));
        outcome.map_err(|sentence| {
            format!("\nFailed at the step \"{name}\" after {}. {sentence}", written(start.elapsed()))
        })
    };
    step("formatting", &formatting)?;
    step("licences", &licences::check)?;
    step("lints", &lints)?;
    step("tests", &|| tests().map(keep))?;
    step("tests without threads", &|| tests_without_threads().map(keep))?;
    step("reports of a release build", &|| reports_of_a_release_build().map(keep))?;
    step("documentation", &documentation)?;
    step("the guide", &guide::test)?;
    step("the README's first command", &readme::run_first_command)?;
    step("the viewer in a browser", &web::test)?;
    step("fuzzing", &|| fuzz::run(fuzz_seconds, &[]))?;

    let mut skipped = skipped.into_inner();
    skipped.sort();
    skipped.dedup();
    if !skipped.is_empty() {
        println!("\nTests that did not run:");
        skipped.iter().for_each(|line| println!("  {line}"));
    }
    println!("\nAll steps passed:");
    for (name, time) in &times {
        println!("  {name:<28}{:>10}", written(*time));
    }
    println!("  {:<28}{:>10}", "in all", written(times.iter().map(|(_, time)| *time).sum()));
    Ok(())
}

fn formatting() -> Result<(), String> {
    let complaint = "The code is not formatted; run `cargo fmt --all`";
    shell::run(&mut shell::cargo(["fmt", "--all", "--check"]), complaint)?;
    let mut fuzz_crate = shell::cargo(["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]);
    shell::run(&mut fuzz_crate, "The fuzz targets are not formatted; run `cargo fmt` in fuzz/")
}

fn lints() -> Result<(), String> {
    let mut clippy = shell::cargo(["clippy", "--workspace", "--all-targets", "--locked"]);
    shell::run(clippy.args(["--", "-D", "warnings"]), "The code has warnings")
}

fn tests() -> Result<Vec<String>, String> {
    skips::run(&mut test_programs(&[]), "A test failed")
}

/// The command that builds and runs all tests. The benchmarks have none, and the peers they measure take long to build.
pub fn test_programs(more: &[&str]) -> Command {
    let mut test = shell::cargo(["test", "--workspace", "--exclude", "fracas-bench", "--locked"]);
    // Snapshots of worlds are tested with it.
    test.args(["--features", "fracas/serde"]).args(more);
    test
}

/// The library promises the same answers without its feature `parallel`, so its tests run that way too.
fn tests_without_threads() -> Result<Vec<String>, String> {
    let mut test = shell::cargo(["test", "-p", "fracas", "--no-default-features", "--locked"]);
    skips::run(&mut test, "A test failed that passes with the feature `parallel`")
}

/// The same reports byte for byte, whatever the compiler does: the test holds their hash.
fn reports_of_a_release_build() -> Result<Vec<String>, String> {
    let mut test = shell::cargo(["test", "--release", "-p", "fracas", "--features", "serde", "--locked"]);
    test.args(["--test", "world", "a_report_is_the_same"]);
    skips::run(&mut test, "A world reports something else if it is built with optimisation")
}

fn documentation() -> Result<(), String> {
    let mut doc: Command = shell::cargo(["doc", "--workspace", "--no-deps", "--locked"]);
    shell::run(doc.env("RUSTDOCFLAGS", "-D warnings"), "The documentation has warnings")
}

fn written(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 100.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_for_people() {
        assert_eq!(written(Duration::from_millis(740)), "0.7 s");
        assert_eq!(written(Duration::from_secs(247)), "4 min 07 s");
    }
}
