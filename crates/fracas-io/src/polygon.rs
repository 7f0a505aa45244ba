//! Polygons become fans of triangles, and arrays get room for them.
//!
//! ```text
//!   v3 ---- v2        polygon v0 v1 v2 v3 v4   ->   v0 v1 v2,  v0 v2 v3,  v0 v3 v4
//!    |    /  |
//!    |  /   v1        Every triangle has the first corner, so ids follow from the file alone:
//!    |/    /          a polygon of k corners takes the next k - 2 of them.
//!   v0 ---
//! ```

use fracas::geom::DVec3;
use fracas::mesh::Mesh;

use crate::error::{Fault, Reason};

/// A polygon being read, corner by corner.
#[derive(Default)]
pub(crate) struct Fan {
    first: u32,
    previous: u32,
    corners: u64,
}

impl Fan {
    /// Adds a corner, and from the third on a triangle.
    #[inline]
    pub fn add(&mut self, corner: u32, triangles: &mut Vec<[u32; 3]>) {
        match self.corners {
            0 => self.first = corner,
            1 => {}
            _ => triangles.push([self.first, self.previous, corner]),
        }
        self.previous = corner;
        self.corners += 1;
    }

    /// How many corners there were.
    pub fn corners(&self) -> u64 {
        self.corners
    }
}

/// Reserves for the rest of the file what the part already read lets expect, when the array is full.
///
/// `done` of `all` units of work (faces, or bytes) made the elements that are there. At most `most` more can come.
/// Doubling instead would leave up to half of the memory unused, and hold three halves of it while moving.
pub(crate) fn make_room<T>(array: &mut Vec<T>, more: usize, done: u64, all: u64, most: u64) {
    if array.capacity() - array.len() >= more {
        return;
    }
    let per_unit = array.len() as f64 / done.max(1) as f64;
    let expected = per_unit * 1.01 * all.saturating_sub(done) as f64;
    let at_least = (array.len() / 8).max(1024).max(more);
    array.reserve_exact((expected.min(most as f64) as usize).max(at_least));
}

/// The mesh that was read. Gives back memory that was reserved in vain.
pub(crate) fn finish(mut positions: Vec<DVec3>, mut triangles: Vec<[u32; 3]>) -> Result<Mesh, Fault> {
    if positions.capacity() > positions.len() + positions.len() / 16 {
        positions.shrink_to_fit();
    }
    if triangles.capacity() > triangles.len() + triangles.len() / 16 {
        triangles.shrink_to_fit();
    }
    Mesh::new(positions, triangles).map_err(|error| Fault::whole(Reason::Mesh(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fan(corners: &[u32]) -> Vec<[u32; 3]> {
        let (mut fan, mut triangles) = (Fan::default(), Vec::new());
        for &corner in corners {
            fan.add(corner, &mut triangles);
        }
        assert_eq!(fan.corners(), corners.len() as u64);
        triangles
    }

    #[test]
    fn polygons_are_cut_from_their_first_corner() {
        assert_eq!(fan(&[7, 3, 5]), [[7, 3, 5]]);
        assert_eq!(fan(&[7, 3, 5, 4, 9]), [[7, 3, 5], [7, 5, 4], [7, 4, 9]]);
        assert_eq!(fan(&[2, 2, 2]), [[2, 2, 2]], "degenerate triangles are kept");
        assert!(fan(&[]).is_empty() && fan(&[1]).is_empty() && fan(&[1, 2]).is_empty());
    }

    #[test]
    fn room_follows_the_rate_but_never_exceeds_what_can_come() {
        let mut quads = vec![0_u8; 1000];
        quads.shrink_to_fit();
        make_room(&mut quads, 2, 500, 10_000, u64::MAX);
        assert!((20_000..25_000).contains(&quads.capacity()));
        let mut hostile = vec![0_u8; 100_000];
        hostile.shrink_to_fit();
        make_room(&mut hostile, 1, 1, 1_000_000, 20_000);
        assert!(hostile.capacity() <= 130_000);
    }
}
