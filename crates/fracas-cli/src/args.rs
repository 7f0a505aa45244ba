//! The arguments of the command line.

mod questions;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use fracas::Touch;
use fracas_scenes::Size;

use crate::error::Failure;
use crate::find::Engine;
use crate::input;

pub use questions::{ContactsArguments, DistanceArguments, InsideArguments, NearArguments};

/// The arguments of `fracas`.
#[derive(Debug, Parser)]
#[command(
    name = "fracas",
    version,
    about = "Finds every collision in and between triangle meshes, exactly.",
    after_help = meshes_and_status(),
    max_term_width = 100
)]
pub struct Arguments {
    /// Threads to use, 1 to 1024 [default: all]. The answer does not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

fn meshes_and_status() -> String {
    format!(
        "Meshes are files (obj, off, stl, ply, gltf, glb) or made by the program:\n  \
         shape:NAME or shape:NAME:TRIANGLES, NAME being one of {}\n\n\
         Exit status: 0 nothing found, 1 collisions found (check), 2 bad usage or bad input, 130 interrupted (run).",
        input::shape_names()
    )
}

/// A command and its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Lists the triangles that intersect: within one mesh, or between several
    Check(CheckArguments),
    /// Decides whether and when moving features first meet, exactly
    Ccd(CcdArguments),
    /// Finds the distance of two meshes and their closest points
    Distance(DistanceArguments),
    /// Lists vertex-triangle and edge-edge pairs within a distance: in one mesh, or between two
    Near(NearArguments),
    /// Lists where two meshes touch or overlap, how deep, and in which direction they separate
    Contacts(ContactsArguments),
    /// Says which points are inside a closed mesh, exactly
    Inside(InsideArguments),
    /// Describes meshes: counts, components, open edges, defects, volume
    Info(InfoArguments),
    /// Measures how crowded meshes are: k-freeness, and levels from the smallest triangle to the largest
    Analyze(AnalyzeArguments),
    /// Lists the embedded scenes
    Scenes(ScenesArguments),
    /// Runs a scene and leaves a page that plays it back, statistics, charts and an animated glTF file
    Run(RunArguments),
    /// Shows a run, a mesh or the result of a check in the browser
    View(ViewArguments),
    /// Writes and opens a page in which you break things with your own hands; the library runs in it
    Play(PlayArguments),
}

/// The arguments of `fracas check`.
#[derive(Debug, Args)]
#[command(after_help = meshes_and_status())]
pub struct CheckArguments {
    /// One mesh is checked against itself; of several, each against each other one
    #[arg(required = true, value_name = "MESH")]
    pub meshes: Vec<OsString>,
    /// With several meshes: check each against itself too
    #[arg(long = "self")]
    pub within: bool,
    /// Which intersections of two triangles count
    #[arg(long, value_name = "WHICH", default_value = "include")]
    pub touch: TouchArgument,
    /// First merge vertices at equal positions; STL files need this
    #[arg(long)]
    pub merge: bool,
    /// How to search; the answer is the same
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub engine: EngineArgument,
    /// Write the meshes into one PLY file, intersecting triangles in red
    #[arg(long, value_name = "FILE.ply")]
    pub out: Option<PathBuf>,
    /// Write a page that shows the meshes, intersecting triangles in red, and all pairs
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `fracas ccd`.
#[derive(Debug, Args)]
#[command(after_help = meshes_and_status())]
pub struct CcdArguments {
    /// A mesh at the start and at the end of a step, or two meshes: A0 A1, or A0 A1 B0 B1. Vertices move linearly between the two
    #[arg(value_name = "MESH", required_unless_present = "queries", conflicts_with = "queries")]
    pub meshes: Vec<OsString>,
    /// With two meshes: impacts within each of them too
    #[arg(long = "self", conflicts_with = "queries")]
    pub within: bool,
    /// Queries in eight rows each: four points at the start, the same four at the end; coordinates as
    /// numerator,denominator
    #[arg(long, value_name = "FILE.csv", requires = "kind")]
    pub queries: Option<PathBuf>,
    /// What the four points are
    #[arg(long, value_name = "KIND", requires = "queries")]
    pub kind: Option<KindArgument>,
    /// Compare with a JSON list of true and false [default: the last column, if there are seven]
    #[arg(long, value_name = "FILE.json", requires = "queries")]
    pub labels: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// What the four points of a query are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArgument {
    /// A vertex and the three corners of a face
    Vf,
    /// The two ends of an edge and those of another
    Ee,
}

/// The arguments of `fracas info`.
#[derive(Debug, Args)]
#[command(after_help = meshes_and_status())]
pub struct InfoArguments {
    /// The meshes to describe
    #[arg(required = true, value_name = "MESH")]
    pub meshes: Vec<OsString>,
    /// First merge vertices at equal positions; STL files need this
    #[arg(long)]
    pub merge: bool,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `fracas analyze`.
#[derive(Debug, Args)]
#[command(after_help = meshes_and_status())]
pub struct AnalyzeArguments {
    /// Meshes, and folders to look for meshes in
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// First merge vertices at equal positions; STL files need this
    #[arg(long)]
    pub merge: bool,
    /// Print one JSON document
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print comma-separated values
    #[arg(long)]
    pub csv: bool,
    /// Draw a box plot of k by the size of meshes
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
}

/// The arguments of `fracas scenes`.
#[derive(Debug, Args)]
pub struct ScenesArguments {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `fracas run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Which scene; `fracas scenes` lists them
    #[arg(value_name = "SCENE")]
    pub scene: String,
    /// How large its bodies are
    #[arg(long, value_name = "SIZE", default_value = "paper")]
    pub size: SizeArgument,
    /// How many steps to do, 1 to 100000 [default: what the scene has]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub steps: Option<u32>,
    /// A closed mesh instead of the scene's own: a file or shape:NAME
    #[arg(long, value_name = "MESH")]
    pub mesh: Option<OsString>,
    /// Take an open or broken mesh as well, and fill it by its winding numbers (handful, blobs, piggybank)
    #[arg(long, requires = "mesh")]
    pub robust: bool,
    /// Into how many pieces a body breaks, 2 to 64 [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=64))]
    pub pieces: Option<u8>,
    /// Folder for the files of the run, in a folder of the scene's name [default: out]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `fracas view`.
#[derive(Debug, Args)]
#[command(after_help = meshes_and_status())]
pub struct ViewArguments {
    /// The folder of a run, a page that `run` or `--html` wrote, or a mesh
    #[arg(value_name = "PATH")]
    pub path: OsString,
    /// Write the page to this file and open that
    #[arg(long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,
    /// Print where the page is, and leave it closed
    #[arg(long)]
    pub no_open: bool,
}

/// The arguments of `fracas play`.
#[derive(Debug, Args)]
#[command(after_help = meshes_and_status())]
pub struct PlayArguments {
    /// A scene (plates, handful, bricks, piggybank, cut), or a mesh to be broken [default: plates]
    #[arg(value_name = "SCENE|MESH")]
    pub what: Option<OsString>,
    /// How large the bodies are
    #[arg(long, value_name = "SIZE", default_value = "paper")]
    pub size: SizeArgument,
    /// Write the page to this file and open that
    #[arg(long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,
    /// Print where the page is, and leave it closed
    #[arg(long)]
    pub no_open: bool,
}

/// How large the bodies of a scene are: [`Size`] as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SizeArgument {
    /// Small, for a quick look
    Small,
    /// About as in the paper
    Paper,
    /// Several times as large
    Large,
}

impl SizeArgument {
    /// The word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Paper => "paper",
            Self::Large => "large",
        }
    }
}

impl From<SizeArgument> for Size {
    fn from(size: SizeArgument) -> Self {
        match size {
            SizeArgument::Small => Self::Small,
            SizeArgument::Paper => Self::Paper,
            SizeArgument::Large => Self::Large,
        }
    }
}

/// Which intersections of two triangles are reported: [`Touch`] as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TouchArgument {
    /// Every common point, touching corners and edges too
    Include,
    /// Only interiors that pass through each other
    Proper,
}

impl From<TouchArgument> for Touch {
    fn from(touch: TouchArgument) -> Self {
        match touch {
            TouchArgument::Include => Self::Include,
            TouchArgument::Proper => Self::Proper,
        }
    }
}

/// How pairs are searched for: [`Engine`] as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArgument {
    /// Brute force for up to 20,000 comparisons, trees for meshes that are compared with several others, a graphics card for
    /// millions of triangles, a grid otherwise
    Auto,
    /// A bounding-volume tree over each mesh
    Tree,
    /// A hierarchy of grids, built for the search
    Soup,
    /// Every triangle against every other
    Brute,
    /// The same grid on a graphics card (CUDA)
    Gpu,
}

impl TryFrom<EngineArgument> for Engine {
    type Error = Failure;

    fn try_from(engine: EngineArgument) -> Result<Self, Failure> {
        match engine {
            EngineArgument::Auto => Ok(Self::Auto),
            EngineArgument::Tree => Ok(Self::Tree),
            EngineArgument::Brute => Ok(Self::Brute),
            EngineArgument::Soup => Ok(Self::Soup),
            #[cfg(feature = "gpu")]
            EngineArgument::Gpu => Ok(Self::Gpu),
            #[cfg(not(feature = "gpu"))]
            EngineArgument::Gpu => Err(Failure::NoSuchEngine { name: "gpu" }),
        }
    }
}

/// Why the arguments name no command.
#[derive(Debug)]
pub enum Refusal {
    /// They asked for help or the version: this text.
    Shown(String),
    /// They are not valid.
    Bad(Box<Failure>),
}

impl Arguments {
    /// Reads the words; the first is the name of the program.
    ///
    /// # Errors
    /// A request for help or the version, or arguments that are not valid, in one sentence.
    pub fn read(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<Self, Refusal> {
        Self::try_parse_from(words).map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Refusal::Shown(error.to_string()),
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Refusal::Bad(Box::new(Failure::Usage(
                "a command is missing: check, ccd, distance, near, contacts, inside, info, analyze, scenes, run, view or play".to_owned(),
            ))),
            _ => Refusal::Bad(Box::new(Failure::Usage(sentence(&error.to_string())))),
        })
    }
}

/// The first paragraph of a message on one line, without the word that opens it.
fn sentence(message: &str) -> String {
    let lines = message.lines().map(str::trim).take_while(|line| !line.is_empty());
    let joined = lines.collect::<Vec<_>>().join(" ");
    joined.strip_prefix("error: ").unwrap_or(&joined).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(words: &[&str]) -> String {
        match Arguments::read([&["fracas"], words].concat()) {
            Err(Refusal::Bad(failure)) => failure.to_string(),
            other => panic!("{words:?} gave {other:?}"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn messages_become_one_sentence() {
        assert_eq!(
            complaint(&[]),
            "a command is missing: check, ccd, distance, near, contacts, inside, info, analyze, scenes, run, view or play (see `fracas --help`)"
        );
        assert_eq!(
            complaint(&["check"]),
            "the following required arguments were not provided: <MESH>... (see `fracas --help`)"
        );
        assert_eq!(
            complaint(&["check", "a.obj", "--touch", "hard"]),
            "invalid value 'hard' for '--touch <WHICH>' [possible values: include, proper] (see `fracas --help`)"
        );
        for words in [&["chekc", "a.obj"][..], &["check", "--slef"], &["info", "--out", "a.ply"]] {
            let sentence = complaint(words);
            assert!(!sentence.contains('\n') && !sentence.starts_with("error"), "{sentence}");
            assert!(sentence.contains('\''), "the offending word is not named: {sentence}");
        }
    }

    #[test]
    fn threads_may_stand_before_or_after_the_command() {
        for words in [["--threads", "3", "check", "a"], ["check", "a", "--threads", "3"]] {
            let arguments = Arguments::read([&["fracas"], &words[..]].concat()).unwrap();
            assert_eq!(arguments.threads, Some(3));
        }
    }
}
