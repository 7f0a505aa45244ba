//! Every collision among objects that bend, tear and shatter, exactly and in real time.
#![forbid(unsafe_code)]

pub mod exact;
pub mod geom;
pub mod mesh;
pub mod pairs;
pub mod tree;

pub use mesh::{Mesh, MeshError, TriangleId};
pub use pairs::{Pair, PairOptions, PairStats, Touch};
pub use tree::{BuildOptions, MeshTree, PairFinder, SplitRule};

/// The example in the README is compiled and run like every other.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
