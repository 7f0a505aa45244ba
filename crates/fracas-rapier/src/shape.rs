//! A fragment as a shape of the engine.
//!
//! # Frame
//!
//! All fragments of a body share its coordinates, in `f64`. The engine keeps shapes in `f32`, each in a frame of its own. The
//! origin of a fragment's frame is its centre of mass: numbers stay small, so `f32` is at its best, and the engine's
//! estimates of how far a turn moves a point are tight.
//!
//! ```text
//!      body's coordinates                    frame of the shape = frame of the rigid body
//!      ┌───────────────┐                              ┌─────
//!      │       ╱  ×────│── centre of mass ──▶         ×            p_body = p_shape + origin
//!      └──────╱────────┘                        ╱─────┘
//! ```
//!
//! # Sharing
//!
//! Fragments of one body are behind one lock. Queries read; only a fracture writes. A shape whose fragment has broken answers
//! as if it were empty; the set that breaks a body replaces its shape.

use crate::BreakError;
use crate::cloud::Cloud;
use crate::convert::{double, engine_mass, single};
use crate::edges::Edge;
use fracas::brittle::{BrittleBody, BrittleError, FragmentId, NearestSurface};
use fracas::geom::DVec3;
use rapier3d::math::{Pose, Real, Vector};
use rapier3d::parry::bounding_volume::{Aabb, BoundingSphere};
use rapier3d::parry::mass_properties::MassProperties;
use rapier3d::parry::query::{PointProjection, PointQuery};
use rapier3d::parry::shape::{FeatureId, Shape, ShapeType, TypedShape};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// A body whose fragments are shapes.
pub type SharedBody = Arc<RwLock<BrittleBody>>;

/// Cosine between the normals of faces beyond which their edge counts as sharp: 30°.
const SHARP: f64 = 0.866;

/// A fragment as a shape of the engine; see the [crate](crate).
#[derive(Clone)]
pub struct FragmentShape {
    body: SharedBody,
    fragment: FragmentId,
    /// Centre of mass in the body's coordinates.
    origin: DVec3,
    /// Box in the frame of the shape.
    low: Vector,
    high: Vector,
    /// Farthest point from the origin.
    reach: f64,
    /// Mass properties for density 1, in the frame of the shape.
    mass: MassProperties,
    /// Of each point of the sphere tree; zero for points inside.
    normals: Arc<[DVec3]>,
    /// Sharp edges, in the body's coordinates.
    edges: Arc<[Edge]>,
    radius: f64,
    volume: f64,
    /// Points of the surface, in the body's coordinates.
    cloud: Arc<Cloud>,
}

impl FragmentShape {
    /// The shape of a fragment.
    ///
    /// # Errors
    /// If there is no such fragment, or it has broken.
    ///
    /// # Cost
    /// Proportional to its surface.
    ///
    /// ```
    /// use fracas::brittle::{BrittleBody, Solid, SolidOptions};
    /// use fracas::{geom::DVec3, mesh::tets::brick};
    /// use fracas_rapier::FragmentShape;
    /// use rapier3d::parry::shape::Shape;
    /// use std::sync::{Arc, RwLock};
    /// let solid = Solid::build(brick(DVec3::new(0.2, 0.1, 0.06), [5, 3, 2]), &SolidOptions::default())?;
    /// let body = BrittleBody::new(solid.into());
    /// let whole = body.fragments().next().unwrap();
    /// let shape = FragmentShape::new(&Arc::new(RwLock::new(body)), whole)?;
    /// assert!((shape.mass_properties(1000.0).mass() - 1.2).abs() < 1e-6);
    /// # Ok::<(), fracas::brittle::BrittleError>(())
    /// ```
    pub fn new(body: &SharedBody, fragment: FragmentId) -> Result<Self, BrittleError> {
        let guard = body.read().unwrap_or_else(PoisonError::into_inner);
        let known = guard.fragment(fragment)?;
        let exact = known.mass();
        let origin = exact.centre;
        let (low, high) = known.bounds().corners();
        let reach = known.tree().points().iter().map(|p| p.distance(origin)).fold(0.0, f64::max);
        let mass = engine_mass(exact, DVec3::ZERO);
        let (normals, edges) = guard.surface_features(fragment, SHARP)?;
        let points = known.tree().points().iter().zip(&normals);
        let cloud: Vec<DVec3> =
            points.filter(|(_, normal)| **normal != DVec3::ZERO).map(|(p, _)| *p).collect();
        Ok(Self {
            cloud: Arc::new(Cloud::new(&cloud)),
            low: rounded(low - origin, f32::next_down),
            high: rounded(high - origin, f32::next_up),
            reach,
            mass,
            normals: normals.into(),
            edges: edges.into_iter().map(Edge::from).collect(),
            radius: known.radius(),
            volume: exact.volume,
            origin,
            fragment,
            body: body.clone(),
        })
    }

    /// The body it is a fragment of.
    #[must_use]
    pub fn body(&self) -> &SharedBody {
        &self.body
    }

    /// Which fragment.
    #[must_use]
    pub fn fragment(&self) -> FragmentId {
        self.fragment
    }

    /// The origin of the shape's frame, in the coordinates of the body.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Distance of the farthest point from the origin.
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Half the diagonal of its box.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Its volume.
    pub(crate) fn volume(&self) -> f64 {
        self.volume
    }

    /// Half its least extent.
    pub(crate) fn thickness(&self) -> f32 {
        0.5 * (self.high - self.low).min_element()
    }

    /// The least of the three sides of its box.
    pub(crate) fn least_extent(&self) -> f64 {
        2.0 * f64::from(self.thickness())
    }

    /// Refuses a fragment that the engine's `f32` cannot hold.
    pub(crate) fn check(&self) -> Result<(), BreakError> {
        let inertia = self.mass.inv_principal_inertia.to_array();
        let numbers =
            [self.reach as f32, self.thickness(), self.mass.inv_mass, inertia[0], inertia[1], inertia[2]];
        let bad = numbers.into_iter().find(|x| !(*x > 0.0 && x.is_normal()));
        bad.map_or(Ok(()), |value| {
            let what = "the size, mass or inertia of the body, or its inverse, in single precision";
            Err(BreakError::BadNumber { what, value: value.into(), expected: "positive and finite" })
        })
    }

    /// Outward unit normals of the points of the sphere tree; zero for points inside.
    pub(crate) fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// How far the surface goes along a direction of the body's coordinates.
    pub(crate) fn support(&self, direction: DVec3) -> f64 {
        self.cloud.support(direction)
    }

    /// A point of the surface that is about the farthest along a direction, for much less.
    pub(crate) fn about_farthest(&self, direction: DVec3) -> DVec3 {
        self.cloud.about_farthest(direction)
    }

    /// Its sharp edges.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, BrittleBody> {
        self.body.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The surface point nearest to a point of the shape's frame, in the body's coordinates.
    fn find_nearest(&self, p: Vector, reach: f64) -> Option<NearestSurface> {
        self.read().find_nearest(self.fragment, double(p) + self.origin, reach)
    }

    pub(crate) fn local_box(&self) -> [Vector; 2] {
        [self.low, self.high]
    }
}

fn rounded(v: DVec3, outward: fn(f32) -> f32) -> Vector {
    Vector::from_array(single(v).to_array().map(outward))
}

impl fmt::Debug for FragmentShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fragment, origin, radius, .. } = self;
        f.debug_struct("FragmentShape")
            .field("fragment", fragment)
            .field("origin", origin)
            .field("radius", radius)
            .finish_non_exhaustive()
    }
}

impl Shape for FragmentShape {
    fn compute_local_aabb(&self) -> Aabb {
        Aabb::new(self.low, self.high)
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        BoundingSphere::new(Vector::ZERO, (self.reach as f32).next_up())
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    /// A fragment cannot be scaled: others share its body.
    fn scale_dyn(&self, _scale: Vector, _num_subdivisions: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn compute_aabb(&self, position: &Pose) -> Aabb {
        self.compute_local_aabb().transform_by(position)
    }

    fn mass_properties(&self, density: Real) -> MassProperties {
        let mut mass = self.mass;
        mass.inv_mass /= density;
        mass.inv_principal_inertia /= density;
        mass
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> Real {
        self.thickness()
    }

    fn ccd_angular_thickness(&self) -> Real {
        std::f32::consts::FRAC_PI_4
    }
}

impl PointQuery for FragmentShape {
    fn project_local_point(&self, pt: Vector, solid: bool) -> PointProjection {
        self.project_local_point_with_max_dist(pt, solid, f32::INFINITY)
            .unwrap_or(PointProjection::new(false, pt))
    }

    fn project_local_point_with_max_dist(
        &self,
        pt: Vector,
        solid: bool,
        max_dist: Real,
    ) -> Option<PointProjection> {
        let farthest = self.reach + double(pt).length();
        let near = self.find_nearest(pt, farthest.min(f64::from(max_dist)))?;
        let is_inside = near.distance <= 0.0;
        let point = if is_inside && solid { pt } else { single(near.point - self.origin) };
        Some(PointProjection::new(is_inside, point))
    }

    fn project_local_point_and_get_feature(&self, pt: Vector) -> (PointProjection, FeatureId) {
        (self.project_local_point(pt, false), FeatureId::Unknown)
    }
}
