//! Rounding from `f64` to `f32` in a chosen direction.
//!
//! `x as f32` rounds to nearest, so the result may lie on either side of `x`. A bound must not: [`down`] never
//! exceeds `x`, [`up`] never falls short of it, and both return the `f32` nearest to `x` that keeps the promise.

/// The largest `f32` that is not greater than `x`; `-inf` where no finite `f32` is small enough.
///
/// ```
/// use fracas::geom::round;
/// assert_eq!(round::down(0.5), 0.5);
/// assert!(f64::from(round::down(0.1)) < 0.1);
/// ```
#[inline]
#[must_use]
pub fn down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

/// The smallest `f32` that is not less than `x`; `+inf` where no finite `f32` is large enough.
#[inline]
#[must_use]
pub fn up(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x { nearest.next_up() } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every finite `f64` with equal probability of every bit pattern: all magnitudes, both zeros, subnormals.
    fn any_finite() -> impl Strategy<Value = f64> {
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite())
    }

    /// Values around the places where the two formats differ: zero, `f32` subnormals, the `f32` maximum.
    fn near_the_seams() -> impl Strategy<Value = f64> {
        let seams = prop_oneof![
            Just(0.0),
            Just(f64::from(f32::from_bits(1))),
            Just(f64::from(f32::MIN_POSITIVE)),
            Just(f64::from(f32::MAX)),
            Just(f64::MIN_POSITIVE),
            Just(f64::from_bits(1)),
            Just(1.0),
            any::<f32>().prop_filter("finite", |x| x.is_finite()).prop_map(f64::from),
        ];
        (seams, -3_i64..4, any::<bool>()).prop_map(|(x, ulps, negative)| {
            let moved = f64::from_bits((x.abs().to_bits() as i64 + ulps).max(0) as u64);
            if negative { -moved } else { moved }
        })
    }

    fn check(x: f64) {
        let (low, high) = (down(x), up(x));
        assert!(f64::from(low) <= x && x <= f64::from(high), "{x:e} outside [{low:e}, {high:e}]");
        // Tight: the next value inward would break the promise.
        assert!(
            f64::from(low.next_up()) > x || f64::from(low) == x,
            "{low:e} is not the tightest below {x:e}"
        );
        assert!(
            f64::from(high.next_down()) < x || f64::from(high) == x,
            "{high:e} is not the tightest above {x:e}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn holds_at_every_magnitude(x in any_finite()) { check(x); }

        #[test]
        fn holds_near_the_seams(x in near_the_seams().prop_filter("finite", |x| x.is_finite())) { check(x); }
    }

    #[test]
    fn the_ends_of_the_range() {
        assert_eq!(down(f64::MAX), f32::MAX);
        assert_eq!(up(f64::MAX), f32::INFINITY);
        assert_eq!(down(f64::MIN), f32::NEG_INFINITY);
        assert_eq!(up(f64::MIN), f32::MIN);
        assert_eq!(down(f64::from_bits(1)), 0.0);
        assert_eq!(up(f64::from_bits(1)), f32::from_bits(1));
        assert_eq!(up(-f64::from_bits(1)), 0.0);
        assert_eq!(down(-0.0).to_bits(), (-0.0_f32).to_bits());
    }
}
