//! `fracas distance`: how far two meshes are apart, and where.

use std::io::Write;
use std::time::{Duration, Instant};

use fracas::mesh::Mesh;
use fracas::{Closest, Finder, MeshTree};

use crate::args::DistanceArguments;
use crate::error::Failure;
use crate::find::MeshPair;
use crate::input::{self, Input};
use crate::output::{self, distance as output_of, rounded};
use crate::page::{self, Content};
use crate::place::{self, Written};
use crate::progress::Progress;
use crate::{Status, threads, view};

/// How far two meshes are apart.
#[derive(Debug)]
pub struct Distance {
    /// The two meshes.
    pub meshes: Vec<Mesh>,
    /// The closest points, if the meshes are within the limit and have triangles.
    pub closest: Option<Closest>,
    /// Time to read the meshes.
    pub load: Duration,
    /// Time to build trees.
    pub build: Duration,
    /// Time to find the closest points.
    pub find: Duration,
}

/// Measures the distance and prints it.
///
/// # Errors
/// Bad arguments, a mesh that cannot be read, a page that cannot be written: nothing has then been printed. Or standard
/// output fails.
pub fn run(
    arguments: &DistanceArguments,
    threads: Option<u16>,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let inputs = [Input::parse(&arguments.a)?, Input::parse(&arguments.b)?];
    if let Some(file) = &arguments.html {
        place::check_beside(file, Written::Page, "--html", &inputs)?;
    }
    let limit = arguments.within.unwrap_or(f64::INFINITY);
    let found = threads::on(threads, || find(&inputs, limit))??;
    if let Some(file) = &arguments.html {
        let names = inputs.each_ref().map(Input::name);
        view::write_page(file, &page::record_meshes(&names, &found.meshes, &content(&found)))?;
    }
    output::send(out, |out| {
        if arguments.json {
            output_of::write_json(out, &found)
        } else {
            output_of::write_text(out, &found, arguments.within, arguments.html.as_deref())
        }
    })?;
    Ok(Status::Clear)
}

fn find(inputs: &[Input], limit: f64) -> Result<Distance, Failure> {
    let progress = Progress::start();
    let start = Instant::now();
    let meshes: Vec<Mesh> =
        input::load_all(inputs, false, &progress).into_iter().collect::<Result<_, Failure>>()?;
    let load = start.elapsed();
    let start = Instant::now();
    progress.begin("building", meshes.len());
    let trees: Vec<MeshTree> = meshes.into_iter().map(MeshTree::build).collect();
    let build = start.elapsed();
    let start = Instant::now();
    progress.begin("measuring", 1);
    let closest = Finder::default().find_closest(&trees[0], &trees[1], limit);
    let find = start.elapsed();
    let meshes = trees.into_iter().map(MeshTree::into_mesh).collect();
    Ok(Distance { meshes, closest, load, build, find })
}

/// What the page shows: the line, and the two triangles if they intersect.
fn content(found: &Distance) -> Content<'static> {
    let Some(closest) = &found.closest else {
        return Content::Near {
            pairs: vec![],
            lines: vec![],
            counters: vec![],
            text: "The meshes are farther apart than the limit.".to_owned(),
        };
    };
    let [a, b] = closest.triangles;
    let pair: MeshPair = [0, a.0, 1, b.0];
    Content::Near {
        pairs: vec![pair],
        lines: vec![closest.points],
        counters: vec![("distance", closest.distance)],
        text: if closest.distance == 0.0 {
            "The meshes intersect.".to_owned()
        } else {
            format!("The least distance is {}.", rounded(closest.distance))
        },
    }
}
