//! Loops on all threads of the current rayon pool; without the feature `parallel`, on one thread.
//!
//! A loop gets an iterator of tasks and whether to use threads. Results come in the order of the tasks, so they do not depend
//! on the number of threads. Without threads a loop takes tasks as they come and allocates nothing. With threads it lists
//! them first, so a task should be worth more than a few nanoseconds: chunks of a list rather than its items.

/// How many threads a loop uses, at most.
pub(crate) fn threads(parallel: bool) -> usize {
    if parallel { pool::current_num_threads() } else { 1 }
}

/// Calls a function for every task.
pub(crate) fn for_each<T: Send>(
    parallel: bool,
    tasks: impl Iterator<Item = T>,
    work: impl Fn(T) + Sync + Send,
) {
    if threads(parallel) > 1 { drop(pool::map(tasks.collect(), work)) } else { tasks.for_each(work) }
}

/// Calls a function for every task and lists the results, in the order of the tasks.
pub fn map<T: Send, U: Send>(
    parallel: bool,
    tasks: impl Iterator<Item = T>,
    work: impl Fn(T) -> U + Sync + Send,
) -> Vec<U> {
    if threads(parallel) > 1 { pool::map(tasks.collect(), work) } else { tasks.map(work).collect() }
}

/// Calls two functions, the second perhaps on another thread.
pub(crate) fn join(parallel: bool, one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    if threads(parallel) > 1 {
        pool::join(one, other);
    } else {
        one();
        other();
    }
}

/// Sorts a list whose equal items cannot be told apart.
pub(crate) fn sort_unstable<T: Ord + Send>(parallel: bool, list: &mut [T]) {
    if threads(parallel) > 1 { pool::sort_unstable(list) } else { list.sort_unstable() }
}

#[cfg(feature = "parallel")]
mod pool {
    use rayon::prelude::*;
    pub(super) use rayon::{current_num_threads, join};

    pub(super) fn map<T: Send, U: Send>(tasks: Vec<T>, work: impl Fn(T) -> U + Sync + Send) -> Vec<U> {
        tasks.into_par_iter().map(work).collect()
    }

    pub(super) fn sort_unstable<T: Ord + Send>(list: &mut [T]) {
        list.par_sort_unstable();
    }
}

/// One thread, so that nothing else is ever called.
#[cfg(not(feature = "parallel"))]
mod pool {
    pub(super) fn current_num_threads() -> usize {
        1
    }

    pub(super) fn map<T, U>(tasks: Vec<T>, work: impl Fn(T) -> U) -> Vec<U> {
        tasks.into_iter().map(work).collect()
    }

    pub(super) fn join(one: impl FnOnce(), other: impl FnOnce()) {
        one();
        other();
    }

    pub(super) fn sort_unstable<T: Ord>(list: &mut [T]) {
        list.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_task_is_done_once_and_results_keep_their_order() {
        for parallel in [false, true] {
            let mut counts = vec![0; 1000];
            for_each(parallel, counts.chunks_mut(7).enumerate(), |(k, chunk)| {
                chunk.iter_mut().for_each(|count| *count += k);
            });
            assert!(counts.iter().enumerate().all(|(at, &count)| count == at / 7));
            assert!(map(parallel, 0..1000, |k| k * k).into_iter().eq((0..1000).map(|k| k * k)));
            let sum = AtomicUsize::new(0);
            let add = |x: usize| {
                sum.fetch_add(x, Ordering::Relaxed);
            };
            join(parallel, || add(1), || add(2));
            assert_eq!(sum.into_inner(), 3);
            let mut list: Vec<u32> = (0..1000).map(|k| k * 7919 % 1000).collect();
            sort_unstable(parallel, &mut list);
            assert!(list.into_iter().eq(0..1000));
            for_each(parallel, std::iter::empty::<u8>(), |_| unreachable!());
        }
        assert_eq!(threads(false), 1);
    }
}
