//! Ear clipping, for loops that cross themselves and cannot be triangulated otherwise.

use glam::DVec2;

/// Adds the *n* − 2 triangles of a loop of *n* points.
///
/// A corner is cut off if it turns left and its triangle holds no other point. Where there is none, because the loop
/// crosses itself, the flattest corner goes: it does least harm. O(*n*³) at worst; *n*² on ordinary loops.
pub(super) fn cut_ears(outline: &[DVec2], ring: &[u32], triangles: &mut Vec<[u32; 3]>) {
    let mut left = ring.to_vec();
    // Seen so that the loop turns left.
    let sense = if super::triangulate::area(outline, ring) < 0.0 { -1.0 } else { 1.0 };
    let at = |id: u32| outline[id as usize];
    let twice_area = |[a, b, c]: [u32; 3]| sense * (at(b) - at(a)).perp_dot(at(c) - at(a));
    let corner = |left: &[u32], i: usize| {
        let n = left.len();
        [left[(i + n - 1) % n], left[i], left[(i + 1) % n]]
    };
    let mut start = 0;
    while left.len() > 3 {
        let n = left.len();
        let is_ear = |&i: &usize| {
            let ear @ [a, b, c] = corner(&left, i);
            let holds = |p: u32| {
                !ear.contains(&p) && [[a, b, p], [b, c, p], [c, a, p]].iter().all(|t| twice_area(*t) >= 0.0)
            };
            twice_area(ear) > 0.0 && !left.iter().any(|&p| holds(p))
        };
        // From where the last one was, every other corner first, so that ears do not all meet in one point.
        let flatness = |i: &usize| twice_area(corner(&left, *i)).abs();
        let next = (0..n).map(|k| (start + k) % n).find(is_ear);
        let i = next.or_else(|| (0..n).min_by(|i, j| flatness(i).total_cmp(&flatness(j)))).unwrap_or(0);
        triangles.push(corner(&left, i));
        left.remove(i);
        start = (i + 1) % left.len();
    }
    triangles.push([left[0], left[1], left[2]]);
}
