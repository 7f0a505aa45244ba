//! A cloth falls over a chair of rods and wraps itself around it.
//!
//! # Idea
//!
//! Rods are long and thin, and so are their triangles; those of the cloth are small. So a grid has many levels, and a
//! triangle of a rod many neighbours: this is what the scene is for. Rods end a little short of each other, so that the
//! chair does not intersect itself.
//!
//! Sizes, all triangles together: 2,800, 40,000 and 130,000.
//!
//! # Reference
//!
//! The chair of R. Weller, N. Debowski and G. Zachmann, *kDet: parallel constant time collision detection for polygonal
//! objects*, Computer Graphics Forum, 2017.

use crate::cloth::ClothOptions;
use crate::draped::{Draped, sheet, substeps};
use crate::obstacle::{Rod, Solid};
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};
use glam::{DAffine3, DQuat};
use std::f64::consts::FRAC_PI_2;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "chair",
    about: "a cloth falls over a chair and wraps itself around it",
    steps: |_| 240,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

const RADIUS: f64 = 0.025;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (cloth, segments) = match options.size {
        Size::Small => (3_200, 6),
        Size::Paper => (37_000, 12),
        Size::Large => (125_000, 16),
    };
    let rods = rods();
    let parts: Vec<Mesh> = rods.iter().map(|rod| mesh_of(rod, segments)).collect();
    let scene = Draped {
        cloth: over_the_seat(&sheet(cloth, 1.5, 1.06)),
        options: ClothOptions {
            friction: 0.6,
            faces: true,
            substeps: substeps(cloth),
            ..ClothOptions::default()
        },
        obstacles: vec![Solid::Rods(rods)],
        meshes: vec![Some(Mesh::join(&parts).expect("few triangles"))],
        drive: |_, _| (),
        ground: Some(0.0),
    };
    Ok(scene.begin(options.steps.unwrap_or((SCENE.steps)(options.size)), options))
}

/// The cloth, with its middle before the back of the chair.
fn over_the_seat(cloth: &Mesh) -> Mesh {
    cloth.transformed(&DAffine3::from_translation(DVec3::Y * -0.2)).expect("it stays finite")
}

/// A seat of slats on two rails between four legs, of which the hind ones carry a back.
fn rods() -> Vec<Rod> {
    let mut rods = Vec::new();
    let mut rod = |from: [f64; 3], to: [f64; 3]| {
        rods.push(Rod { ends: [from, to].map(DVec3::from_array), radius: RADIUS });
    };
    let (wide, deep, seat, back) = (0.24, 0.22, 0.45, 0.95);
    // Between the axes of two rods that nearly touch.
    let clear = 2.02 * RADIUS;
    for x in [-wide, wide] {
        rod([x, -deep, RADIUS], [x, -deep, seat]);
        rod([x, deep, RADIUS], [x, deep, back]);
        rod([x, clear - deep, seat - clear], [x, deep - clear, seat - clear]);
    }
    for k in 0..7 {
        let y = clear - deep + (2.0 * deep - 2.0 * clear) * f64::from(k) / 6.0;
        rod([-wide - RADIUS, y, seat], [wide + RADIUS, y, seat]);
    }
    for k in 0..4 {
        let z = back - 0.03 - 0.11 * f64::from(k);
        rod([clear - wide, deep, z], [wide - clear, deep, z]);
    }
    rods
}

/// A rod whose triangles run from one end to the other.
fn mesh_of(rod: &Rod, segments: usize) -> Mesh {
    let [a, b] = rod.ends;
    let (half, rings) = (0.5 * (b - a).length(), segments / 4 + 1);
    // The round end, from the pole on.
    let end = |k: usize| {
        let angle = FRAC_PI_2 * k as f64 / rings as f64;
        let r = if k == 0 { 0.0 } else { rod.radius * libm::sin(angle) };
        [r, half + rod.radius * libm::cos(angle)]
    };
    let mut profile: Vec<[f64; 2]> = (0..=rings).map(|k| [end(k)[0], -end(k)[1]]).collect();
    profile.extend((0..=rings).rev().map(end));
    let turn = DQuat::from_rotation_arc(DVec3::Z, (b - a).normalize());
    let upright = shapes::surface_of_revolution(&profile, segments);
    upright.transformed(&DAffine3::from_rotation_translation(turn, 0.5 * (a + b))).expect("it stays finite")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obstacle::Obstacle;

    #[test]
    fn meshes_of_rods_are_their_surfaces_and_do_not_meet() {
        let rods = rods();
        let meshes: Vec<Mesh> = rods.iter().map(|rod| mesh_of(rod, 10)).collect();
        for (rod, mesh) in rods.iter().zip(&meshes) {
            assert!(mesh.positions().iter().all(|p| rod.distance(*p, 0.1).unwrap().0.abs() < 1e-9));
        }
        let chair = Mesh::join(&meshes).unwrap();
        assert_eq!(fracas::pairs::brute::find_self_pairs(&chair, fracas::Touch::Include), []);
    }
}
