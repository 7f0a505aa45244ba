//! A ball is dropped on a plate that lies across two stands; the plate breaks, and so do its pieces.
//!
//! `cargo run --release -p fracas-rapier --example smash`

use fracas::brittle::{Solid, SolidOptions};
use fracas::fracture::{FractureOptions, FracturePattern, Material};
use fracas::{geom::DVec3, mesh::tets::brick};
use fracas_rapier::{BreakOptions, BreakableSet};
use rapier3d::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A world as usual, and beside it the set of what may break.
    let mut world = PhysicsWorld::default();
    let mut set = BreakableSet::new(&mut world);
    world.insert_collider(ColliderBuilder::cuboid(5.0, 1.0, 5.0).translation(Vector::Y * -1.0), None);
    for x in [-0.9, 0.9] {
        world.insert_collider(
            ColliderBuilder::cuboid(0.1, 0.4, 0.5).translation(Vector::new(x, 0.4, 0.0)),
            None,
        );
    }

    // The shape is prepared once; any number of bodies can share it.
    let plate = Solid::build(brick(DVec3::new(2.0, 0.06, 1.0), [40, 1, 20]), &SolidOptions::default())?;
    let fracture = FractureOptions { pattern: FracturePattern::Radial, ..FractureOptions::default() };
    let options = BreakOptions { material: Material::CERAMIC, fracture, ..BreakOptions::default() };
    let on_stands = RigidBodyBuilder::dynamic().translation(Vector::Y * 0.83);
    set.insert(&mut world, &plate.into(), on_stands, &options)?;
    let ball = RigidBodyBuilder::dynamic().translation(Vector::Y * 3.0).linvel(Vector::Y * -6.0);
    world.insert(ball, ColliderBuilder::ball(0.15).density(7800.0));

    for step in 0..180 {
        for broken in set.step(&mut world)? {
            println!("step {step}: {} pieces from a blow of {:.0} N s", broken.pieces.len(), broken.impulse);
        }
    }
    let asleep = set.handles().filter(|&handle| world.bodies[handle].is_sleeping()).count();
    println!("{} pieces after three seconds, {asleep} of them at rest", set.len());
    Ok(())
}
