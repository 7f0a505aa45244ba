//! Five bodies are thrown about in a pit until they are in pieces.
//!
//! Every half second one of the pieces is thrown, as a hand would: towards the middle and upward. Which and how is chance from a
//! seed. It is the scene to be played with, and the one that runs longest in tests.
//!
//! Frames have contacts and no pairs (`shards`).
//!
//! Sizes: bodies of about 2,400, 18,500 and 63,000 tetrahedra. The paper's have 18,767.
//!
//! # Reference
//!
//! Figure 6 of L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont and M. A. Otaduy, *Efficient collision detection for
//! brittle fracture*, Symposium on Computer Animation, 2012.

use crate::lumps::{Lump, clay, lump, resized};
use crate::shards::{Shards, single};
use crate::{Filling, Run, Scene, SceneError, SceneOptions};
use fracas::geom::DVec3;
use fracas::internal::Random;
use fracas::mesh::shapes;
use rapier3d::prelude::{ColliderBuilder, RigidBodyBuilder, RigidBodyHandle, Vector};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "handful",
    about: "five bodies, or your mesh five times, are thrown about and break",
    steps: |_| 600,
    takes_mesh: true,
    takes_pieces: false,
    begin,
};

/// The paper's time step.
const STEP_SECONDS: f64 = 0.015;
/// Half the width of the pit.
const PIT: f64 = 3.0;
/// Steps from throw to throw.
const PAUSE: usize = 33;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (shards, filling) = set_up(options, 0)?;
    let mut random = Random::linear(23);
    let run = shards.into_run(&SCENE, options, move |shards, step| {
        if step > 0 && step.is_multiple_of(PAUSE) {
            throw(shards, &mut random);
        }
        Ok(())
    });
    Ok(run.filled(filling))
}

/// The bodies in the pit. They break by chance, which the seed changes.
pub(crate) fn set_up(options: &SceneOptions, seed: u64) -> Result<(Shards, Option<Filling>), SceneError> {
    let Lump { solid, filling } = lump(&resized(&shapes::noisy_sphere(6_000, 0.25, 4), 0.4), 15.6, options)?;
    let mut shards = Shards::new(STEP_SECONDS);
    for (axis, side) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)] {
        let mut half = [PIT as f32 + 2.0; 3];
        half[axis] = 1.0;
        let mut at = DVec3::ZERO;
        at[axis] = side * (PIT + 1.0);
        let wall = ColliderBuilder::cuboid(half[0], half[1], half[2]).translation(single(at));
        shards.world.insert_collider(wall.friction(0.6), None);
    }
    for k in 0..5 {
        let turn = 1.256_637 * f64::from(k);
        let at = DVec3::new(1.4 * libm::cos(turn), 1.4 * libm::sin(turn), 0.6 + 0.3 * f64::from(k));
        let body = RigidBodyBuilder::dynamic().translation(single(at)).rotation(single(at));
        shards.add(&solid, body, &clay(seed.wrapping_add(k as u64), 5, 3))?;
    }
    Ok((shards, filling))
}

/// Throws one of the bodies.
fn throw(shards: &mut Shards, random: &mut Random) {
    let handles: Vec<RigidBodyHandle> = shards.set.handles().collect();
    let which = ((0.5 + 0.5 * random.signed()) * handles.len() as f64) as usize;
    let Some(&handle) = handles.get(which.min(handles.len().saturating_sub(1))) else { return };
    let body = &mut shards.world.bodies[handle];
    let home = -body.translation() * 0.8;
    let velocity = Vector::new(home.x, home.y, 5.0 + random.signed() as f32);
    body.set_linvel(velocity, true);
    body.set_angvel(single(4.0 * DVec3::new(random.signed(), random.signed(), random.signed())), true);
}
