//! Figure 8 of the paper: hash functions over a scene, and what population takes of the time.

use super::finder;
use super::recordings::{Recording, spread};
use super::table1::Measured;
use crate::folder::Folder;
use crate::metric::{Better, Report};
use crate::timing::{Candidate, race};
use fracas::mesh::Mesh;
use fracas::soup::CellTable;
use fracas_plot::{Align, Axis, BarChart, Bars, Line, LineChart, Look, Table};
use std::io;
use std::time::Duration;

const TABLES: [(CellTable, &str); 3] =
    [(CellTable::Sorted, "sorted"), (CellTable::Morton, "morton"), (CellTable::Djb2, "djb2")];

/// The hash functions on a folded cloth: total time, and the share of population.
pub fn metrics(report: &mut Report, cloth: &Mesh, budget: Duration) {
    report.say("hash functions on a folded cloth, and what population takes of the time");
    report.say("                      population    collision        total   population / total");
    for (table, name) in TABLES {
        let (mut whole, mut part) = (finder(table), finder(table));
        let timed = race(
            &mut [
                Candidate::new("population and query", || whole.find_self_pairs(cloth).len()),
                Candidate::new("population", || {
                    part.populate(cloth);
                    0
                }),
            ],
            budget / 3,
        );
        let (total, population) = (timed[0].ms(), timed[1].ms());
        let share = population / total;
        report.say(&format!(
            "  {name:<16} {population:>10.3} ms {:>9.3} ms {total:>9.3} ms {share:>12.2}",
            total - population
        ));
        let note = "population and query, one thread";
        report.metric(&format!("soup.cpu.hash.{name}"), total, "ms", Better::Lower, note);
        let note = "part of the time that population takes";
        report.metric(&format!("soup.cpu.hash.{name}.population"), share, "", Better::Lower, note);
    }
}

/// Writes both halves of the figure.
pub fn write(
    report: &Report,
    folder: &mut Folder,
    recordings: &[Recording],
    all: &[Measured],
    quick: bool,
) -> io::Result<()> {
    folder.section(
        "Figure 8: hash functions, and the share of population",
        "The paper finds Morton codes and djb2 equally fast on its n-body scene, and population negligible in its chair \
         scene. On a processor a search is cheaper beside population than on its card, so the share is larger.",
    );
    if let Some(nbody) = recordings.iter().find(|recording| recording.scene == "nbody") {
        left(report, folder, nbody, Duration::from_millis(if quick { 20 } else { 200 }))?;
    }
    // The largest chair comes last.
    let mut pairs = recordings.iter().zip(all);
    match pairs.rfind(|(recording, _)| recording.scene == "chair") {
        Some((chair, measured)) => right(report, folder, chair, measured),
        None => Ok(()),
    }
}

/// Time per frame of the n-body scene by hash function.
fn left(report: &Report, folder: &mut Folder, nbody: &Recording, budget: Duration) -> io::Result<()> {
    let mut finders = TABLES.map(|(table, _)| finder(table));
    let mut times: [Vec<f64>; 3] = Default::default();
    for moment in &nbody.moments {
        let mut candidates: Vec<Candidate> = finders
            .iter_mut()
            .zip(TABLES)
            .map(|(finder, (_, name))| Candidate::new(name, || finder.find_self_pairs(&moment.mesh).len()))
            .collect();
        let timed = race(&mut candidates, budget);
        assert!(timed.iter().all(|t| t.result == timed[0].result), "hash functions differ");
        times.iter_mut().zip(&timed).for_each(|(times, timed)| times.push(timed.ms()));
    }
    let columns = ["step"].into_iter().chain(TABLES.map(|(_, name)| name));
    let caption = format!(
        "Figure 8, left. Milliseconds per frame, population included, one thread; the n-body scene of {} triangles.",
        nbody.triangles()
    );
    let mut table = Table::new(caption, columns.map(|name| (name, Align::Right)));
    for (k, moment) in nbody.moments.iter().enumerate() {
        let cells = times.iter().map(|times| format!("{:.2}", times[k]));
        table.row([moment.step.to_string()].into_iter().chain(cells));
    }
    let means = times.iter().map(|times| format!("{:.2}", spread(times)[0]));
    table.row(["mean".to_owned()].into_iter().chain(means));
    folder.table(report, "figure8_hash", &table)?;
    let line = |(times, (_, name)): (&Vec<f64>, (CellTable, &str))| Line {
        name: name.to_owned(),
        points: nbody.moments.iter().zip(times).map(|(moment, &t)| [moment.step as f64, t]).collect(),
        look: Look::Marked,
    };
    let chart = LineChart {
        title: "Figure 8, left: how cells are found".to_owned(),
        description: "Time of each frame of the n-body scene with a sorted list and two hash functions."
            .to_owned(),
        x: Axis::linear("step of the scene"),
        y: Axis::linear("time per frame (ms)").from_zero(),
        lines: times.iter().zip(TABLES).map(line).collect(),
    };
    folder.chart("figure8_hash", &chart.svg(), "The n-body scene, one thread. The paper gives no numbers.")
}

/// Population and collisions of the largest chair, stacked.
fn right(report: &Report, folder: &mut Folder, chair: &Recording, measured: &Measured) -> io::Result<()> {
    let steps = || chair.moments.iter().map(|moment| moment.step.to_string());
    let collisions: Vec<f64> =
        measured.total.iter().zip(&measured.population).map(|(total, part)| total - part).collect();
    let caption = format!(
        "Figure 8, right. Milliseconds per frame, one thread; the chair scene of {} triangles.",
        chair.triangles()
    );
    let head = ["step", "population", "collisions", "total", "population / total"];
    let mut table = Table::new(caption, head.map(|name| (name, Align::Right)));
    for (k, step) in steps().enumerate() {
        let (part, total) = (measured.population[k], measured.total[k]);
        let cells = [part, collisions[k], total, part / total].map(|value| format!("{value:.2}"));
        table.row([step].into_iter().chain(cells));
    }
    folder.table(report, "figure8_population", &table)?;
    let chart = population_chart(chair, &measured.population, collisions);
    folder.chart("figure8_population", &chart.svg(), "The chair scene, one thread.")
}

/// Population and collisions of a scene by step, in milliseconds, stacked.
pub fn population_chart(scene: &Recording, population: &[f64], collisions: Vec<f64>) -> BarChart {
    BarChart {
        title: "Figure 8, right: population and collisions".to_owned(),
        description: "Stacked bars for the frames of the chair scene.".to_owned(),
        x_label: "step of the scene".to_owned(),
        groups: scene.moments.iter().map(|moment| moment.step.to_string()).collect(),
        y: Axis::linear("time per frame (ms)").from_zero(),
        bars: vec![
            Bars { name: "collisions".to_owned(), values: collisions },
            Bars { name: "population".to_owned(), values: population.to_vec() },
        ],
        stacked: true,
    }
}
