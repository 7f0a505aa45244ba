//! The triangle test given to peers that stop at boxes: plain `f64` orientations, no error bounds.
//!
//! This is what a careful engineer writes who does not need exactness: Guigue and Devillers' scheme on plain
//! determinants. It is fast, and wrong where rounding decides.

use fracas::geom::{DVec3, Triangle};

/// Whether two triangles intersect, as far as rounding lets it say.
#[inline]
pub fn intersect(t: &Triangle, u: &Triangle) -> bool {
    let n = (u.b - u.a).cross(u.c - u.a);
    let side_t = t.corners().map(|p| n.dot(p - u.a));
    if one_sided(side_t) {
        return false;
    }
    let m = (t.b - t.a).cross(t.c - t.a);
    let side_u = u.corners().map(|p| m.dot(p - t.a));
    if one_sided(side_u) {
        return false;
    }
    let (Some((mut p, flip_u)), Some((mut q, flip_t))) = (apex_first(t, side_t), apex_first(u, side_u))
    else {
        return coplanar(t, u, m);
    };
    // Turn each triangle so that the other's apex lies on its positive side.
    if flip_u {
        q.swap(1, 2);
    }
    if flip_t {
        p.swap(1, 2);
    }
    // Intervals on the common line overlap.
    orient(p[0], p[1], q[0], q[1]) <= 0.0 && orient(p[0], p[2], q[2], q[0]) <= 0.0
}

#[inline]
fn one_sided(side: [f64; 3]) -> bool {
    (side[0] > 0.0 && side[1] > 0.0 && side[2] > 0.0) || (side[0] < 0.0 && side[1] < 0.0 && side[2] < 0.0)
}

#[inline]
fn orient(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    (b - a).cross(c - a).dot(d - a)
}

/// The corners rotated so that the first is alone on its side of the other's plane, and whether that side is the
/// negative one; `None` if all lie in the plane.
#[inline]
fn apex_first(t: &Triangle, side: [f64; 3]) -> Option<([DVec3; 3], bool)> {
    let p = t.corners();
    let sign = side.map(|s| i8::from(s > 0.0) - i8::from(s < 0.0));
    for k in 0..3 {
        let (a, b, c) = (k, (k + 1) % 3, (k + 2) % 3);
        if sign[a] > 0 && sign[b] <= 0 && sign[c] <= 0 || sign[a] == 0 && sign[b] < 0 && sign[c] < 0 {
            return Some(([p[a], p[b], p[c]], false));
        }
        if sign[a] < 0 && sign[b] >= 0 && sign[c] >= 0 || sign[a] == 0 && sign[b] > 0 && sign[c] > 0 {
            return Some(([p[a], p[b], p[c]], true));
        }
    }
    None
}

/// Two triangles in one plane: an edge of one crosses one of the other, or a corner lies inside.
fn coplanar(t: &Triangle, u: &Triangle, normal: DVec3) -> bool {
    let a = normal.abs();
    let drop = if a.x >= a.y && a.x >= a.z {
        0
    } else if a.y >= a.z {
        1
    } else {
        2
    };
    let flat = |p: DVec3| [p[(drop + 1) % 3], p[(drop + 2) % 3]];
    let (t, u) = (t.corners().map(flat), u.corners().map(flat));
    let turn =
        |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let inside = |p: [f64; 2], t: &[[f64; 2]; 3]| {
        let s = [turn(t[0], t[1], p), turn(t[1], t[2], p), turn(t[2], t[0], p)];
        s.iter().all(|&x| x >= 0.0) || s.iter().all(|&x| x <= 0.0)
    };
    let cross = |a, b, c, d| turn(a, b, c) * turn(a, b, d) <= 0.0 && turn(c, d, a) * turn(c, d, b) <= 0.0;
    (0..3).any(|i| (0..3).any(|j| cross(t[i], t[(i + 1) % 3], u[j], u[(j + 1) % 3])))
        || inside(t[0], &u)
        || inside(u[0], &t)
}
