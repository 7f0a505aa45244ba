//! The point of a mesh nearest to a point, and whether a point is inside a closed mesh.
//!
//! # Idea
//!
//! *Nearest:* boxes are opened in the order of their distance, until the next is farther than the best point found. Boxes are
//! compared in the tree's own coordinates with their rounding allowed for, triangles in `f64`.
//!
//! *Inside:* a segment from the point to far outside crosses the surface an odd number of times. Whether it crosses a
//! triangle is decided exactly. A segment that touches an edge or a corner proves nothing, and another is tried.

use super::query::Ray;
use super::{Child, MeshTree};
use crate::exact::{self, Relation};
use crate::geom::DVec3;
use crate::mesh::TriangleId;
use crate::pairs::Frame;

/// The nearest point of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The triangle it lies on; of several at the same distance, the one with the smallest id.
    pub triangle: TriangleId,
    /// The point, rounded.
    pub point: DVec3,
    /// Distance to it, rounded.
    pub distance: f64,
}

/// Where a point lies with respect to a closed mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A way outside crosses the surface an odd number of times.
    Inside,
    /// The point lies on a triangle, exactly.
    On,
    /// A way outside crosses the surface an even number of times.
    Outside,
}

impl MeshTree {
    /// The point of the mesh nearest to `p`, if it is nearer than `reach`, which may be infinite.
    ///
    /// `None` if nothing is that near or the point is not finite.
    ///
    /// # Cost
    /// About as many nodes as the tree is deep, near the surface; more, the farther away.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes, geom::DVec3};
    /// let cube = MeshTree::build(shapes::cuboid(DVec3::splat(2.0)));
    /// let near = cube.find_nearest(DVec3::new(0.2, 0.3, 3.0), f64::INFINITY).unwrap();
    /// assert!(near.distance == 2.0 && near.point.distance(DVec3::new(0.2, 0.3, 1.0)) < 1e-15);
    /// ```
    #[must_use]
    pub fn find_nearest(&self, p: DVec3, reach: f64) -> Option<Nearest> {
        let tree = self.tree();
        if !p.is_finite() || tree.nodes.is_empty() {
            return None;
        }
        let q = ((p - tree.frame.centre) * tree.frame.scale).to_array();
        let mut best: Option<Nearest> = None;
        let mut limit = reach * reach;
        // Nearest on top; a child's distance is a lower bound, squared, in the mesh's coordinates.
        let mut stack = vec![(0.0, Child::node(0))];
        while let Some((bound, child)) = stack.pop() {
            if bound > limit {
                continue;
            }
            if !child.is_leaf() {
                let node = &tree.nodes[child.index()];
                let first = stack.len();
                for (lane, child) in node.used() {
                    let (low, high) = node.lane_box(lane);
                    let mut squared = 0.0;
                    for k in 0..3 {
                        let slack = f64::from(Frame::SLACK) + 4.0 * f64::EPSILON * q[k].abs();
                        let outside = (f64::from(low[k]) - q[k]).max(q[k] - f64::from(high[k])) - slack;
                        squared += outside.max(0.0) * outside.max(0.0);
                    }
                    let bound = squared * (1.0 - 1e-12) / (tree.frame.scale * tree.frame.scale);
                    if bound <= limit {
                        stack.push((bound, child));
                    }
                }
                stack[first..].sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
                continue;
            }
            for triangle in tree.ids[child.index()].triangle_ids() {
                let point = self.mesh().triangle(triangle).closest_point(p);
                let squared = point.distance_squared(p);
                let is_first = best.is_none_or(|found| triangle < found.triangle);
                if squared < limit || (squared == limit && best.is_some() && is_first) {
                    limit = squared;
                    best = Some(Nearest { triangle, point, distance: squared.sqrt() });
                }
            }
        }
        best
    }

    /// On which side of a closed mesh a point lies, decided exactly.
    ///
    /// Where a closed mesh intersects itself, what is inside twice counts as outside. For an open mesh the answer means
    /// nothing. A point that is not finite is outside.
    ///
    /// # Cost
    /// That of a ray, and of some more where the first ones touch edges.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes, geom::DVec3, tree::Side};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
    /// assert_eq!(ball.side_of(DVec3::splat(0.5)), Side::Inside);
    /// assert_eq!(ball.side_of(DVec3::splat(0.6)), Side::Outside);
    /// assert_eq!(ball.side_of(ball.mesh().positions()[7]), Side::On);
    /// ```
    #[must_use]
    pub fn side_of(&self, p: DVec3) -> Side {
        let Some((low, high)) = self.tree().bounds() else { return Side::Outside };
        let unmap = |x: [f32; 3]| self.tree().frame.unmap(DVec3::from_array(x.map(f64::from)));
        let (low, high) = (unmap(low), unmap(high));
        let size = (high - low).max_element();
        let pad = size * 1e-6;
        if !(p.is_finite() && (low - pad).cmple(p).all() && p.cmple(high + pad).all()) {
            return Side::Outside;
        }
        let mut touched = false;
        for way in WAYS {
            // Straight out through the box and well beyond it.
            let end = p + DVec3::from_array(way) * (4.0 * size);
            match self.count_crossings(p, end) {
                Some(crossings) if crossings % 2 == 1 => return Side::Inside,
                Some(_) => return Side::Outside,
                None => touched = true,
            }
        }
        debug_assert!(touched);
        // Every way touches something: most likely because its beginning does.
        let on = self.find_nearest(p, f64::INFINITY).is_some_and(|near| {
            exact::segment_triangle(p, p, &self.mesh().triangle(near.triangle)) != Relation::Disjoint
        });
        if on { Side::On } else { Side::Outside }
    }

    /// How many triangles a segment crosses; `None` if it touches one.
    fn count_crossings(&self, start: DVec3, end: DVec3) -> Option<usize> {
        let tree = self.tree();
        let ray = Ray::new(&tree.frame, start, end);
        let mut crossings = 0;
        let mut stack = vec![(0.0, Child::node(0))];
        while let Some((_, child)) = stack.pop() {
            if !child.is_leaf() {
                ray.push_nearest_last(&tree.nodes[child.index()], &mut stack);
                continue;
            }
            for triangle in tree.ids[child.index()].triangle_ids() {
                match exact::segment_triangle(start, end, &self.mesh().triangle(triangle)) {
                    Relation::Disjoint => {}
                    Relation::Crossing => crossings += 1,
                    Relation::Touching => return None,
                }
            }
        }
        Some(crossings)
    }
}

/// Directions without a pattern, so that a way that touches an edge is followed by one that does not.
const WAYS: [[f64; 3]; 8] = [
    [0.0871, 0.0523, 0.9948],
    [-0.9421, 0.1217, 0.3123],
    [0.2917, -0.9283, -0.2311],
    [0.5813, 0.6127, -0.5351],
    [-0.4339, -0.5479, 0.7151],
    [0.7907, -0.3571, 0.4973],
    [-0.6361, 0.7549, -0.1597],
    [-0.1873, 0.4021, -0.8962],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Triangle;
    use crate::mesh::shapes;

    /// A sequence of points in the cube from −1 to 1, and a little beyond.
    fn points(count: usize) -> Vec<DVec3> {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        (0..count).map(|_| DVec3::new(next(), next(), next()) * 1.3).collect()
    }

    #[test]
    fn nearest_agrees_with_a_look_at_every_triangle() {
        for mesh in
            [shapes::noisy_sphere(3000, 0.3, 1), shapes::torus(0.7, 0.2, 24), shapes::cuboid(DVec3::ONE)]
        {
            let tree = MeshTree::build(mesh);
            for p in points(300) {
                let all = (0..tree.mesh().triangle_count() as u32).map(|t| {
                    let point = tree.mesh().triangle(TriangleId(t)).closest_point(p);
                    (point.distance_squared(p), t, point)
                });
                let (squared, t, point) = all.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).unwrap();
                let expected = Nearest { triangle: TriangleId(t), point, distance: squared.sqrt() };
                assert_eq!(tree.find_nearest(p, f64::INFINITY), Some(expected));
                assert_eq!(tree.find_nearest(p, 0.99 * expected.distance), None);
            }
        }
    }

    #[test]
    fn sides_are_those_of_the_formula() {
        let tree = MeshTree::build(shapes::cuboid(DVec3::new(1.0, 1.4, 0.6)));
        for p in points(3000) {
            let outside = (p.abs() - 0.5 * DVec3::new(1.0, 1.4, 0.6)).max_element() > 0.0;
            assert_eq!(tree.side_of(p), if outside { Side::Outside } else { Side::Inside });
        }
        assert_eq!(tree.side_of(DVec3::new(0.5, 0.1, 0.2)), Side::On);
        assert_eq!(tree.side_of(DVec3::new(f64::NAN, 0.0, 0.0)), Side::Outside);
        // Points in line with corners, edges and diagonals.
        for p in [DVec3::ZERO, DVec3::new(0.25, 0.25, 0.25), DVec3::new(0.0, 0.7 - 1e-15, 0.0)] {
            assert_eq!(tree.side_of(p), Side::Inside);
        }
    }

    #[test]
    fn closest_points_of_triangles_agree_with_a_fine_sampling() {
        let t =
            Triangle::new(DVec3::new(0.1, 0.2, 0.0), DVec3::new(1.0, -0.3, 0.4), DVec3::new(-0.2, 0.9, 0.5));
        for p in points(200) {
            let mut best = f64::INFINITY;
            for i in 0..=60 {
                for j in 0..=60 - i {
                    let (u, v) = (f64::from(i) / 60.0, f64::from(j) / 60.0);
                    best = best.min((t.a + (t.b - t.a) * u + (t.c - t.a) * v).distance(p));
                }
            }
            let found = t.closest_point(p).distance(p);
            assert!(found <= best + 1e-12 && found > best - 0.02, "{found} {best}");
        }
    }
}
