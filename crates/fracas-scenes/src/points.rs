//! Points and links: what everything soft is made of.
//!
//! # Reference
//!
//! M. Macklin, M. Müller and N. Chentanez, *XPBD: position-based simulation of compliant constrained dynamics*, Motion
//! in Games, 2016.

use fracas::geom::DVec3;

/// A point of a soft body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub position: DVec3,
    pub velocity: DVec3,
    /// Where it was before the small step.
    pub before: DVec3,
    /// One over its mass; 0 for a point that is held.
    pub mobility: f64,
}

/// Two points that are kept at a distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub ends: [u32; 2],
    pub length: f64,
}

/// Moves the two ends of a link towards its length at rest; `give` is its compliance over the square of the step.
pub(crate) fn pull(points: &mut [Point], link: &Link, give: f64) {
    let [a, b] = link.ends.map(|v| v as usize);
    let (w, u) = (points[a].mobility, points[b].mobility);
    let d = points[b].position - points[a].position;
    let length = d.length();
    if length == 0.0 || w + u == 0.0 {
        return;
    }
    let by = d * ((length - link.length) / (length * (w + u + give)));
    points[a].position += by * w;
    points[b].position -= by * u;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_move_by_shares_inverse_to_their_masses() {
        let at = |x: f64, mobility: f64| {
            let position = DVec3::X * x;
            Point { position, velocity: DVec3::ZERO, before: position, mobility }
        };
        let mut points = [at(0.0, 1.0), at(2.0, 0.5), at(5.0, 0.0)];
        pull(&mut points, &Link { ends: [0, 1], length: 0.5 }, 0.0);
        assert_eq!((points[0].position.x, points[1].position.x), (1.0, 1.5));
        pull(&mut points, &Link { ends: [1, 2], length: 1.0 }, 0.0);
        assert_eq!((points[1].position.x, points[2].position.x), (4.0, 5.0));
        // What gives is moved less.
        pull(&mut points, &Link { ends: [1, 2], length: 0.5 }, 0.5);
        assert_eq!(points[1].position.x, 4.25);
    }
}
