//! A woman walks in a dress whose skirt swings between and around the legs.
//!
//! Key poses are computed first, 25 a second, and nothing passes through anything between them
//! ([`motion`]).
//!
//! Sizes of the garment, in about as many triangles: 6,000, 65,000 and 260,000. The paper has 65,000 to 580,000.
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
    name: "dress",
    about: "a woman walks in a dress with a wide skirt",
    steps: |_| motion::FRAMES_PER_KEY * worn::KEYS,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let triangles = match options.size {
        Size::Small => 6_000,
        Size::Paper => 65_000,
        Size::Large => 260_000,
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    let bodies = keys(triangles, motion::keys_for(steps))?;
    Ok(motion::play(&bodies, steps, Some(0.0), options))
}

/// The motion of the dress and of the woman in it, with this many keys after the first.
pub(crate) fn keys(triangles: usize, count: usize) -> Result<Vec<KeyedMotion>, SceneError> {
    let garment = Garment::dress(&Measures::FEMALE);
    Worn { scene: SCENE.name, figure: Figure::woman, garment }.keys(triangles, count)
}
