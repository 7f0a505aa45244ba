//! Trees over a few triangles: the last levels of every build, and the bunches that edits make anew.
//!
//! Most of the nodes of a tree are close to its leaves, and most sets that an edit changes are small. So this is where
//! builds spend their time, and where branches that depend on the data cost most. Here items are put in order by
//! counting, for each of them, how many come before it: eight comparisons at a time, none of them a branch.

use super::arena::{Arena, Built};
use super::heights::Heights;
use crate::tree::split::{Bin, Item, half_area, nearest_integer};
use glam::Vec4;

/// Largest set that can be handled here.
pub(super) const SMALL: usize = 64;

/// Runs up to this size are left in the order in which a larger one was sorted. Queries look at eight triangles at once, so
/// what the tree looks like below that hardly matters to them.
const SORTED_BEFORE: usize = 12;

/// Bits of a key that tell items apart; the rest are for the place along the axis.
const ITEM_BITS: u32 = SMALL.trailing_zeros();

/// The largest of the places along an axis that keys tell apart.
const PLACES: u32 = (1 << (16 - ITEM_BITS)) - 1;

/// A few items' centres, and the order in which the items are to be divided.
#[derive(Clone, Debug)]
pub(super) struct SmallSet {
    centres: [Vec4; SMALL],
    order: [u8; SMALL],
}

impl Default for SmallSet {
    fn default() -> Self {
        Self { centres: [Vec4::ZERO; SMALL], order: [0; SMALL] }
    }
}

impl SmallSet {
    fn fill(&mut self, items: &[Item]) {
        assert!((1..=SMALL).contains(&items.len()));
        for (k, item) in items.iter().enumerate() {
            self.centres[k] = item.low + item.high;
            self.order[k] = k as u8;
        }
    }

    /// Sorts a run of items by their centres along the axis in which these lie furthest apart.
    fn sort_along_longest_axis(&mut self, from: usize, to: usize) {
        let Self { centres, order } = self;
        let (mut low, mut high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
        for &item in &order[from..to] {
            let centre = centres[item as usize % SMALL];
            (low, high) = (low.min(centre), high.max(centre));
        }
        let extent = (high - low).truncate();
        let axis = extent.max_position();
        let (origin, size) = (low[axis], extent[axis]);
        let scale = if size > 0.0 { PLACES as f32 / size } else { 0.0 };
        let run = &mut order[from..to];
        let mut keys = [i16::MAX; SMALL];
        for (k, (key, &item)) in keys.iter_mut().zip(&*run).enumerate() {
            let place = nearest_integer((centres[item as usize % SMALL][axis] - origin) * scale) & PLACES;
            *key = (place << ITEM_BITS | k as u32) as i16 ^ i16::MIN;
        }
        let before = match run.len() {
            0..=8 => count_before::<8>(&keys, run.len()),
            9..=16 => count_before::<16>(&keys, run.len()),
            17..=32 => count_before::<32>(&keys, run.len()),
            _ => count_before::<SMALL>(&keys, run.len()),
        };
        let mut sorted = [0; SMALL];
        for (item, before) in run.iter().zip(before) {
            sorted[before as usize % SMALL] = *item;
        }
        run.copy_from_slice(&sorted[..run.len()]);
    }
}

/// For each of the first `N` keys, how many of the first `count` are smaller.
#[inline]
fn count_before<const N: usize>(keys: &[i16; SMALL], count: usize) -> [i16; SMALL] {
    let mut before = [0; N];
    for &other in &keys[..count.min(N)] {
        for k in 0..N {
            before[k] += i16::from(other < keys[k]);
        }
    }
    let mut all = [0; SMALL];
    all[..N].copy_from_slice(&before);
    all
}

impl Arena {
    /// Builds a tree of least height over a few items in slot `at`, by halves along the longest axis: as fast as can be.
    pub(super) fn build_small(&mut self, at: u32, items: &[Item], set: &mut SmallSet) -> Built {
        set.fill(items);
        if (3..=SORTED_BEFORE).contains(&items.len()) {
            set.sort_along_longest_axis(0, items.len());
        }
        self.build_halves(at, items, set, 0, items.len())
    }

    fn build_halves(&mut self, at: u32, items: &[Item], set: &mut SmallSet, from: usize, to: usize) -> Built {
        let item = |place: usize| &items[set.order[place] as usize];
        match to - from {
            1 => self.put_leaf(at, item(from)),
            2 => self.put_two(at, item(from), item(from + 1)),
            3 => {
                let node = self.new_node();
                let a = self.put_leaf(2 * node, item(from));
                let b = self.put_two(2 * node + 1, item(from + 1), item(from + 2));
                self.put_node(at, node, a, b)
            }
            4 => {
                let node = self.new_node();
                let a = self.put_two(2 * node, item(from), item(from + 1));
                let b = self.put_two(2 * node + 1, item(from + 2), item(from + 3));
                self.put_node(at, node, a, b)
            }
            count => {
                if count > SORTED_BEFORE {
                    set.sort_along_longest_axis(from, to);
                }
                let half = from + count / 2;
                let node = self.new_node();
                let a = self.build_halves(2 * node, items, set, from, half);
                let b = self.build_halves(2 * node + 1, items, set, half, to);
                self.put_node(at, node, a, b)
            }
        }
    }

    /// Puts a node with two triangles into a slot.
    #[inline]
    fn put_two(&mut self, at: u32, first: &Item, second: &Item) -> Built {
        let node = self.new_node();
        let a = self.put_leaf(2 * node, first);
        let b = self.put_leaf(2 * node + 1, second);
        self.put_node(at, node, a, b)
    }

    /// Builds a tree of the given height over a few items in slot `at`, by the surface-area heuristic.
    pub(super) fn build_small_by_area(
        &mut self,
        at: u32,
        items: &[Item],
        set: &mut SmallSet,
        height: u8,
    ) -> Built {
        set.fill(items);
        set.sort_along_longest_axis(0, items.len());
        self.build_cuts(at, items, set, 0, items.len(), height)
    }

    fn build_cuts(
        &mut self,
        at: u32,
        items: &[Item],
        set: &mut SmallSet,
        from: usize,
        to: usize,
        height: u8,
    ) -> Built {
        // Eight triangles are one row of a query: how they hang together there does not matter.
        if height <= 3 {
            return self.build_halves(at, items, set, from, to);
        }
        let heights = Heights::new(to - from, height);
        let left = set.cheapest_cut(items, from, to, &heights);
        let (left_height, right_height) = heights.of_sides(left);
        let node = self.new_node();
        let a = self.build_cuts(2 * node, items, set, from, from + left, left_height);
        let b = self.build_cuts(2 * node + 1, items, set, from + left, to, right_height);
        self.put_node(at, node, a, b)
    }
}

impl SmallSet {
    /// How many items of a sorted run go to the left, so that areas times counts are small and balance allows it.
    fn cheapest_cut(&self, items: &[Item], from: usize, to: usize, heights: &Heights) -> usize {
        let item = |place: usize| &items[self.order[place] as usize % SMALL];
        let total = to - from;
        let mut above_area = [0.0; SMALL];
        let mut above = Bin::EMPTY;
        for k in (1..total).rev() {
            above.add(item(from + k).low, item(from + k).high, 0);
            above_area[k] = half_area(above.low, above.high);
        }
        let mut best = (f32::INFINITY, heights.nearest(total / 2));
        let mut below = Bin::EMPTY;
        for k in 1..total {
            below.add(item(from + k - 1).low, item(from + k - 1).high, 0);
            if heights.allow(k) {
                let cost = half_area(below.low, below.high) * k as f32 + above_area[k] * (total - k) as f32;
                if cost < best.0 {
                    best = (cost, k);
                }
            }
        }
        best.1
    }
}
