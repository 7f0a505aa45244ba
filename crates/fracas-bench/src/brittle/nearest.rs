//! Two ways to the nearest surface: the fragment distance field and the facet tree, building counted.
//!
//! A body breaks into few large pieces, then into many small ones. For every piece both structures are built and asked about the
//! same points: deep ones, those near the surface, and those outside. A facet tree answers faster and costs more to build; the
//! table tells after how many questions about one fragment it has paid for itself.

use super::{ms, piggy, relabelled, samples};
use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::brittle::{BrittleBody, FragmentId};
use fracas::geom::DVec3;
use fracas_plot::{Align, Table};
use std::hint::black_box;
use std::io;
use std::time::Instant;

/// Builds, asks, and writes the table.
pub fn write(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    folder.section(
        "Nearest surfaces",
        "The fragment distance field with the cells of a fragment, and the facet tree of a fragment. Both are built when first asked.",
    );
    let head = [
        ("pieces", Align::Right),
        ("facets each", Align::Right),
        ("points", Align::Left),
        ("field: build, µs", Align::Right),
        ("question, ns", Align::Right),
        ("tree: build, µs", Align::Right),
        ("question, ns", Align::Right),
        ("questions until the tree wins", Align::Right),
    ];
    let mut table = Table::new("Nearest surfaces, per fragment: best of several rounds.", head);
    let rounds = if quick { 3 } else { 15 };
    let mut body = BrittleBody::new(piggy());
    for (seed, wanted) in [(7, 14.0), (8, 4.0), (9, 3.0)] {
        let all: Vec<FragmentId> = body.fragments().collect();
        for id in all {
            if let Some(found) = relabelled(&body, id, wanted, seed) {
                body.split(id, &found.labels, &found.weights).expect("labels fit");
            }
        }
        if wanted == 4.0 {
            continue;
        }
        // A copy, so that nothing is built before it is measured.
        measure(report, &mut table, &body.clone(), rounds, wanted == 14.0);
    }
    folder.table(report, "nearest", &table)
}

fn measure(report: &mut Report, table: &mut Table, body: &BrittleBody, rounds: usize, is_coarse: bool) {
    let ids: Vec<FragmentId> = body.fragments().collect();
    let [field, tree] = building(body, &ids, rounds);
    let facets: usize =
        ids.iter().filter_map(|&id| body.facet_tree(id).ok()).map(|tree| tree.triangles().len()).sum();
    let sizes = if is_coarse { "large" } else { "small" };
    for (name, within, depth) in
        [("deep", true, f64::INFINITY), ("shallow", true, 0.1), ("outside", false, f64::INFINITY)]
    {
        let mut points = samples(body, &ids, within);
        points.retain(|&(k, p, reach)| {
            let near = body.find_nearest(ids[k], p, reach);
            near.is_some_and(|near| near.distance.abs() < 10.0 * reach * depth)
        });
        let time = |ask: &dyn Fn(usize, DVec3, f64)| {
            let round = |_| {
                let begin = Instant::now();
                points.iter().for_each(|&(k, p, reach)| ask(k, p, reach));
                ms(begin) * 1e6 / points.len() as f64
            };
            (0..rounds).map(round).fold(f64::INFINITY, f64::min)
        };
        let by_field = time(&|k, p, reach| {
            black_box(body.find_nearest(ids[k], p, reach));
        });
        let by_tree = time(&|k, p, reach| {
            let tree = body.facet_tree(ids[k]);
            black_box(tree.map(|tree| tree.find_nearest(body, p, reach, false))).ok();
        });
        // Points outside need no field.
        let field = if within { field } else { 0.0 };
        let even = ((tree - field) * 1e3 / (by_field - by_tree)).max(0.0);
        table.row([
            ids.len().to_string(),
            (facets / ids.len()).to_string(),
            name.to_owned(),
            format!("{field:.1}"),
            format!("{by_field:.0}"),
            format!("{tree:.1}"),
            format!("{by_tree:.0}"),
            if by_field > by_tree { format!("{even:.0}") } else { "never".to_owned() },
        ]);
        let note = format!("{} {sizes} pieces: facet tree, nearest point of a fragment's surface", ids.len());
        report.metric(&format!("brittle.facets.{sizes}.{name}"), by_tree, "ns", Better::Lower, &note);
    }
}

/// Microseconds per fragment for building fields and facet trees.
fn building(body: &BrittleBody, ids: &[FragmentId], rounds: usize) -> [f64; 2] {
    let mut best = [f64::INFINITY; 2];
    for _ in 0..rounds {
        let fresh = body.clone();
        let field = build_fields(&fresh, ids);
        let now = [field, build_facet_trees(&fresh, ids)].map(|time| time * 1e3 / ids.len() as f64);
        best.iter_mut().zip(now).for_each(|(best, now)| *best = best.min(now));
    }
    best
}

/// Milliseconds for the facet trees of fragments, which the first contacts of a fragment build.
pub fn build_facet_trees(body: &BrittleBody, ids: &[FragmentId]) -> f64 {
    let begin = Instant::now();
    for &id in ids {
        black_box(body.facet_tree(id)).ok();
    }
    ms(begin)
}

/// Milliseconds for the distance fields of fragments, which the first question about a point inside builds.
pub fn build_fields(body: &BrittleBody, ids: &[FragmentId]) -> f64 {
    let inside = |&id: &FragmentId| {
        let nodes = body.fragment(id).ok()?.nodes().iter();
        let mut points = nodes.map(|&node| body.solid().mesh().positions()[node as usize]);
        points.find(|&p| body.is_inside(id, p)).map(|p| (id, p))
    };
    let first: Vec<(FragmentId, DVec3)> = ids.iter().filter_map(inside).collect();
    let ask = || {
        let begin = Instant::now();
        for &(id, p) in &first {
            black_box(body.find_nearest(id, p, 0.0));
        }
        ms(begin)
    };
    let first_time = ask();
    // The same questions without building: best of three, so that an interruption does not make building look cheaper.
    first_time - (0..3).map(|_| ask()).fold(f64::INFINITY, f64::min)
}
