//! Shapes whose overlap is known.

use super::{place, random_turn, random_vector, shifted, way_out};
use fracas::geom::{DQuat, DVec3};
use fracas::internal::Random;
use fracas::mesh::{Mesh, shapes};
use fracas::{ContactOptions, Finder, MeshTree};

#[test]
fn cubes_come_apart_along_x_at_every_refinement() {
    let mut finder = Finder::default();
    for (edge, count) in [(1.0, 12), (0.25, 192), (0.0625, 3072)] {
        let cube = MeshTree::build(shapes::brick(DVec3::ONE, edge));
        assert_eq!(cube.mesh().triangle_count(), count);
        let pose = shifted(DVec3::new(0.6, 0.03, 0.02));
        let contacts = finder.find_contacts(&cube, cube.at(&pose)).expect("closed");
        assert_eq!(contacts.len(), 4);
        for contact in contacts {
            assert!((contact.depth - 0.4).abs() < 1e-12, "{contact:?}");
            assert!(contact.normal.distance(DVec3::X) < 1e-12, "{contact:?}");
        }
        // The four are spread over the area of contact, 0.97 by 0.98.
        let least = |axis: usize| contacts.iter().map(|c| c.points[0][axis]).fold(f64::INFINITY, f64::min);
        let most = |axis: usize| contacts.iter().map(|c| c.points[0][axis]).fold(f64::NEG_INFINITY, f64::max);
        assert!(most(1) - least(1) > 0.9 && most(2) - least(2) > 0.9, "{contacts:?}");
    }
}

/// Two bodies, where the second is, and in which direction it comes out.
struct Case {
    name: String,
    bodies: [Mesh; 2],
    to: DVec3,
    way: DVec3,
}

fn cases() -> Vec<Case> {
    let mut cases = vec![];
    let mut add = |name: String, a: &Mesh, b: &Mesh, to: DVec3, way: DVec3| {
        cases.push(Case { name, bodies: [a.clone(), b.clone()], to, way });
    };
    let oblique = DVec3::new(1.0, 0.3, 0.2).normalize();
    for level in 2..6 {
        let ball = shapes::icosphere(1.0, level);
        let slab = shapes::brick(DVec3::new(4.0, 4.0, 1.0), 4.0 / f64::from(1 << (level - 2)));
        for d in [0.02, 0.1, 0.5, 1.0] {
            add(format!("balls, level {level}, {d}"), &ball, &ball, oblique * (2.0 - d), oblique);
            let to = DVec3::new(0.2, 0.1, 1.5 - d);
            add(format!("ball on a slab, level {level}, {d}"), &slab, &ball, to, DVec3::Z);
        }
    }
    for n in [16, 24, 48, 96] {
        let (torus, capsule) = (shapes::torus(1.0, 0.3, n), shapes::capsule(0.3, 1.0, n));
        let slab = shapes::cuboid(DVec3::new(4.0, 4.0, 1.0));
        for d in [0.02, 0.05, 0.2] {
            add(format!("tori side by side, {n}, {d}"), &torus, &torus, DVec3::X * (2.6 - d), DVec3::X);
            add(format!("tori on each other, {n}, {d}"), &torus, &torus, DVec3::Z * (0.6 - d), DVec3::Z);
            add(format!("torus on a slab, {n}, {d}"), &slab, &torus, DVec3::Z * (0.8 - d), DVec3::Z);
            add(format!("capsules, {n}, {d}"), &capsule, &capsule, DVec3::X * (0.6 - d), DVec3::X);
            let to = DVec3::new(0.0, 0.1, 0.8 - d);
            let lying = capsule
                .posed(&place(DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2), DVec3::ZERO))
                .unwrap();
            add(format!("capsule on a slab, {n}, {d}"), &slab, &lying, to, DVec3::Z);
        }
    }
    for edge in [1.0, 0.25, 0.125] {
        let (small, large) =
            (shapes::brick(DVec3::new(1.0, 0.5, 0.5), edge), shapes::brick(DVec3::new(3.0, 3.0, 1.0), edge));
        for d in [0.001, 0.05, 0.2] {
            let to = DVec3::new(0.4, -0.3, 0.75 - d);
            add(format!("box on a box, {edge}, {d}"), &large, &small, to, DVec3::Z);
            add(format!("box over the edge, {edge}, {d}"), &large, &small, to + DVec3::X * 1.2, DVec3::Z);
        }
    }
    cases
}

#[test]
fn depth_and_direction_are_those_of_the_tessellated_bodies() {
    let mut finder = Finder::default();
    let mut random = Random::new(3);
    for Case { name, bodies: [a, b], to, way } in cases() {
        let (a, b) = (MeshTree::build(a), MeshTree::build(b));
        let pose = shifted(to);
        let expected = way_out(&mut finder, &a, &b, &pose, way, 2.5);
        if expected < 1e-6 {
            continue;
        }
        // As it stands, and turned and moved as a whole.
        let whole = place(random_turn(&mut random), random_vector(&mut random) * 5.0);
        for whole in [shifted(DVec3::ZERO), whole] {
            let contacts =
                finder.find_contacts(a.at(&whole), b.at(&whole.after(&pose))).expect("closed").to_vec();
            assert!(!contacts.is_empty() && contacts.len() <= 4, "{name}: {contacts:?}");
            let contact = contacts[0];
            let (depth, normal) = (contact.depth, whole.inverse().rotation() * contact.normal);
            assert!((depth / expected - 1.0).abs() < 0.02, "{name}: {depth} for {expected}, {normal}");
            // The depth is that of the direction reported, exactly.
            let along = way_out(&mut finder, &a, &b, &pose, normal, 2.5);
            assert!((depth / along - 1.0).abs() < 5e-3, "{name}: {depth}, but {along} along {normal}");
            // Coarse bodies have directions of their own: those of faces.
            let angle = normal.angle_between(way).to_degrees();
            assert!(angle < 10.0, "{name}: {angle}° off, {normal} for {way}");
            for contact in &contacts {
                assert!(contact.normal == contacts[0].normal && contact.region == 0);
                assert!(contact.depth <= depth * (1.0 + 1e-6), "{name}: {contact:?} {depth}");
                let apart = contact.points[0] - contact.points[1] - contact.depth * contact.normal;
                assert!(apart.length() < 1e-9, "{name}: {contact:?}");
            }
        }
    }
}

#[test]
fn a_body_inside_another_leaves_by_the_nearest_way() {
    let mut finder = Finder::default();
    let (large, small) =
        (MeshTree::build(shapes::brick(DVec3::ONE, 0.2)), shapes::brick(DVec3::splat(0.1), 0.05));
    let small = MeshTree::build(small);
    for (to, normal, depth) in [
        (DVec3::new(0.1, 0.3, -0.05), DVec3::Y, 0.25),
        (DVec3::new(-0.4, 0.3, -0.05), -DVec3::X, 0.15),
        (DVec3::new(0.0, 0.1, -0.35), -DVec3::Z, 0.2),
    ] {
        let pose = shifted(to);
        let contacts = finder.find_contacts(&large, small.at(&pose)).expect("closed").to_vec();
        assert!(!contacts.is_empty(), "{to}");
        assert!(
            (contacts[0].depth - depth).abs() < 1e-9 && contacts[0].normal.distance(normal) < 1e-9,
            "{to}: {contacts:?}"
        );
        let swapped = finder.find_contacts(small.at(&pose), &large).expect("closed");
        assert!((swapped[0].depth - depth).abs() < 1e-9 && swapped[0].normal.distance(-normal) < 1e-9);
    }
    // A cavity is outside.
    let outer = shapes::icosphere(1.0, 3);
    let mut triangles = outer.triangles().to_vec();
    let count = outer.vertex_count() as u32;
    triangles.extend(outer.triangles().iter().map(|[a, b, c]| [a + count, c + count, b + count]));
    let mut positions = outer.positions().to_vec();
    positions.extend(outer.positions().iter().map(|p| *p * 0.8));
    let hollow = MeshTree::build(Mesh::new(positions, triangles).unwrap());
    assert!(finder.find_contacts(&hollow, &small).expect("closed").is_empty());
    let in_the_wall = finder.find_contacts(&hollow, small.at(&shifted(DVec3::X * 0.84))).expect("closed");
    assert!(in_the_wall[0].normal.x < -0.9 && in_the_wall[0].depth < 0.12, "{in_the_wall:?}");
}

#[test]
fn a_table_has_a_region_for_each_leg_and_each_leg_its_own_depth() {
    let leg = shapes::cuboid(DVec3::new(0.1, 0.1, 1.0));
    let (mut positions, mut triangles) = (vec![], vec![]);
    for (k, (x, y)) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].into_iter().enumerate() {
        let first = positions.len() as u32;
        positions.extend(leg.positions().iter().map(|p| *p + DVec3::new(x, y, 0.01 * k as f64)));
        triangles.extend(leg.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    let table = MeshTree::build(Mesh::new(positions, triangles).unwrap());
    let mut finder = Finder::default();
    for edge in [4.0, 0.125] {
        let floor = MeshTree::build(shapes::brick(DVec3::new(4.0, 4.0, 1.0), edge));
        let at = shifted(DVec3::Z * 0.95);
        let contacts = finder.find_contacts(&floor, table.at(&at)).expect("closed");
        assert_eq!(contacts.len(), 16);
        for contact in contacts {
            let depth = 0.05 - 0.01 * f64::from(contact.region);
            assert!(
                (contact.depth - depth).abs() < 1e-9 && contact.normal.distance(DVec3::Z) < 1e-9,
                "{contact:?}"
            );
        }
        let options = ContactOptions { max_per_region: 1, ..ContactOptions::default() };
        assert_eq!(finder.find_contacts_with(&floor, table.at(&at), &options).expect("closed").len(), 4);
    }
}
