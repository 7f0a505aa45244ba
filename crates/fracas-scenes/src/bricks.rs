//! Bricks fall in a heap, break where they are hit too hard, and come to rest.
//!
//! Each brick is 576 tetrahedra. They fall in four layers, turned every way, from two to five metres. A brick that hits the
//! ground or another one too hard is replaced by its pieces, which collide by their true shapes and break again once.
//! The bricks are three times life-size: the engine's lengths are made for bodies of about a metre.
//!
//! Frames have contacts and no pairs (`shards`).
//!
//! Sizes: 8 bricks of 208 tetrahedra, 32 of 576, 96 of 576.
//!
//! # Reference
//!
//! Figure 11 and the sizes in Table 1 of L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont and M. A. Otaduy, *Efficient
//! collision detection for brittle fracture*, Symposium on Computer Animation, 2012.

use crate::lumps::block;
use crate::shards::{FRICTION, Shards, single};
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::brittle::Solid;
use fracas::fracture::{FractureOptions, Material};
use fracas::geom::DVec3;
use fracas_rapier::BreakOptions;
use rapier3d::prelude::{RigidBodyBuilder, Vector};
use std::sync::Arc;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "bricks",
    about: "32 bricks fall in a heap and break; so do their pieces",
    steps: |_| 200,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

/// The paper's time step.
const STEP_SECONDS: f64 = 0.03;
const BRICK: DVec3 = DVec3::new(0.72, 0.35, 0.21);

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    Ok(set_up(options, 0)?.into_run(&SCENE, options, |_, _| Ok(())))
}

/// The bricks in the air. How they turn and break is chance, which the seed changes.
pub(crate) fn set_up(options: &SceneOptions, seed: u64) -> Result<Shards, SceneError> {
    let (layers, across, cells) = match options.size {
        Size::Small => (2, [2, 2], [4, 2, 2]),
        Size::Paper => (4, [2, 4], [6, 4, 2]),
        Size::Large => (6, [4, 4], [6, 4, 2]),
    };
    let solid = block(BRICK, cells)?;
    let mut shards = Shards::new(STEP_SECONDS);
    let mut random = fracas::internal::Random::linear(3_u64.wrapping_add(seed));
    for layer in 0..layers {
        for place in 0..across[0] * across[1] {
            let column = [place % across[0], place / across[0]].map(|k| k as f64);
            let at = DVec3::new(
                0.85 * (column[0] - 0.5 * (across[0] - 1) as f64),
                0.6 * (column[1] - 0.5 * (across[1] - 1) as f64),
                2.0 + 1.0 * layer as f64,
            );
            let jitter = DVec3::new(random.signed(), random.signed(), random.signed());
            let turn = DVec3::new(random.signed(), random.signed(), random.signed());
            let body = RigidBodyBuilder::dynamic()
                .translation(single(at + 0.08 * jitter))
                .rotation(single(0.6 * turn))
                .linvel(Vector::Z * -1.5)
                .angvel(single(2.0 * jitter));
            shards.add(&solid, body, &break_options(seed.wrapping_add((layer * 100 + place) as u64)))?;
        }
    }
    Ok(shards)
}

/// A brick of the size `paper`, for those who throw one.
pub(crate) fn brick() -> Result<Arc<Solid>, SceneError> {
    block(BRICK, [6, 4, 2])
}

pub(crate) fn break_options(seed: u64) -> BreakOptions {
    BreakOptions {
        // Tougher than life, as the bricks are larger: so a fall leaves about five pieces.
        material: Material { toughness: 150.0, ..Material::BRICK },
        fracture: FractureOptions { most_pieces: 6, seed, ..FractureOptions::default() },
        friction: FRICTION,
        generations: 2,
        ..BreakOptions::default()
    }
}
