//! Triangles in an order in which neighbours in the list are neighbours in space: along a Z-shaped curve through their middles.
//!
//! Done once, when a soup is made: threads next to each other then read vertices and cells near each other. The order stays
//! good while bodies bend and move, since triangles keep their neighbours, and a bad order costs time, never pairs.

use fracas::geom::{Box3, DVec3};
use fracas::internal::Frame;
use rayon::prelude::*;

/// The numbers of the triangles in that order.
pub(crate) fn along_curve(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<u32> {
    let (low, high) = Box3::from_points(positions.iter().copied()).corners();
    let frame = Frame::around(low, high);
    let key = |t: &[u32; 3]| {
        let middle =
            t.iter().fold(DVec3::ZERO, |sum, &v| sum + (positions[v as usize] - frame.centre) * frame.scale);
        // From −3..3 to 0..2²¹; what overflows is clamped, in the wrong place and harmless.
        let bits = |x: f64| spread(((x + 3.0) * 349_525.0).clamp(0.0, 2_097_151.0) as u64);
        bits(middle.x) | bits(middle.y) << 1 | bits(middle.z) << 2
    };
    let mut keys: Vec<(u64, u32)> =
        triangles.par_iter().enumerate().map(|(k, t)| (key(t), k as u32)).collect();
    keys.par_sort_unstable();
    keys.into_par_iter().map(|(_, k)| k).collect()
}

/// The low 21 bits with two zeros after each.
fn spread(x: u64) -> u64 {
    let mut x = x & 0x1f_ffff;
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        x = (x | x << shift) & mask;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_puts_two_zeros_after_each_bit() {
        for k in 0..21 {
            assert_eq!(spread(1 << k), 1 << (3 * k));
        }
        assert_eq!(spread(0x1f_ffff), 0x1249_2492_4924_9249);
    }

    #[test]
    fn neighbours_in_space_become_neighbours_in_the_list() {
        let positions: Vec<DVec3> = (0..64).map(|k| DVec3::splat(f64::from(k * 37 % 64))).collect();
        let triangles: Vec<[u32; 3]> = (0..64).map(|k| [k; 3]).collect();
        let order = along_curve(&positions, &triangles);
        let places: Vec<f64> = order.iter().map(|&t| positions[t as usize].x).collect();
        assert!(places.is_sorted());
    }
}
