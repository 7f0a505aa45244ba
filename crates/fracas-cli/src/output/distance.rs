//! The answer of `distance`: for people and for programs.

use std::io::{self, Write};
use std::path::Path;

use fracas::Features;
use serde::Serialize;
use serde_json::Value;

use super::{milliseconds, rounded, text, written};
use crate::questions::distance::Distance;
use crate::questions::named_features;

#[derive(Serialize)]
struct Document {
    distance: Option<f64>,
    points: Option<[[f64; 3]; 2]>,
    triangles: Option<[u32; 2]>,
    features: Option<Value>,
    ms: f64,
}

/// `{"distance":d|null,"points":[[x,y,z],[x,y,z]],"triangles":[ta,tb],"features":{"kind":"vf"|"ee","a":[…],"b":[…]},"ms":…}`:
/// all null beyond the limit, and for a mesh without triangles; `ms` is the time to find them, trees included.
///
/// # Errors
/// Those of the writer.
pub fn write_json(out: &mut dyn Write, found: &Distance) -> io::Result<()> {
    let closest = found.closest.as_ref();
    let document = Document {
        distance: closest.map(|closest| closest.distance),
        points: closest.map(|closest| closest.points.map(|p| p.to_array())),
        triangles: closest.map(|closest| closest.triangles.map(|t| t.0)),
        features: closest.map(|closest| named_features(&closest.features)),
        ms: milliseconds(found.build + found.find),
    };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

/// The distance, the closest points and what they lie on.
///
/// # Errors
/// Those of the writer.
pub fn write_text(
    out: &mut dyn Write,
    found: &Distance,
    within: Option<f64>,
    page: Option<&Path>,
) -> io::Result<()> {
    match &found.closest {
        None if found.meshes.iter().any(|mesh| mesh.triangle_count() == 0) => {
            writeln!(out, "A mesh has no triangles, so there is no distance.")?;
        }
        None => {
            writeln!(out, "The meshes are more than {} apart.", rounded(within.unwrap_or(f64::INFINITY)))?;
        }
        Some(closest) => {
            if closest.distance == 0.0 {
                writeln!(out, "The meshes intersect: their distance is 0.")?;
            } else {
                writeln!(out, "The distance is {}.", closest.distance)?;
            }
            let on = match closest.features {
                Features::VertexTriangle(vertex, triangle) => {
                    [format!("vertex {vertex}"), format!("triangle {}", triangle.0)]
                }
                Features::TriangleVertex(triangle, vertex) => {
                    [format!("triangle {}", triangle.0), format!("vertex {vertex}")]
                }
                Features::EdgeEdge([v, w], [x, y]) => [format!("edge {v}–{w}"), format!("edge {x}–{y}")],
            };
            for (mesh, (point, on)) in closest.points.iter().zip(on).enumerate() {
                let [x, y, z] = point.to_array().map(rounded);
                writeln!(out, "  mesh {mesh}: ({x}, {y}, {z}) on {on}")?;
            }
        }
    }
    text::write_page_name(out, page)?;
    writeln!(
        out,
        "\nload {}, build {}, find {}",
        written(found.load),
        written(found.build),
        written(found.find)
    )
}
