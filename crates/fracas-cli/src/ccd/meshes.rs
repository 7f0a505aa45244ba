//! Impacts of meshes that are given at the start and at the end of a step.

use std::io::Write;
use std::time::{Duration, Instant};

use fracas::mesh::Mesh;
use fracas::{Features, Finder, Impacts, MeshTree, Sweep};

use crate::args::CcdArguments;
use crate::error::Failure;
use crate::input::{self, Input};
use crate::output::{self, json, text};
use crate::progress::Progress;
use crate::{Status, threads};

/// An impact, and the meshes of its two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyImpact {
    /// The mesh of the vertex or of the first edge.
    pub first: u32,
    /// The mesh of the triangle or of the second edge.
    pub second: u32,
    /// Never [`Features::TriangleVertex`]: the vertex comes first.
    pub features: Features,
    /// When they first meet.
    pub time: [f64; 2],
}

/// What was found about a step.
#[derive(Debug)]
pub struct BodyImpacts {
    /// The earliest first contact.
    pub first: Option<[f64; 2]>,
    /// Whether triangles intersect at the start.
    pub touching_at_start: bool,
    /// By time, then by meshes and ids.
    pub impacts: Vec<BodyImpact>,
    /// Time to read the meshes.
    pub load: Duration,
    /// Time to find the impacts, trees included.
    pub find: Duration,
}

/// Finds the impacts and prints them.
pub(super) fn run(
    arguments: &CcdArguments,
    threads: Option<u16>,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let inputs = input::parse_all(&arguments.meshes)?;
    if inputs.len() != 2 && inputs.len() != 4 {
        let given = inputs.len();
        return Err(Failure::Usage(format!(
            "ccd takes one mesh or two, each at two times, not {given} files"
        )));
    }
    let found = threads::on(threads, || find(&inputs, arguments.within))??;
    output::send(out, |out| {
        if arguments.json {
            json::write_body_impacts(out, &found)
        } else {
            text::write_body_impacts(out, &found)
        }
    })?;
    Ok(Status::Clear)
}

/// A mesh at the start, and where its vertices are at the end.
struct Moving {
    tree: MeshTree,
    end: Mesh,
}

impl Moving {
    fn sweep(&self) -> Sweep<'_> {
        self.tree.view().to_positions(self.end.positions()).expect("as many, and finite")
    }
}

fn find(inputs: &[Input], within: bool) -> Result<BodyImpacts, Failure> {
    let progress = Progress::start();
    let start = Instant::now();
    let meshes: Vec<Mesh> =
        input::load_all(inputs, false, &progress).into_iter().collect::<Result<_, Failure>>()?;
    let load = start.elapsed();
    let start = Instant::now();
    let mut bodies = vec![];
    for (pair, names) in meshes.chunks_exact(2).zip(inputs.chunks_exact(2)) {
        if pair[0].positions().len() != pair[1].positions().len()
            || pair[0].triangles() != pair[1].triangles()
        {
            let [first, second] = [0, 1].map(|k| names[k].name().to_owned());
            return Err(Failure::NotOneMesh { first, second });
        }
        bodies.push(Moving { tree: MeshTree::build(pair[0].clone()), end: pair[1].clone() });
    }
    let mut finder = Finder::default();
    let mut found =
        BodyImpacts { first: None, touching_at_start: false, impacts: vec![], load, find: Duration::ZERO };
    for (k, body) in bodies.iter().enumerate().filter(|_| within || bodies.len() == 1) {
        found.add(&finder.find_self_impacts(body.sweep()), [k as u32; 2]);
    }
    if let [a, b] = &bodies[..] {
        found.add(&finder.find_impacts(a.sweep(), b.sweep()), [0, 1]);
    }
    found.sort();
    found.find = start.elapsed();
    Ok(found)
}

impl BodyImpacts {
    fn add(&mut self, impacts: &Impacts, [a, b]: [u32; 2]) {
        self.touching_at_start |= impacts.touching_at_start == Some(true);
        if let Some(time) = impacts.first() {
            let earlier = self
                .first
                .map_or([time.low, time.high], |[low, high]| [low.min(time.low), high.min(time.high)]);
            self.first = Some(earlier);
        }
        self.impacts.extend(impacts.all.iter().map(|impact| {
            let (first, second, features) = match impact.features {
                Features::TriangleVertex(triangle, vertex) => {
                    (b, a, Features::VertexTriangle(vertex, triangle))
                }
                features => (a, b, features),
            };
            BodyImpact { first, second, features, time: [impact.time.low, impact.time.high] }
        }));
    }

    fn sort(&mut self) {
        let ids = |impact: &BodyImpact| (impact.first, impact.second, impact.features);
        self.impacts.sort_unstable_by(|x, y| {
            let ends = x.time[0].total_cmp(&y.time[0]).then(x.time[1].total_cmp(&y.time[1]));
            ends.then_with(|| ids(x).cmp(&ids(y)))
        });
    }
}
