//! One query at a time in `f64`: the step is halved until signs are certain.
//!
//! On a part of the step
//!
//! - two coordinates of one axis of Qᵢ and Qⱼ that certainly have opposite signs throughout exclude contact,
//! - so does f, if it certainly has one sign throughout;
//! - if f certainly changes its sign once, there is one root. It is enclosed by Newton's method and certain signs beside
//!   it. Signs of Qᵢ over the enclosure then say whether the root is a contact: all of one sign in some axis means yes.
//!
//! Nothing is ever decided from an uncertain sign. What stays uncertain, such as contact at an edge of the triangle, at
//! the first instant or in a plane throughout, is left to [`integers`](super::integers).

use super::float::{CROSS, Forms, RANGE, VALUE, cubic_at};
use super::{ImpactTime, Verdict};

/// Parts of the step that are looked at, at most.
const MOST_PARTS: usize = 24;
/// Half the width of an enclosure of a root, at most.
pub(super) const WIDEST: f64 = 0.49e-9;
/// Half the width of an enclosure of a root, at least.
pub(super) const NARROWEST: f64 = 4.0 * f64::EPSILON;

/// The polynomials of one query, in Bernstein form, and the errors of their values.
struct Curves<const N: usize> {
    crosses: [[[f64; 3]; 3]; N],
    volume: [f64; 4],
    cross_error: f64,
    volume_error: f64,
}

/// What signs of Qᵢ over some time say about contact at a root of f within that time.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Yes,
    No,
    Unknown,
}

/// Decides about corners whose largest coordinate is `size`.
pub(super) fn decide<const N: usize>(forms: &Forms<f64, N>, size: f64) -> Verdict {
    if !(RANGE[0] < size && size < RANGE[1]) {
        return Verdict::Unknown;
    }
    let [b0, c1, c2, b3] = forms.volume;
    let curves = Curves {
        crosses: forms.crosses.map(|q| q.map(|[c0, c1, c2]| [c0, 0.5 * c1, c2])),
        volume: [b0, c1 / 3.0, c2 / 3.0, b3],
        cross_error: CROSS * size * size,
        volume_error: VALUE * size * size * size,
    };
    curves.decide()
}

impl<const N: usize> Curves<N> {
    fn decide(&self) -> Verdict {
        // Parts that are left, the earliest last. Depth first, so no more than one for each halving.
        let mut left = [[0.0; 2]; MOST_PARTS + 1];
        left[0] = [0.0, 1.0];
        let mut count = 1;
        for _ in 0..MOST_PARTS {
            if count == 0 {
                return Verdict::Apart;
            }
            count -= 1;
            let part = left[count];
            let inside = self.inside(part);
            if inside == Inside::No {
                continue;
            }
            let f = cubic_on(&self.volume, part);
            let signs = f.map(|x| certain_sign(x, self.volume_error));
            if signs[0] != 0 && signs == [signs[0]; 4] {
                continue;
            }
            if signs[0] * signs[3] == -1 && (signs[1] == signs[0] || signs[2] == signs[3]) {
                let Some(root) = self.enclose_root(part, signs[0]) else { return Verdict::Unknown };
                let inside = if inside == Inside::Unknown { self.inside(root) } else { inside };
                match inside {
                    Inside::Yes => return Verdict::Contact(ImpactTime { low: root[0], high: root[1] }),
                    Inside::No => continue,
                    Inside::Unknown => return Verdict::Unknown,
                }
            }
            if signs == [0; 4] && inside == Inside::Yes {
                return Verdict::Unknown;
            }
            let middle = 0.5 * (part[0] + part[1]);
            left[count] = [middle, part[1]];
            left[count + 1] = [part[0], middle];
            count += 2;
        }
        if count == 0 { Verdict::Apart } else { Verdict::Unknown }
    }

    /// What the signs of Qᵢ from one time to another say.
    fn inside(&self, part: [f64; 2]) -> Inside {
        let mut answer = Inside::Unknown;
        for axis in 0..3 {
            let (mut above, mut below) = (0, 0);
            for q in &self.crosses {
                let b = quadratic_on(&q[axis], part);
                above += usize::from(b.iter().all(|x| *x > self.cross_error));
                below += usize::from(b.iter().all(|x| *x < -self.cross_error));
            }
            if above > 0 && below > 0 {
                return Inside::No;
            }
            if above == N || below == N {
                answer = Inside::Yes;
            }
        }
        answer
    }

    /// Two times at most 1e-9 apart between which f certainly changes its sign, within a part where it does so once and
    /// begins with the given sign.
    fn enclose_root(&self, [start, end]: [f64; 2], first: i32) -> Option<[f64; 2]> {
        let sign = f64::from(first);
        let (mut low, mut high) = (start, end);
        let f = |t: f64| cubic_at(&self.volume, [1.0 - t, t]);
        let mut t = 0.5 * (start + end);
        let mut slope = 0.0;
        for _ in 0..60 {
            let [value, third] = f(t);
            if value * sign > 0.0 {
                low = t
            } else {
                high = t
            }
            slope = 3.0 * third;
            let next = t - value / slope;
            // Rounding may put the next value a little outside of the bracket when it has converged.
            let next = if low <= next && next <= high { next } else { 0.5 * (low + high) };
            let is_close = (next - t).abs() < 1e-13;
            t = next;
            if is_close || high - low < 1e-13 {
                break;
            }
        }
        let mut reach = (4.0 * self.volume_error / slope.abs()).max(NARROWEST);
        while reach <= WIDEST {
            let (low, high) = ((t - reach).max(start), (t + reach).min(end));
            let is_before = low == start || f(low)[0] * sign > self.volume_error;
            let is_after = high == end || f(high)[0] * sign < -self.volume_error;
            if is_before && is_after {
                return Some([low, high]);
            }
            reach *= 4.0;
        }
        None
    }
}

fn certain_sign(x: f64, error: f64) -> i32 {
    i32::from(x > error) - i32::from(x < -error)
}

fn mix(x: f64, y: f64, t: f64) -> f64 {
    x * (1.0 - t) + y * t
}

/// Bernstein coefficients on a part of the step.
fn quadratic_on(b: &[f64; 3], [l, h]: [f64; 2]) -> [f64; 3] {
    let (x, y) = (mix(b[0], b[1], l), mix(b[1], b[2], l));
    [mix(x, y, l), mix(x, y, h), mix(mix(b[0], b[1], h), mix(b[1], b[2], h), h)]
}

/// Bernstein coefficients on a part of the step.
fn cubic_on(b: &[f64; 4], [l, h]: [f64; 2]) -> [f64; 4] {
    let level = |t: f64| [0, 1, 2].map(|k| mix(b[k], b[k + 1], t));
    let (at_l, at_h) = (level(l), level(h));
    let second = |x: &[f64; 3], t: f64| [mix(x[0], x[1], t), mix(x[1], x[2], t)];
    let (ll, hh) = (second(&at_l, l), second(&at_h, h));
    [mix(ll[0], ll[1], l), mix(ll[0], ll[1], h), mix(hh[0], hh[1], l), mix(hh[0], hh[1], h)]
}
