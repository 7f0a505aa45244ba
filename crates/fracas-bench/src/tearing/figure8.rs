//! Figure 8 of the paper: an apple that is peeled, and a pumpkin that breaks into ever more pieces.

use super::paper;
use super::pieces::Broken;
use super::recorded_peers;
use super::recording::{Cost, Keeping, Recording};
use crate::folder::Folder;
use crate::metric::Report;
use fracas::tearing::{TearingBuild, TearingOptions};
use fracas_plot::{Align, Axis, BarChart, Bars, Line, LineChart, Look, Table};
use fracas_scenes::{SceneOptions, Size};
use std::io;

/// Plays the scenes and writes the figure; breaks are measured already.
pub fn write(report: &Report, folder: &mut Folder, broken: &[Broken], quick: bool) -> io::Result<()> {
    let size = if quick { Size::Small } else { Size::Paper };
    let options = SceneOptions { size, parallel: false, ..SceneOptions::default() };
    apple(report, folder, &options, if quick { 1 } else { 3 })?;
    pumpkin_breaks(report, folder, broken)?;
    pumpkin_falls(report, folder, &options, if quick { 1 } else { 3 })
}

/// Ours, rebuilt by medians after each edit, and ours with the options of the paper.
fn ways() -> [Keeping; 3] {
    let whole = |options: TearingOptions| TearingOptions { separate: false, ..options };
    let median = TearingOptions { build: TearingBuild::Median, upkeep: 0, ..TearingOptions::default() };
    [
        // As the scenes do it.
        Keeping::Edited { options: whole(TearingOptions::default()), optimised: 1_000, grown: 1.25 },
        Keeping::Rebuilt(whole(median)),
        // The paper tries permutations at every node after each step.
        Keeping::Edited {
            options: whole(TearingOptions::paper()),
            optimised: usize::MAX,
            grown: f64::INFINITY,
        },
    ]
}

const NAMES: [&str; 3] = ["edited", "rebuilt by medians", "by the paper's rules"];

fn apple(report: &Report, folder: &mut Folder, options: &SceneOptions, runs: usize) -> io::Result<()> {
    let recording = Recording::of("apple", options);
    let costs = recording.play(&ways(), runs);
    let peers = recorded_peers::play(&recording, &costs[0], runs);
    let last = costs[0].last().map_or(0, |cost| cost.triangles);
    folder.section(
        "Figure 8, left: the apple",
        &format!(
            "An apple of {} triangles is peeled to {last} in {} frames, and the elastic peel meets itself. The paper's \
             goes from {} to {} in 800. Trees are edited, or rebuilt by medians after every frame with a cut, or kept \
             by the paper's rules: median splits, permutations at all nodes, a full rebuild when Q exceeds {}.",
            recording.triangles(),
            recording.frames.len(),
            paper::apple::TRIANGLES[0],
            paper::apple::TRIANGLES[1],
            paper::apple::LIMIT,
        ),
    );
    folder.table(report, "figure8_apple", &apple_table(&costs, &peers))?;
    let note = format!(
        "Frames in which the cut goes on. The paper keeps restructuring below {} ms but for its rebuilds, and its queries take {} ms on average.",
        paper::apple::UPDATE_BELOW,
        paper::apple::QUERY[0]
    );
    let in_cuts = |cost: &Cost| cost.edited.then_some(cost.update);
    folder.chart(
        "figure8_apple_update",
        &over_frames("Apple: the tree follows the cut", Axis::log("time (ms)"), &costs, in_cuts).svg(),
        &note,
    )?;
    let note = "Self-collision queries on the same positions; all trees give the same pairs.";
    folder.chart(
        "figure8_apple_query",
        &over_frames("Apple: finding all pairs", Axis::linear("time (ms)").from_zero(), &costs, |cost| {
            Some(cost.query)
        })
        .svg(),
        note,
    )?;
    let note = "An edited tree does not follow all the way from the skin of an apple to a coil on the ground: where areas \
                have grown by 25 %, it is rebuilt.";
    folder.chart(
        "figure8_apple_q",
        &over_frames("Apple: Q of the tree", Axis::linear("Q"), &costs, |cost| Some(cost.q)).svg(),
        note,
    )
}

fn apple_table(costs: &[Vec<Cost>], peers: &[Vec<Cost>; 2]) -> Table {
    let head = [
        ("tree", Align::Left),
        ("update, mean", Align::Right),
        ("update, worst", Align::Right),
        ("query, mean", Align::Right),
        ("query, worst", Align::Right),
        ("query : rebuilt", Align::Right),
        ("rebuilt : update, at most", Align::Right),
        ("rebuilds of the whole", Align::Right),
        ("greatest Q", Align::Right),
        ("greatest SAH", Align::Right),
    ];
    let caption = format!(
        "Figure 8, left. Milliseconds per frame; updates over frames with a cut, mesh and tree. parry gets our exact test, so that it \
         finds the same pairs; obvhs offers no search for pairs. Paper: section 5.3, {}.",
        paper::MACHINE
    );
    let mut table = Table::new(caption, head);
    let rebuilt = &costs[1];
    let query = mean(rebuilt.iter().map(|cost| cost.query));
    for (name, costs) in NAMES.iter().zip(costs) {
        let cut = || costs.iter().filter(|cost| cost.edited);
        let ratios = costs
            .iter()
            .zip(rebuilt)
            .filter(|(cost, _)| cost.edited)
            .map(|(cost, all)| all.update / cost.update);
        table.row([
            (*name).to_owned(),
            format!("{:.4}", mean(cut().map(|cost| cost.update))),
            format!("{:.3}", worst(cut().map(|cost| cost.update))),
            format!("{:.3}", mean(costs.iter().map(|cost| cost.query))),
            format!("{:.3}", worst(costs.iter().map(|cost| cost.query))),
            format!("{:.3}", mean(costs.iter().map(|cost| cost.query)) / query),
            format!("{:.0}", worst(ratios)),
            costs.iter().filter(|cost| cost.rebuilt).count().to_string(),
            format!("{:.2}", worst(costs.iter().map(|cost| cost.q))),
            format!("{:.1}", worst(costs.iter().map(|cost| cost.sah))),
        ]);
    }
    for (name, costs) in recorded_peers::NAMES.iter().zip(peers) {
        let cut = || costs.iter().filter(|cost| cost.edited);
        let queries = || costs.iter().map(|cost| cost.query);
        let has_queries = queries().all(|query| query > 0.0);
        let or_dash = |text: String| if has_queries { text } else { "–".to_owned() };
        let ratios = costs.iter().zip(rebuilt).filter(|(cost, _)| cost.edited);
        table.row([
            (*name).to_owned(),
            format!("{:.4}", mean(cut().map(|cost| cost.update))),
            format!("{:.3}", worst(cut().map(|cost| cost.update))),
            or_dash(format!("{:.3}", mean(queries()))),
            or_dash(format!("{:.3}", worst(queries()))),
            or_dash(format!("{:.3}", mean(queries()) / query)),
            format!("{:.1}", worst(ratios.map(|(cost, all)| all.update / cost.update))),
            costs.iter().filter(|cost| cost.rebuilt).count().to_string(),
            "–".to_owned(),
            "–".to_owned(),
        ]);
    }
    let [edited, anew] = paper::apple::QUERY;
    table.row([
        "paper".to_owned(),
        "–".to_owned(),
        format!("< {:.0} but for rebuilds", paper::apple::UPDATE_BELOW),
        format!("{edited:.1}"),
        "–".to_owned(),
        format!("{:.3}", edited / anew),
        format!("{:.0}", paper::apple::SPEED_UP),
        paper::apple::REBUILDS.to_string(),
        format!("{:.1}", paper::apple::LIMIT),
        "–".to_owned(),
    ]);
    table
}

fn pumpkin_breaks(report: &Report, folder: &mut Folder, broken: &[Broken]) -> io::Result<()> {
    folder.section(
        "Figure 8, middle and right: the pumpkin breaks",
        &format!(
            "A pumpkin breaks at once. The paper clones and prunes its tree for every piece, and is faster than a rebuild \
             below {} pieces at {} triangles; Fracas divides the tree in one pass.",
            paper::pumpkin::FASTER_BELOW,
            paper::pumpkin::TRIANGLES[0]
        ),
    );
    let head = [
        ("triangles", Align::Right),
        ("pieces", Align::Right),
        ("after the break", Align::Right),
        ("edit and split", Align::Right),
        ("our median rebuild", Align::Right),
        ("obvhs fastest rebuild", Align::Right),
        ("median : ours", Align::Right),
        ("Q split", Align::Right),
        ("Q rebuilt", Align::Right),
    ];
    let mut table = Table::new("Figure 8, middle and right. Milliseconds, and Q of all pieces.", head);
    for row in broken {
        table.row([
            row.size.to_string(),
            row.pieces.to_string(),
            row.triangles.to_string(),
            format!("{:.3}", row.both),
            format!("{:.3}", row.median_rebuild),
            format!("{:.3}", row.obvhs_rebuild),
            format!("{:.2}", row.median_rebuild / row.both),
            format!("{:.3}", row.q[0]),
            format!("{:.3}", row.q[1]),
        ]);
    }
    folder.table(report, "figure8_pumpkin", &table)?;
    let mut sizes: Vec<usize> = broken.iter().map(|row| row.size).collect();
    sizes.dedup();
    for size in sizes {
        let rows: Vec<&Broken> = broken.iter().filter(|row| row.size == size).collect();
        let chart = |title: String, y: Axis, bars: Vec<Bars>| BarChart {
            title,
            description: "Bars for each number of pieces.".to_owned(),
            x_label: "pieces".to_owned(),
            groups: rows.iter().map(|row| row.pieces.to_string()).collect(),
            y,
            bars,
            stacked: false,
        };
        let bars = |name: &str, value: &dyn Fn(&Broken) -> f64| Bars {
            name: name.to_owned(),
            values: rows.iter().map(|row| value(row)).collect(),
        };
        let times = vec![
            bars("Fracas: edit and split", &|row| row.both),
            bars("our median rebuild", &|row| row.median_rebuild),
            bars("obvhs fastest rebuild", &|row| row.obvhs_rebuild),
        ];
        let title = format!("Pumpkin of {size} triangles: breaking its tree");
        let note = format!(
            "In the paper, eight pieces have {} triangles, and restructuring takes as long as rebuilding.",
            paper::pumpkin::TRIANGLES[1]
        );
        folder.chart(
            &format!("figure8_pumpkin_time_{size}"),
            &chart(title, Axis::linear("time (ms)").from_zero(), times).svg(),
            &note,
        )?;
        let measures = vec![bars("split", &|row| row.q[0]), bars("rebuilt by medians", &|row| row.q[1])];
        let title = format!("Pumpkin of {size} triangles: Q of the pieces");
        folder.chart(
            &format!("figure8_pumpkin_q_{size}"),
            &chart(title, Axis::linear("Q").from_zero(), measures).svg(),
            "Q over all pieces: squared volumes of all boxes over those of the roots.",
        )?;
    }
    Ok(())
}

fn pumpkin_falls(
    report: &Report,
    folder: &mut Folder,
    options: &SceneOptions,
    runs: usize,
) -> io::Result<()> {
    let recording = Recording::of("pumpkin", &SceneOptions { pieces: 8, ..options.clone() });
    let costs = recording.play(&ways()[..2], runs);
    let broken = costs[0].iter().position(|cost| cost.edited).unwrap_or(0);
    let head = [
        ("tree", Align::Left),
        ("query, mean", Align::Right),
        ("query, worst", Align::Right),
        ("mean : rebuilt", Align::Right),
    ];
    let caption = format!(
        "Collision queries while {} triangles in eight pieces come to rest: the 200 frames from the break on, in \
         milliseconds. Paper: section 5.4, {}.",
        costs[0].last().map_or(0, |cost| cost.triangles),
        paper::MACHINE
    );
    let mut table = Table::new(caption, head);
    let after = |costs: &[Cost]| costs[broken..].iter().take(200).map(|cost| cost.query).collect::<Vec<_>>();
    let anew = mean(after(&costs[1]).into_iter());
    for (name, costs) in NAMES.iter().zip(&costs) {
        let queries = after(costs);
        let average = mean(queries.iter().copied());
        table.row([
            (*name).to_owned(),
            format!("{average:.3}"),
            format!("{:.3}", worst(queries.into_iter())),
            format!("{:.3}", average / anew),
        ]);
    }
    let names = ["paper, restructured", "paper, rebuilt"];
    for (k, name) in names.into_iter().enumerate() {
        let [average, most] = [paper::pumpkin::QUERY_MEAN[k], paper::pumpkin::QUERY_MAX[k]];
        let ratio = average / paper::pumpkin::QUERY_MEAN[1];
        table.row([name.to_owned(), format!("{average:.1}"), format!("{most:.1}"), format!("{ratio:.3}")]);
    }
    folder.table(report, "figure8_pumpkin_query", &table)
}

fn over_frames(title: &str, y: Axis, costs: &[Vec<Cost>], value: fn(&Cost) -> Option<f64>) -> LineChart {
    let line = |(name, costs): (&&str, &Vec<Cost>)| Line {
        name: (*name).to_owned(),
        points: costs
            .iter()
            .enumerate()
            .filter_map(|(k, cost)| Some([k as f64 + 1.0, value(cost)?]))
            .collect(),
        look: Look::Thin,
    };
    LineChart {
        title: title.to_owned(),
        description: format!("{title}, in each frame, for trees kept in three ways."),
        x: Axis::linear("frame"),
        y,
        lines: NAMES.iter().zip(costs).map(line).collect(),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

fn worst(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}
