//! The trees that follow the recorded edits: ours, obvhs and parry.

use super::script::{Script, Step};
use crate::peers;
use fracas::mesh::{LiveMesh, TriangleId};
use fracas::tearing::{TearingBody, TearingOptions};
use std::time::{Duration, Instant};

/// A tree that can follow edits. The time for editing the mesh counts for everybody.
pub trait Contestant {
    /// Brings the tree up to date. `mesh` has had the edit, unless the contestant has a mesh of its own.
    fn follow(&mut self, mesh: &LiveMesh, step: &Step);

    /// Whether it edits a mesh of its own.
    fn has_mesh(&self) -> bool {
        false
    }
}

/// Ours: mesh and tree together.
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

    fn has_mesh(&self) -> bool {
        true
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

/// Times of each step.
pub struct StepTimes {
    /// By contestant, the best of several runs. Everybody edits a mesh and brings a tree up to date with it.
    pub of: Vec<Vec<Duration>>,
    /// The mesh alone.
    pub mesh: Vec<Duration>,
    /// By contestant, for each run the slowest step over the median step of the same run.
    pub worst: Vec<Vec<f64>>,
}

/// Measures the steps of a script, contestants taking turns. Nobody has memory reserved.
pub fn time_steps(script: &Script, runs: usize, makers: &[&dyn Fn() -> Box<dyn Contestant>]) -> StepTimes {
    let slowest = vec![Duration::MAX; script.steps.len()];
    let mut times = StepTimes {
        of: vec![slowest.clone(); makers.len()],
        mesh: slowest,
        worst: vec![Vec::new(); makers.len()],
    };
    for _ in 0..runs {
        for (k, make) in makers.iter().enumerate() {
            let mut run = run_once(script, make().as_mut());
            keep_best(&mut times.of[k], &run);
            run.sort_unstable();
            if let [.., last] = run[..] {
                times.worst[k].push(last.as_secs_f64() / run[run.len() / 2].as_secs_f64());
            }
        }
        keep_best(&mut times.mesh, &run_once(script, &mut MeshAlone));
    }
    times
}

/// The time of each step in one run.
fn run_once(script: &Script, contestant: &mut dyn Contestant) -> Vec<Duration> {
    let mut mesh = LiveMesh::new(script.mesh.clone());
    let has_mesh = contestant.has_mesh();
    let timed = |step: &Step| {
        let begin = Instant::now();
        if !has_mesh {
            mesh.apply(&step.edit).expect("recorded edits are good");
        }
        contestant.follow(&mesh, step);
        begin.elapsed()
    };
    script.steps.iter().map(timed).collect()
}

fn keep_best(best: &mut [Duration], run: &[Duration]) {
    best.iter_mut().zip(run).for_each(|(best, time)| *best = (*best).min(*time));
}

/// Nobody's tree, to time the mesh.
struct MeshAlone;

impl Contestant for MeshAlone {
    fn follow(&mut self, _: &LiveMesh, _: &Step) {}
}
