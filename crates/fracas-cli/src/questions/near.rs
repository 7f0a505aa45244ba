//! `fracas near`: which features of meshes are within a reach of each other.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use fracas::geom::DVec3;
use fracas::mesh::{Adjacency, Mesh};
use fracas::{Features, Finder, MeshTree, Near};

use crate::args::NearArguments;
use crate::error::Failure;
use crate::find::MeshPair;
use crate::input::{self, Input};
use crate::output::{self, grouped, near as output_of, rounded};
use crate::page::{self, Content};
use crate::place::{self, Written};
use crate::progress::Progress;
use crate::{Status, threads, view};

/// A page draws at most this many lines: those of the least distances.
const MOST_LINES: usize = 4_000;

/// A vertex near a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexTriangle {
    /// Mesh and vertex.
    pub vertex: [u32; 2],
    /// Mesh and triangle.
    pub triangle: [u32; 2],
    /// Their distance.
    pub distance: f64,
    /// Where the point of the triangle is: weights of its corners.
    pub weights: [f64; 3],
}

/// An edge near an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeEdge {
    /// The meshes of the two.
    pub meshes: [u32; 2],
    /// Their vertices, ascending.
    pub edges: [[u32; 2]; 2],
    /// Their distance.
    pub distance: f64,
    /// Where the points are: weights of the four vertices.
    pub weights: [f64; 4],
}

/// What is within reach.
#[derive(Debug)]
pub struct Nearness {
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// Vertices and triangles, by ids.
    pub vertex_triangle: Vec<VertexTriangle>,
    /// Edges, by ids.
    pub edge_edge: Vec<EdgeEdge>,
    /// Time to read the meshes.
    pub load: Duration,
    /// Time to build trees.
    pub build: Duration,
    /// Time to find the features.
    pub find: Duration,
}

/// Finds what is near and prints it.
///
/// # Errors
/// Bad arguments, a mesh that cannot be read, a page that cannot be written: nothing has then been printed. Or standard
/// output fails.
pub fn run(arguments: &NearArguments, threads: Option<u16>, out: &mut dyn Write) -> Result<Status, Failure> {
    let words: Vec<_> = [Some(&arguments.a), arguments.b.as_ref()].into_iter().flatten().cloned().collect();
    let inputs = input::parse_all(&words)?;
    if let Some(file) = &arguments.html {
        place::check_beside(file, Written::Page, "--html", &inputs)?;
    }
    let found = threads::on(threads, || find(&inputs, arguments))??;
    if let Some(file) = &arguments.html {
        let names: Vec<&str> = inputs.iter().map(Input::name).collect();
        view::write_page(
            file,
            &page::record_meshes(&names, &found.meshes, &content(&found, arguments.reach)),
        )?;
    }
    output::send(out, |out| {
        if arguments.json {
            output_of::write_json(out, &found)
        } else {
            output_of::write_text(out, &found, arguments.reach, arguments.html.as_deref())
        }
    })?;
    Ok(Status::Clear)
}

fn find(inputs: &[Input], arguments: &NearArguments) -> Result<Nearness, Failure> {
    let progress = Progress::start();
    let start = Instant::now();
    let meshes: Vec<Mesh> =
        input::load_all(inputs, arguments.merge, &progress).into_iter().collect::<Result<_, Failure>>()?;
    let load = start.elapsed();
    let start = Instant::now();
    progress.begin("building", meshes.len());
    let trees: Vec<MeshTree> = meshes.into_iter().map(MeshTree::build).collect();
    let build = start.elapsed();
    let start = Instant::now();
    progress.begin("finding", 1);
    let (mut finder, reach) = (Finder::default(), arguments.reach);
    let near = match &trees[..] {
        [a, b] => finder.find_near(a, b, reach),
        _ => finder.find_near_self(&trees[0], reach),
    };
    let (vertex_triangle, edge_edge) = sorted(near, trees.len() as u32 - 1);
    let find = start.elapsed();
    let meshes = trees.into_iter().map(MeshTree::into_mesh).collect();
    Ok(Nearness { meshes, vertex_triangle, edge_edge, load, build, find })
}

/// The features by kind, meshes and ids. `second` is the mesh of the second body.
fn sorted(near: &[Near], second: u32) -> (Vec<VertexTriangle>, Vec<EdgeEdge>) {
    let (mut vertex_triangle, mut edge_edge) = (Vec::new(), Vec::new());
    for &Near { features, distance, weights, .. } in near {
        let [a, b, c, d] = weights;
        match features {
            Features::VertexTriangle(vertex, triangle) => vertex_triangle.push(VertexTriangle {
                vertex: [0, vertex],
                triangle: [second, triangle.0],
                distance,
                weights: [b, c, d],
            }),
            Features::TriangleVertex(triangle, vertex) => vertex_triangle.push(VertexTriangle {
                vertex: [second, vertex],
                triangle: [0, triangle.0],
                distance,
                weights: [a, b, c],
            }),
            Features::EdgeEdge(e, f) => {
                edge_edge.push(EdgeEdge { meshes: [0, second], edges: [e, f], distance, weights })
            }
        }
    }
    vertex_triangle.sort_unstable_by_key(|near| (near.vertex, near.triangle));
    edge_edge.sort_unstable_by_key(|near| near.edges);
    (vertex_triangle, edge_edge)
}

/// What the page shows: near triangles, and a line for each pair of features.
fn content(found: &Nearness, reach: f64) -> Content<'static> {
    let at = |[mesh, vertex]: [u32; 2]| found.meshes[mesh as usize].positions()[vertex as usize];
    let mixed = |points: &[DVec3], weights: &[f64]| -> DVec3 {
        points.iter().zip(weights).map(|(point, weight)| *point * *weight).sum()
    };
    let mut lines: Vec<(f64, [DVec3; 2])> = Vec::new();
    lines.extend(found.vertex_triangle.iter().map(|near| {
        let [mesh, triangle] = near.triangle;
        let corners = found.meshes[mesh as usize].triangles()[triangle as usize].map(|v| at([mesh, v]));
        (near.distance, [at(near.vertex), mixed(&corners, &near.weights)])
    }));
    lines.extend(found.edge_edge.iter().map(|near| {
        let ends = |k: usize| near.edges[k].map(|vertex| at([near.meshes[k], vertex]));
        (near.distance, [mixed(&ends(0), &near.weights[..2]), mixed(&ends(1), &near.weights[2..])])
    }));
    let features = lines.len();
    lines.sort_by(|x, y| x.0.total_cmp(&y.0));
    lines.truncate(MOST_LINES);
    let pairs = triangles(found);
    let noun = if features == 1 { "pair of features is" } else { "pairs of features are" };
    Content::Near {
        lines: lines.into_iter().map(|line| line.1).collect(),
        counters: vec![("near_features", features as f64)],
        text: format!("{} {noun} within {}.", grouped(features), rounded(reach)),
        pairs,
    }
}

/// A triangle for each near feature: itself, or the first that has the vertex or edge. Sorted, each once.
fn triangles(found: &Nearness) -> Vec<MeshPair> {
    let adjacencies: Vec<Adjacency> = found.meshes.iter().map(Adjacency::build).collect();
    let mut first_of_edge: Vec<BTreeMap<[u32; 2], u32>> = Vec::new();
    for adjacency in &adjacencies {
        first_of_edge.push(adjacency.edges().map(|edge| (edge.ends, edge.uses[0].triangle().0)).collect());
    }
    let mut pairs: Vec<[[u32; 2]; 2]> = Vec::new();
    pairs.extend(found.vertex_triangle.iter().map(|near| {
        let [mesh, vertex] = near.vertex;
        [[mesh, adjacencies[mesh as usize].triangles_of_vertex(vertex)[0].0], near.triangle]
    }));
    pairs.extend(found.edge_edge.iter().map(|near| {
        [0, 1].map(|k| [near.meshes[k], first_of_edge[near.meshes[k] as usize][&near.edges[k]]])
    }));
    pairs.iter_mut().for_each(|pair| pair.sort_unstable());
    pairs.sort_unstable();
    pairs.dedup();
    pairs.into_iter().map(|[[mesh_a, a], [mesh_b, b]]| [mesh_a, a, mesh_b, b]).collect()
}
