//! The same answer, byte for byte, whatever the number of threads.
#![cfg(feature = "parallel")]

mod common;

use common::engines::RULES;
use common::inputs::Stream;
use common::soups::{grid_soup, soup};
use common::threads::on_threads;
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::pairs::{Pair, Touch};
use fracas::{BuildOptions, FindOptions, FindStats, Finder, MeshTree, Threads};

const THREADS: [usize; 4] = [1, 2, 3, 8];

/// Large enough that builds, refits and queries do use several threads.
fn large_meshes() -> Vec<(&'static str, Mesh)> {
    let mut stream = Stream::new(11);
    vec![
        ("folded cloth", shapes::folded_cloth(40_000)),
        ("noisy sphere", shapes::noisy_sphere(36_000, 0.2, 5)),
        // Centres coincide by the thousand: ties everywhere in the build.
        ("scattered copies", scattered(&mut stream, 36_000)),
    ]
}

/// Small triangles, each at a random place of a grid, many at the same.
fn scattered(stream: &mut Stream, count: usize) -> Mesh {
    let mut place = || DVec3::new(stream.below(30) as f64, stream.below(30) as f64, stream.below(30) as f64);
    soup((0..count).map(|_| {
        let corner = place();
        [corner, corner + DVec3::new(0.75, 0.25, 0.0), corner + DVec3::new(0.25, 0.75, 0.25)]
    }))
}

/// Small enough that a query runs out of things to share.
fn small_meshes() -> Vec<(&'static str, Mesh)> {
    let mut stream = Stream::new(12);
    vec![
        ("nothing", Mesh::default()),
        ("one triangle", shapes::cloth_grid(1, 1, [1.0, 1.0])),
        ("small grid soup", grid_soup(&mut stream, [4, 4, 4], 40, 200)),
        ("small sphere", shapes::icosphere(1.0, 3)),
    ]
}

type Answer = (Vec<Pair>, FindStats);

fn self_answer(finder: &mut Finder, body: &MeshTree) -> Answer {
    let pairs = finder.find_self_pairs(body).to_vec();
    (pairs, *finder.stats())
}

fn posed_answer(finder: &mut Finder, bodies: [&MeshTree; 2], poses: [&Pose; 2]) -> Answer {
    let pairs = finder.find_pairs(bodies[0].at(poses[0]), bodies[1].at(poses[1])).to_vec();
    (pairs, *finder.stats())
}

/// Calls the query at every number of threads, with every setting of threads, with a new finder and a used one.
fn check_answers(what: &str, query: impl Fn(&mut Finder) -> Answer + Sync) {
    for touch in [Touch::Include, Touch::Proper] {
        let expected =
            query(&mut Finder::new(FindOptions { touch, threads: Threads::One, ..FindOptions::default() }));
        assert!(expected.0.is_sorted_by(|p, q| p < q), "{what}: out of order or twice");
        assert_eq!(expected.1.found, expected.0.len() as u64, "{what}");
        // One finder goes through all pools, so that it has too many workers in some of them and too few in others.
        let mut travelling =
            Finder::new(FindOptions { touch, threads: Threads::All, ..FindOptions::default() });
        for threads in THREADS.into_iter().chain([1, 8, 2]) {
            for setting in [Threads::One, Threads::Auto, Threads::All] {
                let (first, second) = on_threads(threads, || {
                    let mut finder =
                        Finder::new(FindOptions { touch, threads: setting, ..FindOptions::default() });
                    (query(&mut finder), query(&mut finder))
                });
                assert!(first == expected, "{what}, {touch:?}: {threads} threads, {setting:?}");
                assert!(second == expected, "{what}, {touch:?}: {threads} threads, second call");
            }
            let again = on_threads(threads, || query(&mut travelling));
            assert!(again == expected, "{what}, {touch:?}: {threads} threads, used finder");
        }
    }
}

#[test]
fn self_pairs_and_stats_do_not_depend_on_threads() {
    for (name, mesh) in large_meshes().into_iter().chain(small_meshes()) {
        for self_queries in [true, false] {
            let options = BuildOptions { self_queries, ..BuildOptions::default() };
            let body = MeshTree::build_with(mesh.clone(), &options);
            check_answers(&format!("{name}, culling {self_queries}"), |finder| self_answer(finder, &body));
        }
    }
}

#[test]
fn pairs_between_bodies_and_stats_do_not_depend_on_threads() {
    let turned =
        Pose::new(DQuat::from_xyzw(0.1, -0.3, 0.2, 0.9), DVec3::new(0.05, 0.1, -0.02)).expect("a pose");
    let bodies: Vec<(&str, MeshTree)> = large_meshes()
        .into_iter()
        .chain(small_meshes())
        .map(|(name, mesh)| (name, MeshTree::build(mesh)))
        .collect();
    let other = MeshTree::build(shapes::noisy_sphere(12_000, 0.3, 9));
    for (name, body) in &bodies {
        for pose in [Pose::IDENTITY, turned] {
            check_answers(&format!("{name} and the sphere at {pose:?}"), |finder| {
                posed_answer(finder, [body, &other], [&Pose::IDENTITY, &pose])
            });
        }
    }
}

/// The trees themselves are equal: every box, row and outline. `Debug` shows all of them, which takes a while, so it is
/// looked at for one number of threads.
#[test]
fn trees_do_not_depend_on_threads() {
    for (name, mesh) in large_meshes() {
        for split in RULES {
            let build = |parallel| {
                MeshTree::build_with(mesh.clone(), &BuildOptions { split, self_queries: true, parallel })
            };
            let expected = build(false);
            let (shown, quality) = (format!("{expected:?}"), expected.quality());
            for threads in THREADS {
                let body = on_threads(threads, || build(true));
                assert_eq!(body.quality(), quality, "{name}, {split:?}, {threads} threads");
                if threads == 3 {
                    assert!(format!("{body:?}") == shown, "{name}, {split:?}, {threads} threads");
                }
            }
        }
    }
}

#[test]
fn refits_do_not_depend_on_threads() {
    for (name, mesh) in large_meshes() {
        // Within the old frame, and far outside it.
        for (scale, shift) in [(1.01, 0.01), (1e-3, 1e5)] {
            let moved: Vec<DVec3> =
                mesh.positions().iter().map(|p| DVec3::new(p.y, p.z, p.x) * scale + shift).collect();
            let mut expected = MeshTree::build(mesh.clone());
            on_threads(1, || expected.set_positions(&moved)).expect("finite positions");
            let shown = format!("{expected:?}");
            let pairs = Finder::default().find_self_pairs(&expected).to_vec();
            for threads in THREADS {
                let mut body = MeshTree::build(mesh.clone());
                on_threads(threads, || body.set_positions(&moved)).expect("finite positions");
                if threads == 3 {
                    assert!(format!("{body:?}") == shown, "{name}, {threads} threads");
                }
                assert_eq!(Finder::default().find_self_pairs(&body), pairs, "{name}, {threads} threads");
            }
        }
    }
}

/// Different trees do different work, and find the same.
#[test]
fn pairs_do_not_depend_on_the_tree() {
    for (name, mesh) in large_meshes().into_iter().chain(small_meshes()) {
        let expected = Finder::default().find_self_pairs(&MeshTree::build(mesh.clone())).to_vec();
        for split in RULES {
            for self_queries in [true, false] {
                let options = BuildOptions { split, self_queries, parallel: true };
                let body = MeshTree::build_with(mesh.clone(), &options);
                assert_eq!(Finder::default().find_self_pairs(&body), expected, "{name}, {options:?}");
            }
        }
    }
}
