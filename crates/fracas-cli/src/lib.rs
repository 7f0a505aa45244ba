//! The `fracas` command as a library: words in, answer and exit status out.
//!
//! ```text
//!   words ──► args ──► check ──► input   files and built-in shapes become meshes
//!                        │   ├─► find    meshes become pairs of triangles
//!                        │   └─► output  json · text · table
//!                        │
//!                        ├ info ─► input, output
//!                        ├ analyze ─► input, output
//!                        ├ ccd ──► output; reads files of queries itself
//!                        ├ questions: distance, near, contacts, inside ─► input, output
//!                        ├ scene ► input, and the scenes of `fracas-scenes`; leaves a folder of files
//!                        ├ view ─► input; opens a page in the browser
//!                        └ play ─► input; opens a page in which the library runs
//! ```
//!
//! A command does all its work, writes all its files under temporary names, renames them together, and then prints. So a failure leaves
//! nothing on standard output and every file as it was. `place` checks file names before the work begins. `page` makes the page that shows
//! a run, a mesh or the result of a check. `error` holds every error message; `progress` draws a progress bar on standard error if that is
//! a terminal.
#![forbid(unsafe_code)]

pub mod analyze;
pub mod args;
pub mod ccd;
pub mod check;
pub mod error;
pub mod find;
#[cfg(doctest)]
mod guide;
pub mod info;
pub mod input;
pub mod output;
pub mod page;
pub mod place;
pub mod play;
pub mod progress;
pub mod questions;
pub mod scene;
pub mod threads;
pub mod view;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use args::{Arguments, Command, Refusal};
use error::{Failure, one_line};

/// How a run ended; the exit status of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 0: nothing was found, or all is well.
    Clear = 0,
    /// 1: `check` found collisions.
    Found = 1,
    /// 2: bad usage or bad input.
    Bad = 2,
    /// 130: `run` was interrupted (Ctrl-C, SIGTERM, SIGHUP) and has written what it had.
    Interrupted = 130,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// Runs the command that the words name; the first of them is the name of the program.
///
/// The answer goes to `out`, and a failure goes to `complaints` as one sentence. That nobody reads `out` any more
/// (`fracas check … | head`) is no failure.
///
/// ```
/// use fracas_cli::Status;
/// let (mut out, mut complaints) = (Vec::new(), Vec::new());
/// let status = fracas_cli::run(["fracas", "check", "shape:noisy-sphere:500"], &mut out, &mut complaints);
/// assert_eq!(status, Status::Clear);
/// assert!(String::from_utf8(out).unwrap().contains("No triangles intersect."));
///
/// let status = fracas_cli::run(["fracas", "check", "shape:ghost"], &mut Vec::new(), &mut complaints);
/// assert_eq!(status, Status::Bad);
/// assert!(complaints.starts_with(b"fracas: shape:ghost: "));
/// ```
pub fn run(
    words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    out: &mut dyn Write,
    complaints: &mut dyn Write,
) -> Status {
    let outcome = match Arguments::read(words) {
        Ok(arguments) => match &arguments.command {
            Command::Check(check) => check::run(check, arguments.threads, out),
            Command::Ccd(ccd) => ccd::run(ccd, arguments.threads, out),
            Command::Distance(distance) => questions::distance::run(distance, arguments.threads, out),
            Command::Near(near) => questions::near::run(near, arguments.threads, out),
            Command::Contacts(contacts) => questions::contacts::run(contacts, arguments.threads, out),
            Command::Inside(inside) => questions::inside::run(inside, arguments.threads, out),
            Command::Analyze(analyze) => analyze::run(analyze, arguments.threads, out, complaints),
            Command::Info(info) => info::run(info, arguments.threads, out, complaints),
            Command::Scenes(scenes) => scene::list(scenes, out),
            Command::Run(run) => scene::run(run, arguments.threads, out),
            Command::View(view) => view::run(view, out),
            Command::Play(play) => play::run(play, out),
        },
        Err(Refusal::Shown(text)) => output::send(out, |out| write!(out, "{text}")).map(|()| Status::Clear),
        Err(Refusal::Bad(failure)) => Err(*failure),
    };
    outcome.unwrap_or_else(|failure| {
        complain(complaints, &failure);
        Status::Bad
    })
}

/// Prints one sentence about a failure. Where even that cannot be written, the exit status has to do.
fn complain(complaints: &mut dyn Write, failure: &Failure) {
    let _ = writeln!(complaints, "fracas: {}", one_line(&failure.to_string()));
}
