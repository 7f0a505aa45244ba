//! What a world refuses, and what it takes that is strange.

use crate::asking;
use fracas::kinetic::Plans;
use fracas::mesh::{MeshEdit, TriangleId, shapes};
use fracas::world::{Ask, Body, Groups, Settings, World, WorldError};
use fracas::{ContactOptions, DVec3, Mesh, MeshTree, Pose};
use std::sync::Arc;

#[test]
fn ids_of_another_world_and_of_removed_bodies_are_refused_by_every_call() {
    let (mut world, mut other) = (World::default(), World::default());
    let ball = shapes::icosphere(1.0, 1);
    let id = world.insert(ball.clone());
    let stranger = other.insert(ball.clone());
    let gone = world.insert(ball.clone());
    world.remove(gone).unwrap();
    // The place is taken again, by another id.
    let next = world.insert(ball.clone());
    assert!(next != gone && next.slot() == gone.slot());
    for (bad, error) in [(stranger, WorldError::OtherWorld(stranger)), (gone, WorldError::NoSuchBody(gone))] {
        let pose = Pose::from_translation(DVec3::X).unwrap();
        assert_eq!(world.set_pose(bad, &pose).unwrap_err(), error);
        assert_eq!(world.set_positions(bad, ball.positions()).unwrap_err(), error);
        assert_eq!(world.set_mesh(bad, ball.clone()).unwrap_err(), error);
        assert_eq!(world.apply(bad, &MeshEdit::default()).unwrap_err(), error);
        assert_eq!(world.set_transforms(bad, &[]).unwrap_err(), error);
        assert_eq!(world.split(bad, &[], &[]).unwrap_err(), error);
        assert_eq!(world.ask(id, bad, Ask::PAIRS).unwrap_err(), error);
        assert_eq!(world.set_settings(bad, Settings::default()).unwrap_err(), error);
        assert_eq!(world.remove(bad).unwrap_err(), error);
        assert_eq!(world.explain(bad).unwrap_err(), error);
        assert!(world.view(bad).is_err() && world.pose(bad).is_err() && !world.contains(bad));
    }
    assert_eq!(world.len(), 2);
}

#[test]
fn what_does_not_fit_a_body_is_refused_by_name_and_changes_nothing() {
    let mut world = World::new(asking(Ask::PAIRS));
    let ball = shapes::icosphere(1.0, 1);
    let id = world.insert(ball.clone());
    let other = world.insert(ball.clone());
    let before = world.step(0.1).unwrap().meeting(id, other).unwrap().pairs.to_vec();
    assert!(matches!(world.set_positions(id, &[DVec3::ZERO]), Err(WorldError::Mesh { .. })));
    let mut bad = ball.positions().to_vec();
    bad[5].y = f64::NAN;
    assert!(matches!(world.set_positions(id, &bad), Err(WorldError::Mesh { .. })));
    let edit = MeshEdit { removed: vec![TriangleId(99_999)], ..MeshEdit::default() };
    assert!(matches!(world.apply(id, &edit), Err(WorldError::Edit { .. })));
    assert!(matches!(world.set_transforms(id, &[]), Err(WorldError::WrongKind { .. })));
    assert!(matches!(world.split(id, &[], &[]), Err(WorldError::WrongKind { .. })));
    let short = Plans::keyframes(vec![0.0], vec![vec![DVec3::ZERO]]).unwrap();
    assert!(matches!(world.set_plans(other, short), Err(WorldError::Plan { .. })));
    for time in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(world.step(time), Err(WorldError::BadStep(_))));
    }
    for reach in [-1.0, f64::NAN, f64::INFINITY] {
        let near = Ask { near: Some(reach), ..Ask::NOTHING };
        assert!(matches!(world.ask(id, other, near), Err(WorldError::BadReach(_))));
    }
    assert_eq!(world.step(0.1).unwrap().meeting(id, other).unwrap().pairs, before);
    world.validate().unwrap();
}

#[test]
fn a_pose_beyond_all_numbers_is_refused() {
    let mut world = World::default();
    let id = world.insert(shapes::cuboid(DVec3::splat(1e308)));
    let far = Pose::from_translation(DVec3::splat(f64::MAX)).unwrap();
    assert_eq!(world.set_pose(id, &far).unwrap_err(), WorldError::TooFar(id));
    assert_eq!(*world.pose(id).unwrap(), Pose::IDENTITY);
    // Inserted there, it is refused by the step, which works again when the body is gone.
    let lost = world.insert(Body::from(shapes::cuboid(DVec3::splat(1e308))).at(&far));
    assert_eq!(world.step(0.1).unwrap_err(), WorldError::TooFar(lost));
    world.remove(lost).unwrap();
    world.step(0.1).unwrap();
    world.validate().unwrap();
}

#[test]
fn empty_bodies_points_and_all_sizes_live_in_one_world() {
    let mut world = World::new(asking(Ask { touch: true, ..Ask::PAIRS }));
    let nothing = world.insert(Mesh::default());
    let point = world.insert(Mesh::new(vec![DVec3::ZERO; 3], vec![[0, 1, 2]]).unwrap());
    let sizes: Vec<_> =
        [1e-200, 1e-30, 1.0, 1e30, 1e150].map(|size| world.insert(shapes::icosphere(size, 1))).into();
    let report = world.step(0.0).unwrap();
    // Each ball is inside the next, and all of them hold the point.
    let mut expected: Vec<_> = sizes.iter().map(|&ball| [point, ball]).collect();
    expected.extend(sizes.iter().enumerate().flat_map(|(k, &a)| sizes[k + 1..].iter().map(move |&b| [a, b])));
    expected.sort_unstable();
    assert!(report.touching().eq(expected));
    assert!(report.meetings().all(|meeting| meeting.bodies[0] != nothing));
}

#[test]
fn groups_sensors_and_pairs_of_bodies_decide_what_is_asked() {
    let mut world = World::new(asking(Ask { touch: true, ..Ask::PAIRS }));
    let tree = Arc::new(MeshTree::build(shapes::icosphere(1.0, 2)));
    let body = |settings| Body::from(tree.clone()).with(settings);
    let plain = Settings::default();
    let red = world.insert(body(Settings { groups: Groups { of: 0b10, with: 0b1 }, ..plain }));
    let white = world.insert(body(plain));
    let red_too = world.insert(body(Settings { groups: Groups { of: 0b10, with: 0b1 }, ..plain }));
    let sensor = world.insert(body(Settings { sensor: true, ..plain }));
    world.set_pose(white, &Pose::from_translation(DVec3::X * 0.5).unwrap()).unwrap();
    let report = world.step(0.1).unwrap();
    let expected = [[red, white], [red, sensor], [white, red_too], [white, sensor], [red_too, sensor]];
    assert!(report.touching().eq(expected), "{:?}", report.touching().collect::<Vec<_>>());
    assert!(report.meeting(sensor, white).unwrap().pairs.is_empty());
    assert!(!report.meeting(white, red).unwrap().pairs.is_empty());
    world.ask(red, white, Ask::NOTHING).unwrap();
    world.ask(white, red_too, Ask { near: Some(0.1), ..Ask::NOTHING }).unwrap();
    let report = world.step(0.1).unwrap();
    assert!(report.meeting(red, white).is_none());
    let near = report.meeting(white, red_too).unwrap();
    assert!(near.pairs.is_empty() && !near.near.is_empty() && !near.touches);
}

#[test]
fn contacts_between_open_bodies_say_why_there_are_none() {
    let mut world = World::new(asking(Ask::CONTACTS));
    let cloth = world.insert(shapes::cloth_grid(4, 4, [2.0, 2.0]));
    let ball = world.insert(shapes::icosphere(0.5, 2));
    let report = world.step(0.1).unwrap();
    let meeting = report.meeting(cloth, ball).unwrap();
    assert!(meeting.contacts.is_empty() && meeting.no_contacts.is_some() && meeting.touches);
    let thick = ContactOptions { thickness: 0.05, ..ContactOptions::default() };
    world.ask(cloth, ball, Ask { contacts: Some(thick), ..Ask::NOTHING }).unwrap();
    let meeting_is_contact = world.step(0.1).unwrap().meeting(cloth, ball).unwrap();
    assert!(!meeting_is_contact.contacts.is_empty() && meeting_is_contact.no_contacts.is_none());
}

#[test]
fn a_bullet_that_passes_a_wall_within_one_step_is_an_impact() {
    let mut world = World::new(asking(Ask::IMPACTS));
    let wall = world.insert(shapes::cuboid(DVec3::new(0.02, 2.0, 2.0)));
    let start = Pose::from_translation(DVec3::X * -3.0).unwrap();
    let bullet = world.insert(Body::from(shapes::icosphere(0.05, 2)).at(&start));
    assert_eq!(world.step(0.01).unwrap().touching().count(), 0);
    world.set_pose(bullet, &Pose::from_translation(DVec3::X * 3.0).unwrap()).unwrap();
    let report = world.step(0.01).unwrap();
    let impacts = report.meeting(wall, bullet).unwrap().impacts;
    assert!((impacts[0].time.low - 2.94 / 6.0).abs() < 1e-3);
    assert_eq!(report.began(), [[wall, bullet]]);
    // Without another motion the impact is over.
    assert_eq!(world.step(0.01).unwrap().ended(), [[wall, bullet]]);
    // A deforming wall meets a bullet that stays.
    world.set_pose(bullet, &Pose::from_translation(DVec3::X * 0.5).unwrap()).unwrap();
    world.step(0.01).unwrap();
    let swung: Vec<DVec3> =
        shapes::cuboid(DVec3::new(0.02, 2.0, 2.0)).positions().iter().map(|p| *p + DVec3::X).collect();
    world.set_positions(wall, &swung).unwrap();
    let report = world.step(0.01).unwrap();
    let impacts = report.meeting(wall, bullet).unwrap().impacts;
    assert!((impacts[0].time.low - 0.44).abs() < 1e-2, "{:?}", impacts[0].time);
}

/// Found by the fuzz target `world`: such a world went on, and its snapshot was refused.
#[test]
fn a_body_that_asks_about_itself_within_no_distance_was_taken() {
    for reach in [-1.0, f64::NAN, f64::INFINITY] {
        let mut world = World::default();
        let own = Ask { near: Some(reach), ..Ask::NOTHING };
        let id = world.insert(Body::from(shapes::icosphere(1.0, 1)).asking_itself(own));
        assert!(matches!(world.step(0.1), Err(WorldError::BadReach(_))), "{reach}");
        world.remove(id).unwrap();
        world.step(0.1).unwrap();
    }
}
