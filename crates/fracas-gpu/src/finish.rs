//! Pairs that the device left open, decided exactly on the processor.

use fracas::exact;
use fracas::geom::{DVec3, Triangle};
use fracas::pairs::{Pair, Touch};
use rayon::prelude::*;

/// Of the open pairs, given as places in the list of triangles and with all their corners, those that meet.
pub(crate) fn decide(
    triangles: &[[u32; 4]],
    open: &[[u32; 2]],
    corners: &[[f64; 18]],
    touch: Touch,
) -> Vec<Pair> {
    let triangle = |numbers: &[f64]| {
        let point = |k: usize| DVec3::from_slice(&numbers[3 * k..3 * k + 3]);
        Triangle::new(point(0), point(1), point(2))
    };
    let meeting = |(&[i, j], numbers): (&[u32; 2], &[f64; 18])| {
        let [[a, b, c, one], [d, e, f, other]] = [i, j].map(|k| triangles[k as usize]);
        let (t, u) = (triangle(&numbers[..9]), triangle(&numbers[9..]));
        let relation = exact::tri_tri_shared(&t, [a, b, c], &u, [d, e, f]);
        touch.accepts(relation).then(|| Pair::new(one.min(other), one.max(other)))
    };
    open.par_iter().zip(corners).with_min_len(256).filter_map(meeting).collect()
}
