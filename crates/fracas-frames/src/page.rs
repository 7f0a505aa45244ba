//! A recording inside the page that plays it: texts in base64.
//!
//! ```text
//!   viewer · head of the recording · groups of frames, each a text of its own      all inside
//!   viewer · head of the recording                                                 groups in a folder beside the page
//! ```

use crate::Recording;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::{self, Write};

/// Where the data goes in a viewer without data.
pub const PLACE: &str = "<!--fracas-data-->";

/// What every page with data has in it.
pub const MARK: &str = "id=\"fracas-head\"";

/// Writes a viewer with a recording inside; with `beside`, the name of a folder, only its head.
///
/// # Errors
/// Those of the writer.
pub fn write(
    out: &mut dyn Write,
    viewer: &str,
    recording: &Recording,
    beside: Option<&str>,
) -> io::Result<()> {
    let (before, after) = viewer.split_once(PLACE).unwrap_or((viewer, ""));
    out.write_all(before.as_bytes())?;
    let place = beside.map_or(String::new(), |folder| format!(" data-beside=\"{folder}\""));
    write!(out, "<script type=\"text/plain\" {MARK}{place}>")?;
    write_base64(out, &recording.head())?;
    writeln!(out, "</script>")?;
    if beside.is_none() {
        for (number, group) in recording.groups().iter().enumerate() {
            write!(out, "<script type=\"text/plain\" id=\"fracas-group-{number}\">")?;
            write_base64(out, group)?;
            writeln!(out, "</script>")?;
        }
    }
    out.write_all(after.as_bytes())
}

/// Writes bytes as one text in base64.
///
/// # Errors
/// Those of the writer.
pub fn write_base64(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    // Whole triples, so that pieces follow each other without padding between them.
    bytes.chunks(3 << 16).try_for_each(|chunk| out.write_all(STANDARD.encode(chunk).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_base64_are_one_text() {
        let bytes: Vec<u8> = (0..500_000_u32).map(|k| ((k * 7919) >> 3) as u8).collect();
        let mut text = Vec::new();
        write_base64(&mut text, &bytes).unwrap();
        assert_eq!(STANDARD.decode(text).unwrap(), bytes);
    }
}
