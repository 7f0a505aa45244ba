//! Several bodies break in one step: pieces, ids and motion do not depend on the number of threads.

mod common;
use common::{add_floor, at, block, world};
use fracas::fracture::Material;
use fracas_rapier::{BreakOptions, Fracture};
use rapier3d::prelude::*;

/// What a run leaves: every fracture, step by step, and where bodies are at last, to the bit.
type Outcome = (Vec<Vec<Fracture>>, Vec<[u32; 3]>);

/// Six blocks of some 1,800 nodes land on the ground in the same step; their pieces are hit by what comes after.
fn run() -> Outcome {
    let (mut world, mut set) = world();
    add_floor(&mut world);
    let solid = block([0.8, 0.6, 0.5], [12, 9, 7]);
    let material = Material { toughness: 60.0, ..Material::BRICK };
    for k in 0..9 {
        let mut options = BreakOptions { material, generations: 2, ..BreakOptions::default() };
        options.fracture.seed = k;
        let column = k as f32 % 6.0;
        let place = at(1.2 * column - 3.0, if k < 6 { 0.6 } else { 2.2 }, 0.0).linvel(Vector::Y * -9.0);
        set.insert(&mut world, &solid, place, &options).unwrap();
    }
    let broken = (0..60).map(|_| set.step(&mut world).unwrap().to_vec()).collect();
    let places = set.handles().map(|h| world.bodies[h].translation().to_array().map(f32::to_bits)).collect();
    (broken, places)
}

#[test]
fn bodies_that_break_at_once_break_the_same_at_any_number_of_threads() {
    let with =
        |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run);
    let alone = with(1);
    let most = alone.0.iter().map(Vec::len).max().unwrap();
    assert!(most >= 4, "only {most} bodies broke in one step");
    // Fragments of one body that break in the same step get their ids in the order of the blows.
    for threads in [2, 5] {
        assert!(with(threads) == alone, "other pieces or other places on {threads} threads");
    }
}
