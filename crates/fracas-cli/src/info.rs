//! `fracas info`: counts, holes and defects of meshes.

use std::io::Write;

use fracas::mesh::Report;
use rayon::prelude::*;

use crate::args::InfoArguments;
use crate::error::Failure;
use crate::input::{self, Input};
use crate::output::{self, json, text};
use crate::progress::Progress;
use crate::{Status, complain, threads};

/// One mesh and what was found out about it, or why it could not be read.
#[derive(Debug)]
pub struct Finding {
    /// The mesh as the user named it.
    pub path: String,
    /// The report, or the failure.
    pub report: Result<Report, Failure>,
}

/// Examines every mesh and prints what was found. A mesh that cannot be read is reported among the `complaints` and
/// makes the status bad; the others are shown all the same.
///
/// # Errors
/// Bad arguments, or output that cannot be written.
pub fn run(
    arguments: &InfoArguments,
    threads: Option<u16>,
    out: &mut dyn Write,
    complaints: &mut dyn Write,
) -> Result<Status, Failure> {
    let inputs = input::parse_all(&arguments.meshes)?;
    let findings = threads::on(threads, || work(&inputs, arguments.merge))?;
    output::send(out, |out| {
        if arguments.json { json::write_info(out, &findings) } else { text::write_info(out, &findings) }
    })?;
    let mut status = Status::Clear;
    for failure in findings.iter().filter_map(|finding| finding.report.as_ref().err()) {
        complain(complaints, failure);
        status = Status::Bad;
    }
    Ok(status)
}

/// Loads and examines each mesh and lets it go, so that only as many are in memory as there are threads.
fn work(inputs: &[Input], merge: bool) -> Vec<Finding> {
    let progress = Progress::start();
    progress.begin("examining", inputs.len());
    inputs
        .par_iter()
        .map(|input| {
            let report = input.load(merge).map(|mesh| Report::of(&mesh));
            progress.advance();
            Finding { path: input.name().to_owned(), report }
        })
        .collect()
}
