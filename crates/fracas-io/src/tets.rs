//! Tetrahedral meshes: Gmsh, Medit and legacy VTK files.
//!
//! Whatever the format, a file becomes a [`TetMesh`]: nodes and tetrahedra in the order of the file.
//!
//! - Only tetrahedra are taken. Triangles, edges and points of the file are skipped, and so are labels and data.
//! - Tetrahedra with nodes on their edges, of second order, count with their four corners. The other nodes stay in the mesh,
//!   named by nothing.
//! - Formats do not agree on the order of corners, so a tetrahedron that is inside out has its last two exchanged.
//! - A tetrahedron without volume is refused, and so are NaN, infinity and nodes that are not there.

use std::fmt;
use std::path::Path;

use fracas::geom::DVec3;
use fracas::mesh::tets::TetMesh;

use crate::error::{Fault, ReadError, Reason};
use crate::input::Input;
use crate::{gmsh, medit, vtk};

/// A file format of tetrahedral meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TetFormat {
    /// Gmsh, version 2 or 4.1, text or binary (`.msh`).
    Gmsh,
    /// Medit, text (`.mesh`).
    Medit,
    /// VTK's legacy format, text or binary (`.vtk`).
    Vtk,
}

impl TetFormat {
    /// The format that the extension of a file name tells, in capitals or not.
    ///
    /// ```
    /// use fracas_io::TetFormat;
    /// assert_eq!(TetFormat::from_path("parts/Rotor.MSH".as_ref()), Some(TetFormat::Gmsh));
    /// assert_eq!(TetFormat::from_path("rotor.obj".as_ref()), None);
    /// ```
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "msh" => Some(Self::Gmsh),
            "mesh" => Some(Self::Medit),
            "vtk" => Some(Self::Vtk),
            _ => None,
        }
    }

    /// The format that the beginning of a file tells, if it is clear. Consumes nothing.
    fn from_content(input: &mut Input<'_>) -> Result<Option<Self>, Fault> {
        let head = input.fill(256)?;
        let begins = |words: &[u8]| {
            let head = head.trim_ascii_start();
            head.len() >= words.len() && head[..words.len()].eq_ignore_ascii_case(words)
        };
        Ok(if begins(b"$MeshFormat") {
            Some(Self::Gmsh)
        } else if begins(b"MeshVersion") {
            Some(Self::Medit)
        } else if begins(b"# vtk DataFile") {
            Some(Self::Vtk)
        } else {
            None
        })
    }
}

impl fmt::Display for TetFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gmsh => "Gmsh",
            Self::Medit => "Medit",
            Self::Vtk => "VTK",
        })
    }
}

/// Reads a tetrahedral mesh. The extension of the name tells the format; where it does not, the content does.
///
/// # Errors
/// A file that cannot be opened, is empty, of unknown format, or damaged; tetrahedra without volume. The error names file,
/// place and reason.
///
/// ```no_run
/// let rotor = fracas_io::read_tets("rotor.msh")?;
/// println!("{} tetrahedra", rotor.tet_count());
/// # Ok::<(), fracas_io::ReadError>(())
/// ```
pub fn read_tets(path: impl AsRef<Path>) -> Result<TetMesh, ReadError> {
    let path = path.as_ref();
    let read = || {
        let mut input = Input::open(path)?;
        let format = match TetFormat::from_path(path) {
            Some(format) => Some(format),
            None => TetFormat::from_content(&mut input)?,
        };
        read_input(input, format.ok_or_else(|| Fault::whole(Reason::UnknownTetFormat))?)
    };
    read().map_err(|fault: Fault| fault.in_file(&path.display().to_string()))
}

/// Reads a tetrahedral mesh from memory. `name` stands for the file in errors.
///
/// # Errors
/// As [`read_tets`].
///
/// ```
/// use fracas_io::{TetFormat, read_tets_bytes};
/// let text = b"MeshVersionFormatted 1 Dimension 3
/// Vertices 4   0 0 0 0   1 0 0 0   0 1 0 0   0 0 1 0
/// Tetrahedra 1   1 2 3 4 0
/// End";
/// let mesh = read_tets_bytes(text, TetFormat::Medit, "corner.mesh")?;
/// assert_eq!(mesh.tets(), [[0, 1, 2, 3]]);
/// # Ok::<(), fracas_io::ReadError>(())
/// ```
pub fn read_tets_bytes(data: &[u8], format: TetFormat, name: &str) -> Result<TetMesh, ReadError> {
    let read = || read_input(Input::from_slice(data)?, format);
    read().map_err(|fault: Fault| fault.in_file(name))
}

fn read_input(input: Input<'_>, format: TetFormat) -> Result<TetMesh, Fault> {
    let (positions, tets) = match format {
        TetFormat::Gmsh => gmsh::read(input),
        TetFormat::Medit => medit::read(input),
        TetFormat::Vtk => vtk::read(input),
    }?;
    let (mesh, _) = TetMesh::oriented(positions, tets).map_err(|error| Fault::whole(Reason::Tets(error)))?;
    Ok(mesh)
}

/// What a reader of tetrahedra returns.
pub(crate) type Parts = (Vec<DVec3>, Vec<[u32; 4]>);
