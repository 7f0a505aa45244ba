//! Ten cubes on each other, for a minute.

mod common;
use common::{add_floor, at, block, run, unbreakable, world};
use rapier3d::prelude::*;

const HEIGHT: usize = 10;
const SECONDS: usize = 60;
const SETTLING: usize = 5;

/// What a stack did: how far its bodies moved in the last 55 seconds, after settling, and whether they sleep in the end.
fn drift(is_ours: bool, can_sleep: bool) -> (f32, bool) {
    let (mut world, mut set) = world();
    add_floor(&mut world);
    let solid = block([1.0, 1.0, 1.0], [4, 4, 4]);
    let handles: Vec<RigidBodyHandle> = (0..HEIGHT)
        .map(|k| {
            let place = at(0.0, 0.5 + k as f32, 0.0).can_sleep(can_sleep);
            if is_ours {
                set.insert(&mut world, &solid, place, &unbreakable()).unwrap()
            } else {
                let cube = ColliderBuilder::cuboid(0.5, 0.5, 0.5).density(1900.0).friction(0.6);
                world.insert(place, cube).0
            }
        })
        .collect();
    let places = |world: &PhysicsWorld| -> Vec<Vector> {
        handles.iter().map(|&h| world.bodies[h].translation()).collect()
    };
    let begin = places(&world);
    run(&mut world, &mut set, 60 * SETTLING);
    let settled = places(&world);
    for (from, to) in begin.iter().zip(&settled) {
        assert!((*to - *from).length() < 0.05, "the stack fell: {from} {to}");
    }
    let mut worst = 0.0_f32;
    for _ in 0..60 * (SECONDS - SETTLING) {
        set.step(&mut world).unwrap();
        for (from, to) in settled.iter().zip(places(&world)) {
            worst = worst.max((to - *from).length());
        }
    }
    (worst, handles.iter().all(|&h| world.bodies[h].is_sleeping()))
}

#[test]
fn a_stack_that_sleeps_does_not_move() {
    assert_eq!(drift(true, true), (0.0, true));
}

#[test]
fn a_stack_that_may_not_sleep_drifts_no_more_than_one_of_cuboids() {
    let (ours, theirs) = (drift(true, false).0, drift(false, false).0);
    // A hundredth of a millimetre is what `f32` rounds ten metres up.
    assert!(ours <= theirs + 1e-5, "{ours} {theirs}");
}
