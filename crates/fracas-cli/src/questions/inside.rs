//! `fracas inside`: on which side of a closed mesh points lie.

use std::io::Write;
use std::time::{Duration, Instant};

use fracas::geom::DVec3;
use fracas::mesh::{Adjacency, Mesh};
use fracas::{MeshTree, Side, View};
use rayon::prelude::*;

use super::points;
use crate::args::InsideArguments;
use crate::error::Failure;
use crate::input::Input;
use crate::output::{self, inside as output_of};
use crate::progress::Progress;
use crate::{Status, threads};

/// Where a point lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located {
    /// On which side.
    pub side: Side,
    /// How far the surface is; never negative.
    pub distance: f64,
}

/// Where all points lie.
#[derive(Debug)]
pub struct Sides {
    /// The points, in the order of their file.
    pub points: Vec<DVec3>,
    /// One for each.
    pub located: Vec<Located>,
    /// Time to read mesh and points.
    pub load: Duration,
    /// Time to build the tree.
    pub build: Duration,
    /// Time to locate the points.
    pub find: Duration,
}

/// Locates the points and prints where they lie.
///
/// # Errors
/// A mesh or points that cannot be read, or a mesh that is not closed: nothing has then been printed. Or standard output
/// fails.
pub fn run(
    arguments: &InsideArguments,
    threads: Option<u16>,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let input = Input::parse(&arguments.mesh)?;
    let sides = threads::on(threads, || find(&input, arguments))??;
    output::send(out, |out| {
        if arguments.json { output_of::write_json(out, &sides) } else { output_of::write_text(out, &sides) }
    })?;
    Ok(Status::Clear)
}

fn find(input: &Input, arguments: &InsideArguments) -> Result<Sides, Failure> {
    let progress = Progress::start();
    let start = Instant::now();
    progress.begin("loading", 1);
    let mesh = input.load(arguments.merge)?;
    refuse_open(input, &mesh)?;
    let points = points::read(&arguments.points)?;
    let load = start.elapsed();
    let start = Instant::now();
    progress.begin("building", 1);
    let tree = MeshTree::build(mesh);
    let build = start.elapsed();
    let start = Instant::now();
    progress.begin("locating", 1);
    let located = points.par_iter().with_min_len(64).map(|&point| locate(&tree.view(), point)).collect();
    Ok(Sides { points, located, load, build, find: start.elapsed() })
}

fn locate(view: &View, point: DVec3) -> Located {
    let distance = view.nearest(point, f64::INFINITY).map_or(f64::INFINITY, |nearest| nearest.distance);
    Located { side: view.side_of(point), distance }
}

/// A surface has an inside if every edge is used by an even number of triangles. A triangle that names a vertex twice
/// bounds nothing.
fn refuse_open(input: &Input, mesh: &Mesh) -> Result<(), Failure> {
    let mesh_name = input.name().to_owned();
    if mesh.triangle_count() == 0 {
        return Err(Failure::NoTriangles { mesh: mesh_name });
    }
    let bounds_surface = |triangle: usize| {
        let [a, b, c] = mesh.triangles()[triangle];
        a != b && b != c && c != a
    };
    let adjacency = Adjacency::build(mesh);
    let is_open = |uses: usize| uses % 2 == 1;
    let edges = adjacency
        .edges()
        .filter(|edge| {
            is_open(edge.uses.iter().filter(|&&side| bounds_surface(side.triangle().index())).count())
        })
        .count();
    if edges == 0 { Ok(()) } else { Err(Failure::OpenSurface { mesh: mesh_name, edges }) }
}
