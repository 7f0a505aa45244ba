//! Tables 2 and 3: what the paper's five scenes hold, and what a step of them takes, on one thread.
//!
//! Scenes are deterministic, so each is run several times and every step counts with its best time, which is
//! closest to what the step itself takes. *Real time* means that the slowest step takes less than the time it stands for.
//!
//! Columns follow the paper's definitions:
//!
//! | column | meaning |
//! |---|---|
//! | pieces | bodies that can break; balls and boards are not counted |
//! | output points | contacts handed to the solver, mean and most over steps with contacts |
//! | reduction | points nearer than ε (0.2 % of the smaller radius) over contacts handed over |
//! | update | at fractures only: sphere trees, cells and facet trees of all pieces, which are the structures of the paper's sections 4 and 5 |
//! | shapes | at fractures only: normals, edges and outermost points of pieces, which the paper does not have |
//! | fracture | at fractures only: blows, labels, cuts, masses, rigid bodies |
//!
//! Facet trees take the place of the paper's distance fields. All pieces are asked for contacts in the next step, so the set builds them at the fracture,
//! and they count as update, not as collision.
//!
//! Two things make the reduction smaller than the paper's. We count all contacts handed over, also those that will touch only within the
//! step, and after 64 points of a pair only deep ones are looked for, so that not all near points are counted.

use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas_plot::{Align, Axis, BarChart, Bars, Line, LineChart, Look, Table};
use fracas_scenes::{Frame, SceneOptions, Size, start};
use std::io;

/// A scene as the paper has it; times in milliseconds, pairs are mean and most.
struct Row {
    name: &'static str,
    triangles: [usize; 2],
    fragments: usize,
    output: [f64; 2],
    /// Not measured in interactive scenes.
    colliding: [f64; 2],
    total: [f64; 2],
    collision: [f64; 2],
    physics: [f64; 2],
    /// The most of any step.
    update: f64,
    fracture: f64,
    is_real_time: bool,
}

const ROWS: [Row; 5] = [
    Row {
        name: "piggybank",
        triangles: [9_734, 17_622],
        fragments: 14,
        output: [93.0, 463.0],
        colliding: [290.0, 4_173.0],
        total: [1.94, 15.2],
        collision: [1.74, 9.46],
        physics: [0.14, 0.59],
        update: 1.2,
        fracture: 12.5,
        is_real_time: true,
    },
    Row {
        name: "blobs",
        triangles: [137_403, 435_068],
        fragments: 166,
        output: [1_235.0, 3_245.0],
        colliding: [4_993.0, 18_592.0],
        total: [24.5, 81.5],
        collision: [23.0, 70.0],
        physics: [1.3, 3.66],
        update: 4.4,
        fracture: 22.0,
        is_real_time: false,
    },
    Row {
        name: "bricks",
        triangles: [15_036, 40_750],
        fragments: 156,
        output: [671.0, 1_379.0],
        colliding: [1_334.0, 2_700.0],
        total: [11.7, 29.5],
        collision: [10.7, 27.3],
        physics: [1.0, 2.46],
        update: 1.05,
        fracture: 2.0,
        is_real_time: true,
    },
    Row {
        name: "plates",
        triangles: [26_268, 45_762],
        fragments: 44,
        output: [309.0, 524.0],
        colliding: [f64::NAN; 2],
        total: [7.83, 17.4],
        collision: [6.78, 12.2],
        physics: [0.36, 0.7],
        update: 0.7,
        fracture: 8.0,
        is_real_time: true,
    },
    Row {
        name: "handful",
        triangles: [39_724, 51_752],
        fragments: 22,
        output: [326.0, 470.0],
        colliding: [f64::NAN; 2],
        total: [2.0, 10.6],
        collision: [1.64, 4.0],
        physics: [0.26, 0.41],
        update: 1.0,
        fracture: 9.0,
        is_real_time: true,
    },
];

/// The paper's machine.
const MACHINE: &str = "Intel i7-2600, 3.4 GHz, one core, 2012";
const PHASES: [&str; 5] = ["collision", "physics", "update", "shapes", "fracture"];

/// Runs the scenes, reports, and writes tables and charts.
pub fn write(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    let rounds = if quick { 1 } else { 3 };
    let all: Vec<(&Row, Measured)> =
        ROWS.iter().filter_map(|row| Some((row, Measured::of(row.name, rounds, quick)?))).collect();
    folder.section(
        "Tables 2 and 3: the scenes",
        &format!(
            "The paper's scenes, made after its descriptions: blows, materials and frictions are not given there. Paper: {MACHINE}. \
             All on one thread; each step with the best time of {rounds} runs.{}",
            if quick { " These are the small sizes of a quick run, not the paper's." } else { "" }
        ),
    );
    folder.table(report, "table2", &table2(&all))?;
    folder.table(report, "table3", &table3(&all))?;
    folder.chart("table3", &bars(&all).svg(), "Slowest step of each phase, here and in the paper.")?;
    for (row, run) in all.iter().filter(|(row, _)| ["blobs", "bricks"].contains(&row.name)) {
        let note = "Contacts handed to the solver and points nearer than ε, in each step.";
        folder.chart(&format!("figure12_{}_points", row.name), &points_chart(row, run).svg(), note)?;
        let note = "Milliseconds of each step, best of all runs.";
        folder.chart(&format!("figure12_{}_times", row.name), &times_chart(row, run).svg(), note)?;
    }
    for (row, run) in &all {
        metrics(report, row, run);
    }
    Ok(())
}

fn metrics(report: &mut Report, row: &Row, run: &Measured) {
    let [all, _, _, update, _, _] = &run.times;
    if row.is_real_time {
        let name = format!("brittle.realtime.{}", row.name);
        let note = format!("slowest step {:.2} ms, time step {:.0} ms", max(all), run.step);
        report.metric(&name, max(all) / run.step, "x", Better::Lower, &note);
    } else {
        let note = format!(
            "{}: points nearer than 0.2 % of the smaller radius over contacts handed over (paper {:.1})",
            row.name,
            row.colliding[0] / row.output[0]
        );
        report.metric("brittle.contacts.reduction", run.reduction, "x", Better::Higher, &note);
    }
    let note = format!("slowest update of any fracture, ours; paper {} ms on an {MACHINE}", row.update);
    report.metric(&format!("brittle.scenes.update.{}", row.name), max(update), "ms", Better::Lower, &note);
}

/// What was measured of one scene.
struct Measured {
    /// At first and at last.
    triangles: [usize; 2],
    pieces: usize,
    /// Contacts that the solver had, and points nearer than ε, in each step.
    contacts: Vec<f64>,
    touching: Vec<f64>,
    reduction: f64,
    /// Time step, ms.
    step: f64,
    /// Milliseconds of each step: all, then each phase.
    times: [Vec<f64>; 6],
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
                contacts: vec![],
                touching: vec![],
                reduction: 0.0,
                step,
                times: Default::default(),
            };
            let mut handed = 0.0;
            for frame in run {
                let frame = frame.ok()?;
                let counter = |name: &str| frame.counter(name).unwrap_or(0.0);
                measured.triangles[usize::from(frame.step > 0)] = counter("triangles") as usize;
                if frame.step == 0 {
                    continue;
                }
                measured.pieces = counter("breakable") as usize;
                measured.contacts.push(counter("contacts"));
                measured.touching.push(counter("touching"));
                handed += counter("handed");
                let phases = PHASES.map(|phase| milliseconds(&frame, phase));
                measured.times[0].push(phases.iter().sum());
                phases.into_iter().zip(&mut measured.times[1..]).for_each(|(time, list)| list.push(time));
            }
            // Pairs that hardly move are not asked again; points and contacts are both counted where pairs are asked.
            measured.reduction = measured.touching.iter().sum::<f64>() / f64::max(handed, 1.0);
            if let Some(known) = &best {
                for (list, before) in measured.times.iter_mut().zip(&known.times) {
                    list.iter_mut().zip(before).for_each(|(time, before)| *time = time.min(*before));
                }
            }
            best = Some(measured);
        }
        best
    }

    /// Contacts: mean over steps with any, and most.
    fn output(&self) -> [f64; 2] {
        let touching: Vec<f64> = self.contacts.iter().copied().filter(|&count| count > 0.0).collect();
        [mean(&touching), max(&touching)]
    }
}

fn table2(all: &[(&Row, Measured)]) -> Table {
    let head = [
        ("scene", Align::Left),
        ("who", Align::Left),
        ("triangles before", Align::Right),
        ("after", Align::Right),
        ("pieces", Align::Right),
        ("output points, mean", Align::Right),
        ("most", Align::Right),
        ("reduction", Align::Right),
    ];
    let caption =
        "Table 2. The paper's reduction is the mean of its colliding points over that of its output points.";
    let mut table = Table::new(caption, head);
    for (row, run) in all {
        let output = run.output();
        table.row([
            row.name.to_owned(),
            "Fracas".to_owned(),
            run.triangles[0].to_string(),
            run.triangles[1].to_string(),
            run.pieces.to_string(),
            format!("{:.0}", output[0]),
            format!("{:.0}", output[1]),
            format!("{:.2}", run.reduction),
        ]);
        let reduction = row.colliding[0] / row.output[0];
        table.row([
            String::new(),
            "paper".to_owned(),
            row.triangles[0].to_string(),
            row.triangles[1].to_string(),
            row.fragments.to_string(),
            format!("{:.0}", row.output[0]),
            format!("{:.0}", row.output[1]),
            if reduction.is_nan() { "–".to_owned() } else { format!("{reduction:.2}") },
        ]);
    }
    table
}

fn table3(all: &[(&Row, Measured)]) -> Table {
    let head = [
        ("scene", Align::Left),
        ("who", Align::Left),
        ("step", Align::Right),
        ("total, mean", Align::Right),
        ("most", Align::Right),
        ("collision, mean", Align::Right),
        ("most", Align::Right),
        ("physics, mean", Align::Right),
        ("most", Align::Right),
        ("update, most", Align::Right),
        ("shapes, most", Align::Right),
        ("fracture, most", Align::Right),
    ];
    let caption = format!("Table 3. Milliseconds per step. Paper: {MACHINE}.");
    let mut table = Table::new(caption, head);
    let shown = |time: f64| format!("{time:.2}");
    for (row, run) in all {
        let [total, collision, physics, update, shapes, fracture] = &run.times;
        let mut cells = vec![row.name.to_owned(), "Fracas".to_owned(), format!("{:.0}", run.step)];
        cells.extend(
            [total, collision, physics].iter().flat_map(|times| [mean(times), max(times)]).map(shown),
        );
        cells.extend([max(update), max(shapes), max(fracture)].map(shown));
        table.row(cells);
        let mut cells = vec![String::new(), "paper".to_owned(), "–".to_owned()];
        cells.extend([row.total, row.collision, row.physics].concat().into_iter().map(shown));
        cells.extend([shown(row.update), "–".to_owned(), shown(row.fracture)]);
        table.row(cells);
    }
    table
}

/// The slowest step of collision, update and fracture in each scene.
fn bars(all: &[(&Row, Measured)]) -> BarChart {
    let bars = |name: &str, value: &dyn Fn(&Row, &Measured) -> f64| Bars {
        name: name.to_owned(),
        values: all.iter().map(|(row, run)| value(row, run)).collect(),
    };
    BarChart {
        title: "Table 3: slowest steps".to_owned(),
        description: "Bars for each scene: slowest collision, update and fracture, here and in the paper."
            .to_owned(),
        x_label: "scene".to_owned(),
        groups: all.iter().map(|(row, _)| row.name.to_owned()).collect(),
        y: Axis::log("time (ms)"),
        bars: vec![
            bars("collision", &|_, run| max(&run.times[1])),
            bars("paper: collision", &|row, _| row.collision[1]),
            bars("update", &|_, run| max(&run.times[3])),
            bars("paper: update", &|row, _| row.update),
            bars("fracture", &|_, run| max(&run.times[5])),
            bars("paper: fracture", &|row, _| row.fracture),
        ],
        stacked: false,
    }
}

fn points_chart(row: &Row, run: &Measured) -> LineChart {
    LineChart {
        title: format!("Figure 12: points of {}", row.name),
        description: "Contacts handed over and points nearer than the tolerance, over the steps.".to_owned(),
        x: Axis::linear("step"),
        y: Axis::linear("points").from_zero(),
        lines: vec![line("contacts handed over", &run.contacts), line("points nearer than ε", &run.touching)],
    }
}

fn times_chart(row: &Row, run: &Measured) -> LineChart {
    LineChart {
        title: format!("Figure 12: times of {}", row.name),
        description: "Times of all phases over the steps.".to_owned(),
        x: Axis::linear("step"),
        y: Axis::linear("time (ms)").from_zero(),
        lines: ["total"]
            .iter()
            .chain(&PHASES)
            .zip(&run.times)
            .map(|(name, times)| line(name, times))
            .collect(),
    }
}

fn line(name: &str, values: &[f64]) -> Line {
    let points = values.iter().enumerate().map(|(k, &value)| [k as f64 + 1.0, value]).collect();
    Line { name: name.to_owned(), points, look: Look::Thin }
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
