//! Answers for people: short, the important first.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use fracas::mesh::Report;
use fracas::{Features, Touch};

use super::{Align, Summary, Table, grouped, milliseconds};
use crate::ccd::{BodyImpact, BodyImpacts, Impacts};
use crate::error::one_line;
use crate::find::MeshPair;
use crate::info::Finding;

/// Lines of a list; the rest is counted.
pub(super) const FEW: usize = 5;

/// Prints meshes, number of pairs, the first of them, and times.
///
/// # Errors
/// Those of the writer.
pub fn write_check(
    out: &mut dyn Write,
    summary: &Summary,
    pairs: &[MeshPair],
    files: &[&Path],
) -> io::Result<()> {
    write_meshes(out, summary)?;
    let verb = match summary.touch {
        Touch::Include => "intersect",
        Touch::Proper => "cross",
    };
    if pairs.is_empty() {
        writeln!(out, "\nNo triangles {verb}.")?;
    } else {
        let (noun, verb) =
            if pairs.len() == 1 { ("pair", format!("{verb}s")) } else { ("pairs", verb.to_owned()) };
        let (count, part) = (grouped(pairs.len()), grouped(triangles_in(pairs)));
        writeln!(out, "\n{count} {noun} of triangles {verb}; {part} triangles take part.")?;
        if summary.meshes.len() > 1 {
            write_meetings(out, summary, pairs)?;
        }
        write_first(out, summary, pairs)?;
    }
    for file in files {
        let which = if pairs.is_empty() { "no triangles" } else { "these triangles" };
        writeln!(out, "\nWrote {} with {which} in red.", one_line(&file.display().to_string()))?;
    }
    let [load, build, find] = [summary.load, summary.build, summary.find].map(written);
    let with = match (summary.engine, summary.threads) {
        // Brute force has no use for more than one, and a graphics card has its own.
        ("brute" | "gpu", _) => String::new(),
        (_, 1) => ", 1 thread".to_owned(),
        (_, threads) => format!(", {threads} threads"),
    };
    writeln!(out, "\nload {load}, build {build}, find {find} ({}{with})", summary.engine)
}

/// The number of impacts and the first of them.
///
/// # Errors
/// Those of the writer.
pub fn write_body_impacts(out: &mut dyn Write, found: &BodyImpacts) -> io::Result<()> {
    let BodyImpacts { first, touching_at_start, impacts, load, find } = found;
    match first {
        Some([low, high]) => {
            let noun = if impacts.len() == 1 { "impact" } else { "impacts" };
            writeln!(
                out,
                "{} {noun}; the first contact is at t = {}.",
                grouped(impacts.len()),
                0.5 * (low + high)
            )?;
        }
        None => writeln!(out, "Nothing touches during the step.")?,
    }
    if *touching_at_start {
        writeln!(
            out,
            "Triangles intersect at the start: what is through already need not meet anything again."
        )?;
    }
    for impact in impacts.iter().take(FEW) {
        let BodyImpact { first, second, features, time: [low, high] } = impact;
        let time = 0.5 * (low + high);
        match features {
            Features::VertexTriangle(vertex, triangle) => {
                writeln!(
                    out,
                    "  t = {time:.9}  vertex {vertex} of mesh {first}, triangle {} of mesh {second}",
                    triangle.0
                )?;
            }
            Features::TriangleVertex(triangle, vertex) => {
                writeln!(
                    out,
                    "  t = {time:.9}  vertex {vertex} of mesh {second}, triangle {} of mesh {first}",
                    triangle.0
                )?;
            }
            Features::EdgeEdge([v, w], [x, y]) => {
                writeln!(
                    out,
                    "  t = {time:.9}  edge {v}–{w} of mesh {first}, edge {x}–{y} of mesh {second}"
                )?;
            }
        }
    }
    if impacts.len() > FEW {
        writeln!(out, "  … (--json lists all)")?;
    }
    writeln!(out, "\nload {}, find {}", written(*load), written(*find))
}

/// Prints the number of contacts, the first of them, how labels differ, and times.
///
/// # Errors
/// Those of the writer.
pub fn write_impacts(out: &mut dyn Write, impacts: &Impacts) -> io::Result<()> {
    let Impacts { times, against_labels, load, find } = impacts;
    let contacts = times.iter().enumerate().filter_map(|(query, time)| Some((query, (*time)?)));
    let count = grouped(times.iter().flatten().count());
    write!(out, "{count} of {} queries are contacts", grouped(times.len()))?;
    match contacts.min_by(|(_, a), (_, b)| a.low.total_cmp(&b.low)) {
        Some((query, time)) => {
            writeln!(out, "; the first is query {query} at t = {}.", 0.5 * (time.low + time.high))?
        }
        None => writeln!(out, ".")?,
    }
    if let Some(differ) = against_labels {
        let sayings = ["contact and there is none", "no contact and there is one"];
        for (queries, what) in differ.iter().zip(sayings).filter(|(queries, _)| !queries.is_empty()) {
            let (noun, verb, query) =
                if queries.len() == 1 { ("label", "says", "query") } else { ("labels", "say", "queries") };
            let few: Vec<String> = queries.iter().take(FEW).map(ToString::to_string).collect();
            let rest = if queries.len() > FEW { ", …" } else { "" };
            writeln!(
                out,
                "{} {noun} {verb} {what}: {query} {}{rest}",
                grouped(queries.len()),
                few.join(", ")
            )?;
        }
        if differ.iter().all(Vec::is_empty) {
            writeln!(out, "All answers agree with the labels.")?;
        }
    }
    writeln!(out, "\nload {}, find {}", written(*load), written(*find))
}

/// Says where the page is, if one was written.
pub(super) fn write_page_name(out: &mut dyn Write, page: Option<&Path>) -> io::Result<()> {
    match page {
        Some(page) => writeln!(out, "\nWrote {}.", one_line(&page.display().to_string())),
        None => Ok(()),
    }
}

fn write_meshes(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    let mut table = Table::new([Align::Left, Align::Right, Align::Right]);
    table.row(["mesh", "vertices", "triangles"]);
    for (number, mesh) in summary.meshes.iter().enumerate() {
        table.row([label(summary, number), grouped(mesh.vertices), grouped(mesh.triangles)]);
    }
    table.write(out, "")
}

/// How many pairs there are between which meshes.
fn write_meetings(out: &mut dyn Write, summary: &Summary, pairs: &[MeshPair]) -> io::Result<()> {
    let mut counts: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    for &[a, _, b, _] in pairs {
        *counts.entry([a, b]).or_default() += 1;
    }
    let mut table = Table::new([Align::Right, Align::Left]);
    for (&[a, b], &count) in counts.iter().take(2 * FEW) {
        let a_and_b = if a == b {
            format!("within {}", label(summary, a as usize))
        } else {
            format!("{} and {}", label(summary, a as usize), label(summary, b as usize))
        };
        table.row([grouped(count), a_and_b]);
    }
    writeln!(out)?;
    table.write(out, "  ")?;
    match counts.len().saturating_sub(2 * FEW) {
        0 => Ok(()),
        more => writeln!(out, "  … and {} more pairs of meshes", grouped(more)),
    }
}

/// The first pairs, by triangle or by mesh and triangle.
fn write_first(out: &mut dyn Write, summary: &Summary, pairs: &[MeshPair]) -> io::Result<()> {
    let alone = summary.meshes.len() == 1;
    let mut table = Table::new([Align::Right, Align::Right]);
    for [mesh_a, a, mesh_b, b] in pairs.iter().take(FEW) {
        if alone {
            table.row([a.to_string(), b.to_string()]);
        } else {
            table.row([format!("{mesh_a}:{a}"), format!("{mesh_b}:{b}")]);
        }
    }
    writeln!(out, "\n{}", if alone { "Triangles" } else { "Mesh:triangle" })?;
    table.write(out, "  ")?;
    match pairs.len().saturating_sub(FEW) {
        0 => Ok(()),
        more => writeln!(out, "  … and {} more; --json lists all", grouped(more)),
    }
}

/// The name of a mesh, behind its number if there are several.
fn label(summary: &Summary, number: usize) -> String {
    let path = one_line(&summary.meshes[number].path);
    if summary.meshes.len() == 1 { path } else { format!("{number} {path}") }
}

fn triangles_in(pairs: &[MeshPair]) -> usize {
    let mut triangles: Vec<[u32; 2]> =
        pairs.iter().flat_map(|&[mesh_a, a, mesh_b, b]| [[mesh_a, a], [mesh_b, b]]).collect();
    triangles.sort_unstable();
    triangles.dedup();
    triangles.len()
}

pub(crate) fn written(time: Duration) -> String {
    if time.as_secs() >= 10 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{:.1} ms", milliseconds(time))
    }
}

/// Prints all there is to say about one mesh, or a line for each of several. Meshes that could not be read are
/// left out.
///
/// # Errors
/// Those of the writer.
pub fn write_info(out: &mut dyn Write, findings: &[Finding]) -> io::Result<()> {
    let reports: Vec<(String, &Report)> = findings
        .iter()
        .filter_map(|finding| Some((one_line(&finding.path), finding.report.as_ref().ok()?)))
        .collect();
    match (&reports[..], findings.len()) {
        ([], _) => Ok(()),
        ([(path, report)], 1) => write_one(out, path, report),
        (several, _) => write_several(out, several),
    }
}

fn write_one(out: &mut dyn Write, path: &str, report: &Report) -> io::Result<()> {
    let mut table = Table::new([Align::Left, Align::Right]);
    table.row(["vertices".to_owned(), grouped(report.vertices)]);
    table.row(["  in no triangle".to_owned(), grouped(report.unreferenced_vertices)]);
    table.row(["triangles".to_owned(), grouped(report.triangles)]);
    table.row(["  degenerate".to_owned(), grouped(report.degenerate_triangles)]);
    table.row(["  duplicate".to_owned(), grouped(report.duplicate_triangles)]);
    table.row(["edges".to_owned(), grouped(report.edges)]);
    table.row(["  boundary".to_owned(), grouped(report.boundary_edges)]);
    table.row(["  non-manifold".to_owned(), grouped(report.nonmanifold_edges)]);
    table.row(["  between faces turned against each other".to_owned(), grouped(report.inconsistent_edges)]);
    table.row(["components".to_owned(), grouped(report.components)]);
    table.row(["boundary loops".to_owned(), grouped(report.boundary_loops)]);
    table.row(["closed", yes_or_no(report.closed)]);
    table.row(["volume".to_owned(), volume(report)]);
    table.row(["area".to_owned(), rounded(report.area)]);
    writeln!(out, "{path}")?;
    table.write(out, "  ")?;
    match report.bounds {
        None => Ok(()),
        Some(b) => {
            let [low, high] =
                [b.min, b.max].map(|p| format!("({}, {}, {})", rounded(p.x), rounded(p.y), rounded(p.z)));
            writeln!(out, "  from {low} to {high}")
        }
    }
}

fn write_several(out: &mut dyn Write, reports: &[(String, &Report)]) -> io::Result<()> {
    let mut table = Table::new([Align::Left].into_iter().chain([Align::Right; 9]));
    let top = ["", "", "", "", "boundary", "non-man.", "degen.", "dupl.", "", ""];
    table.row(top);
    let head = "mesh vertices triangles components edges edges triangles triangles closed volume";
    table.row(head.split(' '));
    for (path, report) in reports {
        table.row([
            path.clone(),
            grouped(report.vertices),
            grouped(report.triangles),
            grouped(report.components),
            grouped(report.boundary_edges),
            grouped(report.nonmanifold_edges),
            grouped(report.degenerate_triangles),
            grouped(report.duplicate_triangles),
            yes_or_no(report.closed).to_owned(),
            volume(report),
        ]);
    }
    table.write(out, "")
}

fn yes_or_no(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

fn volume(report: &Report) -> String {
    report.volume.map_or_else(|| "–".to_owned(), rounded)
}

/// Six digits, in the shortest way to write them.
pub(crate) fn rounded(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && !(1e-4..1e9).contains(&size) {
        return format!("{x:.5e}");
    }
    let before_point = if size < 1.0 { 0 } else { size.log10() as usize + 1 };
    let text = format!("{x:.*}", 6_usize.saturating_sub(before_point));
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_six_digits() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (4.188_790_2, "4.18879"),
            (1_234_567.8, "1234568"),
            (0.000_123_456_7, "0.000123"),
            (1.5e-9, "1.50000e-9"),
            (6.02e23, "6.02000e23"),
            (f64::INFINITY, "inf"),
        ];
        for (x, text) in cases {
            assert_eq!(rounded(x), text);
        }
    }

    #[test]
    fn triangles_in_several_pairs_count_once() {
        assert_eq!(triangles_in(&[[0, 1, 0, 2], [0, 1, 1, 2], [0, 2, 1, 2]]), 3);
        assert_eq!(triangles_in(&[]), 0);
    }
}
