//! Two of Chazelle's polyhedra pass through each other: the worst case for pairs.
//!
//! # Idea
//!
//! A block with *n* notches from above and as many, crosswise, from below has the edges of its notches on a saddle. A
//! second one, turned by a quarter, comes down on the first and passes through it on rails; nothing resists. Where the
//! notches of both cross, *n* of one meet *n* of the other, so pairs grow with the square of the triangles.
//!
//! Sizes: 2 × 1,452, 2 × 4,812 and 2 × 24,012 triangles.
//!
//! # Reference
//!
//! B. Chazelle, *Convex partitions of polyhedra: a lower bound and worst-case optimal algorithm*, SIAM Journal on
//! Computing, 1984.

use crate::soup::Soup;
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "chazelle",
    about: "two polyhedra with many notches pass through each other: pairs grow with the square of triangles",
    steps: |_| 120,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let notches = match options.size {
        Size::Small => 12,
        Size::Paper => 100,
        Size::Large => 500,
    };
    let lower = unit(&shapes::chazelle(notches));
    // Another turn and place, so that no edges of the two lie on each other.
    let upper: Vec<DVec3> = lower
        .positions()
        .iter()
        .map(|p| DVec3::new(0.137 / notches as f64 - p.y, p.x + 0.291 / notches as f64, p.z))
        .collect();
    let second = Mesh::new(upper.clone(), lower.triangles().to_vec()).expect("positions are finite");
    let mut soup = Soup::of(&[&lower, &second], options);
    let fixed = lower.positions().to_vec();
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    let advance = move |step: usize, frame: &mut Frame| {
        if step == 0 {
            soup.note_all(frame);
        }
        let height = 1.25 - 2.5 * step as f64 / steps as f64;
        let mut positions = fixed.clone();
        frame.time("physics", || positions.extend(upper.iter().map(|p| *p + DVec3::Z * height)));
        soup.look(&positions, frame);
        Ok(())
    };
    Ok(Run::new(steps, 1.0 / 30.0, None, Box::new(advance)))
}

/// The block with sides of length one.
fn unit(mesh: &Mesh) -> Mesh {
    let (low, high) = mesh.bounds().corners();
    let positions = mesh.positions().iter().map(|p| *p / (high - low)).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).expect("positions are finite")
}
