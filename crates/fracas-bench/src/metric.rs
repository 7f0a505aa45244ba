//! What a benchmark prints: rows for people, or one JSON object per metric and line.

use serde_json::json;

/// Whether larger or smaller values are good.
#[derive(Clone, Copy)]
pub enum Better {
    Higher,
    Lower,
}

/// Prints what is measured, in the form asked for.
pub struct Report {
    json: bool,
}

impl Report {
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// A line for people; goes to standard error with `--json`.
    pub fn say(&self, line: &str) {
        if self.json {
            eprintln!("{line}");
        } else {
            println!("{line}");
        }
    }

    /// A number that is promised somewhere.
    pub fn metric(&mut self, name: &str, value: f64, unit: &str, better: Better, note: &str) {
        let direction = match better {
            Better::Higher => "higher",
            Better::Lower => "lower",
        };
        if self.json {
            let rounded = (value * 1e4).round() / 1e4;
            println!(
                "{}",
                json!({"metric": name, "value": rounded, "unit": unit, "better": direction, "note": note})
            );
        } else {
            println!("  → {name:<34} {value:>9.3} {unit:<6} ({direction} is better)  {note}");
        }
    }
}
