//! Reads and writes triangle meshes: OBJ, OFF, STL, PLY and glTF in; OBJ, OFF, STL and PLY out.
//!
//! Whatever the format, a file becomes a [`Mesh`]: positions in `f64` and triangles in the order of the file. Nothing
//! is merged, dropped or repaired, so ids mean the same to every program that reads the file.
//!
//! - Polygons are cut into fans from their first corner: `v0 v1 v2 v3` gives `v0 v1 v2` and `v0 v2 v3`.
//! - Vertices keep their numbers, named by a face or not. Degenerate triangles are kept.
//! - NaN, infinity and vertices that are not there are refused, by line or byte.
//! - A file without triangles is legal.
//!
//! A large file takes the memory of its mesh and a window of 256 KiB: readers stream into the final arrays, whose
//! sizes are known beforehand or judged from the part already read. A header is believed only as far as the file is
//! long, so damaged counts reserve nothing.
//!
//! ```
//! use fracas_io::{Format, read_bytes, write_bytes};
//! let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
//! let mesh = read_bytes(square, Format::Obj, "square.obj")?;
//! assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
//!
//! let ply = write_bytes(&mesh, Format::Ply, "square.ply")?;
//! assert_eq!(read_bytes(&ply, Format::Ply, "square.ply")?, mesh);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod error;
mod format;
mod gltf;
mod input;
mod obj;
mod off;
mod ply;
mod polygon;
mod save;
mod stl;
mod text;

use std::io::{self, Write};
use std::path::Path;

use fracas::mesh::Mesh;

pub use error::{Place, ReadError, Reason, WriteError};
pub use format::Format;

use error::Fault;
use input::Input;

/// Reads a mesh. The extension of the name tells the format, in capitals or not; where it does not, the content does.
///
/// # Errors
/// A file that cannot be opened, is empty, of unknown format, or damaged. The error names file, place and reason.
///
/// # Cost
/// One pass over the file, two for OBJ; the memory of the mesh and a small constant. Pipes, and buffers embedded in
/// `.gltf` as text, are held in memory as well.
///
/// ```no_run
/// let bunny = fracas_io::read("bunny.obj")?;
/// println!("{} triangles", bunny.triangle_count());
/// # Ok::<(), fracas_io::ReadError>(())
/// ```
pub fn read(path: impl AsRef<Path>) -> Result<Mesh, ReadError> {
    let path = path.as_ref();
    let read = || {
        let mut input = Input::open(path)?;
        let format = match Format::from_path(path) {
            Some(format) => format,
            None => Format::from_content(&mut input)?.ok_or_else(|| Fault::whole(Reason::UnknownFormat))?,
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        read_input(input, format, Some(folder))
    };
    read().map_err(|fault: Fault| fault.in_file(&path.display().to_string()))
}

/// Reads a mesh from memory. `name` stands for the file in errors.
///
/// A glTF document must have its buffers embedded.
///
/// # Errors
/// As [`read`].
///
/// ```
/// use fracas_io::{Format, read_bytes};
/// let error = read_bytes(b"OFF\n3 1 0\n0.0 0.0 0.0\n1.0 0.0 0.0\n", Format::Off, "part.off").unwrap_err();
/// assert_eq!(error.to_string(), "part.off, line 4: the file ends after 2 of 3 vertices");
/// ```
pub fn read_bytes(data: &[u8], format: Format, name: &str) -> Result<Mesh, ReadError> {
    let read = || read_input(Input::from_slice(data)?, format, None);
    read().map_err(|fault: Fault| fault.in_file(name))
}

fn read_input(input: Input<'_>, format: Format, folder: Option<&Path>) -> Result<Mesh, Fault> {
    match format {
        Format::Obj => obj::read(input),
        Format::Off => off::read(input),
        Format::Stl => stl::read(input),
        Format::Ply => ply::read(input),
        Format::Gltf => gltf::read(input, folder),
    }
}

/// Writes a mesh in the format that the extension of the name tells.
///
/// What is read back is equal, bit for bit, except from STL: that stores three vertices per triangle, in `f32`. OBJ
/// and OFF are written as text, PLY and STL as binary, little endian.
///
/// # Errors
/// An unknown format, one that is only read, a coordinate beyond the range of STL, or a failure of the system. A file
/// that was there before is then unchanged.
///
/// ```no_run
/// let mesh = fracas_io::read("bunny.obj")?;
/// fracas_io::write("bunny.ply", &mesh)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(path: impl AsRef<Path>, mesh: &Mesh) -> Result<(), WriteError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    match Format::from_path(path) {
        None => Err(WriteError::UnknownFormat { file }),
        Some(format @ Format::Gltf) => Err(WriteError::ReadOnlyFormat { file, format }),
        Some(format) => save::save(path, |out| write_to(out, mesh, format, &file)),
    }
}

/// Writes a mesh to memory, as [`write`] does to a file. `name` stands for the file in errors.
///
/// # Errors
/// As [`write`].
///
/// ```
/// use fracas_io::{Format, read_bytes, write_bytes};
/// let mesh = read_bytes(b"v 0.1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", Format::Obj, "wing.obj")?;
/// let off = write_bytes(&mesh, Format::Off, "wing.off")?;
/// assert_eq!(off, b"OFF\n3 1 0\n0.1 0.0 0.0\n1.0 0.0 0.0\n0.0 1.0 0.0\n3 0 1 2\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_bytes(mesh: &Mesh, format: Format, name: &str) -> Result<Vec<u8>, WriteError> {
    let mut bytes = Vec::new();
    write_to(&mut bytes, mesh, format, name)?;
    Ok(bytes)
}

fn write_to(out: &mut dyn Write, mesh: &Mesh, format: Format, file: &str) -> Result<(), WriteError> {
    let io = |source: io::Error| WriteError::Io { file: file.to_owned(), source };
    match format {
        Format::Obj => obj::write(out, mesh).map_err(io),
        Format::Off => off::write(out, mesh).map_err(io),
        Format::Ply => ply::write(out, mesh).map_err(io),
        Format::Stl => stl::write(out, mesh, file),
        Format::Gltf => Err(WriteError::ReadOnlyFormat { file: file.to_owned(), format }),
    }
}

/// Writes meshes into one PLY file, with marked triangles red and all others light grey.
///
/// Each mesh comes with one mark per triangle. The meshes follow one another, so a triangle of the second has the
/// count of the first added to its id. Colours are properties `red`, `green`, `blue` of the faces. The name of the file
/// may have any extension.
///
/// # Errors
/// A wrong number of marks, more vertices or triangles than one file can name, or a failure of the system. A file that
/// was there before is then unchanged.
///
/// ```no_run
/// let bunny = fracas_io::read("bunny.obj")?;
/// let mut marks = vec![false; bunny.triangle_count()];
/// marks[17] = true;
/// fracas_io::write_ply_coloured("marked.ply", &[(&bunny, &marks)])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_ply_coloured(path: impl AsRef<Path>, meshes: &[(&Mesh, &[bool])]) -> Result<(), WriteError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    save::save(path, |out| ply::write_coloured(out, meshes, &file))
}
