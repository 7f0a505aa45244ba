//! What a user can do to a scene.

use super::Ray;
use crate::SceneError;

/// What a user does.
#[derive(Clone, Debug, PartialEq)]
pub enum Tool {
    /// A ball falls onto the place under the ray; where there is nothing, onto the ground.
    Ball {
        /// Where.
        ray: Ray,
    },
    /// Something flies along the ray.
    Throw {
        /// Where to.
        ray: Ray,
        /// What is thrown.
        what: Missile,
        /// Metres per second, 1 to 40.
        speed: f64,
    },
    /// Takes the body under the ray by the point there.
    Grab {
        /// Where.
        ray: Ray,
    },
    /// Moves the point that was taken, in the plane that faced the eye.
    Drag {
        /// Where to.
        ray: Ray,
    },
    /// Lets go.
    Release,
    /// A hammer strikes what is under the ray, in its direction.
    Strike {
        /// Where.
        ray: Ray,
        /// How hard, 0 to 1.
        strength: f64,
    },
    /// Cuts along a stroke, as the pointer went.
    Cut {
        /// Two or more rays.
        rays: Vec<Ray>,
    },
}

/// What can be thrown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missile {
    /// A ball of steel.
    Ball,
    /// A brick, which breaks.
    Brick,
}

/// What a tool did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether it did something.
    pub done: bool,
    /// What, or why nothing, in a sentence.
    pub text: String,
}

impl Outcome {
    pub(super) fn done(text: impl Into<String>) -> Self {
        Self { done: true, text: text.into() }
    }

    pub(super) fn nothing(text: impl Into<String>) -> Self {
        Self { done: false, text: text.into() }
    }
}

/// Coordinates of rays are at most so large.
const FARTHEST: f64 = 1e6;
/// The most rays of a stroke.
const MOST_RAYS: usize = 10_000;

impl Tool {
    /// Refuses numbers that are not finite or out of range.
    pub(super) fn check(&self) -> Result<(), SceneError> {
        let bad = |what: &'static str, value: f64, expected: &'static str| {
            Err(SceneError::BadTool { what, value, expected })
        };
        let rays: &[Ray] = match self {
            Self::Ball { ray } | Self::Grab { ray } | Self::Drag { ray } => std::slice::from_ref(ray),
            Self::Throw { ray, speed, .. } => {
                if !(1.0..=40.0).contains(speed) {
                    return bad("the speed of a throw", *speed, "from 1 to 40 m/s");
                }
                std::slice::from_ref(ray)
            }
            Self::Strike { ray, strength } => {
                if !(0.0..=1.0).contains(strength) {
                    return bad("the strength of a blow", *strength, "from 0 to 1");
                }
                std::slice::from_ref(ray)
            }
            Self::Cut { rays } => {
                if !(2..=MOST_RAYS).contains(&rays.len()) {
                    return bad("the number of rays of a stroke", rays.len() as f64, "from 2 to 10,000");
                }
                rays
            }
            Self::Release => &[],
        };
        for ray in rays {
            let numbers = [ray.from, ray.along].map(|v| v.to_array()).concat();
            if let Some(value) = numbers.into_iter().find(|x| !x.is_finite() || x.abs() > FARTHEST) {
                return bad("a coordinate of a ray", value, "finite, and at most a million");
            }
            let length = ray.along.length();
            if length < 1e-9 {
                return bad("the length of a ray", length, "more than a billionth");
            }
        }
        Ok(())
    }
}
