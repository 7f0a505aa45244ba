//! Tables: one set of cells, written as Markdown, HTML or plain text.

use crate::page::escaped;
use std::fmt::Write;

/// On which side the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table with a heading for each column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What the table shows, in a sentence.
    pub caption: String,
    head: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these columns.
    ///
    /// ```
    /// use fracas_plot::{Align, Table};
    /// let mut table = Table::new("Sizes", [("mesh", Align::Left), ("triangles", Align::Right)]);
    /// table.row(["ball", "1,280"]);
    /// assert_eq!(table.markdown(), "Sizes\n\n| mesh | triangles |\n|---|---:|\n| ball | 1,280 |\n");
    /// ```
    #[must_use]
    pub fn new<'a>(caption: impl Into<String>, head: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        let head = head.into_iter().map(|(name, align)| (name.to_owned(), align)).collect();
        Self { caption: caption.into(), head, rows: Vec::new() }
    }

    /// Adds a row. Cells beyond the columns are dropped; those that are missing stay empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).take(self.head.len()).collect();
        row.resize(self.head.len(), String::new());
        self.rows.push(row);
    }

    /// The table in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = format!("{}\n\n", self.caption);
        text += &line(&mut self.head.iter().map(|(name, _)| name.clone()));
        let rule = |align: &Align| if *align == Align::Left { "---" } else { "---:" };
        let rules: Vec<&str> = self.head.iter().map(|(_, align)| rule(align)).collect();
        text += &format!("|{}|\n", rules.join("|"));
        for row in &self.rows {
            text += &line(&mut row.iter().cloned());
        }
        text
    }

    /// The table in HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let mut text = format!("<table><caption>{}</caption>\n<thead><tr>", escaped(&self.caption));
        let class = |align: Align| if align == Align::Left { "" } else { " class=\"number\"" };
        // Writing to a string does not fail.
        for (name, align) in &self.head {
            let _ = write!(text, "<th scope=\"col\"{}>{}</th>", class(*align), escaped(name));
        }
        text += "</tr></thead>\n<tbody>\n";
        for row in &self.rows {
            text += "<tr>";
            for (cell, (_, align)) in row.iter().zip(&self.head) {
                let _ = write!(text, "<td{}>{}</td>", class(*align), escaped(cell));
            }
            text += "</tr>\n";
        }
        text + "</tbody></table>\n"
    }

    /// The table as plain text, columns aligned.
    #[must_use]
    pub fn text(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.fold(self.head[column].0.chars().count(), usize::max)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |cells: &mut dyn Iterator<Item = &String>| {
            let padded = cells.zip(&self.head).zip(&widths).map(|((cell, (_, align)), &width)| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
            format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
        };
        let mut text = format!("{}\n", self.caption);
        text += &line(&mut self.head.iter().map(|(name, _)| name));
        for row in &self.rows {
            text += &line(&mut row.iter());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_escaped_and_rows_are_as_wide_as_the_head() {
        let mut table = Table::new("a < b", [("x", Align::Left), ("y", Align::Right)]);
        table.row(["<b>|"]);
        table.row(["1", "2", "3"]);
        assert!(table.html().contains("<td>&lt;b&gt;|</td><td class=\"number\"></td>"));
        assert!(table.html().contains("a &lt; b"));
        assert!(table.markdown().contains("| <b>\\| |  |\n| 1 | 2 |"));
        assert_eq!(table.text(), "a < b\nx     y\n<b>|\n1     2\n");
    }
}
