//! Many short lists in one allocation, also known as compressed sparse rows.
//!
//! ```text
//!   starts  0   2 2     5       list 0: a b     list 1: empty     list 2: c d e
//!   items   a b c d e
//! ```
//!
//! [`Lists::from_pairs`] is a stable counting sort: one pass counts, one pass writes. [`Lists::append`] builds list after list.
//!
//! # Invariants
//!
//! `starts` begins with 0, never descends, and ends with the number of items; it may be empty if there are no lists.

use super::parallel;
use std::ops::Range;

/// Lists that lie one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lists<T> {
    /// List `k` has the items from `starts[k]` to `starts[k + 1]`.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { starts: vec![], items: vec![] }
    }
}

impl<T> Lists<T> {
    /// How many lists there are.
    pub(crate) fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Sorts (list, item) pairs into `count` lists. Items of one list keep the order in which they come.
    ///
    /// The pairs are generated twice, so the iterator should be cheap.
    pub(crate) fn from_pairs(count: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self
    where
        T: Copy,
    {
        let mut lists = Self::default();
        lists.refill(count, pairs);
        lists
    }

    /// The same; `note` is told the list of every item and its place among [`Lists::items`], in the order of the pairs.
    #[inline]
    pub(crate) fn from_pairs_noting(
        count: usize,
        pairs: impl Iterator<Item = (u32, T)> + Clone,
        note: impl FnMut(u32, T, usize),
    ) -> Self
    where
        T: Copy,
    {
        let mut lists = Self::default();
        lists.refill_noting(count, pairs, note);
        lists
    }

    /// Replaces all lists as [`Lists::from_pairs`] does, in the same memory.
    pub(crate) fn refill(&mut self, count: usize, pairs: impl Iterator<Item = (u32, T)> + Clone)
    where
        T: Copy,
    {
        self.refill_noting(count, pairs, |_, _, _| ());
    }

    #[inline]
    fn refill_noting(
        &mut self,
        count: usize,
        pairs: impl Iterator<Item = (u32, T)> + Clone,
        mut note: impl FnMut(u32, T, usize),
    ) where
        T: Copy,
    {
        let Self { starts, items } = self;
        // Counts are stored two places late: while items are written, `starts[k + 1]` is the next place of list k.
        starts.clear();
        starts.resize(count + 2, 0);
        pairs.clone().for_each(|(list, _)| starts[list as usize + 2] += 1);
        for k in 2..starts.len() {
            starts[k] += starts[k - 1];
        }
        items.clear();
        if let Some((_, any)) = pairs.clone().next() {
            items.resize(starts[count + 1] as usize, any);
        }
        pairs.for_each(|(list, item)| {
            let place = &mut starts[list as usize + 1];
            items[*place as usize] = item;
            note(list, item, *place as usize);
            *place += 1;
        });
        starts.pop();
    }

    /// Appends a list: `fill` pushes its items behind those of all other lists.
    pub(crate) fn append(&mut self, fill: impl FnOnce(&mut Vec<T>)) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        fill(&mut self.items);
        self.starts.push(self.items.len() as u32);
    }

    /// Lists of lists, one behind the other. The items are copied on all threads.
    pub(crate) fn joined(parallel: bool, parts: &[Self]) -> Self
    where
        T: Copy + Default + Send + Sync,
    {
        let total = |size: fn(&Self) -> usize| parts.iter().map(size).sum::<usize>();
        let mut items = vec![T::default(); total(|part| part.items.len())];
        let mut starts = vec![0; total(Self::count) + 1];
        let (mut to_items, mut to_starts) = (&mut items[..], &mut starts[1..]);
        let mut tasks = Vec::with_capacity(parts.len());
        let mut before = 0;
        for part in parts {
            let (own_items, own_starts);
            (own_items, to_items) = to_items.split_at_mut(part.items.len());
            (own_starts, to_starts) = to_starts.split_at_mut(part.count());
            tasks.push((part, before, own_items, own_starts));
            before += part.items.len() as u32;
        }
        parallel::for_each(parallel, tasks.into_iter(), |(part, before, items, starts)| {
            items.copy_from_slice(&part.items);
            starts.iter_mut().zip(part.starts.iter().skip(1)).for_each(|(to, from)| *to = before + from);
        });
        Self { starts, items }
    }

    /// Where the items of a list are among [`Lists::items`].
    #[inline]
    pub(crate) fn range(&self, list: usize) -> Range<usize> {
        self.starts[list] as usize..self.starts[list + 1] as usize
    }

    /// The items of one list.
    #[inline]
    pub(crate) fn list(&self, list: usize) -> &[T] {
        &self.items[self.range(list)]
    }

    /// The items of one list, to be changed.
    #[inline]
    pub(crate) fn list_mut(&mut self, list: usize) -> &mut [T] {
        let range = self.range(list);
        &mut self.items[range]
    }

    /// All items, list by list.
    #[inline]
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// All items, list by list, without the lists.
    pub(crate) fn into_items(self) -> Vec<T> {
        self.items
    }

    /// The lists in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> + Clone {
        self.starts.windows(2).map(|ends| &self.items[ends[0] as usize..ends[1] as usize])
    }

    /// Bytes that the lists hold.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.items[..])
    }

    /// Gives back memory that is not used.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.starts.shrink_to_fit();
        self.items.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_are_sorted_and_keep_their_order(lists in prop::collection::vec(0..7_u32, 0..60)) {
            let pairs: Vec<(u32, usize)> = lists.iter().copied().zip(0..).collect();
            let sorted = Lists::from_pairs(7, pairs.iter().copied());
            let mut one_by_one = Lists::default();
            for list in 0..7 {
                let expected: Vec<usize> = pairs.iter().filter(|pair| pair.0 == list).map(|pair| pair.1).collect();
                prop_assert_eq!(sorted.list(list as usize), &expected);
                one_by_one.append(|items| items.extend(expected));
            }
            prop_assert_eq!(sorted.iter().count(), 7);
            prop_assert!(sorted.iter().flatten().eq(sorted.items()));
            prop_assert_eq!(&sorted, &one_by_one);
            // Joined from parts of three lists, two, none and two.
            let part = |from: usize, to: usize| {
                let mut part = Lists::default();
                (from..to).for_each(|list| part.append(|items| items.extend_from_slice(sorted.list(list))));
                part
            };
            for parallel in [false, true] {
                let joined = Lists::joined(parallel, &[part(0, 3), part(3, 5), part(5, 5), part(5, 7)]);
                prop_assert_eq!(&joined, &sorted);
            }
        }
    }

    #[test]
    fn there_may_be_no_lists() {
        let mut lists = Lists::from_pairs(3, [(1, 'a'), (1, 'b')].into_iter());
        assert_eq!(lists.iter().map(<[char]>::len).collect::<Vec<_>>(), [0, 2, 0]);
        lists.refill(0, std::iter::empty());
        assert_eq!(lists.iter().chain(Lists::default().iter()).count(), 0);
    }
}
