//! The point of a body nearest to a point.
//!
//! Boxes are opened in the order of their distance, until the next is farther than the best point found. Boxes are
//! compared in the frame with their rounding allowed for, triangles in `f64`.

use super::View;
use crate::geom::DVec3;
use crate::mesh::TriangleId;
use crate::pairs::Frame;

/// The nearest point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The triangle it lies on; of several at the same distance, the one with the smallest id.
    pub triangle: TriangleId,
    /// The point, rounded.
    pub point: DVec3,
    /// Distance to it, rounded.
    pub distance: f64,
}

impl View<'_> {
    /// The point of the body nearest to `p`, if it is nearer than `reach`, which may be infinite.
    ///
    /// `None` if nothing is that near or the point is not finite.
    ///
    /// # Cost
    /// About as many nodes as the tree is deep, near the surface; more, the farther away.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes, geom::DVec3};
    /// let cube = MeshTree::build(shapes::cuboid(DVec3::splat(2.0)));
    /// let near = cube.view().nearest(DVec3::new(0.2, 0.3, 3.0), f64::INFINITY).unwrap();
    /// assert!(near.distance == 2.0 && near.point.distance(DVec3::new(0.2, 0.3, 1.0)) < 1e-15);
    /// ```
    #[doc(alias = "closest_point")]
    #[doc(alias = "project_point")]
    #[must_use]
    pub fn nearest(&self, p: DVec3, reach: f64) -> Option<Nearest> {
        if !p.is_finite() {
            return None;
        }
        let sight = self.sight();
        let q = sight.point(p).to_array();
        let pad = sight.rounding(DVec3::from_array(q).abs().max_element());
        let squared_scale = sight.frame.scale * sight.frame.scale;
        let mut best: Option<Nearest> = None;
        let mut limit = reach * reach;
        // Bounds are squared distances in the world's units.
        self.visit(
            limit,
            |node, bounds| {
                for (lane, _) in node.used() {
                    let (low, high) = node.boxes.lane(lane);
                    let mut squared = 0.0;
                    for k in 0..3 {
                        let slack = f64::from(Frame::SLACK) + 4.0 * f64::EPSILON * q[k].abs() + pad;
                        let outside = (f64::from(low[k]) - q[k]).max(q[k] - f64::from(high[k])) - slack;
                        squared += outside.max(0.0) * outside.max(0.0);
                    }
                    bounds[lane] = squared * (1.0 - 1e-12) / squared_scale;
                }
            },
            |id, t| {
                let triangle = TriangleId(id);
                let point = t.closest_point(p);
                let squared = point.distance_squared(p);
                let is_first = best.is_none_or(|found| triangle < found.triangle);
                if squared < limit || (squared == limit && best.is_some() && is_first) {
                    limit = squared;
                    best = Some(Nearest { triangle, point, distance: squared.sqrt() });
                }
                Some(limit)
            },
        );
        best
    }
}
