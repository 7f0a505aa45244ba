//! The examples do what they say.

#[allow(dead_code, reason = "the test calls the parts that the program is made of")]
#[path = "../examples/assembly.rs"]
mod assembly;
#[allow(dead_code, reason = "the test calls the parts that the program is made of")]
#[path = "../examples/clearance.rs"]
mod clearance;
#[allow(dead_code, reason = "the test calls the parts that the program is made of")]
#[path = "../examples/world.rs"]
mod world;

use clearance::{Cell, Clearance};
use fracas::mesh::Mesh;
use fracas::{Finder, Side};
use std::collections::BTreeSet;

#[test]
fn the_clearance_of_an_arm_is_the_least_at_any_state() {
    let Clearance { closest, at_least, .. } = Cell::new().clearance(200).unwrap();
    assert!(
        at_least > 0.0 && at_least < closest.distance && closest.distance < 0.2,
        "{closest:?} {at_least}"
    );
    assert!((closest.points[0].distance(closest.points[1]) - closest.distance).abs() < 1e-12);
    // In an order in which the last question says nothing about the next, the answer is the same.
    let mut cell = Cell::new();
    let far_apart = (0..200).map(|k| (67 * k % 200) as f64 * (1.0 / 199.0));
    let distances = far_apart.map(|at| cell.least_at(at).unwrap().closest.distance);
    let least = distances.fold(f64::INFINITY, f64::min);
    assert_eq!(least, closest.distance);
    // A finer look finds nothing nearer than was promised.
    let fine = Cell::new().clearance(2_000).unwrap();
    assert!(
        fine.closest.distance >= at_least && fine.closest.distance <= closest.distance + 1e-3,
        "{fine:?}"
    );
}

/// All parts as one mesh, and the part of each triangle.
fn joined() -> (Mesh, Vec<usize>) {
    let (shapes, parts) = (assembly::shapes(), assembly::parts());
    let posed = |part: &assembly::Part| shapes[part.shape].mesh().posed(&part.pose).unwrap();
    let meshes: Vec<Mesh> = parts.iter().map(posed).collect();
    let owner = meshes.iter().enumerate().flat_map(|(k, mesh)| vec![k; mesh.triangle_count()]).collect();
    (Mesh::join(&meshes).unwrap(), owner)
}

#[test]
fn touching_parts_are_those_whose_triangles_meet_or_that_lie_inside_others() {
    let (shapes, parts) = (assembly::shapes(), assembly::parts());
    let (touching, looked_at) = assembly::touching(&shapes, &parts);
    assert!(touching.is_sorted_by(|a, b| a < b) && looked_at > touching.len());
    let (all, owner) = joined();
    let mut finder = Finder::default();
    let pairs = finder.find_self_pairs(&all).iter().map(|pair| [pair.a, pair.b].map(|t| owner[t.index()]));
    let mut expected: BTreeSet<[usize; 2]> =
        pairs.filter(|[a, b]| a != b).map(|[a, b]| [a.min(b), a.max(b)]).collect();
    let by_surface = expected.len();
    for (a, inner) in parts.iter().enumerate() {
        let corner = inner.pose.apply(shapes[inner.shape].mesh().positions()[0]);
        for (b, outer) in parts.iter().enumerate().filter(|(b, _)| *b != a) {
            if shapes[outer.shape].at(&outer.pose).side_of(corner) == Ok(Side::Inside) {
                expected.insert([a.min(b), a.max(b)]);
            }
        }
    }
    assert!(by_surface > 100 && expected.len() > by_surface, "{by_surface} {}", expected.len());
    assert_eq!(touching, expected.into_iter().collect::<Vec<_>>());
}

#[test]
fn a_ball_touches_a_floor_and_passes_through_a_cloth() {
    // The ball is made of facets, so it is a little less deep than a sphere.
    let depth = world::first_contact().unwrap();
    assert!((0.045..=0.05).contains(&depth), "{depth}");
    let told = world::ball_through_cloth().unwrap();
    let [(begin, "touch"), (end, "part")] = told.events[..] else { panic!("{told:?}") };
    assert!(begin + 5 < end && told.pairs > 20, "{told:?}");
    // The cloth waves, and few of its triangles are looked at.
    assert!(told.kept.contains(&fracas::world::Keep::Driven), "{told:?}");
}
