//! Pairs of intersecting triangles: what every structure finds, and the kernel that all of them share.
//!
//! ```text
//!   tree leaves · cells · any eight triangles
//!        │  rows of eight triangles, f32            (Row, in a Frame)
//!        ▼
//!   RowFilter: boxes, face planes, edge planes      decides what f32 can decide for certain
//!        │  the open ones
//!        ▼
//!   exact::tri_tri on the f64 positions             never wrong
//!        │
//!        ▼
//!   Vec<Pair>, sorted, each pair once
//! ```
//!
//! A soup, which is made for a single look, packs pairs instead of rows (`PairFilter`, with the tests and bounds of the row
//! filter) and proves the neighbours around a vertex apart all at once (`Fan`).
//!
//! [`brute`] compares all triangles with all others and is the oracle of every test.

mod bounds;
pub mod brute;
mod crew;
mod fan;
mod features;
mod findings;
pub(crate) mod frame;
mod pack;
mod row;
mod stages;
mod vec8;

pub(crate) use crate::geom::LANES;
pub use crew::Threads;
pub(crate) use crew::{Crew, Worker, count_beyond};
pub(crate) use fan::Fan;
pub use features::Features;
pub(crate) use findings::{Findings, bits};
pub(crate) use frame::Frame;
pub(crate) use pack::{Corners, Eight, Packed, PairFilter, Steps, whole_steps};
pub(crate) use row::{Precision, Row, RowFilter, RowIds, RowSide};

use crate::exact::Relation;
use crate::mesh::TriangleId;

/// Two triangles that intersect. Within one mesh `a < b`; between two meshes `a` is of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[must_use]
pub struct Pair {
    /// Triangle of the first mesh, or the smaller id.
    pub a: TriangleId,
    /// Triangle of the second mesh, or the larger id.
    pub b: TriangleId,
}

impl Pair {
    /// A pair from two raw ids, in this order.
    #[inline]
    pub const fn new(a: u32, b: u32) -> Self {
        Self { a: TriangleId(a), b: TriangleId(b) }
    }
}

/// Which intersections of two triangles count as a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Touch {
    /// Every common point counts, a touching corner or edge and coplanar overlap too.
    #[default]
    Include,
    /// Only proper crossings: the insides of the two triangles pass through each other.
    Proper,
}

impl Touch {
    /// Whether triangles in this relation are a pair.
    #[inline]
    pub fn accepts(self, relation: Relation) -> bool {
        match self {
            Self::Include => relation != Relation::Disjoint,
            Self::Proper => relation == Relation::Crossing,
        }
    }
}

/// What becomes of the two faces of a crack while they lie on each other.
///
/// A cut gives a body two faces that coincide at birth. Vertices that a cut made of one point are *twins*
/// ([`MeshEdit::twins`](crate::mesh::MeshEdit::twins)). They count as one vertex as long as their positions are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Twins {
    /// Queries of a body against itself take twins that are still at one place for one vertex. So triangles that
    /// meet only there are neighbours, and the two faces of a fresh crack are no pairs.
    #[default]
    LeaveOut,
    /// Every two triangles that touch are a pair, twins or not.
    Report,
}

/// Work done by one query. Every count is the same at any number of threads; `decided` may differ a little between
/// processors, since they round the filter's arithmetic differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FindStats {
    /// Pairs of tree nodes (or cells) opened.
    pub node_pairs: u64,
    /// Rows of eight triangles met by one triangle.
    pub rows: u64,
    /// Triangle pairs whose boxes overlap.
    pub box_pairs: u64,
    /// Triangle pairs left open by the row filter, decided exactly.
    pub decided: u64,
    /// Subtrees proved free of self-intersections as a whole; in a soup, fans around a vertex.
    pub culled: u64,
    /// Pairs found, also if they were more than [`FindOptions::most_pairs`](crate::FindOptions::most_pairs).
    pub found: u64,
}

impl std::ops::AddAssign for FindStats {
    fn add_assign(&mut self, other: Self) {
        self.node_pairs += other.node_pairs;
        self.rows += other.rows;
        self.box_pairs += other.box_pairs;
        self.decided += other.decided;
        self.culled += other.culled;
        self.found += other.found;
    }
}
