//! A map from `f64` space to `f32`, centred and scaled to lose as little precision as possible.
//!
//! A mesh far from the origin, or very large or small, would lose all detail if it were rounded to `f32` directly. A
//! frame maps its box to about \[-1, 1\]: `x = (p - centre) · scale`, with a scale that is a power of two. Then one
//! number bounds the rounding of every coordinate ([`Frame::SLACK`]), and products of several coordinates neither
//! overflow nor underflow where it matters.

use crate::geom::DVec3;

/// The map from positions to row coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Frame {
    /// The point that becomes the origin.
    pub centre: DVec3,
    /// A power of two.
    pub scale: f64,
}

impl Default for Frame {
    fn default() -> Self {
        Self { centre: DVec3::ZERO, scale: 1.0 }
    }
}

impl Frame {
    /// Frame coordinates stay within ±`REACH`; a structure makes a new frame when its body leaves it.
    pub const REACH: f32 = 2.0;

    /// How far a stored coordinate may be from the true one: half a unit in the last place at [`Frame::REACH`],
    /// and a little for the two roundings in `f64` before.
    pub const SLACK: f32 = 1.01 / (1 << 23) as f32;

    /// The frame of a box: its middle becomes the origin, its longest half edge lands between ½ and 1.
    pub fn around(low: DVec3, high: DVec3) -> Self {
        let centre = 0.5 * low + 0.5 * high;
        let half = (high - centre).max(centre - low).max_element();
        if half <= 0.0 || !half.is_finite() {
            return Self { centre: if centre.is_finite() { centre } else { DVec3::ZERO }, scale: 1.0 };
        }
        // Smallest power of two above `half`; frexp by hand, subnormals count as the smallest normal number.
        let exponent = ((half.to_bits() >> 52) as i32 - 1022).max(-1000);
        Self { centre, scale: power_of_two(-exponent) }
    }

    /// A position in frame coordinates.
    #[inline]
    pub fn map(&self, p: DVec3) -> [f32; 3] {
        let x = self.map_exact(p);
        [x.x as f32, x.y as f32, x.z as f32]
    }

    /// A position in frame coordinates, rounded to `f64` alone.
    #[inline]
    pub(crate) fn map_exact(&self, p: DVec3) -> DVec3 {
        (p - self.centre) * self.scale
    }

    /// The point with these frame coordinates.
    #[inline]
    pub fn unmap(&self, x: DVec3) -> DVec3 {
        x / self.scale + self.centre
    }
}

/// 2ᵉ for −1024 ≤ e ≤ 1000, exactly; the smallest are subnormal.
fn power_of_two(e: i32) -> f64 {
    let normal = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
    normal(e / 2) * normal(e - e / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn powers_of_two() {
        for e in -1000..=1000 {
            assert_eq!(power_of_two(e), 2f64.powi(e), "{e}");
        }
        assert_eq!(power_of_two(-1024), f64::from_bits(1 << 50));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn coordinates_stay_in_reach_and_within_the_slack(
            bits in proptest::array::uniform6(any::<u64>()),
            magnitude in 0_u32..5,
        ) {
            let mut corner = bits.map(|b| match magnitude {
                0 => f64::from_bits(b),
                1 => (b as i64) as f64,
                2 => 1e6 + (b % 1000) as f64 * 1e-6,
                3 => f64::from_bits(b % 2000),
                _ => f64::MAX * (((b % 3) as f64) - 1.0),
            });
            for x in &mut corner { if !x.is_finite() { *x = 1.0; } }
            let (p, q) = (DVec3::from_slice(&corner[..3]), DVec3::from_slice(&corner[3..]));
            let frame = Frame::around(p.min(q), p.max(q));
            for point in [p, q, 0.5 * p + 0.5 * q] {
                let mapped = frame.map(point);
                for axis in 0..3 {
                    prop_assert!(mapped[axis].abs() <= 1.0, "{frame:?} {point} {mapped:?}");
                    let error = (point[axis] - frame.centre[axis]) * frame.scale - f64::from(mapped[axis]);
                    prop_assert!(error.abs() <= f64::from(Frame::SLACK));
                }
            }
        }
    }
}
