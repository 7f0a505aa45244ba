//! Cuts through sheets: they are parted and get no faces.

use crate::bodies::Numbers;
use crate::check::cut;
use fracas::cut::{CutOptions, CutSurface};
use fracas::geom::DVec3;
use fracas::mesh::{Mesh, shapes};

#[test]
fn a_cloth_is_parted_along_the_cut() {
    let cloth = shapes::cloth_grid(20, 20, [2.0, 2.0]);
    let mut numbers = Numbers(5);
    let (low, high) = cloth.bounds().corners();
    let middle = 0.5 * (low + high);
    for _ in 0..20 {
        let across = DVec3::new(numbers.next(), numbers.next(), 0.2 * numbers.next());
        let forward = DVec3::new(-across.y, across.x, 0.1);
        let surface = CutSurface::plane(middle + 0.3 * numbers.next(), across, forward).unwrap();
        let outcome = cut(&cloth, &surface, &CutOptions::default(), 7);
        assert_eq!((outcome.report.components, outcome.report.boundary_loops), (2, 2));
        assert_eq!(outcome.report.degenerate_triangles, 0);
        assert!(outcome.edits.iter().all(|edit| edit.added_counts().1 == 0), "no faces");
    }
}

#[test]
fn a_slit_in_the_middle_is_a_hole() {
    let cloth = shapes::cloth_grid(20, 20, [2.0, 2.0]);
    let (low, high) = cloth.bounds().corners();
    let surface = CutSurface::plane(0.5 * (low + high), DVec3::new(0.1, 1.0, 0.0), DVec3::X).unwrap();
    let options = CutOptions { start: -0.5, end: 0.5, ..CutOptions::default() };
    let outcome = cut(&cloth, &surface, &options, 5);
    assert_eq!((outcome.report.components, outcome.report.boundary_loops), (1, 2));
}

#[test]
fn a_tube_is_cut_through_without_lids() {
    let closed = shapes::cylinder(0.5, 2.0, 24);
    let (low, high) = closed.bounds().corners();
    // Without the discs at both ends.
    let is_side = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| closed.positions()[v as usize]);
        (b - a).cross(c - a).normalize().z.abs() < 0.5
    };
    let sides = closed.triangles().iter().copied().filter(is_side).collect();
    let tube = Mesh::new(closed.positions().to_vec(), sides).unwrap();
    let surface = CutSurface::plane(0.5 * (low + high), DVec3::new(0.1, 0.2, 1.0), DVec3::X).unwrap();
    let outcome = cut(&tube, &surface, &CutOptions::default(), 5);
    assert_eq!((outcome.report.components, outcome.report.boundary_loops), (2, 4));
}
