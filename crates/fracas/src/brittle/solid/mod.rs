//! What is prepared once for a shape and shared by all bodies of that shape.
//!
//! Tetrahedra and their neighbourhoods; the surface, with a tree over its triangles; cells that find the tetrahedron of a
//! point (`cells`); a grid that finds the surface triangle near a point (`surface_grid`); and the nodes in the order of
//! farthest-point sampling (`sampling`) as a sphere tree (`sphere_tree`).

pub(crate) mod cells;
mod sampling;
pub(crate) mod sphere_tree;
pub(crate) mod surface_grid;

pub use sampling::{FarthestPointOrder, farthest_point_order};
pub use sphere_tree::SphereTree;

use crate::base::{Lists, parallel};
use crate::brittle::BrittleError;
use crate::brittle::query::facet_tree::tripled_middle;
use crate::brittle::query::marker::Marker;
use crate::brittle::split::cut_tet::FacetTriangle;
use crate::brittle::split::pattern::PatternBook;
use crate::geom::{Box3, DVec3};
use crate::mesh::TriangleId;
use crate::mesh::mass::Moments;
use crate::mesh::tets::{Boundary, TetAdjacency, TetError, TetMesh};
use crate::tree::MeshTree;
use cells::{CellRow, Cells, mean_edge};
use std::ops::Range;
use surface_grid::SurfaceGrid;

/// How finely to prepare a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolidOptions {
    /// Size of the cells in which points are looked up, by the mean edge of the tetrahedra; 0.1 to 10. Smaller cells
    /// list fewer tetrahedra and take more memory.
    pub cell: f64,
    /// Spacing of the grid of nearest surface triangles, by the mean edge of the tetrahedra; 0.1 to 10.
    pub grid: f64,
}

impl Default for SolidOptions {
    fn default() -> Self {
        Self { cell: 0.6, grid: 0.75 }
    }
}

/// A shape prepared for breaking; see the [module](super).
#[derive(Clone, Debug)]
pub struct Solid {
    pub(crate) mesh: TetMesh,
    pub(crate) adjacency: TetAdjacency,
    /// Tetrahedron and face of each triangle of the surface, sorted.
    pub(crate) faces: Vec<(u32, u8)>,
    pub(crate) surface: MeshTree,
    /// By tetrahedron: its triangles of the surface, with their normals.
    facets: Lists<FacetTriangle>,
    /// By triangle of the surface: three times its middle, for the order of facet trees.
    pub(in crate::brittle) middles: Vec<DVec3>,
    pub(crate) cells: Cells,
    pub(crate) surface_grid: SurfaceGrid,
    /// By triangle of the surface: the cells that it passes through.
    surface_cells: Lists<CellRow>,
    /// Distance from each node to the original surface.
    pub(crate) depths: Vec<f64>,
    /// A sphere around each tetrahedron.
    pub(crate) spheres: Vec<(DVec3, f64)>,
    /// Integrals over each tetrahedron about `middle`.
    pub(in crate::brittle) moments: Vec<Moments>,
    pub(crate) middle: DVec3,
    /// Half the diagonal of the box.
    pub(crate) radius: f64,
    /// Nodes that a tetrahedron names, sorted.
    pub(crate) nodes: Vec<u32>,
    pub(crate) tree: SphereTree,
    /// Length of the mean edge.
    pub(crate) edge: f64,
    options: SolidOptions,
}

impl Solid {
    pub(crate) const NONE: u32 = u32::MAX;

    /// Marks the cells of a tetrahedron that is not cut: those that its surface passes through, and those whose middles it holds.
    #[inline]
    pub(crate) fn mark_tet(&self, tet: u32, marker: &mut Marker) {
        self.triangles_of(tet).for_each(|triangle| self.mark_surface(triangle, marker));
        self.cells.middles_of(tet).iter().for_each(|&row| marker.mark(row, row.mask()));
    }

    /// Marks the cells that a triangle of the surface passes through.
    #[inline]
    pub(crate) fn mark_surface(&self, triangle: usize, marker: &mut Marker) {
        let rows = self.surface_cells.list(triangle).iter();
        rows.for_each(|&row| marker.mark_surface(row, row.mask()));
    }

    /// The triangles of the surface that are faces of a tetrahedron.
    #[inline]
    pub(crate) fn triangles_of(&self, tet: u32) -> Range<usize> {
        self.facets.range(tet as usize)
    }

    /// Whether a face of a tetrahedron is a triangle of the surface.
    #[inline]
    pub(crate) fn has_surface(&self, tet: u32) -> bool {
        !self.triangles_of(tet).is_empty()
    }

    /// The triangle of the surface that a face of a tetrahedron is.
    #[inline]
    pub(crate) fn triangle_at(&self, tet: u32, face: u8) -> Option<usize> {
        self.triangles_of(tet).find(|&triangle| self.faces[triangle].1 == face)
    }

    /// The triangles of the surface that are faces of a tetrahedron, with their normals.
    #[inline]
    pub(crate) fn facets_of(&self, tet: u32) -> &[FacetTriangle] {
        self.facets.list(tet as usize)
    }

    /// All triangles of the surface, with their normals.
    #[inline]
    pub(crate) fn facets(&self) -> &[FacetTriangle] {
        self.facets.items()
    }

    /// A triangle of the surface.
    #[inline]
    pub(crate) fn facet(&self, triangle: usize) -> &FacetTriangle {
        &self.facets.items()[triangle]
    }

    /// Prepares a shape.
    ///
    /// # Errors
    /// Tetrahedra that do not fit together, none at all, or options out of range; a solid out of range
    /// ([`BrittleError::OutOfRange`]).
    ///
    /// # Cost
    /// About n log n, 10 µs to 20 µs per node; all threads take part with the feature `parallel`.
    ///
    /// ```
    /// use fracas::brittle::{Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::tets::brick};
    /// let solid = Solid::build(brick(DVec3::new(0.2, 0.1, 0.06), [5, 3, 2]), &SolidOptions::default()).unwrap();
    /// assert_eq!(solid.surface().mesh().triangle_count(), 2 * 2 * (5 * 3 + 3 * 2 + 2 * 5));
    /// ```
    pub fn build(mesh: TetMesh, options: &SolidOptions) -> Result<Self, BrittleError> {
        for (what, value) in [("cell size", options.cell), ("grid spacing", options.grid)] {
            if !(0.1..=10.0).contains(&value) {
                return Err(BrittleError::BadNumber { what, value });
            }
        }
        if mesh.tet_count() == 0 {
            return Err(TetError::Empty.into());
        }
        check_range(&mesh)?;
        let adjacency = TetAdjacency::build(&mesh)?;
        let Boundary { mesh: surface, faces, .. } = Boundary::of(&mesh, &adjacency);
        let surface = MeshTree::build(surface);
        let edge = mean_edge(&mesh);
        let cells = Cells::build(&mesh, options.cell);
        let facet = |triangle: u32| {
            let triangle = surface.mesh().triangle(TriangleId(triangle));
            FacetTriangle { triangle, normal: triangle.area_vector().normalize_or_zero(), is_crack: false }
        };
        let tets = faces.iter().map(|&(tet, _)| tet);
        let facets = Lists::from_pairs(mesh.tet_count(), tets.zip((0..).map(facet)));
        let middles = facets.items().iter().map(tripled_middle).collect();
        let mut surface_cells = Lists::default();
        for facet in facets.items() {
            surface_cells.append(|rows| cells.list_facet(facet, rows));
        }
        let surface_grid = SurfaceGrid::build(&surface, options.grid * edge);
        let nodes: Vec<u32> =
            (0..mesh.node_count() as u32).filter(|&n| !adjacency.tets_of(n).is_empty()).collect();
        let depths = depths(&mesh, &surface, &surface_grid);
        let (low, high) = mesh.bounds().corners();
        let middle = 0.5 * (low + high);
        let moments =
            (0..mesh.tet_count()).map(|t| Moments::of_tet(mesh.corners(t).map(|p| p - middle))).collect();
        let spheres = (0..mesh.tet_count()).map(|t| sphere(mesh.corners(t))).collect();
        let points: Vec<DVec3> = nodes.iter().map(|&n| mesh.positions()[n as usize]).collect();
        let tree = SphereTree::build(&points, &nodes);
        let radius = 0.5 * (high - low).length();
        PatternBook::open();
        Ok(Self {
            mesh,
            adjacency,
            faces,
            surface,
            facets,
            middles,
            cells,
            surface_grid,
            surface_cells,
            depths,
            spheres,
            moments,
            middle,
            radius,
            nodes,
            tree,
            edge,
            options: *options,
        })
    }

    /// How finely it was prepared.
    #[must_use]
    pub fn options(&self) -> &SolidOptions {
        &self.options
    }

    /// The tetrahedra.
    pub fn mesh(&self) -> &TetMesh {
        &self.mesh
    }

    /// How the tetrahedra meet.
    #[must_use]
    pub fn adjacency(&self) -> &TetAdjacency {
        &self.adjacency
    }

    /// The original surface, with its tree: for exact pairs, rays and nearest points.
    #[must_use]
    pub fn surface(&self) -> &MeshTree {
        &self.surface
    }

    /// Half the diagonal of the box around the shape.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Mean length of the edges of its tetrahedra.
    #[must_use]
    pub fn mean_edge(&self) -> f64 {
        self.edge
    }
}

/// Refuses solids for which boxes in `f32` or squared distances would not do. Radii from 2⁻³² to 2³² leave room for details a millionth as
/// large. Up to 2²⁰ radii from the origin, coordinates are rounded by less than what counts as on the surface.
fn check_range(mesh: &TetMesh) -> Result<(), BrittleError> {
    let used = || mesh.tets().iter().flatten().map(|&node| mesh.positions()[node as usize]);
    let (low, high) = Box3::from_points(used()).corners();
    let reach = low.abs().max(high.abs()).max_element();
    // Halves, so that nothing overflows; lengths out of range are about as large as their largest coordinate.
    let half = 0.5 * high - 0.5 * low;
    let longest = half.max_element();
    let radius = if (1e-100..1e100).contains(&longest) { half.length() } else { longest };
    let (least, most) = (2f64.powi(-32), 2f64.powi(32));
    if !(least..=most).contains(&radius) || reach > 2f64.powi(20) * radius {
        return Err(BrittleError::OutOfRange { radius, reach });
    }
    // Cells and grids are as fine as the mean edge, until there are too many of them.
    let share = mean_edge(mesh) / radius;
    let is_good = share >= 2f64.powi(-32);
    if is_good {
        Ok(())
    } else {
        Err(BrittleError::BadNumber { what: "mean edge, as a share of the radius,", value: share })
    }
}

/// A sphere around the middle of a tetrahedron.
fn sphere(corners: [DVec3; 4]) -> (DVec3, f64) {
    let centre = 0.25 * corners.iter().sum::<DVec3>();
    let radius = corners.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
    (centre, radius * (1.0 + 1e-12))
}

/// How far each node is from the surface.
fn depths(mesh: &TetMesh, surface: &MeshTree, grid: &SurfaceGrid) -> Vec<f64> {
    let depth = |&p: &DVec3| {
        // One of the triangles around is nearly always the nearest; the tree makes sure.
        let distance =
            |triangle| surface.mesh().triangle(TriangleId(triangle)).closest_point(p).distance_squared(p);
        let guess = grid.around(p).map(distance).fold(f64::INFINITY, f64::min).sqrt();
        if guess == 0.0 {
            return guess;
        }
        surface.view().nearest(p, guess).map_or(guess, |near| near.distance)
    };
    parallel::map(true, mesh.positions().iter(), depth)
}
