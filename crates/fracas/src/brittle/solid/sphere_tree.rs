//! A tree of spheres over the points of a fragment that gives coarse points first and follows fractures.
//!
//! # Idea
//!
//! Every point is a node of the tree, on the level where it first appears in the order of farthest-point sampling. The parent
//! of a point is the nearest point of the level above:
//!
//! ```text
//!   level 0   a                          reach of c: greatest distance from its parent to c or anything below c
//!             │╲ ╲ ╲                     a's children in order: b, c, d, e.  Their *tail*: greatest reach from here on
//!   level 1   │  b  ╲                      tail(b) ≥ tail(c) ≥ tail(d) ≥ tail(e)
//!   level 2   c   d   e                  A query that knows the distance from a to the other body stops at the first child
//!                                        whose tail is smaller: all further descendants are out of reach.
//! ```
//!
//! The paper repeats a point on every level with ever smaller spheres; a list of children with tails is the same tree with
//! each point stored, and asked about, once.
//!
//! # Fracture
//!
//! A point whose parent goes to another piece becomes a child of its closest ancestor in its own piece, or a root: a fragment
//! may have a forest. Corners of cracks become children of the node they are next to (`piece_trees`). Reaches are recomputed from
//! the finest level up: the farthest point below a child is searched from the child down, and what is below a point is passed over
//! where the sphere around it cannot reach farther than what was found.
//!
//! # Invariants (checked by [`SphereTree::validate`])
//!
//! Points are sorted by level, parents are on lower levels, children are sorted, and reaches are exact.

use super::{FarthestPointOrder, farthest_point_order};
use crate::base::Lists;
use crate::geom::DVec3;

/// A tree of spheres over points; see the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SphereTree {
    pub(crate) points: Vec<DVec3>,
    /// The node of the mesh that each point is, or lies next to.
    pub(crate) owners: Vec<u32>,
    pub(crate) is_crack: Vec<bool>,
    /// The nodes that each point lies between.
    pub(crate) keys: Vec<Key>,
    pub(crate) levels: Vec<u8>,
    /// Parent of each point; [`SphereTree::NONE`] for roots.
    pub(crate) parents: Vec<u32>,
    pub(crate) roots: Vec<u32>,
    /// By point: the points just below it.
    pub(crate) children: Lists<u32>,
    /// For each child, the greatest distance from its parent to anything below it or its later siblings.
    pub(crate) tails: Vec<f64>,
}

/// Whether a sphere is certainly within another one: by the squares of the distance between their centres, of its radius, and of the radius of the other.
#[inline]
fn is_within(distance: f64, radius: f64, other: f64) -> bool {
    // √d + √r ≤ √o, without roots: 2 √(d r) ≤ o − d − r. Rounding changes less than the margin.
    let rest = other * (1.0 - 1e-12) - distance - radius;
    rest >= 0.0 && 4.0 * distance * radius <= rest * rest
}

/// A point of a fragment by the nodes it lies between, sorted; the rest is [`SphereTree::NONE`]. Within one fragment, two points
/// never have the same.
pub(crate) type Key = [u32; 4];

impl SphereTree {
    /// No parent.
    pub(crate) const NONE: u32 = u32::MAX;

    /// A tree over points, built from nothing: what an update after a fracture saves.
    ///
    /// ```
    /// use fracas::brittle::SphereTree;
    /// use fracas::mesh::shapes;
    /// let ball = SphereTree::of_points(shapes::icosphere(1.0, 2).positions());
    /// assert!((ball.radius(0) - 2.0).abs() < 1e-9);
    /// ```
    #[must_use]
    pub fn of_points(points: &[DVec3]) -> Self {
        let nodes: Vec<u32> = (0..points.len() as u32).collect();
        Self::build(points, &nodes)
    }

    /// The tree over the nodes of a body.
    pub(crate) fn build(points: &[DVec3], nodes: &[u32]) -> Self {
        let order = farthest_point_order(points);
        let mut tree = Self::with_capacity(points.len());
        for (place, (&index, &parent)) in order.order.iter().zip(&order.parents).enumerate() {
            let index = index as usize;
            tree.points.push(points[index]);
            tree.owners.push(nodes[index]);
            tree.is_crack.push(false);
            tree.keys.push([nodes[index], Self::NONE, Self::NONE, Self::NONE]);
            tree.levels.push(FarthestPointOrder::level(place));
            tree.parents.push(if place == 0 { Self::NONE } else { parent });
        }
        tree.link();
        tree
    }

    /// An empty tree with room for points.
    pub(crate) fn with_capacity(points: usize) -> Self {
        Self {
            points: Vec::with_capacity(points),
            owners: Vec::with_capacity(points),
            is_crack: Vec::with_capacity(points),
            keys: Vec::with_capacity(points),
            levels: Vec::with_capacity(points),
            parents: Vec::with_capacity(points),
            ..Self::default()
        }
    }

    /// Lists children and computes tails from parents.
    pub(crate) fn link(&mut self) {
        let (count, points) = (self.points.len(), &self.points);
        self.roots.clear();
        self.roots.extend(
            (0..).zip(&self.parents).filter(|&(_, &parent)| parent == Self::NONE).map(|(root, _)| root),
        );
        // Tails begin as squared distances between children and parents; each point notes where it is among all children.
        let mut tails = vec![0.0; count - self.roots.len()];
        let mut slots = vec![0; count];
        let pairs = self.parents.iter().copied().zip(0..).filter(|&(parent, _)| parent != Self::NONE);
        self.children = Lists::from_pairs_noting(count, pairs, |parent, child: u32, slot| {
            tails[slot] = points[parent as usize].distance_squared(points[child as usize]);
            slots[child as usize] = slot as u32;
        });
        self.tails = tails;
        self.measure(&slots);
    }

    /// Makes tails of the squared distances between children and parents.
    fn measure(&mut self, slots: &[u32]) {
        let (points, parents, children, tails) =
            (&self.points, &self.parents, &self.children, &mut self.tails);
        // Squared distance from each point to the farthest one below it; 0 if there is none.
        let mut farthest = vec![0.0; points.len()];
        let mut open: Vec<(f64, u32)> = vec![];
        // What is below a point comes behind it, and is known already.
        for p in (0..points.len()).rev() {
            let below = children.range(p);
            if below.is_empty() {
                continue;
            }
            // A tail is the greatest reach from a child on; rounded up, so that spheres hold what touches them.
            let (mut greatest, mut tail) = (0.0, 0.0);
            for slot in tails[below].iter_mut().rev() {
                if *slot > greatest {
                    greatest = *slot;
                    tail = greatest.sqrt() * (1.0 + 4.0 * f64::EPSILON);
                }
                *slot = tail;
            }
            farthest[p] = greatest;
            let Some(&centre) = points.get(parents[p] as usize) else { continue };
            // The reach of this point: from its parent to the farthest one below.
            let mut reach = tails[slots[p] as usize];
            open.push((reach, p as u32));
            while let Some((squared, q)) = open.pop() {
                if is_within(squared, farthest[q as usize], reach) {
                    continue;
                }
                for &child in children.list(q as usize) {
                    let squared = centre.distance_squared(points[child as usize]);
                    reach = if squared > reach { squared } else { reach };
                    if farthest[child as usize] > 0.0 {
                        open.push((squared, child));
                    }
                }
            }
            tails[slots[p] as usize] = reach;
        }
    }

    /// The points, coarse ones first, in the body's coordinates.
    #[must_use]
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The roots of its trees.
    #[must_use]
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// The points just below a point, coarse ones first. Panics if there is no such point.
    #[must_use]
    pub fn children(&self, point: usize) -> &[u32] {
        self.children.list(point)
    }

    /// The radius of the sphere around a point that holds everything below it. Panics if there is no such point.
    #[must_use]
    pub fn radius(&self, point: usize) -> f64 {
        self.tails[self.children.range(point)].first().copied().unwrap_or(0.0)
    }

    /// Checks every invariant, by looking at all descendants of every point.
    ///
    /// # Errors
    /// The first that is broken, in words.
    pub fn validate(&self) -> Result<(), String> {
        let count = self.points.len();
        if !self.levels.is_sorted() {
            return Err("points are not sorted by level".into());
        }
        for p in 0..count {
            let parent = self.parents[p];
            if parent == Self::NONE {
                if !self.roots.contains(&(p as u32)) {
                    return Err(format!("point {p} has no parent and is no root"));
                }
            } else if self.levels[parent as usize] >= self.levels[p] {
                return Err(format!("point {p} is not below its parent {parent}"));
            }
            let children = self.children.list(p);
            if !children.is_sorted() || children.iter().any(|&c| self.parents[c as usize] != p as u32) {
                return Err(format!("the children of point {p} are wrong"));
            }
            for (k, &tail) in self.tails[self.children.range(p)].iter().enumerate() {
                let mut farthest = 0.0_f64;
                let mut open = children[k..].to_vec();
                while let Some(q) = open.pop() {
                    farthest = farthest.max(self.points[p].distance(self.points[q as usize]));
                    open.extend(self.children(q as usize));
                }
                if !(farthest <= tail && tail <= farthest * (1.0 + 1e-9) + 1e-300) {
                    return Err(format!(
                        "the sphere of point {p} from child {k} on has radius {tail}, not {farthest}"
                    ));
                }
            }
        }
        let reached = self.roots.len() + self.children.items().len();
        if reached != count {
            return Err(format!("{reached} of {count} points are in the tree"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tets::brick;

    #[test]
    fn a_built_tree_holds_all_points_in_its_spheres() {
        let points = brick(DVec3::new(1.0, 0.8, 0.3), [7, 6, 3]).positions().to_vec();
        let nodes: Vec<u32> = (0..points.len() as u32).collect();
        let tree = SphereTree::build(&points, &nodes);
        tree.validate().unwrap();
        assert_eq!((tree.points.len(), tree.roots.len()), (points.len(), 1));
        let farthest = points.iter().map(|p| p.distance(tree.points[0])).fold(0.0, f64::max);
        assert!((tree.radius(0) - farthest).abs() < 1e-12);
    }

    #[test]
    fn validate_finds_a_sphere_that_is_too_small() {
        let points = brick(DVec3::ONE, [3, 3, 3]).positions().to_vec();
        let nodes: Vec<u32> = (0..points.len() as u32).collect();
        let mut tree = SphereTree::build(&points, &nodes);
        tree.tails[0] *= 0.99;
        assert!(tree.validate().is_err());
    }
}
