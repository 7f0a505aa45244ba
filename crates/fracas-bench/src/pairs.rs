//! All intersecting pairs, between bodies and within one, against parry; builds and refits against obvhs.

use crate::metric::{Better, Report};
use crate::peers::{obvhs as obvhs_peer, parry};
use crate::timing::{Candidate, race};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::{BuildOptions, MeshTree, PairFinder, PairOptions};
use obvhs::BvhBuildParams;
use parry3d::partitioning::BvhBuildStrategy;
use std::time::Duration;

/// Runs the whole benchmark.
pub fn run(report: &mut Report, quick: bool) {
    let budget = Duration::from_millis(if quick { 500 } else { 3000 });
    let big = if quick { 23_000 } else { 91_000 };
    let a = shapes::noisy_sphere(big, 0.1, 1);
    // Turned, so that edges of the two do not lie in common planes through the centre.
    let turn = Pose::new(DQuat::from_xyzw(0.1, 0.5, -0.3, 0.7), DVec3::ZERO).expect("a rotation");
    let b = shapes::noisy_sphere(big, 0.1, 2);
    between(report, &a, &b, budget);
    let b =
        Mesh::new(b.positions().iter().map(|p| turn.apply(*p)).collect(), b.triangles().to_vec()).unwrap();
    between(report, &a, &b, budget);
    itself(report, "sphere", &a, budget);
    itself(report, "cloth", &shapes::folded_cloth(if quick { 92_000 } else { 250_000 }), budget);
    refit(report, &shapes::noisy_sphere(if quick { 91_000 } else { 364_000 }, 0.1, 1), budget);
    builds(report, &a, budget);
}

fn one_thread() -> PairFinder {
    PairFinder::new(PairOptions { parallel: false, ..PairOptions::default() })
}

fn between(report: &mut Report, a: &Mesh, b: &Mesh, budget: Duration) {
    let (ours_a, ours_b) = (MeshTree::build(a.clone()), MeshTree::build(b.clone()));
    let mut finder = one_thread();
    let theirs =
        (parry::Body::build(a, BvhBuildStrategy::Binned), parry::Body::build(b, BvhBuildStrategy::Binned));
    let mut found = Vec::new();
    let timed = race(
        &mut [
            Candidate::new("fracas", || finder.find_pairs(&ours_a, &ours_b).len()),
            Candidate::new("parry", || {
                theirs.0.pairs(&theirs.1, &mut found);
                found.len()
            }),
        ],
        budget,
    );
    report.say(&format!("{:?} bytes/tri {}", finder.stats(), ours_a.tree_bytes() / a.triangle_count()));
    report.say(&format!("{:?}", ours_a.quality()));
    for t in &timed {
        report.say(&format!("  {:<10} {:>9.3} ms  {} pairs", t.name, t.ms(), t.result));
    }
    report.metric("pairs.between.vs_parry", timed[1].ms() / timed[0].ms(), "x", Better::Higher, "");
}

fn itself(report: &mut Report, name: &str, mesh: &Mesh, budget: Duration) {
    let ours = MeshTree::build(mesh.clone());
    let plain =
        MeshTree::build_with(mesh.clone(), &BuildOptions { self_queries: false, ..Default::default() });
    let mut finder = one_thread();
    let mut finder2 = one_thread();
    let mut theirs = parry::Body::build(mesh, BvhBuildStrategy::Binned);
    let mut found = Vec::new();
    let timed = race(
        &mut [
            Candidate::new("fracas", || finder.find_self_pairs(&ours).len()),
            Candidate::new("without culling", || finder2.find_self_pairs(&plain).len()),
            Candidate::new("parry", || {
                theirs.self_pairs(&mut found);
                found.len()
            }),
        ],
        budget,
    );
    report.say(&format!("{name} {:?}", finder.stats()));
    report.say(&format!("{:?}", finder2.stats()));
    for t in &timed {
        report.say(&format!("  {:<10} {:>9.3} ms  {} pairs", t.name, t.ms(), t.result));
    }
    report.metric("pairs.self.vs_parry", timed[2].ms() / timed[0].ms(), "x", Better::Higher, "");
}

fn refit(report: &mut Report, mesh: &Mesh, budget: Duration) {
    let mut ours = MeshTree::build(mesh.clone());
    let mut single = obvhs_peer::build(mesh, BvhBuildParams::fastest_build());
    let mut rows = obvhs_peer::build(mesh, BvhBuildParams::medium_build());
    let timed = race(
        &mut [
            Candidate::new("fracas", || {
                ours.refit(false);
                0
            }),
            Candidate::new("obvhs 1/leaf", || {
                obvhs_peer::refit(&mut single, mesh);
                0
            }),
            Candidate::new("obvhs 8/leaf", || {
                obvhs_peer::refit(&mut rows, mesh);
                0
            }),
        ],
        budget,
    );
    for t in &timed {
        report.say(&format!("  {:<10} {:>9.3} ms", t.name, t.ms()));
    }
    let peer = timed[1].ms().min(timed[2].ms());
    report.metric("tree.refit.vs_obvhs", peer / timed[0].ms(), "x", Better::Higher, "");
}

fn builds(report: &mut Report, mesh: &Mesh, budget: Duration) {
    let options = |self_queries| BuildOptions { self_queries, parallel: false, ..Default::default() };
    let timed = race(
        &mut [
            Candidate::new("fracas", || MeshTree::build_with(mesh.clone(), &options(true)).tree_bytes()),
            Candidate::new("no contours", || {
                MeshTree::build_with(mesh.clone(), &options(false)).tree_bytes()
            }),
            Candidate::new("obvhs fastest", || {
                obvhs_peer::build(mesh, BvhBuildParams::fastest_build()).nodes.len()
            }),
            Candidate::new("obvhs fast", || {
                obvhs_peer::build(mesh, BvhBuildParams::fast_build()).nodes.len()
            }),
            Candidate::new("obvhs medium", || {
                obvhs_peer::build(mesh, BvhBuildParams::medium_build()).nodes.len()
            }),
            Candidate::new("parry binned", || {
                parry::Body::build(mesh, BvhBuildStrategy::Binned);
                0
            }),
        ],
        budget,
    );
    for t in &timed {
        report.say(&format!("  {:<14} {:>9.3} ms", t.name, t.ms()));
    }
}
