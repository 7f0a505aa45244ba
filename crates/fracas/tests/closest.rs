//! Distances of bodies, first pairs and overlaps, against brute force.

mod common;

use common::bodies::KINDS;
use common::cases;
use fracas::exact::{Relation, tri_tri};
use fracas::geom::{DQuat, DVec3, Pose, Triangle};
use fracas::internal::Random;
use fracas::mesh::{Mesh, TriangleId, shapes};
use fracas::{Closest, Features, Finder, KineticBody, MeshTree, TearingBody, kinetic::Plans};

/// The distance of a point from a segment.
fn to_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let length = along.length_squared();
    let share = if length > 0.0 { ((p - a).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + along * share)
}

/// The distance of two triangles by their corners, sides and planes; 0 if they intersect.
fn triangles(t: &Triangle, u: &Triangle) -> f64 {
    if tri_tri(t, u) != Relation::Disjoint {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for (one, other) in [(t, u), (u, t)] {
        let ([a, b, c], n) = (other.corners(), other.area_vector());
        for p in one.corners() {
            least = least.min(to_segment(p, a, b)).min(to_segment(p, b, c)).min(to_segment(p, c, a));
            let above = |u: DVec3, v: DVec3| n.dot((v - u).cross(p - u)) >= 0.0;
            if n.length() > 1e-12 && above(a, b) && above(b, c) && above(c, a) {
                least = least.min((n.dot(p - a) / n.length()).abs());
            }
        }
    }
    let (p, q) = (t.corners(), u.corners());
    for i in 0..3 {
        for j in 0..3 {
            let (a, c) = (p[i], q[j]);
            let (u, v) = (p[(i + 1) % 3] - a, q[(j + 1) % 3] - c);
            let n = u.cross(v);
            let area = n.length_squared();
            if area > 1e-20 {
                let (s, t) = ((c - a).cross(v).dot(n) / area, (c - a).cross(u).dot(n) / area);
                if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                    least = least.min((c - a).dot(n).abs() / area.sqrt());
                }
            }
        }
    }
    least
}

fn brute(a: &Mesh, b: &Mesh) -> f64 {
    let all = |mesh: &Mesh| {
        (0..mesh.triangle_count()).map(|k| mesh.triangle(TriangleId(k as u32))).collect::<Vec<_>>()
    };
    let (ts, us) = (all(a), all(b));
    ts.iter().flat_map(|t| us.iter().map(|u| triangles(t, u))).fold(f64::INFINITY, f64::min)
}

#[track_caller]
fn check(found: &Closest, a: &Mesh, b: &Mesh, expected: f64, what: &str) {
    let size = a.positions().iter().chain(b.positions()).fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
    assert!((found.distance - expected).abs() <= 1e-12 * size, "{what}: {found:?}, but {expected}");
    assert_eq!(found.distance == 0.0, expected == 0.0, "{what}: {found:?}, but {expected}");
    let [p, q] = found.points;
    assert!((p.distance(q) - found.distance).abs() <= 1e-12 * size, "{what}: {found:?}");
    let [t, u] = found.triangles;
    assert!(a.triangle(t).closest_point(p).distance(p) <= 1e-9 * size, "{what}: {found:?} is not on {t:?}");
    assert!(b.triangle(u).closest_point(q).distance(q) <= 1e-9 * size, "{what}: {found:?} is not on {u:?}");
    match found.features {
        Features::VertexTriangle(v, of) => {
            assert!(of == u && a.triangles()[t.index()].contains(&v));
        }
        Features::TriangleVertex(of, v) => {
            assert!(of == t && b.triangles()[u.index()].contains(&v));
        }
        Features::EdgeEdge(e, f) => {
            assert!(e.iter().all(|v| a.triangles()[t.index()].contains(v)));
            assert!(f.iter().all(|v| b.triangles()[u.index()].contains(v)));
        }
    }
}

fn random_pose(random: &mut Random, far: f64) -> Pose {
    let mut x = || random.unit() * 2.0 - 1.0;
    let turn = DQuat::from_xyzw(x(), x(), x(), x()).normalize();
    Pose::new(turn, DVec3::new(x(), x(), x()) * far).unwrap()
}

#[test]
fn distances_of_every_two_kinds_of_bodies_are_those_of_brute_force() {
    let (a, b) = (shapes::icosphere(1.0, 1), shapes::torus(1.0, 0.3, 9));
    let mut random = Random::new(3);
    for far in [0.5, 1.5, 4.0] {
        let pose = random_pose(&mut random, far);
        let moved = b.posed(&pose).unwrap();
        let expected = brute(&a, &moved);
        for first in KINDS {
            for second in KINDS {
                let (one, other) = ((first.make)(&a), (second.make)(&b));
                let what = format!("{} and {}", first.name, second.name);
                let mut finder = Finder::default();
                let found = finder.find_closest(one.view(), other.view().at(&pose), f64::INFINITY).unwrap();
                check(&found, &a, &moved, expected, &what);
                assert_eq!(
                    finder.find_first(one.view(), other.view().at(&pose)).is_some(),
                    expected == 0.0,
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn distances_at_random_poses_are_those_of_brute_force_whatever_was_asked_before() {
    let (a, b) = (shapes::noisy_sphere(500, 0.2, 1), shapes::torus(1.0, 0.2, 14));
    let trees = (MeshTree::build(a.clone()), MeshTree::build(b.clone()));
    let mut finder = Finder::default();
    let mut random = Random::new(8);
    for round in 0..40 {
        let pose = random_pose(&mut random, [0.2, 1.0, 2.0, 30.0][round % 4]);
        let moved = b.posed(&pose).unwrap();
        let expected = brute(&a, &moved);
        let found = finder.find_closest(&trees.0, trees.1.at(&pose), f64::INFINITY).unwrap();
        check(&found, &a, &moved, expected, "one after the other");
        // A body within another one's reach, and just beyond it.
        if expected > 0.0 {
            assert!(finder.find_closest(&trees.0, trees.1.at(&pose), expected * 1.000_001).is_some());
            assert!(finder.find_closest(&trees.0, trees.1.at(&pose), expected * 0.999_999).is_none());
        }
        let turned = finder.find_closest(trees.1.at(&pose), &trees.0, f64::INFINITY).unwrap();
        assert!((turned.distance - found.distance).abs() < 1e-14);
        // Where a body was nearest is tried first; that must not matter.
        assert_eq!(
            Finder::default().find_closest(&trees.0, trees.1.at(&pose), f64::INFINITY).unwrap().distance,
            found.distance
        );
    }
}

/// Every body of the corpus against every other of the same case, and against a single far triangle.
#[test]
fn distances_in_the_corpus_are_zero_exactly_where_triangles_intersect() {
    let mut finder = Finder::default();
    let far = Mesh::new(
        vec![DVec3::splat(3.0), DVec3::new(4.0, 3.0, 3.0), DVec3::new(3.0, 4.0, 3.0)],
        vec![[0, 1, 2]],
    );
    let far = far.unwrap();
    for mesh in corpus_meshes() {
        let size = mesh.positions().iter().fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
        if mesh.triangle_count() == 0 || mesh.triangle_count() > 400 || !(1e-3..1e3).contains(&size) {
            continue;
        }
        let found = finder.find_closest(&mesh, &far, f64::INFINITY).unwrap();
        check(&found, &mesh, &far, brute(&mesh, &far), "corpus and a triangle");
        let shifted =
            mesh.posed(&Pose::from_translation(DVec3::new(0.3 * size, 0.0, 0.1 * size)).unwrap()).unwrap();
        let found = finder.find_closest(&mesh, &shifted, f64::INFINITY).unwrap();
        let expected = brute(&mesh, &shifted);
        assert!((found.distance - expected).abs() <= 1e-12 * size.max(1.0), "{found:?} {expected}");
        assert_eq!(found.distance == 0.0, expected == 0.0);
    }
}

fn corpus_meshes() -> Vec<Mesh> {
    let shapes =
        cases::read_all().into_iter().flat_map(|(_, theme)| theme.cases).flat_map(|case| case.meshes);
    shapes.map(|shape| shape.mesh()).collect()
}

#[test]
fn sizes_do_not_matter() {
    let a = shapes::icosphere(1.0, 2);
    let b = shapes::torus(1.0, 0.3, 12)
        .posed(&Pose::from_translation(DVec3::new(3.0, 0.4, 0.2)).unwrap())
        .unwrap();
    let expected = Finder::default().find_closest(&a, &b, f64::INFINITY).unwrap();
    for exponent in [-660, -300, -20, 20, 300, 660] {
        let scale = 2.0_f64.powi(exponent);
        let scaled = |mesh: &Mesh| {
            let points = mesh.positions().iter().map(|p| *p * scale).collect();
            Mesh::new(points, mesh.triangles().to_vec()).unwrap()
        };
        let found = Finder::default().find_closest(&scaled(&a), &scaled(&b), f64::INFINITY).unwrap();
        assert!((found.distance / scale - expected.distance).abs() < 1e-14, "2^{exponent}");
    }
    // Bodies of very different sizes, far from each other.
    let dust = shapes::icosphere(1e-9, 1).posed(&Pose::from_translation(DVec3::X * 1e6).unwrap()).unwrap();
    let found = Finder::default().find_closest(&a, &dust, f64::INFINITY).unwrap();
    assert!((found.distance - brute(&a, &dust)).abs() < 1e-6);
}

#[test]
fn a_body_inside_another_overlaps_it_and_one_in_a_hole_does_not() {
    let large = shapes::icosphere(1.0, 3);
    let small = shapes::icosphere(0.2, 2);
    let ring = MeshTree::build(shapes::torus(1.0, 0.3, 24));
    let mut finder = Finder::default();
    // Two balls, of which the second is inside.
    let two = {
        let (mut points, mut list) = (small.positions().to_vec(), small.triangles().to_vec());
        points.iter_mut().for_each(|p| *p += DVec3::X * 5.0);
        let first = points.len() as u32;
        points.extend_from_slice(small.positions());
        list.extend(small.triangles().iter().map(|t| t.map(|v| v + first)));
        Mesh::new(points, list).unwrap()
    };
    let rest = Plans::keyframes(vec![0.0], vec![large.positions().to_vec()]).unwrap();
    let moving = KineticBody::new(large.triangles().to_vec(), rest).unwrap();
    let (tree, torn) = (MeshTree::build(large.clone()), TearingBody::build(small.clone()));
    assert!(finder.overlaps(&tree, &torn) && finder.overlaps(&torn, &tree));
    assert!(finder.overlaps(&moving, &two) && finder.overlaps(&two, &large));
    assert!(!finder.overlaps(&ring, &small));
    let in_tube = Pose::from_translation(DVec3::X).unwrap();
    assert!(
        finder.overlaps(&ring, torn.at(&in_tube))
            && !finder.overlaps(&ring, torn.at(&Pose::from_translation(DVec3::X * 1.6).unwrap()))
    );
    // A ball with a hole has no inside.
    let open = Mesh::new(large.positions().to_vec(), large.triangles()[1..].to_vec()).unwrap();
    assert!(!finder.overlaps(&open, &small));
    // It may still be inside itself.
    let around =
        Mesh::new(large.positions().iter().map(|p| *p * 3.0).collect(), large.triangles().to_vec()).unwrap();
    assert!(finder.overlaps(&open, &around));
}

#[test]
fn bad_reaches_and_empty_bodies_have_no_closest_points() {
    let ball = MeshTree::build(shapes::icosphere(1.0, 2));
    let empty = MeshTree::build(Mesh::default());
    let mut finder = Finder::default();
    for reach in [f64::NAN, -1.0] {
        assert!(finder.find_closest(&ball, &ball, reach).is_none());
    }
    assert_eq!(finder.find_closest(&ball, &ball, 0.0).unwrap().distance, 0.0);
    assert!(finder.find_closest(&ball, &empty, f64::INFINITY).is_none());
    assert!(finder.find_first(&empty, &ball).is_none() && !finder.overlaps(&empty, &ball));
}
