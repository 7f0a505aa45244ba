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

/// Lists what a function returns for 0, 1, 2, … up to a count. Threads write straight into the list, so its memory is
/// also touched for the first time on all of them.
pub(crate) fn collect<U: Send>(
    parallel: bool,
    count: usize,
    item: impl Fn(usize) -> U + Sync + Send,
) -> Vec<U> {
    if threads(parallel) > 1 { pool::collect(count, item) } else { (0..count).map(item).collect() }
}

/// Copies one list over another of the same length.
pub(crate) fn copy<T: Copy + Send + Sync>(parallel: bool, from: &[T], to: &mut [T]) {
    if threads(parallel) > 1 && from.len() > CHUNK {
        let chunks = from.chunks(CHUNK).zip(to.chunks_mut(CHUNK));
        for_each(true, chunks, |(from, to)| to.copy_from_slice(from));
    } else {
        to.copy_from_slice(from);
    }
}

/// Items that a loop over a long list of small items takes at a time. The same for any number of threads, so that sums over
/// chunks are, too.
pub(crate) const CHUNK: usize = 1 << 14;

/// Does a job, and all jobs that it and its successors hand out, in no order.
pub(crate) fn spread<J: Send>(first: J, work: impl Fn(J, &dyn Fn(J)) + Sync) {
    pool::spread(first, &work);
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

/// Gives a list another length; what is new gets a value. Threads write straight into long lists, so that their memory is also touched
/// for the first time on all of them.
pub(crate) fn resize<T: Clone + Send + Sync>(parallel: bool, list: &mut Vec<T>, count: usize, value: T) {
    let more = count.saturating_sub(list.len());
    if more >= MANY_NEW && threads(parallel) > 1 {
        pool::extend(list, more, value);
    } else {
        list.resize(count, value);
    }
}

/// Fewer new items are written faster by one thread.
const MANY_NEW: usize = 1 << 16;

#[cfg(feature = "parallel")]
mod pool {
    use rayon::Scope;
    use rayon::prelude::*;
    pub(super) use rayon::{current_num_threads, join};

    pub(super) fn map<T: Send, U: Send>(tasks: Vec<T>, work: impl Fn(T) -> U + Sync + Send) -> Vec<U> {
        tasks.into_par_iter().map(work).collect()
    }

    pub(super) fn collect<U: Send>(count: usize, item: impl Fn(usize) -> U + Sync + Send) -> Vec<U> {
        (0..count).into_par_iter().with_min_len(256).map(item).collect()
    }

    pub(super) fn spread<J: Send>(first: J, work: &(impl Fn(J, &dyn Fn(J)) + Sync)) {
        rayon::scope(|scope| hand_out(scope, first, work));
    }

    fn hand_out<'s, J: Send + 's>(scope: &Scope<'s>, job: J, work: &'s (impl Fn(J, &dyn Fn(J)) + Sync)) {
        scope.spawn(move |scope| work(job, &|more| hand_out(scope, more, work)));
    }

    pub(super) fn sort_unstable<T: Ord + Send>(list: &mut [T]) {
        list.par_sort_unstable();
    }

    pub(super) fn extend<T: Clone + Send + Sync>(list: &mut Vec<T>, more: usize, value: T) {
        // A list that has grown once will grow again.
        if list.is_empty() {
            list.reserve_exact(more)
        } else {
            list.reserve(more)
        }
        list.par_extend((0..more).into_par_iter().with_min_len(4096).map(|_| value.clone()));
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

    pub(super) fn collect<U>(count: usize, item: impl Fn(usize) -> U) -> Vec<U> {
        (0..count).map(item).collect()
    }

    pub(super) fn spread<J>(first: J, work: &impl Fn(J, &dyn Fn(J))) {
        let jobs = std::cell::RefCell::new(vec![first]);
        loop {
            let Some(job) = jobs.borrow_mut().pop() else { break };
            work(job, &|more| jobs.borrow_mut().push(more));
        }
    }

    pub(super) fn join(one: impl FnOnce(), other: impl FnOnce()) {
        one();
        other();
    }

    pub(super) fn sort_unstable<T: Ord>(list: &mut [T]) {
        list.sort_unstable();
    }

    pub(super) fn extend<T: Clone>(list: &mut Vec<T>, more: usize, value: T) {
        list.resize(list.len() + more, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn long_lists_get_their_length_and_keep_what_they_have() {
        for parallel in [false, true] {
            let mut list = vec![1_u8, 2, 3];
            for count in [3 * MANY_NEW, MANY_NEW, MANY_NEW + 7, 2, 0, 5] {
                let kept = list.len().min(count);
                let before = list[..kept].to_vec();
                resize(parallel, &mut list, count, 9);
                assert!(list.len() == count && list[..kept] == before[..]);
                assert!(list[kept..].iter().all(|&x| x == 9));
            }
        }
    }

    #[test]
    fn every_task_is_done_once_and_results_keep_their_order() {
        for parallel in [false, true] {
            let mut counts = vec![0; 1000];
            for_each(parallel, counts.chunks_mut(7).enumerate(), |(k, chunk)| {
                chunk.iter_mut().for_each(|count| *count += k);
            });
            assert!(counts.iter().enumerate().all(|(at, &count)| count == at / 7));
            assert!(map(parallel, 0..1000, |k| k * k).into_iter().eq((0..1000).map(|k| k * k)));
            assert!(collect(parallel, 1000, |k| k * k).into_iter().eq((0..1000).map(|k| k * k)));
            let long: Vec<usize> = (0..3 * CHUNK + 5).collect();
            let mut copied = vec![0; long.len()];
            copy(parallel, &long, &mut copied);
            assert_eq!(copied, long);
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
            // Ranges that are halved until they hold one number each.
            let sum = AtomicUsize::new(0);
            spread(0..100_usize, |range, hand_out| {
                if range.len() == 1 {
                    sum.fetch_add(range.start, Ordering::Relaxed);
                } else {
                    let middle = range.start + range.len() / 2;
                    hand_out(range.start..middle);
                    hand_out(middle..range.end);
                }
            });
            assert_eq!(sum.into_inner(), 99 * 100 / 2);
        }
        assert_eq!(threads(false), 1);
    }
}
