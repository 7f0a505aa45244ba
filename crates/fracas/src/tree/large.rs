//! Dividing a large set of triangles in two, on all threads.
//!
//! The set is read in chunks of a fixed length. One pass sorts the chunks' items into bins and adds the bins up; the cheapest cut
//! between two bins is taken. A second pass divides each chunk by itself. Then what lies on the wrong side of the cut is exchanged, run
//! by run:
//!
//! ```text
//!   chunks    a b b │ a a b │ b b a      a lies below the cut, b above
//!   divided   a b b │ a a b │ a b b
//!                        ‖               four a: the cut is here
//!   exchanged a a b   a … b   b b b      …until no b is left of it
//! ```
//!
//! Chunks and runs do not depend on the number of threads, so neither does the result. The cut does not fall on a multiple of eight: that
//! costs one leaf that is not full for each large set, and there are few.

use super::partition::{BINS, BestCut, Bin, Centres, Extent, Item, cheapest_cut, fill_bins};
use crate::base::parallel::{self, CHUNK};

/// Moves the items of the first part to the front. Returns how many these are, at least one and not all, and the
/// extents of both parts; `None`, with nothing moved, if all centres are in one place.
pub(super) fn divide_large(
    items: &mut [Item],
    extent: &Extent,
    parallel: bool,
) -> Option<(usize, [Extent; 2])> {
    let binning = extent.longest_binning()?;
    let chunks = parallel::map(parallel, items.chunks(CHUNK), |chunk| fill_bins(chunk, binning));
    let mut bins = [Bin::EMPTY; BINS];
    for (bin, add) in chunks.iter().flat_map(|chunk| chunk.iter().enumerate()) {
        bins[bin].add(add.low, add.high, add.count);
    }
    let best = cheapest_cut(&bins, binning, items.len(), Bin::cost, |_| true);
    if best.below == 0 {
        return None;
    }
    let divided = parallel::map(parallel, items.chunks_mut(CHUNK), |chunk| divide_chunk(chunk, &best));
    let mut centres = [Centres::EMPTY; 2];
    for (side, add) in divided.iter().flat_map(|(_, chunk)| chunk.iter().enumerate()) {
        centres[side].join(add);
    }
    exchange(items, best.below, divided.iter().map(|chunk| chunk.0), parallel);
    Some((best.below, [0, 1].map(|side| Extent::new(best.sides[side], centres[side]))))
}

/// Moves the items below the cut to the front of a chunk; returns their number, and the centres on both sides.
fn divide_chunk(chunk: &mut [Item], cut: &BestCut) -> (usize, [Centres; 2]) {
    let mut centres = [Centres::EMPTY; 2];
    let is_below = |item: &Item| cut.binning.bin_of(item) < cut.first_above;
    let (mut low, mut high) = (0, chunk.len());
    while low < high {
        if is_below(&chunk[low]) {
            centres[0].add(&chunk[low]);
            low += 1;
            continue;
        }
        // The last item that belongs where this one is.
        while high - 1 > low && !is_below(&chunk[high - 1]) {
            high -= 1;
            centres[1].add(&chunk[high]);
        }
        high -= 1;
        centres[1].add(&chunk[low]);
        if low < high {
            centres[0].add(&chunk[high]);
            chunk.swap(low, high);
            low += 1;
        }
    }
    (low, centres)
}

/// Exchanges items that lie on the wrong side of the cut, given how many of each chunk belong below it.
fn exchange(items: &mut [Item], cut: usize, counts: impl Iterator<Item = usize>, parallel: bool) {
    let (below, above) = items.split_at_mut(cut);
    let (mut left, mut right) = (Runs::new(below, 0), Runs::new(above, cut));
    for (chunk, count) in counts.enumerate() {
        let (start, middle) = (chunk * CHUNK, chunk * CHUNK + count);
        left.take(middle, (start + CHUNK).min(cut));
        right.take(start.max(cut), middle);
    }
    // Both sides have as many of them; runs are cut where one of either side ends.
    let mut tasks = Vec::with_capacity(left.runs.len() + right.runs.len());
    let (mut left, mut right) = (left.runs.into_iter(), right.runs.into_iter());
    let (mut one, mut other) = (left.next().unwrap_or_default(), right.next().unwrap_or_default());
    loop {
        if one.is_empty() {
            let Some(next) = left.next() else { break };
            one = next;
        }
        if other.is_empty() {
            let Some(next) = right.next() else { break };
            other = next;
        }
        let count = one.len().min(other.len());
        let (ones, others);
        (ones, one) = one.split_at_mut(count);
        (others, other) = other.split_at_mut(count);
        tasks.push((ones, others));
    }
    parallel::for_each(parallel, tasks.into_iter(), |(one, other)| one.swap_with_slice(other));
}

/// Runs of a list, taken from the front to the back.
struct Runs<'a> {
    rest: &'a mut [Item],
    /// Where the rest begins.
    start: usize,
    runs: Vec<&'a mut [Item]>,
}

impl<'a> Runs<'a> {
    fn new(rest: &'a mut [Item], start: usize) -> Self {
        Self { rest, start, runs: vec![] }
    }

    /// Takes the items from one place to another, if there are any.
    fn take(&mut self, from: usize, to: usize) {
        if from < to {
            let (_, rest) = std::mem::take(&mut self.rest).split_at_mut(from - self.start);
            let (run, rest) = rest.split_at_mut(to - from);
            self.runs.push(run);
            (self.rest, self.start) = (rest, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;
    use crate::geom::DVec3;
    use crate::pairs::Frame;

    fn items(count: usize, place: impl Fn(usize, f64) -> DVec3) -> Vec<Item> {
        let mut random = Random::linear(5);
        let mut number = || (random.bits() >> 40) as f64 / (1 << 24) as f64;
        let item = |triangle| {
            let corner = place(triangle, number());
            Item::new(&Frame::default(), [corner, corner + 0.01, corner], triangle as u32)
        };
        (0..count).map(item).collect()
    }

    #[test]
    fn each_item_ends_on_its_side_of_the_cut() {
        // In no order; in order; the other way round; two chunks of three in one place.
        let places: [fn(usize, f64) -> DVec3; 4] = [
            |_, x| DVec3::new(x * x, 0.5, 0.1 * x),
            |k, _| DVec3::new(k as f64 * 1e-5, 0.0, 0.0),
            |k, _| DVec3::new(0.0, k as f64 * -1e-5, 0.0),
            |k, x| DVec3::new(0.0, 0.0, if (k / CHUNK).is_multiple_of(3) { x } else { 0.25 }),
        ];
        for (case, place) in places.into_iter().enumerate() {
            for count in [2 * CHUNK, 5 * CHUNK + 100, 5 * CHUNK - 1] {
                let from = items(count, place);
                let extent = Extent::of(&from);
                let axis = extent.longest_centre_axis();
                let mut to = from.clone();
                let (middle, extents) = divide_large(&mut to, &extent, true).expect("different places");
                assert!(0 < middle && middle < count, "case {case}");
                let parts = [&to[..middle], &to[middle..]];
                let box_of = |extent: &Extent| {
                    let (low, high) = extent.bounds();
                    (low.truncate(), high.truncate(), extent.longest_centre_axis())
                };
                for (part, extent) in parts.iter().zip(&extents) {
                    assert_eq!(box_of(&Extent::of(part)), box_of(extent), "case {case}");
                }
                let x = |item: &Item| item.centre()[axis];
                let highest = parts[0].iter().map(x).fold(f32::MIN, f32::max);
                assert!(parts[1].iter().all(|item| x(item) >= highest), "case {case}");
                let mut ids: Vec<u32> = to.iter().map(Item::triangle).collect();
                ids.sort_unstable();
                assert!(ids.into_iter().eq(0..count as u32), "case {case}");
                let mut alone = from;
                divide_large(&mut alone, &extent, false);
                assert!(alone.iter().map(Item::triangle).eq(to.iter().map(Item::triangle)), "case {case}");
            }
        }
    }

    #[test]
    fn centres_in_one_place_are_left_alone() {
        let mut all = items(CHUNK + 1, |_, _| DVec3::splat(0.25));
        let extent = Extent::of(&all);
        assert!(divide_large(&mut all, &extent, true).is_none());
        assert!(all.iter().map(Item::triangle).eq(0..CHUNK as u32 + 1));
    }
}
