//! What can be wrong with plans, times and edits.

use super::piece::{LARGEST_COORDINATE, LARGEST_TIME, LARGEST_VELOCITY};
use crate::geom::DVec3;

/// Why a plan, a time or an edit is refused. Nothing has changed then.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::kinetic::{KineticError, Plans};
/// let mut plans = Plans::moving(1.0, &[DVec3::ZERO], &[DVec3::X]).unwrap();
/// let refused = plans.advance_to(0.5).unwrap_err();
/// assert_eq!(refused, KineticError::TimeRunsBackwards { now: 1.0, asked: 0.5 });
/// assert_eq!(refused.to_string(), "time 0.5 lies before the present time 1: time cannot run backwards");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KineticError {
    /// A position or velocity is NaN, infinite or too large.
    #[error(
        "the {what} of vertex {vertex} is ({}, {}, {}), but coordinates must be numbers up to ±{limit:e}",
        value.x, value.y, value.z
    )]
    BadVector {
        /// `"position"` or `"velocity"`.
        what: &'static str,
        /// The first such vertex.
        vertex: usize,
        /// What was given for it.
        value: DVec3,
        /// The largest absolute value of a coordinate.
        limit: f64,
    },
    /// A time is NaN, infinite or too large.
    #[error("time {asked} is not a number up to ±{LARGEST_TIME:e}")]
    BadTime {
        /// The time given.
        asked: f64,
    },
    /// A key does not come after the one before it.
    #[error(
        "key {key} is at time {time}, but the key before it at {previous}: the times of keys must increase"
    )]
    KeysNotIncreasing {
        /// Index of the first such key.
        key: usize,
        /// Its time.
        time: f64,
        /// The time of the key before it.
        previous: f64,
    },
    /// A plan by keys without any.
    #[error("a plan by keys needs at least one key")]
    NoKeys,
    /// Times and positions of keys differ in number.
    #[error("{times} times of keys, but positions for {positions} keys")]
    WrongKeyCount {
        /// Times given.
        times: usize,
        /// Keys for which positions were given.
        positions: usize,
    },
    /// Some vertices have no position or velocity, or there are more of them than vertices.
    #[error("key {key} has {given} vectors for {expected} vertices")]
    WrongVertexCount {
        /// Index of the first such key; 0 if there are no keys.
        key: usize,
        /// How many vertices there are.
        expected: usize,
        /// How many positions or velocities were given.
        given: usize,
    },
    /// A plan or a triangle for a vertex that is not there.
    #[error("vertex {vertex} is not there: there are {vertices} vertices")]
    NoSuchVertex {
        /// The vertex named.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// One change gives two plans to a vertex.
    #[error("vertex {vertex} gets two plans at once")]
    VertexTwice {
        /// The first such vertex.
        vertex: u32,
    },
    /// A new vertex has a velocity but no position.
    #[error("new vertex {vertex} has a velocity but no position to start from")]
    NoPosition {
        /// The index that the vertex would have had.
        vertex: usize,
    },
    /// The time asked for has passed.
    #[error("time {asked} lies before the present time {now}: time cannot run backwards")]
    TimeRunsBackwards {
        /// The present time.
        now: f64,
        /// The time asked for.
        asked: f64,
    },
    /// Vertices do not move linearly during a step.
    #[error(
        "a key at {key} lies within the step from {from} to {until}: make one step up to the key, and one from there"
    )]
    KeyInStep {
        /// The present time.
        from: f64,
        /// The time asked for.
        until: f64,
        /// The first key in between.
        key: f64,
    },
    /// Two bodies that are at different times.
    #[error("the bodies are at different times, {a} and {b}: advance both to the same one")]
    DifferentTimes {
        /// The present time of the first body.
        a: f64,
        /// The present time of the second body.
        b: f64,
    },
    /// A triangle that is not there.
    #[error("triangle {triangle} is not there")]
    NoSuchTriangle {
        /// The triangle named.
        triangle: u32,
    },
    /// More vertices or triangles than ids can name.
    #[error("{count} {what} are more than this structure can number")]
    TooMany {
        /// `"vertices"` or `"triangles"`.
        what: &'static str,
        /// How many there would be.
        count: usize,
    },
}

/// Checks a time.
pub(super) fn check_time(time: f64) -> Result<(), KineticError> {
    if time.abs() <= LARGEST_TIME { Ok(()) } else { Err(KineticError::BadTime { asked: time }) }
}

/// Checks a time to advance to.
pub(super) fn check_advance(now: f64, asked: f64) -> Result<(), KineticError> {
    check_time(asked)?;
    if asked < now { Err(KineticError::TimeRunsBackwards { now, asked }) } else { Ok(()) }
}

pub(super) fn check_position(vertex: usize, value: DVec3) -> Result<(), KineticError> {
    check_vector("position", vertex, value, LARGEST_COORDINATE)
}

pub(super) fn check_velocity(vertex: usize, value: DVec3) -> Result<(), KineticError> {
    check_vector("velocity", vertex, value, LARGEST_VELOCITY)
}

fn check_vector(what: &'static str, vertex: usize, value: DVec3, limit: f64) -> Result<(), KineticError> {
    // False for NaN.
    if value.abs().cmple(DVec3::splat(limit)).all() {
        Ok(())
    } else {
        Err(KineticError::BadVector { what, vertex, value, limit })
    }
}

/// Checks that times increase and are numbers, and that there is one.
pub(super) fn check_key_times(times: &[f64]) -> Result<(), KineticError> {
    if times.is_empty() {
        return Err(KineticError::NoKeys);
    }
    for (key, &time) in times.iter().enumerate() {
        check_time(time)?;
        if key > 0 && time <= times[key - 1] {
            return Err(KineticError::KeysNotIncreasing { key, time, previous: times[key - 1] });
        }
    }
    Ok(())
}
