//! Boxes at random, against the separating axis theorem.

use super::{place, random_turn, random_vector};
use fracas::geom::{DVec3, Pose};
use fracas::internal::Random;
use fracas::mesh::{Mesh, shapes};
use fracas::{Finder, MeshTree};

/// How far the second box must move along a unit direction until a plane across it separates the two.
fn overlap(a: &[DVec3], b: &[DVec3], way: DVec3) -> f64 {
    let most = a.iter().map(|p| p.dot(way)).fold(f64::NEG_INFINITY, f64::max);
    let least = b.iter().map(|p| p.dot(way)).fold(f64::INFINITY, f64::min);
    most - least
}

/// The overlap along each of the axes that may separate two boxes, both ways, the least first.
fn axes(a: &[DVec3], b: &[DVec3], turns: [Pose; 2]) -> Vec<(f64, DVec3)> {
    let own = turns.map(|pose| [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| pose.rotation() * axis));
    let mut ways: Vec<DVec3> = own.concat();
    for u in own[0] {
        ways.extend(own[1].iter().filter_map(|v| u.cross(*v).try_normalize()));
    }
    let both = ways.into_iter().flat_map(|way| [way, -way]);
    let mut found: Vec<(f64, DVec3)> = both.map(|way| (overlap(a, b, way), way)).collect();
    found.sort_by(|x, y| x.0.total_cmp(&y.0));
    found
}

#[test]
fn depth_and_direction_of_boxes_are_those_of_the_best_separating_axis() {
    let mut finder = Finder::default();
    let mut random = Random::new(11);
    let (mut apart, mut ties, mut checked) = (0, 0, 0);
    for round in 0..600 {
        let [one, other] = [0; 2].map(|_| DVec3::splat(1.0) + 0.6 * random_vector(&mut random));
        let edge = [10.0, 0.5, 0.2][round % 3];
        let bodies = [one, other].map(|size| MeshTree::build(shapes::brick(size, edge)));
        let poses = [0; 2].map(|_| place(random_turn(&mut random), 0.7 * random_vector(&mut random)));
        let posed = |k: usize| -> Vec<DVec3> {
            let mesh: &Mesh = bodies[k].mesh();
            mesh.positions().iter().map(|p| poses[k].apply(*p)).collect()
        };
        let axes = axes(&posed(0), &posed(1), poses);
        let (expected, way) = axes[0];
        let contacts =
            finder.find_contacts(bodies[0].at(&poses[0]), bodies[1].at(&poses[1])).expect("closed");
        if expected <= 1e-6 {
            assert!(contacts.is_empty());
            apart += 1;
            continue;
        }
        let contact = contacts[0];
        assert!(contact.depth > expected * (1.0 - 1e-6), "{round}: {} below {expected}", contact.depth);
        // Directions that are nearly as good share in the answer.
        if axes[1].0 < 1.06 * expected {
            assert!(contact.depth < 1.75 * expected, "{round}: {} for {expected}", contact.depth);
            ties += 1;
            continue;
        }
        checked += 1;
        // Where edges cross, directions that are nearly as good count as well.
        let turns = poses.map(|pose| pose.rotation().to_cols_array_2d());
        let is_face =
            turns.iter().flatten().any(|axis| DVec3::from_array(*axis).dot(way).abs() > 1.0 - 1e-12);
        let (slack, angle) = if is_face { (1e-6, 1e-5) } else { (0.021, 0.25) };
        assert!(contact.depth < expected * (1.0 + slack), "{round}: {contact:?} for {expected} {way}");
        assert!(contact.normal.distance(way) < angle, "{round}: {} for {way}", contact.normal);
    }
    assert!(apart > 30 && checked > 200, "{apart} apart, {ties} ties, {checked} checked");
}
