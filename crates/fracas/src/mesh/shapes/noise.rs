//! Smooth noise without state: the same place and seed give the same value, always and everywhere.
//!
//! A lattice point has a value made by hashing its integer coordinates; between lattice points the eight nearest
//! values are blended by a polynomial with two continuous derivatives. Only integer arithmetic and the four basic
//! operations are used, so the values do not depend on the machine.

use crate::geom::DVec3;

/// Scrambles 64 bits so that each bit of the input sways about half the bits of the output.
fn scramble(mut bits: u64) -> u64 {
    for shift in [29, 32, 31] {
        bits ^= bits >> shift;
        bits = bits.wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    bits ^ (bits >> 32)
}

/// A number in [−1, 1) that looks random, for each list of integers.
pub(super) fn hash(seed: u64, numbers: &[i64]) -> f64 {
    let mix = |bits: u64, &number: &i64| {
        scramble(bits.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ scramble(number as u64))
    };
    let bits = numbers.iter().fold(scramble(seed), mix);
    // The upper 53 bits as a fraction.
    (bits >> 11) as f64 * (2.0 / (1_u64 << 53) as f64) - 1.0
}

/// Smooth noise in [−1, 1] with bumps about one unit across.
pub(super) fn smooth(p: DVec3, seed: u64) -> f64 {
    let cell = p.floor();
    let [i, j, k] = cell.to_array().map(|x| x as i64);
    let f = p - cell;
    let blend = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let along_x = |j: i64, k: i64| mix(hash(seed, &[i, j, k]), hash(seed, &[i + 1, j, k]), blend.x);
    let along_y = |k: i64| mix(along_x(j, k), along_x(j + 1, k), blend.y);
    mix(along_y(k), along_y(k + 1), blend.z)
}

/// A sum of `octaves` layers of [`smooth`], each twice as fine and half as strong as the last, in [−1, 1].
pub(super) fn fractal(p: DVec3, octaves: u32, seed: u64) -> f64 {
    let (mut sum, mut total, mut strength, mut scale) = (0.0, 0.0, 1.0, 1.0);
    for octave in 0..octaves {
        sum += strength * smooth(p * scale, seed.wrapping_add(u64::from(octave) << 32));
        total += strength;
        strength *= 0.5;
        scale *= 2.0;
    }
    sum / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_fill_their_range_evenly() {
        let values: Vec<f64> = (0..40_000).map(|i| hash(1, &[i / 200 - 100, i % 200 - 100])).collect();
        assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
        for tenth in 0..10 {
            let low = -1.0 + 0.2 * f64::from(tenth);
            let count = values.iter().filter(|v| (low..low + 0.2).contains(*v)).count();
            assert!((3700..4300).contains(&count), "{count} values from {low}");
        }
        // Neighbours, mirror images and other seeds are unrelated.
        let mean = |f: &dyn Fn(i64) -> f64| (0..40_000).map(f).sum::<f64>() / 40_000.0;
        assert!(mean(&|i| hash(1, &[i, 0]) * hash(1, &[i + 1, 0])).abs() < 0.01);
        assert!(mean(&|i| hash(1, &[i, 7]) * hash(1, &[7, i])).abs() < 0.01);
        assert!(mean(&|i| hash(1, &[i, -i]) * hash(2, &[i, -i])).abs() < 0.01);
    }

    #[test]
    fn noise_meets_the_lattice_and_has_no_jumps() {
        assert_eq!(smooth(DVec3::new(-3.0, 2.0, 5.0), 9), hash(9, &[-3, 2, 5]));
        let step = 1e-3;
        for i in 0..4000 {
            let p = DVec3::new(-2.0 + step * f64::from(i), 0.3, -0.7);
            let jump = (smooth(p + step * DVec3::X, 4) - smooth(p, 4)).abs();
            // The blend has slope 15/8 at most, over a range of 2.
            assert!(jump <= 3.75 * step + 1e-12, "jump of {jump} at {p}");
        }
    }

    #[test]
    fn every_machine_sees_the_same_noise() {
        let value = fractal(DVec3::new(0.25, -1.75, 3.5), 3, 42);
        assert_eq!(value.to_bits(), 4_598_906_241_917_075_090);
    }
}
