//! Which triangles are in a box.

use super::View;
use crate::geom::Box3;
use crate::mesh::TriangleId;
use crate::pairs::{Frame, LANES, bits};
use fearless_simd::{Level, dispatch};

impl View<'_> {
    /// All triangles whose own boxes share a point with the closed box, sorted by id. The
    /// comparison is exact, in `f64`. A box with a NaN corner, or with `min` above `max` in some axis, finds nothing.
    ///
    /// ```
    /// use fracas::{MeshTree, mesh::shapes, geom::{Box3, DVec3}};
    /// let ball = MeshTree::build(shapes::icosphere(1.0, 2));
    /// let corner = Box3 { min: DVec3::splat(0.4), max: DVec3::splat(0.8) };
    /// let found = ball.view().find_in_box(&corner);
    /// assert!(!found.is_empty() && found.len() < ball.mesh().triangle_count());
    /// ```
    #[must_use]
    pub fn find_in_box(&self, bounds: &Box3) -> Vec<TriangleId> {
        let (low, high) = bounds.corners();
        let mut found = Vec::new();
        if !low.cmple(high).all() {
            return found;
        }
        let sight = self.sight();
        let (from, to) = (sight.point(low), sight.point(high));
        // Rounding is relative to the coordinate, which may lie far outside the frame.
        let pad = |x: f32| 2.0 * Frame::SLACK * x.abs().max(1.0);
        let from = from.as_vec3().to_array().map(|x| x - pad(x));
        let to = to.as_vec3().to_array().map(|x| x + pad(x));
        let level = Level::new();
        self.visit(
            0.0,
            |node, lanes| {
                *lanes = [f64::INFINITY; LANES];
                if self.pose.is_identity() {
                    let hits = dispatch!(level, simd => node.boxes.overlapping(simd, from, to));
                    bits(hits).for_each(|lane| lanes[lane] = 0.0);
                } else {
                    // Boxes of turned triangles are larger than turned boxes of triangles: compare in the world.
                    let hits = node
                        .used()
                        .filter(|(lane, _)| sight.in_world(node.boxes.lane(*lane)).overlaps(bounds));
                    hits.for_each(|(lane, _)| lanes[lane] = 0.0);
                }
            },
            |id, t| {
                let (t_low, t_high) = (t.a.min(t.b).min(t.c), t.a.max(t.b).max(t.c));
                if low.cmple(t_high).all() && t_low.cmple(high).all() {
                    found.push(TriangleId(id));
                }
                Some(0.0)
            },
        );
        found.sort_unstable();
        found
    }
}
