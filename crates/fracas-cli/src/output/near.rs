//! The answer of `near`: for people and for programs.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::text::FEW;
use super::{grouped, milliseconds, rounded, text, written};
use crate::questions::near::{EdgeEdge, Nearness, VertexTriangle};

/// Mesh and edge of the first, mesh and edge of the second, distance.
type EdgeRow = (u32, [u32; 2], u32, [u32; 2], f64);

#[derive(Serialize)]
struct Document {
    vertex_triangle: Vec<(u32, u32, u32, u32, f64)>,
    edge_edge: Vec<EdgeRow>,
    weights: Weights,
    ms: f64,
}

#[derive(Serialize)]
struct Weights {
    vertex_triangle: Vec<[f64; 3]>,
    edge_edge: Vec<[f64; 4]>,
}

/// `{"vertex_triangle":[[meshV,vertex,meshT,triangle,distance],…],"edge_edge":[[meshA,[v0,v1],meshB,[v0,v1],distance],…],
/// "weights":{"vertex_triangle":[[a,b,c],…],"edge_edge":[[a,b,c,d],…]},"ms":…}`: sorted, each once. Weights are those of the
/// triangle's corners, and of the four vertices of two edges: they say where the closest points are.
///
/// # Errors
/// Those of the writer.
pub fn write_json(out: &mut dyn Write, found: &Nearness) -> io::Result<()> {
    let row = |near: &VertexTriangle| {
        let ([mesh_v, vertex], [mesh_t, triangle]) = (near.vertex, near.triangle);
        (mesh_v, vertex, mesh_t, triangle, near.distance)
    };
    let edges = |near: &EdgeEdge| {
        let ([mesh_a, mesh_b], [a, b]) = (near.meshes, near.edges);
        (mesh_a, a, mesh_b, b, near.distance)
    };
    let document = Document {
        vertex_triangle: found.vertex_triangle.iter().map(row).collect(),
        edge_edge: found.edge_edge.iter().map(edges).collect(),
        weights: Weights {
            vertex_triangle: found.vertex_triangle.iter().map(|near| near.weights).collect(),
            edge_edge: found.edge_edge.iter().map(|near| near.weights).collect(),
        },
        ms: milliseconds(found.build + found.find),
    };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

/// How many features are near, and the nearest of them.
///
/// # Errors
/// Those of the writer.
pub fn write_text(out: &mut dyn Write, found: &Nearness, reach: f64, page: Option<&Path>) -> io::Result<()> {
    let (vertices, edges) = (&found.vertex_triangle, &found.edge_edge);
    let count = vertices.len() + edges.len();
    if count == 0 {
        writeln!(out, "Nothing is within {}.", rounded(reach))?;
    } else {
        let noun = |count: usize, one: &str, many: &str| {
            format!("{} {}", grouped(count), if count == 1 { one } else { many })
        };
        writeln!(
            out,
            "{} and {} are within {}.",
            noun(vertices.len(), "vertex and triangle", "vertices and triangles"),
            noun(edges.len(), "pair of edges", "pairs of edges"),
            rounded(reach)
        )?;
        writeln!(out, "\nNearest")?;
        for (distance, what) in nearest(found) {
            writeln!(out, "  {}  {what}", rounded(distance))?;
        }
        if count > FEW {
            writeln!(out, "  … and {} more; --json lists all", grouped(count - FEW))?;
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

/// The features with the least distances, in words.
fn nearest(found: &Nearness) -> Vec<(f64, String)> {
    let of = |mesh: u32| if found.meshes.len() == 1 { String::new() } else { format!(" of mesh {mesh}") };
    let (mut vertices, mut edges): (Vec<_>, Vec<_>) =
        (found.vertex_triangle.iter().collect(), found.edge_edge.iter().collect());
    vertices.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    edges.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let vertices = vertices.into_iter().take(FEW).map(|near| {
        let ([mesh_v, vertex], [mesh_t, triangle]) = (near.vertex, near.triangle);
        (near.distance, format!("vertex {vertex}{}, triangle {triangle}{}", of(mesh_v), of(mesh_t)))
    });
    let edges = edges.into_iter().take(FEW).map(|near| {
        let ([mesh_a, mesh_b], [[v, w], [x, y]]) = (near.meshes, near.edges);
        (near.distance, format!("edge {v}–{w}{}, edge {x}–{y}{}", of(mesh_a), of(mesh_b)))
    });
    let mut all: Vec<(f64, String)> = vertices.chain(edges).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.truncate(FEW);
    all
}
