//! Progressive cuts along cylinders, height fields and helicoids.

use crate::bodies::{Numbers, bodies, shell};
use crate::check::cut;
use fracas::cut::{CutError, CutOptions, CutSurface, Cutter, Front, HeightGrid};
use fracas::geom::DVec3;
use fracas::mesh::{LiveMesh, shapes};
use std::f64::consts::TAU;

#[test]
fn a_cylinder_takes_a_core_out_of_a_ball() {
    let ball = shapes::icosphere(1.0, 4);
    let surface =
        CutSurface::cylinder(DVec3::new(0.1, 0.05, 0.0), DVec3::new(0.1, 0.0, 1.0), 0.5, DVec3::X).unwrap();
    for front in [Front::U, Front::V] {
        let outcome = cut(&ball, &surface, &CutOptions { front, ..CutOptions::default() }, 9);
        // A core without holes, and a ball with one through it.
        assert_eq!((outcome.report.components, outcome.report.euler_characteristic()), (2, 2));
        assert_eq!(outcome.report.degenerate_triangles, 0);
    }
}

#[test]
fn a_cylinder_half_outside_takes_a_bite() {
    let ball = shapes::icosphere(1.0, 4);
    let surface =
        CutSurface::cylinder(DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.1, 0.0, 1.0), 0.5, DVec3::X).unwrap();
    let outcome = cut(&ball, &surface, &CutOptions::default(), 9);
    assert_eq!((outcome.report.components, outcome.report.euler_characteristic()), (2, 4));
}

#[test]
fn a_cylinder_around_a_part_of_a_ring() {
    // The tube of the ring passes through the cylinder's wall twice, and the wall's two loops do not wind around it.
    let ring = shapes::torus(1.0, 0.2, 60);
    let surface =
        CutSurface::cylinder(DVec3::new(1.0, 0.0, 0.0), DVec3::Z, 0.6, DVec3::new(1.0, 0.2, 0.0)).unwrap();
    let outcome = cut(&ring, &surface, &CutOptions::default(), 6);
    assert_eq!((outcome.report.components, outcome.report.euler_characteristic()), (2, 4));
}

fn rough(amplitude: f64, cell: f64, seed: u64) -> HeightGrid {
    let mut numbers = Numbers(seed);
    let heights = (0..81 * 81).map(|_| amplitude * numbers.next()).collect();
    HeightGrid { corner: [-40.0 * cell; 2], cell, columns: 81, heights }
}

#[test]
fn rough_cuts_through_all_bodies() {
    for (name, mesh) in bodies(1) {
        let (low, high) = mesh.bounds().corners();
        let mut numbers = Numbers(3);
        for seed in 0..3 {
            let point = 0.5 * (low + high) + 0.1 * (high - low) * numbers.vector();
            let surface =
                CutSurface::height_field(point, numbers.vector(), numbers.vector(), rough(0.1, 0.3, seed))
                    .unwrap();
            let outcome = cut(&mesh, &surface, &CutOptions::default(), 6);
            assert!(outcome.report.components >= 2, "{name}, {seed}");
        }
    }
}

#[test]
fn a_helicoid_makes_a_ribbon_of_a_shell() {
    let pitch = 0.4;
    for (pitch, thickness) in [(pitch, 0.1), (-pitch, 0.1), (pitch, 0.3)] {
        let peel = shell(4_000, thickness);
        let surface = CutSurface::helicoid(DVec3::ZERO, DVec3::Z, pitch, DVec3::X).unwrap();
        // From 0.6 below to 0.6 above the middle: three turns.
        let turns = 0.6 / pitch.abs();
        let options = CutOptions { start: -turns * TAU, end: turns * TAU, ..CutOptions::default() };
        let outcome = cut(&peel, &surface, &options, 40);
        // The slit opens the hollow: what were two spheres, one in the other, is now the surface of one ribbon.
        assert_eq!((outcome.report.components, outcome.report.euler_characteristic()), (1, 2));
        let cracked: usize = outcome.edits.iter().map(|edit| edit.added_counts().1).sum();
        assert!(cracked > 200, "{cracked} crack triangles");
        // The ribbon can be unrolled: a ball's surface falls apart at a cut across it, only once.
        assert!(outcome.edits.iter().filter(|edit| !edit.is_empty()).count() > 30);
    }
}

#[test]
fn a_helicoid_must_not_meet_its_axis_in_the_surface() {
    let ball = LiveMesh::new(shapes::icosphere(1.0, 3));
    let surface = CutSurface::helicoid(DVec3::new(0.01, 0.02, 0.0), DVec3::Z, 0.4, DVec3::X).unwrap();
    let error = Cutter::new(&ball, &surface, &CutOptions::default()).unwrap_err();
    assert!(matches!(error, CutError::TooCoarse { .. }), "{error}");
    // Nor may a turn be so low that a triangle meets two.
    let surface = CutSurface::helicoid(DVec3::new(0.01, 0.02, 0.0), DVec3::Z, 0.05, DVec3::X).unwrap();
    let options = CutOptions { start: -9.0, end: 9.0, ..CutOptions::default() };
    assert!(Cutter::new(&ball, &surface, &options).is_err());
}
