//! Crowds cost what their answer costs: thirty thousand equal triangles took over four gigabytes for an empty answer.
//!
//! A counting allocator stands in for the system's and remembers the most memory that was in use at once.

use fracas::geom::DVec3;
use fracas::mesh::Mesh;
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
