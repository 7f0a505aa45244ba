//! Bodies driven by few nodes, against trees of the evaluated vertices.

mod front;
mod meshless;
mod motions;
mod queries;
mod rig;
mod tightness;
