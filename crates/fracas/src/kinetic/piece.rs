//! One linear piece of a vertex's path, and the formula for positions on it.
//!
//! Everything that asks where a vertex is comes here, so answers agree bit for bit.
//!
//! # Rounding
//!
//! With ε = 2⁻⁵³, a coordinate that [`Piece::at`] gives differs from the true point of the line by at most
//!
//! - 8 ε (|start| + |end|) + 2⁻¹⁰⁷⁰ on a chord: the difference, the fraction's two differences and quotient, the product and
//!   the sum are rounded once each, so the error is at most 5.01 ε |end − start| + ε |result|;
//! - 4 ε (|start| + |velocity · time|) + 2⁻¹⁰⁷⁰ on a line.
//!
//! On a chord the coordinate never leaves the range between start and end, never moves backwards as time goes on, equals
//! `start` at `from` and `end` at `until`, and does not move if both are equal. [`Piece::rounding`] gives the bound.

use crate::geom::DVec3;

/// Largest absolute coordinate of a position: 2¹⁰⁰⁰.
pub const LARGEST_COORDINATE: f64 = f64::from_bits((1023 + 1000) << 52);
/// Largest absolute coordinate of a velocity: 2⁷⁰⁰.
pub const LARGEST_VELOCITY: f64 = f64::from_bits((1023 + 700) << 52);
/// Largest absolute time: 2³⁰⁰. With these three limits no position overflows.
pub const LARGEST_TIME: f64 = f64::from_bits((1023 + 300) << 52);

/// 2⁻⁵³: the relative error of one rounding.
pub(super) const EPSILON: f64 = f64::EPSILON / 2.0;
/// Covers what underflow adds to errors: 2⁻¹⁰⁷⁰.
const TINY: f64 = f64::from_bits(1 << 4);

/// The linear piece of a vertex's path that is valid at some time.
///
/// ```
/// use fracas::geom::DVec3;
/// use fracas::kinetic::Piece;
/// let piece = Piece::Chord { from: 1.0, until: 3.0, start: DVec3::ZERO, end: DVec3::X };
/// assert_eq!((piece.at(2.0), piece.at(3.0), piece.until()), (DVec3::X / 2.0, DVec3::X, 3.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// From one key to the next.
    Chord {
        /// Time of the first key.
        from: f64,
        /// Time of the second key, which is later.
        until: f64,
        /// Position at the first key.
        start: DVec3,
        /// Position at the second key.
        end: DVec3,
    },
    /// With constant velocity; at rest before a first or after a last key.
    Line {
        /// When the vertex is at `start`.
        from: f64,
        /// When the piece ends; infinity if it does not.
        until: f64,
        /// Position at `from`.
        start: DVec3,
        /// Distance per unit of time.
        velocity: DVec3,
    },
}

impl Piece {
    /// The position at a time. The [module](self) bounds the rounding.
    #[inline]
    #[must_use]
    pub fn at(&self, time: f64) -> DVec3 {
        match *self {
            Self::Chord { from, until, start, end } => {
                if time <= from {
                    start
                } else if time >= until {
                    end
                } else {
                    between(start, end, (time - from) / (until - from))
                }
            }
            Self::Line { from, start, velocity, .. } => start + velocity * (time - from),
        }
    }

    /// When the piece ends; infinity if it does not.
    #[inline]
    #[must_use]
    pub fn until(&self) -> f64 {
        match *self {
            Self::Chord { until, .. } | Self::Line { until, .. } => until,
        }
    }

    /// The largest difference, per coordinate, between [`Piece::at`] and the true point of the line.
    #[must_use]
    pub fn rounding(&self, time: f64) -> DVec3 {
        match *self {
            Self::Chord { start, end, .. } => 8.0 * EPSILON * (start.abs() + end.abs()) + TINY,
            Self::Line { from, start, velocity, .. } => {
                4.0 * EPSILON * (start.abs() + (velocity * (time - from)).abs()) + TINY
            }
        }
    }
}

/// The formula on chords; `fraction` is in [0, 1).
#[inline(always)]
pub(super) fn between(start: DVec3, end: DVec3, fraction: f64) -> DVec3 {
    let point = start + (end - start) * fraction;
    DVec3::new(held(point.x, start.x, end.x), held(point.y, start.y, end.y), held(point.z, start.z, end.z))
}

/// A coordinate, held between two others. Comparisons, because the sign of a zero that `min` gives depends on the machine.
#[inline(always)]
fn held(value: f64, start: f64, end: f64) -> f64 {
    let (low, high) = if start < end { (start, end) } else { (end, start) };
    let value = if value < low { low } else { value };
    if value > high { high } else { value }
}

/// One coordinate of a [`Piece`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Path {
    pub(super) from: f64,
    pub(super) until: f64,
    pub(super) start: f64,
    /// The velocity if this is a line.
    pub(super) end: f64,
    pub(super) is_line: bool,
}

impl Path {
    /// The coordinate as [`Piece::at`] gives it, and a bound on its error.
    #[inline]
    pub(super) fn at(&self, time: f64) -> (f64, f64) {
        if self.is_line {
            let way = self.end * (time - self.from);
            (self.start + way, 4.0 * EPSILON * (self.start.abs() + way.abs()) + TINY)
        } else {
            let value =
                self.start + (self.end - self.start) * ((time - self.from) / (self.until - self.from));
            (held(value, self.start, self.end), 8.0 * EPSILON * (self.start.abs() + self.end.abs()) + TINY)
        }
    }

    /// The coordinate if it is known without rounding: at a key, or at rest.
    #[inline]
    pub(super) fn exactly_at(&self, time: f64) -> Option<f64> {
        if time == self.from || self.end == if self.is_line { 0.0 } else { self.start } {
            Some(self.start)
        } else if time == self.until && !self.is_line {
            Some(self.end)
        } else {
            None
        }
    }
}
