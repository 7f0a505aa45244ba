//! What a fracture may not change, and what no step may make grow.

mod common;
use common::{add_floor, at, block, energy, world};
use fracas::geom::DVec3;
use fracas_rapier::{BreakOptions, BreakableSet};
use rapier3d::prelude::*;

fn double(v: Vector) -> DVec3 {
    DVec3::from_array(v.to_array().map(f64::from))
}

/// Mass, momentum, angular momentum about the origin, and energy of motion of some bodies.
fn motion(world: &PhysicsWorld, handles: &[RigidBodyHandle]) -> (f64, DVec3, DVec3, f64) {
    let (mut mass, mut linear, mut angular, mut energy) = (0.0, DVec3::ZERO, DVec3::ZERO, 0.0);
    for &handle in handles {
        let body = &world.bodies[handle];
        let m = f64::from(body.mass());
        let (v, w) = (double(body.linvel()), double(body.angvel()));
        let props = &body.mass_properties().local_mprops;
        let frame = *body.rotation() * props.principal_inertia_local_frame;
        let inertia = props.principal_inertia();
        let local = frame.inverse() * body.angvel();
        let spin = double(frame * (local * inertia));
        mass += m;
        linear += v * m;
        angular += spin + double(body.center_of_mass()).cross(v * m);
        energy += 0.5 * m * v.length_squared() + 0.5 * w.dot(spin);
    }
    (mass, linear, angular, energy)
}

#[test]
fn a_fracture_keeps_mass_momentum_angular_momentum_and_energy() {
    for seed in 0..8 {
        let (mut world, mut set) = world();
        world.gravity = Vector::ZERO;
        let mut options = BreakOptions::default();
        options.fracture.seed = seed;
        let body = at(0.5, -0.3, 0.2)
            .rotation(Vector::new(0.4, 0.2, 1.1))
            .linvel(Vector::new(3.0, -2.0, 0.5))
            .angvel(Vector::new(2.0, 5.0, -3.0));
        let whole = set.insert(&mut world, &block([0.8, 0.4, 0.25], [8, 4, 3]), body, &options).unwrap();
        set.step(&mut world).unwrap();
        let before = motion(&world, &[whole]);
        let point = double(world.bodies[whole].translation());
        let broken = set.strike(&mut world, whole, point, DVec3::X * 3000.0).unwrap().unwrap();
        let mut pieces: Vec<RigidBodyHandle> = broken.pieces.iter().map(|piece| piece.body).collect();
        assert!(pieces.len() > 3 && !world.bodies.contains(whole));
        // Mass properties of new bodies are known to the engine after a step without time.
        let dt = std::mem::replace(&mut world.integration_parameters.dt, 0.0);
        world.step();
        world.integration_parameters.dt = dt;
        let after = motion(&world, &pieces);
        assert!((after.0 / before.0 - 1.0).abs() < 1e-5, "{} {}", after.0, before.0);
        assert!(after.1.distance(before.1) < 1e-4 * before.1.length(), "{} {}", after.1, before.1);
        assert!(after.2.distance(before.2) < 1e-3 * before.2.length(), "{} {}", after.2, before.2);
        assert!((after.3 / before.3 - 1.0).abs() < 1e-4, "{} {}", after.3, before.3);
        // A piece that is lost would be missed.
        pieces.pop();
        assert!((motion(&world, &pieces).0 / before.0 - 1.0).abs() > 1e-5);
    }
}

#[test]
fn energy_never_grows_without_input() {
    for (seed, restitution) in (1..=32).map(|seed| (seed, if seed % 3 == 2 { 0.3 } else { 0.0 })) {
        let (mut world, mut set) = world();
        add_floor(&mut world);
        let mut options = BreakOptions { restitution, ..BreakOptions::default() };
        options.fracture.seed = seed;
        let solid = block([0.8, 0.4, 0.25], [8, 4, 3]);
        for k in 0..6 {
            let place = at(0.1 * k as f32, 1.0 + 0.6 * k as f32, 0.05 * k as f32)
                .rotation(Vector::new(0.3 * k as f32, 0.2, 0.5))
                .linvel(Vector::new(0.0, -3.0, 0.0));
            set.insert(&mut world, &solid, place, &options).unwrap();
        }
        world.step();
        let begin = energy(&world);
        let (mut least, mut last, mut gains, mut broken) = (begin, begin, 0.0, 0);
        for step in 0..400 {
            broken += set.step(&mut world).unwrap().len();
            let now = energy(&world);
            // The engine stops fast bodies where they would pass into the ground, leaves them their speed, and pushes bodies apart that are pressed into
            // each other: that lifts them. Measured over sixty seeds, a step adds 0.12 % at most, mostly 0.08 %, and all steps together 0.26 %.
            assert!(now < least + 1.5e-3 * begin, "seed {seed}, step {step}: {least} {now} of {begin}");
            gains += (now - last).max(0.0);
            (least, last) = (least.min(now), now);
        }
        assert!(gains < 3e-3 * begin, "seed {seed}: {gains} of {begin}");
        assert!(broken >= 3 && least < 0.5 * begin, "{broken} {least} {begin}");
    }
}

#[test]
fn without_gravity_bricks_that_collide_and_break_never_get_faster() {
    for seed in 1..=8 {
        let (mut world, mut set) = world();
        world.gravity = Vector::ZERO;
        let mut options = BreakOptions::default();
        options.fracture.seed = seed;
        let solid = block([0.8, 0.4, 0.25], [8, 4, 3]);
        for k in 0..6 {
            let side = if k % 2 == 0 { 1.0 } else { -1.0 };
            let place = at(side * (0.7 + 0.5 * k as f32), 0.04 * k as f32, 0.03 * seed as f32)
                .rotation(Vector::new(0.3 * k as f32, 0.2, 0.5))
                .linvel(Vector::new(-6.0 * side, 0.0, 0.0));
            set.insert(&mut world, &solid, place, &options).unwrap();
        }
        let motion = |world: &PhysicsWorld| -> f64 {
            world.bodies.iter().map(|(_, body)| f64::from(body.kinetic_energy())).sum()
        };
        world.step();
        let begin = motion(&world);
        let (mut least, mut broken) = (begin, 0);
        for step in 0..200 {
            broken += set.step(&mut world).unwrap().len();
            let now = motion(&world);
            assert!(now < least + 2e-5 * begin, "seed {seed}, step {step}: {least} {now} of {begin}");
            least = least.min(now);
        }
        assert!(broken >= 3 && least < 0.5 * begin, "{broken} {least} {begin}");
    }
}

#[test]
fn the_same_calls_give_the_same_pieces_and_the_same_motion() {
    let run = || {
        let (mut world, mut set) = world();
        add_floor(&mut world);
        let solid = block([0.8, 0.4, 0.25], [8, 4, 3]);
        for k in 0..5 {
            let place = at(0.07 * k as f32, 2.0 + 0.6 * k as f32, 0.0).rotation(Vector::new(
                0.3 * k as f32,
                0.2,
                0.5,
            ));
            set.insert(&mut world, &solid, place, &BreakOptions::default()).unwrap();
        }
        let broken: usize = (0..240).map(|_| set.step(&mut world).unwrap().len()).sum();
        (broken, places(&set, &world))
    };
    let places_of_one = run();
    assert!(places_of_one.0 > 2);
    assert_eq!(places_of_one, run());
}

fn places(set: &BreakableSet, world: &PhysicsWorld) -> Vec<[u32; 3]> {
    set.handles().map(|h| world.bodies[h].translation().to_array().map(f32::to_bits)).collect()
}
