//! Cuts that are hard to get right: through what was cut before, along vertices and edges, through bodies that
//! overlap, very large and very small ones; and everything that must be refused.

use crate::bodies::{Numbers, any_body, bodies, shell};
use crate::check::cut;
use fracas::TriangleId;
use fracas::cut::{CutError, CutOptions, CutSurface, Cutter, Front, HeightGrid};
use fracas::geom::{DAffine3, DVec3};
use fracas::mesh::{LiveMesh, Mesh, MeshEdit, Report, shapes};
use proptest::prelude::*;

fn plane(point: DVec3, normal: DVec3) -> CutSurface {
    CutSurface::plane(point, normal, normal.any_orthogonal_vector()).unwrap()
}

#[test]
fn cuts_through_cuts() {
    for (name, mesh) in bodies(0) {
        let mut numbers = Numbers(11);
        let (low, high) = mesh.bounds().corners();
        let mut mesh = mesh;
        let mut components = 1;
        for round in 0..7 {
            let point = 0.5 * (low + high) + 0.15 * (high - low) * numbers.vector();
            let outcome = cut(&mesh, &plane(point, numbers.vector()), &CutOptions::default(), 3);
            assert!(outcome.report.components > components, "{name}, cut {round}");
            components = outcome.report.components;
            mesh = outcome.mesh;
        }
        assert!(components >= 20, "{name} is in {components} pieces");
    }
}

/// Bodies whose vertices lie on a grid, cut along planes that meet many of them.
#[test]
fn planes_along_vertices_edges_and_faces() {
    let size = DVec3::new(2.0, 3.0, 4.0);
    let blocks = [shapes::brick(size, 0.5), shapes::brick(size, 1.0), shapes::cuboid(size)];
    let mut cuts = 0;
    for block in &blocks {
        for i in 0..125_i32 {
            let normal = [i % 5 - 2, i / 5 % 5 - 2, i / 25 - 2].map(f64::from);
            if normal == [0.0; 3] {
                continue;
            }
            let point = DVec3::new(0.5, 0.0, 0.5) * f64::from(i % 3) * 0.5;
            let outcome = cut(block, &plane(point, normal.into()), &CutOptions::default(), 3);
            assert!(outcome.report.components <= 2 && outcome.report.degenerate_triangles == 0, "{normal:?}");
            cuts += usize::from(outcome.report.components == 2);
        }
    }
    assert!(cuts > 300, "{cuts} of 372");
}

#[test]
fn a_cut_across_a_running_cut() {
    let options = CutOptions::default();
    for mesh in
        [shapes::icosphere(1.0, 3), shapes::noisy_sphere(2_000, 0.3, 1), shapes::brick(DVec3::ONE, 0.11)]
    {
        let before = Report::of(&mesh).volume.unwrap();
        let mut live = LiveMesh::new(mesh);
        let first = CutSurface::plane(DVec3::splat(0.01), DVec3::new(0.1, 0.2, 1.0), DVec3::X).unwrap();
        let mut cutter = Cutter::new(&live, &first, &options).unwrap();
        let edit = cutter.advance_to(&live, 0.1).unwrap();
        live.apply(&edit).unwrap();
        let second =
            CutSurface::plane(DVec3::new(-0.12, 0.0, 0.0), DVec3::new(1.0, 0.05, 0.02), DVec3::Z).unwrap();
        let mut across = Cutter::new(&live, &second, &options).unwrap();
        for front in [-0.3, 0.05, 0.2, 9.0] {
            let edit = across.advance_to(&live, front).unwrap();
            assert!(!edit.is_empty());
            live.apply(&edit).unwrap();
            let report = Report::of(&live.to_mesh().0);
            assert!(report.closed && report.oriented);
            assert!((report.volume.unwrap() - before).abs() < 1e-12 * before);
        }
        assert!(across.is_finished());
        // The first cut had parted the half beyond the second, so there are three pieces: two there, one here.
        assert_eq!(Report::of(&live.to_mesh().0).components, 3);
    }
}

#[test]
fn the_same_plane_again_cuts_off_nothing_or_a_wafer() {
    let surface = plane(DVec3::new(0.0, 0.0, 0.1), DVec3::Z);
    let mut mesh = shapes::icosphere(1.0, 3);
    for _ in 0..3 {
        let outcome = cut(&mesh, &surface, &CutOptions { clearance: 1e-2, ..CutOptions::default() }, 2);
        assert!(outcome.report.components >= 2);
        mesh = outcome.mesh;
    }
}

#[test]
fn bodies_in_bodies_and_bodies_inside_out() {
    let ball = shapes::icosphere(1.0, 3);
    let shifted = ball.transformed(&DAffine3::from_translation(DVec3::new(0.7, 0.1, 0.2))).unwrap();
    let small = ball.transformed(&DAffine3::from_scale(DVec3::splat(0.4))).unwrap();
    let surface = plane(DVec3::new(0.0, 0.0, 0.03), DVec3::new(0.1, 0.0, 1.0));
    for (meshes, components) in [
        (vec![&ball, &shifted], 4),
        (vec![&ball, &small], 4),
        (vec![&ball.flipped()], 2),
        (vec![&shell(1_000, 0.3).flipped()], 2),
        (vec![&ball, &small.flipped()], 2),
    ] {
        let outcome = cut(&Mesh::join(meshes).unwrap(), &surface, &CutOptions::default(), 5);
        assert_eq!(outcome.report.components, components);
    }
}

#[test]
fn sizes_from_tiny_to_huge() {
    for scale in [1e-300, 1e-90, 1e-12, 1e12, 1e90, 1e300, 1e308] {
        let ball = shapes::icosphere(1.0, 2).transformed(&DAffine3::from_scale(DVec3::splat(scale))).unwrap();
        let surface = plane(DVec3::splat(0.1 * scale), DVec3::new(0.1, 0.2, 1.0));
        let mut live = LiveMesh::new(ball);
        let mut cutter = Cutter::new(&live, &surface, &CutOptions::default()).unwrap();
        let edit = cutter.advance_to(&live, f64::INFINITY).unwrap();
        live.apply(&edit).unwrap();
        let report = Report::of(&live.to_mesh().0);
        assert!(report.closed && report.components == 2, "{scale:e}");
    }
    // A plane so far away that its distance overflows.
    let huge = shapes::icosphere(1.0, 1).transformed(&DAffine3::from_scale(DVec3::splat(1e308))).unwrap();
    let far = plane(DVec3::splat(-1.5e308), DVec3::ONE);
    let result = Cutter::new(&LiveMesh::new(huge), &far, &CutOptions::default());
    assert!(result.is_ok_and(|cutter| cutter.is_finished()));
}

#[test]
fn triangles_without_area_are_cut_like_others() {
    // A ball with an edge so short that it has no length, between two triangles that have no area.
    let ball = shapes::icosphere(1.0, 2);
    let (mut positions, triangles) = ball.into_parts();
    let [a, b, _] = triangles[7];
    positions[a as usize] = positions[b as usize];
    let mesh = Mesh::new(positions, triangles).unwrap();
    let at = mesh.positions()[b as usize];
    for normal in [DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.3)] {
        let live = LiveMesh::new(mesh.clone());
        let mut cutter = Cutter::new(&live, &plane(at, normal), &CutOptions::default()).unwrap();
        let edit = cutter.advance_to(&live, f64::INFINITY).unwrap();
        let mut live = live;
        live.apply(&edit).unwrap();
        let report = Report::of(&live.to_mesh().0);
        assert!(report.closed && report.oriented && report.components == 2);
    }
}

#[test]
fn steps_of_any_size_give_the_same_pieces() {
    let mesh = shapes::noisy_sphere(3_000, 0.3, 2);
    let surface = plane(DVec3::ZERO, DVec3::new(0.2, 1.0, 0.1));
    let sizes = |steps| {
        let outcome = cut(&mesh, &surface, &CutOptions::default(), steps);
        let r = outcome.report;
        (r.triangles, r.vertices, r.edges, r.area.to_bits().abs_diff(0) >> 20)
    };
    let one = sizes(1);
    for steps in [2, 7, 100] {
        assert_eq!(sizes(steps), one);
    }
}

#[test]
fn the_same_cut_gives_the_same_edits() {
    let mesh = shapes::creature(5_000);
    let surface = plane(DVec3::new(0.0, 0.0, 1.0), DVec3::new(0.3, 0.1, 1.0));
    let [one, two] = [0, 1].map(|_| cut(&mesh, &surface, &CutOptions::default(), 5).edits);
    assert_eq!(one, two);
}

#[test]
fn nothing_to_cut_is_finished_at_once() {
    let far = plane(DVec3::new(0.0, 0.0, 9.0), DVec3::Z);
    for mesh in [Mesh::default(), shapes::icosphere(1.0, 1)] {
        let live = LiveMesh::new(mesh);
        let mut cutter = Cutter::new(&live, &far, &CutOptions::default()).unwrap();
        assert!(cutter.is_finished() && cutter.range().is_none());
        assert_eq!(cutter.advance_to(&live, 1.0), Ok(MeshEdit::default()));
    }
}

#[test]
fn a_front_does_not_go_back_and_does_not_take_nan() {
    let mut live = LiveMesh::new(shapes::icosphere(1.0, 3));
    let surface = CutSurface::plane(DVec3::splat(0.01), DVec3::Z, DVec3::X).unwrap();
    let mut cutter = Cutter::new(&live, &surface, &CutOptions::default()).unwrap();
    let error = cutter.advance_to(&live, f64::NAN).unwrap_err();
    assert_eq!(error.to_string(), "front NaN is out of range");
    let edit = cutter.advance_to(&live, 0.2).unwrap();
    live.apply(&edit).unwrap();
    assert_eq!(cutter.advance_to(&live, -0.3), Ok(MeshEdit::default()));
    assert_eq!(cutter.front(), 0.2);
    assert!(!cutter.advance_to(&live, f64::INFINITY).unwrap().is_empty());
}

#[test]
fn an_edit_that_was_not_applied_is_noticed_and_can_be_made_up_for() {
    let mut live = LiveMesh::new(shapes::icosphere(1.0, 3));
    let surface = CutSurface::plane(DVec3::splat(0.01), DVec3::Z, DVec3::X).unwrap();
    let mut cutter = Cutter::new(&live, &surface, &CutOptions::default()).unwrap();
    let first = cutter.advance_to(&live, 0.0).unwrap();
    for _ in 0..2 {
        let error = cutter.advance_to(&live, 0.5).unwrap_err();
        assert!(matches!(error, CutError::Changed { .. }), "{error}");
        assert_eq!(cutter.front(), 0.0);
    }
    live.apply(&first).unwrap();
    let second = cutter.advance_to(&live, f64::INFINITY).unwrap();
    live.apply(&second).unwrap();
    let report = Report::of(&live.to_mesh().0);
    assert!(report.closed && report.components == 2 && cutter.is_finished());
}

#[test]
fn what_is_no_surface_along_the_cut_is_refused() {
    let p = [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]];
    let positions: Vec<DVec3> = p.map(DVec3::from).to_vec();
    let surface = plane(DVec3::new(0.0, 0.0, 0.1), DVec3::Z);
    let refused = |triangles: Vec<[u32; 3]>| {
        let live = LiveMesh::new(Mesh::new(positions.clone(), triangles).unwrap());
        Cutter::new(&live, &surface, &CutOptions::default()).unwrap_err()
    };
    assert_eq!(refused(vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]]), CutError::NotASurface { ends: [0, 1] });
    assert_eq!(refused(vec![[0, 1, 2], [0, 1, 3]]), CutError::NotASurface { ends: [0, 1] });
    // Two triangles back to back: the outline would be a line there and back.
    assert!(matches!(refused(vec![[0, 1, 2], [0, 2, 1]]), CutError::NotASurface { .. }));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let live = LiveMesh::new(shapes::icosphere(1.0, 1));
    let surface = plane(DVec3::ZERO, DVec3::Z);
    let good = CutOptions::default();
    let refused = |options: CutOptions| Cutter::new(&live, &surface, &options).unwrap_err().to_string();
    assert_eq!(refused(CutOptions { spacing: 0.0, ..good.clone() }), "spacing 0 is out of range");
    assert_eq!(refused(CutOptions { growth: f64::NAN, ..good.clone() }), "growth NaN is out of range");
    assert_eq!(refused(CutOptions { clearance: 0.3, ..good.clone() }), "clearance 0.3 is out of range");
    assert_eq!(refused(CutOptions { start: f64::NAN, ..good.clone() }), "start NaN is out of range");
    assert_eq!(refused(CutOptions { start: 1.0, end: 0.0, ..good }), "end 0 is out of range");
    assert!(!live.is_alive(TriangleId(80)));
}

/// Up to three cuts of any kind through any body, in any number of steps, some of which end inside.
#[test]
fn any_cuts_one_after_another() {
    let mut cuts = 0;
    for seed in 0..250 {
        let mut numbers = Numbers::from_seed(seed);
        let mut mesh = any_body(&mut numbers);
        for _ in 0..1 + numbers.below(3) {
            let on_grid = numbers.below(2) == 0;
            let mut vector = |size: f64| {
                let v = size * numbers.vector();
                if on_grid { (2.0 * v).round() * 0.5 } else { v }
            };
            let (point, axis, forward) = (0.5 * vector(1.0), vector(2.0), vector(2.0));
            let surface = match numbers.below(6) {
                0 => CutSurface::cylinder(point, axis, [0.5, 0.75, 1.0][numbers.below(3)], forward),
                1 => CutSurface::helicoid(point, axis, [0.5, -0.7, 1.5][numbers.below(3)], forward),
                2 => {
                    let heights = (0..100).map(|_| 0.2 * numbers.next()).collect();
                    let grid = HeightGrid { corner: [-1.0; 2], cell: 0.25, columns: 10, heights };
                    CutSurface::height_field(point, axis, forward, grid)
                }
                _ => CutSurface::plane(point, axis, forward),
            };
            let Ok(surface) = surface else { break };
            let (start, end) = [(f64::NEG_INFINITY, f64::INFINITY), (-0.7, 0.9)][numbers.below(4) / 3];
            let options = CutOptions {
                front: [Front::U, Front::V][numbers.below(2)],
                spacing: [0.5, 1.0, 2.0][numbers.below(3)],
                growth: [0.5, 1.5, f64::INFINITY][numbers.below(3)],
                start,
                end,
                ..CutOptions::default()
            };
            match Cutter::new(&LiveMesh::new(mesh.clone()), &surface, &options) {
                Ok(_) => mesh = cut(&mesh, &surface, &options, 1 + numbers.below(9)).mesh,
                // Only helicoids are choosy.
                Err(CutError::TooCoarse { .. } | CutError::NoCleanEnd { .. }) => break,
                Err(error) => panic!("{error}"),
            }
            cuts += 1;
        }
    }
    assert!(cuts > 300, "only {cuts} cuts");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any plane through a bumpy ball, in any number of steps, with options from everywhere.
    #[test]
    fn any_plane(
        numbers in proptest::array::uniform9(-1.0..1.0_f64),
        triangles in 20_usize..1_500,
        amplitude in 0.0..0.8_f64,
        steps in 1_usize..12,
        (spacing, growth) in (0.3..3.0_f64, 0.4..9.0_f64),
        range in proptest::option::of((-0.6..0.0_f64, 0.0..0.6_f64)),
    ) {
        let mesh = shapes::noisy_sphere(triangles, amplitude, 3);
        let [a, b, c, d, e, f, g, h, i] = numbers;
        let normal = DVec3::new(a, b, c);
        let forward = DVec3::new(d, e, f);
        prop_assume!(normal.cross(forward).length() > 1e-3);
        let surface = CutSurface::plane(0.3 * DVec3::new(g, h, i), normal, forward).unwrap();
        let (start, end) = range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let outcome = cut(&mesh, &surface, &CutOptions { spacing, growth, start, end, ..CutOptions::default() }, steps);
        prop_assert!(outcome.report.components >= 1);
        if range.is_none() && !outcome.edits.iter().all(MeshEdit::is_empty) {
            prop_assert!(outcome.report.components >= 2);
        }
    }
}
