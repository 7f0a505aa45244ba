//! Whole scenes: six figures on a ring, fishes, a crowd; Tables 3 and 4 of the paper.
//!
//! Both sides get the transforms of all nodes and find all pairs of triangles of all pairs of bodies. One side evaluates every vertex, with
//! vector instructions, and refits a tree for each body; the other bounds and evaluates what its queries reach. Both look at the same frames
//! and must find the same pairs.

use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::geom::{DVec3, Directions};
use fracas::skinned::{RestBoxes, SkinFront, SkinOptions, SkinnedBody};
use fracas::{Box3, BuildOptions, FindOptions, Finder, Mesh, MeshTree, Threads, View};
use fracas_plot::{Align, Table};
use fracas_scenes::SceneError;
use fracas_scenes::motion::{self, RingOptions, SkinnedMotion};
use rayon::prelude::*;
use std::io;
use std::time::Instant;

/// Frames of a scene that are looked at: contacts come in bursts, so all parts of a motion count.
const FRAMES: usize = 30;

fn scene(error: SceneError) -> io::Error {
    io::Error::other(error.to_string())
}

/// What a scene took, in milliseconds per frame.
#[derive(Clone, Copy, Default)]
struct Times {
    refit: f64,
    query: f64,
}

impl Times {
    fn total(self) -> f64 {
        self.refit + self.query
    }
}

/// All bodies of a scene, both ways.
struct Played<'a> {
    motions: &'a [SkinnedMotion],
    frames: Vec<usize>,
    bodies: Vec<SkinnedBody>,
    trees: Vec<MeshTree>,
    /// For queries that keep no structure.
    meshes: Vec<Mesh>,
    positions: Vec<DVec3>,
    finders: [Vec<Finder>; 2],
}

impl<'a> Played<'a> {
    fn new(motions: &'a [SkinnedMotion], options: &SkinOptions, parallel: bool) -> Self {
        let count = motions[0].frames().len();
        let build = BuildOptions { self_queries: false, ..BuildOptions::default() };
        let body = |motion: &SkinnedMotion| {
            SkinnedBody::new(motion.skin().as_ref().clone(), options).expect("a skin of moderate size")
        };
        let tree = |motion: &SkinnedMotion| MeshTree::build_with(motion.skin().rest().clone(), &build);
        let threads = if parallel { rayon::current_num_threads() } else { 1 };
        let one = || Finder::new(FindOptions { threads: Threads::One, ..FindOptions::default() });
        let finders = || (0..threads).map(|_| one()).collect::<Vec<_>>();
        let frames = (0..FRAMES).map(|k| k * (count - 1) / (FRAMES - 1)).collect();
        Self {
            motions,
            frames,
            bodies: motions.iter().map(body).collect(),
            trees: motions.iter().map(tree).collect(),
            meshes: motions.iter().map(|motion| motion.skin().rest().clone()).collect(),
            positions: vec![],
            finders: [finders(), finders()],
        }
    }

    /// Times of both sides, and the pairs of an average frame: of triangles, and of bodies.
    ///
    /// Each side plays all frames before it is the other one's turn, as a program would that has chosen it: what it leaves in the caches
    /// is what its next frame finds there. Of several rounds each frame's best counts.
    fn race(&mut self, rounds: usize) -> (Times, Times, [f64; 2]) {
        let frames = self.frames.clone();
        let mut best = [vec![None; frames.len()], vec![None; frames.len()]];
        let mut counts = [vec![[0, 0]; frames.len()], vec![[0, 0]; frames.len()]];
        for _ in 0..rounds {
            for (k, &frame) in frames.iter().enumerate() {
                let (times, found) = self.play_ours(frame);
                keep_better(&mut best[0][k], times);
                counts[0][k] = found;
            }
            for (k, &frame) in frames.iter().enumerate() {
                let (times, found) = self.play_theirs(frame);
                keep_better(&mut best[1][k], times);
                counts[1][k] = found;
            }
        }
        assert_eq!(counts[0], counts[1], "both sides must find the same");
        let mean = |list: &[Option<Times>]| {
            let add = |sum: Times, next: &Times| Times {
                refit: sum.refit + next.refit,
                query: sum.query + next.query,
            };
            let sum = list.iter().flatten().fold(Times::default(), add);
            Times { refit: sum.refit / list.len() as f64, query: sum.query / list.len() as f64 }
        };
        let sum = counts[0].iter().fold([0, 0], |sum, next| [sum[0] + next[0], sum[1] + next[1]]);
        (mean(&best[0]), mean(&best[1]), sum.map(|count| count as f64 / frames.len() as f64))
    }

    fn play_ours(&mut self, frame: usize) -> (Times, [usize; 2]) {
        let begin = Instant::now();
        for (motion, body) in self.motions.iter().zip(&mut self.bodies) {
            body.set_transforms(&motion.frames()[frame]).expect("a frame of the motion");
        }
        let refit = begin.elapsed().as_secs_f64() * 1e3;
        let begin = Instant::now();
        let found = all_pairs(&mut self.finders[0], &self.bodies);
        (Times { refit, query: begin.elapsed().as_secs_f64() * 1e3 }, found)
    }

    fn play_theirs(&mut self, frame: usize) -> (Times, [usize; 2]) {
        // Transforms are given to both sides; here they only say what to evaluate.
        for (motion, body) in self.motions.iter().zip(&mut self.bodies) {
            body.set_transforms(&motion.frames()[frame]).expect("a frame of the motion");
        }
        let begin = Instant::now();
        for (body, tree) in self.bodies.iter().zip(&mut self.trees) {
            body.evaluate_into(&mut self.positions);
            tree.set_positions(&self.positions).expect("finite positions");
        }
        let refit = begin.elapsed().as_secs_f64() * 1e3;
        let begin = Instant::now();
        let found = all_pairs(&mut self.finders[1], &self.trees);
        (Times { refit, query: begin.elapsed().as_secs_f64() * 1e3 }, found)
    }
}

/// Table 3, right: no structure is kept; pairs of bodies whose boxes overlap are hashed in every frame.
fn soups(played: &mut Played) -> Times {
    let mut sum = Times::default();
    for frame in played.frames.clone() {
        for (motion, body) in played.motions.iter().zip(&mut played.bodies) {
            body.set_transforms(&motion.frames()[frame]).expect("a frame of the motion");
        }
        let begin = Instant::now();
        for (body, mesh) in played.bodies.iter().zip(&mut played.meshes) {
            body.evaluate_into(&mut played.positions);
            mesh.set_positions(&played.positions).expect("finite positions");
        }
        sum.refit += begin.elapsed().as_secs_f64() * 1e3 / FRAMES as f64;
        let begin = Instant::now();
        all_pairs(&mut played.finders[1], &played.meshes);
        sum.query += begin.elapsed().as_secs_f64() * 1e3 / FRAMES as f64;
    }
    sum
}

fn keep_better(best: &mut Option<Times>, times: Times) {
    if best.is_none_or(|best| times.total() < best.total()) {
        *best = Some(times);
    }
}

/// The pairs of triangles, and of bodies, that meet. Pairs of bodies whose boxes overlap are dealt to the finders.
fn all_pairs<T: Sync>(finders: &mut [Finder], bodies: &[T]) -> [usize; 2]
where
    for<'b> View<'b>: From<&'b T>,
{
    let boxes: Vec<Box3> = bodies.iter().map(|body| View::from(body).bounds()).collect();
    let mut order: Vec<usize> = (0..bodies.len()).collect();
    order.sort_unstable_by(|&i, &j| boxes[i].min.x.total_cmp(&boxes[j].min.x));
    let mut near = vec![];
    for (k, &i) in order.iter().enumerate() {
        for &j in order[k + 1..].iter().take_while(|&&j| boxes[j].min.x <= boxes[i].max.x) {
            if boxes[i].overlaps(&boxes[j]) {
                near.push((i.min(j), i.max(j)));
            }
        }
    }
    near.sort_unstable();
    let count = finders.len();
    let share = |(k, finder): (usize, &mut Finder)| {
        let mut found = [0, 0];
        // Runs of one first body stay together: what was opened of it serves all of them.
        for &(i, j) in near.iter().filter(|(i, _)| i % count == k) {
            let pairs = finder.find_pairs(&bodies[i], &bodies[j]).len();
            found = [found[0] + pairs, found[1] + usize::from(pairs > 0)];
        }
        found
    };
    let add = |a: [usize; 2], b: [usize; 2]| [a[0] + b[0], a[1] + b[1]];
    if count > 1 {
        finders.par_iter_mut().enumerate().map(share).reduce(|| [0, 0], add)
    } else {
        finders.iter_mut().enumerate().map(share).fold([0, 0], add)
    }
}

/// Tables 3 and 4: six figures on a ring.
pub fn ring(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    folder.section(
        "Six figures on a ring",
        "Milliseconds per frame for all six. The paper's, for 45,682 vertices on a Pentium 4: full update and query 581.6 (few contacts) and \
         578.6 (many), its own method 15 to 27 times faster in total, 69 to 126 times in refitting.",
    );
    let head = [
        "pairs",
        "soup: evaluate",
        "query",
        "total",
        "evaluate, refit",
        "query",
        "total",
        "ours: nodes",
        "query",
        "total",
        "gain",
        "ceiling",
    ];
    let mut table = Table::new("Boxes", head.map(|name| (name, Align::Right)));
    let subdivisions = if quick { 0 } else { 2 };
    let options = RingOptions { subdivisions, nodes: 115, ..RingOptions::default() };
    let spacings =
        [("total", RingOptions::FEW), ("total_some", RingOptions::MANY), ("total_many", RingOptions::DENSE)];
    let mut few = vec![];
    for (name, spacing) in spacings {
        let motions = motion::ring(&RingOptions { spacing, ..options }).map_err(scene)?;
        let mut played = Played::new(&motions, &SkinOptions::default(), false);
        let (ours, theirs, [found, touching]) = played.race(if quick { 2 } else { 4 });
        let gain = theirs.total() / ours.total();
        let ceiling = theirs.total() / theirs.query;
        let hashed = soups(&mut played);
        let numbers = [
            hashed.refit,
            hashed.query,
            hashed.total(),
            theirs.refit,
            theirs.query,
            theirs.total(),
            ours.refit,
            ours.query,
            ours.total(),
        ];
        let numbers = numbers.map(|x| format!("{x:.3}"));
        table.row(
            [format!("{found:.0}")]
                .into_iter()
                .chain(numbers)
                .chain([format!("{gain:.1}"), format!("{ceiling:.1}")]),
        );
        let vertices = motions[0].skin().rest().vertex_count();
        let note = format!(
            "six figures of {vertices} vertices, 115 nodes; {found:.0} pairs in {touching:.1} pairs of bodies per frame; ceiling {ceiling:.1}"
        );
        report.metric(&format!("skinned.{name}.vs_bottom_up"), gain, "x", Better::Higher, &note);
        if few.is_empty() {
            report.metric(
                "skinned.refit.vs_bottom_up",
                theirs.refit / ours.refit,
                "x",
                Better::Higher,
                &note,
            );
            few = motions;
        }
    }
    folder.table(report, "ring", &table)?;
    kinds_of_bounds(report, folder, &few)
}

/// The right side of Table 4: other bounds, in the paper's own traversal.
fn kinds_of_bounds(report: &mut Report, folder: &mut Folder, motions: &[SkinnedMotion]) -> io::Result<()> {
    let head = [
        ("rest, deformed", Align::Left),
        ("nodes", Align::Right),
        ("query", Align::Right),
        ("total", Align::Right),
    ];
    let mut table = Table::new("Kinds of bounds, with the cached front, ms per frame", head);
    let kinds = [
        ("AABB, AABB", RestBoxes::Aabb, Directions::Six),
        ("AABB, 14-DOP", RestBoxes::Aabb, Directions::Fourteen),
        ("OBB, 14-DOP", RestBoxes::Obb, Directions::Fourteen),
        ("AABB, 18-DOP", RestBoxes::Aabb, Directions::Eighteen),
        ("AABB, 26-DOP", RestBoxes::Aabb, Directions::TwentySix),
    ];
    for (name, rest_boxes, directions) in kinds {
        let options = SkinOptions { rest_boxes, directions, ..SkinOptions::default() };
        let played = Played::new(motions, &options, false);
        let mut bodies = played.bodies;
        let mut fronts: Vec<SkinFront> =
            (0..bodies.len() * bodies.len()).map(|_| SkinFront::default()).collect();
        let mut times = Times::default();
        // Successive frames: the front of the last one is what pays.
        let frames = played.frames[0]..played.frames[0] + FRAMES;
        for frame in frames {
            let begin = Instant::now();
            for (motion, body) in motions.iter().zip(&mut bodies) {
                body.set_transforms(&motion.frames()[frame]).expect("a frame of the motion");
            }
            times.refit += begin.elapsed().as_secs_f64() * 1e3 / FRAMES as f64;
            let begin = Instant::now();
            for i in 0..bodies.len() {
                for j in i + 1..bodies.len() {
                    fronts[i * bodies.len() + j].find_pairs(&bodies[i], &bodies[j]);
                }
            }
            times.query += begin.elapsed().as_secs_f64() * 1e3 / FRAMES as f64;
        }
        let numbers = [times.refit, times.query, times.total()].map(|x| format!("{x:.3}"));
        table.row([name.to_owned()].into_iter().chain(numbers));
    }
    folder.table(report, "kinds", &table)
}

/// 24 fishes that swim through each other.
pub fn fishes(report: &mut Report, quick: bool) -> io::Result<()> {
    let vertices = if quick { 1_000 } else { 8_000 };
    let motions = motion::fishes(vertices, 96).map_err(scene)?;
    let mut played = Played::new(&motions, &SkinOptions::default(), false);
    let (ours, theirs, [pairs, touching]) = played.race(3);
    let note = format!(
        "24 fishes of {vertices} vertices, 96 nodes; {pairs:.0} pairs in {touching:.1} pairs of fishes per frame; {:.3} ms beside {:.3}",
        ours.total(),
        theirs.total()
    );
    report.say(&format!("fishes: {note}"));
    report.metric(
        "skinned.fishes.total.vs_bottom_up",
        theirs.total() / ours.total(),
        "x",
        Better::Higher,
        &note,
    );
    Ok(())
}

/// A hundred people, two million triangles, on all threads of the caller's pool.
pub fn crowd(report: &mut Report, quick: bool) -> io::Result<()> {
    let (people, triangles) = if quick { (40, 3_000) } else { (100, 20_000) };
    let motions = motion::crowd(people, people * triangles).map_err(scene)?;
    let mut played = Played::new(&motions, &SkinOptions::default(), true);
    let threads = rayon::current_num_threads();
    let (ours, theirs, [pairs, touching]) = played.race(3);
    let all: usize = motions.iter().map(|motion| motion.skin().rest().triangle_count()).sum();
    let note = format!(
        "{people} people, {all} triangles in all, {pairs:.0} pairs in {touching:.1} pairs of people per frame, {threads} threads"
    );
    report.say(&format!(
        "crowd: {:.3} ms, evaluation and refit of all {:.3} ms; {note}",
        ours.total(),
        theirs.total()
    ));
    report.metric("skinned.crowd.ms", ours.total(), "ms", Better::Lower, &note);
    report.metric(
        "skinned.crowd.touching",
        touching,
        "",
        Better::Higher,
        "pairs of people that touch in an average frame",
    );
    report.metric("skinned.crowd.vs_bottom_up", theirs.total() / ours.total(), "x", Better::Higher, &note);
    Ok(())
}
