//! The sections of a binary file: lines of text, each followed by numbers, high byte first.
//!
//! Lists of cells are 32-bit numbers; `OFFSETS` and `CONNECTIVITY` name their own type, as do points and fields. What comes after the
//! last of the three sections is not looked at.

use fracas::geom::DVec3;
use memchr::memchr;

use super::Cells;
use crate::error::{Fault, Place, Reason};
use crate::input::Input;
use crate::tets::Parts;
use crate::text::shown;

/// Lines between the numbers are short.
const LONGEST_LINE: usize = 1 << 16;

pub(super) fn read(input: Input<'_>) -> Result<Parts, Fault> {
    let mut file = Binary { input };
    let (mut positions, mut cells, mut types) = (None, None, None);
    while positions.is_none() || cells.is_none() || types.is_none() {
        let place = file.input.place();
        let Some(line) = file.line()? else {
            let missing = match (&positions, &cells) {
                (None, _) => "points",
                (_, None) => "cells",
                _ => "cell types",
            };
            return Err(Fault::malformed(place, format!("the file has no section of {missing}")));
        };
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            [] => {}
            [word, count, kind] if word.eq_ignore_ascii_case("POINTS") => {
                positions = Some(file.points(whole(count, &place)?, kind, &place)?);
            }
            [word, first, second] if word.eq_ignore_ascii_case("CELLS") => {
                cells = Some(file.cells(whole(first, &place)?, whole(second, &place)?)?);
            }
            [word, count] if word.eq_ignore_ascii_case("CELL_TYPES") => {
                types = Some(file.wholes("cell types", whole(count, &place)?, 4)?);
            }
            [word, _, count] if word.eq_ignore_ascii_case("FIELD") => {
                file.skip_field(whole(count, &place)?)?
            }
            [word, ..] if word.eq_ignore_ascii_case("METADATA") => {
                while file.line()?.is_some_and(|line| !line.trim_ascii().is_empty()) {}
            }
            _ => {
                let reason = format!("`{}` is not the beginning of a section", shown(line.as_bytes()));
                return Err(Fault::malformed(place, reason));
            }
        }
    }
    let (positions, cells) = (positions.unwrap_or_default(), cells.unwrap_or_default());
    let tets = cells.tetrahedra(&types.unwrap_or_default(), positions.len(), file.input.place())?;
    Ok((positions, tets))
}

struct Binary<'a> {
    input: Input<'a>,
}

impl Binary<'_> {
    /// The next line without its end; `None` at the end of the file.
    fn line(&mut self) -> Result<Option<String>, Fault> {
        let place = self.input.place();
        let window = self.input.fill(LONGEST_LINE)?;
        if window.is_empty() {
            return Ok(None);
        }
        let window = &window[..window.len().min(LONGEST_LINE)];
        let (length, end) = match memchr(b'\n', window) {
            Some(at) => (at, 1),
            None if window.len() < LONGEST_LINE => (window.len(), 0),
            None => return Err(Fault::new(place, Reason::LineTooLong { limit: LONGEST_LINE })),
        };
        let line = String::from_utf8_lossy(&window[..length]).into_owned();
        self.input.consume(length + end);
        Ok(Some(line))
    }

    fn points(&mut self, count: u64, kind: &str, place: &Place) -> Result<Vec<DVec3>, Fault> {
        let size = match kind.to_ascii_lowercase().as_str() {
            "float" => 4,
            "double" => 8,
            _ => {
                let reason = format!("points of type `{}` are not read", shown(kind.as_bytes()));
                return Err(Fault::unsupported(place.clone(), reason));
            }
        };
        self.input.check_announced("points", count, 3 * size as u64)?;
        let mut positions = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let place = self.input.place();
            let bytes = self.input.fill(3 * size)?;
            let coordinate = |axis: usize| {
                let bytes = bytes.get(axis * size..(axis + 1) * size).unwrap_or_default();
                match (bytes.first_chunk::<8>(), bytes.first_chunk::<4>()) {
                    (Some(&bytes), _) => f64::from_be_bytes(bytes),
                    (_, Some(&bytes)) => f64::from(f32::from_be_bytes(bytes)),
                    _ => f64::NAN,
                }
            };
            let position = DVec3::new(coordinate(0), coordinate(1), coordinate(2));
            if !position.is_finite() {
                return Err(Fault::not_finite(position, place));
            }
            positions.push(position);
            self.input.consume(3 * size);
        }
        Ok(positions)
    }

    /// Whole numbers of 4 or 8 bytes.
    fn wholes(&mut self, what: &str, count: u64, size: usize) -> Result<Vec<i64>, Fault> {
        self.input.check_announced(what, count, size as u64)?;
        let mut values = Vec::with_capacity(count as usize);
        for done in 0..count {
            let place = self.input.place();
            let bytes = self.input.fill(size)?;
            let value = match (size, bytes.first_chunk::<8>(), bytes.first_chunk::<4>()) {
                (8, Some(&bytes), _) => i64::from_be_bytes(bytes),
                (4, _, Some(&bytes)) => i64::from(i32::from_be_bytes(bytes)),
                _ => {
                    let reason = Reason::CutShort { what: what.to_owned(), read: done, announced: count };
                    return Err(Fault::new(place, reason));
                }
            };
            values.push(value);
            self.input.consume(size);
        }
        Ok(values)
    }

    fn cells(&mut self, first: u64, second: u64) -> Result<Cells, Fault> {
        // As the length of a cell these letters would be more than a file can hold.
        let has_offsets =
            self.input.fill(7)?.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"OFFSETS"));
        if has_offsets {
            let size = self.type_after("OFFSETS")?;
            let starts = self.wholes("offsets", first, size)?;
            let size = self.type_after("CONNECTIVITY")?;
            return Ok(Cells { starts, points: self.wholes("corners", second, size)? });
        }
        let list = self.wholes("numbers of cells", second, 4)?;
        Cells::from_list(&list, first, self.input.place())
    }

    /// Bytes per number, from a line such as `OFFSETS vtktypeint64`; empty lines before it are passed over.
    fn type_after(&mut self, word: &'static str) -> Result<usize, Fault> {
        let (mut place, mut line) = (self.input.place(), self.line()?);
        while line.as_ref().is_some_and(|line| line.trim_ascii().is_empty()) {
            (place, line) = (self.input.place(), self.line()?);
        }
        let line = line.unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        if !words.next().is_some_and(|found| found.eq_ignore_ascii_case(word)) {
            return Err(Fault::malformed(place, format!("{word} is missing")));
        }
        let kind = words.next().unwrap_or_default();
        match size_of(kind) {
            Some(size @ (4 | 8)) if !is_real(kind) => Ok(size as usize),
            _ => {
                let reason = format!("{word} of type `{}` are not read", shown(kind.as_bytes()));
                Err(Fault::unsupported(place, reason))
            }
        }
    }

    /// Arrays of a field: a line `name components tuples type` and the numbers of each.
    fn skip_field(&mut self, arrays: u64) -> Result<(), Fault> {
        let mut done = 0;
        while done < arrays {
            let place = self.input.place();
            let Some(line) = self.line()? else {
                let reason = Reason::CutShort { what: "arrays".into(), read: done, announced: arrays };
                return Err(Fault::new(place, reason));
            };
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            match words[..] {
                [] => {}
                ["METADATA", ..] => while self.line()?.is_some_and(|line| !line.trim_ascii().is_empty()) {},
                [_, components, tuples, kind] => {
                    let Some(size) = size_of(kind) else {
                        let reason =
                            format!("a field of type `{}` cannot be skipped", shown(kind.as_bytes()));
                        return Err(Fault::unsupported(place, reason));
                    };
                    let count = u128::from(whole(components, &place)?) * u128::from(whole(tuples, &place)?);
                    let needed = count * u128::from(size);
                    let announced = u64::try_from(count).unwrap_or(u64::MAX);
                    self.input.check_room(place, "numbers of a field", announced, needed)?;
                    self.input.skip(needed as u64)?;
                    done += 1;
                }
                _ => {
                    let reason = format!("`{}` is not the beginning of an array", shown(line.as_bytes()));
                    return Err(Fault::malformed(place, reason));
                }
            }
        }
        Ok(())
    }
}

/// Bytes of a number of a type, by its name in the file.
fn size_of(kind: &str) -> Option<u64> {
    match kind.to_ascii_lowercase().as_str() {
        "char" | "unsigned_char" | "signed_char" | "vtktypeint8" | "vtktypeuint8" => Some(1),
        "short" | "unsigned_short" | "vtktypeint16" | "vtktypeuint16" => Some(2),
        // Ids are always written with 32 bits.
        "int" | "unsigned_int" | "float" | "vtkidtype" | "vtktypeint32" | "vtktypeuint32" => Some(4),
        "long" | "unsigned_long" | "double" | "vtktypeint64" | "vtktypeuint64" => Some(8),
        _ => None,
    }
}

fn is_real(kind: &str) -> bool {
    ["float", "double"].iter().any(|real| kind.eq_ignore_ascii_case(real))
}

fn whole(word: &str, place: &Place) -> Result<u64, Fault> {
    let not_whole = || Reason::NotWhole { found: shown(word.as_bytes()).to_string() };
    word.parse().map_err(|_| Fault::new(place.clone(), not_whole()))
}
