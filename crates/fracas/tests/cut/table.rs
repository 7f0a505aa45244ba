//! The sizes of the paper's Table 1: a horned animal at three resolutions, split in 11 steps.

use crate::check::History;
use fracas::cut::{CutOptions, CutSurface, Cutter};
use fracas::geom::DVec3;
use fracas::mesh::{LiveMesh, shapes};

/// Prints the table; `--nocapture` shows it. The plane is chosen so that about as many triangles are cut as in the
/// paper. How many triangles make up the crack is then up to the cutter.
#[test]
fn steps_are_of_the_size_of_those_in_the_paper() {
    println!("              T_old         T_decomp        T_crack        renamed");
    println!("triangles  paper  ours   paper   ours   paper   ours          ours");
    for (triangles, old, decomposed, crack) in
        [(5_660, 16.27, 49.0, 62.0), (22_640, 29.73, 89.36, 125.09), (90_560, 57.45, 172.55, 248.55)]
    {
        let mesh = shapes::creature(triangles);
        let plane =
            CutSurface::plane(DVec3::new(0.0, 0.0, 0.65), DVec3::new(1.0, 0.6, 0.6), DVec3::X).unwrap();
        let mut live = LiveMesh::new(mesh.clone());
        let mut cutter = Cutter::new(&live, &plane, &CutOptions::default()).unwrap();
        let mut history = History::new(&mesh, &plane, CutOptions::default().clearance);
        let [from, to] = cutter.range().unwrap();
        let mut counts = [0; 4];
        for step in 1..=11 {
            let front = if step == 11 { to } else { from + (to - from) * f64::from(step) / 11.0 };
            let edit = cutter.advance_to(&live, front).unwrap();
            live.apply(&edit).unwrap();
            let is_renamed = |id: &&fracas::TriangleId| id.index() >= mesh.triangle_count();
            let renamed = edit.removed.iter().filter(is_renamed).count();
            let (replacing, cracked) = edit.added_counts();
            // A triangle that is divided in two steps counts twice; one that only gets other corners, not at all.
            let now = [edit.removed.len() - renamed, replacing - renamed, cracked, renamed];
            counts = [0, 1, 2, 3].map(|k| counts[k] + now[k]);
            history.check(&live, edit);
        }
        assert!(cutter.is_finished());
        let [ours_old, ours_decomposed, ours_crack, renamed] = counts.map(|count| count as f64 / 11.0);
        println!(
            "{:9} {old:6.2} {ours_old:5.1}  {decomposed:6.2}  {ours_decomposed:5.1}  {crack:6.2}  {ours_crack:5.1}  {renamed:12.1}",
            mesh.triangle_count()
        );
        assert!((ours_old / old - 1.0).abs() < 0.25, "{ours_old} triangles cut per step");
        assert!((ours_crack / crack - 1.0).abs() < 0.35, "{ours_crack} crack triangles per step");
        assert!((ours_decomposed / ours_old - 3.0).abs() < 0.5);
    }
}
