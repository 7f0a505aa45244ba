//! The commands that ask how meshes and points lie to each other: `distance`, `near`, `contacts`, `inside`.

pub mod contacts;
pub mod distance;
pub mod inside;
pub mod near;
mod points;

use fracas::Features;
use serde_json::{Value, json};

/// Two features as the JSON documents name them: `{"kind":"vf","a":[mesh,vertex],"b":[mesh,triangle]}` or
/// `{"kind":"ee","a":[mesh,v0,v1],"b":[mesh,v0,v1]}`. The first body is mesh 0, the second mesh 1.
#[must_use]
pub fn named_features(features: &Features) -> Value {
    match *features {
        Features::VertexTriangle(vertex, triangle) => {
            json!({"kind": "vf", "a": [0, vertex], "b": [1, triangle.0]})
        }
        Features::TriangleVertex(triangle, vertex) => {
            json!({"kind": "vf", "a": [1, vertex], "b": [0, triangle.0]})
        }
        Features::EdgeEdge([v, w], [x, y]) => json!({"kind": "ee", "a": [0, v, w], "b": [1, x, y]}),
    }
}
