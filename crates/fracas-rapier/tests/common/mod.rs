//! Worlds that the tests share.
#![allow(dead_code)]

use fracas::brittle::{Solid, SolidOptions};
use fracas::geom::DVec3;
use fracas::mesh::tets::brick;
use fracas_rapier::{BreakOptions, BreakableSet};
use rapier3d::prelude::*;
use std::sync::Arc;

/// A block of tetrahedra around the origin.
pub fn block(size: [f64; 3], cells: [usize; 3]) -> Arc<Solid> {
    let mesh = brick(DVec3::from_array(size), cells);
    Arc::new(Solid::build(mesh, &SolidOptions::default()).unwrap())
}

/// Bodies that never break.
pub fn unbreakable() -> BreakOptions {
    BreakOptions { generations: 0, ..BreakOptions::default() }
}

/// A world, and a set in it, with gravity along −y.
pub fn world() -> (PhysicsWorld, BreakableSet) {
    let mut world = PhysicsWorld::default();
    let set = BreakableSet::new(&mut world);
    (world, set)
}

/// A thick floor whose surface is at y = 0.
pub fn add_floor(world: &mut PhysicsWorld) -> ColliderHandle {
    let floor = ColliderBuilder::cuboid(50.0, 1.0, 50.0).translation(Vector::Y * -1.0).friction(0.6);
    world.insert_collider(floor, None)
}

/// A dynamic body at a place.
pub fn at(x: f32, y: f32, z: f32) -> RigidBodyBuilder {
    RigidBodyBuilder::dynamic().translation(Vector::new(x, y, z))
}

/// Energy of motion and height of all bodies.
pub fn energy(world: &PhysicsWorld) -> f64 {
    let g = f64::from(world.gravity.length());
    world
        .bodies
        .iter()
        .map(|(_, body)| {
            f64::from(body.kinetic_energy()) + f64::from(body.mass()) * g * f64::from(body.center_of_mass().y)
        })
        .sum()
}

/// Does so many steps; returns how many bodies broke.
pub fn run(world: &mut PhysicsWorld, set: &mut BreakableSet, steps: usize) -> usize {
    (0..steps).map(|_| set.step(world).unwrap().len()).sum()
}
