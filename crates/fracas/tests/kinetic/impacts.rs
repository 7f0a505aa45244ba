//! Impacts of steps by windows and by the separation list: those of the finder over the same linear steps.

use crate::motions::{Motion, cloth, quarter_turns, storm, ties};
use fracas::geom::DVec3;
use fracas::impact::Impact;
use fracas::internal::Random;
use fracas::kinetic::{
    AabbTree, KineticBody, KineticError, KineticOptions, Plan, Plans, SeparationList, StepImpacts,
};
use fracas::mesh::Mesh;
use fracas::{Finder, MeshTree, TriangleId};
use std::collections::BTreeMap;

fn body(motion: &Motion) -> KineticBody {
    KineticBody::new(motion.triangles.clone(), motion.plans()).unwrap()
}

fn positions(plans: &Plans, time: f64) -> Vec<DVec3> {
    let mut positions = vec![];
    plans.positions_at(time, &mut positions);
    positions
}

/// The same features, each once and sorted by time, and times that hold the same instant.
#[track_caller]
fn assert_same(found: &[Impact], expected: &[Impact], place: &str) {
    assert!(found.is_sorted_by(|a, b| a.time.low <= b.time.low), "{place}");
    let [found, expected] = [found, expected].map(|list| {
        let times: BTreeMap<_, _> = list.iter().map(|impact| (impact.features, impact.time)).collect();
        assert_eq!(times.len(), list.len(), "{place}: each once");
        times
    });
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{place}");
    for (features, time) in &found {
        let other = expected[features];
        assert!(time.low <= other.high && other.low <= time.high, "{place}: {features:?}");
    }
}

/// Steps from random times to random times, never past a key.
fn steps(random: &mut Random, motion: &Motion) -> Vec<f64> {
    let mut times = motion.times.clone();
    for keys in motion.times.windows(2) {
        let inside = (0..random.below(3)).map(|_| keys[0] + (keys[1] - keys[0]) * random.unit());
        times.extend(inside.collect::<Vec<_>>());
    }
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();
    times.remove(0);
    times
}

fn tree_at(motion: &Motion, plans: &Plans, time: f64) -> MeshTree {
    MeshTree::build(Mesh::new(positions(plans, time), motion.triangles.clone()).unwrap())
}

#[test]
fn impacts_within_a_body_are_those_of_the_finder() {
    let mut random = Random::new(11);
    let mut found = 0;
    for motion in [cloth(7, 4), quarter_turns(4, 4), ties(4, 4, 3), storm(4, 4, 5)] {
        let mut body = body(&motion);
        let tree = AabbTree::build(motion.plans(), motion.triangles.clone(), KineticOptions::default());
        let mut list = SeparationList::within(tree.unwrap());
        let [mut by_window, mut by_list] = [StepImpacts::default(), StepImpacts::default()];
        let mut finder = Finder::default();
        for until in steps(&mut random, &motion) {
            let from = body.now();
            let place = format!("{} from {from} to {until}", motion.name);
            let start = tree_at(&motion, body.plans(), from);
            let end = positions(body.plans(), until);
            let expected = finder.find_self_impacts(start.view().to_positions(&end).unwrap());
            assert_same(by_window.within(&mut body, until).unwrap(), expected.all, &place);
            assert_same(by_list.along(&mut list, until).unwrap(), expected.all, &place);
            assert_eq!((body.now(), list.now()), (until, until));
            found += expected.all.len();
        }
    }
    assert!(found > 100, "{found}");
}

#[test]
fn impacts_between_bodies_are_those_of_the_finder() {
    let mut random = Random::new(12);
    let mut found = 0;
    let upper = cloth(6, 4).mapped(|p| DVec3::new(p.y, p.x, 0.02 - p.z));
    let lower = cloth(7, 4);
    let [mut a, mut b] = [&lower, &upper].map(body);
    let [first, second] = [&lower, &upper].map(|motion| {
        AabbTree::build(motion.plans(), motion.triangles.clone(), KineticOptions::default()).unwrap()
    });
    let mut list = SeparationList::between(first, second).unwrap();
    let [mut by_window, mut by_list] = [StepImpacts::default(), StepImpacts::default()];
    let mut finder = Finder::default();
    for until in steps(&mut random, &lower) {
        let from = a.now();
        let place = format!("from {from} to {until}");
        let starts = [tree_at(&lower, a.plans(), from), tree_at(&upper, b.plans(), from)];
        let ends = [positions(a.plans(), until), positions(b.plans(), until)];
        let [one, other] = [0, 1].map(|k| starts[k].view().to_positions(&ends[k]).unwrap());
        let expected = finder.find_impacts(one, other);
        assert_same(by_window.between(&mut a, &mut b, until).unwrap(), expected.all, &place);
        assert_same(by_list.along(&mut list, until).unwrap(), expected.all, &place);
        found += expected.all.len();
    }
    assert!(found > 100, "{found}");
}

/// Velocities without keys: a step may be longer than the interval for which boxes were known.
#[test]
fn long_steps_of_bodies_without_keys_and_with_removed_triangles() {
    let sheet = cloth(5, 1);
    let flat = &sheet.frames[0];
    let velocities: Vec<DVec3> = flat.iter().map(|p| DVec3::new(0.0, 0.0, p.x - 0.5)).collect();
    let plans = Plans::moving(0.0, flat, &velocities).unwrap();
    let mut moving = KineticBody::new(sheet.triangles.clone(), plans).unwrap();
    let still: Vec<DVec3> = flat.iter().map(|p| *p + DVec3::new(0.03, 0.02, 0.2)).collect();
    let plans = Plans::moving(0.0, &still, &vec![DVec3::ZERO; still.len()]).unwrap();
    let mut resting = KineticBody::new(sheet.triangles.clone(), plans).unwrap();
    moving.change(&[(3, Plan::Velocity(DVec3::Z))]).unwrap();
    moving.remove_triangles(&[TriangleId(0), TriangleId(7)]).unwrap();
    let mut living = sheet.triangles.clone();
    living.remove(7);
    living.remove(0);
    let start = MeshTree::build(Mesh::new(positions(moving.plans(), 0.0), living).unwrap());
    let end = positions(moving.plans(), 5.0);
    let other = MeshTree::build(Mesh::new(still, sheet.triangles.clone()).unwrap());
    let mut finder = Finder::default();
    let expected = finder.find_impacts(start.view().to_positions(&end).unwrap(), &other);
    let mut steps = StepImpacts::default();
    let found = steps.between(&mut moving, &mut resting, 5.0).unwrap();
    assert_eq!(found.len(), expected.all.len());
    assert!(found.len() > 10);
    let times = |list: &[Impact]| list.iter().map(|impact| impact.time).collect::<Vec<_>>();
    assert_eq!(times(found), times(expected.all));
}

#[test]
fn a_key_within_a_step_is_refused_and_nothing_changes() {
    let motion = cloth(3, 4);
    let (mut a, mut b) = (body(&motion), body(&motion));
    let mut steps = StepImpacts::default();
    let [from, key, until] = [motion.times[0], motion.times[1], motion.times[2]];
    assert_eq!(steps.between(&mut a, &mut b, until), Err(KineticError::KeyInStep { from, until, key }),);
    assert!(steps.within(&mut a, f64::NAN).is_err());
    assert_eq!((a.now(), b.now()), (from, from));
    b.advance_to(key).unwrap();
    assert_eq!(steps.between(&mut a, &mut b, key), Err(KineticError::DifferentTimes { a: from, b: key }));
}
