//! Columns that line up, and numbers that can be read.

use std::io::{self, Write};

/// Rows of cells, printed in columns as wide as their widest cell.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

/// The side to which the cells of a column are pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(columns: impl IntoIterator<Item = Align>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row, one cell per column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.columns.len(), "a row has one cell per column");
        self.rows.push(cells);
    }

    /// Prints the rows, each behind `indent`, columns two spaces apart.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut dyn Write, indent: &str) -> io::Result<()> {
        let width = |cell: &String| cell.chars().count();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| self.rows.iter().map(|row| width(&row[column])).max().unwrap_or(0))
            .collect();
        for row in &self.rows {
            let cells =
                row.iter().zip(&widths).zip(&self.columns).map(|((cell, width), align)| match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                });
            let line = cells.collect::<Vec<_>>().join("  ");
            writeln!(out, "{indent}{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A number with its digits in groups of three.
///
/// ```
/// use fracas_cli::output::grouped;
/// assert_eq!([0, 999, 1_000, 92_112, 1_234_567].map(grouped), ["0", "999", "1,000", "92,112", "1,234,567"]);
/// ```
#[must_use]
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new([Align::Left, Align::Right, Align::Left]);
        table.row(["mesh", "triangles", ""]);
        table.row(["größe.obj", "12", "closed"]);
        let mut text = Vec::new();
        table.write(&mut text, "  ").unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, "  mesh       triangles\n  größe.obj         12  closed\n");
    }
}
