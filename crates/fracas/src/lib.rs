//! Every collision among objects that bend, tear and shatter, exactly and in real time.
//!
//! Give it a [`Mesh`], put a tree over it ([`MeshTree`]), and ask a [`Finder`] for every pair of triangles that
//! intersect, within one mesh or between two. The answer is exact for the `f64` positions given: sorted, each pair
//! once, the same on any number of threads.
//!
//! ```text
//!   Mesh ──build──▶ MeshTree ──Finder──▶ [Pair]
//!                      ▲  set_positions: vertices moved, the tree follows
//! ```
//!
//! # Which structure?
//!
//! - Rigid bodies: [`MeshTree`], and poses for each query ([`MeshTree::at`]).
//! - Bodies that deform: [`MeshTree`], and [`MeshTree::set_positions`] each step.
//! - Bodies that are cut, torn or broken: [`tearing::TearingBody`], which follows edits; [`cut`] makes them.
//! - Rigid bodies that shatter: [`brittle::BrittleBody`], which gives contacts with depth; [`fill`] makes
//!   them from surfaces, [`fracture`] breaks them.
//! - Triangles that come and go, soups, anything asked once: [`MeshRef`], and [`Mesh`], which keep no structure.
//! - A second opinion: [`pairs::brute`], which compares everything with everything.
//!
//! # Layers
//!
//! [`base`] small tools · [`geom`] values without identity · [`exact`] decisions that may not be wrong · [`mesh`] things
//! with identity · [`cut`] cuts that part a body · [`fracture`] labels that break one · [`pairs`] the answer, and the filter
//! all structures share · [`tree`] the tree · [`fill`] tetrahedra from a surface · [`tearing`] trees that follow edits ·
//! [`brittle`] distances that follow cracks · [`soup`] the grid · [`crowd`] how crowded a mesh is. Each uses only those
//! before it, and no structure another.
#![forbid(unsafe_code)]

pub mod base;
pub mod brittle;
pub mod crowd;
pub mod cut;
pub mod exact;
pub mod fill;
mod find;
pub mod fracture;
pub mod geom;
pub mod mesh;
pub mod pairs;
pub mod soup;
pub mod tearing;
pub mod tree;
mod walk;

/// What the other crates of the project share with the library, and programs should not use: it may change at any time.
#[doc(hidden)]
pub mod internal {
    pub use crate::pairs::frame::Frame;
}

pub use find::{FindOptions, Finder};
pub use mesh::{Mesh, MeshError, MeshRef, TriangleId};
pub use pairs::{FindStats, Pair, Threads, Touch, Twins};
pub use soup::SoupOptions;
pub use tearing::TearingBody;
pub use tree::{BuildOptions, MeshTree, SplitRule};
pub use walk::{Nearest, RayHit, Side, View};

/// The example in the README is compiled and run like every other.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
