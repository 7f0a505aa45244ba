//! Cloth and solid things together: what all scenes with cloth have in common.

use crate::cloth::{Cloth, ClothOptions};
use crate::obstacle::{Obstacle, Solid};
use crate::soup::Soup;
use crate::{Frame, Run, SceneOptions};
use fracas::geom::DVec3;
use fracas::mesh::Mesh;

const STEP_SECONDS: f64 = 1.0 / 60.0;

/// Cloth that meets obstacles.
pub(crate) struct Draped {
    /// The cloth as it is at first.
    pub cloth: Mesh,
    pub options: ClothOptions,
    pub obstacles: Vec<Solid>,
    /// Meshes of obstacles, in the order of the obstacles; those of balls around the centre of the ball.
    pub meshes: Vec<Option<Mesh>>,
    /// Moves the obstacles to where they are at a time, in seconds.
    pub drive: fn(&mut [Solid], f64),
    pub ground: Option<f64>,
}

impl Draped {
    /// Sets the scene up. The ground, if there is one, is an obstacle too.
    pub fn begin(mut self, steps: usize, options: &SceneOptions) -> Run {
        (self.drive)(&mut self.obstacles, 0.0);
        if let Some(height) = self.ground {
            self.obstacles.push(Solid::Ground { height });
        }
        let mut cloth = Cloth::new(&self.cloth, self.options);
        let mut parts = vec![&self.cloth];
        parts.extend(self.meshes.iter().flatten());
        let mut soup = Soup::of(&parts, options);
        let Self { mut obstacles, meshes, drive, ground, .. } = self;
        let advance = move |step: usize, frame: &mut Frame| {
            if step == 0 {
                soup.note_all(frame);
            } else {
                let begin = (step - 1) as f64 * STEP_SECONDS;
                frame.time("physics", || {
                    cloth.step(STEP_SECONDS, &mut obstacles, |obstacles, passed| {
                        drive(obstacles, begin + passed)
                    });
                });
            }
            let mut positions: Vec<DVec3> = cloth.positions().collect();
            for (solid, mesh) in obstacles.iter().zip(&meshes) {
                let Some(mesh) = mesh else { continue };
                positions.extend(mesh.positions().iter().map(|&p| match solid {
                    Solid::Ball(ball) => ball.centre + ball.turn * p,
                    _ => p,
                }));
            }
            soup.look(&positions, frame);
            frame.count("energy", cloth.energy());
            frame.count("strain", cloth.strain());
            let depth = cloth.positions().map(|p| depth(&obstacles, p)).fold(0.0, f64::max);
            frame.count("deepest", depth);
            Ok(())
        };
        Run::new(steps, STEP_SECONDS, ground, Box::new(advance))
    }
}

/// How deep a point is inside an obstacle.
fn depth(obstacles: &[Solid], p: DVec3) -> f64 {
    let depths = obstacles.iter().filter_map(|solid| solid.distance(p, 0.0));
    depths.map(|(distance, _)| -distance).fold(0.0, f64::max)
}

/// A square of cloth with about this many triangles, level at a height.
pub(crate) fn sheet(triangles: usize, side: f64, height: f64) -> Mesh {
    let cells = ((triangles as f64 / 2.0).sqrt().round() as usize).max(2);
    let flat = fracas::mesh::shapes::cloth_grid(cells, cells, [side, side]);
    flat.transformed(&glam::DAffine3::from_translation(DVec3::Z * height)).expect("it stays finite")
}

/// Small steps for a cloth of this many triangles: finer cloth has more links to pass a pull along.
pub(crate) fn substeps(triangles: usize) -> usize {
    ((triangles as f64 / 2.0).sqrt() / 9.0).ceil().clamp(8.0, 40.0) as usize
}
