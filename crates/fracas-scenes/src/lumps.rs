//! Bodies of the scenes in which things shatter: closed surfaces filled with tetrahedra, and blocks.

use crate::run::require_closed;
use crate::{SceneError, SceneOptions, Size};
use fracas::Mesh;
use fracas::brittle::{Solid, SolidOptions};
use fracas::fill::{FillOptions, fill};
use fracas::fracture::{FractureOptions, Material};
use fracas::geom::DVec3;
use fracas::mesh::tets::brick;
use fracas_rapier::{BreakError, BreakOptions};
use std::sync::Arc;

/// A surface filled with so many cells along its longest side, at size `paper`; half as many for `small`, half as many again
/// for `large`. A mesh that was given takes its place, scaled to the same size.
pub(crate) fn lump(surface: &Mesh, cells: f64, options: &SceneOptions) -> Result<Arc<Solid>, SceneError> {
    let surface = match &options.mesh {
        Some(mesh) => scaled(mesh, surface)?,
        None => surface.clone(),
    };
    let cells = match options.size {
        Size::Small => 0.5 * cells,
        Size::Paper => cells,
        Size::Large => 1.5 * cells,
    };
    let filled = fill(&surface, &FillOptions { cells }).map_err(BreakError::from)?;
    Ok(Arc::new(Solid::build(filled, &SolidOptions::default()).map_err(SceneError::Solid)?))
}

/// A block of so many cells.
pub(crate) fn block(size: DVec3, cells: [usize; 3]) -> Result<Arc<Solid>, SceneError> {
    Ok(Arc::new(Solid::build(brick(size, cells), &SolidOptions::default()).map_err(SceneError::Solid)?))
}

/// A mesh of a formula, so many times as large.
pub(crate) fn resized(mesh: &Mesh, scale: f64) -> Mesh {
    let positions = mesh.positions().iter().map(|p| *p * scale).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).expect("the same triangles")
}

/// A mesh moved and scaled into the box of another.
fn scaled(mesh: &Mesh, like: &Mesh) -> Result<Mesh, SceneError> {
    require_closed(mesh)?;
    let ([low, high], [from, to]) =
        (<[_; 2]>::from(mesh.bounds().corners()), <[_; 2]>::from(like.bounds().corners()));
    let scale = (to - from).max_element() / (high - low).max_element();
    let (middle, aim) = (0.5 * (low + high), 0.5 * (from + to));
    let positions = mesh.positions().iter().map(|p| (*p - middle) * scale + aim).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).map_err(|_| SceneError::NotOriented)
}

/// Fired clay, at several times life-size and tougher by as much.
pub(crate) fn clay(seed: u64, most_pieces: usize, generations: u32) -> BreakOptions {
    BreakOptions {
        material: Material { toughness: 400.0, ..Material::CERAMIC },
        fracture: FractureOptions { most_pieces, least_nodes: 30, seed, ..FractureOptions::default() },
        generations,
        ..BreakOptions::default()
    }
}
