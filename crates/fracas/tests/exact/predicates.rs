//! Orientation signs against fractions.

use crate::inputs::{Family, Stream};
use crate::reference::volume_sign;
use fracas::exact::{DVec2, Sign, orient2d, orient3d};
use fracas::geom::DVec3;

/// The sign of the area is that of the volume under a roof one above the plane.
fn area_sign([a, b, c]: [DVec2; 3]) -> Sign {
    let [a, b, c] = [a, b, c].map(|p| p.extend(0.0));
    volume_sign([a, b, c, a + DVec3::Z])
}

#[test]
fn orient3d_is_the_sign_of_the_volume() {
    for (seed, family) in Family::ALL.into_iter().enumerate() {
        let mut stream = Stream::new(seed as u64);
        let mut seen = [0; 3];
        for _ in 0..family.cases(20_000) {
            let mut p: [DVec3; 4] = family.points(&mut stream);
            if stream.below(3) == 0 {
                p[3] = 0.5 * p[1] + 0.5 * p[2];
            }
            let expected = volume_sign(p);
            assert_eq!(orient3d(p[0], p[1], p[2], p[3]), expected, "{family:?} {p:?}");
            assert_eq!(orient3d(p[1], p[0], p[2], p[3]), expected.opposite(), "{family:?} {p:?}");
            seen[(expected as i8 + 1) as usize] += 1;
        }
        assert!(seen.iter().all(|n| *n > 5), "{family:?} is one-sided: {seen:?}");
    }
}

#[test]
fn orient2d_is_the_sign_of_the_area() {
    for (seed, family) in Family::ALL.into_iter().enumerate() {
        let mut stream = Stream::new(100 + seed as u64);
        let mut seen = [0; 3];
        for _ in 0..family.cases(20_000) {
            let mut p = family.points(&mut stream).map(|p: DVec3| p.truncate());
            if stream.below(3) == 0 {
                p[2] = 0.5 * p[0] + 0.5 * p[1];
            }
            let expected = area_sign(p);
            assert_eq!(orient2d(p[0], p[1], p[2]), expected, "{family:?} {p:?}");
            assert_eq!(orient2d(p[0], p[2], p[1]), expected.opposite(), "{family:?} {p:?}");
            seen[(expected as i8 + 1) as usize] += 1;
        }
        assert!(seen.iter().all(|n| *n > 5), "{family:?} is one-sided: {seen:?}");
    }
}

/// Points along a line or plane, one unit in the last place off: where filters without a right bound go wrong.
#[test]
fn one_unit_in_the_last_place_off() {
    let mut stream = Stream::new(7);
    for _ in 0..5_000 {
        let exponent = stream.below(560) as i32 - 280;
        let scale = 2f64.powi(exponent);
        let mut p: [DVec3; 4] = Family::Random.points(&mut stream).map(|p: DVec3| scale * p);
        let weights = [stream.unit(), stream.unit()];
        p[3] = p[0] + (p[1] - p[0]) * weights[0] + (p[2] - p[0]) * weights[1];
        for ulps in -1..=1_i64 {
            let mut q = p;
            q[3].z = f64::from_bits((q[3].z.to_bits() as i64 + ulps) as u64);
            assert_eq!(orient3d(q[0], q[1], q[2], q[3]), volume_sign(q), "{q:?}");
            let mut flat = [q[0], q[1], q[0] + (q[1] - q[0]) * weights[0]].map(DVec3::truncate);
            flat[2].x = f64::from_bits((flat[2].x.to_bits() as i64 + ulps) as u64);
            assert_eq!(orient2d(flat[0], flat[1], flat[2]), area_sign(flat), "{flat:?}");
        }
    }
}

/// Products just above and below the smallest `f64`, alone or multiplied by something large afterwards: what is lost
/// there appears in no relative bound.
#[test]
fn lost_in_underflow() {
    let mut stream = Stream::new(8);
    for k in 0..20_000 {
        // Exponents of a triangle and of a point seen from it; their products lie around 2⁻¹⁰⁷⁴.
        let (small, large) = [(-535, 900), (-535, 0), (-358, -358), (-400, -250)][k % 4];
        let scale = |exponent: i32, p: DVec3| p * 2f64.powi(exponent);
        let [b, c, d]: [DVec3; 3] = Family::Random.points(&mut stream);
        let p = [DVec3::ZERO, scale(small, b), scale(small, c), scale(large, d)];
        assert_eq!(orient3d(p[0], p[1], p[2], p[3]), volume_sign(p), "{p:?}");
        let flat = [DVec2::ZERO, scale(-535, b).truncate(), scale(-535, c).truncate()];
        assert_eq!(orient2d(flat[0], flat[1], flat[2]), area_sign(flat), "{flat:?}");
    }
}
