//! Figure 9 of the paper: distances and sphere trees that follow fractures, beside structures rebuilt after each of them.
//!
//! A body breaks, then its largest piece, and so on. For every fracture: the time of the update, and the time of rebuilding everything
//! for the same pieces. In the end the pieces are pressed against each other, and contacts are found with updated trees and
//! distances, with new ones, and with one of each: what a fast update costs in later queries.

use super::nearest::{build_facet_trees, build_fields};
use super::{anew, ms, piggy, relabelled};
use crate::folder::Folder;
use crate::metric::{Better, Report};
use fracas::MeshTree;
use fracas::Side;
use fracas::brittle::{BrittleBody, FragmentId, SphereTree};
use fracas::geom::DVec3;
use fracas_plot::{Align, Axis, Line, LineChart, Look, Table};
use std::io;
use std::time::Instant;

/// Milliseconds of one fracture, best of all rounds.
#[derive(Clone, Copy)]
struct Fracture {
    nodes: usize,
    pieces: usize,
    labels: f64,
    cutting: f64,
    update: f64,
    anew: [f64; 3],
}

/// Breaks, measures and writes the figure.
pub fn write(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    let rounds = if quick { 2 } else { 8 };
    let (body, fractures) = sequence(rounds, if quick { 5 } else { 16 });
    folder.section(
        "Figure 9: update or recompute",
        "A body of about 23,000 tetrahedra breaks into fourteen pieces, then its largest piece into a few, and so on. The update includes \
         the distance fields and facet trees of all pieces. *Rebuilt* recomputes three things for each piece: a tree over its given triangles, the \
         distance of each node, and a sphere tree over the vertices of its surface.",
    );
    folder.table(report, "figure9_updates", &updates(&fractures))?;
    folder.chart(
        "figure9_updates",
        &chart(&fractures).svg(),
        "The first fracture is the largest; later ones break the largest piece that is left.",
    )?;
    let sum = |value: &dyn Fn(&Fracture) -> f64| fractures.iter().map(value).sum::<f64>();
    let ratio = sum(&|f| f.anew.iter().sum()) / sum(&|f| f.update);
    let note = format!("{} fractures in a row, sums", fractures.len());
    report.metric("brittle.figure9.vs_recompute", ratio, "x", Better::Higher, &note);
    let table = queries(report, &body);
    folder.table(report, "figure9_queries", &table)
}

/// Breaks a body again and again; times are the least over some rounds, which are all alike.
fn sequence(rounds: usize, length: usize) -> (BrittleBody, Vec<Fracture>) {
    let solid = piggy();
    let mut best: Vec<Fracture> = vec![];
    let mut body = BrittleBody::new(solid.clone());
    for round in 0..rounds {
        body = BrittleBody::new(solid.clone());
        for step in 0..length {
            let size = |&id: &FragmentId| body.fragment(id).map_or(0, |known| known.nodes().len());
            let Some(largest) = body.fragments().max_by_key(size) else { break };
            let nodes = size(&largest);
            let begin = Instant::now();
            let wanted = if step == 0 { 14.0 } else { 4.0 };
            let Some(found) = relabelled(&body, largest, wanted, 7 + step as u64) else { break };
            let labels = ms(begin);
            let Ok(made) = body.split(largest, &found.labels, &found.weights) else { break };
            let stats = *body.last_split();
            let [cutting, update] = [stats.cutting, stats.update].map(|time| time.as_secs_f64() * 1e3);
            let update = update + build_fields(&body, &made) + build_facet_trees(&body, &made);
            let now =
                Fracture { nodes, pieces: made.len(), labels, cutting, update, anew: anew(&body, &made) };
            if round == 0 {
                best.push(now);
            } else if let Some(known) = best.get_mut(step) {
                known.labels = known.labels.min(now.labels);
                known.cutting = known.cutting.min(now.cutting);
                known.update = known.update.min(now.update);
                known.anew.iter_mut().zip(now.anew).for_each(|(known, now)| *known = known.min(now));
            }
        }
    }
    (body, best)
}

fn updates(fractures: &[Fracture]) -> Table {
    let head = [
        ("fracture", Align::Right),
        ("nodes", Align::Right),
        ("pieces", Align::Right),
        ("labels", Align::Right),
        ("cutting", Align::Right),
        ("update", Align::Right),
        ("surface tree", Align::Right),
        ("distances", Align::Right),
        ("sphere tree", Align::Right),
        ("rebuilt : update", Align::Right),
    ];
    let mut table = Table::new("Figure 9: milliseconds for each fracture of a sequence.", head);
    for (number, f) in fractures.iter().enumerate() {
        let times = [f.labels, f.cutting, f.update, f.anew[0], f.anew[1], f.anew[2]];
        let mut row = vec![(number + 1).to_string(), f.nodes.to_string(), f.pieces.to_string()];
        row.extend(times.map(|time| format!("{time:.3}")));
        row.push(format!("{:.1}", f.anew.iter().sum::<f64>() / f.update));
        table.row(row);
    }
    table
}

fn chart(fractures: &[Fracture]) -> LineChart {
    let line = |name: &str, value: &dyn Fn(&Fracture) -> f64| Line {
        name: name.to_owned(),
        points: fractures.iter().zip(1..).map(|(f, k)| [f64::from(k), value(f)]).collect(),
        look: Look::Marked,
    };
    LineChart {
        title: "Fractures in a row".to_owned(),
        description: "Times of updates, of fracture, and of a full rebuild, over the number of the fracture."
            .to_owned(),
        x: Axis::linear("fracture"),
        y: Axis::log("time (ms)"),
        lines: vec![
            line("update", &|f| f.update),
            line("labels and cutting", &|f| f.labels + f.cutting),
            line("rebuilt", &|f| f.anew.iter().sum()),
        ],
    }
}

/// Contacts of all pieces with each other, with updated and with new trees and distances.
fn queries(report: &mut Report, body: &BrittleBody) -> Table {
    let ids: Vec<FragmentId> = body.fragments().collect();
    let surfaces: Vec<MeshTree> =
        ids.iter().filter_map(|&id| body.surface(id).ok()).map(|(mesh, _)| MeshTree::build(mesh)).collect();
    let trees: Vec<SphereTree> =
        surfaces.iter().map(|surface| SphereTree::of_points(surface.mesh().positions())).collect();
    let head = [
        ("distances", Align::Left),
        ("sphere tree", Align::Left),
        ("visited", Align::Right),
        ("colliding", Align::Right),
        ("time, ms", Align::Right),
    ];
    let caption = "Figure 9: contacts of all pieces, pressed a little into their neighbours.";
    let mut table = Table::new(caption, head);
    let mut times = vec![];
    for (field, tree) in [("updated", "updated"), ("updated", "anew"), ("anew", "updated"), ("anew", "anew")]
    {
        let (mut visited, mut colliding) = (0, 0);
        let begin = Instant::now();
        for (k, &a) in ids.iter().enumerate() {
            let Ok(of_a) = body.fragment(a) else { continue };
            let points = if tree == "anew" { &trees[k] } else { of_a.tree() };
            for (m, &b) in ids.iter().enumerate().filter(|&(m, _)| m != k) {
                let Ok(of_b) = body.fragment(b) else { continue };
                let shift =
                    (of_b.mass().centre - of_a.mass().centre).normalize_or_zero() * 1e-3 * of_a.radius();
                let (low, high) = of_b.bounds().corners();
                let mut probe = |p: DVec3, reach: f64| {
                    let q = p + shift;
                    let outside = (low - q).max(q - high).max(DVec3::ZERO).length();
                    if outside > reach {
                        return outside;
                    }
                    if field == "updated" {
                        return body.find_nearest(b, q, reach).map_or(reach, |near| near.distance);
                    }
                    let is_inside = surfaces[m].view().side_of(q) == Ok(Side::Inside);
                    let reach_for = if is_inside { f64::INFINITY } else { reach };
                    let near = surfaces[m].view().nearest(q, reach_for).map_or(reach, |near| near.distance);
                    if is_inside { -near } else { near }
                };
                let found = walk(points, 0.0, &mut probe);
                visited += found[0];
                colliding += found[1];
            }
        }
        times.push(ms(begin));
        table.row([
            field.to_owned(),
            tree.to_owned(),
            visited.to_string(),
            colliding.to_string(),
            format!("{:.2}", times[times.len() - 1]),
        ]);
    }
    let note = "all contacts of all pieces: updated trees and distances over new ones of both";
    report.metric("brittle.figure9.query.vs_anew", times[0] / times[3], "x", Better::Lower, note);
    table
}

/// Points of a tree visited, and those nearer than a tolerance. `probe` gives the distance of a point, negative inside, or
/// a lower bound that is not below what it is asked for.
fn walk(tree: &SphereTree, tolerance: f64, probe: &mut impl FnMut(DVec3, f64) -> f64) -> [usize; 2] {
    let mut open: Vec<u32> = tree.roots().to_vec();
    let mut found = [0; 2];
    while let Some(point) = open.pop() {
        let p = point as usize;
        let reach = tolerance + tree.radius(p);
        let distance = probe(tree.points()[p], reach);
        found[0] += 1;
        found[1] += usize::from(distance < tolerance);
        if distance < reach {
            open.extend_from_slice(tree.children(p));
        }
    }
    found
}
