//! Continuous queries with exact labels, made by others, and their first times of impact.
//!
//! The data is not part of the project. It is looked for beside the workspace, in `../shared/data/ccd`, or below what the
//! variable `FRACAS_SHARED_DATA` says; without it the tests say so and pass.

use crate::ccd::Kind;
use fracas::exact::MovingPoint;
use fracas::geom::DVec3;
use num_bigint::BigInt;
use std::path::{Path, PathBuf};

/// Queries of one file.
#[derive(Clone)]
pub struct Queries {
    pub name: String,
    pub kind: Kind,
    pub points: Vec<[MovingPoint; 4]>,
    pub labels: Vec<bool>,
}

/// The folder with the queries, if it is there.
pub fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, PathBuf::from).join("ccd");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no folder {} (set FRACAS_SHARED_DATA to the one above)", folder.display());
    None
}

/// A fraction that is an `f64`.
fn number(numerator: &str, denominator: &str) -> f64 {
    let [n, d]: [BigInt; 2] = [numerator, denominator].map(|x| x.parse().expect("an integer"));
    let power = d.trailing_zeros().expect("not zero");
    assert!(d == BigInt::from(1) << power, "{numerator}/{denominator} is not a binary fraction");
    let Some(zeros) = n.trailing_zeros() else { return 0.0 };
    let digits = i64::try_from(n >> zeros).expect("few digits");
    assert!(digits.unsigned_abs() < 1 << 53, "{numerator}/{denominator} is not a f64");
    let exponent = zeros as i32 - power as i32;
    assert!((-1000..900).contains(&exponent), "{numerator}/{denominator} is extreme");
    digits as f64 * 2f64.powi(exponent)
}

/// The queries of a file, and the labels in its last column if it has any.
fn read(file: &Path, kind: Kind) -> Queries {
    let text = std::fs::read_to_string(file).expect("a list of queries");
    let rows: Vec<(DVec3, Option<bool>)> = text
        .lines()
        .map(|line| {
            let words: Vec<&str> = line.split(',').collect();
            let [x, y, z] = [0, 2, 4].map(|k| number(words[k], words[k + 1]));
            (DVec3::new(x, y, z), words.get(6).map(|label| *label == "1"))
        })
        .collect();
    let points =
        rows.chunks(8).map(|rows| [0, 1, 2, 3].map(|k| MovingPoint { start: rows[k].0, end: rows[4 + k].0 }));
    Queries {
        name: file.display().to_string(),
        kind,
        points: points.collect(),
        labels: rows.chunks(8).filter_map(|rows| rows[0].1).collect(),
    }
}

/// Queries made by hand to be difficult.
pub fn handcrafted(folder: &Path) -> Vec<Queries> {
    let mut all = vec![];
    for set in ["unit-tests", "erleben-sliding-spike", "erleben-wedges"] {
        for (kind, name) in [(Kind::VertexTriangle, "vertex-face"), (Kind::EdgeEdge, "edge-edge")] {
            for file in ["data_0_0.csv", "data_0_1.csv"] {
                all.push(read(&folder.join(set).join(name).join(file), kind));
            }
        }
    }
    all
}

/// Queries of a simulated cloth.
pub fn simulated(folder: &Path) -> Vec<Queries> {
    [(Kind::VertexTriangle, "227vf"), (Kind::EdgeEdge, "227ee")]
        .map(|(kind, name)| {
            let folder = folder.join("cloth-funnel");
            let labels = std::fs::read(folder.join(format!("{name}_mma_bool.json"))).expect("labels");
            let labels = serde_json::from_slice(&labels).expect("a list of labels");
            Queries { labels, ..read(&folder.join(format!("{name}.csv")), kind) }
        })
        .into()
}

#[test]
fn labels_are_met() {
    let Some(folder) = folder() else { return };
    let mut asked = 0;
    for Queries { name, kind, points, labels } in [handcrafted(&folder), simulated(&folder)].concat() {
        assert_eq!(points.len(), labels.len(), "{name}");
        for (query, (points, label)) in points.into_iter().zip(labels).enumerate() {
            let answer = kind.impact(points);
            let truth = kind.contacts(points);
            assert_eq!(truth.confirm(answer), Ok(()), "{name}, query {query}");
            assert_eq!(answer.is_some(), label, "{name}, query {query}: the label contradicts fractions");
            asked += 1;
        }
    }
    assert!(asked > 1000, "only {asked} queries");
}

#[test]
fn first_impact_times_lie_in_our_intervals() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("cloth-funnel/first_impact_times.tsv")).expect("times");
    let [faces, edges] = &simulated(&folder)[..] else { panic!("two files") };
    let mut compared = 0;
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.split('\t').collect();
        let queries = if words[1] == "227vf" { faces } else { edges };
        let query: usize = words[2].parse().expect("a number");
        let time = queries.kind.impact(queries.points[query]).expect("a contact");
        // The time has 30 digits: compare in units of 10⁻³⁰.
        let digits = words[5].split_once('.').expect("a fraction").1;
        let exact: BigInt = format!("{digits:0<30}")[..30].parse().expect("digits");
        let scale = |x: f64| {
            let unit: BigInt = BigInt::from(10).pow(30);
            unit * BigInt::from((x * 2f64.powi(60)) as u64) >> 60
        };
        assert!(scale(time.low) <= exact.clone() + 1 && exact <= scale(time.high) + 1, "{line}: {time:?}");
        compared += 1;
    }
    assert!(compared > 100, "only {compared} times");
}
