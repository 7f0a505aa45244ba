//! The roots of a form inside the step: isolated, and refined on demand.
//!
//! A cell of the step whose coefficients change sign once holds exactly one root (Descartes' rule). Other cells are halved.
//! Repeated roots would be halved for ever; when two halvings were not enough, they are made simple. Roots that fall on a
//! border of cells are known exactly, as fractions.
//!
//! The sign of another form at a root is that of the form on the root's cell, once all its coefficients agree. The sign is
//! zero if a common factor of both has the root; this is asked only when the coefficients of a narrow cell do not agree.

use super::super::{Sign, big};
use super::ImpactTime;
use super::form::{Cell, Form};
use num_bigint::BigInt;

/// Depth of cells that are at most 1e-9 wide.
const DEPTH_OF_TIME: u32 = 30;

/// A root inside the step.
#[derive(Clone, Debug)]
pub(super) enum Root<'a> {
    /// The start of the cell is the root.
    At(Cell),
    /// The one root of `whole` inside the cell. `form` is what `whole` is on the cell, up to a factor, and is zero at neither
    /// end of it.
    In { whole: &'a Form, form: Form, cell: Cell },
}

/// All roots strictly between t = 0 and t = 1, in order. The form must not be zero.
pub(super) fn roots_of(whole: &Form) -> Vec<Root<'_>> {
    isolate(whole, whole.without_ends(), 2)
        .or_else(|| isolate(whole, whole.with_simple_roots(), u32::MAX))
        .expect("simple roots come apart")
}

/// The roots, or `None` if cells of the given depth do not hold them apart.
fn isolate(whole: &Form, form: Form, deepest: u32) -> Option<Vec<Root<'_>>> {
    let mut roots = vec![];
    // What is left of the step, the earliest last.
    let mut left = vec![Root::In { whole, form, cell: Cell::whole() }];
    while let Some(next) = left.pop() {
        let Root::In { form, cell, .. } = &next else {
            roots.push(next);
            continue;
        };
        match form.sign_changes() {
            0 => {}
            1 => roots.push(next),
            _ if cell.depth == deepest => return None,
            _ => {
                let ([early, late], [early_cell, late_cell]) = (form.halves(), cell.halves());
                let is_root = early.sign_at_end().is_zero();
                left.push(Root::In { whole, form: late.without_ends(), cell: late_cell.clone() });
                if is_root {
                    left.push(Root::At(late_cell));
                }
                left.push(Root::In { whole, form: early.without_ends(), cell: early_cell });
            }
        }
    }
    Some(roots)
}

impl Root<'_> {
    /// The sign of a form at the root.
    pub(super) fn sign_of(&mut self, q: &Form) -> Sign {
        self.refine_to(DEPTH_OF_TIME);
        let mut may_be_zero = true;
        loop {
            match self {
                Self::At(cell) => {
                    let [[s, t], _] = cell.ends();
                    return big::sign(&q.at(&s, &t));
                }
                Self::In { whole, cell, .. } => {
                    if let Some(sign) = q.on(cell).sign_inside() {
                        return sign;
                    }
                    if may_be_zero {
                        let common = whole.common_factor(q).with_simple_roots();
                        // Of the roots of `whole`, only this one is inside the cell.
                        if common.0.len() > 1 && common.on(cell).without_ends().sign_changes() % 2 == 1 {
                            return Sign::Zero;
                        }
                        may_be_zero = false;
                    }
                    let depth = 2 * cell.depth;
                    self.refine_to(depth);
                }
            }
        }
    }

    /// When the root is.
    pub(super) fn time(&mut self) -> ImpactTime {
        self.refine_to(DEPTH_OF_TIME);
        match self {
            Self::At(cell) => ImpactTime {
                low: round_down(&cell.index, cell.depth),
                high: round_up(&cell.index, cell.depth),
            },
            Self::In { cell, .. } => ImpactTime {
                low: round_down(&cell.index, cell.depth),
                high: round_up(&(&cell.index + 1), cell.depth),
            },
        }
    }

    fn refine_to(&mut self, depth: u32) {
        while matches!(self, Self::In { cell, .. } if cell.depth < depth) {
            self.refine();
        }
    }

    /// Halves the cell.
    fn refine(&mut self) {
        let Self::In { form, cell, .. } = self else { return };
        let ([early, late], [early_cell, late_cell]) = (form.halves(), cell.halves());
        let middle = early.sign_at_end();
        if middle.is_zero() {
            *self = Self::At(late_cell);
        } else if middle == early.sign_at_start() {
            (*form, *cell) = (late, late_cell);
        } else {
            (*form, *cell) = (early, early_cell);
        }
    }
}

/// The largest `f64` that is at most index / 2ᵈ; not negative, at most one.
fn round_down(index: &BigInt, depth: u32) -> f64 {
    let bits = index.bits() as i64;
    let dropped = (bits - 53).max(0);
    let kept = index >> dropped as u64;
    let digits = kept.iter_u64_digits().next().unwrap_or(0);
    scaled(digits, dropped - i64::from(depth))
}

/// The smallest `f64` that is at least index / 2ᵈ; not negative, at most one.
fn round_up(index: &BigInt, depth: u32) -> f64 {
    let low = round_down(index, depth);
    let (mantissa, exponent) = big::decode(low);
    // low · 2ᵈ = mantissa · 2^(exponent + d), compared with the index without fractions.
    let power = exponent + i64::from(depth);
    let is_exact = if power >= 0 {
        BigInt::from(mantissa) << power as u64 == *index
    } else {
        BigInt::from(mantissa) == index << -power as u64
    };
    if is_exact { low } else { low.next_up() }
}

/// digits · 2ᵉ rounded down, where the digits fit in 53 bits and the value is at most one.
fn scaled(digits: u64, exponent: i64) -> f64 {
    let lost = (-1074 - exponent).max(0);
    if lost >= 64 {
        return 0.0;
    }
    let (digits, exponent) = (digits >> lost, exponent + lost);
    if digits == 0 {
        return 0.0;
    }
    let power = |e: i64| f64::from_bits(((1023 + e) as u64) << 52);
    // Both products are exact: the digits fit, and no bit lies below 2⁻¹⁰⁷⁴.
    digits as f64 * power(exponent / 2) * power(exponent - exponent / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(c: &[i64]) -> Form {
        Form(c.iter().map(|&c| BigInt::from(c)).collect())
    }

    /// The form with the roots k / n.
    fn with_roots(roots: &[(i64, i64)]) -> Form {
        // n t − k (s + t)
        roots.iter().fold(form(&[1]), |f, &(k, n)| f.times(&form(&[-k, n - k])))
    }

    #[test]
    fn roots_are_found_in_order_and_held_apart() {
        let cases: [&[(i64, i64)]; 8] = [
            &[(1, 3)],
            &[(1, 2), (1, 2), (1, 3)],
            &[(1, 3), (1, 3), (1, 3)],
            &[(0, 1), (1, 1), (5, 7)],
            &[(1, 4), (1, 2), (3, 4)],
            &[(1, 1_000_000_007), (2, 1_000_000_007), (3, 1_000_000_007)],
            &[(-1, 2), (3, 2), (2, 1)],
            &[(1, 3), (1, 3)],
        ];
        for case in cases {
            let whole = with_roots(case);
            let mut expected: Vec<f64> = case.iter().map(|&(k, n)| k as f64 / n as f64).collect();
            expected.retain(|&t| 0.0 < t && t < 1.0);
            expected.sort_by(f64::total_cmp);
            expected.dedup();
            let mut found = roots_of(&whole);
            assert_eq!(found.len(), expected.len(), "{case:?}");
            for (root, t) in found.iter_mut().zip(expected) {
                let ImpactTime { low, high } = root.time();
                assert!(low - 1e-16 <= t && t <= high + 1e-16 && high - low <= 1e-9, "{case:?}: {root:?}");
            }
        }
    }

    #[test]
    fn signs_at_roots_are_exact() {
        let whole = with_roots(&[(1, 3), (5, 7), (2, 3)]);
        let mut roots = roots_of(&whole);
        let q = with_roots(&[(1, 3), (5, 7)]);
        let signs: Vec<Sign> = roots.iter_mut().map(|r| r.sign_of(&q)).collect();
        assert_eq!(signs, [Sign::Zero, Sign::Negative, Sign::Zero]);
        // Just beside the root: 1/3 ± 1/(3 · 10¹²).
        let q = with_roots(&[(1_000_000_000_001, 3_000_000_000_000)]);
        assert_eq!(roots[0].sign_of(&q), Sign::Negative);
        let q = with_roots(&[(999_999_999_999, 3_000_000_000_000)]);
        assert_eq!(roots[0].sign_of(&q), Sign::Positive);
    }

    #[test]
    fn times_are_rounded_outward() {
        let index = (BigInt::from(1) << 60u32) - 1;
        assert_eq!((round_down(&index, 60), round_up(&index, 60)), (1.0_f64.next_down(), 1.0));
        assert_eq!((round_down(&index, 61), round_up(&index, 61)), (0.5_f64.next_down(), 0.5));
        let one = BigInt::from(1);
        assert_eq!((round_down(&one, 1), round_up(&one, 1)), (0.5, 0.5));
        assert_eq!((round_down(&one, 1074), round_up(&one, 1074)), (f64::from_bits(1), f64::from_bits(1)));
        assert_eq!((round_down(&one, 1075), round_up(&one, 1075)), (0.0, f64::from_bits(1)));
        assert_eq!((round_down(&one, 5000), round_up(&one, 5000)), (0.0, f64::from_bits(1)));
        assert_eq!((round_down(&BigInt::ZERO, 9), round_up(&BigInt::ZERO, 9)), (0.0, 0.0));
    }
}
