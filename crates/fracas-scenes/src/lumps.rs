//! Bodies of the scenes in which things shatter: closed surfaces filled with tetrahedra, and blocks.

use crate::run::{Filling, require_closed};
use crate::{SceneError, SceneOptions, Size};
use fracas::Mesh;
use fracas::brittle::{Solid, SolidOptions};
use fracas::fill::{Deviation, FillError, FillOptions, fill, largest_part};
use fracas::fracture::{FractureOptions, Material};
use fracas::geom::DVec3;
use fracas::mesh::tets::{TetMesh, brick};
use fracas_rapier::{BreakError, BreakOptions};
use std::sync::Arc;

/// A surface filled with this many cells along its longest side, at size `paper`; half as many for `small`, half as many again
/// for `large`. A mesh that was given takes its place, scaled to the same size; if asked to, also one that is open or broken.
pub(crate) fn lump(surface: &Mesh, cells: f64, options: &SceneOptions) -> Result<Lump, SceneError> {
    let surface = match &options.mesh {
        Some(mesh) => scaled(mesh, surface, options.robust)?,
        None => surface.clone(),
    };
    let cells = match options.size {
        Size::Small => 0.5 * cells,
        Size::Paper => cells,
        Size::Large => 1.5 * cells,
    };
    let is_robust = options.robust && options.mesh.is_some();
    let (filled, filling) = if is_robust {
        let (filled, filling) = fill_robustly(&surface, cells)?;
        (filled, Some(filling))
    } else {
        (fill(&surface, &FillOptions { cells, ..FillOptions::default() }).map_err(BreakError::from)?, None)
    };
    let solid = Arc::new(Solid::build(filled, &SolidOptions::default()).map_err(SceneError::Solid)?);
    Ok(Lump { solid, filling })
}

/// A body, and how it was filled if that was done robustly.
pub(crate) struct Lump {
    pub(crate) solid: Arc<Solid>,
    pub(crate) filling: Option<Filling>,
}

/// The largest part of what is inside by winding numbers. Cells are halved up to twice for bodies with thin walls alone.
fn fill_robustly(surface: &Mesh, cells: f64) -> Result<(TetMesh, Filling), SceneError> {
    let mut result = Err(FillError::Empty);
    for finer in [1.0, 2.0, 4.0] {
        result = fill(surface, &FillOptions { cells: finer * cells, robust: true });
        if !matches!(result, Err(FillError::NothingInside { .. })) {
            break;
        }
    }
    let (filled, parts_left_out) = largest_part(&result.map_err(BreakError::from)?);
    let deviation = Deviation::between(surface, &filled).ok_or(BreakError::from(FillError::Empty))?;
    let size = surface.bounds().extent().max_element();
    Ok((filled, Filling { parts_left_out, size, deviation }))
}

/// A block of this many cells.
pub(crate) fn block(size: DVec3, cells: [usize; 3]) -> Result<Arc<Solid>, SceneError> {
    Ok(Arc::new(Solid::build(brick(size, cells), &SolidOptions::default()).map_err(SceneError::Solid)?))
}

/// A plate of this many cells along x and y and one through its thickness, six tetrahedra to a cell. All nodes are on the surface, as
/// in the paper's plates; a [`block`] has one in the middle of every cell, and half as many triangles for as many tetrahedra.
pub(crate) fn plate(size: DVec3, cells: usize) -> Result<Arc<Solid>, SceneError> {
    let side = cells + 1;
    let index = |[x, y, z]: [usize; 3]| ((z * side + y) * side + x) as u32;
    let mut positions = vec![];
    for z in 0..2 {
        for y in 0..side {
            for x in 0..side {
                let at = DVec3::new(x as f64 / cells as f64, y as f64 / cells as f64, f64::from(z));
                positions.push((at - 0.5) * size);
            }
        }
    }
    let mut tets = vec![];
    for y in 0..cells {
        for x in 0..cells {
            // From one corner of the cell to the opposite one, along the axes in every order.
            for [i, j, k] in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
                let mut at = [x, y, 0];
                let mut path = [index(at); 4];
                for (corner, axis) in path[1..].iter_mut().zip([i, j, k]) {
                    at[axis] += 1;
                    *corner = index(at);
                }
                // Every other order turns the other way round.
                if (i + 1) % 3 != j {
                    path.swap(1, 2);
                }
                tets.push(path);
            }
        }
    }
    let mesh = TetMesh::new(positions, tets).expect("cells in order");
    Ok(Arc::new(Solid::build(mesh, &SolidOptions::default()).map_err(SceneError::Solid)?))
}

/// A mesh of a formula, this many times as large.
pub(crate) fn resized(mesh: &Mesh, scale: f64) -> Mesh {
    let positions = mesh.positions().iter().map(|p| *p * scale).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).expect("the same triangles")
}

/// A mesh moved and scaled into the box of another.
fn scaled(mesh: &Mesh, like: &Mesh, robust: bool) -> Result<Mesh, SceneError> {
    if !robust {
        require_closed(mesh)?;
    }
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
