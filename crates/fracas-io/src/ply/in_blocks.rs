//! Large PLY files, in blocks on all threads.
//!
//! In text, the number of a line tells what is on it, so the lines of a batch are counted before they are parsed. In binary, vertices are
//! rows of equal size, and so are faces as long as all of them are triangles: the length of each list is looked up where it
//! is if all before have three corners.

use fracas::geom::DVec3;
use memchr::memchr;

use super::binary::{axes, number, whole};
use super::header::{Encoding, Kind, Scalar};
use super::text::read_instance;
use super::{Parts, Plan, Role};
use crate::blocks::{Block, Blocks, make_room};
use crate::input::Input;
use crate::text::{Line, Lines};

/// The mesh, or `None` for a file that the serial reader has to look at.
pub(super) fn read(
    blocks: Blocks,
    lines: &Lines<'_>,
    encoding: Encoding,
    plans: &[Plan<'_>],
) -> Option<Parts> {
    match encoding {
        Encoding::Text => read_text(blocks, lines, plans),
        Encoding::LittleEndian => read_binary::<false>(blocks, lines.input(), plans),
        Encoding::BigEndian => read_binary::<true>(blocks, lines.input(), plans),
    }
}

/// What one block of text brings.
#[derive(Default)]
struct Part {
    parts: Parts,
    lines: u64,
    bytes: u64,
}

fn read_text(blocks: Blocks, lines: &Lines<'_>, plans: &[Plan<'_>]) -> Option<Parts> {
    if lines.return_ends_line() {
        return None;
    }
    let input = lines.input();
    // An instance without properties has no line.
    let with_lines = || plans.iter().filter(|plan| !plan.element.properties.is_empty());
    let wanted = with_lines().try_fold(0_u64, |sum, plan| sum.checked_add(plan.element.count))?;
    let mut whole = Parts::default();
    let mut read = 0_u64;
    let take = |part: &mut Part, end: u64| {
        let left = input.size() - end;
        make_room(&mut whole.positions, part.parts.positions.len(), part.bytes, left);
        make_room(&mut whole.triangles, part.parts.triangles.len(), part.bytes, left);
        whole.positions.extend_from_slice(&part.parts.positions);
        whole.triangles.extend_from_slice(&part.parts.triangles);
        read += part.lines;
        true
    };
    let parse = |block: &Block<'_>, part: &mut Part| {
        part.parts.positions.clear();
        part.parts.triangles.clear();
        (part.lines, part.bytes) = (0, block.lines.len() as u64);
        // The element that the next line belongs to, and how many of its lines are still to come.
        let mut elements = with_lines();
        let mut before = block.before;
        let mut now = None;
        for element in elements.by_ref() {
            if before < element.element.count {
                now = Some((element, element.element.count - before));
                break;
            }
            before -= element.element.count;
        }
        for_content(block.lines, |mut line| {
            while now.is_some_and(|(_, left)| left == 0) {
                now = elements.next().map(|element| (element, element.element.count));
            }
            part.lines += 1;
            // What follows the last element is not read.
            let Some((plan, left)) = &mut now else { return true };
            *left -= 1;
            read_instance(&mut line, plan, &mut part.parts, |_, _| {}).is_ok()
        })
    };
    let count = |lines: &[u8]| {
        let mut count = 0;
        for_content(lines, |_| {
            count += 1;
            true
        });
        count
    };
    blocks.text(input, input.offset(), 0, count, parse, take)?;
    (read >= wanted).then_some(whole)
}

/// Goes through all lines that are not blank, until the function says no.
#[inline]
fn for_content<'b>(mut text: &'b [u8], mut with: impl FnMut(Line<'b>) -> bool) -> bool {
    while !text.is_empty() {
        let end = memchr(b'\n', text).unwrap_or(text.len());
        let mut line = Line::unnumbered(&text[..end]);
        text = &text[(end + 1).min(text.len())..];
        if !line.is_done() && !with(line) {
            return false;
        }
    }
    true
}

fn read_binary<const BIG: bool>(blocks: Blocks, input: &Input<'_>, plans: &[Plan<'_>]) -> Option<Parts> {
    let mut parts = Parts::default();
    let mut at = input.offset();
    for plan in plans {
        let element = plan.element;
        let list = element.properties.iter().position(|property| matches!(property.kind, Kind::List { .. }));
        let row = match list {
            None => element.least_bytes(),
            // A single list, of three corners.
            Some(list) if plan.roles[list] == Role::Corners => {
                let lists = element.properties.iter().filter(|p| matches!(p.kind, Kind::List { .. }));
                let Kind::List { item, .. } = element.properties[list].kind else { return None };
                (lists.count() == 1).then_some(element.least_bytes() + 3 * item.size() as u64)?
            }
            Some(_) => return None,
        };
        let end = row.checked_mul(element.count).and_then(|bytes| at.checked_add(bytes))?;
        if end > input.size() {
            return None;
        }
        let rows = (row as usize, element.count as usize);
        match list {
            None if plan.is_vertex => {
                parts.positions.reserve_exact(rows.1);
                read_vertices::<BIG>(blocks, input, at, rows, plan, &mut parts.positions)?;
            }
            None => {}
            Some(_) if plan.is_vertex => return None,
            Some(list) => {
                parts.triangles.reserve_exact(rows.1);
                read_triangles::<BIG>(blocks, input, at, rows, (plan, list), &mut parts.triangles)?;
            }
        }
        at = end;
    }
    Some(parts)
}

fn read_vertices<const BIG: bool>(
    blocks: Blocks,
    input: &Input<'_>,
    first: u64,
    rows: (usize, usize),
    plan: &Plan<'_>,
    positions: &mut Vec<DVec3>,
) -> Option<()> {
    let axes = axes(plan);
    let finite = |[x, y, z]: [f64; 3]| Some(DVec3::new(x, y, z)).filter(|position| position.is_finite());
    let at = axes.map(|(at, _)| at);
    // Types are told apart once, not for every number.
    match axes.map(|(_, scalar)| scalar) {
        [Scalar::F64, Scalar::F64, Scalar::F64] => blocks.rows(input, first, rows, positions, |row| {
            finite(at.map(|at| number::<BIG>(&row[at..], Scalar::F64)))
        }),
        [Scalar::F32, Scalar::F32, Scalar::F32] => blocks.rows(input, first, rows, positions, |row| {
            finite(at.map(|at| number::<BIG>(&row[at..], Scalar::F32)))
        }),
        _ => blocks.rows(input, first, rows, positions, |row| {
            finite(axes.map(|(at, scalar)| number::<BIG>(&row[at..], scalar)))
        }),
    }
}

fn read_triangles<const BIG: bool>(
    blocks: Blocks,
    input: &Input<'_>,
    start: u64,
    rows: (usize, usize),
    (plan, list): (&Plan<'_>, usize),
    triangles: &mut Vec<[u32; 3]>,
) -> Option<()> {
    let before: usize = plan.element.properties[..list].iter().map(size_of).sum();
    let Kind::List { count, item } = plan.element.properties[list].kind else { return None };
    let first = before + count.size();
    let is_there = |&vertex: &i64| (0..plan.vertices as i64).contains(&vertex);
    let triangle =
        |corners: [i64; 3]| corners.iter().all(is_there).then(|| corners.map(|vertex| vertex as u32));
    match (count, item) {
        // As nearly all files have it.
        (Scalar::U8, Scalar::I32) => blocks.rows(input, start, rows, triangles, |row| {
            let corner = |k: usize| whole::<BIG>(&row[first + 4 * k..], Scalar::I32);
            if row[before] == 3 { triangle([0, 1, 2].map(corner)) } else { None }
        }),
        _ => blocks.rows(input, start, rows, triangles, |row| {
            let corner = |k: usize| whole::<BIG>(&row[first + k * item.size()..], item);
            let is_triangle = whole::<BIG>(&row[before..], count) == 3;
            if is_triangle { triangle([0, 1, 2].map(corner)) } else { None }
        }),
    }
}

/// Bytes of a scalar property.
fn size_of(property: &super::header::Property) -> usize {
    match property.kind {
        Kind::Scalar(scalar) => scalar.size(),
        Kind::List { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{header, plan};
    use super::*;

    /// What blocks of a size read, which must be what the serial reader reads, or nothing.
    fn check(bytes: &[u8], block: usize) -> bool {
        let mut lines = Lines::new(Input::from_slice(bytes).unwrap()).unwrap();
        let Ok(header) = header::read(&mut lines) else { return false };
        let Ok(plans) = plan(&header.elements) else { return false };
        let Some(parts) = read(Blocks::of(block), &lines, header.encoding, &plans) else { return false };
        let serial = super::super::read(Input::from_slice(bytes).unwrap());
        let serial = serial.unwrap_or_else(|_| panic!("blocks of {block} read what is wrong"));
        assert_eq!((serial.positions(), serial.triangles()), (&parts.positions[..], &parts.triangles[..]));
        true
    }

    const TEXT: &str = "ply\nformat ascii 1.0\nelement note 2\nproperty int a\nelement vertex 4\nproperty float x\nproperty uchar c\n\
        property float y\nproperty float z\nelement none 9\nelement face 3\nproperty list uchar int vertex_indices\nproperty int q\n\
        element edge 1\nproperty list uchar int e\nend_header\n7\n\n8\n0 9 0 0\r\n1 9 0 0\n # no\n0 9 1.5 0\n1 9 1 -2e-3\n3 0 1 2 5\n4 0 1 2 3 5\n\
        2 0 1 5\n2 1 2\nwhat follows is skipped\n";

    #[test]
    fn blocks_of_text_read_what_the_serial_reader_reads() {
        for block in 1..TEXT.len() + 2 {
            assert!(check(TEXT.as_bytes(), block), "blocks of {block}");
        }
    }

    #[test]
    fn every_cut_and_every_changed_byte_of_text_reads_the_same_or_not_at_all() {
        let body = TEXT.find("end_header").unwrap();
        for cut in body..TEXT.len() {
            [1, 7, 30, 1000].iter().for_each(|&block| _ = check(&TEXT.as_bytes()[..cut], block));
        }
        for at in body + 11..TEXT.len() {
            for byte in *b"\n# 9-x." {
                let mut text = TEXT.as_bytes().to_vec();
                text[at] = byte;
                [1, 5, 40, 1000].iter().for_each(|&block| _ = check(&text, block));
            }
        }
    }

    fn binary(order: &str, corners: u8) -> Vec<u8> {
        let mut bytes = format!(
            "ply\nformat binary_{order}_endian 1.0\nelement vertex 100\nproperty double z\nproperty float x\nproperty short y\n\
             element skip 3\nproperty int i\nelement face 150\nproperty char a\nproperty list uchar int vertex_index\nproperty short b\n\
             end_header\n"
        )
        .into_bytes();
        let is_big = order == "big";
        let mut add = |number: &[u8]| {
            let reversed = number.iter().rev();
            if is_big { bytes.extend(reversed) } else { bytes.extend(number) }
        };
        for k in 0..100_i16 {
            add(&(f64::from(k) * 0.7).to_le_bytes());
            add(&(f32::from(k) * 0.3).to_le_bytes());
            add(&(k - 50).to_le_bytes());
        }
        (0..3_i32).for_each(|k| add(&k.to_le_bytes()));
        for face in 0..150_i32 {
            let corners = if face == 140 { corners } else { 3 };
            add(&[1]);
            add(&[corners]);
            (0..i32::from(corners)).for_each(|k| add(&((face * 7 + k * 31) % 100).to_le_bytes()));
            add(&[9, 9]);
        }
        bytes
    }

    #[test]
    fn binary_rows_are_those_of_the_serial_reader() {
        for order in ["little", "big"] {
            let bytes = binary(order, 3);
            for block in [1, 5, 14, 64, 4096] {
                assert!(check(&bytes, block), "blocks of {block}");
                assert!(!check(&binary(order, 4), block), "a polygon is left to the serial reader");
                assert!(!check(&binary(order, 2), block));
            }
            for cut in (bytes.len() - 300..bytes.len()).step_by(7) {
                assert!(!check(&bytes[..cut], 64));
            }
        }
    }

    #[test]
    fn every_changed_byte_of_a_binary_file_reads_the_same_or_not_at_all() {
        let bytes = binary("little", 3);
        let body = bytes.len() - (100 * 14 + 12 + 150 * 16);
        for at in body..bytes.len() {
            for byte in [0, 4, 0x7f, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = byte;
                check(&bytes, 256);
            }
        }
    }
}
