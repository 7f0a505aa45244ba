//! A ball presses a cloth through a funnel.
//!
//! # Idea
//!
//! ```text
//!   ────────────  cloth        The cloth lies on the rim. A ball that is driven down the axis takes it along, past
//!   \    ●    /                the cone, where it folds, and through the spout, where it is tight. Ball and funnel
//!    \___ ___/                 are solid; nothing moves them but the drive.
//!        ║║
//! ```
//!
//! Sizes, all triangles together: 5,300, 18,000 and 70,000.
//!
//! # Reference
//!
//! The funnel of the UNC dynamic scene benchmarks, as used by R. Weller, N. Debowski and G. Zachmann, *kDet: parallel
//! constant time collision detection for polygonal objects*, Computer Graphics Forum, 2017.

use crate::cloth::ClothOptions;
use crate::draped::{Draped, sheet, substeps};
use crate::obstacle::{Ball, Solid, Turned};
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "funnel",
    about: "a ball presses a cloth through a funnel",
    steps: |_| 300,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

/// The side of the cloth, which is wider than the funnel.
const SIDE: f64 = 1.35;
const BALL: f64 = 0.11;
/// The wall of the funnel, from its rim down, as (r, z).
const WALL: [[f64; 2]; 3] = [[0.62, 0.0], [0.19, -0.42], [0.19, -0.8]];
const HALF_THICKNESS: f64 = 0.012;
/// How fast the ball is driven, and where it begins.
const SPEED: f64 = 0.4;
const START: f64 = 0.2;
const GROUND: f64 = -1.3;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    // Coarse cloth is thick and needs less friction not to get stuck.
    let (cloth, friction, segments, finest) = match options.size {
        Size::Small => (3_528, 0.2, 32, 2),
        Size::Paper => (14_112, 0.6, 60, 3),
        Size::Large => (60_000, 0.8, 120, 4),
    };
    let scene = Draped {
        cloth: sheet(cloth, SIDE, HALF_THICKNESS + 0.55 * SIDE / (cloth as f64 / 2.0).sqrt()),
        options: ClothOptions { friction, faces: true, substeps: substeps(cloth), ..ClothOptions::default() },
        obstacles: vec![
            Solid::Turned(Turned { profile: WALL.to_vec(), half_thickness: HALF_THICKNESS }),
            Solid::Ball(Ball { radius: BALL, ..Ball::default() }),
        ],
        meshes: vec![Some(funnel(segments)), Some(shapes::icosphere(BALL, finest))],
        drive,
        ground: Some(GROUND),
    };
    Ok(scene.begin(options.steps.unwrap_or((SCENE.steps)(options.size)), options))
}

fn drive(obstacles: &mut [Solid], seconds: f64) {
    if let Some(Solid::Ball(ball)) = obstacles.get_mut(1) {
        // It stops when it has come through.
        let end = (START + 1.0) / SPEED;
        ball.centre = DVec3::Z * (START - SPEED * seconds.min(end));
        ball.velocity = DVec3::Z * if seconds < end { -SPEED } else { 0.0 };
    }
}

/// The wall with its thickness, closed: down the inner side and up the outer.
fn funnel(segments: usize) -> Mesh {
    let [rim, neck, end] = WALL;
    let t = HALF_THICKNESS;
    let slope = [neck[0] - rim[0], neck[1] - rim[1]];
    let length = (slope[0] * slope[0] + slope[1] * slope[1]).sqrt();
    // Away from the axis and down, at right angles to the cone.
    let out = [-slope[1] / length * t, slope[0] / length * t];
    // Where the sides of cone and spout meet, the corner is farther out than either.
    let corner = |side: f64| {
        let r = neck[0] + side * t;
        let along = (r - rim[0] - side * out[0]) / slope[0];
        [r, rim[1] + side * out[1] + along * slope[1]]
    };
    let inner = [[rim[0] - out[0], rim[1] - out[1]], corner(-1.0), [end[0] - t, end[1] - t]];
    let outer = [[end[0] + t, end[1] - t], corner(1.0), [rim[0] + out[0], rim[1] + out[1]]];
    let mut profile = Vec::new();
    for [from, to] in [[inner[0], inner[1]], [inner[1], inner[2]], [outer[0], outer[1]], [outer[1], outer[2]]]
    {
        profile.extend((0..5).map(|k| {
            let share = f64::from(k) / 5.0;
            [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share]
        }));
        if to == inner[2] || to == outer[2] {
            profile.push(to);
        }
    }
    profile.push(inner[0]);
    shapes::surface_of_revolution(&profile, segments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obstacle::Obstacle;
    use fracas::mesh::Report;

    #[test]
    fn the_mesh_of_the_funnel_is_its_surface() {
        let mesh = funnel(200);
        let report = Report::of(&mesh);
        assert!(report.closed && report.oriented && report.volume.unwrap() > 0.0);
        let solid = Turned { profile: WALL.to_vec(), half_thickness: HALF_THICKNESS };
        for p in mesh.positions() {
            let (distance, _) = solid.distance(*p, 0.1).unwrap();
            // The solid is rounded at the rim and in the bend, the mesh is not.
            assert!(
                (-1e-9..0.42 * HALF_THICKNESS).contains(&distance) || distance.abs() < 1e-9,
                "{p}: {distance}"
            );
        }
    }
}
