//! A stage, and its times at several numbers of threads.

use super::{Setting, short};
use crate::metric::Report;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io;
use std::time::{Duration, Instant};

/// One pool for each number of threads, fewest first.
pub struct Pools(Vec<ThreadPool>);

impl Pools {
    /// The numbers asked for; otherwise 1, 2, 4, 8, 16 as far as the machine has cores, and all of them.
    pub fn new(wanted: &[usize], quick: bool) -> io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut counts = wanted.to_vec();
        if counts.is_empty() {
            counts.extend([1, 2, 4, 8, 16].into_iter().filter(|&count| count <= cores && !quick));
            counts.extend([1, cores.min(2), cores]);
        }
        counts.sort_unstable();
        counts.dedup();
        let pool = |&count: &usize| ThreadPoolBuilder::new().num_threads(count).build();
        counts.iter().map(pool).collect::<Result<_, _>>().map(Self).map_err(io::Error::other)
    }

    pub fn iter(&self) -> impl Iterator<Item = &ThreadPool> {
        self.0.iter()
    }

    /// Numbers of threads.
    pub fn counts(&self) -> Vec<usize> {
        self.0.iter().map(ThreadPool::current_num_threads).collect()
    }

    /// The one with the most threads.
    pub fn largest(&self) -> &ThreadPool {
        self.0.last().expect("a number of threads")
    }
}

/// Does a stage once. Returns the time, without preparations, and a number that depends on the whole answer.
pub type Run<'a> = Box<dyn FnMut() -> (Duration, u64) + Send + 'a>;

/// A stage of one size, ready to run.
pub struct Stage<'a> {
    /// As in `cores.NAME.speedup`.
    pub name: &'static str,
    /// What is done, for people.
    pub about: &'static str,
    pub size: usize,
    /// Bytes that it reads and writes at least.
    pub bytes: f64,
    pub run: Run<'a>,
}

/// Times of a stage.
#[derive(Clone)]
pub struct Row {
    pub name: &'static str,
    pub about: String,
    pub size: usize,
    /// Not a number if nobody knows.
    pub bytes: f64,
    /// Milliseconds by number of threads, best of several.
    pub ms: Vec<(usize, f64)>,
}

impl Row {
    /// Milliseconds when run on `threads` threads.
    pub fn at(&self, threads: usize) -> Option<f64> {
        self.ms.iter().find(|(count, _)| *count == threads).map(|(_, ms)| *ms)
    }

    /// Speed-up: the time on one thread divided by that on `threads`.
    pub fn speedup(&self, threads: usize) -> Option<f64> {
        Some(self.at(1)? / self.at(threads)?)
    }

    /// The share of the bandwidth with the most threads, in words.
    pub fn share(&self, setting: &Setting) -> String {
        let (most, ms) = *self.ms.last().expect("a number of threads");
        let share = 100.0 * setting.bandwidth.share(self.bytes, ms, most);
        if share.is_nan() { "–".to_owned() } else { format!("{share:.0} %") }
    }

    /// One line: times, speed-up, and the share of the bandwidth.
    pub fn print(&self, report: &Report, setting: &Setting) {
        let times: String = self.ms.iter().map(|(_, ms)| format!(" {ms:>9.2}")).collect();
        let (most, _) = *self.ms.last().expect("a number of threads");
        let speedup = self.speedup(most).filter(|_| most > 1);
        let speedup = speedup.map_or(String::new(), |speedup| format!("{speedup:>6.2} ×"));
        let (size, share) = (short(self.size), self.share(setting));
        report.say(&format!("  {size:<6} {:<34}{times} ms {speedup}  {share:>5} of bandwidth", self.about));
    }
}

/// Times a call.
pub fn timed<T>(call: impl FnOnce() -> T) -> (Duration, T) {
    let begin = Instant::now();
    let result = std::hint::black_box(call());
    (begin.elapsed(), result)
}

impl Stage<'_> {
    /// Runs at all numbers of threads in turn, at least twice and until the budget is used up; prints the best of each.
    ///
    /// # Panics
    /// If the answer depends on the number of threads.
    pub fn measure(self, report: &Report, setting: &Setting) -> Row {
        self.measure_up_to(usize::MAX, report, setting)
    }

    /// As `measure`, on at most `most` threads.
    pub fn measure_up_to(mut self, most: usize, report: &Report, setting: &Setting) -> Row {
        let mut counts = setting.pools.counts();
        counts.retain(|&count| count <= most || count == setting.pools.counts()[0]);
        let mut best = vec![f64::INFINITY; counts.len()];
        let (begin, mut rounds, mut answer) = (Instant::now(), 0, None);
        while rounds < 2 || begin.elapsed() < setting.budget && rounds < 50 {
            for (pool, best) in setting.pools.iter().zip(&mut best) {
                let (time, number) = pool.install(&mut self.run);
                *best = best.min(time.as_secs_f64() * 1e3);
                let first = *answer.get_or_insert(number);
                assert!(first == number, "{}: the answer depends on the number of threads", self.name);
            }
            rounds += 1;
        }
        let Self { name, about, size, bytes, .. } = self;
        let ms = counts.into_iter().zip(best).collect();
        let row = Row { name, about: about.to_owned(), size, bytes, ms };
        row.print(report, setting);
        row
    }
}
