//! Polynomials over the step, with integer coefficients of any length.
//!
//! # Idea
//!
//! A point that moves linearly is start · s + end · t with s = 1 − t. So everything computed from moving points is a
//! *form*: a homogeneous polynomial c₀ sⁿ + c₁ sⁿ⁻¹ t + … + cₙ tⁿ. Its coefficients are Bernstein coefficients times
//! binomials, so their signs bound the form on the step, products are plain convolutions, a root at t = 0 or t = 1 is
//! a zero at an end of the list, and by Descartes' rule the changes of sign bound the number of roots in between.
//! Substituting the ends of a part of the step for s and t gives the form on that part.

use super::super::{Sign, big};
use num_bigint::BigInt;

/// Coefficients of sⁿ, sⁿ⁻¹ t, …, tⁿ. There is at least one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Form(pub(super) Vec<BigInt>);

impl Form {
    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(|c| *c == BigInt::ZERO)
    }

    /// The sign at t = 0.
    pub(super) fn sign_at_start(&self) -> Sign {
        big::sign(&self.0[0])
    }

    /// The sign at t = 1.
    pub(super) fn sign_at_end(&self) -> Sign {
        big::sign(&self.0[self.0.len() - 1])
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a + b).collect())
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a - b).collect())
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = vec![BigInt::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self(product)
    }

    /// The value at the given s and t.
    pub(super) fn at(&self, s: &BigInt, t: &BigInt) -> BigInt {
        let mut value = self.0[0].clone();
        let mut power = t.clone();
        for (k, c) in self.0[1..].iter().enumerate() {
            value = value * s + c * &power;
            if k + 2 < self.0.len() {
                power *= t;
            }
        }
        value
    }

    /// The form on a part of the step, times a positive number.
    pub(super) fn on(&self, cell: &Cell) -> Self {
        let [from, to] = cell.ends();
        let s = Self(vec![from[0].clone(), to[0].clone()]);
        let t = Self(vec![from[1].clone(), to[1].clone()]);
        let mut value = Self(vec![self.0[0].clone()]);
        let mut power = t.clone();
        for (k, c) in self.0[1..].iter().enumerate() {
            let term = Self(power.0.iter().map(|x| c * x).collect());
            value = value.times(&s).plus(&term);
            if k + 2 < self.0.len() {
                power = power.times(&t);
            }
        }
        value
    }

    /// The form on the two halves of the step, times 2ⁿ.
    pub(super) fn halves(&self) -> [Self; 2] {
        let degree = self.0.len() - 1;
        // On the first half t = t′ / 2 and s = s′ + t′ / 2: a Taylor shift of s by t, then s → 2 s.
        let first = |mut c: Vec<BigInt>| {
            for pass in 0..degree {
                for k in 1..=degree - pass {
                    let (before, after) = c.split_at_mut(k);
                    after[0] += &before[k - 1];
                }
            }
            c.into_iter().enumerate().map(|(k, c)| c << (degree - k)).collect::<Vec<_>>()
        };
        let mut second = first(self.0.iter().rev().cloned().collect());
        second.reverse();
        [Self(first(self.0.clone())), Self(second)]
    }

    /// The form without its roots at t = 0 and t = 1. It must not be zero.
    pub(super) fn without_ends(&self) -> Self {
        let is_used = |c: &BigInt| *c != BigInt::ZERO;
        let from = self.0.iter().position(is_used).expect("a form that is not zero");
        let to = self.0.iter().rposition(is_used).expect("a form that is not zero");
        Self(self.0[from..=to].to_vec())
    }

    /// How often the coefficients change sign, zeros left out: at least as many as there are roots inside the step, and
    /// the same number modulo two.
    pub(super) fn sign_changes(&self) -> usize {
        let mut signs = self.0.iter().map(big::sign).filter(|s| !s.is_zero());
        let Some(mut last) = signs.next() else { return 0 };
        signs.filter(|&sign| std::mem::replace(&mut last, sign) != sign).count()
    }

    /// The sign everywhere inside the step, if the coefficients alone tell.
    pub(super) fn sign_inside(&self) -> Option<Sign> {
        let first = self.0.iter().map(big::sign).find(|s| !s.is_zero());
        (self.sign_changes() == 0).then(|| first.unwrap_or(Sign::Zero))
    }

    /// The greatest common divisor of two forms that are not zero, up to a factor; roots at t = 0 and t = 1 are left out.
    pub(super) fn common_factor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.without_ends(), other.without_ends());
        if a.0.len() < b.0.len() {
            std::mem::swap(&mut a, &mut b);
        }
        loop {
            let (_, rest) = a.divided_by(&b);
            if rest.is_zero() {
                return b;
            }
            // A power of t divides neither form, so it may be dropped, like the missing powers of s.
            (a, b) = (b, rest.without_ends().reduced());
        }
    }

    /// The form with every root once, up to a factor; roots at t = 0 and t = 1 are left out. It must not be zero.
    pub(super) fn with_simple_roots(&self) -> Self {
        let form = self.without_ends();
        if form.0.len() < 3 {
            return form;
        }
        // With s = 1 this is the derivative by t.
        let derivative = Self(form.0.iter().enumerate().skip(1).map(|(k, c)| c * k).collect());
        let repeated = form.common_factor(&derivative);
        if repeated.0.len() == 1 { form } else { form.divided_by(&repeated).0.reduced() }
    }

    /// Quotient and rest of m · self / divisor as polynomials in t (s = 1), for some m ≠ 0. The divisor's last coefficient
    /// is not zero.
    fn divided_by(&self, divisor: &Self) -> (Self, Self) {
        let (mut rest, by) = (self.0.clone(), &divisor.0);
        let leading = &by[by.len() - 1];
        let steps = (rest.len() + 1).saturating_sub(by.len());
        let mut quotient = vec![BigInt::ZERO; steps.max(1)];
        for step in (0..steps).rev() {
            let top = rest.pop().expect("one coefficient for each step");
            for c in rest.iter_mut().chain(&mut quotient) {
                *c *= leading;
            }
            for (c, b) in rest[step..].iter_mut().zip(by) {
                *c -= &top * b;
            }
            quotient[step] = top;
        }
        if rest.is_empty() {
            rest.push(BigInt::ZERO);
        }
        (Self(quotient), Self(rest))
    }

    /// The form without common powers of two. It must not be zero.
    fn reduced(mut self) -> Self {
        let shift = self.0.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        for c in &mut self.0 {
            *c >>= shift;
        }
        self
    }
}

/// The part of the step from index / 2ᵈ to (index + 1) / 2ᵈ, where d is the depth.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) index: BigInt,
    pub(super) depth: u32,
}

impl Cell {
    pub(super) fn whole() -> Self {
        Self { index: BigInt::ZERO, depth: 0 }
    }

    pub(super) fn halves(&self) -> [Self; 2] {
        let index = &self.index << 1u32;
        let depth = self.depth + 1;
        [Self { index: index.clone(), depth }, Self { index: index + 1, depth }]
    }

    /// s and t at the start and at the end of the cell, times 2ᵈ.
    pub(super) fn ends(&self) -> [[BigInt; 2]; 2] {
        let whole = BigInt::from(1) << self.depth;
        let next = &self.index + 1;
        [[&whole - &self.index, self.index.clone()], [whole - &next, next]]
    }
}
