//! The scenes of Table 1 on the device: k, height and times, the share of population, and scaling.

use crate::folder::Folder;
use crate::metric::Report;
use crate::soup::figure8;
use crate::soup::figure9::{self, Growth};
use crate::soup::paper;
use crate::soup::recordings::{Recording, spread};
use crate::soup::table1::{self, Crowding};
use fracas::Finder;
use fracas_gpu::{GpuError, GpuOptions, GpuSoup};
use fracas_plot::{Align, Bars, Table};
use std::io;
use std::time::Instant;

/// What was measured of one scene, for each moment, in milliseconds.
pub struct OnDevice {
    population: Vec<f64>,
    total: Vec<f64>,
    /// From positions in the processor's memory to sorted pairs there.
    there_and_back: Vec<f64>,
    crowding: Crowding,
}

/// Kernels of a step that populate the grid; those after them search it.
const POPULATING: usize = 3;

/// Puts the frames of a scene on the device. Positions are written there for each; triangles anew only when they change.
pub fn measure(recording: &Recording, quick: bool) -> Result<OnDevice, GpuError> {
    let repeats = if quick { 20 } else { 60 };
    let crowding = Crowding::of(recording);
    let mut on_device =
        OnDevice { population: Vec::new(), total: Vec::new(), there_and_back: Vec::new(), crowding };
    let mut kept: Option<(GpuSoup, &[[u32; 3]])> = None;
    for moment in &recording.moments {
        let mesh = &moment.mesh;
        let (mut soup, triangles) = match kept.take() {
            Some((soup, triangles)) if triangles == mesh.triangles() => (soup, triangles),
            _ => (GpuSoup::new(&[mesh], GpuOptions::default())?, mesh.triangles()),
        };
        let times = soup.measure(&[mesh.positions().to_vec()], repeats)?;
        let kernels = times.kernels.iter().take(POPULATING);
        on_device.population.push(kernels.map(|(_, ms)| ms).sum());
        on_device.total.push(times.median());
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let begin = Instant::now();
            soup.set_positions(mesh.positions())?;
            soup.find_pairs()?;
            best = best.min(begin.elapsed().as_secs_f64() * 1e3);
        }
        on_device.there_and_back.push(best);
        let expected = Finder::default().find_self_pairs(mesh).to_vec();
        let same = soup.find_pairs()? == expected;
        assert!(same, "device and processor differ in step {} of {}", moment.step, recording.scene);
        kept = Some((soup, triangles));
    }
    Ok(on_device)
}

/// Writes the table and the figures.
pub fn write(
    report: &Report,
    folder: &mut Folder,
    recordings: &[Recording],
    all: Vec<OnDevice>,
    growth: Growth,
) -> io::Result<()> {
    folder.section(
        "Table 1: the scenes on the device",
        &format!(
            "Milliseconds per frame by the device's own clock, the mean over the frames of a run, positions already there. The \
             last column is the way from positions in the processor's memory to sorted pairs there, by the processor's clock. \
             All pairs are the same as those of the processor. The paper's times are those of another card ({}), and its \
             scenes are not the same.",
            paper::MACHINE
        ),
    );
    folder.table(report, "table1", &table(recordings, &all))?;
    let ours = |name: &str, values: fn(&OnDevice) -> &[f64]| Bars {
        name: name.to_owned(),
        values: all.iter().map(|on_device| spread(values(on_device))[0]).collect(),
    };
    let bars = vec![
        ours("Fracas", |on_device| &on_device.total),
        ours("Fracas, there and back", |on_device| &on_device.there_and_back),
    ];
    let chart = table1::bars(recordings, bars, "Table 1: total time per frame");
    folder.chart("table1", &chart.svg(), "Mean time per frame. Paper: its Table 1.")?;
    population(report, folder, recordings, &all)?;
    scaling(report, folder, recordings, &all, growth)
}

fn table(recordings: &[Recording], all: &[OnDevice]) -> Table {
    let caption = format!("Table 1. Milliseconds per frame. Paper: {}.", paper::MACHINE);
    let mut table = Table::new(caption, table1::head("there and back"));
    for (recording, on_device) in recordings.iter().zip(all) {
        let means = [&on_device.population, &on_device.total, &on_device.there_and_back];
        let [population, total, there_and_back] = means.map(|times| spread(times)[0]);
        let [k, largest_k, height] = on_device.crowding.cells();
        table.row([
            recording.title(),
            "Fracas".to_owned(),
            recording.triangles().to_string(),
            k,
            largest_k,
            height,
            format!("{population:.3}"),
            format!("{:.3}", total - population),
            format!("{total:.3}"),
            format!("{there_and_back:.2}"),
        ]);
        if let Some(row) = recording.row {
            table1::paper_rows(&mut table, row);
        }
    }
    table
}

/// Figure 8, right: population and collisions of the largest chair. Hash functions are compared on the processor alone, as
/// the device has one.
fn population(
    report: &Report,
    folder: &mut Folder,
    recordings: &[Recording],
    all: &[OnDevice],
) -> io::Result<()> {
    let chair = recordings.iter().zip(all).rfind(|(recording, _)| recording.scene == "chair");
    let Some((chair, on_device)) = chair else { return Ok(()) };
    let steps = || chair.moments.iter().map(|moment| moment.step.to_string());
    let collisions: Vec<f64> =
        on_device.total.iter().zip(&on_device.population).map(|(total, part)| total - part).collect();
    folder.section(
        "Figure 8: the share of population",
        "The paper finds population negligible. Here the search became faster than the paper's, and population is a good \
         part of the time. The other half of the figure compares hash functions; the device has one, and `fracas-bench soup` \
         compares three on the processor.",
    );
    let caption = format!(
        "Figure 8, right. Milliseconds per frame; the chair scene of {} triangles.",
        chair.triangles()
    );
    let head = ["step", "population", "collisions", "total"];
    let mut table = Table::new(caption, head.map(|name| (name, Align::Right)));
    for (k, step) in steps().enumerate() {
        let cells = [on_device.population[k], collisions[k], on_device.total[k]];
        table.row([step].into_iter().chain(cells.map(|ms| format!("{ms:.3}"))));
    }
    folder.table(report, "figure8_population", &table)?;
    let chart = figure8::population_chart(chair, &on_device.population, collisions);
    folder.chart("figure8_population", &chart.svg(), "The chair scene on the device.")
}

/// Figure 9: time by number of triangles, and over the steps of the breaking statue.
fn scaling(
    report: &Report,
    folder: &mut Folder,
    recordings: &[Recording],
    all: &[OnDevice],
    growth: Growth,
) -> io::Result<()> {
    let pairs = || recordings.iter().zip(all);
    let on_statue: Growth = pairs()
        .filter(|(recording, _)| recording.scene == "cloth-statue")
        .map(|(recording, on_device)| (recording.triangles(), spread(&on_device.total)[0]))
        .collect();
    folder.section(
        "Figure 9: scaling",
        "Time by number of triangles. The paper's points are those of its cloth on a Buddha. Small sets do not fill the device, \
         so their time per triangle is larger.",
    );
    let lines =
        [("Fracas, folded cloth".to_owned(), growth), ("Fracas, cloth on a statue".to_owned(), on_statue)];
    folder.table(report, "figure9_scaling", &figure9::scaling_table(&lines))?;
    folder.chart("figure9_scaling", &figure9::scaling_chart(&lines).svg(), "Both axes are logarithmic.")?;
    let largest = pairs().rfind(|(recording, _)| recording.scene == "breaking-statue");
    match largest {
        Some((statue, on_device)) => figure9::steps(report, folder, statue, &[("Fracas", &on_device.total)]),
        None => Ok(()),
    }
}
