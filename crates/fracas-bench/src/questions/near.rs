//! All features of a cloth that are near each other, against IPC Toolkit: broad phase and distances on both sides.
//!
//! IPC Toolkit merges pairs whose nearest parts are the same; ours lists every pair of features. On a mesh small enough for that, both
//! lists are compared pair by pair: ours, and its candidates filtered by its own distances.

use super::python::{self, NearPairs};
use super::sheet::Sheet;
use super::{Body, one_thread};
use crate::metric::{Better, Report};
use fracas::mesh::{Mesh, shapes};
use fracas::{Features, MeshTree, Near};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

pub(super) fn run(report: &mut Report, sheet: &mut Sheet, bodies: &[Body], quick: bool) {
    let cloth = shapes::folded_cloth(if quick { 10_000 } else { 92_000 });
    let reach = 0.5 * mean_edge(&cloth);
    let tree = MeshTree::build(cloth);
    let mut finder = one_thread();
    let (mut ours, mut found) = (Duration::MAX, 0);
    for _ in 0..5 {
        let begin = Instant::now();
        found = finder.find_near_self(&tree, reach).len();
        ours = ours.min(begin.elapsed());
    }
    let ours = ours.as_secs_f64() * 1e3;
    match python::near(tree.mesh(), reach) {
        Err(error) => report.say(&format!("near features: IPC Toolkit is left out ({error})")),
        Ok(theirs) => {
            let NearPairs { version, lbvh_ms, grid_ms, collisions, .. } = &theirs;
            let fastest = lbvh_ms.min(*grid_ms);
            let count = tree.mesh().triangle_count();
            let about = format!("a folded cloth of {count} triangles within half an edge");
            for (broad, ms) in [("LBVH", *lbvh_ms), ("hash grid", *grid_ms)] {
                let peer = format!("IPC Toolkit {version}, {broad}");
                let remark = format!("{found} pairs, {collisions} collisions");
                sheet.compare(report, ("near itself", about.clone()), ours * 1e3, (&peer, ms * 1e3), remark);
            }
            let note = format!("{count} triangles, reach half a mean edge, IPC Toolkit's faster broad phase");
            report.metric("questions.near_self.vs_ipctk", fastest / ours, "x", Better::Higher, &note);
        }
    }
    compare_sets(report, bodies);
}

/// Both lists for a mesh, pair by pair.
fn compare_sets(report: &mut Report, bodies: &[Body]) {
    let small = shapes::folded_cloth(3_000);
    let meshes = bodies.iter().map(|body| (body.name.as_str(), body.tree.mesh()));
    for (name, mesh) in meshes.chain([("a small cloth", &small)]) {
        let reach = 0.5 * mean_edge(mesh);
        let Ok(NearPairs { pairs: Some(theirs), .. }) = python::near(mesh, reach) else { continue };
        let tree = MeshTree::build(mesh.clone());
        let found = one_thread().find_near_self(&tree, reach).to_vec();
        let ours: BTreeSet<Vec<u32>> = found.iter().map(named).collect();
        let theirs: BTreeSet<Vec<u32>> = theirs.into_iter().collect();
        // What lies at the reach to the last digits may fall on either side.
        let clear: BTreeSet<Vec<u32>> =
            found.iter().filter(|near| near.distance < reach * (1.0 - 1e-9)).map(named).collect();
        let (missed, invented) = (theirs.difference(&ours).count(), clear.difference(&theirs).count());
        report.say(&format!(
            "near features of {name}: ours {}, IPC Toolkit's candidates within reach {}; {missed} of theirs missing, {invented} of ours not theirs",
            ours.len(),
            theirs.len()
        ));
        report.metric(
            &format!("questions.near_self.differ.{}", name.replace([' ', '.'], "_")),
            (missed + invented) as f64,
            "pairs",
            Better::Lower,
            "pairs of features that only one side lists",
        );
    }
}

/// A pair as the script writes it.
fn named(near: &Near) -> Vec<u32> {
    match near.features {
        Features::VertexTriangle(vertex, triangle) | Features::TriangleVertex(triangle, vertex) => {
            vec![0, vertex, triangle.0, 0]
        }
        Features::EdgeEdge(one, other) => {
            let (one, other) = (one.min(other), one.max(other));
            vec![1, one[0], one[1], other[0], other[1]]
        }
    }
}

fn mean_edge(mesh: &Mesh) -> f64 {
    let at = |v: u32| mesh.positions()[v as usize];
    let edges = mesh.triangles().iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let sum: f64 = edges.map(|(v, w)| at(v).distance(at(w))).sum();
    sum / (3 * mesh.triangle_count()) as f64
}
