//! Discrete orientation polytopes: bounds by pairs of parallel planes in a few fixed directions.
//!
//! A k-DOP is the set of points whose projections on k/2 axes lie in k/2 intervals. With the three coordinate axes it is a box. More
//! axes cut off edges and corners of the box:
//!
//! | k | axes besides x, y, z |
//! |---|---|
//! | 6 | – |
//! | 14 | the four diagonals of a cube |
//! | 18 | the six diagonals of its faces |
//! | 26 | both |
//!
//! All axes have components −1, 0 and 1, so that projections need no multiplications (Klosowski et al. 1998). They are not
//! normalised: along (1, 1, 1) the projection of a point may be three times as large as its coordinates.
//!
//! # Layout
//!
//! A bound is stored as the largest projections on all axes and on all opposite axes, four axes to a block. Unused axes of the
//! last block hold zeros. Two k-DOPs are apart if, for some axis, the largest projection of one and the largest opposite projection of the
//! other sum to less than zero. The sign of a floating-point sum is exact, so this test is.

use super::DVec3;
use super::round;

/// Axes of one block.
pub(crate) const BLOCK: usize = 4;

/// Blocks of the largest set.
pub(crate) const BLOCKS: usize = 4;

/// The directions of a [`Kdop`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Directions {
    /// The six directions of an axis-aligned box.
    #[default]
    Six,
    /// Those of a box, and the diagonals of a cube.
    Fourteen,
    /// Those of a box, and the diagonals of the faces of a cube.
    Eighteen,
    /// All of these.
    TwentySix,
}

const AXES: [[i8; 3]; 13] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
];

const EIGHTEEN: [[i8; 3]; 9] =
    [AXES[0], AXES[1], AXES[2], AXES[7], AXES[8], AXES[9], AXES[10], AXES[11], AXES[12]];

impl Directions {
    /// All sets, the smallest first.
    pub const ALL: [Self; 4] = [Self::Six, Self::Fourteen, Self::Eighteen, Self::TwentySix];

    /// The axes; each stands for itself and for the opposite direction. The first three are x, y and z.
    #[must_use]
    pub fn axes(self) -> &'static [[i8; 3]] {
        match self {
            Self::Six => &AXES[..3],
            Self::Fourteen => &AXES[..7],
            Self::Eighteen => &EIGHTEEN,
            Self::TwentySix => &AXES,
        }
    }

    /// How many directions there are.
    #[must_use]
    pub fn count(self) -> usize {
        2 * self.axes().len()
    }

    /// How many blocks of four axes there are.
    pub(crate) fn blocks(self) -> usize {
        self.axes().len().div_ceil(BLOCK)
    }
}

/// A bound by planes in fixed directions, in `f32`, rounded outward.
///
/// ```
/// use fracas::geom::{DVec3, Directions, Kdop};
/// // Two segments side by side along a diagonal: their boxes overlap, their 14-DOPs do not.
/// let ends = [DVec3::ZERO, DVec3::ONE];
/// let aside = ends.map(|p| p + DVec3::new(0.6, -0.6, 0.0));
/// for (directions, apart) in [(Directions::Six, false), (Directions::Fourteen, true)] {
///     let [a, b] = [ends, aside].map(|points| Kdop::around(directions, points));
///     assert_eq!(!a.overlaps(&b), apart);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Kdop {
    /// Largest projections on the axes.
    plus: [[f32; BLOCK]; BLOCKS],
    /// Largest projections on the opposite axes.
    minus: [[f32; BLOCK]; BLOCKS],
    directions: Directions,
}

impl Kdop {
    /// A bound of nothing, which overlaps nothing.
    #[must_use]
    pub fn empty(directions: Directions) -> Self {
        let mut side = [[0.0; BLOCK]; BLOCKS];
        let axes = directions.axes().len();
        side.as_flattened_mut()[..axes].fill(f32::NEG_INFINITY);
        Self { plus: side, minus: side, directions }
    }

    /// The smallest bound of some points.
    #[must_use]
    pub fn around(directions: Directions, points: impl IntoIterator<Item = DVec3>) -> Self {
        let mut bound = Self::empty(directions);
        points.into_iter().for_each(|p| bound.include(p));
        bound
    }

    /// Grows until it holds a point.
    pub fn include(&mut self, p: DVec3) {
        let axes = self.directions.axes();
        let (plus, minus) = (self.plus.as_flattened_mut(), self.minus.as_flattened_mut());
        for (k, axis) in axes.iter().enumerate() {
            let term = |i: usize| f64::from(axis[i]) * p[i];
            let projection = term(0) + term(1) + term(2);
            // Two sums round; along x, y and z they are exact, since the other terms are zero.
            let error = if k < 3 { 0.0 } else { 4.0 * f64::EPSILON * p.abs().element_sum() };
            plus[k] = plus[k].max(round::up(projection + error));
            minus[k] = minus[k].max(round::up(error - projection));
        }
    }

    /// Grows until it holds another bound with the same directions.
    pub fn merge(&mut self, other: &Self) {
        debug_assert_eq!(self.directions, other.directions);
        for block in 0..BLOCKS {
            for k in 0..BLOCK {
                self.plus[block][k] = self.plus[block][k].max(other.plus[block][k]);
                self.minus[block][k] = self.minus[block][k].max(other.minus[block][k]);
            }
        }
    }

    /// Whether no plane of the fixed directions separates two bounds with the same directions. Closed bounds that touch overlap.
    #[must_use]
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        debug_assert_eq!(self.directions, other.directions);
        for block in 0..self.directions.blocks() {
            let mut apart = false;
            for k in 0..BLOCK {
                apart |= self.plus[block][k] + other.minus[block][k] < 0.0;
                apart |= self.minus[block][k] + other.plus[block][k] < 0.0;
            }
            if apart {
                return false;
            }
        }
        true
    }

    /// The directions of its planes.
    #[must_use]
    pub fn directions(&self) -> Directions {
        self.directions
    }

    /// The interval of projections on each axis, in the order of [`Directions::axes`].
    pub fn intervals(&self) -> impl Iterator<Item = [f32; 2]> + '_ {
        let sides = self.plus.as_flattened().iter().zip(self.minus.as_flattened());
        sides.map(|(plus, minus)| [-minus, *plus]).take(self.directions.axes().len())
    }

    /// A bound from largest projections, block by block.
    pub(crate) fn from_blocks(
        directions: Directions,
        plus: [[f32; BLOCK]; BLOCKS],
        minus: [[f32; BLOCK]; BLOCKS],
    ) -> Self {
        let mut bound = Self { plus, minus, directions };
        let axes = directions.axes().len();
        bound.plus.as_flattened_mut()[axes..].fill(0.0);
        bound.minus.as_flattened_mut()[axes..].fill(0.0);
        bound
    }

    /// Each interval `[low, high]` replaced by `f(axis, low, high)`.
    pub(crate) fn map_intervals(mut self, f: impl Fn(usize, f32, f32) -> [f32; 2]) -> Self {
        let axes = self.directions.axes().len();
        let (plus, minus) = (self.plus.as_flattened_mut(), self.minus.as_flattened_mut());
        for k in 0..axes {
            let [low, high] = f(k, -minus[k], plus[k]);
            (plus[k], minus[k]) = (high, -low);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_points() -> impl Strategy<Value = Vec<DVec3>> {
        let coordinate = -4..=4_i32;
        let point = [coordinate.clone(), coordinate.clone(), coordinate];
        prop::collection::vec(point.prop_map(|p| DVec3::from(p.map(|x| f64::from(x) * 0.7))), 1..5)
    }

    /// Whether the projections on some axis are apart, in `f64`.
    fn apart(directions: Directions, a: &[DVec3], b: &[DVec3]) -> bool {
        let interval = |axis: DVec3, points: &[DVec3]| {
            points
                .iter()
                .map(|p| axis.dot(*p))
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        directions.axes().iter().any(|axis| {
            let axis = DVec3::from(axis.map(f64::from));
            let ([al, ah], [bl, bh]) = (interval(axis, a), interval(axis, b));
            // Rounded outward, bounds that are nearer than this may touch.
            ah < bl - 1e-5 || bh < al - 1e-5
        })
    }

    proptest! {
        #[test]
        fn overlap_unless_an_axis_separates(a in any_points(), b in any_points(), which in 0..4_usize) {
            let directions = Directions::ALL[which];
            let [first, second] = [&a, &b].map(|points| Kdop::around(directions, points.iter().copied()));
            prop_assert_eq!(first.overlaps(&second), !apart(directions, &a, &b));
            prop_assert_eq!(second.overlaps(&first), first.overlaps(&second));
            let mut both = first;
            both.merge(&second);
            let all = Kdop::around(directions, a.iter().chain(&b).copied());
            prop_assert_eq!(both, all);
            for (axis, [low, high]) in directions.axes().iter().zip(all.intervals()) {
                let axis = DVec3::from(axis.map(f64::from));
                for p in a.iter().chain(&b) {
                    prop_assert!((f64::from(low)..=f64::from(high)).contains(&axis.dot(*p)));
                }
            }
        }
    }

    #[test]
    fn sets_have_their_sizes_and_distinct_axes() {
        for (directions, count) in Directions::ALL.into_iter().zip([6, 14, 18, 26]) {
            let axes = directions.axes();
            assert_eq!(directions.count(), count);
            assert_eq!(directions.blocks(), axes.len().div_ceil(4));
            for (k, axis) in axes.iter().enumerate() {
                let opposite = axis.map(|x| -x);
                assert!(axes[..k].iter().all(|other| other != axis && *other != opposite));
            }
        }
    }

    #[test]
    fn nothing_overlaps_nothing() {
        for directions in Directions::ALL {
            let nothing = Kdop::empty(directions);
            let something = Kdop::around(directions, [DVec3::ZERO]);
            assert!(!nothing.overlaps(&something) && !something.overlaps(&nothing));
            assert!(!nothing.overlaps(&nothing) && something.overlaps(&something));
        }
    }
}
