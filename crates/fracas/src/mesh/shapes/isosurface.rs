//! The surface where a field is zero, as a closed manifold mesh of well-shaped triangles.
//!
//! # Idea
//!
//! Space is filled with tetrahedra between the points of a body-centred cubic lattice: the corners of cubic cells
//! and their centres. Two centres of neighbouring cells and one edge of the face between them make a tetrahedron,
//! so four surround each face:
//!
//! ```text
//!       p──────q           A, B    centres of the two cells
//!      ╱│     ╱│           p, q    an edge of the face between them
//!   A ·  ·  ·  ·  · B      A B p q is one of the four tetrahedra around the line A–B
//!      │╱     │╱
//!      ○──────○
//! ```
//!
//! Inside a tetrahedron whose corners differ in sign the surface is one triangle or two, with vertices on the edges
//! between corners of different sign. Neighbouring tetrahedra share these edges, and no case is ambiguous, so the
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
use crate::mesh::{Adjacency, Mesh};

/// The zero surface of `field` within the box from `low` to `high`, cut by cells of the given size.
///
/// The field must be positive on the faces of the box. Vertices lie near the surface; [`relax`] brings them onto
/// it.
pub(super) fn polygonise(field: &impl Fn(DVec3) -> (f64, DVec3), low: DVec3, high: DVec3, cell: f64) -> Mesh {
    let lattice = Lattice::sample(field, low, high, cell);
    let soup = lattice.cut();
    let mut edges: Vec<LatticeEdge> = soup.iter().flatten().copied().collect();
    edges.sort_unstable();
    edges.dedup();
    let vertex = |edge: &LatticeEdge| edges.binary_search(edge).expect("every edge is listed") as u32;
    let triangles = soup.iter().map(|edges| edges.each_ref().map(vertex)).collect();
    shape(edges.iter().map(|&edge| lattice.crossing(edge)).collect(), triangles)
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

/// Values of a field at the corners and the centres of cubic cells.
struct Lattice {
    low: DVec3,
    cell: f64,
    cells: [usize; 3],
    /// Corners first, x fastest; then centres, x fastest.
    values: Vec<f64>,
    corners: usize,
}

impl Lattice {
    fn sample(field: &impl Fn(DVec3) -> (f64, DVec3), low: DVec3, high: DVec3, cell: f64) -> Self {
        let cells = ((high - low) / cell).ceil().to_array().map(|n| n as usize);
        let corners = cells.iter().map(|n| n + 1).product::<usize>();
        let centres = cells.iter().product::<usize>();
        assert!(corners + centres < u32::MAX as usize, "{} cells are too many", centres);
        let mut lattice = Self { low, cell, cells, values: Vec::with_capacity(corners + centres), corners };
        for (offset, counts) in [(0.0, cells.map(|n| n + 1)), (0.5, cells)] {
            for k in 0..counts[2] {
                for j in 0..counts[1] {
                    let start = low + cell * (DVec3::new(0.0, j as f64, k as f64) + offset);
                    lattice.sample_row(field, start, counts[0]);
                }
            }
        }
        lattice
    }

    /// Appends the values of a row along x. No edge of the lattice is longer than a cell, so a value of more than
    /// a cell is never beside the surface: its sign is all that counts, and the field's slope tells how far on
    /// it stays so.
    fn sample_row(&mut self, field: &impl Fn(DVec3) -> (f64, DVec3), start: DVec3, count: usize) {
        let mut i = 0;
        while i < count {
            let (value, _) = field(start + DVec3::X * (self.cell * i as f64));
            let same = ((value.abs() / self.cell - 1.0).max(0.0) as usize + 1).min(count - i);
            self.values.extend(std::iter::repeat_n(value, same));
            i += same;
        }
    }

    fn corner(&self, [i, j, k]: [usize; 3]) -> u32 {
        (i + (self.cells[0] + 1) * (j + (self.cells[1] + 1) * k)) as u32
    }

    fn centre(&self, [i, j, k]: [usize; 3]) -> u32 {
        (self.corners + i + self.cells[0] * (j + self.cells[1] * k)) as u32
    }

    fn position(&self, point: u32) -> DVec3 {
        let (index, offset, counts) = match (point as usize).checked_sub(self.corners) {
            None => (point as usize, 0.0, self.cells.map(|n| n + 1)),
            Some(index) => (index, 0.5, self.cells),
        };
        let (i, j, k) = (index % counts[0], index / counts[0] % counts[1], index / counts[0] / counts[1]);
        self.low + self.cell * (DVec3::new(i as f64, j as f64, k as f64) + offset)
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
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for k in 0..self.cells[2] {
                for j in 0..self.cells[1] {
                    for i in 0..self.cells[0] {
                        let at = [i, j, k];
                        let next = step(at, axis);
                        if next[axis] == self.cells[axis] {
                            continue;
                        }
                        let (a, b) = (self.centre(at), self.centre(next));
                        // The face between the cells, counter-clockwise seen from the second.
                        let face = [next, step(next, u), step(step(next, u), v), step(next, v)];
                        let face = face.map(|at| self.corner(at));
                        for m in 0..4 {
                            self.cut_tetrahedron([a, b, face[m], face[(m + 1) % 4]], &mut soup);
                        }
                    }
                }
            }
        }
        soup
    }

    /// Appends the triangles inside a tetrahedron whose last three corners are counter-clockwise seen from the
    /// first, turned so that they face outside.
    fn cut_tetrahedron(&self, corners: [u32; 4], soup: &mut Vec<[LatticeEdge; 3]>) {
        let inside = corners.map(|point| self.is_inside(point));
        let mask = inside.iter().enumerate().map(|(i, inside)| usize::from(*inside) << i).sum::<usize>();
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

/// The next cell or corner along an axis.
fn step(at: [usize; 3], axis: usize) -> [usize; 3] {
    std::array::from_fn(|i| at[i] + usize::from(i == axis))
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
        let lattice = Lattice::sample(&ball, DVec3::splat(-1.5), DVec3::splat(1.5), 0.07);
        for point in 0..lattice.values.len() as u32 {
            let (value, found) = (ball(lattice.position(point)).0, lattice.values[point as usize]);
            assert_eq!(value < 0.0, lattice.is_inside(point), "sign at {}", lattice.position(point));
            if value.abs() <= lattice.cell {
                assert!((value - found).abs() < 1e-12, "{found} instead of {value} beside the surface");
            }
        }
    }
}
