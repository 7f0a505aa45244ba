//! A progress bar for people who wait: on standard error, on a terminal, and only when it takes long.
//!
//! The work says which phase it is in and ticks off items. A thread of its own looks at these numbers ten times a
//! second and draws them, from the moment the work has taken longer than a glance. So the work never waits for the
//! terminal, and a phase of a single long item still shows that something happens.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that ends sooner is not worth a bar.
const PATIENCE: Duration = Duration::from_millis(700);
const REDRAW: Duration = Duration::from_millis(100);

/// Shows how far a piece of work has come, until it is dropped.
pub struct Progress {
    phase: Arc<Mutex<Phase>>,
    artist: Option<Artist>,
}

#[derive(Clone, Copy, Default)]
struct Phase {
    name: &'static str,
    done: usize,
    all: usize,
}

struct Artist {
    /// Dropped to tell the thread that the work is over.
    over: Sender<()>,
    thread: JoinHandle<()>,
}

impl Progress {
    /// Begins to watch. Draws on standard error if that is a terminal, and else never.
    #[must_use]
    pub fn start() -> Self {
        if io::stderr().is_terminal() {
            Self::drawing_on(ProgressDrawTarget::stderr(), PATIENCE)
        } else {
            Self::silent()
        }
    }

    /// Never draws.
    #[must_use]
    pub fn silent() -> Self {
        Self { phase: Arc::default(), artist: None }
    }

    fn drawing_on(target: ProgressDrawTarget, patience: Duration) -> Self {
        let mut progress = Self::silent();
        let phase = Arc::clone(&progress.phase);
        let (over, is_over) = channel::<()>();
        let draw = move || {
            let mut wait = patience;
            let mut canvas = None;
            let mut target = Some(target);
            let mut shown = "";
            while is_over.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = REDRAW;
                let bar = canvas.get_or_insert_with(|| {
                    let target = target.take().unwrap_or_else(ProgressDrawTarget::hidden);
                    ProgressBar::with_draw_target(None, target).with_elapsed(patience)
                });
                let now = *locked(&phase);
                // What the last phase took says nothing about this one.
                if shown != now.name {
                    shown = now.name;
                    bar.reset_eta();
                }
                bar.set_style(style(now.all));
                bar.set_length(now.all as u64);
                bar.set_position(now.done as u64);
                bar.set_message(now.name);
                bar.tick();
            }
            if let Some(bar) = canvas {
                bar.finish_and_clear();
            }
        };
        // Without a thread for it there is no bar, which harms nobody.
        progress.artist = std::thread::Builder::new().spawn(draw).ok().map(|thread| Artist { over, thread });
        progress
    }

    /// Begins a phase of this many items.
    pub fn begin(&self, name: &'static str, all: usize) {
        *locked(&self.phase) = Phase { name, done: 0, all };
    }

    /// One more item is done.
    pub fn advance(&self) {
        locked(&self.phase).done += 1;
    }
}

impl Drop for Progress {
    /// Wipes the bar off the terminal.
    fn drop(&mut self) {
        if let Some(Artist { over, thread }) = self.artist.take() {
            drop(over);
            // A thread that panicked has drawn its last; the answer is not its business.
            let _ = thread.join();
        }
    }
}

/// The phase is plain data, so a panic elsewhere cannot have left it broken.
fn locked(phase: &Mutex<Phase>) -> MutexGuard<'_, Phase> {
    phase.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A single item has no half way, so it is shown without a bar.
fn style(items: usize) -> ProgressStyle {
    let template = match items {
        0 | 1 => "{spinner} {msg}  {elapsed}",
        _ => "{spinner} {msg:<9} [{bar:30}] {pos}/{len}  {elapsed}, {eta} left",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;

    /// A terminal that keeps what is written to it.
    #[derive(Clone, Debug, Default)]
    struct Paper(Arc<Mutex<String>>);

    impl Paper {
        fn text(&self) -> String {
            self.0.lock().unwrap().clone()
        }
    }

    impl TermLike for Paper {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, line: &str) -> io::Result<()> {
            self.write_str(line)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            self.write_str("<wiped>")
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn long_work_is_drawn_and_wiped() {
        let paper = Paper::default();
        let target = ProgressDrawTarget::term_like(Box::new(paper.clone()));
        let progress = Progress::drawing_on(target, Duration::ZERO);
        progress.begin("loading", 5);
        progress.advance();
        progress.advance();
        while !paper.text().contains("2/5") {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(progress);
        let text = paper.text();
        assert!(text.contains("loading"), "{text}");
        assert!(text.trim_end().ends_with("<wiped>"), "{text}");
    }

    #[test]
    fn short_work_draws_nothing() {
        let paper = Paper::default();
        let target = ProgressDrawTarget::term_like(Box::new(paper.clone()));
        let progress = Progress::drawing_on(target, Duration::from_secs(3600));
        progress.begin("loading", 1);
        progress.advance();
        drop(progress);
        assert_eq!(paper.text(), "");
    }
}
