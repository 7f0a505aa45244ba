//! Normals of vertices, edges and faces; see the head of the module above.

use crate::geom::{DVec3, Triangle};

/// The mean normal of the triangles of a list that have all the given corners, one or two, weighted by their angles there; that of `own`
/// if they cancel out.
pub(super) fn mean_normal(list: impl Iterator<Item = Triangle>, at: &[DVec3], own: &Triangle) -> DVec3 {
    let mut around: Vec<Triangle> = Vec::with_capacity(8);
    around.extend(list.filter(|t| at.iter().all(|p| t.corners().contains(p))));
    drop_copies(&mut around);
    let mut sum = DVec3::ZERO;
    for t in &around {
        let (u, v) = sides_at(t, at[0]);
        let n = u.cross(v);
        let sine = n.length();
        if sine > 0.0 {
            // At an edge, every triangle has the same angle.
            let angle = if at.len() == 1 { libm::atan2(sine, u.dot(v)) } else { 1.0 };
            sum += n * (angle / sine);
        }
    }
    let length = sum.length();
    // Nothing but rounding is left where triangles cancel out.
    if length > 1e-12 * around.len() as f64 { sum / length } else { unit_normal(own) }
}

/// The normal of length one; zero if the triangle has no area. Right at any size.
pub(super) fn unit_normal(t: &Triangle) -> DVec3 {
    let (u, v) = sides_at(t, t.a);
    let n = u.cross(v);
    let sine = n.length();
    if sine > 0.0 { n / sine } else { DVec3::ZERO }
}

/// The directions of the two sides at a corner, so that their cross product points along the normal.
fn sides_at(t: &Triangle, p: DVec3) -> (DVec3, DVec3) {
    let corners = t.corners();
    let k = corners.iter().position(|corner| *corner == p).unwrap_or(0);
    (unit_vector(corners[(k + 1) % 3] - p), unit_vector(corners[(k + 2) % 3] - p))
}

/// The vector with length one, also where its square would overflow or vanish; zero for zero.
fn unit_vector(v: DVec3) -> DVec3 {
    let largest = v.abs().max_element();
    if largest == 0.0 || !largest.is_finite() {
        return DVec3::ZERO;
    }
    let v = v * f64::from_bits(largest.max(f64::MIN_POSITIVE).to_bits() & 0x7ff0_0000_0000_0000).recip();
    v / v.length()
}

/// Keeps one of all triangles with the same corners in the same cyclic order.
fn drop_copies(list: &mut Vec<Triangle>) {
    const FEW: usize = 32;
    let turned = |t: &Triangle| {
        let key = |p: DVec3| p.to_array();
        let [a, b, c] = t.corners().map(key);
        let turns = [[a, b, c], [b, c, a], [c, a, b]];
        turns.into_iter().min_by(|x, y| x.partial_cmp(y).expect("finite")).expect("three turns")
    };
    if list.len() > FEW {
        list.sort_by(|t, u| turned(t).partial_cmp(&turned(u)).expect("finite"));
        list.dedup_by_key(|t| turned(t));
        return;
    }
    let mut k = 1;
    while k < list.len() {
        let (before, t) = (&list[..k], &list[k]);
        let is_copy = |u: &Triangle| {
            let [a, b, c] = u.corners();
            let t = t.corners();
            t == [a, b, c] || t == [b, c, a] || t == [c, a, b]
        };
        if before.iter().any(is_copy) {
            let _ = list.remove(k);
        } else {
            k += 1;
        }
    }
}
