//! Many bodies that break at once: each is split by a thread of its own.

use super::Setting;
use super::stage::{Row, Stage, timed};
use crate::brittle::{piggy, relabelled};
use crate::metric::Report;
use fracas::brittle::BrittleBody;
use rayon::prelude::*;

/// Times the fracture of many equal bodies.
pub fn run(report: &Report, setting: &Setting, quick: bool, rows: &mut Vec<Row>) {
    let count = if quick { 16 } else { 128 };
    let solid = piggy();
    let whole = BrittleBody::new(solid.clone());
    let Some(fragment) = whole.fragments().next() else { return };
    let Some(found) = relabelled(&whole, fragment, 14.0, 7) else { return };
    let surface = solid.surface().mesh().triangle_count();
    let tets = solid.mesh().tet_count();
    report.say(&format!(
        "\n{count} bodies of {tets} tetrahedra, {surface} triangles each, break into fourteen pieces"
    ));
    let run = || {
        let mut bodies: Vec<BrittleBody> = (0..count).map(|_| BrittleBody::new(solid.clone())).collect();
        let split = |body: &mut BrittleBody| match body.split(fragment, &found.labels, &found.weights) {
            Ok(made) => made.len() as u64,
            Err(_) => 0,
        };
        let (time, pieces) = timed(|| bodies.par_iter_mut().map(split).sum::<u64>());
        assert!(pieces > count, "nothing broke");
        (time, pieces)
    };
    // A node has a label, four weights and a distance; a tetrahedron four nodes; both are read, and cells of the pieces written.
    let bytes = count as f64 * (64.0 * solid.mesh().node_count() as f64 + 2.0 * 16.0 * tets as f64);
    let (name, about) = ("brittle_split", "many bodies break at once");
    let size = count as usize * surface;
    rows.push(Stage { name, about, size, bytes, run: Box::new(run) }.measure(report, setting));
}
