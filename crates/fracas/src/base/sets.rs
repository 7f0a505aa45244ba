//! Disjoint sets that are joined two by two (union–find with path halving).
//!
//! The lowest element is the root of its set, so roots depend on which elements are joined and not on the order of the joins.

/// A partition of the numbers from 0 on. At first each is a set of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// So many sets of one element each.
    pub(crate) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// Removes all elements and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.parents.clear();
    }

    /// Makes it `count` sets of one element each, in the same memory.
    pub(crate) fn reset(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend(0..count as u32);
    }

    /// Adds an element and returns its number.
    pub(crate) fn push(&mut self) -> u32 {
        let element = self.parents.len() as u32;
        self.parents.push(element);
        element
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    /// The element that names the set of an element.
    #[inline]
    pub(crate) fn root(&mut self, mut element: u32) -> u32 {
        while self.parents[element as usize] != element {
            let grandparent = self.parents[self.parents[element as usize] as usize];
            self.parents[element as usize] = grandparent;
            element = grandparent;
        }
        element
    }

    /// Whether an element names its set.
    #[inline]
    pub(crate) fn is_root(&self, element: u32) -> bool {
        self.parents[element as usize] == element
    }

    /// Joins the sets of two elements and returns the root.
    #[inline]
    pub(crate) fn join(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.root(a), self.root(b));
        self.attach(a.max(b), a.min(b));
        a.min(b)
    }

    /// Joins the sets of all elements given.
    #[inline]
    pub(crate) fn join_all<const N: usize>(&mut self, elements: [u32; N]) {
        for pair in elements.windows(2) {
            // Most that are joined already have the same parent: no need to look for roots.
            if self.parents[pair[0] as usize] != self.parents[pair[1] as usize] {
                self.join(pair[0], pair[1]);
            }
        }
    }

    /// Joins two sets, given by their roots; the second names both, lowest or not.
    pub(crate) fn attach(&mut self, root: u32, to: u32) {
        self.parents[root as usize] = to;
    }
}

/// Replaces labels below `bound` by 0, 1, 2, … in the order in which they first occur, and returns how many there are. Larger
/// ones stay as they are.
pub(crate) fn renumber(labels: &mut [u32], bound: usize) -> usize {
    let mut numbers = vec![u32::MAX; bound];
    let mut count = 0;
    for label in labels {
        if let Some(number) = numbers.get_mut(*label as usize) {
            if *number == u32::MAX {
                *number = count;
                count += 1;
            }
            *label = *number;
        }
    }
    count as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn roots_are_the_lowest_elements(joins in prop::collection::vec((0..20_u32, 0..20_u32), 0..30)) {
            let mut sets = DisjointSets::new(20);
            let mut lowest: Vec<u32> = (0..20).collect();
            for (a, b) in joins {
                let (from, to) = (lowest[a as usize].max(lowest[b as usize]), lowest[a as usize].min(lowest[b as usize]));
                lowest.iter_mut().filter(|root| **root == from).for_each(|root| *root = to);
                prop_assert_eq!(sets.join(a, b), to);
            }
            for element in 0..20 {
                prop_assert_eq!(sets.root(element), lowest[element as usize]);
                prop_assert_eq!(sets.is_root(element), lowest[element as usize] == element);
            }
        }
    }

    #[test]
    fn elements_can_be_added_and_sets_attached() {
        let mut sets = DisjointSets::default();
        let [a, b, c] = [sets.push(), sets.push(), sets.push()];
        sets.attach(a, c);
        assert_eq!((sets.root(a), sets.root(b), sets.root(c), sets.len()), (c, b, c, 3));
        sets.clear();
        assert_eq!(sets.push(), 0);
        sets.reset(2);
        assert_eq!((sets.root(0), sets.root(1), sets.len()), (0, 1, 2));
    }
}
