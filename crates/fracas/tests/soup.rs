//! Soups against brute force, as sets of pairs: at many scales, with wild mixes of sizes, frame after frame.

mod common;

use common::engines::TABLES;
use common::inputs::Stream;
use common::soups::soup;
use common::threads::on_threads;
use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::pairs::{Pair, Touch, brute};
use fracas::{FindOptions, FindStats, Finder, MeshTree, SoupOptions, Threads};
use proptest::prelude::*;

fn finders() -> Vec<Finder> {
    let touches = [Touch::Include, Touch::Proper].into_iter();
    let options = touches.flat_map(|touch| {
        [Threads::One, Threads::Auto, Threads::All].map(|threads| FindOptions {
            touch,
            threads,
            ..FindOptions::default()
        })
    });
    options
        .flat_map(|options| {
            TABLES.map(|table| Finder::new(FindOptions { soup: SoupOptions { table }, ..options }))
        })
        .collect()
}

#[track_caller]
fn check_self(mesh: &Mesh) {
    let all = brute::find_self_pairs(mesh, Touch::Include);
    let proper = brute::find_self_pairs(mesh, Touch::Proper);
    for finder in &mut finders() {
        let expected = if finder.options().touch == Touch::Include { &all } else { &proper };
        let options = *finder.options();
        assert_eq!(finder.find_self_pairs(mesh), expected, "{options:?}");
        assert_eq!(finder.soup_stats().triangles, mesh.triangle_count());
        finder.validate_soup(mesh).unwrap();
    }
}

fn check_between(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) {
    for finder in &mut finders() {
        let expected = brute::find_pairs(a, pose_a, b, pose_b, finder.options().touch);
        assert_eq!(finder.find_pairs(a.at(pose_a), b.at(pose_b)), expected);
    }
}

/// A size from the smallest to the largest that can be told apart, mostly ordinary.
fn any_size() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (-3.0..1.0_f64).prop_map(|e| 10f64.powf(e)),
        2 => (-12.0..6.0_f64).prop_map(|e| 10f64.powf(e)),
        1 => (-320.0..300.0_f64).prop_map(|e| 10f64.powf(e)),
        1 => Just(0.0),
    ]
}

/// Triangles of every size, thin ones, segments and points, around a few places.
fn wild_soup(most: usize) -> impl Strategy<Value = Mesh> {
    let unit = || prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from_array);
    let triangle = (0..4_usize, unit(), any_size(), unit(), unit(), 0..8_u8);
    (prop::collection::vec(triangle, 0..most), prop::array::uniform4((unit(), any_size()))).prop_map(
        |(raw, places)| {
            soup(raw.into_iter().map(|(place, offset, size, d, e, kind)| {
                let (at, spread) = places[place];
                let p =
                    (at * spread + offset * spread.min(1.0)).clamp(DVec3::splat(-1e300), DVec3::splat(1e300));
                let q = match kind {
                    0 => p,
                    _ => p + d * size,
                };
                let r = match kind {
                    0 | 1 => q,
                    2 => p + (q - p) * 0.5,
                    _ => p + e * size,
                };
                [p, q, r]
            }))
        },
    )
}

/// Corners drawn from few grid points: duplicates, degenerate faces, shared vertices, coplanar ones.
fn grid_soup() -> impl Strategy<Value = Mesh> {
    let point = [0..4_i32, 0..4_i32, 0..3_i32].prop_map(|p| DVec3::from_array(p.map(f64::from)));
    let scale = (-200..200_i32).prop_map(|e| 2f64.powi(e));
    (prop::collection::vec(point, 3..24), prop::collection::vec(any::<[u16; 3]>(), 0..40), scale).prop_map(
        |(points, raw, scale)| {
            let n = points.len() as u32;
            let triangles = raw.iter().map(|t| t.map(|v| u32::from(v) % n)).collect();
            Mesh::new(points.into_iter().map(|p| p * scale).collect(), triangles).unwrap()
        },
    )
}

/// A closed surface whose vertices were moved, from not at all to beyond recognition, and some triangles turned over or
/// doubled.
fn crumpled() -> impl Strategy<Value = Mesh> {
    let amount = prop_oneof![Just(0.0), Just(1e-9), 0.0..0.3_f64, 0.3..3.0_f64];
    let odd = prop::collection::vec((0..320_usize, any::<bool>()), 0..6);
    (0..1000_u64, amount, any_size(), odd, prop::array::uniform3(-1e3..1e3_f64)).prop_map(
        |(seed, amount, size, odd, at)| {
            let ball = shapes::icosphere(1.0, 2);
            let mut stream = Stream::new(seed);
            let mut noise = || DVec3::new(stream.unit(), stream.unit(), stream.unit()) - 0.5;
            let place = |p: &DVec3| (*p + 0.4 * amount * noise() + DVec3::from_array(at) * amount) * size;
            let positions: Vec<DVec3> = ball.positions().iter().map(place).collect();
            let mut triangles = ball.triangles().to_vec();
            for (triangle, doubled) in odd {
                let [a, b, c] = triangles[triangle];
                if doubled {
                    triangles.push([b, c, a]);
                } else {
                    triangles[triangle] = [a, c, b];
                }
            }
            Mesh::new(positions, triangles).unwrap()
        },
    )
}

fn any_pose() -> impl Strategy<Value = Pose> {
    ([-1.0..1.0_f64, -1.0..1.0, -1.0..1.0, 0.1..1.0], [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0])
        .prop_map(|(q, t)| Pose::new(DQuat::from_array(q), DVec3::from_array(t)).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn wild_soups_against_themselves(mesh in wild_soup(120)) { check_self(&mesh); }

    #[test]
    fn crumpled_surfaces_against_themselves(mesh in crumpled()) { check_self(&mesh); }

    #[test]
    fn grid_soups_against_themselves(mesh in grid_soup()) { check_self(&mesh); }

    #[test]
    fn wild_soups_against_each_other(a in wild_soup(60), b in wild_soup(60)) {
        check_between(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY);
    }

    #[test]
    fn posed_soups(a in grid_soup(), b in wild_soup(40), p in any_pose(), q in any_pose()) {
        check_between(&a, &p, &b, &q);
    }
}

/// A surface of small triangles with a few of every larger size through it.
fn mixed_sizes(stream: &mut Stream, far: f64) -> Mesh {
    let surface = shapes::noisy_sphere(3_000, 0.3, 7);
    let mut large = Vec::new();
    for size in [0.1, 0.3, 1.0, 10.0, 1e3, 1e6] {
        for _ in 0..6 {
            let mut point = || DVec3::new(stream.unit(), stream.unit(), stream.unit());
            let p = point();
            large.push([p, p + point() * size, p + point() * size]);
        }
    }
    let mixed = Mesh::join([&surface, &soup(large)]).unwrap();
    let positions = mixed.positions().iter().map(|p| *p + DVec3::splat(far)).collect();
    Mesh::new(positions, mixed.triangles().to_vec()).unwrap()
}

#[test]
fn every_level_meets_every_other() {
    for far in [0.0, 1e4] {
        let mesh = mixed_sizes(&mut Stream::new(3), far);
        let expected = brute::find_self_pairs(&mesh, Touch::Include);
        assert!(expected.len() > 500, "{} pairs are too few to show anything", expected.len());
        for table in TABLES {
            let mut finder =
                Finder::new(FindOptions { soup: SoupOptions { table }, ..FindOptions::default() });
            assert_eq!(finder.find_self_pairs(&mesh), expected, "{table:?}, {far}");
            assert!(finder.soup_stats().levels > 4);
            finder.validate_soup(&mesh).unwrap();
        }
    }
}

#[test]
fn a_giant_triangle_far_below_changes_nothing() {
    let cloth = shapes::folded_cloth(20_000);
    let mut finder = Finder::default();
    let expected = finder.find_self_pairs(&cloth).to_vec();
    let decided = finder.stats().decided;
    for size in [1e2, 1e5, 1e9, 1e15] {
        let below =
            [[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]].map(|[x, y]| DVec3::new(x * size, y * size, -0.5));
        let floor = Mesh::join([&cloth, &soup([below])]).unwrap();
        assert_eq!(finder.find_self_pairs(&floor), expected, "{size}");
        // It does not make the numbers of the others coarser.
        assert!(finder.stats().decided < 2 * decided + 100, "{} and {decided}", finder.stats().decided);
    }
}

/// Frames of other sizes, shapes and places, in any order: nothing is left over from the one before.
#[test]
fn triangles_come_and_go_between_frames() {
    let mut stream = Stream::new(5);
    let tangle =
        Mesh::join([&shapes::noisy_sphere(800, 0.3, 1), &shapes::noisy_sphere(900, 0.3, 2)]).unwrap();
    for table in TABLES {
        let mut finder = Finder::new(FindOptions { soup: SoupOptions { table }, ..FindOptions::default() });
        for frame in 0..30 {
            let part = stream.below(4);
            let triangles: Vec<_> =
                tangle.triangles().iter().copied().filter(|_| stream.below(4) >= part).collect();
            let scale = 10f64.powi((frame * 7) % 11 - 5);
            let positions =
                tangle.positions().iter().map(|p| *p * scale + scale * f64::from(frame)).collect();
            let mesh = Mesh::new(positions, triangles).unwrap();
            assert_eq!(finder.find_self_pairs(&mesh), brute::find_self_pairs(&mesh, Touch::Include));
            finder.validate_soup(&mesh).unwrap();
        }
        assert!(finder.find_self_pairs(&Mesh::default()).is_empty());
        assert!(finder.find_pairs(&tangle, &Mesh::default()).is_empty());
        assert!(finder.find_pairs(&Mesh::default(), &tangle).is_empty());
    }
}

#[test]
fn answers_and_counts_are_the_same_on_any_number_of_threads() {
    let cloth = shapes::folded_cloth(30_000);
    let mixed = mixed_sizes(&mut Stream::new(9), 0.0);
    let expected = Finder::default().find_self_pairs(&MeshTree::build(cloth.clone())).to_vec();
    let answers = |count: usize, threads: Threads| -> Vec<(Vec<Pair>, FindStats)> {
        on_threads(count, || {
            let of_table = TABLES.iter().flat_map(|&table| {
                let options = FindOptions { touch: Touch::Include, threads, ..FindOptions::default() };
                let mut finder = Finder::new(FindOptions { soup: SoupOptions { table }, ..options });
                let mut answers = Vec::new();
                for mesh in [&cloth, &mixed, &cloth] {
                    answers.push((finder.find_self_pairs(mesh).to_vec(), *finder.stats()));
                    finder.validate_soup(mesh).unwrap();
                }
                answers.push((finder.find_pairs(&cloth, &mixed).to_vec(), *finder.stats()));
                answers
            });
            of_table.collect()
        })
    };
    let one = answers(1, Threads::One);
    assert_eq!(one[0].0, expected);
    for threads in [1, 2, 3, 8] {
        assert!(answers(threads, Threads::All) == one, "{threads} threads");
    }
}
