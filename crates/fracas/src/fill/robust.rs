//! Filling of surfaces that are open, intersect themselves or have too many triangles at an edge.
//!
//! Such a surface has no well-defined inside. Its winding number is a half or more where one would expect it: across a hole it passes one
//! half on a smooth patch that closes the hole, and where parts overlap it only grows. The field that is filled is
//!
//! ```text
//!   ± min ( distance to the surface, c |½ − |w|| )        negative where the winding number w is beyond ± ½
//! ```
//!
//! It is continuous: its sign changes on the surface, where the distance is zero, or where |w| is a half. Near the surface it is the
//! distance, so that nodes come to lie on it.
//!
//! # Limits
//!
//! Triangles that face the wrong way count against the others. A sheet such as a flat cloth encloses nothing and is not filled. Triangles inside
//! the body, where the winding number is beyond a half on both sides, have no effect.

use super::FillError;
use super::stuffing::{FieldOptions, fill_field};
use crate::base::{DisjointSets, parallel};
use crate::geom::DVec3;
use crate::mesh::Mesh;
use crate::mesh::tets::{Boundary, TetAdjacency, TetMesh};
use crate::tree::MeshTree;
use crate::walk::View;
use crate::winding::{WindingField, WindingOptions};

/// How far winding numbers may be off. It moves the patches over holes by about as much of their width.
const ACCURACY: f64 = 0.02;

/// Fills what is inside by winding numbers.
pub(super) fn fill_by_winding(tree: &MeshTree, cell: f64) -> Result<TetMesh, FillError> {
    let winding = WindingField::build_with(tree, &WindingOptions { accuracy: ACCURACY });
    let far = 2.0 * cell;
    let field = |p: DVec3| {
        let depth = 0.5 - winding.at(p).abs();
        let distance = tree.view().nearest(p, far).map_or(far, |near| near.distance);
        distance.min(4.0 * far * depth.abs()).copysign(depth)
    };
    let (low, high) = tree.mesh().bounds().corners();
    // A flat surface has a box without volume; let the field say that there is nothing inside.
    let high = high.max(low + 1e-6 * cell);
    fill_field(field, |_| cell, low, high, &FieldOptions { cell, levels: 0 })
}

/// The largest connected part of a mesh by volume, and how many others there were. Parts are connected through faces.
///
/// ```
/// use fracas::fill::{FillOptions, fill, largest_part};
/// use fracas::{geom::DVec3, mesh::{Mesh, shapes}};
/// let (mut positions, mut triangles) = shapes::icosphere(1.0, 2).into_parts();
/// let count = positions.len() as u32;
/// positions.extend_from_within(..);
/// positions[count as usize..].iter_mut().for_each(|p| *p = *p * 0.5 + DVec3::X * 3.0);
/// triangles.extend_from_within(..);
/// triangles[320..].iter_mut().flatten().for_each(|v| *v += count);
/// let both = fill(&Mesh::new(positions, triangles).unwrap(), &FillOptions::default()).unwrap();
/// let (large, others) = largest_part(&both);
/// assert_eq!(others, 1);
/// assert!((large.total_volume() / both.total_volume() - 8.0 / 9.0).abs() < 0.05);
/// ```
pub fn largest_part(mesh: &TetMesh) -> (TetMesh, usize) {
    let Ok(adjacency) = TetAdjacency::build(mesh) else { return (mesh.clone(), 0) };
    let mut sets = DisjointSets::new(mesh.tet_count());
    for tet in 0..mesh.tet_count() {
        for next in adjacency.across(tet).into_iter().filter(|&next| next != TetAdjacency::NONE) {
            sets.join_all([tet as u32, next]);
        }
    }
    let mut volumes = vec![0.0; mesh.tet_count()];
    let mut roots = vec![];
    for tet in 0..mesh.tet_count() {
        let [a, b, c, d] = mesh.corners(tet);
        let root = sets.root(tet as u32);
        volumes[root as usize] += (b - a).cross(c - a).dot(d - a).abs();
        roots.push(root);
    }
    let parts = (0..mesh.tet_count()).filter(|&tet| roots[tet] == tet as u32);
    let count = parts.clone().count();
    // Of equal ones the first.
    let largest = parts.reduce(|best, next| if volumes[next] > volumes[best] { next } else { best });
    let (Some(largest), true) = (largest, count > 1) else { return (mesh.clone(), 0) };
    let mut names = vec![u32::MAX; mesh.node_count()];
    let (mut positions, mut tets) = (vec![], vec![]);
    for (tet, nodes) in mesh.tets().iter().enumerate() {
        if roots[tet] != largest as u32 {
            continue;
        }
        tets.push(nodes.map(|node| {
            let name = &mut names[node as usize];
            if *name == u32::MAX {
                *name = positions.len() as u32;
                positions.push(mesh.positions()[node as usize]);
            }
            *name
        }));
    }
    (TetMesh::new(positions, tets).expect("a part of a mesh"), count - 1)
}

/// How far a filled surface is from the given one, both ways.
///
/// Distances are taken at vertices: those of the given surface that a triangle names, to the surface of the filling, and those of that
/// surface to the given one. Between vertices they may be larger by what a triangle bulges.
///
/// ```
/// use fracas::fill::{Deviation, FillOptions, fill};
/// use fracas::mesh::shapes;
/// let ball = shapes::icosphere(1.0, 3);
/// let filled = fill(&ball, &FillOptions { cells: 16.0, ..FillOptions::default() }).unwrap();
/// let deviation = Deviation::between(&ball, &filled).unwrap();
/// assert!(deviation.to_given.greatest < 1e-5 && deviation.from_given.mean < 0.01);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// From vertices of the given surface to the filling's surface: large where parts of the surface are left out.
    pub from_given: Distances,
    /// From vertices of the filling's surface to the given one: large where holes are closed.
    pub to_given: Distances,
}

/// Some distances, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distances {
    /// The greatest.
    pub greatest: f64,
    /// Their mean.
    pub mean: f64,
}

impl Deviation {
    /// Compares a surface with a filling; `None` if either has no triangles, or if tetrahedra do not fit together.
    #[must_use]
    pub fn between(given: &Mesh, filled: &TetMesh) -> Option<Self> {
        let adjacency = TetAdjacency::build(filled).ok()?;
        let surface = MeshTree::build(Boundary::of(filled, &adjacency).mesh);
        let given = MeshTree::build(given.clone());
        if given.mesh().triangle_count() == 0 || surface.mesh().triangle_count() == 0 {
            return None;
        }
        Some(Self {
            from_given: distances(given.mesh(), &surface.view()),
            to_given: distances(surface.mesh(), &given.view()),
        })
    }
}

/// From the vertices of a mesh that triangles name.
fn distances(from: &Mesh, to: &View) -> Distances {
    let mut is_named = vec![false; from.vertex_count()];
    from.triangles().iter().flatten().for_each(|&v| is_named[v as usize] = true);
    let points: Vec<DVec3> =
        from.positions().iter().zip(is_named).filter(|(_, is_named)| *is_named).map(|(p, _)| *p).collect();
    let found = parallel::map(true, points.chunks(256), |chunk| {
        let list: Vec<f64> =
            chunk.iter().filter_map(|p| to.nearest(*p, f64::INFINITY)).map(|near| near.distance).collect();
        list
    });
    let (mut greatest, mut sum) = (0.0_f64, 0.0);
    for distance in found.iter().flatten() {
        greatest = greatest.max(*distance);
        sum += distance;
    }
    Distances { greatest, mean: sum / points.len().max(1) as f64 }
}

#[cfg(test)]
mod tests {
    use super::super::{FillOptions, fill};
    use super::*;
    use crate::mesh::tets::DihedralAngles;
    use crate::mesh::{Report, shapes};

    fn robust(cells: f64) -> FillOptions {
        FillOptions { cells, robust: true }
    }

    fn joined(meshes: &[Mesh]) -> Mesh {
        let (mut positions, mut triangles): (Vec<DVec3>, Vec<[u32; 3]>) = (vec![], vec![]);
        for mesh in meshes {
            let first = positions.len() as u32;
            positions.extend(mesh.positions());
            triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
        }
        Mesh::new(positions, triangles).unwrap()
    }

    #[test]
    fn closed_surfaces_are_filled_as_before() {
        for surface in [shapes::icosphere(1.0, 3), shapes::torus(1.0, 0.4, 32)] {
            let volume = Report::of(&surface).volume.unwrap();
            let filled = fill(&surface, &robust(16.0)).unwrap();
            assert!(
                (filled.total_volume() / volume - 1.0).abs() < 0.06,
                "{} {volume}",
                filled.total_volume()
            );
            let angles = DihedralAngles::of(&filled);
            assert!(angles.smallest > 10.7 && angles.largest < 164.8, "{angles:?}");
            let cell = surface.bounds().extent().max_element() / 16.0;
            let deviation = Deviation::between(&surface, &filled).unwrap();
            assert!(deviation.to_given.greatest < 0.01 * cell, "{deviation:?}");
            assert!(deviation.from_given.greatest < 0.5 * cell, "{deviation:?}");
        }
    }

    #[test]
    fn holes_are_closed_and_the_patch_is_reported() {
        let (positions, mut triangles) = shapes::icosphere(1.0, 4).into_parts();
        // A cap of a fifth of the radius around the highest vertex.
        triangles.retain(|t| t.iter().any(|&v| positions[v as usize].z < 0.9));
        let open = Mesh::new(positions, triangles).unwrap();
        assert!(matches!(fill(&open, &FillOptions::default()), Err(FillError::Open { .. })));
        let filled = fill(&open, &robust(24.0)).unwrap();
        let whole = 4.0 / 3.0 * std::f64::consts::PI;
        assert!((filled.total_volume() / whole - 1.0).abs() < 0.06, "{}", filled.total_volume());
        let deviation = Deviation::between(&open, &filled).unwrap();
        assert!(deviation.to_given.greatest > 0.1 && deviation.to_given.greatest < 0.6, "{deviation:?}");
        assert!(deviation.to_given.mean < 0.05 && deviation.from_given.mean < 0.01, "{deviation:?}");
    }

    #[test]
    fn overlapping_and_loose_parts_become_one_body() {
        let ball = shapes::icosphere(1.0, 3);
        let (positions, triangles) = ball.clone().into_parts();
        let aside = Mesh::new(positions.iter().map(|p| *p + DVec3::X).collect(), triangles.clone()).unwrap();
        let filled = fill(&joined(&[ball, aside]), &robust(24.0)).unwrap();
        // Two unit balls at distance one: the union has 27/32 of the volume of both.
        let union = 2.0 * 4.0 / 3.0 * std::f64::consts::PI * 27.0 / 32.0;
        assert!((filled.total_volume() / union - 1.0).abs() < 0.06, "{}", filled.total_volume());
        assert_eq!(largest_part(&filled).1, 0);
        // Triangles that do not share vertices.
        let loose = triangles.iter().flatten().map(|&v| positions[v as usize]).collect();
        let names = (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let filled = fill(&Mesh::new(loose, names).unwrap(), &robust(16.0)).unwrap();
        assert!((filled.total_volume() / 4.1 - 1.0).abs() < 0.06);
    }

    #[test]
    fn sheets_have_nothing_to_fill() {
        let sheet = shapes::cloth_grid(8, 8, [1.0, 1.0]);
        assert!(matches!(fill(&sheet, &robust(10.0)), Err(FillError::NothingInside { .. })));
        let empty = Mesh::new(vec![], vec![]).unwrap();
        assert_eq!(fill(&empty, &robust(10.0)), Err(FillError::Empty));
    }
}
