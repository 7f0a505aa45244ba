//! A tree of expansions over the triangles of a body, built once and asked many times.

use super::expansion::{Coefficients, Expansions};
use super::moments::Moments;
use super::rows::AngleRow;
use super::solid_angle::winding;
use super::{for_each_triangle, side};
use crate::base::parallel;
use crate::geom::{Box3, DVec3, LANES};
use crate::mesh::{Mesh, TriangleId};
use crate::pairs::{Frame, RowIds, Threads};
use crate::tree::{BuildOptions, MeshTree};
use crate::walk::{CHUNK, Hierarchy, Node, Opened, Side, View, ask_along_curve};
use fearless_simd::Level;

/// How exact a [`WindingField`] is.
///
/// ```
/// use fracas::winding::{WindingField, WindingOptions};
/// use fracas::{geom::DVec3, mesh::shapes};
/// let ball = shapes::icosphere(1.0, 3);
/// let fine = WindingField::build_with(&ball, &WindingOptions { accuracy: 1e-4 });
/// assert!((fine.at(DVec3::splat(0.2)) - 1.0).abs() < 1e-4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindingOptions {
    /// How far winding numbers may be from the true ones, at most, at any point. This is a proved bound, so errors are mostly ten to a hundred
    /// times smaller. From 1e-4 to 0.4; 0.1 is enough to tell inside from outside. With less than 1e-4, NaN included, every question sums over
    /// all triangles in `f64`.
    pub accuracy: f64,
}

impl Default for WindingOptions {
    fn default() -> Self {
        Self { accuracy: 0.01 }
    }
}

/// Winding numbers of any surface, for many points.
///
/// It is built from the body as the view shows it, and does not follow the body when that moves.
///
/// ```
/// use fracas::winding::WindingField;
/// use fracas::{Mesh, Side, geom::DVec3, mesh::shapes};
/// // A ball with a hole.
/// let (positions, mut triangles) = shapes::icosphere(1.0, 4).into_parts();
/// triangles.truncate(5_000);
/// let field = WindingField::build(&Mesh::new(positions, triangles).unwrap());
/// assert!(field.at(DVec3::ZERO) > 0.9 && field.at(2.0 * DVec3::X).abs() < 0.1);
/// assert_eq!(field.side(DVec3::ZERO), Side::Inside);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct WindingField {
    pub(super) frame: Frame,
    bounds: Box3,
    /// Zero if every question sums over all triangles.
    pub(super) accuracy: f64,
    pub(super) nodes: Vec<FieldNode>,
    pub(super) rows: Vec<AngleRow>,
    /// Corners of all triangles in the world, eight for every row.
    pub(super) triangles: Vec<[DVec3; 3]>,
    /// The expansion of the whole body, and its centre in the frame.
    pub(super) whole: Coefficients,
    pub(super) middle: DVec3,
    pub(super) level: Level,
}

/// Eight children: expansions, and what they lead to.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldNode {
    pub(super) expansions: Expansions,
    /// Indices of nodes, or of rows with [`FieldNode::LEAF`].
    pub(super) children: [u32; LANES],
    pub(super) used: u32,
}

impl FieldNode {
    pub(super) const LEAF: u32 = 1 << 31;
}

/// The most and the least accuracy that expansions are used for. `f32` rounds by less than the least.
const ACCURACIES: [f64; 2] = [1e-4, 0.4];

impl WindingField {
    /// A field with the default accuracy over the triangles that a view shows.
    ///
    /// # Cost
    /// O(*n* log *n*), on all threads: about that of [`MeshTree::build`] twice.
    pub fn build<'a>(body: impl Into<View<'a>>) -> Self {
        Self::build_with(body, &WindingOptions::default())
    }

    /// A field over the triangles that a view shows.
    pub fn build_with<'a>(body: impl Into<View<'a>>, options: &WindingOptions) -> Self {
        let view = body.into();
        let mut corners: Vec<[DVec3; 3]> = vec![];
        for_each_triangle(&view, &mut |id| corners.push(view.triangle(id).corners()));
        let names = (0..corners.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let mesh =
            Mesh::new(corners.iter().flatten().copied().collect(), names).expect("triangles of a body");
        let tree =
            MeshTree::build_with(mesh, &BuildOptions { self_queries: false, ..BuildOptions::default() });
        let accuracy =
            if options.accuracy >= ACCURACIES[0] { options.accuracy.min(ACCURACIES[1]) } else { 0.0 };
        Self::over(&tree, accuracy)
    }

    fn over(tree: &MeshTree, accuracy: f64) -> Self {
        let opened = tree.ready().expect("a tree over a mesh keeps its nodes");
        let (frame, mesh) = (Hierarchy::frame(tree), tree.mesh());
        let of_row = |ids: &RowIds| {
            let list: Vec<[DVec3; 3]> = ids.triangle_ids().map(|id| mesh.triangle(id).corners()).collect();
            list
        };
        let in_frame = |t: [DVec3; 3]| t.map(|p| frame.map_exact(p));
        let rows = parallel::map(true, opened.ids.iter(), |ids| {
            let list: Vec<[DVec3; 3]> = of_row(ids).into_iter().map(in_frame).collect();
            let patch = Patch::of(&list);
            (AngleRow::new(&list), patch, list)
        });
        let patches: Vec<&Patch> = rows.iter().map(|row| &row.1).collect();
        let lists: Vec<&[[DVec3; 3]]> = rows.iter().map(|row| &row.2[..]).collect();
        let nodes = parallel::map(true, opened.nodes.iter(), |node| {
            let mut expansions = Expansions::EMPTY;
            let mut children = [0; LANES];
            for (lane, child) in node.used() {
                let range = leaves_below(&opened, node, lane);
                let (moments, radius, fourths) = gathered(&patches[range.clone()], &lists[range]);
                expansions.set(lane, &moments, radius, fourths);
                children[lane] = child.index() as u32 | if child.is_leaf() { FieldNode::LEAF } else { 0 };
            }
            FieldNode { expansions, children, used: node.used_lanes() }
        });
        let mut triangles = vec![[DVec3::ZERO; 3]; LANES * opened.ids.len()];
        for (row, ids) in opened.ids.iter().enumerate() {
            for (lane, id) in ids.triangle_ids().enumerate() {
                triangles[row * LANES + lane] = mesh.triangle(TriangleId(id.0)).corners();
            }
        }
        let (whole, _, _) = gathered(&patches, &lists);
        let (middle, whole) = (whole.centre, Coefficients::of(&whole));
        let (rows, bounds) = (rows.iter().map(|row| row.0).collect(), mesh.bounds());
        Self { frame, bounds, accuracy, nodes, rows, triangles, whole, middle, level: Level::new() }
    }

    /// How far winding numbers may be from the true ones; 0 if they are sums over all triangles.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        self.accuracy
    }

    /// The winding number of a point. One that is not finite has 0.
    ///
    /// # Cost
    /// About a microsecond for 100,000 triangles and the default accuracy; more near many triangles.
    #[must_use]
    pub fn at(&self, p: DVec3) -> f64 {
        self.ask(p, &mut Vec::with_capacity(128))
    }

    /// The winding numbers of many points, in their order. The bits do not depend on the number of threads.
    ///
    /// # Cost
    /// Points are asked along a curve, so they cost less than alone.
    #[must_use]
    pub fn at_each(&self, points: &[DVec3], threads: Threads) -> Vec<f64> {
        let parallel = threads != Threads::One && points.len() > CHUNK;
        ask_along_curve(&self.bounds, points, parallel, |p, stack: &mut Vec<u32>| self.ask(p, stack))
    }

    /// On which side of the surface a point lies; see [`View::side_by_winding`]. Where the true number is within the accuracy of a half,
    /// either side may come out.
    #[must_use]
    pub fn side(&self, p: DVec3) -> Side {
        side(self.at(p))
    }

    fn ask(&self, p: DVec3, stack: &mut Vec<u32>) -> f64 {
        if !p.is_finite() {
            return 0.0;
        }
        if self.accuracy > 0.0 {
            return self.evaluate(p, stack);
        }
        self.triangles.iter().map(|t| winding(&t.map(|corner| corner - p))).sum()
    }
}

/// What is known of the triangles of one row.
struct Patch {
    moments: Moments,
    area: f64,
    /// Sum of the centroids, weighted by area.
    weighted: DVec3,
}

impl Patch {
    fn of(triangles: &[[DVec3; 3]]) -> Self {
        let (mut area, mut weighted) = (0.0, DVec3::ZERO);
        for t in triangles {
            let own = area_of(t);
            area += own;
            weighted += (t[0] + t[1] + t[2]) * (own / 3.0);
        }
        let centre = if area > 0.0 { weighted / area } else { triangles[0][0] };
        let mut moments = Moments::zero(centre);
        triangles.iter().for_each(|t| moments.add_triangle(t));
        Self { moments, area, weighted }
    }
}

fn area_of(t: &[DVec3; 3]) -> f64 {
    0.5 * (t[1] - t[0]).cross(t[2] - t[0]).length()
}

/// Moments of some rows about the centre of their area, rounded to `f32`; the radius, and the integral of |y|⁴, rounded up.
fn gathered(patches: &[&Patch], lists: &[&[[DVec3; 3]]]) -> (Moments, f64, f64) {
    let area: f64 = patches.iter().map(|patch| patch.area).sum();
    let weighted: DVec3 = patches.iter().map(|patch| patch.weighted).sum();
    let any = lists.first().map_or(DVec3::ZERO, |list| list[0][0]);
    let centre = if area > 0.0 { weighted / area } else { any };
    let centre = DVec3::from_array(centre.to_array().map(|x| f64::from(x as f32)));
    let mut moments = Moments::zero(centre);
    patches.iter().for_each(|patch| moments.add(&patch.moments));
    let (mut squared, mut fourths) = (0.0_f64, 0.0);
    for t in lists.iter().copied().flatten() {
        // The fourth power of a distance is convex: over a triangle its mean is at most that of its corners.
        let far = t.map(|p| (p - centre).length_squared());
        squared = squared.max(far[0]).max(far[1]).max(far[2]);
        fourths += area_of(t) * far.iter().map(|x| x * x).sum::<f64>() / 3.0;
    }
    (moments, squared.sqrt(), fourths)
}

/// The rows below a lane of a node.
fn leaves_below(opened: &Opened, node: &Node, lane: usize) -> std::ops::Range<usize> {
    let child = node.children[lane];
    if child.is_leaf() {
        return child.index()..child.index() + 1;
    }
    let [from, to] = opened.nodes[child.index()].leaves;
    from as usize..to as usize
}
