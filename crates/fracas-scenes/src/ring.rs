//! Six figures hang on a ring by their heads. The ring turns to and fro, gusts push the figures, and they swing into each other.
//!
//! ```text
//!          o       o  a figure: its head is held by the ring, the rest swings
//!       o     →   o   neighbours are one spacing apart, and so is every figure from the middle of the ring
//!          o  o       hands of neighbours meet first
//! ```
//!
//! Bodies that meet pass through each other: pairs are found, nothing pushes them apart. Frames begin when all figures swing. The spacing
//! decides how many pairs there are: neighbours meet one after another, so there are frames with several contacts and frames without any.
//!
//! Sizes: [settings](RingOptions::PAPER) 5, 7 and 8 of the paper.
//!
//! # Reference
//!
//! Figure 6 and Table 2 of D. Steinemann, M. A. Otaduy and M. Gross, *Tight and efficient surface bounds in meshless animation*,
//! Computers & Graphics 32, 2008.

use crate::figure::shape::{Body, Bone, Part};
use crate::figure::surface;
use crate::meshless::nodes::Nodes;
use crate::meshless::skin::skin_of;
use crate::meshless::{Drive, Elastic, Material};
use crate::skinned::{self, FRAME_SECONDS, SkinnedMotion, with_vertices};
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::{DAffine3, DMat3, DVec3};
use fracas::internal::Random;
use fracas::mesh::Mesh;
use std::sync::Arc;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "ring",
    about: "six elastic figures on a turning ring swing into each other",
    steps: |_| RingOptions::FRAMES,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

/// Settings of the scene [`ring`](mod@crate::ring).
///
/// ```
/// use fracas_scenes::motion::RingOptions;
/// let [coarse, .., fine] = RingOptions::PAPER;
/// assert_eq!((coarse.vertices(), coarse.nodes), (2_857, 115));
/// assert_eq!((fine.vertices(), fine.nodes), (45_682, 550));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingOptions {
    /// How often the triangles of a figure are divided by four: 0 to 4. Default: 2, for 45,682 vertices.
    pub subdivisions: u32,
    /// Simulation nodes of a figure: 40 to 4,000. Default: 115.
    pub nodes: usize,
    /// How far neighbours on the ring are apart, in metres: 0.3 to 10. The nearer, the more pairs. Default: [`RingOptions::FEW`].
    pub spacing: f64,
    /// How hard the figures are pushed, in metres per second squared: 0 to 20. Default: 3.
    pub gusts: f64,
    /// Frames after the first. Default: [`RingOptions::FRAMES`].
    pub frames: usize,
}

impl Default for RingOptions {
    fn default() -> Self {
        Self { subdivisions: 2, nodes: 115, spacing: Self::FEW, gusts: 3.0, frames: Self::FRAMES }
    }
}

impl RingOptions {
    /// Frames after the first, unless said otherwise.
    pub const FRAMES: usize = 90;
    /// A spacing with few pairs: 100 in the mean of all frames, for 45,682 vertices and 115 nodes.
    pub const FEW: f64 = 1.25;
    /// A spacing with many pairs, as the paper has it: 330 in the mean.
    pub const MANY: f64 = 1.14;
    /// A spacing with far more pairs than the paper has: 4,900 in the mean.
    pub const DENSE: f64 = 0.74;
    /// The eight settings of Table 2: vertices 2,857 or 45,682, nodes 115 or 550, contacts few or many.
    pub const PAPER: [Self; 8] = {
        let few = Self { subdivisions: 0, nodes: 115, spacing: Self::FEW, gusts: 3.0, frames: Self::FRAMES };
        let many = Self { spacing: Self::MANY, ..few };
        [
            few,
            Self { nodes: 550, ..few },
            Self { subdivisions: 2, ..few },
            Self { subdivisions: 2, nodes: 550, ..few },
            many,
            Self { nodes: 550, ..many },
            Self { subdivisions: 2, ..many },
            Self { subdivisions: 2, nodes: 550, ..many },
        ]
    };

    /// Vertices of a figure.
    #[must_use]
    pub fn vertices(&self) -> usize {
        ((COARSE - 2) << (2 * self.subdivisions)) + 2
    }
}

/// Vertices of a figure that is not subdivided.
const COARSE: usize = 2_857;
const FIGURES: usize = 6;
/// What is above is held by the ring.
const HELD: f64 = 1.2;
const FOAM: Material =
    Material { young: 60_000.0, poisson: 0.3, density: 1000.0, keep_volume: 0.5, viscosity: 0.01, drag: 0.3 };
const GRAVITY: f64 = 9.81;
/// Frames until all figures swing.
const ONSET: usize = 30;
/// Drag until a figure hangs at rest, per second.
const SETTLE: f64 = 5.0;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let setting = match options.size {
        Size::Small => RingOptions::PAPER[4],
        Size::Paper => RingOptions::PAPER[6],
        Size::Large => RingOptions::PAPER[7],
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    let bodies = swinging(&RingOptions { frames: steps, ..setting })?;
    Ok(skinned::play(bodies, steps, None, options))
}

/// The motion of the six figures.
pub(crate) fn swinging(options: &RingOptions) -> Result<Vec<SkinnedMotion>, SceneError> {
    let &RingOptions { subdivisions, nodes, spacing, gusts, frames } = options;
    let is_good = subdivisions <= 4
        && (40..=4_000).contains(&nodes)
        && (0.3..=10.0).contains(&spacing)
        && (0.0..=20.0).contains(&gusts);
    if !is_good {
        return Err(SceneError::BadRing);
    }
    let coarse = surface(0);
    let inside = Nodes::inside(&coarse, nodes)?;
    let fine = if subdivisions == 0 { coarse } else { surface(subdivisions) };
    let skin = Arc::new(skin_of(fine, &inside.positions));
    let hanging = hanging(&inside);
    let mut random = Random::new(23);
    let figures = (0..FIGURES).map(|k| {
        let (rate, phase) = (3.5 + 3.0 * random.unit(), std::f64::consts::TAU * random.unit());
        let pose = |seconds: f64| {
            let angle = std::f64::consts::TAU * k as f64 / FIGURES as f64 + turn(seconds);
            let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
            let matrix3 =
                DMat3::from_cols(DVec3::new(cosine, sine, 0.0), DVec3::new(-sine, cosine, 0.0), DVec3::Z);
            // A figure looks outward.
            DAffine3 { matrix3, translation: matrix3 * (DVec3::Y * spacing) }
        };
        let mut solid = hanging.clone();
        solid.place(&pose(0.0));
        let path = |i: usize, seconds: f64| pose(seconds).transform_point3(inside.positions[i]);
        let pull = |_: usize, seconds: f64, _: DVec3, _: DVec3| {
            // Gusts set in smoothly.
            let gust = gusts * (seconds / 0.5).min(1.0) * libm::sin(rate * seconds + phase);
            pose(seconds).matrix3.x_axis * gust - DVec3::Z * GRAVITY
        };
        let drive = Drive { path: &path, pull: &pull };
        let mut transforms = Vec::with_capacity(frames + 1);
        for frame in 0..=ONSET + frames {
            if frame >= ONSET {
                transforms.push(solid.transforms());
            }
            solid.advance(FRAME_SECONDS, &drive);
        }
        SkinnedMotion::new("figure", Arc::clone(&skin), FRAME_SECONDS, transforms)
    });
    figures.collect()
}

/// A figure that hangs at rest.
fn hanging(nodes: &Nodes) -> Elastic {
    let mut solid = Elastic::new(nodes, FOAM);
    solid.hold(|x| x.z > HELD);
    let slowed = |_: usize, _: f64, _: DVec3, velocity: DVec3| velocity * -SETTLE - DVec3::Z * GRAVITY;
    for _ in 0..90 {
        solid.advance(FRAME_SECONDS, &Drive { path: &|i, _| nodes.positions[i], pull: &slowed });
    }
    solid
}

/// The angle of the ring, in radians: to and fro, and slowly on.
fn turn(seconds: f64) -> f64 {
    0.3 * (1.0 - libm::cos(1.7 * seconds)) + 0.15 * seconds * seconds / (1.0 + seconds)
}

/// The surface of a figure at rest, looking along y and standing on z = 0: round, with short limbs and a hat.
fn surface(subdivisions: u32) -> Mesh {
    let body = shape();
    // A little less than needed: splitting edges gives the rest.
    let mut mesh = with_vertices(surface::mesh_of(&body, 2 * COARSE - 250), COARSE);
    for _ in 0..subdivisions {
        let finer = mesh.subdivided().expect("few enough triangles for ids");
        let positions = finer.positions().iter().map(|p| surface::onto(&body, *p, None)).collect();
        mesh = Mesh::new(positions, finer.triangles().to_vec()).expect("the surface is finite");
    }
    mesh
}

fn shape() -> Body {
    let part = |ends: [[f64; 3]; 2], radii: [f64; 2]| Part {
        bone: Bone::Chest,
        ends: ends.map(DVec3::from_array),
        radii,
        depth: 1.0,
    };
    let mut parts = vec![
        part([[0.0, 0.03, 0.56], [0.0, 0.0, 0.86]], [0.34, 0.27]),
        part([[0.0, 0.0, 1.14], [0.0, 0.01, 1.24]], [0.19, 0.2]),
        part([[0.0, 0.0, 1.34], [0.0, -0.03, 1.62]], [0.16, 0.06]),
    ];
    for side in [-1.0, 1.0] {
        parts.extend([
            part([[0.16 * side, 0.0, 0.14], [0.16 * side, 0.0, 0.5]], [0.13, 0.17]),
            part([[0.16 * side, 0.0, 0.12], [0.18 * side, 0.2, 0.1]], [0.12, 0.1]),
            part([[0.22 * side, 0.0, 0.95], [0.6 * side, 0.03, 0.74]], [0.14, 0.11]),
        ]);
    }
    Body { parts, blend: 0.025, margin: 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::Report;

    #[test]
    fn figures_have_the_vertices_of_the_paper() {
        for (subdivisions, vertices) in [(0, 2_857), (2, 45_682)] {
            let report = Report::of(&surface(subdivisions));
            assert_eq!(report.vertices, vertices);
            assert!(report.closed && report.oriented && report.components == 1);
            assert_eq!(report.euler_characteristic(), 2);
        }
    }
}
