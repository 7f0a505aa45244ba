//! Two shapes of which at least one is a mesh and none is a fragment: contacts, the nearest points.

use super::features::{self, Side};
use super::{EngineMeshes, MeshShape, points};
use crate::candidates::Candidate;
use crate::convert::{double_pose, single};
use fracas::geom::{DVec3, Pose};
use fracas::{ContactOptions, FindOptions, Finder, Side as PointSide, Threads, TriangleId, View};
use rapier3d::math::Pose as EnginePose;
use rapier3d::parry::query::{Contact, Unsupported};
use rapier3d::parry::shape::{PackedFeatureId, Shape, TypedShape};
use std::cell::RefCell;
use std::sync::Arc;

/// Contacts of each region that are looked at; which of them the solver gets is decided with all others.
const PER_REGION: usize = 4;
/// How much deeper than features a region must be to be of interest: by the depth of those, and by the engine's prediction.
const DEEPER: [f64; 2] = [1.25, 0.02];
/// Pairs of bodies that each thread remembers.
const REMEMBERED: usize = 16;

/// One of the two.
enum Part<'a> {
    Mesh(&'a MeshShape),
    /// A convex shape of the engine as a mesh, and the rounding around it.
    Convex(Arc<MeshShape>, f64),
    /// Any other shape of the engine.
    Other(&'a dyn Shape),
}

/// Two shapes, one of them a mesh.
pub(crate) struct MeshPair<'a> {
    parts: [Part<'a>; 2],
    shapes: [&'a dyn Shape; 2],
}

impl<'a> MeshPair<'a> {
    /// The pair, if one of the shapes is a mesh.
    pub fn of(meshes: &EngineMeshes, shapes: [&'a dyn Shape; 2]) -> Result<Self, Unsupported> {
        let mesh = |shape: &'a dyn Shape| crate::dispatch::custom::<MeshShape>(shape);
        let [a, b] = shapes.map(mesh);
        let part = |shape: &'a dyn Shape| match meshes.of(shape) {
            Some((mesh, border)) => Ok(Part::Convex(mesh, border)),
            None if matches!(shape.as_typed_shape(), TypedShape::Custom(_)) => Err(Unsupported),
            None => Ok(Part::Other(shape)),
        };
        let parts = match (a, b) {
            (Some(a), Some(b)) => [Part::Mesh(a), Part::Mesh(b)],
            (Some(a), None) => [Part::Mesh(a), part(shapes[1])?],
            (None, Some(b)) => [part(shapes[0])?, Part::Mesh(b)],
            (None, None) => return Err(Unsupported),
        };
        Ok(Self { parts, shapes })
    }

    /// Fills the list with candidates, in the frame of the first shape.
    pub fn fill(&self, candidates: &mut Vec<Candidate>, pos12: &EnginePose, prediction: f64) {
        candidates.clear();
        match &self.parts {
            [Part::Mesh(mesh), Part::Other(shape)] => {
                points::add(candidates, mesh, *shape, pos12, prediction)
            }
            [Part::Other(shape), Part::Mesh(mesh)] => {
                points::add(candidates, mesh, *shape, &pos12.inverse(), prediction);
                let there = double_pose(pos12);
                candidates.iter_mut().for_each(|candidate| *candidate = turned(candidate, &there));
            }
            [a, b] => between(candidates, [a, b], &double_pose(pos12), prediction),
        }
    }

    /// The nearest points within reach, or the deepest contact.
    pub fn nearest(&self, pos12: &EnginePose, reach: f64) -> Option<Contact> {
        let pose = double_pose(pos12);
        let best = match &self.parts {
            [a @ (Part::Mesh(_) | Part::Convex(..)), b @ (Part::Mesh(_) | Part::Convex(..))]
                if !may_overlap([a, b], &pose) =>
            {
                apart([a, b], &pose, reach)
            }
            _ => {
                let mut candidates = vec![];
                self.fill(&mut candidates, pos12, reach);
                let nearer = |a: &Candidate, b: &Candidate| a.distance.total_cmp(&b.distance);
                candidates.into_iter().min_by(nearer)
            }
        }?;
        let back = pos12.inverse();
        let (p1, p2, normal) = (single(best.p1), single(best.p2), single(best.normal));
        let distance = best.distance as f32;
        (best.distance <= reach)
            .then(|| Contact::new(p1, back * p2, normal, back.rotation * -normal, distance))
    }

    /// The least extent of the thinner one.
    pub fn least_extent(&self) -> f64 {
        let own = |part: &Part, shape: &dyn Shape| match part {
            Part::Mesh(mesh) => 2.0 * mesh.half_extent(),
            _ => f64::from(shape.compute_local_aabb().extents().min_element()),
        };
        let [a, b] = [0, 1].map(|k| own(&self.parts[k], self.shapes[k]));
        // A surface is as thin as can be.
        a.min(b).max(0.02 * a.max(b).min(1e6))
    }

    /// The radius of the smaller one.
    pub fn radius(&self) -> f64 {
        let [a, b] = self.shapes.map(|shape| f64::from(shape.compute_local_bounding_sphere().radius()));
        a.min(b)
    }

    /// Farther than this apart, they cannot be any more.
    pub fn most(&self, pos12: &EnginePose) -> f64 {
        let size = |shape: &dyn Shape| {
            let sphere = shape.compute_local_bounding_sphere();
            f64::from(sphere.radius() + sphere.center().length()).min(1e6)
        };
        f64::from(pos12.translation.length()) + size(self.shapes[0]) + size(self.shapes[1])
    }
}

impl Part<'_> {
    fn mesh(&self) -> Option<&MeshShape> {
        match self {
            Self::Mesh(mesh) => Some(mesh),
            Self::Convex(mesh, _) => Some(mesh),
            Self::Other(_) => None,
        }
    }

    fn thickness(&self) -> f64 {
        match self {
            Self::Mesh(mesh) => mesh.thickness(),
            Self::Convex(_, border) => *border,
            Self::Other(_) => 0.0,
        }
    }
}

/// A candidate seen from the other shape, to whose frame a pose leads.
fn turned(candidate: &Candidate, pose: &Pose) -> Candidate {
    let Candidate { p1, p2, normal, features: [f1, f2], .. } = *candidate;
    Candidate {
        p1: pose.apply(p2),
        p2: pose.apply(p1),
        normal: pose.rotation() * -normal,
        features: [f2, f1],
        ..*candidate
    }
}

type Names = [usize; 2];

thread_local! {
    /// Finders, the last one used first: each knows how the two bodies it was last asked about hang together.
    static FINDERS: RefCell<Vec<(Names, Finder)>> = const { RefCell::new(vec![]) };
}

/// Lends a finder, best the one that was asked about these two last. Answers do not depend on which it is.
fn with_finder<R>(meshes: [&MeshShape; 2], use_it: impl FnOnce(&mut Finder) -> R) -> R {
    let names = meshes.map(MeshShape::name);
    let known = FINDERS.with_borrow_mut(|finders| {
        let at = finders.iter().position(|(of, _)| *of == names);
        let at = at.or_else(|| (finders.len() >= REMEMBERED).then(|| finders.len() - 1));
        at.map(|at| finders.remove(at).1)
    });
    let options = FindOptions { threads: Threads::One, ..FindOptions::default() };
    let mut finder = known.unwrap_or_else(|| Finder::new(options));
    let result = use_it(&mut finder);
    FINDERS.with_borrow_mut(|finders| finders.insert(0, (names, finder)));
    result
}

/// Contacts of two meshes; the pose takes the second to the first.
fn between(candidates: &mut Vec<Candidate>, parts: [&Part; 2], pose: &Pose, prediction: f64) {
    let (Some(first), Some(second)) = (parts[0].mesh(), parts[1].mesh()) else { return };
    let [t1, t2] = parts.map(Part::thickness);
    let reach = prediction.max(0.0) + t1 + t2;
    let one = Side { mesh: first, pose: Pose::IDENTITY, thickness: t1 };
    let two = Side { mesh: second, pose: *pose, thickness: t2 };
    with_finder([first, second], |finder| {
        let near = finder.find_near(one.view(), two.view(), reach);
        features::add(candidates, [&one, &two], near, reach);
        if first.is_closed() && second.is_closed() {
            let deepest = candidates.iter().map(|found| -found.distance).fold(0.0, f64::max);
            let least = DEEPER[0] * deepest + DEEPER[1] * prediction;
            let options = ContactOptions { thickness: 0.0, max_per_region: PER_REGION };
            let contacts = finder.find_contacts_with(one.view(), two.view(), &options).unwrap_or_default();
            for (k, contact) in (0..).zip(contacts) {
                let distance = -contact.depth - t1 - t2;
                if -distance > least {
                    let (p1, p2) = (contact.points[0], contact.points[1]);
                    let (p1, p2) = (p1 + contact.normal * t1, p2 - contact.normal * t2);
                    // Such contacts are told by their places (`manifold`); numbers only keep them apart.
                    let features = [k, contact.region & 0x3fff_ffff].map(PackedFeatureId::face);
                    let normal = contact.normal;
                    candidates.push(Candidate { p1, p2, normal, distance, features, is_known: false });
                }
            }
        }
    });
    candidates.retain(|found| found.distance < reach && found.normal.is_finite());
    if candidates.is_empty() {
        // Corners that point at each other.
        candidates.extend(apart(parts, pose, prediction));
    }
}

/// Whether surfaces meet, or one closed body holds a point of the other.
fn may_overlap(parts: [&Part; 2], pose: &Pose) -> bool {
    let (Some(first), Some(second)) = (parts[0].mesh(), parts[1].mesh()) else { return true };
    let (a, b) = (first.body.view(), second.body.at(pose));
    let holds = |outer: &View, is_closed: bool, p: DVec3| {
        is_closed && outer.side_of(p).is_ok_and(|side| side != PointSide::Outside)
    };
    // Shapes have a triangle at least.
    let any = TriangleId(0);
    holds(&a, first.is_closed(), b.triangle(any).a)
        || holds(&b, second.is_closed(), a.triangle(any).a)
        || with_finder([first, second], |finder| finder.find_first(a, b).is_some())
}

/// The nearest points of two meshes that do not overlap.
fn apart(parts: [&Part; 2], pose: &Pose, reach: f64) -> Option<Candidate> {
    let (first, second) = (parts[0].mesh()?, parts[1].mesh()?);
    let [t1, t2] = parts.map(Part::thickness);
    let ask =
        |finder: &mut Finder| finder.find_closest(first.body.view(), second.body.at(pose), reach + t1 + t2);
    let near = with_finder([first, second], ask)?;
    let normal = (near.points[1] - near.points[0]).try_normalize()?;
    let features = [PackedFeatureId::face(0); 2];
    let (p1, p2) = (near.points[0] + normal * t1, near.points[1] - normal * t2);
    Some(Candidate { p1, p2, normal, distance: near.distance - t1 - t2, features, is_known: false })
}
