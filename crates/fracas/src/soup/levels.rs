//! Sizes of triangles, and the levels of the grid that follow from them.
//!
//! Every triangle has an *octave*: the exponent of the smallest power of two that its box fits into. The histogram
//! of octaves, with the bounds of each, decides the levels: mostly one level for two neighbouring octaves. A few small
//! triangles get no level of their own, since they cost little one level up.
//!
//! ```text
//!   triangles   ▁▁  ▁▂▅█▇▃▁▁            ▁      octaves, from small to large
//!   levels      └───────┴─┴┴────────────┘      a level's cells are as large as its largest octave
//! ```

use crate::geom::DVec3;

/// The smallest octave: 2⁻¹⁰⁰⁰. Smaller triangles, and points, count as this large.
const SMALLEST: i32 = -1000;

/// Number of octaves: up to 2¹⁰²⁶, for a box between the largest numbers of either sign.
pub(super) const OCTAVES: usize = (1026 - SMALLEST + 1) as usize;

/// Levels of the grid, at most. With more octaves in use than that, levels take in more octaves each.
pub(super) const MOST_LEVELS: usize = 60;

/// No coordinate of a triangle is more than 2⁴⁰ units from the origin; it is lifted to a level where that holds.
const FARTHEST: f64 = 1.0 / (1u64 << 40) as f64;

/// The octave of a triangle, counted from the smallest, and the middle of its box.
#[inline(always)]
pub(super) fn measure(a: DVec3, b: DVec3, c: DVec3) -> (usize, DVec3) {
    let (low, high) = (min(min(a, b), c), max(max(a, b), c));
    // Halves, since the whole may overflow.
    let half = 0.5 * high - 0.5 * low;
    let far = max(low.abs(), high.abs()) * FARTHEST;
    let size = max(half, far);
    let size = if size.x > size.y { size.x } else { size.y }.max(size.z);
    // Half the size is less than 2ᵉ, so the box fits into 2ᵉ⁺¹.
    let e = (size.to_bits() >> 52) as i32 - 1022;
    (((e + 1).max(SMALLEST) - SMALLEST) as usize, 0.5 * low + 0.5 * high)
}

/// The middle of a triangle's box, the same as [`measure`] finds.
#[inline(always)]
pub(super) fn middle(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    let (low, high) = (min(min(a, b), c), max(max(a, b), c));
    0.5 * low + 0.5 * high
}

/// Unlike `DVec3::min`, one instruction for each axis: no coordinate is NaN.
#[inline(always)]
fn min(a: DVec3, b: DVec3) -> DVec3 {
    by_axis(a, b, |a, b| if a < b { a } else { b })
}

/// See [`min`].
#[inline(always)]
fn max(a: DVec3, b: DVec3) -> DVec3 {
    by_axis(a, b, |a, b| if a > b { a } else { b })
}

#[inline(always)]
fn by_axis(a: DVec3, b: DVec3, choose: impl Fn(f64, f64) -> f64) -> DVec3 {
    DVec3::new(choose(a.x, b.x), choose(a.y, b.y), choose(a.z, b.z))
}

pub(super) fn exponent(octave: usize) -> i32 {
    octave as i32 + SMALLEST
}

/// What is known of the triangles of one octave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Octave {
    pub(super) count: u32,
    /// Bounds of the middles of their boxes.
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl Octave {
    pub(super) const EMPTY: Self = Self { count: 0, low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// Takes in a triangle by the middle of its box.
    #[inline(always)]
    pub(super) fn count(&mut self, middle: DVec3) {
        self.count += 1;
        self.low = min(self.low, middle);
        self.high = max(self.high, middle);
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }
}

/// Finds the levels: for each, its largest octave. Octaves up to the first belong to the first level, and so on.
pub(super) fn choose(counts: &impl Fn(usize) -> u32, tops: &mut Vec<usize>) {
    let mut octaves = 2;
    choose_with(counts, octaves, tops);
    while tops.len() > MOST_LEVELS {
        octaves *= 2;
        choose_with(counts, octaves, tops);
    }
}

/// The levels if each may have a given number of octaves.
fn choose_with(counts: &impl Fn(usize) -> u32, octaves: usize, tops: &mut Vec<usize>) {
    tops.clear();
    // The level being put together: its number of triangles and its first octave that is not just a few.
    let (mut count, mut first) = (0_u64, 0);
    for octave in 0..OCTAVES {
        let more = u64::from(counts(octave));
        if more == 0 {
            continue;
        }
        let few = 16 * count <= more;
        // Many small triangles would suffer from the larger cells of a few large ones.
        let alike = octave - first < octaves && (octaves > 2 || count <= 2 * more);
        match tops.last_mut() {
            Some(top) if few || alike => *top = octave,
            _ => {
                tops.push(octave);
                count = 0;
            }
        }
        if few || count == 0 {
            first = octave;
        }
        count += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Triangle;
    use proptest::prelude::*;

    fn levels(list: &[(usize, u32)]) -> Vec<usize> {
        let mut tops = Vec::new();
        choose(&|octave| list.iter().find(|(o, _)| *o == octave).map_or(0, |(_, n)| *n), &mut tops);
        tops
    }

    #[test]
    fn neighbouring_octaves_share_a_level_unless_the_larger_is_rare() {
        assert_eq!(levels(&[(990, 50), (991, 60)]), [991]);
        assert_eq!(levels(&[(990, 500), (991, 60)]), [990, 991]);
        assert_eq!(levels(&[(990, 50), (991, 60), (992, 70)]), [991, 992]);
        assert_eq!(levels(&[(3, 2), (990, 50), (991, 60), (1400, 1)]), [991, 1400]);
        assert_eq!(levels(&[]), [] as [usize; 0]);
    }

    #[test]
    fn there_are_never_too_many_levels() {
        let all: Vec<_> = (0..OCTAVES).map(|octave| (octave, 1 + (octave % 7) as u32)).collect();
        let tops = levels(&all);
        assert!(tops.len() <= MOST_LEVELS && tops.is_sorted_by(|a, b| a < b));
        assert_eq!(tops.last(), Some(&(OCTAVES - 1)));
    }

    fn any_point() -> impl Strategy<Value = DVec3> {
        let number = prop_oneof![
            any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite()),
            -1.0..1.0,
            Just(0.0),
            Just(f64::MAX),
            Just(-f64::MAX),
        ];
        [number.clone(), number.clone(), number].prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn boxes_fit_into_their_octaves(a in any_point(), b in any_point(), c in any_point(), near in any::<bool>()) {
            let t = if near { Triangle::new(a, a + 1e-3 * b.clamp(-DVec3::ONE, DVec3::ONE), a) } else { Triangle::new(a, b, c) };
            let (octave, middle) = measure(t.a, t.b, t.c);
            prop_assert!(octave < OCTAVES && middle.is_finite());
            // In units of the octave, so that nothing overflows.
            let scale = |x: DVec3| {
                let e = -exponent(octave);
                x * 2f64.powi(e / 2) * 2f64.powi(e - e / 2)
            };
            for p in t.corners() {
                prop_assert!(((scale(p) - scale(middle)).abs()).max_element() <= 0.5 + 1e-2);
                prop_assert!(scale(p).abs().max_element() <= (1u64 << 40) as f64);
            }
        }
    }
}
