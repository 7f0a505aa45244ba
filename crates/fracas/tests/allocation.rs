//! Queries, refits and edits do not allocate once their buffers have grown.
//!
//! A counting allocator stands in for the system's. It counts by thread, so that the test runner does not disturb.

mod common;

use common::inputs::Stream;
use common::soups::random_soup;
use fracas::cut::{CutOptions, CutSurface, Cutter};
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::{LiveMesh, Mesh, shapes};
use fracas::pairs::Touch;
use fracas::soup::{CellTable, SoupOptions};
use fracas::{BuildOptions, FindOptions, Finder, MeshTree, Threads};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the promises of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the pointer came from `alloc` above, and the caller keeps the promises of `GlobalAlloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often this thread asks for memory during `work`.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

fn one_thread(touch: Touch) -> Finder {
    Finder::new(FindOptions { touch, threads: Threads::One, ..FindOptions::default() })
}

/// Meshes with many pairs and with none, with culling and without.
fn bodies() -> Vec<MeshTree> {
    let meshes = [
        random_soup(&mut Stream::new(1), 2_000, 0.3),
        shapes::folded_cloth(20_000),
        shapes::noisy_sphere(5_000, 0.2, 3),
        shapes::icosphere(1.0, 2),
        Mesh::default(),
    ];
    let build = |mesh: &Mesh| {
        [true, false].map(|self_queries| {
            MeshTree::build_with(mesh.clone(), &BuildOptions { self_queries, ..BuildOptions::default() })
        })
    };
    meshes.iter().flat_map(build).collect()
}

#[test]
fn counting_works() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1, 2, 3]))), 1);
}

#[test]
fn self_queries_do_not_allocate() {
    let bodies = bodies();
    for touch in [Touch::Include, Touch::Proper] {
        let mut finder = one_thread(touch);
        let mut found = 0;
        for body in &bodies {
            found += finder.find_self_pairs(body).len();
        }
        assert!(found > 1_000, "{found} pairs are too few to show anything");
        for body in bodies.iter().rev() {
            let count = allocations(|| {
                std::hint::black_box(finder.find_self_pairs(body));
            });
            assert_eq!(count, 0, "{} triangles, {touch:?}", body.mesh().triangle_count());
        }
    }
}

#[test]
fn queries_between_bodies_do_not_allocate() {
    let bodies = bodies();
    let turned =
        Pose::new(DQuat::from_xyzw(0.2, 0.1, -0.4, 0.8), DVec3::new(0.1, 0.0, 0.05)).expect("a pose");
    let mut finder = one_thread(Touch::Include);
    let mut query = |a: &MeshTree, b: &MeshTree| {
        allocations(|| {
            let plain = finder.find_pairs(a, b).len();
            let posed = finder.find_pairs(a, b.at(&turned)).len();
            std::hint::black_box(plain + posed);
        })
    };
    for a in &bodies {
        for b in &bodies {
            query(a, b);
        }
    }
    for a in bodies.iter().rev() {
        for b in bodies.iter().rev() {
            assert_eq!(query(a, b), 0, "{} and {}", a.mesh().triangle_count(), b.mesh().triangle_count());
        }
    }
}

#[test]
fn soups_do_not_allocate() {
    let bodies = bodies();
    let turned = Pose::new(DQuat::from_xyzw(0.2, 0.1, -0.4, 0.8), DVec3::ZERO).expect("a pose");
    for table in [CellTable::Sorted, CellTable::Morton, CellTable::Djb2] {
        let options = FindOptions { touch: Touch::Include, threads: Threads::One, ..FindOptions::default() };
        let mut finder = Finder::new(FindOptions { soup: SoupOptions { table }, ..options });
        let mut query = |a: &Mesh, b: &Mesh| {
            allocations(|| {
                let found = finder.find_self_pairs(a).len() + finder.find_pairs(a, b).len();
                let posed = finder.find_pairs(a.at(&turned), b).len();
                std::hint::black_box(found + posed);
            })
        };
        for round in 0..2 {
            for (a, b) in bodies.iter().zip(bodies.iter().rev()) {
                let count = query(a.mesh(), b.mesh());
                assert!(round == 0 || count == 0, "{} triangles, {table:?}", a.mesh().triangle_count());
            }
        }
    }
}

/// On one thread: sharing a refit among several takes a list of its parts.
#[test]
fn moving_does_not_allocate() {
    let work = || {
        for mut body in bodies() {
            let first = body.mesh().positions().to_vec();
            let near: Vec<DVec3> = first.iter().map(|p| *p * 1.01 + 0.01).collect();
            let far: Vec<DVec3> = first.iter().map(|p| *p * 1e-6 + 1e6).collect();
            for positions in [&near, &far, &first] {
                let count = allocations(|| body.set_positions(positions).expect("finite positions"));
                assert_eq!(count, 0, "{} triangles", body.mesh().triangle_count());
            }
            assert_eq!(allocations(|| body.refit(false)), 0);
        }
    };
    #[cfg(feature = "parallel")]
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread").install(work);
    #[cfg(not(feature = "parallel"))]
    work();
}

/// A simulation's loop: move, then ask, again and again.
#[test]
fn moving_and_asking_does_not_allocate() {
    let mut body = MeshTree::build(shapes::folded_cloth(5_000));
    let first = body.mesh().positions().to_vec();
    let frames: Vec<Vec<DVec3>> = (0..6)
        .map(|frame| {
            first.iter().map(|p| DVec3::new(p.x, p.y, p.z * (1.0 + 0.02 * f64::from(frame)))).collect()
        })
        .collect();
    let mut finder = one_thread(Touch::Include);
    let mut step = |positions: &[DVec3]| {
        allocations(|| {
            body.set_positions(positions).expect("finite positions");
            std::hint::black_box(finder.find_self_pairs(&body));
        })
    };
    for positions in &frames {
        step(positions);
    }
    for positions in &frames {
        assert_eq!(step(positions), 0);
    }
}

/// Edits of a cut, into room that was made for them.
#[test]
fn edits_do_not_allocate() {
    let mut body = LiveMesh::new(shapes::icosphere(1.0, 4));
    body.reserve(10_000, 5_000);
    let plane = CutSurface::plane(DVec3::splat(0.02), DVec3::Z, DVec3::X).expect("a plane");
    let mut cutter = Cutter::new(&body, &plane, &CutOptions::default()).expect("a ball can be cut");
    for step in 0..10 {
        let edit = cutter.advance_to(&body, -0.9 + 0.2 * f64::from(step)).expect("all edits were applied");
        assert!(!edit.is_empty());
        let count = allocations(|| {
            body.apply(&edit).expect("the edit is good");
        });
        // The lists in which duplicates are looked for grow with the largest edit so far.
        assert!(count == 0 || step < 3 && count <= 2, "{count} allocations in step {step}");
    }
}
