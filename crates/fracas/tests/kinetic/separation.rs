//! The separation list against brute force in exact arithmetic, at random instants.

use crate::motions::{self, Motion, instants, random_changes, random_vector};
use fracas::geom::DVec3;
use fracas::internal::Random;
use fracas::kinetic::{
    AabbTree, Certificates, KineticError, KineticOptions, Overlap, Piece, Plan, Plans, SeparationList,
};
use fracas::mesh::TriangleId;
use num_rational::BigRational;
use std::collections::BTreeSet;

const LOOK_AHEAD: KineticOptions = KineticOptions { certificates: Certificates::LookAhead };
const RENEW: KineticOptions = KineticOptions { certificates: Certificates::RenewAtKeys };

type Pairs = BTreeSet<[TriangleId; 2]>;

fn tree(motion: &Motion, options: KineticOptions) -> AabbTree {
    AabbTree::build(motion.plans(), motion.triangles.clone(), options).unwrap()
}

fn exact(plans: &Plans, vertex: u32, axis: usize) -> BigRational {
    let rational = |x: f64| BigRational::from_float(x).unwrap();
    let now = rational(plans.now());
    match plans.interval(vertex, plans.now()) {
        Piece::Chord { from, until, start, end } => {
            let fraction = (now - rational(from)) / (rational(until) - rational(from));
            rational(start[axis]) + (rational(end[axis]) - rational(start[axis])) * fraction
        }
        Piece::Line { from, start, velocity, .. } => {
            rational(start[axis]) + rational(velocity[axis]) * (now - rational(from))
        }
    }
}

/// Whether the boxes of two triangles overlap: in `f64` where that is clear, in rational arithmetic elsewhere.
fn overlap(a: (&Plans, [u32; 3]), b: (&Plans, [u32; 3])) -> bool {
    let now = a.0.now();
    let bounds = |(plans, corners): (&Plans, [u32; 3]), axis: usize| {
        let values = corners.map(|vertex| plans.at(vertex, now)[axis]);
        (
            values.into_iter().fold(f64::INFINITY, f64::min),
            values.into_iter().fold(f64::NEG_INFINITY, f64::max),
        )
    };
    (0..3).all(|axis| {
        let (a_bounds, b_bounds) = (bounds(a, axis), bounds(b, axis));
        let gap = (a_bounds.0 - b_bounds.1).max(b_bounds.0 - a_bounds.1);
        if gap.abs() > 1e-9 {
            return gap < 0.0;
        }
        let bounds = |(plans, corners): (&Plans, [u32; 3])| {
            let values = corners.map(|vertex| exact(plans, vertex, axis));
            let least = values.iter().min().unwrap().clone();
            (least, values.into_iter().max().unwrap())
        };
        let (a, b) = (bounds(a), bounds(b));
        a.0 <= b.1 && b.0 <= a.1
    })
}

fn brute(list: &SeparationList, alive: [&[TriangleId]; 2], is_self: bool) -> Pairs {
    let trees = [list.tree(0), list.tree(usize::from(!is_self))];
    let corners = |k: usize, triangle: TriangleId| (trees[k].plans(), trees[k].corners(triangle));
    let pairs = alive[0].iter().flat_map(|&a| alive[1].iter().map(move |&b| [a, b]));
    pairs.filter(|&[a, b]| (!is_self || a < b) && overlap(corners(0, a), corners(1, b))).collect()
}

fn all_of(motion: &Motion) -> Vec<TriangleId> {
    (0..motion.triangles.len() as u32).map(TriangleId).collect()
}

/// Another body that crosses the first on its way.
fn passing(motion: &Motion) -> Motion {
    let mut other = motion.clone();
    let keys = other.frames.len() as f64;
    for (key, frame) in other.frames.iter_mut().enumerate() {
        let way = 1.5 - 3.0 * key as f64 / keys;
        frame.iter_mut().for_each(|p| *p = DVec3::new(p.y + 0.3 * way, p.z + 0.4, p.x - 0.5 + 0.2 * way));
    }
    other
}

#[test]
fn two_bodies_at_random_instants() {
    let mut random = Random::new(31);
    for motion in motions::all(6) {
        let other = passing(&motion);
        for options in [RENEW, LOOK_AHEAD] {
            let list = SeparationList::between(tree(&motion, options), tree(&other, options)).unwrap();
            let alive = [all_of(&motion), all_of(&other)];
            run(&mut random, &motion, list, alive, false);
        }
    }
}

#[test]
fn one_body_against_itself_at_random_instants() {
    let mut random = Random::new(32);
    for motion in motions::all(5) {
        for options in [RENEW, LOOK_AHEAD] {
            let list = SeparationList::within(tree(&motion, options));
            let alive = [all_of(&motion), all_of(&motion)];
            run(&mut random, &motion, list, alive, true);
        }
    }
}

/// Compares pairs at random instants, then the overlap intervals with the pairs at these instants.
fn run(
    random: &mut Random,
    motion: &Motion,
    mut list: SeparationList,
    alive: [Vec<TriangleId>; 2],
    is_self: bool,
) {
    let mut seen: Vec<(f64, Pairs)> = Vec::new();
    for time in instants(random, motion, list.now(), 25) {
        list.advance_to(time).unwrap();
        list.validate().unwrap();
        let truth = brute(&list, [&alive[0], &alive[1]], is_self);
        let found: Pairs = list.overlapping().into_iter().collect();
        assert_eq!(found, truth, "{} at {time}", motion.name);
        seen.push((time, truth));
    }
    let mut overlaps: Vec<Overlap> = list.drain_finished().collect();
    overlaps.extend(list.ongoing().map(|overlap| Overlap { to: f64::INFINITY, ..overlap }));
    for (time, truth) in seen {
        // Boxes overlap at all times from `from`, or just after it, to just before `to`.
        let holds = |overlap: &&Overlap| overlap.from <= time && time < overlap.to;
        let covered: Pairs = overlaps.iter().filter(holds).map(|overlap| [overlap.a, overlap.b]).collect();
        let extra: Vec<_> = covered.difference(&truth).collect();
        let begins = |pair: &[TriangleId; 2]| {
            overlaps.iter().any(|overlap| [overlap.a, overlap.b] == *pair && overlap.from == time)
        };
        assert!(truth.is_subset(&covered) && extra.into_iter().all(begins), "{} at {time}", motion.name);
    }
}

#[test]
fn every_kind_of_event_takes_place() {
    let motion = motions::cloth(10, 8);
    let other = passing(&motion);
    let mut list = SeparationList::between(tree(&motion, RENEW), tree(&other, RENEW)).unwrap();
    list.advance_to(motion.end()).unwrap();
    let stats = list.stats();
    let kinds = [stats.bv_overlap, stats.fathers_apart, stats.leaves_apart, stats.bv_change];
    assert!(kinds.iter().all(|&count| count > 20), "{stats:?}");
}

#[test]
fn bodies_far_apart_are_one_pair_and_cost_nothing() {
    let motion = motions::rotation(6, 5, 0.3);
    let far = motion.clone().mapped(|p| p + DVec3::X * 100.0);
    let mut list = SeparationList::between(tree(&motion, RENEW), tree(&far, RENEW)).unwrap();
    list.advance_to(motion.end()).unwrap();
    assert_eq!(list.listed().len(), 1);
    let stats = list.stats();
    assert_eq!((stats.bv_overlap, stats.fathers_apart, stats.leaves_apart), (0, 0, 0));
}

#[test]
fn plans_change_and_triangles_come_and_go() {
    let mut random = Random::new(33);
    for is_self in [false, true] {
        let motion = motions::cloth(4, 6);
        let other = passing(&motion);
        let mut list = if is_self {
            SeparationList::within(tree(&motion, RENEW))
        } else {
            SeparationList::between(tree(&motion, RENEW), tree(&other, RENEW)).unwrap()
        };
        let bodies = if is_self { 1 } else { 2 };
        let mut alive = [all_of(&motion), all_of(&other)];
        for time in instants(&mut random, &motion, list.now(), 60) {
            list.advance_to(time).unwrap();
            let body = random.below(bodies);
            match random.below(4) {
                0 | 1 => {
                    let changes = random_changes(&mut random, list.tree(body).plans());
                    list.change_plans(body, &changes).unwrap();
                }
                2 if alive[body].len() > 3 => {
                    let k = random.below(alive[body].len());
                    let gone = alive[body].swap_remove(k);
                    list.remove_triangles(body, &[gone]).unwrap();
                }
                _ => {
                    let plan = Plan::Line {
                        position: random_vector(&mut random, false),
                        velocity: random_vector(&mut random, false),
                    };
                    let new = list.insert_vertices(body, &[plan]).unwrap().start;
                    let corners = [new, random.below(new as usize) as u32, random.below(new as usize) as u32];
                    alive[body].push(list.insert_triangles(body, &[corners]).unwrap());
                }
            }
            list.tree(body).validate().unwrap();
            list.validate().unwrap();
            let both = if is_self { [&alive[0][..], &alive[0][..]] } else { [&alive[0][..], &alive[1][..]] };
            let found: Pairs = list.overlapping().into_iter().collect();
            assert_eq!(found, brute(&list, both, is_self), "{time}");
        }
        assert!(list.drain_finished().all(|overlap| overlap.from <= overlap.to));
    }
}

#[test]
fn intervals_hold_the_true_ones_by_one_step_of_time() {
    let body = |x: f64, speed: f64| {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|corner| corner + DVec3::X * x);
        let plans = Plans::moving(0.0, &corners, &[DVec3::X * speed; 3]).unwrap();
        AabbTree::build(plans, vec![[0, 1, 2]], RENEW).unwrap()
    };
    // The boxes touch at t = 2 and at t = 4, and share points in between.
    let mut list = SeparationList::between(body(0.0, 0.0), body(3.0, -1.0)).unwrap();
    list.advance_to(2f64.next_down()).unwrap();
    assert!(list.overlapping().is_empty());
    list.advance_to(2.0).unwrap();
    assert_eq!(list.overlapping().len(), 1);
    list.advance_to(4.0).unwrap();
    assert_eq!((list.overlapping().len(), list.drain_finished().count()), (1, 0));
    list.advance_to(5.0).unwrap();
    let found: Vec<Overlap> = list.drain_finished().collect();
    let (a, b) = (TriangleId(0), TriangleId(0));
    assert_eq!(found, [Overlap { a, b, from: 2f64.next_down(), to: 4f64.next_up() }]);
}

#[test]
fn small_bodies_and_bad_times() {
    let one = |time: f64| {
        let plans = Plans::moving(time, &[DVec3::ZERO, DVec3::X, DVec3::Y], &[DVec3::X; 3]).unwrap();
        AabbTree::build(plans, vec![[0, 1, 2]], RENEW).unwrap()
    };
    let empty = || AabbTree::build(Plans::moving(0.0, &[], &[]).unwrap(), vec![], RENEW).unwrap();
    let mut list = SeparationList::within(one(0.0));
    list.advance_to(1.0).unwrap();
    assert!(list.overlapping().is_empty() && list.listed().is_empty());
    let mut list = SeparationList::between(one(0.0), empty()).unwrap();
    list.advance_to(1.0).unwrap();
    assert!(list.overlapping().is_empty());
    list.validate().unwrap();
    let refused = SeparationList::between(one(0.0), one(1.0)).unwrap_err();
    assert_eq!(refused, KineticError::DifferentTimes { a: 0.0, b: 1.0 });
    assert_eq!(list.advance_to(0.5), Err(KineticError::TimeRunsBackwards { now: 1.0, asked: 0.5 }));
}
