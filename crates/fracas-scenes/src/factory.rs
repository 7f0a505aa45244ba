//! Two thousand parts on conveyor belts, and robots that sweep them aside; everything that touches is reported.
//!
//! ```text
//!    ○ ▢ ○ → → ○ ▢ ▢○▢▢│   Belts take parts along to a gate, where they queue. Robot arms swing over the belts on known
//!    ▢ ○  ╲ → ○ ▢ ○○▢▢○│   paths, and push parts out of their way.
//!          ╲ robot     gate
//! ```
//!
//! The report moves parts: one that crosses something leaves it, and stands still if that is ahead. So a queue grows from the gate backwards,
//! part by part.
//!
//! Parts share four trees. Robots are bodies with plans. Low rails keep parts on their belt. Sizes: 120 parts and 2 robots, 2,000 and 32, 8,000 and 128.

use crate::staged::{Stage, planned};
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::internal::Random;
use fracas::mesh::{Mesh, shapes};
use fracas::world::{Ask, Body, BodyId, World};
use fracas::{MeshTree, Pair};
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::Arc;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "factory",
    about: "2,000 parts on conveyor belts, swept aside by robots on known paths",
    steps: |_| 150,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

const STEP_SECONDS: f64 = 1.0 / 30.0;
/// Metres per second, metres across a belt, and from belt to belt.
const SPEED: f64 = 0.35;
const WIDTH: f64 = 0.8;
const BELTS_APART: f64 = 1.0;
/// Parts for each metre of a belt, and for each robot.
const PARTS_PER_METRE: usize = 20;
const PARTS_PER_ROBOT: usize = 60;
/// How far a part leaves what it crosses, in a step.
const PUSH: f64 = 0.006;

/// A part on a belt.
struct Part {
    place: DVec3,
    turn: DQuat,
}

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (belts, parts) = match options.size {
        Size::Small => (2, 60),
        Size::Paper => (8, 250),
        Size::Large => (16, 500),
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    let (mut stage, mut random) = (Stage::new(Ask::PAIRS, options), Random::new(7));
    let mut line: BTreeMap<BodyId, Part> = BTreeMap::new();
    let kinds = kinds().map(|mesh| Arc::new(MeshTree::build(mesh)));
    let length = parts as f64 / PARTS_PER_METRE as f64;
    for belt in 0..belts {
        let middle = DVec3::Y * (BELTS_APART * belt as f64);
        let side = DVec3::new(0.0, 0.5 * WIDTH + 0.02, -0.0035);
        for (size, at) in [
            ([length + 1.0, WIDTH, 0.04], DVec3::Z * -0.03),
            ([0.05, WIDTH + 0.1, 0.15], DVec3::new(0.5 * length + 0.15, 0.0, 0.08)),
            ([length + 1.0, 0.02, 0.011], side),
            ([length + 1.0, 0.02, 0.011], side * DVec3::new(1.0, -1.0, 1.0)),
        ] {
            let mesh = shapes::cuboid(DVec3::from_array(size));
            let pose = Pose::from_translation(middle + at).expect("finite");
            stage.insert(Body::from(mesh.clone()).at(&pose), &mesh);
        }
        for k in 0..parts {
            let tree = &kinds[(k * 7 + belt) % kinds.len()];
            let x = ((k as f64 + 0.5 * random.signed()) / PARTS_PER_METRE as f64) - 0.5 * length;
            let place = middle + DVec3::new(x, 0.8 * (0.5 * WIDTH) * random.signed(), 0.0);
            let part = Part { place, turn: DQuat::from_xyzw(0.0, 0.0, random.signed(), 0.5).normalize() };
            let body = Body::from(Arc::clone(tree)).at(&pose_of(&part));
            line.insert(stage.insert(body, tree.mesh()), part);
        }
        for k in 0..parts / PARTS_PER_ROBOT {
            let along = (k as f64 + 0.5) * (PARTS_PER_ROBOT / PARTS_PER_METRE) as f64 - 0.5 * length;
            let (post, arm) = (middle + DVec3::new(along, 0.5, 0.0), shapes::capsule(0.03, 0.6, 10));
            let swing = |seconds: f64, p: DVec3| post + swung(seconds, (belt + k) as f64, p);
            stage.insert(planned(&arm, steps.div_ceil(3) + 1, 3.0 * STEP_SECONDS, swing), &arm);
        }
    }
    let advance = move |step: usize, frame: &mut Frame| {
        if step > 0 {
            frame.time("motion", || move_parts(&mut line, &stage.world))?;
            line.iter().try_for_each(|(id, part)| stage.world.set_pose(*id, &pose_of(part)))?;
        }
        stage.step(if step == 0 { 0.0 } else { STEP_SECONDS }, frame)?;
        Ok(())
    };
    Ok(Run::new(steps, STEP_SECONDS, None, Box::new(advance)))
}

/// Parts of four shapes that lie a millimetre above their belt.
fn kinds() -> [Mesh; 4] {
    let all = [
        shapes::cylinder(0.05, 0.06, 12),
        shapes::cuboid(DVec3::new(0.12, 0.07, 0.05)),
        shapes::torus(0.05, 0.02, 12),
        shapes::cylinder(0.035, 0.05, 6),
    ];
    all.map(|mesh| {
        let up = DVec3::Z * (-0.009 - mesh.bounds().min.z);
        mesh.posed(&Pose::from_translation(up).expect("finite")).expect("a mesh")
    })
}

fn pose_of(part: &Part) -> Pose {
    Pose::new(part.turn, part.place).expect("finite")
}

/// A point of an arm that swings about the origin; the arm stands on end in its own coordinates.
fn swung(seconds: f64, phase: f64, p: DVec3) -> DVec3 {
    let angle = 0.9 * libm::sin(1.3 * seconds + phase) - 0.25 * TAU;
    let ahead = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
    let aside = DVec3::new(-ahead.y, ahead.x, 0.0);
    ahead * (p.z + 0.35) + aside * p.x + DVec3::Z * (p.y + 0.035)
}

/// Belts take parts along that nothing is ahead of. A part that crosses something leaves it: from where it crosses towards its own middle.
fn move_parts(line: &mut BTreeMap<BodyId, Part>, world: &World) -> Result<(), SceneError> {
    let mut pushes: BTreeMap<BodyId, (DVec3, bool)> = BTreeMap::new();
    for meeting in world.report().meetings() {
        for (side, id) in meeting.bodies.into_iter().enumerate() {
            let Some(part) = line.get(&id) else { continue };
            let view = world.view(id)?;
            let middle = |pair: &Pair| view.triangle([pair.a, pair.b][side]).centroid();
            let crossing = meeting.pairs.iter().map(middle).sum::<DVec3>() / meeting.pairs.len() as f64;
            let way = ((part.place - crossing) * DVec3::new(1.0, 1.0, 0.0)).normalize_or_zero();
            let (push, is_blocked) = pushes.entry(id).or_default();
            *push += way * PUSH;
            *is_blocked |= way.x < -0.5;
        }
    }
    for (id, part) in line {
        let (push, is_blocked) = pushes.get(id).copied().unwrap_or_default();
        let along = if is_blocked { 0.0 } else { SPEED * STEP_SECONDS };
        part.place += DVec3::X * along + push.clamp_length_max(2.0 * PUSH);
    }
    Ok(())
}
