//! Merging sorted lists into one, on all threads.
//!
//! A sample of all lists says where to cut the order of items into ranges of about the same size. Each range is merged by
//! itself, straight to its place:
//!
//! ```text
//!   lists     a c │ d f │ g      b │ e │ h i        cut at d and g
//!   merged    a b c │ d e f │ g h i                 three threads
//! ```
//!
//! Equal items must not be told apart; then the result is the same for any number of ranges.

use super::parallel;

/// Items that are sampled for each range.
const SAMPLE: usize = 16;

/// Replaces `merged` by all items of some sorted lists, in order, divided into `ranges` that are merged at the same time.
pub(crate) fn merge<T: Copy + Ord + Send + Sync>(lists: &[&[T]], merged: &mut Vec<T>, ranges: usize) {
    let total: usize = lists.iter().map(|list| list.len()).sum();
    let Some(&any) = lists.iter().find_map(|list| list.first()) else { return merged.clear() };
    // Memory that was written before is not written twice.
    merged.resize(total, any);
    let ends = cuts(lists, total, ranges);
    let mut rests = lists.to_vec();
    let mut to = &mut merged[..];
    let mut tasks = Vec::with_capacity(ends.len() + 1);
    for end in ends.iter().map(Some).chain([None]) {
        let runs: Vec<&[T]> = rests
            .iter_mut()
            .map(|rest| {
                let count = end.map_or(rest.len(), |end| rest.partition_point(|item| item < end));
                let (run, later) = rest.split_at(count);
                *rest = later;
                run
            })
            .collect();
        let range;
        (range, to) = to.split_at_mut(runs.iter().map(|run| run.len()).sum());
        tasks.push((runs, range));
    }
    parallel::for_each(ranges > 1, tasks.into_iter(), |(runs, range)| {
        let mut place = 0;
        for run in runs {
            range[place..place + run.len()].copy_from_slice(run);
            place += run.len();
        }
        // A stable sort finds the runs and merges them.
        range.sort();
    });
}

/// Items that part the order into ranges of about the same size.
fn cuts<T: Copy + Ord>(lists: &[&[T]], total: usize, ranges: usize) -> Vec<T> {
    let step = (total / (SAMPLE * ranges.max(1))).max(1);
    let mut sample: Vec<T> =
        lists.iter().flat_map(|list| list.iter().skip(step / 2).step_by(step)).copied().collect();
    sample.sort_unstable();
    let mut cuts: Vec<T> =
        (1..ranges).filter_map(|k| sample.get(k * sample.len() / ranges).copied()).collect();
    cuts.dedup();
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn merging_is_sorting(
            mut lists in prop::collection::vec(prop::collection::vec(0..500_u32, 0..200), 0..6),
            ranges in 1..9_usize,
            before in 0..2000_usize,
        ) {
            lists.iter_mut().for_each(|list| list.sort_unstable());
            let mut expected = lists.concat();
            expected.sort_unstable();
            let mut merged = vec![7; before];
            let lists: Vec<&[u32]> = lists.iter().map(Vec::as_slice).collect();
            merge(&lists, &mut merged, ranges);
            prop_assert_eq!(merged, expected);
        }
    }
}
