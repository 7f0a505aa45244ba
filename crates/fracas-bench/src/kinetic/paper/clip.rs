//! A motion, shown at a frame rate.

use fracas::DVec3;
use fracas::kinetic::{AabbTree, BoxTree, KineticOptions, Plans};
use fracas_scenes::motion::{KEY_SECONDS, KeyedMotion};
use std::time::Instant;

/// An instant that is shown: a share of the way from one key to the next.
#[derive(Clone, Copy)]
pub struct Moment {
    key: usize,
    share: f64,
    pub time: f64,
}

/// The instants after the first key that are shown, so many for each 0.04 s. The scenes have a key for each 0.04 s, and a few more.
pub fn moments(motion: &KeyedMotion, frames_per_key: usize) -> Vec<Moment> {
    let times = motion.key_times();
    let (first, last) = (times[0], times[times.len() - 1]);
    let count = ((last - first) / KEY_SECONDS).round() as usize * frames_per_key;
    let moment = |k: usize| {
        let time = if k == count { last } else { first + (last - first) * k as f64 / count as f64 };
        let key = times.partition_point(|key| *key < time).clamp(1, times.len() - 1) - 1;
        Moment { key, share: (time - times[key]) / (times[key + 1] - times[key]), time }
    };
    (1..=count).map(moment).collect()
}

/// Whether a body never moves.
pub fn rests(motion: &KeyedMotion) -> bool {
    motion.keys().iter().all(|key| *key == motion.keys()[0])
}

/// The plans of a motion; those of a body that rests have one key.
pub fn plans(motion: &KeyedMotion) -> Plans {
    let count = if rests(motion) { 1 } else { motion.key_times().len() };
    Plans::keyframes(motion.key_times()[..count].to_vec(), motion.keys()[..count].to_vec())
        .expect("scenes have good keys")
}

pub fn aabb_tree(motion: &KeyedMotion, options: KineticOptions) -> AabbTree {
    AabbTree::build(plans(motion), motion.triangles().to_vec(), options).expect("triangles have vertices")
}

pub fn box_tree(motion: &KeyedMotion) -> BoxTree {
    BoxTree::build(plans(motion), motion.triangles().to_vec(), KineticOptions::default())
        .expect("triangles have vertices")
}

/// Interpolates all vertices; the loop becomes vector instructions.
pub fn interpolate(motion: &KeyedMotion, at: Moment, positions: &mut Vec<DVec3>) {
    let (from, to) = (&motion.keys()[at.key], &motion.keys()[at.key + 1]);
    positions.clear();
    positions.extend(from.iter().zip(to).map(|(a, b)| *a + (*b - *a) * at.share));
}

/// How far vertices move from key to key.
pub fn way(motion: &KeyedMotion) -> String {
    let [most, mean] = motion.motion_per_key();
    format!("{most:.1} edge lengths per key at most, {mean:.2} on average")
}

pub fn seconds(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

/// The least of some runs.
pub fn best(runs: usize, mut work: impl FnMut() -> f64) -> f64 {
    (0..runs).map(|_| work()).fold(f64::INFINITY, f64::min)
}
