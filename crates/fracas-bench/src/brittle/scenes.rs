//! Tables 2 and 3: what the paper's five scenes hold, and what a step of them takes, on one thread.
//!
//! Scenes are deterministic, so each is run several times and every step counts with its best time, which is
//! closest to what the step itself takes. *Real time* means that the slowest step takes less than the time it stands for.

use crate::metric::{Better, Report};
use fracas_scenes::{Frame, SceneOptions, Size, start};

/// A scene, its time step in ms, and what the paper has for it: fragments, output points and colliding points (mean), total
/// time (mean, max).
struct Row {
    name: &'static str,
    paper: [f64; 5],
    is_real_time: bool,
}

const ROWS: [Row; 5] = [
    Row { name: "piggybank", paper: [14.0, 93.0, 290.0, 1.94, 15.2], is_real_time: true },
    Row { name: "blobs", paper: [166.0, 1235.0, 4993.0, 24.5, 81.5], is_real_time: false },
    Row { name: "bricks", paper: [156.0, 671.0, 1334.0, 11.7, 29.5], is_real_time: true },
    Row { name: "plates", paper: [44.0, 309.0, f64::NAN, 7.83, 17.4], is_real_time: true },
    Row { name: "handful", paper: [22.0, 326.0, f64::NAN, 2.0, 10.6], is_real_time: true },
];

const PHASES: [&str; 4] = ["collision", "physics", "update", "fracture"];

/// Runs the scenes and reports.
pub fn run(report: &mut Report, quick: bool) {
    report.say("the paper's scenes; paper's figures in parentheses");
    report.say(
        "  scene       triangles       pieces       contacts mean     step ms     all, mean and max, ms    collision        physics         update        fracture",
    );
    for row in &ROWS {
        let Some(run) = Measured::of(row.name, if quick { 1 } else { 3 }, quick) else { continue };
        let paper = row.paper;
        let [all, phases @ ..] = &run.times;
        let shown: Vec<String> =
            phases.iter().map(|times| format!("{:.2} {:.2}", mean(times), max(times))).collect();
        report.say(&format!(
            "  {:<10} {:>6} {:>7}  {:>4} ({:>3})  {:>6.0} ({:>5})  {:>7.0}   {:>7.2} ({:>5}) {:>7.2} ({:>5})  {:>13}  {:>13}  {:>13}  {:>13}",
            row.name,
            run.triangles[0],
            run.triangles[1],
            run.pieces,
            paper[0],
            run.contacts,
            paper[1],
            run.step,
            mean(all),
            paper[3],
            max(all),
            paper[4],
            shown[0],
            shown[1],
            shown[2],
            shown[3],
        ));
        if row.is_real_time {
            let name = format!("brittle.realtime.{}", row.name);
            let note = format!("slowest step {:.2} ms, time step {:.0} ms", max(all), run.step);
            report.metric(&name, max(all) / run.step, "x", Better::Lower, &note);
        } else {
            let note = format!(
                "{}: points found within the engine's prediction over contacts handed over (paper {:.1})",
                row.name,
                paper[2] / paper[1]
            );
            report.metric("brittle.contacts.reduction", run.reduction, "x", Better::Higher, &note);
        }
    }
}

/// What was measured of one scene.
struct Measured {
    /// At first and at last.
    triangles: [usize; 2],
    pieces: usize,
    /// Contacts that the solver had, mean over steps with any.
    contacts: f64,
    reduction: f64,
    /// Time step, ms.
    step: f64,
    /// Milliseconds of each step: all, then each phase.
    times: [Vec<f64>; 5],
}

impl Measured {
    fn of(name: &str, rounds: usize, quick: bool) -> Option<Self> {
        let size = if quick { Size::Small } else { Size::Paper };
        let options = SceneOptions { size, parallel: false, ..SceneOptions::default() };
        let mut best: Option<Self> = None;
        for _ in 0..rounds {
            let run = start(name, &options).ok()?;
            let step = run.step_seconds * 1e3;
            let mut measured = Self {
                triangles: [0; 2],
                pieces: 0,
                contacts: 0.0,
                reduction: 0.0,
                step,
                times: Default::default(),
            };
            let (mut colliding, mut handed, mut touching, mut contacts) = (0.0, 0.0, 0.0, 0.0);
            for frame in run {
                let frame = frame.ok()?;
                let counter = |name: &str| frame.counter(name).unwrap_or(0.0);
                if frame.step == 0 {
                    measured.triangles[0] = counter("triangles") as usize;
                    continue;
                }
                measured.triangles[1] = counter("triangles") as usize;
                measured.pieces = counter("pieces") as usize;
                colliding += counter("colliding");
                handed += counter("handed");
                contacts += counter("contacts");
                touching += f64::from(u8::from(counter("contacts") > 0.0));
                let phases = PHASES.map(|phase| milliseconds(&frame, phase));
                measured.times[0].push(phases.iter().sum());
                phases.into_iter().zip(&mut measured.times[1..]).for_each(|(time, list)| list.push(time));
            }
            measured.reduction = colliding / f64::max(handed, 1.0);
            measured.contacts = contacts / f64::max(touching, 1.0);
            if let Some(known) = &best {
                for (list, before) in measured.times.iter_mut().zip(&known.times) {
                    list.iter_mut().zip(before).for_each(|(time, before)| *time = time.min(*before));
                }
            }
            best = Some(measured);
        }
        best
    }
}

fn milliseconds(frame: &Frame, phase: &str) -> f64 {
    frame.times.iter().find(|entry| entry.0 == phase).map_or(0.0, |entry| entry.1.as_secs_f64() * 1e3)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn max(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}
