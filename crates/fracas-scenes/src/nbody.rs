//! Balls fly about in a box without gravity and bounce off each other and the walls.
//!
//! # Idea
//!
//! Two balls have met when triangles of their meshes intersect, which the exact pairs of a frame tell. If they
//! approach, they exchange an impulse along the line of their centres, without loss; their spins stay, as nothing rubs.
//! So momentum between balls and the energy of all are kept, to rounding. Balls that overlap are not moved apart: they
//! part by themselves.
//!
//! Sizes: 12 × 320, 114 × 1,280 and 114 × 5,120 triangles.
//!
//! # Reference
//!
//! The n-body scene of the UNC dynamic scene benchmarks, as used by R. Weller, N. Debowski and G. Zachmann, *kDet:
//! parallel constant time collision detection for polygonal objects*, Computer Graphics Forum, 2017.

use crate::soup::Soup;
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::DVec3;
use fracas::internal::Random;
use fracas::mesh::{Mesh, shapes};
use glam::DQuat;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "nbody",
    about: "dozens of balls fly about in a box and bounce off each other",
    steps: |_| 240,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

const STEP_SECONDS: f64 = 1.0 / 60.0;
/// Half the side of the box.
const WALL: f64 = 1.0;

struct Ball {
    centre: DVec3,
    velocity: DVec3,
    spin: DVec3,
    turn: DQuat,
    radius: f64,
    mass: f64,
}

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (count, subdivisions) = match options.size {
        Size::Small => (12, 2),
        Size::Paper => (114, 3),
        Size::Large => (114, 4),
    };
    let sphere = shapes::icosphere(1.0, subdivisions);
    let mut balls = scattered(count);
    let parts: Vec<&Mesh> = balls.iter().map(|_| &sphere).collect();
    let mut soup = Soup::of(&parts, options);
    let mut touching: Vec<[u32; 2]> = Vec::new();
    let advance = move |step: usize, frame: &mut Frame| {
        if step == 0 {
            soup.note_all(frame);
        } else {
            frame.time("physics", || {
                touching.iter().for_each(|&[a, b]| bounce(&mut balls, a as usize, b as usize));
                balls.iter_mut().for_each(fly);
            });
        }
        let place = |ball: &Ball, p: &DVec3| ball.centre + ball.turn * *p * ball.radius;
        let positions: Vec<DVec3> =
            balls.iter().flat_map(|ball| sphere.positions().iter().map(move |p| place(ball, p))).collect();
        soup.look(&positions, frame);
        touching = soup.touching(&frame.pairs);
        frame.count("touching", touching.len() as f64);
        frame
            .count("energy", balls.iter().map(|ball| 0.5 * ball.mass * ball.velocity.length_squared()).sum());
        Ok(())
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(Run::new(steps, STEP_SECONDS, None, Box::new(advance)))
}

/// Balls of several sizes, apart from each other and from the walls.
fn scattered(count: usize) -> Vec<Ball> {
    let mut random = Random::linear(0);
    let mut vector = |reach: f64| {
        DVec3::new(random.unit(), random.unit(), random.unit()) * (2.0 * reach) - DVec3::splat(reach)
    };
    // Few balls are large, so that they meet all the same.
    let largest = 0.34 * WALL / libm::cbrt(count as f64) * 2.0;
    let mut balls: Vec<Ball> = Vec::with_capacity(count);
    while balls.len() < count {
        let radius = largest * (0.55 + 0.45 * (balls.len() as f64 * 0.618).fract());
        let centre = vector(WALL - radius);
        let is_free = |ball: &Ball| ball.centre.distance(centre) > ball.radius + radius;
        if balls.iter().all(is_free) {
            let (velocity, spin) = (vector(1.2), vector(3.0));
            balls.push(Ball { centre, velocity, spin, turn: DQuat::IDENTITY, radius, mass: radius.powi(3) });
        }
    }
    balls
}

/// An impulse without loss between two balls that approach each other.
fn bounce(balls: &mut [Ball], a: usize, b: usize) {
    let Some(normal) = (balls[b].centre - balls[a].centre).try_normalize() else { return };
    let approach = (balls[a].velocity - balls[b].velocity).dot(normal);
    if approach > 0.0 {
        let [m, n] = [balls[a].mass, balls[b].mass];
        let impulse = normal * (2.0 * approach * m * n / (m + n));
        balls[a].velocity -= impulse / m;
        balls[b].velocity += impulse / n;
    }
}

fn fly(ball: &mut Ball) {
    ball.centre += ball.velocity * STEP_SECONDS;
    ball.turn = (DQuat::from_scaled_axis(ball.spin * STEP_SECONDS) * ball.turn).normalize();
    for axis in 0..3 {
        let beyond = ball.centre[axis].abs() + ball.radius > WALL;
        if beyond && ball.centre[axis] * ball.velocity[axis] > 0.0 {
            ball.velocity[axis] = -ball.velocity[axis];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bounce_keeps_momentum_and_energy() {
        let mut balls = scattered(2);
        balls[0].velocity = (balls[1].centre - balls[0].centre) * 2.0 + DVec3::new(0.1, 0.2, 0.3);
        let momentum = |balls: &[Ball]| balls.iter().map(|b| b.velocity * b.mass).sum::<DVec3>();
        let energy = |balls: &[Ball]| balls.iter().map(|b| b.velocity.length_squared() * b.mass).sum::<f64>();
        let (p, e) = (momentum(&balls), energy(&balls));
        let before = balls[0].velocity;
        bounce(&mut balls, 0, 1);
        assert!(balls[0].velocity != before);
        assert!((momentum(&balls) - p).length() < 1e-12 && (energy(&balls) / e - 1.0).abs() < 1e-12);
        // Once they part, nothing happens any more.
        let after = balls[0].velocity;
        bounce(&mut balls, 0, 1);
        assert_eq!(balls[0].velocity, after);
    }
}
