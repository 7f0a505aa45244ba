//! A cloth falls over a statue and wraps itself around it.
//!
//! # Idea
//!
//! The statue, the horned animal or a closed mesh of the user's, is scaled to a height or length of one metre and set on
//! the ground. Its surface is sampled once as a field of distances, which holds the cloth off; the triangles that
//! collide are found on the mesh itself. It may touch itself along edges, as scans do.
//!
//! | size | cloth | statue | of a mesh that was given |
//! |---|---|---|---|
//! | small | 1,250 | 5,000 | as it is |
//! | paper | 12,000 | 8,000 | as it is |
//! | large | 200,000 | 50,000 | as it is |
//!
//! # Reference
//!
//! The cloth on the Buddha of R. Weller, N. Debowski and G. Zachmann, *kDet: parallel constant time collision detection
//! for polygonal objects*, Computer Graphics Forum, 2017.

use crate::cloth::ClothOptions;
use crate::draped::{Draped, sheet, substeps};
use crate::field::Field;
use crate::obstacle::Solid;
use crate::run::with_inside;
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "cloth-statue",
    about: "a cloth falls over a horned animal, or your mesh, and wraps itself around it",
    steps: |_| 240,
    takes_mesh: true,
    takes_pieces: false,
    begin,
};

const SIDE: f64 = 1.6;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (cloth, statue) = match options.size {
        Size::Small => (1_250, 5_000),
        Size::Paper => (12_000, 8_000),
        Size::Large => (200_000, 50_000),
    };
    let statue = match &options.mesh {
        Some(mesh) => standing(&with_inside(mesh)?)?,
        None => standing(&shapes::creature(statue))?,
    };
    let edge = SIDE / (cloth as f64 / 2.0).sqrt();
    let top = statue.bounds().max.z;
    // Cells about as fine as the cloth.
    let field = Field::of(&statue, ((1.4 / edge) as usize).clamp(48, 160));
    let scene = Draped {
        cloth: sheet(cloth, SIDE, top + edge),
        options: ClothOptions { substeps: substeps(cloth), ..ClothOptions::default() },
        obstacles: vec![Solid::Field(field)],
        meshes: vec![Some(statue)],
        drive: |_, _| (),
        ground: Some(0.0),
    };
    Ok(scene.begin(options.steps.unwrap_or((SCENE.steps)(options.size)), options))
}

/// A mesh scaled to a longest side of one metre, on the ground.
pub(crate) fn standing(mesh: &Mesh) -> Result<Mesh, SceneError> {
    let (low, high) = mesh.bounds().corners();
    let foot = DVec3::new(0.5 * low.x + 0.5 * high.x, 0.5 * low.y + 0.5 * high.y, low.z);
    let scale = 1.0 / (high - low).max_element();
    let positions = mesh.positions().iter().map(|p| (*p - foot) * scale).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).map_err(|_| SceneError::NotOriented)
}
