//! When do two moving shapes meet? By conservative advancement.
//!
//! ```text
//!     ▢ ·─ d ─· █       Shapes that are d apart and approach by at most v per second cannot meet before d / v has passed.
//!       ▢ ·d· █         So time may go on by that much, and the question is asked again, until they are as near as is
//!        ▢·d·█          wanted. Farther away than a part of their size, the distance need not be known: it is enough that
//!         ▢·█           nothing is within that part.
//! ```
//!
//! # Shapes that touch at the beginning
//!
//! The engine stops a fast body where it meets something, and leaves it its speed. So the next step begins with shapes that touch, and
//! the body may turn about the corner that touches and pass with all the others. Therefore the search goes on from there: shapes meet when they
//! overlap more than at the beginning. Bodies that part or slide along each other do not meet.
//!
//! # Shapes that hardly approach
//!
//! Bodies that slide along each other, and pieces that fly side by side, are fast but hardly approach. For them a second bound counts: the distance of
//! their extents along the normal of the nearest points. It becomes less only as fast as they approach along this normal. If the extents overlap, the length of
//! the overlap bounds the depth in the same way.
//!
//! # Invariants
//!
//! If the search is given up, the shapes meet at the time up to which they were proved apart. A body may be slowed down, but does not pass.
//!
//! Distances are those between points of one shape and the surface of the other, both ways. Where nothing but two edges meet they
//! are too large, by less than the points are apart; the engine's speculative contacts take care of that.

use rapier3d::parry::query::{Contact, ShapeCastHit, ShapeCastStatus};

/// How near is near enough, by the size of the shapes.
const NEAR: f64 = 0.02;
/// How far to look at once, by the size of the shapes.
const LOOK: f64 = 0.5;
/// How far shapes move at least before they are looked at again, by the size of the shapes or the least extent of the thinner one.
const LEAST_MOVE: f64 = 0.005;
/// The same for shapes that touch at the beginning, by the least extent; and by how much more than there they may overlap, by their size.
const TOUCHING_MOVE: f64 = 0.2;
const DEEPER: f64 = 0.005;
/// How often the time at which they overlap more is made more precise.
const HALVINGS: usize = 4;
const MOST_STEPS: usize = 256;

/// How shapes move along the normal of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Along {
    /// The distance of their extents; negative if these overlap.
    pub gap: f64,
    /// How fast it becomes less at most.
    pub speed: f64,
}

/// What is asked of two moving shapes.
pub(crate) struct Cast {
    /// How fast points of both approach each other at most.
    pub speed: f64,
    /// From when to when.
    pub span: [f64; 2],
    /// How near they have to come.
    pub target: f64,
    /// The size of the shapes that tolerances follow.
    pub size: f64,
    /// The least extent of the thinner one.
    pub thin: f64,
    /// Shapes that overlap at the beginning meet there; otherwise see the module.
    pub stops_inside: bool,
}

impl Cast {
    /// Shapes that are not nearer than this do not meet.
    pub fn enough(&self) -> f64 {
        self.target + NEAR * self.size
    }

    /// The first time at which the shapes meet. `near` tells the nearest points at a time, if they are within a reach; `along` tells of the
    /// normal of such points.
    pub fn first(
        &self,
        near: impl Fn(f64, f64) -> Option<Contact>,
        along: impl Fn(f64, &Contact) -> Option<Along>,
    ) -> Option<ShapeCastHit> {
        let Self { speed, span: [start, end], target, size, thin, stops_inside } = *self;
        let enough = self.enough();
        let look = enough + LOOK * size;
        // What is farther away than the shapes can come by the end does not matter.
        let reach_at = |time: f64| (enough + speed * (end - time)).min(look);
        let mut time = start;
        let mut reach = reach_at(start);
        let mut found = near(start, reach);
        if let Some(first) = found.filter(|first| !stops_inside && f64::from(first.dist) <= enough) {
            return self.deeper(first, near, along);
        }
        // Steps with something near; others are long, and need not be counted.
        let mut steps = 0;
        loop {
            let gap = found.as_ref().map_or(reach, |near| f64::from(near.dist));
            if let Some(near) = found.filter(|_| gap <= enough || steps == MOST_STEPS) {
                return Some(hit(&near, time, time == start));
            }
            if speed <= 0.0 {
                return None;
            }
            steps += usize::from(found.is_some());
            let left = target + 0.5 * NEAR * size;
            let mut wait = (gap - left).max(LEAST_MOVE * size.min(thin)) / speed;
            if let Some(near) = &found
                && let Some(along) = along(time, near)
                && along.gap > left
            {
                wait = wait.max((along.gap - left) / along.speed.max(f64::MIN_POSITIVE));
            }
            time += wait;
            if time > end {
                return None;
            }
            // Nor what is farther away than the nearest points of before can be by now.
            let known = if found.is_some() { gap + 1.001 * speed * wait } else { f64::INFINITY };
            reach = reach_at(time).min(known).max(enough);
            found = near(time, reach);
        }
    }

    /// The first time at which shapes that touch at the beginning overlap more than there.
    fn deeper(
        &self,
        first: Contact,
        near: impl Fn(f64, f64) -> Option<Contact>,
        along: impl Fn(f64, &Contact) -> Option<Along>,
    ) -> Option<ShapeCastHit> {
        let Self { speed, span: [start, end], target, size, thin, .. } = *self;
        let floor = f64::from(first.dist).min(target) - DEEPER * size;
        // Only what is hardly apart matters.
        let look = target + TOUCHING_MOVE * thin;
        let is_deeper = |found: &Option<Contact>| found.is_some_and(|near| f64::from(near.dist) <= floor);
        let (mut time, mut found) = (start, Some(first));
        for _ in 0..MOST_STEPS {
            if speed <= 0.0 {
                return None;
            }
            let gap = found.as_ref().map_or(look, |near| f64::from(near.dist));
            let mut wait = (gap - floor).max(TOUCHING_MOVE * thin) / speed;
            if let Some(near) = &found
                && let Some(along) = along(time, near)
                && along.gap > floor
            {
                wait = wait.max((along.gap - floor) / along.speed.max(f64::MIN_POSITIVE));
            }
            let before = time;
            time += wait;
            if time > end {
                return None;
            }
            found = near(time, look);
            if is_deeper(&found) {
                let [mut safe, mut late] = [before, time];
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (safe + late);
                    let there = near(middle, look);
                    if is_deeper(&there) {
                        (late, found) = (middle, there);
                    } else {
                        safe = middle;
                    }
                }
                // The engine takes a hit at the very beginning for none.
                let at = if safe > start { safe } else { late };
                return found.map(|near| hit(&near, at, false));
            }
        }
        Some(hit(&found.unwrap_or(first), time, false))
    }
}

fn hit(near: &Contact, time: f64, is_first: bool) -> ShapeCastHit {
    ShapeCastHit {
        time_of_impact: time as f32,
        witness1: near.point1,
        witness2: near.point2,
        normal1: near.normal1,
        normal2: near.normal2,
        status: if is_first {
            ShapeCastStatus::PenetratingOrWithinTargetDist
        } else {
            ShapeCastStatus::Converged
        },
        subshape1: 0,
        subshape2: 0,
    }
}
