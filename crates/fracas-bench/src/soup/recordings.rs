//! The scenes of the paper's Table 1, run once and kept as meshes, so that everything is measured on the same frames.

use super::paper::{self, Row};
use crate::metric::Report;
use fracas::mesh::Mesh;
use fracas_scenes::{Frame, SceneOptions, Size, start};
use rayon::prelude::*;
use std::time::Instant;

/// Frames of one scene, evenly spread over its run.
pub struct Recording {
    /// What it is called on the command line.
    pub scene: &'static str,
    /// What corresponds to it in the paper, if anything does and the sizes agree.
    pub row: Option<&'static Row>,
    pub moments: Vec<Moment>,
}

/// All that there is at one time, as one mesh.
pub struct Moment {
    pub step: usize,
    pub mesh: Mesh,
}

impl Recording {
    /// Triangles at the end.
    pub fn triangles(&self) -> usize {
        self.moments.last().map_or(0, |moment| moment.mesh.triangle_count())
    }

    /// What a row of a table is called.
    pub fn title(&self) -> String {
        match self.row {
            Some(row) => format!("{} (paper: {})", self.scene, row.scene),
            None => self.scene.to_owned(),
        }
    }
}

/// What is recorded.
struct Plan {
    scene: &'static str,
    size: Size,
    steps: usize,
    row: Option<(&'static str, usize)>,
}

const fn plan(scene: &'static str, size: Size, steps: usize, row: Option<(&'static str, usize)>) -> Plan {
    Plan { scene, size, steps, row }
}

/// Large cloths take seconds for a step, so their runs end when the cloth has come to lie.
const PLANS: [Plan; 11] = [
    plan("statue", Size::Paper, 120, Some(("Dragon", 252_000))),
    plan("whirl", Size::Paper, 120, Some(("Whirling cloth", 92_000))),
    plan("nbody", Size::Paper, 240, Some(("N-body", 146_000))),
    plan("funnel", Size::Paper, 300, Some(("Funnel", 18_000))),
    plan("chair", Size::Paper, 120, Some(("Chair", 40_000))),
    plan("chair", Size::Large, 60, Some(("Chair", 130_000))),
    plan("breaking-statue", Size::Paper, 240, Some(("Breaking Buddha", 38_000))),
    plan("breaking-statue", Size::Large, 120, None),
    plan("cloth-statue", Size::Paper, 240, Some(("Cloth on Buddha", 20_000))),
    plan("cloth-statue", Size::Large, 60, Some(("Cloth on Buddha", 250_000))),
    plan("chazelle", Size::Paper, 60, None),
];

/// Runs all scenes, several at a time; small ones and few steps with `quick`.
pub fn record_all(report: &Report, quick: bool) -> Vec<Recording> {
    report.say("running the scenes that are measured …");
    let begin = Instant::now();
    let moments = if quick { 4 } else { 16 };
    let is_wanted = |plan: &&Plan| !quick || plan.size == Size::Paper;
    let plans: Vec<&Plan> = PLANS.iter().filter(is_wanted).collect();
    let all: Vec<Recording> = plans
        .par_iter()
        .with_max_len(1)
        .map(|plan| record(plan, if quick { Size::Small } else { plan.size }, quick, moments))
        .collect();
    report.say(&format!("{} scenes ran in {:.0} s", all.len(), begin.elapsed().as_secs_f64()));
    all
}

fn record(plan: &Plan, size: Size, quick: bool, count: usize) -> Recording {
    let steps = if quick { plan.steps.min(60) } else { plan.steps };
    let options = SceneOptions { size, steps: Some(steps), parallel: false, ..SceneOptions::default() };
    let run = start(plan.scene, &options).expect("a scene of the list");
    let mut triangles = Vec::new();
    let mut moments = Vec::new();
    for frame in run {
        let frame = frame.expect("scenes of their own meshes do not fail");
        follow(&mut triangles, &frame);
        // The last frame is always one of them.
        if frame.step > 0 && frame.step * count / steps > (frame.step - 1) * count / steps {
            let live = triangles.iter().copied().flatten().collect();
            let mesh = Mesh::new(frame.positions, live).expect("frames are sound");
            moments.push(Moment { step: frame.step, mesh });
        }
    }
    let row = plan.row.filter(|_| !quick).and_then(|(scene, triangles)| paper::row_of(scene, triangles));
    Recording { scene: plan.scene, row, moments }
}

/// Takes note of the triangles that came and went; their number is their place.
fn follow(triangles: &mut Vec<Option<[u32; 3]>>, frame: &Frame) {
    for id in &frame.removed {
        triangles[id.index()] = None;
    }
    for added in &frame.added {
        if triangles.len() <= added.id.index() {
            triangles.resize(added.id.index() + 1, None);
        }
        triangles[added.id.index()] = Some(added.corners);
    }
}

/// Mean and standard deviation.
pub fn spread(values: &[f64]) -> [f64; 2] {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square = |value: &f64| (value - mean) * (value - mean);
    [mean, (values.iter().map(square).sum::<f64>() / count).sqrt()]
}
