//! All intersecting pairs, between bodies and within one, against parry and Embree; builds and refits against obvhs.
//!
//! parry's side is its own traversal of its own trees, followed by a plain `f64` orientation test; triangles
//! that share a vertex are skipped there, as its users would. Ours answers exactly. Trees are built before the
//! clock starts; everything runs on one thread, except where a row says otherwise.

use crate::across;
use crate::metric::{Better, Report};
use crate::peers::embree::Embree;
use crate::peers::{obvhs as obvhs_peer, parry, python};
use crate::timing::{Candidate, Timed, race};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::{BuildOptions, FindOptions, Finder, MeshTree, Pair, SplitRule, Threads};
use obvhs::BvhBuildParams;
use parry3d::partitioning::BvhBuildStrategy;
use std::time::Duration;

/// Runs the whole benchmark.
pub fn run(report: &mut Report, quick: bool) {
    let budget = Duration::from_millis(if quick { 400 } else { 3000 });
    let sizes: &[usize] = if quick { &[23_000] } else { &[23_000, 91_000] };
    for &triangles in sizes {
        let name = |what: &str| format!("noisy spheres, 2 × {triangles} triangles, {what}");
        let a = shapes::noisy_sphere(triangles, 0.1, 1);
        // Turned, so that the two do not have their vertices on common rays.
        let turn = DQuat::from_xyzw(0.1, 0.5, -0.3, 0.7).normalize();
        let b = moved(&shapes::noisy_sphere(triangles, 0.1, 2), turn, DVec3::ZERO);
        let ratio = between(report, &name("concentric"), &a, &b, budget);
        if Some(&triangles) == sizes.last() {
            let note =
                format!("2 × {} triangles, concentric, parry 0.31.1 boxes + f64 test", a.triangle_count());
            report.metric("pairs.between.vs_parry", ratio, "x", Better::Higher, &note);
            against_embree(report, &a, &b, budget);
        }
        between(report, &name("shifted by a radius"), &a, &moved(&b, DQuat::IDENTITY, DVec3::X), budget);
        let on_rays = shapes::noisy_sphere(triangles, 0.1, 2);
        let ratio = between(report, &name("concentric, vertices on common rays"), &a, &on_rays, budget);
        if Some(&triangles) == sizes.last() {
            let note = "nearly every decision is degenerate";
            report.metric("pairs.degenerate.vs_parry", ratio, "x", Better::Higher, note);
            let ratio = itself(report, "noisy sphere against itself", &a, budget);
            let note = format!("a clean surface of {} triangles", a.triangle_count());
            report.metric("pairs.self_clean.vs_parry", ratio, "x", Better::Higher, &note);
        }
    }
    let cloths: &[usize] = if quick { &[92_000] } else { &[92_000, 250_000] };
    for &triangles in cloths {
        let cloth = shapes::folded_cloth(triangles);
        let ratio =
            itself(report, &format!("folded cloth, {triangles} triangles, against itself"), &cloth, budget);
        if Some(&triangles) == cloths.last() {
            let note = format!(
                "folded cloth of {} triangles, parry 0.31.1 boxes + f64 test",
                cloth.triangle_count()
            );
            report.metric("pairs.self.vs_parry", ratio, "x", Better::Higher, &note);
        }
    }
    refit(report, &shapes::noisy_sphere(if quick { 91_000 } else { 364_000 }, 0.1, 1), budget);
    builds(report, &shapes::noisy_sphere(if quick { 23_000 } else { 91_000 }, 0.1, 1), budget);
    across::run(report, quick);
}

fn moved(mesh: &Mesh, rotation: DQuat, translation: DVec3) -> Mesh {
    let pose = Pose::new(rotation, translation).expect("a rigid motion");
    mesh.posed(&pose).expect("finite positions")
}

fn one_thread() -> Finder {
    Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() })
}

/// Pairs between two meshes; returns parry's time over ours.
fn between(report: &mut Report, title: &str, a: &Mesh, b: &Mesh, budget: Duration) -> f64 {
    let options = BuildOptions { self_queries: false, ..BuildOptions::default() };
    let (ours_a, ours_b) =
        (MeshTree::build_with(a.clone(), &options), MeshTree::build_with(b.clone(), &options));
    let theirs_a = parry::Body::build(a, BvhBuildStrategy::Binned);
    let theirs_b = parry::Body::build(b, BvhBuildStrategy::Binned);
    let (mut finder, mut threaded) = (one_thread(), Finder::default());
    let mut found = Vec::new();
    let timed = race(
        &mut [
            Candidate::new("fracas", || finder.find_pairs(&ours_a, &ours_b).len()),
            Candidate::new("parry boxes + f64 test", || {
                theirs_a.pairs(&theirs_b, &mut found);
                found.len()
            }),
            Candidate::new("fracas, all threads", || threaded.find_pairs(&ours_a, &ours_b).len()),
        ],
        budget,
    );
    let exact = finder.find_pairs(&ours_a, &ours_b).to_vec();
    print_rows(report, title, &timed, &exact, &found);
    print_peers(report, &[a, b]);
    timed[1].ms() / timed[0].ms()
}

/// Pairs between two meshes beside Embree, where it is installed. Both sides take turns; the best of each counts.
fn against_embree(report: &mut Report, a: &Mesh, b: &Mesh, budget: Duration) {
    let embree = match Embree::new(a, b) {
        Ok(embree) => embree,
        Err(reason) => {
            report.say(&format!("  Embree is left out: {reason}"));
            return;
        }
    };
    let options = BuildOptions { self_queries: false, ..BuildOptions::default() };
    let [tree_a, tree_b] = [a, b].map(|mesh| MeshTree::build_with(mesh.clone(), &options));
    let exact = one_thread().find_pairs(&tree_a, &tree_b).to_vec();
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    for (threads, mut finder) in [(1, one_thread()), (all, Finder::default())] {
        let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
        let (mut version, mut found) = (String::new(), Vec::new());
        for _ in 0..3 {
            let timed = race(
                &mut [Candidate::new("fracas", || finder.find_pairs(&tree_a, &tree_b).len())],
                budget / 6,
            );
            ours = ours.min(timed[0].ms());
            match embree.collide(threads, budget / 6) {
                Ok(collided) => {
                    theirs = theirs.min(collided.ms);
                    (version, found) = (collided.version, collided.pairs);
                }
                Err(reason) => {
                    report.say(&format!("  Embree is left out: {reason}"));
                    return;
                }
            }
        }
        let words = if threads == 1 { "one thread".to_owned() } else { format!("{threads} threads") };
        let name = format!("Embree {version} boxes + f32 test");
        let timed = [("fracas".to_owned(), ours), (name.clone(), theirs)].map(|(name, ms)| Timed {
            name,
            best: Duration::from_secs_f64(ms / 1e3),
            result: 0,
        });
        print_rows(report, &format!("beside Embree, {words}"), &timed, &exact, &found);
        if threads == 1 {
            let note =
                format!("2 × {} triangles, concentric, one thread, {name}; ours exact", a.triangle_count());
            report.metric("pairs.between.vs_embree", theirs / ours, "x", Better::Higher, &note);
        }
    }
}

/// Pairs within one mesh; returns parry's time over ours.
fn itself(report: &mut Report, title: &str, mesh: &Mesh, budget: Duration) -> f64 {
    let ours = MeshTree::build(mesh.clone());
    let plain = BuildOptions { self_queries: false, ..BuildOptions::default() };
    let plain = MeshTree::build_with(mesh.clone(), &plain);
    let mut theirs = parry::Body::build(mesh, BvhBuildStrategy::Binned);
    let (mut finder, mut uncut, mut threaded) = (one_thread(), one_thread(), Finder::default());
    let mut found = Vec::new();
    let timed = race(
        &mut [
            Candidate::new("fracas", || finder.find_self_pairs(&ours).len()),
            Candidate::new("parry boxes + f64 test", || {
                theirs.self_pairs(&mut found);
                found.len()
            }),
            Candidate::new("fracas, without culling", || uncut.find_self_pairs(&plain).len()),
            Candidate::new("fracas, all threads", || threaded.find_self_pairs(&ours).len()),
        ],
        budget,
    );
    let exact = finder.find_self_pairs(&ours).to_vec();
    print_rows(report, title, &timed, &exact, &found);
    print_peers(report, &[mesh]);
    let bytes = ours.tree_bytes() as f64 / mesh.triangle_count() as f64;
    report.metric("tree.bytes_per_triangle", bytes, "B", Better::Lower, title);
    timed[1].ms() / timed[0].ms()
}

/// One row per candidate; the second one's pairs are compared with ours as sets.
fn print_rows(report: &Report, title: &str, timed: &[Timed], exact: &[Pair], peer: &[(u32, u32)]) {
    report.say(&format!("{title}: {} pairs", exact.len()));
    let truth: std::collections::BTreeSet<_> = exact.iter().map(|pair| (pair.a.0, pair.b.0)).collect();
    let theirs: std::collections::BTreeSet<_> = peer.iter().copied().collect();
    let (missing, extra) = (truth.difference(&theirs).count(), theirs.difference(&truth).count());
    for (index, row) in timed.iter().enumerate() {
        let ratio = row.ms() / timed[0].ms();
        let verdict = match index {
            1 if missing + extra > 0 => format!("  misses {missing}, invents {extra}"),
            _ => String::new(),
        };
        report.say(&format!("  {:<26} {:>10.3} ms   {ratio:>6.2} ×{verdict}", row.name, row.ms()));
    }
}

fn print_peers(report: &Report, meshes: &[&Mesh]) {
    for peer in python::time(meshes) {
        report.say(&format!("  {:<26} {:>10.3} ms   {} pairs", peer.name, peer.ms, peer.pairs));
    }
}

/// One row per candidate, with its time over that of the first.
fn print_times(report: &Report, timed: &[Timed]) {
    for row in timed {
        let ratio = row.ms() / timed[0].ms();
        report.say(&format!("  {:<26} {:>10.3} ms   {ratio:>6.2} ×", row.name, row.ms()));
    }
}

/// All boxes brought up to date with `f64` positions.
fn refit(report: &mut Report, mesh: &Mesh, budget: Duration) {
    let mut ours = MeshTree::build(mesh.clone());
    let mut threaded = ours.clone();
    let mut single = obvhs_peer::build(mesh, BvhBuildParams::fastest_build());
    let mut several = obvhs_peer::build(mesh, BvhBuildParams::medium_build());
    let timed = race(
        &mut [
            Candidate::new("fracas", || {
                ours.refit(false);
                ours.view().bounds().min.x.to_bits() as usize
            }),
            Candidate::new("obvhs, 1 triangle a leaf", || {
                obvhs_peer::refit(&mut single, mesh);
                single.nodes.len()
            }),
            Candidate::new("obvhs, up to 8 a leaf", || {
                obvhs_peer::refit(&mut several, mesh);
                several.nodes.len()
            }),
            Candidate::new("fracas, all threads", || {
                threaded.refit(true);
                threaded.view().bounds().min.x.to_bits() as usize
            }),
        ],
        budget,
    );
    report.say(&format!("refit, {} triangles, leaf boxes from f64 positions", mesh.triangle_count()));
    print_times(report, &timed);
    let peer = timed[1].ms().min(timed[2].ms());
    let note = format!("{} triangles, the faster of two obvhs 0.4.0 trees", mesh.triangle_count());
    report.metric("tree.refit.vs_obvhs", peer / timed[0].ms(), "x", Better::Higher, &note);
}

/// Builds, and what the trees are worth.
fn builds(report: &mut Report, mesh: &Mesh, budget: Duration) {
    let options = |split, self_queries| BuildOptions { split, self_queries, parallel: false };
    let ours = |split, self_queries| MeshTree::build_with(mesh.clone(), &options(split, self_queries));
    let theirs = |parameters| obvhs_peer::build(mesh, parameters).nodes.len();
    let timed = race(
        &mut [
            Candidate::new("fracas", || ours(SplitRule::SurfaceArea, false).tree_bytes()),
            Candidate::new("fracas, for self-queries", || ours(SplitRule::SurfaceArea, true).tree_bytes()),
            Candidate::new("fracas, median", || ours(SplitRule::Median, false).tree_bytes()),
            Candidate::new("fracas, midpoint", || ours(SplitRule::Midpoint, false).tree_bytes()),
            Candidate::new("obvhs fastest", || theirs(BvhBuildParams::fastest_build())),
            Candidate::new("obvhs fast", || theirs(BvhBuildParams::fast_build())),
            Candidate::new("obvhs medium", || theirs(BvhBuildParams::medium_build())),
            Candidate::new("parry binned", || {
                parry::Body::build(mesh, BvhBuildStrategy::Binned);
                0
            }),
        ],
        budget,
    );
    report.say(&format!("build, {} triangles", mesh.triangle_count()));
    print_times(report, &timed);
    for split in [SplitRule::SurfaceArea, SplitRule::Median, SplitRule::Midpoint] {
        let q = ours(split, false).quality();
        let volume = q.q.map_or("-".into(), |q| format!("{q:.3}"));
        report.say(&format!("  {split:?}: depth {}, SAH {:.1}, Q {volume}", q.depth, q.sah));
    }
}
