//! What a benchmark prints: rows for people, or one JSON object per metric and line.

use crate::cores::Limits;
use fracas_plot::{Align, Table};
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
    /// What the user restricts the run to.
    pub limits: Limits,
    /// Every metric so far: name, value, unit, what is better, note.
    metrics: Vec<[String; 5]>,
}

impl Report {
    pub fn new(json: bool) -> Self {
        Self { json, limits: Limits::default(), metrics: Vec::new() }
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
        let shown = format!("{value:.3}");
        self.metrics.push([name, &shown, unit, direction, note].map(str::to_owned));
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

    /// All metrics so far.
    pub fn table(&self) -> Table {
        let head = [
            ("metric", Align::Left),
            ("value", Align::Right),
            ("unit", Align::Left),
            ("better", Align::Left),
            ("note", Align::Left),
        ];
        let mut table = Table::new("What this run measured.", head);
        self.metrics.iter().for_each(|metric| table.row(metric.clone()));
        table
    }
}
