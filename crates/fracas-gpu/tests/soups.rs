//! Soups of all kinds against brute force and against the library's own soup, as sets of pairs.

mod common;

use common::inputs::Stream;
use common::soups::{grid_soup, loose_grid_soup, mapped, needles, random_soup, soup, together};
use common::{machines, pairs_between, self_pairs};
use fracas::Finder;
use fracas::geom::{DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::pairs::{Pair, Touch, brute};
use fracas_gpu::{GpuError, GpuOptions, GpuSoup};
use proptest::prelude::*;

#[track_caller]
fn check_self(mesh: &Mesh) {
    for touch in [Touch::Include, Touch::Proper] {
        let expected = brute::find_self_pairs(mesh, touch);
        for (name, make) in machines() {
            assert_eq!(self_pairs(make, mesh, touch), expected, "{name} {touch:?}");
        }
    }
}

#[track_caller]
fn check_between(a: &Mesh, b: &Mesh) {
    for touch in [Touch::Include, Touch::Proper] {
        let expected = brute::find_pairs(a, &Pose::IDENTITY, b, &Pose::IDENTITY, touch);
        for (name, make) in machines() {
            assert_eq!(pairs_between(make, a, b, touch), expected, "{name} {touch:?}");
        }
    }
}

/// Against the library's soup, which other tests compare with brute force.
#[track_caller]
fn check_large(mesh: &Mesh) -> usize {
    let expected = Finder::default().find_self_pairs(mesh).to_vec();
    for (name, make) in machines() {
        let found = self_pairs(make, mesh, Touch::Include);
        assert!(found == expected, "{name}: {} pairs, not {}", found.len(), expected.len());
    }
    expected.len()
}

#[test]
fn soups_of_every_kind() {
    let mut s = Stream::new(11);
    for round in 0..30 {
        check_self(&grid_soup(&mut s, [4, 4, 3], 20, 60));
        check_self(&grid_soup(&mut s, [6, 6, 1], 20, 40));
        check_self(&loose_grid_soup(&mut s, [5, 5, 5], 40));
        check_self(&random_soup(&mut s, 80, 0.4));
        check_self(&needles(&mut s, 40, [1e-3, 1e-9, 1e-16][round % 3]));
        let soups = [random_soup(&mut s, 40, 0.5), grid_soup(&mut s, [3, 3, 3], 12, 30)];
        check_between(&soups[0], &soups[1]);
    }
}

#[test]
fn flat_sheets_are_settled_on_the_machine() {
    // Neighbours in one plane: nothing may be left for the processor, or a cloth at rest would be slow.
    for mesh in [
        shapes::cloth_grid(40, 40, [1.0, 1.0]),
        mapped(&shapes::cloth_grid(40, 40, [1.0, 1.0]), |p| {
            DVec3::new(0.6 * p.x - 0.8 * p.y, 0.36 * p.y + 0.48 * p.x + 3.0, 0.64 * p.x + 0.48 * p.y)
        }),
    ] {
        for (name, make) in machines() {
            let mut soup = make(&[&mesh], GpuOptions::default()).unwrap();
            assert_eq!(soup.find_pairs().unwrap(), []);
            assert_eq!(soup.stats().open, 0, "{name}: {:?}", soup.stats());
        }
    }
}

#[test]
fn large_meshes() {
    let cloth = shapes::folded_cloth(20_000);
    assert!(check_large(&cloth) > 100);
    check_large(&shapes::creature(15_000));
    check_large(&shapes::noisy_sphere(20_000, 0.2, 1));
    check_large(&mapped(&cloth, |p| p * 1e-200 + DVec3::splat(1e-190)));
    check_large(&mapped(&cloth, |p| p + DVec3::new(1e5, -1e5, 0.0)));
    // One giant triangle through everything, and dust in a corner.
    let mut s = Stream::new(5);
    let floor = soup([[DVec3::new(-1e4, -1e4, 0.1), DVec3::new(1e4, -1e4, 0.2), DVec3::new(0.0, 1e4, -0.3)]]);
    let dust = mapped(&random_soup(&mut s, 3000, 0.05), |p| p * 1e-3);
    assert!(check_large(&together(&[cloth, floor, dust])) > 500);
}

#[test]
fn triangles_in_any_order() {
    let cloth = shapes::folded_cloth(8_000);
    let mut order: Vec<usize> = (0..cloth.triangle_count()).collect();
    let mut s = Stream::new(3);
    for k in (1..order.len()).rev() {
        order.swap(k, s.below(k as u64 + 1) as usize);
    }
    let triangles = order.iter().map(|&t| cloth.triangles()[t]).collect();
    check_large(&Mesh::new(cloth.positions().to_vec(), triangles).unwrap());
}

#[test]
fn lists_grow_until_all_pairs_fit() {
    let mut s = Stream::new(8);
    // Far more pairs than there is room for at first: met, and open.
    let tangle = random_soup(&mut s, 700, 2.0);
    let copies = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]; 150]).unwrap();
    for (mesh, touch) in [(&tangle, Touch::Proper), (&copies, Touch::Include)] {
        let expected = brute::find_self_pairs(mesh, touch);
        assert!(expected.len() > 10_000);
        for (name, make) in machines() {
            let mut soup = make(&[mesh], GpuOptions { touch, within: true }).unwrap();
            assert_eq!(soup.find_pairs().unwrap(), expected, "{name}");
            assert!(soup.stats().repeats > 0, "{name}: the room was large enough from the start");
            assert_eq!(soup.find_pairs().unwrap(), expected, "{name}");
            assert_eq!(soup.stats().repeats, 0, "{name}: the room was forgotten");
        }
    }
}

/// A cloth that is stretched, crumpled, blown up a thousandfold and thrown far away.
fn frames(cloth: &Mesh) -> Vec<Vec<DVec3>> {
    let change = |f: &dyn Fn(DVec3) -> DVec3| cloth.positions().iter().map(|p| f(*p)).collect();
    vec![
        change(&|p| p),
        change(&|p| DVec3::new(p.x, p.y * 0.7, p.z * 1.5)),
        change(&|p| DVec3::new(p.x + 0.05 * (40.0 * p.y).sin(), p.y, p.z + 0.05 * (50.0 * p.x).cos())),
        change(&|p| p * 1000.0),
        change(&|p| p * 1e-6),
        change(&|p| p + DVec3::splat(1e7)),
        change(&|p| DVec3::new(p.x, 0.0, p.z * 1e-3)),
        change(&|p| p),
    ]
}

#[test]
fn frame_after_frame() {
    let cloth = shapes::folded_cloth(6_000);
    let mut finder = Finder::default();
    for (name, make) in machines() {
        let mut soup = make(&[&cloth], GpuOptions::default()).unwrap();
        for (k, positions) in frames(&cloth).iter().enumerate() {
            let moved = Mesh::new(positions.clone(), cloth.triangles().to_vec()).unwrap();
            let expected = finder.find_self_pairs(&moved);
            soup.set_positions(positions).unwrap();
            let step = soup.step_async().unwrap();
            while !step.is_done().unwrap() {
                std::thread::yield_now();
            }
            assert!(step.pairs().unwrap() == expected, "{name}, frame {k}");
            let left = soup.step_async().unwrap().leave_on_device().unwrap();
            assert_eq!(left.count as usize + left.elsewhere.len(), expected.len(), "{name}, frame {k}");
        }
    }
}

#[test]
fn positions_written_behind_our_back() {
    // The plan and the coordinates were made for a body a thousand times as large, somewhere else.
    let cloth = shapes::folded_cloth(6_000);
    let small: Vec<DVec3> = cloth.positions().iter().map(|p| *p * 1e-3 + DVec3::splat(0.1)).collect();
    let moved = Mesh::new(small, cloth.triangles().to_vec()).unwrap();
    let away = Mesh::new(vec![DVec3::splat(-0.5), DVec3::splat(0.5)], vec![]).unwrap();
    let expected = Finder::default().find_self_pairs(&moved).to_vec();
    for (name, make) in machines() {
        // Two vertices of another mesh hold the frame open.
        let mut soup = make(&[&cloth, &away], GpuOptions::default()).unwrap();
        let positions = [moved.positions(), away.positions()].concat();
        soup.set_positions(&positions).unwrap();
        assert!(soup.find_pairs().unwrap() == expected, "{name}");
        soup.recentre().unwrap();
        assert!(soup.find_pairs().unwrap() == expected, "{name}");
    }
}

#[test]
fn bad_positions_change_nothing() {
    let ball = shapes::icosphere(1.0, 2);
    for (_, make) in machines() {
        let mut soup: GpuSoup =
            make(&[&ball, &ball], GpuOptions { within: false, ..Default::default() }).unwrap();
        let before = soup.find_pairs().unwrap().to_vec();
        assert!(!before.is_empty());
        let mut bad = [ball.positions(), ball.positions()].concat();
        assert_eq!(
            soup.set_positions(&bad[1..]),
            Err(GpuError::WrongVertexCount { expected: bad.len(), given: bad.len() - 1 })
        );
        bad[77].y = f64::NAN;
        assert_eq!(soup.set_positions(&bad), Err(GpuError::NotFinite { vertex: 77 }));
        assert_eq!(soup.find_pairs().unwrap(), before);
    }
}

#[test]
fn nothing_meets_nothing() {
    let one = soup([[DVec3::ZERO, DVec3::X, DVec3::Y]]);
    let none: [Pair; 0] = [];
    for (_, make) in machines() {
        for meshes in [&[][..], &[&Mesh::default()], &[&one], &[&one, &Mesh::default()]] {
            assert_eq!(make(meshes, GpuOptions::default()).unwrap().find_pairs().unwrap(), none);
        }
    }
}

/// Triangles of every size, thin ones, segments and points, around a few places.
fn wild_soup(most: usize) -> impl Strategy<Value = Mesh> {
    let size = prop_oneof![
        4 => (-3.0..1.0_f64).prop_map(|e| 10f64.powf(e)),
        2 => (-12.0..6.0_f64).prop_map(|e| 10f64.powf(e)),
        1 => (-320.0..300.0_f64).prop_map(|e| 10f64.powf(e)),
        1 => Just(0.0),
    ];
    let unit = || prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from_array);
    let triangle = (0..4_usize, unit(), size.clone(), unit(), unit(), 0..8_u8);
    (prop::collection::vec(triangle, 0..most), prop::array::uniform4((unit(), size))).prop_map(
        |(raw, places)| {
            soup(raw.into_iter().map(|(place, offset, size, d, e, kind)| {
                let (at, spread) = places[place];
                let limit = DVec3::splat(1e300);
                let p = (at * spread + offset * spread.min(1.0)).clamp(-limit, limit);
                let q = if kind == 0 { p } else { p + d * size };
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

/// Fans and strips of triangles that share vertices, folded and bent at random, some flat.
fn crumpled_sheet() -> impl Strategy<Value = Mesh> {
    let amplitude = prop_oneof![Just(0.0), Just(1e-12), Just(1e-6), Just(0.05), Just(1.0)];
    (2..7_usize, 2..7_usize, amplitude, any::<u64>(), prop_oneof![Just(0.0), Just(1.0), Just(1e6)]).prop_map(
        |(nx, ny, amplitude, seed, far)| {
            let mut s = Stream::new(seed);
            crumple(&shapes::cloth_grid(nx, ny, [1.0, 1.0]), |p| {
                p + amplitude * DVec3::new(s.unit(), s.unit(), s.unit()) + DVec3::splat(far)
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn wild_soups(mesh in wild_soup(40)) {
        check_self(&mesh);
    }

    #[test]
    fn crumpled_sheets(mesh in crumpled_sheet()) {
        check_self(&mesh);
    }
}

fn crumple(mesh: &Mesh, mut change: impl FnMut(DVec3) -> DVec3) -> Mesh {
    let positions = mesh.positions().iter().map(|p| change(*p)).collect();
    Mesh::new(positions, mesh.triangles().to_vec()).expect("finite positions")
}
