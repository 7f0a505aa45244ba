//! The nearest points of two fragments, or the deepest ones if they overlap.
//!
//! # Idea
//!
//! Contacts are many, and each must be worth handing over. Whoever asks how far apart two fragments are wants one. So the sphere tree of either
//! fragment is walked with a limit that shrinks to the least distance found so far: a point is measured only within the limit, and what a
//! sphere holds is left out if it cannot be nearer.
//!
//! ```text
//!    ·  ( · p    )  ·│· limit        Nothing in a sphere around p is nearer to the other fragment than the distance of p less the radius.
//! ```
//!
//! At last the edges within the limit are looked at, as for contacts (`edges`). A sweep of a fast body asks some ten times about each body
//! that it passes; with all contacts listed every time, sweeps took half of the time of a scene in which bricks fall and break.

use crate::FragmentShape;
use crate::candidates::{
    Candidate, Near, Scratch, Touching, View, distance_point_normal, settled, with_views,
};
use crate::convert::between;
use crate::slab::Slab;
use fracas::brittle::Probe;
use fracas::geom::{DVec3, Pose};
use rapier3d::math::Pose as EnginePose;

/// The nearest points of two fragments, if they are within reach. `pos12` takes the second to the first.
pub(crate) fn closest(
    scratch: &mut Scratch,
    first: &FragmentShape,
    second: &FragmentShape,
    pos12: &EnginePose,
    reach: f64,
) -> Option<Candidate> {
    let pose = between(pos12, first.origin(), second.origin());
    let slab = Slab::between(first, second, &pose, reach)?;
    let mut best: Option<Candidate> = None;
    with_views(first, second, &pose, &slab, |views| {
        let mut limit = reach;
        for (view, is_second) in views.iter().zip([false, true]) {
            let Some((point, near, feature)) = view.nearest_point(&mut scratch.open, &mut limit) else {
                continue;
            };
            let (from_own, from_other) =
                if is_second { (pose, Pose::IDENTITY) } else { (Pose::IDENTITY, pose) };
            let origin = first.origin();
            let (distance, surface, normal) = near;
            let near = (distance, from_other.apply(surface) - origin, from_other.rotation() * normal);
            best = Some(Candidate::new(from_own.apply(point) - origin, near, feature, is_second));
        }
        scratch.candidates.clear();
        scratch.edges.find(views, limit.max(0.0), &mut scratch.candidates);
        for edge in &scratch.candidates {
            if best.is_none_or(|best| edge.distance < best.distance) {
                best = Some(*edge);
            }
        }
    });
    best
}

impl View<'_> {
    /// The point of the own fragment that is nearest to the other one, below a limit, which becomes its distance. The answer is the point in
    /// the own coordinates, its nearest surface in those of the other body, and its place in the sphere tree.
    fn nearest_point(&self, open: &mut Vec<(u32, f64)>, limit: &mut f64) -> Option<(DVec3, Near, u32)> {
        let ((own, own_body), (other, body, facets)) = (self.own, self.other);
        let tree = own_body.fragment(own.fragment()).ok()?.tree();
        let (points, normals) = (tree.points(), own.normals());
        let touching = Touching::new(own.radius().min(other.radius()), own.least_extent());
        let (there, turn) = (self.there, self.there.rotation());
        let moved = self.bound.moved(there);
        let ask = |p: DVec3, reach: f64| {
            facets.find_nearest(body, p, reach, moved.at(p) > 0.0).map(distance_point_normal)
        };
        let mut best = None;
        open.clear();
        open.extend(tree.roots().iter().rev().map(|&root| (root, f64::NEG_INFINITY)));
        while let Some((point, known)) = open.pop() {
            let k = point as usize;
            let (p, radius) = (points[k], tree.radius(k));
            let plane = self.bound.at(p);
            let mut least = known.max(plane);
            if least - radius >= *limit {
                continue;
            }
            let q = there.apply(p);
            if normals[k] == DVec3::ZERO {
                // Inside its own body: something around it is nearer.
                least = least.max(body.distance_bound(other.fragment(), q));
            } else if least < *limit {
                match facets.probe(body, q, limit.max(0.0), plane) {
                    Probe::Far(far) => least = least.max(far),
                    Probe::Near { distance, surface, normal } => {
                        least = distance;
                        let near = (distance, surface, normal);
                        if distance < *limit
                            && let Some(near) = settled(q, near, turn * normals[k], touching, ask)
                            && near.0 < *limit
                        {
                            *limit = near.0;
                            best = Some((p, near, point));
                        }
                    }
                }
            }
            if least - radius < *limit {
                let below = tree.children(k).iter().rev();
                open.extend(below.map(|&child| (child, least - points[child as usize].distance(p))));
            }
        }
        best
    }
}
