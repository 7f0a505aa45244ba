//! Tables and charts of all stages.

use super::stage::Row;
use super::{Setting, meshes, short};
use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas_plot::{Align, Axis, Line, LineChart, Look, Table};
use std::collections::BTreeSet;
use std::io;

pub fn write(report: &mut Report, folder: &mut Folder, setting: &Setting, rows: &[Row]) -> io::Result<()> {
    folder.section(
        "Stages",
        "Milliseconds by number of threads, best of several. Speed-up: time on one thread over that on the most. Bytes: what a \
         stage reads and writes at least. Share: those bytes by the time, over the bandwidth that copy or triad of STREAM reach \
         with the same number of threads in the same run; a lower bound, as no stage moves so little.",
    );
    let sizes: BTreeSet<usize> = rows.iter().map(|row| row.size).collect();
    for size in sizes {
        let of_size: Vec<&Row> = rows.iter().filter(|row| row.size == size).collect();
        let name = format!("stages_{}", short(size));
        folder.table(report, &name, &table(setting, size, &of_size))?;
        if setting.pools.counts().len() > 1 {
            let chart = speedups(setting, size, &of_size);
            folder.chart(&name, &chart.svg(), "Dashed: as many times faster as there are threads.")?;
        }
    }
    metrics(report, setting, rows);
    Ok(())
}

fn table(setting: &Setting, size: usize, rows: &[&Row]) -> Table {
    let counts = setting.pools.counts();
    let threads: Vec<String> =
        counts.iter().map(|&n| if n == 1 { "1 thread".to_owned() } else { n.to_string() }).collect();
    let head = [("stage", Align::Left)].into_iter();
    let head = head.chain(threads.iter().map(|name| (&name[..], Align::Right)));
    let last = ["speed-up", "MB", "GB/s", "share of bandwidth"];
    let mut table =
        Table::new(format!("{} triangles.", short(size)), head.chain(last.map(|name| (name, Align::Right))));
    for row in rows {
        let (most, ms) = *row.ms.last().expect("a number of threads");
        let shown = |number: Option<f64>| number.map_or("–".to_owned(), |number| format!("{number:.2}"));
        let times = counts.iter().map(|&threads| shown(row.at(threads)));
        let speedup = shown(row.speedup(most).filter(|_| most > 1));
        let known = |number: f64, digits: usize| match number.is_nan() {
            true => "–".to_owned(),
            false => format!("{number:.digits$}"),
        };
        let moved = [known(row.bytes / 1e6, 0), known(row.bytes / ms / 1e6, 1), row.share(setting)];
        let rest = [speedup].into_iter().chain(moved);
        table.row([row.about.clone()].into_iter().chain(times).chain(rest));
    }
    table
}

fn speedups(setting: &Setting, size: usize, rows: &[&Row]) -> LineChart {
    let counts = setting.pools.counts();
    let ideal = Line {
        name: "as many times as threads".to_owned(),
        points: counts.iter().map(|&n| [n as f64, n as f64]).collect(),
        look: Look::Dashed,
    };
    let line = |row: &&Row| Line {
        name: row.about.trim().to_owned(),
        points: counts.iter().filter_map(|&n| Some([n as f64, row.speedup(n)?])).collect(),
        look: Look::Marked,
    };
    LineChart {
        title: format!("Speed-up, {} triangles", short(size)),
        description: "How many times faster each stage is with more threads.".to_owned(),
        x: Axis::log("threads"),
        y: Axis::log("time on one thread / time"),
        lines: std::iter::once(ideal)
            .chain(rows.iter().filter(|row| row.name != meshes::PART).map(line))
            .collect(),
    }
}

/// The speed-up of each stage and size, on two threads and on the most.
fn metrics(report: &mut Report, setting: &Setting, rows: &[Row]) {
    let most = *setting.pools.counts().last().expect("a number of threads");
    for row in rows.iter().filter(|row| !row.name.contains("obvhs") && row.name != meshes::PART) {
        for (threads, suffix) in [(2, "2"), (most, "")] {
            let (Some(speedup), Some(one), Some(ms)) = (row.speedup(threads), row.at(1), row.at(threads))
            else {
                continue;
            };
            if threads == 1 || suffix == "2" && most == 2 {
                continue;
            }
            let share = 100.0 * setting.bandwidth.share(row.bytes, ms, threads);
            let note = format!(
                "{} triangles, {threads} threads: {one:.1} → {ms:.1} ms, at least {share:.0} % of the bandwidth",
                short(row.size)
            );
            let name = format!("cores.{}.speedup{suffix}", row.name);
            report.metric(&name, speedup, "x", Better::Higher, &note);
        }
    }
}
