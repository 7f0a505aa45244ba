//! Two thousand parts on conveyor belts, and robots that sweep them aside; everything that touches is reported.
//!
//! ```text
//!    ○ ▢ ○ → → ○ ▢ ▢○▢▢│   Belts take parts along to a gate, where they queue. Robot arms swing over the belts on known
//!    ▢ ○  ╲ → ○ ▢ ○○▢▢○│   paths, and push parts out of their way.
//!          ╲ robot     gate
//! ```
//!
//! Parts stand on a belt, which drags them along by friction. Contacts, taken from the pairs of the report (`outlines`), move them (`impulses`): parts
//! bump into each other, rub, turn and jam. So a queue grows from the gate backwards, part by part. Parts do not topple.
//! Parts share four trees. Robots are bodies with plans. Sizes: 120 parts and 2 robots, 2,000 and 32, 8,000 and 128.

use crate::impulses::{GRAVITY, Rigid, advance};
use crate::outlines::contacts;
use crate::staged::{Stage, planned};
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::MeshTree;
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::internal::Random;
use fracas::mesh::{MassProperties, Mesh, TriangleId, shapes};
use fracas::world::{Ask, Body, BodyId};
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
/// Metres per second of a belt, and metres across it; a belt begins every metre.
const SPEED: f64 = 0.35;
const WIDTH: f64 = 0.8;
/// Parts stand in rows of four, this far from each other. Sixty of them have a robot in their middle, with room to swing.
const SPACING: f64 = 0.2;
const PARTS_PER_ROBOT: usize = 60;
const ROOM: f64 = 1.0;
/// Kilogrammes per cubic metre, friction on the belt, and how far from its middle a part rubs on it.
const DENSITY: f64 = 900.0;
const FRICTION: f64 = 0.2;
const FOOT: f64 = 0.03;

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (belts, parts): (usize, usize) = match options.size {
        Size::Small => (2, 60),
        Size::Paper => (8, 250),
        Size::Large => (16, 500),
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    let (mut stage, mut random) = (Stage::new(Ask::PAIRS, options), Random::new(7));
    // Parts; and of robots, where they stand and how far they are in their swing.
    let (mut line, mut robots) = (BTreeMap::<BodyId, Rigid>::new(), BTreeMap::<BodyId, (DVec3, f64)>::new());
    let kinds = kinds().map(|(mesh, mass)| (Arc::new(MeshTree::build(mesh)), mass));
    let stretch = SPACING * (PARTS_PER_ROBOT / 4) as f64 + ROOM;
    let length = stretch * parts.div_ceil(PARTS_PER_ROBOT) as f64;
    for belt in 0..belts {
        let middle = DVec3::Y * belt as f64;
        let side = DVec3::new(0.0, 0.5 * WIDTH + 0.04, 0.011);
        let rail = DVec3::new(length + 1.0, 0.06, 0.04);
        for (size, at) in [
            (rail.with_y(WIDTH), DVec3::Z * -0.03),
            (DVec3::new(0.05, WIDTH, 0.15), DVec3::new(0.5 * length + 0.15, 0.0, 0.08)),
            (rail, side),
            (rail, side.with_y(-side.y)),
        ] {
            let mesh = shapes::cuboid(size);
            let pose = Pose::from_translation(middle + at).expect("finite");
            stage.insert(Body::from(mesh.clone()).at(&pose), &mesh);
        }
        for k in 0..parts {
            let (tree, mass) = &kinds[(k * 7 + k / 4 + belt) % kinds.len()];
            let (row, robot) = (k / 4 % (PARTS_PER_ROBOT / 4), k / PARTS_PER_ROBOT);
            let cell = DVec3::new(row as f64 + 0.5, (k % 4) as f64 - 1.5, 0.0) * SPACING;
            let aside = DVec3::new(random.signed(), random.signed(), 0.0) * (0.12 * SPACING);
            let before = stretch * robot as f64 + if row < 8 { 0.0 } else { ROOM };
            let place = middle + cell + aside + DVec3::X * (before - 0.5 * length);
            let turn = DQuat::from_xyzw(0.0, 0.0, random.signed(), 0.5).normalize();
            let part = Rigid::upright(mass, DENSITY, turn, place);
            let body = Body::from(Arc::clone(tree)).at(&part.pose());
            line.insert(stage.insert(body, tree.mesh()), part);
        }
        for k in 0..parts / PARTS_PER_ROBOT {
            let along = k as f64 * stretch + 8.0 * SPACING + 0.5 * ROOM - 0.5 * length;
            let (post, phase) = (middle + DVec3::new(along, 0.25, 0.0), (belt + k) as f64);
            let arm = shapes::capsule(0.03, 0.48, 10);
            let swing = |seconds: f64, p: DVec3| post + swung(seconds, phase, p);
            let body = planned(&arm, steps.div_ceil(3) + 1, 3.0 * STEP_SECONDS, swing);
            robots.insert(stage.insert(body, &arm), (post, phase));
        }
    }
    let advance = move |step: usize, frame: &mut Frame| {
        if step > 0 {
            let seconds = STEP_SECONDS * step as f64;
            let motion = |id: BodyId, p: DVec3| match robots.get(&id) {
                Some((post, phase)) => (DVec3::Z * swing_rate(seconds, *phase)).cross(p - *post),
                None => DVec3::ZERO,
            };
            line.values_mut().for_each(drag);
            let found = contacts(&stage.world)?;
            frame.time("motion", || advance(&mut line, &found, motion, STEP_SECONDS));
            line.iter().try_for_each(|(id, part)| stage.world.set_pose(*id, &part.pose()))?;
        }
        stage.step(if step == 0 { 0.0 } else { STEP_SECONDS }, frame).map(drop)
    };
    Ok(Run::new(steps, STEP_SECONDS, None, Box::new(advance)))
}

/// Parts of four shapes that stand a millimetre above their belt, and what they weigh.
fn kinds() -> [(Mesh, MassProperties); 4] {
    let all = [
        shapes::cylinder(0.05, 0.06, 12),
        shapes::cuboid(DVec3::new(0.12, 0.07, 0.05)),
        shapes::torus(0.05, 0.02, 12),
        shapes::cylinder(0.035, 0.05, 6),
    ];
    all.map(|mesh| {
        let up = DVec3::Z * (-0.009 - mesh.bounds().min.z);
        let mesh = mesh.posed(&Pose::from_translation(up).expect("finite")).expect("a mesh");
        let triangles = (0..mesh.triangle_count() as u32).map(|t| mesh.triangle(TriangleId(t)));
        let mass = MassProperties::inside(triangles).expect("closed");
        (mesh, mass)
    })
}

/// The belt drags a part along and slows its spin, no harder than friction can.
fn drag(part: &mut Rigid) {
    let most = FRICTION * GRAVITY * STEP_SECONDS;
    part.velocity += (DVec3::X * SPEED - part.velocity).clamp_length_max(most);
    part.spin -= part.spin.clamp_length_max(most / FOOT);
}

/// A point of an arm that swings about the origin; the arm stands on end in its own coordinates.
fn swung(seconds: f64, phase: f64, p: DVec3) -> DVec3 {
    let angle = 0.9 * libm::sin(1.3 * seconds + phase) - 0.25 * TAU;
    let ahead = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
    let aside = DVec3::new(-ahead.y, ahead.x, 0.0);
    ahead * (p.z + 0.29) + aside * p.x + DVec3::Z * (p.y + 0.035)
}

/// How fast it swings, in radians per second.
fn swing_rate(seconds: f64, phase: f64) -> f64 {
    0.9 * 1.3 * libm::cos(1.3 * seconds + phase)
}
