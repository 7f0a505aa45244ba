//! Bodies on known paths: structures that need no refit per frame.
//!
//! In animations and replays the path of every vertex is known in advance. [`Plans`] hold these paths.
//!
//! - [`KineticBody`]: boxes at the two ends of an interval, one refit per key. The default.
//! - [`Window`]: pairs of triangles that come near each other during an interval, and when; [`StepImpacts`]: what meets, exactly.
//! - [`DrivenBody`]: for positions that are given frame by frame.
//!
//! The structures of the paper keep exact boxes at every instant, not only at frames:
//!
//! - [`AabbTree`]: each node stores the six vertices that realise its box, and an event wherever that will change.
//! - [`BoxTree`]: two planes per node, fewer events, looser boxes.
//! - [`SeparationList`]: which boxes of two trees overlap, and from when to when.
//!
//! # Reference
//!
//! G. Zachmann, R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable objects*, Technical
//! Report IfI-06-02, TU Clausthal, 2006.

mod aabb_edits;
mod aabb_events;
mod aabb_tree;
pub(crate) mod at_rest;
mod block;
mod body;
mod box_events;
mod box_tree;
mod course;
mod crossing;
mod driven;
mod edits;
mod error;
mod forest;
mod impacts;
mod keys;
mod moving;
mod options;
mod pairs;
pub mod piece;
mod plan;
mod queue;
mod separation;
#[cfg(feature = "serde")]
mod state;
mod topology;
mod window;

pub use aabb_tree::{AabbTree, NodeId};
pub use body::KineticBody;
pub use box_tree::BoxTree;
pub use driven::DrivenBody;
pub use error::KineticError;
pub use impacts::StepImpacts;
pub use options::{Certificates, KineticOptions, KineticStats};
pub(crate) use piece::LARGEST_TIME;
pub use piece::Piece;
pub use plan::{Plan, Plans};
pub use separation::{Overlap, SeparationList, SeparationStats};
#[cfg(feature = "serde")]
pub(crate) use state::PlansState;
pub use window::{TimedPair, Window};
