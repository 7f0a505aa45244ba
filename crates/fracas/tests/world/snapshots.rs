//! Worlds that were written down and read again.

use crate::asking;
use crate::scene::Scene;
use fracas::mesh::shapes;
use fracas::world::{Ask, RestoreError, Snapshot, World};
use serde_json::Value;

pub fn copy_through_text(world: &World) -> World {
    let text = serde_json::to_string(&world.snapshot()).expect("a snapshot is data");
    let snapshot: Snapshot = serde_json::from_str(&text).expect("it reads what it wrote");
    World::restore(&snapshot).expect("a sound snapshot")
}

/// Runs a scene; at the given steps a restored world takes the place of the first.
fn digests(ask: Ask, seed: u64, restored_at: &[usize]) -> Vec<String> {
    let mut scene = Scene::new(asking(ask), seed, 2.5);
    (0..18).for_each(|_| _ = scene.insert(Ask::NOTHING));
    let mut all = vec![];
    for step in 0..14 {
        (0..5).for_each(|_| scene.act());
        if step % 4 == 3 {
            scene.remove_some();
            scene.insert(Ask::NOTHING);
        }
        // Some motions may be waiting for the step.
        if restored_at.contains(&step) {
            scene.world = copy_through_text(&scene.world);
            scene.world.validate().expect("a sound world");
        }
        all.push(scene.world.step(0.05).expect("a sound step").digest());
    }
    all
}

#[test]
fn a_restored_world_goes_on_byte_for_byte() {
    let everything =
        Ask { touch: true, contacts: Ask::CONTACTS.contacts, near: Some(0.02), impacts: true, ..Ask::PAIRS };
    let contacts = Ask { touch: true, ..Ask::CONTACTS };
    for (ask, seed) in
        [(Ask { touch: true, ..Ask::PAIRS }, 11), (everything, 12), (contacts, 1), (contacts, 2)]
    {
        let first = digests(ask, seed, &[]);
        for restored_at in [&[0][..], &[4, 9], &[13]] {
            let second = digests(ask, seed, restored_at);
            for (step, (a, b)) in first.iter().zip(&second).enumerate() {
                let at = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
                let around = |text: &str| text[at.saturating_sub(300)..text.len().min(at + 200)].to_owned();
                assert!(a == b, "restored at {restored_at:?}, step {step}:\n{}\n{}", around(a), around(b));
            }
        }
    }
}

#[test]
fn shared_trees_are_written_once_and_shared_again() {
    let mut world = World::default();
    let tree = std::sync::Arc::new(fracas::MeshTree::build(shapes::icosphere(1.0, 3)));
    (0..50).for_each(|_| _ = world.insert(tree.clone()));
    let value = serde_json::to_value(world.snapshot()).unwrap();
    assert_eq!(value["trees"].as_array().unwrap().len(), 1);
    assert_eq!(World::restore(&world.snapshot()).unwrap().len(), 50);
}

#[test]
fn another_version_is_refused_by_name() {
    let mut value = serde_json::to_value(World::default().snapshot()).unwrap();
    value["version"] = 999.into();
    let snapshot: Snapshot = serde_json::from_value(value).unwrap();
    assert_eq!(World::restore(&snapshot).err(), Some(RestoreError::Version { found: 999 }));
}

/// Replaces numbers one after the other, and calls a function with each result.
fn for_each_broken(value: &Value, stride: usize, mut visit: impl FnMut(Value, &str)) {
    fn paths(value: &Value, path: String, all: &mut Vec<String>) {
        match value {
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(k, item)| paths(item, format!("{path}/{k}"), all));
            }
            Value::Object(map) => {
                map.iter().for_each(|(key, item)| paths(item, format!("{path}/{key}"), all))
            }
            Value::Number(_) => all.push(path),
            _ => {}
        }
    }
    let mut all = vec![];
    paths(value, String::new(), &mut all);
    for (k, path) in all.iter().enumerate().step_by(stride) {
        let new: Value = match k / stride % 4 {
            0 => 4_000_000_000_u32.into(),
            1 => (-1).into(),
            2 => 1e300.into(),
            _ => 1.into(),
        };
        let mut broken = value.clone();
        *broken.pointer_mut(path).expect("a path that was listed") = new;
        visit(broken, path);
    }
}

#[test]
fn a_broken_snapshot_is_refused_or_harmless_but_never_a_panic() {
    let mut scene = Scene::new(asking(Ask::PAIRS), 5, 2.0);
    (0..10).for_each(|_| _ = scene.insert(Ask::NOTHING));
    for _ in 0..6 {
        (0..12).for_each(|_| scene.act());
        scene.world.step(0.05).unwrap();
    }
    let value = serde_json::to_value(scene.world.snapshot()).unwrap();
    let (mut refused, mut taken) = (0, 0);
    for_each_broken(&value, 97, |broken, path| {
        let Ok(snapshot) = serde_json::from_value::<Snapshot>(broken) else {
            refused += 1;
            return;
        };
        match World::restore(&snapshot) {
            Ok(mut world) => {
                taken += 1;
                // A coordinate may have become another one. The world works all the same.
                let _ = world.step(0.05);
                world.validate().unwrap_or_else(|error| panic!("{path}: {error}"));
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().starts_with("the snapshot"), "{error}");
            }
        }
    });
    assert!(refused > 20 && taken > 20, "{refused} refused, {taken} taken");
}
