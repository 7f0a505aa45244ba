//! Why a body cannot be cut.

use crate::geom::DVec3;
use crate::mesh::TriangleId;

/// Why a body cannot be cut. Nothing has changed when it is returned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CutError {
    /// A point or vector has a NaN or infinite coordinate.
    #[error("{what} ({}, {}, {}) is not finite", value.x, value.y, value.z)]
    NotFinite {
        /// What it was given for.
        what: &'static str,
        /// As given.
        value: DVec3,
    },
    /// A vector that should give a direction is zero, or along another.
    #[error("{what} ({}, {}, {}) gives no direction", value.x, value.y, value.z)]
    NoDirection {
        /// What it was given for.
        what: &'static str,
        /// As given.
        value: DVec3,
    },
    /// A number that makes no sense.
    #[error("{what} {value} is out of range")]
    BadNumber {
        /// What it was given for.
        what: &'static str,
        /// As given.
        value: f64,
    },
    /// A height grid whose rows are not complete.
    #[error("{heights} heights do not make rows of {columns}")]
    BadGrid {
        /// How many heights were given.
        heights: usize,
        /// How many make a row.
        columns: usize,
    },
    /// A vertex is so far away that its side cannot be computed.
    #[error("vertex {vertex} is too far away to be placed on a side of the cut")]
    TooFar {
        /// The first such vertex.
        vertex: u32,
    },
    /// An edge on the cut is used by more than two triangles, or by two in the same direction.
    #[error("the edge between vertices {} and {} lies on the cut but does not join two sides of a surface", ends[0], ends[1])]
    NotASurface {
        /// The vertices of the edge.
        ends: [u32; 2],
    },
    /// A triangle is crossed by more than one turn of a helicoid, or by its axis.
    #[error("triangle {} is too large for the helicoid, or lies across its axis", triangle.0)]
    TooCoarse {
        /// The first such triangle.
        triangle: TriangleId,
    },
    /// A helicoid of so small a pitch that it winds through the body too often.
    #[error(
        "a helicoid of pitch {pitch:e} winds {turns:e} times through the body: more than {most} turns are too many"
    )]
    TooManyTurns {
        /// As given.
        pitch: f64,
        /// How many turns there are, about.
        turns: f64,
        /// How many there may be.
        most: f64,
    },
    /// The helicoid's section does not end cleanly where the range of the front ends.
    #[error("the cut has no clean end at {at}: its outlines do not pair up there")]
    NoCleanEnd {
        /// The end of the front's range.
        at: f64,
    },
    /// A triangle that the cut needs is not what the cut has left: the last edit was not applied, or another was.
    #[error("triangle {} is not as the cut has left it", triangle.0)]
    Changed {
        /// The first such triangle.
        triangle: TriangleId,
    },
    /// Two sites of cells are in the same place.
    #[error("sites {} and {} are in the same place", sites[0], sites[1])]
    SameSite {
        /// Where they stand in the list.
        sites: [usize; 2],
    },
    /// A body that must be closed has an edge with one triangle.
    #[error("the mesh is open at the edge between vertices {} and {}", ends[0], ends[1])]
    Open {
        /// The vertices of the first such edge.
        ends: [u32; 2],
    },
}
