//! glTF 2.0, read from `.gltf` (buffers embedded or beside it) and `.glb`.
//!
//! # What is read
//!
//! - The default scene, or the first if none is named; without scenes, all nodes that are no one's child; without
//!   nodes, all meshes as they are. Nodes are walked depth first, each before its children, in the order of the
//!   document; triangle ids follow that walk, and within a node the order of its primitives.
//! - Node transforms, composed and applied in `f64`. A position under the identity keeps its bits.
//! - Triangle lists, strips and fans, with indices or without; sparse accessors; positions of every type that the
//!   extension `KHR_mesh_quantization` allows.
//! - Primitives of one node that use the same positions share vertices. Nodes never share any.
//!
//! Points, lines, materials, skins and morph targets are skipped ([`skinned`] reads skins and animations). Compressed geometry (Draco, meshopt), instancing by
//! extension, and required extensions that are not known to leave geometry alone are refused with a reason.
//!
//! # Idea
//!
//! The document is read whole: it is small, unless buffers are embedded in it as text. Buffers in files are not:
//! accessors are streamed from where they lie into the final arrays.
//!
//! # Limits
//!
//! Nodes may repeat a mesh, so a small file can describe a very large scene. One that would take more than
//! 64 MiB plus 1024 times the size of the file and its buffers is refused.
//!
//! # When to use something else
//!
//! The crate `gltf` gives materials, skins and animations too. Version 1.4.1 is not used here for three reasons: its
//! iterators over accessors panic on damaged files that pass its validation (a stride shorter than an element; where
//! overflow is checked, also a count of zero or a sum of offsets that is too large); it reads node transforms as
//! `f32`; and it needs each buffer in memory.
//!
//! # Reference
//!
//! Khronos Group. *glTF 2.0 Specification*, version 2.0.1, 2021.

mod accessor;
mod clip;
mod corners;
mod document;
mod rig;
mod scene;
mod skeleton;
mod skinned;

use std::path::Path;

use fracas::mesh::Mesh;

use crate::error::{Fault, Place};
use crate::input::Input;
use crate::polygon::finish;
use accessor::{Buffers, Span};
use document::Document;
use scene::Scene;

pub use clip::Clip;
pub use skinned::{SkinnedMesh, SkinnedScene};

/// Reads a document. Buffers in files are looked for in `folder`; without it they are refused.
pub(crate) fn read(input: Input<'_>, folder: Option<&Path>) -> Result<Mesh, Fault> {
    let file_size = input.size();
    let (json, json_at, body) = split(input)?;
    let document = Document::parse(&json, json_at)?;
    let buffers = Buffers::new(&document.buffers, folder, body);
    let (positions, triangles) = Scene::new(&document, buffers, file_size).read()?;
    finish(positions, triangles)
}

/// Reads a document with its skins and animations.
pub(crate) fn read_skinned(input: Input<'_>, folder: Option<&Path>) -> Result<SkinnedScene, Fault> {
    let file_size = input.size();
    let (json, json_at, body) = split(input)?;
    let document = Document::parse(&json, json_at)?;
    let rig = document::parse(&json, json_at)?;
    let buffers = Buffers::new(&document.buffers, folder, body);
    skinned::read(&document, rig, buffers, file_size)
}

/// The JSON text of a document, where in a binary file it begins, and the binary chunk.
fn split(mut input: Input<'_>) -> Result<Chunks<'_>, Fault> {
    if input.fill(4)?.starts_with(b"glTF") {
        return split_binary(input);
    }
    let size = input.size();
    Ok((read_bytes(&mut input, size)?, None, None))
}

/// The JSON text of a `.glb` file, where in the file it begins, and the binary chunk.
type Chunks<'a> = (Vec<u8>, Option<u64>, Option<Span<'a>>);

fn split_binary(mut input: Input<'_>) -> Result<Chunks<'_>, Fault> {
    let head = input.fill(12)?;
    let Some(&[a, b, c, d]) = head.get(4..8) else {
        return Err(Fault::malformed(input.place(), "the file ends inside its header"));
    };
    let version = u32::from_le_bytes([a, b, c, d]);
    if version != 2 {
        let reason = format!("version {version} of binary glTF is not read, only 2");
        return Err(Fault::unsupported(Place::Byte(4), reason));
    }
    input.skip(12)?;
    let json_length = chunk(&mut input, b"JSON")?
        .ok_or_else(|| Fault::malformed(Place::Byte(12), "the first chunk of the file is not JSON"))?;
    let json_at = input.offset();
    let json = read_bytes(&mut input, json_length)?;
    // Chunks begin at multiples of four bytes.
    input.skip(json_length.next_multiple_of(4) - json_length)?;
    while input.left() > 0 {
        let at = input.offset();
        if let Some(length) = chunk(&mut input, b"BIN\0")? {
            let start = input.offset();
            return Ok((json, Some(json_at), Some(Span { input, start, length })));
        }
        // Chunks of other kinds belong to extensions.
        if input.offset() == at {
            break;
        }
    }
    Ok((json, Some(json_at), None))
}

/// The length of the next chunk if it is of this kind, standing at its first byte. Steps over one of another kind.
fn chunk(input: &mut Input<'_>, kind: &[u8; 4]) -> Result<Option<u64>, Fault> {
    let &[a, b, c, d, ref found @ ..] = input.fill(8)? else {
        return Ok(None);
    };
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let matches = found.starts_with(kind);
    if found.len() < 4 {
        return Err(Fault::malformed(input.place(), "the file ends inside the header of a chunk"));
    }
    input.consume(8);
    input.check_announced("bytes of a chunk", length, 1)?;
    if !matches {
        input.skip(length.next_multiple_of(4))?;
        return Ok(None);
    }
    Ok(Some(length))
}

/// The next bytes, copied. There must be this many.
fn read_bytes(input: &mut Input<'_>, count: u64) -> Result<Vec<u8>, Fault> {
    input.check_announced("bytes of the document", count, 1)?;
    let mut bytes = Vec::with_capacity(count as usize);
    while (bytes.len() as u64) < count {
        let window = input.fill(1)?;
        let step = window.len().min(count as usize - bytes.len());
        if step == 0 {
            return Err(Fault::malformed(input.place(), "the file ends inside the document"));
        }
        bytes.extend_from_slice(&window[..step]);
        input.consume(step);
    }
    Ok(bytes)
}
