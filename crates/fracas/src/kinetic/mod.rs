//! Bodies on known paths: boxes that know when they expire.
//!
//! Animation and playback know where every vertex is going. [`Plans`] hold these paths.
//!
//! # Reference
//!
//! G. Zachmann, R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable objects*, Technical
//! Report IfI-06-02, TU Clausthal, 2006.

mod block;
mod error;
pub mod piece;
mod plan;
mod queue;

pub use error::KineticError;
pub use piece::Piece;
pub use plan::{Plan, Plans};
