//! Starting programs from the root of the repository and saying in a sentence what failed.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// The root of the repository: the folder above this crate's.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").to_path_buf()
}

/// A `cargo` command in the root of the repository.
///
/// It is looked up on the path, not taken from the variable `CARGO`, because only rustup's front end
/// understands `+nightly`.
pub fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command to its end, with its output on ours.
///
/// `complaint` is the sentence to fail with, without its full stop; what happened is added to it.
pub fn run(command: &mut Command, complaint: &str) -> Result<(), String> {
    announce(command);
    match command.status() {
        Ok(status) => judge(command, status, complaint),
        Err(error) => Err(not_started(command, &error)),
    }
}

/// Prints the command that is about to be run.
pub fn announce(command: &Command) {
    println!("$ {}", written(command));
}

/// The sentence for a command that ended badly.
pub fn judge(command: &Command, status: ExitStatus, complaint: &str) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("{complaint} (`{}`: {status}).", written(command))) }
}

/// Runs a command quietly and gives back what it wrote on standard output.
pub fn output_of(command: &mut Command, complaint: &str) -> Result<String, String> {
    match command.stderr(Stdio::inherit()).output() {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(output) => Err(format!("{complaint} (`{}`: {}).", written(command), output.status)),
        Err(error) => Err(not_started(command, &error)),
    }
}

/// Whether a command can be started and succeeds; its output is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The sentence for a program that is not there or may not be started.
pub fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("`{}` cannot be started: {error}.", command.get_program().to_string_lossy())
}

fn written(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("Cargo.toml").is_file() && root().join("crates/fracas").is_dir());
    }

    #[test]
    fn a_failure_names_the_command_and_what_it_meant() {
        let error = run(cargo(["no-such-chore"]).stderr(Stdio::null()), "The chore failed").unwrap_err();
        assert!(error.starts_with("The chore failed (`cargo no-such-chore`: "), "{error}");
        let error = run(&mut Command::new("no-such-program"), "It failed").unwrap_err();
        assert!(error.starts_with("`no-such-program` cannot be started: "), "{error}");
        assert!(!succeeds(&mut Command::new("no-such-program")));
    }

    #[test]
    fn output_comes_back() {
        let version = output_of(&mut cargo(["--version"]), "There is no cargo").unwrap();
        assert!(version.starts_with("cargo "), "{version}");
        let error = output_of(&mut Command::new("false"), "It failed").unwrap_err();
        assert!(error.starts_with("It failed (`false`: "), "{error}");
    }
}
