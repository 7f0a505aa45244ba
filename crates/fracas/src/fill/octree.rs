//! A balanced forest of octrees, and the tetrahedra between its points.
//!
//! # Idea
//!
//! Points are the corners and the centres of all leaves. A forest without levels is the body-centred cubic lattice, whose points and
//! tetrahedra follow from their numbers; nothing is stored. Otherwise tetrahedra lie around the faces between leaves:
//!
//! ```text
//!   ┌───────┬───────┐    Equal leaves: centre, centre and an edge of the face, as in the lattice; two tetrahedra
//!   │   ·   │   ·   │    where the edge has a midpoint, because a smaller leaf lies along it.
//!   ├───┬───┼───────┤    Smaller against larger: from the smaller centre, its square in two triangles (half a pyramid
//!   │ · │ · │       │    each); from the larger centre, the four squares of its face in eight triangles. All squares
//!   ├───┼───┤   ·   │    are divided along the diagonal through the centre of the larger face, so both sides agree.
//!   │ · │ · │       │
//!   └───┴───┴───────┘
//! ```
//!
//! # Invariants
//!
//! *Balance:* leaves that share a face or an edge differ by one level at most. So an edge has at most one midpoint, and
//! tetrahedra meet face to face. Each part of a leaf's faces that another leaf shares is covered once.
//!
//! Coordinates are whole numbers of half the smallest leaf, so that every centre has some.

use crate::mesh::tets::lattice::Lattice;
use std::collections::{HashMap, HashSet};

/// A cube of the forest: its place among those of its level.
pub(super) type Cube = [i32; 3];

/// Which cubes are divided, level by level. Cubes of level 0 are the roots.
pub(super) struct Octree {
    /// Roots along each axis.
    roots: [i32; 3],
    split: Vec<HashSet<Cube>>,
}

/// The points of a forest by number. Places are in halves of the smallest leaf.
pub(super) enum Points {
    /// Those of a forest without levels.
    Uniform(Lattice),
    /// In the order in which the leaves name them.
    Listed {
        leaves: Vec<(usize, Cube)>,
        places: Vec<[i32; 3]>,
        /// Size of the smallest leaf that has the point as corner or centre, in halves of the smallest of all.
        sizes: Vec<i32>,
        ids: HashMap<[i32; 3], u32>,
    },
}

impl Points {
    pub fn count(&self) -> usize {
        match self {
            Self::Uniform(lattice) => lattice.point_count(),
            Self::Listed { places, .. } => places.len(),
        }
    }

    pub fn place(&self, id: u32) -> [i32; 3] {
        match self {
            Self::Uniform(lattice) => lattice.point(id),
            Self::Listed { places, .. } => places[id as usize],
        }
    }
}

impl Octree {
    /// A forest with this many roots along each axis, whose cubes may be divided `levels` times.
    pub fn new(roots: [i32; 3], levels: usize) -> Self {
        Self { roots, split: vec![HashSet::new(); levels] }
    }

    fn levels(&self) -> usize {
        self.split.len()
    }

    fn lattice(&self) -> Lattice {
        Lattice { cells: self.roots.map(|n| n as usize) }
    }

    pub fn roots(&self) -> Vec<Cube> {
        self.lattice().cells().map(|cell| cell.map(|i| i as i32)).collect()
    }

    /// Divides cubes of a level, and gives their parts.
    pub fn divide(&mut self, level: usize, cubes: &[Cube]) -> Vec<Cube> {
        self.split[level].extend(cubes);
        cubes.iter().flat_map(|&cube| parts(cube)).collect()
    }

    /// Size of the cubes of a level, in halves of the smallest.
    pub fn size(&self, level: usize) -> i32 {
        2 << (self.levels() - level)
    }

    /// The centre of a cube, in halves of the smallest.
    pub fn centre(&self, level: usize, cube: Cube) -> [i32; 3] {
        let size = self.size(level);
        cube.map(|k| k * size + size / 2)
    }

    fn is_within(&self, level: usize, cube: Cube) -> bool {
        (0..3).all(|k| cube[k] >= 0 && cube[k] < self.roots[k] << level)
    }

    fn exists(&self, level: usize, cube: Cube) -> bool {
        level == 0 || self.split[level - 1].contains(&cube.map(|k| k >> 1))
    }

    fn is_split(&self, level: usize, cube: Cube) -> bool {
        level < self.levels() && self.split[level].contains(&cube)
    }

    /// Divides further cubes until leaves that share a face or an edge differ by one level at most.
    ///
    /// The parts of a divided cube are its neighbours' affair: each cube beside it, by face or edge, must be there, or its
    /// leaf would be two levels larger than those parts. Dividing from the smallest up, nothing has to be seen twice.
    pub fn balance(&mut self) {
        for level in (1..self.levels()).rev() {
            let mut needed: Vec<Cube> = vec![];
            for &cube in &self.split[level] {
                needed.push(cube.map(|k| k >> 1));
                needed.extend(beside(cube).filter(|&c| self.is_within(level, c)).map(|c| c.map(|k| k >> 1)));
            }
            self.split[level - 1].extend(needed);
        }
    }

    /// Leaves with their level: roots in order, then the parts of divided cubes, level by level.
    pub fn leaves(&self) -> Vec<(usize, Cube)> {
        let mut leaves: Vec<(usize, Cube)> =
            self.roots().into_iter().filter(|&c| !self.is_split(0, c)).map(|c| (0, c)).collect();
        for level in 0..self.levels() {
            let mut divided: Vec<Cube> = self.split[level].iter().copied().collect();
            divided.sort_unstable();
            let made = divided.into_iter().flat_map(parts).filter(|&c| !self.is_split(level + 1, c));
            leaves.extend(made.map(|c| (level + 1, c)));
        }
        leaves
    }

    /// The points of a balanced forest.
    pub fn points(&self) -> Points {
        if self.levels() == 0 {
            return Points::Uniform(self.lattice());
        }
        let (mut places, mut sizes, mut ids) = (vec![], vec![], HashMap::new());
        let leaves = self.leaves();
        for &(level, cube) in &leaves {
            let size = self.size(level);
            for point in corners(cube, size).into_iter().chain([self.centre(level, cube)]) {
                let id = *ids.entry(point).or_insert_with(|| {
                    places.push(point);
                    sizes.push(size);
                    places.len() as u32 - 1
                });
                sizes[id as usize] = size.min(sizes[id as usize]);
            }
        }
        Points::Listed { leaves, places, sizes, ids }
    }

    /// The tetrahedra of a balanced forest with a point that `is_wanted`, all in order: (b − a) × (c − a) · (d − a) > 0. Along
    /// its outermost faces there are none.
    pub fn tets(&self, points: &Points, is_wanted: impl Fn(u32) -> bool) -> Vec<[u32; 4]> {
        let mut tets = vec![];
        let mut add = |tet: [u32; 4]| {
            if tet.iter().any(|&id| is_wanted(id)) {
                tets.push(tet);
            }
        };
        match points {
            Points::Uniform(lattice) => {
                for cell in lattice.cells() {
                    (0..3).for_each(|axis| lattice.around(cell, axis).for_each(&mut add));
                }
            }
            Points::Listed { leaves, ids, .. } => {
                let mut made = vec![];
                for &(level, cube) in leaves {
                    for (axis, side) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)] {
                        self.tets_at(level, cube, axis, side, &|p| ids.contains_key(&p), &mut made);
                    }
                    made.drain(..).for_each(|tet| add(tet.map(|p| ids[&p])));
                }
            }
        }
        tets
    }

    /// The tetrahedra between the centre of a leaf and one of its faces; those between equal leaves only from below.
    fn tets_at(
        &self,
        level: usize,
        cube: Cube,
        axis: usize,
        side: i32,
        has: &impl Fn([i32; 3]) -> bool,
        tets: &mut Vec<[[i32; 3]; 4]>,
    ) {
        let mut next = cube;
        next[axis] += side;
        if !self.is_within(level, next) {
            return;
        }
        let (size, centre) = (self.size(level), self.centre(level, cube));
        let at = |along: i32, u: i32, v: i32| {
            let mut point = centre;
            point[axis] += along * side * size / 2;
            point[(axis + 1) % 3] += u * size / 2;
            point[(axis + 2) % 3] += v * size / 2;
            point
        };
        // Counter-clockwise seen from where the axis points, so from below the order of the last two corners changes.
        let ring = RING.map(|[u, v]| at(1, u, v));
        let mut add = |b, c, d| tets.push(if side > 0 { [centre, b, c, d] } else { [centre, b, d, c] });
        if !self.exists(level, next) {
            // One of the corners is the centre of the larger face: the one that is odd among the larger cubes' corners.
            let is_middle = |p: &[i32; 3]| (0..3).all(|k| k == axis || p[k] % (2 * size) != 0);
            let first =
                ring.iter().position(is_middle).expect("a quarter of a face has its centre as a corner");
            let [m, p, e, q] = [0, 1, 2, 3].map(|k| ring[(first + k) % 4]);
            add(m, p, e);
            add(m, e, q);
            return;
        }
        let is_split = self.is_split(level, next);
        if !is_split && side < 0 {
            return;
        }
        // The middle of the face, or the centre of an equal leaf.
        let top = at(if is_split { 1 } else { 2 }, 0, 0);
        for k in 0..4 {
            let (p, q) = (ring[k], ring[(k + 1) % 4]);
            let half = [0, 1, 2].map(|k| (p[k] + q[k]) / 2);
            if is_split || has(half) {
                add(top, p, half);
                add(top, half, q);
            } else {
                add(top, p, q);
            }
        }
    }
}

/// Corners of a face, in order around it.
const RING: [[i32; 2]; 4] = [[-1, -1], [1, -1], [1, 1], [-1, 1]];

/// The cubes that share a face or an edge with a cube.
fn beside(cube: Cube) -> impl Iterator<Item = Cube> {
    let steps = (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]);
    let is_near = |d: &[i32; 3]| (1..=2).contains(&d.iter().filter(|x| **x != 0).count());
    steps.filter(is_near).map(move |d| [0, 1, 2].map(|k| cube[k] + d[k]))
}

/// The eight parts of a cube, one level below.
fn parts(cube: Cube) -> [Cube; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|k| [0, 1, 2].map(|axis| 2 * cube[axis] + (k >> axis & 1)))
}

fn corners(cube: Cube, size: i32) -> [[i32; 3]; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|k| [0, 1, 2].map(|axis| (cube[axis] + (k >> axis & 1)) * size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::DVec3;
    use crate::mesh::Report;
    use crate::mesh::tets::{Boundary, DihedralAngles, TetAdjacency, TetMesh};
    use proptest::prelude::*;

    /// A forest divided wherever a point of the list lies in a cube.
    fn around(points: &[[i32; 3]], levels: usize) -> Octree {
        let mut tree = Octree::new([3, 3, 3], levels);
        let mut cubes = tree.roots();
        for level in 0..levels {
            let size = tree.size(level);
            cubes.retain(|&cube| {
                points.iter().any(|p| (0..3).all(|k| p[k].rem_euclid(tree.size(0) * 3) / size == cube[k]))
            });
            cubes = tree.divide(level, &cubes);
        }
        tree.balance();
        tree
    }

    proptest! {
        #[test]
        fn tetrahedra_fit_together_whatever_is_divided(
            points in proptest::collection::vec(proptest::array::uniform3(0..192_i32), 0..5),
            levels in 0..5_usize,
        ) {
            let tree = around(&points, levels);
            let leaves = tree.leaves();
            for &(level, cube) in &leaves {
                for near in beside(cube) {
                    prop_assert!(level == 0 || !tree.is_within(level, near)
                        || tree.exists(level - 1, near.map(|k| k >> 1)), "{cube:?} of level {level}");
                }
            }
            let points = tree.points();
            let place = |id| DVec3::from_array(points.place(id).map(f64::from));
            let positions = (0..points.count() as u32).map(place).collect();
            let mesh = TetMesh::new(positions, tree.tets(&points, |_| true)).unwrap();
            let angles = DihedralAngles::of(&mesh);
            prop_assert!(angles.smallest > 44.9 && angles.largest < 120.1, "{angles:?}");
            let boundary = Boundary::of(&mesh, &TetAdjacency::build(&mesh).unwrap());
            let report = Report::of(&boundary.mesh);
            prop_assert!(report.closed && report.euler_characteristic() == 2);
            let volume = mesh.total_volume();
            prop_assert!((report.volume.unwrap() / volume - 1.0).abs() < 1e-12);
            // All but the pyramids between outermost faces and centres, a sixth of each outer leaf per face.
            let outer: f64 = leaves.iter().map(|&(level, cube)| {
                let faces = (0..3).map(|k| {
                    i32::from(cube[k] == 0) + i32::from(cube[k] == (3 << level) - 1)
                });
                f64::from(faces.sum::<i32>()) * f64::from(tree.size(level)).powi(3) / 6.0
            }).sum();
            prop_assert!((f64::from(3 * tree.size(0)).powi(3) - outer - volume).abs() < 1e-9 * volume);
        }
    }
}
