//! SVG text: a canvas that escapes words, rounds places and knows the colours.

use crate::page::escaped;
use std::fmt::Write;

/// Colours on light and on dark ground: Okabe and Ito's, lightened where they would be lost in the dark.
const COLOURS: [[&str; 2]; 7] = [
    ["#0072b2", "#4aa8e0"],
    ["#d55e00", "#ff8b3d"],
    ["#009e73", "#2fc79b"],
    ["#b4508c", "#e08fc0"],
    ["#b07d00", "#f0b429"],
    ["#3d9bd4", "#8fd0f5"],
    ["#6a6f76", "#a9b0b8"],
];

/// The class of a series; there are seven, and then they begin again.
pub(crate) fn class_of(series: usize) -> String {
    format!("c{}", series % COLOURS.len())
}

/// An SVG document under construction.
pub(crate) struct Canvas {
    text: String,
}

impl Canvas {
    /// A canvas of this size, with a description for those who cannot see it.
    pub fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let mut canvas = Self { text: String::new() };
        canvas.raw(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fracas-plot\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\" font-size=\"12\">"
        ));
        canvas.raw(&format!("<title>{}</title><desc>{}</desc>", escaped(title), escaped(description)));
        canvas.raw(&format!("<style>{}</style>", style()));
        canvas.raw(&format!("<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>"));
        canvas
    }

    /// Adds markup as it is.
    pub fn raw(&mut self, markup: &str) {
        self.text.push_str(markup);
        self.text.push('\n');
    }

    pub fn line(&mut self, class: &str, from: [f64; 2], to: [f64; 2]) {
        self.raw(&format!(
            "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            n(from[0]),
            n(from[1]),
            n(to[0]),
            n(to[1])
        ));
    }

    /// A rectangle by its upper left corner and its size.
    pub fn rect(&mut self, class: &str, corner: [f64; 2], size: [f64; 2]) {
        self.raw(&format!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            n(corner[0]),
            n(corner[1]),
            n(size[0].max(0.0)),
            n(size[1].max(0.0))
        ));
    }

    /// A line through points.
    pub fn path(&mut self, class: &str, points: &[[f64; 2]]) {
        if points.len() < 2 {
            return;
        }
        let mut places = String::new();
        for point in points {
            // Writing to a string does not fail.
            let _ = write!(places, "{},{} ", n(point[0]), n(point[1]));
        }
        self.raw(&format!("<polyline class=\"{class}\" points=\"{}\"/>", places.trim_end()));
    }

    /// Words; `anchor` is `start`, `middle` or `end`.
    pub fn words(&mut self, class: &str, anchor: &str, at: [f64; 2], words: &str) {
        self.raw(&format!(
            "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{}\" y=\"{}\">{}</text>",
            n(at[0]),
            n(at[1]),
            escaped(words)
        ));
    }

    /// Words that run upward.
    pub fn upward(&mut self, class: &str, at: [f64; 2], words: &str) {
        let [x, y] = [n(at[0]), n(at[1])];
        self.raw(&format!(
            "<text class=\"{class}\" text-anchor=\"middle\" x=\"{x}\" y=\"{y}\" transform=\"rotate(-90 {x} {y})\">{}</text>",
            escaped(words)
        ));
    }

    /// The mark of a series: a shape of its own for each, so that colour is not all there is.
    pub fn mark(&mut self, series: usize, [x, y]: [f64; 2]) {
        let class = format!("mark {}", class_of(series));
        match series % 5 {
            0 => self.circle(&class, [x, y], 3.2),
            1 => self.rect(&class, [x - 3.0, y - 3.0], [6.0, 6.0]),
            2 => self.polygon(&class, &[[x, y - 4.0], [x + 3.8, y + 3.0], [x - 3.8, y + 3.0]]),
            3 => self.polygon(&class, &[[x, y - 4.2], [x + 4.2, y], [x, y + 4.2], [x - 4.2, y]]),
            _ => self.polygon(&class, &[[x, y + 4.0], [x + 3.8, y - 3.0], [x - 3.8, y - 3.0]]),
        }
    }

    pub fn circle(&mut self, class: &str, [x, y]: [f64; 2], radius: f64) {
        self.raw(&format!("<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{radius}\"/>", n(x), n(y)));
    }

    fn polygon(&mut self, class: &str, points: &[[f64; 2]]) {
        let places: Vec<String> = points.iter().map(|p| format!("{},{}", n(p[0]), n(p[1]))).collect();
        self.raw(&format!("<polygon class=\"{class}\" points=\"{}\"/>", places.join(" ")));
    }

    pub fn finish(mut self) -> String {
        self.raw("</svg>");
        self.text
    }
}

/// A place, to a hundredth.
fn n(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// About how wide words are, in letters of 12 units.
pub(crate) fn width_of(words: &str) -> f64 {
    6.6 * words.chars().count() as f64
}

/// The style sheet: every rule is bound to the class of these charts, so that a page may hold many.
fn style() -> String {
    let rules = |which: usize| {
        let [ink, soft, grid, paper] =
            [["#1c2127", "#545b64", "#dfe3e8", "#ffffff"], ["#e8ebee", "#aeb6bf", "#3a4149", "#16191d"]]
                [which];
        let mut text = format!(
            ".fracas-plot .paper{{fill:{paper}}}.fracas-plot text{{fill:{ink}}}.fracas-plot .soft{{fill:{soft}}}\
             .fracas-plot .grid{{stroke:{grid}}}.fracas-plot .axis{{stroke:{soft}}}.fracas-plot .halo{{stroke:{paper}}}"
        );
        for (k, colours) in COLOURS.iter().enumerate() {
            let colour = colours[which];
            // Writing to a string does not fail.
            let _ = write!(
                text,
                ".fracas-plot .c{k}{{stroke:{colour};fill:{colour}}}.fracas-plot text.c{k}{{stroke:none}}"
            );
        }
        text
    };
    let shapes = ".fracas-plot polyline[class]{fill:none;stroke-width:1.8;stroke-linejoin:round}\
                  .fracas-plot polyline.thin{stroke-width:1.1}\
                  .fracas-plot .dashed{stroke-dasharray:7 4;stroke-width:1.5}\
                  .fracas-plot .mark{stroke-width:1}\
                  .fracas-plot line.whisker{stroke-width:1.4}\
                  .fracas-plot .box{fill-opacity:.35;stroke-width:1.2}\
                  .fracas-plot circle.outlier{fill:none}\
                  .fracas-plot .title{font-size:15px;font-weight:600}";
    // Shapes name an element beside the classes, so that they win over the colours.
    format!("{}{shapes}@media (prefers-color-scheme:dark){{{}}}", rules(0), rules(1))
}
