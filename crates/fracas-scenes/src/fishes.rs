//! 24 fishes swim in all directions and through each other.
//!
//! A wave of sideways forces runs from head to tail of each fish, water carries it along, and its nodes move as an elastic solid
//! (`meshless`).
//!
//! Sizes: 1,000, 8,000 and 32,000 vertices for each fish; 96 nodes.
//!
//! # Reference
//!
//! Figure 7 of D. Steinemann, M. A. Otaduy and M. Gross, *Tight and efficient surface bounds in meshless animation*, Computers &
//! Graphics 32, 2008.

use crate::meshless::nodes::Nodes;
use crate::meshless::skin::{INFLUENCES, skin_of};
use crate::meshless::{Drive, Elastic, Material};
use crate::skinned::{self, FRAME_SECONDS, SkinnedMotion, with_vertices};
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::{DAffine3, DMat3, DVec3};
use fracas::internal::Random;
use fracas::mesh::{Mesh, shapes};
use std::sync::Arc;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "fishes",
    about: "24 elastic fishes swim through each other",
    steps: |_| FRAMES,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

/// Frames after the first.
pub(crate) const FRAMES: usize = 60;
pub(crate) const FISHES: usize = 24;
const NODES: usize = 96;
/// How far from the middle the outermost are half way, in metres.
const RADIUS: f64 = 0.75;
/// Metres per second.
const SPEED: f64 = 0.9;
/// How fast water makes a fish as fast as itself, per second.
const WATER: f64 = 4.0;
const FLESH: Material =
    Material { young: 8_000.0, poisson: 0.35, density: 1000.0, keep_volume: 0.5, viscosity: 0.01, drag: 0.0 };

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let vertices = match options.size {
        Size::Small => 1_000,
        Size::Paper => 8_000,
        Size::Large => 32_000,
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(skinned::play(swimming(vertices, NODES, steps)?, steps, None, options))
}

/// The motion of all fishes; `vertices` and `nodes` are those of each fish.
pub(crate) fn swimming(
    vertices: usize,
    nodes: usize,
    frames: usize,
) -> Result<Vec<SkinnedMotion>, SceneError> {
    let (least, most) = (500, 500_000);
    if !(least..=most).contains(&vertices) || !(INFLUENCES + 1..=2_000).contains(&nodes) {
        let counts = [vertices, nodes];
        return Err(SceneError::BadSkinSize {
            scene: SCENE.name,
            counts,
            vertices: [least, most],
            nodes: [INFLUENCES + 1, 2_000],
        });
    }
    let inside = Nodes::inside(&surface(4_000), nodes)?;
    let skin = Arc::new(skin_of(surface(vertices), &inside.positions));
    let at_rest = Elastic::new(&inside, FLESH);
    let mut random = Random::new(31);
    let fishes = (0..FISHES).map(|k| {
        let mut away = || DVec3::new(random.signed(), random.signed(), random.signed());
        let ahead = (away() * DVec3::new(1.0, 1.0, 0.3)).normalize();
        // Half way through the scene, all are evenly in a ball.
        let out = libm::cbrt(((7 * k % FISHES) as f64 + 0.5) / FISHES as f64);
        let from = on_sphere(k) * (RADIUS * out) - ahead * (0.5 * SPEED * FRAME_SECONDS * FRAMES as f64);
        let side = DVec3::Z.cross(ahead).normalize();
        let matrix3 = DMat3::from_cols(ahead, side, ahead.cross(side));
        let phase = std::f64::consts::TAU * random.unit();
        let mut solid = at_rest.clone();
        solid.place(&DAffine3 { matrix3, translation: from });
        solid.set_velocity(ahead * SPEED);
        let pull = |i: usize, seconds: f64, _: DVec3, velocity: DVec3| {
            // 0 at the head, 1 at the tail.
            let along = (0.5 - inside.positions[i].x / LENGTH).clamp(0.0, 1.0);
            let wave = libm::sin(std::f64::consts::TAU * (1.6 * seconds - 0.9 * along) + phase);
            let onset = (seconds / 0.3).min(1.0);
            side * (14.0 * onset * (0.25 + along * along) * wave) + (ahead * SPEED - velocity) * WATER
        };
        let drive = Drive { path: &|_, _| DVec3::ZERO, pull: &pull };
        let mut transforms = vec![solid.transforms()];
        for _ in 0..frames {
            solid.advance(FRAME_SECONDS, &drive);
            transforms.push(solid.transforms());
        }
        SkinnedMotion::new("fish", Arc::clone(&skin), FRAME_SECONDS, transforms)
    });
    fishes.collect()
}

/// Directions that are evenly apart: a spiral from pole to pole, none of them at a pole.
fn on_sphere(k: usize) -> DVec3 {
    let z = 0.9 * (1.0 - (2.0 * k as f64 + 1.0) / FISHES as f64);
    let (angle, radius) = (2.399_963_229_728_653 * k as f64, (1.0 - z * z).sqrt());
    DVec3::new(radius * libm::cos(angle), radius * libm::sin(angle), z)
}

/// From nose to tail fin, in metres.
const LENGTH: f64 = 0.6;

/// A fish along x, its head at positive x: a sphere whose rings become upright ellipses, high and narrow at the tail fin.
fn surface(vertices: usize) -> Mesh {
    let frequency = (((vertices - 2) as f64 / 10.0).sqrt() + 1e-9).floor() as u32;
    let ball = with_vertices(shapes::geodesic_sphere(1.0, frequency), vertices);
    let place = |p: &DVec3| {
        let d = p.normalize();
        // 0 at the nose, 1 at the end of the tail.
        let s = libm::acos(d.x.clamp(-1.0, 1.0)) / std::f64::consts::PI;
        let ring = (d.y * d.y + d.z * d.z).sqrt().max(1e-12);
        let round = libm::sin(std::f64::consts::PI * s.clamp(0.0, 1.0)).sqrt();
        let bell = |middle: f64, width: f64| libm::exp(-((s - middle) / width) * ((s - middle) / width));
        let width = round * (0.022 + 0.05 * bell(0.36, 0.25));
        let height = round * (0.03 + 0.09 * bell(0.38, 0.24) + 0.1 * bell(0.97, 0.12));
        DVec3::new(LENGTH * (0.5 - s), width * d.y / ring, height * d.z / ring)
    };
    Mesh::new(ball.positions().iter().map(place).collect(), ball.triangles().to_vec()).expect("a finite fish")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::Finder;
    use fracas::mesh::Report;

    #[test]
    fn a_fish_is_closed_and_free_of_pairs() {
        for vertices in [500, 1_000, 8_000] {
            let fish = surface(vertices);
            let report = Report::of(&fish);
            assert_eq!(report.vertices, vertices);
            assert!(report.closed && report.oriented && report.volume.unwrap() > 0.003, "{report:?}");
            assert!(Finder::default().find_self_pairs(&fish).is_empty());
        }
    }
}
