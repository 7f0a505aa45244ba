//! Things with identity: vertices and triangles that keep their ids while a body lives.

mod adjacency;
mod ops;
mod report;
pub mod shapes;
mod surface;

pub use adjacency::{Adjacency, Edge, EdgeId, EdgeUse};
pub use report::Report;
pub use surface::{Mesh, MeshError, TriangleId};
