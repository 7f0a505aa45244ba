//! The kinetic AABB tree against brute force, at random instants.

use crate::motions::{self, Motion, instants, random_changes, random_vector, random_vertices};
use fracas::geom::{Box3, DVec3};
use fracas::internal::Random;
use fracas::kinetic::{AabbTree, Certificates, KineticError, KineticOptions, NodeId, Plan, Plans};
use fracas::mesh::TriangleId;

const LOOK_AHEAD: KineticOptions = KineticOptions { certificates: Certificates::LookAhead };
const RENEW: KineticOptions = KineticOptions { certificates: Certificates::RenewAtKeys };

fn tree(motion: &Motion, options: KineticOptions) -> AabbTree {
    AabbTree::build(motion.plans(), motion.triangles.clone(), options).unwrap()
}

fn vertices_below(tree: &AabbTree, node: NodeId) -> Vec<u32> {
    match tree.children(node) {
        Some(children) => children.into_iter().flat_map(|child| vertices_below(tree, child)).collect(),
        None => tree.corners(tree.triangle_of(node).unwrap()).to_vec(),
    }
}

/// Each box is that of the `f64` positions below it, up to the rounding of the two positions compared. Returns how many sides are
/// equal and how many are not.
pub fn check_boxes(tree: &AabbTree) -> [usize; 2] {
    tree.validate().unwrap();
    let now = tree.now();
    let mut counts = [0, 0];
    for node in tree.nodes() {
        let vertices = vertices_below(tree, node);
        let plans = tree.plans();
        let given = tree.bounds_of(node);
        let truth = Box3::from_points(vertices.iter().map(|&vertex| plans.at(vertex, now)));
        let champions = tree.realised_by(node);
        for side in 0..6 {
            let axis = side / 2;
            let [given, truth] =
                [given, truth].map(|b| if side % 2 == 0 { b.min[axis] } else { b.max[axis] });
            counts[usize::from(given != truth)] += 1;
            let rounding = |vertex: u32| plans.interval(vertex, now).rounding(now)[axis];
            let extreme = vertices.iter().copied().filter(|&vertex| plans.at(vertex, now)[axis] == truth);
            let bound = extreme.map(rounding).fold(0.0, f64::max) + rounding(champions[side]);
            assert!((given - truth).abs() <= bound, "{given} is not {truth} within {bound} at {now}");
        }
    }
    counts
}

#[test]
fn boxes_are_those_of_brute_force_at_random_instants() {
    let mut random = Random::new(1);
    let mut counts = [0, 0];
    for motion in motions::all(8) {
        for options in [RENEW, LOOK_AHEAD] {
            let mut tree = tree(&motion, options);
            check_boxes(&tree);
            for time in instants(&mut random, &motion, tree.now(), 25) {
                tree.advance_to(time).unwrap();
                let [equal, close] = check_boxes(&tree);
                counts = [counts[0] + equal, counts[1] + close];
            }
        }
    }
    assert!(counts[1] * 1000 < counts[0], "{counts:?}");
}

#[test]
fn boxes_are_right_just_before_and_after_events() {
    for motion in [motions::ties(3, 4, 9), motions::storm(3, 3, 5)] {
        check_around_events(&motion);
    }
}

/// Steps of one unit in the last place around the events of a small body.
fn check_around_events(motion: &Motion) {
    let mut fine = tree(motion, RENEW);
    let mut times = Vec::new();
    let (mut low, end) = (fine.now(), motion.end());
    while low < end {
        // Bisect for the next time at which something happens.
        let events = fine.stats().events();
        let (mut before, mut after) = (low, end);
        let happens = |time: f64| {
            let mut probe = fine.clone();
            probe.advance_to(time).unwrap();
            probe.stats().events() > events
        };
        if !happens(end) {
            break;
        }
        while before.next_up() < after {
            let middle = before + (after - before) / 2.0;
            let middle = if middle > before && middle < after { middle } else { before.next_up() };
            if happens(middle) {
                after = middle;
            } else {
                before = middle;
            }
        }
        times.push(after);
        fine.advance_to(after).unwrap();
        low = after;
    }
    assert!(times.len() > 15, "{}", times.len());
    let mut tree = tree(motion, RENEW);
    for time in times {
        for time in [time.next_down(), time, time.next_up()] {
            if time >= tree.now() {
                tree.advance_to(time).unwrap();
                check_boxes(&tree);
            }
        }
    }
}

#[test]
fn a_leaf_and_its_parent_change_at_the_same_instant() {
    // At t = 1 vertices 1 and 3 both overtake vertex 0, and vertex 3 is faster. The leaf of vertex 1 is older than its parent, so that
    // its event comes first.
    let x = [1.0, 0.0, 0.0, -1.0, -1.0, -1.0];
    let speed = [0.0, 1.0, 0.0, 2.0, 0.0, 0.0];
    let positions: Vec<DVec3> = (0..6).map(|k| DVec3::new(x[k], k as f64, 0.0)).collect();
    let plans = Plans::moving(0.0, &positions, &speed.map(|speed| DVec3::X * speed)).unwrap();
    let mut tree = AabbTree::build(plans, vec![[0, 1, 2]], RENEW).unwrap();
    let second = tree.insert_triangles(&[[3, 4, 5]]).unwrap();
    assert_eq!(tree.corners(second), [3, 4, 5]);
    for time in [1.0, 1f64.next_up(), 1f64.next_up().next_up(), 2.0] {
        tree.advance_to(time).unwrap();
        check_boxes(&tree);
        let greatest = tree.realised_by(tree.root().unwrap())[1];
        assert_eq!(greatest, if time == 1.0 { 0 } else { 3 });
    }
}

#[test]
fn a_translation_costs_no_events() {
    let offsets = [DVec3::ZERO, DVec3::new(0.1, -3.7, 1e5), DVec3::new(-0.3, 1.0 / 3.0, 7.7), DVec3::ONE];
    let rest = motions::cloth(20, 3).frames[2].clone();
    let frames = offsets.iter().map(|&offset| rest.iter().map(|&p| p + offset).collect()).collect();
    let motion = Motion {
        name: "translation",
        times: vec![0.0, 0.5, 2.0, 2.5],
        frames,
        triangles: motions::grid_triangles(20),
    };
    for options in [RENEW, LOOK_AHEAD] {
        let mut tree = tree(&motion, options);
        tree.advance_to(1.7).unwrap();
        check_boxes(&tree);
        tree.advance_to(10.0).unwrap();
        assert_eq!((tree.stats().events(), tree.stats().updates), (0, 0));
        let plans = Plans::moving(0.0, &rest, &vec![DVec3::new(0.1, -0.2, 0.7); rest.len()]).unwrap();
        let mut tree = AabbTree::build(plans, motion.triangles.clone(), options).unwrap();
        tree.advance_to(1e9).unwrap();
        assert_eq!((tree.stats().events(), tree.scheduled()), (0, 0));
        check_boxes(&tree);
    }
}

#[test]
fn events_do_not_depend_on_the_frame_rate_nor_on_the_certificates() {
    for motion in motions::all(10) {
        let run = |options: KineticOptions, rate: f64| {
            let mut tree = tree(&motion, options);
            let (begin, end) = (tree.now(), motion.end());
            let frames = ((end - begin) * rate) as usize;
            (0..=frames).for_each(|frame| tree.advance_to(begin + frame as f64 / rate).unwrap());
            tree.advance_to(end + 1.0).unwrap();
            let stats = tree.stats();
            (stats.leaf_events, stats.tree_events, stats.updates)
        };
        let counts = run(RENEW, 25.0);
        assert_eq!([run(RENEW, 250.0), run(RENEW, 2500.0)], [counts; 2], "{}", motion.name);
        assert_eq!(run(LOOK_AHEAD, 25.0), counts, "{}", motion.name);
        if motion.name != "collapsed" {
            assert!(counts.0 > 0 && counts.1 > 0, "{}: {counts:?}", motion.name);
        }
    }
}

#[test]
fn random_subsets_change_their_plans() {
    let mut random = Random::new(4);
    for options in [RENEW, LOOK_AHEAD] {
        for motion in [motions::cloth(7, 6), motions::ties(7, 6, 3), motions::duplicates(4, 6)] {
            let mut tree = tree(&motion, options);
            for time in instants(&mut random, &motion, tree.now(), 30) {
                tree.advance_to(time).unwrap();
                // Several changes at one instant.
                for _ in 0..random.below(3) {
                    change_some(&mut random, &mut tree);
                    check_boxes(&tree);
                }
            }
        }
    }
}

fn change_some(random: &mut Random, tree: &mut AabbTree) {
    if random.below(3) > 0 {
        let changes = random_changes(random, tree.plans());
        tree.change_plans(&changes).unwrap();
        return;
    }
    let now = tree.now();
    let vertices = random_vertices(random, tree.plans());
    let times = vec![now + random.unit() - 0.2, now + 1.0, now + 1.0 + random.inner_unit()];
    let whole = random.below(2) == 0;
    let frames =
        times.iter().map(|_| vertices.iter().map(|_| random_vector(random, whole)).collect()).collect();
    tree.change_keyframes(&vertices, times, frames).unwrap();
}

#[test]
fn triangles_and_vertices_come_and_go() {
    let mut random = Random::new(6);
    for motion in [motions::cloth(6, 6), motions::quarter_turns(6, 6)] {
        let mut tree = tree(&motion, RENEW);
        let mut alive: Vec<TriangleId> = (0..motion.triangles.len() as u32).map(TriangleId).collect();
        for (round, time) in instants(&mut random, &motion, tree.now(), 120).into_iter().enumerate() {
            tree.advance_to(time).unwrap();
            // Shrink to nothing, then grow, then mixed.
            let shrink = if round < 45 { 5 } else { 1 };
            for _ in 0..random.below(shrink + 2).min(alive.len()) {
                let gone = alive.swap_remove(random.below(alive.len()));
                tree.remove_triangles(&[gone]).unwrap();
                assert!(tree.remove_triangles(&[gone]).is_err());
            }
            let grow = if round < 45 { 1 } else { 6 };
            for _ in 0..random.below(grow) {
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
            check_boxes(&tree);
        }
        tree.remove_triangles(&alive).unwrap();
        assert_eq!((tree.triangle_count(), tree.bounds(), tree.scheduled()), (0, Box3::EMPTY, 0));
        let first = tree.insert_triangles(&[[0, 1, 2], [1, 2, 3]]).unwrap();
        assert_eq!(tree.corners(first), [0, 1, 2]);
        tree.advance_to(100.0).unwrap();
        check_boxes(&tree);
    }
}

#[test]
fn sizes_from_the_smallest_to_the_largest() {
    for motion in [motions::cloth(5, 4), motions::ties(5, 4, 8)] {
        let ordinary = {
            let mut tree = tree(&motion, RENEW);
            tree.advance_to(motion.end()).unwrap();
            tree.stats()
        };
        for exponent in [-660, -300, 300, 660, 990] {
            let scale = 2f64.powi(exponent);
            let scaled = motion.clone().mapped(|p| p * scale);
            let mut tree = tree(&scaled, RENEW);
            for step in 1..=10 {
                let (begin, end) = (motion.times[0], motion.end());
                tree.advance_to(begin + (end - begin) * f64::from(step) / 10.0).unwrap();
                check_boxes(&tree);
            }
            // Powers of two scale everything exactly.
            assert_eq!(tree.stats(), ordinary, "2^{exponent}");
        }
        let huge = motion.clone().mapped(|p| p * 1e305);
        let refused = Plans::keyframes(huge.times, huge.frames);
        assert!(matches!(refused, Err(KineticError::BadVector { what: "position", .. })));
    }
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let motion = motions::cloth(3, 3);
    let bad = vec![[0, 1, 2], [0, 1, 99]];
    let refused = AabbTree::build(motion.plans(), bad.clone(), RENEW).unwrap_err();
    assert_eq!(refused, KineticError::NoSuchVertex { vertex: 99, vertices: 16 });
    let mut tree = tree(&motion, RENEW);
    tree.advance_to(0.3).unwrap();
    let before = format!("{tree:?}");
    assert!(tree.insert_triangles(&bad).is_err());
    assert!(tree.remove_triangles(&[TriangleId(0), TriangleId(18)]).is_err());
    assert!(tree.remove_triangles(&[TriangleId(0), TriangleId(0)]).is_err());
    assert!(tree.change_plans(&[(0, Plan::Velocity(DVec3::ZERO)), (1, Plan::Velocity(DVec3::NAN))]).is_err());
    assert_eq!(tree.advance_to(0.2), Err(KineticError::TimeRunsBackwards { now: 0.3, asked: 0.2 }));
    assert!(tree.advance_to(f64::NAN).is_err());
    assert_eq!(format!("{tree:?}"), before);
}
