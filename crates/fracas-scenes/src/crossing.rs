//! Cloths fly through each other edge on edge, at 2, 20 and 200 metres per second.
//!
//! # Idea
//!
//! ```text
//!        │          One sheet stands upright, the other lies flat, and both move along x towards each other. Their
//!     ───┼──▶ ◀──   planes meet in a line along x. So edges meet only on that line, and when they do is known: the
//!        │          crossings of one sheet's edges with the line move towards those of the other.
//! ```
//!
//! At 200 m/s both have passed each other between two frames, and no frame shows a pair that intersects. Every crossing
//! is an impact all the same, and the counter `impacts` has them.
//!
//! Sizes of all six sheets together: 1,200, 12,000 and 120,000 triangles.

use crate::cloth::features::FeatureFinder;
use crate::cloth::impacts::impacts;
use crate::motion::KeyedMotion;
use crate::soup::Soup;
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "crossing",
    about: "cloths fly through each other edge on edge, at 2 to 200 m/s",
    steps: |_| 60,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

/// Seconds from frame to frame.
const STEP_SECONDS: f64 = 1.0 / 60.0;
/// Length of a sheet along the motion, and its width.
const LENGTH: f64 = 0.5;
const WIDTH: f64 = 0.6;
/// Between the leading edges at first: no edges meet just when a frame ends.
const GAP: f64 = 0.287;
const SPEEDS: [f64; 3] = [2.0, 20.0, 200.0];
/// Between two pairs of sheets.
const ROW: f64 = 1.0;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let triangles = match options.size {
        Size::Small => 400,
        Size::Paper => 4_000,
        Size::Large => 40_000,
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    let rows: Vec<[Mesh; 2]> = SPEEDS.iter().map(|_| sheets(triangles)).collect::<Result<_, _>>()?;
    let parts: Vec<&Mesh> = rows.iter().flatten().collect();
    let joint = Mesh::join(parts.iter().copied())?;
    let mut soup = Soup::of(&parts, options);
    let place = move |seconds: f64| -> Vec<DVec3> {
        let row = |(row, speed): (usize, &f64)| {
            let shift = |sign: f64| DVec3::new(sign * travel(*speed, seconds), 0.0, ROW * row as f64);
            let [a, b] = [&rows[row][0], &rows[row][1]].map(Mesh::positions);
            let moved = |sheet: &[DVec3], by: DVec3| sheet.iter().map(|p| *p + by).collect::<Vec<_>>();
            [moved(a, shift(0.5)), moved(b, shift(-0.5))].concat()
        };
        SPEEDS.iter().enumerate().flat_map(row).collect()
    };
    let mut finder = FeatureFinder::new(&joint, &Mesh::new(vec![], vec![])?);
    let mut before = place(0.0);
    let advance = move |step: usize, frame: &mut Frame| {
        if step == 0 {
            soup.note_all(frame);
        }
        let now = place(step as f64 * STEP_SECONDS);
        let met = frame.time("impacts", || impacts(&mut finder, &before, &now, |_| true));
        soup.look(&now, frame);
        frame.count("impacts", met.len() as f64);
        before = now;
        Ok(())
    };
    Ok(Run::new(steps, STEP_SECONDS, None, Box::new(advance)))
}

/// How far two sheets have come towards each other, until they have passed and stop.
fn travel(speed: f64, seconds: f64) -> f64 {
    (speed * seconds).min(GAP + 2.0 * LENGTH + GAP)
}

/// The sheets of a pair before they move: upright on the left, flat on the right. The line in which their planes meet passes
/// through no vertex.
fn sheets(triangles: usize) -> Result<[Mesh; 2], SceneError> {
    let (least, most) = (16, 4_000_000);
    if !(least..=most).contains(&triangles) {
        return Err(SceneError::BadSize { scene: "crossing", triangles, least, most });
    }
    let cells = (triangles as f64 / 4.0).sqrt().round().max(2.0) as usize;
    let flat = shapes::cloth_grid(cells, cells, [LENGTH, WIDTH]);
    // A third of a cell beside the middle, which may be a row of vertices.
    let beside = WIDTH / (3.0 * cells as f64);
    let middle = 0.5 * (LENGTH + GAP);
    let upright = |p: &DVec3| DVec3::new(p.x - middle, 0.0, p.y + beside);
    let level = |p: &DVec3| DVec3::new(p.x + middle, p.y - 0.7 * beside, 0.0);
    let left = Mesh::new(flat.positions().iter().map(upright).collect(), flat.triangles().to_vec())?;
    let right = Mesh::new(flat.positions().iter().map(level).collect(), flat.triangles().to_vec())?;
    Ok([left, right])
}

/// The motion of a pair of sheets that approach each other at a speed, one key per frame until they have passed.
pub(crate) fn keys(triangles: usize, speed: f64) -> Result<Vec<KeyedMotion>, SceneError> {
    if !(0.01..=10_000.0).contains(&speed) {
        return Err(SceneError::BadSpeed { speed });
    }
    let [left, right] = sheets(triangles)?;
    let way = GAP + 2.0 * LENGTH + GAP;
    let frames = ((way / (speed * STEP_SECONDS)).ceil() as usize).max(1);
    let times: Vec<f64> = (0..=frames).map(|k| k as f64 * STEP_SECONDS).collect();
    let body = |name, mesh: &Mesh, share: f64| {
        let at = |seconds: &f64| {
            let by = DVec3::X * (share * speed * seconds);
            mesh.positions().iter().map(|p| *p + by).collect()
        };
        KeyedMotion::new(name, mesh.triangles().to_vec(), times.clone(), times.iter().map(at).collect())
    };
    Ok(vec![body("upright", &left, 0.5)?, body("flat", &right, -0.5)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::Adjacency;
    use std::collections::BTreeSet;

    /// Where the edges of a sheet cross the line along x, as (ends, x).
    fn crossings(mesh: &Mesh, across: fn(DVec3) -> f64) -> Vec<([u32; 2], f64)> {
        let adjacency = Adjacency::build(mesh);
        let cross = |[a, b]: [u32; 2]| {
            let [p, q] = [a, b].map(|v| mesh.positions()[v as usize]);
            let (s, t) = (across(p), across(q));
            ((s < 0.0) != (t < 0.0)).then(|| ([a, b], p.x + (q.x - p.x) * s / (s - t)))
        };
        adjacency.edges().filter_map(|edge| cross(edge.ends)).collect()
    }

    #[test]
    fn every_crossing_is_found_at_every_speed() {
        for speed in [2.0, 5.0, 20.0, 73.0, 200.0] {
            let bodies = keys(400, speed).unwrap();
            let [left, right] = [0, 1].map(|k| bodies[k].mesh_at_key(0).unwrap());
            let shift = left.vertex_count() as u32;
            let mut expected = BTreeSet::new();
            for (a, x) in crossings(&left, |p| p.z) {
                for (b, y) in crossings(&right, |p| p.y) {
                    assert!(y > x);
                    expected.insert((a, b.map(|v| v + shift)));
                }
            }
            let mut finder = FeatureFinder::new(&left, &right);
            let joint = |key: usize| [bodies[0].keys()[key].clone(), bodies[1].keys()[key].clone()].concat();
            let mut found = BTreeSet::new();
            for key in 1..bodies[0].keys().len() {
                for impact in impacts(&mut finder, &joint(key - 1), &joint(key), |_| true) {
                    let [a, b, c, d] = impact.features.vertices();
                    let sorted = |a: u32, b: u32| [a.min(b), a.max(b)];
                    found.insert((sorted(a, b), sorted(c, d)));
                }
            }
            let expected: BTreeSet<_> = expected
                .into_iter()
                .map(|([a, b], [c, d])| ([a.min(b), a.max(b)], [c.min(d), c.max(d)]))
                .collect();
            assert!(expected.len() > 300);
            assert!(found == expected, "{} of {} at {speed} m/s", found.len(), expected.len());
        }
        assert_eq!(keys(400, 0.0), Err(SceneError::BadSpeed { speed: 0.0 }));
        assert!(keys(400, f64::NAN).is_err() && keys(3, 2.0).is_err());
    }

    #[test]
    fn fast_sheets_pass_between_two_frames() {
        let bodies = keys(400, 200.0).unwrap();
        let mut finder = fracas::Finder::default();
        for key in 0..bodies[0].keys().len() {
            let [left, right] = [0, 1].map(|k| bodies[k].mesh_at_key(key).unwrap());
            assert!(finder.find_pairs(&left, &right).is_empty());
        }
    }
}
