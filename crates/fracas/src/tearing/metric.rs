//! What makes a tree good: small boxes, measured by area or by squared volume.

use super::arena::{Bounds, Slot, without_w};
use glam::{Vec4, Vec4Swizzles};
use std::ops::Add;

/// What upkeep tries to make small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Metric {
    /// The sum of box areas, as in the surface-area heuristic. Good for every body, flat ones too.
    #[default]
    Area,
    /// The sum of squared box volumes, q of the paper. Says nothing about flat bodies, whose boxes have no volume;
    /// upkeep of such a body goes by area.
    SquaredVolume,
}

/// The edges of a box. The last lanes of its corners hold bits that are no good numbers, and arithmetic on those can be
/// slow.
#[inline]
fn edges((low, high): Bounds) -> Vec4 {
    without_w(high) - without_w(low)
}

/// Half the surface area of a box.
#[inline]
pub(super) fn half_area(bounds: Bounds) -> f32 {
    let e = edges(bounds);
    (e * e.yzxw()).element_sum()
}

#[inline]
pub(super) fn squared_volume(bounds: Bounds) -> f32 {
    let e = edges(bounds);
    let volume = e.x * e.y * e.z;
    volume * volume
}

impl Metric {
    #[inline]
    pub(super) fn of(self, bounds: Bounds) -> f32 {
        match self {
            Self::Area => half_area(bounds),
            Self::SquaredVolume => squared_volume(bounds),
        }
    }

    /// How much the box in a slot grows if it takes in another.
    #[inline]
    pub(super) fn growth(self, slot: &Slot, other: &Slot) -> f32 {
        self.of(slot.union(other)) - self.of(slot.bounds())
    }
}

/// Sums over the boxes of a subtree, kept at every node, so that Q and the area cost of any subtree are always known.
///
/// They are pulled up from the children whenever a node changes, never added to, so that errors cannot gather.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sums {
    pub(super) half_area: f32,
    pub(super) squared_volume: f32,
    pub(super) leaves: u32,
}

impl Sums {
    pub(super) const NONE: Self = Self { half_area: 0.0, squared_volume: 0.0, leaves: 0 };

    /// Of a slot and all below it, given the sums below.
    #[inline]
    pub(super) fn of(slot: &Slot, below: Self) -> Self {
        Self {
            half_area: below.half_area + half_area(slot.bounds()),
            squared_volume: below.squared_volume + squared_volume(slot.bounds()),
            leaves: below.leaves + u32::from(slot.child().as_leaf().is_some()),
        }
    }

    /// Of a leaf.
    #[inline]
    pub(super) fn of_leaf(leaf: &Slot) -> Self {
        Self { half_area: half_area(leaf.bounds()), squared_volume: squared_volume(leaf.bounds()), leaves: 1 }
    }
}

impl Add for Sums {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            half_area: self.half_area + other.half_area,
            squared_volume: self.squared_volume + other.squared_volume,
            leaves: self.leaves + other.leaves,
        }
    }
}
