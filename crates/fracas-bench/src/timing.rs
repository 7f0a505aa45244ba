//! Timing on a noisy machine: candidates take turns, and the best round of each counts.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One thing to be timed: a name and a closure that does it once.
pub struct Candidate<'a> {
    pub name: String,
    run: Box<dyn FnMut() -> usize + 'a>,
}

impl<'a> Candidate<'a> {
    /// The closure returns a number that depends on the whole result, so that nothing can be optimised away.
    pub fn new(name: impl Into<String>, run: impl FnMut() -> usize + 'a) -> Self {
        Self { name: name.into(), run: Box::new(run) }
    }
}

/// The best time of a candidate and what its closure returned.
pub struct Timed {
    pub name: String,
    pub best: Duration,
    pub result: usize,
}

impl Timed {
    pub fn ms(&self) -> f64 {
        self.best.as_secs_f64() * 1e3
    }
}

/// Runs all candidates in turn, at least three rounds and until `budget` is used up, and keeps each one's best.
pub fn race(candidates: &mut [Candidate], budget: Duration) -> Vec<Timed> {
    let mut timed: Vec<Timed> =
        candidates.iter().map(|c| Timed { name: c.name.clone(), best: Duration::MAX, result: 0 }).collect();
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 3 || start.elapsed() < budget {
        for (candidate, timed) in candidates.iter_mut().zip(&mut timed) {
            let begin = Instant::now();
            let result = black_box((candidate.run)());
            timed.best = timed.best.min(begin.elapsed());
            timed.result = result;
        }
        rounds += 1;
    }
    timed
}
