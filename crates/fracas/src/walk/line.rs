//! Which triangles a segment may meet.

use super::View;
use super::ray::Ray;
use crate::geom::{DVec3, Triangle};

impl View<'_> {
    /// Calls `visit` with every triangle whose box the segment meets, and perhaps with some more, as the pose puts them. The order
    /// depends on the body alone.
    pub(crate) fn for_each_along(&self, start: DVec3, end: DVec3, mut visit: impl FnMut(u32, &Triangle)) {
        let ray = Ray::new(&self.sight(), start, end);
        self.visit(
            f64::MAX,
            |node, bounds| ray.entries(node, bounds),
            |id, t| {
                visit(id, t);
                Some(f64::MAX)
            },
        );
    }
}
