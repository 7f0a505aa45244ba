//! A scalpel opens a soft body step by step, and two retractors hold the wound open; the body collides with them and with itself.
//!
//! # Idea
//!
//! ```text
//!    held ▓▓▓▓▓▓▓│▓▓▓▓▓▓▓ held     The body is under tension between its held sides, so a cut gapes by itself. The scalpel goes along a
//!         ▓▓▓▓▓▓▓│▓▓▓▓▓▓▓          known path; while the report says that it is in the body, the cut reaches to its edge.
//!              scalpel
//! ```
//!
//! The body is a lattice that its surface follows (`lattice`). Scalpel and retractors are bodies with plans. Features that the report finds near hold the
//! surface off instruments and off itself. Sizes: 1,280, 8,000 and 32,000 triangles at the beginning.

use crate::lattice::{Lattice, Parting};
use crate::slit::Slit;
use crate::soft::{Motion, advance};
use crate::staged::{Stage, planned};
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::cut::{CutOptions, CutSurface};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, MeshEdit, shapes};
use fracas::world::{Ask, Body};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "surgery",
    about: "a scalpel opens a soft body step by step, and retractors hold the wound open",
    steps: |_| 180,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

const STEP_SECONDS: f64 = 1.0 / 60.0;
/// Half the body, in decimetres, and how much of its width is held on either side.
const HALF: DVec3 = DVec3::new(1.0, 0.7, 0.35);
const HELD: f64 = 0.5;
/// How much shorter links across the cut would be without tension.
const TENSION: f64 = 0.12;
/// Decimetres per second of the scalpel, and where its cut ends.
const SPEED: f64 = 0.7;
const CUT_END: f64 = 0.45;
/// The scalpel goes so, leaning; the cut's front is square to it.
const AHEAD: DVec3 = DVec3::new(0.96, 0.0, -0.28);
const UP: DVec3 = DVec3::new(0.28, 0.0, 0.96);

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (frequency, spacing) = match options.size {
        Size::Small => (8, 0.2),
        Size::Paper => (20, 0.14),
        Size::Large => (40, 0.1),
    };
    let ball = shapes::geodesic_sphere(1.0, frequency);
    let positions = ball.positions().iter().map(|p| *p * HALF).collect();
    let mesh = Mesh::new(positions, ball.triangles().to_vec()).expect("an ellipsoid");
    let mut lattice =
        Lattice::new(HALF + spacing, spacing, 2e-5, |p| (p / (HALF + 0.4 * spacing)).length_squared() < 1.0);
    for point in &mut lattice.points {
        point.mobility = f64::from(u8::from(point.position.y.abs() < HELD));
    }
    let rest = lattice.rest.clone();
    for (link, _) in &mut lattice.links {
        let way = (rest[link.ends[1] as usize] - rest[link.ends[0] as usize]).normalize();
        link.length *= 1.0 - TENSION * way.y.abs();
    }
    let surface = CutSurface::plane(DVec3::ZERO, DVec3::Y, AHEAD)?;
    let mut slit = Slit::new(mesh.clone(), &surface, &CutOptions { end: CUT_END, ..CutOptions::default() })?;
    lattice.part(&slit.rest, &[parting(f64::NEG_INFINITY)]);
    let reach = 0.15 / f64::from(frequency);
    let ask = Ask { near: Some(reach), ..Ask::PAIRS };
    let mut stage = Stage::new(ask, options);
    let body = Body::from(mesh.clone()).asking_itself(ask);
    let body = stage.insert(body, &mesh);
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    let tools = [scalpel(), retractor(-1.0), retractor(1.0)].map(|(mesh, path)| {
        stage.insert(planned(&mesh, steps / 2 + 2, 2.0 * STEP_SECONDS, |t, p| p + path(t)), &mesh)
    });
    let advance = move |step: usize, frame: &mut Frame| {
        if step > 0 {
            let edit = frame.time("motion", || -> Result<MeshEdit, SceneError> {
                let front = edge_of_scalpel(STEP_SECONDS * step as f64).min(CUT_END);
                let now = lattice.carry(&slit.rest);
                let pushes = lattice.on_points(stage.pushes(body, reach)?, &now);
                let report = stage.world.report();
                let is_inside = report.meeting(body, tools[0]).is_some();
                let edit = if is_inside { slit.advance_to(front)?.0 } else { MeshEdit::default() };
                if !edit.is_empty() {
                    lattice.part(&slit.rest, &[parting(front)]);
                }
                let motion = Motion { substeps: 12, drag: 4.0, farthest: 0.02, push: 0.1 * reach };
                let weight = vec![DVec3::Z * -2.0; lattice.points.len()];
                advance(&mut lattice.points, &lattice.links, &pushes, &weight, STEP_SECONDS, &motion);
                Ok(edit)
            })?;
            let positions = lattice.carry(&slit.rest);
            if !edit.is_empty() {
                let first = positions.len() - edit.new_positions.len();
                stage.edit(
                    body,
                    &MeshEdit { new_positions: positions[first..].to_vec(), moved: vec![], ..edit },
                )?;
            }
            stage.world.set_positions(body, &positions)?;
        }
        stage.step(if step == 0 { 0.0 } else { STEP_SECONDS }, frame)?;
        Ok(())
    };
    Ok(Run::new(steps, STEP_SECONDS, None, Box::new(advance)))
}

/// The plane of the cut, up to its front.
fn parting(front: f64) -> Parting {
    Parting { origin: DVec3::ZERO, normal: DVec3::Y, ahead: AHEAD, start: f64::NEG_INFINITY, front }
}

/// A tool at rest, and where it is at a time.
type Path = Box<dyn Fn(f64) -> DVec3>;

/// How far the edge of the scalpel has come.
fn edge_of_scalpel(seconds: f64) -> f64 {
    (-1.3 + SPEED * seconds).min(CUT_END)
}

/// A thin blade that leans, with its edge ahead; it leaves upward at the end.
fn scalpel() -> (Mesh, Path) {
    let blade = shapes::brick(DVec3::new(0.12, 0.012, 1.4), 0.1);
    let lean = |p: &DVec3| AHEAD * (p.x - 0.06) + DVec3::Y * p.y + UP * p.z;
    let positions = blade.positions().iter().map(lean).collect();
    let mesh = Mesh::new(positions, blade.triangles().to_vec()).expect("a blade");
    let path = |seconds: f64| {
        let over = (-1.3 + SPEED * seconds - CUT_END).max(0.0);
        AHEAD * edge_of_scalpel(seconds) + UP * (0.15 + 2.0 * over)
    };
    (mesh, Box::new(path))
}

/// A rod that comes down into the wound behind the scalpel, and pulls its lip aside.
fn retractor(side: f64) -> (Mesh, Path) {
    let path = move |seconds: f64| {
        let down = (1.2 - 0.8 * (seconds - 1.2).max(0.0)).max(0.32);
        let aside = 0.04 + 0.18 * (seconds - 2.3).clamp(0.0, 1.0);
        DVec3::new(-0.55 + 0.12 * side, side * aside, down)
    };
    (shapes::capsule(0.03, 0.7, 12), Box::new(path))
}
