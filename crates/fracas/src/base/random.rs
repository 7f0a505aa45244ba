//! Pseudo-random numbers that are the same on every machine.
//!
//! For scenes, tests and benchmarks; not for cryptography.

/// A generator of pseudo-random numbers.
///
/// ```
/// use fracas::internal::Random;
/// let mut random = Random::new(7);
/// assert!((0.0..1.0).contains(&random.unit()) && random.below(6) < 6);
/// assert_eq!(Random::new(7).bits(), Random::new(7).bits());
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Random {
    state: u64,
    is_linear: bool,
}

impl Random {
    /// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). All 64 bits are good.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed, is_linear: false }
    }

    /// Knuth's linear congruential generator modulo 2⁶⁴ (MMIX). The upper bits are good, the lower ones are not.
    pub const fn linear(seed: u64) -> Self {
        Self { state: seed, is_linear: true }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        if self.is_linear {
            self.state =
                self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            return self.state;
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number in (0, 1): a logarithm of it is finite.
    pub fn inner_unit(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// A number in [−1, 1).
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A whole number below a limit; 0 if the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let bits = (self.bits() >> 33) as usize;
        if limit == 0 { 0 } else { bits % limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_are_those_of_the_literature() {
        // The reference implementation of SplitMix64 by Vigna prints these for the seed 1234567.
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.bits(), random.bits(), random.bits()], expected);
        assert_eq!(Random::linear(0).bits(), 1_442_695_040_888_963_407);
    }

    #[test]
    fn numbers_fill_their_ranges() {
        for mut random in [Random::new(1), Random::linear(1)] {
            let mut tenths = [[0; 10]; 4];
            for _ in 0..40_000 {
                let parts = [
                    random.unit() * 10.0,
                    random.inner_unit() * 10.0,
                    random.signed() * 5.0 + 5.0,
                    random.below(10) as f64,
                ];
                assert!(parts.iter().all(|part| (0.0..10.0).contains(part)));
                tenths.iter_mut().zip(parts).for_each(|(counts, part)| counts[part as usize] += 1);
            }
            assert!(tenths.iter().flatten().all(|count| (3700..4300).contains(count)), "{tenths:?}");
        }
    }
}
