//! `fracas scenes` lists the embedded scenes; `fracas run` runs one and leaves a folder with what happened.
//!
//! ```text
//!   scene's frames ──┬─► stats   times and counters of every step ──► stats.json, table, --json
//!                    ├─► recorder every frame, packed            ──► report.html, charts as SVG
//!                    └─► film    up to 60 key frames              ──► SCENE.glb
//! ```
//!
//! A run that is interrupted (Ctrl-C, SIGTERM, SIGHUP) ends after its step and writes what it has. All files of a run appear together.

pub mod film;
pub mod plots;
pub mod stats;

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fracas::Mesh;
use fracas::mesh::Report;
use fracas_frames::{About, Kind, Recorder, RecorderOptions, Recording};
use fracas_io::Staging;
use fracas_scenes::{SCENES, Scene, SceneOptions, Size};

use crate::args::{RunArguments, ScenesArguments};
use crate::error::Failure;
use crate::input::Input;
use crate::output::{self, Align, Table, grouped};
use crate::place::{self, Written};
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
    let film_name = format!("{}.glb", scene.name);
    if let Some(word) = &arguments.mesh {
        place::check_beside(
            &folder.path.join(&film_name),
            Written::Anything,
            "--out",
            &[Input::parse(word)?],
        )?;
    }

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
    let mut folder = folder;
    let files = vec![
        folder.write_report(&recording)?,
        folder.write("stats.json", |out| stats.write_json(out))?,
        folder.write(&film_name, |out| film.write(out))?,
    ];
    if let Ok(header) = recording.header() {
        for (name, svg) in plots::charts(&header) {
            folder.write(&name, |out| out.write_all(svg.as_bytes()))?;
        }
    }
    folder.commit()?;
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
        reported: fracas_scenes::reported::reported(scene.name, size),
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

/// Set by the first signal to end: Ctrl-C, SIGTERM or SIGHUP.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A terminal that closes, or a service that is stopped, may send several signals for one wish to end.
const ONE_WISH: Duration = Duration::from_secs(1);

/// The first signal ends the run after its step. One that comes more than a second later ends the program at once.
fn listen_for_interrupts() {
    let mut first: Option<Instant> = None;
    let on_interrupt = move || {
        let is_first = !INTERRUPTED.swap(true, Ordering::Relaxed);
        let since =
            if is_first { first.insert(Instant::now()) } else { first.get_or_insert_with(Instant::now) };
        if since.elapsed() > ONE_WISH {
            std::process::exit(Status::Interrupted as i32);
        }
    };
    // A handler that is already there is ours; without one, Ctrl-C ends the program as usual.
    let _ = ctrlc::set_handler(on_interrupt);
}

/// The folder of one run, and its files, which appear together.
struct Folder {
    path: PathBuf,
    files: Staging,
    /// The folder of this run's frames, if they lie beside its page.
    frames: Option<PathBuf>,
}

impl Folder {
    fn create(parent: &Path, name: &str) -> Result<Self, Failure> {
        let path = parent.join(name);
        create_folder(&path)?;
        Ok(Self { path, files: Staging::default(), frames: None })
    }

    /// Writes the page that plays the run, and its frames beside it if they are too large for it; returns its path.
    fn write_report(&mut self, recording: &Recording) -> Result<String, Failure> {
        if recording.size() <= page::MOST_INSIDE {
            return self.write(REPORT, |out| page::write_whole(out, recording));
        }
        let beside = format!("{}/{}", page::BESIDE, page::folder_of(recording));
        create_folder(&self.path.join(&beside))?;
        self.frames = Some(self.path.join(&beside));
        for number in 0..recording.groups().len() {
            self.write(&format!("{beside}/{number}.js"), |out| page::write_group(out, recording, number))?;
        }
        self.write(REPORT, |out| page::write_head(out, recording, &beside))
    }

    /// Writes a file aside; returns its path.
    fn write(
        &mut self,
        name: &str,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<String, Failure> {
        let path = self.path.join(name);
        self.files.write(&path, content)?;
        Ok(path.display().to_string())
    }

    /// Puts all files in place, and takes away the frames of the page that was there before.
    fn commit(mut self) -> Result<(), Failure> {
        let old = self.old_frames();
        std::mem::take(&mut self.files).commit()?;
        match old {
            Some(old) if Some(&old) != self.frames.as_ref() => remove_frames(&old),
            _ => {}
        }
        Ok(())
    }

    /// The folder of frames that the page names which is there now. Frames of other runs that write here at this moment are not it.
    fn old_frames(&self) -> Option<PathBuf> {
        let mut beginning = Vec::new();
        let page = std::fs::File::open(self.path.join(REPORT)).ok()?;
        page.take(8 << 20).read_to_end(&mut beginning).ok()?;
        let page = String::from_utf8_lossy(&beginning);
        page.contains(page::MARK_BESIDE).then(|| {
            let beside = self.path.join(page::BESIDE);
            page::folder_named_in(&page).map_or(beside.clone(), |name| beside.join(name))
        })
    }
}

impl Drop for Folder {
    /// After a failure no empty folder is left for frames.
    fn drop(&mut self) {
        drop(std::mem::take(&mut self.files));
        if let Some(frames) = &self.frames {
            remove_empty(frames);
        }
    }
}

fn create_folder(path: &Path) -> Result<(), Failure> {
    let failed = |source| Failure::File { file: path.display().to_string(), source };
    std::fs::create_dir_all(path).map_err(failed)
}

/// Removes frames, `0.js` and so on, and the folders that are empty then. What cannot be removed does no harm.
fn remove_frames(folder: &Path) {
    let is_ours = |name: &str| {
        name.strip_suffix(".js").is_some_and(|number| number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_ours) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    remove_empty(folder);
}

/// Removes a folder of frames if it is empty.
fn remove_empty(folder: &Path) {
    let _ = std::fs::remove_dir(folder);
    // The folder above goes too if it was the last; for frames directly in it, that is the run's own and stays.
    if let Some(above) = folder.parent().filter(|above| above.ends_with(page::BESIDE)) {
        let _ = std::fs::remove_dir(above);
    }
}
