//! Files of continuous queries.
//!
//! Eight rows make a query: four points at t = 0, then the same four at t = 1. A row holds three fractions, each as
//! `numerator,denominator`, and perhaps a label, 0 or 1, which is the same in all rows of a query. Fractions must be
//! `f64` numbers, so that the answer is exact for what the file says.

use std::path::Path;

use fracas::exact::MovingPoint;
use fracas::geom::DVec3;
use num_bigint::BigInt;

use crate::error::Failure;
use crate::input;

/// Rows of a query.
const ROWS: usize = 8;

/// What a file holds.
#[derive(Debug)]
pub(super) struct Queries {
    pub(super) points: Vec<[MovingPoint; 4]>,
    /// Whether there is contact, as others found.
    pub(super) labels: Option<Vec<bool>>,
}

impl Queries {
    /// Reads queries, and labels from a second file or else from the last column.
    pub(super) fn read(file: &Path, labels: Option<&Path>) -> Result<Self, Failure> {
        let text = input::read_text(file)?;
        let mut rows: Vec<(usize, Row)> = vec![];
        for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
            rows.push((line, row(text).map_err(|what| failure(file, line, what))?));
        }
        let mut found = Self { points: vec![], labels: None };
        let mut column = vec![];
        for query in rows.chunks(ROWS) {
            let (line, last) = &query[query.len() - 1];
            if query.len() < ROWS {
                let what = format!("the last query has {} rows instead of {ROWS}", query.len());
                return Err(failure(file, *line, what));
            }
            if let Some((line, _)) = query.iter().find(|(_, row)| row.label != last.label) {
                return Err(failure(file, *line, "the rows of one query have different labels".into()));
            }
            let at = |k: usize| query[k].1.position;
            found.points.push([0, 1, 2, 3].map(|k| MovingPoint { start: at(k), end: at(4 + k) }));
            column.extend(last.label);
        }
        if let Some(labels) = labels {
            found.labels = Some(read_labels(labels, found.points.len())?);
        } else if column.len() == found.points.len() && !column.is_empty() {
            found.labels = Some(column);
        }
        Ok(found)
    }
}

struct Row {
    position: DVec3,
    label: Option<bool>,
}

fn row(text: &str) -> Result<Row, String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    if !(6..=7).contains(&words.len()) {
        return Err(format!("a row has 6 numbers and perhaps a label, not {} values", words.len()));
    }
    let coordinate = |k: usize| fraction(words[2 * k], words[2 * k + 1]);
    let position = DVec3::new(coordinate(0)?, coordinate(1)?, coordinate(2)?);
    let label = match words.get(6) {
        None => None,
        Some(&"0") => Some(false),
        Some(&"1") => Some(true),
        Some(word) => return Err(format!("`{word}` is not a label: 0 or 1")),
    };
    Ok(Row { position, label })
}

/// The value of a fraction that is an `f64`.
fn fraction(numerator: &str, denominator: &str) -> Result<f64, String> {
    let integer = |word: &str| word.parse::<BigInt>().map_err(|_| format!("`{word}` is not an integer"));
    let (n, d) = (integer(numerator)?, integer(denominator)?);
    let Some(power) = d.trailing_zeros() else {
        return Err(format!("{numerator}/{denominator} divides by zero"));
    };
    let Some(zeros) = n.trailing_zeros() else { return Ok(0.0) };
    let refusal =
        || format!("{numerator}/{denominator} is not an f64 number, so it cannot be answered exactly");
    // A common odd factor may be left: m / o · 2ᵉ.
    let (m, o) = (n >> zeros, d >> power);
    let exact = &m / &o;
    if &exact * &o != m {
        return Err(refusal());
    }
    let exponent = i32::try_from(zeros as i64 - power as i64).map_err(|_| refusal())?;
    let digits = i64::try_from(&exact).map_err(|_| refusal())?;
    let is_f64 = exact.bits() <= 53 && exponent >= -1074 && exact.bits() as i32 + exponent <= 1024;
    if !is_f64 {
        return Err(refusal());
    }
    // Two exact steps: 2ᵉ alone may be out of range.
    Ok(digits as f64 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2))
}

/// A JSON list of as many labels as there are queries.
fn read_labels(file: &Path, count: usize) -> Result<Vec<bool>, Failure> {
    let labels: Vec<bool> = serde_json::from_str(&input::read_text(file)?)
        .map_err(|error| failure(file, error.line(), format!("not a list of true and false ({error})")))?;
    if labels.len() == count {
        Ok(labels)
    } else {
        Err(failure(file, 1, format!("{} labels for {count} queries", labels.len())))
    }
}

fn failure(file: &Path, line: usize, what: String) -> Failure {
    Failure::Line { file: file.display().to_string(), line, what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact_or_refused() {
        assert_eq!(fraction("0", "7"), Ok(0.0));
        assert_eq!(fraction("-3", "4"), Ok(-0.75));
        assert_eq!(fraction("6", "12"), Ok(0.5));
        assert_eq!(fraction("-3", "-4"), Ok(0.75));
        let [tiny, huge] = [BigInt::from(1) << 1074u32, BigInt::from(1) << 1023u32].map(|x| x.to_string());
        assert_eq!(fraction("1", &tiny), Ok(f64::from_bits(1)));
        assert_eq!(fraction("9007199254740991", &tiny), Ok(9007199254740991.0 * f64::from_bits(1)));
        assert_eq!(fraction(&huge, "1"), Ok(2f64.powi(1023)));
        for (n, d) in
            [("1", "3"), ("1", "0"), ("9007199254740993", "1"), ("x", "1"), ("1", ""), ("1", &(tiny + "0"))]
        {
            assert!(fraction(n, d).is_err(), "{n}/{d}");
        }
    }
}
