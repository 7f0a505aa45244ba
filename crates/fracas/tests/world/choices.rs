//! What a world keeps for a body: it follows what the body does, and never changes an answer.

use crate::asking;
use fracas::internal::Random;
use fracas::kinetic::{Plan, Plans};
use fracas::mesh::{MeshEdit, TriangleId, shapes};
use fracas::world::{Ask, Body, Keep, Settings, Why, World};
use fracas::{BuildOptions, DVec3, Finder, Mesh, MeshTree, Pose, TearingBody};

fn waved(mesh: &Mesh, time: f64) -> Vec<DVec3> {
    mesh.positions().iter().map(|p| *p + DVec3::Z * 0.05 * (3.0 * p.x + time).sin()).collect()
}

#[test]
fn a_body_is_kept_as_what_it_does_and_the_world_says_why() {
    let mut world = World::new(asking(Ask::PAIRS));
    let cloth = shapes::cloth_grid(40, 40, [2.0, 2.0]);
    let id = world.insert(cloth.clone());
    let kept = |world: &World| world.explain(id).map(|found| (found.kept, found.why)).unwrap();
    world.step(0.1).unwrap();
    assert_eq!(kept(&world), (Keep::Soup, Why::Given), "nothing is near it");
    let ball = world.insert(shapes::icosphere(0.3, 2));
    world.step(0.1).unwrap();
    assert_eq!(kept(&world), (Keep::Tree, Why::Near));
    // It is driven once that would have paid, and a tree again once others ask about it at rest.
    for frame in 0..40 {
        world.set_positions(id, &waved(&cloth, f64::from(frame))).unwrap();
        world.step(0.1).unwrap();
        if frame == 2 {
            assert_eq!(kept(&world).0, Keep::Tree, "three steps say little");
        }
    }
    assert_eq!(kept(&world), (Keep::Driven, Why::Deforms));
    for frame in 0..200 {
        let pose = Pose::from_translation(DVec3::Z * 1e-3 * f64::from(frame % 7)).unwrap();
        world.set_pose(ball, &pose).unwrap();
        world.step(0.1).unwrap();
    }
    assert_eq!(kept(&world), (Keep::Tree, Why::Stopped));
    let now = world.time();
    let frames = vec![waved(&cloth, 5.0), waved(&cloth, 7.0)];
    world.set_plans(id, Plans::keyframes(vec![now, now + 1.0], frames).unwrap()).unwrap();
    world.change_plans(id, &[(0, Plan::Velocity(DVec3::Z))]).unwrap();
    world.step(0.1).unwrap();
    assert_eq!(kept(&world), (Keep::Kinetic, Why::Planned));
    world.set_positions(id, &waved(&cloth, 8.0)).unwrap();
    world.step(0.1).unwrap();
    assert_eq!(kept(&world), (Keep::Driven, Why::LostPlan));
    world.apply(id, &MeshEdit { removed: vec![TriangleId(0)], ..MeshEdit::default() }).unwrap();
    world.step(0.1).unwrap();
    assert_eq!(kept(&world), (Keep::Tearing, Why::Edited));
    assert!(world.explain(id).unwrap().to_string().contains("tearing body"));
    assert!(world.report().meeting(id, ball).is_some(), "the ball has been in the cloth all the time");
}

#[test]
fn every_structure_that_a_body_can_be_told_to_keep_gives_the_same_report() {
    let cloth = shapes::cloth_grid(24, 24, [2.0, 2.0]);
    let run = |keep: Option<Keep>| {
        let mut world = World::new(asking(Ask { touch: true, near: Some(0.01), ..Ask::PAIRS }));
        let id = world.insert(Body::from(cloth.clone()).with(Settings { keep, ..Settings::default() }));
        let ball = world.insert(shapes::icosphere(0.3, 3));
        let mut digests = String::new();
        for frame in 0..12 {
            world.set_positions(id, &waved(&cloth, 0.2 * f64::from(frame))).unwrap();
            let pose = Pose::from_translation(DVec3::new(0.05 * f64::from(frame), 0.1, 0.05)).unwrap();
            world.set_pose(ball, &pose).unwrap();
            digests += &world.step(0.1).unwrap().digest();
        }
        (digests, world.explain(id).unwrap().kept)
    };
    let (chosen, _) = run(None);
    for keep in [Keep::Soup, Keep::Tree, Keep::Driven, Keep::Tearing] {
        let (told, kept) = run(Some(keep));
        assert_eq!(kept, keep);
        assert!(told == chosen, "{keep:?} gives another report");
    }
}

#[test]
fn pieces_that_have_come_apart_have_boxes_of_their_own() {
    let mut world = World::new(asking(Ask::PAIRS));
    // Two balls in one mesh: one piece at first, since nothing has been edited.
    let ball = shapes::icosphere(0.5, 2);
    let far = ball.positions().iter().map(|p| *p + DVec3::X * 10.0);
    let count = ball.vertex_count() as u32;
    let positions = ball.positions().iter().copied().chain(far).collect();
    let second = ball.triangles().iter().map(|t| t.map(|v| v + count));
    let both = Mesh::new(positions, ball.triangles().iter().copied().chain(second).collect()).unwrap();
    let mut body = TearingBody::build(both);
    let between = world.insert(shapes::icosphere(1.0, 2));
    world.set_pose(between, &Pose::from_translation(DVec3::X * 5.0).unwrap()).unwrap();
    let whole = world.insert(body.clone());
    assert_eq!(world.step(0.1).unwrap().counters().candidates, 1, "one box around both balls");
    world.remove(whole).unwrap();
    let labels: Vec<u32> = (0..640).map(|t| u32::from(t >= 320)).collect();
    assert_eq!(body.split(&labels), Ok(2));
    let id = world.insert(body);
    let candidates = world.step(0.1).unwrap().counters().candidates;
    assert_eq!((world.explain(id).unwrap().boxes, candidates), (2, 0));
    // Both pieces touch the body now, and pairs are in order all the same.
    world.set_mesh(between, shapes::cuboid(DVec3::new(12.0, 0.2, 0.2))).unwrap();
    let report = world.step(0.1).unwrap();
    let meeting = report.meeting(id, between).unwrap();
    assert_eq!(meeting.bodies, [between, id]);
    let pairs = meeting.pairs;
    assert!(pairs.is_sorted() && pairs.iter().any(|p| p.b.0 < 320) && pairs.iter().any(|p| p.b.0 >= 320));
}

#[test]
fn bodies_at_rest_are_not_asked_again_and_stay_in_the_report() {
    let mut world = World::new(asking(Ask::PAIRS));
    let [a, b] = [0, 1].map(|_| world.insert(shapes::icosphere(1.0, 2)));
    world.set_pose(b, &Pose::from_translation(DVec3::X).unwrap()).unwrap();
    let first = world.step(0.1).unwrap();
    let (pairs, asked) = (first.meeting(a, b).unwrap().pairs.to_vec(), first.counters().asked);
    assert_eq!(asked, 1);
    for _ in 0..20 {
        let report = world.step(0.1).unwrap();
        assert_eq!((report.counters().asked, report.counters().changed), (0, 0));
        assert_eq!(report.meeting(a, b).unwrap().pairs, pairs);
        assert_eq!(report.stayed(), [[a, b]]);
    }
    // Another question about the same bodies is asked at once.
    world.ask(a, b, Ask::NOTHING).unwrap();
    assert_eq!(world.step(0.1).unwrap().ended(), [[a, b]]);
}

/// The first edit of a body that had a tree built another one from nothing.
#[test]
fn trees_that_are_taken_over_are_sound_at_every_size_and_as_good_as_new_ones() {
    let mut random = Random::new(5);
    let mut point = || DVec3::new(random.signed(), random.signed(), random.signed());
    let mut meshes: Vec<Mesh> = (0..90)
        .map(|count: u32| {
            let places = (0..3 * count).map(|k| point() * if k % 3 == 0 { 1.0 } else { 0.1 });
            let triangles = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]);
            Mesh::new(places.collect(), triangles.collect()).unwrap()
        })
        .collect();
    meshes.extend([shapes::noisy_sphere(3_001, 0.2, 9), shapes::cloth_grid(50, 31, [1.0, 1.0])]);
    // All in one place.
    meshes.push(Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]; 100]).unwrap());
    let mut finder = Finder::default();
    for mesh in meshes {
        let count = mesh.triangle_count();
        for self_queries in [false, true] {
            let options = BuildOptions { self_queries, ..BuildOptions::default() };
            let tree = MeshTree::build_with(mesh.clone(), &options);
            let mut body = TearingBody::from_tree(tree);
            body.validate().unwrap();
            assert_eq!(body.mesh().live_count(), count);
            let new = TearingBody::build(mesh.clone());
            assert_eq!(finder.find_self_pairs(&body).to_vec(), finder.find_self_pairs(&new));
            let (taken, built) = (body.quality(), new.quality());
            assert!(taken.depth <= built.depth + 2, "{count} triangles: {} and {}", taken.depth, built.depth);
            if count > 1_000 {
                assert!(taken.sah < 1.15 * built.sah, "{count} triangles: {} and {}", taken.sah, built.sah);
            }
            for gone in [0, count / 2, count.saturating_sub(1)] {
                let edit = MeshEdit { removed: vec![TriangleId(gone as u32)], ..MeshEdit::default() };
                // Refused where there is no such triangle any more.
                let _ = body.apply(&edit);
                body.validate().unwrap();
            }
        }
    }
}
