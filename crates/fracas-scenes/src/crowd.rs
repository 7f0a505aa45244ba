//! A hundred people walk through each other on a small square.
//!
//! Each follows its bones (linear blend skinning) and walks straight on by the formulas of `figure`. They do not make way: at any time
//! many of them touch.
//!
//! Sizes: 40 people of 3,000 triangles, 100 of 20,000, which is two million in all, and 200 of 20,000.

use crate::figure::Figure;
use crate::skinned::{self, FRAME_SECONDS, SkinnedMotion};
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::{DAffine3, DMat3, DVec3};
use fracas::internal::Random;
use std::sync::Arc;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "crowd",
    about: "a hundred people walk through each other",
    steps: |_| FRAMES,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

/// Frames after the first.
pub(crate) const FRAMES: usize = 60;
/// Metres per second.
const SPEED: f64 = 1.1;
/// Square metres for each person when they are nearest to each other.
const ROOM: f64 = 0.24;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (people, triangles) = match options.size {
        Size::Small => (40, 3_000),
        Size::Paper => (100, 20_000),
        Size::Large => (200, 20_000),
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(skinned::play(walking(people, people * triangles, steps)?, steps, Some(0.0), options))
}

/// The motion of so many people of so many triangles in all.
pub(crate) fn walking(
    people: usize,
    triangles: usize,
    frames: usize,
) -> Result<Vec<SkinnedMotion>, SceneError> {
    let each = triangles / people.max(1) / 2 * 2;
    let (least, most) = (2_000, 200_000);
    if !(1..=10_000).contains(&people) || !(least..=most).contains(&each) {
        let [least, most] = [least, most].map(|n| n * people);
        return Err(SceneError::BadSize { scene: SCENE.name, triangles, least, most });
    }
    let kinds = Figure::people(each).map(|figure| {
        let skin = Arc::new(figure.skin());
        (figure, skin)
    });
    let mut random = Random::new(41);
    let radius = (ROOM * people as f64 / std::f64::consts::PI).sqrt();
    let walkers = (0..people).map(|k| {
        let (figure, skin) = &kinds[k % 2];
        // Half way through the scene, all are evenly in a disc.
        let angle = 2.399_963_229_728_653 * k as f64 + 0.3 * random.signed();
        let out = radius * ((k as f64 + 0.5) / people as f64).sqrt();
        let middle = DVec3::new(out * libm::cos(angle), out * libm::sin(angle), 0.0);
        let heading = std::f64::consts::TAU * random.unit();
        let (sine, cosine) = (libm::sin(heading), libm::cos(heading));
        let turn = DMat3::from_cols(DVec3::new(cosine, sine, 0.0), DVec3::new(-sine, cosine, 0.0), DVec3::Z);
        let ahead = turn * DVec3::Y;
        let begin = 1.0 + random.unit();
        let frame = |k: usize| {
            let seconds = FRAME_SECONDS * k as f64;
            let way = SPEED * (seconds - 0.5 * FRAME_SECONDS * FRAMES as f64);
            let place = DAffine3 { matrix3: turn, translation: middle + ahead * way };
            figure.bones(begin + seconds).into_iter().map(|bone| place * bone).collect()
        };
        SkinnedMotion::new("person", Arc::clone(skin), FRAME_SECONDS, (0..=frames).map(frame).collect())
    });
    walkers.collect()
}
