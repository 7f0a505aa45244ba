//! Why a body cannot be filled.

use crate::geom::DVec3;
use crate::mesh::tets::TetError;

/// Why a surface or a field cannot be filled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FillError {
    /// The surface has a rim, so it has no inside.
    #[error("the surface is open at the edge between vertices {} and {}", ends[0], ends[1])]
    Open {
        /// The vertices of the first edge that has not exactly two triangles.
        ends: [u32; 2],
    },
    /// Triangles disagree on which side is outside.
    #[error("the triangles at the edge between vertices {} and {} face different ways", ends[0], ends[1])]
    NotOriented {
        /// The vertices of the first such edge.
        ends: [u32; 2],
    },
    /// The surface has no triangles.
    #[error("the surface has no triangles")]
    Empty,
    /// A number that makes no sense.
    #[error("{what} {value} is not {wanted}")]
    BadNumber {
        /// What it was given for.
        what: &'static str,
        /// As given.
        value: f64,
        /// What would be right.
        wanted: &'static str,
    },
    /// The box is empty or not finite.
    #[error("the box from ({}, {}, {}) to ({}, {}, {}) is empty or not finite", low.x, low.y, low.z, high.x, high.y, high.z)]
    BadBox {
        /// Lowest corner, as given.
        low: DVec3,
        /// Highest corner, as given.
        high: DVec3,
    },
    /// The cells are so small that the lattice would not fit into memory.
    #[error("cells of {cell} make {cubes:.0} cubes, more than {most:.0}")]
    TooFine {
        /// As given.
        cell: f64,
        /// Cubes of the lattice, or of one level of the octree.
        cubes: f64,
        /// How many there may be.
        most: f64,
    },
    /// The size function gives a size that is not positive.
    #[error("the size of cells asked for at ({}, {}, {}) is {size}, which is not positive", at.x, at.y, at.z)]
    BadSize {
        /// Where the size was asked for.
        at: DVec3,
        /// The size given.
        size: f64,
    },
    /// The field is not a number somewhere.
    #[error("the field is not finite at ({}, {}, {})", at.x, at.y, at.z)]
    NotFinite {
        /// The first such point.
        at: DVec3,
    },
    /// No point of the lattice lies inside: the body is too thin, or not in the box.
    #[error("no point of the lattice lies inside; cells of {cell} are too large for the body")]
    NothingInside {
        /// Size of the cells.
        cell: f64,
    },
    /// The tetrahedra do not make a mesh.
    #[error(transparent)]
    Mesh(#[from] TetError),
}

impl FillError {
    /// The same error about a body that is larger by a factor.
    pub(super) fn scaled(mut self, factor: f64) -> Self {
        match &mut self {
            Self::BadBox { low, high } => {
                *low *= factor;
                *high *= factor;
            }
            Self::TooFine { cell, .. } | Self::NothingInside { cell } => *cell *= factor,
            Self::BadSize { at, size } => {
                *at *= factor;
                *size *= factor;
            }
            Self::NotFinite { at } => *at *= factor,
            Self::BadNumber { what: "cell size", value, .. } => *value *= factor,
            Self::Open { .. }
            | Self::NotOriented { .. }
            | Self::Empty
            | Self::BadNumber { .. }
            | Self::Mesh(_) => {}
        }
        self
    }
}

pub(super) fn require(
    holds: bool,
    what: &'static str,
    value: f64,
    wanted: &'static str,
) -> Result<(), FillError> {
    if holds { Ok(()) } else { Err(FillError::BadNumber { what, value, wanted }) }
}

pub(super) fn require_positive(what: &'static str, value: f64) -> Result<(), FillError> {
    require(value > 0.0 && value.is_finite(), what, value, "positive and finite")
}
