//! Text in which the end of a line means little: values may be spread over lines at will.

use fracas::geom::DVec3;

use crate::error::{Fault, Place, Reason};
use crate::input::Input;
use crate::text::{Line, Lines};

/// Text in which values may be spread over lines: the lines, and where in the present one we are.
pub(crate) struct FreeText<'a> {
    lines: Lines<'a>,
    /// Bytes left of the present line.
    left_on_line: usize,
}

impl<'a> FreeText<'a> {
    pub fn new(input: Input<'a>) -> Result<Self, Fault> {
        Ok(Self::over(Lines::new(input)?))
    }

    /// From the next line on.
    pub fn over(lines: Lines<'a>) -> Self {
        Self { lines, left_on_line: 0 }
    }

    /// The lines after the present one.
    pub fn into_lines(self) -> Lines<'a> {
        self.lines
    }

    /// Number of the present line, counted from 1.
    pub fn line_number(&self) -> u64 {
        self.lines.number()
    }

    pub fn place(&self) -> Place {
        self.lines.place()
    }

    /// Bytes of the file that are not yet read.
    pub fn left(&self) -> u64 {
        self.lines.input().left() + self.left_on_line as u64
    }

    /// What is left of the present line.
    #[inline]
    pub fn line(&self) -> Line<'_> {
        self.lines.end_of_line(self.left_on_line)
    }

    /// Reads from the present line and remembers how far.
    #[inline]
    pub fn with_line<T>(&mut self, read: impl FnOnce(&mut Line<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let mut line = self.lines.end_of_line(self.left_on_line);
        let value = read(&mut line)?;
        self.left_on_line = line.length();
        Ok(value)
    }

    /// Goes on to a line that has something left. False at the end of the file.
    #[inline]
    pub fn next_content(&mut self) -> Result<bool, Fault> {
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

    pub fn skip_line(&mut self) {
        self.left_on_line = 0;
    }

    pub fn cut_short(&self, what: &str, read: u64, announced: u64) -> Fault {
        Fault::new(self.place(), Reason::CutShort { what: what.to_owned(), read, announced })
    }

    /// An error where the rest of the file cannot hold this many elements of at least this many values.
    pub fn check_announced(&self, what: &str, announced: u64, values: u64) -> Result<(), Fault> {
        // Each value is a digit and a blank, but for the last blank of the file.
        let needed = (u128::from(announced) * u128::from(values) * 2).saturating_sub(1);
        // What is left of the present line counts too.
        let left = self.left();
        if needed <= u128::from(left) {
            return Ok(());
        }
        let what = what.to_owned();
        Err(Fault::new(self.place(), Reason::NotEnoughBytes { what, announced, needed, left }))
    }

    /// The next word, wherever it is, in capitals; empty at the end of the file.
    pub fn keyword(&mut self) -> Result<String, Fault> {
        if !self.next_content()? {
            return Ok(String::new());
        }
        let word = self.with_line(|line| Ok(line.word().map(<[u8]>::to_ascii_uppercase)))?;
        Ok(String::from_utf8_lossy(&word.unwrap_or_default()).into_owned())
    }

    /// The next whole number, wherever it is; `what` names it if it is missing.
    pub fn whole(&mut self, what: &'static str) -> Result<i64, Fault> {
        self.next_content()?;
        self.with_line(|line| line.whole(what))
    }

    /// The same for a number of things, which is not negative.
    pub fn count(&mut self, what: &'static str) -> Result<u64, Fault> {
        let value = self.whole(what)?;
        u64::try_from(value)
            .map_err(|_| Fault::malformed(self.place(), format!("{what} is negative: {value}")))
    }

    /// The next three numbers, wherever they are.
    pub fn position(&mut self) -> Result<DVec3, Fault> {
        let mut position = DVec3::ZERO;
        for (axis, name) in ['x', 'y', 'z'].into_iter().enumerate() {
            self.next_content()?;
            position[axis] = self.with_line(|line| line.coordinate(name))?;
        }
        Ok(position)
    }
}
