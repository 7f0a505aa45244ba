//! Progressive cuts along planes.

use crate::bodies::{Numbers, bodies, shell};
use crate::check::cut;
use fracas::cut::{CutOptions, CutSurface};
use fracas::geom::DVec3;
use fracas::mesh::shapes;

fn plane(point: DVec3, normal: DVec3, forward: DVec3) -> CutSurface {
    CutSurface::plane(point, normal, forward).unwrap()
}

#[test]
fn a_ball_falls_in_two() {
    let ball = shapes::icosphere(1.0, 4);
    let outcome = cut(
        &ball,
        &plane(DVec3::new(0.01, 0.02, 0.033), DVec3::new(0.1, 0.2, 1.0), DVec3::X),
        &CutOptions::default(),
        11,
    );
    assert_eq!(outcome.report.components, 2);
    assert_eq!(outcome.report.euler_characteristic(), 4);
    assert_eq!(outcome.report.degenerate_triangles, 0);
}

#[test]
fn a_ring_falls_in_two_only_when_the_plane_holds_its_axis() {
    let ring = shapes::torus(1.0, 0.4, 40);
    let along =
        cut(&ring, &plane(DVec3::ZERO, DVec3::new(0.3, 1.0, 0.0), DVec3::X), &CutOptions::default(), 9);
    assert_eq!((along.report.components, along.report.euler_characteristic()), (2, 4));
    // Lying, it falls into two rings.
    let across =
        cut(&ring, &plane(DVec3::new(0.0, 0.0, 0.05), DVec3::Z, DVec3::X), &CutOptions::default(), 9);
    assert_eq!((across.report.components, across.report.euler_characteristic()), (2, 0));
    // A plane beside the axis cuts one side of the ring open, or both; the number of parts tells.
    let beside = cut(
        &ring,
        &plane(DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.02, 1.0, 0.0), DVec3::X),
        &CutOptions { start: 0.0 - 0.7, ..CutOptions::default() },
        5,
    );
    assert_eq!(beside.report.components, 1);
}

#[test]
fn a_hollow_ball_is_cut_as_a_ring() {
    let outcome = cut(
        &shell(2_000, 0.2),
        &plane(DVec3::new(0.0, 0.0, 0.11), DVec3::Z, DVec3::Y),
        &CutOptions::default(),
        7,
    );
    assert_eq!(outcome.report.components, 2);
    assert_eq!(outcome.report.euler_characteristic(), 4);
}

#[test]
fn planes_through_vertices_leave_no_hole() {
    let options = CutOptions::default();
    for forward in [DVec3::X, DVec3::new(0.3, 1.0, 0.2)] {
        // Through vertices of the icosahedron, along its edges, along the sides and diagonals of the cuboid.
        for (mesh, normal) in [
            (shapes::icosphere(1.0, 3), DVec3::Z),
            (shapes::icosphere(1.0, 0), DVec3::Z),
            (shapes::cuboid(DVec3::ONE), DVec3::new(1.0, 0.0, 1.0)),
            (shapes::cuboid(DVec3::ONE), DVec3::Z),
            (shapes::brick(DVec3::ONE, 0.25), DVec3::Z),
            (shapes::brick(DVec3::ONE, 0.25), DVec3::new(0.0, 1.0, 1.0)),
        ] {
            let outcome = cut(&mesh, &plane(DVec3::ZERO, normal, forward), &options, 4);
            assert_eq!(outcome.report.components, 2);
            assert_eq!(outcome.report.degenerate_triangles, 0);
        }
    }
    // Along a face, on either side: a body that only touches the cut is not cut.
    for height in [0.5, -0.5] {
        let surface = plane(DVec3::new(0.0, 0.0, height), DVec3::Z, DVec3::X);
        let touching = cut(&shapes::cuboid(DVec3::ONE), &surface, &options, 3);
        assert!(touching.edits.iter().all(|edit| edit.is_empty()));
    }
}

#[test]
fn random_planes_through_all_bodies() {
    for size in 0..3 {
        for (name, mesh) in bodies(size) {
            let mut numbers = Numbers(size as u64 + 1);
            let (low, high) = mesh.bounds().corners();
            for round in 0..[12, 6, 3][size] {
                let point = 0.5 * (low + high) + 0.25 * (high - low) * numbers.vector();
                let surface = plane(point, numbers.vector(), numbers.vector());
                println!("{name} {size} {round}");
                let outcome = cut(&mesh, &surface, &CutOptions::default(), 8);
                assert_eq!(outcome.report.degenerate_triangles, 0);
                assert!(outcome.report.components >= 2);
            }
        }
    }
}
