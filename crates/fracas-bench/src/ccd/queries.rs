//! Queries and motions made by others, where they are there: in `../shared/data` beside the workspace, or below what the variable
//! `FRACAS_SHARED_DATA` says.

use super::{Step, ipc_toolkit};
use crate::metric::{Better, Report};
use fracas::Mesh;
use fracas::exact::{MovingPoint, edge_edge_impact, vertex_triangle_impact};
use fracas::geom::DVec3;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn data() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("FRACAS_SHARED_DATA").map_or(beside, PathBuf::from)
}

/// The numbers of a NumPy file, without its shape.
fn read_npy(path: &Path) -> Option<Vec<[u8; 4]>> {
    let bytes = std::fs::read(path).ok()?;
    let head = 10 + usize::from(u16::from_le_bytes([*bytes.get(8)?, *bytes.get(9)?]));
    Some(bytes.get(head..)?.chunks_exact(4).map(|x| [x[0], x[1], x[2], x[3]]).collect())
}

/// One frame of a dancer's dress, with the median motion of the recording: at its fastest the whole body jumps, and nearly all boxes
/// overlap.
pub fn kick() -> Option<Step> {
    let folder = data().join("cloth");
    let positions = read_npy(&folder.join("kick_positions.npy"))?;
    let triangles = read_npy(&folder.join("kick_triangles.npy"))?;
    let triangles: Vec<[u32; 3]> =
        triangles.chunks_exact(3).map(|t| [0, 1, 2].map(|k| u32::from_le_bytes(t[k]))).collect();
    let points: Vec<DVec3> = positions
        .chunks_exact(3)
        .map(|p| DVec3::from_array([0, 1, 2].map(|k| f64::from(f32::from_le_bytes(p[k])))))
        .collect();
    let vertices = 1 + *triangles.iter().flatten().max()? as usize;
    let frames: Vec<&[DVec3]> = points.chunks_exact(vertices).collect();
    let motion = |k: usize| frames[k].iter().zip(frames[k + 1]).map(|(a, b)| a.distance(*b)).sum::<f64>();
    let mut order: Vec<usize> = (0..frames.len().checked_sub(1)?).collect();
    order.sort_unstable_by(|a, b| motion(*a).total_cmp(&motion(*b)));
    let chosen = *order.get(order.len() / 2)?;
    let mesh = Mesh::new(frames[chosen].to_vec(), triangles).ok()?;
    let name = format!("kick, {} triangles, frame {chosen} to the next", mesh.triangle_count());
    Some(Step { name, mesh, end: frames[chosen + 1].to_vec() })
}

/// The queries of a file with their labels, each eight points.
fn read(path: &Path) -> io::Result<Vec<([[f64; 3]; 8], bool)>> {
    let text = std::fs::read_to_string(path)?;
    let bad = || io::Error::other(format!("{}: not a list of queries", path.display()));
    let row = |line: &str| -> Option<([f64; 3], bool)> {
        let words: Vec<&str> = line.split(',').collect();
        let number =
            |k: usize| Some(words.get(k)?.parse::<f64>().ok()? / words.get(k + 1)?.parse::<f64>().ok()?);
        Some(([number(0)?, number(2)?, number(4)?], *words.get(6)? == "1"))
    };
    let rows: Option<Vec<_>> = text.lines().map(row).collect();
    let rows = rows.ok_or_else(bad)?;
    Ok(rows.chunks_exact(8).map(|rows| (std::array::from_fn(|k| rows[k].0), rows[0].1)).collect())
}

/// The handcrafted queries: all labels, and the time per query beside Tight Inclusion.
pub fn handcrafted(report: &mut Report) -> io::Result<()> {
    let mut lists: [Vec<([[f64; 3]; 8], bool)>; 2] = [vec![], vec![]];
    for set in ["unit-tests", "erleben-sliding-spike", "erleben-wedges"] {
        for (list, kind) in lists.iter_mut().zip(["vertex-face", "edge-edge"]) {
            let Ok(files) = std::fs::read_dir(data().join("ccd").join(set).join(kind)) else { continue };
            let mut files: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
            files.sort();
            for file in files {
                list.extend(read(&file)?);
            }
        }
    }
    let count: usize = lists.iter().map(Vec::len).sum();
    if count == 0 {
        report.say("skipped: no handcrafted queries (set FRACAS_SHARED_DATA)");
        return Ok(());
    }
    let (mut ours, mut wrong) = (f64::INFINITY, 0);
    for _ in 0..20 {
        let begin = Instant::now();
        wrong = 0;
        for (list, is_edge_edge) in lists.iter().zip([false, true]) {
            for (points, label) in list {
                let [a, b, c, d] = std::array::from_fn(|k| MovingPoint {
                    start: DVec3::from_array(points[k]),
                    end: DVec3::from_array(points[4 + k]),
                });
                let hit = if is_edge_edge {
                    edge_edge_impact([a, b], [c, d]).is_some()
                } else {
                    vertex_triangle_impact(a, [b, c, d]).is_some()
                };
                wrong += usize::from(hit != *label);
            }
        }
        ours = ours.min(begin.elapsed().as_secs_f64());
    }
    report.say(&format!(
        "{count} handcrafted queries: {:.2} µs each, {wrong} wrong",
        ours * 1e6 / count as f64
    ));
    report.metric("ccd.handcrafted.us", ours * 1e6 / count as f64, "µs", Better::Lower, "per query, exact");
    report.metric(
        "ccd.handcrafted.wrong",
        wrong as f64,
        "",
        Better::Lower,
        "answers that contradict a label",
    );
    let (mut seconds, mut hits) = (0.0, 0);
    for (list, kind) in lists.iter().zip(["vf", "ee"]) {
        let points: Vec<[[f64; 3]; 8]> = list.iter().map(|(points, _)| *points).collect();
        let Some(times) = ipc_toolkit::time_queries(&points, kind)? else { return Ok(()) };
        seconds += times.seconds;
        hits += times.hits;
    }
    let true_hits = lists.iter().flatten().filter(|(_, label)| *label).count();
    report.say(&format!(
        "  Tight Inclusion: {:.3} ms each, {hits} hits of which {true_hits} are true",
        seconds * 1e3 / count as f64
    ));
    let note = format!("{count} queries; Tight Inclusion reports {hits} hits, {true_hits} are true");
    report.metric("ccd.handcrafted.vs_tight_inclusion", seconds / ours, "x", Better::Higher, &note);
    Ok(())
}
