//! Cuts a ball in two, step by step, and prints what each step does to its mesh.
//!
//! `cargo run --release -p fracas --example cut`

use fracas::cut::{CutOptions, CutSurface, Cutter};
use fracas::geom::DVec3;
use fracas::mesh::{LiveMesh, Report, shapes};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut ball = LiveMesh::new(shapes::icosphere(1.0, 5));
    // A plane through the ball; the front advances along x.
    let plane = CutSurface::plane(DVec3::splat(0.05), DVec3::new(0.1, 0.2, 1.0), DVec3::X)?;
    let mut cutter = Cutter::new(&ball, &plane, &CutOptions::default())?;
    let [from, to] = cutter.range().ok_or("the plane misses the ball")?;

    println!("step  removed  replaced  crack  triangles  parts  closed");
    for step in 1..=8 {
        let front = from + (to - from) * f64::from(step) / 8.0;
        let edit = cutter.advance_to(&ball, if step == 8 { f64::INFINITY } else { front })?;
        ball.apply(&edit)?;

        let (replaced, crack) = edit.added_counts();
        let (triangles, removed) = (ball.live_count(), edit.removed.len());
        let Report { components, closed, .. } = Report::of(&ball.to_mesh().0);
        println!("{step:4}  {removed:7}  {replaced:8}  {crack:5}  {triangles:9}  {components:5}  {closed}");
    }
    Ok(())
}
