//! A statue explodes: a charge inside it goes off, and its pieces fly apart, fall and come to rest.
//!
//! # Idea
//!
//! ```text
//!     ___            ◢ ◣
//!    /   \    ──▶   ◀ ✹ ▶     A blast gives each piece a push at its point nearest to the charge, away from it: the
//!    \___/           ◥ ◤      larger the piece and the nearer, the more. Pushed off its centre, a piece begins
//!   ───────       ─────────   to turn. From then on there is only gravity, contact and friction.
//! ```
//!
//! | size | triangles of the whole | pieces | their triangles, cracks included |
//! |---|---|---|---|
//! | small | 5,000 | about 12 | about 9,000 |
//! | paper | 137,000 | about 80 | about 252,000 |
//! | large | 500,000 | about 160 | about 1,000,000 |
//!
//! A mesh that was given keeps its triangles. It may touch itself along edges, as scans do; there it is taken apart (`parted`).
//!
//! # Reference
//!
//! After the exploding dragon of the UNC dynamic scene benchmarks, as used by R. Weller, N. Debowski and G. Zachmann,
//! *kDet: parallel constant time collision detection for polygonal objects*, Computer Graphics Forum, 2017.

use crate::cloth_statue::standing;
use crate::fragments::{Fragments, Piece};
use crate::run::breakable;
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::cut::scatter_sites;
use fracas::geom::{DVec3, Pose};
use fracas::mesh::{Mesh, shapes};

/// The scene.
pub const SCENE: Scene = Scene {
    name: "statue",
    about: "a horned animal, or your mesh, explodes; its pieces fly apart and come to rest",
    steps: |_| 240,
    takes_mesh: true,
    takes_pieces: false,
    begin,
};

const STEP_SECONDS: f64 = 1.0 / 60.0;
/// The step in which the charge goes off.
const BLAST: usize = 8;
/// The push on a piece of unit area at unit distance, for a density of 1.
const STRENGTH: f64 = 0.03;
const SEED: u64 = 11;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (triangles, pieces) = match options.size {
        Size::Small => (5_000, 12),
        Size::Paper => (137_000, 80),
        Size::Large => (500_000, 160),
    };
    let mesh = match &options.mesh {
        Some(mesh) => standing(&breakable(mesh)?)?,
        None => standing(&shapes::creature(triangles))?,
    };
    let still = [DVec3::ZERO; 2];
    let nothing = Mesh::new(Vec::new(), Vec::new()).expect("nothing is wrong with nothing");
    let mut body = Fragments::new(&mesh, &Pose::IDENTITY, still, nothing, STEP_SECONDS, options)?;
    let advance = move |step: usize, frame: &mut Frame| {
        frame.time("cut", || ());
        if step == BLAST {
            let sites = scatter_sites(&body.rest, pieces, SEED);
            // In the site nearest to the middle, which is inside the body for certain.
            let middle = sites.iter().sum::<DVec3>() / sites.len() as f64;
            let nearer = |a: &&DVec3, b: &&DVec3| a.distance(middle).total_cmp(&b.distance(middle));
            let charge = body.world.pose(0).apply(*sites.iter().min_by(nearer).unwrap_or(&middle));
            body.shatter(&sites, &|piece| pushed(piece, charge), frame)?;
        }
        if step > 0 {
            frame.time("physics", || body.world.step());
        }
        body.look(frame);
        Ok(())
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(Run::new(steps, STEP_SECONDS, Some(0.0), Box::new(advance)))
}

/// What the blast does to a piece.
fn pushed(piece: &Piece, charge: DVec3) -> [DVec3; 2] {
    let nearer = |a: &&DVec3, b: &&DVec3| a.distance(charge).total_cmp(&b.distance(charge));
    let Some(&hit) = piece.points.iter().min_by(nearer) else { return [DVec3::ZERO; 2] };
    // The piece around the charge is pushed from its middle.
    let away = (hit - charge).normalize_or((piece.centre - charge).normalize_or(DVec3::Z));
    let area = libm::cbrt(piece.mass * piece.mass);
    let distance = hit.distance(charge).max(0.1);
    let push = away * (STRENGTH * area / (distance * distance));
    // A splinter next to the charge would leave the scene.
    let faster = (push / piece.mass).clamp_length_max(4.0);
    let push = faster * piece.mass;
    let turn = piece.spin_per_torque * (hit - piece.centre).cross(push);
    [faster, turn.clamp_length_max(20.0)]
}
