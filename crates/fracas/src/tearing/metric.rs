//! What makes a tree good: small boxes, measured by area or by squared volume.

use super::arena::Slot;
use std::ops::Add;

/// What upkeep tries to make small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// The sum of box areas, as in the surface-area heuristic. Good for every body, flat ones too.
    #[default]
    Area,
    /// The sum of squared box volumes, q of the paper. Says nothing about flat bodies, whose boxes have no volume;
    /// upkeep of such a body goes by area.
    SquaredVolume,
}

/// Half the surface area of a box.
#[inline]
pub(super) fn half_area(low: [f32; 3], high: [f32; 3]) -> f32 {
    let e = [high[0] - low[0], high[1] - low[1], high[2] - low[2]];
    e[0] * e[1] + e[1] * e[2] + e[2] * e[0]
}

#[inline]
pub(super) fn squared_volume(low: [f32; 3], high: [f32; 3]) -> f32 {
    let volume = (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
    volume * volume
}

impl Metric {
    #[inline]
    pub(super) fn of(self, (low, high): ([f32; 3], [f32; 3])) -> f32 {
        match self {
            Self::Area => half_area(low, high),
            Self::SquaredVolume => squared_volume(low, high),
        }
    }

    #[inline]
    pub(super) fn of_slot(self, slot: &Slot) -> f32 {
        self.of((slot.low, slot.high))
    }
}

/// Sums over the boxes of a subtree, kept at every node, so that Q and the area cost of any subtree are always known.
///
/// They are pulled up from the children whenever a node changes, never added to, so that errors cannot gather.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) half_area: f32,
    pub(super) squared_volume: f32,
    pub(super) leaves: u32,
}

impl Sums {
    /// Of a slot and all below it, given the sums below.
    #[inline]
    pub(super) fn of(slot: &Slot, below: Self) -> Self {
        Self {
            half_area: below.half_area + half_area(slot.low, slot.high),
            squared_volume: below.squared_volume + squared_volume(slot.low, slot.high),
            leaves: below.leaves + u32::from(slot.child.as_leaf().is_some()),
        }
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
