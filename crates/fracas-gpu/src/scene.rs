//! What a scene is like: where it is, and how large its triangles are.

use crate::layout::GRADES;
use crate::plan::{self, Histogram};
use fracas::geom::{Box3, DVec3};
use fracas::internal::Frame;
use rayon::prelude::*;

/// The frame of a scene. A few triangles far out, or far larger than all others, are left outside of it: they would make the
/// coordinates of the rest coarse.
pub(crate) fn frame_of(positions: &[DVec3], triangles: &[[u32; 4]]) -> Frame {
    let bounds = positions
        .par_chunks(1 << 14)
        .map(|part| Box3::from_points(part.iter().copied()))
        .reduce(|| Box3::EMPTY, |a, b| a.union(&b));
    let whole = Frame::around(bounds.min, bounds.max);
    // Corners of a few thousand triangles; the outermost hundredth does not count.
    let every = triangles.len().div_ceil(SAMPLES).max(1);
    let sample = || triangles.iter().step_by(every).map(|t| positions[t[0] as usize]);
    let count = sample().count();
    if count < 100 {
        return whole;
    }
    let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
    for axis in 0..3 {
        let mut numbers: Vec<f64> = sample().map(|p| p[axis]).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        low[axis] = numbers[count / 100];
        high[axis] = numbers[count - 1 - count / 100];
    }
    let middle = 0.5 * low + 0.5 * high;
    let core = Frame::around(middle - (high - low), middle + (high - low));
    if core.scale > 4.0 * whole.scale && core.scale.is_finite() { core } else { whole }
}

/// Triangles that are looked at to choose a frame.
const SAMPLES: usize = 4096;

/// How many triangles there are of each grade, as the kernels would say but for rounding.
pub(crate) fn sizes_of(frame: &Frame, positions: &[DVec3], triangles: &[[u32; 4]]) -> Histogram {
    let grade = |&[a, b, c, _]: &[u32; 4]| {
        let [a, b, c] = [a, b, c].map(|v| positions[v as usize]);
        plan::grade_of((a.max(b).max(c) - a.min(b).min(c)).max_element() * frame.scale)
    };
    let count = |part: &[[u32; 4]]| {
        let mut histogram = [0_u32; GRADES];
        part.iter().for_each(|t| histogram[grade(t)] += 1);
        histogram
    };
    triangles.par_chunks(1 << 14).map(count).reduce(
        || [0; GRADES],
        |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        },
    )
}
