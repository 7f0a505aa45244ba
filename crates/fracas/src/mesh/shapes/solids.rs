//! Boxes with flat faces, whole or cut into a grid.
//!
//! A grid on the surface of a box has *nx* × *ny* × *nz* cells, but vertices only outside. They are numbered layer
//! by layer from the bottom: the bottom and the top layer are full grids, each layer between them is a ring.
//!
//! ```text
//!    top      12──13──14       the ring of a middle layer runs around the box from its first corner:
//!              │ ╲ │ ╱ │          3 ── 2
//!    middle    8 ─ 9 ─ …          │    │
//!              │ ╱ │ ╲ │          0 ── 1
//!    bottom    0 ─ 1 ─ 2
//! ```
//!
//! Diagonals alternate like the colours of a chessboard, so the grid has no preferred direction.

use super::{assert_size, pieces, shape};
use crate::geom::DVec3;
use crate::mesh::Mesh;

/// A box of the given edge lengths around the origin, of 8 vertices and 12 triangles.
pub fn cuboid(size: DVec3) -> Mesh {
    grid_box(size, [1, 1, 1])
}

/// A box around the origin whose faces are grids of nearly square cells, two triangles each.
///
/// `edge` is the wanted length of a cell; along each axis the whole number of cells is taken that comes nearest,
/// at least one.
pub fn brick(size: DVec3, edge: f64) -> Mesh {
    assert_size("edge", edge);
    grid_box(size, size.to_array().map(|length| pieces(length, edge)))
}

/// A thin brick, one cell thick: `width` along x, `depth` along y, `thickness` along z.
pub fn plate(width: f64, depth: f64, thickness: f64, edge: f64) -> Mesh {
    assert_size("edge", edge);
    grid_box(DVec3::new(width, depth, thickness), [pieces(width, edge), pieces(depth, edge), 1])
}

/// The surface of a box with `cells` grid cells along each axis.
fn grid_box(size: DVec3, cells: [usize; 3]) -> Mesh {
    for (name, length) in [("width", size.x), ("depth", size.y), ("height", size.z)] {
        assert_size(name, length);
    }
    let grid = SurfaceGrid { cells };
    let place = |at: [usize; 3]| {
        let fraction = |axis: usize| at[axis] as f64 / cells[axis] as f64 - 0.5;
        size * DVec3::new(fraction(0), fraction(1), fraction(2))
    };
    let mut positions = vec![DVec3::ZERO; grid.vertex_count()];
    let mut triangles = Vec::with_capacity(2 * grid.vertex_count());
    for axis in 0..3 {
        // Seen from the high end of `axis`, `u` and `v` turn counter-clockwise.
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for end in [0, cells[axis]] {
            let at = |i: usize, j: usize| {
                let mut at = [0; 3];
                (at[axis], at[u], at[v]) = (end, i, j);
                at
            };
            for j in 0..=cells[v] {
                for i in 0..=cells[u] {
                    positions[grid.vertex(at(i, j)) as usize] = place(at(i, j));
                }
            }
            for j in 0..cells[v] {
                for i in 0..cells[u] {
                    let mut quad =
                        [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)].map(|at| grid.vertex(at));
                    if end == 0 {
                        quad.swap(1, 3);
                    }
                    triangles.extend(halves(quad, (i + j) % 2 == 1));
                }
            }
        }
    }
    shape(positions, triangles)
}

/// The two triangles of a quad given counter-clockwise, cut from its first corner or from its second.
pub(super) fn halves([a, b, c, d]: [u32; 4], from_second: bool) -> [[u32; 3]; 2] {
    if from_second { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] }
}

/// Numbers the lattice points on the surface of a box.
struct SurfaceGrid {
    cells: [usize; 3],
}

impl SurfaceGrid {
    fn full_layer(&self) -> usize {
        (self.cells[0] + 1) * (self.cells[1] + 1)
    }

    fn ring(&self) -> usize {
        2 * (self.cells[0] + self.cells[1])
    }

    fn vertex_count(&self) -> usize {
        2 * self.full_layer() + (self.cells[2] - 1) * self.ring()
    }

    /// Index of a lattice point that lies on the surface.
    fn vertex(&self, [i, j, k]: [usize; 3]) -> u32 {
        let [nx, ny, nz] = self.cells;
        let index = if k == 0 {
            i + j * (nx + 1)
        } else if k == nz {
            self.full_layer() + (nz - 1) * self.ring() + i + j * (nx + 1)
        } else {
            let around = if j == 0 {
                i
            } else if i == nx {
                nx + j
            } else if j == ny {
                nx + ny + (nx - i)
            } else {
                2 * nx + ny + (ny - j)
            };
            self.full_layer() + (k - 1) * self.ring() + around
        };
        index as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_surface_point_has_its_own_number() {
        for cells in [[1, 1, 1], [3, 2, 4], [1, 5, 2]] {
            let grid = SurfaceGrid { cells };
            let mut seen = vec![false; grid.vertex_count()];
            for i in 0..=cells[0] {
                for j in 0..=cells[1] {
                    for k in 0..=cells[2] {
                        let at = [i, j, k];
                        if (0..3).any(|axis| at[axis] == 0 || at[axis] == cells[axis]) {
                            let v = grid.vertex(at) as usize;
                            assert!(!seen[v], "{at:?} of {cells:?}");
                            seen[v] = true;
                        }
                    }
                }
            }
            assert!(seen.iter().all(|seen| *seen), "{cells:?}");
        }
    }

    #[test]
    fn corners_lie_where_they_should() {
        let mesh = cuboid(DVec3::new(2.0, 4.0, 6.0));
        for (x, y, z) in [(-1.0, -2.0, -3.0), (1.0, -2.0, -3.0), (-1.0, 2.0, 3.0), (1.0, 2.0, 3.0)] {
            assert!(mesh.positions().contains(&DVec3::new(x, y, z)));
        }
    }

    #[test]
    fn cells_are_nearly_square() {
        let mesh = brick(DVec3::new(1.0, 0.52, 0.33), 0.1);
        for t in 0..mesh.triangle_count() {
            let [a, b, c] = mesh.triangles()[t].map(|v| mesh.positions()[v as usize]);
            for length in [a.distance(b), b.distance(c), c.distance(a)] {
                assert!((0.09..0.16).contains(&length), "edge of length {length}");
            }
        }
        assert_eq!(plate(1.0, 1.0, 0.5, 0.1).vertex_count(), 2 * 11 * 11);
    }

    #[test]
    #[should_panic(expected = "depth -1 is not positive and finite")]
    fn negative_sizes_are_refused() {
        let _ = cuboid(DVec3::new(1.0, -1.0, 1.0));
    }
}
