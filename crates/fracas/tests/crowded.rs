//! Crowds cost what their answer costs: thirty thousand equal triangles took over four gigabytes for an empty answer, and a minute.
//!
//! A counting allocator stands in for the system's and remembers the most memory that was in use at once.

use fracas::geom::{DVec3, Pose};
use fracas::internal::Random;
use fracas::mesh::Mesh;
use fracas::pairs::{Pair, brute};
use fracas::{FindOptions, Finder, MeshTree, TearingBody, Threads, Touch, View};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn note(more: usize, less: usize) {
    let now = IN_USE.fetch_add(more, Ordering::Relaxed) + more;
    MOST.fetch_max(now, Ordering::Relaxed);
    IN_USE.fetch_sub(less, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator unchanged; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0);
        // SAFETY: the caller keeps the promises of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, layout.size());
        // SAFETY: the pointer came from `alloc` above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size, layout.size());
        // SAFETY: the pointer came from `alloc` above, and the caller keeps the promises of `GlobalAlloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Tests take turns, since all threads share one count.
static TURN: Mutex<()> = Mutex::new(());

/// The most memory in use during some work, beyond what was in use before.
fn memory(work: impl FnOnce()) -> usize {
    let before = IN_USE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    work();
    MOST.load(Ordering::Relaxed) - before
}

const COUNT: u32 = 5_000;
/// Bytes for each triangle: cells, rows, boxes, steps and a node.
const PER_TRIANGLE: usize = 2_000;

/// Triangles at one place, with vertices of their own or with three for all; and a sheaf of triangles through one point.
fn crowds() -> Vec<(&'static str, Mesh)> {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let own = (0..COUNT).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect::<Vec<_>>();
    let sheaf = (0..COUNT).flat_map(|k| {
        let angle = f64::from(k) * 1e-3;
        let along = DVec3::new(angle.cos(), angle.sin(), 0.1 * (7.0 * angle).sin());
        [-along, along + DVec3::Z * 1e-3, along - DVec3::Z * 1e-3]
    });
    vec![
        ("equal triangles", Mesh::new((0..COUNT).flat_map(|_| corners).collect(), own.clone()).unwrap()),
        ("one face many times", Mesh::new(corners.to_vec(), vec![[0, 1, 2]; COUNT as usize]).unwrap()),
        ("a sheaf", Mesh::new(sheaf.collect(), own).unwrap()),
    ]
}

#[test]
fn crowds_with_an_empty_answer_took_quadratic_memory() {
    let _turn = TURN.lock().unwrap();
    for (name, mesh) in &crowds()[..2] {
        let (tree, tearing) = (MeshTree::build(mesh.clone()), TearingBody::build(mesh.clone()));
        for (engine, view) in [("soup", View::from(mesh)), ("tree", tree.view()), ("tearing", tearing.view())]
        {
            let mut found = 1;
            let used = memory(|| {
                let options = FindOptions { touch: Touch::Proper, ..FindOptions::default() };
                found = Finder::new(options).find_self_pairs(view).len();
            });
            assert_eq!(found, 0);
            assert!(used < PER_TRIANGLE * COUNT as usize, "{name} in a {engine}: {used} bytes");
        }
    }
}

#[test]
fn a_limit_bounds_the_memory_of_crowds_with_many_pairs() {
    let _turn = TURN.lock().unwrap();
    for (name, mesh) in crowds() {
        let tree = MeshTree::build(mesh.clone());
        for (engine, view) in [("soup", View::from(&mesh)), ("tree", tree.view())] {
            let mut count = 0;
            let used = memory(|| {
                let options =
                    FindOptions { most_pairs: 10_000, threads: Threads::All, ..FindOptions::default() };
                let mut finder = Finder::new(options);
                assert!(finder.find_self_pairs(view).is_empty());
                count = finder.stats().found;
            });
            if name != "a sheaf" {
                assert_eq!(count, u64::from(COUNT) * u64::from(COUNT - 1) / 2);
            }
            assert!(
                count > 10_000 && used < PER_TRIANGLE * COUNT as usize,
                "{name} in a {engine}: {used} bytes"
            );
        }
    }
}

/// The faces of a quad many times over. Both have the same box.
fn quads(count: u32, is_merged: bool) -> Mesh {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
    let own = if is_merged { 0 } else { 4 };
    let faces = (0..count / 2).flat_map(|k| [[0, 1, 2], [2, 3, 0]].map(|face| face.map(|v| v + own * k)));
    let positions = if is_merged { corners.to_vec() } else { (0..count / 2).flat_map(|_| corners).collect() };
    Mesh::new(positions, faces.collect()).unwrap()
}

fn proper() -> Finder {
    Finder::new(FindOptions { touch: Touch::Proper, ..FindOptions::default() })
}

#[test]
fn forty_thousand_equal_faces_took_quadratic_time() {
    let _turn = TURN.lock().unwrap();
    const MANY: u32 = 40_000;
    for mesh in [quads(MANY, true), quads(MANY, false)] {
        let (tree, tearing) = (MeshTree::build(mesh.clone()), TearingBody::build(mesh.clone()));
        let views = [("soup", View::from(&mesh)), ("tree", tree.view()), ("tearing", tearing.view())];
        for (engine, view) in views {
            let mut finder = proper();
            assert!(finder.find_self_pairs(view).is_empty());
            let work = finder.stats().decided + finder.stats().box_pairs;
            assert!(work < u64::from(MANY), "{engine}: {work} pairs were looked at within the body");
            for (other, second) in views {
                assert!(finder.find_pairs(view, second).is_empty());
                let work = finder.stats().decided + finder.stats().box_pairs;
                assert!(work < u64::from(MANY), "{engine} and {other}: {work} pairs were looked at");
            }
        }
    }
}

/// A few triangles at random, each many times over: as it is, with its corners in another order, with vertices of its own, with zeros
/// of either sign.
fn crowd_at_random(random: &mut Random, places: usize, copies: usize) -> Mesh {
    let point = |random: &mut Random| {
        let mut p = DVec3::new(random.signed(), random.signed(), random.signed());
        // Many lie in one plane, or have a corner in common.
        if random.below(3) == 0 {
            p.z = 0.0;
        }
        if random.below(8) == 0 { DVec3::ZERO } else { p }
    };
    let mut positions: Vec<DVec3> = vec![];
    let mut triangles = vec![];
    for _ in 0..places {
        let first = positions.len() as u32;
        let corners = [point(random), point(random), point(random)];
        positions.extend(corners);
        for _ in 0..copies {
            let mut names = [first, first + 1, first + 2];
            if random.below(2) == 0 {
                names = [0, 1, 2].map(|k| positions.len() as u32 + k);
                let sign = if random.below(2) == 0 { -0.0 } else { 0.0 };
                positions.extend(corners.map(|p| if p.z == 0.0 { p.with_z(sign) } else { p }));
            }
            names.rotate_left(random.below(3));
            if random.below(2) == 0 {
                names.swap(0, 1);
            }
            triangles.push(names);
        }
    }
    // In no order.
    for k in (1..triangles.len()).rev() {
        triangles.swap(k, random.below(k + 1));
    }
    Mesh::new(positions, triangles).unwrap()
}

#[test]
fn crowds_are_answered_as_brute_force_does() {
    let _turn = TURN.lock().unwrap();
    let mut random = Random::new(41);
    for (places, copies) in [(8, 500), (300, 12), (1, 3_000)] {
        let mesh = crowd_at_random(&mut random, places, copies);
        let second = crowd_at_random(&mut random, 5, 60);
        let (tree, tearing) = (MeshTree::build(mesh.clone()), TearingBody::build(mesh.clone()));
        let expected = brute::find_self_pairs(&mesh, Touch::Proper);
        let between = brute::find_pairs(&mesh, &Pose::IDENTITY, &second, &Pose::IDENTITY, Touch::Proper);
        for (engine, view) in
            [("soup", View::from(&mesh)), ("tree", tree.view()), ("tearing", tearing.view())]
        {
            for threads in [Threads::One, Threads::All] {
                let options = FindOptions { touch: Touch::Proper, threads, ..FindOptions::default() };
                let mut finder = Finder::new(options);
                let assert_same = |found: &[Pair], expected: &[Pair]| {
                    assert!(found == expected, "{engine}: {} pairs, not {}", found.len(), expected.len());
                };
                assert_same(finder.find_self_pairs(view), &expected);
                assert_same(finder.find_pairs(view, &second), &between);
                for most_pairs in [0, 2, expected.len().saturating_sub(1), expected.len()] {
                    finder.set_options(FindOptions { most_pairs, ..options });
                    let listed = finder.find_self_pairs(view).len();
                    assert_eq!(listed, if expected.len() <= most_pairs { expected.len() } else { 0 });
                    assert_eq!(finder.stats().found, expected.len() as u64, "{engine}, at most {most_pairs}");
                }
            }
        }
    }
}
