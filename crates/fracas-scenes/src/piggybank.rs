//! A hollow bank of fired clay falls and breaks.
//!
//! Its wall is an eighth of its width. Inside are coins, which do not break and roll away over the pieces.
//!
//! Frames have contacts and no pairs (`shards`).
//!
//! Sizes: about 3,000, 20,000 and 60,000 tetrahedra.
//!
//! # Reference
//!
//! Figure 7 of L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont and M. A. Otaduy, *Efficient collision detection for
//! brittle fracture*, Symposium on Computer Animation, 2012.

use crate::lumps::{clay, lump};
use crate::shards::{Shards, single};
use crate::{Frame, Run, Scene, SceneError, SceneOptions};
use fracas::Mesh;
use fracas::geom::DVec3;
use fracas::mesh::shapes;
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

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let mut shards = Shards::new(STEP_SECONDS);
    let bank = lump(&hollow(), 26.0, options)?;
    let body = RigidBodyBuilder::dynamic()
        .translation(Vector::Z * 2.5)
        .rotation(Vector::new(0.4, 0.3, 0.0))
        .linvel(Vector::Z * -2.0);
    shards.add(&bank, body, &clay(5, 16, 2))?;
    if options.mesh.is_none() {
        let coin = shapes::icosphere(0.05, 1);
        for k in 0..7 {
            let at = DVec3::new(0.12 * f64::from(k % 3) - 0.12, 0.12 * f64::from(k / 3) - 0.12, 2.4);
            let body = RigidBodyBuilder::dynamic().translation(single(at)).linvel(Vector::Z * -2.0);
            shards.add_prop(&coin, ColliderBuilder::ball(0.05).density(3000.0), body);
        }
    }
    let advance = move |step: usize, frame: &mut Frame| {
        if step > 0 {
            shards.step(frame);
        }
        shards.look(frame);
        Ok(())
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(Run::new(steps, STEP_SECONDS, Some(0.0), Box::new(advance)))
}

/// A bumpy ball with a round hollow.
fn hollow() -> Mesh {
    let outside = shapes::noisy_sphere(6_000, 0.12, 5);
    let (positions, triangles) = shapes::icosphere(0.72, 4).into_parts();
    let turned = triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect();
    let inside = Mesh::new(positions, turned).expect("a ball turned inside out");
    let both = Mesh::join([&outside, &inside]).expect("few enough triangles for ids");
    let half = both.positions().iter().map(|p| *p * 0.6).collect();
    Mesh::new(half, both.triangles().to_vec()).expect("the same triangles")
}
