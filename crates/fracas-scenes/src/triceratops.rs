//! A horned animal parted by a plane, step by step, its vertices still: the sizes of the paper's Table 1.
//!
//! # Idea
//!
//! The front of one plane advances through the body in steps of equal width (11 unless told otherwise). Each step is one
//! [`MeshEdit`], which the tree follows; then all triangles that pass through each other are
//! sought. The two faces of the crack lie in one place, which is touching, not passing through: there are no pairs
//! unless the mesh had them before.
//!
//! | size | triangles | of a mesh that was given |
//! |---|---|---|
//! | small | 5,660 | as it is |
//! | paper | 22,640 | every triangle cut into 4 |
//! | large | 90,560 | every triangle cut into 16 |

use crate::edits::{Cracks, note_all};
use crate::run::{count_body, fragments_of, require_closed};
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::cut::{CutOptions, CutSurface, Cutter};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, MeshEdit, shapes};
use fracas::pairs::Touch;
use fracas::{Finder, TearingBody};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "triceratops",
    about: "a horned animal, or your mesh, is parted by a plane in 11 steps; vertices stay where they are",
    steps: |_| 11,
    takes_mesh: true,
    takes_pieces: false,
    begin,
};

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (mesh, plane) = match &options.mesh {
        None => (shapes::creature(triangles(options.size)), plane_through_the_creature()?),
        Some(mesh) => {
            require_closed(mesh)?;
            (subdivided(mesh, options.size)?, plane_through(mesh)?)
        }
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    let mut body = TearingBody::build(mesh);
    body.reserve(body.mesh().slot_count() / 4, body.mesh().vertex_count() / 4);
    let mut cracks = Cracks::none(body.mesh());
    let mut cutter = Cutter::new(body.mesh(), &plane, &CutOptions::default())?;
    let [from, to] = cutter.range().unwrap_or([0.0; 2]);
    let mut finder = Finder::new(options.find(Touch::Proper));
    let boxes = options.boxes;
    let advance = move |step: usize, frame: &mut Frame| {
        let mut edit = MeshEdit::default();
        if step == 0 {
            note_all(frame, body.mesh());
        } else {
            let front = if step == steps { to } else { from + (to - from) * step as f64 / steps as f64 };
            edit = frame.time("cut", || cutter.advance_to(body.mesh(), front))?;
            cracks.note_edit(frame, body.mesh(), &edit);
        }
        frame.time("edit", || body.apply(&edit)).expect("the cutter was given this very mesh");
        frame.pairs = frame.time("query", || finder.find_self_pairs(&body).to_vec());
        frame.positions = body.mesh().positions().to_vec();
        frame.fragments = fragments_of(&body);
        frame.boxes = body.boxes(boxes);
        count_body(frame, &body);
        Ok(())
    };
    Ok(Run::new(steps, 0.5, None, Box::new(advance)))
}

fn triangles(size: Size) -> usize {
    match size {
        Size::Small => 5_660,
        Size::Paper => 22_640,
        Size::Large => 90_560,
    }
}

/// The plane that cuts about as many triangles of the creature as the paper's cuts of its triceratops.
fn plane_through_the_creature() -> Result<CutSurface, SceneError> {
    Ok(CutSurface::plane(DVec3::new(0.0, 0.0, 0.65), DVec3::new(1.0, 0.6, 0.6), DVec3::X)?)
}

/// A slanted plane through the middle of a mesh, across its longest side.
fn plane_through(mesh: &Mesh) -> Result<CutSurface, SceneError> {
    let (low, high) = mesh.bounds().corners();
    let sides = (0.5 * high - 0.5 * low).to_array();
    let mut axes = [0, 1, 2];
    axes.sort_by(|&i, &j| sides[j].total_cmp(&sides[i]));
    let along = DVec3::AXES[axes[0]];
    let normal = along + 0.6 * DVec3::AXES[axes[1]] + 0.6 * DVec3::AXES[axes[2]];
    Ok(CutSurface::plane(0.5 * low + 0.5 * high, normal, along)?)
}

fn subdivided(mesh: &Mesh, size: Size) -> Result<Mesh, SceneError> {
    let too_large = |_| SceneError::TooLarge { triangles: mesh.triangle_count() };
    match size {
        Size::Small => Ok(mesh.clone()),
        Size::Paper => mesh.subdivided().map_err(too_large),
        Size::Large => mesh.subdivided().and_then(|mesh| mesh.subdivided()).map_err(too_large),
    }
}
