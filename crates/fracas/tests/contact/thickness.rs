//! Contacts of open surfaces, against brute force; gaps between closed bodies.

use super::{place, shifted};
use fracas::geom::{DQuat, DVec3, Triangle};
use fracas::mesh::{Mesh, TriangleId, shapes};
use fracas::{ContactOptions, ContactParts, Features, Finder, MeshTree};
use std::collections::{BTreeMap, BTreeSet};

/// The distance of two convex sets of points, by alternating projections onto a fine set of weights: slow, and independent of the library.
fn least_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    let nearest_on_segment = |p: DVec3, u: DVec3, v: DVec3| {
        let along = v - u;
        let share = if along == DVec3::ZERO { 0.0 } else { (p - u).dot(along) / along.length_squared() };
        u + along * share.clamp(0.0, 1.0)
    };
    let nearest = |p: DVec3, set: &[DVec3]| match *set {
        [q] => q,
        [u, v] => nearest_on_segment(p, u, v),
        [u, v, w] => {
            let normal = (v - u).cross(w - u);
            let inside = |x: DVec3, y: DVec3| normal.dot((y - x).cross(p - x)) >= 0.0;
            if inside(u, v) && inside(v, w) && inside(w, u) {
                p - normal * (normal.dot(p - u) / normal.length_squared())
            } else {
                let sides = [(u, v), (v, w), (w, u)].map(|(x, y)| nearest_on_segment(p, x, y));
                sides.into_iter().min_by(|x, y| x.distance(p).total_cmp(&y.distance(p))).unwrap()
            }
        }
        _ => unreachable!("vertices, edges, triangles"),
    };
    let mut p = a[0];
    for _ in 0..20_000 {
        let next = nearest(nearest(p, b), a);
        if next.distance(p) < 1e-15 {
            break;
        }
        p = next;
    }
    p.distance(nearest(p, b))
}

fn edges(mesh: &Mesh) -> BTreeSet<[u32; 2]> {
    let all = mesh.triangles().iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    all.map(|[v, w]| [v.min(w), v.max(w)]).collect()
}

#[test]
fn contacts_of_open_surfaces_are_all_features_within_the_thickness() {
    let cloth = shapes::cloth_grid(5, 4, [1.3, 1.0]);
    let turned = shapes::icosphere(0.5, 1)
        .posed(&place(DQuat::from_rotation_x(0.37), DVec3::new(0.13, 0.07, 0.53)))
        .unwrap();
    let thickness = 0.09;
    let mut expected: BTreeMap<Features, f64> = BTreeMap::new();
    let at = |mesh: &Mesh, v: u32| mesh.positions()[v as usize];
    for (k, corners) in turned.triangles().iter().enumerate() {
        let t = corners.map(|v| at(&turned, v));
        for v in 0..cloth.vertex_count() as u32 {
            let features = Features::VertexTriangle(v, TriangleId(k as u32));
            expected.insert(features, least_distance(&[at(&cloth, v)], &t));
        }
    }
    for (k, corners) in cloth.triangles().iter().enumerate() {
        let t = corners.map(|v| at(&cloth, v));
        for v in 0..turned.vertex_count() as u32 {
            let features = Features::TriangleVertex(TriangleId(k as u32), v);
            expected.insert(features, least_distance(&t, &[at(&turned, v)]));
        }
    }
    for e in edges(&cloth) {
        for f in edges(&turned) {
            let distance = least_distance(&e.map(|v| at(&cloth, v)), &f.map(|v| at(&turned, v)));
            expected.insert(Features::EdgeEdge(e, f), distance);
        }
    }
    let options = ContactOptions { thickness, ..ContactOptions::default() };
    let mut finder = Finder::default();
    let found = finder.find_contacts_with(&cloth, &turned, &options).unwrap().to_vec();
    let mut seen = BTreeSet::new();
    for contact in &found {
        let ContactParts::Features(features) = contact.between else { panic!("{contact:?}") };
        let distance = expected[&features];
        assert!((contact.depth - (thickness - distance)).abs() < 1e-6, "{contact:?}, but {distance}");
        let way = contact.points[1] - contact.points[0];
        assert!((way - contact.normal * distance).length() < 1e-6 && contact.normal.is_normalized());
        assert!(seen.insert(features));
    }
    for (features, distance) in &expected {
        assert!(*distance > thickness - 1e-6 || seen.contains(features), "missed {features:?} at {distance}");
    }
    assert!(seen.len() > 50, "{}", seen.len());
    // The other way round.
    let swapped = finder.find_contacts_with(&turned, &cloth, &options).unwrap();
    assert_eq!(swapped.len(), found.len());
}

#[test]
fn features_that_meet_have_a_normal() {
    let flat = shapes::cloth_grid(2, 2, [1.0, 1.0]);
    let upright =
        flat.posed(&place(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::ZERO)).unwrap();
    let options = ContactOptions { thickness: 0.1, ..ContactOptions::default() };
    let mut finder = Finder::default();
    for other in [&flat, &upright] {
        let contacts = finder.find_contacts_with(&flat, other, &options).unwrap();
        assert!(!contacts.is_empty() && contacts.iter().all(|c| c.normal.is_normalized() && c.depth <= 0.1));
    }
}

#[test]
fn closed_bodies_with_thickness_have_contacts_across_gaps() {
    let floor = MeshTree::build(shapes::brick(DVec3::new(4.0, 4.0, 1.0), 0.5));
    let options = ContactOptions { thickness: 0.02, ..ContactOptions::default() };
    let mut finder = Finder::default();
    for edge in [1.0, 0.25] {
        let cube = MeshTree::build(shapes::brick(DVec3::ONE, edge));
        for gap in [0.015, 0.001, -0.001, -0.01] {
            let pose = shifted(DVec3::new(0.1, 0.2, 1.0 + gap));
            let contacts = finder.find_contacts_with(&floor, cube.at(&pose), &options).unwrap();
            assert!(contacts.len() >= 4, "{edge} {gap}: {contacts:?}");
            let deepest = contacts.iter().map(|c| c.depth).fold(f64::NEG_INFINITY, f64::max);
            assert!((deepest - (0.02 - gap)).abs() < 1e-9, "{edge} {gap}: {deepest}");
            let below = contacts.iter().filter(|c| c.normal.distance(DVec3::Z) < 1e-6);
            assert!(below.count() >= 4, "{edge} {gap}: {contacts:?}");
        }
        let above = shifted(DVec3::Z * 1.021);
        assert!(finder.find_contacts_with(&floor, cube.at(&above), &options).unwrap().is_empty());
        // Tilted: one edge is in the floor, the other above it.
        let tilt = place(DQuat::from_rotation_y(0.005), DVec3::Z * 1.001);
        let contacts = finder.find_contacts_with(&floor, cube.at(&tilt), &options).unwrap();
        let reported: Vec<Triangle> = contacts
            .iter()
            .filter_map(|c| match c.between {
                ContactParts::Triangles(t, _) => Some(floor.view().triangle(t)),
                _ => None,
            })
            .collect();
        assert!(!reported.is_empty() && contacts.len() > reported.len(), "{contacts:?}");
        let x = |sign: f64| contacts.iter().map(|c| c.points[1].x * sign).fold(f64::NEG_INFINITY, f64::max);
        assert!(x(1.0) > 0.45 && x(-1.0) > 0.45, "{contacts:?}");
    }
}
