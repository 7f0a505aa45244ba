//! A box plot of *k* by the size of meshes, as SVG: a column for each power of ten of their triangles.

use fracas_plot::{Axis, BoxChart, BoxColumn};

use super::crowding::measured;
use crate::analyze::Finding;

/// Draws all meshes with triangles. The axis of *k* is logarithmic.
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
    let column = |(decade, values): (u32, Vec<f64>)| BoxColumn {
        name: format!("10^{decade}–10^{} ({})", decade + 1, values.len()),
        values,
    };
    let chart = BoxChart {
        title: "k-freeness by size".to_owned(),
        description: "Quartiles of the smallest k for which meshes are k-free, by their number of triangles."
            .to_owned(),
        x_label: "triangles (meshes)".to_owned(),
        y: Axis { include: vec![1.0, 10.0], ..Axis::log("k") },
        columns: columns.into_iter().map(column).collect(),
    };
    chart.svg()
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
