//! Line charts: several series over one axis of numbers.

use crate::frame::{Frame, Key};
use crate::scale::Axis;
use crate::svg::class_of;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// A line with a mark at each point.
    #[default]
    Marked,
    /// A thin line, for many points.
    Thin,
    /// A dashed line without marks, for what others have reported.
    Dashed,
    /// Marks alone.
    Dots,
}

/// A series of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// What the legend says.
    pub name: String,
    /// Points in the order in which they are joined. A point that cannot be shown breaks the line.
    pub points: Vec<[f64; 2]>,
    /// How it is drawn.
    pub look: Look,
}

/// Several lines over the same axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart {
    /// The heading.
    pub title: String,
    /// What is to be seen, for those who cannot see it.
    pub description: String,
    /// The level axis.
    pub x: Axis,
    /// The upright axis.
    pub y: Axis,
    /// The series, in the order of the legend.
    pub lines: Vec<Line>,
}

impl LineChart {
    /// Draws the chart.
    ///
    /// ```
    /// use fracas_plot::{Axis, Line, LineChart, Look};
    /// let line = Line { name: "edit".into(), points: vec![[1.0, 0.02], [2.0, 0.03]], look: Look::Marked };
    /// let chart = LineChart {
    ///     title: "Time per step".into(),
    ///     x: Axis::linear("step"),
    ///     y: Axis::log("time (ms)"),
    ///     lines: vec![line],
    ///     ..LineChart::default()
    /// };
    /// assert!(chart.svg().starts_with("<svg") && chart.svg().contains("time (ms)"));
    /// ```
    #[must_use]
    pub fn svg(&self) -> String {
        let visible = |p: &&[f64; 2]| self.x.shows(p[0]) && self.y.shows(p[1]);
        let points = || self.lines.iter().flat_map(|line| &line.points).filter(visible);
        let (x, y) = (self.x.over(points().map(|p| p[0])), self.y.over(points().map(|p| p[1])));
        let key = |line: &Line| match line.look {
            Look::Marked => Key::Marked,
            Look::Thin => Key::Line,
            Look::Dashed => Key::Dashed,
            Look::Dots => Key::Dots,
        };
        let legend: Vec<_> = self.lines.iter().map(|line| (line.name.clone(), key(line))).collect();
        let mut frame = Frame::new(&self.title, &self.description, &legend, &y, &self.y.label);
        frame.x_axis(&x, &self.x.label);
        // What comes first in the legend is drawn last, on top.
        for (series, line) in self.lines.iter().enumerate().rev() {
            let class = match line.look {
                Look::Marked => class_of(series),
                Look::Thin => format!("{} thin", class_of(series)),
                Look::Dashed | Look::Dots => format!("{} dashed", class_of(series)),
            };
            for run in line.points.split(|p| !visible(&p)) {
                let places: Vec<[f64; 2]> =
                    run.iter().map(|p| [frame.x(x.share(p[0])), frame.y(y.share(p[1]))]).collect();
                if line.look != Look::Dots {
                    frame.canvas.path(&class, &places);
                }
                if matches!(line.look, Look::Marked | Look::Dots) {
                    places.iter().for_each(|&place| frame.canvas.mark(series, place));
                }
            }
        }
        frame.canvas.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<[f64; 2]>, look: Look) -> LineChart {
        LineChart {
            title: "a < b".into(),
            x: Axis::linear("x"),
            y: Axis::log("y"),
            lines: vec![Line { name: "one & only".into(), points, look }],
            ..LineChart::default()
        }
    }

    #[test]
    fn points_that_cannot_be_shown_break_the_line() {
        let points = vec![[0.0, 1.0], [1.0, 2.0], [2.0, 0.0], [3.0, 5.0], [4.0, 10.0]];
        let svg = chart(points, Look::Dashed).svg();
        // One in the legend, and two runs.
        assert_eq!(svg.matches("<polyline").count(), 3);
    }

    #[test]
    fn every_point_has_its_place() {
        let svg = chart(vec![[0.0, 1.0], [10.0, 100.0]], Look::Dots).svg();
        let marks: Vec<&str> = svg.lines().filter(|line| line.contains("mark c0")).collect();
        assert_eq!(marks.len(), 3, "one of them in the legend");
        assert!(marks[1].contains("cx=\"742\"") || marks[2].contains("cx=\"742\""), "{marks:?}");
    }

    #[test]
    fn words_are_escaped_and_an_empty_chart_is_a_chart() {
        let svg = chart(vec![], Look::Marked).svg();
        assert!(svg.contains("a &lt; b") && svg.contains("one &amp; only") && svg.ends_with("</svg>\n"));
    }
}
