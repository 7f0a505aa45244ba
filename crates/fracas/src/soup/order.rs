//! Sorting triangles by cell: the key of a cell, radix sort, and the two hash functions.
//!
//! A key interleaves the bits of the three cell coordinates (a Morton code), so that triangles near each other come
//! to lie near each other, and the first bits of a key are the key of a larger cell.

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

const DIGIT: u32 = 11;

/// Sorts by the lowest `bits` of what `value` returns; equal ones keep their order.
pub(super) fn radix_sort(
    items: &mut [Item],
    spare: &mut [Item],
    bits: u32,
    value: impl Fn(&Item) -> u64 + Copy,
) {
    if items.len() < 2 || bits == 0 {
        return;
    }
    let passes = bits.div_ceil(DIGIT);
    let digit = bits.div_ceil(passes);
    let (mut from, mut to) = (items, spare);
    for pass in 0..passes {
        scatter(from, to, |item| (value(item) >> (pass * digit) & ((1 << digit) - 1)) as usize);
        std::mem::swap(&mut from, &mut to);
    }
    if passes % 2 == 1 {
        to.copy_from_slice(from);
    }
}

/// Sorts `items` into `sorted` as [`radix_sort`] does, each thread a range of values; `spare` is overwritten.
#[cfg(feature = "parallel")]
pub(super) fn sort_side_by_side(
    items: &[Item],
    sorted: &mut [Item],
    spare: &mut [Item],
    bits: u32,
    parts: usize,
    value: impl Fn(&Item) -> u64 + Copy + Sync,
) {
    use rayon::prelude::*;
    let shift = bits.saturating_sub(DIGIT);
    let mut counts = [0_usize; 1 << DIGIT];
    for item in items {
        counts[(value(item) >> shift) as usize] += 1;
    }
    // Ranges of first digits with about equally many items.
    let mut tasks = Vec::with_capacity(parts);
    let (mut sorted, mut spare) = (sorted, spare);
    let (mut from, mut count, mut before) = (0, 0, 0);
    for digit in 0..counts.len() {
        count += counts[digit];
        let enough = (before + count) * parts >= items.len() * (tasks.len() + 1);
        if enough || digit + 1 == counts.len() {
            let (mine, later) = sorted.split_at_mut(count);
            sorted = later;
            let (room, later) = spare.split_at_mut(count);
            spare = later;
            tasks.push((from as u64..digit as u64 + 1, mine, room));
            before += count;
            (from, count) = (digit + 1, 0);
        }
    }
    tasks.into_par_iter().for_each(|(range, mine, room)| {
        let chosen = items.iter().filter(|item| range.contains(&(value(item) >> shift)));
        for (place, item) in mine.iter_mut().zip(chosen) {
            *place = *item;
        }
        radix_sort(mine, room, bits, value);
    });
}

#[cfg(not(feature = "parallel"))]
pub(super) fn sort_side_by_side(
    _: &[Item],
    _: &mut [Item],
    _: &mut [Item],
    _: u32,
    _: usize,
    _: impl Fn(&Item) -> u64,
) {
    unreachable!("one part without the feature `parallel`");
}

/// Copies all items in the order of their digits.
#[inline(always)]
fn scatter(from: &[Item], to: &mut [Item], digit: impl Fn(&Item) -> usize) {
    let mut next = [0_u32; 1 << DIGIT];
    for item in from {
        next[digit(item)] += 1;
    }
    let mut sum = 0;
    for slot in &mut next {
        (*slot, sum) = (sum, sum + *slot);
    }
    for item in from {
        let place = &mut next[digit(item)];
        to[*place as usize] = *item;
        *place += 1;
    }
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

    proptest! {
        #[test]
        fn radix_sort_is_a_stable_sort(keys in prop::collection::vec(any::<u64>(), 0..300), bits in 0..64_u32) {
            let mut items: Vec<Item> = keys
                .iter()
                .enumerate()
                .map(|(i, key)| Item { key: key & ((1 << bits) - 1), slot: 0, triangle: i as u32 })
                .collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.key);
            let mut spare = vec![Item::default(); items.len()];
            radix_sort(&mut items, &mut spare, bits, |item| item.key);
            prop_assert_eq!(items, expected);
        }
    }
}
