//! Every query answers as a tree over the evaluated vertices does, whatever was asked before.

use crate::motions::{ball, body, evaluated, vector, waving, wild};
use fracas::geom::{DAffine3, Pose};
use fracas::internal::Random;
use fracas::mesh::{Influence, Mesh, Skin, SkinError, shapes};
use fracas::skinned::{Bound, SkinOptions, SkinnedBody};
use fracas::{Box3, DVec3, FindOptions, Finder, MeshTree, TearingBody, Threads};

const BOUNDS: [Bound; 2] = [Bound::Equation12, Bound::Knapsack];

fn options(bound: Bound) -> SkinOptions {
    SkinOptions { bound, ..SkinOptions::default() }
}

/// Compares all queries about a body with those about a tree; returns how many pairs there were.
fn check(
    finder: &mut Finder,
    body: &SkinnedBody,
    obstacle: &MeshTree,
    size: f64,
    random: &mut Random,
) -> usize {
    let tree = MeshTree::build(evaluated(body));
    for id in (0..tree.mesh().triangle_count() as u32).map(fracas::TriangleId) {
        assert_eq!(body.triangle(id), tree.mesh().triangle(id), "not to the last bit");
    }
    let mut fresh = Finder::default();
    let expected = fresh.find_pairs(&tree, obstacle).to_vec();
    assert_eq!(finder.find_pairs(body, obstacle), expected);
    assert_eq!(Finder::default().find_pairs(body, obstacle), expected);
    let turned = expected.iter().map(|pair| (pair.b, pair.a)).collect::<std::collections::BTreeSet<_>>();
    let found = finder.find_pairs(obstacle, body).iter().map(|pair| (pair.a, pair.b)).collect();
    assert_eq!(turned, found);
    let first = finder.find_first(body, obstacle);
    assert_eq!(first.is_some(), !expected.is_empty());
    assert!(first.is_none_or(|pair| expected.contains(&pair)));
    assert_eq!(finder.overlaps(body, obstacle), fresh.overlaps(&tree, obstacle));
    let closest = finder.find_closest(body, obstacle, f64::INFINITY).map(|found| found.distance);
    assert_eq!(closest, fresh.find_closest(&tree, obstacle, f64::INFINITY).map(|found| found.distance));
    let reach = 0.02 * size;
    assert_eq!(finder.find_near(body, obstacle, reach), fresh.find_near(&tree, obstacle, reach));
    assert_eq!(finder.find_self_pairs(body), fresh.find_self_pairs(&tree));
    let (view, whole) = (body.view(), tree.view());
    for _ in 0..5 {
        let [p, q] = [vector(random), vector(random)].map(|v| v * 1.3 * size);
        assert_eq!(view.nearest(p, f64::INFINITY), whole.nearest(p, f64::INFINITY));
        assert_eq!(view.cast_ray(p, q), whole.cast_ray(p, q));
        assert_eq!(view.side_of(p), whole.side_of(p));
        let bounds = Box3 { min: p.min(q), max: p.max(q) };
        assert_eq!(view.find_in_box(&bounds), whole.find_in_box(&bounds));
    }
    expected.len()
}

#[test]
fn answers_are_those_of_a_tree_over_the_evaluated_vertices() {
    let mut found = 0;
    for (seed, bound) in (0..).zip(BOUNDS) {
        let mut random = Random::new(seed);
        for (triangles, nodes) in [(1, 1), (30, 3), (3000, 20), (3000, 120)] {
            let (cloud, skin) = ball(seed, triangles, nodes, 1.0);
            let mut body = body(&skin, &options(bound));
            let obstacle = MeshTree::build(shapes::torus(0.8, 0.15, 24));
            let mut finder = Finder::default();
            for step in 0..6 {
                body.set_transforms(&waving(&cloud, step, 1.0)).unwrap();
                found += check(&mut finder, &body, &obstacle, 1.0, &mut random);
                body.set_transforms(&wild(&mut random, nodes, 1.0)).unwrap();
                found += check(&mut finder, &body, &obstacle, 1.0, &mut random);
            }
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn sizes_do_not_matter() {
    for size in [1e-200, 1e-30, 1e-3, 1e6, 1e60, 1e150] {
        let mut random = Random::new(7);
        let (cloud, skin) = ball(7, 300, 12, size);
        let mut body = body(&skin, &SkinOptions::default());
        let torus = shapes::torus(0.8, 0.15, 12);
        let positions = torus.positions().iter().map(|p| *p * size).collect();
        let obstacle = MeshTree::build(Mesh::new(positions, torus.triangles().to_vec()).unwrap());
        let mut found = 0;
        for step in 0..4 {
            body.set_transforms(&waving(&cloud, step, size)).unwrap();
            let tree = MeshTree::build(evaluated(&body));
            let mut finder = Finder::default();
            let expected = finder.find_pairs(&tree, &obstacle).to_vec();
            assert_eq!(finder.find_pairs(&body, &obstacle), expected, "size {size}");
            assert_eq!(
                finder.find_self_pairs(&body).to_vec(),
                Finder::default().find_self_pairs(&tree),
                "size {size}"
            );
            body.set_transforms(&wild(&mut random, 12, size)).unwrap();
            let tree = MeshTree::build(evaluated(&body));
            let expected = [expected, finder.find_pairs(&tree, &obstacle).to_vec()];
            assert_eq!(finder.find_pairs(&body, &obstacle), expected[1], "size {size}");
            found += expected.iter().map(Vec::len).sum::<usize>();
        }
        assert!(found > 10, "size {size}: {found}");
    }
}

#[test]
fn bodies_of_all_kinds_meet_each_other() {
    let mut random = Random::new(5);
    let (cloud, skin) = ball(5, 2000, 40, 1.0);
    let (other_cloud, other) = ball(6, 2000, 9, 1.0);
    let mut bodies = [body(&skin, &options(Bound::Equation12)), body(&other, &options(Bound::Knapsack))];
    let torn = TearingBody::build(shapes::noisy_sphere(500, 0.2, 1));
    let soup = shapes::noisy_sphere(500, 0.2, 2);
    let mut finder = Finder::default();
    for step in 0..4 {
        bodies[0].set_transforms(&waving(&cloud, step, 1.0)).unwrap();
        bodies[1].set_transforms(&waving(&other_cloud, step + 9, 1.0)).unwrap();
        let [a, b] = [&bodies[0], &bodies[1]];
        let trees = [a, b].map(|body| MeshTree::build(evaluated(body)));
        let pose = Pose::new(fracas::DQuat::from_rotation_y(0.3 + step as f64), vector(&mut random)).unwrap();
        let mut fresh = Finder::default();
        assert_eq!(finder.find_pairs(a.at(&pose), b), fresh.find_pairs(trees[0].at(&pose), &trees[1]));
        assert!(!finder.find_pairs(a, b).is_empty());
        assert_eq!(finder.find_pairs(a, &torn), fresh.find_pairs(&trees[0], &torn));
        assert_eq!(finder.find_pairs(a, &soup), fresh.find_pairs(&trees[0], &soup));
        // A copy is a body of its own.
        let copy = a.clone();
        assert_eq!(finder.find_pairs(&copy, b), fresh.find_pairs(&trees[0], &trees[1]));
    }
}

#[test]
fn answers_do_not_depend_on_earlier_queries_or_threads() {
    let (cloud, skin) = ball(11, 5000, 60, 1.0);
    let mut body = body(&skin, &SkinOptions::default());
    let obstacle = MeshTree::build(shapes::torus(0.9, 0.2, 30));
    body.set_transforms(&waving(&cloud, 3, 1.0)).unwrap();
    let expected = Finder::default().find_pairs(&body, &obstacle).to_vec();
    assert!(expected.len() > 50, "{}", expected.len());
    for threads in [Threads::One, Threads::All] {
        let mut finder = Finder::new(FindOptions { threads, ..FindOptions::default() });
        for k in 0..4 {
            // Something else first, which opens another part of the body.
            let probe = MeshTree::build(shapes::icosphere(0.3, 2));
            let at = Pose::from_translation(DVec3::new(0.9 - 0.5 * f64::from(k), 0.2, 0.1)).unwrap();
            finder.find_pairs(&body, probe.at(&at));
            assert_eq!(finder.find_pairs(&body, &obstacle), expected);
        }
        // Away and back again.
        let transforms = body.transforms().to_vec();
        let far = DAffine3::from_translation(DVec3::splat(1e9));
        body.set_transforms(&vec![far; transforms.len()]).unwrap();
        assert!(finder.find_pairs(&body, &obstacle).is_empty());
        body.set_transforms(&transforms).unwrap();
        assert_eq!(finder.find_pairs(&body, &obstacle), expected);
    }
}

#[test]
fn bad_transforms_are_refused_and_change_nothing() {
    let (cloud, skin) = ball(3, 500, 10, 1.0);
    let mut body = body(&skin, &SkinOptions::default());
    let good = waving(&cloud, 2, 1.0);
    body.set_transforms(&good).unwrap();
    let obstacle = MeshTree::build(shapes::torus(0.9, 0.2, 12));
    let expected = Finder::default().find_pairs(&body, &obstacle).to_vec();
    let mut bad = vec![DAffine3::IDENTITY; 10];
    bad[7].translation.y = f64::NAN;
    let count = SkinError::WrongNodeCount { expected: 10, given: 9 };
    assert_eq!(body.set_transforms(&bad[..9]), Err(count));
    assert_eq!(body.set_transforms(&bad), Err(SkinError::BadTransform { node: 7 }));
    bad[7] = DAffine3::from_scale(DVec3::splat(f64::MAX));
    assert_eq!(body.set_transforms(&bad), Err(SkinError::BadTransform { node: 7 }));
    assert_eq!(body.transforms(), good);
    assert_eq!(Finder::default().find_pairs(&body, &obstacle), expected);
    let huge = Mesh::new(vec![DVec3::splat(f64::MAX); 3], vec![[0, 1, 2]]).unwrap();
    let weights = [[Influence { node: 0, weight: 1.0 }]; 3];
    let skin = Skin::new(huge, 1, weights).unwrap();
    let refused = SkinnedBody::new(skin, &SkinOptions::default());
    assert_eq!(refused.err(), Some(SkinError::BadTransform { node: 0 }));
}

#[test]
fn nothing_is_a_body_too() {
    let nothing = Mesh::new(vec![DVec3::ONE], vec![]).unwrap();
    let skin = Skin::new(nothing, 1, [[Influence { node: 0, weight: 1.0 }]]).unwrap();
    let mut body = body(&skin, &SkinOptions::default());
    body.set_transforms(&[DAffine3::from_translation(DVec3::X)]).unwrap();
    assert!(Finder::default().find_self_pairs(&body).is_empty());
    assert_eq!(body.vertex(0), DVec3::ONE + DVec3::X);
    // All vertices at one point.
    let (_, skin) = ball(1, 100, 5, 1.0);
    let mut body = crate::motions::body(&skin, &SkinOptions::default());
    body.set_transforms(&[DAffine3 { matrix3: fracas::geom::DMat3::ZERO, translation: DVec3::X }; 5])
        .unwrap();
    let tree = MeshTree::build(evaluated(&body));
    assert_eq!(Finder::default().find_self_pairs(&body), Finder::default().find_self_pairs(&tree),);
}

#[test]
fn impacts_are_those_of_a_tree() {
    let (cloud, skin) = ball(21, 300, 10, 1.0);
    let mut body = body(&skin, &SkinOptions::default());
    body.set_transforms(&waving(&cloud, 1, 1.0)).unwrap();
    let tree = MeshTree::build(evaluated(&body));
    let wall = MeshTree::build(shapes::cuboid(DVec3::new(0.5, 1.0, 1.0)));
    let from = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0)).unwrap();
    let to = Pose::from_translation(DVec3::new(1.2, 0.0, 0.0)).unwrap();
    let mut finder = Finder::default();
    let expected = finder.find_impacts(&tree, wall.at(&from).to(&to)).all.to_vec();
    assert!(!expected.is_empty());
    assert_eq!(finder.find_impacts(&body, wall.at(&from).to(&to)).all.to_vec(), expected);
}
