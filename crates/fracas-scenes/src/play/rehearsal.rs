//! What a patient user does in each scene, step by step: for tests that compare runs, and for benchmarks that need something to happen.

use super::{Missile, Play, Ray, Tool};
use crate::{Frame, SceneError};
use fracas::geom::DVec3;

impl Play {
    /// Does what a patient user would do before the next step, then that step. The same for a scene every time.
    ///
    /// # Errors
    /// As [`Play::step`].
    pub fn rehearse(&mut self, scene: &str) -> Result<&Frame, SceneError> {
        for tool in tools_at(scene, self.frame().step + 1) {
            self.apply(&tool)?;
        }
        self.step()
    }
}

/// A ray straight down.
fn down(x: f64, y: f64) -> Ray {
    Ray { from: DVec3::new(x, y, 6.0), along: -DVec3::Z }
}

/// A ray from the front.
fn front(x: f64, z: f64) -> Ray {
    let from = DVec3::new(0.0, -6.0, 1.2);
    Ray { from, along: DVec3::new(x, 0.0, z) - from }
}

/// What is done before a step.
fn tools_at(scene: &str, step: usize) -> Vec<Tool> {
    let side = if (step / 25).is_multiple_of(2) { -1.0 } else { 1.0 };
    let is_at = |first: usize, every: usize| step >= first && (step - first).is_multiple_of(every);
    let mut tools = vec![];
    match scene {
        "plates" => {
            if is_at(5, 25) && step < 200 {
                tools.push(Tool::Ball { ray: down(0.7 * side + 0.002 * step as f64 - 0.2, 0.05 * side) });
            }
            if step == 215 {
                tools.push(Tool::Throw { ray: front(-0.7, 0.75), what: Missile::Ball, speed: 12.0 });
            }
        }
        "handful" => {
            let turn = 1.256_637 * (step / 60) as f64;
            let [x, y] = [1.4 * libm::cos(turn), 1.4 * libm::sin(turn)];
            match step % 60 {
                20 => tools.push(Tool::Grab { ray: down(x, y) }),
                21..40 => {
                    let share = (step % 60 - 20) as f64 / 20.0;
                    let from = DVec3::new(x, y, 6.0);
                    let to = DVec3::new(x * (1.0 - 2.0 * share), y * (1.0 - 2.0 * share), 0.4);
                    tools.push(Tool::Drag { ray: Ray { from, along: to - from } });
                }
                40 => tools.push(Tool::Release),
                50 => tools.push(Tool::Strike { ray: down(-x, -y), strength: 0.8 }),
                _ => {}
            }
        }
        "bricks" => {
            if is_at(30, 40) {
                tools.push(Tool::Throw { ray: front(0.4 * side, 0.3), what: Missile::Brick, speed: 14.0 });
            }
        }
        "piggybank" => {
            if is_at(90, 50) {
                tools.push(Tool::Strike { ray: down(0.15 * side, 0.1), strength: 0.7 });
            }
        }
        "cut" => match step {
            20 => {
                tools.push(Tool::Cut { rays: vec![front(-1.7, 0.95), front(-0.8, 0.85), front(0.05, 0.9)] })
            }
            80 => tools.push(Tool::Cut { rays: vec![front(0.9, 1.2), front(0.75, 0.1)] }),
            130 => tools.push(Tool::Grab { ray: front(1.0, 0.7) }),
            131..160 => {
                tools.push(Tool::Drag { ray: front(1.0 + 0.02 * (step - 130) as f64, 0.8) });
            }
            160 => tools.push(Tool::Release),
            _ => {}
        },
        _ => {
            if is_at(20, 40) {
                tools.push(Tool::Strike { ray: down(0.01, 0.02), strength: 0.9 });
            }
        }
    }
    tools
}
