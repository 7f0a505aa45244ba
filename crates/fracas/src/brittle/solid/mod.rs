//! What is made once for a shape and shared by all bodies of that shape.

pub(crate) mod cells;
mod sampling;
pub(crate) mod sphere_tree;
pub(crate) mod surface_grid;

pub use sampling::{DistanceOrder, order_by_distance, order_by_distance_naively};
pub use sphere_tree::SphereTree;

use crate::brittle::mass::Moments;
use crate::brittle::query::presence::Marker;
use crate::brittle::solid::cells::{CellRow, Cells, mean_edge};
use crate::brittle::solid::surface_grid::OriginalField;
use crate::brittle::split::pattern::PatternBook;
use crate::brittle::BrittleError;
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
    pub(crate) mesh: TetMesh,
    pub(crate) adjacency: TetAdjacency,
    pub(crate) boundary: Boundary,
    pub(crate) surface: MeshTree,
    pub(crate) cells: Cells,
    pub(crate) original: OriginalField,
    /// The triangle of the surface that each face of each tetrahedron is, or [`Solid::NONE`].
    pub(crate) triangles_of_tet: Vec<[u32; 4]>,
    /// Triangle `t` of the surface passes through the cells from `skin_starts[t]` to `skin_starts[t + 1]`.
    pub(crate) skin_starts: Vec<u32>,
    pub(crate) skin: Vec<CellRow>,
    /// Distance from each node to the original surface.
    pub(crate) depths: Vec<f64>,
    /// A sphere around each tetrahedron.
    pub(crate) spheres: Vec<(DVec3, f64)>,
    /// Integrals over each tetrahedron about `middle`.
    pub(crate) moments: Vec<Moments>,
    pub(crate) middle: DVec3,
    /// Half the diagonal of the box.
    pub(crate) radius: f64,
    /// Nodes that a tetrahedron names, sorted.
    pub(crate) nodes: Vec<u32>,
    pub(crate) tree: SphereTree,
    /// Length of the mean edge.
    pub(crate) edge: f64,
}

impl Solid {
    pub(crate) const NONE: u32 = u32::MAX;

    /// Marks the cells that a triangle of the original surface passes through.
    #[inline]
    pub(crate) fn mark_skin(&self, triangle: u32, marker: &mut Marker) {
        let [from, to] = [triangle, triangle + 1].map(|t| self.skin_starts[t as usize] as usize);
        self.skin[from..to].iter().for_each(|&row| marker.mark_skin(row, row.mask()));
    }

    /// Which points of a sphere tree lie inside the shape, not on its surface or on a crack.
    pub(crate) fn points_inside(&self, tree: &SphereTree) -> Vec<bool> {
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
        let (mut skin_starts, mut skin) = (vec![0], vec![]);
        for triangle in 0..boundary.faces.len() as u32 {
            let triangle = surface.mesh().triangle(TriangleId(triangle));
            let normal = triangle.area_vector().normalize_or_zero();
            let begin = skin.len();
            cells.visit_triangle(&triangle, normal, &mut |cell| CellRow::add(&mut skin, begin, cell));
            skin_starts.push(skin.len() as u32);
        }
        let original = OriginalField::build(&surface, options.grid * edge);
        let nodes: Vec<u32> =
            (0..mesh.node_count() as u32).filter(|&n| !adjacency.tets_of(n).is_empty()).collect();
        let depths = depths(&mesh, &surface, &original);
        let (low, high) = mesh.bounds();
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
            skin_starts,
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
        surface.find_nearest(p, guess).map_or(guess, |near| near.distance)
    };
    #[cfg(feature = "parallel")]
    {
        use rayon::prelude::*;
        mesh.positions().par_iter().map(depth).collect()
    }
    #[cfg(not(feature = "parallel"))]
    {
        mesh.positions().iter().map(depth).collect()
    }
}
