//! Every collision among objects that bend, tear and shatter, exactly and in real time.
//!
//! Give it a [`Mesh`], put a tree over it ([`MeshTree`]), and ask a [`PairFinder`] for every pair of triangles that
//! intersect, within one mesh or between two. The answer is exact for the `f64` positions given: sorted, each pair
//! once, the same on any number of threads.
//!
//! ```text
//!   Mesh ──build──▶ MeshTree ──PairFinder──▶ [Pair]
//!                      ▲  set_positions: vertices moved, the tree follows
//! ```
//!
//! # Which structure?
//!
//! - Rigid bodies: [`MeshTree`], and poses for each query ([`PairFinder::find_pairs_posed`]).
//! - Bodies that deform: [`MeshTree`], and [`MeshTree::set_positions`] each step.
//! - Bodies that are cut, torn or broken: [`tearing::TearingBody`], which follows edits; [`crack`] makes them.
//! - Rigid bodies that shatter: [`brittle::BrittleBody`], which gives contacts with depth; [`crack`] breaks them.
//! - Triangles that come and go, soups, anything asked once: [`SoupFinder`], which keeps nothing but memory.
//! - A second opinion: [`pairs::brute`], which compares everything with everything.
//!
//! # Layers
//!
//! [`base`] small tools · [`geom`] values without identity · [`exact`] decisions that may not be wrong · [`mesh`] things
//! with identity · [`crack`] cuts that part a body · [`pairs`] the answer, and the filter all structures share · [`tree`]
//! the tree · [`tearing`] trees that follow edits · [`brittle`] distances that follow cracks · [`soup`] the grid · [`crowd`]
//! how crowded a mesh is. Each uses only those before it, and no structure another.
#![forbid(unsafe_code)]

pub mod base;
pub mod brittle;
pub mod crack;
pub mod crowd;
pub mod exact;
pub mod geom;
pub mod mesh;
pub mod pairs;
pub mod soup;
pub mod tearing;
pub mod tree;

pub use mesh::{Mesh, MeshError, TriangleId};
pub use pairs::{Pair, PairOptions, PairStats, Touch};
pub use soup::{SoupFinder, SoupOptions};
pub use tree::{BuildOptions, MeshTree, PairFinder, SplitRule};

/// The example in the README is compiled and run like every other.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
