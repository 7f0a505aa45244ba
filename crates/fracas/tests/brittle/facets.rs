//! The sorted facets of a fragment, against the body that they are taken from.

use fracas::brittle::{BrittleBody, FragmentId, Probe, Solid, SolidOptions};
use fracas::fracture::{Breakable, FractureOptions};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::{shapes, tets::brick};
use fracas::pairs::{Touch, brute};
use fracas::{Finder, MeshTree, TearingBody, TriangleId};
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
    let mut random = fracas::internal::Random::linear(1);
    let mut next = || random.unit() - 0.5;
    let (mut inside, mut outside, mut far) = (0, 0, 0);
    for id in body.fragments() {
        let tree = body.facet_tree(id).unwrap();
        let (low, high) = body.fragment(id).unwrap().bounds().corners();
        for _ in 0..1000 {
            let share = DVec3::new(next(), next(), next());
            let p = 0.5 * (low + high) + 1.4 * share * (high - low);
            let reach = 0.08 * (next() + 0.5);
            let is_outside = !body.is_inside(id, p) && next() > 0.0;
            match (tree.find_nearest(&body, p, reach, is_outside), body.find_nearest(id, p, reach)) {
                (Some(found), Some(expected)) => {
                    assert!((found.distance - expected.distance).abs() < 1e-12);
                    assert!((found.point.distance(p) - expected.distance.abs()).abs() < 1e-12);
                    assert_eq!(tree.is_deeper(&body, p, 0.01), expected.distance < -0.01);
                    inside += usize::from(found.distance < 0.0);
                    outside += usize::from(found.distance > 0.0);
                }
                (None, None) => {
                    let known = if is_outside { 1e-9 } else { 0.0 };
                    let Probe::Far(bound) = tree.probe(&body, p, reach, known) else { panic!("{p}") };
                    assert!(!tree.is_deeper(&body, p, reach));
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

/// Trees name the places of facets. Those of a fragment stay where they are when its neighbours break and cut tetrahedra that both share.
#[test]
fn a_tree_answers_as_before_when_other_fragments_have_broken() {
    let mut body = broken();
    let mut random = fracas::internal::Random::linear(5);
    let mut next = || random.unit() - 0.5;
    let ids: Vec<FragmentId> = body.fragments().collect();
    let points: Vec<DVec3> = (0..400).map(|_| DVec3::new(next(), 0.8 * next(), 0.6 * next())).collect();
    let answers = |body: &BrittleBody, id: FragmentId| -> Vec<_> {
        let tree = body.facet_tree(id).unwrap();
        points.iter().map(|&p| tree.find_nearest(body, p, 0.3, false)).collect()
    };
    let before: Vec<_> = ids.iter().map(|&id| answers(&body, id)).collect();
    assert!(before.iter().flatten().flatten().count() > 1000);
    for (k, &breaking) in ids.iter().enumerate() {
        let known = body.fragment(breaking).unwrap();
        // Every node by itself: whatever can be cut is cut.
        let count = known.nodes().len();
        let labels: Vec<u32> = (0..count as u32).collect();
        if body.split(breaking, &labels, &vec![1.0; count]).unwrap().len() < 2 {
            continue;
        }
        for (&id, before) in ids.iter().zip(&before).skip(k + 1) {
            assert_eq!(&answers(&body, id), before);
        }
    }
    body.validate().unwrap();
}

#[test]
fn a_point_that_a_rounded_pose_puts_beside_a_crack_takes_its_normal() {
    let body = broken();
    let mut asked = 0;
    for id in body.fragments() {
        let tree = body.facet_tree(id).unwrap();
        let (surface, is_crack) = body.surface(id).unwrap();
        for (corners, _) in surface.triangles().iter().zip(is_crack).filter(|(_, is_crack)| *is_crack) {
            let [a, b, c] = corners.map(|v| surface.positions()[v as usize]);
            let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
            let beside = normal.any_orthonormal_vector();
            for shift in [2e-8 * beside, 2e-8 * (beside + normal), -2e-8 * normal] {
                let p = (a + b + c) / 3.0 + shift;
                let near = tree.find_nearest(&body, p, 0.01, false).unwrap();
                assert!(near.is_crack && near.normal.dot(normal) > 1.0 - 1e-9);
                assert!((near.distance - shift.dot(normal)).abs() < 1e-12);
                asked += 1;
            }
        }
    }
    assert!(asked > 1000);
}

#[test]
fn facets_are_the_triangles_of_the_surface_and_know_their_neighbours() {
    let body = broken();
    let mut finder = Finder::default();
    for id in body.fragments() {
        let (surface, _) = body.surface(id).unwrap();
        let mut ids = body.facet_tree(id).unwrap().triangles().to_vec();
        ids.sort_unstable();
        assert!(ids.into_iter().eq(0..surface.triangle_count() as u32));
        let view = body.view(id).unwrap();
        for t in (0..surface.triangle_count() as u32).map(TriangleId) {
            assert_eq!(view.triangle(t), surface.triangle(t));
        }
        // Neighbours share points: otherwise every two of them would be a pair.
        assert_eq!(finder.find_self_pairs(view), brute::find_self_pairs(&surface, Touch::Include));
    }
}

#[test]
fn pairs_between_fragments_and_other_bodies_are_those_of_brute_force() {
    let body = broken();
    let ids: Vec<FragmentId> = body.fragments().collect();
    let turned = Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(0.05, 0.02, -0.1)).unwrap();
    let ball = shapes::icosphere(0.4, 3);
    let (tree, torn) = (MeshTree::build(ball.clone()), TearingBody::build(ball.clone()));
    let mut finder = Finder::default();
    let mut found = 0;
    for (k, &id) in ids.iter().enumerate() {
        let (surface, _) = body.surface(id).unwrap();
        let view = body.view(id).unwrap().at(&turned);
        let expected = brute::find_pairs(&surface, &turned, &ball, &Pose::IDENTITY, Touch::Include);
        assert_eq!(finder.find_pairs(view, &tree), expected);
        assert_eq!(finder.find_pairs(view, &torn), expected);
        assert_eq!(finder.find_pairs(view, &ball), expected);
        let (other, _) = body.surface(ids[(k + 1) % ids.len()]).unwrap();
        let across = brute::find_pairs(&surface, &turned, &other, &Pose::IDENTITY, Touch::Include);
        assert_eq!(finder.find_pairs(view, body.view(ids[(k + 1) % ids.len()]).unwrap()), across);
        found += expected.len() + across.len();
    }
    assert!(found > 100, "{found}");
}

#[test]
fn questions_that_make_no_sense_get_no_answer() {
    let body = broken();
    let id = body.fragments().next().unwrap();
    let tree = body.facet_tree(id).unwrap();
    let outside = DVec3::splat(3.0);
    let infinite = DVec3::new(f64::INFINITY, 0.0, 0.0);
    for (p, reach) in [(DVec3::NAN, 1.0), (infinite, f64::INFINITY), (outside, f64::NAN), (outside, -9.0)] {
        assert_eq!(tree.find_nearest(&body, p, reach, false), None, "{p} {reach}");
        assert_eq!(body.find_nearest(id, p, reach), None, "{p} {reach}");
        assert!(!tree.is_deeper(&body, p, reach));
        assert!(matches!(tree.probe(&body, p, reach, 0.0), Probe::Far(_)), "{p} {reach}");
    }
    for p in [outside, DVec3::splat(1e30), DVec3::splat(-1e200)] {
        let near = tree.find_nearest(&body, p, f64::INFINITY, false).map(|near| near.point);
        let expected = body.find_nearest(id, p, f64::INFINITY).map(|near| near.point);
        assert_eq!(near.is_some(), expected.is_some(), "{p}");
    }
    assert!(tree.find_nearest(&body, outside, f64::INFINITY, true).is_some());
}
