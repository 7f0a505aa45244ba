//! The first command a visitor will try, read out of the README and run as written.
//!
//! A README that lies is worse than none, so the command is not repeated here: it is found as the first command
//! of the first `sh` block that begins with `cargo run`.

use crate::shell;
use std::process::Command;

/// Runs the first command of the README in the root of the repository.
pub fn run_first_command() -> Result<(), String> {
    let path = shell::root().join("README.md");
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("README.md cannot be read: {error}."))?;
    let command = first_command(&text)
        .ok_or("README.md has no ```sh block that begins with `cargo run`: its first command is missing.")?;
    println!("$ {command}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]).current_dir(shell::root());
    let status = shell.status().map_err(|error| shell::not_started(&shell, &error))?;
    match status.code() {
        Some(0) => Ok(()),
        // `fracas check` ends with 1 when it found collisions, which is what a demonstration is for.
        Some(1) if is_check(&command) => Ok(()),
        _ => Err(format!("The README's first command failed (`{command}`: {status}).")),
    }
}

/// The first command of the first `sh` block that begins with `cargo run`, on one line.
fn first_command(readme: &str) -> Option<String> {
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else { continue };
        let block: Vec<&str> =
            lines.by_ref().take_while(|line| !line.trim_start().starts_with("```")).collect();
        if language.trim() == "sh" && block.first().is_some_and(|first| first.starts_with("cargo run")) {
            return Some(joined(&block));
        }
    }
    None
}

/// The first line of a block together with the lines it is continued on by a backslash.
fn joined(block: &[&str]) -> String {
    let mut command = String::new();
    for line in block {
        match line.trim_end().strip_suffix('\\') {
            Some(begun) => command.push_str(begun),
            None => {
                command.push_str(line);
                break;
            }
        }
    }
    command
}

fn is_check(command: &str) -> bool {
    command.split_whitespace().skip_while(|&word| word != "--").nth(1) == Some("check")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_block_that_runs_the_program() {
        let readme = "# Fracas\n```text\ncargo run no\n```\n```sh\ngit clone\ncargo run no\n```\n\
                      ```sh\ncargo run --release -- check \\\n  --demo\ncargo xtask test\n```\n```sh\ncargo run no\n```\n";
        assert_eq!(first_command(readme).as_deref(), Some("cargo run --release -- check   --demo"));
    }

    #[test]
    fn a_readme_without_such_a_block_has_no_first_command() {
        for readme in ["", "cargo run --release", "```sh\n", "```sh\n```\n", "```rust\ncargo run\n```\n"] {
            assert_eq!(first_command(readme), None, "{readme:?}");
        }
    }

    #[test]
    fn only_check_may_end_with_one() {
        assert!(is_check("cargo run --release --locked -- check a.obj"));
        assert!(!is_check("cargo run --release -- run check"));
        assert!(!is_check("cargo run check"));
    }
}
