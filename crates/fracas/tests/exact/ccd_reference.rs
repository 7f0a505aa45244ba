//! First contacts of moving features in exact arithmetic, by another route than the library's.
//!
//! The origin lies in the convex hull of moving corners iff a corner is the origin, or it lies between two corners, or inside
//! a triangle of corners by barycentric coordinates (Carathéodory). Every condition is the sign of a polynomial in t.
//! Roots are counted by Sturm sequences, and the sign of another polynomial at a root is a Tarski query: no root is
//! ever refined to learn a sign, and no greatest common divisor is taken.

use crate::reference::integers;
use fracas::exact::{ImpactTime, MovingPoint};
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

fn sign(x: &BigInt) -> i32 {
    match x.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// A number k / 2ⁿ.
#[derive(Clone, Debug)]
struct Dyadic {
    numerator: BigInt,
    exponent: u32,
}

impl Dyadic {
    fn new(numerator: i32) -> Self {
        Self { numerator: numerator.into(), exponent: 0 }
    }

    /// A number from 0 to 1.
    fn from_float(x: f64) -> Self {
        let field = ((x.to_bits() >> 52) as u32).max(1);
        let hidden = u64::from(x >= f64::MIN_POSITIVE) << 52;
        let digits = x.to_bits() & ((1 << 52) - 1) | hidden;
        Self { numerator: digits.into(), exponent: 1075 - field }
    }

    fn middle(&self, other: &Self) -> Self {
        let exponent = self.exponent.max(other.exponent);
        let numerator = |x: &Self| &x.numerator << (exponent - x.exponent);
        Self { numerator: numerator(self) + numerator(other), exponent: exponent + 1 }
    }
}

/// Integer coefficients by ascending powers of t; the last is not zero. Only signs matter, so positive factors are free.
#[derive(Clone, Debug)]
struct Polynomial(Vec<BigInt>);

impl Polynomial {
    fn new(mut c: Vec<BigInt>) -> Self {
        while c.last().is_some_and(|c| sign(c) == 0) {
            c.pop();
        }
        Self(c)
    }

    /// The same signs with shorter coefficients.
    fn shortened(self) -> Self {
        let zeros = self.0.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        Self(self.0.into_iter().map(|c| c >> zeros).collect())
    }

    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn combine(&self, other: &Self, factor: i32) -> Self {
        let n = self.0.len().max(other.0.len());
        let c = |p: &Self, k: usize| p.0.get(k).cloned().unwrap_or_default();
        Self::new((0..n).map(|k| c(self, k) + c(other, k) * factor).collect())
    }

    fn plus(&self, other: &Self) -> Self {
        self.combine(other, 1)
    }

    fn minus(&self, other: &Self) -> Self {
        self.combine(other, -1)
    }

    fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self(vec![]);
        }
        let mut product = vec![BigInt::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self::new(product)
    }

    fn sign_at(&self, t: &Dyadic) -> i32 {
        let n = self.0.len();
        let value = self.0.iter().enumerate().rev().fold(BigInt::ZERO, |value, (k, c)| {
            value * &t.numerator + (c << (u64::from(t.exponent) * (n - 1 - k) as u64))
        });
        sign(&value)
    }

    fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(k, c)| c * k).collect())
    }

    /// Quotient and rest of m · self / by, for some m > 0.
    fn divided_by(&self, by: &Self) -> (Self, Self) {
        let mut rest = self.0.clone();
        let n = by.0.len();
        let leading = by.0[n - 1].magnitude().clone().into();
        let mut quotient: Vec<BigInt> = vec![];
        while rest.len() >= n {
            let top = rest.pop().expect("not empty") * sign(&by.0[n - 1]);
            for c in rest.iter_mut().chain(&mut quotient) {
                *c *= &leading;
            }
            let from = rest.len() + 1 - n;
            for (c, b) in rest[from..].iter_mut().zip(&by.0) {
                *c -= b * &top;
            }
            quotient.push(top);
        }
        quotient.reverse();
        (Self::new(quotient).shortened(), Self::new(rest).shortened())
    }

    /// The polynomial without its root at t, however often it is one.
    fn without_root(&self, t: &Dyadic) -> Self {
        let factor = Self::new(vec![-t.numerator.clone(), BigInt::from(1) << t.exponent]);
        let mut rest = self.clone();
        while !rest.is_zero() && rest.sign_at(t) == 0 {
            rest = rest.divided_by(&factor).0;
        }
        rest
    }

    /// The sum, over the distinct roots between two times that are no roots, of the sign of `q` there.
    fn signs_at_roots(&self, q: &Self, from: &Dyadic, to: &Dyadic) -> i32 {
        let q = if q.0.len() >= self.0.len() { &q.divided_by(self).1 } else { q };
        let mut chain = vec![self.clone(), self.derivative().times(q)];
        while !chain[chain.len() - 1].is_zero() {
            let (_, rest) = chain[chain.len() - 2].divided_by(&chain[chain.len() - 1]);
            chain.push(Self(rest.0.into_iter().map(|c| -c).collect()));
        }
        let changes = |t: &Dyadic| {
            let signs: Vec<i32> = chain.iter().map(|p| p.sign_at(t)).filter(|s| *s != 0).collect();
            signs.windows(2).filter(|w| w[0] != w[1]).count() as i32
        };
        changes(from) - changes(to)
    }

    fn count_roots(&self, from: &Dyadic, to: &Dyadic) -> i32 {
        self.signs_at_roots(&Self::new(vec![1.into()]), from, to)
    }
}

/// A time: a number, or the only root of a polynomial between two numbers.
enum Time {
    Known(Dyadic),
    Root(Polynomial, Dyadic, Dyadic),
}

impl Time {
    fn sign_of(&self, q: &Polynomial) -> i32 {
        match self {
            Self::Known(t) => q.sign_at(t),
            Self::Root(p, from, to) => p.signs_at_roots(q, from, to),
        }
    }

    /// The order of this time and a number from 0 to 1.
    fn compare(&self, t: f64) -> Ordering {
        let t = Dyadic::from_float(t);
        self.sign_of(&Polynomial::new(vec![-t.numerator, BigInt::from(1) << t.exponent])).cmp(&0)
    }
}

/// The times from 0 to 1 at which a polynomial that is not zero vanishes.
fn roots(p: &Polynomial) -> Vec<Time> {
    let (zero, one) = (Dyadic::new(0), Dyadic::new(1));
    let mut times = vec![];
    for end in [&zero, &one] {
        if p.sign_at(end) == 0 {
            times.push(Time::Known(end.clone()));
        }
    }
    let inside = p.without_root(&zero).without_root(&one);
    let mut left = vec![(inside, zero, one)];
    while let Some((p, from, to)) = left.pop() {
        match p.count_roots(&from, &to) {
            0 => {}
            1 => times.push(Time::Root(p, from, to)),
            _ => {
                let middle = from.middle(&to);
                if p.sign_at(&middle) == 0 {
                    times.push(Time::Known(middle.clone()));
                }
                let p = p.without_root(&middle);
                left.push((p.clone(), from, middle.clone()));
                left.push((p, middle, to));
            }
        }
    }
    times
}

type Vector = [Polynomial; 3];

fn minus(p: &Vector, q: &Vector) -> Vector {
    [0, 1, 2].map(|k| p[k].minus(&q[k]))
}

fn dot(p: &Vector, q: &Vector) -> Polynomial {
    (0..3).fold(Polynomial(vec![]), |sum, k| sum.plus(&p[k].times(&q[k])))
}

fn cross(p: &Vector, q: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| p[i].times(&q[j]).minus(&p[j].times(&q[i])))
}

/// The points times a common power of two, as polynomials in t.
fn moving(points: [MovingPoint; 4]) -> [Vector; 4] {
    let [p, q, r, s] = points;
    let (at, _) = integers([p.start, q.start, r.start, s.start, p.end, q.end, r.end, s.end]);
    [0, 1, 2, 3]
        .map(|i| [0, 1, 2].map(|k| Polynomial::new(vec![at[i][k].clone(), &at[4 + i][k] - &at[i][k]])))
}

/// Polynomials that are zero, not negative, and positive wherever a condition holds.
struct Condition {
    zero: Vec<Polynomial>,
    not_negative: Vec<Polynomial>,
    positive: Vec<Polynomial>,
}

impl Condition {
    fn holds(&self, time: &Time) -> bool {
        self.zero.iter().all(|p| time.sign_of(p) == 0)
            && self.not_negative.iter().all(|p| time.sign_of(p) >= 0)
            && self.positive.iter().all(|p| time.sign_of(p) > 0)
    }
}

/// All contacts that can be the first one: it is among these, and every one of these is a contact.
pub struct Contacts(Vec<Time>);

impl Contacts {
    pub fn vertex_triangle([p, a, b, c]: [MovingPoint; 4]) -> Self {
        let [p, a, b, c] = &moving([p, a, b, c]);
        Self::of(&[minus(a, p), minus(b, p), minus(c, p)])
    }

    pub fn edge_edge([a, b, c, d]: [MovingPoint; 4]) -> Self {
        let [a, b, c, d] = &moving([a, b, c, d]);
        Self::of(&[minus(a, c), minus(b, c), minus(b, d), minus(a, d)])
    }

    fn of(corners: &[Vector]) -> Self {
        let mut conditions = vec![];
        for (i, p) in corners.iter().enumerate() {
            conditions.push(Condition { zero: vec![dot(p, p)], not_negative: vec![], positive: vec![] });
            for (j, q) in corners.iter().enumerate().skip(i + 1) {
                let (n, against) = (cross(p, q), Polynomial(vec![]).minus(&dot(p, q)));
                conditions.push(Condition {
                    zero: n.to_vec(),
                    not_negative: vec![against],
                    positive: vec![],
                });
                for r in corners.iter().skip(j + 1) {
                    let normal = cross(&minus(q, p), &minus(r, p));
                    let weights = [cross(q, r), cross(r, p), n.clone()].map(|x| dot(&x, &normal));
                    conditions.push(Condition {
                        zero: vec![dot(r, &n)],
                        not_negative: weights.to_vec(),
                        positive: vec![dot(&normal, &normal)],
                    });
                }
            }
        }
        let volume = dot(&corners[0], &cross(&corners[1], &corners[2]));
        // Contact needs volume zero. If that is no condition, the first contact is at 0 or where some sign changes.
        let mut times = vec![];
        if volume.is_zero() {
            times.push(Time::Known(Dyadic::new(0)));
            let all = conditions.iter().flat_map(|c| c.zero.iter().chain(&c.not_negative).chain(&c.positive));
            times.extend(all.filter(|p| !p.is_zero()).flat_map(roots));
        } else {
            times.extend(roots(&volume));
        }
        times.retain(|time| conditions.iter().any(|c| c.holds(time)));
        Self(times)
    }

    /// Whether there is any contact.
    pub fn exist(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether this answer is the truth: a contact just when there is one, the first of them between low and high, and no
    /// more than 1e-9 from one to the other.
    pub fn confirm(&self, answer: Option<ImpactTime>) -> Result<(), String> {
        let Some(ImpactTime { low, high }) = answer else {
            return if self.exist() { Err("a contact was missed".into()) } else { Ok(()) };
        };
        if !self.exist() {
            return Err(format!("a contact was invented, [{low}, {high}]"));
        }
        let is_sound = 0.0 <= low && low <= high && high <= 1.0 && high - low <= 1e-9;
        let is_not_late = self.0.iter().all(|t| t.compare(low).is_ge());
        let is_not_early = self.0.iter().any(|t| t.compare(high).is_le());
        let is_at_start = self.0.iter().any(|t| t.compare(0.0).is_eq());
        if !is_sound || !is_not_late || !is_not_early {
            Err(format!(
                "[{low}, {high}] is sound: {is_sound}, not late: {is_not_late}, not early: {is_not_early}"
            ))
        } else if is_at_start && high != 0.0 {
            Err(format!("[{low}, {high}] for a contact at the start"))
        } else {
            Ok(())
        }
    }
}
