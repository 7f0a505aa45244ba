//! A square cloth falls on a round table and drapes itself over the rim.
//!
//! Key poses are computed first, 25 a second, and nothing passes through anything between them
//! ([`motion`]). This is the scene with the heaviest deformation: flat cloth becomes folds.
//!
//! Sizes of the cloth: 2,000, 8,000 and 16,200 triangles.
//!
//! # Reference
//!
//! The tablecloth of G. Zachmann and R. Weller, *Kinetic bounding volume hierarchies for collision detection of deformable
//! objects*, Technical Report IfI-06-02, Clausthal University of Technology, 2006.

use crate::cloth::keyed::{KeyedCloth, KeyedOptions};
use crate::motion::{self, KeyedMotion};
use crate::{Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "tablecloth",
    about: "a cloth falls on a round table and folds over its rim",
    steps: |_| motion::FRAMES_PER_KEY * KEYS,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

/// Keys after the first.
pub(crate) const KEYS: usize = 50;
const SIDE: f64 = 1.5;
const HEIGHT: f64 = 0.74;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let triangles = match options.size {
        Size::Small => 2_000,
        Size::Paper => 8_000,
        Size::Large => 16_200,
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    let bodies = keys(triangles, motion::keys_for(steps))?;
    Ok(motion::play(&bodies, steps, Some(0.0), options))
}

/// The motion of the cloth and of the table, which rests, with this many keys after the first.
pub(crate) fn keys(triangles: usize, count: usize) -> Result<Vec<KeyedMotion>, SceneError> {
    let (least, most) = (200, 200_000);
    if !(least..=most).contains(&triangles) {
        return Err(SceneError::BadSize { scene: "tablecloth", triangles, least, most });
    }
    let (cloth, table) = (sheet(triangles), table());
    let mut solver =
        KeyedCloth::new(&cloth, &table, KeyedOptions { friction: 0.35, ..KeyedOptions::default() });
    let mut keys = vec![solver.key()];
    for _ in 0..count {
        keys.extend(solver.advance(table.positions())?);
    }
    motion::bodies(["cloth", "table"], [cloth.triangles(), table.triangles()], keys)
}

/// A square of cloth over the table, turned a little and not quite over its middle.
fn sheet(triangles: usize) -> Mesh {
    let cells = ((triangles as f64 / 2.0).sqrt().round() as usize).max(2);
    let flat = shapes::cloth_grid(cells, cells, [SIDE, SIDE]);
    let place = |p: &DVec3| {
        let turned = DVec3::new(0.96 * p.x - 0.28 * p.y, 0.28 * p.x + 0.96 * p.y, 0.0);
        let wave = 0.004 * libm::sin(9.0 * p.x + 2.0) * libm::cos(7.0 * p.y);
        turned + DVec3::new(0.03, 0.017, HEIGHT + 0.06 + 0.03 * p.x + wave)
    };
    let positions = flat.positions().iter().map(place).collect();
    Mesh::new(positions, flat.triangles().to_vec()).expect("it stays finite")
}

/// A round top with a rounded rim, on a column with a foot.
fn table() -> Mesh {
    let (radius, half) = (0.42, 0.018);
    let mut profile = vec![[0.0, 0.0], [0.12, 0.0], [0.24, 0.0], [0.25, 0.02], [0.12, 0.05], [0.04, 0.08]];
    profile.extend((1..6).map(|k| [0.035, 0.08 + 0.1 * f64::from(k)]));
    let under = HEIGHT - 2.0 * half;
    profile.extend([[0.05, under - 0.02], [0.12, under], [0.24, under], [0.34, under]]);
    for k in 0..=6 {
        let angle = std::f64::consts::PI * (f64::from(k) / 6.0 - 0.5);
        profile.push([radius - half + half * libm::cos(angle), HEIGHT - half + half * libm::sin(angle)]);
    }
    profile.extend((0..8).rev().map(|k| [0.05 * f64::from(k), HEIGHT]));
    shapes::surface_of_revolution(&profile, 72)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fracas::mesh::Report;

    #[test]
    fn the_table_is_closed_and_stands_on_the_ground() {
        let report = Report::of(&table());
        assert!(report.closed && report.oriented && report.volume.unwrap() > 0.01);
        let bounds = report.bounds.unwrap();
        assert!(bounds.min.z.abs() < 1e-9 && (bounds.max.z - HEIGHT).abs() < 1e-9);
    }
}
