//! Two spheres expand; where triangles collide, their vertices turn back.
//!
//! Every vertex flies away from the midpoint of its sphere at the same speed. When triangles of the two spheres
//! intersect, the velocities of their vertices are reversed, once. So motion is not known ahead: flight plans change
//! while it goes on, for a few vertices at a time.
//!
//! Sizes, both spheres together: 1,960, 10,240 and 40,960 triangles.
//!
//! # Reference
//!
//! The expanding spheres of G. Zachmann and R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable
//! objects*, Technical Report IfI-06-02, Clausthal University of Technology, 2006.

use crate::soup::Soup;
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};
use fracas::pairs::Pair;
use fracas::{FindOptions, Finder, Touch};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "spheres",
    about: "two spheres expand and turn back where they collide",
    steps: |_| STEPS,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

const STEPS: usize = 90;
const STEP_SECONDS: f64 = 1.0 / 60.0;
const RADIUS: f64 = 0.4;
/// Half the way between the midpoints.
const APART: f64 = 0.5;
const SPEED: f64 = 0.3;

/// A vertex that takes another velocity.
///
/// ```
/// let spheres = fracas_scenes::motion::spheres(2_000).unwrap();
/// let first = spheres[0].changes[0];
/// let (before, after) = (spheres[0].velocities[first.vertex as usize], first.velocity);
/// assert_eq!(after, -before);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanChange {
    /// When, in seconds.
    pub seconds: f64,
    /// Which vertex.
    pub vertex: u32,
    /// Its velocity from then on.
    pub velocity: DVec3,
}

/// A body whose vertices fly straight on until their plans change.
///
/// ```
/// let spheres = fracas_scenes::motion::spheres(2_000).unwrap();
/// let [left, right] = &spheres[..] else { panic!("two bodies") };
/// assert_eq!(left.triangles.len() + right.triangles.len(), 1_960);
/// assert!(!left.changes.is_empty());
/// // Until its plan changes, a vertex flies straight on.
/// assert_eq!(left.positions_at(0.1)[0], left.start[0] + left.velocities[0] * 0.1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedMotion {
    /// The triangles, by vertex.
    pub triangles: Vec<[u32; 3]>,
    /// Where every vertex is at time 0.
    pub start: Vec<DVec3>,
    /// The velocity of every vertex at time 0.
    pub velocities: Vec<DVec3>,
    /// Changes of plans by time; those of one time by vertex.
    pub changes: Vec<PlanChange>,
    /// Seconds from one look for collisions to the next: the times of changes are multiples of it.
    pub frame_seconds: f64,
    /// How many such looks there are.
    pub frames: usize,
}

impl PlannedMotion {
    /// Where every vertex is at a time from 0 on.
    #[must_use]
    pub fn positions_at(&self, seconds: f64) -> Vec<DVec3> {
        let mut plans: Vec<(f64, DVec3, DVec3)> =
            self.start.iter().zip(&self.velocities).map(|(p, v)| (0.0, *p, *v)).collect();
        for change in self.changes.iter().take_while(|change| change.seconds <= seconds) {
            let (since, from, velocity) = &mut plans[change.vertex as usize];
            *from += *velocity * (change.seconds - *since);
            (*since, *velocity) = (change.seconds, change.velocity);
        }
        plans.into_iter().map(|(since, from, velocity)| from + velocity * (seconds - since)).collect()
    }
}

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let triangles = match options.size {
        Size::Small => 2_000,
        Size::Paper => 10_240,
        Size::Large => 40_960,
    };
    let mut spheres = Spheres::new(triangles)?;
    let mut soup = Soup::of(&spheres.meshes.each_ref(), options);
    let advance = move |step: usize, frame: &mut Frame| {
        if step == 0 {
            soup.note_all(frame);
        } else {
            frame.time("physics", || spheres.fly(STEP_SECONDS));
        }
        soup.look(&spheres.positions(), frame);
        let changed = spheres.turn_back(&frame.pairs);
        frame.count("replanned", changed.iter().map(Vec::len).sum::<usize>() as f64);
        Ok(())
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(Run::new(steps, STEP_SECONDS, None, Box::new(advance)))
}

/// The flight plans of both spheres and all their changes, from a run of the scene.
pub(crate) fn plans(triangles: usize) -> Result<Vec<PlannedMotion>, SceneError> {
    let mut spheres = Spheres::new(triangles)?;
    let mut bodies: Vec<PlannedMotion> = (0..2)
        .map(|k| PlannedMotion {
            triangles: spheres.meshes[k].triangles().to_vec(),
            start: spheres.meshes[k].positions().to_vec(),
            velocities: spheres.velocities[k].clone(),
            changes: Vec::new(),
            frame_seconds: STEP_SECONDS,
            frames: STEPS,
        })
        .collect();
    let first = spheres.meshes[0].triangle_count() as u32;
    let mut finder = Finder::new(FindOptions { touch: Touch::Proper, ..FindOptions::default() });
    for step in 1..=STEPS {
        spheres.fly(STEP_SECONDS);
        let [left, right] = &spheres.meshes;
        let joint = |pair: &Pair| Pair::new(pair.a.0, pair.b.0 + first);
        let pairs: Vec<Pair> = finder.find_pairs(left, right).iter().map(joint).collect();
        let seconds = step as f64 * STEP_SECONDS;
        for (body, changed) in bodies.iter_mut().zip(spheres.turn_back(&pairs)) {
            body.changes.extend(changed.into_iter().map(|(vertex, velocity)| PlanChange {
                seconds,
                vertex,
                velocity,
            }));
        }
    }
    Ok(bodies)
}

struct Spheres {
    meshes: [Mesh; 2],
    velocities: [Vec<DVec3>; 2],
    turned: [Vec<bool>; 2],
}

impl Spheres {
    fn new(triangles: usize) -> Result<Self, SceneError> {
        let (least, most) = (80, 2_000_000);
        if !(least..=most).contains(&triangles) {
            return Err(SceneError::BadSize { scene: "spheres", triangles, least, most });
        }
        let frequency = (triangles as f64 / 40.0).sqrt().round().max(1.0) as u32;
        let ball = shapes::geodesic_sphere(RADIUS, frequency);
        let placed = |x: f64| {
            let positions =
                ball.positions().iter().map(|p| *p + DVec3::new(x, 0.013 * x, 0.027 * x)).collect();
            Mesh::new(positions, ball.triangles().to_vec()).expect("it stays finite")
        };
        let outward: Vec<DVec3> = ball.positions().iter().map(|p| *p * (SPEED / RADIUS)).collect();
        let none = vec![false; ball.vertex_count()];
        Ok(Self {
            meshes: [placed(-APART), placed(APART)],
            velocities: [outward.clone(), outward],
            turned: [none.clone(), none],
        })
    }

    fn positions(&self) -> Vec<DVec3> {
        self.meshes.each_ref().map(Mesh::positions).concat()
    }

    fn fly(&mut self, seconds: f64) {
        for (mesh, velocities) in self.meshes.iter_mut().zip(&self.velocities) {
            let moved: Vec<DVec3> =
                mesh.positions().iter().zip(velocities).map(|(p, v)| *p + *v * seconds).collect();
            mesh.set_positions(&moved).expect("it stays finite");
        }
    }

    /// Reverses the velocities of vertices whose triangles collide, once for each vertex. Triangles of the second sphere
    /// count on from those of the first. Returns the vertices of each sphere with their new velocities.
    fn turn_back(&mut self, pairs: &[Pair]) -> [Vec<(u32, DVec3)>; 2] {
        let first = self.meshes[0].triangle_count();
        let mut changed = [Vec::new(), Vec::new()];
        for triangle in pairs.iter().flat_map(|pair| [pair.a.index(), pair.b.index()]) {
            let (body, triangle) = if triangle < first { (0, triangle) } else { (1, triangle - first) };
            for v in self.meshes[body].triangles()[triangle] {
                if !std::mem::replace(&mut self.turned[body][v as usize], true) {
                    let velocity = &mut self.velocities[body][v as usize];
                    *velocity = -*velocity;
                    changed[body].push((v, *velocity));
                }
            }
        }
        changed.iter_mut().for_each(|list| list.sort_by_key(|change| change.0));
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_change_where_spheres_meet_and_nowhere_else() {
        let bodies = plans(2_000).unwrap();
        let reach = |seconds: f64| RADIUS + SPEED * seconds;
        for (body, x) in bodies.iter().zip([-APART, APART]) {
            assert!(body.changes.len() > 50, "{} changes", body.changes.len());
            let first = body.changes[0].seconds;
            assert!(reach(first) > APART && reach(first) < 1.1 * APART, "the first at {first} s");
            let middle = DVec3::new(x, 0.013 * x, 0.027 * x);
            for change in &body.changes {
                let out = body.start[change.vertex as usize] - middle;
                assert!((change.velocity + out * (SPEED / RADIUS)).length() < 1e-12, "it is reversed");
                assert!(out.x * x < 0.0, "it faces the other sphere");
            }
            let mut vertices: Vec<u32> = body.changes.iter().map(|change| change.vertex).collect();
            vertices.sort_unstable();
            vertices.dedup();
            assert_eq!(vertices.len(), body.changes.len(), "each turns back once");
        }
        assert!(matches!(plans(7), Err(SceneError::BadSize { triangles: 7, .. })));
    }
}
