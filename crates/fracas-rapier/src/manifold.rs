//! Chooses the contacts that the engine's solver gets.
//!
//! # Idea
//!
//! The solver takes four points per normal. So candidates are grouped by normal, deepest first, and of each group those
//! four are kept that hold best: the deepest, the one farthest from it, the one that makes the largest triangle with these, and the one that adds most
//! to this triangle. Points that are not near yet count less. A pair of bodies that touch in one plane ends up with four points, whatever their shapes.
//!
//! ```text
//!          3                 The deepest point may be in the middle. Then one on either side of the line from 1 to 2 would leave
//!        ·   ·               out what bears the body behind 1.
//!    4 · · 1 · · · 2
//! ```
//!
//! A point that is still a little away may be among the four because it is far out, in place of one that bears the body now. So where three or
//! more touch, the best of these come first, and what is farther away only fills up. Without this, pieces at rest rocked for ever: they lost and
//! found a support in turn. A second manifold of the same normal would not help: the engine puts the points of both together, and chooses four of
//! them itself, far out rather than near.
//!
//! Impulses are kept with points from step to step. So a point that was handed over before is preferred to one that is hardly better: a
//! pile in which the points of a contact change all the time does not come to rest.
//!
//! The surface between two points may be a little nearer than the points. So a small margin is subtracted from distances, at most the
//! distance itself. Points that touch exactly keep the distance 0; otherwise a fresh crack would open.
//!
//! # Invariants
//!
//! The same candidates give the same manifolds. A point that was there before brings its impulse along, so that solving
//! begins where it ended in the last step.

use crate::candidates::Candidate;
use crate::convert::{double_pose, single};
use fracas::geom::{DVec3, Pose};
use rapier3d::math::Pose as EnginePose;
use rapier3d::parry::query::{ContactManifold, TrackedContact};

/// Least cosine between normals of one group, the most groups, and the share of the engine's prediction within which something must be to
/// begin another than the first. A wider cone takes fewer groups, but pushes some bodies where they should not go: with a cosine of 0.9,
/// energy grew in three or four of the twelve falls of `tests/conservation.rs`.
const SAME_NORMAL: f64 = 0.94;
const MOST_GROUPS: usize = 4;
const NEAR: f64 = 0.35;
/// By how much of the engine's prediction a point may be deeper than one that was handed over before, and how many times its score may be
/// as good, and yet be second.
const KNOWN_DEPTH: f64 = 0.05;
const KNOWN_SCORE: f64 = 3.0;
/// The margin by the engine's prediction: 0.6 mm where bodies are of about a metre.
const MARGIN: f64 = 0.03;
/// Contacts that are told by their place may move by so much of the engine's prediction from step to step.
const SAME_PLACE: f64 = 0.5;
/// Within how much of the engine's prediction a point counts as touching: 1 mm where bodies are of about a metre.
const TOUCHING: f64 = 0.05;
/// Points that the solver takes of each manifold, and how many can bear a body.
const MOST_POINTS: usize = 4;
const ENOUGH_TO_BEAR: usize = 3;

/// Indices of the candidates of one normal; the first is the deepest, or nearly.
struct Group {
    normal: DVec3,
    members: Vec<u32>,
}

/// Writes manifolds for candidates, which are in the frame of the fragment. It is the first shape unless `is_flipped`; `pos12`
/// takes the second shape's frame to the first's.
pub(crate) fn write_manifolds<M: Default + Clone, C: Default + Copy>(
    candidates: &mut [Candidate],
    prediction: f64,
    pos12: &EnginePose,
    is_flipped: bool,
    told_by: ToldBy,
    manifolds: &mut Vec<ContactManifold<M, C>>,
) {
    let old: Vec<TrackedContact<C>> = manifolds.iter().flat_map(|manifold| manifold.points.clone()).collect();
    let same_place = (SAME_PLACE * prediction) as f32;
    for candidate in candidates.iter_mut() {
        let [f1, f2] = candidate.features;
        let (f1, f2) = if is_flipped { (f2, f1) } else { (f1, f2) };
        candidate.is_known = match told_by {
            ToldBy::Feature => old.iter().any(|point| point.fid1 == f1 && point.fid2 == f2),
            ToldBy::Place => {
                let p = single(candidate.p1);
                let is_same = |point: &TrackedContact<C>| point.fid1 == f1 && point.fid2 == f2;
                old.iter().any(|point| is_same(point) || point.local_p1.distance(p) < same_place)
            }
        };
    }
    let groups = grouped(candidates, prediction);
    let margin = match told_by {
        ToldBy::Feature => MARGIN * prediction,
        // Contacts of surfaces, not of points on them.
        ToldBy::Place => 0.0,
    };
    let there = double_pose(pos12);
    let (to_first, to_second) =
        if is_flipped { (there, Pose::IDENTITY) } else { (Pose::IDENTITY, there.inverse()) };
    let mut count = 0;
    for group in &groups {
        if count == manifolds.len() {
            manifolds.push(ContactManifold::with_data(0, 0, M::default()));
        }
        let manifold = &mut manifolds[count];
        count += 1;
        let towards = if is_flipped { -group.normal } else { group.normal };
        manifold.local_n1 = single(to_first.rotation() * towards);
        manifold.local_n2 = single(to_second.rotation() * -towards);
        manifold.points.clear();
        for k in chosen(group, candidates, prediction) {
            let Candidate { p1, p2, distance, features: [f1, f2], .. } = candidates[k as usize];
            let gap = margin.min(distance.abs());
            let (p2, distance) = (p2 - group.normal * gap, distance - gap);
            let (p1, p2, f1, f2) = if is_flipped { (p2, p1, f2, f1) } else { (p1, p2, f1, f2) };
            manifold.points.push(TrackedContact::new(
                single(to_first.apply(p1)),
                single(to_second.apply(p2)),
                f1,
                f2,
                distance as f32,
            ));
        }
        match told_by {
            ToldBy::Feature => manifold.match_contacts(&old),
            ToldBy::Place => match_nearest(manifold, &old, same_place),
        }
    }
    // One that is empty stays: a pair that has or had at most one manifold is simpler for the engine.
    if count == 0
        && let Some(last) = manifolds.first_mut()
    {
        last.points.clear();
        count = 1;
    }
    manifolds.truncate(count);
}

/// How a contact is known to be one of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToldBy {
    /// By what touches: points and edges have numbers.
    Feature,
    /// The same, or else by where it is on the first shape.
    Place,
}

/// Gives each point the impulse of the old one nearest to it on the first shape, if there is one at the same place; no old one twice.
fn match_nearest<M, C: Copy>(
    manifold: &mut ContactManifold<M, C>,
    old: &[TrackedContact<C>],
    same_place: f32,
) {
    let mut is_taken = vec![false; old.len()];
    let is_face = |point: &TrackedContact<C>| point.fid1.is_face() && point.fid2.is_face();
    for point in &mut manifold.points {
        let same = old.iter().position(|other| other.fid1 == point.fid1 && other.fid2 == point.fid2);
        if let Some(k) = same.filter(|&k| !is_taken[k] && !is_face(&old[k])) {
            is_taken[k] = true;
            point.data = old[k].data;
            continue;
        }
        let way = |k: &usize| old[*k].local_p1.distance(point.local_p1);
        let free = (0..old.len()).filter(|&k| !is_taken[k]);
        let nearest = free.min_by(|a, b| way(a).total_cmp(&way(b))).filter(|k| way(k) < same_place);
        if let Some(k) = nearest {
            is_taken[k] = true;
            point.data = old[k].data;
        }
    }
}

/// Sorts candidates by depth and groups them by normal.
fn grouped(candidates: &mut [Candidate], prediction: f64) -> Vec<Group> {
    candidates.sort_unstable_by(|a, b| {
        let depth =
            |c: &Candidate| if c.is_known { c.distance - KNOWN_DEPTH * prediction } else { c.distance };
        let by_depth = depth(a).total_cmp(&depth(b));
        by_depth.then_with(|| a.features.map(|f| f.0).cmp(&b.features.map(|f| f.0)))
    });
    let mut groups: Vec<Group> = vec![];
    for (k, candidate) in candidates.iter().enumerate() {
        let cosine = |group: &Group| group.normal.dot(candidate.normal);
        let best = (0..groups.len()).max_by(|&i, &j| cosine(&groups[i]).total_cmp(&cosine(&groups[j])));
        match best {
            Some(best) if cosine(&groups[best]) >= SAME_NORMAL => groups[best].members.push(k as u32),
            // What is far from touching in a direction of its own is not needed once there are many.
            _ if groups.is_empty()
                || (groups.len() < MOST_GROUPS && candidate.distance < NEAR * prediction) =>
            {
                groups.push(Group { normal: candidate.normal, members: vec![k as u32] });
            }
            _ => {}
        }
    }
    groups
}

/// The points of a group that hold best, four at most. Where enough touch to bear the body, these come first.
fn chosen(group: &Group, candidates: &[Candidate], prediction: f64) -> Vec<u32> {
    let touches = |k: &u32| candidates[*k as usize].distance < TOUCHING * prediction;
    let best = best_four(group.normal, &group.members, candidates, prediction);
    if best.iter().all(touches) {
        return best;
    }
    let touching: Vec<u32> = group.members.iter().copied().filter(touches).collect();
    let mut bearing = best_four(group.normal, &touching, candidates, prediction);
    if bearing.len() < ENOUGH_TO_BEAR {
        return best;
    }
    let room = MOST_POINTS - bearing.len();
    bearing.extend(best.into_iter().filter(|k| !touches(k)).take(room));
    bearing
}

/// The four of some candidates, which are sorted by depth, that hold best.
fn best_four(normal: DVec3, members: &[u32], candidates: &[Candidate], prediction: f64) -> Vec<u32> {
    if members.len() <= 1 {
        return members.to_vec();
    }
    let at = |k: u32| &candidates[k as usize];
    let deepest = at(members[0]);
    // Places in the plane of the contact, from the deepest point; far points count less, and known ones more.
    let spot = |&k: &u32| {
        let way = at(k).p1 - deepest.p1;
        let behind = (at(k).distance - deepest.distance) / prediction.max(f64::MIN_POSITIVE);
        let weight = (1.0 - behind).clamp(0.05, 1.0) * if at(k).is_known { KNOWN_SCORE } else { 1.0 };
        (k, way - normal * way.dot(normal), weight)
    };
    let others: Vec<(u32, DVec3, f64)> = members[1..].iter().map(spot).collect();
    // The one with the best score above 0, by its place.
    let best = |score: &dyn Fn(DVec3) -> f64| {
        let mut best: (f64, Option<(u32, DVec3)>) = (0.0, None);
        for &(k, place, weight) in &others {
            let score = score(place) * weight;
            if score > best.0 {
                best = (score, Some((k, place)));
            }
        }
        best.1
    };
    let mut chosen = vec![members[0]];
    let Some((second, b)) = best(&|p| p.length()) else { return chosen };
    chosen.push(second);
    let area = |a: DVec3, b: DVec3| normal.dot(a.cross(b));
    // A point that adds hardly any area adds nothing but work.
    let least = 0.02 * b.length_squared();
    let Some((third, c)) = best(&|p| area(b, p).abs() - least) else {
        // All on one line: its other end.
        chosen.extend(best(&|p| -b.dot(p) - least).map(|(fourth, _)| fourth));
        return chosen;
    };
    chosen.push(third);
    let turn = area(b, c).signum();
    let outside = |p: DVec3| {
        let beyond = [area(b, p), area(c - b, p - b), area(p - c, c)];
        beyond.into_iter().map(|area| -turn * area).fold(f64::NEG_INFINITY, f64::max) - least
    };
    chosen.extend(best(&outside).map(|(fourth, _)| fourth));
    chosen
}
