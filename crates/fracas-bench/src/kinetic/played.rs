//! Motions that are played frame by frame, and how the frames are measured.

use super::FRAMES_PER_KEY;
use fracas::geom::DVec3;
use fracas::kinetic::{KineticBody, Plans, Window};
use fracas::mesh::Mesh;
use fracas::{BuildOptions, MeshTree};
use fracas_scenes::motion::KeyedMotion;
use std::time::Instant;

/// How often everything is measured; the best counts.
pub(super) const ROUNDS: usize = 5;

/// Keys that are played of each motion.
const KEYS: usize = 6;

/// Some keys of a motion.
pub(super) struct Played<'a> {
    pub(super) motion: &'a KeyedMotion,
    pub(super) first: usize,
    pub(super) keys: usize,
}

impl<'a> Played<'a> {
    /// Keys from the middle of the motion on.
    pub(super) fn new(motion: &'a KeyedMotion) -> Self {
        let count = motion.key_times().len();
        let keys = KEYS.min(count - 1);
        Self { motion, first: (count - 1 - keys) / 2, keys }
    }

    pub(super) fn plans(&self) -> Plans {
        let range = self.first..=self.first + self.keys;
        let (times, frames) = (self.motion.key_times(), self.motion.keys());
        Plans::keyframes(times[range.clone()].to_vec(), frames[range].to_vec()).expect("good keys")
    }

    pub(super) fn body(&self) -> KineticBody {
        KineticBody::new(self.motion.triangles().to_vec(), self.plans()).expect("vertices that are there")
    }

    /// The tree of the other side: its refit is fastest without what only exact queries of a body against itself need.
    pub(super) fn tree(&self, self_queries: bool) -> MeshTree {
        let mesh = Mesh::new(self.motion.keys()[self.first].clone(), self.motion.triangles().to_vec());
        let options = BuildOptions { self_queries, ..BuildOptions::default() };
        MeshTree::build_with(mesh.expect("good keys"), &options)
    }

    /// Calls `frame` with the key before, the share of the way to the next, and the time of every frame.
    pub(super) fn for_each_frame(&self, mut frame: impl FnMut(usize, f64, f64)) {
        for key in self.first..self.first + self.keys {
            let (from, to) = (self.motion.key_times()[key], self.motion.key_times()[key + 1]);
            for k in 1..=FRAMES_PER_KEY {
                let share = k as f64 / FRAMES_PER_KEY as f64;
                frame(key, share, if k == FRAMES_PER_KEY { to } else { from + (to - from) * share });
            }
        }
    }

    /// Interpolates all vertices; the loop becomes vector instructions.
    pub(super) fn interpolate(&self, key: usize, share: f64, positions: &mut Vec<DVec3>) {
        let (from, to) = (&self.motion.keys()[key], &self.motion.keys()[key + 1]);
        positions.clear();
        positions.extend(from.iter().zip(to).map(|(a, b)| *a + (*b - *a) * share));
    }

    /// Plays the motion, with one window for each key, and calls `frame` at every frame.
    pub(super) fn by_windows(
        &self,
        window: &mut Window,
        least: &mut Least,
        mut frame: impl FnMut(&mut Window, &KineticBody),
    ) {
        let mut body = self.body();
        let mut interval = [f64::NAN; 2];
        self.for_each_frame(|_, _, time| {
            least.frame(|| {
                body.advance_to(time).expect("later");
                if body.interval() != interval {
                    interval = body.interval();
                    window.find_self(&body);
                }
                frame(window, &body);
            });
        });
    }

    /// How far vertices move from key to key, in edge lengths.
    pub(super) fn note(&self) -> String {
        let [most, mean] = self.motion.motion_per_key();
        let triangles = self.motion.triangles().len();
        format!(
            "{triangles} triangles, {FRAMES_PER_KEY} frames per key, {most:.1} edge lengths per key at most, {mean:.2} on average"
        )
    }
}

pub(super) fn seconds(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

/// The fastest of three runs.
pub(super) fn best(mut work: impl FnMut() -> f64) -> f64 {
    (0..3).map(|_| work()).fold(f64::INFINITY, f64::min)
}

/// For each frame, the least time of all rounds: a disturbance of the machine rarely meets one frame every time.
pub(super) struct Least {
    frames: Vec<f64>,
    next: usize,
}

impl Least {
    pub(super) const fn new() -> Self {
        Self { frames: Vec::new(), next: 0 }
    }

    /// The next frame is the first one again.
    pub(super) fn rewind(&mut self) {
        self.next = 0;
    }

    /// Measures the work of the next frame.
    pub(super) fn frame(&mut self, work: impl FnOnce()) {
        let spent = seconds(work);
        if let Some(least) = self.frames.get_mut(self.next) {
            *least = least.min(spent);
        } else {
            self.frames.push(spent);
        }
        self.next += 1;
    }

    /// Seconds of all frames.
    pub(super) fn sum(&self) -> f64 {
        self.frames.iter().sum()
    }
}
