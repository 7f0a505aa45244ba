//! People walk through walls, which break before them; the pieces fall, hit each other and break again.
//!
//! # Idea
//!
//! ```text
//!      people: bones ──▶ skinned bodies ─┐
//!      walls: fragments of brittle bodies ├─▶ World ──▶ contacts ──▶ impulses ──▶ blows ──▶ cracks ──▶ World::split
//!      ground ────────────────────────────┘
//! ```
//!
//! People follow their bones and walk on, whatever is in their way; they push with the speed at which they walk. The contacts of the report move the
//! pieces (`impulses`). A blow that is hard enough for the material breaks a piece by the machinery of [`fracas::fracture`].
//!
//! Frames have contacts and no pairs: pieces rest on each other in many triangles. Sizes: 1 person and 1 wall, 3 and 3, 6 and 6.

use crate::figure::Figure;
use crate::impulses::{Blow, Rigid, advance, contacts_of};
use crate::lumps::block;
use crate::staged::Stage;
use crate::{Frame, Run, Scene, SceneError, SceneOptions, Size};
use fracas::fracture::{Breakable, FractureOptions, Impact, Material, Relabelling};
use fracas::geom::{DAffine3, DQuat, DVec3, Pose};
use fracas::mesh::shapes;
use fracas::world::{Ask, Body, BodyId, World};
use fracas::{SkinOptions, SkinnedBody};
use std::collections::BTreeMap;

/// The scene.
pub const SCENE: Scene = Scene {
    name: "rubble",
    about: "people walk through walls, which break before them",
    steps: |_| 160,
    takes_mesh: false,
    takes_pieces: false,
    begin,
};

const STEP_SECONDS: f64 = 1.0 / 60.0;
/// Metres per second of people.
const SPEED: f64 = 1.4;
/// A wall, in metres, and metres from lane to lane.
const WALL: DVec3 = DVec3::new(1.3, 0.16, 1.7);
const LANE: f64 = 1.6;
/// Plaster, which breaks where a person walks into it.
const PLASTER: Material = Material { density: 900.0, strength: 3e5, toughness: 3.0, ..Material::BRICK };
/// So often a piece may break, with the pieces it came from.
const GENERATIONS: u32 = 2;

/// A person, and when and where it began to walk.
struct Walker {
    id: BodyId,
    figure: Figure,
    begin: DVec3,
    phase: f64,
}

fn begin(options: &SceneOptions) -> Result<Run, SceneError> {
    let (lanes, triangles, cells) = match options.size {
        Size::Small => (1, 2_000, [6, 1, 8]),
        Size::Paper => (3, 8_000, [10, 2, 13]),
        Size::Large => (6, 20_000, [14, 2, 18]),
    };
    let mut stage = Stage::new(Ask::CONTACTS, options);
    let ground = shapes::cuboid(DVec3::new(LANE * f64::from(lanes) + 2.0, 8.0, 0.2));
    let below = Pose::from_translation(DVec3::new(0.0, 1.0, -0.1)).expect("finite");
    stage.insert(Body::from(ground.clone()).at(&below), &ground);
    let solid = block(WALL, cells)?;
    let mut pieces: BTreeMap<BodyId, (Rigid, u32)> = BTreeMap::new();
    let mut walkers = vec![];
    for lane in 0..lanes {
        let across = DVec3::X * (LANE * (f64::from(lane) - 0.5 * f64::from(lanes - 1)));
        let place = across + DVec3::Z * (0.5 * WALL.z) + DVec3::Y * (0.4 * f64::from(lane % 2));
        for id in stage.insert_brittle(&solid, &Pose::from_translation(place).expect("finite"))? {
            let (body, fragment) = stage.world.brittle(id)?;
            let mass = body.fragment(fragment).map_err(SceneError::Solid)?.mass();
            pieces.insert(id, (Rigid::new(mass, PLASTER.density, DQuat::IDENTITY, place), 0));
        }
        let figure = if lane % 2 == 0 { Figure::man(triangles) } else { Figure::woman(triangles) };
        let body = SkinnedBody::new(figure.skin(), &SkinOptions::default())?;
        let rest = body.skin().rest().clone();
        let id = stage.insert(body, &rest);
        let begin = across - DVec3::Y * (0.9 + 0.3 * f64::from(lane % 3));
        walkers.push(Walker { id, figure, begin, phase: 0.4 * f64::from(lane) });
    }
    let advance = move |step: usize, frame: &mut Frame| {
        let seconds = STEP_SECONDS * step as f64;
        let mut fractures = 0;
        if step > 0 {
            let mut rigid: BTreeMap<BodyId, Rigid> =
                pieces.iter().map(|(id, (body, _))| (*id, body.clone())).collect();
            let motion = |id: BodyId, _: DVec3| {
                if walkers.iter().any(|walker| walker.id == id) { DVec3::Y * SPEED } else { DVec3::ZERO }
            };
            let contacts = contacts_of(stage.world.report());
            let blows = frame.time("motion", || advance(&mut rigid, &contacts, motion, STEP_SECONDS));
            rigid.into_iter().for_each(|(id, body)| pieces.get_mut(&id).expect("one of them").0 = body);
            for (id, (body, _)) in &pieces {
                stage.world.set_pose(*id, &body.pose())?;
            }
            for (id, blow) in blows {
                let generation = pieces[&id].1;
                if generation >= GENERATIONS {
                    continue;
                }
                let Some(labels) = labels(&stage.world, id, &blow)? else { continue };
                let broken = stage.split(id, &labels)?;
                if broken != [id] {
                    fractures += 1;
                    let (whole, _) = pieces.remove(&id).expect("one of them");
                    for piece in broken {
                        let (body, fragment) = stage.world.brittle(piece)?;
                        let mass = body.fragment(fragment).map_err(SceneError::Solid)?.mass();
                        pieces.insert(piece, (whole.piece(mass, PLASTER.density), generation + 1));
                    }
                }
            }
        }
        for Walker { id, figure, begin, phase } in &walkers {
            let place = DAffine3::from_translation(*begin + DVec3::Y * (SPEED * seconds));
            let bones: Vec<DAffine3> =
                figure.bones(1.0 + phase + seconds).into_iter().map(|bone| place * bone).collect();
            stage.world.set_transforms(*id, &bones)?;
        }
        stage.step(STEP_SECONDS, frame)?;
        frame.count("fractures", f64::from(fractures));
        Ok(())
    };
    let steps = options.steps.unwrap_or((SCENE.steps)(options.size));
    Ok(Run::new(steps, STEP_SECONDS, Some(0.0), Box::new(advance)))
}

/// What a blow does to a piece; `None` if it withstands.
fn labels(world: &World, id: BodyId, blow: &Blow) -> Result<Option<Relabelling>, SceneError> {
    let (body, fragment) = world.brittle(id)?;
    let (known, solid) = (body.fragment(fragment).map_err(SceneError::Solid)?, body.solid());
    let (nodes, volume) = (known.nodes(), known.mass().volume);
    let part = Breakable { mesh: solid.mesh(), adjacency: solid.adjacency(), nodes, volume };
    let back = world.pose(id)?.inverse();
    let impact = Impact {
        point: back.apply(blow.point),
        direction: back.rotation() * blow.impulse,
        impulse: blow.impulse.length(),
    };
    let options = FractureOptions { most_pieces: 12, seed: fragment.0.into(), ..FractureOptions::default() };
    // A blow of no length breaks nothing.
    Ok(part.hit(&impact, &PLASTER, &options).unwrap_or(None))
}
