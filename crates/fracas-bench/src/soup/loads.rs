//! Loads of other kinds: two threads, and one giant triangle under the cloth.

use super::{finder, print};
use crate::metric::{Better, Report};
use crate::timing::{Candidate, race};
use fracas::Finder;
use fracas::geom::DVec3;
use fracas::mesh::Mesh;
use fracas::soup::CellTable;
use std::time::Duration;

/// Two threads against one.
pub fn two_threads(report: &mut Report, cloth: &Mesh, budget: Duration) {
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(2).build() else { return };
    let mut one = finder(CellTable::Sorted);
    let mut two = Finder::default();
    let timed = race(
        &mut [
            Candidate::new("two threads", || pool.install(|| two.find_self_pairs(cloth).len())),
            Candidate::new("one thread", || one.find_self_pairs(cloth).len()),
        ],
        budget,
    );
    print(report, "threads", &timed);
    let note = format!("{} triangles, population included", cloth.triangle_count());
    report.metric("soup.cpu.threads2", timed[1].ms() / timed[0].ms(), "x", Better::Higher, &note);
}

/// One giant triangle under the cloth.
pub fn giant(report: &mut Report, cloth: &Mesh, budget: Duration) {
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
    report.metric("soup.cpu.giant", timed[1].ms() / timed[0].ms(), "x", Better::Lower, "with over without");
}
