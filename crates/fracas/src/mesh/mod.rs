//! Things with identity: vertices and triangles that keep their ids while a body lives.

mod adjacency;
mod borrowed;
mod edit;
mod live;
pub(crate) mod mass;
mod ops;
mod report;
pub mod shapes;
mod surface;
pub mod tets;

pub use adjacency::{Adjacency, Edge, EdgeId, EdgeUse};
pub use borrowed::MeshRef;
pub use edit::{EditError, MeshEdit, NewTriangle, Origin};
pub use live::{Applied, LiveMesh};
pub use mass::MassProperties;
pub use report::Report;
pub use surface::{Mesh, MeshError, TriangleId};
