//! Which of 500 parts touch each other: `cargo run --release -p fracas --example assembly`
//!
//! Boxes are compared first, sorted along x, so that only parts with overlapping boxes are looked at. `overlaps` ends at
//! the first pair of triangles that intersect; a part inside another one counts too.

use fracas::geom::{Box3, DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::{Finder, MeshTree};

/// A part: one of a few shapes, and where it is.
pub(crate) struct Part {
    pub(crate) shape: usize,
    pub(crate) pose: Pose,
}

/// The shapes that parts have.
pub(crate) fn shapes() -> Vec<MeshTree> {
    let shapes: [Mesh; 5] = [
        shapes::cylinder(0.2, 1.2, 32),
        shapes::torus(0.5, 0.15, 48),
        shapes::brick(DVec3::new(1.1, 0.6, 0.3), 0.1),
        shapes::icosphere(0.45, 3),
        shapes::icosphere(0.1, 2),
    ];
    shapes.map(MeshTree::build).into_iter().collect()
}

/// Parts at the nodes of a lattice, 10 × 10 × 5, each turned in its own way. The small balls sit inside large ones.
pub(crate) fn parts() -> Vec<Part> {
    let part = |k: usize| {
        let node = DVec3::new((k % 10) as f64, (k / 10 % 10) as f64, (k / 100) as f64);
        let axis = DVec3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.3).normalize();
        let rotation = DQuat::from_axis_angle(axis, 0.7 * k as f64);
        let (shape, place) = match k % 5 {
            // The ball before it is one step along x away.
            4 => (4, node - DVec3::X * 0.9),
            shape => (shape, node),
        };
        Part { shape, pose: Pose::new(rotation, 0.9 * place).expect("finite") }
    };
    (0..500).map(part).collect()
}

/// The pairs of parts that share a point, sorted, and how many pairs of boxes overlap.
pub(crate) fn touching(shapes: &[MeshTree], parts: &[Part]) -> (Vec<[usize; 2]>, usize) {
    let view = |k: usize| shapes[parts[k].shape].at(&parts[k].pose);
    let boxes: Vec<Box3> = (0..parts.len()).map(|k| view(k).bounds()).collect();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| boxes[a].min.x.total_cmp(&boxes[b].min.x));
    let (mut finder, mut touching, mut looked_at) = (Finder::default(), Vec::new(), 0);
    for (place, &a) in order.iter().enumerate() {
        let after = order[place + 1..].iter().take_while(|&&b| boxes[b].min.x <= boxes[a].max.x);
        for &b in after.filter(|&&b| boxes[a].overlaps(&boxes[b])) {
            looked_at += 1;
            if finder.overlaps(view(a), view(b)) {
                touching.push([a.min(b), a.max(b)]);
            }
        }
    }
    touching.sort_unstable();
    (touching, looked_at)
}

fn main() {
    let (shapes, parts) = (shapes(), parts());
    let start = std::time::Instant::now();
    let (touching, looked_at) = touching(&shapes, &parts);
    let ms = start.elapsed().as_secs_f64() * 1e3;
    println!("{} of {looked_at} pairs with overlapping boxes touch ({ms:.1} ms)", touching.len());
    let mut counts = vec![0; parts.len()];
    touching.iter().flatten().for_each(|&part| counts[part] += 1);
    let most = (0..parts.len()).max_by_key(|&part| counts[part]).unwrap_or(0);
    println!("{} parts touch nothing", counts.iter().filter(|count| **count == 0).count());
    println!("part {most} touches {} others", counts[most]);
}
