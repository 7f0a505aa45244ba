//! Large files in blocks, on all threads.
//!
//! ```text
//!   file     ──┬────────┬────────┬────────┬────────┬────────┬────────▶
//!   batch      │ block  │ block  │ block  │ block  │  next batch
//!   threads      read, count its lines · parse        ║ read …
//!   one thread                           ║ append the batch to the mesh, in order
//! ```
//!
//! A block holds the lines that begin in it. Threads take the blocks of a batch, each parses into memory of its own, and the parts are
//! appended in the order of the file while threads parse the next batch. So the mesh does not depend on the number of threads, and
//! besides the mesh there is memory for two batches only.
//!
//! # What blocks do not do
//!
//! Blocks read what is well formed and ordinary. Whatever is wrong or rare (a number that is none, a line joined to the next, a
//! polygon in a list of triangles) makes them give up, and the file is read again by the serial reader of its format. That one alone knows
//! line numbers and messages, so errors are the same for every file and every number of threads. Bad files take twice the time.
//!
//! # Invariant
//!
//! If blocks read a mesh, the serial reader reads the same one. Tests cut files at every byte to see it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memchr;
use rayon::prelude::*;

use crate::input::Input;
use crate::text::is_blank;

/// Smaller files are read at once by one thread.
const LARGE: u64 = 1 << 20;

/// Bytes of a block of text: they and what is parsed of them stay in the second-level cache.
const BLOCK: usize = 256 << 10;

/// Bytes of rows that are read at a time, for all threads together.
const WINDOW: usize = 8 << 20;

/// How far a block looks for the end of its last line before it gives up.
const LONGEST_REST: usize = 1 << 20;

/// Blocks for a file of this size; none if it is small.
pub(crate) fn for_size(size: u64) -> Option<Blocks> {
    (size >= LARGE).then_some(Blocks { block: BLOCK })
}

/// How a file is cut.
#[derive(Clone, Copy)]
pub(crate) struct Blocks {
    block: usize,
}

/// A block of text: whole lines.
pub(crate) struct Block<'b> {
    pub lines: &'b [u8],
    /// Where they begin in the file.
    pub at: u64,
    /// Where the block ends in the file. Its last line may end later, and bytes of the next block may follow.
    pub end: u64,
    /// What is counted in all blocks before.
    pub before: u64,
}

/// Memory for one block and what is parsed of it; used again.
#[derive(Default)]
struct Slot<P> {
    range: Range<u64>,
    bytes: Vec<u8>,
    /// Where the lines begin in the file, and which of the bytes they are.
    at: u64,
    lines: Range<usize>,
    counted: u64,
    before: u64,
    part: P,
}

impl Blocks {
    /// Blocks of any size, so that tests can cut wherever they like.
    #[cfg(test)]
    pub fn of(block: usize) -> Self {
        Self { block }
    }

    /// Parses the text from `first` to the end of the input: `count` says of the lines of a block what `before` adds up, `parse` makes a
    /// part of them, `take` gets all parts in order. `beyond` more bytes are read behind the last line. `None` if any of them gives up.
    pub fn text<P: Default + Send>(
        self,
        input: &Input<'_>,
        first: u64,
        beyond: usize,
        count: impl Fn(&[u8]) -> u64 + Sync,
        parse: impl Fn(&Block<'_>, &mut P) -> bool + Sync,
        mut take: impl FnMut(&mut P, u64) -> bool + Send,
    ) -> Option<()> {
        let slots = 2 * rayon::current_num_threads();
        let new = || (0..slots).map(|_| Slot::<P>::default()).collect::<Vec<_>>();
        let (mut parsed, mut next) = (new(), new());
        parsed.clear();
        let (mut at, mut before) = (first, 0);
        loop {
            // The last batch may have fewer.
            let mut used = 0;
            while used < next.len() && at < input.size() {
                let end = input.size().min(at + self.block as u64);
                next[used].range = at..end;
                (at, used) = (end, used + 1);
            }
            next.truncate(used);
            let read = |slot: &mut Slot<P>| {
                let read = slot.read(input, first, beyond);
                if read {
                    slot.counted = count(&slot.bytes[slot.lines.clone()]);
                }
                read
            };
            if !next.par_iter_mut().map(read).reduce(|| true, |a, b| a & b) {
                return None;
            }
            for slot in &mut next {
                slot.before = before;
                before += slot.counted;
            }
            let (is_taken, is_parsed) = rayon::join(
                || parsed.iter_mut().all(|slot| take(&mut slot.part, slot.range.end)),
                || {
                    let parse = |slot: &mut Slot<P>| {
                        let lines = &slot.bytes[slot.lines.start..];
                        let lines = if beyond == 0 { &lines[..slot.lines.len()] } else { lines };
                        let (at, end, before) = (slot.at, slot.range.end, slot.before);
                        parse(&Block { lines, at, end, before }, &mut slot.part)
                    };
                    next.par_iter_mut().map(parse).reduce(|| true, |a, b| a & b)
                },
            );
            if !is_taken || !is_parsed {
                return None;
            }
            if used == 0 {
                return Some(());
            }
            std::mem::swap(&mut parsed, &mut next);
            next.resize_with(slots, Slot::default);
        }
    }

    /// A number of rows of `row` bytes from `first` on: adds to the list what `item` makes of each, or gives up if one makes nothing.
    pub fn rows<T: Copy + Default + Send>(
        self,
        input: &Input<'_>,
        first: u64,
        (row, rows): (usize, usize),
        list: &mut Vec<T>,
        item: impl Fn(&[u8]) -> Option<T> + Sync + Send,
    ) -> Option<()> {
        let at_a_time = (WINDOW / row).clamp(1, rows.max(1));
        let mut bytes = vec![0; at_a_time * row];
        let gives_up = AtomicBool::new(false);
        let mut done = 0;
        while done < rows {
            let now = at_a_time.min(rows - done);
            let bytes = &mut bytes[..now * row];
            let from = first + (done * row) as u64;
            let chunks = bytes.par_chunks_mut(self.block).enumerate();
            let is_read = chunks.map(|(k, chunk)| input.copy_at(from + (k * self.block) as u64, chunk));
            if !is_read.reduce(|| true, |a, b| a & b) {
                return None;
            }
            let items = bytes.par_chunks_exact(row).with_min_len(1024).map(|row| {
                item(row).unwrap_or_else(|| {
                    gives_up.store(true, Ordering::Relaxed);
                    T::default()
                })
            });
            list.par_extend(items);
            if gives_up.load(Ordering::Relaxed) {
                return None;
            }
            done += now;
        }
        Some(())
    }
}

impl<P> Slot<P> {
    /// Reads the lines that begin in the block, and some bytes beyond. False if the last one is very long or reading fails.
    fn read(&mut self, input: &Input<'_>, first: u64, beyond: usize) -> bool {
        let Range { start, end } = self.range;
        // With the byte before, which tells whether a line begins here.
        let from = if start > first { start - 1 } else { start };
        let mut to = end.saturating_add(4096 + beyond as u64).min(input.size());
        self.bytes.resize((to - from) as usize, 0);
        if !input.copy_at(from, &mut self.bytes) {
            return false;
        }
        let begin = if start > first {
            // Without one, the whole block is in the middle of a line.
            memchr(b'\n', &self.bytes).map_or(self.bytes.len(), |at| at + 1)
        } else {
            0
        };
        if from + begin as u64 >= end {
            (self.at, self.lines) = (end, self.bytes.len()..self.bytes.len());
            return true;
        }
        let last = (end - 1 - from) as usize;
        let mut searched = last;
        loop {
            if let Some(at) = memchr(b'\n', &self.bytes[searched..]) {
                let length = searched + at + 1;
                (self.at, self.lines) = (from + begin as u64, begin..length);
                return true;
            }
            searched = self.bytes.len();
            if to == input.size() {
                break;
            }
            if searched - last > LONGEST_REST {
                return false;
            }
            let more = (input.size() - to).min(self.bytes.len() as u64);
            self.bytes.resize(searched + more as usize, 0);
            if !input.copy_at(to, &mut self.bytes[searched..]) {
                return false;
            }
            to += more;
        }
        (self.at, self.lines) = (from + begin as u64, begin..self.bytes.len());
        true
    }
}

/// What is left of a block, word by word.
pub(crate) struct Cursor<'b> {
    pub rest: &'b [u8],
}

impl<'b> Cursor<'b> {
    /// Steps over blanks of the present line.
    #[inline(always)]
    pub fn skip_blanks(&mut self) {
        while let [first, rest @ ..] = self.rest {
            if !is_blank(*first) || *first == b'\n' {
                break;
            }
            self.rest = rest;
        }
    }

    /// Steps over blanks and line ends.
    #[inline(always)]
    pub fn skip_lines(&mut self) {
        while let [first, rest @ ..] = self.rest {
            if !is_blank(*first) {
                break;
            }
            self.rest = rest;
        }
    }

    #[inline(always)]
    pub fn advance(&mut self, count: usize) {
        self.rest = &self.rest[count..];
    }

    /// The next bytes as a finite number, up to a blank.
    #[inline(always)]
    pub fn coordinate(&mut self) -> Option<f64> {
        let (value, length) = fast_float2::parse_partial::<f64, _>(self.rest).ok()?;
        if self.rest.get(length).is_some_and(|&byte| !is_blank(byte)) || !value.is_finite() {
            return None;
        }
        self.advance(length);
        Some(value)
    }

    /// Steps over the rest of the line, and returns it without its end.
    #[inline]
    pub fn skip_line(&mut self) -> &'b [u8] {
        let end = memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        self.rest = &self.rest[(end + 1).min(self.rest.len())..];
        line
    }

    /// The next word, on whichever line.
    #[inline]
    pub fn word(&mut self) -> &'b [u8] {
        self.skip_lines();
        let length = self.rest.iter().position(|&byte| is_blank(byte)).unwrap_or(self.rest.len());
        let word = &self.rest[..length];
        self.advance(length);
        word
    }
}

/// Reserves room for what the rest of the file will bring, if it goes on like the part at hand.
pub(crate) fn make_room<T>(list: &mut Vec<T>, part: usize, bytes_of_part: u64, left: u64) {
    if list.capacity() - list.len() >= part {
        return;
    }
    let expected = 1.02 * part as f64 / bytes_of_part.max(1) as f64 * left as f64;
    list.reserve_exact(part + expected as usize);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_in_the_block_where_it_begins() {
        let text: Vec<u8> =
            (0..200).flat_map(|k| format!("{}\n", "x".repeat(k * 7 % 23)).into_bytes()).collect();
        for text in [&text[..], &text[..text.len() - 1], b"a\n\n\nb", b"\n", b"a"] {
            let input = Input::from_slice(text).unwrap();
            for block in [1, 2, 3, 7, 16, 100, 10_000] {
                let (mut seen, mut numbers) = (Vec::new(), Vec::new());
                let done = Blocks::of(block).text(
                    &input,
                    0,
                    0,
                    |lines| lines.split_inclusive(|&byte| byte == b'\n').count() as u64,
                    |block, part: &mut (Vec<u8>, u64)| {
                        part.0.clear();
                        part.0.extend_from_slice(block.lines);
                        part.1 = block.before;
                        assert!(block.lines.is_empty() || block.at < block.end);
                        true
                    },
                    |part, _| {
                        if !part.0.is_empty() {
                            numbers.push((seen.len(), part.1));
                        }
                        seen.extend_from_slice(&part.0);
                        true
                    },
                );
                assert!(done.is_some() && seen == text, "{block}");
                for (at, before) in numbers {
                    let lines = text[..at].iter().filter(|&&byte| byte == b'\n').count();
                    assert_eq!(before, lines as u64);
                }
            }
        }
    }

    #[test]
    fn rows_come_in_order_and_giving_up_shows() {
        let bytes: Vec<u8> = (0..5000_u32).map(|k| (k % 251) as u8).collect();
        let input = Input::from_slice(&bytes).unwrap();
        for block in [1, 3, 4096] {
            let mut list = vec![[7_u8; 2]];
            let item = |row: &[u8]| (row[0] != 255).then_some([row[0], row[1]]);
            Blocks::of(block).rows(&input, 3, (7, 600), &mut list, item).unwrap();
            let expected = (0..600).map(|k| [bytes[3 + 7 * k], bytes[4 + 7 * k]]);
            assert!(list.iter().copied().eq(std::iter::once([7; 2]).chain(expected)));
            let gives_up = |row: &[u8]| (row[0] != 17).then_some([0; 2]);
            assert!(Blocks::of(block).rows(&input, 3, (7, 600), &mut list, gives_up).is_none());
            assert!(Blocks::of(block).rows(&input, 3, (7, 714), &mut list, |_| Some([0; 2])).is_none());
        }
    }
}
