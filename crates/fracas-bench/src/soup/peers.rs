//! A folded cloth against itself, beside parry, MeshLib and our own tree.
//!
//! Everything starts from positions in each round: our time includes population, parry's the refit of its tree, which was built
//! before the clock started. parry's side is its own traversal followed by a plain `f64` test, neighbours skipped, as its
//! users would; a second row gives it our exact test on all pairs of boxes, which is what it takes to get our answer.

use super::{finder, print};
use crate::metric::{Better, Report};
use crate::peers::{parry, python};
use crate::timing::{Candidate, race};
use fracas::mesh::Mesh;
use fracas::soup::CellTable;
use fracas::{FindOptions, Finder, MeshTree, Threads};
use parry3d::partitioning::BvhBuildStrategy;
use std::time::Duration;

/// Times all of them.
pub fn run(report: &mut Report, cloth: &Mesh, budget: Duration) {
    let mut soup = finder(CellTable::Sorted);
    let mut theirs = parry::Body::build(cloth, BvhBuildStrategy::Binned);
    let mut exactly = parry::Body::build(cloth, BvhBuildStrategy::Binned);
    let mut tree = MeshTree::build(cloth.clone());
    let mut of_tree = Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
    let (mut found, mut truth) = (Vec::new(), Vec::new());
    let timed = race(
        &mut [
            Candidate::new("fracas soup, population included", || soup.find_self_pairs(cloth).len()),
            Candidate::new("parry refit, boxes + f64 test", || {
                theirs.refit();
                theirs.self_pairs(&mut found);
                found.len()
            }),
            Candidate::new("parry refit, boxes + exact test", || {
                exactly.refit();
                exactly.self_pairs_exactly(&mut truth);
                truth.len()
            }),
            Candidate::new("fracas tree, refit and query", || {
                tree.refit(false);
                of_tree.find_self_pairs(&tree).len()
            }),
        ],
        budget,
    );
    let triangles = cloth.triangle_count();
    print(
        report,
        &format!("folded cloth, {triangles} triangles, against itself: {} pairs", timed[0].result),
        &timed,
    );
    assert!(
        timed[2].result == timed[0].result && timed[3].result == timed[0].result,
        "soup, tree and exact test differ"
    );
    let ratio = |k: usize| timed[k].ms() / timed[0].ms();
    let note = format!("{triangles} triangles, parry 0.31.1 refit + boxes + our exact test: the same answer");
    report.metric("soup.cpu.vs_parry", ratio(2), "x", Better::Higher, &note);
    let note = "the same with a plain f64 test that skips neighbours: a few pairs wrong";
    report.metric("soup.cpu.vs_parry_plain", ratio(1), "x", Better::Higher, note);
    for peer in python::time(&[cloth]) {
        report.say(&format!("  {:<38} {:>10.3} ms   {} pairs", peer.name, peer.ms, peer.pairs));
        if peer.name.starts_with("MeshLib") {
            let note =
                "MeshLib on all threads, its tree built before; ours on one thread, population included";
            report.metric("soup.cpu.vs_meshlib", peer.ms / timed[0].ms(), "x", Better::Higher, note);
        }
    }
}
