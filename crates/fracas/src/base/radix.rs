//! A stable radix sort of long lists, by keys of any number of bits.
//!
//! Memory traffic is what a long sort costs. So items may be small, a pass looks at up to twelve bits, and long lists are first
//! divided by their leading bits into parts that fit into a cache:
//!
//! ```text
//!   one thread       from ──leading bits──▶ parts of about 2¹⁴ items ──last bits first──▶ sorted
//!   several threads  each takes a chunk of the list and sorts it into some ranges of keys;
//!                    then each takes ranges of keys, gathers their items from all chunks; then sorts them alone
//! ```
//!
//! The result is the same for any number of threads.

use super::parallel;

/// Bits that one pass looks at, at most.
const DIGIT: u32 = 12;

/// Longer lists are divided by their leading bits into parts of about this length, which fit into a cache.
const LONG: usize = 1 << 14;

/// Number of items that are sampled to divide a list among threads.
const SAMPLE: usize = 4096;

/// Number of passes that a sort by this many bits takes.
pub(crate) fn passes(bits: u32) -> u32 {
    bits.div_ceil(DIGIT)
}

/// The lists that a sort works with. Keeps its memory.
#[derive(Default)]
pub(crate) struct RadixSort<T> {
    /// What is to be sorted. A sort overwrites it.
    pub(crate) from: Vec<T>,
    /// The sorted list.
    pub(crate) sorted: Vec<T>,
    spare: Vec<T>,
}

impl<T: Copy + Default + Send + Sync> RadixSort<T> {
    /// Sorts the first list into the second by the lowest `bits` bits of the keys, in `parts` parts on as many threads.
    /// Equal items keep their order.
    pub(crate) fn sort(&mut self, bits: u32, key: impl Fn(&T) -> u64 + Sync + Send, parts: usize) {
        let Self { from, sorted, spare } = self;
        let count = from.len();
        parallel::resize(parts > 1, sorted, count, T::default());
        parallel::resize(parts > 1, spare, count, T::default());
        let keys = Keys { bits, key };
        if parts > 1 {
            keys.sort_in_parts(from, spare, sorted, parts);
        } else {
            keys.sort(from, spare, sorted);
        }
    }
}

/// What a list is sorted by.
struct Keys<K> {
    /// Number of bits of a key that count, from the lowest on.
    bits: u32,
    key: K,
}

impl<K> Keys<K> {
    /// Sorts all of `from` into `sorted`; `from` and `spare` are overwritten.
    fn sort<T: Copy>(&self, from: &mut [T], spare: &mut [T], sorted: &mut [T])
    where
        K: Fn(&T) -> u64,
    {
        if from.len() <= LONG || self.bits <= DIGIT {
            self.sort_at_once(from, spare, sorted);
            return;
        }
        // Few parts at a time: memory is written fastest in few places. Three bits more, as keys rarely fill their range.
        let parts = from.len() / LONG;
        let digits = DIGIT.min(usize::BITS - parts.leading_zeros() + 3);
        let shift = self.bits - digits;
        let key = |x: &T| (self.key)(x) & ((1 << self.bits) - 1);
        let first_digit = |x: &T| (key(x) >> shift) as usize;
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
            let part = Keys {
                bits: shift + usize::BITS - (digit - first - 1).leading_zeros(),
                key: |x: &T| key(x) - ((first as u64) << shift),
            };
            // Always the same memory for what is half sorted: it stays in the cache.
            part.sort_at_once(&mut spare[start..end], &mut from[..end - start], &mut sorted[start..end]);
            start = end;
        }
    }

    /// Sorts with all of a list in every pass.
    fn sort_at_once<T: Copy>(&self, from: &mut [T], spare: &mut [T], sorted: &mut [T])
    where
        K: Fn(&T) -> u64,
    {
        let passes = passes(self.bits).max(1);
        let width = self.bits.div_ceil(passes);
        let digit = |x: &T, pass: u32| ((self.key)(x) >> (pass * width) & ((1 << width) - 1)) as usize;
        let (mut from, mut to) = (from, spare);
        for pass in 0..passes - 1 {
            scatter(from, to, width, |x| digit(x, pass));
            std::mem::swap(&mut from, &mut to);
        }
        scatter(from, sorted, width, |x| digit(x, passes - 1));
    }

    /// Does the same on several threads, each with some ranges of keys.
    fn sort_in_parts<T: Copy + Send + Sync>(
        &self,
        from: &mut [T],
        spare: &mut [T],
        sorted: &mut [T],
        parts: usize,
    ) where
        K: Fn(&T) -> u64 + Sync + Send,
    {
        let shift = self.bits.saturating_sub(DIGIT);
        let first_digit = |x: &T| (((self.key)(x) & ((1 << self.bits) - 1)) >> shift) as usize;
        // A sample says well enough where ranges of first digits with about equally many items end.
        let mut counts = [0_usize; 1 << DIGIT];
        let step = from.len() / SAMPLE + 1;
        from.iter().step_by(step).for_each(|x| counts[first_digit(x)] += 1);
        let total: usize = counts.iter().sum();
        // More ranges than threads even out their lengths.
        let wanted = (4 * parts).min(1 << DIGIT);
        let mut range_of = [0_u16; 1 << DIGIT];
        let (mut before, mut range) = (0, 0);
        for (digit, count) in counts.iter().enumerate() {
            range_of[digit] = range as u16;
            before += count;
            if before * wanted >= total * (range + 1) && range + 1 < wanted {
                range += 1;
            }
        }
        let ranges = range + 1;
        // Every chunk in the order of the ranges, in the list that has no use yet; those of one range keep their order.
        let share = from.len().div_ceil(parts).max(1);
        let chunks = from.chunks(share).zip(sorted.chunks_mut(share));
        let ends = parallel::map(true, chunks, |(from, to)| {
            let mut next = vec![0_usize; ranges + 1];
            from.iter().for_each(|x| next[usize::from(range_of[first_digit(x)]) + 1] += 1);
            for k in 1..=ranges {
                next[k] += next[k - 1];
            }
            for x in from {
                let place = &mut next[usize::from(range_of[first_digit(x)])];
                to[*place] = *x;
                *place += 1;
            }
            // What was the beginning of a range has moved on to its end.
            next
        });
        let begin = |chunk: usize, range: usize| if range == 0 { 0 } else { ends[chunk][range - 1] };
        let length = |range: usize| -> usize {
            (0..ends.len()).map(|chunk| ends[chunk][range] - begin(chunk, range)).sum()
        };
        let lengths: Vec<usize> = (0..ranges).map(length).collect();
        let chunks = &*sorted;
        parallel::for_each(true, split(from, &lengths).enumerate(), |(range, mut from)| {
            for chunk in 0..ends.len() {
                let part = &chunks[chunk * share..][begin(chunk, range)..ends[chunk][range]];
                let (now, later) = from.split_at_mut(part.len());
                now.copy_from_slice(part);
                from = later;
            }
        });
        let lists = split(from, &lengths).zip(split(spare, &lengths)).zip(split(sorted, &lengths));
        parallel::for_each(true, lists, |((from, spare), sorted)| self.sort(from, spare, sorted));
    }
}

/// Parts of a list, by their lengths.
fn split<'a, T>(list: &'a mut [T], lengths: &'a [usize]) -> impl Iterator<Item = &'a mut [T]> {
    let mut rest = list;
    lengths.iter().map(move |&length| {
        let (part, later) = std::mem::take(&mut rest).split_at_mut(length);
        rest = later;
        part
    })
}

/// Writes all in the order of their digits, which have this many bits. Returns where those of each digit end.
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
    use crate::base::Random;
    use proptest::prelude::*;

    type Item = (u64, u32);

    fn check(items: &[Item], bits: u32, parts: usize) {
        let mut expected = items.to_vec();
        expected.sort_by_key(|item| item.0);
        let mut lists = RadixSort { from: items.to_vec(), ..RadixSort::default() };
        lists.sort(bits, |item: &Item| item.0, parts);
        assert!(lists.sorted == expected, "{bits} bits, {parts} parts");
    }

    #[test]
    fn more_threads_than_keys_leave_nothing_out() {
        let items: Vec<Item> = (0..5000).map(|k| (u64::from(k % 3) << 40, k)).collect();
        (2..40).for_each(|parts| check(&items, 44, parts));
        check(&[(7, 0)], 44, 16);
        check(&[], 44, 16);
    }

    #[test]
    fn long_lists_are_sorted_part_by_part() {
        let mut random = Random::linear(1);
        // Everywhere; in a corner; two crowds far apart; all the same; one bit more than a digit.
        let crowds = |k: u32| if k.is_multiple_of(3) { 0xf00_0000_0000 } else { 0x100_0000_0000 };
        for (case, bits) in [44, 44, 44, 30, 12].into_iter().enumerate() {
            let key =
                |k: u32, x: u64| [x, x & 0xfff_ffff, (x & 0xffff) + crowds(k), 12_345_678, x & 0xfff][case];
            let items: Vec<Item> =
                (0..5 * LONG as u32 + 77).map(|k| (key(k, random.bits() >> 20), k)).collect();
            check(&items, bits, 1);
            check(&items, bits, 7);
        }
    }

    proptest! {
        #[test]
        fn sorting_is_stable_on_any_number_of_threads(
            keys in prop::collection::vec(any::<u64>(), 0..300), bits in 0..64_u32, parts in 1..5_usize,
        ) {
            let items: Vec<Item> = keys.iter().map(|key| key & ((1 << bits) - 1)).zip(0..).collect();
            check(&items, bits, parts);
        }
    }
}
