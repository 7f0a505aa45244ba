//! Scenes to be played with, for a page: what its worker calls in WebAssembly.
//!
//! Everything is in [`session`], which is plain Rust and is tested natively. Here it is given to JavaScript: numbers and texts go across, frames stay
//! where they are and are read in place.
//!
//! ```text
//!   page ── messages ──▶ worker (web/src/play/worker.ts) ── calls ──▶ Play ──▶ Session ──▶ fracas-scenes, fracas-frames, fracas-io
//!        ◀── frames ────                                 ◀── bytes at frame_at()
//! ```
//!
//! # Invariants
//!
//! A call that fails throws a sentence and changes nothing. A panic ends the instance; [`panic()`] then says what it was.

pub mod frame;
pub mod session;

use session::Session;
use std::cell::RefCell;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

thread_local! {
    /// What a panic was about.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
    /// The mesh that was loaded last.
    static LOADED: RefCell<Option<fracas::Mesh>> = const { RefCell::new(None) };
}

/// Called once, when the module is there.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        PANIC.with(|panic| *panic.borrow_mut() = info.to_string().replace('\n', " "));
    }));
}

/// What a panic was about; empty if there was none.
#[wasm_bindgen]
#[must_use]
pub fn panic() -> String {
    PANIC.with(|panic| panic.borrow().clone())
}

/// The version of the library.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// A scene being played, or a mesh that is looked at.
#[wasm_bindgen]
pub struct Play(Session);

fn thrown(sentence: String) -> JsError {
    JsError::new(&sentence)
}

/// Makes a scene; for the scene `mesh`, of the mesh that was loaded last.
///
/// # Errors
/// A sentence.
#[wasm_bindgen]
pub fn make(scene: &str, size: &str, seed: f64) -> Result<Play, JsError> {
    let mesh = if scene == "mesh" { LOADED.with(|loaded| loaded.borrow().clone()) } else { None };
    Session::make(scene, size, seed, mesh).map(Play).map_err(thrown)
}

/// Reads a mesh and finds its intersections.
///
/// # Errors
/// A sentence; the mesh that was loaded before is then still there.
#[wasm_bindgen]
pub fn load(name: &str, bytes: &[u8]) -> Result<Play, JsError> {
    let (session, mesh) = Session::load(name, bytes).map_err(thrown)?;
    LOADED.with(|loaded| *loaded.borrow_mut() = Some(mesh));
    Ok(Play(session))
}

#[wasm_bindgen]
impl Play {
    /// What the scene or the mesh is, as JSON.
    #[must_use]
    pub fn about(&self) -> String {
        self.0.about()
    }

    /// Does a step.
    ///
    /// # Errors
    /// A sentence.
    pub fn step(&mut self) -> Result<(), JsError> {
        self.0.step().map_err(thrown)
    }

    /// Does what a patient user would do, then a step.
    ///
    /// # Errors
    /// A sentence.
    pub fn rehearse(&mut self) -> Result<(), JsError> {
        self.0.rehearse().map_err(thrown)
    }

    /// Uses a tool, given as JSON; returns what it did, as JSON.
    ///
    /// # Errors
    /// A sentence.
    pub fn use_tool(&mut self, tool: &str) -> Result<String, JsError> {
        self.0.use_tool(tool).map_err(thrown)
    }

    /// Up to how many boxes frames hold.
    pub fn set_boxes(&mut self, most: u32) {
        self.0.set_boxes(most as usize);
    }

    /// Writes the state as a frame; returns its number of bytes.
    pub fn write_frame(&mut self) -> usize {
        self.0.write_frame().len()
    }

    /// Where the last frame is in memory, until the next call.
    #[must_use]
    pub fn frame_at(&self) -> usize {
        self.0.frame_bytes().as_ptr() as usize
    }

    /// Milliseconds of phases and counters of the last step, as JSON.
    #[must_use]
    pub fn numbers(&self) -> String {
        self.0.numbers()
    }

    /// The report page of all steps that are recorded.
    #[must_use]
    pub fn saved(&self, template: &str) -> Vec<u8> {
        self.0.saved(template)
    }

    /// How many frames are recorded.
    #[must_use]
    pub fn recorded(&self) -> usize {
        self.0.recorded()
    }

    /// A hash of all that every step so far has left behind.
    #[must_use]
    pub fn hash(&self) -> String {
        self.0.hash()
    }
}
