//! Object File Format (OFF), read and written.
//!
//! # What is read
//!
//! - The keyword `OFF` with the prefixes `ST`, `C` and `N`, which announce texture coordinates, a colour and a normal
//!   after each position. They are skipped. The keyword may be absent, or have the counts on its line, or glued to it
//!   (`OFF490 518 0`), as in widely used data sets.
//! - Vertices, each beginning on a new line. What is announced after a position is skipped. Colours that are not
//!   announced are recognised by the number of values on the first line, unless that is a multiple of three: then they
//!   could as well be more vertices, and the file is refused.
//! - Faces as a number of corners and that many vertices, counted from 0, and a colour up to the end of the line,
//!   which is skipped. Faces of one or two corners are the points and edges of the format: no triangle comes of them.
//! - Comments, anywhere. What follows the last face is skipped.
//!
//! Refused, with a reason: binary files, and points of four (`4OFF`) or any number (`nOFF`) of dimensions.
//!
//! # Reference
//!
//! Phillips, Levy, Munzner. *Geomview manual*, chapter 4, OOGL file formats. The Geometry Center.

use std::io::{self, Write};

use fracas::geom::DVec3;
use fracas::mesh::Mesh;

use crate::error::{Fault, Place, Reason};
use crate::free::FreeText;
use crate::input::Input;
use crate::polygon::{Fan, finish, make_room};
use crate::text::shown;

pub(crate) fn read(input: Input<'_>) -> Result<Mesh, Fault> {
    let mut text = FreeText::new(input)?;
    let header = read_header(&mut text)?;
    let positions = read_vertices(&mut text, &header)?;
    let triangles = read_faces(&mut text, &header)?;
    finish(positions, triangles)
}

struct Header {
    vertices: u64,
    faces: u64,
    /// Normals, colours or texture coordinates follow each position.
    more_than_positions: bool,
}

fn read_header(text: &mut FreeText<'_>) -> Result<Header, Fault> {
    let mut more_than_positions = false;
    if !text.next_content()? {
        return Err(Fault::malformed(text.place(), "the file has no header"));
    }
    let length = keyword_length(text.line().rest());
    if length > 0 {
        more_than_positions = text.with_line(|line| {
            let keyword = &line.rest()[..length];
            line.advance(length);
            check_keyword(keyword, line.place())
        })?;
        if text.line().word() == Some(b"BINARY") {
            return Err(Fault::unsupported(text.place(), "this is a binary OFF file; only text is read"));
        }
    }
    let mut count = |what| {
        text.next_content()?;
        let value = text.with_line(|line| line.whole(what))?;
        u64::try_from(value)
            .map_err(|_| Fault::malformed(text.place(), format!("{what} is negative: {value}")))
    };
    let vertices = count("the number of vertices")?;
    let faces = count("the number of faces")?;
    // The number of edges, if it is there, says nothing.
    text.skip_line();
    Ok(Header { vertices, faces, more_than_positions })
}

/// Length of the keyword at the beginning of a line: up to and including `OFF`, or the whole word if that is not in
/// it. Zero if the line begins with a number.
fn keyword_length(line: &[u8]) -> usize {
    let word = line.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(line.len());
    match line[..word].windows(3).position(|part| part.eq_ignore_ascii_case(b"OFF")) {
        Some(at) => at + 3,
        None if line.first().is_some_and(u8::is_ascii_alphabetic) => word,
        None => 0,
    }
}

/// Whether the keyword announces more than positions. Refuses what it cannot be.
fn check_keyword(keyword: &[u8], place: Place) -> Result<bool, Fault> {
    let not_off = |place| {
        let reason = format!("`{}` is not the header of an OFF file", shown(keyword));
        Err(Fault::malformed(place, reason))
    };
    if keyword.len() < 3 || !keyword[keyword.len() - 3..].eq_ignore_ascii_case(b"OFF") {
        return not_off(place);
    }
    let mut prefix = &keyword[..keyword.len() - 3];
    let more = !prefix.is_empty();
    for part in [&b"ST"[..], b"C", b"N"] {
        prefix = prefix.strip_prefix(part).unwrap_or(prefix);
    }
    match prefix {
        b"" => Ok(more),
        b"4" | b"n" | b"4n" => {
            let reason = format!("`{}` has points of other than three dimensions", shown(keyword));
            Err(Fault::unsupported(place, reason))
        }
        _ => not_off(place),
    }
}

fn read_vertices(text: &mut FreeText<'_>, header: &Header) -> Result<Vec<DVec3>, Fault> {
    text.check_announced("vertices", header.vertices, 3)?;
    let mut positions = Vec::with_capacity(header.vertices as usize);
    let mut more_than_positions = header.more_than_positions;
    while (positions.len() as u64) < header.vertices {
        let done = positions.len() as u64;
        if !text.next_content()? {
            return Err(text.cut_short("vertices", done, header.vertices));
        }
        if done == 0 && !more_than_positions {
            let mut line = text.line();
            let values = std::iter::from_fn(|| line.word()).count();
            more_than_positions = values > 3 && !values.is_multiple_of(3);
        }
        let on_one_line = text.with_line(|line| {
            Ok(DVec3::new(line.coordinate('x')?, line.coordinate('y')?, line.coordinate('z')?))
        });
        positions.push(match on_one_line {
            Err(Fault { reason: Reason::Missing { .. }, .. }) if !more_than_positions => {
                read_spread_position(text)?
                    .ok_or_else(|| text.cut_short("vertices", done, header.vertices))?
            }
            position => position?,
        });
        if !more_than_positions && !text.line().is_done() {
            let reason = "more than three values on the line of a vertex, which the header does not announce";
            return Err(Fault::malformed(text.place(), reason));
        }
        text.skip_line();
    }
    Ok(positions)
}

/// A position whose coordinates are on several lines. `None` if the file ends inside it.
fn read_spread_position(text: &mut FreeText<'_>) -> Result<Option<DVec3>, Fault> {
    let mut position = DVec3::ZERO;
    for (axis, name) in ['x', 'y', 'z'].into_iter().enumerate() {
        if !text.next_content()? {
            return Ok(None);
        }
        position[axis] = text.with_line(|line| line.coordinate(name))?;
    }
    Ok(Some(position))
}

fn read_faces(text: &mut FreeText<'_>, header: &Header) -> Result<Vec<[u32; 3]>, Fault> {
    text.check_announced("faces", header.faces, 1)?;
    // Judged as triangles, each of which takes four numbers.
    let mut triangles = Vec::with_capacity(header.faces.min(text.left() / 8 + 1) as usize);
    let vertices = header.vertices;
    for face in 0..header.faces {
        if !text.next_content()? {
            return Err(text.cut_short("faces", face, header.faces));
        }
        let corners = text.with_line(|line| line.whole("the number of corners"))?;
        if corners < 0 {
            return Err(Fault::malformed(text.place(), format!("the face has {corners} corners")));
        }
        let triangles_of_face = (corners as u64).saturating_sub(2).min(text.left() / 2 + 1);
        make_room(&mut triangles, triangles_of_face as usize, face, header.faces, text.left() / 2);
        let mut fan = Fan::default();
        while fan.corners() < corners as u64 {
            // All corners that are on this line at once.
            let more = text.with_line(|line| {
                while fan.corners() < corners as u64 && !line.is_done() {
                    let vertex = line.whole("a corner")?;
                    if vertex < 0 || vertex as u64 >= vertices {
                        let reason = Reason::NoSuchVertex { vertex, vertices, counted_from: 0 };
                        return Err(Fault::new(line.place(), reason));
                    }
                    fan.add(vertex as u32, &mut triangles);
                }
                Ok(fan.corners() < corners as u64)
            })?;
            if more && !text.next_content()? {
                return Err(text.cut_short("faces", face, header.faces));
            }
        }
        text.skip_line();
    }
    Ok(triangles)
}

pub(crate) fn write(out: &mut dyn Write, mesh: &Mesh) -> io::Result<()> {
    writeln!(out, "OFF\n{} {} 0", mesh.vertex_count(), mesh.triangle_count())?;
    for p in mesh.positions() {
        writeln!(out, "{:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(out, "3 {a} {b} {c}")?;
    }
    Ok(())
}
