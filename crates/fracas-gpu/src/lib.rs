//! Every collision of a triangle soup, found on a CUDA device, with the answers of the processor.
//!
//! Put meshes on the device ([`GpuSoup::new`]), move their vertices there, and ask for the pairs. The grid is rebuilt
//! in each step, as in [`fracas::soup`], so bodies may deform as they like. The pairs are always the same set: the device decides
//! what rounding errors cannot change, and the processor decides the rest.
//!
//! ```text
//!   positions on the device
//!        │ populate · allot · fill      boxes into the cells of a hierarchy of grids, by counting
//!        ▼
//!   records in the order of cells
//!        │ search                       boxes, then pairs that single precision proves apart
//!        ▼
//!   candidates ──settle──▶ pairs        double precision, where every sign is certain
//!        │
//!        ▼ open: a few, if any
//!   fracas::exact on the processor ──▶ pairs
//! ```
//!
//! # Invariants
//!
//! - No pair is lost: boxes are rounded outward, filters drop only what error bounds prove, and a list that
//!   was too short grows and the step runs again.
//! - No pair comes twice: of two records the one on the finer level, or in the earlier cell, meets the other, and cells that one
//!   triangle looks into have buckets of their own.
//! - The answer does not depend on the plan, on the order of threads, or on what was there before.
//!
//! # Departures from the paper
//!
//! Triangle sizes are grouped into levels by an estimate of the work. A triangle is in one cell, that of the lower
//! corner of its box, and searches the cells around it; the paper puts it into all cells it meets. Cells of a brick are contiguous, and bricks
//! are hashed, so a row of cells is one range of records. There are no linked buckets: they are counted first and get ranges of the right
//! length. `docs/papers/p5.md` has the reasons.
//!
//! # When to use something else
//!
//! Without a device, [`fracas::Finder`] gives the same answer. For single queries of small meshes it is faster than opening
//! a device.
//!
//! # Reference
//!
//! R. Weller, N. Debowski and G. Zachmann, *kDet: Parallel constant time collision detection for polygonal objects*,
//! Computer Graphics Forum 36(2), 2017.
#![deny(unsafe_code)]

mod error;
mod finish;
mod layout;
#[allow(unsafe_code)]
mod machine;
mod measure;
mod memory;
mod order;
mod plan;
mod scene;
mod soup;
mod source;
mod step;

pub use error::GpuError;
pub use measure::StepTimes;
pub use soup::{GpuOptions, GpuSoup, GpuStats};
pub use step::{DevicePairs, Step};
