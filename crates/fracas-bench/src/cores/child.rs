//! What needs a process of its own: the command `fracas check` from file to answer ([`Check`]), and the memory of each structure.
//!
//! The benchmark starts itself with the word `--child`. A fresh process has no memory of earlier stages, so the system's own
//! count (`VmHWM` of `/proc/self/status`) is that of the work alone.

use super::command::Check;
use super::files::{Scratch, write_known};
use super::{Setting, kilobytes, short};
use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::crowd::KFree;
use fracas::mesh::{Mesh, shapes};
use fracas::{BuildOptions, Finder, MeshTree, TearingBody};
use fracas_plot::{Align, Table};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The word that makes the program a child.
pub const WORD: &str = "--child";

const MESHLIB: &str = include_str!("../python/check.py");

/// Structures whose memory is measured, and what they are.
const STRUCTURES: [(&str, &str); 6] = [
    ("tree", "tree"),
    ("tree_self", "tree for self-queries"),
    ("self_query", "tree and finder, after a self-query"),
    ("soup", "finder, after a self-query of a soup"),
    ("tearing", "tearing body"),
    ("k_free", "k-freeness"),
];

/// Does what the words after `--child` say and prints one JSON object.
pub fn work(words: &[String]) -> io::Result<()> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let answer = match words[..] {
        ["check", file, threads] => check(file, threads),
        ["memory", "read", file] => memory(|| (), |()| fracas_io::read(file).expect("a file that we wrote")),
        ["memory", structure, size] => structure_memory(structure, size.parse().map_err(io::Error::other)?),
        _ => return Err(io::Error::other(format!("{WORD} is for the benchmark itself"))),
    };
    println!("{answer}");
    Ok(())
}

/// The first and the last bytes of an output; what is between is forgotten.
#[derive(Default)]
struct Ends {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Write for Ends {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const KEPT: usize = 4096;
        let more = bytes.len().min(KEPT - self.head.len().min(KEPT));
        self.head.extend_from_slice(&bytes[..more]);
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(KEPT)..]);
        self.tail.drain(..self.tail.len().saturating_sub(KEPT));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What the command does, on the processor alone.
fn check(file: &str, threads: &str) -> Value {
    let mut out = Ends::default();
    let begin = Instant::now();
    let words = ["fracas", "check", file, "--json", "--engine", "soup", "--threads", threads];
    let status = fracas_cli::run(words, &mut out, &mut io::stderr());
    let total = begin.elapsed().as_secs_f64() * 1e3;
    let (head, tail) = (String::from_utf8_lossy(&out.head), String::from_utf8_lossy(&out.tail));
    let after = |text: &str, name: &str| -> Option<f64> {
        let rest = &text[text.rfind(name)? + name.len()..];
        rest[..rest.find([',', '}'])?].parse().ok()
    };
    let of = |name: &str| after(&tail, &format!("\"{name}\":")).unwrap_or(f64::NAN);
    json!({
        "ok": status != fracas_cli::Status::Bad,
        "total": total, "load": of("load"), "build": of("build"), "find": of("find"),
        "pairs": after(&head, "\"count\":"),
        "peak": of_process("VmHWM:"),
    })
}

/// Bytes of this process, by the name of the system's line.
fn of_process(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kilobytes(&status, name).map(|kb| kb * 1024)
}

/// What a structure takes beyond its input, at most and in the end.
fn memory<A, B>(prepare: impl FnOnce() -> A, make: impl FnOnce(A) -> B) -> Value {
    let input = prepare();
    // The peak begins again where the process stands now.
    if std::fs::write("/proc/self/clear_refs", "5").is_err() {
        return json!({ "ok": false });
    }
    let before = of_process("VmRSS:");
    let made = make(input);
    let [peak, after] = ["VmHWM:", "VmRSS:"].map(of_process);
    drop(made);
    let beyond = |bytes: Option<u64>| bytes.zip(before).map(|(now, before)| now.saturating_sub(before));
    json!({ "ok": true, "peak": beyond(peak), "lasting": beyond(after) })
}

fn structure_memory(structure: &str, size: usize) -> Value {
    let cloth = || shapes::folded_cloth(size);
    let plain = BuildOptions { self_queries: false, ..BuildOptions::default() };
    match structure {
        "tree" => memory(cloth, |mesh| MeshTree::build_with(mesh, &plain)),
        "tree_self" => memory(cloth, MeshTree::build),
        "self_query" => memory(cloth, |mesh| {
            let tree = MeshTree::build(mesh);
            let mut finder = Finder::default();
            finder.find_self_pairs(&tree);
            (tree, finder)
        }),
        "soup" => memory(cloth, |mesh| {
            let mut finder = Finder::default();
            finder.find_self_pairs(&mesh);
            (mesh, finder)
        }),
        "tearing" => memory(cloth, TearingBody::build),
        "k_free" => memory(cloth, |mesh: Mesh| (KFree::of_mesh(&mesh), mesh)),
        _ => json!({ "ok": false }),
    }
}

/// Runs a child and reads its answer.
pub(super) fn ask(words: &[&str]) -> Option<Value> {
    let output = Command::new(std::env::current_exe().ok()?)
        .arg(WORD)
        .args(words)
        .stderr(Stdio::inherit())
        .output()
        .ok()?;
    let answer: Value = serde_json::from_slice(&output.stdout).ok()?;
    (answer["ok"] == json!(true)).then_some(answer)
}

/// All that needs processes of its own.
pub(super) fn run_all(
    report: &mut Report,
    folder: &mut Folder,
    setting: &Setting,
    sizes: &[usize],
    quick: bool,
) -> io::Result<()> {
    let scratch = Scratch::new("child")?;
    let counts = setting.pools.counts();
    let most = *counts.last().expect("a number of threads");
    let mut checks = Checks { check: Check::find(), rows: vec![] };
    if matches!(checks.check, Check::Child) {
        report.say("  fracas is not built beside the benchmark: its work is done in a child, with the system's allocator");
    }
    for &size in sizes.iter().filter(|&&size| size >= 1_000_000 || Some(&size) == sizes.last()) {
        let file = scratch.path("check.obj");
        write_known(&file, &shapes::folded_cloth(size))?;
        let (answer, rounds) = (scratch.path("answer.json"), if quick || size > 5_000_000 { 1 } else { 3 });
        checks.run(report, [&file, &answer], size, &counts, rounds);
        std::fs::remove_file(&file)?;
    }
    if !checks.rows.is_empty() {
        folder.section(
            "fracas check, from file to answer",
            "The command on an OBJ file, in a process of its own: reading, finding, printing. MeshLib loads the same file and finds \
             its self-collisions on all threads of the machine.",
        );
        folder.table(report, "check", &checks.table())?;
    }
    footprints(report, folder, &scratch, sizes, most)
}

/// One run of the command, or of a peer.
struct CheckRow {
    size: usize,
    name: String,
    total: f64,
    load: f64,
    find: f64,
    pairs: f64,
    peak: Option<f64>,
}

struct Checks {
    check: Check,
    rows: Vec<CheckRow>,
}

impl Checks {
    /// Checks a file at all numbers of threads, then with MeshLib, in turns; keeps the best of each.
    fn run(
        &mut self,
        report: &mut Report,
        [file, answer]: [&Path; 2],
        size: usize,
        counts: &[usize],
        rounds: usize,
    ) {
        let (mut best, mut peer): (Vec<Option<CheckRow>>, Option<CheckRow>) =
            (counts.iter().map(|_| None).collect(), None);
        let keep = |known: &mut Option<CheckRow>, now: Option<CheckRow>| {
            let better = |now: &CheckRow| known.as_ref().is_none_or(|known| now.total < known.total);
            if now.as_ref().is_some_and(better) {
                *known = now;
            }
        };
        let mut missing = None;
        for _ in 0..rounds {
            for (known, &threads) in best.iter_mut().zip(counts) {
                let answer = self.check.run(file, threads, answer);
                let words = if threads == 1 { "thread" } else { "threads" };
                keep(
                    known,
                    answer.map(|value| row(size, format!("fracas check, {threads} {words}"), &value)),
                );
            }
            if missing.is_none() {
                match meshlib(file) {
                    Ok(value) => keep(&mut peer, Some(row(size, "MeshLib, all threads".to_owned(), &value))),
                    Err(reason) => missing = Some(reason),
                }
            }
        }
        if let Some(reason) = missing {
            report.say(&format!("  MeshLib is left out: {reason}"));
        }
        let most = best.pop().flatten();
        self.rows.extend(best.into_iter().flatten());
        let Some(ours) = most else { return };
        report.say(&format!(
            "  {:<6} {}: {:.0} ms, of which {:.0} % reading, {:.0} % finding, {:.0} % the rest; {:.0} pairs",
            short(size),
            ours.name,
            ours.total,
            100.0 * ours.load / ours.total,
            100.0 * ours.find / ours.total,
            100.0 * (1.0 - (ours.load + ours.find) / ours.total),
            ours.pairs
        ));
        let threads = counts[counts.len() - 1];
        if let Some(peer) = &peer {
            let note = format!(
                "OBJ of {} triangles, {threads} threads: MeshLib {:.0} + {:.0} ms, ours {:.0} + {:.0} ms",
                short(size),
                peer.load,
                peer.find,
                ours.load,
                ours.find
            );
            report.metric("cores.check.vs_meshlib", peer.total / ours.total, "x", Better::Higher, &note);
        }
        if let Some(peak) = ours.peak {
            let note = format!("peak of the process, OBJ of {} triangles, {threads} threads", short(size));
            report.metric("cores.check.peak", peak / 1e6, "MB", Better::Lower, &note);
        }
        self.rows.push(ours);
        self.rows.extend(peer);
    }

    fn table(&self) -> Table {
        let head = [
            ("triangles", Align::Right),
            ("", Align::Left),
            ("total (ms)", Align::Right),
            ("reading", Align::Right),
            ("finding", Align::Right),
            ("the rest", Align::Right),
            ("pairs", Align::Right),
            ("peak (MB)", Align::Right),
        ];
        let mut table = Table::new("Milliseconds from file to answer, best of several.", head);
        for row in &self.rows {
            table.row([
                short(row.size),
                row.name.clone(),
                format!("{:.0}", row.total),
                format!("{:.0}", row.load),
                format!("{:.0}", row.find),
                format!("{:.0}", row.total - row.load - row.find),
                format!("{:.0}", row.pairs),
                row.peak.map_or("–".to_owned(), |peak| format!("{:.0}", peak / 1e6)),
            ]);
        }
        table
    }
}

fn row(size: usize, name: String, value: &Value) -> CheckRow {
    let number = |name: &str| value[name].as_f64();
    let of = |name: &str| number(name).unwrap_or(f64::NAN);
    let find = of("find") + number("build").unwrap_or(0.0);
    CheckRow {
        size,
        name,
        total: of("total"),
        load: of("load"),
        find,
        pairs: of("pairs"),
        peak: number("peak"),
    }
}

/// MeshLib through its Python package: loads the file and finds its self-collisions.
fn meshlib(file: &Path) -> Result<Value, String> {
    let python = std::env::var_os("FRACAS_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let output = Command::new(python).args(["-c", MESHLIB]).arg(file).output();
    let output = output.map_err(|error| format!("there is no Python ({error})"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().next_back().unwrap_or_default())
        .map_err(|_| "pip install meshlib, and set FRACAS_PYTHON".to_owned())
}

/// Peak and lasting bytes per triangle of all structures and readers.
fn footprints(
    report: &mut Report,
    folder: &mut Folder,
    scratch: &Scratch,
    sizes: &[usize],
    threads: usize,
) -> io::Result<()> {
    let Some(&size) = sizes.iter().filter(|&&size| size <= 4_000_000).max() else { return Ok(()) };
    let head = [("", Align::Left), ("peak", Align::Right), ("lasting", Align::Right)];
    let caption = format!(
        "Bytes per triangle, {} triangles, {threads} threads; the mesh that a structure is built of takes 24 and is not counted. \
         Readers: the mesh included.",
        short(size)
    );
    let mut table = Table::new(caption, head);
    let mut add = |report: &mut Report, name: &str, about: &str, answer: Option<Value>| {
        let Some(answer) = answer else {
            report.say(&format!("  the memory of {about} cannot be measured on this system"));
            return;
        };
        let of = |name: &str| answer[name].as_f64().unwrap_or(f64::NAN) / size as f64;
        let (peak, lasting) = (of("peak"), of("lasting"));
        table.row([about.to_owned(), format!("{peak:.1}"), format!("{lasting:.1}")]);
        let note = format!("peak; lasting {lasting:.1}; {} triangles", short(size));
        report.metric(&format!("cores.memory.{name}"), peak, "B/triangle", Better::Lower, &note);
    };
    for (name, about) in STRUCTURES {
        add(report, name, about, ask(&["memory", name, &size.to_string()]));
    }
    let cloth = shapes::folded_cloth(size);
    for format in ["obj", "ply", "stl"] {
        let file = scratch.path(&format!("memory.{format}"));
        write_known(&file, &cloth)?;
        let about = format!("reading {}", format.to_uppercase());
        add(report, &format!("read_{format}"), &about, ask(&["memory", "read", &file.display().to_string()]));
        std::fs::remove_file(&file)?;
    }
    folder.section("Memory", "What each structure takes, by the system's count in a process of its own.");
    folder.table(report, "memory", &table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_keeps_its_ends() {
        let mut ends = Ends::default();
        for k in 0..3000 {
            write!(ends, "{k},").unwrap();
        }
        assert!(ends.head.starts_with(b"0,1,2,") && ends.head.len() == 4096);
        assert!(ends.tail.ends_with(b"2998,2999,") && ends.tail.len() == 4096);
    }
}
