//! Things with identity: vertices and triangles that keep their ids while a body lives.

mod surface;

pub use surface::{Mesh, MeshError, TriangleId};
