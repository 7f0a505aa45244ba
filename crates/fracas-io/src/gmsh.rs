//! Gmsh's `.msh`, versions 2 and 4.1, text and binary, read.
//!
//! # What is read
//!
//! - `$MeshFormat` with version 2, 2.1, 2.2 or 4.1, and the sections `$Nodes` and `$Elements`. Others are skipped.
//! - Nodes in the order of the file, under any tags: 32 or 64 bits, with gaps.
//! - Elements of type 4, tetrahedra, and of type 11, whose first four nodes are the corners. Others are skipped.
//! - Binary files in the byte order of the machine that wrote them.
//!
//! # Reference
//!
//! C. Geuzaine, J.-F. Remacle. *Gmsh reference manual*, file formats.

mod binary;
mod text;

use fracas::geom::DVec3;

use crate::error::{Fault, Place, Reason};
use crate::input::Input;
use crate::tets::Parts;
use crate::text::{Lines, shown};

/// Types of elements that are tetrahedra; the corners come first.
const TETRAHEDRON: [i64; 2] = [4, 11];

/// What the header says.
#[derive(Clone, Copy)]
struct Header {
    /// Version 4.1; otherwise some version 2.
    is_4: bool,
    is_binary: bool,
}

/// Nodes and tetrahedra as they are read.
#[derive(Default)]
struct Reading {
    positions: Vec<DVec3>,
    /// The tag of each node.
    tags: Vec<i64>,
    /// Corners by tag, and where in the file they are.
    tets: Vec<([i64; 4], Place)>,
}

pub(crate) fn read(input: Input<'_>) -> Result<Parts, Fault> {
    let mut lines = Lines::new(input)?;
    if next_section(&mut lines)?.as_deref() != Some("$MeshFormat") {
        return Err(Fault::malformed(Place::Line(1), "the file does not begin with $MeshFormat"));
    }
    let header = read_header(&mut lines)?;
    let mut reading = Reading::default();
    if header.is_binary {
        binary::read(lines.into_input(), header, &mut reading)?;
    } else {
        text::read(lines, header, &mut reading)?;
    }
    reading.finish()
}

fn read_header(lines: &mut Lines<'_>) -> Result<Header, Fault> {
    let Some(mut line) = lines.next()? else {
        return Err(Fault::malformed(lines.place(), "the file ends within its header"));
    };
    let (place, version) = (line.place(), line.word().unwrap_or_default());
    let is_4 = match version {
        b"2" | b"2.0" | b"2.1" | b"2.2" => false,
        b"4.1" => true,
        _ => {
            let reason =
                format!("version `{}` of Gmsh's format is not read; 2.2 and 4.1 are", shown(version));
            return Err(Fault::unsupported(place, reason));
        }
    };
    let is_binary = line.whole("whether the file is binary")? != 0;
    let size = line.whole("the size of numbers")?;
    if size != 8 {
        return Err(Fault::unsupported(
            place,
            format!("numbers of {size} bytes are not read; 8 are expected"),
        ));
    }
    Ok(Header { is_4, is_binary })
}

/// The next line that begins with `$`, without blanks around it.
fn next_section(lines: &mut Lines<'_>) -> Result<Option<String>, Fault> {
    while let Some(mut line) = lines.next()? {
        let word = line.word().unwrap_or_default();
        if word.starts_with(b"$") {
            return Ok(Some(String::from_utf8_lossy(word).into_owned()));
        }
    }
    Ok(None)
}

impl Reading {
    fn finish(self) -> Result<Parts, Fault> {
        let mut by_tag: Vec<(i64, u32)> =
            self.tags.iter().zip(0_u32..).map(|(&tag, index)| (tag, index)).collect();
        by_tag.sort_unstable();
        if let Some(pair) = by_tag.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let reason = format!("two nodes have the tag {}", pair[0].0);
            return Err(Fault::malformed(Place::Whole, reason));
        }
        let nodes = by_tag.len() as u64;
        let index = |tag: i64| {
            // Nearly always the tags are 1, 2, 3, …
            let guess = usize::try_from(tag.wrapping_sub(1)).ok().and_then(|at| by_tag.get(at));
            match guess {
                Some(&(same, index)) if same == tag => Some(index),
                _ => by_tag.binary_search_by_key(&tag, |node| node.0).ok().map(|at| by_tag[at].1),
            }
        };
        let mut tets = Vec::with_capacity(self.tets.len());
        for (corners, place) in self.tets {
            let mut indices = [0; 4];
            for (slot, tag) in indices.iter_mut().zip(corners) {
                let Some(index) = index(tag) else {
                    return Err(Fault::new(place, Reason::NoSuchNode { node: tag, nodes }));
                };
                *slot = index;
            }
            tets.push(indices);
        }
        Ok((self.positions, tets))
    }
}
