//! Contacts of sphere trees with distances, against all points one by one.

use crate::fractures::{Random, broken, solids};
use fracas::brittle::{ContactFinder, ContactOptions};
use fracas::geom::{DQuat, DVec3, Pose};
use std::collections::BTreeSet;

/// A pose that brings one fragment a little way into another.
fn near_pose(random: &mut Random, towards: DVec3, from: DVec3, reach: f64) -> Pose {
    let axis = DVec3::new(random.next() - 0.5, random.next() - 0.5, random.next() - 0.5).normalize();
    let turn = DQuat::from_axis_angle(axis, 3.0 * random.next());
    let way = DVec3::new(random.next() - 0.5, random.next() - 0.5, random.next() - 0.5).normalize() * reach;
    Pose::new(turn, towards + way - turn * from).unwrap()
}

#[test]
fn without_a_budget_every_point_within_reach_is_found() {
    for (name, solid) in solids() {
        let body = broken(&solid, 3, 31);
        let all: Vec<_> = body.fragments().collect();
        let options = ContactOptions { budget: usize::MAX, tolerance: 0.01, ..ContactOptions::default() };
        let mut finder = ContactFinder::new(options);
        let mut random = Random::new(12);
        let mut found_any = 0;
        for _ in 0..60 {
            let [a, b] = [0, 1].map(|_| all[(random.next() * all.len() as f64) as usize]);
            let [of_a, of_b] = [a, b].map(|id| body.fragment(id).unwrap());
            let reach = 0.45 * (of_a.radius() + of_b.radius());
            let pose = near_pose(&mut random, of_a.mass().centre, of_b.mass().centre, reach);
            let contacts = finder.find_between((&body, a), (&body, b), &pose).unwrap().to_vec();
            let found: BTreeSet<(bool, u32)> = contacts.iter().map(|c| (c.is_of_second, c.feature)).collect();
            assert_eq!(found.len(), contacts.len(), "{name}: a point comes twice");
            let mut expected = BTreeSet::new();
            for (is_second, own, other, id) in [(false, of_a, b, a), (true, of_b, a, b)] {
                let tolerance = 0.01 * own.radius();
                for (k, &p) in own.tree().points().iter().enumerate() {
                    let q = if is_second { pose.apply(p) } else { pose.inverse().apply(p) };
                    if body.find_nearest(other, q, tolerance).is_some_and(|near| near.distance < tolerance) {
                        expected.insert((is_second, k as u32));
                    }
                }
                assert!(body.fragment(id).is_ok());
            }
            assert_eq!(found, expected, "{name}");
            found_any += usize::from(!found.is_empty());
            for contact in &contacts {
                let sign = (contact.point - contact.surface).dot(contact.normal);
                assert!((sign - contact.distance).abs() < 1e-9 * solid.radius(), "{name} {contact:?}");
            }
        }
        assert!(found_any > 10, "{name}: {found_any}");
    }
}

#[test]
fn with_a_budget_nothing_deep_is_missed_and_much_is_saved() {
    for (name, solid) in solids() {
        let body = broken(&solid, 2, 37);
        let all: Vec<_> = body.fragments().collect();
        let mut few = ContactFinder::default();
        let mut every =
            ContactFinder::new(ContactOptions { budget: usize::MAX, ..ContactOptions::default() });
        let mut random = Random::new(2);
        let (mut handed, mut colliding) = (0, 0);
        for _ in 0..60 {
            let [a, b] = [0, 1].map(|_| all[(random.next() * all.len() as f64) as usize]);
            let [of_a, of_b] = [a, b].map(|id| body.fragment(id).unwrap());
            let reach = 0.4 * (of_a.radius() + of_b.radius());
            let pose = near_pose(&mut random, of_a.mass().centre, of_b.mass().centre, reach);
            let some = few.find_between((&body, a), (&body, b), &pose).unwrap();
            let found: BTreeSet<(bool, u32)> = some.iter().map(|c| (c.is_of_second, c.feature)).collect();
            let truth = every.find_between((&body, a), (&body, b), &pose).unwrap();
            for contact in truth {
                let radius = if contact.is_of_second { of_b.radius() } else { of_a.radius() };
                if contact.distance < -0.002 * radius {
                    assert!(found.contains(&(contact.is_of_second, contact.feature)), "{name} {contact:?}");
                }
            }
            handed += found.len();
            colliding += truth.len();
        }
        assert!(handed < colliding, "{name}: {handed} of {colliding}");
    }
}

#[test]
fn parallel_surfaces_need_few_contacts() {
    let (_, solid) = solids().swap_remove(0);
    let body = broken(&solid, 0, 0);
    let brick = body.fragments().next().unwrap();
    let on_top = Pose::from_translation(DVec3::new(0.0, 0.0, 0.06)).unwrap();
    let mut finder = ContactFinder::default();
    let contacts = finder.find_between((&body, brick), (&body, brick), &on_top).unwrap();
    assert_eq!(contacts.len(), 16, "eight in either direction");
    // They are spread, so that neither brick can tip over the contacts.
    for second in [false, true] {
        let (low, high) = contacts
            .iter()
            .filter(|c| c.is_of_second == second)
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), c| (l.min(c.point), h.max(c.point)));
        assert!(high.x - low.x > 0.19 && high.y - low.y > 0.09);
    }
}
