//! Cuts: bodies parted along a surface, step by step or at once.
//!
//! # Idea
//!
//! A [`Cutter`] runs one cut through one body. Its front advances over the cut surface; each step gives a
//! [`MeshEdit`](crate::mesh::MeshEdit) that parts the body behind the front:
//!
//! ```text
//!            cut surface, seen from above             surface of the body, seen from the side
//!      ______________________________                ____________________________
//!     /##############|               \               \    /\    /\   |/\    /\    /
//!    |###############|                |       ────────\──/──\──/──\──|··\··/··\··/·······  cut
//!     \##############|_______________/                 \/    \/    \/|   \/    \/
//!        both faces   front   still whole                split, parted  still whole
//! ```
//!
//! [`shatter_along`] surfaces and [`shatter_at`] sites break a body at once, and label every triangle with its piece.
//!
//! # Invariants
//!
//! A body that is closed and consistently oriented stays so after every step, also while the front is inside. Its volume
//! changes only by rounding. Triangles are divided along the cut without T-junctions, and their parts
//! cover them. The same input gives the same edits, byte for byte.
//!
//! # When to use something else
//!
//! Cuts are geometric: they consider neither stress nor material. [`crate::fracture`] breaks bodies made of tetrahedra, from a blow
//! and a material. A body that deforms while it is cut should be cut in its
//! rest shape; the same edits, with new positions mapped, apply to the deformed mesh.
//!
//! # Reference
//!
//! The steps of D. Steinemann, M. A. Otaduy and M. Gross, *Fast arbitrary splitting of deforming objects*, Symposium on
//! Computer Animation, 2006, for cuts along surfaces that are known beforehand.

mod caps;
mod chart;
mod clip;
mod components;
mod cutter;
mod divide;
mod error;
mod options;
mod section;
mod shatter;
mod sheet;
mod triangulate;

pub use chart::{CutSurface, HeightGrid};
pub use cutter::Cutter;
pub use error::CutError;
pub use options::{CutOptions, Front};
pub use shatter::{ShatterOptions, Shattered, scatter_sites, shatter_along, shatter_at};
