//! Winding numbers of many points, against libigl's fast winding numbers at equal error.
//!
//! The truth is the sum of solid angles over all triangles, at some of the points. Of our accuracies the coarsest is timed whose greatest and
//! mean errors there are at most those of libigl.

use super::Body;
use super::sheet::Sheet;
use crate::metric::{Better, Report};
use fracas::Threads;
use fracas::geom::DVec3;
use fracas::internal::Random;
use fracas::winding::{WindingField, WindingOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const SCRIPT: &str = include_str!("../python/winding.py");

/// Points asked about, and those that are compared with the truth.
const POINTS: usize = 20_000;
const COMPARED: usize = 1_000;

/// From coarse to fine.
const ACCURACIES: [f64; 12] = [0.4, 0.32, 0.25, 0.2, 0.16, 0.13, 0.1, 0.08, 0.065, 0.05, 0.03, 0.01];

pub(super) fn run(report: &mut Report, sheet: &mut Sheet, bodies: &[Body], quick: bool) {
    let mut ratios = vec![];
    for body in bodies {
        let mut random = Random::new(31);
        let mut any = || 2.2 * random.unit() - 1.1;
        let half = 0.5 * body.tree.mesh().bounds().extent();
        let count = if quick { POINTS / 10 } else { POINTS };
        let points: Vec<DVec3> = (0..count).map(|_| half * DVec3::new(any(), any(), any())).collect();
        match compare(report, sheet, body, &points) {
            Ok(ratio) => ratios.push(ratio),
            Err(error) => report.say(&format!("winding numbers: libigl is left out ({error})")),
        }
    }
    if ratios.is_empty() {
        return;
    }
    let mean = (ratios.iter().map(|x| x.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let note = "20,000 points in a box a tenth larger, greatest and mean errors at most libigl's, geometric mean over bodies";
    report.metric("questions.winding.vs_libigl", mean, "x", Better::Higher, note);
}

fn compare(report: &mut Report, sheet: &mut Sheet, body: &Body, points: &[DVec3]) -> io::Result<f64> {
    let theirs = libigl(body, points)?;
    let truth = WindingField::build_with(&body.tree, &WindingOptions { accuracy: 0.0 });
    let truth = truth.at_each(&points[..COMPARED.min(points.len())], Threads::Auto);
    let errors = |found: &[f64]| {
        let all = || truth.iter().zip(found).map(|(a, b)| (a - b).abs());
        (all().fold(0.0, f64::max), all().sum::<f64>() / truth.len() as f64)
    };
    let (their_most, their_mean) = errors(&theirs.answers);
    for accuracy in ACCURACIES {
        let begin = Instant::now();
        let field = WindingField::build_with(&body.tree, &WindingOptions { accuracy });
        let build = begin.elapsed().as_secs_f64() * 1e3;
        let (mut seconds, mut found) = (f64::INFINITY, vec![]);
        for _ in 0..7 {
            let begin = Instant::now();
            found = field.at_each(points, Threads::One);
            seconds = seconds.min(begin.elapsed().as_secs_f64());
        }
        let (most, mean) = errors(&found);
        let [ours_us, theirs_us] = [seconds, theirs.seconds].map(|s| s * 1e6 / points.len() as f64);
        if (most > their_most || mean > their_mean) && accuracy != ACCURACIES[ACCURACIES.len() - 1] {
            continue;
        }
        let remark = format!(
            "accuracy {accuracy}, errors {most:.1e} at most, {mean:.1e} on average, built in {build:.0} ms; libigl {their_most:.1e}, \
             {their_mean:.1e}, {:.0} ms",
            theirs.build_ms
        );
        sheet.compare(report, ("winding number", body.name.clone()), ours_us, ("libigl", theirs_us), remark);
        return Ok(theirs_us / ours_us);
    }
    unreachable!("the finest accuracy is always reported")
}

struct Theirs {
    seconds: f64,
    build_ms: f64,
    answers: Vec<f64>,
}

/// Asks libigl through Python: `FRACAS_PYTHON`, or `python3`.
fn libigl(body: &Body, points: &[DVec3]) -> io::Result<Theirs> {
    let folder = std::env::temp_dir().join(format!("fracas-bench-winding-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = ask(&folder, body, points);
    std::fs::remove_dir_all(&folder)?;
    result
}

fn ask(folder: &Path, body: &Body, points: &[DVec3]) -> io::Result<Theirs> {
    let coordinates = |list: &[DVec3]| -> Vec<u8> {
        list.iter().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes).collect()
    };
    let names = ["positions", "triangles", "points", "answers"].map(|name| folder.join(name));
    std::fs::write(&names[0], coordinates(body.tree.mesh().positions()))?;
    let indices = body.tree.mesh().triangles().iter().flatten().flat_map(|&v| i64::from(v).to_le_bytes());
    std::fs::write(&names[1], indices.collect::<Vec<u8>>())?;
    std::fs::write(&names[2], coordinates(points))?;
    let python = std::env::var_os("FRACAS_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let output = Command::new(python).args(["-c", SCRIPT]).args(&names).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let value: serde_json::Value = serde_json::from_str(text.lines().next_back().unwrap_or_default())
        .map_err(|_| io::Error::other("pip install libigl numpy, and set FRACAS_PYTHON"))?;
    let bytes = std::fs::read(&names[3])?;
    let answers =
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes"))).collect();
    let number = |key: &str| value[key].as_f64().unwrap_or(f64::NAN);
    Ok(Theirs { seconds: number("seconds"), build_ms: number("build_ms"), answers })
}
