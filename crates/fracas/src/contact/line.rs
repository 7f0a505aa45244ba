//! Where a line runs inside a closed body.
//!
//! A line enters and leaves a closed surface an even number of times. Whether it crosses a triangle is decided by the signs of three
//! products, one for each side as seen along the line. Two triangles compute the same product for the side they share, with opposite
//! signs, so a line never slips through an edge and never crosses it twice: the number of crossings is even whatever the rounding.

use crate::geom::{DVec3, Triangle};
use crate::walk::View;

/// A line, and two directions across it.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) origin: DVec3,
    /// Of length one, as are the other two.
    pub(super) way: DVec3,
    across: [DVec3; 2],
}

/// A part of a line that lies inside a body: from one place to another, as distances from the origin, and the triangles there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) enters: u32,
    pub(super) leaves: u32,
}

impl Line {
    /// `way` has length one.
    pub(super) fn new(origin: DVec3, way: DVec3) -> Self {
        let (u, v) = way.any_orthonormal_pair();
        Self { origin, way, across: [u, v] }
    }

    pub(super) fn at(&self, t: f64) -> DVec3 {
        self.origin + self.way * t
    }

    /// A point as seen along the line: two coordinates across it, and one along it.
    pub(super) fn seen(&self, p: DVec3) -> DVec3 {
        let d = p - self.origin;
        DVec3::new(d.dot(self.across[0]), d.dot(self.across[1]), d.dot(self.way))
    }

    /// The point that is seen at a place.
    pub(super) fn unseen(&self, p: DVec3) -> DVec3 {
        self.origin + self.across[0] * p.x + self.across[1] * p.y + self.way * p.z
    }

    /// Where the line crosses a triangle.
    fn crossing(&self, t: &Triangle) -> Option<f64> {
        let [p, q, r] = t.corners().map(|corner| self.seen(corner));
        let (a, b, c) = (turn(q, r), turn(r, p), turn(p, q));
        let crosses = (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0);
        let whole = a + b + c;
        (crosses && whole != 0.0).then(|| (a * p.z + b * q.z + c * r.z) / whole)
    }

    /// The stretches of the line inside a body, in order, as far as `reach` in both directions.
    pub(super) fn stretches(
        &self,
        body: &View,
        reach: f64,
        hits: &mut Vec<(f64, u32)>,
        out: &mut Vec<Stretch>,
    ) {
        hits.clear();
        out.clear();
        body.for_each_along(self.at(-reach), self.at(reach), |id, t| {
            if let Some(at) = self.crossing(t) {
                hits.push((at, id));
            }
        });
        hits.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        out.extend(hits.chunks_exact(2).map(|pair| Stretch {
            from: pair[0].0,
            to: pair[1].0,
            enters: pair[0].1,
            leaves: pair[1].1,
        }));
    }
}

/// On which side of the side `p q` the line passes, which is at the origin: a product whose sign changes with the order of the ends, and
/// which is zero only if both are at one place.
fn turn(p: DVec3, q: DVec3) -> f64 {
    let product = p.x * q.y - p.y * q.x;
    if product != 0.0 {
        return product;
    }
    match p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)) {
        std::cmp::Ordering::Less => f64::MIN_POSITIVE,
        std::cmp::Ordering::Greater => -f64::MIN_POSITIVE,
        std::cmp::Ordering::Equal => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use crate::tree::MeshTree;

    #[test]
    fn lines_through_corners_and_edges_cross_an_even_number_of_times() {
        let cube = MeshTree::build(shapes::brick(DVec3::ONE, 0.25));
        let (mut hits, mut stretches) = (vec![], vec![]);
        for x in 0..=8 {
            for y in 0..=8 {
                let origin = DVec3::new(f64::from(x) / 8.0 - 0.5, f64::from(y) / 8.0 - 0.5, 0.1);
                let line = Line::new(origin, DVec3::Z);
                line.stretches(&cube.view(), 4.0, &mut hits, &mut stretches);
                assert_eq!(hits.len() % 2, 0, "{origin}");
                let is_inside = x % 8 != 0 && y % 8 != 0;
                if is_inside {
                    assert_eq!(stretches.len(), 1, "{origin}");
                    assert!((stretches[0].from + 0.6).abs() + (stretches[0].to - 0.4).abs() < 1e-12);
                }
            }
        }
    }
}
