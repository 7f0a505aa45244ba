//! Large OBJ files, in blocks on all threads.
//!
//! A block does not know how many vertices come before it. So corners that count back from the last vertex are first counted from the
//! beginning of the block, remembered, and moved when the block is appended. Corners that count from the first vertex may name
//! vertices further down; the largest is compared with the number of vertices in the end.

use fracas::geom::DVec3;

use crate::blocks::{Block, Blocks, Cursor, make_room};
use crate::text::{Lines, is_blank, leading_whole};

/// What one block brings.
#[derive(Default)]
struct Part {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Which corners, counted through all triangles, are counted from the first vertex of the block; they may be negative.
    relative: Vec<u32>,
    /// The largest corner that counts from the first vertex of the file, from 1.
    largest: u64,
    bytes: u64,
}

/// Positions and triangles, or `None` for a file that the serial reader has to look at.
pub(super) fn read(blocks: Blocks, lines: &Lines<'_>) -> Option<(Vec<DVec3>, Vec<[u32; 3]>)> {
    if lines.return_ends_line() {
        return None;
    }
    let input = lines.input();
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    let mut largest = 0;
    let take = |part: &mut Part, end: u64| {
        let first = positions.len() as i64;
        for &corner in &part.relative {
            let place = &mut part.triangles[corner as usize / 3][corner as usize % 3];
            let Ok(vertex) = u32::try_from(first + i64::from(*place as i32)) else { return false };
            *place = vertex;
        }
        let left = input.size() - end;
        make_room(&mut positions, part.positions.len(), part.bytes, left);
        make_room(&mut triangles, part.triangles.len(), part.bytes, left);
        positions.extend_from_slice(&part.positions);
        triangles.extend_from_slice(&part.triangles);
        largest = largest.max(part.largest);
        true
    };
    blocks.text(input, input.offset(), 0, |_| 0, parse, take)?;
    // Without a vertex, the serial reader says whether this is OBJ at all.
    (!positions.is_empty() && largest <= positions.len() as u64).then_some((positions, triangles))
}

/// Parses whole lines. False if there is anything but what nearly all files have.
fn parse(block: &Block<'_>, part: &mut Part) -> bool {
    part.positions.clear();
    part.triangles.clear();
    part.relative.clear();
    (part.largest, part.bytes) = (0, block.lines.len() as u64);
    let mut text = Cursor { rest: block.lines };
    while !text.rest.is_empty() {
        let line = text.rest;
        text.skip_blanks();
        let ends = match text.rest {
            [b'v', blank, ..] if is_blank(*blank) => {
                text.advance(1);
                vertex(&mut text, part).is_some() && end_line(line, &mut text)
            }
            [b'f', blank, ..] if is_blank(*blank) => {
                text.advance(1);
                face(&mut text, part).is_some() && end_line(line, &mut text)
            }
            [b'f', b'o', blank, ..] if is_blank(*blank) && *blank != b'\n' => {
                text.advance(2);
                face(&mut text, part).is_some() && end_line(line, &mut text)
            }
            // A keyword alone is an error.
            b"v" | b"f" => false,
            _ => end_line(line, &mut text),
        };
        if !ends {
            return false;
        }
    }
    true
}

/// Steps over the rest of a line. False if a backslash joins the next one to it.
#[inline(always)]
fn end_line(line: &[u8], text: &mut Cursor<'_>) -> bool {
    match text.rest {
        [b'\n', rest @ ..] => {
            text.rest = rest;
            // What is read up to here ends with a number, or nothing was read.
            true
        }
        _ => end_odd_line(line, text),
    }
}

fn end_odd_line(line: &[u8], text: &mut Cursor<'_>) -> bool {
    let rest = text.skip_line();
    let visible = rest.strip_suffix(b"\r").unwrap_or(rest);
    let is_comment = || line.iter().find(|&&byte| !is_blank(byte)) == Some(&b'#');
    !visible.ends_with(b"\\") || is_comment()
}

#[inline(always)]
fn vertex(text: &mut Cursor<'_>, part: &mut Part) -> Option<()> {
    let mut position = [0.0; 3];
    for coordinate in &mut position {
        text.skip_blanks();
        *coordinate = text.coordinate()?;
    }
    part.positions.push(DVec3::from_array(position));
    Some(())
}

/// A corner: the vertex, and whether it is counted from the first of the block.
type Corner = (u32, bool);

#[inline(always)]
fn face(text: &mut Cursor<'_>, part: &mut Part) -> Option<()> {
    let (mut first, mut previous): (Corner, Corner) = ((0, false), (0, false));
    let mut corners = 0_u32;
    loop {
        text.skip_blanks();
        if matches!(text.rest, [] | [b'\n' | b'#', ..]) {
            break;
        }
        let corner = corner(text, part)?;
        match corners {
            0 => first = corner,
            1 => {}
            _ => add(first, previous, corner, part),
        }
        previous = corner;
        corners += 1;
    }
    (corners >= 3).then_some(())
}

#[inline(always)]
fn corner(text: &mut Cursor<'_>, part: &mut Part) -> Option<Corner> {
    let (number, mut length) = leading_whole(text.rest)?;
    if text.rest.get(length) == Some(&b'/') {
        length += 1;
        while text.rest.get(length).is_some_and(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'/')) {
            length += 1;
        }
    }
    if text.rest.get(length).is_some_and(|&byte| !is_blank(byte)) {
        return None;
    }
    text.advance(length);
    match number {
        1.. => {
            part.largest = part.largest.max(number as u64);
            Some((u32::try_from(number - 1).ok()?, false))
        }
        0 => None,
        // Of the last vertex so far; the sum may be below the first of the block.
        _ => Some((i32::try_from(part.positions.len() as i64 + number).ok()? as u32, true)),
    }
}

#[inline(always)]
fn add(first: Corner, previous: Corner, last: Corner, part: &mut Part) {
    let corners = [first, previous, last];
    if first.1 | previous.1 | last.1 {
        let at = 3 * part.triangles.len() as u32;
        let relative = (at..).zip(corners).filter(|(_, corner)| corner.1);
        part.relative.extend(relative.map(|(at, _)| at));
    }
    part.triangles.push(corners.map(|corner| corner.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;

    /// What blocks of a size read, which must be what the serial reader reads, or nothing.
    fn check(text: &[u8], block: usize) -> bool {
        let lines = || Lines::new(Input::from_slice(text).unwrap()).unwrap().with_joins();
        let serial = super::super::read(Input::from_slice(text).unwrap());
        let Some((positions, triangles)) = read(Blocks::of(block), &lines()) else { return false };
        let serial = serial.unwrap_or_else(|_| panic!("blocks of {block} read what is wrong"));
        assert_eq!((serial.positions(), serial.triangles()), (&positions[..], &triangles[..]));
        true
    }

    #[test]
    fn blocks_read_what_the_serial_reader_reads() {
        let good: &[&[u8]] = &[
            b"# cube\r\nv 0 0 0\nv 1 0 0 1\r\n  v\t0 1 0 # c:\\ \nvn 0 0 1\nf 1 2 3\n\nv 1e-3 -2.5 +3. 0.1 0.2 0.3\n\
            f -1 -2 -3\nf 1//2 2/6/7 4/1 3 -2",
            b"# path\\\nv 0 0 0\nv 1 0 0\nv 0 1 0\nfo 1 2 3 # x",
            b"f 1 2 3\nf 1 2 3 3 2\nv 0 0 0\nv 1 0 0\nv 0 1 0",
            b"\n\n\nv 0 0 0\ng x\nfo\no\n\\x\n",
        ];
        for (number, text) in good.iter().enumerate() {
            for block in 1..text.len() + 2 {
                assert!(check(text, block), "text {number}, blocks of {block}");
            }
        }
    }

    #[test]
    fn blocks_leave_what_is_rare_or_wrong_to_the_serial_reader() {
        let odd: &[&[u8]] = &[
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\n",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\ng a\\\nf 1 2 3\n",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9 \\\r\nf 1 2 3\n",
            b"v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
            b"v 0 0 0\nv 1 0 0\nf -1 -2 -3\nv 0 1 0\n",
            b"v 0 0 0\nf 0 0 0\n",
            b"v 0 0 0\nf 1 1\n",
            b"v 0 0 nan\n",
            b"v 0 0 1e999\n",
            b"v 0 0 #1\n",
            b"v 0 0\n1\n",
            b"v\n",
            b"v 0 0 0\nf",
            b"v 0 0 0\nf 1 1 1x\n",
            b"v 0 0 0\nf 4294967297 1 1\n",
            b"hello\n",
            b"f 1 2 3\n",
        ];
        for (number, text) in odd.iter().enumerate() {
            for block in 1..text.len() + 2 {
                assert!(!check(text, block), "text {number}, blocks of {block}");
            }
        }
    }

    #[test]
    fn every_cut_and_every_changed_byte_reads_the_same_or_not_at_all() {
        let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\r\nf 1 2 3\n# a\nv 1 1 0\nf -1 -2 -3 1/1\nvn 1 2 3\nf 4//4 3//3 2//2\n";
        for cut in 1..text.len() {
            (1..20).for_each(|block| _ = check(&text[..cut], block));
        }
        for at in 0..text.len() {
            for byte in *b"\\\n\r# 0-/.fvx" {
                let mut text = text.to_vec();
                text[at] = byte;
                [1, 3, 8, 200].iter().for_each(|&block| _ = check(&text, block));
            }
        }
    }
}
