//! Tests that did not run, made visible: those that are ignored, and those that say that they were skipped.
//!
//! A test that lacks data says so in a line that begins with `skipped:` and passes. The test harness hides what passing tests write, so
//! it is asked for everything; what it shows of passing tests is read for such lines and not printed.

use crate::shell;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Runs a `cargo test` command, and gives back a line for each test that did not run.
pub fn run(command: &mut Command, complaint: &str) -> Result<Vec<String>, String> {
    command.args(["--", "--show-output"]);
    shell::announce(command);
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|error| shell::not_started(command, &error))?;
    let mut reader = Reader::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            if reader.shows(&line) {
                println!("{line}");
            }
        }
    }
    let status = child.wait().map_err(|error| shell::not_started(command, &error))?;
    shell::judge(command, status, complaint)?;
    reader.skipped.sort();
    reader.skipped.dedup();
    Ok(reader.skipped)
}

/// Reads what a test harness prints.
#[derive(Default)]
struct Reader {
    /// Within what passing tests have written.
    is_passing: bool,
    skipped: Vec<String>,
}

impl Reader {
    /// Takes a line; returns whether it is worth showing.
    fn shows(&mut self, line: &str) -> bool {
        match line {
            "successes:" => self.is_passing = true,
            "failures:" => self.is_passing = false,
            _ if line.starts_with("test result:") => self.is_passing = false,
            _ => {}
        }
        if line.starts_with("skipped:") {
            self.skipped.push(line.to_owned());
        } else if let Some((test, reason)) = ignored(line).filter(|_| !self.is_passing) {
            self.skipped.push(format!("ignored: {test}{reason}"));
        }
        !self.is_passing
    }
}

/// The name of an ignored test, and why, in parentheses.
fn ignored(line: &str) -> Option<(&str, String)> {
    let (test, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let reason = outcome.strip_prefix("ignored")?;
    Some((test, reason.strip_prefix(", ").map_or(String::new(), |reason| format!(" ({reason})"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_of_passing_tests_are_found_and_their_output_is_hidden() {
        let output = "\
running 3 tests
test slow ... ignored, takes minutes
test data ... ok
test plain ... ok

successes:

---- data stdout ----
skipped: no meshes
test noise ... ignored

successes:
    data
    plain

test result: ok. 2 passed
";
        let mut reader = Reader::default();
        let shown: Vec<&str> = output.lines().filter(|line| reader.shows(line)).collect();
        assert_eq!(reader.skipped, ["ignored: slow (takes minutes)", "skipped: no meshes"]);
        assert!(shown.contains(&"test data ... ok") && shown.contains(&"test result: ok. 2 passed"));
        assert!(!shown.iter().any(|line| line.contains("stdout") || line.contains("noise")));
    }

    #[test]
    fn what_failing_tests_write_is_shown() {
        let output =
            ["successes:", "hidden", "failures:", "---- a stdout ----", "why", "test result: FAILED."];
        let mut reader = Reader::default();
        let shown: Vec<&str> = output.into_iter().filter(|line| reader.shows(line)).collect();
        assert_eq!(shown, ["failures:", "---- a stdout ----", "why", "test result: FAILED."]);
    }
}
