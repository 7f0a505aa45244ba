//! A separating plane of two fragments: it rules out most pairs that the engine asks about.
//!
//! # Idea
//!
//! ```text
//!        A    │  gap  │    B        Along a direction d, A reaches up to a and B begins at b. If b − a is more than the
//!     ╱▔▔▔╲   │       │  ╱▔▔╲       distance asked for, nothing is near. Otherwise a point p of A is at least b − d·p
//!     ╲▁▁▁╱   a       b  ╲▁▁╱       away from B: points on the far side of A are ruled out by one product.
//!                ──▶ d
//! ```
//!
//! The direction is improved a few times: from the line between the centres towards the vector between the two convex hulls, by
//! Frank and Wolfe's method with exact steps, on the outermost points alone. Any direction is right, once it is measured with all
//! points; a good one rules out more.

use crate::FragmentShape;
use crate::convert::double;
use fracas::geom::{DVec3, Pose};

/// How often the direction is improved.
const ROUNDS: usize = 5;

/// A direction and where two fragments end and begin along it, in the coordinates of the first one's body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slab {
    direction: DVec3,
    /// Where the first ends.
    first: f64,
    /// Where the second begins.
    second: f64,
}

impl Slab {
    /// A slab between two fragments, or `None` if they are farther apart than `distance`. `pose` takes the second's body to the
    /// first's.
    pub fn between(
        first: &FragmentShape,
        second: &FragmentShape,
        pose: &Pose,
        distance: f64,
    ) -> Option<Self> {
        let back = pose.rotation().transpose();
        if boxes_are_apart(first, second, pose, distance) {
            return None;
        }
        // Along a direction, exactly.
        let exact = |direction: DVec3| Self {
            direction,
            first: first.support(direction),
            second: direction.dot(pose.translation()) - second.support(back * -direction),
        };
        // The vector between the convex hulls of the outermost points, as far as it is known, and the best direction.
        let mut way = pose.apply(second.origin()) - first.origin();
        let mut best = (f64::NEG_INFINITY, DVec3::X);
        for _ in 0..ROUNDS {
            let Some(direction) = way.try_normalize() else { break };
            let p = first.about_farthest(direction);
            let q = pose.apply(second.about_farthest(back * -direction));
            let gap = direction.dot(q - p);
            if gap > best.0 {
                best = (gap, direction);
            }
            if gap > distance {
                let slab = exact(direction);
                if slab.gap() > distance {
                    return None;
                }
            }
            // The point nearest to the origin between what is known and the new corner of the difference.
            let step = (q - p) - way;
            let share = (-way.dot(step) / step.length_squared()).clamp(0.0, 1.0);
            if share.is_nan() || share < 1e-3 {
                break;
            }
            way += step * share;
        }
        Some(exact(best.1))
    }

    /// Whether two fragments stay farther apart than a distance while the second moves along `travel`, in the coordinates of the first one's body.
    /// Often not known, and then `false`.
    pub fn stays_between(
        first: &FragmentShape,
        second: &FragmentShape,
        pose: &Pose,
        travel: DVec3,
        distance: f64,
    ) -> bool {
        let back = pose.rotation().transpose();
        // On its way the second covers the hull of where it begins and ends; the search is that of `between`.
        let moved = |direction: DVec3| if direction.dot(travel) < 0.0 { travel } else { DVec3::ZERO };
        let mut way = pose.apply(second.origin()) + 0.5 * travel - first.origin();
        for _ in 0..ROUNDS {
            let Some(direction) = way.try_normalize() else { return false };
            let p = first.about_farthest(direction);
            let q = pose.apply(second.about_farthest(back * -direction)) + moved(direction);
            if direction.dot(q - p) > distance {
                let begins = direction.dot(pose.translation()) - second.support(back * -direction);
                if begins + direction.dot(moved(direction)) - first.support(direction) > distance {
                    return true;
                }
            }
            let step = (q - p) - way;
            let share = (-way.dot(step) / step.length_squared()).clamp(0.0, 1.0);
            if share.is_nan() || share < 1e-3 {
                return false;
            }
            way += step * share;
        }
        false
    }

    fn gap(&self) -> f64 {
        self.second - self.first
    }

    /// Bounds for points of the first body from the second fragment, and for points of the second body from the first
    /// fragment. `pose` takes the second's body to the first's.
    pub fn bounds(&self, pose: &Pose) -> [Bound; 2] {
        let to_first = Bound { offset: -self.first, direction: self.direction };
        [Bound { offset: self.second, direction: -self.direction }, to_first.moved(&pose.inverse())]
    }
}

/// A lower bound of the distance from points to a fragment: `offset + direction · p`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub offset: f64,
    /// Of length 1.
    pub direction: DVec3,
}

impl Bound {
    /// The bound at a point.
    #[inline]
    pub fn at(self, p: DVec3) -> f64 {
        self.offset + self.direction.dot(p)
    }

    /// The same for coordinates to which a pose takes the present ones.
    pub fn moved(self, pose: &Pose) -> Self {
        let direction = pose.rotation() * self.direction;
        Self { offset: self.offset - direction.dot(pose.translation()), direction }
    }
}

/// Whether the boxes of two fragments are farther apart than a distance, along the axes of either.
fn boxes_are_apart(first: &FragmentShape, second: &FragmentShape, pose: &Pose, distance: f64) -> bool {
    let [(m1, h1), (m2, h2)] = [first, second].map(|shape| {
        let [low, high] = shape.local_box().map(double);
        (0.5 * (low + high) + shape.origin(), 0.5 * (high - low))
    });
    let turn = pose.rotation();
    let way = pose.apply(m2) - m1;
    let spread = turn.x_axis.abs() * h2.x + turn.y_axis.abs() * h2.y + turn.z_axis.abs() * h2.z;
    if (way.abs() - h1 - spread).max_element() > distance {
        return true;
    }
    let back = turn.transpose();
    let spread = back.x_axis.abs() * h1.x + back.y_axis.abs() * h1.y + back.z_axis.abs() * h1.z;
    ((back * way).abs() - h2 - spread).max_element() > distance
}
