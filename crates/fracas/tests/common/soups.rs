//! Triangles thrown together: the same ones in every run, without the system's sine or cosine.

use super::inputs::Stream;
use fracas::geom::DVec3;
use fracas::mesh::Mesh;

/// A mesh whose triangles have vertices of their own.
pub fn soup(corners: impl IntoIterator<Item = [DVec3; 3]>) -> Mesh {
    let positions: Vec<DVec3> = corners.into_iter().flatten().collect();
    let triangles = (0..positions.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Mesh::new(positions, triangles).expect("finite corners")
}

/// Triangles over a few points of a small grid: duplicates, flat triangles, shared vertices and common planes abound.
pub fn grid_soup(stream: &mut Stream, side: [u64; 3], vertices: u64, triangles: usize) -> Mesh {
    let positions = (0..vertices).map(|_| DVec3::from_array(side.map(|n| stream.below(n) as f64))).collect();
    let triangles = (0..triangles).map(|_| [0; 3].map(|_: u32| stream.below(vertices) as u32)).collect();
    Mesh::new(positions, triangles).expect("finite positions")
}

/// Triangles with corners on a small grid, none of them shared.
pub fn loose_grid_soup(stream: &mut Stream, side: [u64; 3], triangles: usize) -> Mesh {
    soup((0..triangles).map(|_| [(); 3].map(|()| DVec3::from_array(side.map(|n| stream.below(n) as f64)))))
}

/// Triangles of about the given size anywhere in the cube from −1 to 1.
pub fn random_soup(stream: &mut Stream, triangles: usize, size: f64) -> Mesh {
    let mut point = || DVec3::new(stream.unit(), stream.unit(), stream.unit());
    soup((0..triangles).map(|_| {
        let corner = point();
        [corner, corner + size * point(), corner + size * point()]
    }))
}

/// Long triangles of the given width that lean on the plane z = 0, each with an edge in it.
pub fn needles(stream: &mut Stream, triangles: usize, width: f64) -> Mesh {
    let mut point = || DVec3::new(stream.unit(), stream.unit(), stream.unit());
    let flat = DVec3::new(1.0, 1.0, 0.0);
    soup((0..triangles).map(|k| {
        let (middle, way) = (0.5 * flat * point(), flat * point());
        let tip = middle + 0.3 * way + width * point();
        // Every third stands across the plane.
        let tilt = if k % 3 == 0 { DVec3::new(0.0, 0.0, 2.0 * width) } else { DVec3::ZERO };
        [middle - way - tilt, middle + way + tilt, tip]
    }))
}

/// The mesh with every position changed.
pub fn mapped(mesh: &Mesh, change: impl Fn(DVec3) -> DVec3) -> Mesh {
    let positions = mesh.positions().iter().map(|p| change(*p)).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).expect("finite positions")
}

/// Several meshes as one; no vertices are shared between them.
pub fn together(meshes: &[Mesh]) -> Mesh {
    let (mut positions, mut triangles) = (vec![], vec![]);
    for mesh in meshes {
        let first = positions.len() as u32;
        positions.extend_from_slice(mesh.positions());
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    Mesh::new(positions, triangles).expect("meshes")
}
