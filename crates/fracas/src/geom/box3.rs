//! Axis-aligned boxes in `f64`.

use glam::DVec3;

/// A closed axis-aligned box: its faces belong to it.
///
/// Corners are positions as given, so a box made from points holds exactly those and nothing is rounded. The empty
/// box has `min = +inf` and `max = -inf`; it overlaps nothing and is the identity of [`Box3::union`].
///
/// ```
/// use fracas::geom::{Box3, DVec3};
/// let unit = Box3::from_points([DVec3::ZERO, DVec3::ONE]);
/// let shifted = Box3 { min: DVec3::splat(0.5), max: DVec3::splat(2.5) };
/// assert!(unit.overlaps(&shifted) && !unit.contains(shifted.centre()));
/// assert_eq!(unit.union(&shifted).extent(), DVec3::splat(2.5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "Aabb")]
#[must_use]
pub struct Box3 {
    /// Lowest corner.
    pub min: DVec3,
    /// Highest corner.
    pub max: DVec3,
}

impl Default for Box3 {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Box3 {
    /// The box that holds nothing.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The smallest box that holds the points.
    pub fn from_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        let hold = |b: Self, p: DVec3| Self { min: b.min.min(p), max: b.max.max(p) };
        points.into_iter().fold(Self::EMPTY, hold)
    }

    /// The lowest and the highest corner.
    #[inline]
    #[must_use]
    pub const fn corners(&self) -> (DVec3, DVec3) {
        (self.min, self.max)
    }

    /// Whether the box holds no point at all: `min` exceeds `max` in some axis, or a coordinate is NaN.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// What both boxes hold; empty if they do not overlap.
    #[inline]
    pub fn intersection(&self, other: &Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Whether the box holds the point.
    #[inline]
    #[must_use]
    pub fn contains(&self, p: DVec3) -> bool {
        self.min.cmple(p).all() && p.cmple(self.max).all()
    }

    /// Whether the two boxes share a point.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The smallest box that holds both.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box with every face moved outward by `margin`, or inward if that is negative.
    #[inline]
    pub fn expanded(&self, margin: f64) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Edge lengths; zero for the empty box.
    #[inline]
    #[must_use]
    pub fn extent(&self) -> DVec3 {
        if self.is_empty() { DVec3::ZERO } else { self.max - self.min }
    }

    /// The middle of the box.
    #[inline]
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        0.5 * self.min + 0.5 * self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_point() -> impl Strategy<Value = DVec3> {
        let coordinate = prop_oneof![
            any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite()),
            -10.0..10.0,
            Just(0.0),
            Just(-0.0),
            Just(f64::MAX),
            Just(f64::from_bits(1)),
        ];
        [coordinate.clone(), coordinate.clone(), coordinate].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn holds_the_points_it_was_made_from_and_no_more(points in proptest::collection::vec(any_point(), 1..6)) {
            let b = Box3::from_points(points.iter().copied());
            prop_assert!(points.iter().all(|p| b.contains(*p)));
            for axis in 0..3 {
                // Every face touches a point.
                prop_assert!(points.iter().any(|p| p[axis] == b.min[axis]));
                prop_assert!(points.iter().any(|p| p[axis] == b.max[axis]));
            }
        }

        #[test]
        fn boxes_with_a_common_point_overlap(p in any_point(), q in any_point(), shared in any_point()) {
            let (a, b) = (Box3::from_points([p, shared]), Box3::from_points([q, shared]));
            prop_assert!(a.overlaps(&b) && b.overlaps(&a));
            let both = a.union(&b);
            prop_assert!([a.min, a.max, b.min, b.max].into_iter().all(|p| both.contains(p)));
        }
    }

    #[test]
    fn empty_box_is_the_identity_and_overlaps_nothing() {
        let unit = Box3::from_points([DVec3::ZERO, DVec3::ONE]);
        assert!(Box3::EMPTY.is_empty() && !unit.is_empty());
        assert_eq!(Box3::EMPTY.union(&unit), unit);
        assert!(!Box3::EMPTY.overlaps(&unit) && !unit.overlaps(&Box3::EMPTY));
        assert_eq!((Box3::EMPTY.extent(), unit.extent()), (DVec3::ZERO, DVec3::ONE));
        assert_eq!(unit.centre(), DVec3::splat(0.5));
    }
}
