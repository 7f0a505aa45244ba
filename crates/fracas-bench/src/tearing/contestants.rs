//! The trees that follow the recorded edits: ours, obvhs and parry.

use super::script::{Script, Step};
use crate::peers;
use fracas::mesh::{LiveMesh, TriangleId};
use fracas::tearing::{TearingBody, TearingOptions};
use std::time::{Duration, Instant};

/// A tree that can follow edits. The mesh is brought up to date first, outside the time that counts.
pub trait Contestant {
    fn follow(&mut self, mesh: &LiveMesh, step: &Step);
}

/// Ours: mesh and tree together; only the tree's share counts for the others, the whole of it for us.
pub struct Ours(pub TearingBody);

impl Ours {
    pub fn new(script: &Script, options: TearingOptions) -> Self {
        Self(TearingBody::build_with(script.mesh.clone(), options))
    }
}

impl Contestant for Ours {
    fn follow(&mut self, _: &LiveMesh, step: &Step) {
        self.0.apply(&step.edit).expect("recorded edits are good");
    }
}

/// obvhs: one removal and one insertion for each triangle.
pub struct Obvhs(pub obvhs::bvh2::Bvh2);

impl Obvhs {
    pub fn new(script: &Script) -> Self {
        let mut parameters = obvhs::BvhBuildParams::medium_build();
        parameters.max_prims_per_leaf = 1;
        let mut bvh = peers::obvhs::build(&script.mesh, parameters);
        bvh.init_parents_if_uninit();
        bvh.init_primitives_to_nodes_if_uninit();
        Self(bvh)
    }
}

impl Contestant for Obvhs {
    fn follow(&mut self, mesh: &LiveMesh, step: &Step) {
        for triangle in &step.edit.removed {
            self.0.remove_primitive(triangle.0);
        }
        for triangle in step.applied.triangles.clone() {
            let t = mesh.triangle(TriangleId(triangle));
            self.0.insert_primitive(peers::obvhs::box_of(&t), triangle);
        }
    }
}

/// parry: removals, insertions, and a refit of the paths above what was inserted.
pub struct Parry {
    pub bvh: parry3d::partitioning::Bvh,
    changed: [Vec<u32>; 2],
}

impl Parry {
    pub fn new(script: &Script) -> Self {
        Self { bvh: peers::parry::build(&script.mesh), changed: [Vec::new(), Vec::new()] }
    }
}

impl Contestant for Parry {
    fn follow(&mut self, mesh: &LiveMesh, step: &Step) {
        for triangle in &step.edit.removed {
            self.bvh.remove(triangle.0);
        }
        self.changed.swap(0, 1);
        self.changed[1].clear();
        for triangle in step.applied.triangles.clone() {
            let t = mesh.triangle(TriangleId(triangle));
            self.bvh.insert(peers::parry::box_of(&t), triangle);
            self.changed[1].push(triangle);
        }
        let [before, now] = &self.changed;
        self.bvh.refit_partial(before, now);
    }
}

/// Times of each step, the best of several runs.
pub struct StepTimes {
    /// By contestant.
    pub of: Vec<Vec<Duration>>,
    /// The mesh alone, taken in turns with the first contestant, so that it finds the same in the caches as ours does
    /// for the mesh it has.
    pub mesh: Vec<Duration>,
}

/// Measures the steps of a script, contestants taking turns.
pub fn time_steps(script: &Script, runs: usize, makers: &[&dyn Fn() -> Box<dyn Contestant>]) -> StepTimes {
    let slowest = vec![Duration::MAX; script.steps.len()];
    let mut times = StepTimes { of: vec![slowest.clone(); makers.len()], mesh: slowest };
    for _ in 0..runs {
        for (k, make) in makers.iter().enumerate() {
            let mut contestant = make();
            let mut mesh = LiveMesh::new(script.mesh.clone());
            let (slots, vertices) = (script.end.slot_count(), script.end.vertex_count());
            mesh.reserve(slots - mesh.slot_count(), vertices - mesh.vertex_count());
            for (n, step) in script.steps.iter().enumerate() {
                let begin = Instant::now();
                mesh.apply(&step.edit).expect("recorded edits are good");
                let middle = Instant::now();
                contestant.follow(&mesh, step);
                times.of[k][n] = middle.elapsed().min(times.of[k][n]);
                if k == 0 {
                    times.mesh[n] = (middle - begin).min(times.mesh[n]);
                }
            }
        }
    }
    times
}
