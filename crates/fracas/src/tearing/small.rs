//! Trees over a few triangles: the last levels of every build, and the bunches that edits rebuild.
//!
//! Most of the nodes of a tree are close to its leaves, and most sets that an edit changes are small. So this is where
//! builds spend their time, and where branches that depend on the data cost most. Here items are put in order by
//! counting, for each of them, how many come before it: eight comparisons at a time, none of them a branch.

use super::arena::{Arena, Built};
use super::heights::{Heights, is_least};
use super::hierarchy::BUNCH;
use crate::tree::partition::{Bin, Item, half_area, nearest_integer};
use glam::Vec4;

/// Largest set that can be handled here.
pub(super) const SMALL: usize = 64;

/// Sets up to this size are not sorted at all: they are looked at as a whole.
const ROW: usize = 8;

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

    /// Takes items that are to be halved. Halving sorts longer runs itself, and a row needs no order.
    fn fill_for_halves(&mut self, items: &[Item]) {
        self.fill(items);
        if (ROW + 1..=SORTED_BEFORE).contains(&items.len()) {
            self.sort_along_longest_axis(0, items.len());
        }
    }

    /// Sorts a run of items by their centres along the axis in which these lie furthest apart.
    fn sort_along_longest_axis(&mut self, from: usize, to: usize) {
        let Self { centres, order } = self;
        let run = &mut order[from..to];
        match run.len() {
            0..=8 => sort_run::<8>(centres, run),
            9..=16 => sort_run::<16>(centres, run),
            _ => sort_by_buckets(centres, run),
        }
    }

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

/// The axis along which the centres of some items lie furthest apart, the lowest of them, and how far that is.
#[inline]
fn longest_axis(centres: &[Vec4; SMALL], run: &[u8]) -> (usize, f32, f32) {
    let (mut low, mut high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
    for &item in run {
        let centre = centres[item as usize % SMALL];
        (low, high) = (low.min(centre), high.max(centre));
    }
    let extent = (high - low).truncate();
    let axis = extent.max_position();
    (axis, low[axis], extent[axis])
}

/// Buckets of a run that is too long to compare all with all.
const BUCKETS: usize = 32;

/// Sorts items into buckets of equal width. In a bucket they stay in the order they had: close enough, since what is divided here
/// will be divided again.
fn sort_by_buckets(centres: &[Vec4; SMALL], run: &mut [u8]) {
    let (axis, origin, size) = longest_axis(centres, run);
    let scale = if size > 0.0 { (BUCKETS - 1) as f32 / size } else { 0.0 };
    let mut items = [(0_u8, 0_u8); SMALL];
    let mut ends = [0_u8; BUCKETS];
    for (kept, &item) in items.iter_mut().zip(run.iter()) {
        let centre: &[f32; 4] = centres[item as usize % SMALL].as_ref();
        let bucket = nearest_integer((centre[axis % 4] - origin) * scale) as usize % BUCKETS;
        *kept = (item, bucket as u8);
        ends[bucket] += 1;
    }
    let mut begin = 0;
    for end in &mut ends {
        begin += std::mem::replace(end, begin);
    }
    for &(item, bucket) in items.iter().take(run.len()) {
        let place = &mut ends[bucket as usize % BUCKETS];
        run[*place as usize] = item;
        *place += 1;
    }
}

/// Sorts up to `N` items. All loops whose length is `N` become vector instructions.
#[inline]
fn sort_run<const N: usize>(centres: &[Vec4; SMALL], run: &mut [u8]) {
    let (axis, origin, size) = longest_axis(centres, run);
    let scale = if size > 0.0 { PLACES as f32 / size } else { 0.0 };
    let mut items = [0; N];
    let mut along = [0.0; N];
    for ((kept, along), &item) in items.iter_mut().zip(&mut along).zip(run.iter()) {
        *kept = item;
        let centre: &[f32; 4] = centres[item as usize % SMALL].as_ref();
        *along = centre[axis % 4];
    }
    let mut keys = [0; N];
    for k in 0..N {
        let place = nearest_integer((along[k] - origin) * scale) & PLACES;
        keys[k] = ((place << ITEM_BITS | k as u32) ^ 0x8000) as i16;
    }
    let mut before = [0_i16; N];
    for &other in keys.iter().take(run.len()) {
        for k in 0..N {
            before[k] += i16::from(other < keys[k]);
        }
    }
    let count = run.len();
    for (&item, &before) in items.iter().zip(&before).take(count) {
        run[before as usize] = item;
    }
}

impl Arena {
    /// Builds a tree of least height over a few items in slot `at`, by halves along the longest axis: as fast as can be.
    pub(super) fn build_small(&mut self, at: u32, items: &[Item], set: &mut SmallSet) -> Built {
        set.fill_for_halves(items);
        SmallBuild { arena: self, items, set }.halves(at, 0, items.len())
    }

    /// Builds a tree of the given height over a few items in slot `at`, by halves where balance allows it, and nearly so elsewhere.
    pub(super) fn build_small_of_height(
        &mut self,
        at: u32,
        items: &[Item],
        set: &mut SmallSet,
        height: u8,
    ) -> Built {
        set.fill_for_halves(items);
        SmallBuild { arena: self, items, set }.near_halves(at, 0, items.len(), height)
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
        SmallBuild { arena: self, items, set }.cuts(at, 0, items.len(), height)
    }

    /// Puts a node with two triangles into a slot.
    #[inline]
    fn put_two(&mut self, at: u32, first: &Item, second: &Item) -> Built {
        let node = self.new_node();
        let a = self.put_leaf(2 * node, first);
        let b = self.put_leaf(2 * node + 1, second);
        self.put_node(at, node, a, b)
    }
}

struct SmallBuild<'a> {
    arena: &'a mut Arena,
    items: &'a [Item],
    set: &'a mut SmallSet,
}

impl SmallBuild<'_> {
    /// Builds a tree over a run of the order, by halves.
    fn halves(&mut self, at: u32, from: usize, to: usize) -> Built {
        let item = |place: usize| &self.items[self.set.order[place] as usize];
        match to - from {
            1 => self.arena.put_leaf(at, item(from)),
            2 => self.arena.put_two(at, item(from), item(from + 1)),
            3 => {
                let node = self.arena.new_node();
                let a = self.arena.put_leaf(2 * node, item(from));
                let b = self.arena.put_two(2 * node + 1, item(from + 1), item(from + 2));
                self.arena.put_node(at, node, a, b)
            }
            4 => {
                let node = self.arena.new_node();
                let a = self.arena.put_two(2 * node, item(from), item(from + 1));
                let b = self.arena.put_two(2 * node + 1, item(from + 2), item(from + 3));
                self.arena.put_node(at, node, a, b)
            }
            count => {
                if count > SORTED_BEFORE {
                    self.set.sort_along_longest_axis(from, to);
                }
                let half = from + count / 2;
                let node = self.arena.new_node();
                let a = self.halves(2 * node, from, half);
                let b = self.halves(2 * node + 1, half, to);
                self.arena.put_node(at, node, a, b)
            }
        }
    }

    /// Builds a tree of the given height over a run of the order, by halves as nearly as balance allows.
    fn near_halves(&mut self, at: u32, from: usize, to: usize, height: u8) -> Built {
        let count = to - from;
        if is_least(count, height) {
            return self.halves(at, from, to);
        }
        if count > SORTED_BEFORE {
            self.set.sort_along_longest_axis(from, to);
        }
        let heights = Heights::new(count, height);
        let left = heights.nearest(count / 2);
        let (left_height, right_height) = heights.of_sides(left);
        let node = self.arena.new_node();
        let a = self.near_halves(2 * node, from, from + left, left_height);
        let b = self.near_halves(2 * node + 1, from + left, to, right_height);
        self.arena.put_node(at, node, a, b)
    }

    /// Builds a tree of the given height over a run of the order, by the surface-area heuristic.
    fn cuts(&mut self, at: u32, from: usize, to: usize, height: u8) -> Built {
        // Eight triangles are one row of a query: how they are connected there does not matter.
        if height <= BUNCH {
            return self.halves(at, from, to);
        }
        let heights = Heights::new(to - from, height);
        let left = self.set.cheapest_cut(self.items, from, to, &heights);
        let (left_height, right_height) = heights.of_sides(left);
        let node = self.arena.new_node();
        let a = self.cuts(2 * node, from, from + left, left_height);
        let b = self.cuts(2 * node + 1, from + left, to, right_height);
        self.arena.put_node(at, node, a, b)
    }
}
