//! What went wrong with a file, where, in one sentence.
//!
//! The readers return a [`Fault`]: place and reason. The public functions add the name of the file and make it a
//! [`ReadError`], so readers do not need the name.

use std::fmt;
use std::io;

use fracas::geom::DVec3;
use fracas::mesh::tets::TetError;
use fracas::mesh::{MeshError, SkinError};

use crate::Format;

/// Why a file was not read. Shown, it is one sentence: file, place, reason.
///
/// ```
/// use fracas_io::{Format, Place, read_bytes};
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n";
/// let error = read_bytes(text, Format::Obj, "wing.obj").unwrap_err();
/// assert_eq!(error.to_string(), "wing.obj, line 4: the face names vertex 9, but only 3 are defined");
/// assert_eq!(error.place, Place::Line(4));
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{file}{place}: {reason}")]
pub struct ReadError {
    /// The file, as the caller named it.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// What is wrong there.
    pub reason: Reason,
}

/// A place in a file. Shown with a comma before it, ready to follow the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of a text file, counted from 1.
    Line(u64),
    /// A byte of a binary file, counted from 0.
    Byte(u64),
    /// An element of a glTF document, such as `mesh 2, primitive 0`.
    Part(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(line) => write!(f, ", line {line}"),
            Place::Byte(byte) => write!(f, ", byte {byte}"),
            Place::Part(part) => write!(f, ", {part}"),
        }
    }
}

/// What can be wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The operating system could not open or read it.
    #[error("{0}")]
    Io(io::Error),
    /// A folder was named where a file is expected.
    #[error("this is a folder, not a file")]
    Directory,
    /// A device, which may never end.
    #[error("this is a device, not a file or a pipe")]
    Device,
    /// A pipe, device or folder where only a plain file will do.
    #[error("this is not a plain file")]
    NotPlain,
    /// A file that a document names lies elsewhere.
    #[error("this leads out of the folder of the document, where only files inside it are read")]
    Outside,
    /// No byte in it.
    #[error("the file is empty")]
    Empty,
    /// Neither name nor content tell the format.
    #[error("neither the name nor the content tells the format (known: obj, off, stl, ply, gltf, glb)")]
    UnknownFormat,
    /// The file ends too early.
    #[error("the file ends after {read} of {announced} {what}")]
    CutShort {
        /// What was being read, in the plural.
        what: String,
        /// How many of them are complete.
        read: u64,
        /// How many the header announces.
        announced: u64,
    },
    /// The header announces more than the rest of the file can hold.
    #[error("{announced} {what} need at least {needed} bytes, but only {left} are left in the file")]
    NotEnoughBytes {
        /// What is announced, in the plural.
        what: String,
        /// How many of them.
        announced: u64,
        /// The bytes they take at least.
        needed: u128,
        /// The bytes there are.
        left: u64,
    },
    /// A word where a number should be.
    #[error("`{found}` is not a number")]
    NotANumber {
        /// The word.
        found: String,
    },
    /// A word or number where a whole number should be.
    #[error("`{found}` is not a whole number")]
    NotWhole {
        /// The word.
        found: String,
    },
    /// The line ends where a value should be.
    #[error("{what} is missing")]
    Missing {
        /// The value that should be there.
        what: &'static str,
    },
    /// A coordinate is NaN, infinite, or too large for `f64`.
    #[error("the {axis} coordinate is not finite: {value}")]
    NotFinite {
        /// `'x'`, `'y'` or `'z'`.
        axis: char,
        /// Its value.
        value: f64,
    },
    /// A face names a vertex that is not there.
    #[error("the face names vertex {vertex}, but only {vertices} are defined{}",
        if *counted_from == 0 { ", counted from 0" } else { "" })]
    NoSuchVertex {
        /// The vertex as the file names it.
        vertex: i64,
        /// How many vertices there are.
        vertices: u64,
        /// The number of the first vertex in this format.
        counted_from: u8,
    },
    /// A face with fewer than three corners, in a format where that is an error.
    #[error("a face needs at least 3 corners, but this one has {corners}")]
    TooFewCorners {
        /// How many it has.
        corners: u64,
    },
    /// A line so long that the file is hardly text.
    #[error("the line is longer than {limit} bytes")]
    LineTooLong {
        /// The longest line that is read.
        limit: usize,
    },
    /// A legal file that uses something this crate does not read.
    #[error("{0}")]
    Unsupported(String),
    /// The file breaks the rules of its format in some other way.
    #[error("{0}")]
    Malformed(String),
    /// The file is well formed, but does not make a mesh.
    #[error(transparent)]
    Mesh(MeshError),
    /// The file is well formed, but its weights do not make a skin.
    #[error(transparent)]
    Skin(SkinError),
    /// A vertex names a joint that its skin does not have.
    #[error("vertex {vertex} names joint {joint}, but the skin has {joints} joints")]
    NoSuchJoint {
        /// Index of the vertex in its mesh, over all primitives.
        vertex: usize,
        /// The joint it names, counted from 0.
        joint: u32,
        /// How many joints there are.
        joints: usize,
    },
    /// Another number of things than what they belong to needs.
    #[error("there are {given} {what}, where {expected} are needed")]
    WrongCount {
        /// What is counted, in the plural.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many are needed.
        expected: usize,
    },
    /// Neither name nor content tell the format of a tetrahedral mesh.
    #[error("neither the name nor the content tells the format (known: msh, mesh, vtk)")]
    UnknownTetFormat,
    /// A tetrahedron names a node that is not there.
    #[error("the tetrahedron names node {node}, which is not among the {nodes} nodes of the file")]
    NoSuchNode {
        /// The node as the file names it.
        node: i64,
        /// How many nodes there are.
        nodes: u64,
    },
    /// The file is well formed, but does not make a tetrahedral mesh.
    #[error(transparent)]
    Tets(TetError),
}

/// Place and reason; the name of the file is added outside.
#[derive(Debug)]
pub(crate) struct Fault {
    pub place: Place,
    pub reason: Reason,
}

impl Fault {
    pub fn new(place: Place, reason: Reason) -> Self {
        Self { place, reason }
    }

    pub fn whole(reason: Reason) -> Self {
        Self::new(Place::Whole, reason)
    }

    pub fn malformed(place: Place, reason: impl Into<String>) -> Self {
        Self::new(place, Reason::Malformed(reason.into()))
    }

    pub fn unsupported(place: Place, reason: impl Into<String>) -> Self {
        Self::new(place, Reason::Unsupported(reason.into()))
    }

    /// About the first coordinate of the position that is not finite.
    #[cold]
    pub fn not_finite(position: DVec3, place: Place) -> Self {
        let mut axes = ['x', 'y', 'z'].into_iter().zip(position.to_array());
        let (axis, value) = axes.find(|(_, value)| !value.is_finite()).unwrap_or(('x', position.x));
        Self::new(place, Reason::NotFinite { axis, value })
    }

    pub fn in_file(self, file: &str) -> ReadError {
        ReadError { file: file.to_owned(), place: self.place, reason: self.reason }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::whole(Reason::Io(error))
    }
}

/// Why a mesh was not written. The file that was there before, if any, is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system could not create or write the file.
    #[error("{file}: {source}")]
    Io {
        /// The file, as the caller named it.
        file: String,
        /// What the system said.
        source: io::Error,
    },
    /// Two outputs of one command would be the same file.
    #[error("{file}: two outputs cannot be written to one file")]
    Twice {
        /// The file, as the caller named it the second time.
        file: String,
    },
    /// The name does not tell a format.
    #[error("{file}: the name does not tell the format to write (known: obj, off, stl, ply)")]
    UnknownFormat {
        /// The file, as the caller named it.
        file: String,
    },
    /// A format that is only read.
    #[error("{file}: {format} is only read, not written (written are obj, off, stl, ply)")]
    ReadOnlyFormat {
        /// The file, as the caller named it.
        file: String,
        /// Its format.
        format: Format,
    },
    /// STL stores `f32`, and this coordinate is beyond its range.
    #[error("{file}: triangle {triangle} has the coordinate {value:e}, too large for the 32 bits of STL")]
    TooLargeForStl {
        /// The file, as the caller named it.
        file: String,
        /// The first such triangle.
        triangle: usize,
        /// The coordinate.
        value: f64,
    },
    /// The number of marks is not the number of triangles.
    #[error("{file}: {marks} marks for the {triangles} triangles of mesh {mesh}")]
    WrongMarkCount {
        /// The file, as the caller named it.
        file: String,
        /// The position of the mesh among those given.
        mesh: usize,
        /// Its triangles.
        triangles: usize,
        /// The marks given for it.
        marks: usize,
    },
    /// All meshes together have more vertices or triangles than ids can name.
    #[error("{file}: {count} {what} are more than the {} that one file can name", u32::MAX)]
    TooMany {
        /// The file, as the caller named it.
        file: String,
        /// `"vertices"` or `"triangles"`.
        what: &'static str,
        /// How many.
        count: usize,
    },
}
