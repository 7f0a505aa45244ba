//! Bodies on known paths are right at every instant: at 1,000 random times of each motion, boxes are compared with all vertices, and
//! pairs with brute force.

use fracas::geom::{Box3, DVec3};
use fracas::internal::Random;
use fracas::kinetic::{AabbTree, BoxTree, KineticBody, KineticOptions, NodeId, Plan, Plans};
use fracas::mesh::{Mesh, TriangleId};
use fracas::pairs::{Touch, brute};
use fracas::{Finder, MeshTree};
use fracas_scenes::motion::{self, KeyedMotion};

const INSTANTS: usize = 1000;
/// Pairs are compared with brute force at one in this many instants.
const PAIRS_EVERY: usize = 50;
/// More than the rounding of two positions, for coordinates up to three.
const ROUNDING: f64 = 1e-14;

/// A body, how long it is watched, and when vertices take other velocities.
struct Watched {
    name: String,
    triangles: Vec<[u32; 3]>,
    plans: Plans,
    until: f64,
    changes: Vec<(f64, u32, DVec3)>,
}

impl Watched {
    fn keyed(name: &str, motion: &KeyedMotion) -> Self {
        let plans = Plans::keyframes(motion.key_times().to_vec(), motion.keys().to_vec()).unwrap();
        let until = *motion.key_times().last().unwrap();
        let name = format!("{name}, {}", motion.name());
        Self { name, triangles: motion.triangles().to_vec(), plans, until, changes: vec![] }
    }

    /// Random instants, and those of all changes.
    fn instants(&self, random: &mut Random) -> Vec<f64> {
        let from = self.plans.now();
        let mut instants: Vec<f64> =
            (0..INSTANTS).map(|_| from + (self.until - from) * random.unit()).collect();
        instants.extend(self.changes.iter().map(|change| change.0));
        instants.sort_unstable_by(f64::total_cmp);
        instants.dedup();
        instants
    }

    /// All structures, at all instants.
    fn check(&self) {
        let options = KineticOptions::default();
        let mut boxes = AabbTree::build(self.plans.clone(), self.triangles.clone(), options).unwrap();
        let mut planes = BoxTree::build(self.plans.clone(), self.triangles.clone(), options).unwrap();
        let mut body = KineticBody::new(self.triangles.clone(), self.plans.clone()).unwrap();
        let mut random = Random::new(5);
        let (mut positions, mut next) = (vec![], 0);
        for (k, time) in self.instants(&mut random).into_iter().enumerate() {
            boxes.advance_to(time).unwrap();
            planes.advance_to(time).unwrap();
            body.advance_to(time).unwrap();
            let first = next;
            while next < self.changes.len() && self.changes[next].0 <= time {
                next += 1;
            }
            let changes: Vec<(u32, Plan)> = self.changes[first..next]
                .iter()
                .map(|(_, vertex, velocity)| (*vertex, Plan::Velocity(*velocity)))
                .collect();
            if !changes.is_empty() {
                boxes.change_plans(&changes).unwrap();
                planes.change_plans(&changes).unwrap();
                body.change(&changes).unwrap();
            }
            body.plans().positions_at(time, &mut positions);
            let place = format!("{} at {time}", self.name);
            let all = Box3::from_points(positions.iter().copied());
            assert_eq!(boxes.root().map(|root| check_boxes(&boxes, root, &positions, &place)), Some(all));
            assert_eq!(planes.root().map(|root| check_planes(&planes, root, &positions, &place)), Some(all));
            self.check_body(&body, &positions, &mut random, &place);
            if k % PAIRS_EVERY == 0 {
                let mesh = Mesh::new(positions.clone(), self.triangles.clone()).unwrap();
                let found = Finder::default().find_self_pairs(&body).to_vec();
                assert_eq!(found, brute::find_self_pairs(&mesh, Touch::Include), "{place}");
            }
        }
        assert_eq!(next, self.changes.len());
    }

    /// A query around a vertex goes through all boxes above its triangles: each of them must hold it.
    fn check_body(&self, body: &KineticBody, positions: &[DVec3], random: &mut Random, place: &str) {
        let all = Box3::from_points(positions.iter().copied());
        let bounds = body.view().bounds();
        assert!(bounds.min.cmple(all.min + 1e-6).all() && bounds.max.cmpge(all.max - 1e-6).all(), "{place}");
        for _ in 0..8 {
            let triangle = random.below(self.triangles.len());
            let vertex = self.triangles[triangle][random.below(3)] as usize;
            let around = Box3 { min: positions[vertex], max: positions[vertex] };
            let near = body.view().find_in_box(&around);
            assert!(near.contains(&TriangleId(triangle as u32)), "{place}: vertex {vertex}");
        }
    }
}

/// The box of every node is that around all vertices below.
fn check_boxes(tree: &AabbTree, node: NodeId, positions: &[DVec3], place: &str) -> Box3 {
    let truth = match (tree.children(node), tree.triangle_of(node)) {
        (Some(children), _) => {
            let [a, b] = children.map(|child| check_boxes(tree, child, positions, place));
            Box3 { min: a.min.min(b.min), max: a.max.max(b.max) }
        }
        (None, Some(triangle)) => around(tree.corners(triangle), positions),
        (None, None) => panic!("a leaf without a triangle"),
    };
    let given = tree.bounds_of(node);
    let off = (given.min - truth.min).abs().max((given.max - truth.max).abs());
    assert!(off.max_element() <= ROUNDING, "{place}: {given:?} instead of {truth:?}");
    truth
}

/// The planes of every node are the extremes of its subtrees.
fn check_planes(tree: &BoxTree, node: NodeId, positions: &[DVec3], place: &str) -> Box3 {
    let Some(children) = tree.children(node) else {
        return around(tree.corners(tree.triangle_of(node).expect("a leaf")), positions);
    };
    let [a, b] = children.map(|child| check_planes(tree, child, positions, place));
    if let Some((axis, planes)) = tree.planes_of(node) {
        let [high, low] = planes.map(|vertex| positions[vertex as usize][axis]);
        assert!((high - a.max[axis]).abs() <= ROUNDING && (low - b.min[axis]).abs() <= ROUNDING, "{place}");
    }
    Box3 { min: a.min.min(b.min), max: a.max.max(b.max) }
}

fn around(corners: [u32; 3], positions: &[DVec3]) -> Box3 {
    Box3::from_points(corners.map(|vertex| positions[vertex as usize]))
}

#[test]
fn a_tablecloth_at_a_thousand_instants() {
    motion::tablecloth(400).unwrap().iter().for_each(|body| Watched::keyed("tablecloth", body).check());
}

#[test]
fn a_shirt_at_a_thousand_instants() {
    motion::shirt(2_000).unwrap().iter().take(1).for_each(|body| Watched::keyed("shirt", body).check());
}

#[test]
fn a_dress_at_a_thousand_instants() {
    motion::dress(2_000).unwrap().iter().take(1).for_each(|body| Watched::keyed("dress", body).check());
}

#[test]
fn a_crossing_at_a_thousand_instants() {
    motion::crossing(400, 20.0).unwrap().iter().for_each(|body| Watched::keyed("crossing", body).check());
}

#[test]
fn spheres_with_new_plans_at_a_thousand_instants() {
    for sphere in motion::spheres(1_000).unwrap() {
        let plans = Plans::moving(0.0, &sphere.start, &sphere.velocities).unwrap();
        let changes = sphere.changes.iter().map(|change| (change.seconds, change.vertex, change.velocity));
        let until = sphere.frames as f64 * sphere.frame_seconds;
        assert!(!sphere.changes.is_empty());
        let changes = changes.collect();
        Watched { name: "spheres".into(), triangles: sphere.triangles, plans, until, changes }.check();
    }
}

/// Pairs of the two sheets, through kinetic bodies, trees and brute force.
#[test]
fn two_bodies_at_random_instants() {
    let sheets = motion::crossing(200, 20.0).unwrap();
    let watched: Vec<Watched> = sheets.iter().map(|body| Watched::keyed("crossing", body)).collect();
    let mut bodies: Vec<KineticBody> =
        watched.iter().map(|w| KineticBody::new(w.triangles.clone(), w.plans.clone()).unwrap()).collect();
    let mut found = 0;
    for time in watched[0].instants(&mut Random::new(6)) {
        let mut trees = vec![];
        for body in &mut bodies {
            body.advance_to(time).unwrap();
            let mut positions = vec![];
            body.plans().positions_at(time, &mut positions);
            trees.push(MeshTree::build(Mesh::new(positions, body.triangles().to_vec()).unwrap()));
        }
        let mut finder = Finder::default();
        let pairs = finder.find_pairs(&bodies[0], &bodies[1]).to_vec();
        assert_eq!(pairs, finder.find_pairs(&trees[0], &trees[1]), "{time}");
        assert_eq!(pairs, finder.find_pairs(trees[0].mesh(), trees[1].mesh()), "{time}");
        found += pairs.len();
    }
    assert!(found > 0);
}
