//! Loops without `PhysicsWorld`, and what a fracture tells.

mod common;
#[path = "../examples/own_loop.rs"]
#[allow(dead_code)]
mod example;

use common::{add_floor, at, block, unbreakable, world};
use fracas::geom::DVec3;
use fracas_rapier::{BreakOptions, EngineSets, Fracture};
use rapier3d::prelude::*;
use std::time::Duration;

#[test]
fn the_example_breaks_a_brick() {
    assert!(example::drop_a_brick().unwrap() > 0);
}

/// The bits of all places.
fn places(world: &PhysicsWorld) -> Vec<[u32; 3]> {
    world.bodies.iter().map(|(_, body)| body.translation().to_array().map(f32::to_bits)).collect()
}

#[test]
fn a_loop_of_ones_own_gives_the_same_motion_as_step() {
    let run = |is_own: bool| {
        let (mut world, mut set) = world();
        add_floor(&mut world);
        let solid = block([0.8, 0.4, 0.25], [8, 4, 3]);
        for k in 0..3 {
            let place = at(0.1 * k as f32, 2.0 + 0.6 * k as f32, 0.0).rotation(Vector::new(0.3, 0.2, 0.5));
            set.insert(&mut world, &solid, place, &BreakOptions::default()).unwrap();
        }
        let mut fractures: Vec<Fracture> = vec![];
        for _ in 0..200 {
            if is_own {
                set.prepare(&mut world.integration_parameters);
                world.step();
                fractures.extend(set.break_in(EngineSets::from(&mut world)).unwrap().to_vec());
            } else {
                fractures.extend(set.step(&mut world).unwrap().to_vec());
            }
        }
        (fractures, places(&world))
    };
    let own = run(true);
    assert!(!own.0.is_empty());
    assert_eq!(own, run(false));
}

#[test]
fn the_warm_start_is_lowered_after_a_fracture_and_given_back() {
    let (mut world, mut set) = world();
    world.gravity = Vector::ZERO;
    let solid = block([0.8, 0.4, 0.25], [8, 4, 3]);
    let handle = set.insert(&mut world, &solid, at(0.0, 0.0, 0.0), &BreakOptions::default()).unwrap();
    let mut parameters = IntegrationParameters::default();
    let yours = parameters.warmstart_coefficient;
    set.prepare(&mut parameters);
    assert_eq!(parameters.warmstart_coefficient, yours);
    set.strike(&mut world, handle, DVec3::ZERO, DVec3::X * 1e4).unwrap().unwrap();
    set.prepare(&mut parameters);
    assert_eq!(parameters.warmstart_coefficient, 0.8_f32.min(yours));
    // What the caller sets in the meantime is the caller's.
    parameters.warmstart_coefficient = 0.9;
    for _ in 0..179 {
        set.prepare(&mut parameters);
        assert_eq!(parameters.warmstart_coefficient, 0.8);
        set.break_bodies(&mut world).unwrap();
    }
    set.prepare(&mut parameters);
    assert_eq!(parameters.warmstart_coefficient, 0.8);
    set.break_bodies(&mut world).unwrap();
    set.prepare(&mut parameters);
    assert_eq!(parameters.warmstart_coefficient, 0.9);
}

#[test]
fn times_grew_for_ever_after_break_bodies() {
    let (mut world, mut set) = world();
    add_floor(&mut world);
    let solid = block([0.8, 0.4, 0.25], [8, 4, 3]);
    set.insert(&mut world, &solid, at(0.0, 3.0, 0.0), &BreakOptions::default()).unwrap();
    let (mut broke, mut quiet) = (0, 0);
    for _ in 0..200 {
        set.prepare(&mut world.integration_parameters);
        world.step();
        let fractures = set.break_bodies(&mut world).unwrap().len();
        let times = set.times();
        broke += usize::from(fractures > 0);
        if fractures == 0 {
            assert_eq!(times.update, Duration::ZERO);
            quiet += 1;
        } else {
            assert!(times.update > Duration::ZERO && times.fracture > Duration::ZERO);
        }
        assert!(times.physics > Duration::ZERO, "the time from `prepare` on is known");
    }
    assert!(broke > 0 && quiet > 100);
}

#[test]
fn the_point_of_a_fracture_lay_up_to_59_mm_beside_the_body() {
    let mut fractures = 0;
    for (speed, tilt) in [(10.0, 0.0), (40.0, 0.0), (40.0, 0.4), (40.0, 1.1), (80.0, 0.7)] {
        for is_ball in [false, true] {
            let (mut world, mut set) = world();
            world.gravity = Vector::ZERO;
            let solid = block([0.8, 0.4, 0.25], [8, 4, 3]);
            let options = BreakOptions::default();
            let wall = block([1.0, 1.0, 0.5], [10, 10, 5]);
            let target = set.insert(&mut world, &wall, at(0.0, 0.0, 0.0), &options).unwrap();
            let place =
                at(0.02, 0.1, 2.0).linvel(Vector::Z * -speed).rotation(Vector::new(tilt, 0.5 * tilt, 0.0));
            let striker = if is_ball {
                world.insert(place.ccd_enabled(true), ColliderBuilder::ball(0.2).density(5000.0)).0
            } else {
                set.insert(&mut world, &solid, place, &unbreakable()).unwrap()
            };
            let body = set.fragment(target).unwrap().0.clone();
            for _ in 0..60 {
                // The rigid bodies are gone when fractures are reported: the pieces tell where the whole was.
                let broken = set.step(&mut world).unwrap().to_vec();
                for fracture in broken.iter().filter(|fracture| fracture.body == target) {
                    fractures += 1;
                    let struck_by = fracture.striker.unwrap();
                    assert_eq!(struck_by.body, Some(striker));
                    assert_eq!(Some(&struck_by.collider), world.bodies[striker].colliders().first());
                    assert!((fracture.direction.length() - 1.0).abs() < 1e-9);
                    assert!(fracture.direction.z < -0.5, "into the wall: {}", fracture.direction);
                    let distance = fracture
                        .pieces
                        .iter()
                        .map(|piece| {
                            let place = set.pose(&world, piece.body).unwrap().inverse().apply(fracture.point);
                            let body = body.read().unwrap();
                            body.find_nearest(piece.fragment, place, 10.0).unwrap().distance
                        })
                        .fold(f64::INFINITY, f64::min);
                    assert!(distance < 1e-4, "{speed} m/s, tilt {tilt}: {distance} m beside the body");
                }
            }
        }
    }
    assert!(fractures >= 8, "{fractures}");
}

#[test]
fn a_strike_by_hand_has_no_striker() {
    let (mut world, mut set) = world();
    let solid = block([0.8, 0.4, 0.25], [8, 4, 3]);
    let handle = set.insert(&mut world, &solid, at(0.0, 0.0, 0.0), &BreakOptions::default()).unwrap();
    let broken = set.strike(&mut world, handle, DVec3::X * 0.4, DVec3::X * -1e4).unwrap().unwrap();
    assert_eq!((broken.striker, broken.direction), (None, DVec3::NEG_X));
    assert!(broken.point.distance(DVec3::X * 0.4) < 1e-6);
}

#[test]
fn pieces_keep_the_settings_of_the_whole() {
    let (mut world, mut set) = world();
    let solid = block([0.8, 0.4, 0.25], [8, 4, 3]);
    let body = at(0.0, 0.0, 0.0).locked_axes(LockedAxes::TRANSLATION_LOCKED_Z).can_sleep(false).user_data(7);
    let handle = set.insert(&mut world, &solid, body.ccd_enabled(true), &BreakOptions::default()).unwrap();
    world.bodies[handle].activation_mut().time_until_sleep = 3.0;
    let broken = set.strike(&mut world, handle, DVec3::ZERO, DVec3::X * 1e4).unwrap().unwrap();
    for piece in broken.pieces {
        let body = &world.bodies[piece.body];
        assert_eq!((body.locked_axes(), body.user_data), (LockedAxes::TRANSLATION_LOCKED_Z, 7));
        assert!(body.is_ccd_enabled() && body.activation().time_until_sleep == 3.0);
        assert!(body.activation().normalized_linear_threshold < 0.0, "it may not sleep");
    }
}
