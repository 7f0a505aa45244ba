//! Many points along a curve, so that each finds what the one before it has left in the cache.

use crate::base::{morton, parallel};
use crate::geom::{Box3, DVec3};

/// Points of one task.
pub(crate) const CHUNK: usize = 256;

/// Calls `ask` for each point along a Morton curve through a box, on all threads if asked to, and returns the answers in the order of the points.
/// `ask` gets what the point before it has left behind, within a chunk.
pub(crate) fn ask_along_curve<T: Copy + Send, M: Default>(
    bounds: &Box3,
    points: &[DVec3],
    parallel: bool,
    ask: impl Fn(DVec3, &mut M) -> T + Sync + Send,
) -> Vec<T> {
    let order = curve_order(bounds, points, parallel);
    let chunks = parallel::map(parallel, order.chunks(CHUNK), |chunk| {
        let mut memory = M::default();
        chunk.iter().map(|&(_, k)| ask(points[k as usize], &mut memory)).collect::<Vec<T>>()
    });
    let Some(&first) = chunks.first().and_then(|chunk| chunk.first()) else { return vec![] };
    let mut answers = vec![first; points.len()];
    for (&(_, k), answer) in order.iter().zip(chunks.into_iter().flatten()) {
        answers[k as usize] = answer;
    }
    answers
}

/// Bits of each coordinate: enough to tell the places where points find the same nodes.
const BITS: u32 = 10;

/// Numbers of all points, along a curve.
fn curve_order(bounds: &Box3, points: &[DVec3], parallel: bool) -> Vec<(u32, u32)> {
    let (low, high) = bounds.corners();
    let cells = f64::from(1 << BITS);
    // The box is the middle half of the curve's cube; what is farther away goes to its faces.
    let size = (high - low).max_element();
    let code = |(k, p): (usize, &DVec3)| {
        let cell = ((*p - low) / size * 0.5 + 0.25) * cells;
        // NaN becomes 0.
        (morton::encode(cell.to_array().map(|x| x.clamp(0.0, cells - 1.0) as u64)) as u32, k as u32)
    };
    let mut order: Vec<(u32, u32)> = points.iter().enumerate().map(code).collect();
    parallel::sort_unstable(parallel && points.len() > 10_000, &mut order);
    order
}
