//! `tri_tri` and `segment_triangle` against fractions, and against themselves in other orders and sizes.

use crate::inputs::{Family, ORDERS, Stream, pair, reorder};
use crate::reference;
use fracas::exact::{Relation, segment_triangle, tri_tri};
use fracas::geom::Triangle;

#[test]
fn tri_tri_agrees_with_fractions() {
    for (seed, family) in Family::ALL.into_iter().enumerate() {
        let mut stream = Stream::new(1_000 + seed as u64);
        let mut seen = [0; 3];
        for _ in 0..family.cases(40_000) {
            let [t, u] = pair(family, &mut stream);
            let expected = reference::relation(&t, &u);
            assert_eq!(tri_tri(&t, &u), expected, "{family:?} {t:?} {u:?}");
            let order = ORDERS[stream.below(6) as usize];
            assert_eq!(tri_tri(&u, &reorder(&t, order)), expected, "{family:?} {order:?} {t:?} {u:?}");
            seen[expected as usize] += 1;
        }
        assert!(seen.iter().all(|n| *n > 0), "{family:?} lacks a relation: {seen:?}");
    }
}

#[test]
fn order_of_triangles_and_corners_changes_nothing() {
    let mut stream = Stream::new(2_000);
    for _ in 0..3_000 {
        let [t, u] = pair(Family::Grid(1), &mut stream);
        let expected = tri_tri(&t, &u);
        for order in ORDERS {
            for other in ORDERS {
                let (t, u) = (reorder(&t, order), reorder(&u, other));
                assert_eq!(tri_tri(&t, &u), expected, "{t:?} {u:?}");
                assert_eq!(tri_tri(&u, &t), expected, "{t:?} {u:?}");
            }
        }
    }
}

#[test]
fn scaling_by_a_power_of_two_changes_nothing() {
    let mut stream = Stream::new(3_000);
    for k in 0..6_000 {
        let family = [Family::Random, Family::Grid(2), Family::Tenths][k % 3];
        let [t, u] = pair(family, &mut stream);
        let expected = tri_tri(&t, &u);
        // Exact while nothing leaves the normal numbers: the smallest nonzero coordinates are about 2⁻⁵².
        for exponent in [-960, -340, -200, 3, 250, 600, 1020] {
            let scale = 2f64.powi(exponent);
            let scaled = |t: &Triangle| Triangle::new(t.a * scale, t.b * scale, t.c * scale);
            assert_eq!(tri_tri(&scaled(&t), &scaled(&u)), expected, "2^{exponent} {t:?} {u:?}");
        }
    }
}

#[test]
fn segments_agree_with_fractions() {
    for (seed, family) in Family::ALL.into_iter().enumerate() {
        let mut stream = Stream::new(4_000 + seed as u64);
        for _ in 0..family.cases(8_000) {
            let [t, u] = pair(family, &mut stream);
            let expected = reference::relation(&t, &Triangle::new(u.a, u.b, u.b));
            assert_eq!(segment_triangle(u.a, u.b, &t), expected, "{family:?} {u:?} {t:?}");
            assert_eq!(segment_triangle(u.b, u.a, &t), expected, "{family:?} {u:?} {t:?}");
            assert_eq!(
                segment_triangle(u.a, u.a, &t) != Relation::Disjoint,
                reference::relation(&t, &Triangle::new(u.a, u.a, u.a)) != Relation::Disjoint
            );
        }
    }
}
