//! The surface where a field is zero, as a closed manifold mesh of well-shaped triangles.
//!
//! # Idea
//!
//! Space is filled with the tetrahedra of a body-centred cubic lattice (`mesh/tets/lattice.rs`). Inside a tetrahedron whose
//! corners differ in sign the surface is one triangle or two, with vertices on the edges between corners of different sign. Neighbouring tetrahedra share these edges, and no case is ambiguous, so the
//! mesh is closed and manifold for every field (marching tetrahedra).
//!
//! Its triangles are of very different size and shape. [`relax`] moves each vertex to the middle of its
//! neighbours and back onto the surface, some rounds, which evens them out.
//!
//! # What the field must be
//!
//! A function from points to a value and its gradient: negative inside, positive outside, and nowhere steeper
//! than 1, so that the value never exceeds the distance to the surface. Signed distances and their smooth unions
//! are like that. It lets the sampling skip what is far from the surface.
//!
//! # Reference
//!
//! Doi and Koide, "An efficient method of triangulating equi-valued surfaces by using tetrahedral cells", IEICE
//! Transactions, 1991. The lattice is that of Labelle and Shewchuk, "Isosurface stuffing", SIGGRAPH 2007.

use super::shape;
use crate::geom::DVec3;
use crate::mesh::tets::lattice::{Lattice, numbered};
use crate::mesh::{Adjacency, Mesh};

/// The zero surface of `field` within the box from `low` to `high`, cut by cells of the given size.
///
/// The field must be positive on the faces of the box. Vertices lie near the surface; [`relax`] brings them onto
/// it.
pub(super) fn polygonise(field: &impl Fn(DVec3) -> (f64, DVec3), low: DVec3, high: DVec3, cell: f64) -> Mesh {
    let samples = Samples::take(field, low, high, cell);
    let (edges, triangles) = numbered(&samples.cut());
    shape(edges.iter().map(|&edge| samples.crossing(edge)).collect(), triangles)
}

/// The mesh with its vertices spread evenly over the zero surface of `field`.
///
/// In each round a vertex goes towards the mean of its neighbours, within the surface, and then along the gradient
/// back to where the field is zero.
pub(super) fn relax(mesh: &Mesh, field: &impl Fn(DVec3) -> (f64, DVec3), rounds: usize) -> Mesh {
    let adjacency = Adjacency::build(mesh);
    let mut positions = mesh.positions().to_vec();
    for _ in 0..rounds {
        let mut sums = vec![(DVec3::ZERO, 0.0); positions.len()];
        for edge in adjacency.edges() {
            let [a, b] = edge.ends.map(|v| v as usize);
            for (v, neighbour) in [(a, b), (b, a)] {
                sums[v].0 += positions[neighbour];
                sums[v].1 += 1.0;
            }
        }
        for (p, (sum, count)) in positions.iter_mut().zip(sums) {
            let normal = field(*p).1.normalize_or_zero();
            let wanted = sum / count - *p;
            // Half way, because neighbours move too.
            *p = project(field, *p + 0.5 * (wanted - normal * normal.dot(wanted)));
        }
    }
    for p in &mut positions {
        *p = project(field, *p);
    }
    shape(positions, mesh.triangles().to_vec())
}

/// Whether some triangle faces inside at one of its corners. Relaxing can fold parts that are as thin as a cell.
pub(super) fn is_folded(mesh: &Mesh, field: &impl Fn(DVec3) -> (f64, DVec3)) -> bool {
    mesh.triangles().iter().any(|corners| {
        let [a, b, c] = corners.map(|v| mesh.positions()[v as usize]);
        let normal = (b - a).cross(c - a);
        [a, b, c].iter().any(|&p| field(p).1.dot(normal) <= 0.0)
    })
}

/// One Newton step from `p` towards the zero surface.
fn project(field: &impl Fn(DVec3) -> (f64, DVec3), p: DVec3) -> DVec3 {
    let (value, gradient) = field(p);
    // Between two parts the field can be flat; the step must not run away there.
    p - value * gradient / gradient.length_squared().max(0.25)
}

/// Two lattice points with values of different sign, the lower index first.
type LatticeEdge = [u32; 2];

/// Values of a field at the points of a lattice.
struct Samples {
    low: DVec3,
    cell: f64,
    lattice: Lattice,
    values: Vec<f64>,
}

impl Samples {
    fn take(field: &impl Fn(DVec3) -> (f64, DVec3), low: DVec3, high: DVec3, cell: f64) -> Self {
        let cells = ((high - low) / cell).ceil().to_array().map(|n| n as usize);
        let lattice = Lattice { cells };
        let count = lattice.point_count();
        assert!(count < u32::MAX as usize, "{count} lattice points are too many");
        let mut samples = Self { low, cell, lattice, values: Vec::with_capacity(count) };
        for (offset, counts) in [(0.0, cells.map(|n| n + 1)), (0.5, cells)] {
            for k in 0..counts[2] {
                for j in 0..counts[1] {
                    let start = low + cell * (DVec3::new(0.0, j as f64, k as f64) + offset);
                    samples.take_row(field, start, counts[0]);
                }
            }
        }
        samples
    }

    /// Appends the values of a row along x. No edge of the lattice is longer than a cell, so a value of more than
    /// a cell is never beside the surface: its sign is all that counts, and the field's slope tells how far on
    /// it stays so.
    fn take_row(&mut self, field: &impl Fn(DVec3) -> (f64, DVec3), start: DVec3, count: usize) {
        let mut i = 0;
        while i < count {
            let (value, _) = field(start + DVec3::X * (self.cell * i as f64));
            let same = ((value.abs() / self.cell - 1.0).max(0.0) as usize + 1).min(count - i);
            self.values.extend(std::iter::repeat_n(value, same));
            i += same;
        }
    }

    fn position(&self, point: u32) -> DVec3 {
        let doubled = DVec3::from_array(self.lattice.point(point).map(f64::from));
        self.low + self.cell * (0.5 * doubled)
    }

    fn is_inside(&self, point: u32) -> bool {
        self.values[point as usize] < 0.0
    }

    /// Where the surface crosses an edge, but never too near to its ends: crossings on other edges of the same end
    /// would coincide.
    fn crossing(&self, [a, b]: LatticeEdge) -> DVec3 {
        let (value_a, value_b) = (self.values[a as usize], self.values[b as usize]);
        let t = (value_a / (value_a - value_b)).clamp(0.1, 0.9);
        self.position(a) * (1.0 - t) + self.position(b) * t
    }

    /// The triangles in all tetrahedra, their corners named by lattice edges.
    fn cut(&self) -> Vec<[LatticeEdge; 3]> {
        let mut soup = Vec::new();
        for axis in 0..3 {
            for cell in self.lattice.cells() {
                self.lattice.around(cell, axis).for_each(|tet| self.cut_tetrahedron(tet, &mut soup));
            }
        }
        soup
    }

    /// Appends the triangles inside a tetrahedron whose last three corners are counter-clockwise seen from the
    /// first, turned so that they face outside.
    fn cut_tetrahedron(&self, corners: [u32; 4], soup: &mut Vec<[LatticeEdge; 3]>) {
        let mask = (0..4).map(|i| usize::from(self.is_inside(corners[i])) << i).sum::<usize>();
        // An even permutation that puts the corners of the smaller side first (of the inside, if both are two).
        let order = match mask {
            0b0000 | 0b1111 => return,
            0b0001 | 0b1110 | 0b0011 => [0, 1, 2, 3],
            0b0010 | 0b1101 => [1, 0, 3, 2],
            0b0100 | 0b1011 | 0b1100 => [2, 3, 0, 1],
            0b1000 | 0b0111 => [3, 2, 1, 0],
            0b0101 => [0, 2, 3, 1],
            0b1001 => [0, 3, 1, 2],
            0b0110 => [1, 2, 0, 3],
            _ => [1, 3, 2, 0],
        };
        let [a, b, c, d] = order.map(|i| corners[i]);
        let edge = |p: u32, q: u32| [p.min(q), p.max(q)];
        match mask.count_ones() {
            1 => soup.push([edge(a, b), edge(a, c), edge(a, d)]),
            3 => soup.push([edge(a, b), edge(a, d), edge(a, c)]),
            _ => {
                let quad = [edge(a, c), edge(a, d), edge(b, d), edge(b, c)];
                let [p, q, r, s] = quad.map(|edge| self.crossing(edge));
                // Along the shorter diagonal.
                if p.distance_squared(r) <= q.distance_squared(s) {
                    soup.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
                } else {
                    soup.extend([[quad[0], quad[1], quad[3]], [quad[1], quad[2], quad[3]]]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::noise::smooth;
    use super::*;
    use crate::mesh::Report;
    use std::f64::consts::PI;

    fn ball(p: DVec3) -> (f64, DVec3) {
        (p.length() - 1.0, p.normalize_or(DVec3::X))
    }

    fn ring(p: DVec3) -> (f64, DVec3) {
        let centre = DVec3::new(p.x, p.y, 0.0).normalize_or(DVec3::X);
        (p.distance(centre) - 0.4, (p - centre).normalize_or(DVec3::Z))
    }

    #[test]
    fn a_ball_and_a_ring_have_their_topology_and_volume() {
        let box_size = DVec3::splat(1.6);
        let fields: [fn(DVec3) -> (f64, DVec3); 2] = [ball, ring];
        for (field, (euler, volume)) in
            fields.into_iter().zip([(2, 4.0 / 3.0 * PI), (0, 2.0 * PI * PI * 0.16)])
        {
            let mesh = relax(&polygonise(&field, -box_size, box_size, 0.1), &field, 10);
            let report = Report::of(&mesh);
            assert!(report.closed && report.oriented && !is_folded(&mesh, &field));
            assert_eq!((report.components, report.euler_characteristic()), (1, euler));
            assert!((report.volume.unwrap() / volume - 1.0).abs() < 0.01, "volume {:?}", report.volume);
            assert!(mesh.positions().iter().all(|&p| field(p).0.abs() < 1e-4));
        }
    }

    #[test]
    fn any_field_gives_a_closed_manifold() {
        for seed in 0..20 {
            // Ragged lumps of about the size of a cell inside a ball. Noise has slope 3.75 per axis at most.
            let lumps = |p: DVec3| {
                let rough = smooth(4.0 * p, seed) / (4.0 * 3.75 * 3.0_f64.sqrt());
                (rough.max(p.length() - 1.0), DVec3::ZERO)
            };
            let mesh = polygonise(&lumps, DVec3::splat(-1.3), DVec3::splat(1.3), 0.15);
            let report = Report::of(&mesh);
            assert!(report.closed && report.oriented, "seed {seed}: {report:?}");
            assert_eq!((report.degenerate_triangles, report.unreferenced_vertices), (0, 0));
            assert!(report.components > 1, "not ragged enough to test anything");
            assert!(report.volume.unwrap() > 0.0);
        }
    }

    #[test]
    fn lattice_points_on_the_surface_make_no_degenerate_triangles() {
        // The corners of this lattice lie exactly on the faces of the cube.
        let cube = |p: DVec3| (p.abs().max_element() - 0.5, DVec3::ZERO);
        let report = Report::of(&polygonise(&cube, DVec3::splat(-1.0), DVec3::splat(1.0), 0.25));
        assert!(report.closed && report.oriented);
        assert_eq!((report.degenerate_triangles, report.euler_characteristic()), (0, 2));
    }

    #[test]
    fn skipping_far_from_the_surface_changes_no_sign() {
        let samples = Samples::take(&ball, DVec3::splat(-1.5), DVec3::splat(1.5), 0.07);
        for point in 0..samples.values.len() as u32 {
            let (value, found) = (ball(samples.position(point)).0, samples.values[point as usize]);
            assert_eq!(value < 0.0, samples.is_inside(point), "sign at {}", samples.position(point));
            if value.abs() <= samples.cell {
                assert!((value - found).abs() < 1e-12, "{found} instead of {value} beside the surface");
            }
        }
    }
}
