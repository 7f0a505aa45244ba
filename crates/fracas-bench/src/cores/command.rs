//! The command `fracas check`, from file to answer, as users have it.
//!
//! It is the program built beside the benchmark, with an allocator of its own. The clock runs from its start to its end; its peak of memory
//! is read in a run of its own, since looking at it takes time. Where there is no program beside the benchmark, a child of the benchmark
//! does the same work with the system's allocator, which takes a little longer, and the report says so.

use super::child;
use super::kilobytes;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The program, or what stands in for it.
pub(super) enum Check {
    Program(PathBuf),
    Child,
}

impl Check {
    /// The program beside the benchmark, if it was built.
    pub(super) fn find() -> Self {
        let name = format!("fracas{}", std::env::consts::EXE_SUFFIX);
        let beside = std::env::current_exe().map(|own| own.with_file_name(name));
        beside.ok().filter(|program| program.is_file()).map_or(Self::Child, Self::Program)
    }

    /// Checks a file: milliseconds in all and of the stages, pairs, bytes at most. None if it failed.
    pub(super) fn run(&self, file: &Path, threads: usize, answer: &Path) -> Option<Value> {
        match self {
            Self::Program(program) => run(program, file, threads, answer).ok().flatten(),
            Self::Child => child::ask(&["check", &file.display().to_string(), &threads.to_string()]),
        }
    }
}

fn run(program: &Path, file: &Path, threads: usize, answer: &Path) -> io::Result<Option<Value>> {
    let begin = Instant::now();
    let status = start(program, file, threads, answer)?.wait()?;
    let total = begin.elapsed().as_secs_f64() * 1e3;
    // 0: no pairs, 1: pairs.
    if !matches!(status.code(), Some(0 | 1)) {
        return Ok(None);
    }
    let said: Value = serde_json::from_reader(io::BufReader::new(File::open(answer)?))?;
    let peak = peak(start(program, file, threads, answer)?)?;
    let of = |name: &str| said["ms"][name].clone();
    Ok(Some(json!({
        "total": total, "load": of("load"), "build": of("build"), "find": of("find"),
        "pairs": said["count"], "peak": peak,
    })))
}

fn start(program: &Path, file: &Path, threads: usize, answer: &Path) -> io::Result<Child> {
    Command::new(program)
        .arg("check")
        .arg(file)
        .args(["--json", "--engine", "soup", "--threads", &threads.to_string()])
        .stdout(File::create(answer)?)
        .stderr(Stdio::null())
        .spawn()
}

/// Waits for a process; the most bytes it was seen to have.
fn peak(mut process: Child) -> io::Result<Option<u64>> {
    let status = PathBuf::from(format!("/proc/{}/status", process.id()));
    let mut peak = None;
    while process.try_wait()?.is_none() {
        let now = fs::read_to_string(&status).ok().and_then(|status| kilobytes(&status, "VmHWM:"));
        peak = peak.max(now.map(|kb| kb * 1024));
        thread::sleep(Duration::from_millis(1));
    }
    Ok(peak)
}
