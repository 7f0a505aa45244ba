//! What intersecting triangles do to each other: the corners of one are pushed out of the face of the other.
//!
//! # Idea
//!
//! ```text
//!        \    /   other            Two closed surfaces have run into each other. Corners of one triangle are then
//!   ──────\──/─────── face         behind the other, whose normal shows the way out. Either may be the face; the
//!          \/  ↑ depth             one from which the way out is shorter is taken.
//! ```
//!
//! Each corner behind the face becomes a contact with the point of the face next to it, until the next query.

use crate::points::Point;
use fracas::geom::DVec3;

/// A point that must not be behind a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub point: u32,
    pub face: [u32; 3],
    /// How far behind the face the point was when the contact was made.
    pub depth: f64,
    /// The point of the face next to the point, as shares of its corners.
    pub weights: [f64; 3],
}

/// Acceleration apart, per unit of depth.
const STIFFNESS: f64 = 2_000.0;
/// The greatest acceleration apart. Links are far stronger, so that a tangle is drawn apart and never torn up.
const STRONGEST: f64 = 30.0;
/// The share of an approach that a small step takes away.
const DAMPING: f64 = 0.2;

/// Adds the contacts of two intersecting triangles. Depths beyond `limit` are taken for false alarms.
pub(super) fn add(a: [u32; 3], b: [u32; 3], points: &[Point], limit: f64, contacts: &mut Vec<Contact>) {
    if a.iter().any(|v| b.contains(v)) {
        return;
    }
    let at = |corners: [u32; 3]| corners.map(|v| points[v as usize].position);
    let behind = |face: [u32; 3], other: [u32; 3]| {
        let normal = normal(at(face))?;
        let depths = at(other).map(|p| (at(face)[0] - p).dot(normal));
        Some((depths.into_iter().fold(0.0, f64::max), depths))
    };
    let (of_b, of_a) = (behind(a, b), behind(b, a));
    let (face, other, deepest, depths) = match (of_b, of_a) {
        (Some((x, depths)), Some((y, _))) if x <= y => (a, b, x, depths),
        (_, Some((y, depths))) => (b, a, y, depths),
        (Some((x, depths)), None) => (a, b, x, depths),
        (None, None) => return,
    };
    if deepest > limit {
        return;
    }
    for (point, depth) in other.into_iter().zip(depths) {
        if depth > 0.0 {
            let weights = nearest(at(face), points[point as usize].position);
            contacts.push(Contact { point, face, depth, weights });
        }
    }
}

/// Leaves each point its shallowest contact. A point behind many faces would be thrown, not pushed.
pub(super) fn keep_shallowest(contacts: &mut Vec<Contact>) {
    let order = |a: &Contact, b: &Contact| {
        a.point.cmp(&b.point).then(a.depth.total_cmp(&b.depth)).then(a.face.cmp(&b.face))
    };
    contacts.sort_unstable_by(order);
    contacts.dedup_by_key(|contact| contact.point);
}

impl Contact {
    /// Accelerates point and face apart if the point is behind the face, and slows their approach.
    pub fn push(&self, points: &mut [Point], dt: f64) {
        let Some(normal) = normal(self.face.map(|v| points[v as usize].position)) else { return };
        let at = |v: u32| &points[v as usize];
        let depth = (at(self.face[0]).position - at(self.point).position).dot(normal);
        let shares = [0, 1, 2].map(|k| self.weights[k] * at(self.face[k]).mobility);
        let own = at(self.point).mobility;
        let mobility = own + (0..3).map(|k| shares[k] * self.weights[k]).sum::<f64>();
        if depth <= 0.0 || mobility == 0.0 {
            return;
        }
        let of_face: DVec3 = (0..3).map(|k| at(self.face[k]).velocity * self.weights[k]).sum();
        let approach = (of_face - at(self.point).velocity).dot(normal).max(0.0);
        let apart = (STIFFNESS * depth).min(STRONGEST) * dt + DAMPING * approach;
        let impulse = normal * (apart / mobility);
        points[self.point as usize].velocity += impulse * own;
        for k in 0..3 {
            points[self.face[k] as usize].velocity -= impulse * shares[k];
        }
    }
}

fn normal([a, b, c]: [DVec3; 3]) -> Option<DVec3> {
    (b - a).cross(c - a).try_normalize()
}

/// The point of a triangle below or above a point, or near its rim, as shares of its corners.
fn nearest([a, b, c]: [DVec3; 3], p: DVec3) -> [f64; 3] {
    let n = (b - a).cross(c - a);
    let area = n.length_squared();
    let share = |x: DVec3, y: DVec3| (((y - x).cross(p - x)).dot(n) / area).max(0.0);
    let shares = [share(b, c), share(c, a), share(a, b)];
    let sum: f64 = shares.iter().sum();
    if sum > 0.0 && sum.is_finite() { shares.map(|share| share / sum) } else { [1.0 / 3.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(positions: &[[f64; 3]]) -> Vec<Point> {
        let point = |&p: &[f64; 3]| {
            let position = DVec3::from_array(p);
            Point { position, velocity: DVec3::ZERO, before: position, mobility: 1.0 }
        };
        positions.iter().map(point).collect()
    }

    #[test]
    fn a_spike_through_a_face_is_pushed_back_and_momentum_is_kept() {
        let mut points = points(&[
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.3, 0.3, -0.01],
            [0.3, 0.4, 0.5],
            [0.4, 0.3, 0.5],
        ]);
        let mut contacts = Vec::new();
        add([0, 1, 2], [3, 4, 5], &points, 0.1, &mut contacts);
        assert_eq!((contacts.len(), contacts[0].point, contacts[0].face), (1, 3, [0, 1, 2]));
        points[3].velocity = DVec3::new(0.1, 0.0, -1.0);
        let momentum = |points: &[Point]| points.iter().map(|p| p.velocity).sum::<DVec3>();
        let before = momentum(&points);
        let dt = 1e-3;
        for _ in 0..200 {
            contacts[0].push(&mut points, dt);
            points.iter_mut().for_each(|p| p.position += p.velocity * dt);
        }
        assert!((momentum(&points) - before).length() < 1e-12);
        let [a, b, c] = [0, 1, 2].map(|k| points[k].position);
        assert!((points[3].position - a).dot(normal([a, b, c]).unwrap()) >= 0.0, "the spike is out");
    }

    #[test]
    fn neighbours_and_deep_pairs_are_left_alone() {
        let points = points(&[
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.3, 0.3, -0.5],
            [0.3, 0.4, 0.5],
            [0.4, 0.3, 0.5],
        ]);
        let mut contacts = Vec::new();
        add([0, 1, 2], [2, 4, 5], &points, 0.1, &mut contacts);
        add([0, 1, 2], [3, 4, 5], &points, 0.1, &mut contacts);
        assert!(contacts.is_empty());
    }

    #[test]
    fn the_nearest_point_is_inside_the_face() {
        let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
        assert_eq!(nearest(face, DVec3::new(0.25, 0.25, 3.0)), [0.5, 0.25, 0.25]);
        assert_eq!(nearest(face, DVec3::new(9.0, -1.0, 0.0)), [0.0, 1.0, 0.0]);
    }
}
