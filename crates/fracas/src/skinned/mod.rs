//! Skinned bodies: a dense surface driven by few nodes, with bounds whose cost follows the nodes, not the vertices.
//!
//! A [`Skin`](crate::mesh::Skin) has many vertices and few nodes: bones of a character, or points of a meshless simulation. Every vertex
//! is a convex combination of where the affine transforms of its nodes put it. [`SkinnedBody`] bounds any part of the
//! surface from the transforms alone, evaluates vertices only where a query arrives, and never refits.
//!
//! # Idea
//!
//! ```text
//!   rest box of a subtree      the box under each node's transform      extreme over all weights that occur below
//!      ┌─────┐                    ╱╲       ┌────┐                          ┌ ─ ─ ─ ─ ─┐
//!      │ · · │        ───▶       ╱  ╲      │    │           ───▶             · ·
//!      └─────┘                   ╲  ╱      └────┘                          └ ─ ─ ─ ─ ─┘
//!                                 ╲╱  b₁        b₂                            b = max Σ w b
//! ```
//!
//! Along a direction, node j moves the rest box of a subtree no further than bⱼ. A vertex below has weights w with lⱼ ≤ wⱼ ≤ hⱼ and
//! Σ w = 1, where l and h are the least and the largest weights below. So the largest Σ w b over these w bounds all of
//! them. [`Bound`] says how it is computed.
//!
//! # Which file does what
//!
//! | file | what |
//! |---|---|
//! | `families` | what is prepared once: rest boxes and weight intervals of all subtrees |
//! | `bound` | the two formulas, in vectors of eight children or eight directions |
//! | `motion` | transforms of a frame in `f32`, the box of the whole body, error bounds |
//! | `evaluate` | vertices, exactly as the skin has them |
//! | `body` | the body, as the walk sees it |
//! | `oriented`, `eigen` | rest OBBs, principal axes |
//! | `quality` | how tight bounds are |
//! | `front` | the paper's own traversal: k-DOPs, rest OBBs, the cached front |
//! | `meshless` | weights and transforms from simulation nodes, by moving least squares |
//!
//! # Departures from the paper
//!
//! - Trees have eight children to a node and eight triangles to a leaf instead of two and one.
//! - The shared walk tests boxes from rest AABBs, the paper's fastest combination. OBBs at rest and k-DOPs are in [`SkinFront`].
//! - A node just above leaves evaluates the vertices of all of them, each once, instead of bounding them.
//! - [`Bound::Knapsack`] is the true optimum over the weights; Equation 12 may give the second node more than it ever has.
//! - Queries of a body against itself work.
//!
//! # When to use something else
//!
//! If most of the surface touches something in every frame, evaluate all vertices and refit a [`MeshTree`](crate::tree::MeshTree).
//!
//! # Reference
//!
//! D. Steinemann, M. A. Otaduy, M. Gross, *Tight and efficient surface bounds in meshless animation*, Computers & Graphics 32
//! (2008), 235–245.

mod body;
mod bound;
mod evaluate;
mod families;
mod front;
mod meshless;
mod motion;
mod options;
mod oriented;
mod quality;
#[cfg(test)]
mod tests;

pub use body::SkinnedBody;
pub use front::{FrontStats, SkinFront};
pub use meshless::{MeshlessError, MeshlessNodes};
pub use options::{Bound, RestBoxes, SkinOptions};
pub use quality::Tightness;
