//! Runs work on as many threads as the user wants.

use crate::error::Failure;

/// Does the work on the given number of threads; without a number, on all of them.
///
/// # Errors
/// The system did not give us the threads; the work was not begun.
///
/// ```
/// let threads = fracas_cli::threads::on(Some(3), rayon::current_num_threads).unwrap();
/// assert_eq!(threads, 3);
/// ```
pub fn on<R: Send>(count: Option<u16>, work: impl FnOnce() -> R + Send) -> Result<R, Failure> {
    let Some(count) = count else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(count)).build();
    match pool {
        Ok(pool) => Ok(pool.install(work)),
        Err(error) => Err(Failure::Threads { count, reason: error.to_string() }),
    }
}
