//! `fracas check`: which triangles intersect.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use fracas::mesh::Mesh;

use crate::args::CheckArguments;
use crate::error::Failure;
use crate::find::{self, Answer, Question};
use crate::input::{self, Input};
use crate::output::{self, Summary, json, text};
use crate::page::{self, Content};
use crate::progress::Progress;
use crate::{Status, threads, view};

/// Does what the arguments say and prints the answer.
///
/// # Errors
/// Bad arguments, a mesh that cannot be read, a file that cannot be written: nothing has then been printed, and no
/// file has changed. Or standard output fails, after the marked mesh was written.
pub fn run(arguments: &CheckArguments, threads: Option<u16>, out: &mut dyn Write) -> Result<Status, Failure> {
    let inputs = input::parse_all(&arguments.meshes)?;
    let question = Question {
        within: arguments.within,
        touch: arguments.touch.into(),
        engine: arguments.engine.try_into()?,
    };
    if let Some(file) = &arguments.out {
        refuse_bad_out(file, "ply", &inputs)?;
    }
    if let Some(file) = &arguments.html {
        refuse_bad_out(file, "html", &inputs)?;
    }
    let (answer, summary) = threads::on(threads, || work(&inputs, arguments.merge, question))??;
    if let Some(file) = &arguments.out {
        write_marked(file, &answer)?;
    }
    if let Some(file) = &arguments.html {
        let names: Vec<&str> = inputs.iter().map(Input::name).collect();
        view::write_page(file, &page::record_meshes(&names, &answer.meshes, &Content::Pairs(&answer.pairs)))?;
    }
    let files: Vec<&Path> =
        [&arguments.out, &arguments.html].into_iter().flatten().map(|file| &**file).collect();
    output::send(out, |out| {
        if arguments.json {
            json::write_check(out, &summary, &answer.pairs)
        } else {
            text::write_check(out, &summary, &answer.pairs, &files)
        }
    })?;
    Ok(if answer.pairs.is_empty() { Status::Clear } else { Status::Found })
}

/// All that takes time: loads the meshes and finds the pairs.
fn work(inputs: &[Input], merge: bool, question: Question) -> Result<(Answer, Summary), Failure> {
    let progress = Progress::start();
    let start = Instant::now();
    let meshes: Vec<Mesh> =
        input::load_all(inputs, merge, &progress).into_iter().collect::<Result<_, Failure>>()?;
    let load = start.elapsed();
    let answer = find::find(meshes, question, &progress)?;
    let summary = Summary::new(inputs, question.touch, load, &answer);
    Ok((answer, summary))
}

/// Refuses what can be known to go wrong before hours of work are lost to it.
pub(crate) fn refuse_bad_out(out: &Path, extension: &str, inputs: &[Input]) -> Result<(), Failure> {
    let file = out.display().to_string();
    if !out.extension().is_some_and(|end| end.eq_ignore_ascii_case(extension)) {
        let is_page = extension == "html";
        return Err(if is_page { Failure::OutIsNotHtml { file } } else { Failure::OutIsNotPly { file } });
    }
    if let Some(folder) = out.parent()
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        return Err(Failure::NoFolder { file, folder: folder.display().to_string() });
    }
    let true_name = |path: &Path| path.canonicalize().ok();
    let is_read = |out: std::path::PathBuf| {
        inputs.iter().filter_map(Input::file).any(|input| true_name(input).is_some_and(|input| input == out))
    };
    if true_name(out).is_some_and(is_read) { Err(Failure::OutIsInput { file }) } else { Ok(()) }
}

/// Writes all meshes into one file, with every triangle of a pair marked.
fn write_marked(file: &Path, answer: &Answer) -> Result<(), Failure> {
    let mut marks: Vec<Vec<bool>> =
        answer.meshes.iter().map(|mesh| vec![false; mesh.triangle_count()]).collect();
    for &[mesh_a, a, mesh_b, b] in &answer.pairs {
        marks[mesh_a as usize][a as usize] = true;
        marks[mesh_b as usize][b as usize] = true;
    }
    let marked: Vec<(&Mesh, &[bool])> = answer.meshes.iter().zip(marks.iter().map(Vec::as_slice)).collect();
    Ok(fracas_io::write_ply_coloured(file, &marked)?)
}
