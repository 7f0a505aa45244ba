//! `fracas inside`: on which side of a mesh points lie. Closed meshes decide exactly; with `--winding`, others decide by winding numbers.

use std::io::Write;
use std::time::{Duration, Instant};

use fracas::geom::DVec3;
use fracas::mesh::Report;
use fracas::winding::WindingField;
use fracas::{Finder, MeshTree, OpenSurface, Side, Threads};
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
    /// How often the surface goes around the point: a whole number if the mesh is closed and oriented and the point not on it.
    pub winding: f64,
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
    if mesh.triangle_count() == 0 {
        return Err(Failure::NoTriangles { mesh: input.name().to_owned() });
    }
    let points = points::read(&arguments.points)?;
    let load = start.elapsed();
    let start = Instant::now();
    progress.begin("building", 1);
    let tree = MeshTree::build(mesh);
    let build = start.elapsed();
    let start = Instant::now();
    progress.begin("locating", 1);
    let located = locate(&tree, &points, arguments.winding)
        .map_err(|open| Failure::OpenSurface { mesh: input.name().to_owned(), edges: open.open_edges })?;
    Ok(Sides { points, located, load, build, find: start.elapsed() })
}

fn locate(tree: &MeshTree, points: &[DVec3], by_winding: bool) -> Result<Vec<Located>, OpenSurface> {
    let mut finder = Finder::default();
    let (sides, windings) = if by_winding {
        let field = WindingField::build(tree);
        let sides = points.par_iter().with_min_len(64).map(|&point| field.side(point)).collect();
        (sides, field.at_each(points, Threads::Auto))
    } else {
        let sides = finder.sides(tree, points)?;
        let windings = windings(tree, points, &sides);
        (sides, windings)
    };
    let nearest = finder.nearest_each(tree, points, f64::INFINITY);
    let located = sides.into_iter().zip(windings).zip(nearest).map(|((side, winding), nearest)| {
        let distance = nearest.map_or(f64::INFINITY, |nearest| nearest.distance);
        Located { side, winding, distance }
    });
    Ok(located.collect())
}

/// Winding numbers of a closed mesh: exact for points off an oriented surface. On it they are means of both sides, which a field
/// gives faster than a sum over all triangles.
fn windings(tree: &MeshTree, points: &[DVec3], sides: &[Side]) -> Vec<f64> {
    let report = Report::of(tree.mesh());
    let is_exact = |side: Side| report.closed && report.oriented && side != Side::On;
    let field = sides.iter().any(|&side| !is_exact(side)).then(|| WindingField::build(tree));
    let winding = |(&point, &side): (&DVec3, &Side)| match &field {
        Some(field) if !is_exact(side) => field.at(point),
        _ => tree.view().winding_number(point),
    };
    points.par_iter().zip(sides).with_min_len(64).map(winding).collect()
}
