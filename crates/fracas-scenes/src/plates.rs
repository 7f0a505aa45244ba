//! Balls are dropped on four plates that lie on a shelf.
//!
//! Each plate lies across two rails. One ball after the other falls on a plate, which breaks in rays and rings around the blow; ball and
//! pieces go on to what is below. Balls and rails do not break. The material is ceramic.
//!
//! Frames have contacts and no pairs (`shards`).
//!
//! Sizes: plates of 1,350, 7,776 and 31,104 tetrahedra. At size `paper` a plate has 5,472 triangles and 2,738 nodes, the paper's has 5,392 and
//! 2,711, and 8,617 tetrahedra.
//!
//! # Reference
//!
//! Figure 1 and the sizes in Table 1 of L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont and M. A. Otaduy, *Efficient
//! collision detection for brittle fracture*, Symposium on Computer Animation, 2012.

use crate::lumps::plate;
use crate::shards::{FRICTION, Shards, single};
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::fracture::{FractureOptions, FracturePattern, Material};
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use fracas_rapier::BreakOptions;
use rapier3d::prelude::{ColliderBuilder, RigidBodyBuilder, Vector};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "plates",
    about: "balls are dropped on four plates that lie on a shelf",
    steps: |_| 200,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

/// The paper's time step.
const STEP_SECONDS: f64 = 0.03;
const PLATE: DVec3 = DVec3::new(1.0, 1.0, 0.045);
/// Half the size of a rail.
const RAIL: DVec3 = DVec3::new(0.06, 0.55, 0.06);
const BALL: f64 = 0.12;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let shards = set_up(options, 0)?;
    let ball = shapes::icosphere(BALL, 2);
    Ok(shards.into_run(&SCENE, options, move |shards, step| {
        // Every second and a half a ball, to and fro.
        if step % 25 == 5 && step < 160 {
            let number = step / 25;
            let x = if number.is_multiple_of(2) { -0.7 } else { 0.7 };
            let aside = DVec3::new(0.06, -0.05, 0.0) * (number as f64 - 3.0);
            let body = RigidBodyBuilder::dynamic()
                .translation(single(DVec3::new(x, 0.0, 3.0) + aside))
                .linvel(Vector::Z * -6.0);
            shards.add_prop(&ball, ColliderBuilder::ball(BALL as f32).density(7800.0), body);
        }
        Ok(())
    }))
}

/// The plates on their shelf. They break by chance, which the seed changes.
pub(crate) fn set_up(options: &SceneOptions, seed: u64) -> Result<Shards, SceneError> {
    let cells = match options.size {
        Size::Small => 15,
        Size::Paper => 36,
        Size::Large => 72,
    };
    let plate = plate(PLATE, cells)?;
    let mut shards = Shards::new(STEP_SECONDS);
    let rail = shapes::cuboid(2.0 * RAIL);
    let places = [[-0.7, 0.7], [0.7, 0.7], [-0.7, 1.5], [0.7, 1.5]];
    for (k, [x, z]) in places.into_iter().enumerate() {
        for side in [-0.4, 0.4] {
            let at = single(DVec3::new(x + side, 0.0, z - RAIL.z));
            let shape = ColliderBuilder::cuboid(RAIL.x as f32, RAIL.y as f32, RAIL.z as f32);
            shards.add_prop(&rail, shape, RigidBodyBuilder::fixed().translation(at));
        }
        let at = single(DVec3::new(x, 0.0, z + 0.5 * PLATE.z));
        let body = RigidBodyBuilder::dynamic().translation(at);
        shards.add(&plate, body, &break_options(options.size, seed.wrapping_add(k as u64)))?;
    }
    Ok(shards)
}

/// Ceramic, and at the sizes of the paper a fifth tougher, with pieces of 30 nodes at least: four plates end as 40 pieces of 41,000 triangles (paper: 44,
/// 46,000). The few nodes of small plates need neither.
fn break_options(size: Size, seed: u64) -> BreakOptions {
    let (toughness, least_nodes) = match size {
        Size::Small => (Material::CERAMIC.toughness, 20),
        Size::Paper | Size::Large => (18.0, 30),
    };
    let material = Material { toughness, ..Material::CERAMIC };
    let pattern = FracturePattern::Radial;
    BreakOptions {
        material,
        fracture: FractureOptions { pattern, most_pieces: 14, least_nodes, seed },
        friction: FRICTION,
        generations: 2,
        ..BreakOptions::default()
    }
}
