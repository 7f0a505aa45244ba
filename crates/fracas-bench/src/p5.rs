//! p5
use crate::metric::{Better, Report};
use crate::peers::parry;
use crate::timing::{Candidate, race};
use fracas::mesh::shapes;
use fracas::soup::{SoupFinder, SoupOptions};
use fracas::{MeshTree, PairFinder, PairOptions};
use parry3d::partitioning::BvhBuildStrategy;
use std::time::Duration;

pub fn run(report: &mut Report, quick: bool) {
    let budget = Duration::from_millis(if quick { 1500 } else { 6000 });
    let mesh = shapes::folded_cloth(250_000);
    let options = PairOptions { parallel: false, ..PairOptions::default() };
    let mut soup = SoupFinder::new(options, SoupOptions::default());
    let mut pop = SoupFinder::new(options, SoupOptions::default());
    let mut theirs = parry::Body::build(&mesh, BvhBuildStrategy::Binned);
    let mut tree = MeshTree::build(mesh.clone());
    let mut finder = PairFinder::new(options);
    let mut found = Vec::new();
    let timed = race(
        &mut [
            Candidate::new("fracas soup", || soup.find_self_pairs(&mesh).len()),
            Candidate::new("parry refit + f64 test", || {
                theirs.refit();
                theirs.self_pairs(&mut found);
                found.len()
            }),
            Candidate::new("population alone", || {
                pop.populate(&mesh);
                0
            }),
            Candidate::new("tree refit+find", || {
                tree.refit(false);
                finder.find_self_pairs(&tree).len()
            }),
        ],
        budget,
    );
    for t in &timed {
        report.say(&format!("  {:<26} {:>10.3} ms  {}", t.name, t.ms(), t.result));
    }
    report.metric("p5.cpu.vs_parry", timed[1].ms() / timed[0].ms(), "x", Better::Higher, "");
}
