//! Random calls on a `World`: bodies of every kind come and go, move, deform, are edited, replanned and broken, with numbers that are none and ids
//! of other worlds among them.
//!
//! Whatever is called, nothing panics, a refused call changes nothing that a report shows, every report has the pairs that a fresh finder finds,
//! and a restored world goes on as the first does.
#![no_main]

use fracas::brittle::{BrittleBody, Solid, SolidOptions};
use fracas::geom::{DAffine3, DVec3, Pose};
use fracas::kinetic::{Plan, Plans};
use fracas::mesh::tets::brick;
use fracas::mesh::{Influence, Mesh, MeshEdit, MeshError, NewTriangle, Origin, Skin, TriangleId, shapes};
use fracas::world::{Ask, Body, BodyId, Groups, Keep, Settings, World, WorldError, WorldOptions};
use fracas::{FindOptions, Finder, MeshTree, Pair, SkinOptions, SkinnedBody, TearingBody, Threads};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};

#[path = "../input.rs"]
mod input;
use input::Input;

static SOLID: LazyLock<Arc<Solid>> = LazyLock::new(|| {
    Arc::new(Solid::build(brick(DVec3::ONE, [2, 2, 2]), &SolidOptions::default()).expect("a cube"))
});
static TREE: LazyLock<Arc<MeshTree>> = LazyLock::new(|| Arc::new(MeshTree::build(shapes::icosphere(0.8, 1))));
static SKIN: LazyLock<Skin> = LazyLock::new(|| {
    let rest = shapes::capsule(0.2, 1.0, 6);
    let weights = rest.positions().iter().map(|p| {
        let share = (p.z + 0.8).clamp(0.0, 1.6) / 1.6;
        [(0, 1.0 - share), (1, share)].map(|(node, weight)| Influence { node, weight })
    });
    Skin::new(rest.clone(), 2, weights).expect("weights that sum to one")
});

const KEEPS: [Keep; 7] =
    [Keep::Soup, Keep::Tree, Keep::Driven, Keep::Tearing, Keep::Kinetic, Keep::Skinned, Keep::Fragment];

/// Bodies and steps beyond which nothing new is learned.
const MOST_BODIES: usize = 12;
const MOST_STEPS: usize = 24;

fn find() -> FindOptions {
    FindOptions { threads: Threads::One, ..FindOptions::default() }
}

fn ask(input: &mut Input) -> Ask {
    let bits = input.byte();
    let reach = if bits & 16 != 0 { input.number() } else { 0.1 };
    Ask {
        touch: bits & 1 != 0,
        pairs: bits & 2 != 0,
        contacts: if bits & 4 != 0 { Ask::CONTACTS.contacts } else { None },
        near: (bits & 8 != 0).then_some(reach),
        impacts: bits & 96 == 96,
    }
}

fn settings(input: &mut Input) -> Settings {
    let bits = input.byte();
    Settings {
        groups: if bits & 3 == 3 {
            Groups { of: u32::from(input.byte()), with: u32::from(input.byte()) }
        } else {
            Groups::default()
        },
        sensor: bits & 28 == 28,
        own: if bits & 32 != 0 { ask(input) } else { Ask::NOTHING },
        keep: (bits & 192 == 192).then(|| KEEPS[input.below(KEEPS.len())]),
    }
}

fn mesh(input: &mut Input) -> Mesh {
    match input.byte() % 4 {
        0 => shapes::icosphere(0.7, 1),
        1 => shapes::cloth_grid(3, 3, [1.5, 1.5]),
        2 => shapes::cuboid(DVec3::new(1.0, 0.6, 0.8)),
        _ => input.mesh(Input::small).unwrap_or_default(),
    }
}

/// A pose nearby mostly, and now and then one of any kind.
fn pose(input: &mut Input) -> Option<Pose> {
    if input.byte() % 16 == 0 {
        return input.pose();
    }
    Pose::from_translation(input.point(Input::small) / 8.0)
}

fn insert(input: &mut Input, world: &mut World) {
    if world.len() >= MOST_BODIES {
        return;
    }
    let settings = settings(input);
    let body = match input.byte() % 8 {
        0 => Body::from(Arc::clone(&TREE)),
        1 => Body::from(TearingBody::build(mesh(input))),
        2 => Body::from(SkinnedBody::new(SKIN.clone(), &SkinOptions::default()).expect("a small skin")),
        3 => {
            world.insert_brittle(BrittleBody::new(Arc::clone(&SOLID)), &Pose::IDENTITY, settings);
            return;
        }
        _ => Body::from(mesh(input)),
    };
    let body = body.with(settings);
    world.insert(match pose(input) {
        Some(pose) => body.at(&pose),
        None => body,
    });
}

fn edit(input: &mut Input, slots: usize, vertices: usize) -> MeshEdit {
    let mut edit = MeshEdit::default();
    if input.byte() % 2 == 0 {
        edit.new_positions.push(input.point(Input::small));
    }
    let all = vertices + edit.new_positions.len();
    for _ in 0..input.below(3) {
        edit.removed.push(TriangleId(input.below(slots + 1) as u32));
    }
    for _ in 0..input.below(3) {
        let corners = [0; 3].map(|_| input.below(all + 1) as u32);
        let origin = edit.removed.first().map_or(Origin::Crack, |&removed| Origin::Replaces(removed));
        edit.added.push(NewTriangle { corners, origin });
    }
    edit
}

/// How many vertices a body has; a refusal tells.
fn vertex_count(world: &mut World, id: BodyId) -> usize {
    match world.set_positions(id, &[]) {
        Err(WorldError::Mesh { error: MeshError::WrongVertexCount { expected, .. }, .. }) => expected,
        _ => 0,
    }
}

fn act(input: &mut Input, world: &mut World, id: BodyId) {
    let count = vertex_count(world, id);
    match input.byte() % 10 {
        0 | 1 => {
            if let Some(pose) = pose(input) {
                let _ = world.set_pose(id, &pose);
            }
        }
        2 => {
            let shift = input.point(Input::small) / 16.0;
            let wrong = usize::from(input.byte() % 16 == 0);
            let all: Vec<DVec3> =
                (0..count + wrong).map(|_| input.point(Input::small) / 8.0 + shift).collect();
            let _ = world.set_positions(id, &all);
        }
        3 => {
            let all: Vec<DVec3> = (0..count).map(|_| input.point(Input::number)).collect();
            let _ = world.set_positions(id, &all);
        }
        4 => drop(world.set_mesh(id, mesh(input))),
        5 | 6 => {
            let edit = edit(input, 80, count);
            let _ = world.apply(id, &edit);
        }
        7 => {
            let start = if input.byte() % 8 == 0 { input.number() } else { world.time() };
            let keys =
                (0..2).map(|_| (0..count).map(|_| input.point(Input::small) / 8.0).collect()).collect();
            if let Ok(plans) = Plans::keyframes(vec![start, start + 0.2], keys) {
                let _ = world.set_plans(id, plans);
            }
            let _ = world
                .change_plans(id, &[(input.below(8) as u32, Plan::Velocity(input.point(Input::number)))]);
        }
        8 => {
            let bones: Vec<DAffine3> = (0..2 + usize::from(input.byte() % 16 == 0))
                .map(|_| DAffine3::from_translation(input.point(Input::number)))
                .collect();
            let _ = world.set_transforms(id, &bones);
        }
        _ => {
            let Ok((body, fragment)) = world.brittle(id) else { return };
            let count = body.fragment(fragment).map_or(0, |known| known.nodes().len());
            let wrong = input.byte() % 16;
            let labels: Vec<u32> = (0..count).map(|_| input.below(3) as u32).collect();
            let weights: Vec<f64> =
                (0..count).map(|_| if wrong == 0 { input.number() } else { 1.0 }).collect();
            if world.len() < MOST_BODIES {
                let _ = world.split(id, &labels, &weights);
            }
        }
    }
}

/// Every pair that a fresh finder finds between bodies that are compared is in the report, and no other.
fn check(world: &World) {
    world.validate().expect("a sound world");
    let report = world.report();
    let ids: Vec<BodyId> = world.ids().collect();
    for (k, &a) in ids.iter().enumerate() {
        for &b in &ids[k + 1..] {
            let [one, other] = [a, b].map(|id| world.settings(id).expect("there"));
            if !world.options().ask.pairs || one.sensor || other.sensor || !one.groups.meets(&other.groups) {
                continue;
            }
            let Some((x, y)) = world.view(a).ok().zip(world.view(b).ok()) else { continue };
            let expected: Vec<Pair> = Finder::new(find()).find_pairs(x, y).to_vec();
            let found = report.meeting(a, b).map_or(&[][..], |meeting| meeting.pairs);
            assert_eq!(
                found,
                expected,
                "{a:?} and {b:?}: {} {}",
                world.explain(a).unwrap(),
                world.explain(b).unwrap()
            );
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let input = &mut input;
    let mut world = World::new(WorldOptions { ask: Ask { pairs: true, ..ask(input) }, find: find() });
    let stranger = World::default().insert(shapes::icosphere(1.0, 0));
    let mut known = vec![stranger];
    let mut steps = 0;
    while !input.is_empty() {
        match input.byte() % 16 {
            0..3 => {
                insert(input, &mut world);
                known.extend(world.ids().filter(|id| !known.contains(id)).collect::<Vec<_>>());
            }
            3 => {
                let id = known[input.below(known.len())];
                assert_eq!(world.contains(id), world.remove(id).is_ok());
            }
            4 => {
                let [a, b] = [0; 2].map(|_| known[input.below(known.len())]);
                // Pairs stay asked for, so that they can be checked.
                let _ = world.ask(a, b, Ask { pairs: true, ..ask(input) });
            }
            5 => {
                let (id, settings) = (known[input.below(known.len())], settings(input));
                let _ = world.set_settings(id, settings);
            }
            6..9 => {
                if steps >= MOST_STEPS {
                    break;
                }
                steps += 1;
                let time = if input.byte() % 16 == 0 { input.number() } else { 0.01 };
                let before = world.report().digest();
                let again = (input.byte() % 4 == 0).then(|| World::restore(&world.snapshot()));
                match world.step(time).map(|report| report.digest()) {
                    Ok(digest) => {
                        if let Some(again) = again {
                            let mut again = again.expect("a snapshot of a sound world");
                            assert_eq!(again.step(time).expect("as the first").digest(), digest);
                        }
                        check(&world);
                    }
                    Err(_) => assert_eq!(world.report().digest(), before),
                }
            }
            _ => {
                let id = known[input.below(known.len())];
                act(input, &mut world, id);
                known.extend(world.ids().filter(|id| !known.contains(id)).collect::<Vec<_>>());
            }
        }
    }
});
