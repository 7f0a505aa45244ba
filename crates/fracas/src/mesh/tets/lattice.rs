//! The body-centred cubic lattice: corners and centres of cubic cells, and the tetrahedra between them.
//!
//! # Idea
//!
//! Two centres of neighbouring cells and one edge of the face between them make a tetrahedron, so four surround each face:
//!
//! ```text
//!       p──────q           A, B    centres of the two cells
//!      ╱│     ╱│           p, q    an edge of the face between them
//!   A ·  ·  ·  ·  · B      A B p q is one of the four tetrahedra around the line A–B
//!      │╱     │╱
//!      ○──────○
//! ```
//!
//! All tetrahedra have one shape, with dihedral angles of 60° and 90°. Nothing is stored: points have numbers, corners first,
//! then centres, each with x fastest. In doubled coordinates corners are even and centres odd.

use crate::base::sorted_set;

/// A block of cubic cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice {
    /// Cells along each axis.
    pub cells: [usize; 3],
}

impl Lattice {
    pub fn corner_count(&self) -> usize {
        self.cells.iter().map(|n| n + 1).product()
    }

    pub fn point_count(&self) -> usize {
        self.corner_count() + self.cells.iter().product::<usize>()
    }

    /// The corner of this place among the corners.
    fn corner(&self, [x, y, z]: [usize; 3]) -> u32 {
        ((z * (self.cells[1] + 1) + y) * (self.cells[0] + 1) + x) as u32
    }

    /// The centre of a cell.
    pub fn centre(&self, [x, y, z]: [usize; 3]) -> u32 {
        (self.corner_count() + (z * self.cells[1] + y) * self.cells[0] + x) as u32
    }

    /// Doubled coordinates of a point.
    pub fn point(&self, id: u32) -> [i32; 3] {
        let (rest, odd) = match (id as usize).checked_sub(self.corner_count()) {
            None => (id as usize, 0),
            Some(rest) => (rest, 1),
        };
        let [x, y, _] = self.cells.map(|n| n + 1 - odd);
        [rest % x, rest / x % y, rest / x / y].map(|i| (2 * i + odd) as i32)
    }

    /// The corners of a cell's face, counter-clockwise seen from where the axis points.
    pub fn face(&self, cell: [usize; 3], axis: usize, is_upper: bool) -> [u32; 4] {
        [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
            let mut corner = cell;
            corner[axis] += usize::from(is_upper);
            corner[(axis + 1) % 3] += u;
            corner[(axis + 2) % 3] += v;
            self.corner(corner)
        })
    }

    /// The four tetrahedra around the face between a cell and the next along an axis, in order; none beyond the last cell.
    pub fn around(&self, cell: [usize; 3], axis: usize) -> impl Iterator<Item = [u32; 4]> + use<> {
        let mut next = cell;
        next[axis] += 1;
        let between = (next[axis] < self.cells[axis])
            .then(|| (self.centre(cell), self.centre(next), self.face(cell, axis, true)));
        between.into_iter().flat_map(|(a, b, ring)| [0, 1, 2, 3].map(|k| [a, b, ring[k], ring[(k + 1) % 4]]))
    }

    /// All cells, x fastest.
    pub fn cells(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [nx, ny, nz] = self.cells;
        (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
    }
}

/// Numbers what simplices name as corners: all names in order, and the simplices by number.
pub(crate) fn numbered<T: Copy + Ord, const N: usize>(simplices: &[[T; N]]) -> (Vec<T>, Vec<[u32; N]>) {
    let names = sorted_set(simplices.iter().flatten().copied());
    let number = |name: &T| names.binary_search(name).expect("every name is listed") as u32;
    let simplices = simplices.iter().map(|corners| corners.each_ref().map(number)).collect();
    (names, simplices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_numbered_once_and_tetrahedra_join_neighbours() {
        let lattice = Lattice { cells: [3, 2, 4] };
        let points: Vec<[i32; 3]> = (0..lattice.point_count() as u32).map(|id| lattice.point(id)).collect();
        let mut unique = points.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), points.len());
        let mut tets = 0;
        for cell in lattice.cells() {
            assert_eq!(points[lattice.centre(cell) as usize], cell.map(|i| 2 * i as i32 + 1));
            for axis in 0..3 {
                for tet in lattice.around(cell, axis) {
                    tets += 1;
                    // Two long edges, along the axis and in the face; four short ones.
                    for [i, j] in super::super::EDGES {
                        let [p, q] = [i, j].map(|k| points[tet[k] as usize]);
                        let squared: i32 = (0..3).map(|k| (p[k] - q[k]).pow(2)).sum();
                        assert_eq!(squared, if [[0, 1], [2, 3]].contains(&[i, j]) { 4 } else { 3 });
                    }
                }
            }
        }
        assert_eq!(tets, 4 * (2 * 2 * 4 + 3 * 4 + 3 * 2 * 3));
    }
}
