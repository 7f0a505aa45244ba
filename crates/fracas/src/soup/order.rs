//! Sorting triangles by cell: the key of a cell, radix sort, and the two hash functions.
//!
//! A key interleaves the bits of the three cell coordinates (a Morton code), so that triangles near each other come
//! to lie near each other, and the first bits of a key are the key of a larger cell.

#[cfg(feature = "parallel")]
use std::ops::Range;

/// A triangle on its way to its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Item {
    /// Layer and Morton code.
    pub(super) key: u64,
    /// Slot of the hash table, where there is one.
    pub(super) slot: u32,
    pub(super) triangle: u32,
}

/// Bits of a key for each axis, at most. Layers take the bits above.
pub(super) const AXIS_BITS: u32 = 19;

/// A step up to the next larger cells takes so many bits of a key.
pub(super) const AXES: u32 = 3;

/// Spreads the bits of a number, two zeros before each.
#[inline(always)]
pub(super) fn spread(x: u64) -> u64 {
    u64::from(SPREAD[(x & 0x3ff) as usize]) | u64::from(SPREAD[(x >> 10 & 0x1ff) as usize]) << 30
}

/// Ten bits, spread.
static SPREAD: [u32; 1024] = spread_table();

const fn spread_table() -> [u32; 1024] {
    let mut table = [0; 1024];
    let mut x = 0;
    while x < 1024 {
        let mut bit = 0;
        while bit < 10 {
            table[x] |= ((x >> bit & 1) as u32) << (3 * bit);
            bit += 1;
        }
        x += 1;
    }
    table
}

/// The Morton code of three coordinates.
#[inline(always)]
pub(super) fn morton(cell: [u64; 3]) -> u64 {
    spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2
}

/// The three coordinates of a Morton code.
pub(super) fn unmorton(code: u64) -> [u64; 3] {
    [0, 1, 2].map(|axis| {
        let x = code >> axis & 0x1249_2492_4924_9249;
        let x = (x | x >> 2) & 0x10c3_0c30_c30c_30c3;
        let x = (x | x >> 4) & 0x100f_00f0_0f00_f00f;
        let x = (x | x >> 8) & 0x001f_0000_ff00_00ff;
        let x = (x | x >> 16) & 0x001f_0000_0000_ffff;
        (x | x >> 32) & ((1 << AXIS_BITS) - 1)
    })
}

/// The hash function of Bernstein (DJB2) on layer and cell.
#[inline(always)]
pub(super) fn djb2(layer: u64, cell: [u64; 3]) -> u64 {
    [cell[0], cell[1], cell[2], layer].iter().fold(5381_u64, |h, &x| h.wrapping_mul(33).wrapping_add(x))
}

/// A hash that spreads the bits of a key over the upper half.
#[inline(always)]
pub(super) fn mix(key: u64) -> u64 {
    (key ^ key >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Bits that one pass of the sort looks at, at most.
const DIGIT: u32 = 12;

/// How many passes it takes to sort by so many bits.
pub(super) fn passes(bits: u32) -> u32 {
    bits.div_ceil(DIGIT)
}

/// What is sorted, and how: items may be as small as they can be, as memory traffic is what counts.
pub(super) struct Sorting<V> {
    /// Only the lowest so many bits of values are looked at.
    pub(super) bits: u32,
    /// The value of something to be sorted.
    pub(super) value: V,
}

/// What a sort works with: the list to be sorted, the sorted list, and two more.
#[derive(Default)]
pub(super) struct Lists<T> {
    pub(super) from: Vec<T>,
    pub(super) sorted: Vec<T>,
    mine: Vec<T>,
    spare: Vec<T>,
}

impl<T: Copy + Default + Send + Sync> Lists<T> {
    /// Sorts the first list into the second, on so many threads; equal ones keep their order. The first is overwritten.
    pub(super) fn sort<V: Fn(&T) -> u64 + Sync>(&mut self, sorting: &Sorting<V>, parts: usize) {
        let length = self.from.len();
        self.sorted.resize(length, T::default());
        self.spare.resize(length, T::default());
        #[cfg(feature = "parallel")]
        if parts > 1 {
            self.mine.resize(length, T::default());
            sorting.sort_side_by_side(&self.from, &mut self.mine, &mut self.spare, &mut self.sorted, parts);
            return;
        }
        let _ = (parts, &self.mine);
        sorting.sort(&mut self.from, &mut self.spare, &mut self.sorted);
    }
}

/// Longer lists are divided by their first digits into parts of about this length, which fit into a cache.
const LONG: usize = 1 << 14;

impl<V> Sorting<V> {
    /// Sorts all of `from` by value into `sorted`; equal ones keep their order. `from` and `spare` are overwritten.
    fn sort<T: Copy>(&self, from: &mut [T], spare: &mut [T], sorted: &mut [T])
    where
        V: Fn(&T) -> u64,
    {
        if from.len() <= LONG || self.bits <= DIGIT {
            self.sort_at_once(from, spare, sorted);
            return;
        }
        // Few parts at a time: memory is written fastest in few places. A surface fills about one cell of eight.
        let parts = from.len() / LONG;
        let digits = DIGIT.min(usize::BITS - parts.leading_zeros() + AXES);
        let shift = self.bits - digits;
        let value = |x: &T| (self.value)(x) & ((1 << self.bits) - 1);
        let first_digit = |x: &T| (value(x) >> shift) as usize;
        let ends = &scatter(from, spare, digits, first_digit)[..1 << digits];
        let (mut digit, mut start) = (0, 0);
        while start < from.len() {
            // As many digits as fit, one at least.
            let first = digit;
            let mut end = ends[digit] as usize;
            digit += 1;
            while digit < ends.len() && (end == start || ends[digit] as usize - start <= LONG) {
                end = ends[digit] as usize;
                digit += 1;
            }
            let part = Sorting {
                bits: shift + usize::BITS - (digit - first - 1).leading_zeros(),
                value: |x: &T| value(x) - ((first as u64) << shift),
            };
            // Always the same room for what is half sorted: it stays in the cache.
            part.sort_at_once(&mut spare[start..end], &mut from[..end - start], &mut sorted[start..end]);
            start = end;
        }
    }

    /// Sorts with all of a list in every pass.
    fn sort_at_once<T: Copy>(&self, from: &mut [T], spare: &mut [T], sorted: &mut [T])
    where
        V: Fn(&T) -> u64,
    {
        let passes = passes(self.bits).max(1);
        let width = self.bits.div_ceil(passes);
        let digit = |x: &T, pass: u32| ((self.value)(x) >> (pass * width) & ((1 << width) - 1)) as usize;
        let (mut from, mut to) = (from, spare);
        for pass in 0..passes - 1 {
            scatter(from, to, width, |x| digit(x, pass));
            std::mem::swap(&mut from, &mut to);
        }
        scatter(from, sorted, width, |x| digit(x, passes - 1));
    }

    /// Does the same on several threads, each with a range of values; `mine` and `spare` are overwritten.
    #[cfg(feature = "parallel")]
    fn sort_side_by_side<T: Copy + Send + Sync>(
        &self,
        from: &[T],
        mut mine: &mut [T],
        mut spare: &mut [T],
        mut sorted: &mut [T],
        parts: usize,
    ) where
        V: Fn(&T) -> u64 + Sync,
    {
        use rayon::prelude::*;
        let shift = self.bits.saturating_sub(DIGIT);
        let first_digit = |x: &T| ((self.value)(x) & ((1 << self.bits) - 1)) >> shift;
        // A sample says well enough where ranges of first digits with about equally many items end.
        let mut counts = [0_usize; 1 << DIGIT];
        let step = from.len() / SAMPLE + 1;
        from.iter().step_by(step).for_each(|x| counts[first_digit(x) as usize] += 1);
        let total: usize = counts.iter().sum();
        let mut ends = Vec::with_capacity(parts);
        let mut before = 0;
        for (digit, count) in counts.iter().enumerate() {
            before += count;
            if before * parts >= total * (ends.len() + 1) {
                ends.push(digit as u64 + 1);
            }
        }
        // The last takes what the sample missed, too.
        ends.truncate(parts - 1);
        ends.push(u64::MAX);
        let ranges = || (0..ends.len()).map(|k| if k == 0 { 0 } else { ends[k - 1] }..ends[k]);
        let share = from.len().div_ceil(parts).max(1);
        let mut lengths = vec![0; ends.len()];
        let counted: Vec<Vec<usize>> = from
            .par_chunks(share)
            .map(|list| {
                let count =
                    |range: Range<u64>| list.iter().filter(|x| range.contains(&first_digit(x))).count();
                ranges().map(count).collect()
            })
            .collect();
        counted
            .iter()
            .for_each(|counts| lengths.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count));
        let mut tasks = Vec::with_capacity(parts);
        for (range, count) in ranges().zip(lengths) {
            let lists = (mine.split_at_mut(count), spare.split_at_mut(count), sorted.split_at_mut(count));
            (mine, spare, sorted) = (lists.0.1, lists.1.1, lists.2.1);
            tasks.push((range, lists.0.0, lists.1.0, lists.2.0));
        }
        tasks.into_par_iter().for_each(|(range, mine, spare, sorted)| {
            // All are written and only those of the range counted: no jump to be mispredicted.
            let mut end = 0;
            for x in from {
                if let Some(place) = mine.get_mut(end) {
                    *place = *x;
                }
                end += usize::from(range.contains(&first_digit(x)));
            }
            self.sort(mine, spare, sorted);
        });
    }
}

/// So many items are looked at to divide a list among threads.
#[cfg(feature = "parallel")]
const SAMPLE: usize = 4096;

/// Writes all in the order of their digits, which have so many bits. Returns where those of each digit end.
#[inline(always)]
fn scatter<T: Copy>(from: &[T], to: &mut [T], bits: u32, digit: impl Fn(&T) -> usize) -> [u32; 1 << DIGIT] {
    let mut next = [0_u32; 1 << DIGIT];
    for x in from {
        next[digit(x)] += 1;
    }
    let mut sum = 0;
    for slot in &mut next[..1 << bits] {
        (*slot, sum) = (sum, sum + *slot);
    }
    for x in from {
        let place = &mut next[digit(x)];
        to[*place as usize] = *x;
        *place += 1;
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bits_are_interleaved() {
        for place in [[0, 0, 0], [1, 2, 3], [524_287, 262_144, 77_777]] {
            assert_eq!(unmorton(morton(place)), place);
        }
        assert_eq!(morton([0b101, 0b011, 0b110]), 0b101_110_011);
        let all = (1 << AXIS_BITS) - 1;
        assert_eq!(morton([all; 3]), (1 << (3 * AXIS_BITS)) - 1);
        for bit in 0..AXIS_BITS {
            assert_eq!(spread(1 << bit), 1 << (3 * bit));
        }
    }

    #[test]
    fn long_lists_are_sorted_part_by_part() {
        let mut state = 1_u64;
        let mut random = || {
            // Knuth's linear congruential generator; its upper bits are good.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 20
        };
        // Everywhere; in a corner; two crowds far apart; all the same; one bit more than a digit.
        let crowds = |k: usize| if k.is_multiple_of(3) { 0xf00_0000_0000 } else { 0x100_0000_0000 };
        for (case, bits) in [44, 44, 44, 30, 12].into_iter().enumerate() {
            let key =
                |k: usize, x: u64| [x, x & 0xfff_ffff, (x & 0xffff) + crowds(k), 12_345_678, x & 0xfff][case];
            let item = |k: usize, x: u64| Item { key: key(k, x), slot: 0, triangle: k as u32 };
            let items: Vec<Item> = (0..5 * LONG + 77).map(|k| item(k, random())).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.key);
            let mut lists = Lists { from: items, ..Lists::default() };
            lists.sort(&Sorting { bits, value: |item: &Item| item.key }, 1);
            assert!(lists.sorted == expected, "{bits} bits");
        }
    }

    proptest! {
        #[test]
        fn sorting_is_stable_on_any_number_of_threads(
            keys in prop::collection::vec(any::<u64>(), 0..300), bits in 0..64_u32, parts in 1..5_usize,
        ) {
            let items: Vec<Item> = keys
                .iter()
                .zip(0..)
                .map(|(key, triangle)| Item { key: key & ((1 << bits) - 1), slot: 0, triangle })
                .collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.key);
            let mut lists = Lists { from: items, ..Lists::default() };
            lists.sort(&Sorting { bits, value: |item: &Item| item.key }, parts);
            prop_assert_eq!(lists.sorted, expected);
        }
    }
}
