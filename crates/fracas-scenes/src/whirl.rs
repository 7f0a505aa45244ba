//! A cloth is whirled by a ball: it falls over it, and then the ball begins to turn.
//!
//! # Idea
//!
//! ```text
//!     ───────          __●__         Friction takes the cloth along where it lies on the ball, and the hanging rest
//!        ●     ──▶    / ↻   \   ──▶  lags behind: it is wound up into folds that lie on each other.
//! ```
//!
//! Sizes, all triangles together: 2,300, 92,000 and 184,000.
//!
//! # Reference
//!
//! The whirling cloth of R. Weller, N. Debowski and G. Zachmann, *kDet: parallel constant time collision detection for
//! polygonal objects*, Computer Graphics Forum, 2017.

use crate::cloth::ClothOptions;
use crate::draped::{Draped, sheet, substeps};
use crate::obstacle::{Ball, Solid};
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::DVec3;
use fracas::mesh::shapes;
use glam::DQuat;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "whirl",
    about: "a cloth falls over a ball, which then turns and whirls it",
    steps: |_| 240,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

const RADIUS: f64 = 0.3;
/// When the ball begins to turn, how fast it gains speed, and how fast it turns in the end.
const REST: f64 = 0.8;
const GAIN: f64 = 6.0;
const FASTEST: f64 = 7.0;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (cloth, frequency) = match options.size {
        Size::Small => (1_800, 5),
        Size::Paper => (88_200, 14),
        Size::Large => (176_400, 20),
    };
    let scene = Draped {
        cloth: sheet(cloth, 1.2, RADIUS + 2.0 * 1.2 / (cloth as f64 / 2.0).sqrt()),
        options: ClothOptions { friction: 0.8, substeps: substeps(cloth), ..ClothOptions::default() },
        obstacles: vec![Solid::Ball(Ball { radius: RADIUS, ..Ball::default() })],
        meshes: vec![Some(shapes::geodesic_sphere(RADIUS, frequency))],
        drive,
        ground: Some(-0.5),
    };
    Ok(scene.begin(options.steps.unwrap_or((SCENE.steps)(options.size)), options))
}

fn drive(obstacles: &mut [Solid], seconds: f64) {
    if let Some(Solid::Ball(ball)) = obstacles.first_mut() {
        let turning = (seconds - REST).max(0.0);
        let gaining = turning.min(FASTEST / GAIN);
        ball.spin = DVec3::Z * (GAIN * gaining);
        let angle = 0.5 * GAIN * gaining * gaining + FASTEST * (turning - gaining);
        ball.turn = DQuat::from_rotation_z(angle);
    }
}
