//! A brain is held at its back and pulled at its front until its diagonal has grown by half.
//!
//! The surface is a blob with folds: an ellipsoid whose radius follows a labyrinth of ridges, with a groove between two halves. Nodes
//! inside it move as an elastic solid (`meshless`).
//!
//! Sizes, in vertices and simulation nodes: 3,500 and 65, 29,966 and 225, 145,000 and 509.
//!
//! # Reference
//!
//! Figure 1 of D. Steinemann, M. A. Otaduy and M. Gross, *Tight and efficient surface bounds in meshless animation*, Computers &
//! Graphics 32, 2008.

use crate::meshless::nodes::Nodes;
use crate::meshless::skin::{INFLUENCES, skin_of};
use crate::meshless::{Drive, Elastic, Material};
use crate::skinned::{self, FRAME_SECONDS, SkinnedMotion, with_vertices};
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::{Box3, DVec3};
use fracas::mesh::{Mesh, Skin, shapes};
use std::sync::Arc;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "brain",
    about: "a brain that follows a few hundred nodes is pulled until it is 1.5 times as long",
    steps: |_| 60,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

/// How much the diagonal grows.
pub(crate) const GROWTH: f64 = 1.5;
/// How far the front is pulled in a frame, in metres.
const PULL: f64 = 0.038;
/// More frames than it takes.
const MOST_FRAMES: usize = 200;
const TISSUE: Material =
    Material { young: 4_000.0, poisson: 0.3, density: 1000.0, keep_volume: 0.5, viscosity: 0.02, drag: 2.0 };

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (vertices, nodes) = match options.size {
        Size::Small => (3_500, 65),
        Size::Paper => (29_966, 225),
        Size::Large => (145_000, 509),
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(skinned::play(vec![pulled(vertices, nodes, steps)?], steps, None, options))
}

/// The motion of the brain. It ends when its diagonal has grown by half, or after `frames` frames.
pub(crate) fn pulled(vertices: usize, nodes: usize, most_frames: usize) -> Result<SkinnedMotion, SceneError> {
    let (least, most) = (500, 2_000_000);
    if !(least..=most).contains(&vertices) || !(INFLUENCES + 1..=4_000).contains(&nodes) {
        let counts = [vertices, nodes];
        return Err(SceneError::BadSkinSize {
            scene: SCENE.name,
            counts,
            vertices: [least, most],
            nodes: [INFLUENCES + 1, 4_000],
        });
    }
    // Nodes do not depend on how fine the surface is.
    let inside = Nodes::inside(&surface(4_000), nodes)?;
    let skin = Arc::new(skin_of(surface(vertices), &inside.positions));
    let mut solid = Elastic::new(&inside, TISSUE);
    let (back, front) = (|x: DVec3| x.y < -0.62, |x: DVec3| x.y > 0.62);
    solid.hold(|x| back(x) || front(x));
    let way = DVec3::new(0.5, 0.8, 0.33).normalize() * (PULL / FRAME_SECONDS);
    let path = |i: usize, seconds: f64| {
        let x = inside.positions[i];
        if front(x) { x + way * seconds } else { x }
    };
    let goal = GROWTH * diagonal(skin.rest().positions());
    let mut frames = vec![solid.transforms()];
    while frames.len() <= most_frames.min(MOST_FRAMES) && diagonal(&evaluated(&skin, &frames)) < goal {
        solid.advance(FRAME_SECONDS, &Drive { path: &path, pull: &|_, _, _, _| DVec3::ZERO });
        frames.push(solid.transforms());
    }
    SkinnedMotion::new("brain", skin, FRAME_SECONDS, frames)
}

fn evaluated(skin: &Skin, frames: &[Vec<fracas::geom::DAffine3>]) -> Vec<DVec3> {
    frames.last().map(|transforms| skin.evaluate(transforms)).unwrap_or_default()
}

/// The diagonal of the box around points.
pub(crate) fn diagonal(points: &[DVec3]) -> f64 {
    let grown = |bounds: Box3, p: &DVec3| bounds.union(&Box3 { min: *p, max: *p });
    points.iter().fold(Box3::default(), grown).extent().length()
}

/// A folded blob with the given number of vertices, about two metres long.
fn surface(vertices: usize) -> Mesh {
    let frequency = (((vertices - 2) as f64 / 10.0).sqrt() + 1e-9).floor() as u32;
    let ball = with_vertices(shapes::geodesic_sphere(1.0, frequency), vertices);
    let positions = ball.positions().iter().map(|p| folded(p.normalize())).collect();
    Mesh::new(positions, ball.triangles().to_vec()).expect("the blob is finite")
}

/// The point of the surface in a direction from the middle. Points move along their rays only, so the surface does not cross itself.
fn folded(d: DVec3) -> DVec3 {
    let (sin, cos) = (libm::sin, libm::cos);
    let bent = d * 6.5 + DVec3::new(sin(3.0 * d.y + 1.0), sin(4.0 * d.z), sin(3.5 * d.x + 2.0)) * 0.9;
    let labyrinth = sin(bent.x) * cos(bent.y) + sin(bent.y) * cos(bent.z) + sin(bent.z) * cos(bent.x);
    let ridges = 0.06 * libm::tanh(2.5 * labyrinth);
    let groove = -0.14 * libm::exp(-(d.x / 0.1) * (d.x / 0.1)) * (0.5 + 0.5 * libm::tanh(4.0 * d.z + 1.0));
    d * DVec3::new(0.8, 1.0, 0.72) * (1.0 + ridges + groove)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::Finder;
    use fracas::mesh::Report;

    #[test]
    fn the_surface_is_closed_folded_and_free_of_pairs() {
        for vertices in [500, 3_500, 29_966] {
            let brain = surface(vertices);
            let report = Report::of(&brain);
            assert_eq!(report.vertices, vertices);
            assert!(report.closed && report.oriented && report.components == 1);
            assert!(Finder::default().find_self_pairs(&brain).is_empty());
        }
    }
}
