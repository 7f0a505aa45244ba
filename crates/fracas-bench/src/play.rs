//! Scenes played in a browser beside the same scenes natively.
//!
//! Both do the same steps of the same scene with the same tools (`Play::rehearse`), on one thread. Natively that is the release build without the feature
//! `deterministic`; in the browser it is the module inside the page that is committed, which has it, in headless Chromium. So the ratio holds what
//! WebAssembly costs and what determinism costs. Runs alternate; each step counts with its best time.
//!
//! Needs Node.js with the packages of `web/` (`npm ci` there) and Chromium; where these are missing, the benchmark says so and fails.

use crate::metric::{Better, Report};
use fracas_scenes::play::Play;
use fracas_scenes::{SceneError, Size};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const SCENES: [&str; 3] = ["plates", "bricks", "handful"];

/// Milliseconds of each step of a scene, the best so far.
type Best = BTreeMap<&'static str, Vec<f64>>;

pub fn run(report: &mut Report, quick: bool, _: &Path) -> io::Result<()> {
    let (size, word, steps, rounds) =
        if quick { (Size::Small, "small", 120, 1) } else { (Size::Paper, "paper", 300, 3) };
    let (mut native, mut browser) = (Best::new(), Best::new());
    let mut step_ms = BTreeMap::new();
    for _ in 0..rounds {
        for scene in SCENES {
            let failed = |error: SceneError| io::Error::other(format!("{scene}: {error}"));
            let mut play = Play::make(scene, size, 0, None).map_err(failed)?;
            step_ms.insert(scene, 1e3 * play.step_seconds());
            let mut times = vec![];
            for _ in 0..steps {
                let begin = Instant::now();
                play.rehearse(scene).map_err(failed)?;
                times.push(1e3 * begin.elapsed().as_secs_f64());
            }
            keep(&mut native, scene, times);
        }
        for (scene, times) in in_browser(word, steps)? {
            keep(&mut browser, scene, times);
        }
    }
    report.say(&format!(
        "Steps of scenes at size {word} in a browser and natively, ms, one thread, {steps} steps"
    ));
    report.say(&format!(
        "  {:<10} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "scene", "native", "browser", "slowest", "slowest", "time step"
    ));
    let mut worst = 0.0_f64;
    for scene in SCENES {
        let (Some(here), Some(there)) = (native.get(scene), browser.get(scene)) else { continue };
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        let most = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
        report.say(&format!(
            "  {scene:<10} {:>10.2} {:>10.2} {:>10.1} {:>10.1} {:>10.1}",
            mean(here),
            mean(there),
            most(here),
            most(there),
            step_ms[scene]
        ));
        let ratio = mean(there) / mean(here);
        worst = worst.max(ratio);
        let name = format!("play.{scene}");
        report.metric(&format!("{name}.vs_native"), ratio, "x", Better::Lower, "mean step, browser / native");
        let note = format!("slowest step in the browser; the scene's time step is {} ms", step_ms[scene]);
        report.metric(&format!("{name}.slowest"), most(there), "ms", Better::Lower, &note);
    }
    report.metric(
        "play.step.vs_native",
        worst,
        "x",
        Better::Lower,
        "mean step in headless Chromium / native, the worst of plates, bricks and handful",
    );
    Ok(())
}

/// Takes the better time of each step.
fn keep(best: &mut Best, scene: &'static str, times: Vec<f64>) {
    match best.get_mut(scene) {
        Some(known) => known.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time)),
        None => drop(best.insert(scene, times)),
    }
}

/// The same in the page.
fn in_browser(size: &str, steps: usize) -> io::Result<Vec<(&'static str, Vec<f64>)>> {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    let mut node = Command::new("node");
    node.current_dir(&web).arg("bench.mjs").arg(size).arg(steps.to_string()).args(SCENES);
    let output =
        node.output().map_err(|error| io::Error::other(format!("Node.js cannot be started: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!(
            "the page could not be measured; it needs Chromium and `npm ci` in web/: {}",
            said.trim()
        )));
    }
    let mut all = vec![];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(run) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let scene = SCENES.into_iter().find(|scene| run["scene"] == *scene);
        let times =
            run["ms"].as_array().map(|list| list.iter().filter_map(serde_json::Value::as_f64).collect());
        all.extend(scene.zip(times));
    }
    Ok(all)
}
