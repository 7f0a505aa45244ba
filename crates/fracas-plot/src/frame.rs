//! What all charts have in common: title, legend, grid, axes and their labels.

use crate::scale::{Mapping, shown};
use crate::svg::{Canvas, class_of, width_of};

const WIDTH: f64 = 760.0;
const PLOT_HEIGHT: f64 = 300.0;
const RIGHT: f64 = 18.0;

/// How a series is shown in the legend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Key {
    Line,
    Dashed,
    Marked,
    Dots,
    Patch,
}

/// A chart whose surroundings are drawn; the data comes next.
pub(crate) struct Frame {
    pub canvas: Canvas,
    left: f64,
    top: f64,
}

impl Frame {
    /// Draws title, legend, and the horizontal grid with the ticks of the upright axis.
    pub fn new(title: &str, description: &str, legend: &[(String, Key)], y: &Mapping, y_label: &str) -> Self {
        let labels: Vec<String> = y.ticks.iter().map(|&tick| shown(tick)).collect();
        let widest = labels.iter().map(|label| width_of(label)).fold(0.0, f64::max);
        let left = 36.0 + widest;
        let rows = legend_rows(legend);
        let top = 46.0 + 20.0 * rows.len() as f64;
        let height = top + PLOT_HEIGHT + 54.0;
        let mut canvas = Canvas::new(WIDTH, height, title, description);
        canvas.words("title", "start", [14.0, 24.0], title);
        for (row, entries) in rows.iter().enumerate() {
            let y = 44.0 + 20.0 * row as f64;
            let mut x = 14.0;
            for &series in entries {
                let (name, key) = &legend[series];
                draw_key(&mut canvas, series, key, [x, y]);
                canvas.words("", "start", [x + 32.0, y + 4.0], name);
                x += entry_width(name);
            }
        }
        let mut frame = Self { canvas, left, top };
        for (&tick, label) in y.ticks.iter().zip(&labels) {
            let at = frame.y(y.share(tick));
            frame.canvas.line("grid", [left, at], [WIDTH - RIGHT, at]);
            frame.canvas.words("soft", "end", [left - 7.0, at + 4.0], label);
        }
        frame.canvas.upward("soft", [16.0, top + 0.5 * PLOT_HEIGHT], y_label);
        frame
    }

    /// Draws the ticks and the label of the level axis.
    pub fn x_axis(&mut self, x: &Mapping, label: &str) {
        let base = self.y(0.0);
        let mut free_from = f64::NEG_INFINITY;
        for &tick in &x.ticks {
            let at = self.x(x.share(tick));
            self.canvas.line("axis", [at, base], [at, base + 5.0]);
            let words = shown(tick);
            let half = 0.5 * width_of(&words);
            if at - half > free_from {
                self.canvas.words("soft", "middle", [at, base + 19.0], &words);
                free_from = at + half + 4.0;
            }
        }
        self.base_line(label);
    }

    /// Draws names below columns of equal width, and the label of the level axis.
    pub fn columns(&mut self, names: &[String], label: &str) {
        let base = self.y(0.0);
        for (k, name) in names.iter().enumerate() {
            let at = self.column(k, names.len(), 0.5);
            self.canvas.words("soft", "middle", [at, base + 19.0], name);
        }
        self.base_line(label);
    }

    fn base_line(&mut self, label: &str) {
        let (left, base) = (self.left, self.y(0.0));
        self.canvas.line("axis", [left, base], [WIDTH - RIGHT, base]);
        self.canvas.words("soft", "middle", [0.5 * (left + WIDTH - RIGHT), base + 42.0], label);
    }

    /// The place of a share of the level axis.
    pub fn x(&self, share: f64) -> f64 {
        self.left + share * (WIDTH - RIGHT - self.left)
    }

    /// The place of a share of the upright axis.
    pub fn y(&self, share: f64) -> f64 {
        self.top + PLOT_HEIGHT * (1.0 - share)
    }

    /// The place of a share of one of several columns.
    pub fn column(&self, column: usize, of: usize, share: f64) -> f64 {
        self.x((column as f64 + share) / of.max(1) as f64)
    }
}

fn entry_width(name: &str) -> f64 {
    32.0 + width_of(name) + 18.0
}

/// The series of each row of the legend, as many as fit.
fn legend_rows(legend: &[(String, Key)]) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut room = 0.0;
    for (series, (name, _)) in legend.iter().enumerate() {
        let needed = entry_width(name);
        if rows.is_empty() || needed > room {
            rows.push(Vec::new());
            room = WIDTH - 28.0;
        }
        room -= needed;
        rows.last_mut().expect("a row was just made").push(series);
    }
    rows
}

fn draw_key(canvas: &mut Canvas, series: usize, key: &Key, [x, y]: [f64; 2]) {
    let class = class_of(series);
    match key {
        Key::Line => canvas.path(&class, &[[x, y], [x + 26.0, y]]),
        Key::Dashed => canvas.path(&format!("{class} dashed"), &[[x, y], [x + 26.0, y]]),
        Key::Marked => {
            canvas.path(&class, &[[x, y], [x + 26.0, y]]);
            canvas.mark(series, [x + 13.0, y]);
        }
        Key::Dots => canvas.mark(series, [x + 13.0, y]),
        Key::Patch => canvas.rect(&class, [x + 7.0, y - 6.0], [14.0, 12.0]),
    }
}
