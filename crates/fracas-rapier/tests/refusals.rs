//! What was once taken without a word, or ended in a panic: now it works or is refused by name.

mod common;
use common::{add_floor, at, block, unbreakable, world};
use fracas::brittle::{BrittleError, Solid, SolidOptions};
use fracas::fracture::{FractureOptions, FracturePattern, Material};
use fracas::geom::DVec3;
use fracas_rapier::{BreakError, BreakOptions, BreakableSet};
use rapier3d::prelude::*;
use std::sync::Arc;

const HARD: DVec3 = DVec3::new(-1e5, 0.0, 0.0);

fn brick() -> Arc<Solid> {
    block([0.4, 0.2, 0.2], [8, 4, 4])
}

#[test]
fn a_strike_after_its_collider_was_removed_panicked() {
    let (mut world, mut set) = world();
    let handle = set.insert(&mut world, &brick(), at(0.0, 0.0, 0.0), &BreakOptions::default()).unwrap();
    world.remove_collider(world.bodies[handle].colliders()[0]);
    let struck = set.strike(&mut world, handle, DVec3::ZERO, HARD);
    assert_eq!(struck, Err(BreakError::Changed { handle }));
    // Nothing was split, and steps go on.
    let (body, fragment) = set.fragment(handle).unwrap();
    assert_eq!(body.read().unwrap().fragments().collect::<Vec<_>>(), [fragment]);
    set.step(&mut world).unwrap();
    assert_eq!(set.len(), 1);
}

#[test]
fn a_strike_after_its_collider_got_another_shape_took_that_for_the_fragment() {
    let (mut world, mut set) = world();
    let handle = set.insert(&mut world, &brick(), at(0.0, 0.0, 0.0), &BreakOptions::default()).unwrap();
    let collider = world.bodies[handle].colliders()[0];
    world.colliders[collider].set_shape(SharedShape::ball(0.3));
    assert_eq!(set.strike(&mut world, handle, DVec3::ZERO, HARD), Err(BreakError::Changed { handle }));
    assert!(world.bodies.contains(handle));
}

/// Bodies that touch in several directions have several manifolds. The engine does not check its lists in release builds; in debug builds
/// it panicked.
#[test]
fn another_shape_for_a_body_with_several_manifolds_left_some_of_them_to_be_solved() {
    let (mut world, mut set) = world();
    add_floor(&mut world);
    let handle = set.insert(&mut world, &brick(), at(0.0, 0.3, 0.0), &BreakOptions::default()).unwrap();
    let fracture = set.strike(&mut world, handle, DVec3::new(0.0, 0.3, 0.0), HARD).unwrap().unwrap();
    set.step(&mut world).unwrap();
    // Neighbours in a fresh crack.
    let colliders = fracture.pieces.iter().map(|piece| world.bodies[piece.body].colliders()[0]);
    let with_several = colliders.clone().find_map(|one| {
        let mut pairs = world.narrow_phase.contact_pairs_with(one);
        let is_such = |pair: &&ContactPair| {
            let between = [pair.collider1, pair.collider2];
            pair.manifolds().len() > 1 && between.iter().all(|of| colliders.clone().any(|piece| piece == *of))
        };
        pairs.find(is_such).map(|pair| [pair.collider1, pair.collider2])
    });
    let pair = with_several.expect("two pieces that touch in several directions");
    for collider in pair {
        world.colliders[collider].set_shape(SharedShape::ball(0.02));
    }
    for _ in 0..120 {
        set.step(&mut world).unwrap();
        let manifolds =
            world.narrow_phase.contact_pair(pair[0], pair[1]).map_or(0, |pair| pair.manifolds().len());
        assert!(manifolds <= 1, "{manifolds} manifolds of two balls");
    }
}

#[test]
fn the_handles_of_another_world_removed_a_strangers_body() {
    let (mut mine, mut set) = world();
    let handle = set.insert(&mut mine, &brick(), at(0.0, 0.0, 0.0), &BreakOptions::default()).unwrap();
    // In either of these a body has the same handle: in a world without a set, and in one with a set of its own.
    let mut bare = PhysicsWorld::default();
    let (stranger, _) = bare.insert(at(0.0, 0.0, 0.0), ColliderBuilder::ball(0.5));
    let (mut other, mut other_set) = world();
    let theirs = other_set.insert(&mut other, &brick(), at(0.0, 0.0, 0.0), &unbreakable()).unwrap();
    assert!(stranger == handle && theirs == handle);
    for world in [&mut bare, &mut other] {
        assert_eq!(set.strike(world, handle, DVec3::ZERO, HARD), Err(BreakError::NotInstalled));
        assert_eq!(set.pose(world, handle), None);
        assert!(world.bodies.contains(handle) && set.len() == 1);
    }
    // One world, and a stranger in the place of a body that was removed and whose slot was used again.
    mine.remove_body(handle);
    let (stranger, _) = mine.insert(at(0.0, 0.0, 0.0), ColliderBuilder::ball(0.5));
    assert_ne!(stranger, handle);
    let gone = set.strike(&mut mine, handle, DVec3::ZERO, HARD);
    assert_eq!(gone, Err(BreakError::NoSuchBody { handle }));
    assert!(mine.bodies.contains(stranger));
}

#[test]
fn a_set_stepped_with_another_world_forgot_its_bodies() {
    let (mut mine, mut set) = world();
    let handle = set.insert(&mut mine, &brick(), at(0.0, 1.0, 0.0), &BreakOptions::default()).unwrap();
    let (mut other, _other_set) = world();
    for wrong in [&mut PhysicsWorld::default(), &mut other] {
        let (falling, _) = wrong.insert(at(0.0, 5.0, 0.0), ColliderBuilder::ball(0.5));
        assert_eq!(set.step(wrong), Err(BreakError::NotInstalled));
        assert_eq!(set.break_bodies(wrong), Err(BreakError::NotInstalled));
        assert_eq!(wrong.bodies[falling].translation().y, 5.0, "no step was done");
    }
    assert_eq!(set.handles().collect::<Vec<_>>(), [handle]);
    set.step(&mut mine).unwrap();
    assert!(mine.bodies[handle].translation().y < 1.0);
}

#[test]
fn without_the_dispatcher_bodies_fell_through_the_floor() {
    let mut world = PhysicsWorld::default();
    add_floor(&mut world);
    let mut set = BreakableSet::default();
    let refused = set.insert(&mut world, &brick(), at(0.0, 1.0, 0.0), &unbreakable());
    assert_eq!(refused, Err(BreakError::NotInstalled));
    assert!(world.bodies.is_empty() && set.is_empty());
    // Put in by hand, it is noticed in the first step.
    let PhysicsWorld { bodies, colliders, .. } = &mut world;
    let handle = set.insert_into(bodies, colliders, &brick(), at(0.0, 1.0, 0.0), &unbreakable()).unwrap();
    assert_eq!(set.step(&mut world), Err(BreakError::NotInstalled));
    world.narrow_phase.set_query_dispatcher(set.dispatcher());
    for _ in 0..120 {
        set.step(&mut world).unwrap();
    }
    assert!((world.bodies[handle].translation().y - 0.1).abs() < 0.01);
    // A narrow phase that was replaced later is noticed too.
    world.narrow_phase = NarrowPhase::new();
    assert_eq!(set.step(&mut world), Err(BreakError::NotInstalled));
}

#[test]
fn a_strike_while_the_caller_held_a_lock_waited_for_ever() {
    let (mut world, mut set) = world();
    let handle = set.insert(&mut world, &brick(), at(0.0, 0.0, 0.0), &BreakOptions::default()).unwrap();
    let body = set.fragment(handle).unwrap().0.clone();
    {
        let _reading = body.read().unwrap();
        assert_eq!(set.strike(&mut world, handle, DVec3::ZERO, HARD), Err(BreakError::Locked { handle }));
        assert_eq!(set.step(&mut world), Err(BreakError::Locked { handle }));
        assert!(world.bodies[handle].translation().length() < 1e-9, "no step was done");
    }
    {
        let _writing = body.write().unwrap();
        assert_eq!(set.strike(&mut world, handle, DVec3::ZERO, HARD), Err(BreakError::Locked { handle }));
        assert_eq!(set.step(&mut world), Err(BreakError::Locked { handle }));
    }
    // A reader on another thread that soon lets go is waited for.
    let (send, receive) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let guard = body.read().unwrap();
        send.send(()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        drop(guard);
    });
    receive.recv().unwrap();
    assert!(set.strike(&mut world, handle, DVec3::ZERO, HARD).unwrap().is_some());
    reader.join().unwrap();
}

#[test]
fn numbers_that_make_no_sense_were_taken_silently() {
    let (mut world, mut set) = world();
    let good = BreakOptions::default();
    let material = |change: fn(&mut Material)| {
        let mut options = good;
        change(&mut options.material);
        options
    };
    let fracture = |fracture: FractureOptions| BreakOptions { fracture, ..good };
    let cells = |growth: f64| FractureOptions { pattern: FracturePattern::Cells { growth }, ..good.fracture };
    let options = [
        ("density 0", material(|m| m.density = 0.0)),
        ("density NaN", material(|m| m.density = f64::NAN)),
        ("density that is 0 in f32", material(|m| m.density = 1e-60)),
        ("density that is infinite in f32", material(|m| m.density = 1e60)),
        ("share above 1", material(|m| m.share = 2.0)),
        ("friction −1", BreakOptions { friction: -1.0, ..good }),
        ("friction NaN", BreakOptions { friction: f32::NAN, ..good }),
        ("restitution 2", BreakOptions { restitution: 2.0, ..good }),
        ("restitution NaN", BreakOptions { restitution: f32::NAN, ..good }),
        ("one piece", fracture(FractureOptions { most_pieces: 1, ..good.fracture })),
        ("no nodes", fracture(FractureOptions { least_nodes: 0, ..good.fracture })),
        ("too many nodes", fracture(FractureOptions { least_nodes: usize::MAX, ..good.fracture })),
        ("growth −1", fracture(cells(-1.0))),
        ("growth NaN", fracture(cells(f64::NAN))),
    ];
    for (what, options) in options {
        let refused = set.insert(&mut world, &brick(), at(0.0, 0.0, 0.0), &options);
        let is_by_name = matches!(refused, Err(BreakError::BadNumber { .. } | BreakError::Fracture(_)));
        assert!(is_by_name, "{what}: {refused:?}");
    }
    let nan = Vector::new(0.0, f32::NAN, 0.0);
    let bodies = [
        ("position", RigidBodyBuilder::dynamic().translation(nan)),
        ("rotation", RigidBodyBuilder::dynamic().rotation(nan)),
        ("velocity", RigidBodyBuilder::dynamic().linvel(nan)),
        ("spin", RigidBodyBuilder::dynamic().angvel(Vector::new(f32::INFINITY, 0.0, 0.0))),
        ("damping", RigidBodyBuilder::dynamic().linear_damping(f32::NAN)),
    ];
    for (what, body) in bodies {
        let refused = set.insert(&mut world, &brick(), body, &good);
        assert!(matches!(refused, Err(BreakError::BadNumber { .. })), "{what}: {refused:?}");
    }
    // The library refuses such sizes before the engine could.
    for size in [1e-20, 1e25] {
        let mesh = fracas::mesh::tets::brick(DVec3::new(0.4, 0.2, 0.2) * size, [8, 4, 4]);
        let refused = Solid::build(mesh, &SolidOptions::default()).map(drop);
        assert!(matches!(refused, Err(BrittleError::OutOfRange { .. })), "{size}: {refused:?}");
    }
    assert!(set.is_empty() && world.bodies.is_empty() && world.colliders.is_empty());
    let handle = set.insert(&mut world, &brick(), at(0.0, 0.0, 0.0), &good).unwrap();
    for (point, impulse) in [(DVec3::NAN, HARD), (DVec3::ZERO, DVec3::NAN), (DVec3::INFINITY, HARD)] {
        let refused = set.strike(&mut world, handle, point, impulse);
        assert!(matches!(refused, Err(BreakError::BadNumber { .. })), "{refused:?}");
    }
    assert_eq!(
        BreakError::BadNumber { what: "the friction", value: -1.0, expected: "finite and at least 0" }
            .to_string(),
        "the friction is -1; it must be finite and at least 0"
    );
}

#[test]
fn a_body_that_the_caller_gave_a_place_that_is_no_number_is_left_alone() {
    let (mut world, mut set) = world();
    add_floor(&mut world);
    let lost = set.insert(&mut world, &brick(), at(0.0, 1.0, 0.0), &BreakOptions::default()).unwrap();
    let good = set.insert(&mut world, &brick(), at(1.0, 0.2, 0.0), &unbreakable()).unwrap();
    world.bodies[lost].set_translation(Vector::new(f32::NAN, 0.0, 0.0), true);
    let refused = set.strike(&mut world, lost, DVec3::ZERO, HARD);
    assert!(matches!(refused, Err(BreakError::BadNumber { .. })), "{refused:?}");
    assert_eq!(set.pose(&world, lost), None);
    for _ in 0..60 {
        set.step(&mut world).unwrap();
    }
    assert!((world.bodies[good].translation().y - 0.1).abs() < 0.01);
    // The engine takes such a body out of play, and no longer steps it.
    assert!(!world.bodies[lost].is_enabled() && set.len() == 2);
}
