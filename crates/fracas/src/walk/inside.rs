//! Whether a point is inside a closed body.
//!
//! A segment from the point to far outside crosses the surface an odd number of times. Whether it crosses a
//! triangle is decided exactly. A segment that touches an edge or a corner proves nothing, and another is tried.

use super::View;
use super::ray::Ray;
use crate::exact::{self, Relation};
use crate::geom::DVec3;

/// Where a point lies with respect to a closed body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A way outside crosses the surface an odd number of times.
    Inside,
    /// The point lies on a triangle, exactly.
    On,
    /// A way outside crosses the surface an even number of times.
    Outside,
}

impl View<'_> {
    /// On which side of a closed body a point lies, decided exactly.
    ///
    /// Where a closed surface intersects itself, what is inside twice counts as outside. For an open surface the answer means
    /// nothing. A point that is not finite is outside.
    ///
    /// # Cost
    /// That of a ray, and of some more where the first ones touch edges.
    ///
    /// ```
    /// use fracas::{MeshTree, Side, mesh::shapes, geom::DVec3};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 3));
    /// assert_eq!(ball.view().side_of(DVec3::splat(0.5)), Side::Inside);
    /// assert_eq!(ball.view().side_of(DVec3::splat(0.6)), Side::Outside);
    /// assert_eq!(ball.view().side_of(ball.mesh().positions()[7]), Side::On);
    /// ```
    #[doc(alias = "contains")]
    #[must_use]
    pub fn side_of(&self, p: DVec3) -> Side {
        let (low, high) = self.bounds().corners();
        let size = (high - low).max_element();
        let pad = size * 1e-6;
        if !(p.is_finite() && (low - pad).cmple(p).all() && p.cmple(high + pad).all()) {
            return Side::Outside;
        }
        for way in WAYS {
            // Straight out through the box and well beyond it.
            let end = p + DVec3::from_array(way) * (4.0 * size);
            match self.count_crossings(p, end) {
                Some(crossings) if crossings % 2 == 1 => return Side::Inside,
                Some(_) => return Side::Outside,
                None => {}
            }
        }
        // Every way touches something: most likely because its beginning does.
        let on = self.nearest(p, f64::INFINITY).is_some_and(|near| {
            exact::segment_triangle(p, p, &self.triangle(near.triangle)) != Relation::Disjoint
        });
        if on { Side::On } else { Side::Outside }
    }

    /// How many triangles a segment crosses; `None` if it touches one.
    fn count_crossings(&self, start: DVec3, end: DVec3) -> Option<usize> {
        let ray = Ray::new(&self.sight(), start, end);
        let mut crossings = Some(0);
        self.visit(
            f64::MAX,
            |node, bounds| ray.entries(node, bounds),
            |_, t| {
                match exact::segment_triangle(start, end, t) {
                    Relation::Disjoint => {}
                    Relation::Crossing => crossings = crossings.map(|n| n + 1),
                    Relation::Touching => crossings = None,
                }
                crossings.map(|_| f64::MAX)
            },
        );
        crossings
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
