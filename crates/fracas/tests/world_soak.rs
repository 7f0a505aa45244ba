//! A hundred thousand random operations in one world: it stays sound, and keeps no memory for what is gone.
#![cfg(feature = "serde")]

#[path = "world/scene.rs"]
#[allow(dead_code)]
mod scene;

use fracas::world::{Ask, World, WorldOptions};
use scene::Scene;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts bytes in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// The only unsafe code: handing every request on to the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Operations in all.
const OPERATIONS: usize = 100_000;

/// After so many, all bodies are removed, and memory is looked at.
const ROUND: usize = 10_000;

#[test]
fn a_hundred_thousand_random_operations_keep_a_world_sound_and_leak_nothing() {
    let ask = Ask { touch: true, ..Ask::PAIRS };
    let mut scene = Scene::new(WorldOptions { ask, ..WorldOptions::default() }, 2026, 3.0);
    let mut memory = vec![];
    let mut steps = 0;
    for operation in 0..OPERATIONS {
        match scene.random.below(16) {
            0 if scene.things.len() < 40 => _ = scene.insert(Ask::NOTHING),
            1 if scene.things.len() > 20 => scene.remove_some(),
            2 | 3 => {
                scene.world.step(0.01).expect("a sound step");
                steps += 1;
                if steps % 16 == 0 {
                    scene.world.validate().expect("a sound world");
                }
            }
            4 if scene.random.below(100) == 0 => {
                let restored = World::restore(&scene.world.snapshot()).expect("a sound snapshot");
                let mut first = std::mem::replace(&mut scene.world, restored);
                let expected = first.step(0.01).expect("a sound step").digest();
                let found = scene.world.step(0.01).expect("a sound step").digest();
                assert!(expected == found, "operation {operation}: a restored world goes on in another way");
            }
            5 if scene.random.below(20) == 0 => _ = scene.check_pairs_now(operation),
            _ => scene.act(),
        }
        if (operation + 1) % ROUND == 0 {
            while !scene.things.is_empty() {
                scene.remove_some();
            }
            scene.brittle = vec![];
            (0..2).for_each(|_| _ = scene.world.step(0.01).expect("a sound step"));
            scene.world.validate().expect("a sound world");
            assert!(scene.world.is_empty());
            memory.push(IN_USE.load(Ordering::Relaxed));
        }
    }
    println!("bytes in use after each round: {memory:?}; {steps} steps");
    // Lists keep the room of the largest answer so far, so figures differ from round to round; they must not grow.
    let most = |rounds: &[usize]| rounds.iter().copied().max().unwrap_or(0);
    let (early, late) = (most(&memory[..4]), most(&memory[6..]));
    assert!(late < early + early / 2, "{memory:?}");
}
