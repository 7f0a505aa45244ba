//! What is made once for a shape and shared by all bodies of that shape.

use super::cells::{CellRow, Cells, mean_edge};
use super::mass::Moments;
use super::original::OriginalField;
use super::pattern::PatternBook;
use super::presence::Marker;
use super::{BrittleError, DistanceOrder, SphereTree, order_by_distance};
use crate::base::{Lists, parallel};
use crate::geom::DVec3;
use crate::mesh::TriangleId;
use crate::mesh::tets::{Boundary, TetAdjacency, TetError, TetMesh};
use crate::tree::MeshTree;

/// How finely to prepare a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidOptions {
    /// Size of the cells in which points are looked up, by the mean edge of the tetrahedra; 0.1 to 10. Smaller cells
    /// list fewer tetrahedra and take more memory.
    pub cell: f64,
    /// Spacing of the grid that knows the original surface, by the mean edge of the tetrahedra; 0.1 to 10.
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
    pub(super) mesh: TetMesh,
    pub(super) adjacency: TetAdjacency,
    pub(super) boundary: Boundary,
    pub(super) surface: MeshTree,
    pub(super) cells: Cells,
    pub(super) original: OriginalField,
    /// The triangle of the surface that each face of each tetrahedron is, or [`Solid::NONE`].
    pub(super) triangles_of_tet: Vec<[u32; 4]>,
    /// By triangle of the surface: the cells that it passes through.
    pub(super) skin: Lists<CellRow>,
    /// Distance from each node to the original surface.
    pub(super) depths: Vec<f64>,
    /// A sphere around each tetrahedron.
    pub(super) spheres: Vec<(DVec3, f64)>,
    /// Integrals over each tetrahedron about `middle`.
    pub(super) moments: Vec<Moments>,
    pub(super) middle: DVec3,
    /// Half the diagonal of the box.
    pub(super) radius: f64,
    /// Nodes that a tetrahedron names, sorted.
    pub(super) nodes: Vec<u32>,
    pub(super) tree: SphereTree,
    /// Length of the mean edge.
    pub(super) edge: f64,
}

impl Solid {
    pub(super) const NONE: u32 = u32::MAX;

    /// Marks the cells that a triangle of the original surface passes through.
    #[inline]
    pub(super) fn mark_skin(&self, triangle: u32, marker: &mut Marker) {
        self.skin.list(triangle as usize).iter().for_each(|&row| marker.mark_skin(row, row.mask()));
    }

    /// Which points of a sphere tree lie inside the shape, not on its surface or on a crack.
    pub(super) fn points_inside(&self, tree: &SphereTree) -> Vec<bool> {
        let least = 1e-9 * self.radius;
        let is_inside = |(&node, &is_crack): (&u32, &bool)| !is_crack && self.depths[node as usize] > least;
        tree.owners.iter().zip(&tree.is_crack).map(is_inside).collect()
    }

    /// Prepares a shape.
    ///
    /// # Errors
    /// Tetrahedra that do not fit together, none at all, or options out of range.
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
        let adjacency = TetAdjacency::build(&mesh)?;
        let boundary = Boundary::of(&mesh, &adjacency);
        let surface = MeshTree::build(boundary.mesh.clone());
        let mut triangles_of_tet = vec![[Self::NONE; 4]; mesh.tet_count()];
        for (triangle, &(tet, face)) in boundary.faces.iter().enumerate() {
            triangles_of_tet[tet as usize][face as usize] = triangle as u32;
        }
        let edge = mean_edge(&mesh);
        let cells = Cells::build(&mesh, options.cell);
        let mut skin = Lists::default();
        for triangle in 0..boundary.faces.len() as u32 {
            let triangle = surface.mesh().triangle(TriangleId(triangle));
            let normal = triangle.area_vector().normalize_or_zero();
            skin.append(|rows| {
                let begin = rows.len();
                cells.visit_triangle(&triangle, normal, &mut |cell| CellRow::add(rows, begin, cell));
            });
        }
        let original = OriginalField::build(&surface, options.grid * edge);
        let nodes: Vec<u32> =
            (0..mesh.node_count() as u32).filter(|&n| !adjacency.tets_of(n).is_empty()).collect();
        let depths = depths(&mesh, &surface, &original);
        let (low, high) = mesh.bounds().corners();
        let middle = 0.5 * (low + high);
        let moments =
            (0..mesh.tet_count()).map(|t| Moments::of_tet(mesh.corners(t).map(|p| p - middle))).collect();
        let spheres = (0..mesh.tet_count()).map(|t| sphere(mesh.corners(t))).collect();
        let points: Vec<DVec3> = nodes.iter().map(|&n| mesh.positions()[n as usize]).collect();
        let order: DistanceOrder = order_by_distance(&points);
        let tree = SphereTree::build(&points, &nodes, &order);
        let radius = 0.5 * (high - low).length();
        PatternBook::open();
        Ok(Self {
            mesh,
            adjacency,
            boundary,
            surface,
            cells,
            original,
            triangles_of_tet,
            skin,
            depths,
            spheres,
            moments,
            middle,
            radius,
            nodes,
            tree,
            edge,
        })
    }

    /// The tetrahedra.
    #[must_use]
    pub fn mesh(&self) -> &TetMesh {
        &self.mesh
    }

    /// How they meet.
    #[must_use]
    pub fn adjacency(&self) -> &TetAdjacency {
        &self.adjacency
    }

    /// The original surface, with its tree: for exact pairs, rays and nearest points.
    #[must_use]
    pub fn surface(&self) -> &MeshTree {
        &self.surface
    }

    /// Tetrahedron and face of each triangle of the surface.
    #[must_use]
    pub fn faces(&self) -> &[(u32, u8)] {
        &self.boundary.faces
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

/// A sphere around the middle of a tetrahedron.
fn sphere(corners: [DVec3; 4]) -> (DVec3, f64) {
    let centre = 0.25 * corners.iter().sum::<DVec3>();
    let radius = corners.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
    (centre, radius * (1.0 + 1e-12))
}

/// How far each node is from the surface.
fn depths(mesh: &TetMesh, surface: &MeshTree, original: &OriginalField) -> Vec<f64> {
    let depth = |&p: &DVec3| {
        // What the grid finds is nearly always the nearest; the tree makes sure.
        let guess =
            original.find(surface, p, f64::INFINITY).map_or(f64::INFINITY, |near| near.squared.sqrt());
        surface.view().nearest(p, guess).map_or(guess, |near| near.distance)
    };
    parallel::map(true, mesh.positions().iter(), depth)
}
