//! `fracas view`: a run, a mesh or the result of a check, in the browser.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use fracas_frames::Recording;
use fracas_io::Staging;

use crate::Status;
use crate::args::ViewArguments;
use crate::error::Failure;
use crate::input::Input;
use crate::output;
use crate::page::{self, Content};
use crate::place::{self, Written};
use crate::progress::Progress;

/// The page of a run, in its folder.
pub const REPORT: &str = "report.html";

/// Shows what the arguments name.
///
/// # Errors
/// A folder without a report, a page that is not ours, a mesh that cannot be read, a file that cannot be written, or no
/// browser.
pub fn run(arguments: &ViewArguments, out: &mut dyn Write) -> Result<Status, Failure> {
    let file = match existing_page(&arguments.path)? {
        Some(page) => match &arguments.out {
            Some(copy) => {
                if has(&page, page::MARK_BESIDE).map_err(|source| failed(&page, source))? {
                    return Err(Failure::FramesBeside { file: page.display().to_string() });
                }
                place::check(copy, Written::Anything, "--out", &[&page])?;
                let mut from = File::open(&page).map_err(|source| failed(&page, source))?;
                let mut files = Staging::default();
                files.write(copy, |out| io::copy(&mut from, out).map(drop))?;
                files.commit()?;
                copy.clone()
            }
            None => page,
        },
        None => write_mesh(&arguments.path, arguments.out.as_deref())?,
    };
    show(&file, arguments.no_open, out)
}

/// Prints where a page is, and opens it unless it is to stay closed.
pub(crate) fn show(file: &Path, no_open: bool, out: &mut dyn Write) -> Result<Status, Failure> {
    output::send(out, |out| writeln!(out, "{}", file.display()))?;
    if !no_open {
        open::that_detached(file)
            .map_err(|source| Failure::Browser { file: file.display().to_string(), source })?;
    }
    Ok(Status::Clear)
}

/// The page that a path names: itself, or that of the run in this folder. `None` if it names a mesh.
fn existing_page(path: &OsStr) -> Result<Option<PathBuf>, Failure> {
    let path = PathBuf::from(path);
    let page = if path.is_dir() {
        let page = path.join(REPORT);
        if !page.is_file() {
            return Err(Failure::NoReport { folder: path.display().to_string() });
        }
        page
    } else if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("html")) {
        path
    } else {
        return Ok(None);
    };
    // A pipe would be empty when the browser reads it.
    let is_ours = (page.is_file() || !page.exists())
        && has(&page, page::MARK).map_err(|source| failed(&page, source))?;
    if is_ours { Ok(Some(page)) } else { Err(Failure::NotOurPage { file: page.display().to_string() }) }
}

/// Whether a page has a mark of ours. Marks stand before the data, so not much has to be read.
fn has(page: &Path, mark: &str) -> io::Result<bool> {
    let mut beginning = Vec::new();
    BufReader::new(File::open(page)?).take(8 << 20).read_to_end(&mut beginning)?;
    Ok(beginning.windows(mark.len()).any(|window| window == mark.as_bytes()))
}

/// Makes the page of a mesh, in a new folder among the system's temporary files unless a file is named.
fn write_mesh(word: &OsStr, out: Option<&Path>) -> Result<PathBuf, Failure> {
    let progress = Progress::start();
    progress.begin("loading", 1);
    let input = Input::parse(word)?;
    if let Some(out) = out {
        place::check_beside(out, Written::Anything, "--out", std::slice::from_ref(&input))?;
    }
    let mesh = input.load(false)?;
    let recording = page::record_meshes(&[input.name()], &[mesh], &Content::Meshes);
    let file = match out {
        Some(out) => out.to_path_buf(),
        None => new_folder("view")?.join("view.html"),
    };
    write_page(&file, &recording)?;
    Ok(file)
}

/// A folder that was not there before: a page in a shared folder could be somebody else's link to a file of ours.
pub(crate) fn new_folder(command: &str) -> Result<PathBuf, Failure> {
    let mut number = 0;
    loop {
        let folder = std::env::temp_dir().join(format!("fracas-{command}-{}-{number}", std::process::id()));
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            created => return created.map(|()| folder.clone()).map_err(|source| failed(&folder, source)),
        }
    }
}

/// Writes a page with everything inside.
///
/// # Errors
/// A file that cannot be written.
pub fn write_page(file: &Path, recording: &Recording) -> Result<(), Failure> {
    let mut files = Staging::default();
    files.write(file, |out| page::write_whole(out, recording))?;
    Ok(files.commit()?)
}

fn failed(file: &Path, source: io::Error) -> Failure {
    Failure::File { file: file.display().to_string(), source }
}
