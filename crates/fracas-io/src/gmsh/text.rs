//! The sections of a text file.

use super::{Header, Reading, TETRAHEDRON, next_section};
use crate::error::{Fault, Place};
use crate::free::FreeText;
use crate::text::Lines;

pub(super) fn read(mut lines: Lines<'_>, header: Header, reading: &mut Reading) -> Result<(), Fault> {
    while let Some(name) = next_section(&mut lines)? {
        let mut text = FreeText::over(lines);
        match (name.as_str(), header.is_4) {
            ("$Nodes", false) => read_nodes_2(&mut text, reading)?,
            ("$Elements", false) => read_elements_2(&mut text, reading)?,
            ("$Nodes", true) => read_nodes_4(&mut text, reading)?,
            ("$Elements", true) => read_elements_4(&mut text, reading)?,
            _ => {}
        }
        lines = text.into_lines();
    }
    Ok(())
}

fn read_nodes_2(text: &mut FreeText<'_>, reading: &mut Reading) -> Result<(), Fault> {
    let count = text.count("the number of nodes")?;
    text.check_announced("nodes", count, 4)?;
    for done in 0..count {
        if !text.next_content()? {
            return Err(text.cut_short("nodes", done, count));
        }
        reading.tags.push(text.whole("the tag of the node")?);
        reading.positions.push(text.position()?);
    }
    Ok(())
}

fn read_elements_2(text: &mut FreeText<'_>, reading: &mut Reading) -> Result<(), Fault> {
    let count = text.count("the number of elements")?;
    text.check_announced("elements", count, 4)?;
    for done in 0..count {
        if !text.next_content()? {
            return Err(text.cut_short("elements", done, count));
        }
        text.whole("the tag of the element")?;
        if TETRAHEDRON.contains(&text.whole("the type of the element")?) {
            for _ in 0..text.count("the number of labels")? {
                text.whole("a label")?;
            }
            read_corners(text, reading)?;
        }
        text.skip_line();
    }
    Ok(())
}

fn read_nodes_4(text: &mut FreeText<'_>, reading: &mut Reading) -> Result<(), Fault> {
    let blocks = text.count("the number of blocks")?;
    let all = text.count("the number of nodes")?;
    text.check_announced("nodes", all, 4)?;
    text.skip_line();
    for _ in 0..blocks {
        for what in ["the dimension of the block", "the tag of the block", "whether nodes have parameters"] {
            text.whole(what)?;
        }
        let count = text.count("the number of nodes of the block")?;
        text.check_announced("nodes", count, 4)?;
        for done in 0..count {
            if !text.next_content()? {
                return Err(text.cut_short("tags of nodes", done, count));
            }
            reading.tags.push(text.whole("the tag of the node")?);
        }
        for done in 0..count {
            if !text.next_content()? {
                return Err(text.cut_short("nodes", done, count));
            }
            reading.positions.push(text.position()?);
            // Parameters may follow.
            text.skip_line();
        }
    }
    Ok(())
}

fn read_elements_4(text: &mut FreeText<'_>, reading: &mut Reading) -> Result<(), Fault> {
    let blocks = text.count("the number of blocks")?;
    text.count("the number of elements")?;
    text.skip_line();
    for _ in 0..blocks {
        text.whole("the dimension of the block")?;
        text.whole("the tag of the block")?;
        let is_tetrahedra = TETRAHEDRON.contains(&text.whole("the type of the elements")?);
        let count = text.count("the number of elements of the block")?;
        text.check_announced("elements", count, 2)?;
        for done in 0..count {
            if !text.next_content()? {
                return Err(text.cut_short("elements", done, count));
            }
            if is_tetrahedra {
                text.whole("the tag of the element")?;
                read_corners(text, reading)?;
            }
            text.skip_line();
        }
    }
    Ok(())
}

fn read_corners(text: &mut FreeText<'_>, reading: &mut Reading) -> Result<(), Fault> {
    let place = Place::Line(text.line_number());
    let mut corners = [0; 4];
    for corner in &mut corners {
        *corner = text.whole("a corner")?;
    }
    reading.tets.push((corners, place));
    Ok(())
}
