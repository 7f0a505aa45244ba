//! `fracas-bench brittle`: brittle fracture, after Glondu, Schvartzman, Marchal, Dumont and Otaduy (2012).
//!
//! Updates of distances and sphere trees at a fracture beside rebuilding them (`figure9`), the influence of resolution (`resolution`),
//! preparation of large bodies, the cost of single queries, whole steps of an engine beside its own shapes (`step`), and few
//! contacts beside all of them (`figure5`). All on one thread. The report has the tables and charts of what is drawn in the paper.
//!
//! *Rebuilt* (in names of metrics: *anew*) means what one would do without the update: a tree over the triangles of each fragment's surface, which is
//! given, the distance of each node to it, and a sphere tree over the vertices of the surface alone, with the fast ordering. The tree is
//! built for queries of points alone. Our side counts everything until the pieces can be asked: the update at the fracture, and the
//! distance fields and facet trees of all pieces, which are built when first asked for.

mod figure5;
mod figure9;
mod nearest;
mod resolution;
mod scenes;
mod step;

use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::brittle::{
    BrittleBody, ContactFinder, ContactOptions, FarthestPointOrder, FragmentId, Solid, SolidOptions,
    SphereTree, farthest_point_order,
};
use fracas::fill::{FillOptions, fill};
use fracas::fracture::{Breakable, FractureOptions, Relabelling};
use fracas::geom::{DVec3, Pose};
use fracas::internal::Random;
use fracas::mesh::{Mesh, shapes, tets::brick};
use fracas::{BuildOptions, MeshTree};
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Runs the whole benchmark.
pub fn run(report: &mut Report, quick: bool, out: &Path) -> io::Result<()> {
    let mut folder = Folder::create(out, "brittle", "Brittle fracture")?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(io::Error::other)?;
    pool.install(|| -> io::Result<()> {
        update(report, quick);
        figure9::write(report, &mut folder, quick)?;
        resolution::write(report, &mut folder, quick)?;
        prepare(report, quick);
        ordering(report, quick);
        queries(report);
        nearest::write(report, &mut folder, quick)?;
        step::run(report, quick);
        scenes::write(report, &mut folder, quick)?;
        figure5::write(report, &mut folder, quick)
    })?;
    folder.section("Metrics", "What the benchmark promises to watch.");
    folder.table(report, "metrics", &report.table())?;
    folder.finish(report)
}

fn ms(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64() * 1e3
}

/// A body of about 20,000 tetrahedra, as the paper's piggy bank.
pub fn piggy() -> Arc<Solid> {
    let surface = shapes::noisy_sphere(10_000, 0.25, 5);
    let mesh =
        fill(&surface, &FillOptions { cells: 17.0, ..FillOptions::default() }).expect("a closed surface");
    Arc::new(Solid::build(mesh, &SolidOptions::default()).expect("a sound mesh"))
}

pub fn relabelled(body: &BrittleBody, fragment: FragmentId, wanted: f64, seed: u64) -> Option<Relabelling> {
    let known = body.fragment(fragment).ok()?;
    let solid = body.solid();
    let part = Breakable {
        mesh: solid.mesh(),
        adjacency: solid.adjacency(),
        nodes: known.nodes(),
        volume: known.mass().volume,
    };
    let point = solid.mesh().positions()[known.nodes()[known.nodes().len() / 2] as usize];
    let options = FractureOptions { seed, ..FractureOptions::default() };
    part.break_up(point, DVec3::NEG_Z, wanted, &options).ok()?
}

/// Figure 9: fast update against rebuilding field and tree, at the first fracture and at later ones.
fn update(report: &mut Report, quick: bool) {
    let solid = piggy();
    let (tets, nodes) = (solid.mesh().tet_count(), solid.mesh().node_count());
    report.say(&format!("a body of {tets} tetrahedra and {nodes} nodes breaks, ms"));
    report.say(
        "  pieces    labels  cutting   update   fields   facets  |  surface tree  distances  sphere tree  rebuilt",
    );
    let rounds = if quick { 5 } else { 40 };
    for (name, generations) in [("brittle.update", 1), ("brittle.update.again", 2)] {
        let mut best = [f64::INFINITY; 9];
        let mut pieces = 0;
        for round in 0..rounds {
            let mut body = BrittleBody::new(solid.clone());
            for generation in 1..generations {
                let whole = body.fragments().next().expect("it is there");
                let found = relabelled(&body, whole, 2.0, generation).expect("it breaks");
                body.split(whole, &found.labels, &found.weights).expect("labels fit");
            }
            let largest = body.fragments().max_by_key(|&id| body.fragment(id).map_or(0, |f| f.nodes().len()));
            let largest = largest.expect("there are fragments");
            let begin = Instant::now();
            let found = relabelled(&body, largest, 14.0, 7).expect("it breaks");
            let labels = ms(begin);
            let made = body.split(largest, &found.labels, &found.weights).expect("labels fit");
            let stats = *body.last_split();
            pieces = made.len();
            let fields = nearest::build_fields(&body, &made);
            let facets = nearest::build_facet_trees(&body, &made);
            let parts = anew(&body, &made);
            let [cutting, update] = [stats.cutting, stats.update].map(|time| time.as_secs_f64() * 1e3);
            let times = [
                labels,
                cutting,
                update,
                fields,
                facets,
                update + fields + facets,
                parts[0],
                parts[1],
                parts[2],
            ];
            for (best, time) in best.iter_mut().zip(times) {
                *best = best.min(time);
            }
            if round == 0 {
                report.say(&format!(
                    "  ({} tetrahedra cut, {} corners of cracks)",
                    stats.cut_tets, stats.crack_points
                ));
            }
        }
        let [labels, cutting, update_alone, fields, facets, update, surface, distances, spheres] = best;
        let whole = surface + distances + spheres;
        report.say(&format!(
            "  {pieces:>6} {labels:>9.3} {cutting:>8.3} {update_alone:>8.3} {fields:>8.3} {facets:>8.3}  | {surface:>13.3} {distances:>10.3} {spheres:>12.3} {whole:>8.3}"
        ));
        let note = format!(
            "{tets} tetrahedra, {pieces} pieces; ours: update, fields, facet trees; theirs: tree, distances, sphere tree"
        );
        report.metric(&format!("{name}.vs_recompute"), whole / update, "x", Better::Higher, &note);
        let ratio = (whole + labels + cutting) / (update + labels + cutting);
        let note = "the same with labels and cutting on both sides";
        report.metric(&format!("{name}.vs_recompute.with_cutting"), ratio, "x", Better::Higher, note);
        let ratio = whole / (update + labels + cutting);
        let note = "labels, cutting and update on our side against rebuilding field and tree alone";
        report.metric(&format!("{name}.all.vs_recompute"), ratio, "x", Better::Higher, note);
        let note = "update over labels and cutting: 1 at most means it is never slower than the fracture";
        report.metric(&format!("{name}.vs_fracture"), update / (labels + cutting), "x", Better::Lower, note);
        report.metric(
            &format!("{name}.ms"),
            update,
            "ms",
            Better::Lower,
            "update, and the fields and facet trees of all pieces",
        );
        let note = "what a fracture pays at once: fields and facet trees are built when first asked for";
        report.metric(&format!("{name}.alone.ms"), update_alone, "ms", Better::Lower, note);
    }
}

/// Milliseconds for trees over the surfaces of fragments, distances of their nodes, and sphere trees.
fn anew(body: &BrittleBody, fragments: &[FragmentId]) -> [f64; 3] {
    let mut times = [0.0; 3];
    // Points are all that is asked about.
    let options = BuildOptions { self_queries: false, parallel: false, ..BuildOptions::default() };
    for &id in fragments {
        let Ok((surface, _)) = body.surface(id) else { continue };
        let nodes = body.fragment(id).map(|f| f.nodes().to_vec()).unwrap_or_default();
        let points = surface.positions().to_vec();
        let begin = Instant::now();
        let tree = MeshTree::build_with(surface, &options);
        times[0] += ms(begin);
        let begin = Instant::now();
        for &node in &nodes {
            black_box(tree.view().nearest(body.solid().mesh().positions()[node as usize], f64::INFINITY));
        }
        times[1] += ms(begin);
        let begin = Instant::now();
        black_box(SphereTree::of_points(&points));
        times[2] += ms(begin);
    }
    times
}

/// Preparation of a body with 100,000 points.
fn prepare(report: &mut Report, quick: bool) {
    let n = if quick { 17 } else { 36 };
    let mesh = brick(DVec3::ONE, [n, n, n]);
    let (tets, nodes) = (mesh.tet_count(), mesh.node_count());
    let begin = Instant::now();
    let solid = Solid::build(mesh, &SolidOptions::default()).expect("a sound mesh");
    let time = ms(begin);
    black_box(solid);
    let note = format!("{nodes} points, {tets} tetrahedra, one thread");
    report.metric("brittle.prepare", time / 1e3, "s", Better::Lower, &note);
    let begin = Instant::now();
    let body = BrittleBody::new(piggy());
    report.say(&format!(
        "  filling and preparing {} tetrahedra: {:.1} ms",
        body.solid().mesh().tet_count(),
        ms(begin)
    ));
}

/// Farthest-point sampling with a k-d tree against comparing all with all.
fn ordering(report: &mut Report, quick: bool) {
    report.say("farthest-point sampling, ms: k-d tree, all with all");
    let sizes: &[usize] = if quick { &[6, 11] } else { &[6, 8, 11, 17] };
    for &n in sizes {
        let points = brick(DVec3::new(1.0, 0.9, 0.8), [n, n, n]).positions().to_vec();
        let begin = Instant::now();
        let fast = black_box(farthest_point_order(&points));
        let fast_time = ms(begin);
        let begin = Instant::now();
        let slow = black_box(naive_order(&points));
        let slow_time = ms(begin);
        assert_eq!(fast, slow, "both orders are the same");
        report.say(&format!("  {:>7} points {fast_time:>10.3} {slow_time:>10.3}", points.len()));
        let note = format!("{} points", points.len());
        let last = n == sizes[sizes.len() - 1];
        if last {
            report.metric("brittle.order.vs_naive", slow_time / fast_time, "x", Better::Higher, &note);
        }
    }
}

/// Farthest-point sampling by comparing all with all.
fn naive_order(points: &[DVec3]) -> FarthestPointOrder {
    let mut result = FarthestPointOrder::default();
    let low = points.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
    let far = |i: &u32| points[*i as usize].distance_squared(0.5 * (low + high));
    let first = (0..points.len() as u32).reduce(|best, i| if far(&i) > far(&best) { i } else { best });
    let Some(first) = first else { return result };
    let mut distances = vec![f64::INFINITY; points.len()];
    let mut nearest = vec![0; points.len()];
    let mut level_above = vec![0; points.len()];
    let mut next = first;
    for place in 0..points.len() {
        if place.is_power_of_two() {
            level_above.copy_from_slice(&nearest);
        }
        result.order.push(next);
        result.parents.push(level_above[next as usize]);
        let chosen = points[next as usize];
        distances[next as usize] = f64::NEG_INFINITY;
        let (mut best, mut farthest) = (f64::NEG_INFINITY, next);
        for (i, &p) in points.iter().enumerate() {
            let squared = p.distance_squared(chosen);
            if squared < distances[i] {
                distances[i] = squared;
                nearest[i] = place as u32;
            }
            if distances[i] > best {
                (best, farthest) = (distances[i], i as u32);
            }
        }
        next = farthest;
    }
    result
}

/// Nanoseconds per question, beside a search over the fragment's own triangle tree.
fn queries(report: &mut Report) {
    let solid = piggy();
    let mut body = BrittleBody::new(solid.clone());
    for (seed, wanted) in [(7, 14.0), (8, 4.0), (9, 3.0)] {
        let all: Vec<FragmentId> = body.fragments().collect();
        for id in all {
            if let Some(found) = relabelled(&body, id, wanted, seed) {
                body.split(id, &found.labels, &found.weights).expect("labels fit");
            }
        }
    }
    let ids: Vec<FragmentId> = body.fragments().collect();
    let surfaces: Vec<MeshTree> = ids
        .iter()
        .filter_map(|&id| body.surface(id).ok())
        .map(|(mesh, _): (Mesh, _)| MeshTree::build(mesh))
        .collect();
    report.say(&format!("questions about points near {} fragments, ns", ids.len()));
    for (name, within, depth) in [
        ("inside", true, f64::INFINITY),
        ("inside, within a tenth of the radius", true, 0.1),
        ("outside, within a tenth of the radius", false, 0.1),
    ] {
        let samples: Vec<_> = samples(&body, &ids, within)
            .into_iter()
            .filter(|&(k, p, reach)| {
                body.find_nearest(ids[k], p, reach)
                    .is_some_and(|near| near.distance.abs() < 10.0 * reach * depth)
            })
            .collect();
        let begin = Instant::now();
        for &(k, p, reach) in &samples {
            black_box(body.find_nearest(ids[k], p, reach));
        }
        let ours = ms(begin) * 1e6 / samples.len() as f64;
        let begin = Instant::now();
        for &(k, p, reach) in &samples {
            black_box(surfaces[k].view().nearest(p, if within { f64::INFINITY } else { reach }));
        }
        let theirs = ms(begin) * 1e6 / samples.len() as f64;
        report.say(&format!("  {name:<40} {ours:>8.0}   tree over the fragment's triangles {theirs:>8.0}"));
        let metric = match (within, depth < 1.0) {
            (true, false) => "brittle.query.inside",
            (true, true) => "brittle.query.shallow",
            _ => "brittle.query.outside",
        };
        report.metric(metric, ours, "ns", Better::Lower, "nearest point of a fragment's surface");
    }
    contacts(report, &body, &ids);
}

/// Points inside fragments, or near them and outside, with the fragment's number and how far to look.
fn samples(body: &BrittleBody, ids: &[FragmentId], within: bool) -> Vec<(usize, DVec3, f64)> {
    let mut random = Random::linear(1);
    let mut next = || random.unit();
    let mut samples = vec![];
    for (k, &id) in ids.iter().enumerate() {
        let Ok(fragment) = body.fragment(id) else { continue };
        let (low, high) = fragment.bounds().corners();
        let reach = 0.1 * fragment.radius();
        for _ in 0..2000 {
            let p = low - reach + DVec3::new(next(), next(), next()) * (high - low + 2.0 * reach);
            let is_inside = body.is_inside(id, p);
            if is_inside == within && (within || body.find_nearest(id, p, reach).is_some()) {
                samples.push((k, p, reach));
            }
        }
    }
    samples
}

/// Neighbouring pieces a little pressed into each other: all contacts, and those chosen.
fn contacts(report: &mut Report, body: &BrittleBody, ids: &[FragmentId]) {
    let all = ContactOptions { budget: usize::MAX, ..ContactOptions::default() };
    let mut counts = [0_usize; 2];
    let mut visited = [0_u64; 2];
    let mut times = [0.0; 2];
    for (which, options) in [all, ContactOptions::default()].into_iter().enumerate() {
        let mut finder = ContactFinder::new(options);
        let begin = Instant::now();
        for &a in ids {
            let Ok(of_a) = body.fragment(a) else { continue };
            for &b in ids.iter().filter(|&&b| b > a) {
                let Ok(of_b) = body.fragment(b) else { continue };
                // By less than the tolerance, so that what lies side by side just touches.
                let way = (of_a.mass().centre - of_b.mass().centre).normalize_or_zero();
                let pose = Pose::from_translation(way * 1e-4 * of_b.radius()).unwrap_or_default();
                if let Ok(found) = finder.find_between((body, a), (body, b), &pose) {
                    counts[which] += found.len();
                }
                visited[which] += finder.stats().visited;
            }
        }
        times[which] = ms(begin);
    }
    report.say(&format!(
        "  fresh fragments against each other, all pairs: {} contacts of {} colliding points; {:.2} ms, {:.2} ms for all; {} and {} points visited",
        counts[1], counts[0], times[1], times[0], visited[1], visited[0]
    ));
    let note = "fresh fragments that touch, colliding points over contacts";
    report.metric(
        "brittle.contacts.fresh_reduction",
        counts[0] as f64 / counts[1].max(1) as f64,
        "x",
        Better::Higher,
        note,
    );
}
