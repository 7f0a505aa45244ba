//! Frames of a simulation, and recordings of them: every frame of a run, small enough to be part of a page.
//!
//! A [`Frame`] is the result of a step, whatever moves the bodies. A [`Recorder`] takes frames one after the other and
//! packs them as they arrive. It can give a complete [`Recording`] at any time, so an interrupted run
//! leaves one as well.
//!
//! # Idea
//!
//! ```text
//!   "FRACASFR"  version  number of sections  length of each section      plain, little-endian
//!   section 0   header      JSON: what it is, times and counters of all frames, first frame of each group
//!   section 1   triangles   corners, crack flag, birth and death of each: which are there in any frame
//!   section 2…  groups      up to 16 frames each; the first stands alone, the others are differences
//! ```
//!
//! Sections are zlib streams. A viewer needs the first two to open, and one group to show a frame, wherever it is.
//!
//! Positions are integer multiples of a step, 1/65,536 of the longest side of the first frame's box (and of the ground's distance),
//! so a coordinate is off by at most half a step. Each is written as the difference to a prediction: the vertex before it, its position
//! in the last frame, or its position extrapolated from the last two. Each frame uses the prediction that is best for it.
//!
//! Numbers are varints: seven bits to a byte, low ones first, the eighth bit says that more follow. Signed ones are folded first:
//! 0, −1, 1, −2 … become 0, 1, 2, 3 …. The layout of a group is in `group.rs`, that of triangles in `triangles.rs`; the
//! reader of the page is `web/src/frames`.
//!
//! # Invariants
//!
//! - What is read is what was written, positions and boxes apart, which are off by less than a step; boxes only ever grow.
//! - No bytes make a reader panic or reserve more memory than a small multiple of what they unpack to.
//!
//! # When to use something else
//!
//! For other programs write glTF, which every viewer reads; it is many times as large.
#![forbid(unsafe_code)]

mod bytes;
mod error;
mod frame;
mod group;
mod header;
mod lattice;
pub mod page;
mod record;
mod recording;
mod triangles;

pub use error::ReadError;
pub use frame::{AddedTriangle, Frame, FrameContact};
pub use group::StoredFrame;
pub use header::{About, Column, Header, Kind, MeshSpan, Reported};
pub use record::{Recorder, RecorderOptions};
pub use recording::{Recording, Stored};
pub use triangles::StoredTriangle;

/// The version of the layout. A reader refuses all others.
pub const VERSION: u32 = 1;

/// What a recording begins with.
pub const MAGIC: [u8; 8] = *b"FRACASFR";
