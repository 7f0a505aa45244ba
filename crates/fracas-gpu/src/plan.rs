//! Which sizes of triangles share a level of the grid.
//!
//! Every level costs each smaller triangle a few looks into mostly empty cells. A level for several sizes has cells as
//! wide as the largest of them, which are crowded with the small ones. So sizes are gathered into levels such that looks and
//! comparisons together are fewest, by an estimate made from how many triangles there are of each size. The estimate may be
//! wrong: any plan whose cells are wide enough gives the right pairs. Sizes are those of the step before.
//!
//! ```text
//!   octave      …  115   116    117    118   119   …   131        powers of two
//!   triangles        9   830  91204 160102   211         2
//!   level            └────┴─ 0 ─┘ └───── 1 ───┘          2
//! ```

use crate::layout::{ALLOTTED, BRICK, LEVELS, OCTAVES, PlanLayout};
use fracas::pairs::Frame;

/// Triangles of each octave: the exponents, as in the bits of an `f32`, of their sizes rounded up to a power of two.
pub(crate) type Histogram = [u32; OCTAVES];

/// Smaller triangles count as this small: cells a millionth of the scene wide. Keeps cell numbers small.
const SMALLEST_OCTAVE: usize = 108;

/// What a look into a row of cells costs, in comparisons of boxes.
const LOOK: f64 = 3.0;

/// Triangles that have their lower corner in the cells around one of their size, on a surface made of such triangles.
const CROWD: f64 = 13.0;

/// Sizes so much apart are not on the same surface: a floor does not make the dust on it sparse.
const NEARBY: usize = 3;

/// How many buckets there are for a triangle.
const BUCKETS: u64 = 2;

/// A plan for triangles of these sizes. `bunched`: the small ones are not spread among the large ones.
pub(crate) fn plan(frame: &Frame, histogram: &Histogram, bunched: bool) -> PlanLayout {
    let mut layout = PlanLayout {
        centre: frame.centre.to_array(),
        scale: frame.scale,
        levels: 0,
        buckets: 0,
        per_width: [1.0; LEVELS],
        first_bucket: [0; LEVELS],
        brick_mask: [0; LEVELS],
        most: [0; LEVELS],
        level_of: [0; OCTAVES],
    };
    let mut tops = choose(histogram, bunched);
    if tops.last() != Some(&(OCTAVES - 1)) {
        // Whatever is larger than all that was there before; a cell of it holds everything.
        tops.push(OCTAVES - 1);
    }
    let mut buckets = 0;
    let mut octave = 0;
    for (level, &top) in tops.iter().enumerate() {
        let count: u64 = histogram[octave..=top].iter().map(|&n| u64::from(n)).sum();
        layout.level_of[octave..=top].fill(level as u8);
        octave = top + 1;
        let bricks = (BUCKETS * count / u64::from(BRICK)).next_power_of_two().min(1 << 22) as u32;
        // 2 to the power of 127 − top; the last one is subnormal.
        layout.per_width[level] = power_of_two(127 - top as i32);
        layout.first_bucket[level] = buckets;
        layout.brick_mask[level] = bricks - 1;
        layout.most[level] = (4 * count + 4096).min(u64::from(u32::MAX)) as u32;
        buckets += bricks * BRICK;
    }
    layout.levels = tops.len() as u32;
    layout.buckets = buckets.next_multiple_of(ALLOTTED);
    layout
}

/// Whether a plan that was made for one set of sizes is still good for another.
pub(crate) fn still_fits(made_for: &Histogram, now: &Histogram) -> bool {
    let total: u64 = now.iter().map(|&n| u64::from(n)).sum();
    let moved: u64 = made_for.iter().zip(now).map(|(&a, &b)| u64::from(a.abs_diff(b))).sum();
    8 * moved <= total
}

/// The largest octave of each level.
fn choose(histogram: &Histogram, bunched: bool) -> Vec<usize> {
    let mut counts: Vec<(usize, f64)> = Vec::new();
    for (octave, &count) in histogram.iter().enumerate().filter(|(_, count)| **count > 0) {
        let octave = octave.max(SMALLEST_OCTAVE);
        match counts.last_mut() {
            Some((last, sum)) if *last == octave => *sum += f64::from(count),
            _ => counts.push((octave, f64::from(count))),
        }
    }
    let mut look = LOOK;
    loop {
        let tops = cheapest(&counts, bunched, look);
        if tops.len() < LEVELS {
            return tops;
        }
        look *= 4.0;
    }
}

/// The cheapest way to cut the list of octaves and their counts into levels.
fn cheapest(counts: &[(usize, f64)], bunched: bool, look: f64) -> Vec<usize> {
    let octaves = counts.len();
    let area = |k: usize| counts[k].1 * 4f64.powi(counts[k].0 as i32 - SMALLEST_OCTAVE as i32);
    // Part of the surface around them that triangles of an octave make up.
    let share: Vec<f64> = (0..octaves)
        .map(|k| {
            let near = (0..octaves).filter(|&l| counts[l].0 <= counts[k].0 + NEARBY).map(area).sum::<f64>();
            if bunched { 1.0 } else { area(k) / near }
        })
        .collect();
    // best[end]: the least cost of the first octaves, and where their last level begins.
    let mut best = vec![(0.0, 0); octaves + 1];
    for end in 1..=octaves {
        let top = counts[end - 1].0;
        best[end] = (f64::INFINITY, 0);
        let (mut crowd, mut count) = (0.0, 0.0);
        for begin in (0..end).rev() {
            crowd += CROWD * share[begin] * 4f64.powi((top - counts[begin].0).min(400) as i32);
            count += counts[begin].1;
            let below: f64 = counts[..begin].iter().map(|(_, n)| n).sum();
            let cost = best[begin].0 + count * (3.0 * look + 0.5 * crowd) + below * (4.0 * look + crowd);
            if cost < best[end].0 {
                best[end] = (cost, begin);
            }
        }
    }
    let mut tops = Vec::new();
    let mut end = octaves;
    while end > 0 {
        tops.push(counts[end - 1].0);
        end = best[end].1;
    }
    tops.reverse();
    tops
}

/// 2 to this power, from −149 to 127, exactly.
fn power_of_two(e: i32) -> f32 {
    if e >= -126 { f32::from_bits(((e + 127) as u32) << 23) } else { f32::from_bits(1 << (e + 149)) }
}
