//! Updates and checks together: cloth against what it falls on or who wears it (Figures 21 and 22).

use super::check::{BottomUp, Hierarchy, check, count_meeting};
use super::clip::{Moment, aabb_tree, box_tree, interpolate, moments, rests, seconds, way};
use crate::metric::Report;
use fracas::DVec3;
use fracas::kinetic::{AabbTree, BoxTree, KineticOptions, Plans, SeparationList, SeparationStats};
use fracas::mesh::TriangleId;
use fracas_scenes::motion::KeyedMotion;

/// How many frames kinetic trees check, and seconds after which they check no more.
const CHECKS: usize = 25;
const LONGEST_CHECKS: f64 = 4.0;

/// Seconds for all frames, and what was found.
#[derive(Clone, Copy, Default)]
pub struct Parts {
    /// Interpolation of all vertices; kinetic structures need none.
    pub interpolation: f64,
    pub update: f64,
    /// Down to pairs of leaves whose boxes overlap.
    pub check: f64,
    /// Exact tests of these pairs.
    pub triangles: f64,
    /// Pairs of boxes that Algorithm 2 compares.
    pub compared: u64,
    pub pairs: u64,
    pub meeting: u64,
}

impl Parts {
    /// Update and check, as the paper counts them.
    pub fn total(&self) -> f64 {
        self.interpolation + self.update + self.check + self.triangles
    }

    /// The same without the tests of triangles, which are the same on all sides.
    pub fn boxes(&self) -> f64 {
        self.interpolation + self.update + self.check
    }

    /// Algorithm 2 without tests of triangles, timed.
    fn look<A: Hierarchy, B: Hierarchy>(&mut self, a: &A, b: &B, leaves: &mut Vec<[TriangleId; 2]>) {
        let mut compared = 0;
        self.check += seconds(|| compared = check(a, b, leaves));
        self.compared += compared;
    }

    /// The tests of triangles of Algorithm 2, timed.
    fn test(&mut self, leaves: &[[TriangleId; 2]], corners: impl Fn(usize, TriangleId) -> [DVec3; 3]) {
        let mut meeting = 0;
        self.triangles += seconds(|| meeting = count_meeting(leaves, corners));
        self.meeting += meeting;
        self.pairs += leaves.len() as u64;
    }
}

/// Two bodies, all frames, all ways.
pub struct Total {
    pub triangles: [usize; 2],
    pub frames: usize,
    pub frames_per_key: usize,
    pub way: String,
    pub bottom_up: Parts,
    pub aabb: Parts,
    pub box_tree: Parts,
    pub list: Parts,
    pub list_stats: SeparationStats,
    /// Pairs in the separation list at the end.
    pub listed: usize,
}

impl Total {
    pub fn measure(report: &Report, bodies: &[KeyedMotion], frames_per_key: usize, runs: usize) -> Self {
        let [a, b] = bodies else { panic!("a scene of two bodies") };
        let times = moments(a, frames_per_key);
        let trees = [a, b].map(|body| aabb_tree(body, KineticOptions::default()));
        let planes = [a, b].map(box_tree);
        let first = SeparationList::between(trees[0].clone(), trees[1].clone()).expect("same time");
        let mut end = None;
        let [mut bottom_up, mut aabb, mut box_tree, mut list] = [None; 4];
        for _ in 0..runs {
            keep(&mut bottom_up, play_bottom_up(bodies, &trees, &times));
            let advance = |tree: &mut AabbTree, time: f64| tree.advance_to(time).expect("later");
            keep(&mut aabb, play_trees(bodies, trees.clone(), &times, advance, AabbTree::plans));
            let advance = |tree: &mut BoxTree, time: f64| tree.advance_to(time).expect("later");
            keep(&mut box_tree, play_trees(bodies, planes.clone(), &times, advance, BoxTree::plans));
            let (parts, list_at_end) = play_list(bodies, first.clone(), &times);
            keep(&mut list, parts);
            end = Some(list_at_end);
        }
        let [bottom_up, aabb, box_tree, incremental] =
            [bottom_up, aabb, box_tree, list].map(|parts| parts.expect("there was a run"));
        assert_eq!(bottom_up.meeting, incremental.meeting, "both must find the same");
        let end = end.expect("there was a run");
        let made = Self {
            triangles: [a.triangles().len(), b.triangles().len()],
            frames: times.len(),
            frames_per_key,
            way: way(a),
            bottom_up,
            aabb,
            box_tree,
            list: incremental,
            list_stats: end.stats(),
            listed: end.listed().len(),
        };
        report.say(&format!(
            "  {} and {} triangles, {frames_per_key} frames per key: {:.0} overlapping leaves per frame",
            made.triangles[0],
            made.triangles[1],
            incremental.pairs as f64 / made.frames as f64
        ));
        made
    }

    /// Milliseconds per frame.
    pub fn ms(&self, seconds: f64) -> f64 {
        seconds * 1e3 / self.frames as f64
    }

    /// Bottom-up over the separation list: without and with tests of triangles.
    pub fn list_speed_up(&self) -> [f64; 2] {
        [self.bottom_up.boxes() / self.list.boxes(), self.bottom_up.total() / self.list.total()]
    }
}

/// Keeps the faster one of two runs.
fn keep(best: &mut Option<Parts>, parts: Parts) {
    if best.is_none_or(|best| parts.total() < best.total()) {
        *best = Some(parts);
    }
}

fn play_bottom_up(bodies: &[KeyedMotion], trees: &[AabbTree; 2], times: &[Moment]) -> Parts {
    let mut parts = Parts::default();
    let mut peers = [0, 1].map(|k| BottomUp::like(&trees[k], bodies[k].triangles()));
    let mut positions = [0, 1].map(|k: usize| bodies[k].keys()[0].clone());
    let moves = [0, 1].map(|k: usize| !rests(&bodies[k]));
    (0..2).for_each(|k| peers[k].refit(&positions[k]));
    let mut leaves = vec![];
    for &at in times {
        for k in (0..2).filter(|&k| moves[k]) {
            parts.interpolation += seconds(|| interpolate(&bodies[k], at, &mut positions[k]));
            parts.update += seconds(|| peers[k].refit(&positions[k]));
        }
        parts.look(&peers[0], &peers[1], &mut leaves);
        parts.test(&leaves, |body, triangle| {
            let corners = bodies[body].triangles()[triangle.index()];
            corners.map(|vertex| positions[body][vertex as usize])
        });
    }
    parts
}

/// Two kinetic trees of one kind. Their checks take long, so only some frames are checked, evenly spread.
fn play_trees<T: Hierarchy>(
    bodies: &[KeyedMotion],
    mut trees: [T; 2],
    times: &[Moment],
    advance: impl Fn(&mut T, f64),
    plans: impl Fn(&T) -> &Plans,
) -> Parts {
    let (mut update, mut parts, mut leaves, mut checks) = (0.0, Parts::default(), vec![], 0);
    let stride = (times.len() / CHECKS).max(1);
    for (frame, at) in times.iter().enumerate() {
        update += seconds(|| trees.iter_mut().for_each(|tree| advance(tree, at.time)));
        if frame % stride == 7 % stride && parts.check < LONGEST_CHECKS {
            parts.look(&trees[0], &trees[1], &mut leaves);
            parts.test(&leaves, |body, triangle| planned(&bodies[body], plans(&trees[body]), triangle));
            checks += 1;
        }
    }
    let share = times.len() as f64 / f64::from(checks.max(1));
    let scaled = |count: u64| (count as f64 * share) as u64;
    Parts {
        update,
        check: parts.check * share,
        triangles: parts.triangles * share,
        compared: scaled(parts.compared),
        pairs: scaled(parts.pairs),
        ..parts
    }
}

fn play_list(bodies: &[KeyedMotion], mut list: SeparationList, times: &[Moment]) -> (Parts, SeparationList) {
    let (mut parts, mut leaves) = (Parts::default(), vec![]);
    for at in times {
        parts.update += seconds(|| list.advance_to(at.time).expect("later"));
        parts.check += seconds(|| {
            leaves.clear();
            leaves.extend(list.ongoing().map(|overlap| [overlap.a, overlap.b]));
        });
        parts.test(&leaves, |body, triangle| planned(&bodies[body], list.tree(body).plans(), triangle));
        list.drain_finished().for_each(drop);
    }
    (parts, list)
}

fn planned(body: &KeyedMotion, plans: &Plans, triangle: TriangleId) -> [DVec3; 3] {
    body.triangles()[triangle.index()].map(|vertex| plans.at(vertex, plans.now()))
}
