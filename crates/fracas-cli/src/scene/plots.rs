//! The charts of a run as SVG: time by phase, and the counters that tell how it went.

use fracas_frames::{Column, Header};
use fracas_plot::{Axis, Line, LineChart, Look};

/// Counters that get a chart, and what its axis says.
const COUNTERS: [(&str, &str); 6] = [
    ("pairs", "pairs of triangles that pass through each other"),
    ("contacts", "contacts"),
    ("pieces", "fragments"),
    ("q", "Q: squared volumes of all boxes over those of the roots"),
    ("depth", "depth of the trees"),
    ("triangles", "triangles"),
];

/// All charts of a run, with the names of their files.
#[must_use]
pub fn charts(header: &Header) -> Vec<(String, String)> {
    let mut charts = Vec::new();
    if !header.phases.is_empty() {
        let lines = header.phases.iter().flat_map(|phase| lines(header, phase, &phase.name, 1)).collect();
        charts.push(chart(header, "times", "time of each phase", Axis::log("time (ms)"), lines));
    }
    for (name, label) in COUNTERS {
        if let Some(column) = header.counters.iter().find(|column| column.name == name) {
            let axis = Axis::linear(label).from_zero();
            charts.push(chart(header, name, label, axis, lines(header, column, name, 0)));
        }
    }
    charts
}

/// The numbers of a column over the steps from one on, and what others have reported.
fn lines(header: &Header, column: &Column, name: &str, from: usize) -> Vec<Line> {
    let points = header.steps.iter().zip(&column.values).skip(from);
    let points: Vec<[f64; 2]> = points.filter_map(|(&step, value)| Some([step as f64, (*value)?])).collect();
    let ends = [points.first(), points.last()].map(|point| point.map_or(0.0, |point| point[0]));
    let mut lines = vec![Line { name: name.to_owned(), points, look: Look::Thin }];
    for reported in header.about.reported.iter().filter(|reported| reported.column == column.name) {
        lines.push(Line {
            name: reported.label.clone(),
            points: ends.map(|x| [x, reported.value]).to_vec(),
            look: Look::Dashed,
        });
    }
    lines
}

fn chart(header: &Header, file: &str, what: &str, y: Axis, lines: Vec<Line>) -> (String, String) {
    let chart = LineChart {
        title: format!("{}: {what}", header.about.title),
        description: format!("{what}, step by step"),
        x: Axis::linear("step"),
        y,
        lines,
    };
    (format!("{file}.svg"), chart.svg())
}
