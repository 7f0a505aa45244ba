//! Keeping boxes up to date without a query: events, updates and times (Figures 18, 19 and 21).

use super::check::BottomUp;
use super::clip::{aabb_tree, best, box_tree, interpolate, moments, seconds, way};
use crate::metric::Report;
use fracas::kinetic::{AabbTree, BoxTree, Certificates, KineticOptions, KineticStats, Plan, Plans};
use fracas::mesh::Mesh;
use fracas::{DVec3, MeshTree};
use fracas_scenes::motion::{KeyedMotion, PlannedMotion};
use std::hint::black_box;

/// BoxTrees of more triangles follow new plans in some tenths of a second per frame.
const MOST_FOR_BOX_TREES: usize = 20_000;

/// What a kinetic tree did and how long all frames took.
#[derive(Clone, Copy)]
pub struct Kept {
    pub stats: KineticStats,
    pub seconds: f64,
}

impl Kept {
    /// Adds what another tree did.
    fn add(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.stats.leaf_events += other.stats.leaf_events;
        self.stats.tree_events += other.stats.tree_events;
        self.stats.updates += other.stats.updates;
    }
}

/// One body, all frames, on both sides.
pub struct Update {
    pub triangles: usize,
    pub frames: usize,
    /// Frames for each 0.04 s; there may be some more keys.
    pub frames_per_key: usize,
    /// Intervals between keys.
    pub intervals: usize,
    pub way: String,
    pub nodes: usize,
    pub aabb: Kept,
    pub box_tree: Kept,
    /// Seconds for all frames: interpolation, bottom-up refit of the binary tree, our refit with vector instructions.
    pub interpolation: f64,
    pub bottom_up: f64,
    pub vector_refit: f64,
}

impl Update {
    pub fn measure(report: &Report, motion: &KeyedMotion, frames_per_key: usize, runs: usize) -> Self {
        let times = moments(motion, frames_per_key);
        let tree = aabb_tree(motion, KineticOptions::default());
        let aabb = keep(runs, &tree, AabbTree::stats, |tree| {
            times.iter().for_each(|at| tree.advance_to(at.time).expect("later"));
        });
        let planes = box_tree(motion);
        let box_tree = keep(runs.min(2), &planes, BoxTree::stats, |tree| {
            times.iter().for_each(|at| tree.advance_to(at.time).expect("later"));
        });
        let mut peer = BottomUp::like(&tree, motion.triangles());
        let mesh = Mesh::new(motion.keys()[0].clone(), motion.triangles().to_vec()).expect("good keys");
        let mut vector = MeshTree::build(mesh);
        let mut positions = vec![];
        let mut spent = [f64::INFINITY; 3];
        for _ in 0..runs.min(2) {
            let mut sums = [0.0; 3];
            for &at in &times {
                sums[0] += seconds(|| interpolate(motion, at, black_box(&mut positions)));
                sums[1] += seconds(|| black_box(&mut peer).refit(&positions));
                vector.set_positions(&positions).expect("finite");
                sums[2] += seconds(|| black_box(&mut vector).refit(false));
            }
            spent = [0, 1, 2].map(|k| sums[k].min(spent[k]));
        }
        let [interpolation, bottom_up, vector_refit] = spent;
        let made = Self {
            triangles: motion.triangles().len(),
            frames: times.len(),
            frames_per_key,
            intervals: motion.key_times().len() - 1,
            way: way(motion),
            nodes: peer.node_count(),
            aabb,
            box_tree,
            interpolation,
            bottom_up,
            vector_refit,
        };
        report.say(&format!(
            "  {} triangles, {frames_per_key} frames per key: {:.0} events per frame",
            made.triangles,
            made.per_frame(made.aabb.stats.events() as f64)
        ));
        made
    }

    pub fn per_frame(&self, total: f64) -> f64 {
        total / self.frames as f64
    }

    /// Milliseconds per frame.
    pub fn ms(&self, seconds: f64) -> f64 {
        self.per_frame(seconds) * 1e3
    }

    /// Values that bottom-up recomputes, six for each node and frame.
    pub fn bottom_up_values(&self) -> f64 {
        6.0 * self.nodes as f64 * self.frames as f64
    }

    /// Bottom-up, with interpolation, over the kinetic AABB tree.
    pub fn speed_up(&self) -> f64 {
        (self.interpolation + self.bottom_up) / self.aabb.seconds
    }

    /// Frames per 0.04 s at which the kinetic AABB tree takes as long as interpolation and our refit.
    pub fn crossover(&self) -> f64 {
        self.frames_per_key as f64 * self.aabb.seconds / (self.interpolation + self.vector_refit)
    }
}

/// Plays from a copy of a tree; the best of some runs.
fn keep<T: Clone>(
    runs: usize,
    tree: &T,
    stats: impl Fn(&T) -> KineticStats,
    mut play: impl FnMut(&mut T),
) -> Kept {
    let mut end = None;
    let seconds = best(runs, || {
        let mut tree = tree.clone();
        let spent = seconds(|| play(black_box(&mut tree)));
        end = Some(stats(&tree));
        spent
    });
    let (begun, stats) = (stats(tree), end.expect("there was a run"));
    Kept { stats: KineticStats { certificates: stats.certificates - begun.certificates, ..stats }, seconds }
}

/// Events of a whole motion that is shown at a frame rate.
pub fn events(motion: &KeyedMotion, frames_per_key: usize) -> u64 {
    let mut tree = aabb_tree(motion, KineticOptions::default());
    moments(motion, frames_per_key).iter().for_each(|at| tree.advance_to(at.time).expect("later"));
    tree.stats().events()
}

/// Nanoseconds of an event alone, and milliseconds of a key, at which all certificates are renewed.
pub fn event_and_key(motion: &KeyedMotion, runs: usize) -> [f64; 2] {
    let first = aabb_tree(motion, KineticOptions::default());
    let mut least = [f64::INFINITY; 2];
    let mut events = 0;
    for _ in 0..runs {
        let mut tree = first.clone();
        let mut sums = [0.0; 2];
        for key in &motion.key_times()[1..] {
            sums[0] += seconds(|| tree.advance_to(key.next_down()).expect("later"));
            sums[1] += seconds(|| tree.advance_to(*key).expect("later"));
        }
        least = [0, 1].map(|k| sums[k].min(least[k]));
        events = tree.stats().events();
    }
    let keys = (motion.key_times().len() - 1) as f64;
    [least[0] * 1e9 / events.max(1) as f64, least[1] * 1e3 / keys]
}

/// Algorithm 3 and renewal at keys: seconds to build, seconds for all frames, and what was done.
pub fn certificates(motion: &KeyedMotion, frames_per_key: usize, runs: usize) -> [(f64, Kept); 2] {
    let times = moments(motion, frames_per_key);
    [Certificates::LookAhead, Certificates::RenewAtKeys].map(|certificates| {
        let options = KineticOptions { certificates };
        let mut tree = aabb_tree(motion, options);
        let build = best(runs, || seconds(|| tree = aabb_tree(motion, options)));
        let kept = keep(runs, &tree, AabbTree::stats, |tree| {
            times.iter().for_each(|at| tree.advance_to(at.time).expect("later"));
        });
        (build, kept)
    })
}

/// Both expanding spheres, all frames.
pub struct Spheres {
    pub triangles: usize,
    pub frames: usize,
    pub plan_updates: usize,
    pub aabb: Kept,
    /// `None` for large scenes: building it would take minutes.
    pub box_tree: Option<Kept>,
    /// Seconds: moving the vertices, bottom-up refit.
    pub interpolation: f64,
    pub bottom_up: f64,
}

impl Spheres {
    pub fn measure(spheres: &[PlannedMotion], runs: usize) -> Self {
        let nothing = Kept { stats: KineticStats::default(), seconds: 0.0 };
        let triangles = spheres.iter().map(|sphere| sphere.triangles.len()).sum();
        let mut sum = Self {
            triangles,
            frames: spheres[0].frames,
            plan_updates: spheres.iter().map(|sphere| sphere.changes.len()).sum(),
            aabb: nothing,
            box_tree: (triangles <= MOST_FOR_BOX_TREES).then_some(nothing),
            interpolation: 0.0,
            bottom_up: 0.0,
        };
        for sphere in spheres {
            let changes = changes_by_frame(sphere);
            let time = |frame: usize| (frame + 1) as f64 * sphere.frame_seconds;
            let plans = || Plans::moving(0.0, &sphere.start, &sphere.velocities).expect("good plans");
            let options = KineticOptions::default();
            let tree = AabbTree::build(plans(), sphere.triangles.clone(), options).expect("a sphere");
            let aabb = keep(runs, &tree, AabbTree::stats, |tree| {
                for (frame, changes) in changes.iter().enumerate() {
                    tree.advance_to(time(frame)).expect("later");
                    tree.change_plans(changes).expect("vertices that are there");
                }
            });
            sum.aabb.add(&aabb);
            if let Some(all) = &mut sum.box_tree {
                let planes = BoxTree::build(plans(), sphere.triangles.clone(), options).expect("a sphere");
                all.add(&keep(1, &planes, BoxTree::stats, |tree| {
                    for (frame, changes) in changes.iter().enumerate() {
                        tree.advance_to(time(frame)).expect("later");
                        tree.change_plans(changes).expect("vertices that are there");
                    }
                }));
            }
            let mut peer = BottomUp::like(&tree, &sphere.triangles);
            let [moving, refit] = bottom_up(sphere, &changes, &mut peer);
            sum.interpolation += moving;
            sum.bottom_up += refit;
        }
        sum
    }

    pub fn ms(&self, seconds: f64) -> f64 {
        seconds * 1e3 / self.frames as f64
    }

    pub fn speed_up(&self) -> f64 {
        (self.interpolation + self.bottom_up) / self.aabb.seconds
    }
}

/// New plans, by the frame after which they begin.
fn changes_by_frame(sphere: &PlannedMotion) -> Vec<Vec<(u32, Plan)>> {
    let mut next = sphere.changes.iter().peekable();
    let until = |frame: usize| (frame as f64 + 1.5) * sphere.frame_seconds;
    let mut list = |frame: usize| {
        let mut changes = vec![];
        while let Some(change) = next.next_if(|change| change.seconds <= until(frame)) {
            changes.push((change.vertex, Plan::Velocity(change.velocity)));
        }
        changes
    };
    (0..sphere.frames).map(&mut list).collect()
}

fn bottom_up(sphere: &PlannedMotion, changes: &[Vec<(u32, Plan)>], peer: &mut BottomUp) -> [f64; 2] {
    let [mut moving, mut refit] = [0.0; 2];
    let (mut positions, mut velocities): (Vec<DVec3>, Vec<DVec3>) =
        (sphere.start.clone(), sphere.velocities.clone());
    for changes in changes {
        moving += seconds(|| {
            for (p, v) in positions.iter_mut().zip(&velocities) {
                *p += *v * sphere.frame_seconds;
            }
        });
        refit += seconds(|| black_box(&mut *peer).refit(&positions));
        for (vertex, plan) in changes {
            if let Plan::Velocity(velocity) = plan {
                velocities[*vertex as usize] = *velocity;
            }
        }
    }
    [moving, refit]
}
