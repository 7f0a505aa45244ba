//! One world: many parts against parry and coal, growth, and what the world costs beside the structure that suits best.
//!
//! Everything runs on one thread. Every contestant plays the same frames, several times in turn, and each frame's best time counts. All must
//! give the same answers.

mod choice;
mod coal;
mod growth;
mod parry;
mod parts;
mod single;

use crate::folder::Folder;
use crate::metric::Report;
use fracas::world::{Ask, World, WorldOptions};
use fracas::{FindOptions, Threads};
use std::io;
use std::path::Path;
use std::time::Instant;

/// Runs the whole benchmark.
pub fn run(report: &mut Report, quick: bool, out: &Path) -> io::Result<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(io::Error::other)?;
    pool.install(|| {
        let mut folder = Folder::create(out, "world", "One world")?;
        parts::run(report, &mut folder, quick)?;
        growth::run(report, &mut folder, quick)?;
        single::run(report, &mut folder, quick)?;
        choice::run(report, &mut folder, quick)?;
        folder.finish(report)
    })
}

/// A world on one thread.
fn world(ask: Ask) -> World {
    World::new(WorldOptions { ask, find: one_thread() })
}

fn one_thread() -> FindOptions {
    FindOptions { threads: Threads::One, ..FindOptions::default() }
}

/// Does a frame, and returns what it found.
type Frames<'a, T> = Box<dyn FnMut(usize) -> T + 'a>;

/// A contestant: a name, and how to set up what then does one frame after the other.
struct Contestant<'a, T> {
    name: String,
    begin: Box<dyn Fn() -> Frames<'a, T> + 'a>,
}

impl<'a, T> Contestant<'a, T> {
    fn new<F: FnMut(usize) -> T + 'a>(name: impl Into<String>, begin: impl Fn() -> F + 'a) -> Self {
        Self { name: name.into(), begin: Box::new(move || Box::new(begin())) }
    }
}

/// What a contestant did.
struct Played<T> {
    name: String,
    /// Of each frame, the best of all rounds.
    seconds: Vec<f64>,
    found: Vec<T>,
}

impl<T> Played<T> {
    /// Milliseconds of an average frame.
    fn ms(&self) -> f64 {
        self.seconds.iter().sum::<f64>() * 1e3 / self.seconds.len() as f64
    }
}

/// Runs all contestants over the frames in turn, `rounds` times. Times are the best of all rounds; answers are those of the last.
fn play<T>(contestants: &[Contestant<'_, T>], frames: usize, rounds: usize) -> Vec<Played<T>> {
    let empty = |c: &Contestant<'_, T>| Played {
        name: c.name.clone(),
        seconds: vec![f64::INFINITY; frames],
        found: vec![],
    };
    let mut played: Vec<Played<T>> = contestants.iter().map(empty).collect();
    for _ in 0..rounds {
        for (contestant, played) in contestants.iter().zip(&mut played) {
            let mut step = (contestant.begin)();
            played.found.clear();
            for frame in 0..frames {
                let begin = Instant::now();
                let found = step(frame);
                played.seconds[frame] = played.seconds[frame].min(begin.elapsed().as_secs_f64());
                played.found.push(found);
            }
        }
    }
    played
}

/// Panics if two contestants have found different things.
fn require_equal<T: PartialEq>(played: &[Played<T>], scene: &str) {
    for other in &played[1..] {
        assert!(other.found == played[0].found, "{scene}: {} and {} differ", other.name, played[0].name);
    }
}
