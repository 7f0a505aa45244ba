//! The row kernel: one triangle against up to eight, in `f32`, dropping only what certainly does not meet.
//!
//! Every structure ends in the same question: which of these eight triangles may meet this one? The filter here
//! answers it with vector instructions and hands the few survivors to [`crate::exact`]. It runs through
//!
//! 1. boxes,
//! 2. the plane of the one triangle: all three corners of another strictly on one side,
//! 3. the planes of the eight, likewise,
//! 4. the edge planes of the one (through an edge, along the normal): all three corners strictly outside,
//! 5. the edge planes of the eight, likewise,
//! 6. for neighbours with one common corner, a plane through it: one triangle strictly on either side,
//! 7. for others, every edge of one against every edge of the other: if all signs are certain, the pair is decided.
//!
//! [`side`] prepares a row once for all comparisons, [`meet`] compares. Error bounds are proved in [`super::bounds`];
//! what is not certain stays open, for [`crate::exact`].
//!
//! # Neighbours
//!
//! Triangles of one mesh that share vertices (equal ids) always touch there, which is not a collision. A corner
//! that is shared lies on the plane by definition, so it may stand in for a sided one: if all other corners are
//! strictly on one side, the triangles meet in the shared vertex or edge and nowhere else. Two traps: with all
//! three corners shared nothing is left to be sided (a duplicate face, which is a collision), and at an edge
//! plane only the two ends of that edge are on the plane.

mod meet;
mod side;

pub(crate) use side::RowSide;

use crate::geom::LANES;
use crate::mesh::TriangleId;
use fearless_simd::prelude::*;

/// Corners of up to eight triangles in frame coordinates: `corners[corner][axis][lane]`.
///
/// Unused lanes repeat a used one, so that every number is finite; the caller masks them.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Row {
    /// Coordinates by corner, axis and lane.
    pub(crate) corners: [[[f32; LANES]; 3]; 3],
}

impl Row {
    /// A row of zeros, to be filled.
    pub(crate) const ZERO: Self = Self { corners: [[[0.0; LANES]; 3]; 3] };
}

/// The ids of the triangles of a row.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct RowIds {
    /// Vertex indices by corner and lane.
    pub(crate) vertices: [[u32; LANES]; 3],
    /// Triangle ids by lane; [`RowIds::NONE`] in unused lanes.
    pub(crate) triangles: [u32; LANES],
}

impl RowIds {
    /// Marks an unused lane.
    pub(crate) const NONE: u32 = u32::MAX;

    /// A row without triangles.
    pub(crate) const EMPTY: Self =
        Self { vertices: [[Self::NONE; LANES]; 3], triangles: [Self::NONE; LANES] };

    /// One bit for every used lane. Used lanes come first.
    #[inline]
    pub(crate) fn used(&self) -> u32 {
        (0..LANES).map(|lane| u32::from(self.triangles[lane] != Self::NONE) << lane).sum()
    }

    /// The triangles of the row.
    pub(crate) fn triangle_ids(&self) -> impl Iterator<Item = TriangleId> + '_ {
        self.triangles.iter().take_while(|&&t| t != Self::NONE).map(|&t| TriangleId(t))
    }
}

/// How good the coordinates of the rows are that meet in a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Precision {
    /// Largest difference between a stored coordinate and the true one.
    pub(crate) slack: f32,
    /// Largest magnitude of a coordinate.
    pub(crate) reach: f32,
}

/// The filter for coordinates with a given error. All methods are inlined into the caller's vector context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowFilter<S: Simd> {
    simd: S,
    precision: Precision,
}

impl<S: Simd> RowFilter<S> {
    /// A filter for rows of the given precision.
    #[inline(always)]
    pub(crate) fn new(simd: S, precision: Precision) -> Self {
        Self { simd, precision }
    }

    /// The instruction set the filter uses.
    #[inline(always)]
    pub(crate) fn simd(&self) -> S {
        self.simd
    }
}
