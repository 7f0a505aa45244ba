//! The engine's questions about pairs of shapes, answered where a fragment or a mesh is one of them.
//!
//! Everything else is left to the next dispatcher of the chain.

use crate::FragmentShape;
use crate::candidates::{Candidate, Scratch, TOLERANCE, between_fragments, with_scratch, with_shape};
use crate::cast::{Along, Cast};
use crate::closest::closest;
use crate::convert::{between, double, single};
use crate::engine::Seal;
use crate::manifold::{ToldBy, write_manifolds};
use crate::mesh::{EngineMeshes, MeshPair};
use crate::slab::Slab;
use fracas::brittle::ContactStats;
use rapier3d::math::{Pose, Real, Vector};
use rapier3d::parry::query::details::{
    ContactManifoldsWorkspace, NormalConstraints, ShapeCastOptions, TypedWorkspaceData, WorkspaceData,
};
use rapier3d::parry::query::{
    ClosestPoints, Contact, ContactManifold, DefaultQueryDispatcher, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, ShapeDistance, ShapeIntersection, Unsupported,
};
use rapier3d::parry::shape::{Shape, ShapeType, TypedShape};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use web_time::Instant;

/// Answers for [`FragmentShape`]s and [`MeshShape`](crate::MeshShape)s.
///
/// ```
/// use fracas_rapier::FragmentDispatcher;
/// use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher};
/// use rapier3d::prelude::NarrowPhase;
/// let ours = FragmentDispatcher::default();
/// let narrow_phase = NarrowPhase::with_query_dispatcher(ours.clone().chain(DefaultQueryDispatcher));
/// assert_eq!((narrow_phase.contact_pairs().count(), ours.work().pairs), (0, 0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct FragmentDispatcher {
    counters: Arc<Counters>,
    /// Convex shapes of the engine that met meshes.
    meshes: Arc<EngineMeshes>,
}

/// What a dispatcher has done since it was made. Pairs that hardly move are not asked about again, and count once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Pairs of shapes asked about.
    pub pairs: u64,
    /// Points of sphere trees, and corners of other shapes, visited.
    pub visited: u64,
    /// Points found within the engine's prediction.
    pub colliding: u64,
    /// Of these, points nearer than 0.2 % of the smaller shape's radius: those that touch or overlap.
    pub touching: u64,
    /// Contacts handed over.
    pub contacts: u64,
    /// Nanoseconds that all of it took.
    pub nanoseconds: u64,
}

impl std::ops::Sub for Work {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            pairs: self.pairs - before.pairs,
            visited: self.visited - before.visited,
            colliding: self.colliding - before.colliding,
            touching: self.touching - before.touching,
            contacts: self.contacts - before.contacts,
            nanoseconds: self.nanoseconds - before.nanoseconds,
        }
    }
}

#[derive(Debug, Default)]
struct Counters {
    pairs: AtomicU64,
    visited: AtomicU64,
    colliding: AtomicU64,
    touching: AtomicU64,
    contacts: AtomicU64,
    nanoseconds: AtomicU64,
}

impl FragmentDispatcher {
    /// What it has done since it was made; all clones count together.
    #[must_use]
    pub fn work(&self) -> Work {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counters { pairs, visited, colliding, touching, contacts, nanoseconds } = &*self.counters;
        Work {
            pairs: read(pairs),
            visited: read(visited),
            colliding: read(colliding),
            touching: read(touching),
            contacts: read(contacts),
            nanoseconds: read(nanoseconds),
        }
    }
}

/// Tells the engine that manifolds of a pair come and go.
#[derive(Clone, Debug)]
struct Unstable;

impl Unstable {
    fn is(workspace: Option<&ContactManifoldsWorkspace>) -> bool {
        workspace.is_some_and(|known| known.0.downcast_ref::<Self>().is_some())
    }
}

impl WorkspaceData for Unstable {
    fn as_typed_workspace_data(&self) -> TypedWorkspaceData<'_> {
        TypedWorkspaceData::Custom
    }

    fn clone_dyn(&self) -> Box<dyn WorkspaceData> {
        Box::new(self.clone())
    }
}

/// Which of two shapes is a fragment or a mesh.
enum Kind<'a> {
    Both(&'a FragmentShape, &'a FragmentShape),
    First(&'a FragmentShape, &'a dyn Shape),
    Second(&'a dyn Shape, &'a FragmentShape),
    /// None of them is a fragment, but one is a mesh.
    Meshes(MeshPair<'a>),
}

pub(crate) fn custom<S: Shape>(shape: &dyn Shape) -> Option<&S> {
    // The type is asked for first: nearly all shapes of a scene may be others.
    (shape.shape_type() == ShapeType::Custom).then(|| shape.as_shape())?
}

impl<'a> Kind<'a> {
    fn of(meshes: &EngineMeshes, g1: &'a dyn Shape, g2: &'a dyn Shape) -> Result<Self, Unsupported> {
        if g1.shape_type() != ShapeType::Custom && g2.shape_type() != ShapeType::Custom {
            return Err(Unsupported);
        }
        match (custom(g1), custom(g2)) {
            (Some(a), Some(b)) => Ok(Self::Both(a, b)),
            (Some(a), None) => Ok(Self::First(a, g2)),
            (None, Some(b)) => Ok(Self::Second(g1, b)),
            (None, None) => MeshPair::of(meshes, [g1, g2]).map(Self::Meshes),
        }
    }

    /// Fills the candidates, in the frame of the first fragment; tells whether that is the second shape.
    fn fill(&self, scratch: &mut Scratch, pos12: &Pose, prediction: f64) -> bool {
        match *self {
            Self::Both(a, b) => {
                between_fragments(scratch, a, b, pos12, prediction);
                false
            }
            Self::First(a, shape) => {
                with_shape(scratch, a, shape, pos12, prediction);
                false
            }
            Self::Second(shape, b) => {
                with_shape(scratch, b, shape, &pos12.inverse(), prediction);
                true
            }
            Self::Meshes(ref pair) => {
                pair.fill(&mut scratch.candidates, pos12, prediction);
                scratch.stats = ContactStats::default();
                scratch.stats.colliding = scratch.candidates.len() as u64;
                let tolerance = TOLERANCE * pair.radius();
                let touches = |candidate: &&Candidate| candidate.distance < tolerance;
                scratch.touching = scratch.candidates.iter().filter(touches).count() as u64;
                false
            }
        }
    }

    /// The nearest pair of points within reach: on either shape in its own frame, the normals, and the distance.
    fn nearest(&self, pos12: &Pose, reach: f64) -> Option<Contact> {
        if let Self::Meshes(pair) = self {
            return pair.nearest(pos12, reach);
        }
        with_scratch(|scratch| {
            let (best, is_flipped) = if let Self::Both(a, b) = *self {
                (closest(scratch, a, b, pos12, reach)?, false)
            } else {
                let is_flipped = self.fill(scratch, pos12, reach);
                let nearer = |a: &Candidate, b: &Candidate| a.distance.total_cmp(&b.distance);
                (*scratch.candidates.iter().min_by(|a, b| nearer(a, b))?, is_flipped)
            };
            // In the frame of the fragment; the other side's is the inverse pose away.
            let (there, back) = (pos12.inverse(), *pos12);
            let (p1, p2, normal) = (single(best.p1), single(best.p2), single(best.normal));
            let distance = best.distance as f32;
            Some(if is_flipped {
                Contact::new(back * p2, p1, back.rotation * -normal, normal, distance)
            } else {
                Contact::new(p1, there * p2, normal, there.rotation * -normal, distance)
            })
        })
    }

    /// The distance between the extents of both shapes along a normal in the frame of the first, which points to the second; negative if they overlap.
    /// `None` if one of them has no extents that are known.
    fn gap_along(&self, pos12: &Pose, normal: Vector) -> Option<f64> {
        let there = pos12.rotation.inverse() * -normal;
        let (of_first, of_second) = match *self {
            Self::Both(a, b) => (fragment_support(a, normal), fragment_support(b, there)),
            Self::First(a, shape) => (fragment_support(a, normal), support(shape, there)?),
            Self::Second(shape, b) => (support(shape, normal)?, fragment_support(b, there)),
            Self::Meshes(_) => return None,
        };
        Some(f64::from(pos12.translation.dot(normal)) - of_first - of_second)
    }

    /// The least extent of the thinner shape.
    fn least_extent(&self) -> f64 {
        let other = |shape: &dyn Shape| f64::from(shape.compute_local_aabb().extents().min_element());
        match *self {
            Self::Both(a, b) => a.least_extent().min(b.least_extent()),
            // A surface is as thin as can be; what is looked at is never finer than a part of the fragment.
            Self::First(a, shape) | Self::Second(shape, a) => {
                a.least_extent().min(other(shape).max(0.1 * a.least_extent()))
            }
            Self::Meshes(ref pair) => pair.least_extent(),
        }
    }

    /// Farther than this apart, two shapes cannot be any more.
    fn most(&self, pos12: &Pose) -> f64 {
        let size = |shape: &dyn Shape| {
            let sphere = shape.compute_local_bounding_sphere();
            f64::from(sphere.radius() + sphere.center().length())
        };
        let sizes = match *self {
            Self::Both(a, b) => a.reach() + b.reach(),
            Self::First(a, shape) | Self::Second(shape, a) => a.reach() + size(shape).min(1e6),
            Self::Meshes(ref pair) => return pair.most(pos12),
        };
        f64::from(pos12.translation.length()) + sizes
    }
}

/// How far a fragment goes along a direction of its frame.
fn fragment_support(shape: &FragmentShape, direction: Vector) -> f64 {
    let direction = double(direction);
    shape.support(direction) - direction.dot(shape.origin())
}

/// How far a shape of the engine goes along a direction of its frame, if that is known.
fn support(shape: &dyn Shape, direction: Vector) -> Option<f64> {
    if let TypedShape::HalfSpace(space) = shape.as_typed_shape() {
        // Along any other direction it has no end.
        return (space.normal.dot(direction) > 0.999_999).then_some(0.0);
    }
    Some(f64::from(shape.as_support_map()?.local_support_point(direction).dot(direction)))
}

impl QueryDispatcher for FragmentDispatcher {
    fn intersection_test(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
    ) -> Result<ShapeIntersection, Unsupported> {
        if let Some(Seal(sought)) = custom::<Seal>(g1) {
            let is_this = Arc::ptr_eq(&sought.counters, &self.counters);
            return if is_this { Ok(ShapeIntersection::new(true)) } else { Err(Unsupported) };
        }
        let near = Kind::of(&self.meshes, g1, g2)?.nearest(pos12, 0.0);
        Ok(ShapeIntersection::new(near.is_some_and(|near| near.dist <= 0.0)))
    }

    fn distance(&self, pos12: &Pose, g1: &dyn Shape, g2: &dyn Shape) -> Result<ShapeDistance, Unsupported> {
        let kind = Kind::of(&self.meshes, g1, g2)?;
        let near = kind.nearest(pos12, kind.most(pos12));
        Ok(ShapeDistance::new(near.map_or(Real::MAX, |near| near.dist.max(0.0))))
    }

    fn contact(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        prediction: Real,
    ) -> Result<Option<Contact>, Unsupported> {
        Ok(Kind::of(&self.meshes, g1, g2)?.nearest(pos12, f64::from(prediction)))
    }

    fn closest_points(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        max_dist: Real,
    ) -> Result<ClosestPoints, Unsupported> {
        let kind = Kind::of(&self.meshes, g1, g2)?;
        Ok(match kind.nearest(pos12, kind.most(pos12).min(f64::from(max_dist))) {
            Some(near) if near.dist <= 0.0 => ClosestPoints::Intersecting,
            Some(near) => ClosestPoints::WithinMargin(near.point1, near.point2),
            None => ClosestPoints::Disjoint,
        })
    }

    fn cast_shapes(
        &self,
        pos12: &Pose,
        local_vel12: Vector,
        g1: &dyn Shape,
        g2: &dyn Shape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        let kind = Kind::of(&self.meshes, g1, g2)?;
        let at = |time: f64| Pose::from_parts(pos12.translation + local_vel12 * time as f32, pos12.rotation);
        let near = |time: f64, reach: f64| kind.nearest(&at(time), reach);
        let along = |time: f64, near: &Contact| {
            let gap = kind.gap_along(&at(time), near.normal1)?;
            Some(Along { gap, speed: f64::from(-local_vel12.dot(near.normal1)).max(0.0) })
        };
        let cast = Cast {
            speed: f64::from(local_vel12.length()),
            span: [0.0, f64::from(options.max_time_of_impact).min(1e6)],
            target: f64::from(options.target_distance),
            size: kind.most(pos12),
            thin: kind.least_extent(),
            stops_inside: options.stop_at_penetration,
        };
        Ok(cast.first(near, along))
    }

    fn cast_shapes_nonlinear(
        &self,
        motion1: &NonlinearRigidMotion,
        g1: &dyn Shape,
        motion2: &NonlinearRigidMotion,
        g2: &dyn Shape,
        start_time: Real,
        end_time: Real,
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        let kind = Kind::of(&self.meshes, g1, g2)?;
        let at = |time: f64| {
            let [a, b] = [motion1, motion2].map(|motion| motion.position_at_time(time as f32));
            a.inv_mul(&b)
        };
        let near = |time: f64, reach: f64| kind.nearest(&at(time), reach);
        // No point of a shape is faster than its centre and what its turn gives the farthest point.
        let arm = |motion: &NonlinearRigidMotion, shape: &dyn Shape| {
            let sphere = shape.compute_local_bounding_sphere();
            (sphere.center() - motion.local_center).length() + sphere.radius()
        };
        let turns = [(motion1, g1), (motion2, g2)].map(|(motion, shape)| {
            let is_turning = motion.angvel != Vector::ZERO;
            (motion.angvel, if is_turning { arm(motion, shape) } else { 0.0 })
        });
        let turning = f64::from(turns.iter().map(|&(turn, arm)| turn.length() * arm).sum::<f32>());
        let approach = motion2.linvel - motion1.linvel;
        let along = |time: f64, near: &Contact| {
            let gap = kind.gap_along(&at(time), near.normal1)?;
            let normal = motion1.position_at_time(time as f32).rotation * near.normal1;
            // A turn about the normal moves nothing along it.
            let turning: f32 = turns.iter().map(|&(turn, arm)| turn.cross(normal).length() * arm).sum();
            Some(Along { gap, speed: f64::from((-approach.dot(normal)).max(0.0) + turning) })
        };
        let speed = f64::from(approach.length()) + turning;
        let span = [f64::from(start_time), f64::from(end_time)];
        // Bodies are stopped nearer to each other than the engine looks ahead: the smaller one tells how near.
        let size = match kind {
            Kind::Both(a, b) => a.radius().min(b.radius()),
            Kind::First(a, shape) | Kind::Second(shape, a) => {
                a.radius().min(f64::from(shape.compute_local_bounding_sphere().radius()))
            }
            Kind::Meshes(ref pair) => pair.radius(),
        };
        let thin = kind.least_extent();
        let cast = Cast { speed, span, target: 0.0, size, thin, stops_inside: stop_at_penetration };
        // Most bodies that a fast one is asked about it passes by.
        if let Kind::Both(a, b) = kind {
            let [begin, end] = span;
            let travel =
                motion1.position_at_time(start_time).rotation.inverse() * (approach * (end - begin) as f32);
            let pose = between(&at(begin), a.origin(), b.origin());
            if Slab::stays_between(a, b, &pose, double(travel), cast.enough() + turning * (end - begin)) {
                return Ok(None);
            }
        }
        Ok(cast.first(near, along))
    }
}

impl<M: Default + Clone + Send + Sync, C: Default + Copy + Send + Sync> PersistentQueryDispatcher<M, C>
    for FragmentDispatcher
{
    fn contact_manifolds(
        &self,
        pos12: &Pose,
        g1: &dyn Shape,
        g2: &dyn Shape,
        prediction: Real,
        manifolds: &mut Vec<ContactManifold<M, C>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        let before = manifolds.len();
        let Ok(kind) = Kind::of(&self.meshes, g1, g2) else {
            if before < 2 && Unstable::is(workspace.as_ref()) {
                *workspace = None;
            }
            if before < 2 || workspace.is_some() {
                return Err(Unsupported);
            }
            // A collider may have got another shape. The engine's dispatcher would leave manifolds beyond the first as they were, of a shape that
            // is gone. They must go, and a workspace makes the engine look up again what there is to solve.
            manifolds.clear();
            let done =
                DefaultQueryDispatcher.contact_manifolds(pos12, g1, g2, prediction, manifolds, workspace);
            workspace.get_or_insert_with(|| Unstable.into());
            return done;
        };
        let prediction = f64::from(prediction);
        let begin = Instant::now();
        with_scratch(|scratch| {
            let is_flipped = kind.fill(scratch, pos12, prediction);
            let told_by = if matches!(kind, Kind::Meshes(_)) { ToldBy::Place } else { ToldBy::Feature };
            write_manifolds(&mut scratch.candidates, prediction, pos12, is_flipped, told_by, manifolds);
            let add = |counter: &AtomicU64, value: u64| counter.fetch_add(value, Ordering::Relaxed);
            add(&self.counters.visited, scratch.stats.visited);
            add(&self.counters.colliding, scratch.stats.colliding);
            add(&self.counters.touching, scratch.touching);
        });
        // With a workspace the engine looks up every manifold again after this call. That costs time, and is needed only if their
        // number changes or may have been more than one.
        let is_unstable = before > 1 || manifolds.len() > 1;
        if is_unstable != workspace.is_some() {
            *workspace = is_unstable.then(|| Unstable.into());
        }
        let handed: usize = manifolds.iter().map(|manifold| manifold.points.len()).sum();
        self.counters.pairs.fetch_add(1, Ordering::Relaxed);
        self.counters.contacts.fetch_add(handed as u64, Ordering::Relaxed);
        self.counters.nanoseconds.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn contact_manifold_convex_convex(
        &self,
        _pos12: &Pose,
        _g1: &dyn Shape,
        _g2: &dyn Shape,
        _normal_constraints1: Option<&dyn NormalConstraints>,
        _normal_constraints2: Option<&dyn NormalConstraints>,
        _prediction: Real,
        _manifold: &mut ContactManifold<M, C>,
    ) -> Result<(), Unsupported> {
        // Fragments are not convex.
        Err(Unsupported)
    }
}
