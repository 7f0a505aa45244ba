//! All vertices moving: refits, and refits with a slice of optimisation in every frame.

use crate::metric::{Better, Report};
use crate::timing::{Candidate, race};
use fracas::Mesh;
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use fracas::tearing::{TearingBody, TearingOptions};
use std::time::Duration;

pub fn run(report: &mut Report, quick: bool) {
    let size = if quick { 23_000 } else { 90_560 };
    let mesh = shapes::creature(size);
    let frames: Vec<Vec<DVec3>> = (0..8).map(|k| twisted(&mesh, 0.02 * f64::from(k))).collect();
    let mut ours = TearingBody::build_with(mesh.clone(), TearingOptions::default());
    let mut ours_opt = ours.clone();
    let mut parameters = obvhs::BvhBuildParams::medium_build();
    parameters.max_prims_per_leaf = 1;
    let mut obvhs_mesh = mesh.clone();
    let mut obvhs_tree = crate::peers::obvhs::build(&mesh, parameters);
    let mut parry_mesh = mesh.clone();
    let mut parry_tree = crate::peers::parry::Moving::new(&mesh);
    // parry looks at a few hundredths of its nodes in every frame.
    let slice = mesh.triangle_count() / 20;
    let (mut a, mut b, mut c, mut d) = (0, 0, 0, 0);
    let next = |k: &mut usize| {
        *k = (*k + 1) % 8;
        *k
    };
    let times = race(
        &mut [
            Candidate::new("fracas refit", || {
                ours.set_positions(&frames[next(&mut a)]).expect("as many");
                ours.quality().triangles
            }),
            Candidate::new("obvhs refit", || {
                obvhs_mesh.set_positions(&frames[next(&mut b)]).expect("as many");
                crate::peers::obvhs::refit(&mut obvhs_tree, &obvhs_mesh);
                obvhs_tree.nodes.len()
            }),
            Candidate::new("fracas refit and optimise", || {
                ours_opt.move_vertices(&frames[next(&mut c)]).expect("as many");
                ours_opt.refit_and_optimise(slice)
            }),
            Candidate::new("parry refit and optimise", || {
                parry_mesh.set_positions(&frames[next(&mut d)]).expect("as many");
                parry_tree.follow(&parry_mesh);
                0
            }),
        ],
        Duration::from_secs(if quick { 2 } else { 8 }),
    );
    report.say(&format!("all vertices moving, {} triangles", mesh.triangle_count()));
    for time in &times {
        report.say(&format!("  {:<28} {:8.3} ms", time.name, time.ms()));
    }
    let note = format!("{} triangles, boxes from f64 positions", mesh.triangle_count());
    report.metric("tearing.refit.vs_obvhs", times[1].ms() / times[0].ms(), "x", Better::Higher, &note);
    report.metric("tearing.refit_opt.vs_parry", times[3].ms() / times[2].ms(), "x", Better::Higher, &note);
}

/// The mesh, twisted around its upright axis.
fn twisted(mesh: &Mesh, angle: f64) -> Vec<DVec3> {
    let turn = |p: &DVec3| {
        let (s, c) = (angle * p.z).sin_cos();
        DVec3::new(c * p.x - s * p.y, s * p.x + c * p.y, p.z)
    };
    mesh.positions().iter().map(turn).collect()
}
