//! `tri_tri_segment` against fractions: the ends are the exact ends, rounded to nearest.

use crate::inputs::{Family, ORDERS, Stream, pair, reorder};
use crate::reference::{Point, intersection};
use fracas::exact::tri_tri_segment;
use fracas::geom::DVec3;
use num_rational::BigRational;

fn fraction(x: f64) -> BigRational {
    BigRational::from_float(x).expect("finite")
}

/// The coordinates of a point as reduced fractions.
fn fractions(p: &Point, exponent: i32) -> [BigRational; 3] {
    let number = |x: &num_bigint::BigInt| x.to_string().parse::<BigRational>().expect("an integer");
    // Two factors, because one could leave the range of f64.
    let scale = fraction(2f64.powi(exponent / 2)) * fraction(2f64.powi(exponent - exponent / 2));
    [0, 1, 2].map(|k| number(&p[k]) / number(&p[3]) * &scale)
}

fn distance(x: &BigRational, y: f64) -> BigRational {
    let d = x - fraction(y);
    if d < fraction(0.0) { -d } else { d }
}

/// Whether the coordinates of `p` are the nearest `f64` numbers to those of the exact point.
fn rounds_to(exact: &[BigRational; 3], p: DVec3) -> bool {
    let is_nearest = |x: &BigRational, y: f64| {
        let here = distance(x, y);
        [y.next_up(), y.next_down()].into_iter().all(|z| !z.is_finite() || here <= distance(x, z))
    };
    exact.iter().zip(p.to_array()).all(|(x, y)| is_nearest(x, y))
}

fn square_length(p: &[BigRational; 3], q: &[BigRational; 3]) -> BigRational {
    p.iter().zip(q).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[test]
fn ends_are_the_exact_ends_rounded() {
    for (seed, family) in Family::ALL.into_iter().enumerate() {
        let mut stream = Stream::new(6_000 + seed as u64);
        let mut seen = [0; 4];
        for _ in 0..family.cases(8_000) {
            let [t, u] = pair(family, &mut stream);
            let (corners, exponent) = intersection(&t, &u);
            let corners: Vec<_> = corners.iter().map(|p| fractions(p, exponent)).collect();
            let found = tri_tri_segment(&t, &u);
            let context = || format!("{family:?} {t:?} {u:?} {found:?} {corners:?}");
            seen[corners.len().min(3)] += 1;
            match (corners.as_slice(), found) {
                ([], None) => {}
                ([p], Some([a, b])) => assert!(a == b && rounds_to(p, a), "{}", context()),
                ([p, q], Some([a, b])) => {
                    // Both are in the order of coordinates; rounding can make ends equal in x and so swap them.
                    let straight = rounds_to(p, a) && rounds_to(q, b);
                    assert!(straight || (rounds_to(p, b) && rounds_to(q, a)), "{}", context());
                }
                (many @ [_, _, _, ..], Some([a, b])) => {
                    let is_corner = |p: DVec3| many.iter().any(|c| rounds_to(c, p));
                    assert!(is_corner(a) && is_corner(b), "{}", context());
                    let longest = many.iter().flat_map(|p| many.iter().map(|q| square_length(p, q))).max();
                    let longest = longest.expect("corners");
                    let ours = square_length(&a.to_array().map(fraction), &b.to_array().map(fraction));
                    // Rounding moves an end by half a unit; pieces that are not much larger than that are left out.
                    let size = t
                        .corners()
                        .iter()
                        .chain(&u.corners())
                        .fold(0.0, |m: f64, p| m.max(p.abs().max_element()));
                    let unit = fraction((size * 1e-9).max(f64::MIN_POSITIVE));
                    if longest > &unit * &unit {
                        assert!(ours >= longest * fraction(1.0 - 1e-6), "{}", context());
                    }
                }
                _ => panic!("{}", context()),
            }
            let order = ORDERS[stream.below(6) as usize];
            assert_eq!(tri_tri_segment(&reorder(&u, order), &t), found, "{}", context());
        }
        // Pieces of a plane need a plane with many points; not every family has one.
        assert!(seen[..3].iter().all(|n| *n > 0), "{family:?} lacks a kind of intersection: {seen:?}");
    }
}
