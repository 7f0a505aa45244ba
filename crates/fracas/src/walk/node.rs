//! Nodes of eight boxes, and what their lanes lead to.

use crate::geom::{Boxes8, LANES};
use fearless_simd::{Level, dispatch};

/// Lowest and highest corner of a box in frame coordinates.
pub(crate) type Corners = ([f32; 3], [f32; 3]);

/// Eight boxes in frame coordinates and what they bound. Used lanes come first; the others hold empty boxes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    pub(crate) boxes: Boxes8,
    pub(crate) children: [Child; LANES],
    /// Directions in which every face normal below the child certainly points; see [`crate::tree`]. 0 if unknown.
    pub(crate) signs: [u8; LANES],
    /// Used lanes.
    pub(crate) count: u32,
    /// For trees whose subtrees are contiguous: one past the last node of this subtree.
    pub(crate) nodes_end: u32,
    /// For the same trees: the leaves of this subtree.
    pub(crate) leaves: [u32; 2],
}

/// What a lane of a node leads to: a node, a leaf, something that is not opened yet, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Child(u32);

impl Child {
    pub(crate) const NONE: Self = Self(u32::MAX);
    const LEAF_BIT: u32 = 1 << 31;
    const CLOSED_BIT: u32 = 1 << 30;

    pub(crate) fn node(index: usize) -> Self {
        Self(index as u32)
    }

    pub(crate) fn leaf(index: usize) -> Self {
        Self(index as u32 | Self::LEAF_BIT)
    }

    /// A place of another structure that has to be opened before a walk can go on there; see [`super::Unfolding`].
    pub(super) fn closed(index: usize) -> Self {
        Self(index as u32 | Self::CLOSED_BIT)
    }

    /// As a number; [`Child::from_bits`] is its inverse.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    #[inline(always)]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF_BIT != 0
    }

    #[inline(always)]
    pub(super) fn is_closed(self) -> bool {
        self.0 & (Self::LEAF_BIT | Self::CLOSED_BIT) == Self::CLOSED_BIT
    }

    /// Index of the node, the leaf or the closed place.
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        (self.0 & !(Self::LEAF_BIT | Self::CLOSED_BIT)) as usize
    }
}

impl Node {
    pub(crate) const EMPTY: Self = Self {
        boxes: Boxes8::EMPTY,
        children: [Child::NONE; LANES],
        signs: [0; LANES],
        count: 0,
        nodes_end: 0,
        leaves: [0; 2],
    };

    /// Gives the node one more child, of eight at most.
    pub(crate) fn push(&mut self, (low, high): Corners, child: Child) {
        let lane = self.count as usize;
        self.boxes.set(lane, low, high);
        self.children[lane] = child;
        self.count += 1;
    }

    /// Used lanes with what they lead to.
    #[inline(always)]
    pub(crate) fn used(&self) -> impl Iterator<Item = (usize, Child)> + '_ {
        self.children[..self.count as usize].iter().copied().enumerate()
    }

    /// One bit for every used lane.
    #[inline(always)]
    pub(crate) fn used_lanes(&self) -> u32 {
        (1 << self.count) - 1
    }

    /// Directions in which every normal below the node certainly points.
    #[inline(always)]
    pub(crate) fn common_signs(&self) -> u8 {
        self.signs[..self.count as usize].iter().fold(u8::MAX, |all, signs| all & signs)
    }

    /// The box around all lanes.
    pub(crate) fn bounds(&self) -> Corners {
        let level = Level::new();
        dispatch!(level, simd => self.boxes.bounds(simd))
    }
}
