//! Figure 7 of the paper: time, Q and depth of the tree over the steps of a cut.

use super::contestants::{Contestant, Obvhs, Parry};
use super::edits::{Cut, bare};
use super::{ms, paper};
use crate::folder::Folder;
use crate::metric::Report;
use crate::peers;
use fracas::mesh::{LiveMesh, TriangleId};
use fracas::tearing::{Metric, TearingBody, TearingBuild, TearingOptions};
use fracas_plot::{Align, Axis, Line, LineChart, Look, Table};
use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

/// A tree after each step, the first entry being before any: Q and depth.
struct Course {
    name: &'static str,
    look: Look,
    q: Vec<f64>,
    depth: Vec<f64>,
}

/// Writes the figure for a cut whose edits are timed already.
pub fn write(report: &Report, folder: &mut Folder, cut: &Cut, quick: bool) -> io::Result<()> {
    let [median, fastest] = rebuild_times(cut, if quick { 2 } else { 5 });
    let courses = courses(cut);
    folder.section(
        "Figure 7: time, Q and depth over the cut",
        "Q is the sum of squared volumes of all boxes over that of the root (equation 4 of the paper): small is good. It \
         is the paper's measure and not what makes queries fast; Fracas keeps the areas of boxes small unless told \
         otherwise.",
    );
    folder.table(report, "figure7_time", &time_table(cut, [&median, &fastest]))?;
    let size = cut.script.mesh.triangle_count();
    let beside = format!("Dashed: means of the paper's Table 1 on a {}.", paper::MACHINE);
    folder.chart("figure7_time", &time_chart(cut, [&median, &fastest]).svg(), &beside)?;
    let note = format!(
        "{size} triangles. The paper gives its curves without numbers; it reports that permutations improve Q by about \
         30 %. A tree by the paper's options has median splits, squared volumes, and no rebuild."
    );
    let caption = "Figure 7, middle. Q after each step; 0 is before the first.";
    folder.table(report, "figure7_q", &course_table(caption, &courses, |c, k| format!("{:.3}", c.q[k])))?;
    folder.chart("figure7_q", &course_chart("Q of the tree", "Q", &courses, |c| &c.q).svg(), &note)?;
    let note = "The paper's midpoint trees end nearly three times as deep as its balanced ones. Trees of obvhs and \
                parry are not balanced.";
    let caption = "Figure 7, right. Depth after each step; 0 is before the first.";
    folder.table(report, "figure7_depth", &course_table(caption, &courses, |c, k| c.depth[k].to_string()))?;
    folder.chart(
        "figure7_depth",
        &course_chart("Depth of the tree", "depth (levels)", &courses, |c| &c.depth).svg(),
        note,
    )
}

/// Milliseconds of rebuilds after each step, the edit of the mesh included: our medians, obvhs' fastest.
fn rebuild_times(cut: &Cut, runs: usize) -> [Vec<f64>; 2] {
    let options = TearingOptions { build: TearingBuild::Median, ..bare() };
    let mut body = TearingBody::build_with(cut.script.mesh.clone(), options);
    let mut times = [Vec::new(), Vec::new()];
    for (step, &mesh) in cut.script.steps.iter().zip(&cut.mesh) {
        body.apply(&step.edit).expect("recorded edits are good");
        let triangles: Vec<TriangleId> = body.mesh().live_triangles().collect();
        let mut best = [Duration::MAX; 2];
        for _ in 0..runs {
            let begin = Instant::now();
            body.rebuild();
            best[0] = best[0].min(begin.elapsed());
            let begin = Instant::now();
            let boxes = triangles.iter().map(|&t| body.mesh().triangle(t));
            black_box(peers::obvhs::build_over(boxes, obvhs::BvhBuildParams::fastest_build()));
            best[1] = best[1].min(begin.elapsed());
        }
        times.iter_mut().zip(best).for_each(|(times, best)| times.push(ms(best + mesh)));
    }
    times
}

fn courses(cut: &Cut) -> Vec<Course> {
    let paper = TearingOptions { build: TearingBuild::Median, metric: Metric::SquaredVolume, ..bare() };
    let kept = TearingOptions { separate: false, ..TearingOptions::default() };
    let median = TearingOptions { build: TearingBuild::Median, ..bare() };
    let mut courses = vec![
        ours(cut, "Fracas, with upkeep", Look::Marked, kept, false),
        ours(cut, "Fracas, edits alone", Look::Marked, bare(), false),
        ours(cut, "Fracas, the paper's options", Look::Marked, paper, false),
        ours(cut, "rebuilt by area", Look::Dashed, bare(), true),
        ours(cut, "rebuilt by medians", Look::Dashed, median, true),
    ];
    let mut obvhs = Obvhs::new(&cut.script);
    let measure = |tree: &Obvhs| peers::obvhs::quality(&tree.0);
    courses.push(theirs(cut, "obvhs", &mut obvhs, &measure));
    let mut parry = Parry::new(&cut.script);
    let measure = |tree: &Parry| peers::parry::quality(&tree.bvh);
    courses.push(theirs(cut, "parry", &mut parry, &measure));
    courses
}

fn ours(cut: &Cut, name: &'static str, look: Look, options: TearingOptions, rebuild: bool) -> Course {
    let mut body = TearingBody::build_with(cut.script.mesh.clone(), options);
    let mut course = Course { name, look, q: Vec::new(), depth: Vec::new() };
    let note = |course: &mut Course, body: &TearingBody| {
        let quality = body.quality();
        course.q.push(quality.q.unwrap_or(f64::NAN));
        course.depth.push(quality.depth as f64);
    };
    note(&mut course, &body);
    for step in &cut.script.steps {
        body.apply(&step.edit).expect("recorded edits are good");
        if rebuild {
            body.rebuild();
        }
        note(&mut course, &body);
    }
    course
}

fn theirs<T: Contestant>(
    cut: &Cut,
    name: &'static str,
    tree: &mut T,
    measure: &dyn Fn(&T) -> [f64; 2],
) -> Course {
    let mut course = Course { name, look: Look::Marked, q: Vec::new(), depth: Vec::new() };
    let mut mesh = LiveMesh::new(cut.script.mesh.clone());
    let mut note = |tree: &T| {
        let [q, depth] = measure(tree);
        course.q.push(q);
        course.depth.push(depth);
    };
    note(tree);
    for step in &cut.script.steps {
        mesh.apply(&step.edit).expect("recorded edits are good");
        tree.follow(&mesh, step);
        note(tree);
    }
    course
}

fn time_table(cut: &Cut, [median, fastest]: [&[f64]; 2]) -> Table {
    let names =
        ["step", "Fracas edit", "obvhs edit", "parry edit", "obvhs fastest rebuild", "our median rebuild"];
    let caption = format!(
        "Figure 7, left. Milliseconds of each step of the cut through {} triangles, mesh and tree.",
        cut.script.mesh.triangle_count()
    );
    let mut table = Table::new(caption, names.map(|name| (name, Align::Right)));
    for (step, &ours) in cut.fracas.iter().enumerate() {
        let mut row = vec![(step + 1).to_string()];
        row.extend([ours, cut.obvhs[step], cut.parry[step]].map(|t| format!("{:.4}", ms(t))));
        row.extend([fastest[step], median[step]].map(|t| format!("{t:.3}")));
        table.row(row);
    }
    table
}

fn course_table(caption: &str, courses: &[Course], cell: fn(&Course, usize) -> String) -> Table {
    let head = ["step"].into_iter().chain(courses.iter().map(|course| course.name));
    let mut table = Table::new(caption, head.map(|name| (name, Align::Right)));
    for step in 0..courses[0].q.len() {
        let cells = courses.iter().map(|course| cell(course, step));
        table.row([step.to_string()].into_iter().chain(cells));
    }
    table
}

fn time_chart(cut: &Cut, [median, fastest]: [&[f64]; 2]) -> LineChart {
    let line = |name: &str, times: &[f64]| Line {
        name: name.to_owned(),
        points: times.iter().enumerate().map(|(k, &t)| [k as f64 + 1.0, t]).collect(),
        look: Look::Marked,
    };
    let all = |times: &[Duration]| times.iter().map(|&t| ms(t)).collect::<Vec<_>>();
    let mut lines = vec![
        line("Fracas edit", &all(&cut.fracas)),
        line("obvhs edit", &all(&cut.obvhs)),
        line("parry edit", &all(&cut.parry)),
        line("obvhs fastest rebuild", fastest),
        line("our median rebuild", median),
    ];
    let steps = cut.script.steps.len() as f64;
    let size = cut.script.mesh.triangle_count();
    if let Some(row) = paper::TABLE.iter().find(|row| row.first == cut.size) {
        let flat = |name: &str, value: f64| Line {
            name: name.to_owned(),
            points: vec![[1.0, value], [steps, value]],
            look: Look::Dashed,
        };
        lines.push(flat("paper: restructuring", row.total));
        lines.push(flat("paper: median rebuild", row.median));
    }
    LineChart {
        title: format!("Time of each step, {size} triangles"),
        description: "Time of edits and of rebuilds in each step of the cut, on a logarithmic axis."
            .to_owned(),
        x: Axis::linear("step of the cut"),
        y: Axis::log("time (ms)"),
        lines,
    }
}

fn course_chart(title: &str, y: &str, courses: &[Course], values: fn(&Course) -> &Vec<f64>) -> LineChart {
    let line = |course: &Course| Line {
        name: course.name.to_owned(),
        points: values(course).iter().enumerate().map(|(k, &v)| [k as f64, v]).collect(),
        look: course.look,
    };
    LineChart {
        title: title.to_owned(),
        description: format!("{title} after each step of the cut, for edited and for rebuilt trees."),
        x: Axis::linear("step of the cut"),
        y: Axis::linear(y),
        lines: courses.iter().map(line).collect(),
    }
}
