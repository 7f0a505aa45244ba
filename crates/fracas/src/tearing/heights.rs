//! How high a balanced tree is, and how its leaves may be divided.
//!
//! A balanced tree of height h holds between F(h) leaves (1, 2, 3, 5, 8, …: the Fibonacci numbers) and 2ʰ. So a set of
//! n leaves that is to become a tree of height h may be divided into any two sets that can become trees of heights
//! h − 1 and h − 1, or h − 1 and h − 2. A height a little above the least leaves more to choose from; queries gain more
//! from better boxes than they lose to one more level.

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

/// The least height of a tree of this many leaves.
fn least_height(leaves: usize) -> u8 {
    leaves.max(1).next_power_of_two().trailing_zeros() as u8
}

/// Whether no tree of this many leaves is less high.
pub(super) fn is_least(leaves: usize, height: u8) -> bool {
    least_height(leaves) == height
}

/// A height that leaves the builder a good choice of splits.
pub(super) fn roomy_height(leaves: usize) -> u8 {
    let least = least_height(leaves);
    // Above three quarters of what the least height holds, nearly every split is forced.
    let crowded = 4 * leaves > 3 << least;
    if crowded && can_be(leaves, least + 1) { least + 1 } else { least }
}

/// How a set of leaves that is to become a tree of a certain height may be divided: the larger side must be able to have
/// the height below it, and the smaller one that or one less.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heights {
    total: usize,
    height: u8,
    /// Fewest and most leaves of the larger side. All numbers between them will do.
    least: usize,
    most: usize,
}

impl Heights {
    /// For two leaves or more, and a height that they can have.
    pub(super) fn new(total: usize, height: u8) -> Self {
        debug_assert!(total >= 2 && can_be(total, height), "{total} leaves, height {height}");
        let (high, low) = (height as usize - 1, height.saturating_sub(2) as usize);
        let least = total.div_ceil(2).max(FEWEST[high] as usize);
        let most = (1_usize << high).min(total - FEWEST[low] as usize);
        Self { total, height, least, most }
    }

    /// Whether this many may go to the left.
    #[inline]
    pub(super) fn allow(&self, left: usize) -> bool {
        let larger = left.max(self.total - left);
        self.least <= larger && larger <= self.most
    }

    /// The number nearest to the given one that may go to the left.
    pub(super) fn nearest(&self, left: usize) -> usize {
        if 2 * left >= self.total {
            left.clamp(self.least, self.most)
        } else {
            left.clamp(self.total - self.most, self.total - self.least)
        }
    }

    /// The heights of both sides, if this many go to the left.
    #[inline]
    pub(super) fn of_sides(&self, left: usize) -> (u8, u8) {
        let right = self.total - left;
        if left >= right {
            (self.height - 1, self.of_smaller(right))
        } else {
            (self.of_smaller(left), self.height - 1)
        }
    }

    #[inline]
    fn of_smaller(&self, leaves: usize) -> u8 {
        if self.height == 1 {
            return 0;
        }
        let (high, low) = (self.height - 1, self.height - 2);
        // A side that is nearly empty for the larger height is better off with the smaller one.
        let prefers_low = can_be(leaves, low) && 4 * leaves <= 3 << low;
        if can_be(leaves, high) && !prefers_low { high } else { low }
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
                let heights = Heights::new(leaves, height);
                assert!((1..leaves).any(|left| heights.allow(left)), "{leaves} leaves, height {height}");
                for left in 1..leaves {
                    assert!(heights.allow(heights.nearest(left)), "{leaves} leaves, height {height}, {left}");
                    assert!(!heights.allow(left) || heights.nearest(left) == left);
                }
            }
        }
    }

    /// Against the definition: all that balance allows is allowed, and nothing else.
    #[test]
    fn side_heights_are_possible_and_balanced() {
        for height in 1..12_u8 {
            for leaves in 2..600_usize {
                if !can_be(leaves, height) {
                    continue;
                }
                let heights = Heights::new(leaves, height);
                for left in 1..leaves {
                    let right = leaves - left;
                    let fits = |a: u8, b: u8| can_be(left, a) && can_be(right, b);
                    let (high, low) = (height - 1, height.saturating_sub(2));
                    let possible = fits(high, high) || height > 1 && (fits(high, low) || fits(low, high));
                    assert_eq!(heights.allow(left), possible, "{left} and {right}, height {height}");
                    if possible {
                        let (a, b) = heights.of_sides(left);
                        assert!(fits(a, b) && a.abs_diff(b) <= 1 && a.max(b) + 1 == height);
                    }
                }
            }
        }
    }
}
