//! A hundred people walk through each other on a small square, in narrow lanes, every other of which goes the other way.
//!
//! Each follows its bones (linear blend skinning) and walks straight on by the formulas of `figure`. They do not make way: arms meet
//! those of the next lane, and feet those of who walks ahead.
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
/// Metres from lane to lane.
const LANE: f64 = 0.56;
/// Metres from one person to the next in a lane.
const APART: f64 = 0.52;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (people, triangles) = match options.size {
        Size::Small => (40, 3_000),
        Size::Paper => (100, 20_000),
        Size::Large => (200, 20_000),
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(skinned::play(walking(people, people * triangles, steps)?, steps, Some(0.0), options))
}

/// The motion of `people` people, who have `triangles` triangles in total.
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
    let lanes = (people as f64).sqrt().ceil() as usize;
    let walkers = (0..people).map(|k| {
        let (figure, skin) = &kinds[k % 2];
        let (lane, place) = (k % lanes, k / lanes);
        // Every other lane walks the other way. A figure looks along y.
        let sense = if lane % 2 == 0 { 1.0 } else { -1.0 };
        let turn = DMat3::from_diagonal(DVec3::new(sense, sense, 1.0));
        let centred = |number: usize, count: usize| number as f64 - 0.5 * (count as f64 - 1.0);
        let across = LANE * centred(lane, lanes) + 0.05 * random.signed();
        let along = APART * (centred(place, people.div_ceil(lanes)) + 0.15 * random.signed());
        // Half way through the scene, lanes are side by side.
        let middle = DVec3::new(across, along, 0.0);
        let ahead = DVec3::Y * sense;
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
