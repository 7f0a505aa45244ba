//! `fracas check`: which triangles intersect.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use fracas::mesh::Mesh;
use fracas_io::Staging;

use crate::args::CheckArguments;
use crate::error::Failure;
use crate::find::{self, Answer, Question};
use crate::input::{self, Input};
use crate::output::{self, Summary, json, text};
use crate::page::{self, Content};
use crate::place::{self, Written};
use crate::progress::Progress;
use crate::{Status, threads};

/// Does what the arguments say and prints the answer.
///
/// # Errors
/// Bad arguments, a mesh that cannot be read, a file that cannot be written: nothing has then been printed, and no
/// file has changed. Or standard output fails, after the files were written.
pub fn run(arguments: &CheckArguments, threads: Option<u16>, out: &mut dyn Write) -> Result<Status, Failure> {
    let inputs = input::parse_all(&arguments.meshes)?;
    let question = Question {
        within: arguments.within,
        touch: arguments.touch.into(),
        engine: arguments.engine.try_into()?,
    };
    if let Some(file) = &arguments.out {
        place::check_beside(file, Written::Ply, "--out", &inputs)?;
    }
    if let Some(file) = &arguments.html {
        place::check_beside(file, Written::Page, "--html", &inputs)?;
    }
    let (answer, summary) = threads::on(threads, || work(&inputs, arguments.merge, question))??;
    let mut files = Staging::default();
    if let Some(file) = &arguments.out {
        write_marked(&mut files, file, &answer)?;
    }
    if let Some(file) = &arguments.html {
        let names: Vec<&str> = inputs.iter().map(Input::name).collect();
        let recording = page::record_meshes(&names, &answer.meshes, &Content::Pairs(&answer.pairs));
        files.write(file, |out| page::write_whole(out, &recording))?;
    }
    files.commit()?;
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

/// Writes all meshes into one file, with every triangle of a pair marked.
fn write_marked(files: &mut Staging, file: &Path, answer: &Answer) -> Result<(), Failure> {
    let mut marks: Vec<Vec<bool>> =
        answer.meshes.iter().map(|mesh| vec![false; mesh.triangle_count()]).collect();
    for &[mesh_a, a, mesh_b, b] in &answer.pairs {
        marks[mesh_a as usize][a as usize] = true;
        marks[mesh_b as usize][b as usize] = true;
    }
    let marked: Vec<(&Mesh, &[bool])> = answer.meshes.iter().zip(marks.iter().map(Vec::as_slice)).collect();
    Ok(files.write_ply_coloured(file, &marked)?)
}
