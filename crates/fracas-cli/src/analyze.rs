//! `fracas analyze`: how crowded meshes are, and how much their triangles differ in size.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use fracas::crowd::KFree;
use fracas_io::Staging;
use rayon::prelude::*;

use crate::args::AnalyzeArguments;
use crate::error::Failure;
use crate::input::Input;
use crate::output::{self, boxplot, crowding};
use crate::place::{self, Written};
use crate::progress::Progress;
use crate::{Status, complain, threads};

/// One mesh and how crowded it is, or why it could not be read.
#[derive(Debug)]
pub struct Finding {
    /// The mesh as the user named it, or its place under the folder that was named.
    pub path: String,
    /// What was measured, or the failure.
    pub result: Result<Crowding, Failure>,
}

/// How crowded a mesh is: see [`KFree`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crowding {
    /// Its triangles.
    pub triangles: usize,
    /// The smallest *k* for which the mesh is *k*-free.
    pub k: u32,
    /// The mean over its triangles.
    pub mean: f64,
    /// How much of the mean comes from triangles that share a vertex.
    pub adjacent: f64,
    /// Levels from its smallest triangle to its largest.
    pub height: u32,
}

impl Crowding {
    /// Measures a mesh.
    #[must_use]
    pub fn of(mesh: &fracas::Mesh) -> Self {
        let free = KFree::of_mesh(mesh);
        let adjacent: u64 = free.adjacent.iter().map(|&count| u64::from(count)).sum();
        Self {
            triangles: mesh.triangle_count(),
            k: free.minimal(),
            mean: free.mean(),
            adjacent: adjacent as f64 / mesh.triangle_count().max(1) as f64,
            height: free.height(),
        }
    }
}

/// Measures every mesh under the paths and prints what was found. A file that cannot be read gets a row of its own,
/// is reported among the `complaints` and makes the status bad; the others are measured all the same.
///
/// # Errors
/// Bad arguments, or output that cannot be written.
pub fn run(
    arguments: &AnalyzeArguments,
    threads: Option<u16>,
    out: &mut dyn Write,
    complaints: &mut dyn Write,
) -> Result<Status, Failure> {
    let mut inputs = Vec::new();
    for word in &arguments.paths {
        gather(word, &mut inputs)?;
    }
    if let Some(file) = &arguments.svg {
        let read: Vec<&Path> = inputs.iter().flatten().filter_map(Input::file).collect();
        place::check(file, Written::Anything, "--svg", &read)?;
    }
    let findings = threads::on(threads, || work(inputs, arguments.merge))?;
    if let Some(file) = &arguments.svg {
        let mut files = Staging::default();
        files.write(file, |out| out.write_all(boxplot::svg(&findings).as_bytes()))?;
        files.commit()?;
    }
    output::send(out, |out| {
        if arguments.json {
            crowding::write_json(out, &findings)
        } else if arguments.csv {
            crowding::write_csv(out, &findings)
        } else {
            crowding::write_table(out, &findings)
        }
    })?;
    let mut status = Status::Clear;
    for failure in findings.iter().filter_map(|finding| finding.result.as_ref().err()) {
        complain(complaints, failure);
        status = Status::Bad;
    }
    Ok(status)
}

/// A mesh to be measured, or a folder that could not be opened.
type Gathered = Result<Input, (String, Failure)>;

/// Adds the mesh that a word names, or all meshes in the folder that it names, in the order of their names.
fn gather(word: &OsString, inputs: &mut Vec<Gathered>) -> Result<(), Failure> {
    if Path::new(word).is_dir() {
        walk(Path::new(word), inputs);
    } else {
        inputs.push(Ok(Input::parse(word)?));
    }
    Ok(())
}

fn walk(folder: &Path, inputs: &mut Vec<Gathered>) {
    let mut paths: Vec<PathBuf> = Vec::new();
    let listed = std::fs::read_dir(folder).and_then(|entries| {
        for entry in entries {
            paths.push(entry?.path());
        }
        Ok(())
    });
    if let Err(error) = listed {
        let name = folder.display().to_string();
        inputs.push(Err((name.clone(), Failure::Folder { folder: name, error })));
        return;
    }
    paths.sort();
    for path in paths {
        // Links to folders are not followed: they may lead around in circles.
        let is_folder = path.symlink_metadata().is_ok_and(|data| data.is_dir());
        if is_folder {
            walk(&path, inputs);
        } else if fracas_io::Format::from_path(&path).is_some() && !path.is_dir() {
            inputs.push(Ok(Input::from_file(path)));
        }
    }
}

/// Loads and measures each mesh and lets it go, so that only as many are in memory as there are threads.
fn work(inputs: Vec<Gathered>, merge: bool) -> Vec<Finding> {
    let progress = Progress::start();
    progress.begin("analysing", inputs.len());
    let measure = |input: Gathered| {
        let finding = match input {
            Ok(input) => {
                let result = input.load(merge).map(|mesh| Crowding::of(&mesh));
                Finding { path: input.name().to_owned(), result }
            }
            Err((path, failure)) => Finding { path, result: Err(failure) },
        };
        progress.advance();
        finding
    };
    inputs.into_par_iter().with_max_len(1).map(measure).collect()
}
