//! Building balanced trees: splits that leave both sides a height they can have (`heights`).
//!
//! Among those the surface-area heuristic takes its choice, by cost between bins of the space along one axis or along all
//! three. A level is two passes over its items, one that bins them and one that moves them, and neither has a branch
//! that depends on the data. The last few levels are left to `small`.
//!
//! The median rule divides in halves along the longest axis, as the paper does.

use super::arena::{Arena, Bounds, Built};
use super::cells::{self, Cells, Planned};
use super::heights::{Heights, roomy_height};
use super::small::{SMALL, SmallSet};
use crate::tree::partition::{BINS, BestCut, Bin, Binning, Extent, Item, best_cut, cut, half_area};
use std::slice::Iter;

/// How sets of triangles are divided when a tree, or a part of it, is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TearingBuild {
    /// The surface-area heuristic among all splits that balance allows.
    #[default]
    SurfaceArea,
    /// Halves along the longest axis: the baseline of the paper.
    Median,
}

/// Which axes the surface-area heuristic considers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    /// The longest only, by the cells of a grid, and sets of up to [`SMALL`] are halved as nearly as their height allows: the fastest.
    Halves,
    /// The longest only: faster, with boxes a few per cent larger.
    Longest,
    /// All three, but for sets so large that it hardly matters.
    All,
}

/// Sets up to this size are left to `small`.
const SORTED: usize = 16;

/// Sets larger than this are binned along the longest axis alone.
const THREE_AXES: usize = 4096;

/// Memory of builds.
#[derive(Clone, Debug, Default)]
pub(super) struct BuildScratch {
    pub(super) small: SmallSet,
    spare: Vec<Item>,
    cells: Cells,
}

impl Arena {
    /// Builds a tree over the items in slot `at`. There must be an item.
    pub(super) fn build(
        &mut self,
        at: u32,
        items: &mut [Item],
        rule: TearingBuild,
        scratch: &mut BuildScratch,
    ) {
        match rule {
            TearingBuild::SurfaceArea => {
                self.build_by_area(at, items, roomy_height(items.len()), Axes::All, scratch);
            }
            TearingBuild::Median => {
                self.build_by_median(at, items, &mut scratch.small);
            }
        }
    }

    /// Builds a tree of a certain height, which must be possible for this many leaves, in slot `at`.
    pub(super) fn build_by_area(
        &mut self,
        at: u32,
        items: &mut [Item],
        height: u8,
        axes: Axes,
        scratch: &mut BuildScratch,
    ) {
        let BuildScratch { small, spare, cells } = scratch;
        if spare.len() < items.len() {
            spare.resize(items.len(), items[0]);
        }
        let bounds = Extent::of(items).bounds();
        let spare = &mut spare[..items.len()];
        let set = Set { items, spare, bounds };
        let mut build = AreaBuild { arena: self, axes, small };
        if axes == Axes::Halves && set.items.len() >= cells::FEWEST {
            let set = cells.sort(set, height);
            build.follow(&mut cells.planned().iter(), at, set, height);
        } else {
            build.build(at, set, height);
        }
    }

    /// Halves along the longest axis, down to sets that are sorted in one go. The tree has the least height.
    fn build_by_median(&mut self, at: u32, items: &mut [Item], small: &mut SmallSet) -> Built {
        if items.len() <= SMALL {
            return self.build_small(at, items, small);
        }
        let node = self.new_node();
        let half = items.len() / 2;
        cut(items, Extent::of(items).longest_centre_axis(), half);
        let (lower, upper) = items.split_at_mut(half);
        let a = self.build_by_median(2 * node, lower, small);
        let b = self.build_by_median(2 * node + 1, upper, small);
        self.put_node(at, node, a, b)
    }
}

/// Items to be divided, room for as many to move to, and the box around them.
pub(super) struct Set<'a> {
    pub(super) items: &'a mut [Item],
    pub(super) spare: &'a mut [Item],
    pub(super) bounds: Bounds,
}

struct AreaBuild<'a> {
    arena: &'a mut Arena,
    axes: Axes,
    small: &'a mut SmallSet,
}

impl AreaBuild<'_> {
    fn build(&mut self, at: u32, set: Set<'_>, height: u8) -> Built {
        if set.items.len() <= SORTED {
            return self.arena.build_small_by_area(at, set.items, self.small, height);
        }
        if self.axes == Axes::Halves && set.items.len() <= SMALL {
            return self.arena.build_small_of_height(at, set.items, self.small, height);
        }
        let heights = Heights::new(set.items.len(), height);
        let (lower, upper) = match self.cheapest_cut(&set, &heights) {
            Some(cut) => set.divide(&cut),
            None => set.divide_exactly(&heights),
        };
        let (left_height, right_height) = heights.of_sides(lower.items.len());
        let node = self.arena.new_node();
        let a = self.build(2 * node, lower, left_height);
        let b = self.build(2 * node + 1, upper, right_height);
        self.arena.put_node(at, node, a, b)
    }

    /// Builds a tree over items that have been sorted for it.
    fn follow(&mut self, plan: &mut Iter<'_, Planned>, at: u32, set: Set<'_>, height: u8) -> Built {
        let Some(&Planned { left, bounds }) = plan.next().filter(|planned| planned.left > 0) else {
            return self.build(at, set, height);
        };
        let (left_height, right_height) = Heights::new(set.items.len(), height).of_sides(left);
        let (lower, upper) = set.split_at(left, bounds);
        let node = self.arena.new_node();
        let a = self.follow(plan, 2 * node, lower, left_height);
        let b = self.follow(plan, 2 * node + 1, upper, right_height);
        self.arena.put_node(at, node, a, b)
    }

    /// The cheapest cut between two bins that balance allows, if there is one.
    fn cheapest_cut(&self, set: &Set<'_>, heights: &Heights) -> Option<BestCut> {
        let total = set.items.len();
        let (low, high) = set.bounds;
        let longest = (high - low).truncate().max_position();
        let bins = if total <= 64 { BINS / 2 } else { BINS };
        let all = self.axes == Axes::All && total <= THREE_AXES;
        let mut best: Option<BestCut> = None;
        for axis in (0..3).filter(|&axis| axis == longest || all) {
            let binning = Binning::over(axis, 2.0 * low[axis], 2.0 * high[axis], bins);
            let cut = best_cut(set.items, binning, cost, |left| heights.allow(left));
            if cut.cost < best.as_ref().map_or(f32::INFINITY, |best| best.cost) {
                best = Some(cut);
            }
        }
        best
    }
}

/// Cost of visiting what a bin holds: area times triangles.
pub(super) fn cost(bin: &Bin) -> f32 {
    half_area(bin.low, bin.high) * bin.count as f32
}

impl<'a> Set<'a> {
    /// Moves every item to its side of a cut. What was room becomes the items, and the other way round.
    fn divide(self, cut: &BestCut) -> (Self, Self) {
        let (items, spare) = (&*self.items, &mut *self.spare);
        let mut below = 0;
        for (k, item) in items.iter().enumerate() {
            let is_below = cut.binning.bin_of(item) < cut.first_above;
            // What is above goes to the end, the last first.
            let above = items.len() - 1 - (k - below);
            spare[if is_below { below } else { above }] = *item;
            below += usize::from(is_below);
        }
        self.swapped().split_at(cut.below, cut.sides)
    }

    /// No cut between bins will do: one that balance allows, near the middle of the longest axis.
    fn divide_exactly(self, heights: &Heights) -> (Self, Self) {
        let left = heights.nearest(self.items.len() / 2);
        let axis = Extent::of(self.items).longest_centre_axis();
        cut(self.items, axis, left);
        let sides = [&self.items[..left], &self.items[left..]].map(|side| Extent::of(side).bounds());
        self.split_at(left, sides)
    }

    /// What was room becomes the items.
    pub(super) fn swapped(self) -> Self {
        Self { items: self.spare, spare: self.items, bounds: self.bounds }
    }

    fn split_at(self, left: usize, bounds: [Bounds; 2]) -> (Self, Self) {
        let (lower, upper) = self.items.split_at_mut(left);
        let (lower_room, upper_room) = self.spare.split_at_mut(left);
        (
            Set { items: lower, spare: lower_room, bounds: bounds[0] },
            Set { items: upper, spare: upper_room, bounds: bounds[1] },
        )
    }
}
