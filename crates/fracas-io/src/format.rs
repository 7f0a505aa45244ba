//! Which format a file is in, by its name or its content.

use std::fmt;
use std::path::Path;

use crate::error::Fault;
use crate::input::Input;
use crate::text::is_blank;
use crate::{obj, stl};

/// A file format of meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// Object File Format, text.
    Off,
    /// STL, text or binary.
    Stl,
    /// Polygon File Format, text or binary.
    Ply,
    /// glTF 2.0, as `.gltf` or `.glb`. Read only.
    Gltf,
}

impl Format {
    /// The format that the extension of a file name tells, in capitals or not.
    ///
    /// ```
    /// use fracas_io::Format;
    /// assert_eq!(Format::from_path("scans/Bunny.PLY".as_ref()), Some(Format::Ply));
    /// assert_eq!(Format::from_path("notes.txt".as_ref()), None);
    /// ```
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "obj" => Some(Self::Obj),
            "off" => Some(Self::Off),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "gltf" | "glb" => Some(Self::Gltf),
            _ => None,
        }
    }

    /// The format that the beginning of a file tells, if it is clear. Consumes nothing.
    pub(crate) fn from_content(input: &mut Input<'_>) -> Result<Option<Self>, Fault> {
        let size = input.size();
        let head = input.fill(4096)?;
        let head = &head[..head.len().min(4096)];
        if size == stl::binary_size(head) {
            return Ok(Some(Self::Stl));
        }
        let head = head.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(head);
        if head.starts_with(b"glTF") || head.trim_ascii_start().starts_with(b"{") {
            return Ok(Some(Self::Gltf));
        }
        if head.starts_with(b"ply\n") || head.starts_with(b"ply\r") {
            return Ok(Some(Self::Ply));
        }
        // The first word of each line that has one.
        let mut words = head.split(|&byte| byte == b'\n' || byte == b'\r').filter_map(|line| {
            let line = line.trim_ascii();
            let word = line.split(|&byte| is_blank(byte)).next().unwrap_or_default();
            (!word.is_empty() && word[0] != b'#').then_some(word)
        });
        let first = words.next().unwrap_or_default();
        Ok(match first {
            b"OFF" | b"COFF" | b"NOFF" | b"CNOFF" | b"STOFF" => Some(Self::Off),
            _ if stl::begins_with_solid(head) => Some(Self::Stl),
            _ if obj::is_keyword(first) => Some(Self::Obj),
            _ => None,
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Obj => "OBJ",
            Self::Off => "OFF",
            Self::Stl => "STL",
            Self::Ply => "PLY",
            Self::Gltf => "glTF",
        })
    }
}
