//! Fills whatever has a signed distance with well-shaped tetrahedra: isosurface stuffing.
//!
//! # Idea
//!
//! Space is filled with the tetrahedra of a body-centred cubic lattice, all of one shape. Where the surface crosses them,
//! they are cut; where it would cut off too little, the lattice gives way instead:
//!
//! ```text
//!    ·───────·───────·       1. The surface crosses an edge at a cut point ×.
//!    │ ╲   ╱ │ ╲   ╱ │       2. A lattice point with a cut point very near moves onto it: no slivers.
//!    ×───×───·───────·       3. What is inside of each tetrahedron is one of a few shapes, each of which
//!   ╱  ·───×─────────·          is cut into one, two or three tetrahedra.
//! ```
//!
//! # What the field must be
//!
//! A continuous function of the point, negative inside and positive outside. Nothing else is asked for: the position of a
//! cut point along its edge may be anything, and the angles are good for all of them.
//!
//! # Guarantees
//!
//! Dihedral angles are between 10.7° and 164.8° (Labelle and Shewchuk, for the two thresholds used here). Nodes on the surface
//! are zeros of the field to a millionth of a cell. Edges and corners of the surface are not followed: they are cut off by
//! less than a cell, unless they lie in the lattice. The lattice begins at the lowest corner given, so a box whose sides are
//! multiples of the cell comes out exactly.
//!
//! # When to use something else
//!
//! All cells have one size. Parts thinner than a cell get lost or broken. For blocks, [`brick`](super::brick) is simpler.
//!
//! # Reference
//!
//! F. Labelle and J. R. Shewchuk, *Isosurface stuffing: fast tetrahedral meshes with good dihedral angles*, ACM Transactions on
//! Graphics 26(3), 2007.

mod cutting;
mod graded;
mod octree;

pub use graded::{GradedOptions, stuff_graded};

use super::{TetError, TetMesh};
use crate::base::parallel;
use crate::geom::DVec3;
use cutting::{Node, cut_one, root};

/// A lattice point moves onto a cut point nearer than this part of a long or of a short edge.
const TOO_NEAR: [f64; 2] = [0.24999, 0.41189];

/// Lattices with more points are refused.
const MOST_POINTS: f64 = (1_u32 << 27) as f64;

/// How to fill a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StuffOptions {
    /// Size of the cubes of the lattice, and length of its long edges; positive. Tetrahedra inside have a twelfth of its cube.
    pub cell: f64,
}

/// Why a body cannot be filled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StuffError {
    /// The size of cells is not positive and finite.
    #[error("the cell size {cell} is not positive and finite")]
    BadCell {
        /// As given.
        cell: f64,
    },
    /// The box is empty or not finite.
    #[error("the box from ({}, {}, {}) to ({}, {}, {}) is empty or not finite", low.x, low.y, low.z, high.x, high.y, high.z)]
    BadBox {
        /// Lowest corner, as given.
        low: DVec3,
        /// Highest corner, as given.
        high: DVec3,
    },
    /// The cells are so small that the lattice would not fit into memory.
    #[error("cells of {cell} make about {points:.0} lattice points, more than {MOST_POINTS:.0}")]
    TooFine {
        /// As given.
        cell: f64,
        /// Points of the lattice.
        points: f64,
    },
    /// More levels than are sensible.
    #[error("{levels} levels are more than {most}")]
    BadLevels {
        /// As given.
        levels: u32,
        /// How many there may be.
        most: u32,
    },
    /// The size asked for is not positive.
    #[error("the size of cells asked for at ({}, {}, {}) is {size}, which is not positive", at.x, at.y, at.z)]
    BadSize {
        /// Where it was asked for.
        at: DVec3,
        /// What was asked for.
        size: f64,
    },
    /// The field is not a number somewhere.
    #[error("the field is not finite at ({}, {}, {})", at.x, at.y, at.z)]
    NotFinite {
        /// The first such point.
        at: DVec3,
    },
    /// No point of the lattice lies inside: the body is too thin, or not in the box.
    #[error("no point of the lattice lies inside; cells of {cell} are too large for the body")]
    NothingInside {
        /// Size of the cells.
        cell: f64,
    },
    /// The tetrahedra do not make a mesh.
    #[error(transparent)]
    Mesh(#[from] TetError),
}

/// Tetrahedra that fill the inside of a field within the box from `low` to `high`.
///
/// # Errors
/// Bad options, a field that is not finite, a body without a lattice point inside.
///
/// # Cost
/// The field is asked once at each point of the lattice, on all threads with the feature `parallel`, and some three times for
/// each edge that the surface crosses.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::mesh::tets::{StuffOptions, stuff};
/// let ball = |p: DVec3| p.length() - 1.0;
/// let mesh = stuff(ball, -DVec3::ONE, DVec3::ONE, &StuffOptions { cell: 0.25 }).unwrap();
/// assert!((mesh.total_volume() / (4.0 / 3.0 * 3.14159) - 1.0).abs() < 0.05);
/// ```
pub fn stuff(
    field: impl Fn(DVec3) -> f64 + Sync,
    low: DVec3,
    high: DVec3,
    options: &StuffOptions,
) -> Result<TetMesh, StuffError> {
    let mut lattice = Lattice::sample(&field, low, high, options.cell)?;
    lattice.find_cuts(&field);
    lattice.warp();
    lattice.fill()
}

/// Points of the lattice: corners of cells first, then centres. In doubled coordinates corners are even, centres odd.
struct Lattice {
    origin: DVec3,
    cell: f64,
    counts: [usize; 3],
    /// Value of the field; exactly zero for points on the surface.
    values: Vec<f64>,
    /// Where points have gone that were moved onto the surface: sorted by point.
    moved: Vec<(u32, DVec3)>,
    /// Edges between inside and outside, lower point first, sorted, and where the surface crosses them.
    cuts: Vec<([u32; 2], f64)>,
}

impl Lattice {
    fn sample(
        field: &(impl Fn(DVec3) -> f64 + Sync),
        low: DVec3,
        high: DVec3,
        cell: f64,
    ) -> Result<Self, StuffError> {
        if !(cell > 0.0 && cell.is_finite()) {
            return Err(StuffError::BadCell { cell });
        }
        if !(low.is_finite() && high.is_finite() && low.cmplt(high).all()) {
            return Err(StuffError::BadBox { low, high });
        }
        // One cell on either side, so that the outermost layer is outside.
        let cells = ((high - low) / cell - 1e-9).ceil() + 2.0;
        let points = 2.0 * cells.x * cells.y * cells.z;
        if points > MOST_POINTS {
            return Err(StuffError::TooFine { cell, points });
        }
        let counts = cells.to_array().map(|n| n as usize);
        let mut lattice =
            Self { origin: low - cell, cell, counts, values: vec![], moved: vec![], cuts: vec![] };
        let values = parallel::map(true, 0..lattice.point_count(), |id| field(lattice.place(id)));
        if let Some(id) = values.iter().position(|value| !value.is_finite()) {
            return Err(StuffError::NotFinite { at: lattice.place(id as u32) });
        }
        if !values.iter().any(|&value| value < 0.0) {
            return Err(StuffError::NothingInside { cell });
        }
        lattice.values = values;
        Ok(lattice)
    }

    fn point_count(&self) -> u32 {
        let [x, y, z] = self.counts;
        ((x + 1) * (y + 1) * (z + 1) + x * y * z) as u32
    }

    fn corner_count(&self) -> u32 {
        let [x, y, z] = self.counts;
        ((x + 1) * (y + 1) * (z + 1)) as u32
    }

    /// Doubled coordinates of a point.
    fn doubled(&self, id: u32) -> [i64; 3] {
        let is_centre = id >= self.corner_count();
        let rest = if is_centre { id - self.corner_count() } else { id } as usize;
        let [x, y, _] = self.counts.map(|n| n + usize::from(!is_centre));
        [rest % x, rest / x % y, rest / (x * y)].map(|i| 2 * i as i64 + i64::from(is_centre))
    }

    /// The point with these doubled coordinates, if the lattice has it.
    fn point(&self, doubled: [i64; 3]) -> Option<u32> {
        let is_centre = doubled[0] & 1 == 1;
        let limits = self.counts.map(|n| 2 * n as i64 - i64::from(is_centre));
        if (0..3).any(|k| doubled[k] < 0 || doubled[k] > limits[k]) {
            return None;
        }
        let [x, y, z] = doubled.map(|i| (i / 2) as usize);
        let [nx, ny, _] = self.counts.map(|n| n + usize::from(!is_centre));
        Some(((z * ny + y) * nx + x) as u32 + if is_centre { self.corner_count() } else { 0 })
    }

    /// Where a point of the lattice is, or was before it moved.
    fn place(&self, id: u32) -> DVec3 {
        self.origin + DVec3::from_array(self.doubled(id).map(|i| i as f64)) * (0.5 * self.cell)
    }

    fn is_centre(&self, id: u32) -> bool {
        id >= self.corner_count()
    }

    /// The points joined to a point by an edge.
    fn neighbours(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let at = self.doubled(id);
        let step = move |d: [i64; 3]| self.point([at[0] + d[0], at[1] + d[1], at[2] + d[2]]);
        STEPS.into_iter().filter_map(step)
    }

    /// Finds where the surface crosses edges.
    fn find_cuts(&mut self, field: &(impl Fn(DVec3) -> f64 + Sync)) {
        let mut edges = vec![];
        for a in (0..self.point_count()).filter(|&a| self.values[a as usize] < 0.0) {
            let outside = self.neighbours(a).filter(|&b| self.values[b as usize] > 0.0);
            edges.extend(outside.map(|b| [a.min(b), a.max(b)]));
        }
        edges.sort_unstable();
        let crossing = |edge: [u32; 2]| {
            let [a, b] = edge.map(|id| self.place(id));
            let [at_a, at_b] = edge.map(|id| self.values[id as usize]);
            (edge, root(|t| field(a + (b - a) * t), at_a, at_b, 1e-6 * self.cell))
        };
        self.cuts = parallel::map(true, edges.into_iter(), crossing);
    }

    fn is_long(&self, [a, b]: [u32; 2]) -> bool {
        self.is_centre(a) == self.is_centre(b)
    }

    fn cut(&self, a: u32, b: u32) -> Option<f64> {
        let edge = [a.min(b), a.max(b)];
        let (at_a, at_b) = (self.values[a as usize], self.values[b as usize]);
        // An end that has moved onto the surface takes its cuts with it.
        if at_a * at_b >= 0.0 {
            return None;
        }
        self.cuts.binary_search_by_key(&edge, |cut| cut.0).ok().map(|i| self.cuts[i].1)
    }

    /// Moves points with a cut point too near onto the nearest of these.
    fn warp(&mut self) {
        let mut ends: Vec<u32> = self.cuts.iter().flat_map(|cut| cut.0).collect();
        ends.sort_unstable();
        ends.dedup();
        for id in ends {
            let near = self.neighbours(id).filter_map(|other| {
                let t = self.cut(id, other)?;
                let share = if id < other { t } else { 1.0 - t };
                let (limit, length) = if self.is_long([id, other]) {
                    (TOO_NEAR[0], self.cell)
                } else {
                    (TOO_NEAR[1], self.cell * 0.75_f64.sqrt())
                };
                (share < limit).then_some((share * length, other))
            });
            let Some((_, other)) = near.min_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1))) else {
                continue;
            };
            let t = self.cut(id, other).expect("it was found above");
            self.moved.push((id, self.along([id.min(other), id.max(other)], t)));
            self.values[id as usize] = 0.0;
        }
    }

    fn along(&self, edge: [u32; 2], t: f64) -> DVec3 {
        let [a, b] = edge.map(|id| self.place(id));
        a + (b - a) * t
    }

    fn fill(&self) -> Result<TetMesh, StuffError> {
        let mut tets: Vec<[Node; 4]> = vec![];
        let [nx, ny, nz] = self.counts.map(|n| n as i64);
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    self.fill_around([2 * x + 1, 2 * y + 1, 2 * z + 1], &mut tets);
                }
            }
        }
        let mut nodes: Vec<Node> = tets.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let number = |node: &Node| nodes.binary_search(node).expect("every node is listed") as u32;
        let tets = tets.iter().map(|corners| corners.each_ref().map(number)).collect();
        Ok(TetMesh::oriented(nodes.iter().map(|&node| self.position(node)).collect(), tets)?.0)
    }

    fn position(&self, [a, b]: Node) -> DVec3 {
        if a != b {
            let cut = self.cuts.binary_search_by_key(&[a, b], |cut| cut.0).expect("the edge is cut");
            return self.along([a, b], self.cuts[cut].1);
        }
        match self.moved.binary_search_by_key(&a, |moved| moved.0) {
            Ok(i) => self.moved[i].1,
            Err(_) => self.place(a),
        }
    }

    /// What is inside of the tetrahedra between a cell and the next one along each axis.
    fn fill_around(&self, centre: [i64; 3], tets: &mut Vec<[Node; 4]>) {
        let Some(a) = self.point(centre) else { return };
        for axis in 0..3 {
            let mut next = centre;
            next[axis] += 2;
            let Some(b) = self.point(next) else { continue };
            let ring = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(|[u, v]| {
                let mut corner = centre;
                corner[axis] += 1;
                corner[(axis + 1) % 3] += u;
                corner[(axis + 2) % 3] += v;
                self.point(corner).expect("a corner between two cells")
            });
            for k in 0..4 {
                self.fill_one([a, b, ring[k], ring[(k + 1) % 4]], tets);
            }
        }
    }

    fn fill_one(&self, corners: [u32; 4], tets: &mut Vec<[Node; 4]>) {
        let value = |id: u32| self.values[id as usize];
        cut_one(corners, value, |i, j, o| self.leads(i, j, o), |node| self.position(node), tets);
    }

    /// Of the quad between `i` and `j` inside and their cuts towards `o`: whether the diagonal goes from `i` to the cut of `j`.
    ///
    /// It depends on the face alone, so neighbours agree. Where one of the cut edges is long, the diagonal ends on its cut;
    /// where both are short, it begins at the point that is even in the lattice. The angles depend on it.
    fn leads(&self, i: u32, j: u32, o: u32) -> bool {
        if self.is_centre(i) == self.is_centre(j) {
            let halves: i64 = self.doubled(i).iter().map(|x| x.div_euclid(2)).sum();
            return halves % 2 == 0;
        }
        self.is_long([j, o])
    }
}

/// From a point to its neighbours, in doubled coordinates: six long edges, eight short ones.
const STEPS: [[i64; 3]; 14] = [
    [2, 0, 0],
    [-2, 0, 0],
    [0, 2, 0],
    [0, -2, 0],
    [0, 0, 2],
    [0, 0, -2],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
    [-1, 1, 1],
    [-1, 1, -1],
    [-1, -1, 1],
    [-1, -1, -1],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Report;
    use crate::mesh::tets::{Boundary, DihedralAngles, EDGES, TetAdjacency};

    /// Balls, tori, boxes and slabs, at many places in the lattice.
    fn fields() -> Vec<Box<dyn Fn(DVec3) -> f64 + Sync>> {
        let mut all: Vec<Box<dyn Fn(DVec3) -> f64 + Sync>> = vec![];
        for k in 0..24 {
            let shift = DVec3::new(0.013, 0.029, 0.041) * f64::from(k);
            let n = DVec3::new((f64::from(k) * 0.7).sin(), (f64::from(k) * 1.3).cos(), 0.3).normalize();
            all.push(Box::new(move |p| (p - shift).length() - 0.8));
            all.push(Box::new(move |p| {
                let q = p - shift;
                DVec3::new(q.truncate().length() - 0.6, q.z, 0.0).length() - 0.25
            }));
            all.push(Box::new(move |p| {
                let q = (p - shift).abs() - DVec3::new(0.7, 0.5, 0.6);
                q.max_element()
            }));
            all.push(Box::new(move |p| ((p - shift).dot(n)).abs().max(p.length() - 0.9) - 0.21));
            // Not a distance at all, and jagged below the size of cells.
            all.push(Box::new(move |p| {
                p.length() - 0.7 - 0.2 * (9.0 * p.x).sin() * (23.0 * p.y + shift.x).cos()
            }));
        }
        all
    }

    #[test]
    fn angles_stay_within_the_proven_bounds_and_meshes_are_sound() {
        let mut angles = DihedralAngles { smallest: 180.0, largest: 0.0 };
        for (k, field) in fields().iter().enumerate() {
            let cell = [0.19, 0.25, 0.31][k % 3];
            let mesh = stuff(field, DVec3::splat(-1.9), DVec3::splat(1.9), &StuffOptions { cell }).unwrap();
            let found = DihedralAngles::of(&mesh);
            angles.smallest = angles.smallest.min(found.smallest);
            angles.largest = angles.largest.max(found.largest);
            let adjacency = TetAdjacency::build(&mesh).unwrap();
            let boundary = Boundary::of(&mesh, &adjacency);
            let volume = Report::of(&boundary.mesh).volume;
            // A surface that touches itself at an edge has no volume by index; the tetrahedra must still fit.
            assert!(volume.is_none_or(|v| (v - mesh.total_volume()).abs() < 1e-12));
        }
        assert!(angles.smallest > 10.7 && angles.largest < 164.8, "{angles:?}");
    }

    #[test]
    fn nodes_of_the_surface_are_zeros_of_the_field() {
        let field = |p: DVec3| p.length() - 1.0;
        let mesh = stuff(field, -DVec3::ONE, DVec3::ONE, &StuffOptions { cell: 0.2 }).unwrap();
        let boundary = Boundary::of(&mesh, &TetAdjacency::build(&mesh).unwrap());
        let report = Report::of(&boundary.mesh);
        assert!(report.closed && report.oriented && report.euler_characteristic() == 2);
        assert!(boundary.mesh.positions().iter().all(|&p| field(p).abs() < 1e-6));
        assert!((mesh.total_volume() - 4.0 / 3.0 * std::f64::consts::PI).abs() < 0.1);
    }

    #[test]
    fn a_box_in_the_lattice_comes_out_exactly() {
        let half = DVec3::new(1.0, 0.5, 0.75);
        let field = |p: DVec3| (p.abs() - half).max_element();
        let mesh = stuff(field, -half, half, &StuffOptions { cell: 0.25 }).unwrap();
        assert!((mesh.total_volume() - 8.0 * 1.0 * 0.5 * 0.75).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_filled_is_refused_by_name() {
        let ball = |p: DVec3| p.length() - 1.0;
        let fill = |low, high, cell| stuff(ball, low, high, &StuffOptions { cell }).unwrap_err();
        let one = DVec3::ONE;
        assert_eq!(fill(-one, one, 0.0), StuffError::BadCell { cell: 0.0 });
        assert!(matches!(fill(one, -one, 0.1), StuffError::BadBox { .. }));
        assert!(matches!(fill(-one, one, 1e-4), StuffError::TooFine { .. }));
        assert_eq!(fill(5.0 * one, 6.0 * one, 0.5), StuffError::NothingInside { cell: 0.5 });
        let error = stuff(|_| f64::NAN, -one, one, &StuffOptions { cell: 0.5 }).unwrap_err();
        assert!(matches!(error, StuffError::NotFinite { .. }));
    }

    #[test]
    fn edges_are_those_of_the_tetrahedra() {
        let lattice = Lattice::sample(&|p: DVec3| p.length() - 1.0, -DVec3::ONE, DVec3::ONE, 0.5).unwrap();
        let mut tets = vec![];
        let all = Lattice { values: vec![-1.0; lattice.values.len()], ..lattice };
        all.fill_around([5, 5, 5], &mut tets);
        for tet in tets {
            for [i, j] in EDGES {
                assert!(all.neighbours(tet[i][0]).any(|n| n == tet[j][0]));
            }
        }
    }
}
