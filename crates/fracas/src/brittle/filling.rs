//! Tetrahedra for a body of which only the surface is known.

use crate::geom::DVec3;
use crate::mesh::tets::{StuffError, StuffOptions, TetMesh, stuff};
use crate::mesh::{Adjacency, Mesh, Report};
use crate::tree::{MeshTree, Side};

/// How to fill a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FillOptions {
    /// How many cells the longest side of the surface's box is divided into; 2 or more. The longest edges inside are as long
    /// as a cell, and a ball gets about 6 times the cube of this many tetrahedra.
    pub cells: f64,
}

impl Default for FillOptions {
    fn default() -> Self {
        Self { cells: 16.0 }
    }
}

/// Why a surface cannot be filled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FillError {
    /// The surface has a rim, so it has no inside.
    #[error("the surface is open at the edge between vertices {} and {}", ends[0], ends[1])]
    Open {
        /// The vertices of the first edge that has not exactly two triangles.
        ends: [u32; 2],
    },
    /// Triangles disagree on which side is outside.
    #[error("the triangles at the edge between vertices {} and {} face different ways", ends[0], ends[1])]
    NotOriented {
        /// The vertices of the first such edge.
        ends: [u32; 2],
    },
    /// The surface has no triangles.
    #[error("the surface has no triangles")]
    Empty,
    /// The number of cells makes no sense.
    #[error("{cells} cells are not 2 or more")]
    BadCells {
        /// As given.
        cells: f64,
    },
    /// The cells are too fine, or too coarse for the body.
    #[error(transparent)]
    Stuff(#[from] StuffError),
}

/// Fills a closed surface with well-shaped tetrahedra.
///
/// What is inside is decided exactly, by counting crossings; see [`stuff`] for what comes out, how good the angles are,
/// and what happens to sharp edges.
///
/// # Errors
/// A surface that is not closed and oriented by index (merge equal vertices first), or cells that do not suit it.
///
/// ```
/// use fracas::brittle::{FillOptions, fill};
/// use fracas::mesh::{shapes, tets::DihedralAngles};
/// let pumpkin = fill(&shapes::pumpkin(9, 2_000), &FillOptions { cells: 10.0 }).unwrap();
/// assert!(pumpkin.tet_count() > 1000);
/// assert!(DihedralAngles::of(&pumpkin).smallest > 10.7);
/// ```
pub fn fill(surface: &Mesh, options: &FillOptions) -> Result<TetMesh, FillError> {
    if surface.triangle_count() == 0 {
        return Err(FillError::Empty);
    }
    if !(options.cells >= 2.0 && options.cells.is_finite()) {
        return Err(FillError::BadCells { cells: options.cells });
    }
    let report = Report::of(surface);
    if !(report.closed && report.oriented) {
        return Err(offender(surface));
    }
    let (low, high) = surface.bounds();
    let cell = (high - low).max_element() / options.cells;
    let tree = MeshTree::build(surface.clone());
    Ok(stuff(|p| signed_distance(&tree, p, 2.0 * cell), low, high, &StuffOptions { cell })?)
}

/// Distance to a closed surface, negative inside; `far` stands for everything farther away.
fn signed_distance(tree: &MeshTree, p: DVec3, far: f64) -> f64 {
    let distance = tree.find_nearest(p, far).map_or(far, |near| near.distance);
    match tree.side_of(p) {
        Side::Inside => -distance,
        Side::On => 0.0,
        Side::Outside => distance,
    }
}

/// The first edge that keeps a surface from being closed and oriented.
fn offender(surface: &Mesh) -> FillError {
    let adjacency = Adjacency::build(surface);
    for edge in adjacency.edges().filter(|edge| edge.ends[0] != edge.ends[1]) {
        match edge.uses {
            [a, b] if a.ends(surface) == b.ends(surface) => {
                return FillError::NotOriented { ends: edge.ends };
            }
            [_, _] => {}
            _ => return FillError::Open { ends: edge.ends },
        }
    }
    FillError::Empty
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use crate::mesh::tets::{Boundary, DihedralAngles, TetAdjacency};

    #[test]
    fn shapes_of_all_kinds_are_filled_well() {
        let bodies = [
            (shapes::icosphere(1.0, 3), 12.0, 0.03),
            (shapes::torus(1.0, 0.4, 48), 18.0, 0.04),
            (shapes::noisy_sphere(4000, 0.25, 3), 20.0, 0.04),
            (shapes::creature(6000), 40.0, 0.10),
            (shapes::cuboid(DVec3::new(1.0, 0.5, 0.25)), 8.0, 1e-9),
        ];
        for (surface, cells, error) in bodies {
            let volume = Report::of(&surface).volume.unwrap();
            let mesh = fill(&surface, &FillOptions { cells }).unwrap();
            assert!((mesh.total_volume() / volume - 1.0).abs() < error, "{} {volume}", mesh.total_volume());
            let angles = DihedralAngles::of(&mesh);
            assert!(angles.smallest > 10.7 && angles.largest < 164.8, "{angles:?}");
            let boundary = Boundary::of(&mesh, &TetAdjacency::build(&mesh).unwrap());
            let tree = MeshTree::build(surface);
            let cell = (tree.mesh().bounds().1 - tree.mesh().bounds().0).max_element() / cells;
            for &p in boundary.mesh.positions() {
                assert!(tree.find_nearest(p, f64::INFINITY).unwrap().distance < 1e-5 * cell);
            }
        }
    }

    #[test]
    fn open_and_twisted_surfaces_are_refused_with_the_edge() {
        let ball = shapes::icosphere(1.0, 1);
        let (positions, mut triangles) = ball.into_parts();
        let lost = triangles.pop().unwrap();
        let open = Mesh::new(positions.clone(), triangles.clone()).unwrap();
        assert!(matches!(fill(&open, &FillOptions::default()), Err(FillError::Open { .. })));
        triangles.push([lost[0], lost[2], lost[1]]);
        let twisted = Mesh::new(positions, triangles).unwrap();
        assert!(matches!(fill(&twisted, &FillOptions::default()), Err(FillError::NotOriented { .. })));
        let empty = Mesh::new(vec![], vec![]).unwrap();
        assert_eq!(fill(&empty, &FillOptions::default()), Err(FillError::Empty));
        let options = FillOptions { cells: 1.0 };
        assert_eq!(fill(&shapes::icosphere(1.0, 1), &options), Err(FillError::BadCells { cells: 1.0 }));
    }
}
