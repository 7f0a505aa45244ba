//! What holds for contacts of any two bodies.

use super::common::bodies::KINDS;
use super::common::threads::on_threads;
use super::{place, random_turn, random_vector, shifted, way_out};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::internal::Random;
use fracas::mesh::{Mesh, shapes};
use fracas::{
    Contact, ContactError, ContactOptions, ContactParts, FindOptions, Finder, MeshTree, Threads, Touch,
};

fn meshes() -> Vec<Mesh> {
    vec![
        shapes::icosphere(1.0, 3),
        shapes::brick(DVec3::new(1.0, 1.5, 0.7), 0.3),
        shapes::torus(1.0, 0.3, 30),
        shapes::noisy_sphere(1500, 0.2, 4),
        shapes::creature(5000),
    ]
}

/// Two bodies that overlap a little: a random pose, and the second moved out until so much of the way is left.
fn shallow(finder: &mut Finder, a: &MeshTree, b: &MeshTree, left: f64, random: &mut Random) -> Pose {
    let pose = place(random_turn(random), random_vector(random) * 0.3);
    let way = random_vector(random).normalize();
    let out = way_out(finder, a, b, &pose, way, 4.0);
    shifted(way * (out - left)).after(&pose)
}

#[test]
fn swapped_bodies_have_the_same_depth_and_the_opposite_direction() {
    let mut finder = Finder::default();
    let mut random = Random::new(5);
    let trees: Vec<MeshTree> = meshes().into_iter().map(MeshTree::build).collect();
    for round in 0..100 {
        let (a, b) = (&trees[round % 5], &trees[round / 5 % 5]);
        let pose = shallow(&mut finder, a, b, 0.06, &mut random);
        let one = finder.find_contacts(a, b.at(&pose)).expect("closed").to_vec();
        let other = finder.find_contacts(b.at(&pose), a).expect("closed").to_vec();
        let regions = |list: &[Contact]| list.last().map_or(0, |contact| contact.region + 1);
        assert!(regions(&one) > 0 && regions(&one) == regions(&other), "{round}");
        let (x, y) = (one[0], other[0]);
        assert!((x.depth / y.depth - 1.0).abs() < 0.02, "{round}: {x:?} {y:?}");
        let angle = x.normal.angle_between(-y.normal).to_degrees();
        assert!(angle < 12.0, "{round}: {angle}° {x:?} {y:?}");
    }
}

#[test]
fn a_motion_of_both_bodies_moves_the_contacts() {
    let mut finder = Finder::default();
    let mut random = Random::new(6);
    let trees: Vec<MeshTree> = meshes().into_iter().map(MeshTree::build).collect();
    for round in 0..100 {
        let (a, b) = (&trees[round % 5], &trees[round / 5 % 5]);
        let pose = shallow(&mut finder, a, b, 0.06, &mut random);
        let whole = place(random_turn(&mut random), random_vector(&mut random) * 10.0);
        let still = finder.find_contacts(a, b.at(&pose)).expect("closed").to_vec();
        let moved = finder.find_contacts(a.at(&whole), b.at(&whole.after(&pose))).expect("closed").to_vec();
        assert!(!still.is_empty(), "{round}");
        let (x, y) = (still[0], moved[0]);
        assert!((x.depth / y.depth - 1.0).abs() < 0.02, "{round}: {x:?} {y:?}");
        let angle = (whole.rotation() * x.normal).angle_between(y.normal).to_degrees();
        assert!(angle < 12.0, "{round}: {angle}°, {x:?} {y:?}");
    }
}

#[test]
fn every_kind_of_body_answers_as_a_tree_does() {
    let (a, b) = (shapes::brick(DVec3::ONE, 0.5), shapes::icosphere(0.5, 2));
    let pose = place(DQuat::from_rotation_x(0.3), DVec3::new(0.2, 0.1, 0.9));
    let mut finder = Finder::default();
    let expected = finder
        .find_contacts(&MeshTree::build(a.clone()), MeshTree::build(b.clone()).at(&pose))
        .expect("closed")
        .to_vec();
    assert!(!expected.is_empty());
    let options = ContactOptions { thickness: 0.05, ..ContactOptions::default() };
    for first in KINDS {
        for second in KINDS {
            let (one, other) = ((first.make)(&a), (second.make)(&b));
            let found = finder.find_contacts(one.view(), other.view().at(&pose)).expect("closed").to_vec();
            let what = format!("{} and {}", first.name, second.name);
            assert_eq!(found.len(), expected.len(), "{what}");
            for (x, y) in found.iter().zip(&expected) {
                assert!(
                    (x.depth - y.depth).abs() < 1e-9 && x.normal.distance(y.normal) < 1e-9,
                    "{what}: {x:?} {y:?}"
                );
                let ContactParts::Triangles(t, u) = x.between else { panic!("{what}: {x:?}") };
                let [on_a, on_b] = [one.view().triangle(t), other.view().at(&pose).triangle(u)];
                assert!(on_a.closest_point(x.points[0]).distance(x.points[0]) < 1e-7, "{what}: {x:?}");
                assert!(on_b.closest_point(x.points[1]).distance(x.points[1]) < 1e-7, "{what}: {x:?}");
            }
            let thick =
                finder.find_contacts_with(one.view(), other.view().at(&pose), &options).expect("closed");
            assert!((thick[0].depth - expected[0].depth - 0.05).abs() < 1e-9, "{what}");
        }
    }
}

#[test]
fn answers_are_the_same_at_any_number_of_threads_and_in_any_order() {
    let trees: Vec<MeshTree> = meshes().into_iter().map(MeshTree::build).collect();
    let pose = place(DQuat::from_rotation_y(0.4), DVec3::new(0.9, 0.3, 0.2));
    let ask = |finder: &mut Finder, a: usize, b: usize| {
        finder.find_contacts(&trees[a], trees[b].at(&pose)).expect("closed").to_vec()
    };
    for a in 0..5 {
        for b in 0..5 {
            let expected = ask(&mut Finder::default(), a, b);
            for count in [1, 2, 8] {
                let options =
                    FindOptions { threads: Threads::All, touch: Touch::Proper, ..FindOptions::default() };
                let mut finder = Finder::new(options);
                let found = on_threads(count, || {
                    // Another question first.
                    ask(&mut finder, b, a);
                    ask(&mut finder, a, b)
                });
                assert_eq!(found, expected);
                assert_eq!(finder.options(), &options);
            }
        }
    }
}

#[test]
fn sizes_do_not_matter() {
    let (a, b) = (shapes::brick(DVec3::ONE, 0.5), shapes::icosphere(0.5, 3));
    let pose = place(DQuat::from_rotation_x(0.3), DVec3::new(0.2, 0.1, 0.9));
    let b = b.posed(&pose).unwrap();
    let mut finder = Finder::default();
    let expected = finder.find_contacts(&a, &b).expect("closed").to_vec();
    let thick = ContactOptions { thickness: 0.02, ..ContactOptions::default() };
    let far = b.posed(&shifted(DVec3::Z * 0.11)).unwrap();
    let gaps = finder.find_contacts_with(&a, &far, &thick).expect("closed").to_vec();
    assert!(!gaps.is_empty());
    for exponent in [-900, -500, -190, -60, 60, 190, 500, 900] {
        let scale = 2.0_f64.powi(exponent);
        let scaled = |mesh: &Mesh| {
            let points = mesh.positions().iter().map(|p| *p * scale).collect();
            MeshTree::build(Mesh::new(points, mesh.triangles().to_vec()).unwrap())
        };
        let found = finder.find_contacts(&scaled(&a), &scaled(&b)).expect("closed").to_vec();
        assert_eq!(found.len(), expected.len(), "2^{exponent}");
        for (x, y) in found.iter().zip(&expected) {
            assert!(
                (x.depth / scale - y.depth).abs() < 1e-9 && x.normal.distance(y.normal) < 1e-7,
                "2^{exponent}: {x:?}"
            );
            assert!((x.points[0] / scale).distance(y.points[0]) < 1e-7, "2^{exponent}");
        }
        let thick = ContactOptions { thickness: 0.02 * scale, ..thick };
        let found = finder.find_contacts_with(&scaled(&a), &scaled(&far), &thick).expect("closed").to_vec();
        assert_eq!(found.len(), gaps.len(), "2^{exponent}");
        assert!(
            found
                .iter()
                .zip(&gaps)
                .all(|(x, y)| (x.depth / scale - y.depth).abs() < 1e-9 && x.between == y.between)
        );
    }
}

#[test]
fn aligned_boxes_have_their_four_corners_as_contacts() {
    let mut finder = Finder::default();
    for edge in [1.0, 0.25] {
        let cube = MeshTree::build(shapes::brick(DVec3::ONE, edge));
        for depth in [1e-6, 1e-3, 0.125] {
            let contacts =
                finder.find_contacts(&cube, cube.at(&shifted(DVec3::Z * (1.0 - depth)))).expect("closed");
            assert_eq!(contacts.len(), 4, "{depth}: {contacts:?}");
            for contact in contacts {
                assert!(
                    (contact.depth - depth).abs() < 1e-9 && contact.normal.distance(DVec3::Z) < 1e-5,
                    "{contact:?}"
                );
                assert!(contact.points[0].x.abs() > 0.45 && contact.points[0].y.abs() > 0.45, "{contact:?}");
            }
        }
        // Touching is no overlap.
        assert!(finder.find_contacts(&cube, cube.at(&shifted(DVec3::Z))).expect("closed").is_empty());
        assert!(finder.find_contacts(&cube, cube.at(&shifted(DVec3::Z * 1.1))).expect("closed").is_empty());
        // The same place: three faces are equally good.
        let same = finder.find_contacts(&cube, &cube).expect("closed");
        assert!(!same.is_empty() && (1.0..1.74).contains(&same[0].depth), "{same:?}");
    }
}

#[test]
fn wrong_questions_are_errors_and_empty_bodies_have_no_contacts() {
    let ball = MeshTree::build(shapes::icosphere(1.0, 2));
    let cloth = MeshTree::build(shapes::cloth_grid(3, 3, [1.0, 1.0]));
    let empty = MeshTree::build(Mesh::default());
    let mut finder = Finder::default();
    assert!(matches!(finder.find_contacts(&ball, &cloth), Err(ContactError::Open { body: 1, .. })));
    let Err(error) = finder.find_contacts(&cloth, &ball) else { panic!("an open body") };
    assert!(error.to_string().starts_with("body 0 is open"), "{error}");
    for thickness in [f64::NAN, -1.0, f64::INFINITY] {
        let options = ContactOptions { thickness, ..ContactOptions::default() };
        assert!(matches!(finder.find_contacts_with(&ball, &ball, &options), Err(ContactError::Thickness(_))));
    }
    assert!(finder.find_contacts(&ball, &empty).unwrap().is_empty());
    assert!(finder.find_contacts(&empty, &cloth).unwrap().is_empty());
    let none = ContactOptions { max_per_region: 0, ..ContactOptions::default() };
    let pose = shifted(DVec3::X);
    assert_eq!(finder.find_contacts_with(&ball, ball.at(&pose), &none).unwrap().len(), 1);
    let many = ContactOptions { max_per_region: usize::MAX, ..none };
    assert!(finder.find_contacts_with(&ball, ball.at(&pose), &many).unwrap().len() > 8);
}

/// Closed meshes that no solid has: flat, folded, repeated, inside out, turned at random.
#[test]
fn hostile_bodies_do_no_harm() {
    let cube = shapes::brick(DVec3::ONE, 0.5);
    let with = |change: &dyn Fn(DVec3) -> DVec3| {
        let points = cube.positions().iter().map(|p| change(*p)).collect();
        Mesh::new(points, cube.triangles().to_vec()).unwrap()
    };
    let flipped: Vec<[u32; 3]> = cube.triangles().iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let mixed = cube
        .triangles()
        .iter()
        .enumerate()
        .map(|(k, [a, b, c])| if k % 3 == 0 { [*a, *c, *b] } else { [*a, *b, *c] });
    let twice: Vec<[u32; 3]> = cube.triangles().iter().chain(cube.triangles()).copied().collect();
    let bodies: Vec<MeshTree> = vec![
        cube.clone(),
        with(&|p| p * DVec3::new(1.0, 1.0, 0.0)),
        with(&|p| p * DVec3::new(1.0, 0.0, 0.0)),
        with(&|_| DVec3::splat(0.1)),
        with(&|p| DVec3::new(p.x * p.y, p.y, p.z)),
        with(&|p| (p * 8.0).round() * 0.0625 * DVec3::new(1.0, -1.0, 1.0)),
        Mesh::new(cube.positions().to_vec(), flipped).unwrap(),
        Mesh::new(cube.positions().to_vec(), mixed.collect()).unwrap(),
        Mesh::new(cube.positions().to_vec(), twice).unwrap(),
        with(&|p| p * 1e-300),
        with(&|p| p * 1e300),
        with(&|p| p * 1e-9 + 1e9),
    ]
    .into_iter()
    .map(MeshTree::build)
    .collect();
    let mut finder = Finder::default();
    let mut random = Random::new(9);
    let poses = [
        shifted(DVec3::ZERO),
        shifted(DVec3::new(0.5, 0.0, 0.0)),
        shifted(DVec3::new(0.5, 0.5, 0.25)),
        place(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4), DVec3::X * 0.5),
        place(random_turn(&mut random), random_vector(&mut random)),
    ];
    for (i, a) in bodies.iter().enumerate() {
        for (j, b) in bodies.iter().enumerate() {
            for pose in &poses {
                for thickness in [0.0, 0.01] {
                    let options = ContactOptions { thickness, ..ContactOptions::default() };
                    let contacts = finder.find_contacts_with(a, b.at(pose), &options).expect("closed");
                    for contact in contacts {
                        let sound = contact.normal.is_normalized() && contact.depth.is_finite();
                        assert!(
                            sound && contact.points.iter().all(|p| p.is_finite()),
                            "{i} {j}: {contact:?}"
                        );
                    }
                }
            }
        }
    }
    // Inside out is as good.
    let pose = shifted(DVec3::new(0.6, 0.03, 0.02));
    for k in [0, 6] {
        let contacts = finder.find_contacts(&bodies[k], bodies[0].at(&pose)).expect("closed");
        assert!(
            (contacts[0].depth - 0.4).abs() < 1e-9 && contacts[0].normal.distance(DVec3::X) < 1e-9,
            "{contacts:?}"
        );
    }
}
