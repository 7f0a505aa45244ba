//! Bar charts: groups of bars side by side, or stacked.

use crate::frame::{Frame, Key};
use crate::scale::Axis;
use crate::svg::class_of;

/// The values of one series, one for each group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// What the legend says.
    pub name: String,
    /// One value for each group; what cannot be shown is left out.
    pub values: Vec<f64>,
}

/// Groups of bars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarChart {
    /// The heading.
    pub title: String,
    /// What is to be seen, for those who cannot see it.
    pub description: String,
    /// What the groups are.
    pub x_label: String,
    /// The name of each group.
    pub groups: Vec<String>,
    /// The upright axis.
    pub y: Axis,
    /// The series, in the order of the legend.
    pub bars: Vec<Bars>,
    /// Stack the bars of a group on each other. Makes sense on a linear axis alone.
    pub stacked: bool,
}

impl BarChart {
    /// Draws the chart.
    ///
    /// ```
    /// use fracas_plot::{Axis, BarChart, Bars};
    /// let chart = BarChart {
    ///     title: "Splitting".into(),
    ///     groups: vec!["2".into(), "4".into()],
    ///     y: Axis::linear("time (ms)").from_zero(),
    ///     bars: vec![Bars { name: "split".into(), values: vec![0.1, 0.2] }],
    ///     ..BarChart::default()
    /// };
    /// assert_eq!(chart.svg().matches("<rect class=\"c0\"").count(), 3, "two bars and the legend");
    /// ```
    #[must_use]
    pub fn svg(&self) -> String {
        let shows = |value: &f64| self.y.shows(*value);
        let sums = (0..self.groups.len()).map(|group| {
            let parts = self.bars.iter().filter_map(|bars| bars.values.get(group).copied());
            parts.filter(shows).sum::<f64>()
        });
        let values = || self.bars.iter().flat_map(|bars| bars.values.iter().copied());
        let y = if self.stacked { self.y.over(sums) } else { self.y.over(values()) };
        let legend: Vec<_> = self.bars.iter().map(|bars| (bars.name.clone(), Key::Patch)).collect();
        let mut frame = Frame::new(&self.title, &self.description, &legend, &y, &self.y.label);
        let slots = if self.stacked { 1.0 } else { self.bars.len().max(1) as f64 };
        for group in 0..self.groups.len() {
            let mut below = y.floor();
            for (series, bars) in self.bars.iter().enumerate() {
                let Some(value) = bars.values.get(group).copied().filter(shows) else { continue };
                let slot = if self.stacked { 0.0 } else { series as f64 };
                let from = frame.column(group, self.groups.len(), 0.12 + 0.76 * slot / slots);
                let to = frame.column(group, self.groups.len(), 0.12 + 0.76 * (slot + 1.0) / slots);
                let above = if self.stacked { below + value } else { value };
                let (top, base) = (frame.y(y.share(above)), frame.y(y.share(below)));
                let gap = if self.stacked { 0.0 } else { 1.0 };
                let corner = [from + gap, top.min(base)];
                frame.canvas.rect(
                    &class_of(series),
                    corner,
                    [to - from - 2.0 * gap, (base - top).abs().max(1.0)],
                );
                if self.stacked {
                    below = above;
                }
            }
        }
        frame.columns(&self.groups, &self.x_label);
        frame.canvas.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_reach_the_sum() {
        let chart = BarChart {
            groups: vec!["a".into()],
            y: Axis::linear("y").from_zero(),
            bars: vec![
                Bars { name: "one".into(), values: vec![1.0] },
                Bars { name: "two".into(), values: vec![5.0] },
            ],
            stacked: true,
            ..BarChart::default()
        };
        let svg = chart.svg();
        // Six units on an axis of six: 300 units of height, a sixth of them the first.
        assert!(svg.contains("height=\"50\"") && svg.contains("height=\"250\""), "{svg}");
    }

    #[test]
    fn missing_values_leave_gaps() {
        let chart = BarChart {
            groups: vec!["a".into(), "b".into(), "c".into()],
            y: Axis::log("y"),
            bars: vec![Bars { name: "one".into(), values: vec![f64::NAN, 0.0, 3.0] }],
            ..BarChart::default()
        };
        assert_eq!(chart.svg().matches("<rect class=\"c0\"").count(), 2, "the legend and one bar");
    }
}
