//! Object File Format (OFF), read and written.
//!
//! # What is read
//!
//! - The keyword `OFF` with the prefixes `ST`, `C` and `N`, which announce texture coordinates, a colour and a normal
//!   after each position. They are skipped. The keyword may be absent, or have the counts on its line, or glued to it
//!   (`OFF490 518 0`), as in widely used data sets.
//! - Vertices as numbers in free form: several on one line or one on several lines. If the header announces more
//!   than positions, or the first line of a vertex holds a number of values that is not a multiple of three, then
//!   each vertex has its own line and what follows the position is skipped.
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
use crate::input::Input;
use crate::polygon::{Fan, finish, make_room};
use crate::text::{Line, Lines, shown};

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
/// it. None if the line begins with a number.
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
    // Three digits with a blank after each, of which the last may be missing at the end of the file.
    text.check_announced("vertices", header.vertices, 6)?;
    let mut positions = Vec::with_capacity(header.vertices as usize);
    let mut own_line = header.more_than_positions;
    while (positions.len() as u64) < header.vertices {
        if !text.next_content()? {
            return Err(text.cut_short("vertices", positions.len() as u64, header.vertices));
        }
        if positions.is_empty() && !own_line {
            let mut line = text.line();
            let values = std::iter::from_fn(|| line.word()).count();
            own_line = values > 3 && values % 3 != 0;
        }
        let whole = text.with_line(|line| {
            let position = DVec3::new(line.coordinate('x')?, line.coordinate('y')?, line.coordinate('z')?);
            Ok((position, line.is_done()))
        });
        positions.push(match whole {
            Ok((position, _)) => position,
            // In free form, a position may end on a later line.
            Err(Fault { reason: Reason::Missing { .. }, .. }) if !own_line => {
                let mut position = [0.0; 3];
                for (axis, value) in ['x', 'y', 'z'].into_iter().zip(&mut position) {
                    if !text.next_content()? {
                        return Err(text.cut_short("vertices", positions.len() as u64, header.vertices));
                    }
                    *value = text.with_line(|line| line.coordinate(axis))?;
                }
                DVec3::from_array(position)
            }
            Err(fault) => return Err(fault),
        });
        if own_line {
            text.skip_line();
        }
    }
    Ok(positions)
}

fn read_faces(text: &mut FreeText<'_>, header: &Header) -> Result<Vec<[u32; 3]>, Fault> {
    text.check_announced("faces", header.faces, 2)?;
    let mut triangles = Vec::new();
    if header.faces > 0 {
        text.next_content()?;
    }
    // A triangle takes four numbers; polygons of more corners are fewer.
    triangles.reserve_exact(header.faces.min(text.left() / 8 + 1) as usize);
    let last = header.vertices;
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
                    if vertex < 0 || vertex as u64 >= last {
                        let reason = Reason::NoSuchVertex { vertex, vertices: last, counted_from: 0 };
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

/// Text in which values may be spread over lines: the lines, and where in the present one we are.
struct FreeText<'a> {
    lines: Lines<'a>,
    /// Bytes left of the present line.
    left_on_line: usize,
}

impl<'a> FreeText<'a> {
    fn new(input: Input<'a>) -> Result<Self, Fault> {
        Ok(Self { lines: Lines::new(input)?, left_on_line: 0 })
    }

    fn place(&self) -> Place {
        self.lines.place()
    }

    /// Bytes of the file after the present line.
    fn left(&self) -> u64 {
        self.lines.input().left()
    }

    /// What is left of the present line.
    #[inline]
    fn line(&self) -> Line<'_> {
        self.lines.end_of_line(self.left_on_line)
    }

    /// Reads from the present line and remembers how far.
    #[inline]
    fn with_line<T>(&mut self, read: impl FnOnce(&mut Line<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let mut line = self.lines.end_of_line(self.left_on_line);
        let value = read(&mut line)?;
        self.left_on_line = line.length();
        Ok(value)
    }

    /// Goes on to a line that has something left. False at the end of the file.
    #[inline]
    fn next_content(&mut self) -> Result<bool, Fault> {
        while self.line().is_done() {
            match self.lines.next()? {
                Some(line) => self.left_on_line = line.length(),
                None => {
                    self.left_on_line = 0;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn skip_line(&mut self) {
        self.left_on_line = 0;
    }

    fn cut_short(&self, what: &str, read: u64, announced: u64) -> Fault {
        Fault::new(self.place(), Reason::CutShort { what: what.to_owned(), read, announced })
    }

    /// An error where the rest of the file cannot hold so many elements.
    fn check_announced(&self, what: &str, announced: u64, each: u64) -> Result<(), Fault> {
        // What is left of the line counts too, and one blank may be missing at the end of the file.
        let left = self.left() + self.left_on_line as u64 + 2;
        let needed = u128::from(announced) * u128::from(each);
        if needed <= u128::from(left) {
            return Ok(());
        }
        let what = what.to_owned();
        Err(Fault::new(self.place(), Reason::NotEnoughBytes { what, announced, needed, left }))
    }
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
