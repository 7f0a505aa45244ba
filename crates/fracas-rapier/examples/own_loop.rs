//! A program with a loop of its own: Rapier's sets one by one, without `PhysicsWorld`.
//!
//! `cargo run --release -p fracas-rapier --example own_loop`

use fracas_rapier::fracas::brittle::{Solid, SolidOptions};
use fracas_rapier::fracas::{geom::DVec3, mesh::tets::brick};
use fracas_rapier::rapier3d::prelude::*;
use fracas_rapier::{BreakOptions, BreakableSet, EngineSets};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fractures = drop_a_brick()?;
    assert!(fractures > 0, "the brick must break");
    Ok(())
}

/// Drops a brick on a post; returns how many fractures there were.
pub fn drop_a_brick() -> Result<usize, Box<dyn std::error::Error>> {
    let mut set = BreakableSet::default();
    // The narrow phase asks the set for contacts of fragments.
    let mut narrow_phase = NarrowPhase::with_query_dispatcher(set.dispatcher());
    let mut parameters = IntegrationParameters::default();
    let (mut pipeline, mut islands) = (PhysicsPipeline::new(), IslandManager::new());
    let (mut broad_phase, mut ccd) = (DefaultBroadPhase::new(), CCDSolver::new());
    let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
    let (mut impulse_joints, mut multibody_joints) = (ImpulseJointSet::new(), MultibodyJointSet::new());
    let mut soft_bodies = SoftBodySet::new();

    colliders.insert(ColliderBuilder::cuboid(5.0, 1.0, 5.0).translation(Vector::Y * -1.0));
    let post = colliders.insert(ColliderBuilder::cuboid(0.05, 0.25, 0.3).translation(Vector::Y * 0.25));
    let solid = Solid::build(brick(DVec3::new(0.8, 0.2, 0.3), [16, 4, 6]), &SolidOptions::default())?;
    let high = RigidBodyBuilder::dynamic().translation(Vector::Y * 3.0);
    set.insert_into(&mut bodies, &mut colliders, &solid.into(), high, &BreakOptions::default())?;

    let mut count = 0;
    for step in 0..240 {
        // Before the step: the warm start.
        set.prepare(&mut parameters);
        pipeline.step(
            Vector::Y * -9.81,
            &parameters,
            &mut islands,
            &mut broad_phase,
            &mut narrow_phase,
            &mut bodies,
            &mut colliders,
            &mut impulse_joints,
            &mut multibody_joints,
            &mut soft_bodies,
            &mut ccd,
            &(),
            &(),
        );
        // After it: what was hit too hard breaks.
        let fractures = set.break_in(EngineSets {
            islands: &mut islands,
            narrow_phase: &narrow_phase,
            bodies: &mut bodies,
            colliders: &mut colliders,
            impulse_joints: &mut impulse_joints,
            multibody_joints: &mut multibody_joints,
            soft_bodies: &mut soft_bodies,
        })?;
        for fracture in fractures {
            let by = match fracture.striker.map(|striker| striker.collider) {
                Some(collider) if collider == post => "the post",
                Some(_) => "the ground or another piece",
                None => "nobody",
            };
            println!(
                "step {step}: {by} struck with {:.1} N s along {:.2}; {} pieces",
                fracture.impulse,
                fracture.direction,
                fracture.pieces.len()
            );
        }
        count += fractures.len();
    }
    println!("{count} fractures, {} bodies", set.len());
    Ok(count)
}
