//! Solid angles of eight triangles at a time, in `f32`.
//!
//! Half the solid angle of a triangle is the argument of a complex number (van Oosterom and Strackee). Arguments add up where numbers are
//! multiplied, so a query multiplies them lane by lane, counts full turns, and takes one arc tangent at its end.
//!
//! # Precision
//!
//! Corners are stored relative to a centre of the row, with 24 bits. A triangle is left to `f64` if the point is so near that
//! this is not enough: nearer to a corner than a fifth of the row's size, nearly on an edge, or nearly in the inside of the triangle. For all
//! others the angle is off by less than 5e-5, measured as a part of the sphere less than 1e-5.

use crate::geom::{DVec3, LANES};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8};

/// Up to eight triangles of a leaf. In unused lanes all is zero.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct AngleRow {
    /// Relative to the centre: `corners[corner][axis][lane]`.
    corners: [[[f32; LANES]; 3]; 3],
    /// (b − a) × (c − a), rounded once.
    area: [[f32; LANES]; 3],
    pub(super) centre: [f32; 3],
    /// The largest coordinate of a corner, squared, times 0.04.
    too_near: f32,
    used: u32,
}

impl AngleRow {
    /// The row of some triangles, of eight at most.
    pub(super) fn new(triangles: &[[DVec3; 3]]) -> Self {
        let all = || triangles.iter().flatten();
        let low = all().fold(DVec3::INFINITY, |m, p| m.min(*p));
        let high = all().fold(DVec3::NEG_INFINITY, |m, p| m.max(*p));
        let centre = (0.5 * low + 0.5 * high).to_array().map(|x| x as f32);
        let origin = DVec3::from_array(centre.map(f64::from));
        let mut row = Self {
            corners: [[[0.0; LANES]; 3]; 3],
            area: [[0.0; LANES]; 3],
            centre,
            too_near: 0.0,
            used: (1 << triangles.len()) - 1,
        };
        let mut largest = 0.0_f64;
        for (lane, t) in triangles.iter().enumerate() {
            let area = (t[1] - t[0]).cross(t[2] - t[0]);
            for axis in 0..3 {
                row.area[axis][lane] = area[axis] as f32;
                for (corner, p) in t.iter().enumerate() {
                    let x = p[axis] - origin[axis];
                    row.corners[corner][axis][lane] = x as f32;
                    largest = largest.max(x.abs());
                }
            }
        }
        row.too_near = (0.04 * largest * largest) as f32;
        row
    }
}

/// The product of the complex numbers of all triangles so far, lane by lane, and how often it went around zero.
pub(super) struct Turns<S: Simd> {
    real: f32x8<S>,
    imaginary: f32x8<S>,
    rounds: f32x8<S>,
}

impl<S: Simd> Turns<S> {
    #[inline(always)]
    pub(super) fn new(simd: S) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        Self { real: f32x8::splat(simd, 1.0), imaginary: zero, rounds: zero }
    }

    /// Adds the triangles of a row seen from `d`, relative to its centre. Returns the lanes that are left to `f64`, as bits.
    #[inline(always)]
    pub(super) fn add(&mut self, simd: S, row: &AngleRow, d: [f32; 3]) -> u32 {
        let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
        let a = relative(simd, &row.corners[0], d);
        let b = relative(simd, &row.corners[1], d);
        let c = relative(simd, &row.corners[2], d);
        let (aa, bb, cc) = (dot(a, a), dot(b, b), dot(c, c));
        let (x, y, z) = (aa.sqrt(), bb.sqrt(), cc.sqrt());
        let area = load(simd, &row.area);
        let volume = dot(a, area);
        let product = x * y * z;
        let below = dot(a, b).mul_add(z, dot(b, c).mul_add(x, dot(c, a).mul_add(y, product)));
        let size = volume.abs() + below.abs();
        let near_corner = aa.min(bb).min(cc).simd_le(row.too_near);
        let near_edge = size.simd_lt(product * 0.1);
        let near_face = below.simd_lt(zero) & volume.abs().simd_lt(product * 1e-3);
        let bad: mask32x8<S> = near_corner | near_edge | near_face;
        let part = one / size.max(f32x8::splat(simd, f32::MIN_POSITIVE));
        let real = bad.select(one, below * part);
        let imaginary = bad.select(zero, volume * part);
        let next_real = self.real.mul_sub(real, self.imaginary * imaginary);
        let next = self.real.mul_add(imaginary, self.imaginary * real);
        let over = self.imaginary.simd_ge(zero) & imaginary.simd_ge(zero) & next.simd_lt(zero);
        let under = self.imaginary.simd_lt(zero) & imaginary.simd_lt(zero) & next.simd_ge(zero);
        self.rounds = self.rounds + over.select(one, zero) - under.select(one, zero);
        // Numbers have a sum of absolute parts of one; a product may be half as large.
        let part = one / (next_real.abs() + next.abs());
        (self.real, self.imaginary) = (next_real * part, next * part);
        bad.to_bitmask() as u32 & row.used
    }

    /// The winding number of all triangles added.
    #[inline(always)]
    pub(super) fn sum(&self) -> f64 {
        let (mut real, mut imaginary, mut rounds) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        self.real.store_array(&mut real);
        self.imaginary.store_array(&mut imaginary);
        self.rounds.store_array(&mut rounds);
        let (mut re, mut im, mut whole) = (1.0, 0.0, 0.0);
        for lane in 0..LANES {
            let (x, y) = (f64::from(real[lane]), f64::from(imaginary[lane]));
            let (next_re, next_im) = (re * x - im * y, re * y + im * x);
            if im >= 0.0 && y >= 0.0 && next_im < 0.0 {
                whole += 1.0;
            } else if im < 0.0 && y < 0.0 && next_im >= 0.0 {
                whole -= 1.0;
            }
            (re, im) = (next_re, next_im);
            whole += f64::from(rounds[lane]);
        }
        whole + libm::atan2(im, re) / std::f64::consts::TAU
    }
}

/// Three coordinates in eight lanes.
type Vec8<S> = [f32x8<S>; 3];

#[inline(always)]
fn load<S: Simd>(simd: S, v: &[[f32; LANES]; 3]) -> Vec8<S> {
    [
        f32x8::load_array_ref(simd, &v[0]),
        f32x8::load_array_ref(simd, &v[1]),
        f32x8::load_array_ref(simd, &v[2]),
    ]
}

#[inline(always)]
fn relative<S: Simd>(simd: S, corner: &[[f32; LANES]; 3], d: [f32; 3]) -> Vec8<S> {
    let [x, y, z] = load(simd, corner);
    [x - d[0], y - d[1], z - d[2]]
}

#[inline(always)]
fn dot<S: Simd>(a: Vec8<S>, b: Vec8<S>) -> f32x8<S> {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}
