//! Why a scene cannot be run.

use fracas::brittle::BrittleError;
use fracas::cut::CutError;
use fracas::mesh::SkinError;
use fracas::world::WorldError;
use fracas_rapier::BreakError;

/// Why a scene cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// There is no scene of that name.
    #[error("there is no scene `{name}` (there are {known})")]
    Unknown {
        /// The name given.
        name: String,
        /// All names.
        known: String,
    },
    /// A run without steps.
    #[error("a run needs at least one step")]
    NoSteps,
    /// Too few or too many pieces.
    #[error("a body breaks into 2 to 64 pieces, not {pieces}")]
    BadPieces {
        /// The number given.
        pieces: usize,
    },
    /// A mesh was given to a scene that makes its own.
    #[error("the scene {scene} makes its own mesh and takes no other")]
    TakesNoMesh {
        /// The scene.
        scene: &'static str,
    },
    /// The mesh has an edge that is not between two triangles.
    #[error(
        "the mesh is not closed: {edges} edges are not between two triangles (scenes that fill bodies take it with `robust`)"
    )]
    NotClosed {
        /// How many there are.
        edges: usize,
    },
    /// The triangles of the mesh do not face the same way, or inward.
    #[error("the mesh is inside out or has neighbours that face opposite ways")]
    NotOriented,
    /// The mesh has too many triangles for the size asked for.
    #[error("{triangles} triangles are too many for this size of the scene")]
    TooLarge {
        /// How many the mesh has.
        triangles: usize,
    },
    /// A scene was asked for too few or too many triangles.
    #[error("{scene} has {least} to {most} triangles, not {triangles}")]
    BadSize {
        /// The scene.
        scene: &'static str,
        /// The number given.
        triangles: usize,
        /// The least there may be.
        least: usize,
        /// The most there may be.
        most: usize,
    },
    /// A moving body without keys, or with another number of times than keys.
    #[error(
        "a moving body needs one time for each of its keys, and one key at least: {keys} keys, {times} times"
    )]
    BadKeys {
        /// How many keys were given.
        keys: usize,
        /// How many times.
        times: usize,
    },
    /// The time of a key is not finite or not after the one before.
    #[error("key {key} is at {seconds} s, which is not finite or not after the key before it")]
    BadKeyTime {
        /// The key.
        key: usize,
        /// Its time.
        seconds: f64,
    },
    /// There is no key of that number.
    #[error("there is no key {key}: the body has {keys}")]
    NoSuchKey {
        /// The number given.
        key: usize,
        /// How many there are.
        keys: usize,
    },
    /// The scene `mesh` was asked for without one.
    #[error("the scene mesh needs a mesh: load one first")]
    NeedsMesh,
    /// A number of a tool that is out of range.
    #[error("{what} is {value}; it must be {expected}")]
    BadTool {
        /// Which number.
        what: &'static str,
        /// What was given.
        value: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// A speed that a scene does not have.
    #[error("cloths meet at 0.01 to 10000 m/s, not at {speed}")]
    BadSpeed {
        /// The speed given.
        speed: f64,
    },
    /// Cloth is held between two solid parts and cannot move on.
    #[error("the cloth is caught between solid parts at {seconds} s and cannot move on")]
    Caught {
        /// When.
        seconds: f64,
    },
    /// Data that is no part of the project is not there.
    #[error("{scene} needs {file}: {why} (set FRACAS_SHARED_DATA to the folder that has `cloth` in it)")]
    NoData {
        /// The scene.
        scene: &'static str,
        /// The file.
        file: String,
        /// Why it cannot be used.
        why: String,
    },
    /// A surface on nodes was asked for with too few or too many vertices or nodes.
    #[error(
        "{scene} has {} to {} vertices and {} to {} nodes, not {} and {}",
        vertices[0], vertices[1], nodes[0], nodes[1], counts[0], counts[1]
    )]
    BadSkinSize {
        /// The scene.
        scene: &'static str,
        /// Vertices and nodes given.
        counts: [usize; 2],
        /// The least and the most vertices there may be.
        vertices: [usize; 2],
        /// The least and the most nodes there may be.
        nodes: [usize; 2],
    },
    /// Settings that the ring does not have.
    #[error(
        "the ring takes up to 4 subdivisions, 40 to 4000 nodes, spacings of 0.3 to 10 m and gusts of 0 to 20 m/s²"
    )]
    BadRing,
    /// A body has too little room inside for its simulation nodes.
    #[error("the body is too thin for {nodes} simulation nodes")]
    TooThin {
        /// How many there should be.
        nodes: usize,
    },
    /// Weights or transforms that do not fit a surface.
    #[error("not a skin: {0}")]
    Skin(#[from] SkinError),
    /// Positions and triangles that are no mesh.
    #[error("not a mesh: {0}")]
    Mesh(String),
    /// A body cannot be prepared for breaking.
    #[error("the body cannot be prepared for breaking: {0}")]
    Solid(BrittleError),
    /// A body that breaks cannot be added.
    #[error("the body cannot be added: {0}")]
    Break(#[from] BreakError),
    /// A world refused what a scene asked of it.
    #[error("the world refuses: {0}")]
    World(#[from] WorldError),
    /// The mesh could not be cut.
    #[error("the mesh cannot be cut: {0}")]
    Cut(#[from] CutError),
}
