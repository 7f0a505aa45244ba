//! Table 1 of the paper: a cut in eleven steps through a body of three sizes.

use super::edits::Cut;
use super::{mean_ms, paper};
use crate::folder::Folder;
use crate::metric::Report;
use fracas_plot::{Align, Axis, BarChart, Bars, Table};
use std::io;

/// Measures the smaller sizes beside the one that is there already, and writes the table.
pub fn write(report: &Report, folder: &mut Folder, largest: &Cut, quick: bool) -> io::Result<()> {
    let runs = if quick { 5 } else { 15 };
    let is_smaller = |size: &usize| *size < largest.size;
    let smaller: Vec<Cut> = paper::TABLE
        .iter()
        .map(|row| row.first)
        .filter(is_smaller)
        .map(|size| Cut::measure(size, runs))
        .collect();
    let cuts: Vec<&Cut> = smaller.iter().chain([largest]).collect();
    let last = &paper::TABLE[2];
    folder.section(
        "Table 1: following a cut, or rebuilding",
        &format!(
            "A horned animal is parted by a plane in 11 steps while its vertices stay. The paper refits and optimises \
             its whole tree in each step: {:.2} of {:.2} ms at its largest size. Fracas works on the paths above the \
             change alone.",
            last.refit + last.optimise,
            last.total
        ),
    );
    folder.table(report, "table1", &table(&cuts))?;
    folder.chart(
        "table1",
        &chart(&cuts).svg(),
        &format!(
            "Mean time per step. The paper's figures are those of its Table 1, on a {}.",
            paper::MACHINE
        ),
    )
}

fn table(cuts: &[&Cut]) -> Table {
    let head = [
        ("triangles", Align::Right),
        ("who", Align::Left),
        ("at the end", Align::Right),
        ("T_old", Align::Right),
        ("T_decomp", Align::Right),
        ("T_crack", Align::Right),
        ("edit", Align::Right),
        ("obvhs edit", Align::Right),
        ("parry edit", Align::Right),
        ("fast rebuild", Align::Right),
        ("median rebuild", Align::Right),
        ("median : edit", Align::Right),
    ];
    let caption = format!(
        "Table 1. Triangles per step and milliseconds per step, the edit of the mesh included on all sides but the paper's. The fast rebuild is midpoint splitting in the paper and \
         obvhs' fastest preset here. Paper: {}.",
        paper::MACHINE
    );
    let mut table = Table::new(caption, head);
    for cut in cuts {
        let [out, decomposed, crack] = cut.script.mean_kinds();
        let edit = mean_ms(&cut.fracas);
        table.row([
            cut.script.mesh.triangle_count().to_string(),
            "Fracas".to_owned(),
            cut.script.end.live_count().to_string(),
            format!("{out:.1}"),
            format!("{decomposed:.1}"),
            format!("{crack:.1}"),
            format!("{edit:.4}"),
            format!("{:.4}", mean_ms(&cut.obvhs)),
            format!("{:.4}", mean_ms(&cut.parry)),
            format!("{:.3}", cut.fastest_rebuild),
            format!("{:.3}", cut.median_rebuild),
            format!("{:.0}", cut.median_rebuild / edit),
        ]);
        if let Some(row) = paper::TABLE.iter().find(|row| row.first == cut.size) {
            table.row([
                row.first.to_string(),
                "paper".to_owned(),
                row.last.to_string(),
                format!("{:.1}", row.old),
                format!("{:.1}", row.decomposed),
                format!("{:.1}", row.crack),
                format!("{:.2}", row.total),
                "–".to_owned(),
                "–".to_owned(),
                format!("{:.2}", row.midpoint),
                format!("{:.2}", row.median),
                format!("{:.1}", row.median / row.total),
            ]);
        }
    }
    table
}

fn chart(cuts: &[&Cut]) -> BarChart {
    let of_paper = |cut: &&Cut, value: fn(&paper::Row) -> f64| {
        paper::TABLE.iter().find(|row| row.first == cut.size).map_or(f64::NAN, value)
    };
    let bars = |name: &str, value: &dyn Fn(&&Cut) -> f64| Bars {
        name: name.to_owned(),
        values: cuts.iter().map(value).collect(),
    };
    BarChart {
        title: "Table 1: time per step of a cut".to_owned(),
        description:
            "Bars for each size: edits of Fracas, obvhs and parry, rebuilds, and the paper's figures."
                .to_owned(),
        x_label: "triangles".to_owned(),
        groups: cuts.iter().map(|cut| cut.script.mesh.triangle_count().to_string()).collect(),
        y: Axis::log("time per step (ms)"),
        bars: vec![
            bars("Fracas edit", &|cut| mean_ms(&cut.fracas)),
            bars("obvhs edit", &|cut| mean_ms(&cut.obvhs)),
            bars("parry edit", &|cut| mean_ms(&cut.parry)),
            bars("obvhs fastest rebuild", &|cut| cut.fastest_rebuild),
            bars("our median rebuild", &|cut| cut.median_rebuild),
            bars("paper: restructuring", &|cut| of_paper(cut, |row| row.total)),
            bars("paper: median rebuild", &|cut| of_paper(cut, |row| row.median)),
        ],
        stacked: false,
    }
}
