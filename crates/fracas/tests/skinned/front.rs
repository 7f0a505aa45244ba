//! The traversal with k-DOPs finds what the finder finds, with every combination of bounds, and its front saves bounds.

use crate::motions::{ball, body, waving, wild};
use fracas::geom::{DAffine3, Directions};
use fracas::internal::Random;
use fracas::skinned::{Bound, RestBoxes, SkinFront, SkinOptions, SkinnedBody};
use fracas::{DVec3, Finder};

fn combinations() -> Vec<SkinOptions> {
    let mut all = vec![];
    for bound in [Bound::Equation12, Bound::Knapsack] {
        for rest_boxes in [RestBoxes::Aabb, RestBoxes::Obb] {
            all.extend(Directions::ALL.map(|directions| SkinOptions { bound, rest_boxes, directions }));
        }
    }
    all
}

fn shifted(transforms: Vec<DAffine3>, by: DVec3) -> Vec<DAffine3> {
    transforms.into_iter().map(|t| DAffine3::from_translation(by) * t).collect()
}

#[test]
fn pairs_are_those_of_the_finder_with_all_bounds() {
    let (cloud, skin) = ball(1, 2000, 30, 1.0);
    let mut found = 0;
    for options in combinations() {
        let mut random = Random::new(1);
        let [mut a, mut b] = [body(&skin, &options), body(&skin, &options)];
        let mut front = SkinFront::default();
        for step in 0..8 {
            let aside = DVec3::new(2.2 - 0.15 * step as f64, 0.1, 0.0);
            a.set_transforms(&waving(&cloud, step, 1.0)).unwrap();
            b.set_transforms(&shifted(waving(&cloud, step + 5, 1.0), aside)).unwrap();
            if step == 6 {
                a.set_transforms(&wild(&mut random, 30, 1.0)).unwrap();
            }
            let expected = Finder::default().find_pairs(&a, &b).to_vec();
            assert_eq!(front.find_pairs(&a, &b), expected, "{options:?}, step {step}");
            found += expected.len();
        }
    }
    assert!(found > 1000, "{found}");
}

/// Work of a few coherent steps.
fn leaf_pairs(options: &SkinOptions) -> (u64, u64) {
    let (cloud, skin) = ball(2, 8000, 40, 1.0);
    let [mut a, mut b] = [body(&skin, options), body(&skin, options)];
    let mut front = SkinFront::default();
    let (mut leaf_pairs, mut compared) = (0, 0);
    for step in 0..10 {
        a.set_transforms(&waving(&cloud, step, 1.0)).unwrap();
        b.set_transforms(&shifted(waving(&cloud, step, 1.0), DVec3::X * 1.9)).unwrap();
        front.find_pairs(&a, &b);
        leaf_pairs += front.stats().leaf_pairs;
        compared += front.stats().compared;
    }
    (leaf_pairs, compared)
}

#[test]
fn more_directions_and_tighter_bounds_leave_fewer_pairs() {
    let plain = SkinOptions::default();
    let [six, fourteen, _, twenty_six] =
        Directions::ALL.map(|directions| leaf_pairs(&SkinOptions { directions, ..plain }));
    assert!(fourteen.0 < six.0 && twenty_six.0 <= fourteen.0, "{six:?} {fourteen:?} {twenty_six:?}");
    let tight = leaf_pairs(&SkinOptions { bound: Bound::Knapsack, ..plain });
    assert!(tight.1 < six.1, "{tight:?} {six:?}");
    let oriented = SkinOptions { rest_boxes: RestBoxes::Obb, directions: Directions::Fourteen, ..plain };
    assert!(leaf_pairs(&oriented).1 < six.1);
}

#[test]
fn the_front_of_the_last_query_leaves_little_to_do_on_demand() {
    let (cloud, skin) = ball(3, 8000, 40, 1.0);
    let [mut a, mut b] = [(); 2].map(|()| body(&skin, &SkinOptions::default()));
    let (mut kept, mut fresh) = (SkinFront::default(), SkinFront::default());
    let mut on_demand = [0, 0];
    for step in 0..10 {
        let slow = |step: usize| {
            let [now, next] = [0, 1].map(|k| waving(&cloud, step / 10 + k, 1.0));
            let share = (step % 10) as f64 / 10.0;
            let mix = |(a, b): (&DAffine3, &DAffine3)| DAffine3 {
                matrix3: a.matrix3 * (1.0 - share) + b.matrix3 * share,
                translation: a.translation.lerp(b.translation, share),
            };
            now.iter().zip(&next).map(mix).collect::<Vec<_>>()
        };
        a.set_transforms(&slow(step)).unwrap();
        b.set_transforms(&shifted(slow(step), DVec3::X * 1.9)).unwrap();
        fresh.forget();
        let expected = fresh.find_pairs(&a, &b).to_vec();
        assert_eq!(kept.find_pairs(&a, &b), expected);
        if step > 0 {
            assert!(kept.stats().at_front > 0 && kept.stats().merged > 0);
            on_demand[0] += kept.stats().on_demand;
            on_demand[1] += fresh.stats().on_demand;
        }
    }
    assert!(4 * on_demand[0] < on_demand[1], "{on_demand:?}");
}

#[test]
fn a_front_that_changes_bodies_begins_anew() {
    let (cloud, skin) = ball(4, 500, 10, 1.0);
    let (other_cloud, other) = ball(5, 900, 20, 1.0);
    let options = SkinOptions { directions: Directions::Fourteen, ..SkinOptions::default() };
    let [mut a, mut b] = [body(&skin, &options), body(&other, &SkinOptions::default())];
    a.set_transforms(&waving(&cloud, 2, 1.0)).unwrap();
    b.set_transforms(&waving(&other_cloud, 4, 1.0)).unwrap();
    let empty = fracas::mesh::Mesh::new(vec![], vec![]).unwrap();
    let nothing = fracas::mesh::Skin::new(empty, 1, Vec::<Vec<_>>::new()).unwrap();
    let nothing = SkinnedBody::new(nothing, &options).unwrap();
    let mut front = SkinFront::default();
    for (x, y) in [(&a, &b), (&b, &a), (&a, &a), (&a, &nothing), (&a, &b)] {
        let expected = Finder::default().find_pairs(x, y).to_vec();
        assert_eq!(front.find_pairs(x, y), expected);
    }
}
