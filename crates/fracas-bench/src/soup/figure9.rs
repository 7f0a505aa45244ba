//! Figure 9 of the paper: time by number of triangles, and over the steps of a breaking statue.

use super::finder;
use super::paper;
use super::recordings::{Recording, spread};
use super::table1::Measured;
use crate::folder::Folder;
use crate::metric::{Better, Report};
use crate::timing::{Candidate, race};
use fracas::Finder;
use fracas::mesh::{Mesh, shapes};
use fracas::soup::CellTable;
use fracas_plot::{Align, Axis, Line, LineChart, Look, Table};
use std::io;
use std::time::Duration;

/// Folded cloths by size: triangles, and milliseconds of one frame.
pub type Growth = Vec<(usize, f64)>;

/// Time per triangle from small cloths to large ones.
pub fn metrics(report: &mut Report, quick: bool, budget: Duration) -> Growth {
    let few: &[usize] = &[10_000, 250_000, 1_000_000];
    let all: &[usize] = &[10_000, 20_000, 40_000, 90_000, 200_000, 250_000, 500_000, 1_000_000];
    let sizes = if quick { few } else { all };
    let cloths: Vec<Mesh> = sizes.iter().map(|&size| shapes::folded_cloth(size)).collect();
    let mut finders: Vec<Finder> = sizes.iter().map(|_| finder(CellTable::Sorted)).collect();
    let name = |cloth: &Mesh| format!("{} triangles", cloth.triangle_count());
    // Small ones are repeated, so that all have rounds of about the same length and none is favoured by a quiet moment.
    let rounds = |cloth: &Mesh| (1_000_000 / cloth.triangle_count()).clamp(1, 100);
    let mut candidates: Vec<Candidate> = cloths
        .iter()
        .zip(&mut finders)
        .map(|(cloth, finder)| {
            Candidate::new(name(cloth), move || {
                (0..rounds(cloth)).map(|_| finder.find_self_pairs(cloth).len()).sum()
            })
        })
        .collect();
    let timed = race(&mut candidates, budget);
    let ms = |k: usize| timed[k].ms() / rounds(&cloths[k]) as f64;
    let per = |k: usize| ms(k) * 1e6 / cloths[k].triangle_count() as f64;
    report.say("folded cloths of all sizes, one thread");
    for (k, row) in timed.iter().enumerate() {
        report.say(&format!("  {:<18} {:>10.3} ms {:>11.1} ns per triangle", row.name, ms(k), per(k)));
    }
    let last = sizes.len() - 1;
    let note = format!("time per triangle, {} over {}", timed[last].name, timed[0].name);
    report.metric("soup.cpu.growth", per(last) / per(0), "x", Better::Lower, &note);
    (0..sizes.len()).map(|k| (cloths[k].triangle_count(), ms(k))).collect()
}

/// Writes both halves of the figure.
pub fn write(
    report: &Report,
    folder: &mut Folder,
    recordings: &[Recording],
    all: &[Measured],
    growth: &Growth,
) -> io::Result<()> {
    folder.section(
        "Figure 9: scaling",
        &format!(
            "Time by number of triangles. The paper's points are those of its cloth on a Buddha (Table 1, {}); Fracas' are a \
             cloth on a horned animal, and folded cloths of more sizes. The same time per triangle at all sizes is linear time.",
            paper::MACHINE
        ),
    );
    let on_statue: Growth = recordings
        .iter()
        .zip(all)
        .filter(|(recording, _)| recording.scene == "cloth-statue")
        .map(|(recording, measured)| (recording.triangles(), spread(&measured.total)[0]))
        .collect();
    let name = |what: &str| format!("Fracas, {what}, one thread");
    let lines = [(name("folded cloth"), growth.clone()), (name("cloth on a statue"), on_statue)];
    folder.table(report, "figure9_scaling", &scaling_table(&lines))?;
    folder.chart("figure9_scaling", &scaling_chart(&lines).svg(), "Both axes are logarithmic.")?;
    // The largest comes last.
    let mut pairs = recordings.iter().zip(all);
    match pairs.rfind(|(recording, _)| recording.scene == "breaking-statue") {
        Some((statue, measured)) => {
            let lines = [("Fracas, one thread", &measured.total), ("Fracas, all threads", &measured.threads)];
            steps(report, folder, statue, &lines)
        }
        None => Ok(()),
    }
}

/// Total time over the steps of a scene.
pub fn steps(
    report: &Report,
    folder: &mut Folder,
    scene: &Recording,
    lines: &[(&str, &Vec<f64>)],
) -> io::Result<()> {
    let caption = format!(
        "Figure 9, right. Milliseconds per frame of the breaking statue; {} triangles at the end. The paper gives no numbers \
         for its curve; its largest row of Table 1 is 12.2 ms for kDet and 61.7 ms for gProximity, 120,000 triangles.",
        scene.triangles()
    );
    let names = ["step", "triangles"].into_iter().chain(lines.iter().map(|(name, _)| *name));
    let mut table = Table::new(caption, names.map(|name| (name, Align::Right)));
    for (k, moment) in scene.moments.iter().enumerate() {
        let cells = lines.iter().map(|(_, times)| format!("{:.3}", times[k]));
        let first = [moment.step.to_string(), moment.mesh.triangle_count().to_string()];
        table.row(first.into_iter().chain(cells));
    }
    folder.table(report, "figure9_steps", &table)?;
    let line = |(name, times): &(&str, &Vec<f64>)| Line {
        name: (*name).to_owned(),
        points: scene.moments.iter().zip(*times).map(|(moment, &t)| [moment.step as f64, t]).collect(),
        look: Look::Marked,
    };
    let chart = LineChart {
        title: "Figure 9, right: a statue breaks".to_owned(),
        description: "Total time of the frames of the breaking statue.".to_owned(),
        x: Axis::linear("step of the scene"),
        y: Axis::linear("time per frame (ms)").from_zero(),
        lines: lines.iter().map(line).collect(),
    };
    folder.chart(
        "figure9_steps",
        &chart.svg(),
        "The time follows the number of triangles, which grows at the break.",
    )
}

/// Rows of ours by name, and the paper's.
pub fn scaling_table(ours: &[(String, Growth)]) -> Table {
    let head = [
        ("who", Align::Left),
        ("triangles", Align::Right),
        ("time (ms)", Align::Right),
        ("ns per triangle", Align::Right),
    ];
    let mut table = Table::new("Figure 9, left. Total time per frame by number of triangles.", head);
    let mut add = |who: &str, triangles: usize, ms: f64| {
        let per = ms * 1e6 / triangles.max(1) as f64;
        table.row([who.to_owned(), triangles.to_string(), format!("{ms:.3}"), format!("{per:.1}")]);
    };
    for (name, points) in ours {
        points.iter().for_each(|&(triangles, ms)| add(name, triangles, ms));
    }
    paper::figure9().for_each(|(triangles, kdet, _)| add("kDet, cloth on Buddha, paper", triangles, kdet));
    paper::figure9().for_each(|(triangles, _, ms)| add("gProximity, the same, paper", triangles, ms));
    table
}

/// Lines of ours by name, and the paper's.
pub fn scaling_chart(ours: &[(String, Growth)]) -> LineChart {
    let line = |(name, points): &(String, Growth)| Line {
        name: name.clone(),
        points: points.iter().map(|&(triangles, ms)| [triangles as f64, ms]).collect(),
        look: Look::Marked,
    };
    let mut lines: Vec<Line> = ours.iter().map(line).collect();
    let of_paper = |name: &str, value: fn((usize, f64, f64)) -> f64| Line {
        name: name.to_owned(),
        points: paper::figure9().map(|point| [point.0 as f64, value(point)]).collect(),
        look: Look::Dashed,
    };
    lines.push(of_paper("kDet, paper", |point| point.1));
    lines.push(of_paper("gProximity, paper", |point| point.2));
    LineChart {
        title: "Figure 9, left: time by number of triangles".to_owned(),
        description: "Total time per frame by number of triangles, here and in the paper.".to_owned(),
        x: Axis::log("triangles"),
        y: Axis::log("time per frame (ms)"),
        lines,
    }
}
