//! Points from a file: the vertices of a mesh, or text.
//!
//! A name with the ending of a mesh format, and `shape:NAME`, is a mesh. Everything else is text: three numbers on each
//! line, apart by spaces, tabs, commas or semicolons; lines that are empty or begin with `#` are skipped.

use std::ffi::OsStr;
use std::path::Path;

use fracas::geom::DVec3;
use fracas_io::Format;

use crate::error::Failure;
use crate::input::{self, Input};

/// The points that a word of the command line names, in the order of the file.
pub(super) fn read(word: &OsStr) -> Result<Vec<DVec3>, Failure> {
    let input = Input::parse(word)?;
    match input.file() {
        Some(file) if Format::from_path(file).is_none() => read_text(file),
        _ => Ok(input.load(false)?.positions().to_vec()),
    }
}

fn read_text(file: &Path) -> Result<Vec<DVec3>, Failure> {
    let name = file.display().to_string();
    let text = input::read_text(file)?;
    let mut points = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if let Some(point) = point(text).map_err(|what| Failure::Line { file: name.clone(), line, what })? {
            points.push(point);
        }
    }
    Ok(points)
}

/// The point on a line; `None` if the line is empty or a comment.
fn point(line: &str) -> Result<Option<DVec3>, String> {
    let line = line.trim().trim_start_matches('\u{feff}');
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || c == ',' || c == ';')
        .filter(|word| !word.is_empty())
        .collect();
    let &[x, y, z] = &words[..] else {
        return Err(format!("a point has 3 coordinates, not {}", words.len()));
    };
    let mut numbers = [0.0_f64; 3];
    for (number, word) in numbers.iter_mut().zip([x, y, z]) {
        *number = word.parse().map_err(|_| format!("`{word}` is not a number"))?;
        if !number.is_finite() {
            return Err(format!("the coordinate {word} is not finite"));
        }
    }
    Ok(Some(DVec3::from_array(numbers)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_points_in_any_common_notation() {
        let read = |line: &str| point(line).unwrap();
        for line in ["1 -2.5 3e1", "  1,-2.5,\t30\r", "1; -2.5; 30", "\u{feff}1 -2.5 30"] {
            assert_eq!(read(line), Some(DVec3::new(1.0, -2.5, 30.0)), "{line:?}");
        }
        assert!(["", "  ", "# x y z"].iter().all(|line| read(line).is_none()));
    }

    #[test]
    fn lines_that_are_no_points_say_why() {
        let complaint = |line: &str| point(line).unwrap_err();
        assert_eq!(complaint("1 2"), "a point has 3 coordinates, not 2");
        assert_eq!(complaint("1 2 3 4"), "a point has 3 coordinates, not 4");
        assert_eq!(complaint("1 two 3"), "`two` is not a number");
        assert_eq!(complaint("1 2 inf"), "the coordinate inf is not finite");
        assert_eq!(complaint("1 2 1e999"), "the coordinate 1e999 is not finite");
    }
}
