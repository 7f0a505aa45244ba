//! How far two bodies are apart, and where.

use super::Finder;
use crate::geom::DVec3;
use crate::geom::distance::TriangleParts;
use crate::mesh::TriangleId;
use crate::pairs::{Features, Touch};
use crate::tree::MeshTree;
use crate::walk::{ClosestEnd, ClosestWalk, Hierarchy, Shape, View};

/// The points of two bodies nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The least distance; 0 if triangles of the two intersect, and only then.
    pub distance: f64,
    /// A point of each body at this distance, rounded.
    pub points: [DVec3; 2],
    /// The triangles on which they lie; of several at the same distance, one pair.
    pub triangles: [TriangleId; 2],
    /// The vertex and triangle, or the edges, on which they lie. If triangles intersect, some features of theirs.
    pub features: Features,
}

/// What the question keeps from one time to the next.
#[derive(Default)]
pub(super) struct ClosestMemory {
    walk: ClosestWalk,
    last: Option<[u32; 2]>,
}

impl ClosestMemory {
    pub(super) fn forget(&mut self) {
        self.last = None;
    }
}

impl Finder {
    /// The closest points of two bodies, if they are at most `reach` apart, which may be infinite. The distance is that of the surfaces, also
    /// for a body inside another one.
    ///
    /// `None` if the bodies are farther apart, if a body is empty, or if the reach is NaN or negative.
    ///
    /// ```
    /// use fracas::{Finder, MeshTree, geom::{DVec3, Pose}, mesh::shapes};
    /// let cube = MeshTree::build(shapes::cuboid(DVec3::ONE));
    /// let aside = Pose::from_translation(DVec3::new(3.0, 0.25, 0.0)).unwrap();
    /// let mut finder = Finder::default();
    /// let closest = finder.find_closest(&cube, cube.at(&aside), f64::INFINITY).unwrap();
    /// assert_eq!(closest.distance, 2.0);
    /// assert_eq!((closest.points[1] - closest.points[0]).normalize(), DVec3::X);
    /// assert!(finder.find_closest(&cube, cube.at(&aside), 1.9).is_none());
    /// ```
    ///
    /// # Cost
    /// Of the order of the depth of both hierarchies, and more if many triangles are nearly as near. The pair of the last query is
    /// tried first, so bodies that move little cost less. For a mesh without a structure, a tree is built first.
    #[doc(alias = "distance")]
    #[doc(alias = "closest_points")]
    #[must_use]
    pub fn find_closest<'a, 'b>(
        &mut self,
        a: impl Into<View<'a>>,
        b: impl Into<View<'b>>,
        reach: f64,
    ) -> Option<Closest> {
        if reach.is_nan() || reach < 0.0 {
            return None;
        }
        let (a, b) = (a.into(), b.into());
        let trees = [tree_of_soup(&a), tree_of_soup(&b)];
        let ends: [ClosestEnd; 2] = [end_of(&a, &trees[0]), end_of(&b, &trees[1])];
        let ClosestMemory { walk, last } = &mut self.closest;
        let is_there = |[i, j]: &[u32; 2]| {
            // A triangle of another tree of the same body is not part of the view.
            ends.iter().all(|end| end.1.is_none()) && ends[0].0.has_triangle(*i) && ends[1].0.has_triangle(*j)
        };
        let known = last.filter(is_there);
        // The larger of the two lends the frame, so that coordinates of the other stay small in it.
        let swapped = ends[1].0.frame().scale < ends[0].0.frame().scale;
        let in_order = |[i, j]: [u32; 2]| if swapped { [j, i] } else { [i, j] };
        let (first, second) = if swapped { (ends[1], ends[0]) } else { (ends[0], ends[1]) };
        let begin = walk.approach(first, second, reach, known.map(in_order));
        let mut known = begin.map(|found| found.triangles);
        if begin.is_some_and(|found| found.gap.distance > 0.0 && may_meet(&a, &b, found.gap.distance)) {
            known = self.find_meeting(a, b).map(in_order).or(known);
        }
        let ClosestMemory { walk, last } = &mut self.closest;
        let found = walk.find(first, second, reach, known)?;
        let ([i, j], [p, q], at) = (found.triangles, found.gap.points, found.gap.at);
        let (triangles, points, at) =
            if swapped { ([j, i], [q, p], turned(at)) } else { ([i, j], [p, q], at) };
        *last = Some(triangles);
        let [v, w] = [0, 1].map(|k| ends[k].0.vertices(triangles[k], false));
        let side = |v: [u32; 3], k: usize| {
            let (x, y) = (v[k], v[(k + 1) % 3]);
            [x.min(y), x.max(y)]
        };
        let features = match at {
            TriangleParts::CornerFace(k) => Features::VertexTriangle(v[k], TriangleId(triangles[1])),
            TriangleParts::FaceCorner(k) => Features::TriangleVertex(TriangleId(triangles[0]), w[k]),
            TriangleParts::Sides(k, m) => Features::EdgeEdge(side(v, k), side(w, m)),
        };
        Some(Closest { distance: found.gap.distance, points, triangles: triangles.map(TriangleId), features })
    }

    /// Two triangles that intersect: then there is nothing to measure.
    fn find_meeting(&mut self, a: View, b: View) -> Option<[u32; 2]> {
        let touch = std::mem::replace(&mut self.options.touch, Touch::Include);
        let pair = self.find_first(a, b);
        self.options.touch = touch;
        pair.map(|pair| [pair.a.0, pair.b.0])
    }

    /// How many pairs of triangles the last question for the closest points has measured: for measuring.
    #[doc(hidden)]
    #[must_use]
    pub fn closest_measured(&self) -> u64 {
        self.closest.walk.measured
    }
}

/// Whether bodies that are at most this far apart are likely to intersect somewhere, and have trees that find it out fast.
fn may_meet(a: &View, b: &View, distance: f64) -> bool {
    let have_trees = [a, b].iter().all(|view| matches!(view.shape, Shape::Hierarchy { .. }));
    let size = |view: &View| view.bounds().extent().max_element();
    have_trees && distance < LIKELY * size(a).min(size(b)) && a.bounds().overlaps(&b.bounds())
}

/// Bodies nearer than this, beside the smaller one's size, often intersect.
const LIKELY: f64 = 0.02;

fn turned(at: TriangleParts) -> TriangleParts {
    match at {
        TriangleParts::CornerFace(k) => TriangleParts::FaceCorner(k),
        TriangleParts::FaceCorner(k) => TriangleParts::CornerFace(k),
        TriangleParts::Sides(k, m) => TriangleParts::Sides(m, k),
    }
}

fn end_of<'v>(view: &'v View, tree: &'v Option<MeshTree>) -> ClosestEnd<'v> {
    match (view.shape, tree) {
        (Shape::Hierarchy { body, tree }, _) => (body, tree, &view.pose),
        (Shape::Soup(_), Some(tree)) => (tree as &dyn Hierarchy, None, &view.pose),
        (Shape::Soup(_), None) => unreachable!("every soup has a tree"),
    }
}

/// A tree over a mesh that has none.
pub(super) fn tree_of_soup(view: &View) -> Option<MeshTree> {
    let Shape::Soup(mesh) = view.shape else { return None };
    let copy = crate::mesh::Mesh::new(mesh.positions().to_vec(), mesh.triangles().to_vec());
    Some(MeshTree::build(copy.expect("a mesh that was checked")))
}
