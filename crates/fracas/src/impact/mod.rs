//! When bodies that move first touch: continuous collision of whole bodies.
//!
//! During a step every vertex moves linearly from where it is at the start to where it is at the end ([`Sweep`]). Two
//! surfaces that are apart at the start first touch where a vertex meets a triangle or an edge meets an edge. An
//! [`Impact`] is such a meeting, with the time of its first contact. Whether there is one is exact for the `f64`
//! positions given; see [`crate::exact::vertex_triangle_impact`].
//!
//! ```text
//!   Sweep ──▶ SweptBody: a row per vertex (start, end), a box around the path of every vertex, triangle and node
//!                 │
//!             SweepWalk: pairs of nodes ──▶ pairs of triangles ──▶ pairs of features ──▶ ImpactBatch (exact)
//!                 │
//!             Impacts, sorted by time
//! ```
//!
//! # Each pair of features once
//!
//! Every vertex and every edge belongs to one of its triangles, its *owner*. Two triangles whose boxes overlap compare
//! the vertices that each owns with the other, and the edges that one owns with those that the other owns. The box of a
//! feature lies in that of its owner, so no pair is missed, and none comes twice.
//!
//! # What counts
//!
//! Features of one body that share a vertex are left out: they touch at all times. Twins of a crack that are at one place
//! at the start count as one vertex, unless the finder reports twins.
//!
//! Bodies that intersect at the start are reported as such ([`Impacts::touching_at_start`]): an edge that is already
//! through a triangle need not meet anything during the step, so there may be no impact at all.
//!
//! # Rotations
//!
//! Between two poses vertices also move linearly, not on circles. A vertex at distance r from the axis of a rotation
//! by the angle θ is then up to r (1 − cos(θ/2)) inside its circle. [`Sweep::through`] divides the rotation into
//! equal pieces, each of which is a step with linear motion; n pieces leave r (1 − cos(θ/2n)).
//!
//! # Reference
//!
//! S. Curtis, R. Tamstorf, D. Manocha, *Fast collision detection for deformable models using representative-triangles*,
//! Symposium on Interactive 3D Graphics and Games, 2008.

mod owners;
mod sweep;
mod sweep_walk;
mod swept;

pub(crate) use owners::{Owners, ends};
pub(crate) use sweep::Course;
pub use sweep::Sweep;
pub(crate) use sweep_walk::{Question, SweepMeeting, SweepWalk};
pub(crate) use swept::{SweptBody, common_frame};

pub use crate::pairs::Features;

use crate::exact::ImpactTime;
use std::cmp::Ordering;

/// Two features, and when they first meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// The first contact lies between the two ends, in shares of the step.
    pub time: ImpactTime,
    /// What meets.
    pub features: Features,
}

impl Impact {
    /// Earlier ones first; equal times by what meets.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let times = self.time.low.total_cmp(&other.time.low).then(self.time.high.total_cmp(&other.time.high));
        times.then_with(|| self.features.cmp(&other.features))
    }
}

/// All impacts of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Impacts<'a> {
    /// Every pair of features that meet, each once, the earliest first.
    pub all: &'a [Impact],
    /// Whether triangles intersect at the start of the step. `None` if the finder was told not to look
    /// ([`FindOptions::look_at_start`](crate::FindOptions)).
    pub touching_at_start: Option<bool>,
}

impl Impacts<'_> {
    /// The earliest first contact. The lower end is never late: up to there nothing touches that was apart at the start.
    #[must_use]
    #[doc(alias = "time_of_impact")]
    #[doc(alias = "collision_free_stepsize")]
    pub fn first(&self) -> Option<ImpactTime> {
        let low = self.all.first()?.time.low;
        // Another one with the same lower end may end earlier; the first contact of all is before both.
        let high = self.all.iter().take_while(|impact| impact.time.low <= self.all[0].time.high);
        Some(ImpactTime { low, high: high.map(|impact| impact.time.high).fold(f64::INFINITY, f64::min) })
    }
}
