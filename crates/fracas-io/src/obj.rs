//! Wavefront OBJ, read and written.
//!
//! # What is read
//!
//! - `v x y z`, with or without a weight and a colour after it, which are skipped.
//! - `f` with corners `v`, `v/vt`, `v//vn` or `v/vt/vn`, of which the vertex counts. Numbers begin at 1 and may name
//!   vertices defined further down; negative ones count back from the last vertex so far. `fo`, its old name, too.
//! - A backslash at the end of a line, comments, and line ends of every kind.
//! - Everything else is skipped: groups, materials, normals, lines, points, and free-form surfaces.
//!
//! Vertices and triangles keep the order of the file. A face with fewer than three corners is an error: the format
//! forbids it, and a file that was cut short often ends so. A file without vertices whose lines are no OBJ statements
//! is refused too, since OBJ has no other mark to know it by.
//!
//! # Idea
//!
//! The text is walked twice. The first walk counts vertices and triangles, so the arrays get their exact size and a
//! face that names a missing vertex is known at its own line. The second fills the arrays. Large files are first read in
//! blocks, in one walk on all threads (`in_blocks`); the two walks are for small files and for those with something wrong or rare in them.
//!
//! # When to use something else
//!
//! `tobj` 4.0 also reads materials, normals and texture coordinates. It renumbers vertices for each object, drops
//! those that no face names, holds the arrays of the file beside those of the mesh, and its errors name no line, so it
//! is not used here.
//!
//! # Reference
//!
//! Wavefront Technologies, *Advanced Visualizer Manual*, appendix B1, Object Files, 1992.

#[cfg(feature = "parallel")]
mod in_blocks;

use std::io::{self, Write};

use fracas::geom::DVec3;
use fracas::mesh::Mesh;

use crate::error::{Fault, Place, Reason};
use crate::input::Input;
use crate::polygon::{Fan, finish};
use crate::text::{Line, Lines, is_blank, leading_whole, shown};

pub(crate) fn read(input: Input<'_>) -> Result<Mesh, Fault> {
    let mut lines = Lines::new(input)?.with_joins();
    #[cfg(feature = "parallel")]
    if let Some(blocks) = crate::blocks::for_size(lines.input().size())
        && let Some((positions, triangles)) = in_blocks::read(blocks, &lines)
    {
        return finish(positions, triangles);
    }
    let counts = count(&mut lines)?;
    if counts.vertices == 0
        && let Some((place, word)) = counts.first_unknown
    {
        let reason = format!("`{word}` is not an OBJ statement, and the file defines no vertex");
        return Err(Fault::malformed(place, reason));
    }
    lines.rewind()?;

    let mut positions = Vec::with_capacity(counts.vertices);
    let mut triangles = Vec::with_capacity(counts.triangles);
    while let Some(mut line) = lines.next()? {
        match statement(&mut line) {
            Statement::Vertex => {
                let (x, y, z) = (line.coordinate('x')?, line.coordinate('y')?, line.coordinate('z')?);
                positions.push(DVec3::new(x, y, z));
            }
            Statement::Face => read_face(&mut line, positions.len(), counts.vertices, &mut triangles)?,
            Statement::Other => {}
        }
    }
    finish(positions, triangles)
}

enum Statement {
    Vertex,
    Face,
    /// Nothing to read: blank, a comment, or another statement.
    Other,
}

/// Tells the statement of a line and steps over its keyword.
#[inline]
fn statement(line: &mut Line<'_>) -> Statement {
    match line.rest() {
        [b'v', blank, ..] if is_blank(*blank) => {
            line.advance(1);
            Statement::Vertex
        }
        [b'f', blank, ..] if is_blank(*blank) => {
            line.advance(1);
            Statement::Face
        }
        [b'f', b'o', blank, ..] if is_blank(*blank) => {
            line.advance(2);
            Statement::Face
        }
        // A keyword alone: what should follow is reported as missing.
        b"v" => {
            line.advance(1);
            Statement::Vertex
        }
        b"f" => {
            line.advance(1);
            Statement::Face
        }
        _ => Statement::Other,
    }
}

struct Counts {
    vertices: usize,
    triangles: usize,
    /// The first word at the beginning of a line that is no keyword, looked for until a vertex appears.
    first_unknown: Option<(Place, String)>,
}

fn count(lines: &mut Lines<'_>) -> Result<Counts, Fault> {
    let mut counts = Counts { vertices: 0, triangles: 0, first_unknown: None };
    while let Some(mut line) = lines.next()? {
        match statement(&mut line) {
            Statement::Vertex => counts.vertices += 1,
            Statement::Face => counts.triangles += count_words(line.rest()).saturating_sub(2),
            Statement::Other if counts.vertices == 0 && counts.first_unknown.is_none() => {
                if let Some(word) = line.word()
                    && !is_keyword(word)
                {
                    counts.first_unknown = Some((line.place(), shown(word)));
                }
            }
            Statement::Other => {}
        }
    }
    Ok(counts)
}

fn count_words(text: &[u8]) -> usize {
    let mut after_blank = true;
    let mut words = 0;
    for &byte in text {
        let blank = is_blank(byte);
        words += usize::from(after_blank && !blank);
        after_blank = blank;
    }
    words
}

#[inline]
fn read_face(
    line: &mut Line<'_>,
    defined: usize,
    in_file: usize,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), Fault> {
    let mut fan = Fan::default();
    loop {
        let rest = line.rest();
        if rest.is_empty() {
            break;
        }
        let Some((number, mut length)) = leading_whole(rest) else {
            return Err(bad_corner(line));
        };
        // What follows a slash is the number of a texture coordinate or a normal.
        if rest.get(length) == Some(&b'/') {
            length += 1;
            while rest.get(length).is_some_and(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'/')) {
                length += 1;
            }
        }
        if rest.get(length).is_some_and(|&byte| !is_blank(byte)) {
            return Err(bad_corner(line));
        }
        let (index, vertices) = match number {
            1.. => (number - 1, in_file),
            _ => (defined as i64 + number, defined),
        };
        if number == 0 || index < 0 || index >= vertices as i64 {
            return Err(bad_vertex(line, number, vertices));
        }
        // More vertices than u32 can name are refused when the mesh is made.
        fan.add(index as u32, triangles);
        line.advance(length);
    }
    match fan.corners() {
        3.. => Ok(()),
        corners => Err(Fault::new(line.place(), Reason::TooFewCorners { corners })),
    }
}

#[cold]
fn bad_corner(line: &mut Line<'_>) -> Fault {
    let word = line.word().unwrap_or_default();
    Fault::malformed(line.place(), format!("`{}` is not the corner of a face", shown(word)))
}

#[cold]
fn bad_vertex(line: &Line<'_>, vertex: i64, vertices: usize) -> Fault {
    if vertex == 0 {
        return Fault::malformed(line.place(), "the face names vertex 0, but OBJ counts from 1");
    }
    let vertices = vertices as u64;
    Fault::new(line.place(), Reason::NoSuchVertex { vertex, vertices, counted_from: 1 })
}

/// Whether a line may begin with this word. Used to tell OBJ from other text.
pub(crate) fn is_keyword(word: &[u8]) -> bool {
    const KEYWORDS: &[&[u8]] = &[
        b"v",
        b"vt",
        b"vn",
        b"vp",
        b"f",
        b"fo",
        b"l",
        b"p",
        b"o",
        b"g",
        b"s",
        b"mg",
        b"usemtl",
        b"mtllib",
        b"usemap",
        b"maplib",
        b"cstype",
        b"deg",
        b"bmat",
        b"step",
        b"curv",
        b"curv2",
        b"surf",
        b"parm",
        b"trim",
        b"hole",
        b"scrv",
        b"sp",
        b"end",
        b"con",
        b"bevel",
        b"c_interp",
        b"d_interp",
        b"lod",
        b"shadow_obj",
        b"trace_obj",
        b"ctech",
        b"stech",
        b"call",
        b"csh",
    ];
    KEYWORDS.contains(&word)
}

pub(crate) fn write(out: &mut dyn Write, mesh: &Mesh) -> io::Result<()> {
    writeln!(out, "# {} vertices, {} triangles", mesh.vertex_count(), mesh.triangle_count())?;
    for p in mesh.positions() {
        writeln!(out, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for t in mesh.triangles() {
        let [a, b, c] = t.map(|vertex| u64::from(vertex) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}
