//! Soups: kDet on the CPU, after Weller, Debowski and Zachmann (2017).
//!
//! Everything is made anew in each round: our time includes population, parry's the refit of its tree, which was built
//! before the clock started. parry's side is its own traversal followed by a plain `f64` test, neighbours skipped, as its
//! users would; a second row gives it our exact test on all pairs of boxes, which is what it takes to get our answer.

use crate::metric::{Better, Report};
use crate::peers::{parry, python};
use crate::timing::{Candidate, Timed, race};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};
use fracas::soup::{CellTable, KFree, SoupFinder, SoupOptions};
use fracas::{MeshTree, PairFinder, PairOptions};
use parry3d::partitioning::BvhBuildStrategy;
use std::time::Duration;

/// Runs the whole benchmark.
pub fn run(report: &mut Report, quick: bool) {
    let budget = Duration::from_millis(if quick { 1500 } else { 8000 });
    let cloth = shapes::folded_cloth(250_000);
    against_peers(report, &cloth, budget);
    hash_functions(report, &cloth, budget / 2);
    growth(report, quick, budget);
    two_threads(report, &cloth, budget / 2);
    giant(report, &cloth, budget / 2);
    analysis(report, quick, budget / 4);
}

fn finder(table: CellTable) -> SoupFinder {
    let options = PairOptions { parallel: false, ..PairOptions::default() };
    SoupFinder::new(options, SoupOptions { table })
}

fn print(report: &Report, title: &str, timed: &[Timed]) {
    report.say(title);
    for row in timed {
        let ratio = row.ms() / timed[0].ms();
        report.say(&format!("  {:<38} {:>10.3} ms   {ratio:>6.2} ×", row.name, row.ms()));
    }
}

/// A folded cloth against itself, beside parry, MeshLib and our own tree.
fn against_peers(report: &mut Report, cloth: &Mesh, budget: Duration) {
    let mut soup = finder(CellTable::Sorted);
    let mut theirs = parry::Body::build(cloth, BvhBuildStrategy::Binned);
    let mut exactly = parry::Body::build(cloth, BvhBuildStrategy::Binned);
    let mut tree = MeshTree::build(cloth.clone());
    let mut of_tree = PairFinder::new(PairOptions { parallel: false, ..PairOptions::default() });
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
    report.metric("p5.cpu.vs_parry", ratio(2), "x", Better::Higher, &note);
    let note = "the same with a plain f64 test that skips neighbours: a few pairs wrong";
    report.metric("p5.cpu.vs_parry_plain", ratio(1), "x", Better::Higher, note);
    for peer in python::time(&[cloth]) {
        report.say(&format!("  {:<38} {:>10.3} ms   {} pairs", peer.name, peer.ms, peer.pairs));
        if peer.name.starts_with("MeshLib") {
            let note =
                "MeshLib on all threads, its tree built before; ours on one thread, population included";
            report.metric("p5.cpu.vs_meshlib", peer.ms / timed[0].ms(), "x", Better::Higher, note);
        }
    }
}

/// Figure 8: hash functions, and the share of population.
fn hash_functions(report: &mut Report, cloth: &Mesh, budget: Duration) {
    report.say("figure 8: how cells are found, and what population takes of the time");
    report.say("                      population    collision        total   population / total");
    for (table, name) in
        [(CellTable::Sorted, "sorted"), (CellTable::Morton, "morton"), (CellTable::Djb2, "djb2")]
    {
        let (mut whole, mut part) = (finder(table), finder(table));
        let timed = race(
            &mut [
                Candidate::new("population and query", || whole.find_self_pairs(cloth).len()),
                Candidate::new("population", || {
                    part.populate(cloth);
                    0
                }),
            ],
            budget / 3,
        );
        let (total, population) = (timed[0].ms(), timed[1].ms());
        let share = population / total;
        report.say(&format!(
            "  {name:<16} {population:>10.3} ms {:>9.3} ms {total:>9.3} ms {share:>12.2}",
            total - population
        ));
        let note = "population and query, one thread";
        report.metric(&format!("p5.cpu.hash.{name}"), total, "ms", Better::Lower, note);
        let note = "part of the time that population takes";
        report.metric(&format!("p5.cpu.hash.{name}.population"), share, "", Better::Lower, note);
    }
}

/// The paper's cloth on a statue (Table 1): triangles, and milliseconds of kDet and gProximity on a GTX 1080.
const FIGURE_9: [(usize, f64, f64); 5] = [
    (20_000, 1.9, 8.6),
    (40_000, 2.6, 12.2),
    (90_000, 4.6, 18.7),
    (200_000, 8.2, 33.4),
    (250_000, 9.7, 41.6),
];

/// Figure 9: time by number of triangles, and per triangle from small cloths to large ones.
fn growth(report: &mut Report, quick: bool, budget: Duration) {
    let few: &[usize] = &[10_000, 250_000, 1_000_000];
    let all: &[usize] = &[10_000, 20_000, 40_000, 90_000, 200_000, 250_000, 500_000, 1_000_000];
    let sizes = if quick { few } else { all };
    let cloths: Vec<Mesh> = sizes.iter().map(|&size| shapes::folded_cloth(size)).collect();
    let mut finders: Vec<SoupFinder> = sizes.iter().map(|_| finder(CellTable::Sorted)).collect();
    let name = |cloth: &Mesh| format!("{} triangles", cloth.triangle_count());
    // Small ones are repeated, so that all have rounds of about the same length and none is favoured by a quiet moment.
    let rounds = |cloth: &Mesh| (1_000_000 / cloth.triangle_count()).clamp(1, 100);
    let mut candidates: Vec<Candidate> = cloths
        .iter()
        .zip(&mut finders)
        .map(|(cloth, finder)| {
            Candidate::new(name(cloth), || {
                (0..rounds(cloth)).map(|_| finder.find_self_pairs(cloth).len()).sum()
            })
        })
        .collect();
    let timed = race(&mut candidates, budget);
    let ms = |k: usize| timed[k].ms() / rounds(&cloths[k]) as f64;
    let per = |k: usize| ms(k) * 1e6 / cloths[k].triangle_count() as f64;
    report
        .say("figure 9: folded cloths of all sizes, one thread; the paper's cloth on a statue, one GTX 1080");
    report.say("                              ours   per triangle       kDet   gProximity");
    for (k, row) in timed.iter().enumerate() {
        let paper = match FIGURE_9.iter().find(|(triangles, ..)| *triangles == sizes[k]) {
            Some((_, kdet, gproximity)) => format!("{kdet:>8.1} ms {gproximity:>9.1} ms"),
            None => String::new(),
        };
        report.say(&format!("  {:<18} {:>10.3} ms {:>11.1} ns {paper}", row.name, ms(k), per(k)));
    }
    let last = sizes.len() - 1;
    let note = format!("time per triangle, {} over {}", timed[last].name, timed[0].name);
    report.metric("p5.cpu.growth", per(last) / per(0), "x", Better::Lower, &note);
}

fn two_threads(report: &mut Report, cloth: &Mesh, budget: Duration) {
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(2).build() else { return };
    let mut one = finder(CellTable::Sorted);
    let mut two = SoupFinder::default();
    let timed = race(
        &mut [
            Candidate::new("two threads", || pool.install(|| two.find_self_pairs(cloth).len())),
            Candidate::new("one thread", || one.find_self_pairs(cloth).len()),
        ],
        budget,
    );
    print(report, "threads", &timed);
    let note = format!("{} triangles, population included", cloth.triangle_count());
    report.metric("p5.cpu.threads2", timed[1].ms() / timed[0].ms(), "x", Better::Higher, &note);
}

/// One giant triangle under the cloth.
fn giant(report: &mut Report, cloth: &Mesh, budget: Duration) {
    let floor = [[-1e4, -1e4], [1e4, -1e4], [0.0, 1e4]].map(|[x, y]| DVec3::new(x, y, -0.3));
    let floor = Mesh::new(floor.to_vec(), vec![[0, 1, 2]]).expect("a triangle");
    let both = Mesh::join([cloth, &floor]).expect("a cloth on a floor");
    let (mut alone, mut placed) = (finder(CellTable::Sorted), finder(CellTable::Sorted));
    let timed = race(
        &mut [
            Candidate::new("alone", || alone.find_self_pairs(cloth).len()),
            Candidate::new("over a triangle 20,000 wide", || placed.find_self_pairs(&both).len()),
        ],
        budget,
    );
    print(report, "a giant triangle", &timed);
    report.metric("p5.cpu.giant", timed[1].ms() / timed[0].ms(), "x", Better::Lower, "with over without");
}

/// How fast k-freeness is measured, on one thread, and what it is (Table 1: k and height of the paper's scenes).
fn analysis(report: &mut Report, quick: bool, budget: Duration) {
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(1).build() else { return };
    let size = if quick { 50_000 } else { 250_000 };
    let mut slowest = f64::INFINITY;
    let meshes = [
        ("folded cloth", shapes::folded_cloth(size)),
        ("noisy sphere", shapes::noisy_sphere(size, 0.2, 1)),
        ("creature", shapes::creature(size)),
    ];
    for (name, mesh) in meshes {
        let timed = race(
            &mut [Candidate::new(name, || pool.install(|| KFree::of_mesh(&mesh).minimal() as usize))],
            budget,
        );
        let free = KFree::of_mesh(&mesh);
        let rate = mesh.triangle_count() as f64 / timed[0].ms() / 1e3;
        slowest = slowest.min(rate);
        report.say(&format!(
            "  {name:<20} k {} (mean {:.1}), height {}: {rate:.2} M triangles/s",
            free.minimal(),
            free.mean(),
            free.height()
        ));
    }
    let note = "triangles per second on one thread, the slowest of three shapes";
    report.metric("p5.analyze.mtps", slowest, "M/s", Better::Higher, note);
}
