//! VTK's legacy format, text or binary, read.
//!
//! # What is read
//!
//! - `DATASET UNSTRUCTURED_GRID` with `POINTS`, `CELLS` and `CELL_TYPES`. Cells are lists with their length before them, or, from
//!   version 5 on, `OFFSETS` and `CONNECTIVITY`.
//! - Cells of type 10, tetrahedra, and of type 24, whose first four points are the corners. Others are skipped.
//! - Fields and data before and after are skipped, except for sections that hold words of other sections. A binary file may
//!   have fields of numbers before the grid, but not of words.
//!
//! # Reference
//!
//! Kitware. *VTK file formats*, legacy formats.

mod binary;

use crate::error::{Fault, Place, Reason};
use crate::free::FreeText;
use crate::input::Input;
use crate::tets::Parts;
use crate::text::{Lines, shown};

/// Types of cells that are tetrahedra; the corners come first.
const TETRAHEDRON: [i64; 2] = [10, 24];

pub(crate) fn read(mut input: Input<'_>) -> Result<Parts, Fault> {
    // The first line is a comment to every other reader of text.
    if !input.fill(14)?.to_ascii_lowercase().starts_with(b"# vtk datafile") {
        return Err(Fault::malformed(Place::Line(1), "the first line is not `# vtk DataFile Version …`"));
    }
    let mut lines = Lines::new(input)?;
    for _ in 0..2 {
        lines.next()?;
    }
    let mut text = FreeText::over(lines);
    let is_binary = match text.keyword()?.as_str() {
        "ASCII" => false,
        "BINARY" => true,
        word => {
            let reason = format!("`{}` is neither ASCII nor BINARY", shown(word.as_bytes()));
            return Err(Fault::malformed(text.place(), reason));
        }
    };
    let dataset = (text.keyword()?, text.keyword()?);
    if (dataset.0.as_str(), dataset.1.as_str()) != ("DATASET", "UNSTRUCTURED_GRID") {
        let reason = format!("only unstructured grids are read, not `{}`", shown(dataset.1.as_bytes()));
        return Err(Fault::unsupported(text.place(), reason));
    }
    if is_binary {
        return binary::read(text.into_lines().into_input());
    }
    let (mut positions, mut cells, mut types) = (vec![], Cells::default(), None);
    loop {
        match text.keyword()?.as_str() {
            "" => break,
            "POINTS" => {
                let count = text.count("the number of points")?;
                text.skip_line();
                text.check_announced("points", count, 3)?;
                positions.reserve_exact(count as usize);
                for done in 0..count {
                    if !text.next_content()? {
                        return Err(text.cut_short("points", done, count));
                    }
                    positions.push(text.position()?);
                }
            }
            "CELLS" => cells = read_cells(&mut text)?,
            "CELL_TYPES" => {
                let count = text.count("the number of cell types")?;
                types = Some(read_wholes(&mut text, "cell types", count)?);
            }
            _ => text.skip_line(),
        }
    }
    let types =
        types.ok_or_else(|| Fault::malformed(text.place(), "the file has no section of cell types"))?;
    cells.tetrahedra(&types, positions.len(), text.place()).map(|tets| (positions, tets))
}

/// Cell k has the points from `starts[k]` to `starts[k + 1]`.
#[derive(Default)]
struct Cells {
    starts: Vec<i64>,
    points: Vec<i64>,
}

impl Cells {
    /// Cells from a list in which each has its length before it.
    fn from_list(list: &[i64], count: u64, place: Place) -> Result<Self, Fault> {
        let mut cells = Self { starts: vec![0], points: Vec::with_capacity(list.len()) };
        let mut at = 0;
        for cell in 0..count {
            let length = list.get(at).and_then(|&length| usize::try_from(length).ok());
            let Some(points) = length.and_then(|n| list.get(at + 1..)?.get(..n)) else {
                return Err(Fault::malformed(place, format!("the list of cells ends within cell {cell}")));
            };
            cells.points.extend_from_slice(points);
            cells.starts.push(cells.points.len() as i64);
            at += 1 + points.len();
        }
        Ok(cells)
    }

    fn tetrahedra(&self, types: &[i64], nodes: usize, place: Place) -> Result<Vec<[u32; 4]>, Fault> {
        let cells = self.starts.len().saturating_sub(1);
        if types.len() != cells {
            let reason = format!("{} cell types for {cells} cells", types.len());
            return Err(Fault::malformed(place, reason));
        }
        let mut tets = vec![];
        for (cell, kind) in types.iter().enumerate().filter(|(_, kind)| TETRAHEDRON.contains(kind)) {
            let [from, to] = [self.starts[cell], self.starts[cell + 1]];
            let corners = usize::try_from(from).ok().zip(usize::try_from(to).ok());
            let corners = corners.and_then(|(from, to)| self.points.get(from..to));
            let Some(&[a, b, c, d]) = corners.and_then(|points| points.first_chunk::<4>()) else {
                let reason = format!("cell {cell} of type {kind} has fewer than 4 points");
                return Err(Fault::malformed(place, reason));
            };
            let corners = [a, b, c, d];
            if let Some(&node) = corners.iter().find(|&&node| node < 0 || node as usize >= nodes) {
                let place = Place::Part(format!("cell {cell}"));
                return Err(Fault::new(place, Reason::NoSuchNode { node, nodes: nodes as u64 }));
            }
            tets.push(corners.map(|node| node as u32));
        }
        Ok(tets)
    }
}

fn read_cells(text: &mut FreeText<'_>) -> Result<Cells, Fault> {
    let first = text.count("the number of cells")?;
    let second = text.count("the size of the list of cells")?;
    text.next_content()?;
    if text.line().rest().first().is_some_and(u8::is_ascii_alphabetic) {
        // Version 5: offsets, one more than cells, and the points they lead to.
        text.skip_line();
        let starts = read_wholes(text, "offsets", first)?;
        if text.keyword()? != "CONNECTIVITY" {
            return Err(Fault::malformed(
                text.place(),
                "the offsets of cells are not followed by CONNECTIVITY",
            ));
        }
        text.skip_line();
        return Ok(Cells { starts, points: read_wholes(text, "corners", second)? });
    }
    let list = read_wholes(text, "numbers of cells", second)?;
    Cells::from_list(&list, first, text.place())
}

fn read_wholes(text: &mut FreeText<'_>, what: &'static str, count: u64) -> Result<Vec<i64>, Fault> {
    text.check_announced(what, count, 1)?;
    let mut values = Vec::with_capacity(count as usize);
    for done in 0..count {
        if !text.next_content()? {
            return Err(text.cut_short(what, done, count));
        }
        values.push(text.whole("a number")?);
    }
    Ok(values)
}
