//! A report on a mesh: counts, defects, whether it is closed, its area and volume.
//!
//! Everything but area and volume is a matter of vertex indices or is decided exactly, so there is no tolerance
//! to choose. A mesh whose triangles do not share vertices (every STL file) is all boundary until
//! [`Mesh::merge_equal_vertices`] has been called.
//!
//! # Conventions
//!
//! A triangle that names a vertex twice is a segment or a point. It bounds no surface, so its edges are left out
//! of every count of edges here; a closed surface stays closed when such a triangle is added.

use super::{Adjacency, EdgeUse, Mesh, TriangleId};
use crate::base::DisjointSets;
use crate::exact::{DVec2, Sign, orient2d};
use crate::geom::{Box3, DVec3, Triangle};

/// Findings about one mesh.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Report {
    /// Vertices, named by a triangle or not.
    pub vertices: usize,
    /// Vertices that no triangle names.
    pub unreferenced_vertices: usize,
    /// Triangles, degenerate or not.
    pub triangles: usize,
    /// Undirected edges.
    pub edges: usize,
    /// Groups of triangles connected through shared vertices. Triangles that meet in a single vertex are in one
    /// group; vertices that no triangle names are in none.
    pub components: usize,
    /// Edges used by exactly one triangle.
    pub boundary_edges: usize,
    /// Groups of boundary edges connected through shared vertices: the number of holes and rims, where no two of
    /// them touch.
    pub boundary_loops: usize,
    /// Edges used more than twice.
    pub nonmanifold_edges: usize,
    /// Edges used exactly twice, both times in the same direction: the two triangles disagree on which side is
    /// outside.
    pub inconsistent_edges: usize,
    /// Triangles whose corners lie exactly on a line or coincide, including those that name a vertex twice.
    pub degenerate_triangles: usize,
    /// Triangles that name a vertex twice.
    pub repeated_vertex_triangles: usize,
    /// Triangles beyond the first with the same three vertex indices, in whatever order.
    pub duplicate_triangles: usize,
    /// Whether every edge is used exactly twice. A mesh without edges is not closed.
    pub closed: bool,
    /// Whether no edge is inconsistent or non-manifold, so that the mesh has two sides.
    pub oriented: bool,
    /// Volume enclosed by a mesh that is closed and oriented, rounded; negative if it is inside out. `None` for
    /// other meshes. Infinite where `f64` cannot hold it.
    pub volume: Option<f64>,
    /// Area of all triangles, rounded. Infinite where `f64` cannot hold it.
    pub area: f64,
    /// The exact box around all vertices; `None` without vertices.
    pub bounds: Option<Box3>,
}

impl Report {
    /// Examines a mesh.
    ///
    /// # Cost
    /// O(*n* log *n*), for the search for duplicates; about a second per few million triangles.
    ///
    /// ```
    /// use fracas::geom::DVec3;
    /// use fracas::mesh::{Mesh, Report};
    /// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// let report = Report::of(&Mesh::new(corners, faces).unwrap());
    /// assert!(report.closed && report.oriented);
    /// assert!((report.volume.unwrap() - 1.0 / 6.0).abs() < 1e-15);
    /// assert_eq!(report.euler_characteristic(), 2);
    /// ```
    pub fn of(mesh: &Mesh) -> Self {
        let (components, unreferenced_vertices) = count_components(mesh);
        let bounds = Box3::from_points(mesh.positions().iter().copied());
        let bounds = Some(bounds).filter(|_| !mesh.positions().is_empty());
        let (area, volume) = area_and_volume(mesh, bounds);
        let mut report = Self {
            vertices: mesh.vertex_count(),
            unreferenced_vertices,
            triangles: mesh.triangle_count(),
            components,
            degenerate_triangles: triangles_in_space(mesh).filter(is_degenerate).count(),
            repeated_vertex_triangles: mesh.triangles().iter().filter(|t| names_a_vertex_twice(t)).count(),
            duplicate_triangles: count_duplicates(mesh),
            area,
            bounds,
            ..Self::default()
        };
        report.count_edges(mesh);
        report.oriented = report.nonmanifold_edges == 0 && report.inconsistent_edges == 0;
        report.closed = report.edges > 0 && report.boundary_edges == 0 && report.nonmanifold_edges == 0;
        report.volume = (report.closed && report.oriented).then_some(volume);
        report
    }

    /// Vertices that a triangle names − edges + triangles, without the triangles that name a vertex twice: 2 for
    /// each sphere, 0 for each torus, 1 for each disc.
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        let vertices = self.vertices - self.unreferenced_vertices;
        let faces = self.triangles - self.repeated_vertex_triangles;
        vertices as i64 - self.edges as i64 + faces as i64
    }

    fn count_edges(&mut self, mesh: &Mesh) {
        let mut rims = DisjointSets::new(mesh.vertex_count());
        let mut on_rim = vec![false; mesh.vertex_count()];
        let is_proper = |u: &&EdgeUse| !names_a_vertex_twice(&mesh.triangles()[u.triangle().index()]);
        for edge in Adjacency::build(mesh).edges() {
            // Three uses are enough to know what the edge is.
            let mut uses = edge.uses.iter().filter(is_proper);
            match (uses.next(), uses.next(), uses.next()) {
                (None, ..) => continue,
                (Some(_), None, _) => {
                    self.boundary_edges += 1;
                    rims.join(edge.ends[0], edge.ends[1]);
                    edge.ends.iter().for_each(|&v| on_rim[v as usize] = true);
                }
                (Some(one), Some(two), None) if one.ends(mesh) == two.ends(mesh) => {
                    self.inconsistent_edges += 1;
                }
                (Some(_), Some(_), None) => {}
                _ => self.nonmanifold_edges += 1,
            }
            self.edges += 1;
        }
        self.boundary_loops = count_sets(&rims, &on_rim);
    }
}

fn triangles_in_space(mesh: &Mesh) -> impl Iterator<Item = Triangle> + '_ {
    (0..mesh.triangle_count() as u32).map(|id| mesh.triangle(TriangleId(id)))
}

/// Whether the corners lie exactly on a line. In space they do if and only if they do seen along each axis.
fn is_degenerate(triangle: &Triangle) -> bool {
    let flat = |x: usize, y: usize| {
        let [a, b, c] = triangle.corners().map(|p| DVec2::new(p[x], p[y]));
        orient2d(a, b, c) == Sign::Zero
    };
    flat(0, 1) && flat(1, 2) && flat(2, 0)
}

fn names_a_vertex_twice(&[a, b, c]: &[u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// Connected groups of triangles, and vertices that belong to none.
fn count_components(mesh: &Mesh) -> (usize, usize) {
    let mut groups = DisjointSets::new(mesh.vertex_count());
    let mut named = vec![false; mesh.vertex_count()];
    for &[a, b, c] in mesh.triangles() {
        groups.join_all([a, b, c]);
        for v in [a, b, c] {
            named[v as usize] = true;
        }
    }
    (count_sets(&groups, &named), named.iter().filter(|named| !**named).count())
}

/// Number of sets among the marked vertices.
fn count_sets(sets: &DisjointSets, marked: &[bool]) -> usize {
    (0..).zip(marked).filter(|&(v, marked)| *marked && sets.is_root(v)).count()
}

fn count_duplicates(mesh: &Mesh) -> usize {
    let mut corners = mesh.triangles().to_vec();
    corners.iter_mut().for_each(|t| t.sort_unstable());
    corners.sort_unstable();
    corners.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// Area of the triangles, and volume by tetrahedra from the middle of the bounds to each triangle. (From a far
/// origin, large tetrahedra would cancel and leave their rounding errors.)
///
/// Coordinates are first scaled by a power of two, which is exact, to at most 2. So nothing overflows on
/// the way, and infinity means that the result itself is too large.
fn area_and_volume(mesh: &Mesh, bounds: Option<Box3>) -> (f64, f64) {
    let Some(Box3 { min: low, max: high }) = bounds else { return (0.0, 0.0) };
    let reach = low.abs().max(high.abs()).max_element().max(f64::MIN_POSITIVE);
    let scale = f64::from_bits(reach.to_bits() & f64::INFINITY.to_bits());
    let small = |p: DVec3| p / scale;
    let middle = 0.5 * (small(low) + small(high));
    let (mut area, mut volume) = (0.0, 0.0);
    for t in triangles_in_space(mesh) {
        let [a, b, c] = t.corners().map(|p| small(p) - middle);
        let cross = (b - a).cross(c - a);
        area += 0.5 * cross.length();
        volume += super::tets::volume([a, c, b, DVec3::ZERO]);
    }
    (area * scale * scale, volume * scale * scale * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Mesh {
        Mesh::new(positions.iter().map(|&p| p.into()).collect(), triangles.to_vec()).unwrap()
    }

    const CORNERS: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    /// What is true of a good closed tetrahedron; tests change what their defect changes.
    fn of_tetrahedron() -> Report {
        Report {
            vertices: 4,
            unreferenced_vertices: 0,
            triangles: 4,
            edges: 6,
            components: 1,
            boundary_edges: 0,
            boundary_loops: 0,
            nonmanifold_edges: 0,
            inconsistent_edges: 0,
            degenerate_triangles: 0,
            repeated_vertex_triangles: 0,
            duplicate_triangles: 0,
            closed: true,
            oriented: true,
            volume: Some(1.0 / 6.0),
            area: 1.5 + 0.75_f64.sqrt(),
            bounds: Some(Box3 { min: DVec3::ZERO, max: DVec3::ONE }),
        }
    }

    /// Compares everything; the rounded numbers up to rounding.
    #[track_caller]
    fn assert_report(mesh: &Mesh, expected: Report) {
        let mut report = Report::of(mesh);
        assert!((report.area - expected.area).abs() <= 1e-14 * expected.area, "area {}", report.area);
        report.area = expected.area;
        if let (Some(found), Some(right)) = (report.volume, expected.volume) {
            assert!((found - right).abs() <= 1e-14 * right.abs(), "volume {found}");
            report.volume = expected.volume;
        }
        assert_eq!(report, expected);
    }

    #[test]
    fn a_good_tetrahedron() {
        assert_report(&mesh(&CORNERS, &TETRAHEDRON), of_tetrahedron());
        assert_eq!(of_tetrahedron().euler_characteristic(), 2);
    }

    #[test]
    fn inside_out_has_negative_volume() {
        let inside_out = mesh(&CORNERS, &TETRAHEDRON).flipped();
        assert_report(&inside_out, Report { volume: Some(-1.0 / 6.0), ..of_tetrahedron() });
    }

    #[test]
    fn a_missing_face_leaves_a_boundary() {
        assert_report(
            &mesh(&CORNERS, &TETRAHEDRON[..3]),
            Report {
                triangles: 3,
                boundary_edges: 3,
                boundary_loops: 1,
                closed: false,
                volume: None,
                area: 1.5,
                ..of_tetrahedron()
            },
        );
    }

    #[test]
    fn holes_that_touch_in_a_vertex_count_as_one_loop() {
        // Two triangles that meet in vertex 0, and a third far away.
        let positions: Vec<_> = (0..8).map(|i| [f64::from(i), f64::from(i * i), 0.0]).collect();
        let report = Report::of(&mesh(&positions, &[[0, 1, 2], [0, 3, 4], [5, 6, 7]]));
        assert_eq!((report.boundary_edges, report.boundary_loops, report.components), (9, 2, 2));
    }

    #[test]
    fn one_turned_face_is_inconsistent_along_its_three_edges() {
        let mut faces = TETRAHEDRON;
        faces[3] = [1, 3, 2];
        let expected = Report { inconsistent_edges: 3, oriented: false, volume: None, ..of_tetrahedron() };
        assert_report(&mesh(&CORNERS, &faces), expected);
    }

    #[test]
    fn a_fin_makes_an_edge_nonmanifold() {
        let corners = [CORNERS.as_slice(), &[[1.0, 1.0, 0.0]]].concat();
        let faces = [TETRAHEDRON.as_slice(), &[[1, 4, 2]]].concat();
        assert_report(
            &mesh(&corners, &faces),
            Report {
                vertices: 5,
                triangles: 5,
                edges: 8,
                boundary_edges: 2,
                boundary_loops: 1,
                nonmanifold_edges: 1,
                closed: false,
                oriented: false,
                volume: None,
                area: 2.0 + 0.75_f64.sqrt(),
                ..of_tetrahedron()
            },
        );
    }

    #[test]
    fn a_triangle_that_names_a_vertex_twice_does_not_open_a_closed_mesh() {
        let faces = [TETRAHEDRON.as_slice(), &[[1, 1, 2], [3, 3, 3]]].concat();
        let expected = Report {
            triangles: 6,
            degenerate_triangles: 2,
            repeated_vertex_triangles: 2,
            ..of_tetrahedron()
        };
        assert_eq!(expected.euler_characteristic(), 2);
        assert_report(&mesh(&CORNERS, &faces), expected);
    }

    #[test]
    fn duplicates_count_beyond_the_first_in_any_order_of_corners() {
        let faces = [TETRAHEDRON.as_slice(), &[[2, 1, 0], [1, 2, 0], [3, 2, 1]]].concat();
        let report = Report::of(&mesh(&CORNERS, &faces));
        assert_eq!(report.duplicate_triangles, 3);
        assert_eq!((report.closed, report.nonmanifold_edges), (false, 5));
    }

    #[test]
    fn unreferenced_vertices_count_and_stretch_the_bounds() {
        let corners = [CORNERS.as_slice(), &[[-7.0, 0.0, 0.0], [0.0, 9.0, 0.0]]].concat();
        let bounds = Some(Box3 { min: DVec3::new(-7.0, 0.0, 0.0), max: DVec3::new(1.0, 9.0, 1.0) });
        let expected = Report { vertices: 6, unreferenced_vertices: 2, bounds, ..of_tetrahedron() };
        assert_report(&mesh(&corners, &TETRAHEDRON), expected);
    }

    #[test]
    fn two_bodies_are_two_components_and_volumes_add() {
        let one = mesh(&CORNERS, &TETRAHEDRON);
        let two = Mesh::join([&one, &one]).unwrap();
        let expected = Report {
            vertices: 8,
            triangles: 8,
            edges: 12,
            components: 2,
            volume: Some(1.0 / 3.0),
            area: 3.0 + 3.0_f64.sqrt(),
            ..of_tetrahedron()
        };
        assert_eq!(expected.euler_characteristic(), 4);
        assert_report(&two, expected);
    }

    #[test]
    fn degenerate_means_exactly_on_a_line() {
        let degenerate = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
            is_degenerate(&Triangle::new(a.into(), b.into(), c.into()))
        };
        assert!(degenerate([0.0; 3], [1.0; 3], [3.0; 3]));
        assert!(degenerate([2.0, 1.0, 5.0], [2.0, 1.0, 5.0], [0.1, 0.2, 0.3]), "two corners coincide");
        assert!(degenerate([0.1; 3], [0.1; 3], [0.1; 3]));
        // One unit in the last place off the line, along each axis in turn.
        let off = 1.0_f64.next_up();
        assert!(!degenerate([0.0; 3], [1.0, 1.0, off], [3.0; 3]));
        assert!(!degenerate([0.0; 3], [1.0, off, 1.0], [3.0; 3]));
        assert!(!degenerate([0.0; 3], [off, 1.0, 1.0], [3.0; 3]));
        // On a line parallel to an axis all three seem to coincide from one side, which must not be enough.
        assert!(!degenerate([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
    }

    #[test]
    fn volume_far_from_the_origin_keeps_its_digits() {
        let corners = CORNERS.map(|[x, y, z]| [x + 1e6, y - 2e6, z + 3e6]);
        let volume = Report::of(&mesh(&corners, &TETRAHEDRON)).volume.unwrap();
        assert!((volume - 1.0 / 6.0).abs() < 1e-9, "{volume}");
    }

    #[test]
    fn the_largest_and_smallest_coordinates_give_no_nan() {
        for size in [f64::MAX, 1e-320, 0.0] {
            let corners =
                [[-size, -size, -size], [size, -size, -size], [-size, size, -size], [-size, -size, size]];
            let report = Report::of(&mesh(&corners, &TETRAHEDRON));
            let expected = if size > 1.0 { f64::INFINITY } else { 0.0 };
            assert_eq!((report.area, report.volume), (expected, Some(expected)), "size {size:e}");
        }
    }

    #[test]
    fn an_empty_mesh_is_not_closed() {
        let report = Report::of(&Mesh::default());
        assert!(!report.closed && report.oriented);
        assert_eq!((report.volume, report.bounds, report.area), (None, None, 0.0));
        assert_eq!((report.components, report.euler_characteristic()), (0, 0));
    }
}
