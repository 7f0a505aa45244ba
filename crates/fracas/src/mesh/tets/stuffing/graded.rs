//! Isosurface stuffing with cells of many sizes: small where they are asked for, large elsewhere.
//!
//! # Idea
//!
//! A balanced octree takes the place of the uniform lattice (`octree`). Cubes near the surface are divided until they are as
//! small as asked for there; those inside stay as large as balance allows. Then the rules of the uniform lattice follow: cut
//! edges, move points that have a cut very near, fill (`cutting`).
//!
//! What "very near" means depends on the smallest cube at a point, so that small tetrahedra survive what their larger neighbours
//! do. Of the two cuts of a face, the diagonal ends on that of the longer edge.
//!
//! # Guarantees
//!
//! Two cubes on either side of the surface have one size wherever the size asked for is the same. There the tetrahedra that are
//! moved or cut are those of the uniform lattice, with angles between 10.7° and 164.8°; untouched ones inside have between 45°
//! and 120°. Where sizes change *along* the surface, tetrahedra between cubes of different size are cut too. There is no
//! proof for these; over balls, tori, boxes, slabs and wild fields, with sizes that change slowly or at once, angles are tested to be
//! between 5° and 172°. Two surfaces that nearly touch within a cell where sizes change can make single ones worse.
//!
//! Whatever the sizes, all tetrahedra are in order and meet face to face: a move that would turn one inside out, decided
//! exactly, is taken back.
//!
//! # Departures from the reference
//!
//! It grades the inside; sizes that change along the surface are ours, and with them thresholds that follow the smallest cube at a
//! point, and moves that can be taken back.
//!
//! # When to use something else
//!
//! [`stuff`](super::stuff) where one size will do: it needs less memory per tetrahedron, and any continuous field will do for it.
//!
//! # Reference
//!
//! F. Labelle and J. R. Shewchuk, *Isosurface stuffing: fast tetrahedral meshes with good dihedral angles*, ACM Transactions on
//! Graphics 26(3), 2007.

use super::super::EDGES;
use super::cutting::{Node, cut_one, root};
use super::octree::{Background, Cube, Octree};
use super::{StuffError, TetMesh};
use crate::base::parallel;
use crate::exact::{Sign, orient3d};
use crate::geom::DVec3;

/// More cubes than this on one level are refused.
const MOST_CUBES: usize = 1 << 24;

/// Whole coordinates stay below this.
const FARTHEST: f64 = (1_u32 << 30) as f64;

/// The most levels.
const MOST_LEVELS: u32 = 12;

/// How near a cut may be, as a part of the smallest cube at a point: along an axis, a diagonal of a face, a diagonal of a cube.
/// First where all cubes around have one size, which are the thresholds of the uniform lattice; then where they have not.
const TOO_NEAR: [[f64; 3]; 2] = [[0.24999, 0.0, 0.35671], [0.24999, 0.28, 0.30]];

/// How to fill a body with cells of many sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradedOptions {
    /// Size of the smallest cubes; positive. Smaller ones are not made, whatever is asked for.
    pub cell: f64,
    /// The largest cubes are 2 to the power of this times as large; 0 to 12. 0 makes the uniform lattice.
    pub levels: u32,
}

/// Tetrahedra that fill the inside of a signed distance within the box from `low` to `high`, with sizes that follow `size`.
///
/// `field` is negative inside, and must not change faster than the point moves: it tells how far away the surface is at least.
/// `size` gives the largest cubes wanted near the surface around a point, and is asked at centres and corners of cubes that are
/// still too large for `levels`; it should change slowly.
///
/// # Errors
/// Bad options, a field that is not finite, a size that is not positive, too many cubes, a body without a lattice point inside.
///
/// # Cost
/// The field is asked once or twice for each cube and corner, on all threads with the feature `parallel`, and some three times for
/// each edge that the surface crosses.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::mesh::tets::{DihedralAngles, GradedOptions, stuff_graded};
/// let ball = |p: DVec3| p.length() - 1.0;
/// // Fine at the top, four times as coarse elsewhere.
/// let size = |p: DVec3| if p.z > 0.6 { 0.05 } else { 0.2 };
/// let options = GradedOptions { cell: 0.05, levels: 2 };
/// let mesh = stuff_graded(ball, size, -DVec3::ONE, DVec3::ONE, &options).unwrap();
/// assert!((mesh.total_volume() / (4.0 / 3.0 * 3.14159) - 1.0).abs() < 0.02);
/// ```
pub fn stuff_graded(
    field: impl Fn(DVec3) -> f64 + Sync,
    size: impl Fn(DVec3) -> f64 + Sync,
    low: DVec3,
    high: DVec3,
    options: &GradedOptions,
) -> Result<TetMesh, StuffError> {
    let frame = Frame::new(low, high, options)?;
    let tree = frame.divide(&field, &size)?;
    let mut filling = Filling::sample(frame, tree.background(), &field)?;
    filling.find_cuts(&field);
    filling.warp();
    while filling.take_back() {}
    filling.fill()
}

/// Where whole coordinates lie in space.
#[derive(Clone, Copy)]
struct Frame {
    origin: DVec3,
    cell: f64,
    levels: usize,
    roots: [i32; 3],
}

impl Frame {
    fn new(low: DVec3, high: DVec3, options: &GradedOptions) -> Result<Self, StuffError> {
        let GradedOptions { cell, levels } = *options;
        if !(cell > 0.0 && cell.is_finite()) {
            return Err(StuffError::BadCell { cell });
        }
        if levels > MOST_LEVELS {
            return Err(StuffError::BadLevels { levels, most: MOST_LEVELS });
        }
        if !(low.is_finite() && high.is_finite() && low.cmplt(high).all()) {
            return Err(StuffError::BadBox { low, high });
        }
        let largest = cell * f64::from(1_u32 << levels);
        // One root on either side, so that the outermost leaves are outside.
        let roots = ((high - low) / largest - 1e-9).ceil().max(DVec3::ONE) + 2.0;
        let cubes = roots.x * roots.y * roots.z;
        let longest = roots.max_element() * f64::from(2_u32 << levels);
        if !(largest.is_finite() && cubes <= MOST_CUBES as f64 && longest < FARTHEST) {
            return Err(StuffError::TooFine { cell, points: cubes });
        }
        let roots = roots.to_array().map(|n| n as i32);
        Ok(Self { origin: low - largest, cell, levels: levels as usize, roots })
    }

    fn place(&self, point: [i32; 3]) -> DVec3 {
        self.origin + DVec3::from_array(point.map(f64::from)) * (0.5 * self.cell)
    }

    /// Divides cubes until they are small enough near the surface.
    fn divide(
        &self,
        field: &(impl Fn(DVec3) -> f64 + Sync),
        size: &(impl Fn(DVec3) -> f64 + Sync),
    ) -> Result<Octree, StuffError> {
        let mut tree = Octree::new(self.roots, self.levels);
        let mut cubes = tree.roots();
        for level in 0..self.levels {
            let wanted = |&cube: &Cube| self.is_too_large(&tree, level, cube, field, size);
            let found: Vec<Result<bool, StuffError>> = parallel::map(true, cubes.iter(), wanted);
            let mut divided = vec![];
            for (&cube, is_too_large) in cubes.iter().zip(found) {
                if is_too_large? {
                    divided.push(cube);
                }
            }
            if divided.len() * 8 > MOST_CUBES {
                return Err(StuffError::TooFine { cell: self.cell, points: divided.len() as f64 * 8.0 });
            }
            cubes = tree.divide(level, &divided);
        }
        tree.balance();
        Ok(tree)
    }

    fn is_too_large(
        &self,
        tree: &Octree,
        level: usize,
        cube: Cube,
        field: &impl Fn(DVec3) -> f64,
        size: &impl Fn(DVec3) -> f64,
    ) -> Result<bool, StuffError> {
        let centre = self.place(tree.centre(level, cube));
        let distance = field(centre).abs();
        if !distance.is_finite() {
            return Err(StuffError::NotFinite { at: centre });
        }
        let side = 0.5 * self.cell * f64::from(tree.size(level));
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
                return Err(StuffError::BadSize { at, size: here });
            }
            smallest = smallest.min(here);
        }
        // The layers beside the surface have the size of those that it crosses.
        let wanted = smallest.max(self.cell);
        Ok(side > wanted * (1.0 + 1e-9)
            && distance <= half_diagonal * side + (2.0 - half_diagonal) * wanted.min(0.5 * side))
    }
}

/// The background with the values of the field, its cuts, and the points that moved.
struct Filling {
    frame: Frame,
    background: Background,
    /// Value of the field; exactly zero for points on the surface.
    values: Vec<f64>,
    /// Values and places of points before they moved onto the surface.
    positions: Vec<DVec3>,
    /// Points moved onto the surface, with the value they had; sorted.
    moved: Vec<(u32, f64)>,
    /// Edges between inside and outside, lower point first, sorted, and where the surface crosses them.
    cuts: Vec<([u32; 2], f64)>,
}

impl Filling {
    fn sample(
        frame: Frame,
        mut background: Background,
        field: &(impl Fn(DVec3) -> f64 + Sync),
    ) -> Result<Self, StuffError> {
        let positions: Vec<DVec3> = background.points.iter().map(|&p| frame.place(p)).collect();
        let values = parallel::map(true, positions.iter(), |&p| field(p));
        if let Some(id) = values.iter().position(|value| !value.is_finite()) {
            return Err(StuffError::NotFinite { at: positions[id] });
        }
        if !values.iter().any(|&value| value < 0.0) {
            return Err(StuffError::NothingInside { cell: frame.cell });
        }
        // What no point inside belongs to is outside for good: points move onto the surface, never across.
        background.tets.retain(|tet| tet.iter().any(|&id| values[id as usize] < 0.0));
        Ok(Self { frame, background, values, positions, moved: vec![], cuts: vec![] })
    }

    fn find_cuts(&mut self, field: &(impl Fn(DVec3) -> f64 + Sync)) {
        let mut edges = vec![];
        for tet in &self.background.tets {
            for [i, j] in EDGES {
                let [a, b] = [tet[i].min(tet[j]), tet[i].max(tet[j])];
                if self.values[a as usize] * self.values[b as usize] < 0.0 {
                    edges.push([a, b]);
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        self.cuts = parallel::map(true, edges.iter(), |&edge| {
            let [a, b] = edge.map(|id| self.positions[id as usize]);
            let [at_a, at_b] = edge.map(|id| self.values[id as usize]);
            (edge, root(|t| field(a + (b - a) * t), at_a, at_b, 1e-6 * self.frame.cell))
        });
    }

    /// Squared length of an edge, and along how many axes it goes; in whole coordinates.
    fn extent(&self, a: u32, b: u32) -> (i64, usize) {
        let [p, q] = [a, b].map(|id| self.background.points[id as usize]);
        let way = [0, 1, 2].map(|k| i64::from(p[k] - q[k]));
        (way.iter().map(|d| d * d).sum(), way.iter().filter(|&&d| d != 0).count())
    }

    /// Moves points with a cut point too near onto the nearest of these.
    fn warp(&mut self) {
        let mut is_mixed = vec![false; self.values.len()];
        for tet in &self.background.tets {
            let lengths = EDGES.map(|[i, j]| self.extent(tet[i], tet[j]).0);
            let (shortest, longest) = lengths.iter().fold((i64::MAX, 0), |(s, l), &x| (x.min(s), x.max(l)));
            // Squared, those of the uniform lattice are as 3 to 4.
            if 4 * shortest != 3 * longest {
                tet.iter().for_each(|&id| is_mixed[id as usize] = true);
            }
        }
        // Each end of each cut edge, with the distance of the cut.
        let mut near: Vec<(u32, f64, usize)> = vec![];
        for (k, &([a, b], t)) in self.cuts.iter().enumerate() {
            let (squared, axes) = self.extent(a, b);
            let length = (squared as f64).sqrt();
            for (id, share) in [(a, t), (b, 1.0 - t)] {
                let limit = TOO_NEAR[usize::from(is_mixed[id as usize])][axes - 1]
                    * f64::from(self.background.sizes[id as usize]);
                if share * length < limit {
                    near.push((id, share * length, k));
                }
            }
        }
        near.sort_unstable_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)).then(x.2.cmp(&y.2)));
        for (id, _, k) in near {
            let ([a, b], t) = self.cuts[k];
            let [at_a, at_b] = [a, b].map(|id| self.values[id as usize]);
            // An end that has moved onto the surface takes its cuts with it.
            if at_a == 0.0 || at_b == 0.0 {
                continue;
            }
            let [p, q] = [a, b].map(|id| self.positions[id as usize]);
            self.moved.push((id, self.values[id as usize]));
            self.values[id as usize] = 0.0;
            self.positions[id as usize] = p + (q - p) * t;
        }
    }

    /// Takes back the moves of points in tetrahedra that they turned inside out. False if there are none.
    fn take_back(&mut self) -> bool {
        let mut back = vec![];
        for tet in &self.background.tets {
            let value = |id: &u32| self.values[*id as usize];
            if tet.iter().all(|id| value(id) != 0.0) || !tet.iter().any(|id| value(id) < 0.0) {
                continue;
            }
            let [a, b, c, d] = tet.map(|id| self.positions[id as usize]);
            if orient3d(a, b, c, d) != Sign::Positive {
                back.extend(tet.iter().filter_map(|id| self.moved.binary_search_by_key(id, |m| m.0).ok()));
            }
        }
        back.sort_unstable();
        back.dedup();
        for &k in back.iter().rev() {
            let (id, value) = self.moved.remove(k);
            self.values[id as usize] = value;
            self.positions[id as usize] = self.frame.place(self.background.points[id as usize]);
        }
        !back.is_empty()
    }

    fn fill(&self) -> Result<TetMesh, StuffError> {
        let mut tets: Vec<[Node; 4]> = vec![];
        for &corners in &self.background.tets {
            let value = |id: u32| self.values[id as usize];
            cut_one(corners, value, |i, j, o| self.leads(i, j, o), |node| self.position(node), &mut tets);
        }
        let mut nodes: Vec<Node> = tets.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let number = |node: &Node| nodes.binary_search(node).expect("every node is listed") as u32;
        let tets = tets.iter().map(|corners| corners.each_ref().map(number)).collect();
        Ok(TetMesh::oriented(nodes.iter().map(|&node| self.position(node)).collect(), tets)?.0)
    }

    fn position(&self, [a, b]: Node) -> DVec3 {
        if a == b {
            return self.positions[a as usize];
        }
        let cut = self.cuts.binary_search_by_key(&[a, b], |cut| cut.0).expect("the edge is cut");
        let [p, q] = [a, b].map(|id| self.positions[id as usize]);
        // Only a move that was taken back leaves a cut at the very end of its edge.
        p + (q - p) * self.cuts[cut].1.clamp(1e-3, 1.0 - 1e-3)
    }

    /// The diagonal ends on the cut of the longer edge. Of equal ones it begins at the point that is even among the corners, or
    /// the centres, of cubes as large as the edge between them; where that edge is a diagonal, at the first.
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
        let halves: i32 = self.background.points[i as usize].iter().map(|x| x.div_euclid(side)).sum();
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

    /// Signed distances, and wilder fields that grow no faster than those, at many places in the lattice.
    fn fields() -> Vec<Field> {
        let mut all: Vec<Field> = vec![];
        for k in 0..12 {
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
                (p.length() - 0.7 - 0.2 * wave) / 6.0
            }));
        }
        all
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
    fn angles_stay_within_the_stated_bounds() {
        let (low, high) = (DVec3::splat(-1.9), DVec3::splat(1.9));
        for (k, field) in fields().iter().enumerate() {
            let options = GradedOptions { cell: [0.09, 0.11, 0.13][k % 3], levels: 3 };
            let fill = |size: &(dyn Fn(DVec3) -> f64 + Sync)| stuff_graded(field, size, low, high, &options);
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
            let options = GradedOptions { cell, levels };
            let mesh = stuff_graded(field, size, DVec3::splat(-1.3), DVec3::splat(1.3), &options).unwrap();
            let angles = check(&mesh);
            // Balls that overlap a little have necks of any width.
            prop_assert!(angles.smallest > 1.0 && angles.largest < 179.0, "{angles:?}");
        }
    }

    /// A level of zero is the uniform lattice; and moves that turn something inside out are taken back.
    #[test]
    fn a_move_that_would_turn_a_tetrahedron_is_taken_back() {
        let field = |p: DVec3| p.length() - 0.83;
        let options = GradedOptions { cell: 0.2, levels: 1 };
        let frame = Frame::new(-DVec3::ONE, DVec3::ONE, &options).unwrap();
        let tree = frame.divide(&field, &|_| 0.2).unwrap();
        let mut filling = Filling::sample(frame, tree.background(), &field).unwrap();
        filling.find_cuts(&field);
        filling.warp();
        assert!(!filling.take_back(), "moves within the limits are safe");
        let whole = filling.fill().unwrap();
        // Push one moved point through a tetrahedron that is not cut.
        let moved = filling.moved[filling.moved.len() / 2];
        let tet =
            filling.background.tets.iter().find(|tet| {
                tet.contains(&moved.0) && tet.iter().any(|&id| filling.values[id as usize] < 0.0)
            });
        let [a, b, c, d] = tet.unwrap().map(|id| filling.positions[id as usize]);
        filling.positions[moved.0 as usize] =
            2.0 * (a + b + c + d) / 4.0 - filling.positions[moved.0 as usize] * 1.01;
        assert!(filling.take_back());
        while filling.take_back() {}
        assert!(filling.moved.iter().all(|m| m.0 != moved.0) && filling.values[moved.0 as usize] == moved.1);
        let mesh = filling.fill().unwrap();
        check(&mesh);
        assert!((mesh.total_volume() / whole.total_volume() - 1.0).abs() < 0.02);
    }

    #[test]
    fn what_cannot_be_filled_is_refused_by_name() {
        let ball = |p: DVec3| p.length() - 1.0;
        let one = DVec3::ONE;
        let fill = |low, high, cell, levels| {
            stuff_graded(ball, |_| 0.5, low, high, &GradedOptions { cell, levels }).unwrap_err()
        };
        assert_eq!(fill(-one, one, 0.0, 2), StuffError::BadCell { cell: 0.0 });
        assert_eq!(fill(-one, one, 0.1, 13), StuffError::BadLevels { levels: 13, most: 12 });
        assert!(matches!(fill(one, -one, 0.1, 2), StuffError::BadBox { .. }));
        assert!(matches!(fill(-one, one, 1e-4, 2), StuffError::TooFine { .. }));
        assert!(matches!(fill(-one, one, 1e-30, 12), StuffError::TooFine { .. }));
        assert_eq!(fill(5.0 * one, 6.0 * one, 0.5, 1), StuffError::NothingInside { cell: 0.5 });
        let options = GradedOptions { cell: 0.1, levels: 2 };
        let error = stuff_graded(|_| f64::NAN, |_| 0.1, -one, one, &options).unwrap_err();
        assert!(matches!(error, StuffError::NotFinite { .. }));
        let error = stuff_graded(ball, |_| -0.1, -one, one, &options).unwrap_err();
        assert!(matches!(error, StuffError::BadSize { size: -0.1, .. }));
    }
}
