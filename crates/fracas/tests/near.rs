//! Features and triangles within a reach, against brute force with distances computed in another way.

mod common;

use common::bodies::KINDS;
use fracas::geom::{DQuat, DVec3, Pose, Triangle};
use fracas::internal::Random;
use fracas::mesh::{Mesh, TriangleId, shapes};
use fracas::{Features, FindOptions, Finder, MeshTree, Near, NearParts, Pair, Threads};
use std::collections::{BTreeMap, BTreeSet};

/// The distance of a point from a segment.
fn to_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let length = along.length_squared();
    let share = if length > 0.0 { ((p - a).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + along * share)
}

/// The distance of a point from a triangle: its sides, and its plane where the point is above the inside.
fn to_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let sides = to_segment(p, a, b).min(to_segment(p, b, c)).min(to_segment(p, c, a));
    let n = (b - a).cross(c - a);
    if n.length() < 1e-12 {
        return sides;
    }
    let above = |u: DVec3, v: DVec3| n.dot((v - u).cross(p - u)) >= 0.0;
    if above(a, b) && above(b, c) && above(c, a) { (n.dot(p - a) / n.length()).abs() } else { sides }
}

/// The distance of two segments: their ends, and their lines where these are nearest inside both.
fn segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let ends = to_segment(a, c, d).min(to_segment(b, c, d)).min(to_segment(c, a, b)).min(to_segment(d, a, b));
    let (u, v) = (b - a, d - c);
    let n = u.cross(v);
    let area = n.length_squared();
    if area < 1e-20 {
        return ends;
    }
    let s = (c - a).cross(v).dot(n) / area;
    let t = (c - a).cross(u).dot(n) / area;
    let inside = |x: f64| (0.0..=1.0).contains(&x);
    if inside(s) && inside(t) { ends.min((c - a).dot(n).abs() / area.sqrt()) } else { ends }
}

fn edges(mesh: &Mesh) -> BTreeSet<[u32; 2]> {
    let all = mesh.triangles().iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    all.map(|[v, w]| [v.min(w), v.max(w)]).filter(|[v, w]| v != w).collect()
}

fn vertices(mesh: &Mesh) -> BTreeSet<u32> {
    mesh.triangles().iter().flatten().copied().collect()
}

/// The distances of all pairs of features, up to twice the reach.
fn brute(a: &Mesh, b: &Mesh, itself: bool, reach: f64) -> BTreeMap<Features, f64> {
    let mut found = BTreeMap::new();
    let mut add = |features: Features, distance: f64| {
        if distance <= 2.0 * reach + 1e-9 {
            found.insert(features, distance);
        }
    };
    let (p, q) = (a.positions(), b.positions());
    for v in vertices(a) {
        for (t, corners) in b.triangles().iter().enumerate() {
            if !(itself && corners.contains(&v)) {
                let distance = to_triangle(p[v as usize], corners.map(|w| q[w as usize]));
                add(Features::VertexTriangle(v, TriangleId(t as u32)), distance);
            }
        }
    }
    if !itself {
        for v in vertices(b) {
            for (t, corners) in a.triangles().iter().enumerate() {
                let distance = to_triangle(q[v as usize], corners.map(|w| p[w as usize]));
                add(Features::TriangleVertex(TriangleId(t as u32), v), distance);
            }
        }
    }
    for e in edges(a) {
        for f in edges(b) {
            if !itself || (e < f && !e.iter().any(|v| f.contains(v))) {
                let distance = segments(e.map(|v| p[v as usize]), f.map(|v| q[v as usize]));
                add(Features::EdgeEdge(e, f), distance);
            }
        }
    }
    found
}

#[track_caller]
fn check(found: &[Near], brute: &BTreeMap<Features, f64>, reach: f64, rounding: f64, what: &str) {
    assert!(found.windows(2).all(|pair| pair[0].features < pair[1].features), "{what}: out of order");
    for near in found {
        let expected = brute.get(&near.features).unwrap_or_else(|| panic!("{what}: invented {near:?}"));
        assert!((near.distance - expected).abs() <= rounding, "{what}: {near:?}, but {expected}");
        assert!(near.distance <= reach + rounding, "{what}: {near:?} is out of reach");
    }
    let named: BTreeSet<Features> = found.iter().map(|near| near.features).collect();
    for (features, distance) in brute {
        assert!(
            *distance > reach - rounding || named.contains(features),
            "{what}: missed {features:?} at {distance}"
        );
    }
}

fn random_soup(count: usize, size: f64, snapped: bool, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let mut x = |size: f64| {
        let x = (random.unit() * 2.0 - 1.0) * size;
        if snapped { (x * 4.0).round() / 4.0 } else { x }
    };
    let mut points = vec![];
    for _ in 0..count {
        let centre = DVec3::new(x(1.0), x(1.0), x(1.0));
        points.extend([0; 3].map(|_| centre + DVec3::new(x(size), x(size), x(size))));
    }
    // Some triangles share vertices, some name one twice.
    let triangles = (0..count as u32).map(|k| match k % 7 {
        5 => [3 * k, 3 * k, 3 * k + 1],
        6 => [3 * k, 3 * k + 1, 3 * k - 1],
        _ => [3 * k, 3 * k + 1, 3 * k + 2],
    });
    Mesh::new(points, triangles.collect()).unwrap()
}

#[test]
fn near_features_of_every_two_kinds_of_bodies_are_those_of_brute_force() {
    let (a, b) = (shapes::icosphere(1.0, 1), shapes::torus(1.0, 0.3, 9));
    for reach in [0.0, 0.05, 0.3] {
        let expected = brute(&a, &b, false, reach);
        for first in KINDS {
            for second in KINDS {
                let (one, other) = ((first.make)(&a), (second.make)(&b));
                let mut finder = Finder::default();
                let found = finder.find_near(one.view(), other.view(), reach);
                check(found, &expected, reach, 1e-13, &format!("{} and {}", first.name, second.name));
                assert!(reach == 0.0 || found.len() > 30, "{}", found.len());
            }
        }
    }
}

#[test]
fn near_features_of_random_and_degenerate_soups_are_those_of_brute_force() {
    let mut finder = Finder::default();
    for seed in 0..12 {
        let snapped = seed % 2 == 1;
        let [a, b] = [0, 1].map(|k| random_soup(40, 0.3, snapped, 2 * seed + k));
        // Snapped positions have many distances of exactly these values.
        for reach in [0.0, 0.25, 0.1] {
            let rounding = 1e-12;
            check(
                finder.find_near(&a, &b, reach),
                &brute(&a, &b, false, reach),
                reach,
                rounding,
                "two soups",
            );
            check(finder.find_near_self(&a, reach), &brute(&a, &a, true, reach), reach, rounding, "one soup");
        }
    }
}

/// Pairs at exactly the reach are there, though distances are rounded.
#[test]
fn equality_counts() {
    let flat = shapes::cloth_grid(5, 5, [1.0, 1.0]);
    for (angle, height) in [(0.0, 0.125), (0.7, 0.1), (1.9, 1.0 / 3.0)] {
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, angle, 0.3 * angle, -angle);
        let [low, high] = [0.0, height].map(|z| {
            let points = flat.positions().iter().map(|p| turn * (*p + DVec3::Z * z));
            MeshTree::build(Mesh::new(points.collect(), flat.triangles().to_vec()).unwrap())
        });
        let mut finder = Finder::default();
        let found = finder.find_near(&low, &high, height);
        let faces = found.iter().filter(|n| matches!(n.features, Features::VertexTriangle(..))).count();
        // Every vertex is straight above at least one triangle.
        assert!(faces >= flat.vertex_count(), "{faces}");
        assert!(finder.find_near(&low, &high, height * 0.999_999).is_empty());
    }
}

#[test]
fn poses_sizes_and_threads_do_not_matter() {
    let (a, b) = (shapes::icosphere(1.0, 2), shapes::torus(1.0, 0.3, 12));
    let pose =
        Pose::new(DQuat::from_euler(glam::EulerRot::XYZ, 0.4, 1.1, -0.3), DVec3::new(0.3, 0.1, 0.2)).unwrap();
    let moved = b.posed(&pose).unwrap();
    let (tree_a, tree_b) = (MeshTree::build(a.clone()), MeshTree::build(b));
    let mut finder = Finder::default();
    let found = finder.find_near(&tree_a, tree_b.at(&pose), 0.1).to_vec();
    check(&found, &brute(&a, &moved, false, 0.1), 0.1, 1e-13, "posed");
    for threads in [Threads::One, Threads::All] {
        let mut other = Finder::new(FindOptions { threads, ..FindOptions::default() });
        assert_eq!(other.find_near(&tree_a, tree_b.at(&pose), 0.1), found);
        // Asked again, and after another question.
        other.find_near_self(&tree_b, 0.2);
        assert_eq!(other.find_near(&tree_a, tree_b.at(&pose), 0.1), found);
    }
    for exponent in [-600, -100, 100, 600] {
        let scale = 2.0_f64.powi(exponent);
        let scaled = |mesh: &Mesh| {
            let points = mesh.positions().iter().map(|p| *p * scale).collect();
            Mesh::new(points, mesh.triangles().to_vec()).unwrap()
        };
        let again = finder.find_near(&scaled(&a), &scaled(&moved), 0.1 * scale).to_vec();
        let names = |list: &[Near]| list.iter().map(|near| near.features).collect::<Vec<_>>();
        assert_eq!(names(&again), names(&found), "2^{exponent}");
        assert!(again.iter().zip(&found).all(|(x, y)| (x.distance / scale - y.distance).abs() < 1e-13));
    }
}

#[test]
fn weights_and_parts_say_where_features_are_nearest() {
    let (a, b) = (shapes::icosphere(1.0, 2), shapes::icosphere(0.5, 2));
    let b = b.posed(&Pose::from_translation(DVec3::new(1.45, 0.2, 0.1)).unwrap()).unwrap();
    let mut finder = Finder::default();
    let mut seen = BTreeSet::new();
    for near in finder.find_near(&a, &b, 0.2) {
        let (p, q) = (a.positions(), b.positions());
        let corners = |mesh: &Mesh, t: TriangleId| mesh.triangles()[t.index()];
        let [w0, w1, w2, w3] = near.weights;
        let at = |list: &[DVec3], v: u32, w: f64| list[v as usize] * w;
        let (x, y) = match near.features {
            Features::VertexTriangle(v, t) => {
                let [i, j, k] = corners(&b, t);
                (at(p, v, w0), at(q, i, w1) + at(q, j, w2) + at(q, k, w3))
            }
            Features::TriangleVertex(t, v) => {
                let [i, j, k] = corners(&a, t);
                (at(p, i, w0) + at(p, j, w1) + at(p, k, w2), at(q, v, w3))
            }
            Features::EdgeEdge([i, j], [k, l]) => (at(p, i, w0) + at(p, j, w1), at(q, k, w2) + at(q, l, w3)),
        };
        assert!((x.distance(y) - near.distance).abs() < 1e-13, "{near:?}");
        seen.insert(format!("{:?}", near.between));
        let whole = near.weights.iter().filter(|w| **w == 1.0).count();
        assert_eq!(near.between == NearParts::VertexVertex, whole == 2, "{near:?}");
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn near_triangles_are_those_of_brute_force() {
    let mut finder = Finder::default();
    for seed in 0..6 {
        let [a, b] = [0, 1].map(|k| random_soup(60, 0.25, seed % 2 == 1, 50 + 2 * seed + k));
        for reach in [0.0, 0.07, 0.25] {
            let near = |t: &Triangle, u: &Triangle| {
                let (p, q) = (t.corners(), u.corners());
                let mut least = f64::INFINITY;
                for k in 0..3 {
                    least = least.min(to_triangle(p[k], q)).min(to_triangle(q[k], p));
                    for m in 0..3 {
                        least = least.min(segments([p[k], p[(k + 1) % 3]], [q[m], q[(m + 1) % 3]]));
                    }
                }
                fracas::exact::tri_tri(t, u) != fracas::exact::Relation::Disjoint || least <= reach + 1e-14
            };
            let all = |mesh: &Mesh| {
                (0..mesh.triangle_count()).map(|k| mesh.triangle(TriangleId(k as u32))).collect::<Vec<_>>()
            };
            let (ts, us) = (all(&a), all(&b));
            let mut between = vec![];
            let mut within = vec![];
            for (i, t) in ts.iter().enumerate() {
                between.extend(
                    (0..us.len()).filter(|&j| near(t, &us[j])).map(|j| Pair::new(i as u32, j as u32)),
                );
                let apart = |j: &usize| !a.triangles()[i].iter().any(|v| a.triangles()[*j].contains(v));
                let later = (i + 1..ts.len()).filter(apart);
                within.extend(later.filter(|&j| near(t, &ts[j])).map(|j| Pair::new(i as u32, j as u32)));
            }
            assert_eq!(finder.find_near_triangles(&a, &b, reach), between);
            assert_eq!(finder.find_near_triangles_self(&a, reach), within);
        }
    }
}

#[test]
fn nothing_is_within_a_reach_that_is_no_number_or_negative_and_empty_bodies_are_near_nothing() {
    let ball = MeshTree::build(shapes::icosphere(1.0, 2));
    let empty = MeshTree::build(Mesh::default());
    let mut finder = Finder::default();
    assert!(!finder.find_near(&ball, &ball, 0.1).is_empty());
    for reach in [f64::NAN, -0.1, f64::NEG_INFINITY] {
        assert!(finder.find_near(&ball, &ball, reach).is_empty());
        assert!(finder.find_near_self(&ball, reach).is_empty());
        assert!(finder.find_near_triangles(&ball, &ball, reach).is_empty());
    }
    assert!(
        finder.find_near(&ball, &empty, 1.0).is_empty() && finder.find_near(&empty, &ball, 1.0).is_empty()
    );
    assert!(finder.find_near_self(&empty, 1.0).is_empty());
    // Without a limit every two features are near.
    let small = MeshTree::build(shapes::cuboid(DVec3::ONE));
    let count = small.mesh().vertex_count() * small.mesh().triangle_count();
    assert_eq!(finder.find_near(&small, &small, f64::INFINITY).len(), 2 * count + 18 * 18);
}
