//! Bodies that fly fast do not pass through what is thin.

mod common;
use common::{at, block, run, unbreakable, world};
use fracas::internal::Random;
use rapier3d::prelude::*;

const THROWS: usize = 200;

/// What the bricks are thrown at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plate {
    /// A fixed box of the engine.
    Engine,
    /// A fixed body of the set.
    Ours,
    /// A body of the set that moves, and is much heavier than a brick.
    OursHeavy,
}

/// Throws bricks with spin, from random heights and at random angles, at a plate of 2 cm; tells which of them passed.
fn thrown_at(plate: Plate) -> Vec<String> {
    let mut random = Random::new(3);
    let sheet = block([8.0, 0.02, 8.0], [16, 1, 16]);
    let brick = block([0.3, 0.2, 0.2], [3, 2, 2]);
    let mut passed = vec![];
    for k in 0..THROWS {
        let (mut world, mut set) = world();
        world.gravity = Vector::ZERO;
        let mut options = unbreakable();
        match plate {
            Plate::Engine => {
                world.insert_collider(ColliderBuilder::cuboid(4.0, 0.01, 4.0), None);
            }
            Plate::Ours => {
                set.insert(&mut world, &sheet, RigidBodyBuilder::fixed(), &options).unwrap();
            }
            Plate::OursHeavy => {
                options.material.density *= 1e4;
                set.insert(&mut world, &sheet, RigidBodyBuilder::dynamic(), &options).unwrap();
                options = unbreakable();
            }
        }
        let mut unit = || 2.0 * random.unit() as f32 - 1.0;
        // At most 45° from the normal of the plate, towards its middle.
        let speed = 155.0 + 145.0 * unit();
        let height = 2.0 + unit();
        let slope = Vector::new(0.7 * unit(), -1.0, 0.7 * unit());
        let turn = Vector::new(unit(), unit(), unit()) * 3.0;
        let spin = Vector::new(unit(), unit(), unit()) * 30.0;
        let place = at(-slope.x * height, height, -slope.z * height)
            .rotation(turn)
            .linvel(slope.normalize() * speed)
            .angvel(spin);
        let brick = set.insert(&mut world, &brick, place, &options).unwrap();
        let mut lowest = f32::INFINITY;
        for _ in 0..60 {
            run(&mut world, &mut set, 1);
            let body = &world.bodies[brick];
            // Beside the plate it may go where it likes.
            if body.translation().x.abs().max(body.translation().z.abs()) > 3.7 {
                break;
            }
            let under = set.handles().next().filter(|_| plate == Plate::OursHeavy);
            let top = under.map_or(0.0, |plate| world.bodies[plate].translation().y);
            lowest = lowest.min(body.translation().y - top);
        }
        if lowest <= 0.0 {
            passed.push(format!("brick {k} at {speed} m/s: {lowest}"));
        }
    }
    passed
}

#[test]
fn one_brick_in_24_passed_through_a_thin_plate_at_60_metres_per_second() {
    for plate in [Plate::Engine, Plate::Ours, Plate::OursHeavy] {
        let passed = thrown_at(plate);
        assert!(passed.is_empty(), "{plate:?}: {} of {THROWS} passed: {passed:#?}", passed.len());
    }
}
