//! The answers of `analyze`: a table for people, CSV and JSON for programs.

use std::io::{self, Write};

use serde::Serialize;

use super::{Align, Table, grouped};
use crate::analyze::{Crowding, Finding};
use crate::error::one_line;

/// Prints a line for each mesh, then mean and deviation over all meshes with triangles.
///
/// # Errors
/// Those of the writer.
pub fn write_table(out: &mut dyn Write, findings: &[Finding]) -> io::Result<()> {
    let mut table = Table::new([
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
    ]);
    table.row(["mesh", "triangles", "k", "mean k", "neighbours", "height", ""]);
    for finding in findings {
        let path = one_line(&finding.path);
        match &finding.result {
            Ok(c) if c.triangles == 0 => table.row([path.as_str(), "0", "–", "–", "–", "–", "empty"]),
            Ok(c) => table.row([
                path,
                grouped(c.triangles),
                grouped(c.k as usize),
                format!("{:.1}", c.mean),
                format!("{:.1}", c.adjacent),
                c.height.to_string(),
                String::new(),
            ]),
            Err(failure) => {
                let reason = one_line(&failure.to_string());
                // Most reasons begin with the name of the file, which the row has already.
                let reason = reason
                    .strip_prefix(&path)
                    .map_or(reason.as_str(), |rest| rest.trim_start_matches([':', ',', ' ']));
                table.row([path.as_str(), "–", "–", "–", "–", "–", reason]);
            }
        }
    }
    table.write(out, "")?;
    let measured: Vec<(&str, &Crowding)> = measured(findings).collect();
    let Some((worst, most)) = measured.iter().max_by_key(|(_, c)| c.k).copied() else { return Ok(()) };
    if measured.len() > 1 {
        let (k, k_sd) = mean_and_deviation(measured.iter().map(|(_, c)| f64::from(c.k)));
        let (height, height_sd) = mean_and_deviation(measured.iter().map(|(_, c)| f64::from(c.height)));
        writeln!(
            out,
            "\n{} meshes: k {k:.2} (deviation {k_sd:.2}), height {height:.2} ({height_sd:.2})",
            grouped(measured.len())
        )?;
        writeln!(out, "largest k: {} of {}", grouped(most.k as usize), one_line(worst))?;
    }
    Ok(())
}

/// Meshes with triangles.
pub(super) fn measured(findings: &[Finding]) -> impl Iterator<Item = (&str, &Crowding)> {
    let with_triangles = |finding: &'_ Finding| finding.result.as_ref().is_ok_and(|c| c.triangles > 0);
    findings
        .iter()
        .filter(move |finding| with_triangles(finding))
        .filter_map(|finding| Some((finding.path.as_str(), finding.result.as_ref().ok()?)))
}

fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|x| (x - mean) * (x - mean)).sum();
    (mean, if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { 0.0 })
}

/// `path,triangles,k,mean_k,adjacent,height,error`, a line for each mesh.
///
/// # Errors
/// Those of the writer.
pub fn write_csv(out: &mut dyn Write, findings: &[Finding]) -> io::Result<()> {
    writeln!(out, "path,triangles,k,mean_k,adjacent,height,error")?;
    let quoted = |text: &str| format!("\"{}\"", one_line(text).replace('"', "\"\""));
    for finding in findings {
        let path = quoted(&finding.path);
        match &finding.result {
            Ok(Crowding { triangles, k, mean, adjacent, height }) => {
                writeln!(out, "{path},{triangles},{k},{mean},{adjacent},{height},")?;
            }
            Err(failure) => writeln!(out, "{path},,,,,,{}", quoted(&failure.to_string()))?,
        }
    }
    Ok(())
}

#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Measured { path: &'a str, triangles: usize, k: u32, mean_k: f64, adjacent: f64, height: u32 },
    Failure { path: &'a str, error: String },
}

/// An array with one object per mesh: `path`, `triangles`, `k`, `mean_k`, `adjacent` and `height`, or `path` and `error`.
///
/// # Errors
/// Those of the writer.
pub fn write_json(out: &mut dyn Write, findings: &[Finding]) -> io::Result<()> {
    let lines: Vec<Line> = findings.iter().map(line).collect();
    serde_json::to_writer(&mut *out, &lines)?;
    writeln!(out)
}

fn line(finding: &Finding) -> Line<'_> {
    let path = finding.path.as_str();
    match &finding.result {
        Ok(c) => Line::Measured {
            path,
            triangles: c.triangles,
            k: c.k,
            mean_k: c.mean,
            adjacent: c.adjacent,
            height: c.height,
        },
        Err(failure) => Line::Failure { path, error: failure.to_string() },
    }
}
