//! `cargo xtask bench-compare OLD NEW NAME ...`: is one build of `fracas-bench` slower than another?
//!
//! # Idea
//!
//! ```text
//!   run 1: old new    run 2: new old    run 3: old new   …    medians ──▶ table, with what is worse marked
//! ```
//!
//! The two programs take turns, and change who goes first, so that a machine that grows slower hurts both. Metrics come from the
//! JSON on standard output. Times that a benchmark prints for people, on standard error, make a second table: rows of peers in it
//! show how much the machine alone changes.
//!
//! A build that is older than the names of today is asked by the former name, and its metrics get the prefix of today.

use crate::shell;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Benchmarks that had another name once, which was also the prefix of their metrics.
const FORMER_NAMES: [(&str, &str); 3] = [("p1", "tearing"), ("p4", "brittle"), ("p5", "soup")];
/// By how much a metric may be worse.
const LIMIT: f64 = 0.03;
/// By how much metrics of single steps and of piles may be worse: they vary more.
const WIDE_LIMIT: f64 = 0.10;
/// Parts of the names of such metrics.
const WIDE: [&str; 4] = ["worst", "step", "overlap", "realtime"];

/// What to compare.
#[derive(Debug, PartialEq)]
pub struct Arguments {
    pub programs: [PathBuf; 2],
    pub names: Vec<String>,
    pub runs: usize,
    pub quick: bool,
}

/// One number of one run.
#[derive(Clone, Debug, PartialEq)]
struct Value {
    name: String,
    unit: String,
    higher_is_better: bool,
    value: f64,
}

/// All values of one name: those of the old program and those of the new one.
#[derive(Debug, PartialEq)]
pub struct Row {
    name: String,
    unit: String,
    higher_is_better: bool,
    values: [Vec<f64>; 2],
}

/// Runs both programs in turn and prints the tables. Fails if a metric is worse than allowed.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let arguments = parse(arguments)?;
    let sides = ["old", "new"];
    let [metrics, times] = take_turns(&arguments, sides)?;
    print!("{}", table(&metrics, sides, true));
    if !times.is_empty() {
        print!("\n{}", table(&times, sides, false));
    }
    let worse: Vec<&str> = metrics.iter().filter(|row| row.is_worse()).map(|row| row.name.as_str()).collect();
    if worse.is_empty() { Ok(()) } else { Err(format!("Worse than allowed: {}.", worse.join(", "))) }
}

/// Runs both programs in turn; gives back metrics, and times that every run has.
pub fn take_turns(arguments: &Arguments, sides: [&str; 2]) -> Result<[Vec<Row>; 2], String> {
    let Arguments { programs, names, runs, quick } = arguments;
    let (mut metrics, mut times) = (Vec::new(), Vec::new());
    for run in 0..*runs {
        for name in names {
            for side in if run % 2 == 0 { [0, 1] } else { [1, 0] } {
                let begin = Instant::now();
                let [out, err] = measure(&programs[side], name, *quick)?;
                let seconds = begin.elapsed().as_secs_f64();
                eprintln!("run {} of {runs}: {} {name}, {seconds:.0} s", run + 1, sides[side]);
                out.lines().filter_map(read_metric).for_each(|value| add(&mut metrics, side, value));
                read_times(&err).into_iter().for_each(|value| add(&mut times, side, value));
            }
        }
    }
    times.retain(|row| row.values.iter().all(|values| values.len() == *runs));
    Ok([metrics, times])
}

fn parse(arguments: &[String]) -> Result<Arguments, String> {
    let Options { plain, runs, quick } = options(arguments, 7)?;
    match plain.as_slice() {
        [old, new, names @ ..] if !names.is_empty() => {
            let names = names.iter().map(|name| today(name).to_owned()).collect();
            Ok(Arguments { programs: [old.into(), new.into()], names, runs, quick })
        }
        _ => Err("`cargo xtask bench-compare` needs the paths of two programs and the name of a benchmark."
            .to_owned()),
    }
}

/// What a comparison may be told, and all other words.
#[derive(Debug, PartialEq)]
pub struct Options {
    pub plain: Vec<String>,
    pub runs: usize,
    pub quick: bool,
}

/// Reads `--quick` and `--runs N`; `runs` is what N is unless given.
pub fn options(arguments: &[String], runs: usize) -> Result<Options, String> {
    let mut options = Options { plain: Vec::new(), runs, quick: false };
    let mut remaining = arguments.iter();
    while let Some(argument) = remaining.next() {
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--runs" => {
                let value = remaining.next().map_or("", String::as_str);
                let count = value.parse().ok().filter(|&n| n > 0);
                options.runs =
                    count.ok_or_else(|| format!("`--runs` needs a number from 1 upward, not `{value}`."))?;
            }
            unknown if unknown.starts_with('-') => {
                return Err(format!("There is no option `{unknown}`; `cargo xtask` lists them."));
            }
            _ => options.plain.push(argument.clone()),
        }
    }
    Ok(options)
}

/// The name that a benchmark has now.
fn today(name: &str) -> &str {
    FORMER_NAMES.iter().find(|(former, _)| *former == name).map_or(name, |(_, now)| now)
}

/// Runs a benchmark of a program by the name of today or, if that is refused, by its former name; gives back what it wrote on
/// standard output and standard error.
fn measure(program: &Path, name: &str, quick: bool) -> Result<[String; 2], String> {
    let former = FORMER_NAMES.iter().find(|(_, now)| *now == name).map(|(former, _)| *former);
    let mut failures = Vec::new();
    for name in std::iter::once(name).chain(former) {
        let mut command = Command::new(program);
        command.args([name, "--json", "--out"]).arg(shell::root().join("target/bench-compare"));
        command.args(quick.then_some("--quick"));
        let output = command.output().map_err(|error| shell::not_started(&command, &error))?;
        let [out, err] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        if output.status.success() {
            return Ok([out, err]);
        }
        let reason = err.lines().next().unwrap_or_default();
        failures.push(format!("`{} {name}` failed ({}): {reason}", program.display(), output.status));
    }
    Err(failures.join("; "))
}

/// Reads a line such as `{"better":"higher","metric":"p1.growth","note":"…","unit":"x","value":1.2}`.
fn read_metric(line: &str) -> Option<Value> {
    let fields = read_object(line)?;
    let field = |key: &str| Some(fields.iter().find(|(name, _)| name == key)?.1.as_str());
    let name = field("metric")?;
    let name = match name.split_once('.') {
        Some((prefix, rest)) => format!("{}.{rest}", today(prefix)),
        None => name.to_owned(),
    };
    Some(Value {
        name,
        unit: field("unit")?.to_owned(),
        higher_is_better: field("better")? == "higher",
        value: field("value")?.parse().ok()?,
    })
}

/// The fields of a JSON object of strings and numbers, as text.
fn read_object(line: &str) -> Option<Vec<(String, String)>> {
    let mut rest = line.trim().strip_prefix('{')?.strip_suffix('}')?;
    let mut fields = Vec::new();
    while !rest.trim().is_empty() {
        let (key, after) = read_string(rest.trim_start())?;
        rest = after.trim_start().strip_prefix(':')?.trim_start();
        let value;
        (value, rest) = match read_string(rest) {
            Some(read) => read,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].trim().to_owned(), &rest[end..])
            }
        };
        fields.push((key, value));
        rest = rest.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    Some(fields)
}

/// A JSON string and what follows it. An escaped character is taken as it is; no name that is compared has one.
fn read_string(text: &str) -> Option<(String, &str)> {
    let body = text.strip_prefix('"')?;
    let mut string = String::new();
    let mut characters = body.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((string, &body[at + 1..])),
            '\\' => string.push(characters.next()?.1),
            _ => string.push(character),
        }
    }
    None
}

/// The times in text for people: lines that are indented and have a name before the first number of milliseconds, under
/// the last line that is not indented.
fn read_times(text: &str) -> Vec<Value> {
    let mut section = "";
    let mut times = Vec::new();
    for line in text.lines() {
        if !line.starts_with(' ') {
            section = line.trim_end();
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(at) = words.iter().position(|word| word.trim_end_matches([',', ';']) == "ms") else {
            continue;
        };
        let Some(value) = at.checked_sub(1).and_then(|k| words[k].parse().ok()) else { continue };
        let name = format!("{section} · {}", words[..at - 1].join(" ").trim_end_matches(':'));
        times.push(Value { name, unit: "ms".to_owned(), higher_is_better: false, value });
    }
    times
}

fn add(rows: &mut Vec<Row>, side: usize, value: Value) {
    let Value { name, unit, higher_is_better, value } = value;
    let at = rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
        rows.push(Row { name, unit, higher_is_better, values: [Vec::new(), Vec::new()] });
        rows.len() - 1
    });
    rows[at].values[side].push(value);
}

impl Row {
    fn medians(&self) -> [Option<f64>; 2] {
        self.values.each_ref().map(|values| median(values))
    }

    /// How much better the new program is: above 1 it is better, below 1 worse. `None` unless both have the value.
    fn gain(&self) -> Option<f64> {
        match self.medians() {
            [Some(old), Some(new)] if old == new => Some(1.0),
            [Some(old), Some(new)] => Some(if self.higher_is_better { new / old } else { old / new }),
            _ => None,
        }
    }

    /// Whether the new program is worse than allowed, or has lost the value.
    fn is_worse(&self) -> bool {
        let limit = if WIDE.iter().any(|part| self.name.contains(part)) { WIDE_LIMIT } else { LIMIT };
        match self.medians() {
            [Some(old), Some(new)] if self.higher_is_better => new < old * (1.0 - limit),
            [Some(old), Some(new)] => new > old * (1.0 + limit),
            [old, new] => old.is_some() && new.is_none(),
        }
    }

    /// The larger of both ranges from the least to the greatest value, in parts of the median.
    fn spread(&self) -> f64 {
        let range = |values: &Vec<f64>| {
            let (least, most) =
                values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), &v| (l.min(v), m.max(v)));
            median(values).map_or(0.0, |middle| (most - least) / middle)
        };
        self.values.iter().map(range).fold(0.0, f64::max)
    }
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len() % 2 == 1 { upper } else { 0.5 * (sorted[middle - 1] + upper) })
}

/// Medians, how much better the second program is, and the spread; with marks at what is worse than allowed.
pub fn table(rows: &[Row], [first, second]: [&str; 2], marks: bool) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let mut text = format!("{:<width$}  unit {first:>11} {second:>11}    better   spread\n", "metric");
    for row in rows {
        let shown =
            |number: Option<f64>| number.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"));
        let [old, new] = row.medians().map(shown);
        let gain = row.gain().map_or_else(|| "–".to_owned(), |gain| format!("{gain:.3} ×"));
        let mark = match (marks && row.is_worse(), row.gain()) {
            (true, Some(_)) => "  worse",
            (true, None) => "  missing",
            (false, _) => "",
        };
        let Row { name, unit, .. } = row;
        let spread = 100.0 * row.spread();
        writeln!(text, "{name:<width$}  {unit:<4} {old:>11} {new:>11} {gain:>9} {spread:>6.1} %{mark}")
            .expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Arguments, String> {
        parse(&arguments.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    fn row(name: &str, higher_is_better: bool, values: [&[f64]; 2]) -> Row {
        let values = values.map(<[f64]>::to_vec);
        Row { name: name.to_owned(), unit: "x".to_owned(), higher_is_better, values }
    }

    #[test]
    fn arguments_may_stand_in_any_order_and_bad_ones_are_named() {
        let expected = Arguments {
            programs: ["a/old".into(), "b/new".into()],
            names: vec!["pairs".to_owned(), "tearing".to_owned()],
            runs: 3,
            quick: true,
        };
        assert_eq!(parsed(&["a/old", "--runs", "3", "b/new", "pairs", "--quick", "p1"]), Ok(expected));
        assert_eq!(parsed(&["old", "new", "soup"]).unwrap().runs, 7);
        assert!(parsed(&["old", "new"]).unwrap_err().contains("name of a benchmark"));
        assert!(parsed(&["old", "new", "soup", "--runs", "0"]).unwrap_err().contains("not `0`"));
        assert!(parsed(&["old", "new", "soup", "--fast"]).unwrap_err().contains("`--fast`"));
    }

    #[test]
    fn metrics_are_read_and_get_the_prefix_of_today() {
        let line = r#"{"better":"lower","metric":"p4.overlap.p95.vs_p1","note":"a \"note\", 1: {2}","unit":"x","value":1.25}"#;
        let expected = Value {
            name: "brittle.overlap.p95.vs_p1".to_owned(),
            unit: "x".to_owned(),
            higher_is_better: false,
            value: 1.25,
        };
        assert_eq!(read_metric(line), Some(expected));
        let other = r#"{"metric": "pairs.self", "value": -3e-2, "unit": "", "better": "higher", "note": ""}"#;
        let read = read_metric(other).unwrap();
        assert_eq!((read.name.as_str(), read.value, read.higher_is_better), ("pairs.self", -0.03, true));
        for broken in ["", "{}", "words", r#"{"metric":"a.b","value":"#, r#"{"metric":"a.b}"#] {
            assert_eq!(read_metric(broken), None, "{broken}");
        }
    }

    #[test]
    fn times_for_people_are_read_by_section_and_name() {
        let text = "build, 90 triangles\n  fracas, median     1.250 ms   1.00 ×\n  90 triangles: 0.5 ms, 3 out\n\
                    refit\n  fracas            0.125 ms per step\n  depth 7\n  pieces ms\n";
        let names: Vec<(String, f64)> =
            read_times(text).into_iter().map(|time| (time.name, time.value)).collect();
        let expected = [
            ("build, 90 triangles · fracas, median", 1.25),
            ("build, 90 triangles · 90 triangles", 0.5),
            ("refit · fracas", 0.125),
        ];
        assert_eq!(names, expected.map(|(name, time)| (name.to_owned(), time)));
    }

    #[test]
    fn medians_decide_within_the_limit_of_the_metric() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        // A single slow run does not count.
        assert!(!row("a.b", true, [&[2.0, 2.0, 2.0], &[2.0, 1.0, 2.0]]).is_worse());
        assert!(row("a.b", true, [&[2.0], &[1.93]]).is_worse());
        assert!(!row("a.b", true, [&[2.0], &[1.95]]).is_worse());
        assert!(row("a.b", false, [&[2.0], &[2.07]]).is_worse());
        assert!(!row("a.b", false, [&[2.0], &[1.0]]).is_worse());
        assert!(!row("a.worst_step", false, [&[2.0], &[2.19]]).is_worse());
        assert!(row("a.worst_step", false, [&[2.0], &[2.21]]).is_worse());
        assert!(row("a.lost", true, [&[2.0], &[]]).is_worse());
        assert!(!row("a.fresh", true, [&[], &[2.0]]).is_worse());
        assert!(!row("a.zero", false, [&[0.0], &[0.0]]).is_worse());
        assert!(row("a.zero", false, [&[0.0], &[0.1]]).is_worse());
    }

    #[test]
    fn the_table_shows_medians_and_marks_what_is_worse() {
        let rows = [
            row("a.fast", true, [&[2.0, 2.2], &[4.2]]),
            row("a.slow", false, [&[1.0], &[1.25]]),
            row("a.lost", true, [&[2.0], &[]]),
        ];
        let text = "\
metric  unit         old         new    better   spread
a.fast  x         2.1000      4.2000   2.000 ×    9.5 %
a.slow  x         1.0000      1.2500   0.800 ×    0.0 %  worse
a.lost  x         2.0000           –         –    0.0 %  missing
";
        assert_eq!(table(&rows, ["old", "new"], true), text);
        assert!(!table(&rows, ["old", "new"], false).contains("worse"));
    }

    /// A program that knows only the former name, as builds before the renaming do.
    #[cfg(unix)]
    #[test]
    fn an_older_build_is_asked_by_the_former_name() {
        use std::os::unix::fs::PermissionsExt;
        let program = std::env::temp_dir().join(format!("fracas-bench-older-{}", std::process::id()));
        let script = "#!/bin/sh\n[ \"$1\" = p1 ] || { echo \"error: no $1\" >&2; exit 2; }\necho \"$*\"\n";
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let measured = measure(&program, "tearing", true);
        let refused = measure(&program, "pairs", false);
        std::fs::remove_file(&program).unwrap();
        let [out, _] = measured.unwrap();
        assert!(out.starts_with("p1 --json --out ") && out.trim_end().ends_with("--quick"), "{out}");
        assert!(refused.unwrap_err().ends_with("error: no pairs"));
        assert!(measure(&program, "pairs", false).unwrap_err().contains("cannot be started"));
    }
}
