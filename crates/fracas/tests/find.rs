//! Tree queries against brute force, as sets of pairs.

use fracas::geom::{DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, shapes};
use fracas::pairs::{Pair, Touch, brute};
use fracas::{BuildOptions, FindOptions, Finder, MeshTree, SplitRule, Threads};
use proptest::prelude::*;

const RULES: [SplitRule; 3] = [SplitRule::SurfaceArea, SplitRule::Median, SplitRule::Midpoint];

fn finders() -> Vec<Finder> {
    let touches = [Touch::Include, Touch::Proper];
    let options = touches.into_iter().flat_map(|touch| {
        [Threads::One, Threads::Auto, Threads::All].map(|threads| FindOptions {
            touch,
            threads,
            ..FindOptions::default()
        })
    });
    options.map(Finder::new).collect()
}

fn bodies(mesh: &Mesh) -> Vec<MeshTree> {
    let options = RULES.into_iter().flat_map(|split| {
        [(true, false), (false, true)].map(|(self_queries, parallel)| BuildOptions {
            split,
            self_queries,
            parallel,
        })
    });
    options.map(|options| MeshTree::build_with(mesh.clone(), &options)).collect()
}

/// Every build option and every find option gives what brute force gives.
fn check_self(mesh: &Mesh) {
    for body in bodies(mesh) {
        body.validate().unwrap();
        for finder in &mut finders() {
            let expected = brute::find_self_pairs(mesh, finder.options().touch);
            assert_eq!(finder.find_self_pairs(&body), expected);
        }
    }
}

fn check_between(a: &Mesh, pose_a: &Pose, b: &Mesh, pose_b: &Pose) {
    for (a, b) in bodies(a).iter().zip(&bodies(b)) {
        for finder in &mut finders() {
            let touch = finder.options().touch;
            let expected = brute::find_pairs(a.mesh(), pose_a, b.mesh(), pose_b, touch);
            assert_eq!(finder.find_pairs(a.at(pose_a), b.at(pose_b)), expected);
            let flipped: Vec<Pair> = finder
                .find_pairs(b.at(pose_b), a.at(pose_a))
                .iter()
                .map(|pair| Pair { a: pair.b, b: pair.a })
                .collect();
            let mut sorted = flipped.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, expected);
        }
    }
}

/// Triangles with corners drawn from few grid points: duplicates, degenerate faces, shared vertices, coplanar ones.
fn grid_soup() -> impl Strategy<Value = Mesh> {
    let point = [0..4_i32, 0..4_i32, 0..3_i32].prop_map(|p| DVec3::from_array(p.map(f64::from)));
    (prop::collection::vec(point, 3..24), prop::collection::vec(any::<[u16; 3]>(), 0..40)).prop_map(
        |(points, raw)| {
            let n = points.len() as u32;
            let triangles = raw.iter().map(|t| t.map(|v| u32::from(v) % n)).collect();
            Mesh::new(points, triangles).unwrap()
        },
    )
}

fn random_soup(most: usize) -> impl Strategy<Value = Mesh> {
    let point = [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0].prop_map(DVec3::from_array);
    (prop::collection::vec((point, prop::array::uniform6(-0.3..0.3_f64)), 0..most), -30..30_i32, -5..5_i32)
        .prop_map(|(raw, exponent, far)| {
            let scale = 2f64.powi(exponent);
            let origin = DVec3::splat(f64::from(far) * 1e3);
            let corners = |(p, e): (DVec3, [f64; 6])| {
                [p, p + DVec3::from_slice(&e[..3]), p + DVec3::from_slice(&e[3..])]
                    .map(|p| (p + origin) * scale)
            };
            let positions: Vec<DVec3> = raw.into_iter().flat_map(corners).collect();
            let triangles = (0..positions.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            Mesh::new(positions, triangles).unwrap()
        })
}

fn any_pose() -> impl Strategy<Value = Pose> {
    ([-1.0..1.0_f64, -1.0..1.0, -1.0..1.0, 0.1..1.0], [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0])
        .prop_map(|(q, t)| Pose::new(DQuat::from_array(q), DVec3::from_array(t)).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn grid_soups_against_themselves(mesh in grid_soup()) { check_self(&mesh); }

    #[test]
    fn random_soups_against_themselves(mesh in random_soup(120)) { check_self(&mesh); }

    #[test]
    fn grid_soups_against_each_other(a in grid_soup(), b in grid_soup()) {
        check_between(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY);
    }

    #[test]
    fn random_soups_posed(a in random_soup(60), b in random_soup(60), p in any_pose(), q in any_pose()) {
        check_between(&a, &p, &b, &q);
    }
}

#[test]
fn a_torn_sheet_meets_itself_where_brute_force_says() {
    // A wavy sheet wound around itself: culling must stop where layers cross.
    for turns in [0.4, 1.3] {
        let n = 40;
        let at = |i: usize, j: usize| {
            let angle = turns * std::f64::consts::TAU * i as f64 / n as f64;
            let radius = 1.0 + 0.2 * (5.0 * angle).sin();
            DVec3::new(
                radius * angle.cos(),
                radius * angle.sin(),
                0.1 * j as f64 + 0.03 * (7.0 * angle).cos(),
            )
        };
        let positions = (0..=n).flat_map(|i| (0..=8).map(move |j| at(i, j))).collect();
        let mut triangles = Vec::new();
        for i in 0..n as u32 {
            for j in 0..8 {
                let v = 9 * i + j;
                triangles.extend([[v, v + 9, v + 1], [v + 1, v + 9, v + 10]]);
            }
        }
        check_self(&Mesh::new(positions, triangles).unwrap());
    }
}

/// A square sheet whose vertices are moved about, from gently to until it lies all over itself.
fn crumpled_sheet(cells: usize, height: f64, shear: f64, noise: &[f64]) -> Mesh {
    let n = cells + 1;
    let at = |i: usize, j: usize| {
        let random = |k: usize| noise[(3 * (i * n + j) + k) % noise.len()];
        let (x, y) = (i as f64 + shear * random(0), j as f64 + shear * random(1));
        // A fold along the middle brings the second half back over the first.
        let x = if height > 1.0 && x > cells as f64 / 2.0 { cells as f64 - x } else { x };
        DVec3::new(x, y, height * random(2) + if height > 1.0 { 0.05 * i as f64 } else { 0.0 })
    };
    let positions = (0..n).flat_map(|i| (0..n).map(move |j| at(i, j))).collect();
    let mut triangles = Vec::new();
    for v in (0..cells).flat_map(|i| (0..cells).map(move |j| (i * n + j) as u32)) {
        let n = n as u32;
        triangles.extend([[v, v + n, v + 1], [v + 1, v + n, v + n + 1]]);
    }
    Mesh::new(positions, triangles).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn crumpled_sheets_meet_themselves_where_brute_force_says(
        (cells, height, shear) in (6..18_usize, 0.0..1.5_f64, 0.0..0.7_f64),
        noise in prop::collection::vec(-1.0..1.0_f64, 997),
    ) {
        check_self(&crumpled_sheet(cells, height, shear, &noise));
    }
}

#[test]
fn a_rough_sheet_is_skipped_and_a_torn_one_is_not() {
    let noise: Vec<f64> = (0..997).map(|k| f64::from((k * 7919) % 1000) / 500.0 - 1.0).collect();
    let mut finder = Finder::default();
    let rough = MeshTree::build(crumpled_sheet(16, 0.4, 0.2, &noise));
    assert!(finder.find_self_pairs(&rough).is_empty());
    assert_eq!(finder.stats().culled, 1, "one look at the outline should do");
    let folded = MeshTree::build(crumpled_sheet(16, 1.2, 0.3, &noise));
    assert!(!finder.find_self_pairs(&folded).is_empty());
}

#[test]
fn folded_cloth_meets_itself_in_as_many_places_as_other_libraries_count() {
    // MeshLib and CGAL count the same on this cloth.
    let body = MeshTree::build(shapes::folded_cloth(92_000));
    assert_eq!(Finder::default().find_self_pairs(&body).len(), 4409);
}

#[test]
fn shapes_do_not_meet_themselves() {
    for mesh in [shapes::icosphere(1.0, 3), shapes::torus(2.0, 0.5, 64), shapes::noisy_sphere(2000, 0.2, 1)] {
        check_self(&mesh);
        let body = MeshTree::build(mesh);
        let mut finder = Finder::default();
        assert!(finder.find_self_pairs(&body).is_empty());
        assert!(finder.stats().culled > 0, "nothing was culled");
    }
}
