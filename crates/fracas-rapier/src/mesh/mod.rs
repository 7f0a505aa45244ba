//! Meshes as shapes of the engine: any closed surface, any open one with a thickness, and skinned bodies.
//!
//! # Idea
//!
//! ```text
//!   mesh, mesh                    Finder::find_near: features within the engine's look-ahead that face each other          (features)
//!                                 Finder::find_contacts: regions of overlap that are deeper than those                    (pair)
//!   mesh, convex shape            the convex shape becomes a mesh, once                                                  (engine_mesh)
//!   mesh, ball, half-space,       points of either against the surface of the other                                      (points)
//!         surfaces, compounds
//!   mesh, fragment                the same, from the side of the fragment                                     (crate::candidates)
//! ```
//!
//! Contacts then go the way of all others: grouped by normal, four points each, with the impulses of the last step (`crate::manifold`). Those of
//! regions have no stable features; they are told from one step to the next by their places.
//!
//! # Invariants
//!
//! A shape does not change. The frame of the shape is that of the mesh. Mass, centre and inertia are those of the volume inside.
//!
//! # When to use something else
//!
//! Convex bodies, and static surfaces that only engine shapes touch: the engine's own shapes, which are faster. A mesh between points (the third and fourth
//! line above) may be entered by edges that cross edges far from any point: give it triangles of about the size of what it meets.

mod engine_mesh;
mod features;
mod mass;
mod pair;
mod points;
mod queries;

pub(crate) use self::engine_mesh::EngineMeshes;
pub(crate) use self::pair::MeshPair;

use fracas::geom::{Box3, DVec3, Pose};
use fracas::{MeshTree, OpenSurface, SkinnedBody, View};
use rapier3d::parry::mass_properties::MassProperties;
use std::fmt;
use std::sync::Arc;

/// Why a mesh cannot be a shape of the engine.
///
/// ```
/// use fracas_rapier::{MeshShape, MeshShapeError, fracas::{MeshTree, mesh::shapes}};
/// let cloth = MeshTree::build(shapes::cloth_grid(2, 2, [1.0, 1.0])).into();
/// let refused = MeshShape::new(&cloth).unwrap_err();
/// assert!(matches!(refused, MeshShapeError::Open(_)));
/// assert!(MeshShape::with_thickness(&cloth, 0.01).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshShapeError {
    /// There are no triangles.
    #[error("the mesh has no triangles")]
    Empty,
    /// The surface is open and has no thickness.
    #[error("{0}; an open surface needs `MeshShape::with_thickness`")]
    Open(OpenSurface),
    /// The thickness is out of range.
    #[error("the thickness is {0}; it must be finite and at least 0, and greater than 0 for an open surface")]
    Thickness(f64),
    /// The engine computes in single precision, and the mesh does not fit into it.
    #[error("a coordinate is {0}; the engine's single precision takes up to 1e12")]
    TooLarge(f64),
}

/// What a shape shows.
#[derive(Clone)]
enum Body {
    Tree(Arc<MeshTree>),
    Skinned(Arc<SkinnedBody>),
}

/// A mesh as a shape of the engine: give it to a collider in a world that asks
/// [`BreakableSet::dispatcher`](crate::BreakableSet::dispatcher) or a [`FragmentDispatcher`](crate::FragmentDispatcher).
///
/// It collides with other meshes, with fragments and with every shape of the engine, but not with custom shapes of others.
///
/// ```
/// use fracas_rapier::{BreakableSet, MeshShape, fracas::{MeshTree, geom::DVec3, mesh::shapes}, rapier3d::prelude::*};
/// use std::sync::Arc;
/// let mut world = PhysicsWorld::default();
/// let mut set = BreakableSet::new(&mut world); // the world asks it for contacts
/// world.insert_collider(ColliderBuilder::new(SharedShape::halfspace(Vector::Y)), None);
/// let box_ = MeshTree::build(shapes::brick(DVec3::new(0.4, 0.2, 0.4), 0.1));
/// let shape = MeshShape::new(&Arc::new(box_))?;
/// let place = RigidBodyBuilder::dynamic().translation(Vector::Y * 0.3);
/// let (body, _) = world.insert(place, ColliderBuilder::new(SharedShape(Arc::new(shape))).density(500.0));
/// for _ in 0..120 {
///     set.step(&mut world)?;
/// }
/// assert!((world.bodies[body].translation().y - 0.1).abs() < 0.005);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct MeshShape {
    body: Body,
    surface: Arc<Surface>,
    thickness: f64,
}

/// What is computed once for a shape.
struct Surface {
    bounds: Box3,
    /// Farthest point from the middle of the box.
    radius: f64,
    is_closed: bool,
    /// −1 if the triangles of a closed surface are turned inward, else 1.
    turn: f64,
    /// For density 1.
    mass: MassProperties,
    /// Places of the vertices, and unit normals of the triangles around; zero where none has an area.
    positions: Vec<DVec3>,
    normals: Vec<DVec3>,
}

/// Coordinates beyond this are refused.
const LARGEST: f64 = 1e12;

impl MeshShape {
    /// The shape of a closed surface.
    ///
    /// # Errors
    /// A mesh that is empty, open, or too large for the engine's `f32`.
    ///
    /// # Cost
    /// One pass over the triangles.
    pub fn new(tree: &Arc<MeshTree>) -> Result<Self, MeshShapeError> {
        Self::build(Body::Tree(tree.clone()), 0.0)
    }

    /// The shape of a surface that is as thick as given on either side. Open surfaces need a thickness: they are stopped that far apart from
    /// others, on whichever side they are, and have no mass of their own.
    ///
    /// # Errors
    /// A mesh that is empty or too large; a thickness that is negative or not finite, or 0 for an open surface.
    pub fn with_thickness(tree: &Arc<MeshTree>, thickness: f64) -> Result<Self, MeshShapeError> {
        Self::build(Body::Tree(tree.clone()), thickness)
    }

    /// The shape of a skinned body as it stands. To move it, change the transforms (`Arc::make_mut` copies the body while a shape has it), make the shape again,
    /// and give it to the collider with `Collider::set_shape`.
    ///
    /// # Errors
    /// As [`MeshShape::with_thickness`]; 0 will do for a closed surface.
    ///
    /// # Cost
    /// Evaluates all vertices.
    pub fn skinned(body: &Arc<SkinnedBody>, thickness: f64) -> Result<Self, MeshShapeError> {
        Self::build(Body::Skinned(body.clone()), thickness)
    }

    fn build(body: Body, thickness: f64) -> Result<Self, MeshShapeError> {
        if !(0.0..=LARGEST).contains(&thickness) {
            return Err(MeshShapeError::Thickness(thickness));
        }
        let surface = {
            let guard = &body;
            let triangles = guard.triangles();
            if triangles.is_empty() {
                return Err(MeshShapeError::Empty);
            }
            let positions = guard.positions();
            let closed = guard.view().require_closed();
            if let (Err(open), true) = (closed, thickness == 0.0) {
                return Err(MeshShapeError::Open(open));
            }
            let used = || triangles.iter().flatten().map(|&v| positions[v as usize]);
            let bounds = Box3::from_points(used());
            let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
            if largest.is_nan() || largest > LARGEST {
                return Err(MeshShapeError::TooLarge(largest));
            }
            let middle = bounds.centre();
            let radius = used().map(|p| p.distance(middle)).fold(0.0, f64::max);
            let is_closed = closed.is_ok();
            let (mass, turn) =
                if is_closed { mass::of(&positions, triangles) } else { (MassProperties::default(), 1.0) };
            let normals = mass::vertex_normals(&positions, triangles);
            Arc::new(Surface { bounds, radius, is_closed, turn, mass, positions, normals })
        };
        Ok(Self { body, surface, thickness })
    }

    /// How thick the surface is on either side; 0 for the surface of a volume.
    #[must_use]
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// Whether it has an inside.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.surface.is_closed
    }

    /// The box around it, without its thickness.
    pub(crate) fn bounds(&self) -> Box3 {
        self.surface.bounds
    }

    /// Half the least extent, with its thickness.
    pub(crate) fn half_extent(&self) -> f64 {
        0.5 * self.surface.bounds.extent().min_element() + self.thickness
    }

    /// Vertices of triangles in a box, with their outward normals; all of them if the box has no end.
    fn vertices_in(&self, region: &Box3) -> Vec<u32> {
        let locked = &self.body;
        let triangles = locked.triangles();
        let mut vertices: Vec<u32> = if region.min.is_finite() && region.max.is_finite() {
            let found = locked.view().find_in_box(region);
            found.into_iter().flat_map(|id| triangles[id.index()]).collect()
        } else {
            triangles.iter().flatten().copied().collect()
        };
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    }

    /// Tells apart shapes that show different bodies.
    fn name(&self) -> usize {
        match &self.body {
            Body::Tree(tree) => Arc::as_ptr(tree) as usize,
            Body::Skinned(skin) => Arc::as_ptr(skin) as usize,
        }
    }

    /// Visits the vertices that may lie in a box: place, outward normal, index.
    pub(crate) fn visit_vertices(&self, region: &Box3, mut visit: impl FnMut(DVec3, DVec3, u32)) {
        for v in self.vertices_in(region) {
            let Surface { positions, normals, turn, .. } = &*self.surface;
            visit(positions[v as usize], normals[v as usize] * *turn, v);
        }
    }
}

impl Body {
    fn view(&self) -> View<'_> {
        match self {
            Self::Tree(tree) => tree.view(),
            Self::Skinned(body) => body.view(),
        }
    }

    fn at(&self, pose: &Pose) -> View<'_> {
        match self {
            Self::Tree(tree) => tree.at(pose),
            Self::Skinned(body) => body.at(pose),
        }
    }

    fn triangles(&self) -> &[[u32; 3]] {
        match self {
            Self::Tree(tree) => tree.mesh().triangles(),
            Self::Skinned(body) => body.skin().rest().triangles(),
        }
    }

    fn positions(&self) -> Vec<DVec3> {
        match self {
            Self::Tree(tree) => tree.mesh().positions().to_vec(),
            Self::Skinned(body) => {
                let mut positions = vec![];
                body.evaluate_into(&mut positions);
                positions
            }
        }
    }
}

impl fmt::Debug for MeshShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeshShape")
            .field("bounds", &self.surface.bounds)
            .field("is_closed", &self.surface.is_closed)
            .field("thickness", &self.thickness)
            .finish_non_exhaustive()
    }
}
