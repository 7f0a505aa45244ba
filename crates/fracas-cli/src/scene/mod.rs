//! `fracas scenes` lists the embedded scenes; `fracas run` runs one and leaves a folder with what happened.
//!
//! ```text
//!   scene's frames ──┬─► stats   times and counters of every step ──► stats.json, table, --json
//!                    ├─► recorder every frame, packed            ──► report.html, charts as SVG
//!                    └─► film    up to 60 key frames              ──► SCENE.glb
//! ```
//!
//! A run that is interrupted from the keyboard ends after its step and writes what it has.

pub mod film;
pub mod paper;
pub mod plots;
pub mod stats;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use fracas::Mesh;
use fracas::mesh::Report;
use fracas_frames::{About, Kind, Recorder, RecorderOptions, Recording};
use fracas_scenes::{SCENES, Scene, SceneOptions, Size};

use crate::args::{RunArguments, ScenesArguments};
use crate::error::Failure;
use crate::input::Input;
use crate::output::{self, Align, Table, grouped};
use crate::progress::Progress;
use crate::view::REPORT;
use crate::{Status, page, threads};
use film::Film;
use stats::Stats;

/// The folder for everything that runs leave, unless another is named.
const USUAL_FOLDER: &str = "out";

/// Lists the scenes.
///
/// # Errors
/// Output that cannot be written.
pub fn list(arguments: &ScenesArguments, out: &mut dyn Write) -> Result<Status, Failure> {
    output::send(out, |out| if arguments.json { list_as_json(out) } else { list_as_table(out) })?;
    Ok(Status::Clear)
}

fn list_as_table(out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new([Align::Left, Align::Right, Align::Left]);
    table.row(["scene", "steps", ""]);
    for scene in SCENES {
        table.row([scene.name, &grouped((scene.steps)(Size::Paper)), scene.about]);
    }
    table.write(out, "")
}

fn list_as_json(out: &mut dyn Write) -> io::Result<()> {
    let scenes: Vec<_> = SCENES
        .iter()
        .map(|scene| {
            serde_json::json!({
                "name": scene.name,
                "about": scene.about,
                "steps": (scene.steps)(Size::Paper),
                "takes_mesh": scene.takes_mesh,
                "takes_pieces": scene.takes_pieces,
            })
        })
        .collect();
    serde_json::to_writer(&mut *out, &scenes)?;
    writeln!(out)
}

/// Runs a scene, writes its folder, and prints a summary.
///
/// # Errors
/// An unknown scene, options it does not have, a mesh that cannot be used, or a folder that cannot be written to.
pub fn run(arguments: &RunArguments, threads: Option<u16>, out: &mut dyn Write) -> Result<Status, Failure> {
    let (stats, files) = threads::on(threads, || work(arguments))??;
    output::send(
        out,
        |out| if arguments.json { stats.write_json(out) } else { stats.write_text(out, &files) },
    )?;
    Ok(if stats.complete { Status::Clear } else { Status::Interrupted })
}

/// Does all steps; returns the statistics and the files that were written.
fn work(arguments: &RunArguments) -> Result<(Stats, Vec<String>), Failure> {
    let scene = fracas_scenes::find(&arguments.scene).map_err(|error| Failure::Usage(error.to_string()))?;
    if arguments.pieces.is_some() && !scene.takes_pieces {
        let sentence = format!("the scene {} breaks into no pieces, so --pieces means nothing", scene.name);
        return Err(Failure::Usage(sentence));
    }
    if arguments.robust && !fracas_scenes::FILLED.contains(&scene.name) {
        let (name, others) = (scene.name, fracas_scenes::FILLED.join(", "));
        let sentence = format!("the scene {name} fills no mesh, so --robust means nothing; {others} do");
        return Err(Failure::Usage(sentence));
    }
    let progress = Progress::start();
    let mesh = arguments.mesh.as_ref().map(|word| load(word.as_os_str(), &progress)).transpose()?;
    let usual = SceneOptions::default();
    let size = arguments.size.into();
    let options = SceneOptions {
        size,
        steps: arguments.steps.map(|steps| steps as usize),
        pieces: arguments.pieces.map_or(usual.pieces, usize::from),
        mesh,
        robust: arguments.robust,
        boxes: boxes_per_frame(arguments.steps.map_or((scene.steps)(size), |steps| steps as usize)),
        ..usual
    };
    progress.begin("preparing", 1);
    let failed = |error: fracas_scenes::SceneError| Failure::Scene {
        what: arguments
            .mesh
            .as_ref()
            .map_or(scene.name.to_owned(), |word| word.to_string_lossy().into_owned()),
        error,
    };
    let run = fracas_scenes::start(scene.name, &options).map_err(failed)?;
    let folder = Folder::create(arguments.out.as_deref().unwrap_or(Path::new(USUAL_FOLDER)), scene.name)?;

    let mut stats = Stats::new(scene, arguments.size.name(), run.steps, run.filling);
    let mut film = Film::new(run.steps, run.step_seconds, run.ground);
    let about = about(scene, arguments.size.name(), &run);
    let mut recorder = Recorder::new(about, RecorderOptions::default());
    progress.begin("stepping", run.steps + 1);
    listen_for_interrupts();
    INTERRUPTED.store(false, Ordering::Relaxed);
    for frame in run {
        let frame = frame.map_err(failed)?;
        stats.note(&frame);
        film.note(&frame);
        recorder.note(&frame);
        progress.advance();
        if INTERRUPTED.load(Ordering::Relaxed) {
            film.end_with(&frame);
            break;
        }
    }
    stats.finish();
    progress.begin("writing", 1);
    let recording = recorder.finish();
    let files = vec![
        folder.write_report(&recording)?,
        folder.write("stats.json", |out| stats.write_json(out))?,
        folder.write(&format!("{}.glb", scene.name), |out| film.write(out))?,
    ];
    if let Ok(header) = recording.header() {
        for (name, svg) in plots::charts(&header) {
            folder.write(&name, |out| out.write_all(svg.as_bytes()))?;
        }
    }
    Ok((stats, files))
}

/// Boxes of trees that a recording may hold in all; few steps may show more of them in each.
const BOXES: usize = 1 << 21;

fn boxes_per_frame(steps: usize) -> usize {
    (BOXES / (steps + 1)).clamp(1 << 10, 1 << 18)
}

/// What the page says about a run.
fn about(scene: &Scene, size: &'static str, run: &fracas_scenes::Run) -> About {
    About {
        kind: Kind::Run,
        title: scene.name.to_owned(),
        text: scene.about.to_owned(),
        size: size.to_owned(),
        steps: run.steps,
        step_seconds: run.step_seconds,
        ground: run.ground,
        meshes: Vec::new(),
        lines: Vec::new(),
        reported: paper::reported(scene.name, size),
        program: page::program(),
    }
}

/// A mesh for a scene. Vertices at equal positions are made one if the mesh is not closed otherwise, as STL needs.
fn load(word: &std::ffi::OsStr, progress: &Progress) -> Result<Mesh, Failure> {
    progress.begin("loading", 1);
    let mut mesh = Input::parse(word)?.load(false)?;
    if !Report::of(&mesh).closed {
        mesh.merge_equal_vertices();
    }
    Ok(mesh)
}

/// Set by the first Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The first Ctrl-C ends the run after its step, the second at once.
fn listen_for_interrupts() {
    let on_interrupt = || {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(Status::Interrupted as i32);
        }
    };
    // A handler that is already there is ours; without one, Ctrl-C ends the program as usual.
    let _ = ctrlc::set_handler(on_interrupt);
}

/// The folder of one run.
struct Folder(PathBuf);

impl Folder {
    fn create(parent: &Path, name: &str) -> Result<Self, Failure> {
        let path = parent.join(name);
        let failed = |source| Failure::File { file: path.display().to_string(), source };
        std::fs::create_dir_all(&path).map_err(failed)?;
        Ok(Self(path))
    }

    /// Writes the page that plays the run, and its frames beside it if they are too large for it; returns its path.
    fn write_report(&self, recording: &Recording) -> Result<String, Failure> {
        self.remove_old_frames();
        if recording.size() <= page::MOST_INSIDE {
            return self.write(REPORT, |out| page::write_whole(out, recording));
        }
        let beside = Folder::create(&self.0, page::BESIDE)?;
        for number in 0..recording.groups().len() {
            beside.write(&format!("{number}.js"), |out| page::write_group(out, recording, number))?;
        }
        self.write(REPORT, |out| page::write_head(out, recording))
    }

    /// Takes away the frames that an earlier run has left beside its page, and nothing else. What cannot be removed is in nobody's
    /// way: frames of this run take its place, or no page asks for it.
    fn remove_old_frames(&self) {
        let beside = self.0.join(page::BESIDE);
        let is_ours = |name: &str| {
            name.strip_suffix(".js").is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
        };
        for entry in std::fs::read_dir(&beside).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(is_ours) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        let _ = std::fs::remove_dir(beside);
    }

    /// Writes a file whole or not at all; returns its path.
    fn write(
        &self,
        name: &str,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<String, Failure> {
        let path = self.0.join(name);
        let part = self.0.join(format!(".{name}.part"));
        let fill = || {
            let mut file = io::BufWriter::new(std::fs::File::create(&part)?);
            content(&mut file)?;
            file.flush()?;
            std::fs::rename(&part, &path)
        };
        let shown = path.display().to_string();
        fill().map_err(|source| {
            // The error that matters is the first one.
            let _ = std::fs::remove_file(&part);
            Failure::File { file: shown.clone(), source }
        })?;
        Ok(shown)
    }
}
