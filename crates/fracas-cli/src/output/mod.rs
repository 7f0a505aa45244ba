//! How answers are printed: as JSON for programs, as text for people.

pub mod boxplot;
pub mod contacts;
pub mod crowding;
pub mod distance;
pub mod inside;
pub mod json;
pub mod near;
mod table;
pub mod text;

pub use table::{Align, Table, grouped};
pub(crate) use text::{rounded, written};

use std::io::{self, BufWriter, Write};
use std::time::Duration;

use fracas::Touch;

use crate::error::Failure;
use crate::find::Answer;
use crate::input::Input;

/// What `check` says besides the pairs.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The meshes, in the order of the command line.
    pub meshes: Vec<MeshLine>,
    /// What counted as a pair.
    pub touch: Touch,
    /// The engine that did it.
    pub engine: &'static str,
    /// The threads it had.
    pub threads: usize,
    /// Time to read or make the meshes.
    pub load: Duration,
    /// Time to build trees.
    pub build: Duration,
    /// Time to find the pairs.
    pub find: Duration,
}

/// A mesh in the list of meshes.
#[derive(Clone, Debug, serde::Serialize)]
pub struct MeshLine {
    /// As the user named it.
    pub path: String,
    /// Vertices, used or not.
    pub vertices: usize,
    /// Triangles.
    pub triangles: usize,
}

impl Summary {
    /// Puts together what the parts of a run know. To be called on the threads that did the work.
    #[must_use]
    pub fn new(inputs: &[Input], touch: Touch, load: Duration, answer: &Answer) -> Self {
        let line = |(input, mesh): (&Input, &fracas::Mesh)| MeshLine {
            path: input.name().to_owned(),
            vertices: mesh.vertex_count(),
            triangles: mesh.triangle_count(),
        };
        Self {
            meshes: inputs.iter().zip(&answer.meshes).map(line).collect(),
            touch,
            engine: answer.engine,
            threads: rayon::current_num_threads(),
            load,
            build: answer.build,
            find: answer.find,
        }
    }
}

/// Prints, unless nobody reads it any more.
///
/// # Errors
/// Standard output cannot be written to for any other reason.
pub fn send(
    out: &mut dyn Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut buffer = BufWriter::with_capacity(64 * 1024, out);
    match content(&mut buffer).and_then(|()| buffer.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// A time in milliseconds, to the microsecond.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
