//! Which of two moving coordinates is larger, and when that changes: without rounding.
//!
//! A certificate says "q does not exceed p". It fails when q *strictly* exceeds p; of two equal coordinates either may realise
//! a box. So equal paths cost no event, and no event can undo another at the same instant.
//!
//! # Idea
//!
//! Paths are linear in time and their ends are `f64`, so p − q is a linear function with rational coefficients.
//!
//! - *Whether* q overtakes p is the sign of q − p at the end of their common interval, where the values are keys as given.
//! - *When* is the first `f64` at which q exceeds p in exact arithmetic. The crossing is computed in double-double arithmetic with
//!   an error bound. If the bound leaves open on which side of an `f64` it lies, [`compare_at`] decides there.
//!
//! Hence, at every time that a program can name, the vertex that a structure stores is an exact extreme, not one up to rounding.
//!
//! # Bounds
//!
//! u = 2⁻⁵³. Sums of double-double numbers are off by 3 u² of the exact sum, products by 7 u², quotients by 15 u²; differences
//! of two `f64` are exact (see `exact/double.rs`). Write c for the values at a reference time r, m for the slopes,
//! x = (c_p − c_q) / (m_q − m_p) for the time from r to the crossing τ. A slope is off by 15 u² |m|, a value by
//! 25 u² (|start| + |m| |r − from|). So τ is off by less than 64 u² ((Σ|c| + |x| Σ|m|) / |m_q − m_p| + |x| + |τ|), where Σ|c| sums
//! the magnitudes in the parentheses before. Coordinates are scaled by a power of two where they are very large or small; what
//! underflows then is covered by [`UNDERFLOW`].

use super::piece::{LARGEST_TIME, Path};
use crate::exact::Double;
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

/// 64 u² = 2⁻¹⁰⁰.
const BOUND: f64 = power_of_two(-100);
/// Magnitudes up to which nothing is scaled: 2³⁰⁰ and its inverse.
const ORDINARY: std::ops::RangeInclusive<f64> = power_of_two(-300)..=power_of_two(300);
/// More than underflow can add to an error where the largest coordinate is at least 2⁻³⁰⁰.
const UNDERFLOW: f64 = power_of_two(-1000);

const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// What one coordinate has to do to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meeting {
    /// Strictly exceed it.
    Above,
    /// Reach it.
    Touch,
}

impl Meeting {
    #[inline]
    fn takes_place(self, order: Ordering) -> bool {
        order == Ordering::Greater || self == Self::Touch && order == Ordering::Equal
    }
}

/// Compares two coordinates at a time within both pieces, exactly.
#[inline]
pub(super) fn compare_at(p: &Path, q: &Path, time: f64) -> Ordering {
    let ((p_value, p_error), (q_value, q_error)) = (p.at(time), q.at(time));
    let difference = p_value - q_value;
    // The last factor covers the roundings of this line.
    if difference.abs() > (p_error + q_error) * 1.001 {
        return if difference > 0.0 { Ordering::Greater } else { Ordering::Less };
    }
    compare_close(p, q, time)
}

#[inline(never)]
fn compare_close(p: &Path, q: &Path, time: f64) -> Ordering {
    if let (Some(p), Some(q)) = (p.exactly_at(time), q.exactly_at(time)) {
        return p.partial_cmp(&q).unwrap_or(Ordering::Equal);
    }
    if p == q {
        return Ordering::Equal;
    }
    let (difference, size) = if p.from == q.from && p.until == q.until && !p.is_line && !q.is_line {
        // (p₀ − q₀)(until − t) + (p₁ − q₁)(t − from)
        let (a, b) = (Double::sum(p.start, -q.start), Double::sum(p.end, -q.end));
        let (left, right) = (a * Double::sum(p.until, -time), b * Double::sum(time, -p.from));
        (left + right, left.high.abs() + right.high.abs())
    } else {
        let ((p_value, _, p_size), (q_value, _, q_size)) = (p.linear(time), q.linear(time));
        (p_value - q_value, p_size + q_size)
    };
    let largest = p.start.abs().max(p.end.abs()).max(q.start.abs()).max(q.end.abs());
    // Nothing can have overflowed or underflowed then, by more than the bound covers.
    if ORDINARY.contains(&largest) && ORDINARY.contains(&size) && difference.high.abs() > BOUND * size {
        return if difference.high > 0.0 { Ordering::Greater } else { Ordering::Less };
    }
    compare_big(p, q, time)
}

/// The first `f64` time after `now` at which q exceeds or reaches p, within both pieces, if there is one. At `now` it does not.
#[inline]
pub(super) fn first_above(q: &Path, p: &Path, now: f64, meeting: Meeting) -> Option<f64> {
    let until = p.until.min(q.until);
    let overtakes = if p.until == q.until && until < f64::INFINITY && !p.is_line && !q.is_line {
        // Both have positions at their ends; that of a line is a velocity.
        until > now && (q.end > p.end || meeting == Meeting::Touch && q.end == p.end)
    } else if until < f64::INFINITY {
        until > now && meeting.takes_place(compare_at(q, p, until))
    } else {
        // Pieces without end are lines.
        q.end > p.end
    };
    if !overtakes {
        return None;
    }
    if meeting == Meeting::Above && p.from == q.from && p.start == q.start && now >= p.from {
        // They part at `from`, so that is now.
        return Some(now.next_up());
    }
    let time = crossing(q, p, meeting).unwrap_or_else(|| search(q, p, now, until, meeting));
    let time = time.max(now.next_up());
    (time <= LARGEST_TIME).then_some(if time > until { until } else { time })
}

/// The first `f64` at which q exceeds or reaches p, from double-double arithmetic; `None` if that does not suffice.
#[inline]
fn crossing(q: &Path, p: &Path, meeting: Meeting) -> Option<f64> {
    let largest = p.start.abs().max(p.end.abs()).max(q.start.abs()).max(q.end.abs());
    let scale = if ORDINARY.contains(&largest) { 1.0 } else { scale_of(largest) };
    let scaled = |path: &Path| Path { start: path.start * scale, end: path.end * scale, ..*path };
    let given = (p, q);
    let (p, q) = (scaled(p), scaled(q));
    // A path at rest says nothing about time.
    let reference = if p.start == p.end && !p.is_line { q.from } else { p.from };
    // x is the time from the reference to the crossing, in units of `unit`.
    let (x, error, unit) = if p.from == q.from && p.until == q.until && !p.is_line && !q.is_line {
        let ahead = Double::sum(p.start, -q.start);
        let closing = Double::sum(q.end, -q.start) - Double::sum(p.end, -p.start);
        let x = ahead.divided_by(closing);
        let error = BOUND * x.high.abs() + UNDERFLOW / closing.high.abs();
        (x, error, Double::sum(p.until, -p.from))
    } else {
        let ((p_value, p_slope, p_size), (q_value, q_slope, q_size)) =
            (p.linear(reference), q.linear(reference));
        let closing = q_slope - p_slope;
        let slopes = p_slope.high.abs() + q_slope.high.abs();
        let is_certain = closing.high.abs() > BOUND * 4.0 * slopes;
        if !is_certain {
            return None;
        }
        let x = (p_value - q_value).divided_by(closing);
        let error = BOUND * ((p_size + q_size + x.high.abs() * slopes) / closing.high.abs() + x.high.abs())
            + UNDERFLOW / closing.high.abs();
        (x, error, Double { high: 1.0, low: 0.0 })
    };
    let way = x * unit;
    let time = Double { high: reference, low: 0.0 } + way;
    let error = error * unit.high * 1.01 + BOUND * (way.high.abs() + time.high.abs()) + UNDERFLOW;
    let step = time.high.next_up() - time.high;
    // False if anything has overflowed.
    let is_certain = error < step * 0.125;
    if !is_certain {
        return None;
    }
    let is_before = if time.low.abs() > error {
        time.low > 0.0
    } else {
        let inside = |path: &Path| time.high >= path.from || path.is_line;
        if !inside(&p) || !inside(&q) || time.high > p.until.min(q.until) {
            return None;
        }
        !meeting.takes_place(compare_close(given.1, given.0, time.high))
    };
    Some(if is_before { time.high.next_up() } else { time.high })
}

/// A power of two that brings a magnitude near 1.
#[cold]
fn scale_of(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52) as i64 - 1023;
    power_of_two((-exponent).clamp(-1000, 1000))
}

impl Path {
    /// Value at a time and slope, and the magnitudes that the value was summed from.
    fn linear(&self, time: f64) -> (Double, Double, f64) {
        let slope = if self.is_line {
            Double { high: self.end, low: 0.0 }
        } else {
            Double::sum(self.end, -self.start).divided_by(Double::sum(self.until, -self.from))
        };
        let start = Double { high: self.start, low: 0.0 };
        if time == self.from {
            return (start, slope, self.start.abs());
        }
        let way = slope * Double::sum(time, -self.from);
        (start + way, slope, self.start.abs() + way.high.abs())
    }
}

/// The same as [`crossing`] by bisection with exact comparisons: for extreme magnitudes and near-parallel paths.
#[cold]
fn search(q: &Path, p: &Path, now: f64, until: f64, meeting: Meeting) -> f64 {
    let is_above = |time: f64| meeting.takes_place(compare_at(q, p, time));
    let (mut low, mut high) = (order(now), order(until.min(LARGEST_TIME)));
    if !is_above(unorder(high)) {
        return f64::INFINITY;
    }
    while low + 1 < high {
        let middle = low.midpoint(high);
        *(if is_above(unorder(middle)) { &mut high } else { &mut low }) = middle;
    }
    unorder(high)
}

/// Numbers the `f64` in ascending order.
fn order(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
}

fn unorder(order: i64) -> f64 {
    f64::from_bits(if order < 0 { i64::MIN.wrapping_sub(order) } else { order } as u64)
}

/// [`compare_at`] with big integers.
fn compare_big(p: &Path, q: &Path, time: f64) -> Ordering {
    let ((p_top, p_bottom), (q_top, q_bottom)) = (fraction(p, time), fraction(q, time));
    let difference = p_top.times(&q_bottom).minus(&q_top.times(&p_bottom));
    match difference.mantissa.sign() {
        Sign::Minus => Ordering::Less,
        Sign::NoSign => Ordering::Equal,
        Sign::Plus => Ordering::Greater,
    }
}

/// The coordinate at a time as a fraction with a positive denominator.
fn fraction(path: &Path, time: f64) -> (Dyadic, Dyadic) {
    let [from, until, time] =
        [path.from, path.until, time].map(|x| Dyadic::new(x.clamp(-f64::MAX, f64::MAX)));
    let [start, end] = [path.start, path.end].map(Dyadic::new);
    if path.is_line {
        let way = end.times(&time.minus(&from));
        (way.minus(&start.negated()), Dyadic::new(1.0))
    } else {
        let before = start.times(&until.minus(&time));
        (end.times(&time.minus(&from)).minus(&before.negated()), until.minus(&from))
    }
}

/// mantissa · 2^exponent.
struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

impl Dyadic {
    fn new(x: f64) -> Self {
        let (bits, biased) = (x.to_bits() & ((1 << 52) - 1), x.to_bits() >> 52 & 0x7ff);
        let (digits, exponent) =
            if biased == 0 { (bits, -1074) } else { (bits | 1 << 52, biased as i64 - 1075) };
        let digits = digits as i64;
        Self { mantissa: BigInt::from(if x < 0.0 { -digits } else { digits }), exponent }
    }

    fn negated(&self) -> Self {
        Self { mantissa: -&self.mantissa, exponent: self.exponent }
    }

    fn times(&self, other: &Self) -> Self {
        Self { mantissa: &self.mantissa * &other.mantissa, exponent: self.exponent + other.exponent }
    }

    fn minus(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let shifted = |x: &Self| &x.mantissa << (x.exponent - exponent);
        Self { mantissa: shifted(self) - shifted(other), exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;
    use num_rational::BigRational;

    fn rational(x: f64) -> BigRational {
        BigRational::from_float(x).unwrap()
    }

    fn value(path: &Path, time: f64) -> BigRational {
        let way = rational(time) - rational(path.from);
        if path.is_line {
            rational(path.start) + rational(path.end) * way
        } else {
            let slope =
                (rational(path.end) - rational(path.start)) / (rational(path.until) - rational(path.from));
            rational(path.start) + slope * way
        }
    }

    /// Paths of many kinds: small whole numbers, so that many cross at `f64` times and at keys, and numbers of all sizes.
    fn path(random: &mut Random, kind: usize, from: f64, until: f64) -> Path {
        let mut number = || match kind % 5 {
            0 => random.below(7) as f64 - 3.0,
            1 => random.signed(),
            2 => 1.0 + random.below(5) as f64 * f64::EPSILON,
            3 => random.signed() * 1e200,
            _ => random.signed() * 1e-200,
        };
        let (start, end) = (number(), number());
        let is_line = random.below(4) == 0;
        let until = if is_line && random.below(2) == 0 { f64::INFINITY } else { until };
        Path { from, until, start, end, is_line }
    }

    #[test]
    fn crossings_are_the_first_times_in_rational_arithmetic() {
        let mut random = Random::new(11);
        let mut found = 0;
        for round in 0..20_000 {
            let kind = random.below(5);
            let from = [0.0, -1.0, 1e6, random.signed(), 3.0][random.below(5)];
            let until = from + [1.0, 2.0, 1e-3, 7.0][random.below(4)];
            let p = path(&mut random, kind, from, until);
            let other = if random.below(3) == 0 { from - 0.5 } else { from };
            let mut q = path(&mut random, kind, other, until);
            if round % 3 == 0 {
                // Another end, as for vertices of different blocks.
                q.until = if q.is_line { q.until } else { until + 0.5 };
            }
            let end = p.until.min(q.until);
            let now = if random.below(2) == 0 {
                from
            } else {
                from + random.unit() * (end.min(from + 10.0) - from)
            };
            assert_eq!(compare_at(&p, &q, now), value(&p, now).cmp(&value(&q, now)), "{p:?} {q:?} at {now}");
            if now >= end {
                continue;
            }
            for meeting in [Meeting::Above, Meeting::Touch] {
                let meets = |time: f64| meeting.takes_place(value(&q, time).cmp(&value(&p, time)));
                if meets(now) {
                    continue;
                }
                match first_above(&q, &p, now, meeting) {
                    Some(time) => {
                        found += 1;
                        assert!(time > now && time <= end && meets(time), "{p:?} {q:?} {now}: {time}");
                        let before = time.next_down();
                        assert!(before <= now || !meets(before), "{p:?} {q:?} {now}: {time} is late");
                    }
                    None => assert!(!meets(end.min(LARGEST_TIME)), "{p:?} {q:?} {now}: nothing found"),
                }
            }
        }
        assert!(found > 3_000, "{found}");
    }
}
