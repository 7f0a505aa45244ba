//! Reads and writes triangle meshes: OBJ, OFF, STL, PLY and glTF in; OBJ, OFF, STL and PLY out. Reads tetrahedral meshes:
//! Gmsh, Medit and VTK ([`read_tets`]). Reads skins and animations from glTF ([`read_skinned`]).
//!
//! Whatever the format, a file becomes a [`Mesh`]: positions in `f64` and triangles in the order of the file. Nothing
//! is merged, dropped or repaired, so ids mean the same to every program that reads the file.
//!
//! - Polygons are cut into fans from their first corner: `v0 v1 v2 v3` gives `v0 v1 v2` and `v0 v2 v3`.
//! - Vertices keep their numbers, named by a face or not. Degenerate triangles are kept.
//! - NaN, infinity and vertices that are not there are refused, by line or byte.
//! - A file without triangles is legal.
//!
//! A large file takes the memory of its mesh and a window: readers stream into the final arrays, whose sizes are known beforehand or
//! estimated from the part already read. OBJ, PLY and STL files of a megabyte and more are read in blocks on all threads of the current
//! rayon pool, through a window of a megabyte or two for each; meshes and messages do not depend on their number. The window of all
//! others is 256 KiB. Counts in a header are limited by the length of the file,
//! so damaged counts reserve no memory.
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

#[cfg(feature = "parallel")]
mod blocks;
mod error;
mod format;
mod free;
mod gltf;
mod gmsh;
mod input;
mod medit;
mod obj;
mod off;
mod ply;
mod polygon;
mod save;
mod stl;
mod tets;
mod text;
mod vtk;

use std::io::{self, Write};
use std::path::Path;

use fracas::mesh::Mesh;

pub use error::{Place, ReadError, Reason, WriteError};
pub use format::Format;
pub use gltf::{Clip, SkinnedMesh, SkinnedScene};
pub use save::Staging;
pub use tets::{TetFormat, read_tets, read_tets_bytes};

use error::Fault;
use input::Input;

/// Reads a mesh. The extension of the name tells the format, in capitals or not; where it does not, the content does.
///
/// # Errors
/// A file that cannot be opened, is empty, of unknown format, or damaged. The error names file, place and reason.
///
/// # Cost
/// One pass over the file, on all threads for large OBJ, PLY and STL files; the memory of the mesh and a small constant for each
/// thread. A damaged file is read up to three times, to say what is wrong and where. Pipes, and buffers embedded in
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

/// Reads the meshes of a glTF document (`.gltf` or `.glb`) with the joints that move them, and its animations.
///
/// A mesh with a skin follows its joints, one without a skin its node. Each becomes a [`Skin`](fracas::mesh::Skin).
///
/// # Errors
/// As [`read`]; and weights that are NaN, negative or do not sum to one, joints that are not there, lists whose lengths do
/// not match, and morph targets. The error names the vertex, joint or channel.
///
/// # Cost
/// One pass over what is used of the buffers; the memory of skins and keys.
///
/// ```
/// let scene = fracas_io::read_skinned("tests/data/bar.gltf")?;
/// assert_eq!((scene.meshes().len(), scene.clips().len()), (1, 1));
/// # Ok::<(), fracas_io::ReadError>(())
/// ```
pub fn read_skinned(path: impl AsRef<Path>) -> Result<SkinnedScene, ReadError> {
    let path = path.as_ref();
    let folder = path.parent().unwrap_or(Path::new(""));
    let read = || gltf::read_skinned(Input::open(path)?, Some(folder));
    read().map_err(|fault: Fault| fault.in_file(&path.display().to_string()))
}

/// Reads a glTF document from memory, as [`read_skinned`] does from a file. `name` stands for the file in errors.
///
/// The document must have its buffers embedded.
///
/// # Errors
/// As [`read_skinned`].
///
/// ```
/// assert!(fracas_io::read_skinned_bytes(b"not a document", "upload").unwrap_err().to_string().contains("upload"));
/// ```
pub fn read_skinned_bytes(data: &[u8], name: &str) -> Result<SkinnedScene, ReadError> {
    let read = || gltf::read_skinned(Input::from_slice(data)?, None);
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

/// Writes a mesh to memory, as [`write()`] does to a file. `name` stands for the file in errors.
///
/// # Errors
/// As [`write()`].
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// Files of every kind, of several thousand bytes each, with rows of many lengths.
    fn samples() -> Vec<(Format, Vec<u8>)> {
        let (mut obj, mut off, mut stl) =
            (String::new(), String::from("COFF 300 200 0\n"), String::from("solid\n"));
        let header = "element vertex 300\nproperty double x\nproperty uchar a\nproperty float y\nproperty short z\n\
            element face 200\nproperty list ushort int vertex_indices\nproperty list uchar char b\nend_header\n";
        let mut text_ply = format!("ply\nformat ascii 1.0\n{header}");
        let mut binary_ply = format!("ply\nformat binary_big_endian 1.0\n{header}").into_bytes();
        let mut binary_stl = [vec![b' '; 80], 200_u32.to_le_bytes().to_vec()].concat();
        let mut interleaved = Vec::new();
        for v in 0..300_i16 {
            let (x, y) = (f64::from(v) / 7.0, f32::from(v) * 0.5);
            writeln!(obj, "v {x} {y} {v}{}", " \\\n1".repeat(v as usize % 3)).unwrap();
            write!(off, "{x} {y} {v} 1 {v}\r\n").unwrap();
            writeln!(text_ply, "{x} 7 {y} {v}").unwrap();
            binary_ply.extend(x.to_be_bytes());
            binary_ply.push(7);
            binary_ply.extend(y.to_be_bytes());
            binary_ply.extend(v.to_be_bytes());
            interleaved.extend([y, y, y].map(f32::to_le_bytes).concat());
            interleaved.extend([0xff; 8]);
        }
        for f in 0..200_u8 {
            let corners: Vec<u32> = (0..3 + u32::from(f) % 5).map(|corner| corner + u32::from(f)).collect();
            let words =
                |first: u32| corners.iter().map(|c| (c + first).to_string()).collect::<Vec<_>>().join(" ");
            writeln!(obj, "f {}", words(1)).unwrap();
            writeln!(off, "{} {}", corners.len(), words(0)).unwrap();
            writeln!(text_ply, "{} {} 2 -1 -2", corners.len(), words(0)).unwrap();
            binary_ply.extend((corners.len() as u16).to_be_bytes());
            binary_ply.extend(corners.iter().flat_map(|corner| corner.to_be_bytes()));
            binary_ply.extend([f % 4, 1, 2, 3].iter().take(1 + usize::from(f % 4)));
            let vertex = format!("vertex {f} 0.5 -1e{}\n", f % 30);
            write!(stl, "facet normal 0 0 0\nouter loop\n{}endloop\nendfacet\n", vertex.repeat(3)).unwrap();
            binary_stl.extend([f / 2; 50]);
        }
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":300,"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":{0},"byteStride":20}}],"buffers":[{{"byteLength":{0}}}]}}"#,
            interleaved.len()
        );
        let mut glb = b"glTF\x02\0\0\0....".to_vec();
        for (kind, chunk) in [(b"JSON", json.as_bytes()), (b"BIN\0", &interleaved)] {
            glb.extend((chunk.len() as u32).to_le_bytes());
            glb.extend(kind);
            glb.extend(chunk);
            glb.resize(glb.len().next_multiple_of(4), b' ');
        }
        vec![
            (Format::Obj, obj.into_bytes()),
            (Format::Off, off.into_bytes()),
            (Format::Stl, (stl + "endsolid\n").into_bytes()),
            (Format::Stl, binary_stl),
            (Format::Ply, text_ply.into_bytes()),
            (Format::Ply, binary_ply),
            (Format::Gltf, glb),
        ]
    }

    #[test]
    fn the_size_of_the_window_changes_nothing() {
        for (format, bytes) in samples() {
            let whole =
                read_bytes(&bytes, format, "whole").unwrap_or_else(|error| panic!("{format} {error}"));
            assert!(whole.vertex_count() >= 300 && whole.triangle_count() >= 100, "{format}");
            // Cut short, the error must be the same too.
            for bytes in [&bytes[..], &bytes[..bytes.len() - 1], &bytes[..bytes.len() * 2 / 3]] {
                let expected = read_input(Input::from_slice(bytes).unwrap(), format, None);
                for window in (1..40).chain(1024..1100) {
                    let read = read_input(Input::with_window(bytes, window).unwrap(), format, None);
                    assert_eq!(format!("{read:?}"), format!("{expected:?}"), "{format}, window of {window}");
                }
            }
        }
    }
}
