//! Bodies of different kinds against each other, small queries with the default options, and a fresh cut.
//!
//! What one walk for all structures costs: a tree against a body that tears, beside a tree against a tree; a soup against either, beside
//! a soup of both. Bodies do not change between queries, as when rigid bodies move; a row says what the first query after an edit costs.

use crate::metric::{Better, Report};
use crate::timing::{Candidate, race};
use fracas::cut::{CutOptions, CutSurface, Cutter};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::shapes;
use fracas::{BuildOptions, FindOptions, Finder, MeshTree, TearingBody, Threads, Twins};
use std::time::Duration;

/// Parts in the query of many small bodies, and their triangles.
const PARTS: usize = 20;
const PART_TRIANGLES: usize = 5_000;

pub fn run(report: &mut Report, quick: bool) {
    let budget = Duration::from_millis(if quick { 600 } else { 3000 });
    kinds(report, if quick { 23_000 } else { 91_000 }, budget);
    small(report, budget);
    fresh_cut(report, budget);
}

fn one_thread() -> Finder {
    Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() })
}

fn kinds(report: &mut Report, triangles: usize, budget: Duration) {
    let (a, b) = (shapes::noisy_sphere(triangles, 0.1, 1), shapes::noisy_sphere(triangles, 0.1, 2));
    let turn = DQuat::from_xyzw(0.1, 0.5, -0.3, 0.7).normalize();
    let pose = Pose::new(turn, DVec3::new(0.4, 0.0, 0.1)).expect("a rigid motion");
    let options = BuildOptions { self_queries: false, ..BuildOptions::default() };
    let [tree_a, tree_b] = [&a, &b].map(|mesh| MeshTree::build_with(mesh.clone(), &options));
    let [torn_a, torn_b] = [&a, &b].map(|mesh| TearingBody::build(mesh.clone()));
    let [mut f0, mut f1, mut f2, mut f3, mut f4, mut f5, mut f6] = std::array::from_fn(|_| one_thread());
    let timed = race(
        &mut [
            Candidate::new("tree, tree", || f0.find_pairs(&tree_a, tree_b.at(&pose)).len()),
            Candidate::new("tree, tearing", || f1.find_pairs(&tree_a, torn_b.at(&pose)).len()),
            Candidate::new("tearing, tearing", || f2.find_pairs(&torn_a, torn_b.at(&pose)).len()),
            Candidate::new("tree, tearing, first query", || {
                f3.forget();
                f3.find_pairs(&tree_a, torn_b.at(&pose)).len()
            }),
            Candidate::new("soup, soup", || f4.find_pairs(&a, b.at(&pose)).len()),
            Candidate::new("soup, tree", || f5.find_pairs(&a, tree_b.at(&pose)).len()),
            Candidate::new("soup, tearing", || f6.find_pairs(&a, torn_b.at(&pose)).len()),
        ],
        budget,
    );
    report.say(&format!(
        "two spheres of {} triangles, {} pairs, by kind of body",
        a.triangle_count(),
        timed[0].result
    ));
    for time in &timed {
        assert_eq!(time.result, timed[0].result, "all kinds find the same");
        report.say(&format!("  {:<28} {:8.3} ms", time.name, time.ms()));
    }
    let ratio = |k: usize, of: usize| timed[k].ms() / timed[of].ms();
    let lower = Better::Lower;
    report.metric(
        "pairs.tearing.vs_tree",
        ratio(1, 0),
        "x",
        lower,
        "tree against tearing over tree against tree",
    );
    report.metric(
        "pairs.tearing_first.vs_tree",
        ratio(3, 0),
        "x",
        lower,
        "the same, first query after an edit",
    );
    let soup = ratio(5, 4).max(ratio(6, 4));
    report.metric(
        "pairs.soup_any.vs_soup",
        soup,
        "x",
        lower,
        "soup against a tree or a tearing body over a soup of both",
    );
}

/// Every two of some parts, as an assembly asks: many queries, each too small for several threads.
fn small(report: &mut Report, budget: Duration) {
    let part = MeshTree::build(shapes::noisy_sphere(PART_TRIANGLES, 0.05, 3));
    let places: Vec<Pose> = (0..PARTS)
        .map(|k| {
            Pose::from_translation(DVec3::new(0.35 * k as f64, 0.2 * (k % 3) as f64, 0.0)).expect("finite")
        })
        .collect();
    let all = |finder: &mut Finder| -> usize {
        let pairs = places.iter().flat_map(|p| places.iter().map(move |q| (p, q)));
        pairs.map(|(p, q)| finder.find_pairs(part.at(p), part.at(q)).len()).sum()
    };
    let (mut one, mut auto) = (one_thread(), Finder::default());
    let timed = race(
        &mut [Candidate::new("one thread", || all(&mut one)), Candidate::new("default", || all(&mut auto))],
        budget,
    );
    report.say(&format!(
        "{} queries between parts of {} triangles",
        PARTS * PARTS,
        part.mesh().triangle_count()
    ));
    timed.iter().for_each(|time| report.say(&format!("  {:<28} {:8.3} ms", time.name, time.ms())));
    let note = "default threads over one thread, 400 queries between parts of 5,000 triangles";
    report.metric("pairs.small.vs_one_thread", timed[1].ms() / timed[0].ms(), "x", Better::Lower, note);
}

/// A body against itself before and after a cut through its middle, its faces still together.
fn fresh_cut(report: &mut Report, budget: Duration) {
    let before = TearingBody::build(shapes::icosphere(1.0, 5));
    let mut after = before.clone();
    let plane = CutSurface::plane(DVec3::new(0.01, 0.02, 0.03), DVec3::new(1.0, 0.1, 0.05), DVec3::Y);
    let mut cutter =
        Cutter::new(after.mesh(), &plane.expect("a plane"), &CutOptions::default()).expect("a closed body");
    let edit = cutter.advance_to(after.mesh(), f64::INFINITY).expect("the mesh of the cutter");
    after.apply(&edit).expect("an edit of the mesh");
    let twins = |twins| Finder::new(FindOptions { threads: Threads::One, twins, ..FindOptions::default() });
    let [mut f0, mut f1, mut f2] = [Twins::LeaveOut, Twins::LeaveOut, Twins::Report].map(twins);
    let ask = |finder: &mut Finder, body: &TearingBody| {
        finder.forget();
        finder.find_self_pairs(body).len()
    };
    let timed = race(
        &mut [
            Candidate::new("before the cut", || ask(&mut f0, &before)),
            Candidate::new("after, twins left out", || ask(&mut f1, &after)),
            Candidate::new("after, twins reported", || ask(&mut f2, &after)),
        ],
        budget,
    );
    let counts = [before.mesh().live_count(), after.mesh().live_count()];
    report.say(&format!("a ball of {} triangles, {} after a cut, against itself", counts[0], counts[1]));
    for time in &timed {
        report.say(&format!("  {:<28} {:8.3} ms, {} pairs", time.name, time.ms(), time.result));
    }
    let note = "self-query after a cut over before, twins left out";
    report.metric("tearing.fresh_cut.vs_before", timed[1].ms() / timed[0].ms(), "x", Better::Lower, note);
}
