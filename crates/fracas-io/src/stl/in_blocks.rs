//! Large STL files, in blocks on all threads.
//!
//! Binary facets are rows of equal size. In text, a block looks for the first of its lines that begins with `facet`, and hopes that a
//! facet begins there. It reads on into the next block until a facet begins on a line of its own there. If each block begins
//! where the one before has ended, all of them were right: the first begins with the file. Otherwise they give up.

use fracas::geom::DVec3;
use rayon::prelude::*;

use super::{FACET, HEADER, corners, position};
use crate::blocks::{Block, Blocks, Cursor, make_room};
use crate::text::{Lines, is_blank};

/// Bytes that a block sees of the next one.
const BEYOND: usize = 4096;

type Soup = (Vec<DVec3>, Vec<[u32; 3]>);

/// Positions and triangles of a binary file, or `None` if one is not finite.
pub(super) fn read_binary(blocks: Blocks, input: &crate::input::Input<'_>, facets: usize) -> Option<Soup> {
    let mut corners: Vec<[DVec3; 3]> = Vec::with_capacity(facets);
    let item = |facet: &[u8]| {
        // After the normal.
        let corners = [12, 24, 36].map(|at| position(&facet[at..at + 12]));
        corners.iter().all(|corner| corner.is_finite()).then_some(corners)
    };
    blocks.rows(input, HEADER as u64, (FACET, facets), &mut corners, item)?;
    Some((corners.into_flattened(), soup(facets)))
}

fn soup(facets: usize) -> Vec<[u32; 3]> {
    (0..facets).into_par_iter().with_min_len(4096).map(corners).collect()
}

/// What one block brings.
#[derive(Default)]
struct Part {
    positions: Vec<DVec3>,
    /// Where its first facet begins, and where the first one begins that it left to the next block.
    begin: Option<u64>,
    end: u64,
    bytes: u64,
}

/// Positions and triangles of a text file, or `None` if the serial reader has to look at it.
pub(super) fn read_text(blocks: Blocks, lines: &Lines<'_>) -> Option<Soup> {
    if lines.return_ends_line() {
        return None;
    }
    let input = lines.input();
    let (first, size) = (input.offset(), input.size());
    let mut positions = Vec::new();
    let mut expected = first;
    let take = |part: &mut Part, end: u64| {
        if part.begin.map_or(expected < end, |begin| begin != expected) {
            return false;
        }
        if part.begin.is_some() {
            expected = part.end;
        }
        make_room(&mut positions, part.positions.len(), part.bytes, size - end);
        positions.extend_from_slice(&part.positions);
        true
    };
    let parse = |block: &Block<'_>, part: &mut Part| {
        part.positions.clear();
        part.begin = None;
        part.bytes = block.end - block.at;
        let from_start = block.at == first;
        let mut text = Text { rest: Cursor { rest: block.lines }, block, size };
        part.begin = if from_start { Some(first) } else { text.find_facet() };
        match part.begin {
            Some(_) => text.facets(!from_start, &mut part.positions).is_some_and(|end| {
                part.end = end;
                true
            }),
            None => true,
        }
    };
    blocks.text(input, first, BEYOND, |_| 0, parse, take)?;
    if expected != size {
        return None;
    }
    let facets = positions.len() / 3;
    Some((positions, soup(facets)))
}

/// A block being read, and some bytes of the next.
struct Text<'b> {
    rest: Cursor<'b>,
    block: &'b Block<'b>,
    size: u64,
}

impl Text<'_> {
    /// Where in the file we are.
    fn place(&self) -> u64 {
        self.block.at + (self.block.lines.len() - self.rest.rest.len()) as u64
    }

    /// Whether the block ends with the file.
    fn sees_the_end(&self) -> bool {
        self.block.at + self.block.lines.len() as u64 == self.size
    }

    /// Goes to the first line of the block that begins with `facet`.
    fn find_facet(&mut self) -> Option<u64> {
        while self.place() < self.block.end && !self.rest.rest.is_empty() {
            let (line, at) = (self.rest.rest, self.place());
            self.rest.skip_blanks();
            let word = self.rest.rest.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"facet"));
            if word && self.rest.rest.get(5).is_some_and(|&byte| is_blank(byte)) {
                self.rest.rest = line;
                return Some(at);
            }
            self.rest.skip_line();
        }
        None
    }

    /// Reads facets up to the first that begins on a line of its own in the next block; says where that is, or where the file ends.
    fn facets(&mut self, mut in_solid: bool, positions: &mut Vec<DVec3>) -> Option<u64> {
        // Where the line began that we are on, if nothing was read from it.
        let mut line = Some(self.place());
        loop {
            while let [first, rest @ ..] = self.rest.rest {
                if !is_blank(*first) {
                    break;
                }
                self.rest.rest = rest;
                if *first == b'\n' {
                    line = Some(self.place());
                }
            }
            if self.rest.rest.is_empty() {
                return (self.sees_the_end() && !in_solid).then_some(self.size);
            }
            let word = self.rest.word();
            if in_solid && word.eq_ignore_ascii_case(b"facet") {
                if let Some(line) = line.filter(|&line| line >= self.block.end) {
                    return Some(line);
                }
                self.facet(positions)?;
            } else if word.eq_ignore_ascii_case(if in_solid { b"endsolid" } else { b"solid" }) {
                // The rest of the line is a name; its end must be in sight.
                let rest = self.rest.rest.len();
                if self.rest.skip_line().len() == rest && !self.sees_the_end() {
                    return None;
                }
                in_solid = !in_solid;
                line = Some(self.place());
                continue;
            } else {
                return None;
            }
            line = None;
        }
    }

    /// A facet after its first word.
    fn facet(&mut self, positions: &mut Vec<DVec3>) -> Option<()> {
        self.expect(b"normal")?;
        for _ in 0..3 {
            let word = self.rest.word();
            if word.is_empty() || word[0] == b'#' {
                return None;
            }
        }
        self.expect(b"outer")?;
        self.expect(b"loop")?;
        for _ in 0..3 {
            self.expect(b"vertex")?;
            let mut position = [0.0; 3];
            for coordinate in &mut position {
                self.rest.skip_lines();
                *coordinate = self.rest.coordinate()?;
            }
            positions.push(DVec3::from_array(position));
        }
        self.expect(b"endloop")?;
        self.expect(b"endfacet")
    }

    #[inline]
    fn expect(&mut self, keyword: &[u8]) -> Option<()> {
        self.rest.word().eq_ignore_ascii_case(keyword).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;

    /// What blocks of a size read, which must be what the serial reader reads, or nothing.
    fn check(text: &[u8], block: usize) -> bool {
        let lines = Lines::new(Input::from_slice(text).unwrap()).unwrap();
        let Some((positions, triangles)) = read_text(Blocks::of(block), &lines) else { return false };
        let serial = super::super::read_text(Input::from_slice(text).unwrap());
        let serial = serial.unwrap_or_else(|_| panic!("blocks of {block} read what is wrong"));
        assert_eq!((serial.positions(), serial.triangles()), (&positions[..], &triangles[..]));
        true
    }

    const FACETS: &str = "solid a\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\r\n  vertex 0 1 0\n \
        endloop\nendfacet\nFACET Normal nan x y\nouter\nloop vertex\n0 0 0 vertex 1 2 3\nvertex 4 5 6.5e-1 endloop endfacet\n";

    #[test]
    fn blocks_read_what_the_serial_reader_reads() {
        let two = format!(
            "{FACETS}endsolid a\n\nsolid facet\n facet normal 0 0 0 outer loop vertex 0 0 1 vertex 0 0 2 \
            vertex 0 0 3 endloop endfacet endsolid # x\n"
        );
        let mut many = FACETS.to_owned();
        for k in 0..60 {
            many += &format!(
                "facet normal 0 0 1\nouter loop\nvertex {k} 0 0\nvertex 1 {k} 0\nvertex 0 1 {k}\nendloop\nendfacet\n"
            );
        }
        many += "endsolid";
        for text in [&two, &many, &format!("{FACETS}endsolid")] {
            for block in (1..text.len() + 2).step_by(1 + text.len() / 300) {
                assert!(check(text.as_bytes(), block), "blocks of {block}");
            }
        }
    }

    #[test]
    fn every_cut_and_every_changed_byte_reads_the_same_or_not_at_all() {
        let text = format!("{FACETS}endsolid\nsolid b\nendsolid b");
        for cut in 1..text.len() {
            [1, 10, 50, 1000].iter().for_each(|&block| _ = check(&text.as_bytes()[..cut], block));
        }
        for at in 0..text.len() {
            for byte in *b"\n# 0x" {
                let mut text = text.clone().into_bytes();
                text[at] = byte;
                [1, 13, 60, 1000].iter().for_each(|&block| _ = check(&text, block));
            }
        }
    }

    #[test]
    fn a_facet_that_is_none_does_not_mislead_a_block() {
        let normals = "solid\nfacet normal\nfacet normal facet\nouter loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\n\
            endsolid\n";
        for block in 1..normals.len() + 2 {
            check(normals.as_bytes(), block);
        }
        assert!(check(normals.as_bytes(), 1000));
    }

    #[test]
    fn binary_facets_are_those_of_the_serial_reader() {
        let facets = 999_usize;
        let mut bytes = vec![b' '; HEADER];
        bytes[80..].copy_from_slice(&(facets as u32).to_le_bytes());
        for k in 0..facets * 12 {
            bytes.extend_from_slice(&(k as f32 * 0.37).to_le_bytes());
            if k % 12 == 11 {
                bytes.extend_from_slice(&[1, 2]);
            }
        }
        let serial = super::super::read(Input::from_slice(&bytes).unwrap()).unwrap();
        for block in [1, 49, 50, 64, 4096] {
            let input = Input::from_slice(&bytes).unwrap();
            let (positions, triangles) = read_binary(Blocks::of(block), &input, facets).unwrap();
            assert_eq!((serial.positions(), serial.triangles()), (&positions[..], &triangles[..]));
        }
        let at = HEADER + 50 * 700 + 12;
        bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        let input = Input::from_slice(&bytes).unwrap();
        assert!(read_binary(Blocks::of(64), &input, facets).is_none());
    }
}
