//! The kinetic BoxTree against brute force, at random instants.

use crate::motions::{self, Motion, instants, random_changes, random_vector};
use fracas::geom::{Box3, DVec3};
use fracas::internal::Random;
use fracas::kinetic::{AabbTree, BoxTree, Certificates, KineticOptions, NodeId, Plan};
use fracas::mesh::TriangleId;

const LOOK_AHEAD: KineticOptions = KineticOptions { certificates: Certificates::LookAhead };
const RENEW: KineticOptions = KineticOptions { certificates: Certificates::RenewAtKeys };

fn tree(motion: &Motion, options: KineticOptions) -> BoxTree {
    BoxTree::build(motion.plans(), motion.triangles.clone(), options).unwrap()
}

fn vertices_below(tree: &BoxTree, node: NodeId) -> Vec<u32> {
    match tree.children(node) {
        Some(children) => children.into_iter().flat_map(|child| vertices_below(tree, child)).collect(),
        None => tree.corners(tree.triangle_of(node).unwrap()).to_vec(),
    }
}

/// Both planes of each node are the extremes of its subtrees, up to the rounding of the positions compared, and each box holds
/// its vertices likewise.
fn check_planes(tree: &BoxTree) {
    tree.validate().unwrap();
    let (plans, now) = (tree.plans(), tree.now());
    let rounding = |vertex: u32, axis: usize| plans.interval(vertex, now).rounding(now)[axis];
    let nodes = tree.nodes();
    if let Some(&root) = nodes.first() {
        let all = Box3::from_points(vertices_below(tree, root).iter().map(|&vertex| plans.at(vertex, now)));
        let slack = vertices_below(tree, root)
            .iter()
            .map(|&v| plans.interval(v, now).rounding(now))
            .fold(DVec3::ZERO, DVec3::max);
        let given = tree.bounds();
        assert!(
            (given.min - all.min).abs().cmple(2.0 * slack).all()
                && (given.max - all.max).abs().cmple(2.0 * slack).all()
        );
    }
    for node in nodes {
        let bounds = tree.bounds_of(node);
        for &vertex in &vertices_below(tree, node) {
            let position = plans.at(vertex, now);
            let slack =
                plans.interval(vertex, now).rounding(now) + 1e-15 * (bounds.min.abs() + bounds.max.abs());
            assert!(bounds.min.cmple(position + slack).all() && bounds.max.cmpge(position - slack).all());
        }
        let (Some(children), Some((axis, planes))) = (tree.children(node), tree.planes_of(node)) else {
            continue;
        };
        for k in 0..2 {
            let below = vertices_below(tree, children[k]);
            assert!(below.contains(&planes[k]));
            let sign = [1.0, -1.0][k];
            let value = |vertex: u32| sign * plans.at(vertex, now)[axis];
            let truth = below.iter().map(|&vertex| value(vertex)).fold(f64::NEG_INFINITY, f64::max);
            let extreme = below.iter().filter(|&&vertex| value(vertex) == truth);
            let bound =
                extreme.map(|&vertex| rounding(vertex, axis)).fold(0.0, f64::max) + rounding(planes[k], axis);
            assert!((truth - value(planes[k])).abs() <= bound);
        }
    }
}

#[test]
fn planes_are_the_extremes_of_their_subtrees_at_random_instants() {
    let mut random = Random::new(21);
    for motion in motions::all(8) {
        for options in [RENEW, LOOK_AHEAD] {
            let mut tree = tree(&motion, options);
            check_planes(&tree);
            for time in instants(&mut random, &motion, tree.now(), 20) {
                tree.advance_to(time).unwrap();
                check_planes(&tree);
            }
        }
    }
}

#[test]
fn events_do_not_depend_on_the_frame_rate_and_are_fewer_than_those_of_boxes() {
    for motion in motions::all(12) {
        let run = |options: KineticOptions, rate: f64| {
            let mut tree = tree(&motion, options);
            let (begin, end) = (tree.now(), motion.end());
            let frames = ((end - begin) * rate) as usize;
            (0..=frames).for_each(|frame| tree.advance_to(begin + frame as f64 / rate).unwrap());
            tree.advance_to(end + 1.0).unwrap();
            (tree.stats().events(), tree.stats().updates)
        };
        let counts = run(RENEW, 25.0);
        assert_eq!([run(RENEW, 250.0), run(RENEW, 2500.0)], [counts; 2], "{}", motion.name);
        assert_eq!(run(LOOK_AHEAD, 25.0), counts, "{}", motion.name);
        let mut boxes = AabbTree::build(motion.plans(), motion.triangles.clone(), RENEW).unwrap();
        boxes.advance_to(motion.end() + 1.0).unwrap();
        assert!(counts.0 <= boxes.stats().events(), "{}: {counts:?} and {:?}", motion.name, boxes.stats());
        if motion.name == "cloth" {
            assert!(2 * counts.0 < boxes.stats().events() && counts.0 > 0);
        }
    }
}

#[test]
fn a_translation_costs_no_events() {
    let rest = motions::cloth(12, 3).frames[2].clone();
    let frames = [0.0, 0.1, -7.3]
        .map(|offset| rest.iter().map(|&p| p + DVec3::new(offset, 3.0 * offset, 1.0)).collect());
    let motion = Motion {
        name: "translation",
        times: vec![0.0, 0.5, 2.0],
        frames: frames.to_vec(),
        triangles: motions::grid_triangles(12),
    };
    let mut tree = tree(&motion, RENEW);
    tree.advance_to(5.0).unwrap();
    assert_eq!((tree.stats().events(), tree.stats().updates), (0, 0));
}

#[test]
fn random_subsets_change_their_plans() {
    let mut random = Random::new(24);
    for options in [RENEW, LOOK_AHEAD] {
        for motion in [motions::cloth(7, 6), motions::ties(7, 6, 3), motions::duplicates(4, 6)] {
            let mut tree = tree(&motion, options);
            for time in instants(&mut random, &motion, tree.now(), 30) {
                tree.advance_to(time).unwrap();
                for _ in 0..random.below(3) {
                    let changes = random_changes(&mut random, tree.plans());
                    tree.change_plans(&changes).unwrap();
                    check_planes(&tree);
                }
            }
        }
    }
}

#[test]
fn triangles_and_vertices_come_and_go() {
    let mut random = Random::new(26);
    for motion in [motions::cloth(6, 6), motions::quarter_turns(6, 6)] {
        let mut tree = tree(&motion, RENEW);
        let mut alive: Vec<TriangleId> = (0..motion.triangles.len() as u32).map(TriangleId).collect();
        for (round, time) in instants(&mut random, &motion, tree.now(), 120).into_iter().enumerate() {
            tree.advance_to(time).unwrap();
            let shrink = if round < 45 { 7 } else { 2 };
            for _ in 0..random.below(shrink).min(alive.len()) {
                let gone = alive.swap_remove(random.below(alive.len()));
                tree.remove_triangles(&[gone]).unwrap();
                assert!(tree.remove_triangles(&[gone]).is_err());
            }
            for _ in 0..random.below(if round < 45 { 1 } else { 6 }) {
                let plan = Plan::Line {
                    position: random_vector(&mut random, false),
                    velocity: random_vector(&mut random, false),
                };
                let new = tree.insert_vertices(&[plan]).unwrap().start;
                let mut corner = || random.below(new as usize + 1) as u32;
                let corners = [new, corner(), corner()];
                alive.push(tree.insert_triangles(&[corners]).unwrap());
            }
            assert_eq!(tree.triangle_count(), alive.len());
            check_planes(&tree);
        }
        tree.remove_triangles(&alive).unwrap();
        assert_eq!((tree.triangle_count(), tree.bounds(), tree.scheduled()), (0, Box3::EMPTY, 0));
    }
}
