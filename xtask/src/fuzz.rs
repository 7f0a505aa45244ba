//! `cargo xtask fuzz`: throws broken input at the readers and the predicates, for a given time each.
//!
//! Targets lie in `fuzz/fuzz_targets`, one file each, and are listed in `fuzz/Cargo.toml`. A target begins with the
//! files in `fuzz/seeds/TARGET`, if that folder is there, and with what earlier runs on this machine found
//! interesting (`fuzz/corpus/TARGET`, not kept in the repository). An input that crashes a target is written to
//! `fuzz/artifacts/TARGET`; it belongs into a test once it is understood.
//!
//! Two things are needed that a stable toolchain lacks: `cargo-fuzz`, which is built below `target/tools`, and a
//! nightly compiler, which `rustup` is asked for.

use crate::shell;
use std::collections::{BTreeSet, VecDeque};
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Mutex;

const CARGO_FUZZ_VERSION: &str = "0.13.2";

/// Where tools are installed, below the root of the repository.
const TOOLS: &str = "target/tools";

/// An input that takes longer than this is reported as a hang.
const SECONDS_PER_INPUT: u32 = 10;

/// How much of the log of a failed target is shown.
const LINES_SHOWN: usize = 40;

/// The address space of a target in KiB. A reader that believes a file's claim of a billion vertices and
/// reserves memory for them is stopped here, even if it never touches that memory.
const ADDRESS_SPACE_KIB: u32 = 4 << 20;

/// Our crates forbid `unsafe`, so the address sanitizer has nothing of ours to find, and it makes an input cost
/// about five times as much. Panics, overflows (their checks are on), hangs and greed for memory are found without.
const SANITIZER: [&str; 2] = ["--sanitizer", "none"];

/// Runs the named targets, or all if none is named, as many at a time as there are cores.
pub fn run(seconds: u32, named: &[String]) -> Result<(), String> {
    let all = targets()?;
    if let Some(unknown) = named.iter().find(|name| !all.contains(name)) {
        return Err(format!("There is no fuzz target `{unknown}`; there are {}.", all.join(", ")));
    }
    let chosen = if named.is_empty() { all } else { named.to_vec() };
    install_tools()?;
    build()?;

    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{} targets, {seconds} s each, {} at a time", chosen.len(), cores.min(chosen.len()));
    let waiting = Mutex::new(VecDeque::from(chosen));
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(target) = next(&waiting, &failed) {
                    if let Err(sentence) = run_target(&target, seconds) {
                        failed.lock().expect("no thread panics").get_or_insert(sentence);
                    }
                }
            });
        }
    });
    failed.into_inner().expect("no thread panics").map_or(Ok(()), Err)
}

/// The next target to run: none once one has failed.
fn next(waiting: &Mutex<VecDeque<String>>, failed: &Mutex<Option<String>>) -> Option<String> {
    if failed.lock().expect("no thread panics").is_some() {
        return None;
    }
    waiting.lock().expect("no thread panics").pop_front()
}

/// The names listed in `fuzz/Cargo.toml`, which must be the files in `fuzz/fuzz_targets`.
fn targets() -> Result<Vec<String>, String> {
    let folder = shell::root().join("fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml"))
        .map_err(|error| format!("fuzz/Cargo.toml cannot be read: {error}."))?;
    let listed = binaries(&manifest);
    let files = std::fs::read_dir(folder.join("fuzz_targets"))
        .map_err(|error| format!("fuzz/fuzz_targets cannot be read: {error}."))?;
    let present: BTreeSet<String> = files
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".rs")?.to_string()))
        .collect();
    agree(&listed, &present)?;
    Ok(listed)
}

fn agree(listed: &[String], present: &BTreeSet<String>) -> Result<(), String> {
    if let Some(name) = listed.iter().find(|name| !present.contains(*name)) {
        return Err(format!("fuzz/Cargo.toml lists `{name}`, but there is no fuzz/fuzz_targets/{name}.rs."));
    }
    match present.iter().find(|name| !listed.contains(name)) {
        Some(name) => Err(format!("fuzz/fuzz_targets/{name}.rs is not listed in fuzz/Cargo.toml.")),
        None => Ok(()),
    }
}

/// The names of the `[[bin]]` tables of a manifest.
fn binaries(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut in_binary = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            in_binary = line == "[[bin]]";
        } else if let Some((key, value)) = line.split_once('=')
            && in_binary
            && key.trim() == "name"
        {
            names.push(value.trim().trim_matches('"').to_string());
        }
    }
    names
}

/// Sees to it that a nightly compiler and the right `cargo-fuzz` are there.
fn install_tools() -> Result<(), String> {
    if !shell::succeeds(&mut shell::cargo(["+nightly", "--version"])) {
        let mut rustup = Command::new("rustup");
        rustup.args(["toolchain", "install", "nightly", "--profile", "minimal"]);
        // What rustup has to say is on the screen; what to do about it is the same whatever it was.
        shell::run(&mut rustup, "").map_err(|_| {
            "Fuzzing needs a nightly compiler and none could be installed: get rustup from https://rustup.rs \
             and run `rustup toolchain install nightly`."
        })?;
    }
    let version = with_tools(&mut shell::cargo(["fuzz", "--version"])).output().map(|output| output.stdout);
    if version.is_ok_and(|text| text.trim_ascii() == format!("cargo-fuzz {CARGO_FUZZ_VERSION}").as_bytes()) {
        return Ok(());
    }
    // It only starts other programs, so building it without optimisation saves half a minute and costs nothing.
    let mut install = shell::cargo(["install", "cargo-fuzz", "--version", CARGO_FUZZ_VERSION, "--locked"]);
    shell::run(install.args(["--debug", "--root", TOOLS]), "cargo-fuzz could not be installed")
}

/// Puts our own tools before all others on the path of a command.
fn with_tools(command: &mut Command) -> &mut Command {
    let others = std::env::var_os("PATH").unwrap_or_default();
    let ours = shell::root().join(TOOLS).join("bin");
    let path = std::env::join_paths(std::iter::once(ours).chain(std::env::split_paths(&others)));
    command.env("PATH", path.expect("the path of the repository can be part of PATH"))
}

/// Builds all targets at once: they share all code but their own few lines.
fn build() -> Result<(), String> {
    let mut fetch = shell::cargo(["fetch", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    shell::run(
        &mut fetch,
        "The dependencies of the fuzz targets cannot be had; \
         if fuzz/Cargo.lock is out of date, run `cargo update --workspace` in fuzz/",
    )?;
    let mut build = shell::cargo(["+nightly", "fuzz", "build"]);
    shell::run(
        with_tools(build.args(SANITIZER)),
        "The fuzz targets do not build (libFuzzer needs a C++ compiler)",
    )
}

/// Runs one target; its output goes to a log, of which a failure shows the end.
fn run_target(target: &str, seconds: u32) -> Result<(), String> {
    let log_name = format!("target/fuzz/{target}.log");
    let status = start(target, seconds, &shell::root().join(&log_name))
        .and_then(|mut child| child.wait())
        .map_err(|error| format!("The fuzz target {target} cannot be run: {error}."))?;
    let log = std::fs::read(shell::root().join(&log_name)).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<&str> = log.lines().collect();
    if status.success() {
        let done = lines.iter().rev().find(|line| line.starts_with("Done "));
        println!("{target:<12} {}", done.unwrap_or(&"done"));
        return Ok(());
    }
    let end = &lines[lines.len().saturating_sub(LINES_SHOWN)..];
    println!("{target:<12} failed; the end of {log_name}:\n  | {}", end.join("\n  | "));
    Err(format!(
        "The fuzz target {target} failed ({status}); {log_name} shows how to run the input that did it again."
    ))
}

/// Starts one target with its seeds and what earlier runs found.
fn start(target: &str, seconds: u32, log: &Path) -> std::io::Result<Child> {
    let folder = shell::root().join("fuzz");
    let (found, seeds) = (folder.join("corpus").join(target), folder.join("seeds").join(target));
    std::fs::create_dir_all(&found)?;
    std::fs::create_dir_all(log.parent().expect("a log lies in a folder"))?;
    let log = File::create(log)?;

    // The limit is set by the shell, since the standard library cannot. Where a shell does not know this
    // limit, the targets run without.
    let limited = format!("ulimit -v {ADDRESS_SPACE_KIB} 2>/dev/null; exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limited, "sh", "cargo", "+nightly", "fuzz", "run"]).args(SANITIZER);
    // libFuzzer writes what it finds into the first folder and only reads the others.
    command.arg(target).arg(found);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    command.args(["--", &format!("-max_total_time={seconds}"), &format!("-timeout={SECONDS_PER_INPUT}")]);
    // A panic's backtrace is welcome in the log; that of cargo-fuzz's own farewell is not.
    command.env("RUST_LIB_BACKTRACE", "0").current_dir(shell::root());
    with_tools(&mut command).stdout(log.try_clone()?).stderr(log).spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_binaries_are_targets() {
        let manifest = "[package]\nname = \"fuzz\"\n\n[[bin]]\nname = \"read_obj\"\npath = \"a.rs\"\n\
                        [dependencies]\nname = \"1\"\n[[bin]]\n  name=\"tri_tri\"\n";
        assert_eq!(binaries(manifest), ["read_obj", "tri_tri"]);
        assert!(binaries("[package]\nname = \"fuzz\"\n").is_empty());
    }

    #[test]
    fn files_and_list_must_agree() {
        let listed = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let present = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        assert_eq!(agree(&listed(&["b", "a"]), &present(&["a", "b"])), Ok(()));
        let missing = agree(&listed(&["a", "b"]), &present(&["a"])).unwrap_err();
        assert!(missing.contains("no fuzz/fuzz_targets/b.rs"), "{missing}");
        let unlisted = agree(&listed(&["a"]), &present(&["a", "b"])).unwrap_err();
        assert!(unlisted.contains("fuzz/fuzz_targets/b.rs is not listed"), "{unlisted}");
    }

    #[test]
    fn nothing_starts_after_a_failure() {
        let waiting = Mutex::new(VecDeque::from(["a".to_string(), "b".to_string()]));
        let failed = Mutex::new(None);
        assert_eq!(next(&waiting, &failed).as_deref(), Some("a"));
        *failed.lock().unwrap() = Some("a failed".to_string());
        assert_eq!(next(&waiting, &failed), None);
    }
}
