//! Table 1 of the paper: k, height and times over the scenes, beside kDet and gProximity.

use super::paper::{self, Times};
use super::recordings::{Recording, spread};
use super::{finder, paper::Row};
use crate::folder::Folder;
use crate::metric::Report;
use crate::timing::{Candidate, race};
use fracas::crowd::KFree;
use fracas::soup::CellTable;
use fracas::{MeshTree, PairFinder, SoupFinder};
use fracas_plot::{Align, Axis, BarChart, Bars, Table};
use std::io;
use std::time::Duration;

/// What was measured of one scene; a list has an entry for each moment. Times are in milliseconds.
pub struct Measured {
    pub population: Vec<f64>,
    pub total: Vec<f64>,
    pub threads: Vec<f64>,
    crowding: Crowding,
}

/// How crowded the frames of a scene are.
pub struct Crowding {
    /// For each moment the mean over all triangles.
    k: Vec<f64>,
    largest_k: u32,
    height: Vec<f64>,
}

impl Crowding {
    pub fn of(recording: &Recording) -> Self {
        let mut crowding = Self { k: Vec::new(), largest_k: 0, height: Vec::new() };
        for moment in &recording.moments {
            let free = KFree::of_mesh(&moment.mesh);
            crowding.k.push(free.mean());
            crowding.largest_k = crowding.largest_k.max(free.minimal());
            crowding.height.push(f64::from(free.height()));
        }
        crowding
    }

    /// As in the table: k, the largest k, height.
    pub fn cells(&self) -> [String; 3] {
        let largest = self.largest_k.to_string();
        [with_spread(spread(&self.k)), largest, with_spread(spread(&self.height))]
    }
}

/// Measures all scenes on the processor and writes the table.
pub fn write(
    report: &Report,
    folder: &mut Folder,
    recordings: &[Recording],
    quick: bool,
) -> io::Result<Vec<Measured>> {
    let budget = Duration::from_millis(if quick { 20 } else { 200 });
    let all: Vec<Measured> = recordings.iter().map(|recording| measure(recording, budget)).collect();
    folder.section(
        "Table 1: the scenes",
        &format!(
            "Times in milliseconds per frame, the mean over the frames of a run. The paper's times are those of a graphics \
             card ({}); Fracas' are those of one thread of the processor, and of all in the last column. Scenes are made \
             after the paper's and are not the same. k is the mean over all triangles, then over all frames; the paper does \
             not say over what it takes the mean, and the largest k of a mesh is at least 13 where six triangles meet in \
             each vertex.",
            paper::MACHINE
        ),
    );
    folder.table(report, "table1", &table(recordings, &all))?;
    folder.chart("table1", &chart(recordings, &all).svg(), "Mean time per frame. Paper: its Table 1.")?;
    Ok(all)
}

fn measure(recording: &Recording, budget: Duration) -> Measured {
    let mut measured = Measured {
        population: Vec::new(),
        total: Vec::new(),
        threads: Vec::new(),
        crowding: Crowding::of(recording),
    };
    let (mut whole, mut part) = (finder(CellTable::Sorted), finder(CellTable::Sorted));
    let mut threads = SoupFinder::default();
    for moment in &recording.moments {
        let mesh = &moment.mesh;
        let timed = race(
            &mut [
                Candidate::new("population and query", || whole.find_self_pairs(mesh).len()),
                Candidate::new("population", || {
                    part.populate(mesh);
                    0
                }),
                Candidate::new("all threads", || threads.find_self_pairs(mesh).len()),
            ],
            budget,
        );
        measured.total.push(timed[0].ms());
        measured.population.push(timed[1].ms());
        measured.threads.push(timed[2].ms());
    }
    if let Some(last) = recording.moments.last() {
        let tree = MeshTree::build(last.mesh.clone());
        let same = whole.find_self_pairs(&last.mesh) == PairFinder::default().find_self_pairs(&tree);
        assert!(same, "soup and tree differ in {}", recording.scene);
    }
    measured
}

fn with_spread([mean, deviation]: [f64; 2]) -> String {
    format!("{mean:.1} ({deviation:.1})")
}

/// The columns of Table 1, with one of our own at the end.
pub fn head(last: &str) -> [(&str, Align); 10] {
    [
        ("scene", Align::Left),
        ("who", Align::Left),
        ("triangles", Align::Right),
        ("k (deviation)", Align::Right),
        ("largest k", Align::Right),
        ("height (deviation)", Align::Right),
        ("update", Align::Right),
        ("collisions", Align::Right),
        ("total", Align::Right),
        (last, Align::Right),
    ]
}

/// The rows of the paper for a scene.
pub fn paper_rows(table: &mut Table, row: &Row) {
    let mut add = |who: &str, times: &Times, k: String, height: String| {
        table.row([
            String::new(),
            who.to_owned(),
            row.triangles.to_string(),
            k,
            "–".to_owned(),
            height,
            format!("{:.1}", times.update),
            format!("{:.1}", times.collide),
            format!("{:.1}", times.total),
            "–".to_owned(),
        ]);
    };
    add("kDet, paper", &row.kdet, with_spread(row.k), with_spread(row.height));
    add("gProximity, paper", &row.gproximity, "–".to_owned(), "–".to_owned());
}

fn table(recordings: &[Recording], all: &[Measured]) -> Table {
    let caption = format!("Table 1. Milliseconds per frame. Paper: {}.", paper::MACHINE);
    let mut table = Table::new(caption, head("all threads"));
    for (recording, measured) in recordings.iter().zip(all) {
        let [total, population, threads] =
            [&measured.total, &measured.population, &measured.threads].map(|times| spread(times)[0]);
        let [k, largest_k, height] = measured.crowding.cells();
        table.row([
            recording.title(),
            "Fracas, one thread".to_owned(),
            recording.triangles().to_string(),
            k,
            largest_k,
            height,
            format!("{population:.2}"),
            format!("{:.2}", total - population),
            format!("{total:.2}"),
            format!("{threads:.2}"),
        ]);
        if let Some(row) = recording.row {
            paper_rows(&mut table, row);
        }
    }
    table
}

/// Bars for the scenes: ours by name, and the paper's.
pub fn bars(recordings: &[Recording], ours: Vec<Bars>, title: &str) -> BarChart {
    let of_paper = |name: &str, value: fn(&Row) -> f64| Bars {
        name: name.to_owned(),
        values: recordings.iter().map(|r| r.row.map_or(f64::NAN, value)).collect(),
    };
    let mut bars = ours;
    bars.push(of_paper("kDet, paper", |row| row.kdet.total));
    bars.push(of_paper("gProximity, paper", |row| row.gproximity.total));
    // Short, as there are many; with the size where a scene is there twice.
    let short = |r: &Recording| {
        let name = r.scene.split('-').next().unwrap_or(r.scene);
        let is_alone = recordings.iter().filter(|other| other.scene == r.scene).count() == 1;
        if is_alone { name.to_owned() } else { format!("{name:.5} {}k", (r.triangles() + 500) / 1000) }
    };
    BarChart {
        title: title.to_owned(),
        description: "Bars for each scene: total time per frame here and in the paper.".to_owned(),
        x_label: "scene".to_owned(),
        groups: recordings.iter().map(short).collect(),
        y: Axis::log("time per frame (ms)"),
        bars,
        stacked: false,
    }
}

fn chart(recordings: &[Recording], all: &[Measured]) -> BarChart {
    let ours = |name: &str, values: fn(&Measured) -> &[f64]| Bars {
        name: name.to_owned(),
        values: all.iter().map(|measured| spread(values(measured))[0]).collect(),
    };
    let ours = vec![
        ours("Fracas, one thread", |measured| &measured.total),
        ours("Fracas, all threads", |measured| &measured.threads),
    ];
    bars(recordings, ours, "Table 1: total time per frame")
}
