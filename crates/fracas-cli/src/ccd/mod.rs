//! `fracas ccd`: whether and when moving meshes, or single features, first meet.

mod meshes;
mod queries;

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use fracas::exact::{ImpactTime, edge_edge_impact, vertex_triangle_impact};
use rayon::prelude::*;

use crate::args::{CcdArguments, KindArgument};
use crate::error::Failure;
use crate::output::{self, json, text};
use crate::{Status, threads};
pub use meshes::{BodyImpact, BodyImpacts};
use queries::Queries;

/// What was found about the queries of a file.
#[derive(Debug)]
pub struct Impacts {
    /// For every query, when its features first meet.
    pub times: Vec<Option<ImpactTime>>,
    /// Queries whose answer differs from their label, if there are labels: contacts that we deny, contacts that we see.
    pub against_labels: Option<[Vec<usize>; 2]>,
    /// Time to read the file.
    pub load: Duration,
    /// Time to answer.
    pub find: Duration,
}

/// Answers the queries and prints what was found.
///
/// # Errors
/// A file that cannot be read or makes no sense: nothing has then been printed. Or standard output fails.
pub fn run(arguments: &CcdArguments, threads: Option<u16>, out: &mut dyn Write) -> Result<Status, Failure> {
    let CcdArguments { queries, kind, labels, json, .. } = arguments;
    let (Some(queries), Some(kind)) = (queries, kind) else { return meshes::run(arguments, threads, out) };
    let impacts = threads::on(threads, || answer(queries, *kind, labels.as_deref()))??;
    output::send(out, |out| {
        if *json { json::write_impacts(out, &impacts) } else { text::write_impacts(out, &impacts) }
    })?;
    Ok(Status::Clear)
}

fn answer(file: &Path, kind: KindArgument, labels: Option<&Path>) -> Result<Impacts, Failure> {
    let start = Instant::now();
    let Queries { points, labels } = Queries::read(file, labels)?;
    let load = start.elapsed();
    let start = Instant::now();
    let times: Vec<Option<ImpactTime>> = points
        .par_iter()
        .with_min_len(64)
        .map(|&[a, b, c, d]| match kind {
            KindArgument::Vf => vertex_triangle_impact(a, [b, c, d]),
            KindArgument::Ee => edge_edge_impact([a, b], [c, d]),
        })
        .collect();
    let find = start.elapsed();
    let against_labels = labels.map(|labels| {
        [true, false].map(|label| {
            let differ = |&query: &usize| labels[query] == label && times[query].is_some() != label;
            (0..times.len()).filter(differ).collect()
        })
    });
    Ok(Impacts { times, against_labels, load, find })
}
