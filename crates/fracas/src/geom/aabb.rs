//! Axis-aligned boxes in `f32`, rounded outward from `f64`.

use super::round;
use glam::{DVec3, Vec3};

/// A closed axis-aligned box. It holds every `f64` point it was made from, exactly.
///
/// The empty box has `min = +inf` and `max = -inf`; it overlaps nothing and is the identity of [`Aabb::union`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner.
    pub min: Vec3,
    /// Highest corner.
    pub max: Vec3,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Aabb {
    /// The box that holds nothing.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest `f32` box that holds the points.
    ///
    /// ```
    /// use fracas::geom::{Aabb, DVec3};
    /// let b = Aabb::from_points([DVec3::splat(0.1), DVec3::splat(0.3)]);
    /// assert!(b.contains(DVec3::splat(0.1)) && b.contains(DVec3::splat(0.3)));
    /// ```
    #[must_use]
    pub fn from_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in points {
            low = low.min(p);
            high = high.max(p);
        }
        Self::from_corners(low, high)
    }

    /// The smallest `f32` box that holds the `f64` box from `low` to `high`.
    #[inline]
    #[must_use]
    pub fn from_corners(low: DVec3, high: DVec3) -> Self {
        Self {
            min: Vec3::new(round::down(low.x), round::down(low.y), round::down(low.z)),
            max: Vec3::new(round::up(high.x), round::up(high.y), round::up(high.z)),
        }
    }

    /// Whether the box holds no point at all.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Whether the box holds the point; its faces belong to it.
    #[inline]
    #[must_use]
    pub fn contains(&self, p: DVec3) -> bool {
        self.min.as_dvec3().cmple(p).all() && p.cmple(self.max.as_dvec3()).all()
    }

    /// Whether every point of `inner` lies in this box. The empty box lies in every box.
    #[inline]
    #[must_use]
    pub fn contains_box(&self, inner: &Self) -> bool {
        inner.is_empty() || (self.min.cmple(inner.min).all() && inner.max.cmple(self.max).all())
    }

    /// Whether the two closed boxes share a point.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The smallest box that holds both.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Edge lengths; zero for the empty box.
    #[inline]
    #[must_use]
    pub fn extent(&self) -> DVec3 {
        if self.is_empty() { DVec3::ZERO } else { self.max.as_dvec3() - self.min.as_dvec3() }
    }

    /// The middle of the box, in `f64`.
    #[inline]
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        0.5 * self.min.as_dvec3() + 0.5 * self.max.as_dvec3()
    }

    /// Product of the edge lengths.
    #[inline]
    #[must_use]
    pub fn volume(&self) -> f64 {
        let e = self.extent();
        e.x * e.y * e.z
    }

    /// Area of the six faces.
    #[inline]
    #[must_use]
    pub fn surface_area(&self) -> f64 {
        let e = self.extent();
        2.0 * (e.x * e.y + e.y * e.z + e.z * e.x)
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
            Just(f64::from(f32::MAX) * (1.0 + 1e-9)),
            Just(f64::from_bits(1)),
        ];
        [coordinate.clone(), coordinate.clone(), coordinate].prop_map(DVec3::from_array)
    }

    proptest! {
        #[test]
        fn holds_the_points_it_was_made_from(points in proptest::collection::vec(any_point(), 1..6)) {
            let b = Aabb::from_points(points.iter().copied());
            prop_assert!(points.iter().all(|p| b.contains(*p)));
            // No face can move inward to the next f32 and still hold all of them.
            for axis in 0..3 {
                let inside = |low: f32, high: f32| points.iter().all(|p| f64::from(low) <= p[axis] && p[axis] <= f64::from(high));
                prop_assert!(!inside(b.min[axis].next_up(), b.max[axis]));
                prop_assert!(!inside(b.min[axis], b.max[axis].next_down()));
            }
        }

        #[test]
        fn boxes_with_a_common_point_overlap(p in any_point(), q in any_point(), shared in any_point()) {
            let (a, b) = (Aabb::from_points([p, shared]), Aabb::from_points([q, shared]));
            prop_assert!(a.overlaps(&b) && b.overlaps(&a));
            prop_assert!(a.union(&b).contains_box(&a) && a.union(&b).contains_box(&b));
        }
    }

    #[test]
    fn empty_box_is_the_identity_and_overlaps_nothing() {
        let unit = Aabb::from_points([DVec3::ZERO, DVec3::ONE]);
        assert!(Aabb::EMPTY.is_empty() && !unit.is_empty());
        assert_eq!(Aabb::EMPTY.union(&unit), unit);
        assert!(!Aabb::EMPTY.overlaps(&unit) && !unit.overlaps(&Aabb::EMPTY));
        assert!(unit.contains_box(&Aabb::EMPTY) && !Aabb::EMPTY.contains_box(&unit));
        assert_eq!((Aabb::EMPTY.volume(), Aabb::EMPTY.surface_area()), (0.0, 0.0));
        assert_eq!((unit.volume(), unit.surface_area(), unit.centre()), (1.0, 6.0, DVec3::splat(0.5)));
    }
}
