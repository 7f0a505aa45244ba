//! The sorted facets of a fragment, against the body that they are taken from.

use fracas::brittle::{BrittleBody, FacetTree, Solid, SolidOptions};
use fracas::crack::{Breakable, FractureOptions};
use fracas::geom::DVec3;
use fracas::mesh::tets::brick;
use std::sync::Arc;

/// A block in a dozen pieces.
fn broken() -> BrittleBody {
    let mesh = brick(DVec3::new(1.0, 0.8, 0.6), [9, 7, 5]);
    let solid = Arc::new(Solid::build(mesh, &SolidOptions::default()).unwrap());
    let mut body = BrittleBody::new(solid.clone());
    let whole = body.fragments().next().unwrap();
    let known = body.fragment(whole).unwrap();
    let (mesh, adjacency) = (solid.mesh(), solid.adjacency());
    let part = Breakable { mesh, adjacency, nodes: known.nodes(), volume: known.mass().volume };
    let options = FractureOptions { seed: 3, ..FractureOptions::default() };
    let found = part.break_up(DVec3::new(0.5, 0.1, 0.1), DVec3::NEG_X, 12.0, &options).unwrap().unwrap();
    body.split(whole, &found.labels, &found.weights).unwrap();
    body
}

#[test]
fn the_tree_answers_as_the_body_does_and_bounds_what_is_far() {
    let body = broken();
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let (mut inside, mut outside, mut far) = (0, 0, 0);
    for id in body.fragments() {
        let tree = FacetTree::build(&body, id).unwrap();
        let (low, high) = body.fragment(id).unwrap().bounds();
        for _ in 0..1000 {
            let share = DVec3::new(next(), next(), next());
            let p = 0.5 * (low + high) + 1.4 * share * (high - low);
            let reach = 0.08 * (next() + 0.5);
            let is_outside = !body.is_inside(id, p) && next() > 0.0;
            match (tree.find_nearest(&body, p, reach, is_outside), body.find_nearest(id, p, reach)) {
                (Ok(found), Some(expected)) => {
                    assert!((found.distance - expected.distance).abs() < 1e-12);
                    assert!((found.point.distance(p) - expected.distance.abs()).abs() < 1e-12);
                    inside += usize::from(found.distance < 0.0);
                    outside += usize::from(found.distance > 0.0);
                }
                (Err(bound), None) => {
                    let near = body.find_nearest(id, p, 10.0).unwrap();
                    assert!(bound >= reach && bound <= near.distance, "{bound} {}", near.distance);
                    far += 1;
                }
                (found, expected) => panic!("{p} within {reach}: {found:?} and {expected:?}"),
            }
        }
    }
    assert!(inside > 1000 && outside > 1000 && far > 1000, "{inside} {outside} {far}");
}
