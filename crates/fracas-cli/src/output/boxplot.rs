//! A box plot of *k* by the size of meshes, as SVG: quartiles as boxes, whiskers to the last value within one and a half
//! boxes, dots beyond (Tukey).

use std::fmt::Write;

use super::crowding::measured;
use crate::analyze::Finding;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 60.0;

/// Draws all meshes with triangles, in a column for each power of ten of their triangles. The axis of *k* is
/// logarithmic.
#[must_use]
pub fn svg(findings: &[Finding]) -> String {
    let mut columns: Vec<(u32, Vec<f64>)> = Vec::new();
    for (_, crowding) in measured(findings) {
        let decade = crowding.triangles.ilog10();
        match columns.iter_mut().find(|(d, _)| *d == decade) {
            Some((_, values)) => values.push(f64::from(crowding.k)),
            None => columns.push((decade, vec![f64::from(crowding.k)])),
        }
    }
    columns.sort_by_key(|(decade, _)| *decade);
    let top = columns.iter().flat_map(|(_, values)| values).fold(10.0, |top: f64, &k| top.max(k));
    let decades = top.log10().ceil().max(1.0);
    let y = |k: f64| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * k.max(1.0).log10() / decades;
    let mut text = String::new();
    let mut draw = |line: std::fmt::Arguments| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{line}");
    };
    draw(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">"
    ));
    draw(format_args!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>"));
    for decade in 0..=decades as i32 {
        let (k, at) = (10f64.powi(decade), y(10f64.powi(decade)));
        let right = WIDTH - 10.0;
        draw(format_args!(
            "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>"
        ));
        draw(format_args!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{k}</text>", LEFT - 8.0, at + 4.0));
    }
    draw(format_args!("<text x=\"18\" y=\"{}\" transform=\"rotate(-90 18 {0})\">k</text>", HEIGHT / 2.0));
    draw(format_args!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">triangles</text>",
        WIDTH / 2.0,
        HEIGHT - 12.0
    ));
    let step = (WIDTH - LEFT - 10.0) / columns.len().max(1) as f64;
    for (number, (decade, values)) in columns.iter_mut().enumerate() {
        values.sort_by(f64::total_cmp);
        let middle = LEFT + step * (number as f64 + 0.5);
        let half = (0.3 * step).min(40.0);
        let [q1, q2, q3] = [0.25, 0.5, 0.75].map(|part| quantile(values, part));
        let reach = 1.5 * (q3 - q1);
        let inside = || values.iter().copied().filter(|&k| k >= q1 - reach && k <= q3 + reach);
        let (low, high) = (inside().fold(q1, f64::min), inside().fold(q3, f64::max));
        for (from, to) in [(low, q1), (q3, high)] {
            draw(format_args!(
                "<line x1=\"{middle:.1}\" y1=\"{:.1}\" x2=\"{middle:.1}\" y2=\"{:.1}\" stroke=\"#345\"/>",
                y(from),
                y(to)
            ));
        }
        for k in [low, high, q2] {
            let (at, width) = (y(k), if k == q2 { half } else { 0.5 * half });
            let (x1, x2) = (middle - width, middle + width);
            draw(format_args!(
                "<line x1=\"{x1:.1}\" y1=\"{at:.1}\" x2=\"{x2:.1}\" y2=\"{at:.1}\" stroke=\"#345\" stroke-width=\"2\"/>"
            ));
        }
        draw(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#7ac\" fill-opacity=\"0.5\" stroke=\"#345\"/>",
            middle - half,
            y(q3),
            2.0 * half,
            y(q1) - y(q3)
        ));
        for &k in values.iter().filter(|&&k| k < low || k > high) {
            draw(format_args!(
                "<circle cx=\"{middle:.1}\" cy=\"{:.1}\" r=\"2.5\" fill=\"none\" stroke=\"#345\"/>",
                y(k)
            ));
        }
        let label = format!("10^{decade}–10^{}", *decade + 1);
        let base = HEIGHT - BOTTOM + 18.0;
        draw(format_args!(
            "<text x=\"{middle:.1}\" y=\"{base}\" text-anchor=\"middle\">{label} ({})</text>",
            values.len()
        ));
    }
    draw(format_args!("</svg>"));
    text
}

/// The value below which a part of the sorted values lies, between two of them if need be.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = part * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::Crowding;

    fn finding(triangles: usize, k: u32) -> Finding {
        let crowding = Crowding { triangles, k, mean: 1.0, adjacent: 1.0, height: 1 };
        Finding { path: String::new(), result: Ok(crowding) }
    }

    #[test]
    fn quartiles_lie_between_values() {
        assert_eq!(quantile(&[3.0], 0.75), 3.0);
        assert_eq!([0.25, 0.5, 0.75].map(|part| quantile(&[1.0, 2.0, 3.0, 5.0], part)), [1.75, 2.5, 3.5]);
    }

    #[test]
    fn there_is_a_box_for_each_size_and_a_dot_for_each_outlier() {
        let mut findings: Vec<Finding> = (0..20).map(|k| finding(500, 10 + k)).collect();
        findings.extend([finding(600, 6000), finding(20_000, 9), finding(0, 1)]);
        let text = svg(&findings);
        assert_eq!(text.matches("<rect").count(), 3, "the paper and two boxes");
        assert_eq!(text.matches("<circle").count(), 1);
        assert!(text.contains("10^2–10^3 (21)") && text.contains("10^4–10^5 (1)"));
        assert!(svg(&[]).ends_with("</svg>\n"));
    }
}
