//! Figures 18, 19, 21 and 22 of the paper as tables and charts.

use super::reported::{self, MACHINE, speed_up};
use super::total::{Parts, Total};
use super::update::{Kept, Spheres, Update};
use crate::folder::Folder;
use crate::metric::Report;
use fracas_plot::{Align, Axis, Line, LineChart, Look, Table};
use std::io;

/// Events and updates of one scene in several sizes.
pub fn events(
    report: &Report,
    folder: &mut Folder,
    name: &str,
    caption: &str,
    rows: &[Update],
    paper: bool,
) -> io::Result<()> {
    let head = [
        "triangles",
        "nodes",
        "frames",
        "AABB events",
        "AABB updates",
        "BoxTree events",
        "BoxTree updates",
        "bottom-up values",
        "bottom-up : AABB",
    ];
    let mut table = Table::new(caption, head.map(|name| (name, Align::Right)));
    for row in rows {
        let [aabb, planes] = [row.aabb.stats, row.box_tree.stats];
        let counts = [aabb.events(), aabb.updates, planes.events(), planes.updates];
        let mut cells = vec![row.triangles.to_string(), row.nodes.to_string(), row.frames.to_string()];
        cells.extend(counts.map(|count| format!("{:.1}", row.per_frame(count as f64))));
        cells.push(format!("{:.0}", row.per_frame(row.bottom_up_values())));
        cells.push(format!("{:.1}", row.bottom_up_values() / aabb.updates as f64));
        table.row(cells);
    }
    if paper {
        let [events, updates, values] = {
            use reported::tablecloth::{BOTTOM_UP_UPDATES, EVENTS, UPDATES};
            [EVENTS, UPDATES, BOTTOM_UP_UPDATES]
        };
        table.row(
            ["paper, 16k", "–", "–", &events.to_string(), &updates.to_string(), "fewer", "fewer"]
                .map(str::to_owned)
                .into_iter()
                .chain([values.to_string(), (values / updates).to_string()]),
        );
    }
    folder.table(report, name, &table)?;
    let line = |name: &str, value: &dyn Fn(&Update) -> f64| over_triangles(name, rows, value);
    let chart = LineChart {
        title: "Events and updates per frame".to_owned(),
        description: "Events and updates per frame against the number of triangles.".to_owned(),
        x: Axis::log("triangles"),
        y: Axis::log("per frame"),
        lines: vec![
            line("kinetic AABB tree, events", &|row| row.per_frame(row.aabb.stats.events() as f64)),
            line("kinetic AABB tree, updates", &|row| row.per_frame(row.aabb.stats.updates as f64)),
            line("kinetic BoxTree, events", &|row| row.per_frame(row.box_tree.stats.events() as f64)),
            line("kinetic BoxTree, updates", &|row| row.per_frame(row.box_tree.stats.updates as f64)),
            line("bottom-up, values", &|row| row.per_frame(row.bottom_up_values())),
        ],
    };
    folder.chart(name, &chart.svg(), &about(rows))
}

/// Times of updates of one scene in several sizes.
pub fn update_times(
    report: &Report,
    folder: &mut Folder,
    name: &str,
    caption: &str,
    rows: &[Update],
    paper: f64,
) -> io::Result<()> {
    let mut table = Table::new(caption, UPDATE_HEAD.map(|name| (name, Align::Right)));
    rows.iter().for_each(|row| table.row(update_cells(row)));
    table.row(paper_row(UPDATE_HEAD.len(), 7, paper));
    folder.table(report, name, &table)?;
    let chart = LineChart {
        title: "Time of an update".to_owned(),
        description: "Time of an update per frame against the number of triangles.".to_owned(),
        x: Axis::log("triangles"),
        y: Axis::log("time per frame (ms)"),
        lines: update_lines(rows, |row| row.triangles as f64),
    };
    folder.chart(name, &chart.svg(), &about(rows))
}

/// Times of updates of one body at several frame rates.
pub fn update_rates(
    report: &Report,
    folder: &mut Folder,
    name: &str,
    caption: &str,
    rows: &[Update],
) -> io::Result<()> {
    let mut table = Table::new(caption, UPDATE_HEAD.map(|name| (name, Align::Right)));
    rows.iter().for_each(|row| table.row(update_cells(row)));
    folder.table(report, name, &table)?;
    let chart = LineChart {
        title: "Time of an update, by frames per key".to_owned(),
        description: "Time of an update per frame against the number of frames per key.".to_owned(),
        x: Axis::log("frames per key"),
        y: Axis::log("time per frame (ms)"),
        lines: update_lines(rows, |row| row.frames_per_key as f64),
    };
    folder.chart(name, &chart.svg(), &about(rows))
}

const UPDATE_HEAD: [&str; 10] = [
    "triangles",
    "frames per key",
    "AABB ms",
    "BoxTree ms",
    "interpolation ms",
    "bottom-up ms",
    "our refit ms",
    "bottom-up : AABB",
    "crossover with our refit",
    "ns per event",
];

fn update_cells(row: &Update) -> Vec<String> {
    let times = [row.aabb.seconds, row.box_tree.seconds, row.interpolation, row.bottom_up, row.vector_refit];
    let mut cells = vec![row.triangles.to_string(), row.frames_per_key.to_string()];
    cells.extend(times.map(|time| format!("{:.4}", row.ms(time))));
    cells.push(format!("{:.2}", row.speed_up()));
    cells.push(format!("{:.1}", row.crossover()));
    cells.push(format!("{:.0}", ns_per_event(&row.aabb)));
    cells
}

/// Nanoseconds of all work of a kinetic tree, renewals included, by event.
pub fn ns_per_event(kept: &Kept) -> f64 {
    kept.seconds * 1e9 / kept.stats.events().max(1) as f64
}

fn update_lines(rows: &[Update], x: fn(&Update) -> f64) -> Vec<Line> {
    let line = |name: &str, seconds: &dyn Fn(&Update) -> f64| Line {
        name: name.to_owned(),
        points: rows.iter().map(|row| [x(row), row.ms(seconds(row))]).collect(),
        look: Look::Marked,
    };
    vec![
        line("kinetic AABB tree", &|row| row.aabb.seconds),
        line("kinetic BoxTree", &|row| row.box_tree.seconds),
        line("interpolation, bottom-up", &|row| row.interpolation + row.bottom_up),
        line("interpolation, our refit", &|row| row.interpolation + row.vector_refit),
    ]
}

/// Times of updates while plans change.
pub fn spheres(report: &Report, folder: &mut Folder, rows: &[Spheres]) -> io::Result<()> {
    let head = [
        "triangles",
        "plan updates per frame",
        "AABB events",
        "BoxTree events",
        "AABB ms",
        "BoxTree ms",
        "motion ms",
        "bottom-up ms",
        "bottom-up : AABB",
    ];
    let caption = format!(
        "Figure 19, left. Expanding spheres whose colliding triangles turn back; per frame, both spheres. Paper: {MACHINE}."
    );
    let mut table = Table::new(caption, head.map(|name| (name, Align::Right)));
    for row in rows {
        let per_frame = |count: u64| format!("{:.1}", count as f64 / row.frames as f64);
        let ms = |seconds: f64| format!("{:.4}", row.ms(seconds));
        let planes = |cell: &dyn Fn(&Kept) -> String| row.box_tree.as_ref().map_or("–".to_owned(), cell);
        let mut cells = vec![
            row.triangles.to_string(),
            per_frame(row.plan_updates as u64),
            per_frame(row.aabb.stats.events()),
            planes(&|kept| per_frame(kept.stats.events())),
            ms(row.aabb.seconds),
            planes(&|kept| ms(kept.seconds)),
            ms(row.interpolation),
            ms(row.bottom_up),
        ];
        cells.push(format!("{:.2}", row.speed_up()));
        table.row(cells);
    }
    table.row(paper_row(head.len(), 8, speed_up::SPHERES));
    folder.table(report, "figure19_spheres", &table)?;
    let line = |name: &str, seconds: &dyn Fn(&Spheres) -> f64| Line {
        name: name.to_owned(),
        points: rows.iter().map(|row| [row.triangles as f64, row.ms(seconds(row))]).collect(),
        look: Look::Marked,
    };
    let chart = LineChart {
        title: "Expanding spheres: time of an update".to_owned(),
        description: "Time of an update per frame against the number of triangles.".to_owned(),
        x: Axis::log("triangles"),
        y: Axis::log("time per frame (ms)"),
        lines: vec![
            line("kinetic AABB tree", &|row| row.aabb.seconds),
            line("kinetic BoxTree", &|row| row.box_tree.map_or(f64::NAN, |kept| kept.seconds)),
            line("motion, bottom-up", &|row| row.interpolation + row.bottom_up),
        ],
    };
    folder.chart("figure19_spheres", &chart.svg(), "Flight-plan updates included.")
}

/// Along which axis totals are shown.
#[derive(Clone, Copy)]
pub enum Over {
    Triangles,
    FramesPerKey,
}

/// Times of updates and checks together.
pub fn totals(
    report: &Report,
    folder: &mut Folder,
    name: &str,
    caption: &str,
    rows: &[Total],
    over: Over,
    paper: Option<f64>,
) -> io::Result<()> {
    let head = [
        "triangles",
        "frames per key",
        "leaves",
        "bottom-up: interpolation, update, check",
        "AABB: update, check",
        "BoxTree: update, check",
        "list: update, check",
        "triangles",
        "bottom-up : AABB",
        "bottom-up : list",
        "list, triangles counted",
    ];
    let mut table = Table::new(caption, head.map(|name| (name, Align::Right)));
    for row in rows {
        let two = |parts: &Parts| format!("{:.3}, {:.3}", row.ms(parts.update), row.ms(parts.check));
        let others = row.bottom_up.boxes();
        table.row([
            format!("{} + {}", row.triangles[0], row.triangles[1]),
            row.frames_per_key.to_string(),
            format!("{:.0}", row.list.pairs as f64 / row.frames as f64),
            format!("{:.3}, {}", row.ms(row.bottom_up.interpolation), two(&row.bottom_up)),
            two(&row.aabb),
            two(&row.box_tree),
            two(&row.list),
            format!("{:.3}", row.ms(row.bottom_up.triangles)),
            format!("{:.2}", others / row.aabb.boxes()),
            format!("{:.2}", row.list_speed_up()[0]),
            format!("{:.2}", row.list_speed_up()[1]),
        ]);
    }
    if let Some(paper) = paper {
        table.row(paper_row(head.len(), 10, paper));
    }
    folder.table(report, name, &table)?;
    let line = |name: &str, parts: fn(&Total) -> &Parts| Line {
        name: name.to_owned(),
        points: rows
            .iter()
            .map(|row| {
                let x = match over {
                    Over::Triangles => row.triangles[0],
                    Over::FramesPerKey => row.frames_per_key,
                };
                [x as f64, row.ms(parts(row).boxes())]
            })
            .collect(),
        look: Look::Marked,
    };
    let label = match over {
        Over::Triangles => "triangles of the cloth",
        Over::FramesPerKey => "frames per key",
    };
    let chart = LineChart {
        title: "Time of update and check".to_owned(),
        description: format!("Time of update and check per frame against {label}."),
        x: Axis::log(label),
        y: Axis::log("time per frame (ms)"),
        lines: vec![
            line("separation list", |row| &row.list),
            line("kinetic AABB tree", |row| &row.aabb),
            line("kinetic BoxTree", |row| &row.box_tree),
            line("interpolation, bottom-up", |row| &row.bottom_up),
        ],
    };
    let words = "Down to pairs of leaves whose boxes overlap; exact tests of their triangles, the same on all sides, are left out.";
    folder.chart(name, &chart.svg(), words)
}

/// What separation lists did.
pub fn list_events(report: &Report, folder: &mut Folder, name: &str, rows: &[Total]) -> io::Result<()> {
    let head = [
        "triangles",
        "listed at the end",
        "BV overlap",
        "fathers do not overlap",
        "leaves do not overlap",
        "BV change",
        "looked at again",
        "boxes compared bottom-up",
        "by the BoxTree",
    ];
    let caption = "Events of the separation list per frame, and the pairs of boxes that Algorithm 2 compares per frame.";
    let mut table = Table::new(caption, head.map(|name| (name, Align::Right)));
    for row in rows {
        let stats = row.list_stats;
        let counts = [
            stats.bv_overlap,
            stats.fathers_apart,
            stats.leaves_apart,
            stats.bv_change,
            stats.rechecks,
            row.bottom_up.compared,
            row.box_tree.compared,
        ];
        let mut cells = vec![format!("{} + {}", row.triangles[0], row.triangles[1]), row.listed.to_string()];
        cells.extend(counts.map(|count| format!("{:.1}", count as f64 / row.frames as f64)));
        table.row(cells);
    }
    folder.table(report, name, &table)
}

fn over_triangles(name: &str, rows: &[Update], value: &dyn Fn(&Update) -> f64) -> Line {
    Line {
        name: name.to_owned(),
        points: rows.iter().map(|row| [row.triangles as f64, value(row)]).collect(),
        look: Look::Marked,
    }
}

/// A row that holds nothing but a speed-up.
fn paper_row(columns: usize, at: usize, speed_up: f64) -> Vec<String> {
    let mut cells = vec!["–".to_owned(); columns];
    cells[0] = "paper".to_owned();
    cells[at] = format!("about {speed_up}");
    cells
}

/// How much bodies move.
fn about(rows: &[Update]) -> String {
    let row = |row: &Update| {
        format!("{} triangles: {} intervals between keys, {}", row.triangles, row.intervals, row.way)
    };
    format!("{}. Paper: {MACHINE}.", rows.iter().map(row).collect::<Vec<_>>().join("; "))
}
