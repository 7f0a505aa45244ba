//! Time per body from few bodies to many, at equal density.

use super::parts::{cube, motion, ours, part, poses};
use super::{Contestant, play};
use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::MeshTree;
use fracas_plot::{Align, Axis, Line, LineChart, Look, Table};
use std::io;
use std::sync::Arc;

pub(super) fn run(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    folder.section(
        "Growth",
        "The same parts, all of which move in every frame, at the same density, in a cube: microseconds for each body and frame.",
    );
    let counts: &[usize] =
        if quick { &[1_000, 4_000, 10_000] } else { &[1_000, 2_000, 5_000, 10_000, 20_000, 50_000] };
    let tree = Arc::new(MeshTree::build(part()));
    let frames = if quick { 4 } else { 8 };
    let head = ["bodies", "touch", "touch per body", "ms per frame", "µs per body"];
    let mut table = Table::new("One thread, best of several.", head.map(|name| (name, Align::Right)));
    let all: Vec<_> = counts.iter().map(|&count| poses(&motion(cube(count), count, frames))).collect();
    let tree = &tree;
    let contestants: Vec<_> =
        all.iter().map(|poses| Contestant::new("world", move || ours(tree, poses))).collect();
    let played = play(&contestants, frames, if quick { 3 } else { 5 });
    // The first frame makes lists grow; it happens once.
    let ms = |seconds: &[f64]| seconds[1..].iter().sum::<f64>() * 1e3 / (frames - 1) as f64;
    let mut points = vec![];
    for (&count, played) in counts.iter().zip(&played) {
        let (ms, touch) = (ms(&played.seconds), played.found[frames - 1].len());
        let each = ms * 1e3 / count as f64;
        points.push([count as f64, each]);
        let share = format!("{:.2}", touch as f64 / count as f64);
        table.row([count.to_string(), touch.to_string(), share, format!("{ms:.3}"), format!("{each:.3}")]);
    }
    folder.table(report, "growth", &table)?;
    let chart = LineChart {
        title: "Time per body".to_owned(),
        description: "Time of a step for each body, by the number of bodies.".to_owned(),
        x: Axis::log("bodies"),
        y: Axis::linear("µs per body and step").from_zero(),
        lines: vec![Line {
            name: "world, one thread".to_owned(),
            points: points.clone(),
            look: Look::Marked,
        }],
    };
    folder.chart("growth", &chart.svg(), "Equal density: a body touches as many others at every size.")?;
    let last = points.len() - 1;
    let note = format!(
        "time per body and step, {} bodies over {}; a body at the rim of the cube has fewer neighbours",
        counts[last], counts[0]
    );
    report.metric("world.growth", points[last][1] / points[0][1], "x", Better::Lower, &note);
    Ok(())
}
