//! Two cloths fly through each other edge on edge; every crossing is found at every speed.
//!
//! `cargo run --release -p fracas-scenes --example crossing`
//!
//! For each speed: how many frames there are until the sheets have passed, in how many of them triangles intersect, and how
//! many crossings of edges the exact test finds between frames. The last column is the same for all speeds.

use fracas::Finder;
use fracas::exact::{MovingPoint, edge_edge_impact};
use fracas_scenes::SceneError;
use fracas_scenes::motion::{self, KeyedMotion};
use std::collections::BTreeSet;

fn main() -> Result<(), SceneError> {
    println!("{:>6} {:>8} {:>20} {:>10}", "m/s", "frames", "frames with pairs", "crossings");
    for speed in [2.0, 5.0, 20.0, 50.0, 200.0] {
        let bodies = motion::crossing(400, speed)?;
        let frames = bodies[0].keys().len() - 1;
        let mut finder = Finder::default();
        let (mut with_pairs, mut crossings) = (0, 0);
        for frame in 1..=frames {
            let (a, b) = (bodies[0].mesh_at_key(frame)?, bodies[1].mesh_at_key(frame)?);
            with_pairs += usize::from(!finder.find_pairs(&a, &b).is_empty());
            let (first, second) = (edges(&bodies[0], frame), edges(&bodies[1], frame));
            for edge in &first {
                crossings += second.iter().filter(|other| edge_edge_impact(*edge, **other).is_some()).count();
            }
        }
        println!("{speed:>6} {frames:>8} {with_pairs:>20} {crossings:>10}");
    }
    Ok(())
}

/// All edges of a body on their way to a frame.
fn edges(body: &KeyedMotion, frame: usize) -> Vec<[MovingPoint; 2]> {
    let mut ends = BTreeSet::new();
    for &[a, b, c] in body.triangles() {
        ends.extend([[a, b], [b, c], [c, a]].map(|[v, w]| [v.min(w), v.max(w)]));
    }
    let point = |v: u32| MovingPoint {
        start: body.keys()[frame - 1][v as usize],
        end: body.keys()[frame][v as usize],
    };
    ends.into_iter().map(|edge| edge.map(point)).collect()
}
