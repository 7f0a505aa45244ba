//! Meshes: edits of a mesh that lives, and shapes made by formula.

mod live;
mod shapes;
