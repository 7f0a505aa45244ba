//! Medit's `.mesh`, as text, read.
//!
//! # What is read
//!
//! - `MeshVersionFormatted` 1 to 4, `Dimension` 3, which may be absent, `Vertices`, `Tetrahedra` and `End`. Words may be spread
//!   over lines at will and be in capitals.
//! - Each vertex has a label after its coordinates and each tetrahedron one after its corners; they are skipped.
//! - Sections of any other name are skipped, up to the next word that begins with a letter.
//! - Both sections may come in either order, `Tetrahedra` only once.
//!
//! # Reference
//!
//! P. Frey. *Medit: an interactive mesh visualization software*, INRIA RT-0253, 2001.

use crate::error::{Fault, Reason};
use crate::free::FreeText;
use crate::input::Input;
use crate::tets::Parts;
use crate::text::shown;

pub(crate) fn read(input: Input<'_>) -> Result<Parts, Fault> {
    let mut text = FreeText::new(input)?;
    let first = text.keyword()?;
    if first != "MESHVERSIONFORMATTED" {
        let found = shown(first.as_bytes());
        return Err(Fault::malformed(text.place(), format!("`{found}` is not the header of a Medit file")));
    }
    text.whole("the version")?;
    let (mut positions, mut tets) = (None, None);
    loop {
        match text.keyword()?.as_str() {
            "" | "END" => break,
            "DIMENSION" => {
                let dimension = text.whole("the dimension")?;
                if dimension != 3 {
                    let reason = format!("the mesh has {dimension} dimensions; only 3 are read");
                    return Err(Fault::unsupported(text.place(), reason));
                }
            }
            "VERTICES" => {
                let count = text.count("the number of vertices")?;
                text.check_announced("vertices", count, 4)?;
                let mut read = Vec::with_capacity(count as usize);
                for done in 0..count {
                    if !text.next_content()? {
                        return Err(text.cut_short("vertices", done, count));
                    }
                    read.push(text.position()?);
                    text.whole("the label of the vertex")?;
                }
                positions = Some(read);
            }
            "TETRAHEDRA" => tets = Some(read_tetrahedra(&mut text)?),
            word if word.starts_with(|c: char| c.is_ascii_alphabetic()) => skip_section(&mut text)?,
            word => {
                let reason = format!("`{}` is not the name of a section", shown(word.as_bytes()));
                return Err(Fault::malformed(text.place(), reason));
            }
        }
    }
    let Some(positions) = positions else {
        return Err(Fault::malformed(text.place(), "the file has no section of vertices"));
    };
    let vertices = positions.len() as u64;
    let mut checked = Vec::with_capacity(tets.as_ref().map_or(0, Vec::len));
    for (corners, place) in tets.unwrap_or_default() {
        if let Some(&node) = corners.iter().find(|&&node| node < 1 || node as u64 > vertices) {
            return Err(Fault::new(crate::Place::Line(place), Reason::NoSuchNode { node, nodes: vertices }));
        }
        checked.push(corners.map(|node| (node - 1) as u32));
    }
    Ok((positions, checked))
}

/// Corners as the file names them, and the line of each: vertices may come later.
fn read_tetrahedra(text: &mut FreeText<'_>) -> Result<Vec<([i64; 4], u64)>, Fault> {
    let count = text.count("the number of tetrahedra")?;
    text.check_announced("tetrahedra", count, 5)?;
    let mut tets = Vec::with_capacity(count as usize);
    for done in 0..count {
        if !text.next_content()? {
            return Err(text.cut_short("tetrahedra", done, count));
        }
        let mut corners = [0; 4];
        for corner in &mut corners {
            *corner = text.whole("a corner")?;
        }
        text.whole("the label of the tetrahedron")?;
        tets.push((corners, text.line_number()));
    }
    Ok(tets)
}

/// Skips to the next word that begins with a letter.
fn skip_section(text: &mut FreeText<'_>) -> Result<(), Fault> {
    while text.next_content()? && !text.line().rest().first().is_some_and(u8::is_ascii_alphabetic) {
        text.with_line(|line| Ok(line.word().map(drop)))?;
    }
    Ok(())
}
