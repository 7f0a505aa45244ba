//! STL, read as text and binary, written as binary.
//!
//! A file of facets without shared vertices. The mesh has three vertices per facet, in the order of the file; nothing
//! is merged. [`Mesh::merge_equal_vertices`] makes a surface of the soup.
//!
//! # What is read
//!
//! - *Binary:* 80 bytes of header, a count, and 50 bytes per facet, of which the nine coordinates count. Normals and
//!   attributes are skipped, and so is what follows the last facet.
//! - *Text:* any number of solids one after the other. Keywords may be in capitals and words spread over lines at
//!   will. Each solid must have its `endsolid`: a file without was cut short.
//!
//! Both may begin with the word `solid`. A file is binary if its size is what its count says, or if there are
//! bytes at its beginning that no text has. Large files are read in blocks on all threads (`in_blocks`).
//!
//! # When to use something else
//!
//! `stl_io` 0.11 tells text from binary by the first line alone, joins equal vertices by hashing, and its errors do
//! not say where the fault is, so it is not used here.
//!
//! # Reference
//!
//! 3D Systems. *Stereolithography Interface Specification*, 1989.

#[cfg(feature = "parallel")]
mod in_blocks;

use std::io::{self, Write};

use fracas::geom::DVec3;
use fracas::mesh::Mesh;

use crate::error::{Fault, Place, Reason, WriteError};
use crate::input::Input;
use crate::polygon::{finish, make_room};
use crate::text::{Line, Lines, shown};

const HEADER: usize = 84;
const FACET: usize = 50;

pub(crate) fn read(mut input: Input<'_>) -> Result<Mesh, Fault> {
    if is_text(&mut input)? { read_text(input) } else { read_binary(input) }
}

/// Whether the file is text. Consumes nothing.
fn is_text(input: &mut Input<'_>) -> Result<bool, Fault> {
    let size = input.size();
    let head = input.fill(1024)?;
    let head = &head[..head.len().min(1024)];
    if size == binary_size(head) {
        return Ok(false);
    }
    let no_text = |byte: &u8| *byte < b'\t';
    Ok(begins_with_solid(head) && !head.iter().any(no_text))
}

/// The size that a binary file with this header has.
pub(crate) fn binary_size(head: &[u8]) -> u64 {
    match head.get(80..HEADER) {
        Some(&[a, b, c, d]) => HEADER as u64 + FACET as u64 * u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => u64::MAX,
    }
}

pub(crate) fn begins_with_solid(head: &[u8]) -> bool {
    let head = head.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(head).trim_ascii_start();
    head.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

fn read_binary(mut input: Input<'_>) -> Result<Mesh, Fault> {
    let head = input.fill(HEADER)?;
    let Some(&[a, b, c, d]) = head.get(80..HEADER) else {
        let reason = format!("{} bytes are too few for a binary STL file, and it is not text", input.size());
        return Err(Fault::malformed(input.place(), reason));
    };
    let facets = u32::from_le_bytes([a, b, c, d]);
    input.consume(HEADER);
    input.check_announced("facets", facets.into(), FACET as u64)?;

    let facets = facets as usize;
    #[cfg(feature = "parallel")]
    if let Some(blocks) = crate::blocks::for_size(input.size())
        && let Some((positions, triangles)) = in_blocks::read_binary(blocks, &input, facets)
    {
        return finish(positions, triangles);
    }
    let mut positions = Vec::with_capacity(3 * facets);
    let mut left = facets;
    while left > 0 {
        let rows = (input.fill(FACET)?.len() / FACET).min(left);
        if rows == 0 {
            let (read, announced) = ((facets - left) as u64, facets as u64);
            return Err(Fault::new(
                input.place(),
                Reason::CutShort { what: "facets".into(), read, announced },
            ));
        }
        let window = &input.window()[..rows * FACET];
        for (row, facet) in window.chunks_exact(FACET).enumerate() {
            // After the normal's 12 bytes, the corners.
            for (corner, bytes) in facet[12..48].chunks_exact(12).enumerate() {
                let position = position(bytes);
                if !position.is_finite() {
                    let offset = input.offset() + (row * FACET + 12 + corner * 12) as u64;
                    return Err(Fault::not_finite(position, Place::Byte(offset)));
                }
                positions.push(position);
            }
        }
        input.consume(rows * FACET);
        left -= rows;
    }
    finish(positions, soup(facets))
}

#[inline]
fn position(bytes: &[u8]) -> DVec3 {
    let at = |i: usize| f64::from(f32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]));
    DVec3::new(at(0), at(4), at(8))
}

/// Triangles over three vertices each. More vertices than ids are refused when the mesh is made.
fn soup(facets: usize) -> Vec<[u32; 3]> {
    (0..facets).map(corners).collect()
}

#[inline]
fn corners(facet: usize) -> [u32; 3] {
    [0, 1, 2].map(|corner| (3 * facet + corner) as u32)
}

/// What the next word of a text file must be.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Solid,
    FacetOrEndsolid,
    Normal,
    /// The components of the normal still to be skipped.
    NormalValues(u8),
    Outer,
    Loop,
    Vertex,
    Coordinate(usize),
    Endloop,
    Endfacet,
}

fn read_text(input: Input<'_>) -> Result<Mesh, Fault> {
    let size = input.size();
    let mut lines = Lines::new(input)?;
    #[cfg(feature = "parallel")]
    if let Some(blocks) = crate::blocks::for_size(size)
        && let Some((positions, triangles)) = in_blocks::read_text(blocks, &lines)
    {
        return finish(positions, triangles);
    }
    let mut positions: Vec<DVec3> = Vec::new();
    let mut position = [0.0; 3];
    let mut expect = Expect::Solid;
    loop {
        let left = lines.input().left();
        let Some(mut line) = lines.next()? else { break };
        while !line.is_done() {
            if let Expect::Coordinate(axis) = expect {
                position[axis] = line.coordinate(['x', 'y', 'z'][axis])?;
                expect = Expect::Coordinate(axis + 1);
                if axis < 2 {
                    continue;
                }
                make_room(&mut positions, 1, size - left, size, left / 8);
                positions.push(DVec3::from_array(position));
                expect = if positions.len().is_multiple_of(3) { Expect::Endloop } else { Expect::Vertex };
                continue;
            }
            expect = next_word(expect, &mut line)?;
        }
    }
    if expect != Expect::Solid {
        let reason = format!("the file ends inside a solid, after {} complete facets", positions.len() / 3);
        return Err(Fault::malformed(lines.place(), reason));
    }
    let facets = positions.len() / 3;
    finish(positions, soup(facets))
}

/// Reads a word that is not a coordinate and says what must follow it.
fn next_word(expect: Expect, line: &mut Line<'_>) -> Result<Expect, Fault> {
    let word = line.word().unwrap_or_default();
    let is = |keyword: &str| word.eq_ignore_ascii_case(keyword.as_bytes());
    let wanted = |keyword: &str| {
        let reason = format!("`{}` stands where `{keyword}` should", shown(word));
        Err(Fault::malformed(line.place(), reason))
    };
    match expect {
        Expect::Solid if is("solid") => {
            // The rest of the line is the name.
            line.advance(line.length());
            Ok(Expect::FacetOrEndsolid)
        }
        Expect::Solid => wanted("solid"),
        Expect::FacetOrEndsolid if is("facet") => Ok(Expect::Normal),
        Expect::FacetOrEndsolid if is("endsolid") => {
            line.advance(line.length());
            Ok(Expect::Solid)
        }
        Expect::FacetOrEndsolid => wanted("facet` or `endsolid"),
        Expect::Normal if is("normal") => Ok(Expect::NormalValues(3)),
        Expect::Normal => wanted("normal"),
        // Writers put all kinds of nonsense into the normals of degenerate facets.
        Expect::NormalValues(1) => Ok(Expect::Outer),
        Expect::NormalValues(left) => Ok(Expect::NormalValues(left - 1)),
        Expect::Outer if is("outer") => Ok(Expect::Loop),
        Expect::Outer => wanted("outer loop"),
        Expect::Loop if is("loop") => Ok(Expect::Vertex),
        Expect::Loop => wanted("loop"),
        Expect::Vertex if is("vertex") => Ok(Expect::Coordinate(0)),
        Expect::Vertex => wanted("vertex"),
        Expect::Endloop if is("endloop") => Ok(Expect::Endfacet),
        Expect::Endloop => wanted("endloop"),
        Expect::Endfacet if is("endfacet") => Ok(Expect::FacetOrEndsolid),
        Expect::Endfacet | Expect::Coordinate(_) => wanted("endfacet"),
    }
}

/// Writes the triangles as `f32`, rounded to nearest, with their normals. Shared vertices are written once per
/// triangle.
pub(crate) fn write(out: &mut dyn Write, mesh: &Mesh, file: &str) -> Result<(), WriteError> {
    let io = |source: io::Error| WriteError::Io { file: file.to_owned(), source };
    // The header must not begin with `solid`.
    let mut header = [b' '; HEADER];
    header[..10].copy_from_slice(b"binary STL");
    header[80..].copy_from_slice(&(mesh.triangle_count() as u32).to_le_bytes());
    out.write_all(&header).map_err(io)?;
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        let exact = corners.map(|vertex| mesh.positions()[vertex as usize]);
        let corners = exact.map(|corner| corner.as_vec3().as_dvec3());
        if let Some(corner) = (0..3).find(|&corner| !corners[corner].is_finite()) {
            let value = exact[corner].abs().max_element();
            return Err(WriteError::TooLargeForStl { file: file.to_owned(), triangle, value });
        }
        // The normal of what is in the file, not of what was rounded away.
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        let mut row = [0; FACET];
        for (point, bytes) in
            [normal, corners[0], corners[1], corners[2]].iter().zip(row.chunks_exact_mut(12))
        {
            for (value, bytes) in point.as_vec3().to_array().iter().zip(bytes.chunks_exact_mut(4)) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        }
        out.write_all(&row).map_err(io)?;
    }
    Ok(())
}
