//! Isosurface stuffing: fills a signed distance with well-shaped tetrahedra.
//!
//! # Idea
//!
//! Space is filled with the tetrahedra of a lattice. Tetrahedra that the surface crosses are cut. Where a cut would leave a
//! sliver, the lattice point moves instead:
//!
//! ```text
//!    ·───────·───────·       1. The surface crosses an edge at a cut point ×.
//!    │ ╲   ╱ │ ╲   ╱ │       2. A lattice point with a cut point very near moves onto it: no slivers.
//!    ×───×───·───────·       3. The inside of each tetrahedron is one of a few shapes, each of which is cut
//!   ╱  ·───×─────────·          into one, two or three tetrahedra (`stencil`).
//! ```
//!
//! The lattice is a balanced octree (`octree`). Cubes near the surface are divided until they are as small as asked for there;
//! those inside stay as large as balance allows. Without levels all cubes have one size. Where sizes differ, the threshold of
//! step 2 follows the smallest cube at a point, so that small tetrahedra survive what their larger neighbours do.
//!
//! # Guarantees
//!
//! | cubes along the surface | dihedral angles |
//! |---|---|
//! | one size | 10.7° to 164.8° where tetrahedra are moved or cut (Labelle and Shewchuk, for the thresholds used here), 45° to 120° elsewhere |
//! | many sizes | tested to be 5° to 172° over balls, tori, boxes, slabs and wild fields; there is no proof, and two surfaces that nearly touch within a cell where sizes change can make single angles worse |
//!
//! Whatever the sizes, all tetrahedra are in order and meet face to face. Where sizes differ, a move that would turn a
//! tetrahedron inside out, decided exactly, is taken back. Nodes on the surface are zeros of the field to a millionth of a cell.
//! The lattice begins at the lowest corner given, so a box whose sides are multiples of the largest cell comes out exactly.
//!
//! # Departures from the reference
//!
//! The reference grades the inside. Sizes that change along the surface are ours, and so are thresholds that follow the smallest
//! cube at a point and moves that can be taken back.
//!
//! # Reference
//!
//! F. Labelle and J. R. Shewchuk, *Isosurface stuffing: fast tetrahedral meshes with good dihedral angles*, ACM Transactions on
//! Graphics 26(3), 2007.

use super::error::{require, require_positive};
use super::octree::{Cube, Octree, Points};
use super::stencil::{Node, cut_one, root};
use super::{FillError, scaled_back};
use crate::base::parallel::map;
use crate::base::sorted_set;
use crate::exact::{Sign, orient3d};
use crate::geom::{DVec3, UnitScale};
use crate::mesh::tets::lattice::numbered;
use crate::mesh::tets::{EDGES, TetMesh};

/// The most cubes of a lattice without levels, and of one level of an octree, which keeps a list of them.
const MOST_CUBES: [usize; 2] = [1 << 26, 1 << 24];

/// Whole coordinates stay below this.
const FARTHEST: f64 = (1_u32 << 30) as f64;

/// A point of a lattice without levels moves onto a cut point nearer than this share of an edge: along an axis, a diagonal of a
/// face (there is none), a diagonal of a cube.
const TOO_NEAR: [f64; 3] = [0.24999, 0.0, 0.41189];

/// The same in an octree, as a share of the smallest cube at the point: first where all cubes around the point have one size,
/// then where they differ.
const TOO_NEAR_GRADED: [[f64; 3]; 2] = [[0.24999, 0.0, 0.35671], [0.24999, 0.28, 0.30]];

/// A function of points, asked on many threads.
type Field<'a> = &'a (dyn Fn(DVec3) -> f64 + Sync);

/// How to fill a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldOptions {
    /// Size of the smallest cubes, and length of the longest edges in them; positive. Smaller cubes are not made, whatever size is
    /// asked for.
    pub cell: f64,
    /// The largest cubes are 2 to the power of this times as large; 0 to 12. With 0 all cubes have one size.
    pub levels: u32,
}

/// Fills the inside of a signed distance within the box from `low` to `high` with tetrahedra whose sizes follow `size`.
///
/// `field` is negative inside and positive outside. Without levels any continuous function will do, and `size` is not asked. With
/// levels, `field` must not change faster than the point moves: it tells how far away the surface is at least. `size` gives the
/// largest cubes wanted near the surface around a point, and should change slowly.
///
/// # Errors
/// Bad options, a field that is not finite, a size that is not positive, too many cubes, a body without a lattice point inside.
///
/// # Cost
/// The field is asked once or twice for each cube and corner, on all threads with the feature `parallel`, and some three times for
/// each edge that the surface crosses.
///
/// ```
/// use fracas::fill::{FieldOptions, fill_field};
/// use fracas::geom::DVec3;
/// let ball = |p: DVec3| p.length() - 1.0;
/// // Fine at the top, four times as coarse elsewhere.
/// let size = |p: DVec3| if p.z > 0.6 { 0.05 } else { 0.2 };
/// let options = FieldOptions { cell: 0.05, levels: 2 };
/// let mesh = fill_field(ball, size, -DVec3::ONE, DVec3::ONE, &options).unwrap();
/// assert!((mesh.total_volume() / (4.0 / 3.0 * 3.14159) - 1.0).abs() < 0.02);
/// ```
pub fn fill_field(
    field: impl Fn(DVec3) -> f64 + Sync,
    size: impl Fn(DVec3) -> f64 + Sync,
    low: DVec3,
    high: DVec3,
    options: &FieldOptions,
) -> Result<TetMesh, FillError> {
    let Some(scale) = UnitScale::of([low, high].into_iter()) else {
        return fill_ordinary(&field, &size, low, high, options);
    };
    let field = |p: DVec3| field(p * scale.back) * scale.to_unit;
    let size = |p: DVec3| size(p * scale.back) * scale.to_unit;
    let options = FieldOptions { cell: options.cell * scale.to_unit, ..*options };
    let filled = fill_ordinary(&field, &size, low * scale.to_unit, high * scale.to_unit, &options);
    scaled_back(filled, scale)
}

/// Fills what is neither very large nor very small.
fn fill_ordinary(
    field: Field,
    size: Field,
    low: DVec3,
    high: DVec3,
    options: &FieldOptions,
) -> Result<TetMesh, FillError> {
    let grid = Grid::new(low, high, options)?;
    let tree = grid.divide(field, size)?;
    let mut stuffing = Stuffing::sample(grid, &tree, field)?;
    stuffing.find_cuts(field);
    stuffing.warp();
    while stuffing.take_back() {}
    stuffing.fill()
}

/// Where whole coordinates lie in space.
#[derive(Clone, Copy)]
struct Grid {
    origin: DVec3,
    cell: f64,
    levels: usize,
    roots: [i32; 3],
}

impl Grid {
    fn new(low: DVec3, high: DVec3, options: &FieldOptions) -> Result<Self, FillError> {
        let FieldOptions { cell, levels } = *options;
        require_positive("cell size", cell)?;
        require(levels <= 12, "number of levels", f64::from(levels), "12 or fewer")?;
        if !(low.is_finite() && high.is_finite() && low.cmplt(high).all()) {
            return Err(FillError::BadBox { low, high });
        }
        let largest = cell * f64::from(1_u32 << levels);
        // One root on either side, so that the outermost leaves are outside.
        let roots = ((high - low) / largest - 1e-9).ceil().max(DVec3::ONE) + 2.0;
        let (cubes, most) = (roots.element_product(), MOST_CUBES[usize::from(levels > 0)] as f64);
        let longest = roots.max_element() * f64::from(2_u32 << levels);
        if !(largest.is_finite() && cubes <= most && longest < FARTHEST) {
            return Err(FillError::TooFine { cell, cubes, most });
        }
        let roots = roots.to_array().map(|n| n as i32);
        Ok(Self { origin: low - largest, cell, levels: levels as usize, roots })
    }

    fn place(&self, point: [i32; 3]) -> DVec3 {
        self.origin + DVec3::from_array(point.map(f64::from)) * (0.5 * self.cell)
    }

    /// Divides cubes until they are small enough near the surface.
    fn divide(&self, field: Field, size: Field) -> Result<Octree, FillError> {
        let mut tree = Octree::new(self.roots, self.levels);
        let mut cubes = if self.levels > 0 { tree.roots() } else { vec![] };
        for level in 0..self.levels {
            let side = 0.5 * self.cell * f64::from(tree.size(level));
            let centre = |cube: Cube| self.place(tree.centre(level, cube));
            let is_too_large = |&cube: &Cube| self.is_too_large(centre(cube), side, field, size);
            let found = map(true, cubes.iter(), is_too_large);
            let mut divided = vec![];
            for (&cube, is_too_large) in cubes.iter().zip(found) {
                if is_too_large? {
                    divided.push(cube);
                }
            }
            let (made, most) = (8 * divided.len(), MOST_CUBES[1]);
            if made > most {
                return Err(FillError::TooFine { cell: self.cell, cubes: made as f64, most: most as f64 });
            }
            cubes = tree.divide(level, &divided);
        }
        tree.balance();
        Ok(tree)
    }

    fn is_too_large(&self, centre: DVec3, side: f64, field: Field, size: Field) -> Result<bool, FillError> {
        let distance = field(centre).abs();
        if !distance.is_finite() {
            return Err(FillError::NotFinite { at: centre });
        }
        let half_diagonal = 0.75_f64.sqrt();
        // With cubes half as large, whose centres lie within two of their sides of the surface.
        if distance > half_diagonal * side + (2.0 - half_diagonal) * 0.5 * side {
            return Ok(false);
        }
        let mut smallest = f64::INFINITY;
        let corners = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|bit| f64::from(bit) - 0.5));
        for offset in corners.chain([[0.0; 3]]) {
            let at = centre + DVec3::from_array(offset) * side;
            let here = size(at);
            if here.is_nan() || here <= 0.0 {
                return Err(FillError::BadSize { at, size: here });
            }
            smallest = smallest.min(here);
        }
        // The layers beside the surface have the size of those that it crosses.
        let wanted = smallest.max(self.cell);
        Ok(side > wanted * (1.0 + 1e-9)
            && distance <= half_diagonal * side + (2.0 - half_diagonal) * wanted.min(0.5 * side))
    }
}

/// A point that has moved onto the surface.
struct Moved {
    id: u32,
    /// The value it had.
    value: f64,
    position: DVec3,
}

/// The lattice with the values of the field, its cuts, and the points that moved.
struct Stuffing {
    grid: Grid,
    points: Points,
    /// Tetrahedra with a point inside, or that had one before it moved.
    tets: Vec<[u32; 4]>,
    /// Value of the field; exactly zero for points on the surface.
    values: Vec<f64>,
    /// Sorted by point.
    moved: Vec<Moved>,
    /// Edges between inside and outside, lower point first, sorted, and where the surface crosses them.
    cuts: Vec<([u32; 2], f64)>,
}

impl Stuffing {
    fn sample(grid: Grid, tree: &Octree, field: Field) -> Result<Self, FillError> {
        let points = tree.points();
        let place = |id: u32| grid.place(points.place(id));
        let values = map(true, 0..points.count() as u32, |id| field(place(id)));
        if let Some(id) = values.iter().position(|value| !value.is_finite()) {
            return Err(FillError::NotFinite { at: place(id as u32) });
        }
        if !values.iter().any(|&value| value < 0.0) {
            return Err(FillError::NothingInside { cell: grid.cell });
        }
        // The rest is outside for good: points move onto the surface, never across.
        let tets = tree.tets(&points, |id| values[id as usize] < 0.0);
        Ok(Self { grid, points, tets, values, moved: vec![], cuts: vec![] })
    }

    fn value(&self, id: u32) -> f64 {
        self.values[id as usize]
    }

    /// Where a point of the lattice is now.
    fn position(&self, id: u32) -> DVec3 {
        if self.value(id) == 0.0
            && let Ok(k) = self.moved.binary_search_by_key(&id, |moved| moved.id)
        {
            return self.moved[k].position;
        }
        self.grid.place(self.points.place(id))
    }

    fn along(&self, edge: [u32; 2], t: f64) -> DVec3 {
        let [p, q] = edge.map(|id| self.position(id));
        p + (q - p) * t
    }

    fn find_cuts(&mut self, field: Field) {
        let edges = sorted_set(self.tets.iter().flat_map(|tet| {
            let v = tet.map(|id| self.value(id));
            let is_cut = move |&[i, j]: &[usize; 2]| v[i] < 0.0 && v[j] > 0.0 || v[i] > 0.0 && v[j] < 0.0;
            EDGES.into_iter().filter(is_cut).map(|[i, j]| [tet[i].min(tet[j]), tet[i].max(tet[j])])
        }));
        self.cuts = map(true, edges.into_iter(), |edge| {
            let [at_a, at_b] = edge.map(|id| self.value(id));
            let [a, b] = edge.map(|id| self.position(id));
            (edge, root(|t| field(a + (b - a) * t), at_a, at_b, 1e-6 * self.grid.cell))
        });
    }

    /// Squared length of an edge, and along how many axes it goes; in whole coordinates.
    fn extent(&self, a: u32, b: u32) -> (i64, usize) {
        let [p, q] = [a, b].map(|id| self.points.place(id));
        let way = [0, 1, 2].map(|k| i64::from(p[k] - q[k]));
        (way.iter().map(|d| d * d).sum(), way.iter().filter(|&&d| d != 0).count())
    }

    /// Which points have cubes of different sizes around them.
    fn mixed_points(&self) -> Vec<bool> {
        let mut is_mixed = vec![false; self.values.len()];
        for tet in &self.tets {
            let lengths = EDGES.map(|[i, j]| self.extent(tet[i], tet[j]).0);
            let (shortest, longest) = lengths.iter().fold((i64::MAX, 0), |(s, l), &x| (x.min(s), x.max(l)));
            // Squared, those of the lattice with one size are as 3 to 4.
            if 4 * shortest != 3 * longest {
                tet.iter().for_each(|&id| is_mixed[id as usize] = true);
            }
        }
        is_mixed
    }

    /// Moves points with a cut point too near onto the nearest of these.
    fn warp(&mut self) {
        let sizes = match &self.points {
            Points::Uniform(_) => None,
            Points::Listed { sizes, .. } => Some((sizes, self.mixed_points())),
        };
        // Each end of each cut edge, with the distance of the cut. Its unit counts only where rounding decides between cuts that
        // are equally near.
        let unit = if sizes.is_none() { 0.5 * self.grid.cell } else { 1.0 };
        let mut near: Vec<(u32, f64, usize)> = vec![];
        for (k, &([a, b], t)) in self.cuts.iter().enumerate() {
            let (squared, axes) = self.extent(a, b);
            let length = (squared as f64).sqrt();
            for (id, share) in [(a, t), (b, 1.0 - t)] {
                let at = id as usize;
                let is_near = match &sizes {
                    None => share < TOO_NEAR[axes - 1],
                    Some((sizes, is_mixed)) => {
                        let limit = TOO_NEAR_GRADED[usize::from(is_mixed[at])][axes - 1];
                        share * length < limit * f64::from(sizes[at])
                    }
                };
                if is_near {
                    near.push((id, share * (unit * length), k));
                }
            }
        }
        near.sort_unstable_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        for (id, _, k) in near {
            let (edge, t) = self.cuts[k];
            // An end that has moved onto the surface takes its cuts with it.
            if edge.iter().all(|&end| self.value(end) != 0.0) {
                self.moved.push(Moved { id, value: self.value(id), position: self.along(edge, t) });
                self.values[id as usize] = 0.0;
            }
        }
    }

    /// Takes back the moves of points in tetrahedra that they turned inside out. False if there are none: where all cubes have
    /// one size, the thresholds see to that.
    fn take_back(&mut self) -> bool {
        if matches!(self.points, Points::Uniform(_)) {
            return false;
        }
        let is_turned = |tet: &&[u32; 4]| {
            let values = tet.map(|id| self.value(id));
            let orientation = || {
                let [a, b, c, d] = tet.map(|id| self.position(id));
                orient3d(a, b, c, d)
            };
            let may_turn = values.contains(&0.0) && values.iter().any(|&value| value < 0.0);
            may_turn && orientation() != Sign::Positive
        };
        let moved = |id: &u32| self.moved.binary_search_by_key(id, |moved| moved.id).ok();
        let back = sorted_set(self.tets.iter().filter(is_turned).flatten().filter_map(moved));
        for &k in back.iter().rev() {
            let Moved { id, value, .. } = self.moved.remove(k);
            self.values[id as usize] = value;
        }
        !back.is_empty()
    }

    fn fill(&self) -> Result<TetMesh, FillError> {
        let mut tets: Vec<[Node; 4]> = vec![];
        for &corners in &self.tets {
            let leads = |i, j, o| self.leads(i, j, o);
            cut_one(corners, |id| self.value(id), leads, |node| self.node(node), &mut tets);
        }
        let (nodes, tets) = numbered(&tets);
        Ok(TetMesh::oriented(nodes.iter().map(|&node| self.node(node)).collect(), tets)?.0)
    }

    fn node(&self, node @ [a, b]: Node) -> DVec3 {
        if a == b {
            return self.position(a);
        }
        let cut = self.cuts.binary_search_by_key(&node, |cut| cut.0).expect("the edge is cut");
        // Only a move that was taken back leaves a cut at the very end of its edge.
        self.along(node, self.cuts[cut].1.clamp(1e-3, 1.0 - 1e-3))
    }

    /// Of the quad between `i` and `j` inside and their cuts towards `o`: whether the diagonal goes from `i` to the cut of `j`.
    ///
    /// The answer depends on the face alone, so neighbours agree, and the angles depend on it. The diagonal ends on the cut of the
    /// longer edge. Of equal ones it begins at the point that is even among the corners, or the centres, of cubes as large as the
    /// edge between them; where that edge is a diagonal, at the first.
    fn leads(&self, i: u32, j: u32, o: u32) -> bool {
        let (of_i, of_j) = (self.extent(i, o).0, self.extent(j, o).0);
        if of_i != of_j {
            return of_i < of_j;
        }
        let (squared, axes) = self.extent(i, j);
        if axes > 1 {
            return i < j;
        }
        let side = (squared as f64).sqrt() as i32;
        let halves: i32 = self.points.place(i).iter().map(|x| x.div_euclid(side)).sum();
        halves % 2 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Report;
    use crate::mesh::tets::{Boundary, DihedralAngles, TetAdjacency};
    use proptest::prelude::*;

    type Field = Box<dyn Fn(DVec3) -> f64 + Sync>;

    /// Balls, tori, boxes and slabs at `count` places in the lattice, and a field that is jagged below the size of cells. With a
    /// `slope` of 6 it grows no faster than a distance.
    fn fields(count: i32, slope: f64) -> Vec<Field> {
        let mut all: Vec<Field> = vec![];
        for k in 0..count {
            let shift = DVec3::new(0.013, 0.029, 0.041) * f64::from(k);
            let n = DVec3::new((f64::from(k) * 0.7).sin(), (f64::from(k) * 1.3).cos(), 0.3).normalize();
            all.push(Box::new(move |p| (p - shift).length() - 0.8));
            all.push(Box::new(move |p| {
                let q = p - shift;
                DVec3::new(q.truncate().length() - 0.6, q.z, 0.0).length() - 0.25
            }));
            all.push(Box::new(move |p| ((p - shift).abs() - DVec3::new(0.7, 0.5, 0.6)).max_element()));
            all.push(Box::new(move |p| ((p - shift).dot(n)).abs().max(p.length() - 0.9) - 0.21));
            all.push(Box::new(move |p| {
                let wave = (9.0 * p.x).sin() * (23.0 * p.y + shift.x).cos();
                (p.length() - 0.7 - 0.2 * wave) / slope
            }));
        }
        all
    }

    fn fill_evenly(
        field: impl Fn(DVec3) -> f64 + Sync,
        low: DVec3,
        high: DVec3,
        cell: f64,
    ) -> Result<TetMesh, FillError> {
        let size = |_| unreachable!("without levels");
        fill_field(field, size, low, high, &FieldOptions { cell, levels: 0 })
    }

    /// Sizes that change along the surface, slowly or at once, here or there.
    fn sizes(k: usize, cell: f64) -> impl Fn(DVec3) -> f64 + Sync {
        let n = DVec3::new((k as f64 * 1.7).sin(), (k as f64 * 0.9).cos(), (k as f64 * 2.9).sin());
        move |p: DVec3| {
            let x = p.dot(n);
            match k % 3 {
                0 => cell * (1.0 + 3.0 * x.abs()),
                1 if x > 0.0 => cell,
                1 => 8.0 * cell,
                _ => cell * (1.0 + 7.0 * (5.0 * x).sin().abs()),
            }
        }
    }

    /// Checks that a mesh is sound, and gives its angles.
    fn check(mesh: &TetMesh) -> DihedralAngles {
        assert!(TetMesh::new(mesh.positions().to_vec(), mesh.tets().to_vec()).is_ok(), "all in order");
        let boundary = Boundary::of(mesh, &TetAdjacency::build(mesh).unwrap());
        let report = Report::of(&boundary.mesh);
        assert!(report.boundary_edges == 0);
        // A surface that touches itself at an edge has no volume by index; the tetrahedra must still fit.
        assert!(report.volume.is_none_or(|v| (v / mesh.total_volume() - 1.0).abs() < 1e-9));
        DihedralAngles::of(mesh)
    }

    #[test]
    fn angles_stay_within_the_proven_bounds_and_meshes_are_sound() {
        let mut angles = DihedralAngles { smallest: 180.0, largest: 0.0 };
        for (k, field) in fields(24, 1.0).iter().enumerate() {
            let cell = [0.19, 0.25, 0.31][k % 3];
            let mesh = fill_evenly(field, DVec3::splat(-1.9), DVec3::splat(1.9), cell).unwrap();
            let found = DihedralAngles::of(&mesh);
            angles.smallest = angles.smallest.min(found.smallest);
            angles.largest = angles.largest.max(found.largest);
            let adjacency = TetAdjacency::build(&mesh).unwrap();
            let volume = Report::of(&Boundary::of(&mesh, &adjacency).mesh).volume;
            // A surface that touches itself at an edge has no volume by index; the tetrahedra must still fit.
            assert!(volume.is_none_or(|v| (v - mesh.total_volume()).abs() < 1e-12));
        }
        assert!(angles.smallest > 10.7 && angles.largest < 164.8, "{angles:?}");
    }

    #[test]
    fn nodes_of_the_surface_are_zeros_of_the_field() {
        let field = |p: DVec3| p.length() - 1.0;
        let mesh = fill_evenly(field, -DVec3::ONE, DVec3::ONE, 0.2).unwrap();
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
        let mesh = fill_evenly(field, -half, half, 0.25).unwrap();
        assert!((mesh.total_volume() - 8.0 * 1.0 * 0.5 * 0.75).abs() < 1e-12);
    }

    #[test]
    fn angles_stay_within_the_stated_bounds() {
        let (low, high) = (DVec3::splat(-1.9), DVec3::splat(1.9));
        for (k, field) in fields(12, 6.0).iter().enumerate() {
            let options = FieldOptions { cell: [0.09, 0.11, 0.13][k % 3], levels: 3 };
            let fill = |size: &(dyn Fn(DVec3) -> f64 + Sync)| fill_field(field, size, low, high, &options);
            let angles = check(&fill(&|_| options.cell).unwrap());
            assert!(angles.smallest > 10.7 && angles.largest < 164.8, "{k}: {angles:?}");
            let angles = check(&fill(&sizes(k, options.cell)).unwrap());
            assert!(angles.smallest > 5.0 && angles.largest < 172.0, "{k}, sizes differ: {angles:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn balls_of_any_sizes_are_filled_soundly(
            balls in proptest::collection::vec((proptest::array::uniform3(-0.6..0.6_f64), 0.2..0.6_f64), 1..4),
            (normal, growth) in (proptest::array::uniform3(-1.0..1.0_f64), 0.0..12.0_f64),
            (cell, levels) in (0.06..0.15_f64, 0..4_u32),
        ) {
            let to_ball = |p: DVec3, (c, r): &([f64; 3], f64)| p.distance(DVec3::from_array(*c)) - r;
            let field = |p: DVec3| balls.iter().map(|b| to_ball(p, b)).fold(f64::INFINITY, f64::min);
            let size = |p: DVec3| cell * (1.0 + growth * p.dot(DVec3::from_array(normal)).abs());
            let options = FieldOptions { cell, levels };
            let mesh = fill_field(field, size, DVec3::splat(-1.3), DVec3::splat(1.3), &options).unwrap();
            let angles = check(&mesh);
            // Balls that overlap a little have necks of any width.
            prop_assert!(angles.smallest > 1.0 && angles.largest < 179.0, "{angles:?}");
        }
    }

    #[test]
    fn a_move_that_would_turn_a_tetrahedron_is_taken_back() {
        let field = |p: DVec3| p.length() - 0.83;
        let options = FieldOptions { cell: 0.2, levels: 1 };
        let grid = Grid::new(-DVec3::ONE, DVec3::ONE, &options).unwrap();
        let tree = grid.divide(&field, &|_| 0.2).unwrap();
        let mut stuffing = Stuffing::sample(grid, &tree, &field).unwrap();
        stuffing.find_cuts(&field);
        stuffing.warp();
        assert!(!stuffing.take_back(), "moves within the limits are safe");
        let whole = stuffing.fill().unwrap();
        // Push one moved point through a tetrahedron that is not cut.
        let k = stuffing.moved.len() / 2;
        let Moved { id, value, position } = stuffing.moved[k];
        let has_inside =
            |tet: &&[u32; 4]| tet.contains(&id) && tet.iter().any(|&id| stuffing.value(id) < 0.0);
        let tet = stuffing.tets.iter().find(has_inside).unwrap();
        let [a, b, c, d] = tet.map(|id| stuffing.position(id));
        stuffing.moved[k].position = 2.0 * (a + b + c + d) / 4.0 - position * 1.01;
        assert!(stuffing.take_back());
        while stuffing.take_back() {}
        assert!(stuffing.moved.iter().all(|m| m.id != id) && stuffing.value(id) == value);
        let mesh = stuffing.fill().unwrap();
        check(&mesh);
        assert!((mesh.total_volume() / whole.total_volume() - 1.0).abs() < 0.02);
    }

    #[test]
    fn what_cannot_be_filled_is_refused_by_name() {
        let ball = |p: DVec3| p.length() - 1.0;
        let one = DVec3::ONE;
        let fill = |low, high, cell, levels| {
            fill_field(ball, |_| 0.5, low, high, &FieldOptions { cell, levels }).unwrap_err()
        };
        assert!(matches!(
            fill(-one, one, 0.0, 2),
            FillError::BadNumber { what: "cell size", value: 0.0, .. }
        ));
        assert!(matches!(
            fill(-one, one, 0.1, 13),
            FillError::BadNumber { what: "number of levels", value: 13.0, .. }
        ));
        assert!(matches!(fill(one, -one, 0.1, 2), FillError::BadBox { .. }));
        assert!(matches!(fill(-one, one, 1e-4, 2), FillError::TooFine { .. }));
        assert!(matches!(fill(-one, one, 1e-30, 12), FillError::TooFine { .. }));
        assert_eq!(fill(5.0 * one, 6.0 * one, 0.5, 1), FillError::NothingInside { cell: 0.5 });
        assert_eq!(fill(5.0 * one, 6.0 * one, 0.5, 0), FillError::NothingInside { cell: 0.5 });
        assert!(matches!(fill(-one, one, 1e-4, 0), FillError::TooFine { .. }));
        let error = fill_evenly(|_| f64::NAN, -one, one, 0.5).unwrap_err();
        assert!(matches!(error, FillError::NotFinite { .. }));
        let options = FieldOptions { cell: 0.1, levels: 2 };
        let error = fill_field(|_| f64::NAN, |_| 0.1, -one, one, &options).unwrap_err();
        assert!(matches!(error, FillError::NotFinite { .. }));
        let error = fill_field(ball, |_| -0.1, -one, one, &options).unwrap_err();
        assert!(matches!(error, FillError::BadSize { size: -0.1, .. }));
    }
}
