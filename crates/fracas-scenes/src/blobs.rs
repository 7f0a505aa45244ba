//! 27 bodies fall on each other and break: three batches of nine, each body at a time of its own.
//!
//! `--mesh` takes any closed surface in their place, such as a bunny. The step is five milliseconds, as in the paper: bodies are hit
//! hard, and small pieces need it.
//!
//! Frames have contacts and no pairs (`shards`).
//!
//! Sizes: bodies of about 2,300, 18,500 and 62,000 tetrahedra. The paper's have 18,767. For as many tetrahedra a lattice has fewer triangles on the
//! surface: 2,654 beside 7,940.
//!
//! # Reference
//!
//! Figure 10 of L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont and M. A. Otaduy, *Efficient collision detection for
//! brittle fracture*, Symposium on Computer Animation, 2012.

use crate::lumps::{Lump, clay, lump, resized};
use crate::shards::{Shards, single};
use crate::{Run, Scene, SceneError, SceneOptions};
use fracas::fracture::Material;
use fracas::geom::DVec3;
use fracas::internal::Random;
use fracas::mesh::shapes;
use fracas_rapier::BreakOptions;
use rapier3d::prelude::{RigidBodyBuilder, Vector};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "blobs",
    about: "27 bodies, or your mesh as often, fall in three batches and break",
    steps: |_| 500,
    takes_mesh: true,
    takes_pieces: false,
    begin,
};

/// The paper's time step.
const STEP_SECONDS: f64 = 0.005;
/// Steps from one batch to the next.
const BATCH: usize = 130;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let Lump { solid, filling } = lump(&resized(&shapes::noisy_sphere(4_000, 0.25, 9), 0.35), 16.1, options)?;
    let mut random = Random::linear(17);
    let run = Shards::new(STEP_SECONDS).into_run(&SCENE, options, move |shards, step| {
        if step.is_multiple_of(BATCH) && step < 3 * BATCH {
            for k in 0..9 {
                // One after the other, some 40 milliseconds apart.
                let height = 2.2 + 0.25 * f64::from(k);
                let at = DVec3::new(0.9 * f64::from(k % 3) - 0.9, 0.9 * f64::from(k / 3) - 0.9, height);
                let turn = DVec3::new(random.signed(), random.signed(), random.signed());
                let body = RigidBodyBuilder::dynamic()
                    .translation(single(at + 0.05 * turn))
                    .rotation(single(2.0 * turn))
                    .linvel(Vector::Z * -4.0);
                shards.add(&solid, body, &break_options((step + k as usize) as u64))?;
            }
        }
        Ok(())
    });
    Ok(run.filled(filling))
}

/// Clay that breaks into about six pieces where it falls on the ground: the paper's 27 bodies end as 166 pieces.
fn break_options(seed: u64) -> BreakOptions {
    let clay = clay(seed, 7, 2);
    BreakOptions { material: Material { toughness: 200.0, ..clay.material }, ..clay }
}
