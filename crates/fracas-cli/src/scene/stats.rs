//! What a run has cost and measured: times per phase, counters per step.

use std::io::{self, Write};
use std::time::Duration;

use fracas_frames::Frame;
use fracas_scenes::{Filling, Scene};
use serde::{Serialize, Serializer};

use crate::output::{Align, Table, grouped, milliseconds};

/// The statistics of a run. As JSON, a promise to users: keys may be added, none changed.
#[derive(Debug, Serialize)]
pub struct Stats {
    scene: &'static str,
    #[serde(skip)]
    about: &'static str,
    size: &'static str,
    /// How many steps were to be done, and how many were.
    steps: usize,
    done: usize,
    /// Whether all steps were done.
    pub complete: bool,
    /// How a mesh was filled that is open or broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    filling: Option<FillingStats>,
    /// Mean and greatest time of each phase, without frame 0; `all` is the whole step.
    ms: Named<Phase>,
    frames: Vec<Line>,
}

/// How far the surface that was filled is from the mesh that was given, in parts of the longest side of its box. Distances are
/// taken at vertices: of the mesh to the filled surface, and back.
#[derive(Clone, Copy, Debug, Serialize)]
struct FillingStats {
    parts_left_out: usize,
    from_mesh: Phase,
    to_mesh: Phase,
}

impl FillingStats {
    fn new(filling: &Filling) -> Self {
        let share = |distances: fracas::fill::Distances| Phase {
            mean: distances.mean / filling.size,
            max: distances.greatest / filling.size,
        };
        Self {
            parts_left_out: filling.parts_left_out,
            from_mesh: share(filling.deviation.from_given),
            to_mesh: share(filling.deviation.to_given),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Phase {
    mean: f64,
    max: f64,
}

#[derive(Debug, Serialize)]
struct Line {
    step: usize,
    seconds: f64,
    ms: Named<f64>,
    counters: Named<f64>,
}

/// Values by name, in an order of their own; an object in JSON.
#[derive(Clone, Debug, Default)]
struct Named<T>(Vec<(&'static str, T)>);

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<T: Copy> Named<T> {
    fn get(&self, name: &str) -> Option<T> {
        self.0.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
    }
}

impl Stats {
    /// Statistics of a run that has not begun.
    #[must_use]
    pub fn new(scene: &'static Scene, size: &'static str, steps: usize, filling: Option<Filling>) -> Self {
        let (ms, frames) = (Named::default(), Vec::with_capacity(steps + 1));
        let filling = filling.as_ref().map(FillingStats::new);
        Self {
            scene: scene.name,
            about: scene.about,
            size,
            steps,
            done: 0,
            complete: false,
            filling,
            ms,
            frames,
        }
    }

    /// Takes down a frame.
    pub fn note(&mut self, frame: &Frame) {
        let ms = |&(name, time): &(&'static str, Duration)| (name, milliseconds(time));
        self.frames.push(Line {
            step: frame.step,
            seconds: frame.seconds,
            ms: Named(frame.times.iter().map(ms).collect()),
            counters: Named(frame.counters.clone()),
        });
        self.done = frame.step;
        self.complete = self.done == self.steps;
    }

    /// Sums up the phases, after the last frame.
    pub fn finish(&mut self) {
        // Frame 0 may lack phases, and later ones have all.
        let steps = self.frames.iter().filter(|line| line.step > 0);
        let mut names: Vec<&'static str> = Vec::new();
        for name in steps.clone().flat_map(|line| &line.ms.0).map(|entry| entry.0) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let phase = |time: &dyn Fn(&Line) -> f64| Phase {
            mean: thousandths(steps.clone().map(time).sum::<f64>() / self.done.max(1) as f64),
            max: steps.clone().map(time).fold(0.0, f64::max),
        };
        let one = |name: &'static str| (name, phase(&|line| line.ms.get(name).unwrap_or(0.0)));
        let mut phases: Vec<_> = names.iter().map(|name| one(name)).collect();
        phases.push(("all", phase(&|line| thousandths(line.ms.0.iter().map(|entry| entry.1).sum()))));
        self.ms = Named(phases);
    }

    /// The document, on one line.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        writeln!(out)
    }

    /// A table of times, and the counters at the beginning and the end.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_text(&self, out: &mut dyn Write, files: &[String]) -> io::Result<()> {
        writeln!(out, "{}: {}", self.scene, self.about)?;
        let of = if self.complete { String::new() } else { format!(" of {}", grouped(self.steps)) };
        writeln!(out, "{}{of} steps done\n", grouped(self.done))?;
        if let Some(filling) = &self.filling {
            let percent = |phase: &Phase| {
                format!("{:.2} % at most, {:.3} % on average", 100.0 * phase.max, 100.0 * phase.mean)
            };
            writeln!(
                out,
                "The mesh was filled by its winding numbers. Distances at vertices, in parts of its size:"
            )?;
            writeln!(out, "  from the mesh to the filled surface: {}", percent(&filling.from_mesh))?;
            writeln!(out, "  from the filled surface to the mesh: {}", percent(&filling.to_mesh))?;
            writeln!(out, "  connected parts left out beside the largest: {}\n", filling.parts_left_out)?;
        }
        let mut table = Table::new([Align::Left, Align::Right, Align::Right]);
        table.row(["ms per step", "mean", "max"]);
        for (name, phase) in &self.ms.0 {
            table.row([(*name).to_owned(), format!("{:.3}", phase.mean), format!("{:.3}", phase.max)]);
        }
        table.write(out, "")?;
        writeln!(out)?;
        if let (Some(first), Some(last)) = (self.frames.first(), self.frames.last()) {
            let mut table = Table::new([Align::Left, Align::Right, Align::Right, Align::Right]);
            table.row(["", "at first", "most", "at last"]);
            for &(name, value) in &last.counters.0 {
                let most =
                    self.frames.iter().filter_map(|line| line.counters.get(name)).fold(value, f64::max);
                let before = first.counters.get(name).map_or("–".to_owned(), number);
                table.row([name.to_owned(), before, number(most), number(value)]);
            }
            table.write(out, "")?;
            writeln!(out)?;
        }
        writeln!(out, "Written: {}", files.join(", "))
    }
}

/// A counter for people: whole, or with two digits after the point.
fn number(value: f64) -> String {
    if value == value.trunc() && (0.0..1e15).contains(&value) {
        grouped(value as usize)
    } else {
        format!("{value:.2}")
    }
}

fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
