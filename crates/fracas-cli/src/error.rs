//! All error messages of the command, each one sentence that names what is wrong and where.

use std::io;

use fracas_io::{ReadError, WriteError};
use fracas_scenes::SceneError;

/// Why a run ended with status 2.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Words on the command line that make no sense.
    #[error("{0} (see `fracas --help`)")]
    Usage(String),
    /// A name after `shape:` that is none of ours.
    #[error("{given}: there is no shape `{name}` (there are {known})")]
    UnknownShape {
        /// The word on the command line.
        given: String,
        /// The unknown name in it.
        name: String,
        /// All names.
        known: String,
    },
    /// What follows the name of a shape is not a number.
    #[error("{given}: `{count}` is not a number of triangles")]
    NotACount {
        /// The word on the command line.
        given: String,
        /// The part of it that should be a number.
        count: String,
    },
    /// A shape cannot be made of so few or so many triangles.
    #[error("{given}: a {name} has {least} to {most} triangles, not {count}")]
    CountOutOfRange {
        /// The word on the command line.
        given: String,
        /// The name of the shape.
        name: &'static str,
        /// The number given.
        count: usize,
        /// The least possible.
        least: usize,
        /// The most possible.
        most: usize,
    },
    /// More pairs than a report can list: duplicate faces, as a rule.
    #[error(
        "there are {count} pairs or more, and at most {most} are listed: remove duplicate faces, or ask for --touch proper"
    )]
    TooManyPairs {
        /// How many were found when the search stopped.
        count: usize,
        /// How many are listed.
        most: usize,
    },
    /// Two files that should be one mesh at two times.
    #[error(
        "{second}: not the mesh of {first} at another time: vertices or triangles differ in number or order"
    )]
    NotOneMesh {
        /// The mesh at the start.
        first: String,
        /// The mesh at the end.
        second: String,
    },
    /// An inside was asked for, and the mesh has none.
    #[error(
        "{mesh}: the surface is open, so nothing is inside: {edges} edges have an odd number of triangles (--winding decides by winding numbers)"
    )]
    OpenSurface {
        /// The word on the command line.
        mesh: String,
        /// How many edges have an odd number of triangles.
        edges: usize,
    },
    /// Contacts were asked for, and there can be none.
    #[error("{mesh}: {error}")]
    NoContacts {
        /// The word on the command line.
        mesh: String,
        /// Why.
        error: fracas::ContactError,
    },
    /// A mesh that has to have triangles.
    #[error("{mesh}: the mesh has no triangles, so nothing is inside")]
    NoTriangles {
        /// The word on the command line.
        mesh: String,
    },
    /// The graphics card cannot be used.
    #[cfg(feature = "gpu")]
    #[error("the engine gpu cannot be used: {0} (the engines tree and soup find the same)")]
    Gpu(fracas_gpu::GpuError),
    /// An engine that this program was built without.
    #[error("the engine {name} is not part of this program (available are auto, tree, soup and brute)")]
    NoSuchEngine {
        /// Its name.
        name: &'static str,
    },
    /// The marked mesh is a PLY file, and the name says something else.
    #[error("{file}: the marked mesh is written as PLY, so the name must end in .ply")]
    OutIsNotPly {
        /// The name given with `--out`.
        file: String,
    },
    /// A file would be replaced that is being read.
    #[error("{file}: this file is being read, so {option} needs another name")]
    OutIsInput {
        /// The name given with the option.
        file: String,
        /// The option.
        option: &'static str,
    },
    /// The page is HTML, and the name says something else.
    #[error("{file}: the page is written as HTML, so the name must end in .html")]
    OutIsNotHtml {
        /// The name given with `--html`.
        file: String,
    },
    /// A folder that is to be viewed is not that of a run.
    #[error(
        "{folder}: there is no report.html in this folder (`fracas run` leaves one in the folder of the scene)"
    )]
    NoReport {
        /// The folder.
        folder: String,
    },
    /// A page that is to be viewed was written by something else.
    #[error("{file}: this page has no data of fracas inside")]
    NotOurPage {
        /// The page.
        file: String,
    },
    /// A page cannot be copied without the frames that lie beside it.
    #[error("{file}: its frames lie beside this page, so it cannot be copied alone: copy the whole folder")]
    FramesBeside {
        /// The page.
        file: String,
    },
    /// Neither a scene that can be played with nor a mesh.
    #[error("{word}: this is neither a scene to be played with ({scenes}) nor the file of a mesh")]
    NotPlayable {
        /// The word given.
        word: String,
        /// All scenes.
        scenes: String,
    },
    /// No browser could be started.
    #[error("{file}: the page could not be opened ({source}); open it in a browser yourself")]
    Browser {
        /// The page.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// The folder of the marked mesh is not there.
    #[error("{file}: there is no folder {folder}")]
    NoFolder {
        /// The name given with `--out`.
        file: String,
        /// The folder in it.
        folder: String,
    },
    /// A mesh could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A line of a text file makes no sense: of queries, of their labels, of points.
    #[error("{file}, line {line}: {what}")]
    Line {
        /// Its path.
        file: String,
        /// The line, from one.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A device where a file is expected.
    #[error("{file}: this is a device, not a file or a pipe")]
    Device {
        /// Its path.
        file: String,
    },
    /// A folder could not be looked into.
    #[error("{folder}: {error}")]
    Folder {
        /// Its name.
        folder: String,
        /// What the system said.
        error: io::Error,
    },
    /// The system did not give us the threads.
    #[error("{count} threads could not be started: {reason}")]
    Threads {
        /// How many were asked for.
        count: u16,
        /// What the system said.
        reason: String,
    },
    /// A scene could not be run.
    #[error("{what}: {error}")]
    Scene {
        /// The mesh that was given for it, or the name of the scene.
        what: String,
        /// Why.
        error: SceneError,
    },
    /// A file or folder of a run could not be written.
    #[error("{file}: {source}")]
    File {
        /// Its path.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// Standard output could not be written to.
    #[error("standard output: {0}")]
    Output(io::Error),
}

/// The text without line breaks and other control characters, which names of files and broken files may contain.
///
/// ```
/// assert_eq!(fracas_cli::error::one_line("two\nlines.obj: café"), "two\\nlines.obj: café");
/// ```
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}
