//! Very large and very small bodies, brought to the size of one by a power of two.
//!
//! Squares, areas, volumes and moments of lengths overflow or underflow long before the lengths do: the volume of a body of 1e110 is
//! infinite, that of one of 1e-110 is zero. A power of two changes exponents alone, so a computation on the scaled
//! body takes the same roundings and decides alike, and its lengths times the inverse are exact.
//!
//! Bodies of ordinary size are left alone: what they give does not depend on this module. A module that squares lengths asks
//! [`UnitScale::of`] first, works on scaled positions where the answer is `Some`, and scales what it gives back.

use super::DVec3;

/// Sizes from 2⁻⁶⁴ to 2⁶⁴ are ordinary: their fifth powers are far from the ends of the range.
const ORDINARY: i32 = 64;

/// A power of two that brings a body to the size of one, and the way back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnitScale {
    /// Lengths of the body times this are at most one, or 16 at the very end of the range.
    pub(crate) to_unit: f64,
    /// The inverse.
    pub(crate) back: f64,
}

impl UnitScale {
    /// Nothing is scaled.
    pub(crate) const NONE: Self = Self { to_unit: 1.0, back: 1.0 };

    /// The scale of a body whose points are neither large nor small; `None` if it is of ordinary size, or only a point at the origin.
    pub(crate) fn of(points: impl Iterator<Item = DVec3>) -> Option<Self> {
        Self::of_length(points.fold(DVec3::ZERO, |most, p| most.max(p.abs())).max_element())
    }

    /// The scale of a length.
    pub(crate) fn of_length(length: f64) -> Option<Self> {
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        // The exponent of the smallest power of two above; subnormal lengths count as the smallest normal one. Clamped, so that the
        // inverse is a normal number too.
        let exponent = ((length.to_bits() >> 52) as i32 - 1022).clamp(-1020, 1020);
        (exponent.abs() > ORDINARY)
            .then(|| Self { to_unit: power_of_two(-exponent), back: power_of_two(exponent) })
    }
}

/// 2ᵉ for −1022 ≤ e ≤ 1023.
fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_lengths_are_about_one_and_the_way_back_is_exact() {
        for e in -1074..1024 {
            let length = if e < -1022 { f64::from_bits(1 << (e + 1074)) } else { 1.37 * power_of_two(e) };
            let Some(scale) = UnitScale::of_length(length) else {
                assert!(e.abs() <= ORDINARY + 1, "{e}");
                continue;
            };
            let unit = length * scale.to_unit;
            assert!(unit <= 16.0 && (unit >= 0.5 || e < -1021), "2^{e} becomes {unit}");
            assert_eq!(unit * scale.back, length);
            assert_eq!(scale.to_unit * scale.back, 1.0);
        }
        assert_eq!(UnitScale::of_length(0.0), None);
        assert_eq!(UnitScale::of_length(f64::NAN), None);
        assert_eq!(UnitScale::of([DVec3::ONE, -DVec3::X].into_iter()), None);
        assert!(UnitScale::of([DVec3::ONE, DVec3::X * -1e30].into_iter()).is_some());
    }
}
