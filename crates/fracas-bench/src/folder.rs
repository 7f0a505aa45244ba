//! Where a benchmark leaves its report: tables as Markdown, charts as SVG, and one page that holds them all.

use crate::metric::Report;
use fracas_plot::{Page, Table};
use std::io;
use std::path::{Path, PathBuf};

/// The folder of one benchmark.
pub struct Folder {
    path: PathBuf,
    page: Page,
}

impl Folder {
    /// Makes the folder, so that a run does not begin that could not leave anything.
    pub fn create(parent: &Path, name: &str, title: &str) -> io::Result<Self> {
        let path = parent.join(name);
        std::fs::create_dir_all(&path)?;
        let mut page = Page::new(title);
        page.text(&format!(
            "Measured on {}. What is compared was measured in the same run, on one thread unless it says otherwise; \
             times are the best of several. A machine that does other work at the same time makes them noisy.",
            machine()
        ));
        Ok(Self { path, page })
    }

    /// Begins a section of the page.
    pub fn section(&mut self, heading: &str, words: &str) {
        self.page.heading(heading).text(words);
    }

    /// Shows a table, writes it as `NAME.md`, and puts it on the page.
    pub fn table(&mut self, report: &Report, name: &str, table: &Table) -> io::Result<()> {
        report.say(&format!("\n{}", table.text().trim_end()));
        self.page.table(table);
        std::fs::write(self.path.join(format!("{name}.md")), table.markdown())
    }

    /// Writes a chart as `NAME.svg`, and puts it on the page with words below.
    pub fn chart(&mut self, name: &str, svg: &str, words: &str) -> io::Result<()> {
        self.page.figure(svg, words);
        std::fs::write(self.path.join(format!("{name}.svg")), svg)
    }

    /// Writes the page and says where it is.
    pub fn finish(self, report: &Report) -> io::Result<()> {
        let index = self.path.join("index.html");
        std::fs::write(&index, self.page.html())?;
        report.say(&format!("Written: {}", index.display()));
        Ok(())
    }
}

/// The processor, as far as the system tells.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let list = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = list.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| line.split_once(':')).map_or("this machine", |(_, name)| name.trim());
    format!("{model}, {cores} cores")
}
