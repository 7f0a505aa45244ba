//! A motion, shown at a frame rate.

use fracas::DVec3;
use fracas::kinetic::{AabbTree, BoxTree, KineticOptions, Plans};
use fracas_scenes::motion::{KEY_SECONDS, KeyedMotion};
use std::collections::BTreeMap;
use std::time::Instant;

/// An instant that is shown: a share of the way from one key to the next.
#[derive(Clone, Copy)]
pub struct Moment {
    key: usize,
    share: f64,
    pub time: f64,
}

/// The instants after the first key that are shown, this many for each 0.04 s. The scenes have a key for each 0.04 s, and a few more.
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

/// The same motion of four times as many triangles: each is divided at the middles of its edges.
pub fn refined(motion: &KeyedMotion) -> KeyedMotion {
    let first = motion.keys()[0].len() as u32;
    let mut edges: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    let mut triangles = Vec::with_capacity(4 * motion.triangles().len());
    for &[a, b, c] in motion.triangles() {
        let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[p, q]| {
            let next = first + edges.len() as u32;
            *edges.entry([p.min(q), p.max(q)]).or_insert(next)
        });
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    let mut ends: Vec<([u32; 2], u32)> = edges.into_iter().collect();
    ends.sort_unstable_by_key(|(_, middle)| *middle);
    let finer = |key: &Vec<DVec3>| {
        let middle = |(ends, _): &([u32; 2], u32)| (key[ends[0] as usize] + key[ends[1] as usize]) / 2.0;
        key.iter().copied().chain(ends.iter().map(middle)).collect()
    };
    let keys = motion.keys().iter().map(finer).collect();
    KeyedMotion::new(motion.name(), triangles, motion.key_times().to_vec(), keys).expect("as good as before")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_lie_between_their_keys_and_reach_the_last() {
        let at = |x: f64| vec![DVec3::X * x, DVec3::X * (x + 1.0), DVec3::new(x, 1.0, 0.0)];
        // One key more than there are steps of 0.04 s.
        let times = vec![0.0, 0.04, 0.05, 0.08];
        let keys = times.iter().map(|time| at(100.0 * time)).collect();
        let motion = KeyedMotion::new("tile", vec![[0, 1, 2]], times, keys).unwrap();
        let frames = moments(&motion, 5);
        assert_eq!((frames.len(), frames[9].time), (10, 0.08));
        let mut positions = vec![];
        for frame in frames {
            assert!((0.0..=1.0).contains(&frame.share));
            interpolate(&motion, frame, &mut positions);
            assert!((positions[0].x - 100.0 * frame.time).abs() < 1e-12);
        }
        assert!(!rests(&motion) && refined(&motion).triangles().len() == 4);
    }
}
