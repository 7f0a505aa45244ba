//! What resolution does (section 6 of the paper): a ball with more and more tetrahedra, and with coarser and finer grids.
//!
//! The ball is known exactly, so the error of distances is, too. It breaks into eight pieces; then all pieces are pressed a
//! little into their neighbours, and contacts are found.

use super::{ms, relabelled};
use crate::folder::Folder;
use crate::metric::Report;
use fracas::brittle::{BrittleBody, ContactFinder, FragmentId, Solid, SolidOptions};
use fracas::fill::{FillOptions, fill};
use fracas::geom::{DVec3, Pose};
use fracas::mesh::shapes;
use fracas_plot::{Align, Axis, Line, LineChart, Look, Table};
use std::io;
use std::sync::Arc;
use std::time::Instant;

/// What one resolution gives.
struct Row {
    cells: f64,
    options: SolidOptions,
    /// Tetrahedra, nodes, triangles of the surface.
    counts: [usize; 3],
    /// Milliseconds: preparation, labels and cutting, update, contacts of all pairs.
    times: [f64; 4],
    contacts: usize,
    /// Nanoseconds for the nearest point of the surface of the whole ball.
    query: f64,
    /// Error of the distance over the radius: mean, and the 95th percentile.
    error: [f64; 2],
}

/// Measures and writes tables and a chart.
pub fn write(report: &mut Report, folder: &mut Folder, quick: bool) -> io::Result<()> {
    let sizes: &[f64] = if quick { &[6.0, 9.0] } else { &[6.0, 9.0, 12.0, 16.0, 21.0] };
    let rounds = if quick { 2 } else { 6 };
    let usual = SolidOptions::default();
    let rows: Vec<Row> = sizes.iter().map(|&cells| measure(cells, usual, rounds)).collect();
    folder.section(
        "Resolution",
        "A ball of radius 1 breaks into eight pieces. The paper's ball with 2,500 triangles and 4,000 points inside takes 1.54 ms to \
         update and 1.16 ms per step for contacts; with 10,000 triangles 1.8 and 1.37; with 435 points inside 0.46 and 0.68.",
    );
    folder.table(report, "resolution_mesh", &table("Tetrahedra", &rows))?;
    let points =
        |value: &dyn Fn(&Row) -> f64| rows.iter().map(|row| [row.counts[1] as f64, value(row)]).collect();
    let line = |name: &str, points: Vec<[f64; 2]>| Line { name: name.to_owned(), points, look: Look::Marked };
    let chart = LineChart {
        title: "A ball of more and more nodes".to_owned(),
        description: "Times of update, fracture and contacts over the number of nodes.".to_owned(),
        x: Axis::log("nodes"),
        y: Axis::log("time (ms)"),
        lines: vec![
            line("update", points(&|row| row.times[2])),
            line("labels and cutting", points(&|row| row.times[1])),
            line("contacts of all pieces", points(&|row| row.times[3])),
        ],
    };
    folder.chart("resolution_mesh", &chart.svg(), "Eight pieces of a ball; all on one thread.")?;
    let grids = [(0.4, 0.75), (0.6, 0.4), (0.6, 0.75), (0.6, 1.5), (1.0, 0.75), (1.6, 1.5)];
    let cells = if quick { 6.0 } else { 12.0 };
    let options = grids.map(|(cell, grid)| SolidOptions { cell, grid });
    let rows: Vec<Row> = options.into_iter().map(|options| measure(cells, options, rounds)).collect();
    folder.table(report, "resolution_grids", &table("Cells and grid", &rows))
}

fn measure(cells: f64, options: SolidOptions, rounds: usize) -> Row {
    let mesh = fill(&shapes::icosphere(1.0, 5), &FillOptions { cells, ..FillOptions::default() })
        .expect("a closed surface");
    let begin = Instant::now();
    let solid = Arc::new(Solid::build(mesh, &options).expect("a sound mesh"));
    let mut times = [ms(begin), f64::INFINITY, f64::INFINITY, f64::INFINITY];
    let counts =
        [solid.mesh().tet_count(), solid.mesh().node_count(), solid.surface().mesh().triangle_count()];
    let whole = BrittleBody::new(solid.clone());
    let (query, error) = accuracy(&whole, rounds);
    let mut contacts = 0;
    for _ in 0..rounds {
        let mut body = whole.clone();
        let Some(id) = body.fragments().next() else { break };
        let begin = Instant::now();
        let Some(found) = relabelled(&body, id, 8.0, 3) else { break };
        let labels = ms(begin);
        if body.split(id, &found.labels, &found.weights).is_err() {
            break;
        }
        let [cutting, update] =
            [body.last_split().cutting, body.last_split().update].map(|time| time.as_secs_f64() * 1e3);
        let begin = Instant::now();
        contacts = contacts_of_all(&body);
        let now = [labels + cutting, update, ms(begin)];
        times[1..].iter_mut().zip(now).for_each(|(best, now)| *best = best.min(now));
    }
    Row { cells, options, counts, times, contacts, query, error }
}

/// Nanoseconds per question, and errors of distances inside the unbroken ball.
fn accuracy(body: &BrittleBody, rounds: usize) -> (f64, [f64; 2]) {
    let Some(id) = body.fragments().next() else { return (0.0, [0.0; 2]) };
    let mut random = fracas::internal::Random::linear(1);
    let mut points = vec![];
    while points.len() < 4000 {
        let p = DVec3::new(random.signed(), random.signed(), random.signed());
        if p.length() < 1.0 && body.is_inside(id, p) {
            points.push(p);
        }
    }
    let mut best = f64::INFINITY;
    let mut errors = vec![];
    for _ in 0..rounds {
        errors.clear();
        let begin = Instant::now();
        for &p in &points {
            let found = body.find_nearest(id, p, f64::INFINITY).map_or(0.0, |near| -near.distance);
            errors.push((found - (1.0 - p.length())).abs());
        }
        best = best.min(ms(begin) * 1e6 / points.len() as f64);
    }
    errors.sort_by(f64::total_cmp);
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    (best, [mean, errors[errors.len() * 95 / 100]])
}

/// Contacts of all pieces, pressed a little into their neighbours.
fn contacts_of_all(body: &BrittleBody) -> usize {
    let ids: Vec<FragmentId> = body.fragments().collect();
    let mut finder = ContactFinder::default();
    let mut found = 0;
    for (k, &a) in ids.iter().enumerate() {
        for &b in &ids[k + 1..] {
            let (Ok(of_a), Ok(of_b)) = (body.fragment(a), body.fragment(b)) else { continue };
            let way = (of_a.mass().centre - of_b.mass().centre).normalize_or_zero();
            let pose = Pose::from_translation(way * 1e-3 * of_b.radius()).unwrap_or_default();
            found += finder.find_between((body, a), (body, b), &pose).map_or(0, <[_]>::len);
        }
    }
    found
}

fn table(what: &str, rows: &[Row]) -> Table {
    let head = [
        ("cells across", Align::Right),
        ("cell", Align::Right),
        ("grid", Align::Right),
        ("tetrahedra", Align::Right),
        ("nodes", Align::Right),
        ("triangles", Align::Right),
        ("prepare, ms", Align::Right),
        ("fracture, ms", Align::Right),
        ("update, ms", Align::Right),
        ("contacts", Align::Right),
        ("contacts, ms", Align::Right),
        ("nearest, ns", Align::Right),
        ("error, mean", Align::Right),
        ("error, 95 %", Align::Right),
    ];
    let caption = format!(
        "{what}: a ball of radius 1 in eight pieces. Cell and grid by the mean edge; errors of distances inside, by the radius."
    );
    let mut table = Table::new(caption, head);
    for row in rows {
        let mut cells = vec![
            format!("{:.0}", row.cells),
            format!("{:.2}", row.options.cell),
            format!("{:.2}", row.options.grid),
        ];
        cells.extend(row.counts.map(|count| count.to_string()));
        cells.extend(row.times[..3].iter().map(|time| format!("{time:.2}")));
        cells.push(row.contacts.to_string());
        cells.extend([format!("{:.2}", row.times[3]), format!("{:.0}", row.query)]);
        cells.extend(row.error.map(|error| format!("{error:.5}")));
        table.row(cells);
    }
    table
}
