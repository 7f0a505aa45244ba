//! Possible contacts: points of either shape near the other, each with its separation direction.
//!
//! # Idea
//!
//! The points of a fragment, coarse ones first, are tested against the other shape. A plane between the two rules most of them
//! out with one product (`slab`). For the rest, a fragment answers from its facet tree; every other shape of the engine answers
//! through its `PointQuery`. Then corners of the other shape are tested against the fragment: a ball on a large facet touches no
//! point of the fragment. Edges that cross each other are found separately (`edges`).
//!
//! # Which way
//!
//! ```text
//!        │ B ╱ the nearest surface of B               Close to an edge the nearest surface may be the wrong one: it
//!   ─────┘ p·╱   is its side                          would push a corner that lies on a ledge sideways. So the
//!     p' ·   m = outward normal of A at p             question is asked from p', a little farther inside A: what B
//!        A                                            shows to that point is what holds A.
//! ```
//!
//! A contact whose normal agrees with the outward normal of its own surface cannot be one, and is left out: two surfaces that
//! touch face each other. Points inside a fragment are never contacts: something of its surface is nearer.

use crate::FragmentShape;
use crate::convert::{between, double, single};
use crate::edges::EdgePairs;
use crate::samples::{Sample, visit_samples};
use crate::slab::{Bound, Slab};
use fracas::brittle::{
    BrittleBody, ContactFinder, ContactOptions, ContactStats, FacetTree, NearestSurface, Probe,
};
use fracas::geom::{DVec3, Pose};
use rapier3d::math::Pose as EnginePose;
use rapier3d::parry::shape::{PackedFeatureId, Shape, TypedShape};
use std::cell::RefCell;

/// A possible contact, in the coordinates of the first shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// On the first shape.
    pub p1: DVec3,
    /// On the second shape.
    pub p2: DVec3,
    /// From the first to the second, of length 1.
    pub normal: DVec3,
    /// Negative where they overlap.
    pub distance: f64,
    /// What touches, on either shape.
    pub features: [PackedFeatureId; 2],
    /// It was handed over in the last step; written when contacts are chosen.
    pub is_known: bool,
}

impl Candidate {
    /// A point of one shape near the surface of the other, whose outward normal is given.
    pub fn new(point: DVec3, near: Near, feature: u32, is_of_second: bool) -> Self {
        let (distance, surface, normal) = near;
        let (vertex, face) = (PackedFeatureId::vertex(feature & 0x3fff_ffff), PackedFeatureId::face(0));
        if is_of_second {
            let features = [face, vertex];
            Self { p1: surface, p2: point, normal, distance, features, is_known: false }
        } else {
            let features = [vertex, face];
            Self { p1: point, p2: surface, normal: -normal, distance, features, is_known: false }
        }
    }
}

/// Memory that is kept from query to query.
#[derive(Default)]
pub(crate) struct Scratch {
    finder: ContactFinder,
    pub edges: EdgePairs,
    /// Points that are yet to be visited, and their least distances.
    pub open: Vec<(u32, f64)>,
    pub candidates: Vec<Candidate>,
    pub stats: ContactStats,
    /// Points nearer than [`TOLERANCE`].
    pub touching: u64,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Lends the thread's memory. A query inside a query gets memory of its own.
pub(crate) fn with_scratch<R>(use_it: impl FnOnce(&mut Scratch) -> R) -> R {
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => use_it(&mut scratch),
        Err(_) => use_it(&mut Scratch::default()),
    })
}

/// Distance up to which a point counts as in contact, by the radius of the smaller shape.
pub(crate) const TOLERANCE: f64 = 0.002;
/// Depth up to which a point counts as touching, by the radius of the smaller shape: there normals come from a little farther
/// inside.
const TOUCHING: f64 = 0.01;
/// Points of either shape after which only deep ones are added. Which of them are worth handing over depends on normals, so
/// they are many more than the solver gets; two faces of a fresh crack in a large body have thousands.
const BUDGET: usize = 64;
/// Greatest cosine between a contact's normal and the outward normal of the point's own surface; and the one up to which they face each
/// other so squarely that nothing else can hold the point.
const FACING: f64 = 0.2;
const SQUARELY: f64 = -0.9;
/// How far inside its own body a point may be asked about, by the depth up to which points count as touching: what is deeper has passed
/// through something else.
const FARTHEST: f64 = 10.0;

/// Nearest surface of something: signed distance, surface point, unit normal outward.
pub(crate) type Near = (f64, DVec3, DVec3);

pub(crate) fn distance_point_normal(near: NearestSurface) -> Near {
    (near.distance, near.point, near.normal)
}

/// Finds candidates between two fragments; `pos12` takes the second to the first.
pub(crate) fn between_fragments(
    scratch: &mut Scratch,
    first: &FragmentShape,
    second: &FragmentShape,
    pos12: &EnginePose,
    prediction: f64,
) {
    scratch.candidates.clear();
    scratch.stats = ContactStats::default();
    scratch.touching = 0;
    let pose = between(pos12, first.origin(), second.origin());
    let Some(slab) = Slab::between(first, second, &pose, prediction) else { return };
    with_views(first, second, &pose, &slab, |views| {
        scratch.finder.options = options(prediction);
        views[0].add_points(scratch, &Pose::IDENTITY, &pose, false);
        views[1].add_points(scratch, &pose, &Pose::IDENTITY, true);
        let Scratch { edges, candidates, .. } = scratch;
        edges.find(views, prediction, candidates);
    });
}

/// Locks the bodies of two fragments and shows each as seen from the other. `pose` takes the second's body to the first's.
pub(crate) fn with_views(
    first: &FragmentShape,
    second: &FragmentShape,
    pose: &Pose,
    slab: &Slab,
    look: impl FnOnce(&[View; 2]),
) {
    let (guard1, guard2);
    let (body1, body2): (&BrittleBody, &BrittleBody) = if std::sync::Arc::ptr_eq(first.body(), second.body())
    {
        guard1 = first.read();
        (&guard1, &guard1)
    } else {
        guard1 = first.read();
        guard2 = second.read();
        (&guard1, &guard2)
    };
    let Ok(facets1) = body1.facet_tree(first.fragment()) else { return };
    let Ok(facets2) = body2.facet_tree(second.fragment()) else { return };
    let back = pose.inverse();
    let [to_second, to_first] = slab.bounds(pose);
    look(&[
        View { own: (first, body1), other: (second, body2, facets2), there: &back, bound: to_second },
        View { own: (second, body2), other: (first, body1, facets1), there: pose, bound: to_first },
    ]);
}

/// Two fragments as seen from one of them.
pub(crate) struct View<'a> {
    /// The fragment whose points and edges are taken.
    pub own: (&'a FragmentShape, &'a BrittleBody),
    /// The fragment whose distances are asked for.
    pub other: (&'a FragmentShape, &'a BrittleBody, &'a FacetTree),
    /// Takes the own body to the other.
    pub there: &'a Pose,
    /// A lower bound of the distance from a point of the own body to the other fragment.
    pub bound: Bound,
}

impl View<'_> {
    /// Adds points of the own fragment near the other. The poses take both bodies to the first one.
    fn add_points(&self, scratch: &mut Scratch, from_own: &Pose, from_other: &Pose, is_second: bool) {
        let ((own, own_body), (other, body, facets)) = (self.own, self.other);
        let (there, turn) = (self.there, self.there.rotation());
        let Scratch { finder, candidates, stats, touching: in_contact, .. } = scratch;
        let tolerance = TOLERANCE * own.radius().min(other.radius());
        let origin = if is_second { other.origin() } else { own.origin() };
        // All answers are in the coordinates of the other body.
        let Bound { offset, direction } = self.bound;
        let own_points = (own_body, own.fragment());
        let found = finder.find_behind_plane(own_points, offset, direction, |p, reach| {
            facets.probe(body, there.apply(p), reach, self.bound.at(p))
        });
        let touching = Touching::new(own.radius().min(other.radius()), own.least_extent());
        let bound = self.bound.moved(there);
        for contact in found.unwrap_or_default() {
            *in_contact += u64::from(contact.distance < tolerance);
            let Some(&outward) = own.normals().get(contact.feature as usize) else { continue };
            let near = (contact.distance, contact.surface, contact.normal);
            let q = there.apply(contact.point);
            let ask = |p: DVec3, reach: f64| {
                facets.find_nearest(body, p, reach, bound.at(p) > 0.0).map(distance_point_normal)
            };
            let settled = settled(q, near, turn * outward, touching, ask);
            let Some((distance, surface, normal)) = settled else { continue };
            let point = from_own.apply(contact.point) - origin;
            let near = (distance, from_other.apply(surface) - origin, from_other.rotation() * normal);
            candidates.push(Candidate::new(point, near, contact.feature, is_second));
        }
        let found = finder.stats();
        stats.visited += found.visited;
        stats.measured += found.measured;
        stats.colliding += found.colliding;
    }
}

/// Finds candidates between a fragment, the first, and a shape that is none; `pos12` takes that one to the fragment.
pub(crate) fn with_shape(
    scratch: &mut Scratch,
    first: &FragmentShape,
    shape: &dyn Shape,
    pos12: &EnginePose,
    prediction: f64,
) {
    scratch.candidates.clear();
    let body = first.read();
    let pose = between(pos12, first.origin(), DVec3::ZERO);
    let other = Other::new(shape, pose);
    scratch.finder.options = options(prediction);
    let least = prediction.max(0.0);
    let Bound { offset, direction } = other.bound(first.origin());
    let own_points = (&*body, first.fragment());
    let found = scratch.finder.find_behind_plane(own_points, offset, direction, |p, reach| {
        // Points inside are asked about without a reach; how far they are saves looking at those below them.
        let reach = reach.max(least);
        match other.near(p, reach) {
            Some((distance, surface, normal)) => Probe::Near { distance, surface, normal },
            None => Probe::Far(reach),
        }
    });
    let Ok(found) = found else { return };
    let smaller = first.radius().min(f64::from(shape.compute_local_bounding_sphere().radius()));
    let touching = Touching::new(smaller, first.least_extent());
    let tolerance = TOLERANCE * smaller;
    scratch.touching = 0;
    for contact in found {
        scratch.touching += u64::from(contact.distance < tolerance);
        let Some(&outward) = first.normals().get(contact.feature as usize) else { continue };
        let (mut distance, mut normal) = (contact.distance, contact.normal);
        if other.is_sheet && normal.dot(outward) > 0.0 {
            // A sheet has no inside; what has passed it is where its own outside is turned away from it.
            (distance, normal) = (-distance, -normal);
        }
        let near = (distance, contact.surface, normal);
        let ask = |p: DVec3, reach: f64| other.near(p, reach);
        let Some((distance, surface, normal)) = settled(contact.point, near, outward, touching, ask) else {
            continue;
        };
        let near = (distance, surface - first.origin(), normal);
        scratch.candidates.push(Candidate::new(contact.point - first.origin(), near, contact.feature, false));
    }
    scratch.stats = scratch.finder.stats();
    let candidates = &mut scratch.candidates;
    let (stats, in_contact) = (&mut scratch.stats, &mut scratch.touching);
    let size = shape.compute_local_aabb().extents().min_element();
    let touching = Touching::new(smaller, f64::from(size));
    visit_samples(shape, &first_box_in(first, pos12, prediction), &mut |sample: Sample| {
        let centre = pose.apply(sample.point);
        let reach = prediction + sample.radius;
        stats.visited += 1;
        let ask =
            |p: DVec3, reach: f64| body.find_nearest(first.fragment(), p, reach).map(distance_point_normal);
        let Some(near) = ask(centre, reach) else { return };
        stats.measured += 1;
        let outward = pose.rotation() * sample.normal;
        let settled = if sample.radius > 0.0 || sample.normal == DVec3::ZERO {
            Some(near)
        } else {
            settled(centre, near, outward, touching, ask)
        };
        let Some((distance, surface, normal)) = settled else { return };
        let distance = distance - sample.radius;
        if distance < prediction {
            stats.colliding += 1;
            *in_contact += u64::from(distance < tolerance);
            let point = centre - normal * sample.radius - first.origin();
            let near = (distance, surface - first.origin(), normal);
            candidates.push(Candidate::new(point, near, sample.feature, true));
        }
    });
}

fn options(prediction: f64) -> ContactOptions {
    ContactOptions { budget: BUDGET, prediction, surface_only: true, ..ContactOptions::default() }
}

/// The box of a fragment, a little larger, in the coordinates of another shape, which `pos12` takes to the fragment's.
fn first_box_in(
    first: &FragmentShape,
    pos12: &EnginePose,
    prediction: f64,
) -> rapier3d::parry::bounding_volume::Aabb {
    use rapier3d::parry::bounding_volume::{Aabb, BoundingVolume};
    let [low, high] = first.local_box();
    Aabb::new(low, high).loosened(prediction as f32).transform_by(&pos12.inverse())
}

/// Which points of a fragment count as touching.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touching {
    /// Up to this depth.
    depth: f64,
    /// How far inside its own body a point may be asked about.
    farthest: f64,
}

impl Touching {
    /// Points of a body that is so thick, where the smaller of two bodies has a radius.
    pub fn new(radius: f64, thickness: f64) -> Self {
        let depth = TOUCHING * radius;
        // On the other side of a thin plate there is another body.
        Self { depth, farthest: (FARTHEST * depth).min(thickness) }
    }
}

/// The separation direction of a point that touches: see the module. `None` if the point cannot be a contact.
pub(crate) fn settled(
    p: DVec3,
    near: Near,
    outward: DVec3,
    Touching { depth: touching, farthest }: Touching,
    mut ask: impl FnMut(DVec3, f64) -> Option<Near>,
) -> Option<Near> {
    if outward == DVec3::ZERO {
        return None;
    }
    let (distance, _, normal) = near;
    let cosine = normal.dot(outward);
    if distance < touching && cosine > SQUARELY {
        let mut shift = touching + distance.abs();
        while shift <= farthest
            && let Some((shown, surface, normal)) = ask(p - outward * shift, 2.0 * shift)
        {
            if shown > 0.0 && normal.dot(outward) < FACING {
                let distance = (p - surface).dot(normal);
                if distance < touching {
                    return Some((distance, p - normal * distance, normal));
                }
            }
            // Still inside: the point may have passed more than half of a thin wall.
            shift *= 2.0;
            if shown > 0.0 {
                break;
            }
        }
    }
    (cosine < FACING).then_some(near)
}

/// A shape of the engine that is no fragment, seen from a fragment's body.
pub(crate) struct Other<'a> {
    shape: &'a dyn Shape,
    pose: Pose,
    back: Pose,
    /// It is a surface without an inside.
    pub is_sheet: bool,
    /// It has parts among which to search: the less far, the faster.
    has_parts: bool,
}

impl<'a> Other<'a> {
    pub fn new(shape: &'a dyn Shape, pose: Pose) -> Self {
        let kind = shape.as_typed_shape();
        let has_parts = matches!(
            kind,
            TypedShape::TriMesh(_)
                | TypedShape::HeightField(_)
                | TypedShape::Polyline(_)
                | TypedShape::Compound(_)
                | TypedShape::Voxels(_)
                | TypedShape::Custom(_)
        );
        let is_sheet = match kind {
            TypedShape::TriMesh(mesh) => mesh.pseudo_normals().is_none(),
            TypedShape::HeightField(_)
            | TypedShape::Triangle(_)
            | TypedShape::Segment(_)
            | TypedShape::Polyline(_) => true,
            _ => false,
        };
        Self { shape, back: pose.inverse(), pose, is_sheet, has_parts }
    }

    /// How far points are from it at least, best for those near a point. Only a convex shape lies behind a plane.
    fn bound(&self, p: DVec3) -> Bound {
        let nothing = Bound { offset: f64::NEG_INFINITY, direction: DVec3::X };
        let Some(convex) = self.shape.as_support_map() else { return nothing };
        let q = single(self.back.apply(p));
        let way = q - self.shape.project_local_point(q, true).point;
        let Some(direction) = double(way).try_normalize() else { return nothing };
        let most = direction.dot(double(convex.local_support_point(single(direction))));
        // The engine rounds the point and the direction.
        let room = 1e-6 * (most.abs() + double(q).abs().max_element());
        Bound { offset: -most - room, direction }.moved(&self.pose)
    }

    /// Its surface nearest to a point, if that is within reach.
    #[inline]
    pub fn near(&self, p: DVec3, reach: f64) -> Option<Near> {
        let q = self.back.apply(p);
        let query = single(q);
        let found = if self.has_parts {
            self.shape.project_local_point_with_max_dist(query, false, (reach as f32).next_up())?
        } else {
            self.shape.project_local_point(query, false)
        };
        let surface = double(found.point);
        // The way was rounded with the point; its direction is that of the rounded one.
        let way = double(query) - surface;
        let distance = way.length();
        let is_inside = found.is_inside && !self.is_sheet;
        let sign = if is_inside { -1.0 } else { 1.0 };
        let normal =
            if distance > 0.0 { way * (sign / distance) } else { return Some((0.0, p, DVec3::ZERO)) };
        let exact = (q - surface).dot(normal);
        Some((exact, self.pose.apply(surface), self.pose.rotation() * normal))
    }
}
