//! Bounds of the distances of eight triangles from a point, in `f32`.
//!
//! The nearest point of each triangle is computed approximately, in `f32`. Any convex combination of the corners lies on the
//! triangle, so its distance bounds the true one from above. For any direction *D* the triangle lies beyond
//! the smallest projection of its corners onto *D*; with *D* towards the nearest point this bounds the distance from below. Neither bound
//! relies on the nearest point being right: a poor one makes the bounds wide, not wrong.
//!
//! Most rows hold nothing near. The direction towards the centroid, which needs no root and no division, proves it for them.

use crate::geom::LANES;
use crate::pairs::Row;
use fearless_simd::f32x8;
use fearless_simd::prelude::*;

/// Three coordinates of eight points.
type Vec8<S> = [f32x8<S>; 3];

#[inline(always)]
fn sub<S: Simd>(a: Vec8<S>, b: Vec8<S>) -> Vec8<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<S: Simd>(a: Vec8<S>, b: Vec8<S>) -> f32x8<S> {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

#[inline(always)]
fn cross<S: Simd>(a: Vec8<S>, b: Vec8<S>) -> Vec8<S> {
    [a[1].mul_sub(b[2], a[2] * b[1]), a[2].mul_sub(b[0], a[0] * b[2]), a[0].mul_sub(b[1], a[1] * b[0])]
}

/// a + b · s.
#[inline(always)]
fn along<S: Simd>(a: Vec8<S>, b: Vec8<S>, s: f32x8<S>) -> Vec8<S> {
    [b[0].mul_add(s, a[0]), b[1].mul_add(s, a[1]), b[2].mul_add(s, a[2])]
}

#[inline(always)]
fn relative<S: Simd>(simd: S, corner: &[[f32; LANES]; 3], q: &Vec8<S>) -> Vec8<S> {
    let x = f32x8::load_array_ref(simd, &corner[0]) - q[0];
    let y = f32x8::load_array_ref(simd, &corner[1]) - q[1];
    let z = f32x8::load_array_ref(simd, &corner[2]) - q[2];
    [x, y, z]
}

/// The point of a segment nearest to the origin, and its squared distance.
#[inline(always)]
fn on_segment<S: Simd>(simd: S, from: Vec8<S>, way: Vec8<S>) -> (Vec8<S>, f32x8<S>) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    // A segment that is a point, or whose square underflows: any part of it will do.
    let whole = dot(way, way).max(f32x8::splat(simd, f32::MIN_POSITIVE));
    let s = (zero - dot(from, way) / whole).max(zero).min(one);
    let x = along(from, way, s);
    (x, dot(x, x))
}

#[inline(always)]
fn choose<S: Simd>(mask: fearless_simd::mask32x8<S>, a: Vec8<S>, b: Vec8<S>) -> Vec8<S> {
    [mask.select(a[0], b[0]), mask.select(a[1], b[1]), mask.select(a[2], b[2])]
}

/// Corners of the triangles of a row relative to `q`.
#[inline(always)]
pub(super) fn corners_from<S: Simd>(simd: S, row: &Row, q: &Vec8<S>) -> [Vec8<S>; 3] {
    [
        relative(simd, &row.corners[0], q),
        relative(simd, &row.corners[1], q),
        relative(simd, &row.corners[2], q),
    ]
}

/// The lanes whose triangles may be nearer than `limit`, as bits. The limit must allow for all roundings.
#[inline(always)]
pub(super) fn may_be_near<S: Simd>(simd: S, [a, b, c]: &[Vec8<S>; 3], limit: f32) -> u32 {
    let direction = [a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]];
    let least =
        dot(direction, *a).min(dot(direction, *b)).min(dot(direction, *c)).max(f32x8::splat(simd, 0.0));
    // Without a limit, and with the centroid at the origin, there is nothing to compare with: such lanes stay.
    !(least * least).simd_gt(dot(direction, direction) * (limit * limit)).to_bitmask() as u32 & 0xff
}

/// Lower and upper bounds of the distances of the triangles with these corners from the origin, if corners and point together are off by at most `off` along each
/// axis. Fused or not, the bounds hold.
#[inline(always)]
pub(super) fn distances<S: Simd>(simd: S, [a, b, c]: [Vec8<S>; 3], off: f32) -> (f32x8<S>, f32x8<S>) {
    let zero = f32x8::splat(simd, 0.0);
    let (ab, bc, ca) = (sub(b, a), sub(c, b), sub(a, c));
    let (on_ab, d_ab) = on_segment(simd, a, ab);
    let (on_bc, d_bc) = on_segment(simd, b, bc);
    let (on_ca, d_ca) = on_segment(simd, c, ca);
    let first = d_ab.simd_le(d_bc);
    let (x, d) = (choose(first, on_ab, on_bc), d_ab.min(d_bc));
    let second = d.simd_le(d_ca);
    let (x, d) = (choose(second, x, on_ca), d.min(d_ca));
    // Above the inside of the face.
    let n = cross(ab, sub(zero_of(simd), ca));
    let of_c = dot(cross(a, ab), n);
    let of_a = dot(cross(b, bc), n);
    let of_b = dot(cross(c, ca), n);
    let total = of_a + of_b + of_c;
    let tiny = f32x8::splat(simd, f32::MIN_POSITIVE);
    let inside = of_a.simd_ge(zero) & of_b.simd_ge(zero) & of_c.simd_ge(zero) & total.simd_gt(tiny);
    let part = f32x8::splat(simd, 1.0) / total.max(tiny);
    let face = along(along(a, ab, of_b * part), sub(zero_of(simd), ca), of_c * part);
    let d_face = dot(face, face);
    let inside = inside & d_face.simd_le(d);
    let upper = inside.select(d_face, d);
    // Towards the triangle: its normal above the inside, else the nearest point.
    let height = dot(n, a);
    let down = height.simd_lt(zero);
    let n = choose(down, sub(zero_of(simd), n), n);
    let direction = choose(inside, n, x);
    let least = dot(direction, a).min(dot(direction, b)).min(dot(direction, c));
    let length = dot(direction, direction).max(tiny).sqrt();
    // With N the distance of the farthest corner and u = 2⁻²⁴: a projection is off by at most 6 u N, a point by 16 u N.
    let far = dot(a, a).max(dot(b, b)).max(dot(c, c)).sqrt();
    let (u, off) = (0.5 * f32::EPSILON, 2.0 * off);
    (least / length - far * (8.0 * u) - off, upper.sqrt() + far * (24.0 * u) + off)
}

#[inline(always)]
fn zero_of<S: Simd>(simd: S) -> Vec8<S> {
    [f32x8::splat(simd, 0.0); 3]
}
