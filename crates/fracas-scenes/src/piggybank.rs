//! A hollow bank of fired clay falls and breaks.
//!
//! Its wall is a twelfth of its width. Inside are coins, which do not break and roll away over the pieces.
//!
//! The bank is six times life-size, as the engine's lengths are made for bodies of about a metre, and its material is ceramic but
//! for the toughness, which is six times as large: energy grows with the cube of the size and area with its square, so a bank of any
//! size then breaks into as many pieces at the same speed. It falls through nearly a metre, as from a table, to 4.3 m/s. The
//! number of pieces is not set anywhere: it is what the material makes of the impulse that the ground gives.
//!
//! Frames have contacts and no pairs (`shards`).
//!
//! Sizes: about 2,500, 21,000 and 67,000 tetrahedra. The paper's has 20,807, and 9,722 triangles beside our 7,810.
//!
//! # Reference
//!
//! Figure 7 of L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont and M. A. Otaduy, *Efficient collision detection for
//! brittle fracture*, Symposium on Computer Animation, 2012.

use crate::lumps::{Lump, clay, lump, resized};
use crate::shards::{Shards, single};
use crate::{Filling, Run, Scene, SceneError, SceneOptions, Size};
use fracas::Mesh;
use fracas::fracture::Material;
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use fracas_rapier::BreakOptions;
use rapier3d::prelude::{ColliderBuilder, RigidBodyBuilder, Vector};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "piggybank",
    about: "a hollow bank with coins in it falls and breaks",
    steps: |_| 240,
    takes_mesh: true,
    takes_pieces: false,
    begin,
};

/// The paper's time step.
const STEP_SECONDS: f64 = 0.015;
/// How many times life-size the bank is.
const SCALE: f64 = 6.0;
/// Where its centre begins.
const HEIGHT: f32 = 1.6;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (shards, filling) = set_up(options, 0)?;
    Ok(shards.into_run(&SCENE, options, |_, _| Ok(())).filled(filling))
}

/// The bank in the air, with its coins. It breaks by chance, which the seed changes.
pub(crate) fn set_up(options: &SceneOptions, seed: u64) -> Result<(Shards, Option<Filling>), SceneError> {
    let mut shards = Shards::new(STEP_SECONDS);
    let Lump { solid: bank, filling } = lump(&hollow(options.size), 20.0, options)?;
    let body =
        RigidBodyBuilder::dynamic().translation(Vector::Z * HEIGHT).rotation(Vector::new(0.4, 0.3, 0.0));
    let clay = clay(seed.wrapping_add(5), 60, 2);
    let material = Material { toughness: SCALE * Material::CERAMIC.toughness, ..Material::CERAMIC };
    shards.add(&bank, body, &BreakOptions { material, ..clay })?;
    if options.mesh.is_none() {
        let coin = shapes::icosphere(0.05, 1);
        for k in 0..7 {
            let at = DVec3::new(0.12 * f64::from(k % 3) - 0.12, 0.12 * f64::from(k / 3) - 0.12, 0.0);
            let at = single(at) + Vector::Z * (HEIGHT - 0.1);
            let body = RigidBodyBuilder::dynamic().translation(at);
            shards.add_prop(&coin, ColliderBuilder::ball(0.05).density(3000.0), body);
        }
    }
    Ok((shards, filling))
}

/// A bumpy ball with a hollow of the same form. Few cells need a thicker wall.
fn hollow(size: Size) -> Mesh {
    let share = if size == Size::Small { 0.68 } else { 0.84 };
    let outside = shapes::noisy_sphere(6_000, 0.12, 5);
    let (positions, triangles) = resized(&outside, share).into_parts();
    let turned = triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect();
    let inside = Mesh::new(positions, turned).expect("the same turned inside out");
    let both = Mesh::join([&outside, &inside]).expect("few enough triangles for ids");
    resized(&both, 0.6)
}
