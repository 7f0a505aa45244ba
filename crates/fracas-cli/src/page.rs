//! The page that shows a recording: the built viewer with the data inside, or beside it where there is much.
//!
//! ```text
//!   report.html   viewer · head of the recording · groups of frames, each a text of its own in base64
//!   report.html   viewer · head of the recording        frames/RUN/0.js, 1.js …   groups, when there are more than 32 MiB
//! ```
//!
//! A page from disk may not read files beside it, but may load scripts; so groups beside it are scripts that hand over a
//! text. The page loads one when its frames are asked for. The viewer is built from `web/` and committed, so that
//! only a Rust toolchain is needed to build the command.

use std::io::{self, Write};
use std::path::Path;

use fracas::Mesh;
use fracas::geom::DVec3;
use fracas::mesh::TriangleId;
use fracas::pairs::Pair;
use fracas_frames::page::{write, write_base64};
use fracas_frames::{About, AddedTriangle, Frame, Kind, MeshSpan, Recorder, RecorderOptions, Recording};

use crate::find::MeshPair;
use crate::output::grouped;

/// The viewer, without data.
const VIEWER: &str = include_str!("../assets/report.html");

pub use fracas_frames::page::MARK;

/// What a page has in it whose frames lie beside it.
pub const MARK_BESIDE: &str = "id=\"fracas-head\" data-beside=\"";

/// Recordings with more bytes than this lie beside their page.
pub const MOST_INSIDE: usize = 32 << 20;

/// The folder for folders of frames beside a page.
pub const BESIDE: &str = "frames";

/// Writes a page with the whole recording inside.
///
/// # Errors
/// Those of the writer.
pub fn write_whole(out: &mut dyn Write, recording: &Recording) -> io::Result<()> {
    write(out, VIEWER, recording, None)
}

/// Writes a page whose groups lie in a folder beside it; [`write_group`] writes them.
///
/// # Errors
/// Those of the writer.
pub fn write_head(out: &mut dyn Write, recording: &Recording, beside: &str) -> io::Result<()> {
    write(out, VIEWER, recording, Some(beside))
}

/// The folder for the groups of a recording, below [`BESIDE`]: a name made from its bytes, so that the frames of one run never stand
/// beside the page of another.
#[must_use]
pub fn folder_of(recording: &Recording) -> String {
    // FNV-1a, in words of eight bytes.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in std::iter::once(&recording.head()).chain(recording.groups()) {
        for bytes in part.chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        }
    }
    format!("{hash:016x}")
}

/// The folder below [`BESIDE`] in which the frames of a page lie, from the beginning of the page; `None` if they are inside it or
/// directly in [`BESIDE`].
#[must_use]
pub fn folder_named_in(page: &str) -> Option<&str> {
    let (_, after) = page.split_once(MARK_BESIDE)?;
    let (folder, _) = after.split_once('"')?;
    let name = folder.strip_prefix(BESIDE)?.strip_prefix('/')?;
    let is_ours = name.len() == 16 && name.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_ours.then_some(name)
}

/// Writes a group as the script `NUMBER.js` of the folder beside the page.
///
/// # Errors
/// Those of the writer.
pub fn write_group(out: &mut dyn Write, recording: &Recording, number: usize) -> io::Result<()> {
    write!(out, "fracasGroup({number},\"")?;
    write_base64(out, &recording.groups()[number])?;
    writeln!(out, "\")")
}

/// What a page shows of meshes.
#[derive(Clone, Debug)]
pub enum Content<'a> {
    /// The meshes as they are.
    Meshes,
    /// Triangles that intersect.
    Pairs(&'a [MeshPair]),
    /// What is near.
    Near {
        /// Triangles that are near each other.
        pairs: Vec<MeshPair>,
        /// Lines between closest points.
        lines: Vec<[DVec3; 2]>,
        /// Numbers, by name.
        counters: Vec<(&'static str, f64)>,
        /// A sentence.
        text: String,
    },
}

/// A recording of meshes, with what was found in them.
#[must_use]
pub fn record_meshes(names: &[&str], meshes: &[Mesh], content: &Content) -> Recording {
    let mut frame = Frame::default();
    let mut firsts = Vec::with_capacity(meshes.len());
    for (number, mesh) in meshes.iter().enumerate() {
        let (first, vertex) = (frame.added.len() as u32, frame.positions.len() as u32);
        firsts.push(first);
        frame.positions.extend_from_slice(mesh.positions());
        frame.fragments.extend(std::iter::repeat_n(number as u32, mesh.triangle_count()));
        frame.added.extend(mesh.triangles().iter().zip(first..).map(|(corners, id)| AddedTriangle {
            id: TriangleId(id),
            corners: corners.map(|corner| corner + vertex),
            is_crack: false,
            replaces: None,
        }));
    }
    let joint = |&[mesh_a, a, mesh_b, b]: &MeshPair| {
        Pair::new(firsts[mesh_a as usize] + a, firsts[mesh_b as usize] + b)
    };
    frame.counters =
        vec![("triangles", frame.added.len() as f64), ("vertices", frame.positions.len() as f64)];
    let mut about = About { program: program(), ..About::default() };
    match content {
        Content::Meshes => {
            let (triangles, vertices) = (grouped(frame.added.len()), grouped(frame.positions.len()));
            (about.kind, about.text) = (Kind::Mesh, format!("{triangles} triangles, {vertices} vertices"));
        }
        Content::Pairs(pairs) => {
            frame.pairs = pairs.iter().map(joint).collect();
            frame.counters.push(("pairs", pairs.len() as f64));
            about.kind = Kind::Check;
            about.text = match pairs {
                [] => "No triangles intersect.".to_owned(),
                [_] => "One pair of triangles intersects.".to_owned(),
                pairs => format!("{} pairs of triangles intersect.", grouped(pairs.len())),
            };
        }
        Content::Near { pairs, lines, counters, text } => {
            frame.pairs = pairs.iter().map(joint).collect();
            frame.counters.extend(counters);
            (about.kind, about.text) = (Kind::Near, text.clone());
            about.lines = lines.iter().map(|line| line.map(|point| point.to_array())).collect();
        }
    }
    let span = |(name, mesh): (&&str, &Mesh)| MeshSpan {
        path: (*name).to_owned(),
        vertices: mesh.vertex_count(),
        triangles: mesh.triangle_count(),
    };
    about.title = names.iter().map(|name| file_name(name)).collect::<Vec<_>>().join(", ");
    about.meshes = names.iter().zip(meshes).map(span).collect();
    let mut recorder =
        Recorder::new(about, RecorderOptions { resolution: 1 << 20, ..RecorderOptions::default() });
    recorder.note(&frame);
    recorder.finish()
}

/// The name of this program and its version.
#[must_use]
pub fn program() -> String {
    concat!("fracas ", env!("CARGO_PKG_VERSION")).to_owned()
}

/// A path without its folders; a built-in shape as it is.
fn file_name(name: &str) -> String {
    Path::new(name).file_name().map_or(name.to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::shapes;
    use fracas_frames::page::PLACE;

    #[test]
    fn the_viewer_has_one_place_for_data() {
        assert_eq!(VIEWER.matches(PLACE).count(), 1);
        assert!(!VIEWER.contains(MARK));
        let recording = record_meshes(&["a"], &[shapes::icosphere(1.0, 1)], &Content::Meshes);
        let (mut whole, mut beside) = (Vec::new(), Vec::new());
        write_whole(&mut whole, &recording).unwrap();
        let folder = folder_of(&recording);
        write_head(&mut beside, &recording, &format!("{BESIDE}/{folder}")).unwrap();
        let [whole, beside] = [whole, beside].map(|page| String::from_utf8(page).unwrap());
        assert!(whole.contains(MARK) && !whole.contains(MARK_BESIDE) && beside.contains(MARK_BESIDE));
        assert_eq!((folder_named_in(&whole), folder_named_in(&beside)), (None, Some(folder.as_str())));
        let other = record_meshes(&["b"], &[shapes::icosphere(1.0, 1)], &Content::Meshes);
        assert_ne!(folder_of(&other), folder);
    }

    #[test]
    fn meshes_become_one_and_pairs_keep_their_triangles() {
        let meshes = [shapes::icosphere(1.0, 1), shapes::icosphere(1.0, 2)];
        let recording =
            record_meshes(&["a/x.obj", "shape:y"], &meshes, &Content::Pairs(&[[0, 3, 1, 5], [1, 2, 1, 7]]));
        let stored = recording.unpack().unwrap();
        let first = meshes[0].triangle_count() as u32;
        assert_eq!(stored.frames[0].pairs, [Pair::new(3, first + 5), Pair::new(first + 2, first + 7)]);
        assert_eq!(stored.header.about.title, "x.obj, shape:y");
        assert_eq!(stored.header.about.text, "2 pairs of triangles intersect.");
        let corners = stored.triangles[first as usize + 5].corners;
        assert_eq!(corners, meshes[1].triangles()[5].map(|corner| corner + meshes[0].vertex_count() as u32));
    }
}
