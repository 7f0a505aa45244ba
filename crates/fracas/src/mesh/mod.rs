//! Things with identity: vertices and triangles that keep their ids while a body lives.

mod adjacency;
mod edit;
mod live;
mod ops;
mod report;
pub mod shapes;
pub mod tets;
mod triangles;

pub use adjacency::{Adjacency, Edge, EdgeId, EdgeUse};
pub use edit::{EditError, MeshEdit, NewTriangle, Origin};
pub use live::{Applied, LiveMesh};
pub use report::Report;
pub use triangles::{Mesh, MeshError, TriangleId};
