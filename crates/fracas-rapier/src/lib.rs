//! Bodies that break, inside the physics engine [Rapier](https://rapier.rs).
//!
//! A [`BreakableSet`] stands beside a world of the engine. Bodies added through it are rigid until something hits them
//! too hard. Then they are replaced by their pieces, in the same step, with the motion they had. Pieces collide by their
//! true shapes, holes and all, and break again. Any mesh can be a collider beside them ([`MeshShape`]).
//!
//! | you have | call |
//! |---|---|
//! | a [`PhysicsWorld`](rapier3d::prelude::PhysicsWorld) | [`BreakableSet::new`], [`insert`](BreakableSet::insert), [`step`](BreakableSet::step), [`strike`](BreakableSet::strike) |
//! | a loop of your own | [`dispatcher`](BreakableSet::dispatcher), [`insert_into`](BreakableSet::insert_into), [`prepare`](BreakableSet::prepare), [`break_in`](BreakableSet::break_in), [`strike_in`](BreakableSet::strike_in); `examples/own_loop.rs` |
//!
//! # Idea
//!
//! ```text
//!   Rapier                                          here
//!   ┌──────────────────┐  contact_manifolds?  ┌──────────────────────────────────────────────────┐
//!   │ narrow phase     │ ───────────────────▶ │ dispatch ▶ candidates: sphere tree of one against │
//!   │                  │ ◀─────────────────── │   distances of the other ▶ manifold: four points  │
//!   │ solver           │    few contacts      │   per normal, with the impulses of the last step  │
//!   │ fast bodies      │ ──cast_shapes──────▶ │ cast: conservative advancement                    │
//!   │ sensors, rays    │ ───────────────────▶ │ shape, ray, mesh                                  │
//!   └────────┬─────────┘                      │                                                   │
//!            └─ impulses of contacts ───────▶ │ blows ▶ set: labels, split, pieces, events        │
//!                                             └──────────────────────────────────────────────────┘
//! ```
//!
//! Nothing of the engine is changed: a fragment or a mesh is a custom shape ([`FragmentShape`], [`MeshShape`]), and a dispatcher
//! ([`FragmentDispatcher`]) answers for it before the engine's own does.
//!
//! # Invariants
//!
//! - Mass, centre and inertia are those of the true shape.
//! - A fracture changes neither momentum nor angular momentum nor energy.
//! - The same world and the same calls give the same pieces and the same motion on the same machine.
//! - A call that cannot work is refused by name and changes nothing ([`BreakError`]): another world, a held lock, a number out of range.
//!
//! # Departures from the paper
//!
//! The paper hands over the first eight contacts of a pair and deeper ones. The engine looks 20 mm ahead, so that the first
//! eight may all be in the air. Here 64 points of either body within that distance are found before only deeper ones count, edges
//! that cross are added, and four contacts per normal are handed over.
//!
//! # When to use something else
//!
//! Bodies that never break and are convex: the engine's own shapes. The engine computes in `f32` and looks ahead by lengths meant
//! for bodies of about a metre; for smaller ones set its `length_unit`.
//!
//! Fast bodies are stopped where they meet something fixed or slow: `tests/fast.rs` throws bricks at a plate of 2 cm at up to 300 m/s. Two bodies that are both
//! fast may pass through each other, since the engine does not sweep them against each other.
//!
//! # Reference
//!
//! L. Glondu, S. C. Schvartzman, M. Marchal, G. Dumont, M. A. Otaduy, *Efficient collision detection for brittle fracture*,
//! Symposium on Computer Animation, 2012.
#![forbid(unsafe_code)]

mod blows;
mod candidates;
mod cast;
mod closest;
mod cloud;
mod convert;
mod dispatch;
mod edges;
mod engine;
mod error;
mod manifold;
mod mesh;
mod options;
mod pieces;
mod ray;
mod record;
mod report;
mod samples;
mod set;
mod shape;
mod shatter;
mod slab;
mod world;

pub use dispatch::{FragmentDispatcher, Work};
pub use engine::EngineSets;
pub use error::BreakError;
pub use mesh::{MeshShape, MeshShapeError};
pub use options::BreakOptions;
pub use report::{Fracture, Piece, StepTimes, Striker};
pub use set::BreakableSet;
pub use shape::{FragmentShape, SharedBody};
pub use {fracas, rapier3d};
