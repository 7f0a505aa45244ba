//! Fills a surface with tetrahedra.
//!
//! A surface gives a signed distance with an exact sign. Isosurface stuffing (`stuffing`) fills it on an octree lattice
//! (`octree`). [`fill`] uses cells of one size, [`fill_graded`] smaller ones where the surface bends or the body is thin
//! (`sizing`), [`fill_sized`] sizes of your own. [`fill_field`] fills any signed distance. Open and broken surfaces are filled by
//! their winding numbers if [`FillOptions::robust`] is set; [`Deviation`] measures how far the filled surface is from the given one.
//!
//! # When to use something else
//!
//! Edges and corners of the surface are cut off by less than a cell, unless they lie in the lattice, and parts thinner than a cell
//! are lost. For meshes that follow sharp edges, use a mesher and read its files. For blocks, [`brick`](crate::mesh::tets::brick)
//! is simpler.

mod error;
mod octree;
mod robust;
mod sizing;
mod stencil;
mod stuffing;

pub use error::FillError;
pub use robust::{Deviation, Distances, largest_part};
pub use stuffing::{FieldOptions, fill_field};

use crate::geom::{DVec3, UnitScale};
use crate::mesh::tets::TetMesh;
use crate::mesh::{Adjacency, Mesh, Report};
use crate::tree::MeshTree;
use crate::walk::Side;
use error::{require, require_positive};
use sizing::SurfaceSizes;

/// How to fill a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FillOptions {
    /// How many cells the longest side of the surface's box is divided into; 2 or more. The longest edges inside are as long
    /// as a cell, and a ball gets about 6 `cells`³ tetrahedra.
    pub cells: f64,
    /// Whether surfaces that are open, intersect themselves, or have more than two triangles at an edge are filled as well: inside is where the
    /// winding number is a half or more (`robust`). What comes out may have several parts ([`largest_part`]). Default: no.
    pub robust: bool,
}

impl Default for FillOptions {
    fn default() -> Self {
        Self { cells: 16.0, robust: false }
    }
}

/// Where a graded filling is fine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grading {
    /// Along the whole surface; coarse inside. Dihedral angles are those of [`fill`].
    Surface,
    /// Where the surface bends, and at sharp edges, which get the smallest cells. Where the body is thin, there are about two
    /// cells across.
    Curvature {
        /// Cells per radius of curvature, positive; 4 is a good choice.
        cells_per_radius: f64,
    },
}

/// How to fill a surface with cells of many sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradedFillOptions {
    /// How many of the smallest cells the longest side of the surface's box is divided into; 2 or more.
    pub cells: f64,
    /// The largest cells are 2 to the power of this times as large; 0 to 12.
    pub levels: u32,
    /// Where cells are small.
    pub grading: Grading,
}

impl Default for GradedFillOptions {
    fn default() -> Self {
        Self { cells: 32.0, levels: 3, grading: Grading::Curvature { cells_per_radius: 4.0 } }
    }
}

/// Fills a closed surface with well-shaped tetrahedra.
///
/// What is inside is decided exactly, by counting crossings. See [`fill_field`] for what comes out, how good the angles are,
/// and what happens to sharp edges.
///
/// # Errors
/// A surface that is not closed and oriented by index (merge equal vertices first, or fill it with `robust`), or cells that do not suit it.
///
/// ```
/// use fracas::fill::{FillOptions, fill};
/// use fracas::mesh::{shapes, tets::DihedralAngles};
/// let pumpkin = fill(&shapes::pumpkin(9, 2_000), &FillOptions { cells: 10.0, ..FillOptions::default() }).unwrap();
/// assert!(pumpkin.tet_count() > 1000);
/// assert!(DihedralAngles::of(&pumpkin).smallest > 10.7);
/// ```
pub fn fill(surface: &Mesh, options: &FillOptions) -> Result<TetMesh, FillError> {
    at_unit_scale(surface, |surface, _| fill_ordinary(surface, options))
}

fn fill_ordinary(surface: &Mesh, options: &FillOptions) -> Result<TetMesh, FillError> {
    let (tree, cell) = prepare(surface, options.cells, options.robust)?;
    if options.robust {
        return robust::fill_by_winding(&tree, cell);
    }
    // Beyond the ends of an edge that the surface crosses, the sign is all that counts.
    fill_inside(&tree, 2.0 * cell, |_| cell, &FieldOptions { cell, levels: 0 })
}

/// Fills a closed surface with tetrahedra of many sizes: small where the surface asks for it, large elsewhere.
///
/// See [`fill_field`] for what comes out, and how good the angles are.
///
/// # Errors
/// As [`fill`]; a number of cells per radius that is not positive, too many levels.
///
/// ```
/// use fracas::fill::{FillOptions, GradedFillOptions, Grading, fill, fill_graded};
/// use fracas::mesh::shapes;
/// let ball = shapes::icosphere(1.0, 3);
/// let options = GradedFillOptions { cells: 24.0, levels: 2, grading: Grading::Surface };
/// let (graded, uniform) = (fill_graded(&ball, &options).unwrap(), fill(&ball, &FillOptions { cells: 24.0, ..FillOptions::default() }).unwrap());
/// assert!((graded.total_volume() / uniform.total_volume() - 1.0).abs() < 0.01);
/// assert!(graded.tet_count() < uniform.tet_count());
/// ```
pub fn fill_graded(surface: &Mesh, options: &GradedFillOptions) -> Result<TetMesh, FillError> {
    at_unit_scale(surface, |surface, _| fill_graded_ordinary(surface, options))
}

fn fill_graded_ordinary(surface: &Mesh, options: &GradedFillOptions) -> Result<TetMesh, FillError> {
    let (tree, cell) = prepare(surface, options.cells, false)?;
    let field_options = FieldOptions { cell, levels: options.levels };
    match options.grading {
        Grading::Surface => fill_inside(&tree, f64::INFINITY, |_| cell, &field_options),
        Grading::Curvature { cells_per_radius } => {
            require_positive("number of cells per radius of curvature", cells_per_radius)?;
            // `fill_field` refuses more than 12 levels; until then the sizes only have to stay finite.
            let sizes = SurfaceSizes::of(&tree, cells_per_radius, cell, options.levels.min(16));
            fill_inside(&tree, f64::INFINITY, |p| sizes.at(p), &field_options)
        }
    }
}

/// Fills a closed surface with tetrahedra of your own sizes: `size` gives the largest cells wanted near the surface around a
/// point, in the surface's units of length. The options' grading is ignored.
///
/// # Errors
/// As [`fill`]; a size that is not positive, too many levels.
pub fn fill_sized(
    surface: &Mesh,
    size: impl Fn(DVec3) -> f64 + Sync,
    options: &GradedFillOptions,
) -> Result<TetMesh, FillError> {
    at_unit_scale(surface, |surface, scale| {
        let (tree, cell) = prepare(surface, options.cells, false)?;
        let size = |p: DVec3| size(p * scale.back) * scale.to_unit;
        fill_inside(&tree, f64::INFINITY, size, &FieldOptions { cell, levels: options.levels })
    })
}

/// Fills a very large or very small surface at unit scale, and scales what comes out, or the lengths in the error.
fn at_unit_scale(
    surface: &Mesh,
    work: impl FnOnce(&Mesh, UnitScale) -> Result<TetMesh, FillError>,
) -> Result<TetMesh, FillError> {
    let Some(scale) = UnitScale::of(surface.positions().iter().copied()) else {
        return work(surface, UnitScale::NONE);
    };
    let positions = surface.positions().iter().map(|p| *p * scale.to_unit).collect();
    let unit = Mesh::new(positions, surface.triangles().to_vec()).expect("a smaller or larger copy");
    scaled_back(work(&unit, scale), scale)
}

/// A mesh at unit scale, or the lengths in an error, brought back.
fn scaled_back(result: Result<TetMesh, FillError>, scale: UnitScale) -> Result<TetMesh, FillError> {
    let (positions, tets) = result.map_err(|error| error.scaled(scale.back))?.into_parts();
    Ok(TetMesh::new(positions.into_iter().map(|p| p * scale.back).collect(), tets)?)
}

/// Checks a surface, puts a tree over it, and divides the longest side of its box.
fn prepare(surface: &Mesh, cells: f64, robust: bool) -> Result<(MeshTree, f64), FillError> {
    if surface.triangle_count() == 0 {
        return Err(FillError::Empty);
    }
    require(cells >= 2.0 && cells.is_finite(), "number of cells", cells, "2 or more")?;
    if !robust {
        let report = Report::of(surface);
        if !(report.closed && report.oriented) {
            return Err(offender(surface));
        }
    }
    let cell = surface.bounds().extent().max_element() / cells;
    Ok((MeshTree::build(surface.clone()), cell))
}

/// Fills the inside of a closed surface; `far` stands for all larger distances.
fn fill_inside(
    tree: &MeshTree,
    far: f64,
    size: impl Fn(DVec3) -> f64 + Sync,
    options: &FieldOptions,
) -> Result<TetMesh, FillError> {
    let signed_distance = |p: DVec3| {
        let distance = tree.view().nearest(p, far).map_or(far, |near| near.distance);
        match tree.view().side_by_parity(p) {
            Side::Inside => -distance,
            Side::On => 0.0,
            Side::Outside => distance,
        }
    };
    let (low, high) = tree.mesh().bounds().corners();
    fill_field(signed_distance, size, low, high, options)
}

/// The first edge that keeps a surface from being closed and oriented.
fn offender(surface: &Mesh) -> FillError {
    let adjacency = Adjacency::build(surface);
    for edge in adjacency.edges().filter(|edge| edge.ends[0] != edge.ends[1]) {
        match edge.uses {
            [a, b] if a.ends(surface) != b.ends(surface) => {}
            [_, _] => return FillError::NotOriented { ends: edge.ends },
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
            let mesh = fill(&surface, &FillOptions { cells, ..FillOptions::default() }).unwrap();
            assert!((mesh.total_volume() / volume - 1.0).abs() < error, "{} {volume}", mesh.total_volume());
            let angles = DihedralAngles::of(&mesh);
            assert!(angles.smallest > 10.7 && angles.largest < 164.8, "{angles:?}");
            let boundary = Boundary::of(&mesh, &TetAdjacency::build(&mesh).unwrap());
            let tree = MeshTree::build(surface);
            let cell = tree.mesh().bounds().extent().max_element() / cells;
            for &p in boundary.mesh.positions() {
                assert!(tree.view().nearest(p, f64::INFINITY).unwrap().distance < 1e-5 * cell);
            }
        }
    }

    /// What must hold of any filling: sound, in order, closed, and of the volume that its own surface and the original enclose.
    fn check(mesh: &TetMesh, surface: &Mesh, error: f64) -> DihedralAngles {
        assert!(TetMesh::new(mesh.positions().to_vec(), mesh.tets().to_vec()).is_ok(), "all in order");
        let boundary = Boundary::of(mesh, &TetAdjacency::build(mesh).unwrap());
        let report = Report::of(&boundary.mesh);
        assert!(report.closed && report.oriented && report.nonmanifold_edges == 0);
        let volume = mesh.total_volume();
        assert!((report.volume.unwrap() / volume - 1.0).abs() < 1e-10);
        let enclosed = Report::of(surface).volume.unwrap();
        assert!((volume / enclosed - 1.0).abs() < error, "{volume} {enclosed}");
        DihedralAngles::of(mesh)
    }

    #[test]
    fn graded_fillings_are_sound_and_their_angles_bounded() {
        let plate = shapes::plate(1.0, 0.8, 0.04, 0.1);
        let bodies = [
            (shapes::icosphere(1.0, 4), 32.0, 0.02),
            (shapes::torus(1.0, 0.5, 64), 40.0, 0.03),
            (shapes::cuboid(DVec3::new(1.0, 0.53, 0.27)), 32.0, 0.01),
            (shapes::creature(6000), 64.0, 0.08),
            (plate, 75.0, 0.01),
        ];
        for (surface, cells, error) in bodies {
            for (grading, bounds) in [
                (Grading::Surface, [10.7, 164.8]),
                (Grading::Curvature { cells_per_radius: 2.0 }, [5.0, 172.0]),
            ] {
                let options = GradedFillOptions { cells, levels: 3, grading };
                let mesh = fill_graded(&surface, &options).unwrap();
                let angles = check(&mesh, &surface, error);
                assert!(angles.smallest > bounds[0] && angles.largest < bounds[1], "{angles:?} {grading:?}");
            }
        }
    }

    #[test]
    fn without_levels_a_graded_filling_is_the_uniform_one() {
        let surface = shapes::noisy_sphere(4000, 0.25, 3);
        let uniform = fill(&surface, &FillOptions { cells: 18.5, ..FillOptions::default() }).unwrap();
        let options = GradedFillOptions { cells: 18.5, levels: 0, ..GradedFillOptions::default() };
        assert_eq!(fill_graded(&surface, &options).unwrap(), uniform);
    }

    #[test]
    fn sizes_of_ones_own_are_followed_and_bad_ones_refused() {
        let ball = shapes::icosphere(1.0, 4);
        let options = GradedFillOptions { cells: 40.0, levels: 3, ..GradedFillOptions::default() };
        let mesh = fill_sized(&ball, |p| if p.z > 0.0 { 0.05 } else { 0.4 }, &options).unwrap();
        check(&mesh, &ball, 0.06);
        let boundary = Boundary::of(&mesh, &TetAdjacency::build(&mesh).unwrap());
        let above = boundary.mesh.positions().iter().filter(|p| p.z > 0.1).count();
        let below = boundary.mesh.positions().iter().filter(|p| p.z < -0.1).count();
        assert!(above > 10 * below, "{above} {below}");
        for bad in [0.0, -1.0, f64::NAN] {
            let error = fill_sized(&ball, |_| bad, &options).unwrap_err();
            assert!(matches!(error, FillError::BadSize { .. }), "{error}");
        }
        let levels = |levels| GradedFillOptions { levels, ..options };
        let error = fill_graded(&ball, &levels(40)).unwrap_err();
        assert_eq!(error.to_string(), "number of levels 40 is not 12 or fewer");
        let grading = Grading::Curvature { cells_per_radius: 0.0 };
        let error = fill_graded(&ball, &GradedFillOptions { grading, ..options }).unwrap_err();
        let what = "number of cells per radius of curvature";
        assert!(matches!(error, FillError::BadNumber { what: w, value: 0.0, .. } if w == what), "{error}");
        let fine = GradedFillOptions { cells: 1e9, levels: 3, grading: Grading::Surface };
        let error = fill_graded(&ball, &fine).unwrap_err();
        assert!(matches!(error, FillError::TooFine { .. }), "{error}");
    }

    #[test]
    fn open_and_twisted_surfaces_are_refused_with_the_edge() {
        let ball = shapes::icosphere(1.0, 1);
        let (positions, mut triangles) = ball.into_parts();
        let lost = triangles.pop().unwrap();
        let open = Mesh::new(positions.clone(), triangles.clone()).unwrap();
        assert!(matches!(fill(&open, &FillOptions::default()), Err(FillError::Open { .. })));
        assert!(matches!(fill_graded(&open, &GradedFillOptions::default()), Err(FillError::Open { .. })));
        triangles.push([lost[0], lost[2], lost[1]]);
        let twisted = Mesh::new(positions, triangles).unwrap();
        assert!(matches!(fill(&twisted, &FillOptions::default()), Err(FillError::NotOriented { .. })));
        let empty = Mesh::new(vec![], vec![]).unwrap();
        assert_eq!(fill(&empty, &FillOptions::default()), Err(FillError::Empty));
        let options = FillOptions { cells: 1.0, ..FillOptions::default() };
        assert!(matches!(
            fill(&shapes::icosphere(1.0, 1), &options),
            Err(FillError::BadNumber { what: "number of cells", value: 1.0, .. })
        ));
    }
}
