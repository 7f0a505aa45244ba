//! Possible contacts: points of either shape near the other, with the way in which they must go.
//!
//! # Idea
//!
//! The points of a fragment, coarse ones first, are held against the other shape. A plane between the two rules most of them out
//! with one product. For the rest, a fragment answers from its facets, which are sorted in space when they are needed first; every
//! other shape of the engine answers through its `PointQuery`. Then corners of the other shape are held against the fragment's
//! field: a ball on a large facet touches no point of the fragment.
//!
//! # Which way
//!
//! ```text
//!        │ B ╱ the nearest surface of B               Close to an edge the nearest surface may be the wrong one: it
//!   ─────┘ p·╱   is its side                          would push a corner that lies on a ledge to the side. So the
//!     p' ·   m = outward normal of A at p             question is asked from p', a little farther inside A: what B
//!        A                                            shows to that point is what holds A.
//! ```
//!
//! Pairs that are not near each other are ruled out by a plane (`slab`). Edges that cross each other are looked for by
//! themselves (`edges`).
//!
//! A contact whose normal agrees with the outward normal of its own surface cannot be one, and is left out: two surfaces that
//! touch face each other. Points inside a fragment are never contacts: something of its surface is nearer.

use crate::FragmentShape;
use crate::convert::{between, double, single};
use crate::edges::EdgePairs;
use crate::samples::{Sample, visit_samples};
use crate::slab::{Bound, Slab};
use fracas::brittle::{BrittleBody, ContactFinder, ContactOptions, ContactStats, Probe};
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

/// A vertex of one shape on a face of the other.
fn vertex_and_face(vertex: u32, is_of_second: bool) -> [PackedFeatureId; 2] {
    let (vertex, face) = (PackedFeatureId::vertex(vertex & 0x3fff_ffff), PackedFeatureId::face(0));
    if is_of_second { [face, vertex] } else { [vertex, face] }
}

/// Memory that is kept from query to query.
#[derive(Default)]
pub(crate) struct Scratch {
    finder: ContactFinder,
    edges: EdgePairs,
    pub candidates: Vec<Candidate>,
    pub stats: ContactStats,
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

/// Depth up to which a point counts as touching, by the radius of its fragment: there normals come from a little farther
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
type Near = (f64, DVec3, DVec3);

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
    let pose = between(pos12, first.origin(), second.origin());
    let Some(slab) = Slab::between(first, second, &pose, prediction) else { return };
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
    if body1.fragment(first.fragment()).is_err() || body2.fragment(second.fragment()).is_err() {
        return;
    }
    let back = pose.inverse();
    scratch.finder.options = options(prediction);
    let [to_second, to_first] = slab.bounds(&pose);
    let of_first = Side {
        own: (first, body1),
        other: (second, body2),
        there: &back,
        to_first: [&Pose::IDENTITY, &pose],
        bound: to_second,
        is_second: false,
    };
    of_first.add_points(scratch, first.origin());
    let of_second = Side {
        own: (second, body2),
        other: (first, body1),
        there: &pose,
        to_first: [&pose, &Pose::IDENTITY],
        bound: to_first,
        is_second: true,
    };
    of_second.add_points(scratch, first.origin());
    let Scratch { edges, candidates, .. } = scratch;
    edges.find([first, second], [body1, body2], &pose, [to_second, to_first], prediction, candidates);
}

/// Two fragments as seen from one of them.
struct Side<'a> {
    /// The one whose points are taken, and the other.
    own: (&'a FragmentShape, &'a BrittleBody),
    other: (&'a FragmentShape, &'a BrittleBody),
    /// Takes the own body to the other.
    there: &'a Pose,
    /// Take the own body and the other to the first one.
    to_first: [&'a Pose; 2],
    /// How far a point of the own body is from the other fragment at least.
    bound: Bound,
    is_second: bool,
}

impl Side<'_> {
    /// Adds points of the own fragment near the other. Coordinates are the first one's, from `origin` on.
    fn add_points(&self, scratch: &mut Scratch, origin: DVec3) {
        let ((own, own_body), (other, body)) = (self.own, self.other);
        let (there, turn) = (self.there, self.there.rotation());
        let Scratch { finder, candidates, stats, .. } = scratch;
        let facets = other.facets(body);
        // All answers are in the coordinates of the other body.
        let Bound { offset, direction } = self.bound;
        let own_points = (own_body, own.fragment());
        let found = finder.find_behind_plane(own_points, offset, direction, |p, reach| {
            let (q, mut bound) = (there.apply(p), self.bound.at(p));
            if bound <= 0.0 || reach < 0.0 {
                bound = bound.max(body.distance_bound(other.fragment(), q));
                if bound > reach {
                    return Probe::Far(bound);
                }
            }
            match facets.find_nearest(body, q, reach, bound > 0.0) {
                Ok(near) => Probe::Near { distance: near.distance, surface: near.point, normal: near.normal },
                Err(farther) => Probe::Far(farther.max(bound)),
            }
        });
        let touching = TOUCHING * own.radius();
        let bound = self.bound.moved(there);
        let [from_own, from_other] = self.to_first;
        for contact in found.unwrap_or_default() {
            let Some(&outward) = own.normals().get(contact.feature as usize) else { continue };
            let near = (contact.distance, contact.surface, contact.normal);
            let q = there.apply(contact.point);
            let ask = |p: DVec3, reach: f64| -> Option<Near> {
                let near = facets.find_nearest(body, p, reach, bound.at(p) > 0.0).ok()?;
                Some((near.distance, near.point, near.normal))
            };
            let settled = settled(q, near, turn * outward, touching, ask);
            let Some((distance, surface, normal)) = settled else { continue };
            let point = from_own.apply(contact.point) - origin;
            let surface = from_other.apply(surface) - origin;
            let normal = from_other.rotation() * normal;
            let (p1, p2, normal) =
                if self.is_second { (surface, point, normal) } else { (point, surface, -normal) };
            let features = vertex_and_face(contact.feature, self.is_second);
            candidates.push(Candidate { p1, p2, normal, distance, features, is_known: false });
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
    let touching = TOUCHING * first.radius();
    for contact in found {
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
        scratch.candidates.push(Candidate {
            p1: contact.point - first.origin(),
            p2: surface - first.origin(),
            normal: -normal,
            distance,
            features: vertex_and_face(contact.feature, false),
            is_known: false,
        });
    }
    scratch.stats = scratch.finder.stats();
    let candidates = &mut scratch.candidates;
    let stats = &mut scratch.stats;
    visit_samples(shape, &first_box_in(first, pos12, prediction), &mut |sample: Sample| {
        let centre = pose.apply(sample.point);
        let reach = prediction + sample.radius;
        stats.visited += 1;
        let ask = |p: DVec3, reach: f64| {
            let near = body.find_nearest(first.fragment(), p, reach)?;
            Some((near.distance, near.point, near.normal))
        };
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
            candidates.push(Candidate {
                p1: surface - first.origin(),
                p2: centre - normal * sample.radius - first.origin(),
                normal,
                distance,
                features: vertex_and_face(sample.feature, true),
                is_known: false,
            });
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

/// The way out for a point that touches: see the module. `None` if the point cannot be a contact.
fn settled(
    p: DVec3,
    near: Near,
    outward: DVec3,
    touching: f64,
    mut ask: impl FnMut(DVec3, f64) -> Option<Near>,
) -> Option<Near> {
    if outward == DVec3::ZERO {
        return None;
    }
    let (distance, _, normal) = near;
    let cosine = normal.dot(outward);
    if distance < touching && cosine > SQUARELY {
        let mut shift = touching + distance.abs();
        while let Some((shown, surface, normal)) = ask(p - outward * shift, 2.0 * shift) {
            if shown > 0.0 && normal.dot(outward) < FACING {
                let distance = (p - surface).dot(normal);
                if distance < touching {
                    return Some((distance, p - normal * distance, normal));
                }
            }
            // Still inside: the point may have passed more than half of a thin wall.
            shift *= 2.0;
            if shown > 0.0 || shift > FARTHEST * touching {
                break;
            }
        }
    }
    (cosine < FACING).then_some(near)
}

/// A shape of the engine that is no fragment, seen from a fragment's body.
struct Other<'a> {
    shape: &'a dyn Shape,
    pose: Pose,
    back: Pose,
    /// It is a surface without an inside.
    is_sheet: bool,
    /// It has parts among which to search: the less far, the faster.
    has_parts: bool,
}

impl<'a> Other<'a> {
    fn new(shape: &'a dyn Shape, pose: Pose) -> Self {
        let kind = shape.as_typed_shape();
        let has_parts = matches!(
            kind,
            TypedShape::TriMesh(_)
                | TypedShape::HeightField(_)
                | TypedShape::Polyline(_)
                | TypedShape::Compound(_)
                | TypedShape::Voxels(_)
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
    fn near(&self, p: DVec3, reach: f64) -> Option<Near> {
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
