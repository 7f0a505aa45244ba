//! Many queries at once: the same answers, and how long they take.

use crate::ccd::Kind;
use crate::ccd_labels::{Queries, folder, handcrafted};
use fracas::exact::{ImpactTime, MovingPoint};
use fracas::geom::DVec3;
use fracas::internal::{ImpactBatch, ImpactRow, ImpactStats, Random};
use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

impl Kind {
    /// The answers of a batch to candidates over one table.
    pub fn run(
        self,
        batch: &mut ImpactBatch,
        rows: &[ImpactRow],
        candidates: &[[u32; 4]],
        out: impl FnMut(usize, ImpactTime),
    ) {
        match self {
            Self::VertexTriangle => batch.vertex_triangle([rows, rows], candidates, out),
            Self::EdgeEdge => batch.edge_edge([rows, rows], candidates, out),
        }
    }

    /// The answers of a batch to queries that share no points.
    pub fn impacts(self, queries: &[[MovingPoint; 4]]) -> (Vec<Option<ImpactTime>>, ImpactStats) {
        let rows: Vec<_> = queries.iter().flatten().map(|p| ImpactRow::new(p.start, p.end)).collect();
        let candidates: Vec<[u32; 4]> =
            (0..queries.len() as u32).map(|q| [0, 1, 2, 3].map(|k| 4 * q + k)).collect();
        let mut answers = vec![None; queries.len()];
        let mut batch = ImpactBatch::default();
        let mut last = None;
        self.run(&mut batch, &rows, &candidates, |query, time| {
            assert!(last < Some(query), "not in order");
            last = Some(query);
            answers[query] = Some(time);
        });
        (answers, batch.take_stats())
    }
}

/// A surface that moves, and the candidates within it whose swept boxes meet.
struct Sheet {
    rows: Vec<ImpactRow>,
    faces: Vec<[u32; 4]>,
    edges: Vec<[u32; 4]>,
}

/// A cloth of n × n vertices in folds that nearly touch, moving by about one edge length each in its own direction.
fn folded_cloth(n: u32, motion: f64) -> Sheet {
    let mut random = Random::new(3);
    let mut vector = |size: f64| DVec3::new(random.signed(), random.signed(), random.signed()) * size;
    let points: Vec<[DVec3; 2]> = (0..n * n)
        .map(|k| {
            let (x, y) = (f64::from(k % n), f64::from(k / n));
            // Layers one and a half edge lengths apart, joined by bends, like a map.
            let (layer, along) = ((x / 40.0).floor(), x % 40.0);
            let along = if layer % 2.0 == 0.0 { along } else { 40.0 - along };
            let start = DVec3::new(along, y, 1.5 * layer + 0.5 * (x * 0.3).sin()) + vector(0.2);
            [start, start + vector(motion)]
        })
        .collect();
    let mut triangles = vec![];
    for y in 0..n - 1 {
        for x in 0..n - 1 {
            let k = y * n + x;
            triangles.extend([[k, k + 1, k + n + 1], [k, k + n + 1, k + n]]);
        }
    }
    Sheet::new(&points, &triangles, 2.0)
}

impl Sheet {
    fn new(points: &[[DVec3; 2]], triangles: &[[u32; 3]], cell: f64) -> Self {
        let edges: BTreeSet<[u32; 2]> = triangles
            .iter()
            .flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        let edges: Vec<[u32; 2]> = edges.into_iter().collect();
        let vertices: Vec<[u32; 1]> = (0..points.len() as u32).map(|v| [v]).collect();
        let faces = meeting(points, &vertices, triangles, cell, false);
        let pairs = meeting(points, &edges, &edges, cell, true);
        Self {
            rows: points.iter().map(|[p, q]| ImpactRow::new(*p, *q)).collect(),
            faces: faces.into_iter().map(|([v], [a, b, c])| [v, a, b, c]).collect(),
            edges: pairs.into_iter().map(|([a, b], [c, d])| [a, b, c, d]).collect(),
        }
    }
}

/// Pairs of features without a common vertex whose swept boxes meet.
fn meeting<const N: usize, const M: usize>(
    points: &[[DVec3; 2]],
    ones: &[[u32; N]],
    others: &[[u32; M]],
    cell: f64,
    is_ordered: bool,
) -> Vec<([u32; N], [u32; M])> {
    let bounds = |ids: &[u32]| {
        let all = || ids.iter().flat_map(|&v| points[v as usize]);
        (all().fold(DVec3::INFINITY, DVec3::min), all().fold(DVec3::NEG_INFINITY, DVec3::max))
    };
    let cells = |(low, high): (DVec3, DVec3)| {
        let (low, high) = ((low / cell).floor().as_i64vec3(), (high / cell).floor().as_i64vec3());
        let range = move |k: usize| low[k]..=high[k];
        range(0).flat_map(move |x| range(1).flat_map(move |y| range(2).map(move |z| [x, y, z])))
    };
    let mut grid: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let other_bounds: Vec<_> = others.iter().map(|ids| bounds(ids)).collect();
    for (k, &b) in other_bounds.iter().enumerate() {
        cells(b).for_each(|c| grid.entry(c).or_default().push(k as u32));
    }
    let mut pairs = vec![];
    for (i, one) in ones.iter().enumerate() {
        let (low, high) = bounds(one);
        let mut near: Vec<u32> = cells((low, high)).filter_map(|c| grid.get(&c)).flatten().copied().collect();
        near.sort_unstable();
        near.dedup();
        for k in near {
            let other = others[k as usize];
            let (from, to) = other_bounds[k as usize];
            let is_near = low.cmple(to).all() && from.cmple(high).all();
            let is_new = !is_ordered || (k as usize) > i;
            if is_near && is_new && !one.iter().any(|v| other.contains(v)) {
                pairs.push((*one, other));
            }
        }
    }
    pairs
}

fn percent(part: u64, stats: &ImpactStats) -> f64 {
    100.0 * part as f64 / stats.queries as f64
}

fn report(name: &str, nanoseconds: f64, stats: &ImpactStats) {
    println!(
        "{name:34} {:9} queries {nanoseconds:8.1} ns | axes {:6.2} % signs {:6.2} root {:6.3} parts {:6.3} integers {:6.4} | contacts {:6.3} %",
        stats.queries,
        percent(stats.by_axes, stats),
        percent(stats.by_signs, stats),
        percent(stats.by_root, stats),
        percent(stats.by_parts, stats),
        percent(stats.by_integers, stats),
        percent(stats.contacts, stats),
    );
}

fn time_sheet(name: &str, sheet: &Sheet) {
    for (kind, candidates) in [(Kind::VertexTriangle, &sheet.faces), (Kind::EdgeEdge, &sheet.edges)] {
        let mut batch = ImpactBatch::default();
        let mut best = f64::INFINITY;
        let mut stats = ImpactStats::default();
        for _ in 0..7 {
            let start = Instant::now();
            let mut found = 0;
            kind.run(&mut batch, &sheet.rows, candidates, |_, _| found += 1);
            best = best.min(start.elapsed().as_secs_f64());
            stats = batch.take_stats();
            assert_eq!(stats.contacts, found);
        }
        report(&format!("{name}, {kind:?}"), best * 1e9 / candidates.len() as f64, &stats);
    }
}

#[test]
#[ignore = "measures; run with --release -- --ignored --nocapture ccd_batch"]
fn how_long_queries_take() {
    let size: u32 = std::env::var("CLOTH").ok().and_then(|n| n.parse().ok()).unwrap_or(216);
    time_sheet("folded cloth", &folded_cloth(size, 0.65));
    let Some(folder) = folder() else { return };
    let mut all = [(0.0, ImpactStats::default()); 2];
    for Queries { name, kind, points, .. } in handcrafted(&folder) {
        let mut best = f64::INFINITY;
        let mut stats = ImpactStats::default();
        for _ in 0..7 {
            let start = Instant::now();
            stats = kind.impacts(&points).1;
            best = best.min(start.elapsed().as_secs_f64());
        }
        let name: Vec<&str> = name.rsplit('/').take(3).collect();
        report(&format!("{} {} {}", name[2], name[1], name[0]), best * 1e9 / points.len() as f64, &stats);
        let sum = &mut all[kind as usize];
        sum.0 += best;
        for (sum, part) in [
            (&mut sum.1.queries, stats.queries),
            (&mut sum.1.by_axes, stats.by_axes),
            (&mut sum.1.by_signs, stats.by_signs),
            (&mut sum.1.by_root, stats.by_root),
            (&mut sum.1.by_parts, stats.by_parts),
            (&mut sum.1.by_integers, stats.by_integers),
            (&mut sum.1.contacts, stats.contacts),
        ] {
            *sum += part;
        }
    }
    for (name, (seconds, stats)) in ["all vertex-face", "all edge-edge"].into_iter().zip(all) {
        report(name, seconds * 1e9 / stats.queries as f64, &stats);
    }
}

#[test]
fn one_by_one_and_at_once_agree_on_a_cloth() {
    let sheet = folded_cloth(50, 1.0);
    for (kind, candidates) in [(Kind::VertexTriangle, &sheet.faces), (Kind::EdgeEdge, &sheet.edges)] {
        let mut batch = ImpactBatch::default();
        let mut answers = vec![None; candidates.len()];
        kind.run(&mut batch, &sheet.rows, candidates, |query, time| answers[query] = Some(time));
        let stats = batch.take_stats();
        assert!(candidates.len() > 10_000 && stats.contacts > 100, "{stats:?}");
        let stages = [stats.by_axes, stats.by_signs, stats.by_root, stats.by_parts, stats.by_integers];
        assert_eq!(stages.iter().sum::<u64>(), candidates.len() as u64);
        for (candidate, answer) in candidates.iter().zip(answers) {
            let points = candidate.map(|v| sheet.rows[v as usize].point());
            let alone = kind.impact(points);
            let is_same = match (alone, answer) {
                (Some(x), Some(y)) => x.low <= y.high && y.low <= x.high,
                (None, None) => true,
                _ => false,
            };
            assert!(is_same, "{kind:?}: alone {alone:?}, in a batch {answer:?}\n{points:?}");
        }
    }
}
