//! How fast the memory is: copy and triad of the STREAM benchmark (McCalpin 1995), at several numbers of threads.

use super::stage::Pools;
use crate::metric::{Better, Report};
use rayon::prelude::*;
use std::time::Instant;

/// Numbers in each of the three lists: together much larger than any cache.
const LENGTH: usize = 32 << 20;

/// Gigabytes per second by number of threads.
pub struct Bandwidth {
    best: Vec<(usize, f64)>,
}

impl Bandwidth {
    /// Runs copy (`c = a`, 16 bytes each) and triad (`a = b + 3 c`, 24 bytes each); counts the faster of the two.
    pub fn measure(report: &mut Report, pools: &Pools, quick: bool) -> Self {
        let length = if quick { LENGTH / 4 } else { LENGTH };
        let fill =
            |value: f64| pools.largest().install(|| (0..length).into_par_iter().map(|_| value).collect());
        let (mut a, b, mut c): (Vec<f64>, Vec<f64>, Vec<f64>) = (fill(1.0), fill(2.0), fill(0.0));
        report.say("memory bandwidth (STREAM)   threads      copy     triad");
        let mut best = Vec::new();
        for pool in pools.iter() {
            let threads = pool.current_num_threads();
            let share = length.div_ceil(threads);
            let mut least = [f64::INFINITY; 2];
            for _ in 0..if quick { 3 } else { 6 } {
                let begin = Instant::now();
                pool.install(|| {
                    let parts = c.par_chunks_mut(share).zip(a.par_chunks(share));
                    parts.for_each(|(c, a)| c.copy_from_slice(a));
                });
                let copied = begin.elapsed().as_secs_f64();
                let begin = Instant::now();
                pool.install(|| {
                    let parts = a.par_chunks_mut(share).zip(b.par_chunks(share)).zip(c.par_chunks(share));
                    parts.for_each(|((a, b), c)| {
                        a.iter_mut().zip(b.iter().zip(c)).for_each(|(a, (b, c))| *a = b + 3.0 * c);
                    });
                });
                let added = begin.elapsed().as_secs_f64();
                least = [least[0].min(copied), least[1].min(added)];
            }
            let [copy, triad] = [16.0 / least[0], 24.0 / least[1]].map(|rate| rate * length as f64 / 1e9);
            report.say(&format!("                           {threads:>8} {copy:>9.1} {triad:>9.1} GB/s"));
            best.push((threads, copy.max(triad)));
        }
        let (threads, rate) = *best.last().expect("a number of threads");
        let note = format!("the faster of copy and triad, {threads} threads");
        report.metric("cores.bandwidth", rate, "GB/s", Better::Higher, &note);
        Self { best }
    }

    /// Gigabytes per second on `threads` threads.
    pub fn rate(&self, threads: usize) -> f64 {
        self.best.iter().find(|(count, _)| *count == threads).map_or(f64::NAN, |(_, rate)| *rate)
    }

    /// The share of the bandwidth used to move `bytes` within the given time.
    pub fn share(&self, bytes: f64, ms: f64, threads: usize) -> f64 {
        bytes / (ms * 1e6) / self.rate(threads)
    }
}
