//! The stages of one mesh: trees, soups, k-freeness, the first query of a body that tears; and obvhs building the same tree.

use super::stage::{Row, Run, Stage, timed};
use super::{Setting, short};
use crate::metric::{Better, Report};
use crate::peers::obvhs as obvhs_peer;
use fracas::crowd::KFree;
use fracas::geom::DVec3;
use fracas::mesh::Mesh;
use fracas::{BuildOptions, Finder, MeshTree, Pair, TearingBody};
use obvhs::BvhBuildParams;
use std::time::Duration;

/// Times all stages of a mesh.
pub fn run(report: &mut Report, setting: &Setting, mesh: &Mesh, rows: &mut Vec<Row>) {
    let first = rows.len();
    let size = mesh.triangle_count();
    let (n, v) = (size as f64, mesh.vertex_count() as f64);
    // Positions and triangles, read once.
    let input = 24.0 * v + 12.0 * n;

    let plain = BuildOptions { self_queries: false, ..BuildOptions::default() };
    let whole = BuildOptions::default();
    let tree = MeshTree::build_with(mesh.clone(), &plain);
    let bytes = input + tree.tree_bytes() as f64;
    drop(tree);
    let most = if obvhs_peer::THREADED { usize::MAX } else { 1 };
    let report_now = &*report;
    let add = |rows: &mut Vec<Row>, name: &'static str, about, bytes, run: Run<'_>| {
        let most = if name.contains("obvhs") { most } else { usize::MAX };
        rows.push(Stage { name, about, size, bytes, run }.measure_up_to(most, report_now, setting));
    };
    add(rows, "build", "tree build", bytes, Box::new(build(mesh, &plain)));
    rows.extend(build_parts(report_now, setting, mesh, &plain));
    add(
        rows,
        "build_obvhs_medium",
        "  obvhs medium",
        bytes,
        Box::new(peer(mesh, BvhBuildParams::medium_build())),
    );
    add(
        rows,
        "build_obvhs_fastest",
        "  obvhs fastest",
        bytes,
        Box::new(peer(mesh, BvhBuildParams::fastest_build())),
    );

    let mut tree = MeshTree::build(mesh.clone());
    let bytes = input + tree.tree_bytes() as f64;
    add(rows, "build_self", "tree build, for self-queries", bytes, Box::new(build(mesh, &whole)));
    rows.extend(build_parts(report_now, setting, mesh, &whole));
    // Positions are read and every box and row is written; rows and boxes of children are read on the way up.
    let refit = input + 1.5 * tree.tree_bytes() as f64;
    add(
        rows,
        "refit",
        "refit",
        refit,
        Box::new(|| {
            let (time, ()) = timed(|| tree.refit(true));
            (time, tree.view().bounds().max.x.to_bits())
        }),
    );
    let moved: Vec<DVec3> = mesh.positions().iter().map(|p| *p * 1.25).collect();
    let places = [&moved[..], mesh.positions()];
    add(
        rows,
        "set_positions",
        "set_positions",
        refit + 72.0 * v,
        Box::new(|| {
            let (there, _) = timed(|| tree.set_positions(places[0]).expect("finite positions"));
            let (back, _) = timed(|| tree.set_positions(places[1]).expect("finite positions"));
            (there.min(back), tree.view().bounds().max.x.to_bits())
        }),
    );
    let mut finder = Finder::default();
    add(
        rows,
        "self_query",
        "self-query on a tree",
        input + tree.tree_bytes() as f64,
        Box::new(|| {
            let (time, _) = timed(|| finder.find_self_pairs(&tree).len());
            (time, mark(finder.find_self_pairs(&tree)))
        }),
    );
    drop(finder);
    drop(tree);

    // Octaves (2), keys (8) through three passes of the sort, positions in steps (16 a vertex), rows and corners in
    // the search (72): each written once and read once. Triangles and positions are read by three passes.
    let populate = 3.0 * input + 2.0 * (2.0 + 3.0 * 8.0) * n + 2.0 * 16.0 * v;
    let (mut finder, mut half) = (Finder::default(), Finder::default());
    add(
        rows,
        "soup",
        "soup self-query",
        populate + 2.0 * 72.0 * n,
        Box::new(|| {
            let (time, _) = timed(|| finder.find_self_pairs(mesh).len());
            (time, mark(finder.find_self_pairs(mesh)))
        }),
    );
    add(
        rows,
        "populate",
        "  of which population",
        populate,
        Box::new(|| {
            let (time, ()) = timed(|| half.populate(mesh));
            (time, half.soup_stats().cells as u64)
        }),
    );
    drop((finder, half));

    // Boxes and diameters in f64 and f32, keys, corners and their places.
    let crowd = input + 2.0 * (56.0 + 32.0 + 16.0 + 12.0 + 72.0) * n;
    add(
        rows,
        "k_free",
        "k-freeness",
        crowd,
        Box::new(|| {
            let (time, free) = timed(|| KFree::of_mesh(mesh));
            (time, free.k.iter().map(|&k| u64::from(k)).sum())
        }),
    );

    let torn = TearingBody::build(mesh.clone());
    let mut finder = Finder::default();
    let bytes = input + 2.0 * 90.0 * n;
    add(
        rows,
        "tearing_first",
        "tearing body, first self-query",
        bytes,
        Box::new(|| {
            finder.forget();
            let (time, _) = timed(|| finder.find_self_pairs(&torn).len());
            (time, mark(finder.find_self_pairs(&torn)))
        }),
    );
    metrics(report, setting, size, &rows[first..]);
}

/// The name of a row that is a part of the stage before it.
pub const PART: &str = "part";

/// The stages of a build, each with its better time of two builds.
fn build_parts(report: &Report, setting: &Setting, mesh: &Mesh, options: &BuildOptions) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for pool in setting.pools.iter() {
        let threads = pool.current_num_threads();
        for _ in 0..2 {
            let copy = mesh.clone();
            let (_tree, laps) = pool.install(|| MeshTree::build_timed(copy, options));
            for (at, (name, time)) in laps.into_iter().enumerate() {
                if rows.len() == at {
                    let (about, size) = (format!("    {name}"), mesh.triangle_count());
                    rows.push(Row { name: PART, about, size, bytes: f64::NAN, ms: Vec::new() });
                }
                let ms = time.as_secs_f64() * 1e3;
                match rows[at].ms.last_mut() {
                    Some((count, best)) if *count == threads => *best = best.min(ms),
                    _ => rows[at].ms.push((threads, ms)),
                }
            }
        }
    }
    rows.iter().for_each(|row| row.print(report, setting));
    rows
}

/// A build that owns its mesh, as users have it; the copy is made before the clock starts.
fn build<'a>(mesh: &'a Mesh, options: &'a BuildOptions) -> impl FnMut() -> (Duration, u64) + Send + 'a {
    move || {
        let copy = mesh.clone();
        let (time, tree) = timed(|| MeshTree::build_with(copy, options));
        (time, tree.tree_bytes() as u64)
    }
}

/// The same by obvhs, boxes of triangles included. Its trees may depend on the number of threads.
fn peer(mesh: &Mesh, parameters: BvhBuildParams) -> impl FnMut() -> (Duration, u64) + Send + '_ {
    move || {
        let (time, _tree) = timed(|| obvhs_peer::build(mesh, parameters));
        (time, 0)
    }
}

/// A number that depends on every pair and on their order.
fn mark(pairs: &[Pair]) -> u64 {
    pairs.iter().fold(pairs.len() as u64, |sum, pair| {
        sum.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(u64::from(pair.a.0) << 32 | u64::from(pair.b.0))
    })
}

/// Our builds over those of obvhs, on one thread and on the most.
fn metrics(report: &mut Report, setting: &Setting, size: usize, rows: &[Row]) {
    let time = |name: &str, threads| rows.iter().find(|row| row.name == name).and_then(|row| row.at(threads));
    // On one thread its code for threads would be a slower peer than its users have.
    let threads = if obvhs_peer::THREADED { *setting.pools.counts().last().expect("threads") } else { 1 };
    if !obvhs_peer::THREADED {
        report.say("  obvhs on more threads is left out: build with --features threaded-peers");
    } else if threads == 1 {
        return;
    }
    for preset in ["medium", "fastest"] {
        let name = format!("build_obvhs_{preset}");
        let (Some(ours), Some(theirs)) = (time("build", threads), time(&name, threads)) else { continue };
        let note = format!(
            "folded cloth, {} triangles, {threads} thread{}: obvhs 0.4.0 {theirs:.1} ms, ours {ours:.1} ms",
            short(size),
            if threads == 1 { "" } else { "s" }
        );
        report.metric(&format!("cores.build.vs_obvhs_{preset}"), theirs / ours, "x", Better::Higher, &note);
    }
}
