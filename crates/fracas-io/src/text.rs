//! Lines and the words on them, for the text formats.
//!
//! Works on bytes: comments and names may be in any encoding, and only what is read must make sense. A line ends with
//! a line feed, with or without a carriage return before it, or with a carriage return alone in files whose first
//! line ends so. A word that begins with `#` ends its line.
//!
//! Numbers are read by `fast-float2`. The nearest `f64` comes out, as with the standard library, in half the time:
//! there is no search for the end of the word and no check for UTF-8 before it.

use memchr::{memchr, memchr2};

use crate::error::{Fault, Place, Reason};
use crate::input::Input;

/// A line that is longer is refused, so that a binary file without line ends does not fill the memory.
const LONGEST_LINE: usize = 64 << 20;

/// The lines of a text file, one at a time.
pub(crate) struct Lines<'a> {
    input: Input<'a>,
    /// Number of the last line given out, counted from 1.
    number: u64,
    /// Lines joined to the last one by backslashes.
    joined: u64,
    /// A backslash at the end joins the next line to this one.
    joins: bool,
    /// A carriage return alone ends a line too.
    return_ends_line: bool,
    /// Bytes that end the last line: one, or none at the end of the file.
    end_bytes: usize,
}

impl<'a> Lines<'a> {
    /// Lines from where the input stands, which is the beginning of the file.
    pub fn new(mut input: Input<'a>) -> Result<Self, Fault> {
        let head = input.fill(1024)?;
        if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
            let reason = "the text is in UTF-16; it must be in UTF-8 or ASCII";
            return Err(Fault::unsupported(Place::Line(1), reason));
        }
        let mark = if head.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
        let first_end = memchr2(b'\r', b'\n', head);
        let return_ends_line = first_end
            .is_some_and(|at| head[at] == b'\r' && head.get(at + 1).is_some_and(|&next| next != b'\n'));
        input.consume(mark);
        Ok(Self { input, number: 0, joined: 0, joins: false, return_ends_line, end_bytes: 0 })
    }

    /// The same lines, where a backslash at the end of a line joins the next one to it (except after comments).
    pub fn with_joins(mut self) -> Self {
        self.joins = true;
        self
    }

    /// Back to the first line.
    pub fn rewind(&mut self) -> Result<(), Fault> {
        self.input.seek(0)?;
        (self.number, self.joined) = (0, 0);
        if self.input.fill(3)?.starts_with(&[0xef, 0xbb, 0xbf]) {
            self.input.consume(3);
        }
        Ok(())
    }

    /// The place of the last line given out.
    pub fn place(&self) -> Place {
        Place::Line(self.number)
    }

    /// Whether a carriage return alone ends a line, as the first line tells.
    #[cfg(feature = "parallel")]
    pub fn return_ends_line(&self) -> bool {
        self.return_ends_line
    }

    /// The number of the last line given out, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The input, standing at the first byte after the last line given out.
    pub fn input(&self) -> &Input<'a> {
        &self.input
    }

    /// The same, taken over by a reader of what follows the text.
    pub fn into_input(self) -> Input<'a> {
        self.input
    }

    /// The next line, without its end.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Line<'_>>, Fault> {
        self.number += 1 + self.joined;
        self.joined = 0;
        let mut searched = 0;
        let (length, ended) = loop {
            let window = self.input.window();
            let end = match self.return_ends_line {
                false => memchr(b'\n', &window[searched..]),
                true => memchr2(b'\n', b'\r', &window[searched..]),
            };
            if let Some(end) = end {
                let length = searched + end;
                let may_join = self.joins && length > 0 && matches!(window[length - 1], b'\\' | b'\r');
                if may_join && self.join(length) {
                    searched = length + 1;
                    continue;
                }
                break (length, true);
            }
            searched = window.len();
            if searched > LONGEST_LINE {
                return Err(Fault::new(self.place(), Reason::LineTooLong { limit: LONGEST_LINE }));
            }
            if !self.input.read_more()? {
                break (searched, false);
            }
        };
        if length == 0 && !ended {
            self.number -= 1;
            self.end_bytes = 0;
            return Ok(None);
        }
        self.end_bytes = usize::from(ended);
        self.input.consume(length + self.end_bytes);
        Ok(Some(self.end_of_line(length)))
    }

    /// The last bytes of the line that was given out last.
    #[inline]
    pub fn end_of_line(&self, length: usize) -> Line<'_> {
        Line { rest: self.input.last_consumed(length, self.end_bytes), number: self.number }
    }

    /// If the line that ends at `length` continues on the next: blanks the backslash and the line end.
    fn join(&mut self, length: usize) -> bool {
        let window = self.input.window_mut();
        let visible = length - usize::from(length > 0 && window[length - 1] == b'\r');
        if visible == 0 || window[visible - 1] != b'\\' {
            return false;
        }
        let is_comment = || window[..visible].iter().find(|&&byte| !is_blank(byte)) == Some(&b'#');
        if self.joined == 0 && is_comment() {
            return false;
        }
        window[visible - 1..=length].fill(b' ');
        self.joined += 1;
        true
    }
}

/// What is left of a line.
#[derive(Clone, Copy)]
pub(crate) struct Line<'l> {
    rest: &'l [u8],
    number: u64,
}

#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(b'\t') < 5
}

impl<'l> Line<'l> {
    /// A line of a block, whose number is not known and not needed.
    #[cfg(feature = "parallel")]
    pub fn unnumbered(rest: &'l [u8]) -> Self {
        Self { rest, number: 0 }
    }

    /// The place of the line.
    pub fn place(&self) -> Place {
        Place::Line(self.number)
    }

    /// What is left, without blanks before it. Empty at a comment.
    #[inline]
    pub fn rest(&mut self) -> &'l [u8] {
        while let [first, rest @ ..] = self.rest {
            if !is_blank(*first) {
                break;
            }
            self.rest = rest;
        }
        if self.rest.first() == Some(&b'#') {
            self.rest = &[];
        }
        self.rest
    }

    /// How many bytes are left.
    #[inline]
    pub fn length(&self) -> usize {
        self.rest.len()
    }

    /// Steps over bytes of what is left.
    #[inline]
    pub fn advance(&mut self, count: usize) {
        self.rest = &self.rest[count..];
    }

    /// Whether nothing but blanks and a comment is left.
    #[inline]
    pub fn is_done(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// The next word, or `None` at the end of the line.
    #[inline]
    pub fn word(&mut self) -> Option<&'l [u8]> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len());
        self.advance(length);
        Some(&rest[..length])
    }

    /// The next word as a coordinate, which must be finite.
    #[inline]
    pub fn coordinate(&mut self, axis: char) -> Result<f64, Fault> {
        let rest = self.rest();
        if let Ok((value, length)) = fast_float2::parse_partial::<f64, _>(rest)
            && rest.get(length).is_none_or(|&byte| is_blank(byte))
            && value.is_finite()
        {
            self.advance(length);
            return Ok(value);
        }
        Err(self.bad_coordinate(axis))
    }

    #[cold]
    fn bad_coordinate(&mut self, axis: char) -> Fault {
        let what = match axis {
            'x' => "the x coordinate",
            'y' => "the y coordinate",
            _ => "the z coordinate",
        };
        let Some(word) = self.word() else {
            return Fault::new(self.place(), Reason::Missing { what });
        };
        let reason = match fast_float2::parse::<f64, _>(word) {
            Ok(value) if !value.is_finite() => Reason::NotFinite { axis, value },
            _ => Reason::NotANumber { found: shown(word) },
        };
        Fault::new(self.place(), reason)
    }

    /// The next word as a whole number; `what` names it if it is missing.
    #[inline]
    pub fn whole(&mut self, what: &'static str) -> Result<i64, Fault> {
        let rest = self.rest();
        if let Some((value, length)) = leading_whole(rest)
            && rest.get(length).is_none_or(|&byte| is_blank(byte))
        {
            self.advance(length);
            return Ok(value);
        }
        Err(match self.word() {
            None => Fault::new(self.place(), Reason::Missing { what }),
            Some(word) => self.not_whole(word),
        })
    }

    /// An error about a word that is no whole number.
    #[cold]
    pub fn not_whole(&self, word: &[u8]) -> Fault {
        Fault::new(self.place(), Reason::NotWhole { found: shown(word) })
    }
}

/// The whole number that the bytes begin with, and its length. `None` if there is none or it is beyond 18 digits.
#[inline]
pub(crate) fn leading_whole(bytes: &[u8]) -> Option<(i64, usize)> {
    let (negative, sign) = match bytes.first()? {
        b'-' => (true, 1),
        b'+' => (false, 1),
        _ => (false, 0),
    };
    // With 19 digits the sum may wrap round, but then it is not used.
    let (mut value, mut digits) = (0_u64, 0);
    for byte in &bytes[sign..] {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.wrapping_mul(10).wrapping_add(digit.into());
        digits += 1;
    }
    let value = if negative { (value as i64).wrapping_neg() } else { value as i64 };
    (1..=18).contains(&digits).then_some((value, sign + digits))
}

/// A word of the file as it may appear in a message: short, and without control characters.
pub(crate) fn shown(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&word[..word.len().min(LONGEST)]);
    let mut text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if word.len() > LONGEST {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(bytes: &[u8], joins: bool) -> Vec<(u64, String)> {
        let mut lines = Lines::new(Input::from_slice(bytes).unwrap()).unwrap();
        if joins {
            lines = lines.with_joins();
        }
        let mut all = Vec::new();
        while let Some(mut line) = lines.next().unwrap() {
            let mut words = Vec::new();
            while let Some(word) = line.word() {
                words.push(String::from_utf8_lossy(word).into_owned());
            }
            all.push((line.number, words.join("|")));
        }
        all
    }

    fn numbered(lines: &[(u64, &str)]) -> Vec<(u64, String)> {
        lines.iter().map(|&(number, text)| (number, text.to_owned())).collect()
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let expected = numbered(&[(1, "a|b"), (2, ""), (3, "c")]);
        assert_eq!(lines_of(b"a b\n\nc\n", false), expected);
        assert_eq!(lines_of(b"a b\r\n\r\nc\r\n", false), expected);
        assert_eq!(lines_of(b"a\tb\r\rc\r", false), expected);
        assert_eq!(lines_of(b"a b #x\n#y\n  c", false), expected);
        assert_eq!(lines_of(b"\xef\xbb\xbfa b\n\nc", false), expected);
    }

    #[test]
    fn joined_lines_carry_the_number_of_the_first() {
        assert_eq!(lines_of(b"a \\\nb\\\r\nc\nd\n", true), numbered(&[(1, "a|b|c"), (4, "d")]));
        assert_eq!(lines_of(b"# C:\\\nd\n", true), numbered(&[(1, ""), (2, "d")]));
        assert_eq!(lines_of(b"a\\", true), numbered(&[(1, "a\\")]));
        assert_eq!(lines_of(b"a\\\n", true), numbered(&[(1, "a")]));
        assert_eq!(lines_of(&b"\\\n".repeat(500_000), true), numbered(&[(1, "")]));
        assert_eq!(lines_of(b"a\\\nb", false), numbered(&[(1, "a\\"), (2, "b")]));
    }

    #[test]
    fn a_line_longer_than_the_window_is_read_whole() {
        let long = "12 ".repeat(300_000);
        let text = format!("a\n{long}\nb");
        let all = lines_of(text.as_bytes(), false);
        assert_eq!(all.len(), 3);
        assert_eq!(all[1].1.len(), long.len() - 1);
        assert_eq!(all[2], (3, "b".to_owned()));
    }

    #[test]
    fn whole_numbers_stop_at_what_is_not_a_digit() {
        assert_eq!(leading_whole(b"12/3"), Some((12, 2)));
        assert_eq!(leading_whole(b"-7"), Some((-7, 2)));
        assert_eq!(leading_whole(b"+7 "), Some((7, 2)));
        assert_eq!(leading_whole(b"999999999999999999"), Some((999_999_999_999_999_999, 18)));
        for bad in [&b""[..], b"-", b"x", b"/1", b"1999999999999999999", b"-9223372036854775808"] {
            assert_eq!(leading_whole(bad), None);
        }
    }

    #[test]
    fn coordinates_are_read_as_the_nearest_f64() {
        let text = b"+1.5 -.5 1. 1e-3 0.1 2.2250738585072011e-308 179769313486231570000e288 -0\n";
        let mut lines = Lines::new(Input::from_slice(text).unwrap()).unwrap();
        let mut line = lines.next().unwrap().unwrap();
        for expected in [1.5, -0.5, 1.0, 1e-3, 0.1, 2.225_073_858_507_201e-308, f64::MAX, -0.0] {
            assert_eq!(line.coordinate('x').unwrap().to_bits(), f64::to_bits(expected));
        }
        assert!(line.is_done());
    }

    #[test]
    fn bad_coordinates_say_what_they_are() {
        let message = |text: &str| {
            let mut lines = Lines::new(Input::from_slice(text.as_bytes()).unwrap()).unwrap();
            lines.next().unwrap().unwrap().coordinate('y').unwrap_err().reason.to_string()
        };
        assert_eq!(message(" "), "the y coordinate is missing");
        assert_eq!(message("nan"), "the y coordinate is not finite: NaN");
        assert_eq!(message("-inf"), "the y coordinate is not finite: -inf");
        assert_eq!(message("1e999"), "the y coordinate is not finite: inf");
        assert_eq!(message("1,5"), "`1,5` is not a number");
        assert_eq!(message("1.0.0"), "`1.0.0` is not a number");
        assert_eq!(message("\u{1}"), "`\u{fffd}` is not a number");
    }
}
