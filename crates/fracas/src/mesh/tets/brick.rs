//! A block of tetrahedra.

use super::TetMesh;
use crate::geom::DVec3;

/// A block around the origin, cut into `cells` boxes along each axis and these into tetrahedra.
///
/// Nodes are the corners and the centres of the boxes. Two centres of neighbouring boxes and an edge of the face between
/// them make a tetrahedron, and so do the centre and half a face on the outside. In cubic boxes all dihedral angles
/// are between 45° and 120°, and few directions are preferred, which is good for cracks.
///
/// # Panics
/// If a size is not positive and finite, or a count is 0, or there are more tetrahedra than ids.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::mesh::tets::brick;
/// let block = brick(DVec3::new(0.2, 0.1, 0.06), [5, 3, 2]);
/// assert_eq!(block.node_count(), 6 * 4 * 3 + 5 * 3 * 2);
/// assert!((block.total_volume() - 0.2 * 0.1 * 0.06).abs() < 1e-15);
/// ```
#[must_use]
pub fn brick(size: DVec3, cells: [usize; 3]) -> TetMesh {
    assert!(size.is_finite() && size.min_element() > 0.0, "the size {size} is not positive and finite");
    let [nx, ny, nz] = cells;
    assert!(nx > 0 && ny > 0 && nz > 0, "{cells:?} boxes do not fill a block");
    let at = |numerator: f64, axis: usize| size[axis] * (numerator / cells[axis] as f64 - 0.5);
    let corner = |c: [usize; 3]| ((c[2] * (ny + 1) + c[1]) * (nx + 1) + c[0]) as u32;
    let corners = (nx + 1) * (ny + 1) * (nz + 1);
    let centre = |c: [usize; 3]| (corners + (c[2] * ny + c[1]) * nx + c[0]) as u32;
    let mut positions = Vec::with_capacity(corners + nx * ny * nz);
    for (counts, shift) in [([nx + 1, ny + 1, nz + 1], 0.0), ([nx, ny, nz], 0.5)] {
        for z in 0..counts[2] {
            for y in 0..counts[1] {
                for x in 0..counts[0] {
                    let place = [x, y, z].map(|i| i as f64 + shift);
                    positions.push(DVec3::new(at(place[0], 0), at(place[1], 1), at(place[2], 2)));
                }
            }
        }
    }
    let mut tets = Vec::new();
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let cell = [x, y, z];
                for axis in 0..3 {
                    let quad = |plane: usize| face_ring(cell, axis, plane).map(corner);
                    if cell[axis] == 0 {
                        split_pyramid(quad(0), centre(cell), cell, false, &mut tets);
                    }
                    if cell[axis] + 1 == cells[axis] {
                        split_pyramid(quad(1), centre(cell), cell, true, &mut tets);
                    } else {
                        let mut next = cell;
                        next[axis] += 1;
                        let ring = quad(1);
                        for k in 0..4 {
                            tets.push([centre(cell), centre(next), ring[k], ring[(k + 1) % 4]]);
                        }
                    }
                }
            }
        }
    }
    TetMesh::new(positions, tets).expect("the block is in order")
}

/// The corners of a face of a box, counter-clockwise seen from where its axis points.
fn face_ring(cell: [usize; 3], axis: usize, plane: usize) -> [[usize; 3]; 4] {
    [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
        let mut c = cell;
        c[axis] += plane;
        c[(axis + 1) % 3] += u;
        c[(axis + 2) % 3] += v;
        c
    })
}

/// Two tetrahedra between a face on the outside and the centre of its box. Diagonals alternate from box to box.
fn split_pyramid(ring: [u32; 4], apex: u32, cell: [usize; 3], upper: bool, tets: &mut Vec<[u32; 4]>) {
    let odd = (cell[0] + cell[1] + cell[2]) % 2;
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| ring[(k + odd) % 4]);
    for [p, q, r] in [[a, b, c], [a, c, d]] {
        // Seen from the centre, an upper face runs clockwise.
        tets.push(if upper { [p, r, q, apex] } else { [p, q, r, apex] });
    }
}
