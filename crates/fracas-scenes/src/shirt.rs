//! A man walks in a shirt that is tight at the shoulders and loose around the waist.
//!
//! Key poses are computed first, 25 a second, and nothing passes through anything between them
//! ([`motion`]).
//!
//! Sizes of the garment, in about as many triangles: 4,000, 32,000 and 130,000. The paper has 32,000 to 326,000.
//!
//! # Reference
//!
//! The cloth animations of G. Zachmann and R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable
//! objects*, Technical Report IfI-06-02, Clausthal University of Technology, 2006.

use crate::figure::Figure;
use crate::figure::garment::Garment;
use crate::figure::shape::Measures;
use crate::motion::{self, KeyedMotion};
use crate::worn::{self, Worn};
use crate::{Run, Scene, SceneError, SceneOptions, Size};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "shirt",
    about: "a man walks in a loose shirt",
    steps: |_| motion::FRAMES_PER_KEY * worn::KEYS,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let triangles = match options.size {
        Size::Small => 4_000,
        Size::Paper => 32_000,
        Size::Large => 130_000,
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    let bodies = keys(triangles, motion::keys_for(steps))?;
    Ok(motion::play(&bodies, steps, Some(0.0), options))
}

/// The motion of the shirt and of the man in it, with this many keys after the first.
pub(crate) fn keys(triangles: usize, count: usize) -> Result<Vec<KeyedMotion>, SceneError> {
    let garment = Garment::shirt(&Measures::MALE);
    Worn { scene: SCENE.name, figure: Figure::man, garment }.keys(triangles, count)
}
