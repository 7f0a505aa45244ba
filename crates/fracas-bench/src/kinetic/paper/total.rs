//! Updates and checks together: cloth against what it falls on or who wears it (Figures 21 and 22).

use super::check::{BottomUp, Hierarchy, check, count_meeting};
use super::clip::{aabb_tree, box_tree, interpolate, moments, rests, seconds, way};
use crate::metric::Report;
use fracas::DVec3;
use fracas::kinetic::{KineticOptions, Plans, SeparationList, SeparationStats};
use fracas::mesh::TriangleId;
use fracas_scenes::motion::KeyedMotion;

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
        let options = KineticOptions::default();
        let trees = [a, b].map(|body| aabb_tree(body, options));
        let planes = [a, b].map(box_tree);
        let first = SeparationList::between(trees[0].clone(), trees[1].clone()).expect("same time");
        let mut peers = [(a, &trees[0]), (b, &trees[1])].map(|(body, tree)| {
            let mut peer = BottomUp::like(tree, body.triangles());
            peer.refit(&body.keys()[0]);
            (peer, body.keys()[0].clone())
        });
        let moves = [!rests(a), !rests(b)];
        let mut best: [Option<Parts>; 4] = [None; 4];
        let mut list = first.clone();
        for _ in 0..runs {
            let mut parts = [Parts::default(); 4];
            let mut kinetic = trees.clone();
            let mut boxes = planes.clone();
            list = first.clone();
            let mut leaves = vec![];
            for &at in &times {
                for ((body, moves), (peer, positions)) in [a, b].into_iter().zip(moves).zip(&mut peers) {
                    if moves {
                        parts[0].interpolation += seconds(|| interpolate(body, at, positions));
                        parts[0].update += seconds(|| peer.refit(positions));
                    }
                }
                parts[0].look(&peers[0].0, &peers[1].0, &mut leaves);
                parts[0].test(&leaves, |body, triangle| {
                    let corners = bodies[body].triangles()[triangle.index()];
                    corners.map(|vertex| peers[body].1[vertex as usize])
                });

                let planned = |plans: &Plans, body: usize, triangle: TriangleId| {
                    let corners = bodies[body].triangles()[triangle.index()];
                    corners.map(|vertex| plans.at(vertex, at.time))
                };
                parts[1].update +=
                    seconds(|| kinetic.iter_mut().for_each(|tree| tree.advance_to(at.time).expect("later")));
                parts[1].look(&kinetic[0], &kinetic[1], &mut leaves);
                parts[1].test(&leaves, |body, triangle| planned(kinetic[body].plans(), body, triangle));

                parts[2].update +=
                    seconds(|| boxes.iter_mut().for_each(|tree| tree.advance_to(at.time).expect("later")));
                parts[2].look(&boxes[0], &boxes[1], &mut leaves);
                parts[2].test(&leaves, |body, triangle| planned(boxes[body].plans(), body, triangle));

                parts[3].update += seconds(|| list.advance_to(at.time).expect("later"));
                parts[3].check += seconds(|| {
                    leaves.clear();
                    leaves.extend(list.ongoing().map(|overlap| [overlap.a, overlap.b]));
                });
                parts[3].test(&leaves, |body, triangle| planned(list.tree(body).plans(), body, triangle));
            }
            for (best, parts) in best.iter_mut().zip(parts) {
                if best.is_none_or(|best| parts.total() < best.total()) {
                    *best = Some(parts);
                }
            }
        }
        let [bottom_up, aabb, box_tree, incremental] = best.map(|parts| parts.expect("there was a run"));
        assert_eq!(bottom_up.meeting, incremental.meeting, "all ways must find the same");
        assert_eq!(bottom_up.meeting, aabb.meeting, "all ways must find the same");
        assert_eq!(bottom_up.meeting, box_tree.meeting, "all ways must find the same");
        let made = Self {
            triangles: [a.triangles().len(), b.triangles().len()],
            frames: times.len(),
            frames_per_key,
            way: way(a),
            bottom_up,
            aabb,
            box_tree,
            list: incremental,
            list_stats: list.stats(),
            listed: list.listed().len(),
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
}
