//! Meshes: vertices and triangles that keep their ids while a body lives.

mod adjacency;
mod borrowed;
mod edit;
mod live;
pub(crate) mod mass;
mod ops;
mod report;
pub mod shapes;
mod skin;
pub mod tets;
mod triangles;

pub use adjacency::{Adjacency, Edge, EdgeId, EdgeUse};
pub use borrowed::MeshRef;
pub use edit::{EditError, MeshEdit, NewTriangle, Origin};
pub(crate) use live::have_same_vertices;
pub use live::{Applied, LiveMesh};
pub use mass::MassProperties;
pub use report::Report;
pub use skin::{Influence, Skin, SkinError};
pub(crate) use triangles::check_finite;
pub use triangles::{Mesh, MeshError, TriangleId};
