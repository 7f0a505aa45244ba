//! Vectors of three coordinates, eight at a time.
//!
//! Plain functions, not closures: only what is marked `inline(always)` is sure to be compiled with the caller's
//! instruction set.

use crate::geom::LANES;
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8};

/// Three coordinates in eight lanes.
pub(super) type Vec8<S> = [f32x8<S>; 3];

#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, v: &[[f32; LANES]; 3]) -> Vec8<S> {
    [
        f32x8::load_array_ref(simd, &v[0]),
        f32x8::load_array_ref(simd, &v[1]),
        f32x8::load_array_ref(simd, &v[2]),
    ]
}

#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, v: &[[f32; LANES]; 3], lane: usize) -> Vec8<S> {
    [f32x8::splat(simd, v[0][lane]), f32x8::splat(simd, v[1][lane]), f32x8::splat(simd, v[2][lane])]
}

#[inline(always)]
pub(super) fn store<S: Simd>(v: Vec8<S>, out: &mut [[f32; LANES]; 3]) {
    for axis in 0..3 {
        v[axis].store_array(&mut out[axis]);
    }
}

#[inline(always)]
pub(super) fn sub<S: Simd>(a: Vec8<S>, b: Vec8<S>) -> Vec8<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Height of a point over a plane, times the length of its normal. Fused or not, the error bounds hold.
#[inline(always)]
pub(super) fn height<S: Simd>(normal: Vec8<S>, x: Vec8<S>, offset: f32x8<S>) -> f32x8<S> {
    normal[0].mul_add(x[0], normal[1].mul_add(x[1], normal[2].mul_sub(x[2], offset)))
}

#[inline(always)]
pub(super) fn norm1<S: Simd>(v: Vec8<S>) -> f32x8<S> {
    v[0].abs() + v[1].abs() + v[2].abs()
}

#[inline(always)]
pub(super) fn dot<S: Simd>(a: Vec8<S>, b: Vec8<S>) -> f32x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross<S: Simd>(a: Vec8<S>, b: Vec8<S>) -> Vec8<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The vector with length one, roughly; short ones are shorter.
#[inline(always)]
pub(super) fn unit<S: Simd>(v: Vec8<S>) -> Vec8<S> {
    let length = (dot(v, v) + 1e-30).sqrt();
    [v[0] / length, v[1] / length, v[2] / length]
}

/// By lane the second or the third of three vectors if its mask is set, otherwise the first.
#[inline(always)]
pub(super) fn chosen<S: Simd>(by: [mask32x8<S>; 3], a: Vec8<S>, b: Vec8<S>, c: Vec8<S>) -> Vec8<S> {
    let mut chosen = a;
    for axis in 0..3 {
        chosen[axis] = by[2].select(c[axis], by[1].select(b[axis], a[axis]));
    }
    chosen
}
