//! The JSON documents. Their keys are a promise to users: add to them freely, change none.

use std::io::{self, Write};

use fracas::Features;
use fracas::mesh::Report;
use serde::Serialize;
use serde_json::json;

use super::{MeshLine, Summary, milliseconds};
use crate::ccd::{BodyImpact, BodyImpacts, Impacts};
use crate::find::MeshPair;
use crate::info::Finding;

#[derive(Serialize)]
struct Check<'a> {
    meshes: &'a [MeshLine],
    count: usize,
    pairs: &'a [MeshPair],
    ms: Milliseconds,
}

#[derive(Serialize)]
struct Milliseconds {
    load: f64,
    build: f64,
    find: f64,
}

/// `{"meshes":[{"path","vertices","triangles"}],"count":N,"pairs":[[meshA,triA,meshB,triB],…],"ms":{"load","build","find"}}`
///
/// # Errors
/// Those of the writer.
pub fn write_check(out: &mut dyn Write, summary: &Summary, pairs: &[MeshPair]) -> io::Result<()> {
    let [load, build, find] = [summary.load, summary.build, summary.find].map(milliseconds);
    let ms = Milliseconds { load, build, find };
    write_line(out, &Check { meshes: &summary.meshes, count: pairs.len(), pairs, ms })
}

/// A mesh in the answer of `info`: its path with the report, or with the reason why there is none.
#[derive(Serialize)]
#[serde(untagged)]
enum Info<'a> {
    Report {
        path: &'a str,
        vertices: usize,
        unreferenced_vertices: usize,
        triangles: usize,
        edges: usize,
        components: usize,
        boundary_edges: usize,
        boundary_loops: usize,
        nonmanifold_edges: usize,
        inconsistent_edges: usize,
        degenerate_triangles: usize,
        repeated_vertex_triangles: usize,
        duplicate_triangles: usize,
        closed: bool,
        oriented: bool,
        volume: Option<f64>,
        area: f64,
        bounds: Option<[[f64; 3]; 2]>,
    },
    Failure {
        path: &'a str,
        error: String,
    },
}

/// An array with one object per mesh, in the order of the command line. The keys are the fields of
/// [`Report`] beside `path`; `volume` is null unless the mesh is closed and oriented, `bounds` (lowest and highest
/// corner) is null without vertices, and a volume or area too large for `f64` is null too. A mesh that could not be
/// read has `path` and `error` alone.
///
/// # Errors
/// Those of the writer.
pub fn write_info(out: &mut dyn Write, findings: &[Finding]) -> io::Result<()> {
    write_line(out, &findings.iter().map(info).collect::<Vec<_>>())
}

fn info(finding: &Finding) -> Info<'_> {
    let path = finding.path.as_str();
    // Taken apart whole, so that a new field cannot be forgotten here.
    let &Report {
        vertices,
        unreferenced_vertices,
        triangles,
        edges,
        components,
        boundary_edges,
        boundary_loops,
        nonmanifold_edges,
        inconsistent_edges,
        degenerate_triangles,
        repeated_vertex_triangles,
        duplicate_triangles,
        closed,
        oriented,
        volume,
        area,
        bounds,
    } = match &finding.report {
        Ok(report) => report,
        Err(failure) => return Info::Failure { path, error: failure.to_string() },
    };
    Info::Report {
        path,
        vertices,
        unreferenced_vertices,
        triangles,
        edges,
        components,
        boundary_edges,
        boundary_loops,
        nonmanifold_edges,
        inconsistent_edges,
        degenerate_triangles,
        repeated_vertex_triangles,
        duplicate_triangles,
        closed,
        oriented,
        volume,
        area,
        bounds: bounds.map(|b| [b.min.to_array(), b.max.to_array()]),
    }
}

#[derive(Serialize)]
struct Ccd<'a> {
    queries: usize,
    hits: Vec<u8>,
    toi: Vec<Option<[f64; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Labels<'a>>,
    ms: f64,
}

#[derive(Serialize)]
struct Labels<'a> {
    missed: &'a [usize],
    invented: &'a [usize],
}

/// `{"queries":N,"hits":[0|1,…],"toi":[[low,high]|null,…],"labels":{"missed":[…],"invented":[…]},"ms":…}`: the numbers of
/// queries whose answer differs from their label, if there are labels; the time to answer, without reading.
///
/// # Errors
/// Those of the writer.
pub fn write_impacts(out: &mut dyn Write, impacts: &Impacts) -> io::Result<()> {
    let document = Ccd {
        queries: impacts.times.len(),
        hits: impacts.times.iter().map(|time| u8::from(time.is_some())).collect(),
        toi: impacts.times.iter().map(|time| time.map(|time| [time.low, time.high])).collect(),
        labels: impacts.against_labels.as_ref().map(|[missed, invented]| Labels { missed, invented }),
        ms: milliseconds(impacts.find),
    };
    write_line(out, &document)
}

#[derive(Serialize)]
struct Step {
    first: Option<[f64; 2]>,
    touching_at_start: bool,
    impacts: Vec<serde_json::Value>,
    ms: f64,
}

/// `{"first":[low,high]|null,"touching_at_start":bool,"impacts":[{"kind":"vf","a":[mesh,vertex],"b":[mesh,triangle],"t":[low,high]}
/// |{"kind":"ee","a":[mesh,v0,v1],"b":[mesh,v0,v1],"t":[low,high]},…],"ms":…}`, by time, then ids.
///
/// # Errors
/// Those of the writer.
pub fn write_body_impacts(out: &mut dyn Write, found: &BodyImpacts) -> io::Result<()> {
    let one = |impact: &BodyImpact| {
        let BodyImpact { first, second, features, time } = *impact;
        match features {
            Features::VertexTriangle(vertex, triangle) => {
                json!({"kind": "vf", "a": [first, vertex], "b": [second, triangle.0], "t": time})
            }
            Features::TriangleVertex(triangle, vertex) => {
                json!({"kind": "vf", "a": [second, vertex], "b": [first, triangle.0], "t": time})
            }
            Features::EdgeEdge([v, w], [x, y]) => {
                json!({"kind": "ee", "a": [first, v, w], "b": [second, x, y], "t": time})
            }
        }
    };
    let document = Step {
        first: found.first,
        touching_at_start: found.touching_at_start,
        impacts: found.impacts.iter().map(one).collect(),
        ms: milliseconds(found.find),
    };
    write_line(out, &document)
}

fn write_line(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, document)?;
    writeln!(out)
}
