//! Exact decisions: orientation, triangle against triangle, first contact of moving features.
//!
//! Boxes and filters elsewhere may say *maybe*. This module says *yes* or *no*, and the answer is exact for
//! the given `f64` numbers: every finite input, degenerate, touching and coplanar triangles, subnormal
//! numbers and numbers near the largest `f64`.
//!
//! # Idea
//!
//! Every decision is made from signs of determinants, [`orient2d`] and [`orient3d`], and from comparisons of input
//! coordinates. No computed point, distance or tolerance takes part. A sign goes through up to three stages:
//!
//! ```text
//!    f64 with an error bound  ──certain──▶  sign      nearly always, a few nanoseconds
//!          │ uncertain
//!    adaptive expansions      ──in range─▶  sign      nearly coplanar or exactly so
//!          │ exponents too far apart
//!    big integers             ───────────▶  sign      the only stage that allocates
//! ```
//!
//! Since every sign is exact, so is what follows from it: [`tri_tri()`] is symmetric, does not depend on the order of
//! corners, and does not change when all coordinates are multiplied by a power of two (while nothing is rounded).
//!
//! # What is decided
//!
//! A triangle is the convex hull of its corners, so a triangle without area is the segment or the point it looks
//! like. Two triangles are [`Relation::Disjoint`], [`Relation::Touching`] or [`Relation::Crossing`]. Triangles of one
//! mesh that share corners by index meet there by construction; [`tri_tri_shared`] asks whether they meet anywhere else.
//!
//! Points that move linearly are decided the same way: [`vertex_triangle_impact`] and [`edge_edge_impact`] say whether and when
//! moving features first meet.
//!
//! # When to use something else
//!
//! Coordinates must be finite; meshes refuse others when they are created. [`tri_tri_segment`] constructs points and
//! so rounds them; use it to show or to respond, never to decide.
//!
//! # Reference
//!
//! J. R. Shewchuk, *Adaptive precision floating-point arithmetic and fast robust geometric predicates*, Discrete &
//! Computational Geometry 18, 1997. P. Guigue and O. Devillers, *Fast and robust triangle-triangle overlap test using
//! orientation predicates*, Journal of Graphics Tools 8(1), 2003.

mod big;
pub(crate) mod ccd;
mod double;
mod line;
mod orient;
mod planar;
mod segment;
mod shared;
mod sign;
mod tri_tri;

pub use ccd::{
    ImpactTime, MovingPoint, edge_edge_impact, edge_edge_impact_within, vertex_triangle_impact,
    vertex_triangle_impact_within,
};
pub(crate) use double::Double;
pub use glam::DVec2;
pub use line::segment_triangle;
pub use orient::{orient2d, orient3d};
pub use segment::tri_tri_segment;
pub use shared::tri_tri_shared;
pub use sign::Sign;
pub use tri_tri::{Relation, tri_tri};
