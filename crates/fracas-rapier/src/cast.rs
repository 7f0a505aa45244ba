//! When do two moving shapes meet? By conservative advancement.
//!
//! ```text
//!     ▢ ·─ d ─· █       Shapes that are d apart and approach by at most v per second cannot meet before d / v has passed.
//!       ▢ ·d· █         So time may go on by that much, and the question is asked again, until they are as near as is
//!        ▢·d·█          wanted. Farther away than a part of their size, the distance need not be known: it is enough that
//!         ▢·█           nothing is within that part.
//! ```
//!
//! Distances are those between points of one shape and the surface of the other, both ways. Where nothing but two edges meet they
//! are too large, by less than the points are apart; the engine's speculative contacts take care of that.

use rapier3d::parry::query::{Contact, ShapeCastHit, ShapeCastStatus};

/// How near is near enough, by the size of the shapes.
const NEAR: f64 = 0.02;
/// How far to look at once, by the size of the shapes.
const LOOK: f64 = 0.5;
const MOST_STEPS: usize = 256;

/// The first time in a span at which shapes are within `target` of each other. `near` tells the nearest points at a time, if they are
/// within a reach.
///
/// With `stops_inside`, shapes that overlap at the beginning meet there; otherwise they meet nowhere, so that they can part.
pub(crate) fn cast(
    near: impl Fn(f64, f64) -> Option<Contact>,
    speed: f64,
    [start, end]: [f64; 2],
    target: f64,
    size: f64,
    stops_inside: bool,
) -> Option<ShapeCastHit> {
    let enough = target + NEAR * size;
    let look = enough + LOOK * size;
    let mut time = start;
    for step in 0..MOST_STEPS {
        let found = near(time, look);
        let gap = found.as_ref().map_or(look, |near| f64::from(near.dist));
        if let Some(near) = found
            && gap <= enough
        {
            if step == 0 && !stops_inside {
                return None;
            }
            return Some(ShapeCastHit {
                time_of_impact: time as f32,
                witness1: near.point1,
                witness2: near.point2,
                normal1: near.normal1,
                normal2: near.normal2,
                status: if step == 0 {
                    ShapeCastStatus::PenetratingOrWithinTargetDist
                } else {
                    ShapeCastStatus::Converged
                },
                subshape1: 0,
                subshape2: 0,
            });
        }
        if speed <= 0.0 {
            return None;
        }
        // Half of what would be enough at last: time must pass, however slowly shapes approach.
        time += (gap - target - 0.5 * NEAR * size).max(0.25 * NEAR * size) / speed;
        if time > end {
            return None;
        }
    }
    None
}
