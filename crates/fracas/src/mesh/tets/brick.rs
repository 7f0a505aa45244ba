//! A block of tetrahedra.

use super::TetMesh;
use super::lattice::Lattice;
use crate::geom::DVec3;

/// A block around the origin, cut into `cells` boxes along each axis and these into tetrahedra.
///
/// Nodes are the corners and the centres of the boxes. Two centres of neighbouring boxes and an edge of the face between
/// them make a tetrahedron; so do a centre and half a face on the outside. In cubic boxes all dihedral angles
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
pub fn brick(size: DVec3, cells: [usize; 3]) -> TetMesh {
    assert!(size.is_finite() && size.min_element() > 0.0, "the size {size} is not positive and finite");
    assert!(cells.iter().all(|&n| n > 0), "{cells:?} boxes do not fill a block");
    let lattice = Lattice { cells };
    let place = |id: u32| {
        let at = lattice.point(id).map(|i| 0.5 * f64::from(i));
        size * DVec3::from_array([0, 1, 2].map(|k| at[k] / cells[k] as f64 - 0.5))
    };
    let mut tets = Vec::new();
    for cell in lattice.cells() {
        for axis in 0..3 {
            let mut close = |is_upper| {
                let (ring, apex) = (lattice.face(cell, axis, is_upper), lattice.centre(cell));
                split_pyramid(ring, apex, cell, is_upper, &mut tets);
            };
            if cell[axis] == 0 {
                close(false);
            }
            if cell[axis] + 1 == cells[axis] {
                close(true);
            }
            tets.extend(lattice.around(cell, axis));
        }
    }
    let positions = (0..lattice.point_count() as u32).map(place).collect();
    TetMesh::new(positions, tets).expect("the block is in order")
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
