//! Box plots: quartiles as boxes, whiskers to the last value within one and a half boxes, circles beyond (Tukey).

use crate::frame::Frame;
use crate::scale::Axis;

/// The values of one column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoxColumn {
    /// What stands below it.
    pub name: String,
    /// The values, in any order; what cannot be shown is left out.
    pub values: Vec<f64>,
}

/// A box for each column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoxChart {
    /// The heading.
    pub title: String,
    /// What is to be seen, for those who cannot see it.
    pub description: String,
    /// What the columns are.
    pub x_label: String,
    /// The upright axis.
    pub y: Axis,
    /// The columns, from left to right.
    pub columns: Vec<BoxColumn>,
}

impl BoxChart {
    /// Draws the chart.
    ///
    /// ```
    /// use fracas_plot::{Axis, BoxChart, BoxColumn};
    /// let column = BoxColumn { name: "small".into(), values: vec![1.0, 2.0, 2.0, 3.0, 90.0] };
    /// let chart = BoxChart { y: Axis::log("k"), columns: vec![column], ..BoxChart::default() };
    /// assert_eq!(chart.svg().matches("<circle").count(), 1, "90 is far from the rest");
    /// ```
    #[must_use]
    pub fn svg(&self) -> String {
        let shown = |column: &BoxColumn| -> Vec<f64> {
            let mut values: Vec<f64> =
                column.values.iter().copied().filter(|&value| self.y.shows(value)).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let columns: Vec<Vec<f64>> = self.columns.iter().map(shown).collect();
        let y = self.y.over(columns.iter().flatten().copied());
        let mut frame = Frame::new(&self.title, &self.description, &[], &y, &self.y.label);
        for (number, values) in columns.iter().enumerate().filter(|(_, values)| !values.is_empty()) {
            let middle = frame.column(number, columns.len(), 0.5);
            let half = (0.3 * (frame.column(number, columns.len(), 1.0) - middle) * 2.0).min(40.0);
            let [q1, q2, q3] = [0.25, 0.5, 0.75].map(|part| quantile(values, part));
            let reach = 1.5 * (q3 - q1);
            let inside = || values.iter().copied().filter(|&v| v >= q1 - reach && v <= q3 + reach);
            let (low, high) = (inside().fold(q1, f64::min), inside().fold(q3, f64::max));
            let at = |frame: &Frame, value: f64| frame.y(y.share(value));
            for (from, to) in [(low, q1), (q3, high)] {
                let (from, to) = (at(&frame, from), at(&frame, to));
                frame.canvas.line("c0 whisker", [middle, from], [middle, to]);
            }
            for (value, width) in [(low, 0.5 * half), (high, 0.5 * half)] {
                let y = at(&frame, value);
                frame.canvas.line("c0 whisker", [middle - width, y], [middle + width, y]);
            }
            let (top, base, median) = (at(&frame, q3), at(&frame, q1), at(&frame, q2));
            frame.canvas.rect("c0 box", [middle - half, top], [2.0 * half, base - top]);
            frame.canvas.line("c1 whisker", [middle - half, median], [middle + half, median]);
            for &value in values.iter().filter(|&&value| value < low || value > high) {
                let y = at(&frame, value);
                frame.canvas.circle("c0 outlier", [middle, y], 2.5);
            }
        }
        let names: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        frame.columns(&names, &self.x_label);
        frame.canvas.finish()
    }
}

/// The value below which a part of the sorted values lies, between two of them if need be. There must be a value.
///
/// ```
/// assert_eq!(fracas_plot::quantile(&[1.0, 2.0, 3.0, 5.0], 0.5), 2.5);
/// ```
#[must_use]
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = part.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_values() {
        assert_eq!(quantile(&[3.0], 0.75), 3.0);
        assert_eq!([0.25, 0.5, 0.75].map(|part| quantile(&[1.0, 2.0, 3.0, 5.0], part)), [1.75, 2.5, 3.5]);
    }

    #[test]
    fn a_box_spans_the_middle_half() {
        let values = (0..=10).map(f64::from).collect();
        let chart = BoxChart {
            y: Axis::linear("y"),
            columns: vec![BoxColumn { name: "a".into(), values }, BoxColumn::default()],
            ..BoxChart::default()
        };
        let svg = chart.svg();
        // From 2.5 to 7.5 on an axis from 0 to 10 that is 300 high.
        assert!(svg.contains("class=\"c0 box\"") && svg.contains("height=\"150\""), "{svg}");
        assert_eq!(svg.matches("c0 box").count(), 1, "a column without values has no box");
    }
}
