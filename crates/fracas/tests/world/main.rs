//! One world: reports against brute force, over threads, snapshots and random operations.

#[path = "../common/threads.rs"]
#[allow(dead_code)]
mod threads;

mod choices;
mod doors;
mod scene;
#[cfg(feature = "serde")]
mod snapshots;

use fracas::world::{Ask, WorldOptions};
use scene::Scene;
use threads::on_threads;

fn asking(ask: Ask) -> WorldOptions {
    WorldOptions { ask, ..WorldOptions::default() }
}

#[test]
fn pairs_of_a_mixed_world_equal_brute_force_after_random_operations() {
    let mut found = 0;
    for seed in 1..=4 {
        let mut scene = Scene::new(asking(Ask::PAIRS), seed, 2.5);
        (0..24).for_each(|_| _ = scene.insert(Ask::NOTHING));
        for step in 0..25 {
            let actions = if step % 8 < 4 { 12 } else { 1 };
            (0..actions).for_each(|_| scene.act());
            if step % 5 == 4 {
                scene.remove_some();
                scene.insert(Ask::NOTHING);
            }
            let report = scene.world.step(0.05).expect("a sound step");
            assert_eq!(report.counters().bodies, scene.things.len());
            scene.world.validate().expect("a sound world");
            found += scene.check_pairs(&format!("seed {seed}, step {step}"));
            scene.check_pairs_now(step);
        }
    }
    assert!(found > 10_000, "{found} pairs are too few to tell");
}

#[test]
fn reports_are_the_same_at_any_number_of_threads() {
    let ask =
        Ask { touch: true, contacts: Ask::CONTACTS.contacts, near: Some(0.02), impacts: true, ..Ask::PAIRS };
    let run = |count: usize| {
        on_threads(count, || {
            let mut scene = Scene::new(asking(ask), 7, 2.5);
            let own = |k: usize| {
                if k.is_multiple_of(4) { Ask { near: Some(0.02), ..Ask::PAIRS } } else { Ask::NOTHING }
            };
            (0..20).for_each(|k| _ = scene.insert(own(k)));
            let mut digests = String::new();
            for _ in 0..8 {
                (0..6).for_each(|_| scene.act());
                digests += &scene.world.step(0.05).expect("a sound step").digest();
            }
            digests
        })
    };
    let one = run(1);
    assert!(one.contains("Impact") && one.contains("Near {") && one.contains("Contact {"));
    for count in [2, 8] {
        assert!(run(count) == one, "{count} threads give another report");
    }
}

#[test]
fn events_begin_stay_and_end_and_removal_ends_them() {
    let mut scene = Scene::new(asking(Ask::TOUCH), 3, 2.0);
    (0..16).for_each(|_| _ = scene.insert(Ask::NOTHING));
    let mut touching = vec![];
    let (mut began, mut ended) = (0, 0);
    for step in 0..40 {
        (0..3).for_each(|_| scene.act());
        if step % 7 == 6 {
            scene.remove_some();
        }
        let report = scene.world.step(0.05).expect("a sound step");
        let now: Vec<_> = report.touching().collect();
        let in_both: Vec<_> = now.iter().copied().filter(|pair| touching.contains(pair)).collect();
        assert_eq!(report.stayed(), in_both);
        assert!(report.began().iter().all(|pair| now.contains(pair) && !touching.contains(pair)));
        assert!(report.ended().iter().all(|pair| !now.contains(pair) && touching.contains(pair)));
        assert_eq!(report.began().len() + in_both.len(), now.len());
        assert_eq!(report.ended().len() + in_both.len(), touching.len());
        (began, ended) = (began + report.began().len(), ended + report.ended().len());
        touching = now;
    }
    assert!(began > 20 && ended > 10, "{began} began, {ended} ended");
}

#[test]
fn pairs_of_two_thousand_bodies_and_a_million_triangles_equal_brute_force_on_sampled_frames() {
    let mut scene = Scene::with_detail(asking(Ask::PAIRS), 2000, 12.0, 2);
    (0..2000).for_each(|_| _ = scene.insert(Ask::NOTHING));
    let triangles: usize = scene.things.keys().map(|&id| scene.triangles(id).len()).sum();
    assert!(triangles > 1_000_000, "{triangles} triangles");
    for step in 0..6 {
        (0..400).for_each(|_| scene.act());
        scene.world.step(0.02).expect("a sound step");
        if step % 5 == 0 {
            let found = scene.check_pairs(&format!("step {step}"));
            assert!(found > 50_000, "{found} pairs");
        }
    }
}

/// A hash that is the same on every machine (FNV-1a).
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// Runs a scene with every question, and restores it from a snapshot before one of its steps.
fn hash_of_reports(restored_at: Option<usize>) -> u64 {
    let ask =
        Ask { touch: true, contacts: Ask::CONTACTS.contacts, near: Some(0.02), impacts: true, ..Ask::PAIRS };
    let mut scene = Scene::new(asking(ask), 99, 2.5);
    (0..20).for_each(|_| _ = scene.insert(Ask::NOTHING));
    let mut digests = String::new();
    for step in 0..4 {
        (0..6).for_each(|_| scene.act());
        #[cfg(feature = "serde")]
        if restored_at == Some(step) {
            scene.world = snapshots::copy_through_text(&scene.world);
        }
        let _ = (step, restored_at);
        digests += &scene.world.step(0.05).expect("a sound step").digest();
    }
    hash(&digests)
}

/// The same in debug and release builds: `cargo xtask test` runs this test in both.
#[test]
fn a_report_is_the_same_in_every_build_at_any_number_of_threads_and_after_a_restore() {
    let restores = if cfg!(feature = "serde") { 4 } else { 0 };
    for threads in [1, 2, 8] {
        for restored_at in [None].into_iter().chain((0..restores).map(Some)) {
            let found = on_threads(threads, || hash_of_reports(restored_at));
            let what = format!("{threads} threads, restored before step {restored_at:?}");
            assert_eq!(found, 3_676_932_094_460_463_303, "{what}");
        }
    }
}
