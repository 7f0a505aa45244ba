//! An elastic body of points and links, moved by extended position-based dynamics.
//!
//! # Idea
//!
//! A step of the scene is divided into many small ones. In each, points move by their velocities; then every link in turn
//! moves its two ends towards its length at rest, by shares inverse to their masses and the less the more it gives;
//! velocities are what has become of the positions. Small steps with one pass each converge better than one step with
//! many passes, and do not blow up.
//!
//! # Reference
//!
//! M. Macklin, M. Müller and N. Chentanez, *XPBD: position-based simulation of compliant constrained dynamics*, Motion
//! in Games, 2016; M. Macklin and others, *Small steps in physics simulation*, Symposium on Computer Animation, 2019.

use super::contact::Contact;
use crate::points::{Link, Point, pull};
use fracas::geom::DVec3;

/// What moves the body beside its links.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surroundings {
    /// Acceleration of everything that is free.
    pub gravity: DVec3,
    /// Share of velocity that is lost per second, to first order.
    pub drag: f64,
    /// How much a link of a body of unit masses gives under unit force.
    pub compliance: f64,
    /// Small steps in a step.
    pub substeps: usize,
    /// Friction against solid obstacles.
    pub friction: f64,
    /// How far a point is inside an obstacle, and the direction out of it. None outside.
    pub obstacle: fn(DVec3) -> Option<(f64, DVec3)>,
}

/// Moves the points by a step. `part` is called in each small step, with its number, to keep layers apart.
pub(super) fn step(
    points: &mut [Point],
    free: &[u32],
    links: &[Link],
    contacts: &[Contact],
    surroundings: &Surroundings,
    seconds: f64,
    mut part: impl FnMut(usize, &mut [Point]),
) {
    let dt = seconds / surroundings.substeps as f64;
    let give = surroundings.compliance / (dt * dt);
    let keep = 1.0 / (1.0 + surroundings.drag * dt);
    for substep in 0..surroundings.substeps {
        for contact in contacts {
            contact.push(points, dt);
        }
        for &v in free {
            let point = &mut points[v as usize];
            point.velocity += surroundings.gravity * dt;
            point.before = point.position;
            point.position += point.velocity * dt;
        }
        for link in links {
            pull(points, link, give);
        }
        part(substep, points);
        for &v in free {
            let point = &mut points[v as usize];
            if let Some((depth, out)) = (surroundings.obstacle)(point.position) {
                collide(point, depth, out, surroundings.friction);
            }
            point.velocity = (point.position - point.before) * (keep / dt);
        }
    }
}

/// Moves a point out of an obstacle; friction takes away sliding in proportion to how deep it was.
fn collide(point: &mut Point, depth: f64, out: DVec3, friction: f64) {
    point.position += out * depth;
    let moved = point.position - point.before;
    let sliding = moved - out * moved.dot(out);
    let length = sliding.length();
    if length > 0.0 {
        point.position -= sliding * (friction * depth / length).min(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings() -> Surroundings {
        Surroundings {
            gravity: DVec3::new(0.0, 0.0, -10.0),
            drag: 0.0,
            compliance: 0.0,
            substeps: 20,
            friction: 0.5,
            obstacle: |p| (p.z < 0.0).then_some((-p.z, DVec3::Z)),
        }
    }

    fn point(x: f64, z: f64, mobility: f64) -> Point {
        let position = DVec3::new(x, 0.0, z);
        Point { position, velocity: DVec3::ZERO, before: position, mobility }
    }

    #[test]
    fn a_pendulum_keeps_its_length_and_gains_no_height() {
        let mut points = [point(0.0, 5.0, 0.0), point(1.0, 5.0, 1.0)];
        let links = [Link { ends: [0, 1], length: 1.0 }];
        for _ in 0..200 {
            step(&mut points, &[1], &links, &[], &surroundings(), 1.0 / 60.0, |_, _| ());
            assert!((points[1].position.distance(points[0].position) - 1.0).abs() < 1e-3);
            let energy = 0.5 * points[1].velocity.length_squared() + 10.0 * points[1].position.z;
            assert!(energy < 50.5, "{energy}");
        }
        assert_eq!(points[0].position, DVec3::new(0.0, 0.0, 5.0));
    }

    #[test]
    fn a_sliding_point_comes_to_rest_on_the_ground() {
        let mut points = [point(0.0, 0.1, 1.0)];
        points[0].velocity = DVec3::X;
        for _ in 0..120 {
            step(&mut points, &[0], &[], &[], &surroundings(), 1.0 / 60.0, |_, _| ());
        }
        assert!(points[0].position.z.abs() < 1e-3 && points[0].velocity.x.abs() < 1e-3);
        // Sliding on at friction 0.5 would take it v²/2µg = 0.1, and the flight before that a seventh.
        assert!((0.14..0.26).contains(&points[0].position.x), "{}", points[0].position.x);
    }

    #[test]
    fn momentum_between_free_points_is_kept() {
        let mut points = [point(0.0, 9.0, 1.0), point(1.5, 9.0, 0.5)];
        let links = [Link { ends: [0, 1], length: 1.0 }];
        let quiet = Surroundings { gravity: DVec3::ZERO, ..surroundings() };
        for _ in 0..30 {
            step(&mut points, &[0, 1], &links, &[], &quiet, 1.0 / 60.0, |_, _| ());
            let momentum = points[0].velocity + 2.0 * points[1].velocity;
            assert!(momentum.length() < 1e-9, "{momentum}");
        }
    }
}
