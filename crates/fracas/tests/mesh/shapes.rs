//! Every closed shape over its range of parameters: watertight, oriented, of the right topology and volume.

use fracas::geom::{DAffine3, DMat3, DQuat, DVec3, Pose};
use fracas::mesh::{Mesh, Report, shapes};
use fracas::pairs::{Touch, brute};
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};

/// Checks what is true of every closed shape and returns its volume.
#[track_caller]
fn check_closed(mesh: &Mesh, euler: i64) -> f64 {
    let report = Report::of(mesh);
    assert!(report.closed && report.oriented, "not watertight: {report:?}");
    assert_eq!(report.components, 1);
    assert_eq!(report.euler_characteristic(), euler);
    assert_eq!((report.degenerate_triangles, report.duplicate_triangles), (0, 0));
    assert_eq!(report.unreferenced_vertices, 0);
    let volume = report.volume.unwrap();
    assert!(volume > 0.0, "inside out: volume {volume}");
    volume
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{found} instead of {expected}");
}

/// Area of a regular polygon of *n* corners on a circle of radius 1.
fn polygon_area(n: usize) -> f64 {
    0.5 * n as f64 * (TAU / n as f64).sin()
}

fn length() -> impl Strategy<Value = f64> {
    (-3.0..3.0_f64).prop_map(|exponent| 10.0_f64.powf(exponent))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spheres(radius in length(), n in 1_u32..24) {
        let volume = check_closed(&shapes::geodesic_sphere(radius, n), 2);
        let ball = 4.0 / 3.0 * PI * radius.powi(3);
        // The icosahedron fills 61 % of the ball; the gap closes with the square of the frequency.
        prop_assert!(volume < ball);
        prop_assert!(1.0 - volume / ball < 0.7 / f64::from(n * n), "n = {n}: {}", volume / ball);
    }

    #[test]
    fn noisy_spheres(triangles in 20_usize..20_000, amplitude in 0.0..0.9_f64, seed in any::<u64>()) {
        let mesh = shapes::noisy_sphere(triangles, amplitude, seed);
        let volume = check_closed(&mesh, 2);
        let unit = check_closed(&shapes::noisy_sphere(triangles, 0.0, seed), 2);
        let limits = [1.0 - amplitude, 1.0 + amplitude].map(|radius| unit * radius.powi(3));
        prop_assert!(volume >= limits[0] && volume <= limits[1]);
        // Star-shaped: the centre lies behind every triangle.
        for &corners in mesh.triangles() {
            let [a, b, c] = corners.map(|v| mesh.positions()[v as usize]);
            prop_assert!(a.dot(b.cross(c)) > 0.0);
        }
        let frequency = (mesh.triangle_count() as f64 / 20.0).sqrt();
        prop_assert!((frequency - (triangles as f64 / 20.0).sqrt()).abs() <= 0.5 + 1e-9);
    }

    #[test]
    fn boxes(x in length(), y in length(), z in length(), cells in 0.5..12.0_f64) {
        let size = DVec3::new(x, y, z);
        let volume = x * y * z;
        assert_near(check_closed(&shapes::cuboid(size), 2), volume, 1e-12);
        let edge = size.max_element() / cells;
        assert_near(check_closed(&shapes::brick(size, edge), 2), volume, 1e-12);
        assert_near(check_closed(&shapes::plate(x, y, z, edge), 2), volume, 1e-12);
    }

    #[test]
    fn tori(minor in length(), gap in 0.05..5.0_f64, segments in 3_usize..60) {
        let major = minor * (1.0 + gap);
        let mesh = shapes::torus(major, minor, segments);
        let around = mesh.vertex_count() / segments;
        // The rule of Pappus with polygons for circles: the area of the profile times the way of its centre.
        let expected = polygon_area(around) * minor * minor * 2.0 * major * polygon_area(segments);
        assert_near(check_closed(&mesh, 0), expected, 1e-9);
    }

    #[test]
    fn cylinders_and_cones(radius in length(), shape in 0.05..8.0_f64, segments in 3_usize..60) {
        let height = radius * shape;
        let base = polygon_area(segments) * radius * radius;
        assert_near(check_closed(&shapes::cylinder(radius, height, segments), 2), base * height, 1e-9);
        assert_near(check_closed(&shapes::cone(radius, height, segments), 2), base * height / 3.0, 1e-9);
    }

    #[test]
    fn capsules(radius in length(), shape in 0.05..8.0_f64, segments in 3_usize..80) {
        let height = radius * shape;
        let volume = check_closed(&shapes::capsule(radius, height, segments), 2);
        let exact = PI * radius * radius * (height + 4.0 / 3.0 * radius);
        prop_assert!(volume < exact);
        if segments >= 12 {
            assert_near(volume, exact, 18.0 / (segments * segments) as f64);
        }
    }

    /// Any profile between two poles, against the sum of its frustums.
    #[test]
    fn surfaces_of_revolution(
        radii in proptest::collection::vec(0.1..2.0_f64, 1..12),
        segments in 3_usize..40,
    ) {
        let n = radii.len();
        let mut profile = vec![[0.0, 0.0]];
        profile.extend(radii.iter().enumerate().map(|(i, &r)| [r, 0.3 * (i + 1) as f64]));
        profile.push([0.0, 0.3 * (n + 1) as f64]);
        let mesh = shapes::surface_of_revolution(&profile, segments);
        let volume = check_closed(&mesh, 2);
        let frustum = |pair: &[[f64; 2]]| {
            let [[r0, z0], [r1, z1]] = [pair[0], pair[1]];
            (r0 * r0 + r0 * r1 + r1 * r1) / 3.0 * (z1 - z0)
        };
        let expected = polygon_area(segments) * profile.windows(2).map(frustum).sum::<f64>();
        assert_near(volume, expected, 1e-9);
        prop_assert_eq!(mesh.vertex_count(), 2 + n * segments);
    }

    #[test]
    fn pumpkins(ribs in 3_u32..16, triangles in 2_000_usize..20_000) {
        let volume = check_closed(&shapes::pumpkin(ribs, triangles), 2);
        prop_assert!((2.2..3.0).contains(&volume), "{ribs} ribs: volume {volume}");
    }

    #[test]
    fn cloths(nx in 1_usize..40, ny in 1_usize..40, width in length(), depth in length()) {
        let report = Report::of(&shapes::cloth_grid(nx, ny, [width, depth]));
        prop_assert_eq!(report.triangles, 2 * nx * ny);
        prop_assert_eq!((report.components, report.boundary_loops), (1, 1));
        prop_assert_eq!(report.boundary_edges, 2 * (nx + ny));
        prop_assert_eq!((report.euler_characteristic(), report.degenerate_triangles), (1, 0));
        prop_assert!(report.oriented && !report.closed);
        assert_near(report.area, width * depth, 1e-12);
    }

    #[test]
    fn subdivision_and_affine_maps_keep_a_shape_closed(
        n in 1_u32..6,
        matrix in proptest::array::uniform9(-1.0..1.0_f64),
        shift in proptest::array::uniform3(-9.0..9.0_f64),
    ) {
        let mesh = shapes::geodesic_sphere(1.0, n);
        let volume = check_closed(&mesh, 2);
        let fine = mesh.subdivided().unwrap();
        prop_assert_eq!(fine.triangle_count(), 4 * mesh.triangle_count());
        assert_near(check_closed(&fine, 2), volume, 1e-12);

        let matrix = DMat3::from_cols_array(&matrix);
        let determinant = matrix.determinant();
        prop_assume!(determinant.abs() > 0.01);
        let image = mesh.transformed(&DAffine3::from_mat3_translation(matrix, shift.into())).unwrap();
        let image = if determinant < 0.0 { image.flipped() } else { image };
        assert_near(check_closed(&image, 2), volume * determinant.abs(), 1e-9);
    }
}

#[test]
fn creatures() {
    for triangles in [5_000, 5_660, 6_010, 11_000, 22_640] {
        let mesh = shapes::creature(triangles);
        let volume = check_closed(&mesh, 2);
        assert!((2.6..2.95).contains(&volume), "{triangles} triangles: volume {volume}");
        assert_near(mesh.triangle_count() as f64, triangles as f64, 0.03);
        let (low, high) = Report::of(&mesh).bounds.unwrap().corners();
        let size = high - low;
        assert!((size - DVec3::new(4.9, 1.27, 1.95)).abs().max_element() < 0.15, "size {size}");
    }
}

#[test]
fn large_shapes_have_the_sizes_that_benchmarks_need() {
    for (triangles, made) in [(23_000, 23_120), (91_000, 89_780), (364_000, 364_500)] {
        let mesh = shapes::noisy_sphere(triangles, 0.15, 1);
        check_closed(&mesh, 2);
        assert_eq!(mesh.triangle_count(), made);
        assert_near(made as f64, triangles as f64, 0.03);
    }
    let mesh = shapes::creature(90_560);
    check_closed(&mesh, 2);
    assert_near(mesh.triangle_count() as f64, 90_560.0, 0.03);
}

#[test]
fn folded_cloths_are_discs_without_degenerate_triangles() {
    for triangles in [2_000, 5_000, 20_000, 92_000, 250_000] {
        let report = Report::of(&shapes::folded_cloth(triangles));
        assert_near(report.triangles as f64, triangles as f64, 0.02);
        assert_eq!((report.components, report.boundary_loops, report.euler_characteristic()), (1, 1, 1));
        assert_eq!((report.degenerate_triangles, report.inconsistent_edges), (0, 0));
        assert_near(report.area, 2.0, 0.1);
        // Folded: the pile is far smaller than the strip of 2 by 1.
        let (low, high) = report.bounds.unwrap().corners();
        assert!((high - low).max_element() < 1.3, "{triangles} triangles: from {low} to {high}");
    }
}

#[test]
fn small_closed_shapes_do_not_cross_themselves() {
    let meshes = [
        ("noisy sphere", shapes::noisy_sphere(1_200, 0.6, 3)),
        ("pumpkin", shapes::pumpkin(7, 2_000)),
        ("torus", shapes::torus(1.0, 0.4, 24)),
        ("capsule", shapes::capsule(0.5, 1.0, 16)),
        ("brick", shapes::brick(DVec3::new(1.0, 0.6, 0.3), 0.1)),
        ("creature", shapes::creature(5_000)),
    ];
    for (name, mesh) in meshes {
        assert_eq!(crossings(&mesh), 0, "{name}");
    }
    // The check finds what is there: two spheres that overlap.
    let sphere = shapes::icosphere(1.0, 2);
    let shifted = sphere.transformed(&DAffine3::from_translation(DVec3::new(0.7, 0.1, 0.2))).unwrap();
    assert!(crossings(&Mesh::join([&sphere, &shifted]).unwrap()) > 20);
}

/// How often a side of a triangle passes through a triangle with which it has no vertex in common. Rounded, so
/// only clear crossings count.
fn crossings(mesh: &Mesh) -> usize {
    let corners: Vec<[DVec3; 3]> =
        mesh.triangles().iter().map(|t| t.map(|v| mesh.positions()[v as usize])).collect();
    let low: Vec<DVec3> = corners.iter().map(|[a, b, c]| a.min(*b).min(*c)).collect();
    let high: Vec<DVec3> = corners.iter().map(|[a, b, c]| a.max(*b).max(*c)).collect();
    let side = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
    let mut count = 0;
    for s in 0..corners.len() {
        for t in 0..corners.len() {
            if !(low[s].cmple(high[t]).all() && low[t].cmple(high[s]).all()) {
                continue;
            }
            let [a, b, c] = corners[t];
            for e in 0..3 {
                let ends = [mesh.triangles()[s][e], mesh.triangles()[s][(e + 1) % 3]];
                if ends.iter().any(|v| mesh.triangles()[t].contains(v)) {
                    continue;
                }
                let (p, q) = (corners[s][e], corners[s][(e + 1) % 3]);
                let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
                let through = around.iter().all(|x| *x > 0.0) || around.iter().all(|x| *x < 0.0);
                count += usize::from(through && side(a, b, c, p) * side(a, b, c, q) < 0.0);
            }
        }
    }
    count
}

#[test]
fn chazelle_polyhedra_do_not_meet_themselves() {
    for notches in [1, 2, 3, 8] {
        let mesh = shapes::chazelle(notches);
        let volume = check_closed(&mesh, 2);
        assert_eq!(mesh.triangle_count(), 48 * notches + 12);
        let block = (notches + 1).pow(3) as f64;
        assert!(volume > 0.3 * block && volume < block, "{volume} of {block}");
        assert_eq!(brute::find_self_pairs(&mesh, Touch::Include), []);
    }
}

#[test]
fn pairs_of_chazelle_polyhedra_grow_with_the_square_of_their_notches() {
    let count = |notches: usize| {
        let mesh = shapes::chazelle(notches);
        // A quarter turn and a little, so that nothing is parallel.
        let turn = DQuat::from_rotation_z(1.6) * DQuat::from_rotation_x(0.03);
        let pose = Pose::new(turn, DVec3::splat(0.013)).unwrap();
        brute::find_pairs(&mesh, &Pose::IDENTITY, &mesh, &pose, Touch::Include).len()
    };
    let (few, many) = (count(5), count(20));
    assert!(few > 25 && many > 10 * few, "{few} and {many}");
}
