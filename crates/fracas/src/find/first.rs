//! Whether two bodies intersect at all: the walk ends at the first pair; then bodies inside others are looked for.

use super::Finder;
use crate::base::DisjointSets;
use crate::geom::Pose;
use crate::mesh::TriangleId;
use crate::pairs::Pair;
use crate::walk::{Shape, Side, Stamp, View};

/// The connected parts of a body.
#[derive(Default)]
pub(super) struct Shells {
    /// The body, and which of its trees.
    of: Option<(Stamp, Option<usize>)>,
    /// A triangle of each part, and those of its lowest and highest corners along the axes.
    triangles: Vec<TriangleId>,
    extremes: Vec<[TriangleId; 6]>,
    /// Whether every edge has an even number of triangles.
    is_closed: bool,
}

impl Finder {
    /// A pair of intersecting triangles, if there is one. If there are several, the choice depends on the bodies alone.
    ///
    /// # Cost
    /// Ends at the first pair; if there is none, as [`Finder::find_pairs`]. If either is a soup, all pairs are found first.
    ///
    /// ```
    /// use fracas::{Finder, MeshTree, geom::{DVec3, Pose}, mesh::shapes};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 4));
    /// let [near, far] = [1.9, 2.1].map(|x| Pose::from_translation(DVec3::X * x).unwrap());
    /// let mut finder = Finder::default();
    /// assert!(finder.find_first(&ball, ball.at(&near)).is_some());
    /// assert!(finder.find_first(&ball, ball.at(&far)).is_none());
    /// ```
    #[doc(alias = "intersection_test")]
    pub fn find_first<'a, 'b>(&mut self, a: impl Into<View<'a>>, b: impl Into<View<'b>>) -> Option<Pair> {
        self.compare(a.into(), b.into(), true, usize::MAX).first().copied()
    }

    /// Whether two bodies share a point: their surfaces intersect, or a part of one lies wholly inside the other. Only closed bodies have an
    /// inside: those whose every edge has an even number of triangles.
    ///
    /// # Cost
    /// As [`Finder::find_first`]. If surfaces that are near each other do not intersect, a point of each connected part is looked for in the
    /// other body; the parts of a body are found when they are first needed, in a pass over it, and again when it has changed.
    ///
    /// ```
    /// use fracas::{Finder, MeshTree, mesh::shapes};
    /// let (large, small) = (MeshTree::build(shapes::icosphere(1.0, 3)), MeshTree::build(shapes::icosphere(0.3, 2)));
    /// let mut finder = Finder::default();
    /// assert!(finder.find_first(&large, &small).is_none());
    /// assert!(finder.overlaps(&large, &small));
    /// ```
    #[doc(alias = "collide")]
    #[doc(alias = "intersects")]
    pub fn overlaps<'a, 'b>(&mut self, a: impl Into<View<'a>>, b: impl Into<View<'b>>) -> bool {
        let (a, b) = (a.into(), b.into());
        if !a.bounds().overlaps(&b.bounds()) {
            return false;
        }
        if self.find_first(a, b).is_some() {
            return true;
        }
        let [of_a, of_b] = &mut self.shells;
        of_a.find(&a);
        of_b.find(&b);
        of_b.is_closed && of_a.has_part_inside(&a, &b) || of_a.is_closed && of_b.has_part_inside(&b, &a)
    }
}

impl Shells {
    /// Finds the parts of a body, unless they are known.
    fn find(&mut self, view: &View) {
        let of = match view.shape {
            Shape::Hierarchy { body, tree } => Some((body.stamp(), tree)),
            Shape::Soup(_) => None,
        };
        if of.is_some() && of == self.of {
            return;
        }
        self.of = of;
        self.triangles.clear();
        let (mut ids, mut corners) = (vec![], vec![]);
        match view.shape {
            Shape::Hierarchy { body, tree } => {
                let mut add = |id: TriangleId| {
                    ids.push(id);
                    corners.push(body.vertices(id.0, true));
                };
                body.roots(tree).for_each(|(root, _)| body.for_each_triangle(root, &mut add));
            }
            Shape::Soup(mesh) => {
                ids.extend((0..mesh.triangles().len() as u32).map(TriangleId));
                corners.extend_from_slice(mesh.triangles());
            }
        }
        let vertices = corners.iter().flatten().max().map_or(0, |&v| v as usize + 1);
        let mut sets = DisjointSets::new(vertices);
        let mut edges: Vec<[u32; 2]> = vec![];
        for &[a, b, c] in &corners {
            sets.join_all([a, b, c]);
            let sides = [[a, b], [b, c], [c, a]].map(|[v, w]| [v.min(w), v.max(w)]);
            edges.extend(sides.into_iter().filter(|[v, w]| v != w));
        }
        edges.sort_unstable();
        self.is_closed = edges.chunk_by(|x, y| x == y).all(|same| same.len() % 2 == 0);
        let here = view.at(&Pose::IDENTITY);
        let mut part_of = vec![None; vertices];
        let mut reached: Vec<[f64; 6]> = vec![];
        self.extremes.clear();
        for (id, [a, _, _]) in ids.into_iter().zip(corners) {
            let part = *part_of[sets.root(a) as usize].get_or_insert_with(|| {
                self.triangles.push(id);
                self.extremes.push([id; 6]);
                reached.push([f64::NEG_INFINITY; 6]);
                reached.len() - 1
            });
            let bounds = here.triangle(id).bounds();
            let (high, low) = (bounds.max, -bounds.min);
            for (k, side) in [high.x, high.y, high.z, low.x, low.y, low.z].into_iter().enumerate() {
                if side > reached[part][k] {
                    (reached[part][k], self.extremes[part][k]) = (side, id);
                }
            }
        }
    }

    /// Whether a part of a body is inside another, whose surface it does not meet.
    fn has_part_inside(&self, body: &View, other: &View) -> bool {
        let bounds = other.bounds();
        // Most parts reach out of the other's box somewhere.
        let is_in_box = |extremes: &[TriangleId; 6]| {
            extremes
                .iter()
                .all(|&id| body.triangle(id).corners().iter().all(|&corner| bounds.contains(corner)))
        };
        let parts = self.triangles.iter().zip(&self.extremes).filter(|(_, extremes)| is_in_box(extremes));
        parts.into_iter().any(|(&id, _)| other.side_by_parity(body.triangle(id).a) == Side::Inside)
    }
}
