//! `fracas-bench cores`: what every stage gains from more threads, beside the bandwidth of the memory.
//!
//! Folded cloths of several sizes go through every stage that is meant to use all cores: building, refitting, queries, soups,
//! k-freeness, readers. Each stage is timed at every number of threads, in turns, and must answer the same at all of them.
//!
//! Many stages do little with much memory, so that memory limits them and not the cores. The run measures the bandwidth with the
//! copy and triad loops of STREAM at the same numbers of threads. *Share of bandwidth* is a lower bound: it counts what a stage
//! reads and writes at least (its input, its output, and the lists between its passes, each once).
//!
//! Peers that use threads run beside the stages they replace; those that are not installed are named and left out.

mod bandwidth;
mod bodies;
pub mod child;
mod command;
mod files;
mod meshes;
mod stage;
mod tables;

use crate::folder::Folder;
use crate::metric::Report;
use bandwidth::Bandwidth;
use fracas::mesh::shapes;
use stage::{Pools, Row};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// What the user restricts a run to. Empty lists leave the choice to the benchmark.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Numbers of triangles.
    pub sizes: Vec<usize>,
    /// Numbers of threads.
    pub threads: Vec<usize>,
}

/// Bytes that a run needs for each triangle of its largest size, all structures of a stage and its peers together.
const BYTES_PER_TRIANGLE: u64 = 700;

/// What is fixed for a whole run.
struct Setting {
    pools: Pools,
    bandwidth: Bandwidth,
    /// Time to spend on each stage and size, over all numbers of threads.
    budget: Duration,
}

/// Runs the whole benchmark.
pub fn run(report: &mut Report, quick: bool, out: &Path) -> io::Result<()> {
    let begin = Instant::now();
    let mut folder = Folder::create(out, "cores", "All cores")?;
    let limits = report.limits.clone();
    let pools = Pools::new(&limits.threads, quick)?;
    let sizes = sizes(report, &limits.sizes, quick);
    let bandwidth = Bandwidth::measure(report, &pools, quick);
    let budget = Duration::from_millis(if quick { 300 } else { 3000 });
    let setting = Setting { pools, bandwidth, budget };
    let mut rows: Vec<Row> = Vec::new();
    for &size in &sizes {
        let cloth = shapes::folded_cloth(size);
        report.say(&format!("\nfolded cloth, {} triangles", cloth.triangle_count()));
        meshes::run(report, &setting, &cloth, &mut rows);
        files::run(report, &setting, &cloth, &mut rows)?;
    }
    bodies::run(report, &setting, quick, &mut rows);
    tables::write(report, &mut folder, &setting, &rows)?;
    child::run_all(report, &mut folder, &setting, &sizes, quick)?;
    folder.section("Metrics", "What the benchmark promises to watch.");
    folder.table(report, "metrics", &report.table())?;
    report.say(&format!("the run took {:.0} s", begin.elapsed().as_secs_f64()));
    folder.finish(report)
}

/// The sizes asked for, less those that the memory cannot hold.
fn sizes(report: &Report, wanted: &[usize], quick: bool) -> Vec<usize> {
    let usual: &[usize] = if quick { &[250_000] } else { &[250_000, 1_000_000, 4_000_000, 16_000_000] };
    let wanted = if wanted.is_empty() { usual } else { wanted };
    let available = available_bytes().unwrap_or(u64::MAX);
    let fits = |size: &&usize| {
        let needed = BYTES_PER_TRIANGLE * **size as u64;
        let fits = needed <= available;
        if !fits {
            let [needed, available] = [needed, available].map(|bytes| bytes as f64 / 1e9);
            report.say(&format!(
                "{size} triangles are left out: they need about {needed:.1} GB, and {available:.1} GB are available"
            ));
        }
        fits
    };
    wanted.iter().filter(fits).copied().collect()
}

/// Memory that can be had without swapping, as far as the system tells.
fn available_bytes() -> Option<u64> {
    kilobytes(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:").map(|kb| kb * 1024)
}

/// A line such as `VmHWM:   1234 kB` of a file below `/proc`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A number of triangles as people write it: 250k, 1M.
pub fn short(size: usize) -> String {
    match size {
        1_000_000.. if size.is_multiple_of(1_000_000) => format!("{}M", size / 1_000_000),
        1_000_000.. => format!("{:.1}M", size as f64 / 1e6),
        _ => format!("{}k", size / 1000),
    }
}

/// The number of triangles that such words mean.
pub fn size_of(words: &str) -> Result<usize, String> {
    let (number, unit) = match words.as_bytes().last() {
        Some(b'k' | b'K') => (&words[..words.len() - 1], 1e3),
        Some(b'm' | b'M') => (&words[..words.len() - 1], 1e6),
        _ => (words, 1.0),
    };
    let size = number.parse::<f64>().map_or(0.0, |number| number * unit);
    if (2_000.0..=50e6).contains(&size) {
        Ok(size as usize)
    } else {
        Err(format!("`{words}` is not a number of triangles from 2k to 50M"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for size in [2_000, 250_000, 1_000_000, 1_500_000, 16_000_000] {
            assert_eq!(size_of(&short(size)), Ok(size));
        }
        assert_eq!(size_of("12345"), Ok(12345));
        for bad in ["", "M", "1", "1G", "-4M", "99M", "é", "nan"] {
            assert!(size_of(bad).unwrap_err().contains("from 2k to 50M"), "{bad}");
        }
    }

    #[test]
    fn lines_of_the_system_are_found_by_name() {
        let text = "Name:\tx\nVmPeak:\t  10 kB\nVmHWM:\t  1234 kB\n";
        assert_eq!(kilobytes(text, "VmHWM:"), Some(1234));
        assert_eq!(kilobytes(text, "VmRSS:"), None);
    }
}
