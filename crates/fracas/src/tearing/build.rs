//! Building balanced trees: splits that leave both sides a height they can have.
//!
//! A balanced tree of height h holds between F(h) leaves (1, 2, 3, 5, 8, …: the Fibonacci numbers) and 2ʰ. So a set of
//! n leaves that is to become a tree of height h may be divided into any two sets that can become trees of heights
//! h − 1 and h − 1, or h − 1 and h − 2. Among those the surface-area heuristic takes its choice. A height a little
//! above the least gives it room; queries gain more from better boxes than they lose to one more level.
//!
//! The median rule divides in halves along the longest axis, as the paper does.

use super::arena::{Arena, Child, Slot};
use crate::tree::split::{BINS, BestCut, Bin, Binning, Extent, Item, best_cut, cut, cut_by_bins, half_area};
use glam::Vec4;

/// How sets of triangles are divided when a tree, or a part of it, is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TearingBuild {
    /// The surface-area heuristic among all splits that balance allows.
    #[default]
    SurfaceArea,
    /// Halves along the longest axis: the baseline of the paper.
    Median,
}

/// Largest height of any tree: more leaves than ids can name.
const HEIGHTS: usize = 48;

/// Fewest leaves of a balanced tree, by height.
const FEWEST: [u64; HEIGHTS] = {
    let mut fewest = [1; HEIGHTS];
    fewest[1] = 2;
    let mut h = 2;
    while h < HEIGHTS {
        fewest[h] = fewest[h - 1] + fewest[h - 2];
        h += 1;
    }
    fewest
};

/// Whether a balanced tree of this height can have this many leaves.
pub(super) fn can_be(leaves: usize, height: u8) -> bool {
    FEWEST[height as usize] <= leaves as u64 && leaves as u64 <= 1 << height
}

/// A height that leaves the builder a good choice of splits.
pub(super) fn roomy_height(leaves: usize) -> u8 {
    let least = leaves.max(1).next_power_of_two().trailing_zeros() as u8;
    // Above three quarters of what the least height holds, nearly every split is forced.
    let crowded = 4 * leaves > 3 << least;
    if crowded && can_be(leaves, least + 1) { least + 1 } else { least }
}

/// The heights of the two sides of a split of a tree of height `h`, if balance allows it.
fn side_heights(left: usize, right: usize, h: u8) -> Option<(u8, u8)> {
    let (high, low) = (h - 1, h.saturating_sub(2));
    let (left_high, right_high) = (can_be(left, high), can_be(right, high));
    // A side that is nearly empty for the larger height is better off with the smaller one.
    let prefers_low = |leaves: usize| h >= 2 && can_be(leaves, low) && 4 * leaves <= 3 << low;
    match (left_high, right_high) {
        (true, true) if prefers_low(left) && left <= right => Some((low, high)),
        (true, true) if prefers_low(right) => Some((high, low)),
        (true, true) => Some((high, high)),
        (true, false) if h >= 2 && can_be(right, low) => Some((high, low)),
        (false, true) if h >= 2 && can_be(left, low) => Some((low, high)),
        _ => None,
    }
}

/// Sets up to this size are sorted rather than binned.
const SORTED: usize = 12;

/// Sets larger than this are binned along the longest axis alone.
const THREE_AXES: usize = 4096;

impl Arena {
    /// Builds a tree over the items and puts it into slot `at`. Without a height, the builder takes a roomy one; one
    /// that is given must be possible for so many leaves, and medians have no use for it. There must be an item.
    pub(super) fn build(&mut self, at: u32, items: &mut [Item], height: Option<u8>, rule: TearingBuild) {
        let height = height.unwrap_or(match rule {
            TearingBuild::SurfaceArea => roomy_height(items.len()),
            TearingBuild::Median => items.len().next_power_of_two().trailing_zeros() as u8,
        });
        debug_assert!(can_be(items.len(), height));
        let slot = match rule {
            TearingBuild::SurfaceArea => self.build_by_area(items, height),
            TearingBuild::Median => self.build_by_median(items, &mut SmallSet::default()),
        };
        self.put(at, slot);
    }

    fn build_by_area(&mut self, items: &mut [Item], height: u8) -> Slot {
        if let [item] = items {
            return leaf_of(item);
        }
        let node = self.new_node();
        let (left, (left_height, right_height)) =
            if items.len() == 2 { (1, (0, 0)) } else { split_by_area(items, height) };
        let (lower, upper) = items.split_at_mut(left);
        let a = self.build_by_area(lower, left_height);
        let b = self.build_by_area(upper, right_height);
        self.pair(node, a, b)
    }

    /// Halves along the longest axis, down to sets that are sorted in one go. The tree has the least height.
    fn build_by_median(&mut self, items: &mut [Item], small: &mut SmallSet) -> Slot {
        if items.len() <= SMALL {
            return self.build_small(items, small);
        }
        let node = self.new_node();
        let half = items.len() / 2;
        cut(items, Extent::of(items).longest_centre_axis(), half);
        let (lower, upper) = items.split_at_mut(half);
        let a = self.build_by_median(lower, small);
        let b = self.build_by_median(upper, small);
        self.pair(node, a, b)
    }
}

/// Largest set for [`Arena::build_small`].
pub(super) const SMALL: usize = 64;

/// Runs up to this size are left in the order in which a larger one was sorted.
const SORTED_BEFORE: usize = 8;

/// A few items, their centres side by side, and the order in which they are to be divided.
#[derive(Clone, Debug)]
pub(super) struct SmallSet {
    centres: [Vec4; SMALL],
    order: [u8; SMALL],
    sorted: [u8; SMALL],
    keys: [i32; SMALL],
}

impl Default for SmallSet {
    fn default() -> Self {
        Self { centres: [Vec4::ZERO; SMALL], order: [0; SMALL], sorted: [0; SMALL], keys: [0; SMALL] }
    }
}

impl Arena {
    /// Builds a tree of least height over a few items, by halves along the longest axis: as fast as can be.
    pub(super) fn build_small(&mut self, items: &[Item], set: &mut SmallSet) -> Slot {
        assert!((1..=SMALL).contains(&items.len()));
        for (k, item) in items.iter().enumerate() {
            set.centres[k] = item.centre();
            set.order[k] = k as u8;
        }
        self.build_range(items, set, 0, items.len())
    }

    fn build_range(&mut self, items: &[Item], set: &mut SmallSet, from: usize, to: usize) -> Slot {
        let leaf = |place: usize| leaf_of(&items[set.order[place] as usize]);
        match to - from {
            1 => leaf(from),
            2 => {
                let (a, b) = (leaf(from), leaf(from + 1));
                let node = self.new_node();
                self.pair(node, a, b)
            }
            count => {
                if count > SORTED_BEFORE || from == 0 && to == items.len() {
                    set.sort_along_longest_axis(from, to);
                }
                let half = from + count / 2;
                let node = self.new_node();
                let a = self.build_range(items, set, from, half);
                let b = self.build_range(items, set, half, to);
                self.pair(node, a, b)
            }
        }
    }
}

impl SmallSet {
    /// Sorts a run of items by their centres along the axis in which these lie furthest apart. Each item counts how
    /// many come before it: no branch depends on the data.
    fn sort_along_longest_axis(&mut self, from: usize, to: usize) {
        let Self { centres, order, sorted, keys } = self;
        let (mut low, mut high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
        for &item in &order[from..to] {
            let centre = centres[item as usize % SMALL];
            (low, high) = (low.min(centre), high.max(centre));
        }
        let axis = (high - low).max_position();
        let count = to - from;
        for (key, &item) in keys.iter_mut().zip(&order[from..to]) {
            let bits = centres[item as usize % SMALL][axis].to_bits() as i32;
            // Bits of floats in the order of integers. The last few tell equal ones apart.
            let ordered = bits ^ ((bits >> 31) as u32 >> 1) as i32;
            *key = ordered & !(SMALL as i32 - 1) | i32::from(item);
        }
        let padded = count.next_multiple_of(8);
        keys[count..padded].fill(i32::MAX);
        for k in 0..count {
            let key = keys[k];
            let before: i32 = keys[..padded].iter().map(|other| i32::from(*other < key)).sum();
            sorted[before as usize % SMALL] = order[from + k];
        }
        order[from..to].copy_from_slice(&sorted[..count]);
    }
}

fn leaf_of(item: &Item) -> Slot {
    Slot::new((item.low, item.high), Child::leaf(item.triangle()), 0)
}

/// Divides the items so that both sides can have the heights returned.
fn split_by_area(items: &mut [Item], height: u8) -> (usize, (u8, u8)) {
    let extent = Extent::of(items);
    let longest = extent.longest_centre_axis();
    let total = items.len();
    let heights = |left: usize| side_heights(left, total - left, height);
    if total <= SORTED {
        let left = best_sorted_cut(items, longest, &heights);
        return (left, heights(left).expect("only such cuts are considered"));
    }
    let mut best: Option<BestCut> = None;
    for axis in 0..3 {
        if axis != longest && total > THREE_AXES {
            continue;
        }
        let binning = Binning::new(&extent, axis, if total <= 64 { BINS / 2 } else { BINS });
        if binning.scale > 0.0 {
            let cut = best_cut(items, binning, cost, |left| heights(left).is_some());
            if cut.cost < best.as_ref().map_or(f32::INFINITY, |best| best.cost) {
                best = Some(cut);
            }
        }
    }
    let left = match best {
        Some(best) => cut_by_bins(items, best.below, &best),
        // No boundary between bins will do: the nearest cut to the middle that balance allows.
        None => {
            let middle = total / 2;
            let distance = |left: &usize| left.abs_diff(middle);
            let left = (1..total).filter(|&left| heights(left).is_some()).min_by_key(distance);
            cut(items, longest, left.expect("a height that can be has a split"))
        }
    };
    (left, heights(left).expect("only such cuts are considered"))
}

/// Cost of visiting what a bin holds: area times triangles.
fn cost(bin: &Bin) -> f32 {
    half_area(bin.low, bin.high) * bin.count as f32
}

/// The place of the cheapest allowed cut of a few items, sorted along an axis. Trying all three axes makes boxes one
/// part in a hundred smaller and the build half as long again.
fn best_sorted_cut(items: &mut [Item], axis: usize, heights: &impl Fn(usize) -> Option<(u8, u8)>) -> usize {
    let total = items.len();
    sort_along(items, axis);
    let mut above_cost = [0.0; SORTED];
    let mut above = Bin::EMPTY;
    for k in (1..total).rev() {
        above.add(items[k].low, items[k].high, 1);
        above_cost[k] = cost(&above);
    }
    let mut best = (f32::INFINITY, 0);
    let mut below = Bin::EMPTY;
    for k in 1..total {
        below.add(items[k - 1].low, items[k - 1].high, 1);
        let whole = cost(&below) + above_cost[k];
        if (whole < best.0 || best.1 == 0) && heights(k).is_some() {
            best = (whole, k);
        }
    }
    best.1
}

/// Sorts a few items by their centres along an axis; ties go by triangle id.
fn sort_along(items: &mut [Item], axis: usize) {
    for end in 1..items.len() {
        let item = items[end];
        let key = (item.centre()[axis], item.triangle());
        let mut at = end;
        while at > 0 && (items[at - 1].centre()[axis], items[at - 1].triangle()) > key {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_has_a_roomy_height_and_splits_all_the_way_down() {
        for leaves in 1..3000 {
            assert!(can_be(leaves, roomy_height(leaves)), "{leaves}");
        }
        for height in 1..20_u8 {
            for leaves in FEWEST[height as usize]..=(1 << height).min(3000) {
                let leaves = leaves as usize;
                let splits = (1..leaves).filter(|&left| side_heights(left, leaves - left, height).is_some());
                assert!(splits.count() > 0, "{leaves} leaves, height {height}");
            }
        }
    }

    #[test]
    fn side_heights_are_possible_and_balanced() {
        for height in 1..12_u8 {
            for leaves in 2..600_usize {
                for left in 1..leaves {
                    if let Some((a, b)) = side_heights(left, leaves - left, height) {
                        assert!(can_be(left, a) && can_be(leaves - left, b));
                        assert!(a.abs_diff(b) <= 1 && a.max(b) + 1 == height);
                    }
                }
            }
        }
    }
}
