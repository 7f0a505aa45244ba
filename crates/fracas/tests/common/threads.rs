//! Running a piece of a test on a given number of threads.

/// Calls `work` in a pool of its own, so that everything it does in parallel uses that many threads.
#[cfg(feature = "parallel")]
pub fn on_threads<T: Send>(count: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("threads");
    pool.install(work)
}

/// Without the feature `parallel` there is one thread, whatever is asked for.
#[cfg(not(feature = "parallel"))]
pub fn on_threads<T>(_: usize, work: impl FnOnce() -> T) -> T {
    work()
}

/// All threads, or one.
pub fn threads(parallel: bool) -> fracas::Threads {
    if parallel { fracas::Threads::All } else { fracas::Threads::One }
}
