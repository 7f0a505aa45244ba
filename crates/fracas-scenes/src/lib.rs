//! Scenes in which bodies are cut, broken, draped and thrown, and every collision is found.
//!
//! A scene is data and a step function. [`SCENES`] lists them, and [`start`] sets one up. It returns an iterator
//! that does one step at a time and yields a [`Frame`] for each: positions, triangles that came and went,
//! colliding pairs or contacts, and the time of each phase.
//!
//! ```text
//!   Scene ── start(options) ──▶ Run ── next() ──▶ Frame 0, 1, 2 …
//!   name, steps                 step function       │
//!                                                   └─▶ tables · films · viewers · tests
//! ```
//!
//! | scene | what happens | structure |
//! |---|---|---|
//! | [`bricks`](mod@bricks) | bricks fall in a heap and break | [`BreakableSet`](fracas_rapier::BreakableSet) |
//! | [`plates`](mod@plates) | balls are dropped on plates on a shelf | the same |
//! | [`piggybank`](mod@piggybank) | a hollow bank with coins in it falls and breaks | the same |
//! | [`blobs`](mod@blobs) | 27 bodies fall in three batches and break | the same |
//! | [`handful`](mod@handful) | five bodies are thrown about and break | the same |
//! | [`triceratops`](mod@triceratops) | an animal is parted by a plane, step by step | [`TearingBody`](fracas::tearing::TearingBody) |
//! | [`pumpkin`](mod@pumpkin) | a pumpkin falls and breaks at once; the pieces move as rigid bodies | the same, split by labels |
//! | [`apple`](mod@apple) | an apple is peeled; the peel is elastic, retracts and meets itself | the same, all vertices moving |
//! | [`funnel`](mod@funnel) | a ball presses a cloth through a funnel | a soup: [`Finder`](fracas::Finder) |
//! | [`whirl`](mod@whirl) | a ball whirls a cloth | the same |
//! | [`nbody`](mod@nbody) | balls fly about and bounce off each other | the same |
//! | [`statue`](mod@statue) | a statue explodes | the same |
//! | [`chair`](mod@chair) | a cloth falls over a chair of rods | the same |
//! | [`breaking_statue`](mod@breaking_statue) | a statue falls on another one and breaks | the same |
//! | [`cloth_statue`](mod@cloth_statue) | a cloth falls over a statue | the same |
//! | [`chazelle`](mod@chazelle) | two polyhedra of the worst kind pass through each other | the same |
//! | [`tablecloth`](mod@tablecloth) | a cloth falls on a round table | key poses ([`motion`]) |
//! | [`shirt`](mod@shirt) | a man walks in a shirt | the same |
//! | [`dress`](mod@dress) | a woman walks in a dress | the same |
//! | [`spheres`](mod@spheres) | two spheres expand and turn back where they collide | flight plans that change |
//! | [`crossing`](mod@crossing) | cloths fly through each other edge on edge | impacts between frames |
//! | [`kick`](mod@kick) | a dancer in a kick, if the data is there | key poses |
//! | [`brain`](mod@brain) | a brain is pulled | a surface on simulation nodes ([`motion`]) |
//! | [`ring`](mod@ring) | six figures on a turning ring swing into each other | the same |
//! | [`fishes`](mod@fishes) | 24 fishes swim through each other | the same |
//! | [`crowd`](mod@crowd) | a hundred people walk through each other | a surface on bones |
//! | [`factory`](mod@factory) | 2,000 parts on belts queue at gates; robots sweep them aside | [`World`](fracas::world::World) |
//! | [`flag`](mod@flag) | a flag in the wind is cut by a sword | the same |
//! | [`surgery`](mod@surgery) | a scalpel opens a soft body, retractors hold it open | the same |
//! | [`rubble`](mod@rubble) | people walk through walls, which break before them | the same |
//!
//! | what moves | how |
//! |---|---|
//! | brittle bodies | the engine Rapier, with their true shapes (`shards`) |
//! | rigid pieces of `pumpkin`, `statue` and `breaking_statue` | the same engine, with convex hulls (`fragments`, `rigid`) |
//! | cloth and the apple's peel | points and links (`cloth`, `near`, `apple/soft.rs`) that obstacles push out (`obstacle`, `field`) |
//! | key poses of cloth | a solver that lets nothing pass through anything (`cloth/keyed.rs`) |
//! | balls | impulses |
//! | people | formulas (`figure`) |
//! | elastic solids | simulation nodes with forces from moving least squares (`meshless`) |
//!
//! # Invariants
//!
//! - The same options give the same frames on the same machine, times apart, at any number of threads.
//! - Ids of triangles and vertices mean the same throughout a run and are never used again.
//! - The pairs of a frame are exact for the positions of that frame, whatever moves the bodies. Scenes of bodies that rest on
//!   each other have contacts in their place, and say so.
//!
//! # Reference
//!
//! | scenes | follow, with their sizes |
//! |---|---|
//! | `bricks`, `plates`, `piggybank`, `blobs`, `handful` | L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont and M. A. Otaduy, *Efficient collision detection for brittle fracture*, Symposium on Computer Animation, 2012, section 6 |
//! | `triceratops`, `pumpkin`, `apple` | M. A. Otaduy, O. Chassot, D. Steinemann and M. Gross, *Balanced hierarchies for collision detection between fracturing objects*, IEEE Virtual Reality, 2007, section 5 |
//! | `funnel` to `chazelle` in the table above | R. Weller, N. Debowski and G. Zachmann, *kDet: parallel constant time collision detection for polygonal objects*, Computer Graphics Forum, 2017, section 6 |
//! | `tablecloth`, `shirt`, `dress`, `spheres` | G. Zachmann and R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable objects*, Technical Report IfI-06-02, TU Clausthal, 2006, section 9 |
//! | `brain`, `ring`, `fishes` | D. Steinemann, M. A. Otaduy and M. Gross, *Tight and efficient surface bounds in meshless animation*, Computers & Graphics 32, 2008 |
#![forbid(unsafe_code)]

mod banner;
mod cloth;
mod draped;
mod edits;
mod error;
mod field;
mod figure;
mod fragments;
mod impulses;
mod lattice;
mod lumps;
mod meshless;
mod near;
mod obstacle;
mod outlines;
mod parted;
mod points;
mod rigid;
mod run;
mod shards;
mod skinned;
mod slit;
mod soft;
mod soup;
mod staged;
mod worn;

pub mod apple;
pub mod blobs;
pub mod brain;
pub mod breaking_statue;
pub mod bricks;
pub mod chair;
pub mod chazelle;
pub mod cloth_statue;
pub mod crossing;
pub mod crowd;
pub mod dress;
pub mod factory;
pub mod fishes;
pub mod flag;
pub mod funnel;
pub mod handful;
pub mod kick;
pub mod motion;
pub mod nbody;
pub mod piggybank;
pub mod plates;
pub mod play;
pub mod pumpkin;
pub mod reported;
pub mod ring;
pub mod rubble;
pub mod shirt;
pub mod spheres;
pub mod statue;
pub mod surgery;
pub mod tablecloth;
pub mod triceratops;
pub mod whirl;

pub use error::SceneError;
pub use fracas::geom;
pub use fracas_frames::{AddedTriangle, Frame, FrameContact};
pub use run::{Filling, Run};

use fracas::{FindOptions, Mesh, Threads, Touch};

/// A scene that can be run.
#[derive(Debug)]
pub struct Scene {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What happens in it, in one line.
    pub about: &'static str,
    /// How many steps a run has unless the options say otherwise, by size.
    pub steps: fn(Size) -> usize,
    /// Whether it can be run with a mesh of the user's.
    pub takes_mesh: bool,
    /// Whether the number of pieces can be chosen.
    pub takes_pieces: bool,
    begin: fn(&SceneOptions) -> Result<Run, SceneError>,
}

/// All scenes.
pub const SCENES: &[Scene] = &[
    bricks::SCENE,
    plates::SCENE,
    piggybank::SCENE,
    blobs::SCENE,
    handful::SCENE,
    triceratops::SCENE,
    apple::SCENE,
    pumpkin::SCENE,
    funnel::SCENE,
    whirl::SCENE,
    nbody::SCENE,
    statue::SCENE,
    chair::SCENE,
    breaking_statue::SCENE,
    cloth_statue::SCENE,
    chazelle::SCENE,
    tablecloth::SCENE,
    shirt::SCENE,
    dress::SCENE,
    spheres::SCENE,
    crossing::SCENE,
    kick::SCENE,
    brain::SCENE,
    ring::SCENE,
    fishes::SCENE,
    crowd::SCENE,
    factory::SCENE,
    flag::SCENE,
    surgery::SCENE,
    rubble::SCENE,
];

/// How large the bodies of a scene are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// For tests and quick looks.
    Small,
    /// About as in the paper.
    #[default]
    Paper,
    /// Several times as large.
    Large,
}

/// What can be chosen in a scene.
#[derive(Clone, Debug)]
pub struct SceneOptions {
    /// How large the bodies are. Default: as in the paper.
    pub size: Size,
    /// How many steps to do. Default: what the scene has.
    pub steps: Option<usize>,
    /// Into how many pieces a body breaks: 2 to 64. Default: 8.
    pub pieces: usize,
    /// A closed mesh to take the place of the scene's own. Default: none.
    pub mesh: Option<Mesh>,
    /// Whether scenes in which things shatter take an open or broken mesh as well, and fill it by its winding numbers. Default: false.
    pub robust: bool,
    /// Use all threads for queries. The frames are the same either way. Default: true.
    pub parallel: bool,
    /// Up to how many boxes of its trees a frame holds, in whole levels from the roots down. Default: none.
    pub boxes: usize,
}

impl Default for SceneOptions {
    fn default() -> Self {
        Self {
            size: Size::Paper,
            steps: None,
            pieces: 8,
            mesh: None,
            robust: false,
            parallel: true,
            boxes: 0,
        }
    }
}

impl SceneOptions {
    /// What the finder of a scene looks for.
    pub(crate) fn find(&self, touch: Touch) -> FindOptions {
        let threads = if self.parallel { Threads::Auto } else { Threads::One };
        FindOptions { touch, threads, ..FindOptions::default() }
    }
}

/// The scenes that fill a mesh with tetrahedra; they take open and broken ones too ([`SceneOptions::robust`]).
pub const FILLED: [&str; 3] = ["handful", "blobs", "piggybank"];

/// The scene of a name.
///
/// # Errors
/// [`SceneError::Unknown`] lists the names there are.
pub fn find(name: &str) -> Result<&'static Scene, SceneError> {
    let known = || SCENES.iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ");
    let scene = SCENES.iter().find(|scene| scene.name == name);
    scene.ok_or_else(|| SceneError::Unknown { name: name.to_owned(), known: known() })
}

/// Sets up a scene. The first frame is the state before the first step.
///
/// # Errors
/// An unknown name, options that the scene does not have or that make no sense, or a mesh that cannot be cut.
///
/// ```
/// use fracas_scenes::{SceneOptions, Size, start};
/// let run = start("triceratops", &SceneOptions { size: Size::Small, ..SceneOptions::default() }).unwrap();
/// let frames: Vec<_> = run.collect::<Result<_, _>>().unwrap();
/// assert_eq!(frames.len(), 1 + 11);
/// assert_eq!(frames[11].counter("pieces"), Some(2.0));
/// ```
pub fn start(name: &str, options: &SceneOptions) -> Result<Run, SceneError> {
    let scene = find(name)?;
    if let Some(0) = options.steps {
        return Err(SceneError::NoSteps);
    }
    if !(2..=64).contains(&options.pieces) {
        return Err(SceneError::BadPieces { pieces: options.pieces });
    }
    if options.mesh.is_some() && !scene.takes_mesh {
        return Err(SceneError::TakesNoMesh { scene: scene.name });
    }
    (scene.begin)(options)
}
